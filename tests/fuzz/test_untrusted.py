"""
A capture is a stranger's file: nothing in it is obeyed by the terminal, a browser, CI or a shell.

One poisoned capture has in each of its places what could act somewhere. What each command makes of
it is looked at as bytes. The page has a test in a real browser besides: tests/view/test_page.py.
"""

import io
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from unittest import mock

import msgspec
import pytest
from fuzz.hostile import in_a_turn
from fuzz.seeds import ROOT
from support import effort
from support.in_process import acp_spy
from support.processes import ACP_SPY
from support.terminals import terminal

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import (
    Closed,
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Stderr,
)
from acp_spy.cli import console
from acp_spy.cli.app import run_app
from acp_spy.wire.frame import Frame, Peer, Via

EXAMPLE = str(ROOT / "fixtures" / "example.jsonl")

POISON = str.join(
    "",
    [
        "\x1b]52;c;aGk=\x07",  # OSC 52: into the clipboard
        "\x1b]8;;file:///etc/passwd\x1b\\x\x1b]8;;\x1b\\",  # OSC 8: a link that says something else
        "\x1b[2J\x1b[?1049h\x9b31m\x90x\x9c\r\b\x7f\x00",  # CSI, C1, what overwrites
        "\u202egnp.exe\u2066\u200b\u2028\ufeff",  # bidi, what is not seen, ends of lines
        "\u115f\u3164\uffa0\u2800\ufe00\U000e0101",  # letters and marks that are not seen
        "\n::error::x\n##[error]x\r\n%0A::set-output name=x::y",  # GitHub's workflow commands
        "##vso[task.x]\n  ::error::x\n" + "::" * 300 + "\n",  # others', and where a line is broken
        "[bold red]x[/] [link=file:///x]y[/link] [/nope]",  # rich
        "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&]]>--><!--</script>",
        "\n```\n# x\n[x](javascript:alert(1)) ![x](https://x.example/x.png) @all <b>\n",  # Markdown
        '\nend\nNote over C: x; A->>C: y\nclick C href "x"%%{init: {}}%%',  # Mermaid
        "'; rm -rf ~; $(touch x) `touch x` ../../../../etc/passwd",  # a shell, a path
    ],
)


def poisoned():
    """Return a capture with poison wherever there is room for it."""
    poison = json.dumps(POISON)
    update = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":%s}}'
    said = [
        ("client", '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":%s,"version":%s}}}'),
        ("agent", '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":%s,"agentInfo":{"name":%s,"version":%s},"authMethods":[{"id":%s}]}}'),
        ("client", '{"jsonrpc":"2.0","id":%s,"method":"session/new","params":{"cwd":%s,"mcpServers":[{"name":%s}]}}'),
        ("agent", '{"jsonrpc":"2.0","id":%s,"result":{"sessionId":%s,%s:1}}'),
        ("client", '{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":%s,"prompt":[{"type":"text","text":%s},{"type":%s}]}}'),
        ("agent", update % ("%s", '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}')),
        ("agent", update % ("%s", '{"sessionUpdate":"tool_call","toolCallId":%s,"title":%s,"kind":%s,"status":%s,"locations":[{"path":%s}],"content":[{"type":"diff","path":%s,"oldText":%s,"newText":%s}]}')),
        ("agent", update % ("%s", '{"sessionUpdate":"plan","entries":[{"content":%s,"priority":%s,"status":%s}]}')),
        ("agent", update % ("%s", '{"sessionUpdate":%s,%s:%s}')),
        ("agent", '{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":%s,"toolCall":{"toolCallId":%s},"options":[{"optionId":%s,"name":%s,"kind":%s}]}}'),
        ("client", '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s,"data":%s}}'),
        ("agent", '{"jsonrpc":"2.0","id":7,"method":%s,"params":{%s:%s}}'),
        ("agent", '{"jsonrpc":%s,%s:1}'),
        ("agent", '{"jsonrpc":"2.0","id":2,"result":{"stopReason":%s}}'),
    ]  # fmt: skip
    lines = [(Peer(sender), line.replace("%s", poison).encode() + b"\n") for sender, line in said]
    lines.append((Peer.AGENT, POISON.replace("\n", "\v").encode() + b"\n"))
    lines.append((Peer.AGENT, POISON.replace("\n", "\v").encode("latin-1", "replace") + b"\xff\n"))
    frames = [Frame(seq, seq / 10, *line) for seq, line in enumerate(lines, start=1)]
    clean = POISON.encode(errors="replace").decode()
    header = Header(tool=clean, started=clean, command=(clean, clean), cwd=clean, note=clean)
    ends = [Closed(8.0, Peer.CLIENT), Exit(9.0, 1, {clean: 5}, clean)]
    frames[3] = msgspec.structs.replace(frames[3], via=Via(clean, clean, clean, clean))
    around = [
        Delivery(5, 6.1, Peer.CLIENT, clean, "replaced", frames[5].raw, (f"/{clean}",)),
        Delivery(6, 6.2, Peer.CLIENT, clean, "failed", error=clean),
        Delivery(7, 6.2, Peer.CLIENT, clean, "replaced", b"not a message\n"),
        HttpExchange(6.3, 1, "http", clean, clean, clean, clean, clean, 4, 500, body=clean, error=clean),
        Disconnect(6.4, 1, "http", clean, "agent", clean, clean, True, reason=clean, error=clean),
    ]  # fmt: skip
    return encode([header, *frames, *around, Stderr(7.0, POISON.encode()), *ends])


