"""Scripts between a real client and a real agent."""

import signal
import subprocess
import sys

import pytest
from support import effort
from support.in_process import acp_spy
from support.keys import spelled_out
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.codec import encode
from acp_spy.capture.files import load
from acp_spy.capture.records import Delivery, Header

AGENT = [sys.executable, "-m", "acp_spy.demo.agent"]
CLIENT = [sys.executable, "-m", "acp_spy.demo.client"]
SCRIPT = """
import trio

print("on stderr")


def noise(event):
    event.drop()


async def request(event):
    if event.method == "session/request_permission":
        await trio.sleep(0.01)
        event.answer({"outcome": {"outcome": "selected", "optionId": "allow"}})


def end(conversation):
    print(len(conversation.state.sessions), "session")
"""


def test_a_script_changes_the_traffic_and_the_capture_shows_both(tmp_path):
    (tmp_path / "it.py").write_text(SCRIPT)
    proxy = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "-s", "it.py", "--", *AGENT]
    done = subprocess.run(
        [*CLIENT, *proxy], cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"on stderr\n" in done.stderr
    assert b"1 session\n" in done.stderr
    capture = load(tmp_path / "run.jsonl")
    assert capture.header.note == "acp-spy may have changed the traffic: --script it.py"
    done = {each.seq: each.action for each in capture.records if isinstance(each, Delivery)}
    by_action = {
        action: [frame for frame in capture.frames if done.get(frame.seq) == action]
        for action in done.values()
    }
    assert [frame.raw for frame in by_action["dropped"]] == [b"[info] demo agent 0.1 is ready\n"]
    (asked,) = by_action["answered"]
    assert b"session/request_permission" in asked.raw
    assert capture.exit is not None


@pytest.mark.parametrize("path", ["/dev/stdin", "/dev/stdout", "/dev/fd/1"])
def test_a_capture_is_not_written_to_the_wire_though_it_has_other_numbers_then(path, tmp_path):
    proxy = [*ACP_SPY, "--no-check", "-o", path, "--control", "--", "cat"]
    done = subprocess.run(
        proxy, cwd=tmp_path, input=b"{}\n", capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.stdout == b"{}\n"
    assert f"not recording: `{path}` is a stream of this process".encode() in done.stderr


def test_a_program_that_a_script_runs_has_no_part_in_the_wire(tmp_path):
    (tmp_path / "it.py").write_text(
        "import subprocess\n"
        "def request(event):\n"
        "    subprocess.run(['echo', 'from a child'])\n"
        "    subprocess.run(['cat'])\n"
    )
    lines = b'{"id":0,"method":"a"}\n{"id":1,"method":"b"}\n'
    proxy = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "-s", "it.py", "--", "cat"]
    done = subprocess.run(
        proxy, cwd=tmp_path, input=lines, capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.stdout == lines
    assert done.stderr == b"from a child\n" * 4  # `cat` sends the requests back


@pytest.mark.parametrize("redact", [[], ["--redact"]])
def test_what_a_script_raises_is_masked_if_the_capture_is(redact, tmp_path):
    key = spelled_out("ghp_<36>")
    script = f'def request(event):\n    raise ValueError("cannot sign in with {key}")\n'
    (tmp_path / "it.py").write_text(script)
    proxy = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "-s", "it.py", *redact, "--", *AGENT]
    done = subprocess.run(
        [*CLIENT, *proxy], cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = "redacted-github-token-1" if redact else key
    words = f"ValueError: cannot sign in with {shown}, line 2"
    assert f"script it.py failed: {words}; the frame passes" in done.stderr.decode()
    assert (key in done.stderr.decode()) is not bool(redact)
    failures = [each for each in load(tmp_path / "run.jsonl").records if isinstance(each, Delivery)]
    assert {each.error for each in failures} == {words}


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        ("raise SystemExit(3)", "failed in a task of its own: SystemExit: 3, line 4"),
        ("trio.lowlevel.current_task().parent_nursery.cancel_scope.cancel()", "cancelled"),
    ],
)
def test_a_task_that_a_script_started_does_not_end_the_conversation(raised, words, tmp_path):
    (tmp_path / "it.py").write_text(
        "import trio\n"
        "async def task():\n"
        "    await trio.sleep(0.01)\n"
        f"    {raised}\n"
        "def start(_):\n"
        "    trio.lowlevel.current_task().child_nurseries[-1].start_soon(task)\n"
    )
    proxy = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "-s", "it.py", "--", *AGENT]
    done = subprocess.run(
        [*CLIENT, *proxy], cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert words in done.stderr.decode()
    assert "; the conversation goes on" in done.stderr.decode()
    assert load(tmp_path / "run.jsonl").exit.status == 0


@pytest.mark.parametrize("words", [["-s", "none.py"], ["--script", "bad.py"]])
def test_no_agent_is_started_for_a_bad_script(words, tmp_path):
    (tmp_path / "bad.py").write_text("x = 1\n")
    command = [*ACP_SPY, *words, "--", "sh", "-c", "echo > started"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: cannot use the script")
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("taken", ["sys.path = ['/opt/x']", "sys.path = None", "sys.modules = {}"])
def test_an_agent_is_started_whatever_a_script_makes_of_the_path(taken, tmp_path):
    (tmp_path / "it.py").write_text(f"import sys\n{taken}\ndef request(event): event.drop()\n")
    command = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "-s", "it.py", "--", "sh", "-c", "exit 3"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False)
    assert (done.returncode, done.stderr) == (3, b"")
    assert load(tmp_path / "run.jsonl").exit.status == 3


STUBBORN = {
    "a shield": "with trio.CancelScope(shield=True): await trio.sleep(1000)",
    "a thread": "await trio.to_thread.run_sync(time.sleep, 1000)",
    "a loop": """
    while True:
        try:
            await trio.sleep(1)
        except BaseException:
            pass
""",
}


@pytest.mark.long
@pytest.mark.parametrize("kind", effort.some_of(STUBBORN, "a loop"))
def test_a_script_that_does_not_take_its_cancellation_does_not_outlive_the_agent(kind, tmp_path):
    code = f"import time, trio\nasync def start(_):\n    {STUBBORN[kind]}\n"
    (tmp_path / "it.py").write_text(code)
    agent = ["sh", "-c", "sleep 0.5; exit 3"]  # by then the script waits
    command = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "-s", "it.py", "--", *agent]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False)
    assert (done.returncode, done.stderr) == (3, b"acp-spy: script it.py did not end\n")
    assert load(tmp_path / "run.jsonl").exit.status == 3


