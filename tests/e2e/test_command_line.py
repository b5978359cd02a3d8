"""The command line: where captures go, what is said, and what is refused before anything starts."""

import os
import re
import stat
import subprocess
import sys

import pytest
from support.captures import stream
from support.in_process import acp_spy, acp_spy_bytes
from support.processes import ACP_SPY, DEADLINE, ECHO


def proxy(*words, env=None, stdin=b""):
    """Run acp-spy as a process, which it must be to start an agent."""
    done = subprocess.run(
        [*ACP_SPY, *words],
        input=stdin,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
        env={**os.environ, **(env or {})},
    )
    return done.stdout.decode(), done.stderr.decode(), done.returncode


WRONG = {
    "agent --acp": (
        "error: put the agent command after `--`\nhint: run `acp-spy -- agent --acp`\n"
    ),
    "-v agent 'a b'": (
        "error: put the agent command after `--`\nhint: run `acp-spy -v -- agent 'a b'`\n"
    ),
    "": (
        "error: missing agent command\n"
        "hint: run `acp-spy [OPTIONS] -- COMMAND [ARG]...`, for example"
        " `acp-spy -- claude-agent-acp`; `acp-spy --help` lists the commands\n"
    ),
    "--": (
        "error: missing agent command\n"
        "hint: run `acp-spy [OPTIONS] -- COMMAND [ARG]...`, for example"
        " `acp-spy -- claude-agent-acp`; `acp-spy --help` lists the commands\n"
    ),
    "--loud -- agent -x": (
        "error: no such option: `--loud`\n"
        "hint: run `acp-spy --help` to list the options; those of the agent belong after `--`\n"
    ),
    "-x agent": (
        "error: no such option: `-x`\n"
        "hint: run `acp-spy --help` to list the options; those of the agent belong after `--`\n"
    ),
    "-o -- agent": (
        "error: `-o` needs a value\n"
        "hint: run `acp-spy -o FILE -- agent`; `acp-spy --help` lists the options\n"
    ),
    "--dir= -- agent": (
        "error: `--dir` needs a value\n"
        "hint: run `acp-spy --dir DIR -- agent`; `acp-spy --help` lists the options\n"
    ),
    "-o -v -- agent": (
        "error: `-o` needs a value\n"
        "hint: run `acp-spy -o FILE -v -- agent`; `acp-spy --help` lists the options\n"
    ),
    "demmo": (
        "error: no such command: `demmo`\n"
        "hint: run `acp-spy demo`; to start `demmo` as an agent, run `acp-spy -- demmo`\n"
    ),
    "record --help": "error: no such command: `record`\nhint: run `acp-spy --help`\n",
    "record -o x.jsonl agent": (
        "error: no such command: `record`\n"
        "hint: to record, run `acp-spy [OPTIONS] -- COMMAND [ARG]...`\n"
    ),
    "raw": "error: missing `CAPTURE`\nhint: run `acp-spy raw --help`\n",
    "raw x.jsonl": (
        "error: missing `--sender`: `client`, `agent` or `stderr`\n"
        "hint: run `acp-spy raw x.jsonl --sender agent`\n"
    ),
    "raw x.jsonl --sender server": (
        "error: `--sender` must be `client`, `agent` or `stderr`, not `server`\n"
        "hint: run `acp-spy raw x.jsonl --sender agent`\n"
    ),
    "-v raw x.jsonl": (
        "error: `raw` does not accept proxy options\nhint: run `acp-spy raw x.jsonl`\n"
    ),
    "— agent": "error: `—` is a dash; type two hyphens: `--`\nhint: run `acp-spy -- agent`\n",
    "--vesion": (
        "error: no such option: `--vesion`; did you mean `--version`?\n"
        "hint: run `acp-spy --version`\n"
    ),
    "--verbos -- agent": (
        "error: no such option: `--verbos`; did you mean `--verbose`?\n"
        "hint: run `acp-spy --verbose -- agent`; `acp-spy --help` lists the options\n"
    ),
    "-o x --dir y -- agent": (
        "error: `--output` cannot be used with `--dir`\nhint: use one of them\n"
    ),
}


@pytest.mark.parametrize(("line", "said"), WRONG.items(), ids=WRONG.keys())
def test_wrong_use_is_one_error_and_one_hint(line, said, tmp_path):
    import shlex

    out, err, status = acp_spy(*shlex.split(line), env={"ACP_SPY_DIR": f"{tmp_path}/captures"})
    assert (out, err, status) == ("", said, 2)
    assert list(tmp_path.iterdir()) == []  # nothing was started