NAME = "::a\n::error::x\x1b[31m<b>[red]'$(x)\u3164\u202e##[x].jsonl"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder with one poisoned capture of a poisoned name."""
    folder = tmp_path_factory.mktemp("poisoned")
    (folder / NAME).write_bytes(poisoned())
    return folder


def shown(*words, status=(0, 1)):
    """Return what a command writes to stdout and to stderr."""
    out, told = io.BytesIO(), []
    stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    stdout.fileno = sys.__stdout__.fileno
    with mock.patch.object(sys, "stdout", stdout), mock.patch.object(console, "_say", told.append):
        assert run_app(list(map(str, words))) in status, told
    return out.getvalue().decode(), b"".join(told).decode()


# What no command may write, but for its own ends of lines.
ACTS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\u115f\u3164\uffa0\u2800\ufe00\U000e0101]|(?m:^[ \t]*::)|##[a-z]*\\["
)
OURS = re.compile("(?m)^::(?:error|warning|notice) file=")  # the one format that has commands


def acts(text):
    """Return what in the output of a command acts or hides, if anything."""
    return ACTS.search(OURS.sub("", text))


def look_at_workflow_commands(out):
    """Each is ours, and there is one for each mistake."""
    lines = out.split("\n")[:-1]
    assert len(lines) > 3
    assert all(re.match("::(error|warning|notice) file=[^,]+,line=[0-9]+,", line) for line in lines)
    assert not any(re.search("%(?!25|0A|3A|2C)", line) for line in lines)


def look_at_junit(out):
    assert {element.tag for element in ET.fromstring(out).iter()} <= {
        *("testsuites", "testsuite", "testcase", "failure", "system-out", "error"),
    }


def look_at_markdown(out):
    """Text of the capture stays in its fences."""
    outside = re.sub(r"(?ms)^(`{3,})text\n.*?\n\1$", "", out)
    outside = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", outside)
    assert not re.search(r"[<\[@]|javascript|https?:", outside)


def look_at_mermaid(out):
    """Text of the capture stays in its lines."""
    assert all(
        re.match(r"sequenceDiagram|    (?:participant [CA] as |[CA]-[->x)]+[CA]: |Note )", line)
        for line in out.splitlines()
    )


# What else holds for the output of a command: programs can read what is for programs.
LOOKS = {
    "check --format github": look_at_workflow_commands,
    "check --format json": json.loads,
    "check --format sarif": json.loads,
    "check --format junit": look_at_junit,
    "view --format json": json.loads,
    "view --format markdown": look_at_markdown,
    "view --format mermaid": look_at_mermaid,
    "stats --format json": json.loads,
    "why --format json": json.loads,
}


@pytest.mark.parametrize(
    "words",
    effort.some_of(
        [
            *("check --format concise", "check --format json", "check --format junit"),
            *("view --no-fold", "view --raw", "view --format json", "view --format mermaid"),
            *("stats", "stats --format json", "redact --check --key text", "why --format json"),
            *("check --format concise --format github:/dev/null", "check --delivered"),
            *("view --follow", "redact --explain", "check --delivered --format concise"),
            *(f"view --frame {seq}" for seq in range(1, 17)),
        ],
        *("check", "check --format github", "check --format sarif", "check --diff", "view"),
        *("view --format html", "view --format markdown", "why", "script --fault drop"),
        *("view --frame 7", "view --frame 16"),
    ),
)
def test_no_command_writes_what_acts(folder, words, monkeypatch):
    monkeypatch.chdir(folder)  # so that the name begins a line, in formats that begin with it
    out, told = shown(*words.split(), NAME)
    assert out
    assert not acts(out.replace("\t", " ") if "markdown" in words else out)
    assert not acts(told)
    assert all(STDERR.match(line) for line in told.splitlines())
    if look := LOOKS.get(words):
        look(out)


@pytest.mark.parametrize(
    "words",
    [
        *("view --format jsonl", "redact -o -"),
        *("raw --sender agent", "raw --sender stderr"),
    ],
)
def test_nor_does_one_that_writes_a_capture_to_a_terminal(folder, words):
    command, *options = words.split()
    with terminal([*ACP_SPY, command, str(folder / NAME), *options], os.environ) as screen:
        screen.read_to_the_end()
    seen = screen.shown.decode().replace("\r\n", "\n").replace("\t", " ")
    assert "error::x" in seen
    assert not acts(seen)


def test_nor_does_a_mock_on_its_stderr(tmp_path):
    capture = tmp_path / "a.jsonl"
    capture.write_bytes(encode([Header(), Stderr(0.0, POISON.encode())]))
    command = [*ACP_SPY, "replay", "agent", str(capture)]
    alone = f"{shlex.join(command)} </dev/null >/dev/null || true"
    with terminal(["/bin/sh", "-c", alone], os.environ) as screen:
        screen.read_to_the_end()
    seen = screen.shown.decode().replace("\r\n", "\n").replace("\t", " ")
    assert "error::x" in seen
    assert not acts(seen)


# How a line begins that we write to stderr; what a name holds begins none.
STDERR = re.compile(
    "(note|error|hint|warning): |acp-spy: |(checking|reading) the newest |[0-9]+ frames? to fix"
    "|[0-9]+ places? in [0-9]+ files?; "
)


@pytest.mark.parametrize("form", ["text", "json"])
def test_neither_do_list_and_diff_and_prune(folder, form, monkeypatch):
    monkeypatch.chdir(folder)
    for words in (
        ("list", "--dir", folder, "--format", form),
        ("diff", NAME, EXAMPLE, "--format", form),
        ("diff", EXAMPLE, NAME, "--format", form),
        ("prune", "--keep", "0", "--dry-run", "--dir", folder),
    ):
        out, told = shown(*words)
        assert out
        assert not acts(out + told)


def _words_with(poison):
    """Return command lines in which a word is poison, each with where its output is looked at."""
    agent = (sys.executable, "-c", "pass", poison)
    return [
        *(("redact", NAME, "-o", f"new-{poison}"), ("redact", NAME, "-o", "-", "--value", "(" + poison)),
        *(("redact", "--check", poison), ("redact", "--check", NAME, "--path", poison)),
        *(("view", NAME, poison), ("view", NAME, "--format", poison), ("view", poison)),
        *(("view", NAME, "-o", f"{poison}.html"), ("view", NAME, "-o", f"x.{poison}")),
        *(("check", NAME, "--select", poison), ("check", NAME, "--format", poison)),
        *(("check", NAME, "--expect-tool", poison), ("check", NAME, "--max-turn", poison)),
        *(("check", "--severity", poison, NAME), ("check", NAME, "-o", f"{poison}.sarif")),
        *(("why", poison), ("stats", poison), ("diff", poison, NAME), ("raw", poison)),
        *(("rule", poison), ("list", "--dir", poison), ("prune", "--dir", poison, "--keep", "1")),
        *(("import", poison), ("import", NAME, "--from", poison), ("completion", poison)),
        *(("setup", poison), ("setup", "zed", "--name", poison, "--", "agent", poison)),
        *(("setup", "zed", "--remove", "--name", poison), ("setup", "zed", "--replace", poison)),
        *(("setup", "neovim", "--name", poison, "--", poison), ("setup", "emacs", "--", poison)),
        *(("replay", poison), ("replay", "agent", poison), ("replay", "client", NAME, "--", poison)),
        *(("replay", "client", NAME, "--timeout", "1", "--", *agent), ("doctor", "--", *agent)),
        *(("doctor", "--format", "json", "--", *agent), ("doctor", "--", poison)),
        ("demo", "-o", f"{poison}.jsonl"),
        (poison,),
    ]  # fmt: skip


# Without what cannot be in a word of a command line, or in the name of a file.
WORD = POISON.replace("\0", "").replace("/", "|")[:100]
WORDS = pytest.mark.parametrize("word", effort.some_of(["::error::x", WORD], "x\n::error::x"))


@pytest.mark.long
@WORDS
def test_a_word_of_the_command_line_is_no_command_in_what_is_printed(word, folder, tmp_path):
    shutil.copy(folder / NAME, tmp_path / NAME)
    env = {"HOME": str(tmp_path), "ACP_SPY_DIR": str(tmp_path)}
    for words in _words_with(word):
        out, err, _ = acp_spy(*words, cwd=tmp_path, env=env)
        printed = err if out.startswith('{"type":"header"') else out + err  # a capture is exact
        assert not acts(printed), words


def test_neither_is_a_folder_in_the_environment(tmp_path):
    env = {"HOME": str(tmp_path / WORD), "XDG_CONFIG_HOME": str(tmp_path / WORD)}
    assert not acts("".join(acp_spy("setup", env=env)[:2]))


@WORDS
def test_neither_is_the_variable_of_a_shell(word):
    for variable in (word, f"complete_{word}", f"{word}_bash"):
        done = acp_spy(env={"_ACP_SPY_COMPLETE": variable})
        assert done.status == 2
        assert done.err.startswith("error: cannot complete: ")
        assert not acts(done.out + done.err)


@WORDS
def test_neither_is_what_the_proxy_says_of_names(word, tmp_path):
    for words in (("--", word), ("-v", "-o", f"{word}.jsonl", "--", "true", word)):
        done = subprocess.run(
            [*ACP_SPY, *words],
            cwd=tmp_path,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert done.stderr
        assert not acts(done.stderr.decode())


def test_nothing_is_made_opened_or_run_by_reading(folder, tmp_path, monkeypatch):
    """Neither what the poison tells a shell to do, nor a file of a name in the capture."""
    monkeypatch.chdir(tmp_path)
    opened = []
    sys.addaudithook(lambda event, arguments: _note(opened, event, arguments))
    _NOTED.append(True)
    for words in ("check", "view --format html", "stats", "redact -o clean.jsonl --force"):
        shown(*words.split(), folder / NAME)
    _NOTED.clear()
    assert os.listdir(tmp_path) == ["clean.jsonl"]
    assert opened
    assert not [path for path in opened if "etc/passwd" in str(path)]
    assert not [path for path in opened if str(path).startswith(("subprocess", "os.system"))]


_NOTED: list[bool] = []  # a hook cannot be taken away: it looks only while this holds something


def _note(opened, event, arguments):
    if _NOTED and event in ("open", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
        opened.append(f"{event} {arguments[0]}" if event != "open" else arguments[0])


# ----------------------------------------------------------------------------- what is no file


@pytest.mark.parametrize("command", ["list", "prune"])
def test_links_in_the_folder_are_neither_shown_nor_followed_nor_removed(command, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(EXAMPLE, outside / "run.jsonl")
    inside = tmp_path / "inside"
    inside.mkdir()
    shutil.copy(EXAMPLE, inside / "mine.jsonl")
    (inside / "link.jsonl").symlink_to(outside / "run.jsonl")
    (inside / "folder").symlink_to(outside)
    (inside / "loop.jsonl").symlink_to("loop.jsonl")
    os.mkfifo(inside / "pipe.jsonl")
    options = ("--keep", "0") if command == "prune" else ()
    out, _ = shown(command, *options, "--dir", inside)
    assert "mine.jsonl" in out
    assert not re.search("link|pipe|loop|folder ", out.replace(str(inside), ""))
    assert (outside / "run.jsonl").exists()
    left = {"link.jsonl", "folder", "loop.jsonl", "pipe.jsonl"}
    assert set(os.listdir(inside)) == left | ({"mine.jsonl"} if command == "list" else set())


@pytest.mark.parametrize("target", ["other.jsonl", "missing.jsonl", "/dev/full"])
def test_a_capture_is_not_written_through_a_link(target, tmp_path):
    """But to a device that somebody has linked to on purpose, as to one that is named."""
    (tmp_path / "other.jsonl").write_text("precious")
    link = tmp_path / "run.jsonl"
    link.symlink_to(target)
    if target == "/dev/full":
        with pytest.raises(OSError, match="No space"):
            CaptureFile(str(link), Header())
    else:
        assert CaptureFile(str(link), Header()).path == str(tmp_path / "run-2.jsonl")
    assert (tmp_path / "other.jsonl").read_text() == "precious"
    assert not (tmp_path / "missing.jsonl").exists()
    assert os.readlink(link) == target


@pytest.mark.parametrize("what", ["pipe", "folder", "loop", "device", "deep", "large", "bytes"])
@pytest.mark.parametrize("name", ["acp-spy.toml", "pyproject.toml"])
def test_settings_of_a_stranger_are_refused_and_nothing_else(what, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    match what:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(name)
        case "device":
            path.symlink_to("/dev/zero")
        case "deep":
            path.write_text("[tool.acp-spy]\na = " + "[" * 100_000)
        case "large":
            path.write_bytes(b"#" * (9 << 20))
        case "bytes":
            path.write_bytes(b"[tool.acp-spy]\na = '\x1b]0;\xff'")
    _, told = shown("check", EXAMPLE, status=(2,))
    assert told.startswith(f"error: cannot read `{path}`: ")
    assert not acts(told)


@pytest.mark.parametrize("command", ["check", "view", "stats", "redact --check", "import"])
@pytest.mark.parametrize("path", [".", "/dev/tty", "/proc/self/mem", "\x1b[31m/x\ny"])
def test_what_is_no_file_is_refused_in_words(command, path):
    if command in ("check", "redact --check") and path == ".":
        path = "/dev/null/x"  # a folder they would take, and go through
    out, told = shown(*command.split(), path, status=(2,))
    assert told.startswith("error: cannot read `")
    assert not acts(out + told)


# ----------------------------------------------------------------------------- little memory


MANY = 40 << 20  # bytes, in one string


NEED_MEMORY = (
    *("check", "view", "view --format html -o /dev/null", "stats", "redact -o /dev/null"),
    *("redact --check", "replay agent", "raw --sender agent", f"diff {EXAMPLE}"),
)


@pytest.mark.parametrize("words", effort.some_of(NEED_MEMORY, "check", "view", "replay agent"))
def test_without_enough_memory_there_is_an_error_and_no_traceback(words, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(in_a_turn(b'{"jsonrpc":"2.0","method":"%b"}' % (b"x" * MANY)))
    command, *options = words.split()
    before = [options.pop(0)] if command == "replay" else []
    most = 90 << 20  # enough to start with, and not for several copies of that string

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    done = subprocess.run(
        [*ACP_SPY, command, *before, path, *options],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        preexec_fn=limit,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == 2
    assert done.stderr == (
        b"error: cannot read the input: out of memory\n"
        b"hint: allow more memory (ulimit -v); a malicious capture may have huge lines\n"
    )


@pytest.mark.long
def test_what_is_nested_to_within_a_few_levels_of_what_can_be_read_is_no_traceback(tmp_path):
    """Some of it can be decoded, and is then looked at a few levels further in."""
    path = tmp_path / "deep.jsonl"
    for depth in range(965, 985, 4):
        deep = '{"a":' * depth + "1" + "}" * depth
        update = f'{{"sessionUpdate":"tool_call","toolCallId":"c","title":"x","rawInput":{deep}}}'
        params = f'{{"sessionId":"s","update":{update}}}'
        message = f'{{"jsonrpc":"2.0","method":"session/update","params":{params}}}'
        path.write_text(
            '{"type":"header","format":1,"command":["agent"]}\n'
            f'{{"type":"frame","seq":1,"t":0,"sender":"agent","message":{message}}}\n'
        )
        for words in (["diff", path, path], ["replay", "agent", path]):
            done = subprocess.run(
                [*ACP_SPY, *words], capture_output=True, stdin=subprocess.DEVNULL, check=False
            )
            assert b"Traceback" not in done.stderr, (depth, words, done.stderr)