@pytest.mark.long
@pytest.mark.parametrize(
    "kind", effort.some_of(["a loop", "a thread"], "a thread")
)  # no time passes, so a shield is none
def test_a_dry_run_ends_although_a_script_does_not(kind, tmp_path):
    waits = STUBBORN[kind].replace("sleep(1)", "sleep(3600)")
    (tmp_path / "it.py").write_text(f"import time, trio\nasync def start(_):\n    {waits}\n")
    (tmp_path / "run.jsonl").write_bytes(encode([Header()]))
    command = [*ACP_SPY, "script", "run.jsonl", "it.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (
        2,
        b"",
        "error: cannot finish the run: script it.py did not end\nhint: correct the script\n",
    )


def test_a_dry_run_lets_a_script_have_its_last_words(tmp_path):
    (tmp_path / "it.py").write_text(
        "import trio\n"
        "async def start(_):\n"
        "    try: await trio.sleep_forever()\n"
        "    finally:\n"
        "        with trio.CancelScope(shield=True): await trio.sleep(1)\n"
    )
    (tmp_path / "run.jsonl").write_bytes(encode([Header()]))
    done = acp_spy("script", "run.jsonl", "it.py", cwd=tmp_path)
    assert done == ("", "acp-spy: 0 frames: nothing changed\n", 0)


def test_a_signal_ends_what_a_script_holds_up(tmp_path):
    (tmp_path / "it.py").write_text(
        f"import trio\nprint('up')\nasync def start(_):\n    {STUBBORN['a shield']}\n"
    )
    command = [*ACP_SPY, "-o", "run.jsonl", "-s", "it.py", "--", "sh", "-c", "echo on; cat"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as proxy:
        assert proxy.stdout.readline() == b"on\n"
        proxy.terminate()
        assert proxy.wait(DEADLINE) == -signal.SIGTERM
        assert proxy.stderr.read() == b"up\nacp-spy: script it.py did not end\n"
    assert load(tmp_path / "run.jsonl").exit.status == -signal.SIGTERM


@pytest.mark.long
def test_a_conversation_goes_on_if_one_task_fails_and_another_does_not_end(tmp_path):
    (tmp_path / "it.py").write_text(
        "import trio\n"
        "async def fail():\n"
        "    raise ValueError\n"
        "async def start(_):\n"
        "    trio.lowlevel.current_task().parent_nursery.start_soon(fail)\n"
        f"    {STUBBORN['a shield']}\n"
    )
    proxy = [*ACP_SPY, "--no-check", "-o", "run.jsonl", "-s", "it.py", "--", *AGENT]
    done = subprocess.run(
        [*CLIENT, *proxy], cwd=tmp_path, capture_output=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"script it.py did not end; the conversation goes on\n" in done.stderr
    assert load(tmp_path / "run.jsonl").exit.status == 0