def test_the_capture_folder_and_the_name(tmp_path):
    folder = tmp_path / "captures"
    proxy("--no-check", "--", "/bin/cat", "-", env={"ACP_SPY_DIR": str(folder)}, stdin=b"x\n")
    (capture,) = folder.iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z-cat-\d+\.jsonl", capture.name)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(capture.stat().st_mode) == 0o600
    assert stream(capture, "agent") == b"x\n"


def test_dir_goes_before_the_environment(tmp_path):
    environment = {"ACP_SPY_DIR": f"{tmp_path}/b"}
    proxy("--no-check", "--dir", f"{tmp_path}/a", "--", "/bin/true", env=environment)
    assert [folder.name for folder in tmp_path.iterdir()] == ["a"]


def test_without_either_it_is_the_users_state_folder(tmp_path):
    environment = {"XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path), "ACP_SPY_DIR": ""}
    proxy("--no-check", "--", "/bin/true", env=environment)
    assert len(list((tmp_path / "acp-spy" / "captures").iterdir())) == 1


def test_an_existing_capture_is_neither_overwritten_nor_an_obstacle(tmp_path):
    for number in range(3):
        words = ("--no-check", "-o", f"{tmp_path}/run.jsonl")
        proxy(*words, "--", "/bin/cat", stdin=b"%d\n" % number)
    names = ["run.jsonl", "run-2.jsonl", "run-3.jsonl"]
    assert sorted(os.listdir(tmp_path)) == sorted(names)
    assert [stream(tmp_path / name, "agent") for name in names] == [b"0\n", b"1\n", b"2\n"]


@pytest.mark.parametrize("spelling", [["-o", "X"], ["-oX"], ["--output", "X"], ["--output=X"]])
def test_every_spelling_of_an_option(tmp_path, spelling):
    words = [word.replace("X", f"{tmp_path}/new/run.jsonl") for word in spelling]
    assert proxy("--no-check", *words, "--", "/bin/true") == ("", "", 0)
    assert (tmp_path / "new" / "run.jsonl").exists()


def test_verbose_names_the_capture_and_sums_up(tmp_path):
    path = f"{tmp_path}/run.jsonl"
    out, err, status = proxy("-v", "--no-check", "-o", path, "--", *ECHO, stdin=b"a\nb\n")
    assert (out, status) == ("a\nb\n", 0)
    begin, end = err.splitlines()
    assert begin == f"acp-spy: recording to {path}"
    assert re.fullmatch(
        r"acp-spy: frames: 2 from the client, 2 from the agent; \d+\.\d s;"
        rf" the agent exited with status 0; {re.escape(path)}",
        end,
    )


def test_verbose_tells_of_a_signal(tmp_path):
    _, err, status = proxy(
        "-v", "-o", f"{tmp_path}/x.jsonl", "--", "/bin/sh", "-c", "kill -TERM $$"
    )
    assert status == -15
    assert "the agent was killed by SIGTERM" in err


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["raw", "--help"], ["demo", "--help"]])
@pytest.mark.parametrize("width", ["80", "200"])
def test_help_is_there_and_fits(words, width):
    out, err, status = acp_spy(*words, env={"COLUMNS": width, "NO_COLOR": "1", "TERM": "dumb"})
    assert (err, status) == ("", 0)
    assert "Usage: acp-spy" in out
    assert max(map(len, out.splitlines())) <= int(width)
    assert "\x1b" not in out


def test_help_shows_every_option_and_command():
    from acp_spy.cli.commands import COMMANDS, PROXY_OPTIONS

    out, _, _ = acp_spy("--help", env={"COLUMNS": "200"})
    assert "Usage: acp-spy [OPTIONS] -- COMMAND [ARG]..." in out
    for option in PROXY_OPTIONS:
        assert all(spelling in out for spelling in option.spellings)
        assert option.help in out
    for command in COMMANDS:
        assert re.search(rf"│ {command} ", out)


def test_recording_onto_the_wire_is_refused_and_the_agent_runs(tmp_path):
    out, err, status = proxy("-o", "/dev/stdout", "--", "/bin/cat", stdin=b"x\n")
    assert (out, status) == ("x\n", 0)
    assert err == "acp-spy: not recording: `/dev/stdout` is a stream of this process\n"


@pytest.mark.parametrize("number", ["7", "12", "9" * 20, "9" * 5000])
def test_a_descriptor_that_is_not_open_is_not_recorded_to(number):
    """Its number may soon be that of the pipe from which our own stderr is read."""
    out, err, status = proxy("-o", f"/dev/fd/{number}", "--", "/bin/cat", stdin=b"x\n")
    assert (out, status) == ("x\n", 0)
    assert err == f"acp-spy: not recording: `/dev/fd/{number}` is not open\n"


