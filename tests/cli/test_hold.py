"""`acp-spy hold`: what is typed, what is printed, what is done."""

import errno
import fcntl
import json
import os
import re
import subprocess
import tempfile
from collections import deque
from pathlib import Path

import pytest
from support.holds import Bench, message, request, update
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy.cli import hold as command
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds import editing
from acp_spy.middleware.holds.client import NoRunError, UnreadableError
from acp_spy.wire.frame import Peer

BACKUP = """sh -c 'cp "$0" "$0~"'"""  # as Emacs keeps one


class Client:
    """Talks to a bench as `ControlClient` does to a run."""

    def __init__(self, bench):
        self._bench = bench
        self.hello = bench.messages[0]
        self.events = deque()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def ask(self, do, **more):
        before = len(self._bench.messages)
        reply = self._bench.ask(do, **more)
        self.events += [each for each in self._bench.messages[before:] if "event" in each]
        if not reply["ok"]:
            raise AcpSpyError(reply["error"], hint=reply.get("hint", ""))
        return reply

    def next_event(self):
        return self.events.popleft()

    @property
    def has_event(self):
        return bool(self.events)


@pytest.fixture
def bench(monkeypatch):
    bench = Bench()
    client = Client(bench)
    bench.attach()
    monkeypatch.setattr(command, "connect", lambda _capture=None: client)
    return bench


def test_what_is_held_is_listed(bench):
    bench.agent(update(text="one"))
    bench.agent(update(text="two"))
    bench.time = 2.5
    out, _, status = acp_spy("hold", "list", env={"COLUMNS": "80"})
    assert status == 0
    assert out == (
        '   1 ← 57.5 s left, 1 frame behind it  session/update  {"sessionId":"s1","text"…\n'
        '   2 ← 57.5 s left, behind frame 1  session/update  {"sessionId":"s1","text":"t…\n'
    )


def test_the_list_as_json_has_the_frame_as_in_a_capture(bench):
    bench.agent(update(text="one"))
    listed = json.loads(acp_spy("hold", "list", "--format", "json").out)
    assert listed["held"][0]["frame"]["message"]["params"]["text"] == "one"
    assert listed["filter"] == ["method:session/*"]


def test_a_held_frame_is_shown_and_not_obeyed(bench):
    bench.ask("filter", filter=["from:agent"])
    bench.agent(b"\x1b]0;title\x07::error::x \xc2\x9b31m\r\xff\n")
    bench.agent('{"method":"x/y","params":"\x7f\x9b31m\u202e\u2028##[error]"}\n'.encode())
    assert acp_spy("hold", "show", "1").out == (
        r"\u001b]0;title\u0007::error::x \u009b31m\u000d\xff" + "\n"
    )
    shown = acp_spy("hold", "show", "2").out
    assert shown.isascii()
    assert shown.replace("\n", "").isprintable()
    assert "##[" not in shown
    assert json.loads(shown)["params"] == "\x7f\x9b31m\u202e\u2028##[error]"  # it means the same


def test_if_nothing_is_held_the_list_says_why(bench):
    bench.ask("detach")
    out, _, status = acp_spy("hold", "list")
    assert status == 1
    assert out == (
        "nothing is held; filter: 'method:session/*'\n"
        "no viewer is attached, so that nothing will be: run `acp-spy hold watch`\n"
    )


def test_frames_are_released_by_number_or_all(bench):
    for text in "1234":
        bench.agent(update(text=text))
    assert acp_spy("hold", "release", "#2", "1").out == "released frame 2\nreleased frame 1\n"
    assert acp_spy("hold", "release", "4").out == "released frame 4; it waits behind frame 3\n"
    assert acp_spy("hold", "release", "--all").out == "released frame 3\n"
    assert acp_spy("hold", "release", "--all").out == "nothing is held\n"
    assert bench.got[Peer.CLIENT] == [update(text=text) for text in "1234"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["release", "9"], "cannot release frame 9: it is not held"),
        (["release", "nine"], "not a frame number: `nine`"),
        (["release"], "cannot release a frame: none is held"),
        (["release", "--all", "1"], "`--all` cannot be used with a frame"),
        (["edit", "9"], "cannot show frame 9: it is not held"),
        (["inject", "agent", "{"], "cannot inject the message: not JSON"),
        (["inject", "agent", " []"], "cannot inject a message: it is not JSON-RPC"),
        (["inject", "editor", "{}"], "cannot inject a message: no such peer"),
        (["filter", "frm:agent"], "cannot filter by `frm:agent`: no such filter"),
        (["fault", "dorp"], "no such fault: `dorp`"),
        (["fault", "--remove", "3"], "cannot remove fault 3: there is none"),
    ],
)
def test_a_mistake_is_explained(bench, words, reason):
    out, err, status = acp_spy("hold", *words)
    assert (out, status) == ("", 2)
    assert reason in err