@pytest.mark.parametrize(
    "path",
    [
        *("/dev/fd//N", "/dev//fd/N", "//dev/./fd/N", "/proc/self/fd/N", "/proc//self/fd/N"),
        *("/proc/thread-self/fd/N", "/dev/shm/../fd/N", "link-N", "fds/N"),
    ],
)
def test_a_closed_descriptor_is_known_by_any_other_path(path, tmp_path):
    """Or else a capture could get into the pipe to the agent."""
    (tmp_path / "fds").symlink_to("/dev/fd")
    for number in (4, 7):
        (tmp_path / f"link-{number}").symlink_to(f"/dev/fd/{number}")
        given = os.path.join(tmp_path, path.replace("N", str(number)))
        out, err, status = proxy("--no-check", "-o", given, "--", "/bin/cat", stdin=b"x\n")
        assert (out, status) == ("x\n", 0)
        assert err.startswith("acp-spy: not recording: ")
        assert err.endswith(" is not open\n")


@pytest.mark.parametrize("path", ["/dev//fd/N", "/dev/fd/./N", "/proc/self/fd/N"])
def test_an_open_file_is_recorded_to_by_any_path_of_its_descriptor(path, tmp_path):
    agent = ["/bin/sh", "-c", "test -e /dev/fd/$0 && echo inherited"]
    with open(tmp_path / "x.jsonl", "wb") as file:
        number = str(file.fileno())
        given = path.replace("N", number)
        command = [*ACP_SPY, "--no-check", "-o", given, "--", *agent, number]
        done = subprocess.run(
            command, capture_output=True, pass_fds=[file.fileno()], timeout=DEADLINE, check=False
        )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert (tmp_path / "x.jsonl").read_bytes().startswith(b'{"type":"header"')


@pytest.mark.parametrize("words", [["--version"], ["raw", "X", "--sender", "agent"], ["demo"]])
def test_a_full_disk_behind_stdout_is_an_error_and_no_traceback(words, tmp_path):
    (tmp_path / "x.jsonl").write_bytes(
        b'{"type":"header","format":1}\n'
        b'{"type":"frame","seq":1,"t":0,"sender":"agent","text":"hello"}\n'
    )
    words = [word.replace("X", f"{tmp_path}/x.jsonl") for word in words]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*ACP_SPY, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "ACP_SPY_DIR": str(tmp_path)},
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"error: cannot write the output: No space left on device\n"


def test_an_interrupt_is_a_death_by_sigint_and_no_traceback():
    code = (
        "import acp_spy.cli.entry as entry, acp_spy.__main__ as program\n"
        "def run(words): raise KeyboardInterrupt\n"
        "entry.run = run\n"
        "program.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", -2)


def test_version():
    import acp_spy as package

    assert acp_spy("--version") == (f"acp-spy {package.__version__}\n", "", 0)


def test_an_agent_called_like_one_of_our_commands_is_started_by_its_path(tmp_path):
    agent = tmp_path / "raw"
    agent.write_text("#!/bin/sh\necho I am an agent\n")
    agent.chmod(0o755)
    out, _, status = proxy("-o", f"{tmp_path}/x.jsonl", "--", str(agent))
    assert (out, status) == ("I am an agent\n", 0)


class TestRaw:
    @pytest.fixture
    def capture(self, spy):
        peer = spy(["/bin/sh", "-c", r"cat; printf 'oops\377' >&2; printf 'noise\r\n\0'"])
        peer.converse(b'{"a":1}\r\n \xff\n\n{"b":2}')
        return str(peer.capture)

    @pytest.mark.parametrize(
        ("sender", "data"),
        [
            ("client", b'{"a":1}\r\n \xff\n\n{"b":2}'),
            ("agent", b'{"a":1}\r\n \xff\n\n{"b":2}noise\r\n\0'),
            ("stderr", b"oops\xff"),
        ],
    )
    def test_a_stream_comes_out_as_it_went_in(self, capture, sender, data):
        assert acp_spy_bytes("raw", capture, "--sender", sender) == (data, b"", 0)

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"hello\n", "it is neither a capture nor"),
            (b'{"type":"header","format":2}\n', "update acp-spy"),
            (
                b'{"type":"header","format":1}\n{"type":"frame"\n{"type":"closed"}\n',
                "line 2 is not a record",
            ),
        ],
    )
    def test_an_unreadable_capture_is_exit_2(self, tmp_path, content, said):
        capture = tmp_path / "x.jsonl"
        capture.write_bytes(content)
        out, err, status = acp_spy("raw", str(capture), "--sender", "agent")
        assert (out, status) == ("", 2)
        assert said in err
        assert err.startswith("error: ")
        assert "\nhint: " in err
        assert "Traceback" not in err