def test_a_request_is_answered_with_an_error(bench):
    bench.client(request(4))
    out = acp_spy("hold", "drop", "1", "--error", "-32000", "not now").out
    assert out == "answered frame 1 with error -32000\n"
    error = {"code": -32000, "message": "not now"}
    assert bench.got[Peer.CLIENT] == [message(id=4, error=error)]


def test_frames_are_dropped(bench):
    bench.client(request(4))
    assert acp_spy("hold", "drop").out == "dropped frame 1\n"
    assert bench.got[Peer.AGENT] == []


def test_a_frame_is_edited_in_the_editor(bench, tmp_path):
    bench.agent(update(text="old"))
    assert acp_spy("hold", "edit", env={"EDITOR": "true", "VISUAL": ""}).out == (
        "frame 1 was not changed, and is still held\n"
    )
    assert '  "params": {\n' in acp_spy("hold", "show").out
    editor = {"EDITOR": "sed -i s/old/new/", "VISUAL": ""}
    assert acp_spy("hold", "edit", env=editor).out == "edited frame 1 and released it\n"
    assert bench.got[Peer.CLIENT] == [update(text="new")]


def test_what_is_edited_neither_acts_nor_hides_and_means_the_same(bench, tmp_path):
    text = "old \u202e# ylno-daer\u202c \u200b\U000e0041"
    bench.agent(update(text=text))
    editor = {"EDITOR": f"""sh -c 'sed -i s/old/new/ "$1"; cp "$1" {tmp_path}/seen' sh"""}
    acp_spy("hold", "edit", env={**editor, "VISUAL": ""})
    assert (tmp_path / "seen").read_bytes().isascii()
    (delivered,) = bench.got[Peer.CLIENT]
    assert json.loads(delivered) == json.loads(update(text=text.replace("old", "new")))


def test_the_file_that_is_edited_is_for_its_owner_alone(bench, tmp_path):
    bench.agent(update(text="old"))
    editor = {"EDITOR": f"""sh -c 'ls -l "$1" > {tmp_path}/listed' sh""", "VISUAL": ""}
    before = os.umask(0)
    try:
        acp_spy("hold", "edit", env=editor)
    finally:
        os.umask(before)
    assert (tmp_path / "listed").read_text().startswith("-rw-------")


def test_a_carriage_return_stays_what_it_is(bench, tmp_path):
    bench.ask("filter", filter=["from:agent"])
    bench.agent(b"50 %\r100 %\r\n")
    shown = acp_spy("hold", "edit", env={"EDITOR": "true"})
    assert shown.out == "frame 1 was not changed, and is still held\n"
    text = tmp_path / "text"
    text.write_bytes(b"60 %\r100 %\r\n")
    acp_spy("hold", "edit", "--with", str(text), "--force", "--keep")
    assert bench.stage.holds[1].line.raw == b"60 %\r100 %\r\n"
    acp_spy("hold", "edit", "--with", "-", "--force", stdin=b"70 %\r100 %\r\n")
    assert bench.got[Peer.CLIENT] == [b"70 %\r100 %\r\n"]


def test_an_edit_that_is_refused_is_kept_in_its_file(bench):
    bench.agent(update(text="old"))
    editor = {"EDITOR": "sed -i s/jsonrpc/rpc/", "VISUAL": ""}
    _, err, status = acp_spy("hold", "edit", env=editor)
    assert status == 2
    assert "frame 1 is still held\nhint: your text was kept" in err
    path = err.partition("--with ")[2].partition("`")[0]
    assert '"rpc"' in Path(path).read_text()
    assert acp_spy("hold", "edit", "--with", path, "--force").status == 0
    assert not os.path.exists(path)  # there is traffic in it
    assert b'"rpc"' in bench.got[Peer.CLIENT][0]


@pytest.mark.usefixtures("bench")
def test_a_frame_that_is_not_held_any_more_cannot_be_edited():
    """As when it was released in the meantime, while somebody wrote on the live page."""
    with pytest.raises(AcpSpyError, match=r"frame 9: it is not held\n"):
        editing.send_text(command.connect(None), 9, "{}")


def test_a_text_that_cannot_be_read_is_kept(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    bench.agent(update(text="old"))
    editor = {"EDITOR": r"sed -i s/old/\\xe9/", "VISUAL": ""}
    _, err, status = acp_spy("hold", "edit", env=editor)
    assert status == 2
    (kept,) = tmp_path.glob("acp-spy-frame-*.json")
    assert f"hint: your text was kept in {kept}" in err
    assert b"\xe9" in kept.read_bytes()
    assert kept.stat().st_mode & 0o777 == 0o600  # of a file that the editor has made anew


def test_a_text_that_is_gone_is_an_error_and_leaves_no_file_behind(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    bench.agent(update(text="old"))
    _, err, status = acp_spy("hold", "edit", env={"EDITOR": "rm", "VISUAL": ""})
    assert status == 2
    assert re.fullmatch("error: cannot read `.*`: No such file or directory\n", err)
    assert not list(tmp_path.glob("acp-spy-*"))


def test_a_text_that_became_a_pipe_is_not_waited_for(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    bench.agent(update(text="old"))
    editor = """sh -c 'rm "$1"; mkfifo "$1"' sh"""
    _, err, status = acp_spy("hold", "edit", env={"EDITOR": editor, "VISUAL": ""})
    assert status == 2
    assert re.fullmatch("error: cannot read `.*`: not a regular file\n", err)
    assert not list(tmp_path.glob("acp-spy-*"))


@pytest.mark.parametrize("editor", ["true", "sed -i s/old/new/", BACKUP, "false", "/no/such"])
def test_editing_leaves_no_file_behind(bench, tmp_path, monkeypatch, editor):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    bench.agent(update(text="old"))
    left, used = (tmp_path / f"acp-spy-frame-{name}" for name in "xy")  # who made one was killed
    for folder in (left, used):
        folder.mkdir()
        (folder / editing._MARK).touch()
        (folder / "frame-1.json").touch()
    lock = os.open(used, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    acp_spy("hold", "edit", env={"EDITOR": editor, "VISUAL": ""})
    os.close(lock)
    assert list(tmp_path.glob("acp-spy-*")) == [used]


def test_a_folder_of_the_user_that_is_called_like_ours_stays(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    bench.agent(update(text="old"))
    notes = tmp_path / "acp-spy-frame-notes"
    notes.mkdir()
    (notes / "precious.txt").write_text("precious")
    (tmp_path / "acp-spy-frame-empty").mkdir()
    out = acp_spy("hold", "edit", env={"EDITOR": "sed -i s/old/new/", "VISUAL": ""}).out
    assert out == "edited frame 1 and released it\n"
    assert (notes / "precious.txt").read_text() == "precious"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_new_folder_is_locked_before_it_is_marked(bench, tmp_path, monkeypatch):
    """Another process, which looks for what is left over, may be there at any moment."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    bench.agent(update(text="old"))
    real, marked = editing.create, []

    def create(path, folder):
        editing._remove_left_over()
        marked.append(path)
        descriptor = real(path, folder)
        editing._remove_left_over()
        return descriptor

    monkeypatch.setattr(editing, "create", create)
    out = acp_spy("hold", "edit", env={"EDITOR": "sed -i s/old/new/", "VISUAL": ""}).out
    assert out == "edited frame 1 and released it\n"
    assert [os.path.basename(path) for path in marked] == [".acp-spy-edit", "frame-1.json"]
    assert list(tmp_path.iterdir()) == []


def test_the_editor_holds_the_lock_of_its_folder(bench, tmp_path, monkeypatch):
    """It may live longer than acp-spy, and its file must not be removed meanwhile."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    bench.agent(update(text="old"))
    script = tmp_path / "editor"
    script.write_text('ls -l /proc/self/fd > "$0.out"\n')
    acp_spy("hold", "edit", env={"EDITOR": f"sh {script}", "VISUAL": ""})
    assert "acp-spy-frame-" in (tmp_path / "editor.out").read_text()


def test_an_edit_without_a_place_for_temporary_files_is_refused(bench, monkeypatch):
    def mkdtemp(**_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "mkdtemp", mkdtemp)
    bench.agent(update(text="old"))
    _, err, status = acp_spy("hold", "edit", env={"EDITOR": "true", "VISUAL": ""})
    assert status == 2
    assert "cannot write the text to a temporary file: No space left on device" in err
    assert "TMPDIR" in err


def test_an_edit_is_given_as_json_or_on_stdin(bench):
    bench.agent(update(text="old"))
    new = update(text="new")
    assert acp_spy("hold", "edit", "--with", new.decode(), "--keep").out == (
        "edited frame 1, which is still held\n"
    )
    assert "edited" in acp_spy("hold", "list").out
    assert acp_spy("hold", "edit", "1", "--with", "-", stdin=update(text="newer")).status == 0
    assert bench.got[Peer.CLIENT] == [update(text="newer")]


def test_a_notification_is_injected(bench):
    cancel = '{"method": "session/cancel", "params": {"sessionId": "s1"}}'
    assert acp_spy("hold", "inject", "agent", cancel) == ("sent to the agent\n", "", 0)
    assert bench.got[Peer.AGENT] == [message(method="session/cancel", params={"sessionId": "s1"})]


def test_a_response_that_cannot_be_read_is_not_waited_for(bench):
    send = bench.ask

    def answered_at_once(do, **more):
        reply = send(do, **more)
        ident = json.loads(bench.got[Peer.AGENT][-1])["id"].encode()
        bench.agent(b'{"jsonrpc":"2.0","id":"%b","result":"\\ud800"}\n' % ident)
        return reply

    bench.ask = answered_at_once
    out, err, status = acp_spy("hold", "inject", "agent", '{"id": 1, "method": "session/list"}')
    assert (out, status) == ("", 2)
    assert err == "error: cannot read the response\nhint: `acp-spy view` shows it, and why\n"


def test_filter_and_faults_are_changed(bench):
    assert acp_spy("hold", "filter").out == "'method:session/*'\n"
    assert acp_spy("hold", "filter", "from:agent", "-kind:response").status == 0
    assert bench.stage.tokens == ("from:agent", "-kind:response")
    out = acp_spy("hold", "filter", "--clear").out
    assert out == "there is no filter: nothing will be held\n"
    assert acp_spy("hold", "fault", "drop p:0.1").out == "  1  drop p:0.1\n"
    assert acp_spy("hold", "fault", "--remove", "1").out == "there are no faults\n"


def test_filter_and_faults_are_shown_and_not_obeyed(bench):
    odd = "text:\x1b]0;title\x07\u202e##[error]"
    shown = r"text:\x1b]0;title\x07\u202e#\x23[error]"
    assert acp_spy("hold", "filter", odd).out == f"'{shown}'\n"
    assert acp_spy("hold", "filter").out == f"'{shown}'\n"
    assert acp_spy("hold", "fault", f"drop '{odd}'").out == f"  1  drop '{shown}'\n"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b'{"method":"\xff"}', "cannot inject the message: not UTF-8"),
        (b'{"a":' * 10_000, "cannot inject the message: nested too deep to read"),
        (
            b'{"method":"x","params":"\\ud800"}',
            "cannot inject the message: JSON with a string that cannot be read (a lone surrogate",
        ),
        (b'{"method":"x","params":1e999}', "cannot inject the message: not JSON: "),
    ],
)
def test_a_message_that_cannot_be_read_is_not_injected(bench, message, reason):
    out, err, status = acp_spy("hold", "inject", "client", os.fsdecode(message))
    assert (out, status) == ("", 2)
    assert err.startswith(f"error: {reason}")
    assert bench.got[Peer.CLIENT] == []


@pytest.mark.parametrize("words", [["inject", "client", "-"], ["edit", "1", "--with", "-"]])
def test_what_is_not_text_on_stdin_is_an_error(bench, words):
    bench.agent(update())
    assert acp_spy("hold", *words, stdin=b"\xff") == (
        "",
        "error: cannot read the message from stdin: not UTF-8\n",
        2,
    )
    assert bench.got[Peer.CLIENT] == []


def test_a_message_on_a_closed_stdin_is_an_error():
    words = ["sh", "-c", '"$@" <&-', "sh", *ACP_SPY, "hold", "inject", "client", "-"]
    done = subprocess.run(words, capture_output=True, timeout=DEADLINE, check=False)
    assert done.stderr == b"error: cannot read the message: stdin is closed\n"
    assert done.returncode == 2


def test_commands_are_typed_while_one_watches(bench, monkeypatch):
    bench.agent(update(text="one"))
    bench.client(request(3))
    ready = iter([[0]])
    monkeypatch.setattr(command.select, "select", lambda *_: (next(ready), [], []))
    typed = b'list\nerror 2 -32000 "not now"\nfrob\nrelease\nquit\n'
    out, err, status = acp_spy(
        "hold", "watch", "--capture", "x", stdin=typed, env={"COLUMNS": "80"}
    )
    assert status == 0
    held = [
        '   1 ← 1 m 00 s left  session/update  {"sessionId":"s1","text":"one"}',
        '   2 → 1 m 00 s left  session/prompt  {"sessionId":"s1"}',
    ]
    assert out.splitlines() == [
        *held,
        *held,
        "answered frame 2 with error -32000",
        "released frame 1",
    ]
    assert "error: no such command: `frob`" in err
    assert err.endswith("detached\n")


def test_every_command_can_be_typed_while_one_watches(bench, monkeypatch):
    bench.agent(update(text="one"))
    ready = iter([[0]])
    monkeypatch.setattr(command.select, "select", lambda *_: (next(ready), [], []))
    typed = b"""fault drop method:session/load p:0.1
fault remove 1
inject agent '{"method": "session/cancel", "params": {"sessionId": "s1"}}'
inject agent
revert 1
quit
"""
    out, err, _ = acp_spy("hold", "watch", "--capture", "x", stdin=typed, env={"COLUMNS": "80"})
    assert out.splitlines()[1:] == [
        "  1  drop method:session/load p:0.1",
        "there are no faults",
        "sent to the agent",
        "frame 1 will be delivered as it was sent",
    ]
    assert "hint: use `inject PEER 'MESSAGE'`, quoted" in err
    assert bench.got[Peer.AGENT] == [message(method="session/cancel", params={"sessionId": "s1"})]


def test_watching_goes_on_after_an_event_that_cannot_be_read(bench, monkeypatch):
    client = command.connect()
    client.events += [None, {"event": "filter", "filter": ["from:agent"]}]

    def next_event():
        if event := client.events.popleft():
            return event
        raise UnreadableError

    monkeypatch.setattr(client, "next_event", next_event)
    monkeypatch.setattr(command.select, "select", lambda *_: ([0], [], []))
    out, err, status = acp_spy("hold", "watch", "--capture", "x", stdin=b"quit\n")
    assert (out.splitlines()[-1], status) == ("filter    from:agent", 0)
    assert "error: cannot read what the run said" in err
    assert "the run has ended" not in err


def test_a_frame_with_a_number_beyond_all_is_listed_and_shown_as_it_is_spelled(bench):
    raw = b'{"jsonrpc":"2.0","id":1e999,"method":"session/prompt","params":{"a":%b}}\n'
    raw %= b"9" * 6000
    bench.client(raw)
    (held,) = json.loads(acp_spy("hold", "list", "--format", "json").out)["held"]
    assert held["frame"]["text"].encode() == raw
    assert '  "id": 1e999,\n' in acp_spy("hold", "show").out
    assert acp_spy("hold", "edit", "--with", raw.decode()).err == ""
    assert bench.got[Peer.AGENT] == [raw]


def test_a_watch_for_programs_has_the_frame_as_in_a_capture(bench, monkeypatch):
    bench.agent(update(text="one"))
    command.connect().events += bench.messages
    monkeypatch.setattr(command.select, "select", lambda *_: ([0], [], []))
    out = acp_spy("hold", "watch", "--capture", "x", "--format", "json", stdin=b"quit\n").out
    _, held = map(json.loads, out.splitlines())
    assert held["frame"]["message"]["params"]["text"] == "one"


def test_an_edit_that_is_kept_is_reverted(bench):
    bench.agent(update(text="old"))
    acp_spy("hold", "edit", "--with", update(text="new").decode(), "--keep")
    assert acp_spy("hold", "revert").out == "frame 1 will be delivered as it was sent\n"
    acp_spy("hold", "release")
    assert bench.got[Peer.CLIENT] == [update(text="old")]


def test_without_a_run_the_error_says_how_to_start_one(tmp_path):
    _, err, status = acp_spy("hold", "list", env={"ACP_SPY_DIR": str(tmp_path)})
    assert status == 2
    assert "hint: start one with `acp-spy --intercept FILTER -- COMMAND`" in err


def test_watching_waits_for_a_run(bench, monkeypatch):
    client, looks = command.connect(), []

    def connect():
        looks.append(1)
        if len(looks) < 3:
            raise NoRunError("no run")
        return client

    monkeypatch.setattr(command, "connect", connect)
    monkeypatch.setattr(command.time, "sleep", lambda _seconds: None)
    monkeypatch.setattr(command.select, "select", lambda *_: ([0], [], []))
    bench.ask("filter", filter=[])
    _, err, _ = acp_spy("hold", "watch", stdin=b"quit\n")
    assert err.count("waiting: no run") == 1
    assert "attached to" in err
