"""Frames that are held for viewers: which, for how long, in which order, and what becomes of them."""

import os
import shlex
import socket
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from support.holds import FILTER, Bench, message, request, update
from trio.testing import MockClock

from acp_spy.capture.control_path import control_paths
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.holds import client as holds_client
from acp_spy.middleware.holds import server
from acp_spy.middleware.holds import stage as room
from acp_spy.middleware.holds.client import ControlClient, UnreadableError
from acp_spy.middleware.holds.control import Control, Viewer
from acp_spy.middleware.holds.editing import frame_of
from acp_spy.middleware.holds.server import Server, listen
from acp_spy.middleware.holds.stage import HoldStage, check_edit
from acp_spy.middleware.holds.stale_sockets import remove_socket
from acp_spy.middleware.options import make_stages, note_of
from acp_spy.middleware.pipeline import Pipeline, Stage
from acp_spy.wire.frame import Peer


def test_without_a_viewer_nothing_is_held() -> None:
    bench = Bench()
    bench.client(request())
    assert bench.got[Peer.AGENT] == [request()]
    assert bench.records == []


def test_a_connection_alone_is_not_a_viewer() -> None:
    bench = Bench()
    assert bench.ask("list")["viewers"] == 0
    bench.client(request())
    assert bench.got[Peer.AGENT] == [request()]


def test_a_text_that_began_before_there_was_a_viewer_is_found_by_its_words() -> None:
    def said(text: str) -> bytes:
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        return message(method="session/update", params={"sessionId": "s1", "update": chunk})

    bench = Bench(tokens=["text:permission"])
    for text in ("May I? ", "I ask for per"):
        bench.agent(said(text))
    bench.attach()
    bench.agent(said("mission"))
    assert bench.got[Peer.CLIENT] == [said("May I? "), said("I ask for per")]
    assert bench.records == [(3, "held")]


def test_a_held_frame_is_released() -> None:
    bench = Bench().attach()
    seq = bench.client(request())
    assert bench.got[Peer.AGENT] == []
    assert bench.ask("release", seq=seq)["seq"] == [seq]
    assert bench.got[Peer.AGENT] == [request()]
    assert bench.records == [(1, "held"), (1, "delayed")]
    assert bench.events() == ["held", "resumed"]


def test_what_does_not_match_passes() -> None:
    bench = Bench(tokens=["method:session/prompt"]).attach()
    bench.agent(update())
    assert bench.got[Peer.CLIENT] == [update()]


def test_other_sessions_and_the_other_direction_are_not_held_up() -> None:
    bench = Bench(tokens=["seq:1"]).attach()
    bench.agent(update(text="first"))
    bench.agent(update("s2"))
    bench.client(request())
    bench.agent(update(text="second"))
    assert bench.got[Peer.CLIENT] == [update("s2")]
    assert bench.got[Peer.AGENT] == [request()]
    bench.ask("release")
    assert bench.got[Peer.CLIENT] == [update("s2"), update(text="first"), update(text="second")]


def test_a_frame_that_is_released_early_waits_for_its_turn() -> None:
    bench = Bench().attach()
    bench.agent(update(text="1"))
    bench.agent(update(text="2"))
    assert [each["behind"] for each in bench.ask("list")["held"]] == [None, 1]
    assert bench.ask("release", seq=2)["behind"] == [{"seq": 2, "behind": 1}]
    assert bench.got[Peer.CLIENT] == []
    assert bench.ask("release", all=True)["seq"] == [1]
    assert bench.got[Peer.CLIENT] == [update(text="1"), update(text="2")]


def test_a_frame_that_is_set_aside_is_overtaken() -> None:
    bench = Bench(tokens=["seq:1"]).attach()
    bench.agent(update(text="1"))
    bench.agent(update(text="2"))
    assert bench.ask("list")["held"][0]["waiting"] == 1
    assert bench.ask("aside", seq=1)["passed"] == 1
    bench.agent(update(text="3"))
    bench.ask("release", seq=1)
    assert bench.got[Peer.CLIENT] == [update(text=text) for text in "231"]


def test_a_frame_is_dropped() -> None:
    bench = Bench().attach()
    bench.client(request())
    bench.ask("drop")
    assert bench.got[Peer.AGENT] == []
    assert bench.records == [(1, "held"), (1, "dropped")]


def test_a_request_is_answered_with_an_error_in_the_other_peers_place() -> None:
    bench = Bench().attach()
    bench.client(request(5))
    error = {"code": -32000, "message": "no"}
    assert bench.ask("answer", error=error)["ok"]
    assert bench.got == {Peer.CLIENT: [message(id=5, error=error)], Peer.AGENT: []}
    assert bench.records[-1] == (1, "answered")


def test_a_held_response_becomes_an_error() -> None:
    bench = Bench(tokens=["kind:response"]).attach()
    bench.client(request(5))
    bench.agent(message(id=5, result={}))
    error = {"code": -32000, "message": "no"}
    bench.ask("answer", error=error)
    assert bench.got[Peer.CLIENT] == [message(id=5, error=error)]
    assert bench.records[-1] == (2, "replaced")


def test_a_notification_cannot_be_answered() -> None:
    bench = Bench().attach()
    bench.agent(update())
    assert "neither a request nor a response" in bench.ask("answer", result={})["error"]
    assert "either a result or an error" in bench.ask("answer")["error"]
    assert "not a JSON-RPC error" in bench.ask("answer", error="no")["error"]
    assert bench.got[Peer.CLIENT] == []


def test_an_edited_frame_is_delivered_in_place_of_what_was_sent() -> None:
    bench = Bench().attach()
    bench.agent(update(text="old"))
    new = update(text="new")
    pretty = msgspec.json.format(new, indent=2).decode()
    assert bench.ask("edit", text=pretty)["ok"]
    assert bench.got[Peer.CLIENT] == [new]
    assert bench.records == [(1, "held"), (1, "replaced")]


def test_an_edit_can_be_kept_and_reverted() -> None:
    bench = Bench().attach()
    bench.agent(update(text="old"))
    bench.ask("edit", message=msgspec.json.decode(update(text="new")), keep=True)
    held = bench.ask("get")
    assert held["edited"]
    assert held["frame"]["message"]["params"]["text"] == "new"
    bench.ask("revert")
    bench.ask("release")
    assert bench.got[Peer.CLIENT] == [update(text="old")]
    assert bench.records[-1] == (1, "delayed")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ('{"jsonrpc": "2.0"}', "not JSON-RPC"),
        ('{"id": 1, "method": "m"}', '"jsonrpc": "2.0"'),
        ('{"jsonrpc": "2.0", "id": 2, "method": "m"}', "the id was 1 and is 2 now"),
    ],
)
def test_an_edit_that_is_not_json_rpc_is_refused_and_the_frame_stays_as_it_was(
    text: str, reason: str
) -> None:
    bench = Bench().attach()
    bench.client(request())
    assert reason in bench.ask("edit", text=text)["error"]
    assert not bench.ask("get")["edited"]
    bench.ask("edit", text=text, force=True)
    assert bench.got[Peer.AGENT] == [text.encode() + b"\n"]


def test_bytes_that_are_no_text_can_be_sent_by_force() -> None:
    bench = Bench().attach()
    bench.client(request())
    bench.ask("edit", base64="/wo=", force=True)
    assert bench.got[Peer.AGENT] == [b"\xff\n"]


def test_when_the_last_viewer_detaches_everything_goes_on() -> None:
    bench = Bench().attach()
    other = Viewer(lambda _message: None)
    bench.control.join(other)
    bench.control.take(other, b'{"do":"attach"}')
    bench.client(request())
    bench.control.leave(other)
    bench.collect()
    assert bench.got[Peer.AGENT] == []
    bench.control.leave(bench.viewer)
    bench.collect()
    assert bench.got[Peer.AGENT] == [request()]


def test_a_held_frame_goes_on_by_itself() -> None:
    async def main() -> None:
        bench = Bench(timeout=5.0).attach()
        start = trio.current_time()
        async with trio.open_nursery() as nursery:
            bench.pipeline.start = lambda _stage, task: nursery.start_soon(task)
            for seconds in (0.0, 1.0):
                await trio.sleep(seconds)
                bench.time = trio.current_time() - start
                bench.agent(update(f"s{seconds}"))
            bench.pipeline.__dict__["_now"] = lambda: trio.current_time() - start
            bench.pipeline.on_output = bench.collect
        assert trio.current_time() - start == pytest.approx(6.0)
        assert bench.got[Peer.CLIENT] == [update("s0.0"), update("s1.0")]
        whys = [each["why"] for each in bench.messages if each.get("event") == "resumed"]
        assert whys == ["timeout", "timeout"]

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_when_too_much_waits_all_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MOST_WAITING", 1000)
    bench = Bench(tokens=["seq:1"]).attach()
    for _ in range(3):
        bench.agent(update(text="x" * 400))
    assert len(bench.got[Peer.CLIENT]) == 3
    assert bench.complaints


class Failing(Stage):
    """Has a bug in a task."""

    def begin(self) -> None:
        self.pipeline.start(self, self._fail)

    async def _fail(self) -> None:
        raise ValueError("planted")


def test_a_bug_in_another_stage_lets_go_of_nothing_that_is_held_for_a_viewer() -> None:
    bench = Bench(beyond=[Failing()]).attach()
    seq = bench.client(request())
    trio.run(bench.tasks[0])
    bench.collect()
    assert "planted" in bench.complaints[0]
    assert bench.got[Peer.AGENT] == []
    assert "error" not in bench.ask("drop", seq=seq)
    assert bench.got[Peer.AGENT] == []
    assert bench.records == [(1, "held"), (1, "dropped")]


@pytest.mark.parametrize("is_telling", [True, False])
def test_after_a_bug_of_its_own_everything_goes_on_as_it_was_edited(is_telling: bool) -> None:
    def fail(*_: object) -> None:
        raise ValueError("planted")

    async def task() -> None:
        fail()

    bench = Bench().attach()
    seq = bench.client(request())
    bench.ask("edit", seq=seq, message=msgspec.json.decode(request(session="s2")), keep=True)
    bench.client(request(2))
    bench.messages.clear()
    if not is_telling:
        bench.stage.on_event = fail
    bench.pipeline.start(bench.stage, task)
    trio.run(bench.tasks[-1])
    bench.collect()
    assert bench.got[Peer.AGENT] == [request(session="s2"), request(2)]
    assert not bench.stage.holds
    told = [(each["seq"], each["action"], each["why"]) for each in bench.messages]
    assert told == [(1, "replaced", "bug"), (2, "released", "bug")] * is_telling


def test_an_injected_request_has_its_own_id_and_its_response_goes_to_who_asked() -> None:
    bench = Bench().attach()
    reply = bench.ask("inject", to="agent", message={"id": 1, "method": "session/list"})
    assert reply["expects_response"]
    sent = msgspec.json.decode(bench.got[Peer.AGENT][0])
    assert sent["id"] not in (1, "1")
    bench.agent(message(id=sent["id"], result={"sessions": []}))
    assert bench.got[Peer.CLIENT] == []
    event = bench.messages[-1]
    assert (event["event"], event["to"]) == ("response", reply["id"])
    assert event["message"]["result"] == {"sessions": []}


@pytest.mark.parametrize(
    "result", [b'"\\ud800"', b"[" * 3000 + b"]" * 3000, b"1e999", b"\xff", b"{"]
)
def test_who_asked_is_told_of_a_response_that_cannot_be_read(result: bytes) -> None:
    bench = Bench().attach()
    reply = bench.ask("inject", to="agent", message={"id": 1, "method": "session/list"})
    bench.agent(b"not JSON\n")
    assert bench.messages[-1] == reply
    ident = msgspec.json.encode(msgspec.json.decode(bench.got[Peer.AGENT][0])["id"])
    bench.agent(b'{"jsonrpc":"2.0","id":%b,"result":%b}\n' % (ident, result))
    event = bench.messages[-1]
    assert event == {"event": "response", "to": reply["id"], "message": None}


def test_the_filter_is_set_and_cleared_while_it_runs() -> None:
    bench = Bench(tokens=[]).attach()
    bench.agent(update(text="1"))
    assert bench.ask("filter", filter="from:agent kind:notification")["filter"] == [
        "from:agent",
        "kind:notification",
    ]
    bench.agent(update(text="2"))
    bench.ask("filter", filter=[])
    bench.agent(update("s2"))
    assert bench.got[Peer.CLIENT] == [update(text="1"), update("s2")]
    refused = bench.ask("filter", filter="frm:agent")
    assert "no such filter" in refused["error"]
    assert "from:agent" in refused["hint"]
    assert "finding" not in refused["hint"]


def test_faults_are_added_and_removed_while_it_runs() -> None:
    bench = Bench(tokens=[])
    number = bench.ask("add_fault", spec="drop from:agent")["fault"]
    bench.agent(update(text="1"))
    assert bench.ask("faults")["faults"] == [{"fault": number, "specs": ["drop from:agent"]}]
    bench.ask("remove_fault", fault=number)
    bench.agent(update(text="2"))
    assert bench.got[Peer.CLIENT] == [update(text="2")]
    assert bench.records == [(1, "dropped")]
    assert len(bench.pipeline.stages) == 1
    assert "no such fault" in bench.ask("add_fault", spec="dorp")["error"]
    assert not bench.ask("remove_fault", fault=number)["ok"]


def test_a_fault_that_is_added_meets_what_an_agent_says_in_its_dialect_as_official_messages() -> (
    None
):
    dialect = make_stages({"agent_dialect": "crow"})
    bench = Bench(tokens=[], beyond=dialect)
    slow = bench.ask("add_fault", spec="latency:1h text:slow")["fault"]
    bench.ask("add_fault", spec="drop method:agent_message_chunk text:lost")
    assert bench.pipeline.stages[-1] is dialect[0]
    for text in ("lost", "slow", "found"):
        said = {"@type": "agent_message_text", "text": text}
        params = {"sessionId": text, "update": said}
        bench.agent(message(method="session/update", params=params))
    assert bench.records[0] == (1, "dropped")
    assert [b"agent_message_chunk" in raw for raw in bench.got[Peer.CLIENT]] == [True]
    bench.ask("remove_fault", fault=slow)
    assert b"slow" in bench.got[Peer.CLIENT][-1]


def test_what_a_removed_fault_holds_goes_on() -> None:
    bench = Bench(tokens=[])
    number = bench.ask("add_fault", spec="latency:1h")["fault"]
    bench.agent(update())
    assert bench.got[Peer.CLIENT] == []
    bench.ask("remove_fault", fault=number)
    assert bench.got[Peer.CLIENT] == [update()]


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b"1", b'{"do": 5}', b'{"do":"edit","seq":[]}', b'{"do":"drop","seq":[[],{}]}'],
)
def test_a_bad_request_is_refused_and_stops_nothing(line: bytes) -> None:
    bench = Bench().attach()
    bench.client(request())
    bench.control.take(bench.viewer, line)
    assert bench.messages[-1]["ok"] is False
    assert "a bug" not in bench.messages[-1]["error"]
    assert bench.ask("release")["ok"]


def test_a_large_frame_is_listed_without_its_bytes() -> None:
    bench = Bench().attach()
    bench.agent(update(text="x" * 100_000))
    assert "frame" not in bench.ask("list")["held"][0]
    assert len(bench.ask("get")["frame"]["message"]["params"]["text"]) == 100_000


NUMBERS_BEYOND_ALL = [
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","a":-1e999}}\n',
    b'{"jsonrpc":"2.0","id":1E400,"method":"session/prompt","params":{"sessionId":"s1"}}\n',
    b'{"jsonrpc":"2.0","id":%b,"method":"session/load"}\n' % (b"9" * 6000),
    b'{"jsonrpc":"2.0","method":"session/update","params":[%b.5]}\n' % (b"9" * 400),
]


@pytest.mark.parametrize("raw", NUMBERS_BEYOND_ALL)
def test_a_frame_with_a_number_beyond_all_is_text_for_viewers(raw: bytes) -> None:
    bench = Bench().attach()
    bench.agent(raw)
    (held,) = bench.ask("list")["held"]  # which reads it, as viewers do
    assert held["frame"]["text"].encode() == raw
    assert frame_of(bench.ask("get")).raw == raw


def test_a_line_that_comes_back_unchanged_is_as_sent() -> None:
    assert check_edit(request(), request()) == request()
    too_large = b'{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":1e400}}\n'
    assert check_edit(too_large, too_large) == too_large


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"intercept": "frm:agent"}, "no such filter"),
        ({"intercept": "finding:any"}, "not checked on their way"),
        ({"intercept": " "}, "empty"),
        ({"intercept": "text:\udcff"}, "it is not UTF-8"),
        ({"intercept": "from:agent", "hold_timeout": "soon"}, "not a time"),
        ({"intercept": "from:agent", "hold_timeout": "0s"}, "not a time"),
        ({"hold_timeout": "5s"}, "without `--intercept`"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises(AcpSpyError, match=words):
        make_stages(options)


# ----------------------------------------------------------------------------- the socket


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a runtime folder whose path is short enough for a socket."""
    folder = Path(os.path.realpath(tmp_path_factory.mktemp("r")))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def test_the_socket_is_beside_the_capture_or_in_the_runtime_folder(runtime: Path) -> None:
    capture = runtime / "a.jsonl"
    capture.touch()
    with listen(str(capture))[0]:
        assert control_paths(str(capture))[0] == f"{capture}.sock"
        assert os.path.exists(f"{capture}.sock")
    deep = runtime / ("x" * 120)
    deep.mkdir()
    (deep / "a.jsonl").touch()
    listening, path = listen(str(deep / "a.jsonl"))
    listening.close()
    assert path.startswith(f"{runtime}/acp-spy/")
    assert path in control_paths(str(deep / "a.jsonl"))


def test_what_has_taken_the_place_of_the_socket_is_not_removed(runtime: Path) -> None:
    folder, other = runtime / "d", runtime / "other"
    folder.mkdir()
    other.mkdir()
    precious = other / "run.jsonl.sock"
    precious.write_text("precious")
    listening, path = listen(str(folder / "run.jsonl"))
    listening.close()
    served = Server(Control.__new__(Control))
    served._path, served._inode = path, os.lstat(path).st_ino
    folder.rename(runtime / "moved")
    folder.symlink_to(other)
    served.remove()
    assert precious.read_text() == "precious"
    folder.unlink()
    (runtime / "moved").rename(folder)
    served._path = path
    served.remove()
    assert not os.path.lexists(path)


@pytest.mark.parametrize("ending", [".sock", ".sock~"])
def test_a_file_that_is_in_the_place_of_the_socket_stays(runtime: Path, ending: str) -> None:
    capture = runtime / "a.jsonl"
    capture.touch()
    own = Path(f"{capture}{ending}")
    own.write_text("precious")
    listening, path = listen(str(capture))
    listening.close()
    assert path == control_paths(str(capture))[1]
    assert own.read_text() == "precious"
    Path(path).unlink()
    Path(path).write_text("precious")
    with pytest.raises(FileExistsError, match="is not a socket of yours"):
        listen(str(capture))


def test_what_a_killed_run_has_left_is_removed(runtime: Path) -> None:
    folder = runtime / "acp-spy"
    folder.mkdir(mode=0o700)
    stale, beginning = folder / "stale.sock", folder / "other.sock~"
    with socket.socket(socket.AF_UNIX) as left, socket.socket(socket.AF_UNIX) as other:
        left.bind(str(stale))
        other.bind(str(beginning))  # a run that begins at this moment
    listen(str(runtime / "none.jsonl"))[0].close()
    assert not stale.exists()
    remove_socket(str(runtime / "none.jsonl"))
    assert [*folder.iterdir()] == [beginning]


def test_a_runtime_folder_that_others_can_write_to_is_not_used(runtime: Path) -> None:
    (runtime / "acp-spy").mkdir()
    (runtime / "acp-spy").chmod(0o777)
    with pytest.raises(OSError, match="others can write"):
        listen(str(runtime / "none.jsonl"))


@pytest.mark.parametrize(("limit", "most"), [("_MOST_UNREAD", 500), ("_MOST_UNREAD_BYTES", 9999)])
def test_a_viewer_that_does_not_read_is_detached(
    limit: str, most: int, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, limit, most)
    capture = runtime / "a.jsonl"
    capture.touch()

    async def main() -> None:
        stage = HoldStage(FILTER, 60.0)
        pipeline = Pipeline([stage], capture=str(capture))
        stage.serve = Server(Control(stage)).start
        async with trio.open_nursery() as nursery:
            pipeline.begin(nursery.start_soon, trio.sleep)
            path = control_paths(str(capture))[0]
            async with await trio.open_unix_socket(path) as stream:
                await stream.send_all(b'{"id":1,"do":"attach"}\n')
                received = b""
                while received.count(b"\n") < 2:
                    received += await stream.receive_some()
                assert stage.viewers == 1
                while stage.viewers:  # it gets one event after the other, and reads none
                    stage.set_filter(["text:" + "x" * 1000])
                    await trio.testing.wait_all_tasks_blocked()
            pipeline.end()
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert [*runtime.glob("*.sock*")] == []


HELLO = b'{"event":"hello","protocol":1,"capture":"/a.jsonl"}\n'


@pytest.mark.parametrize(
    "said",
    [
        b"\x00garbage\n",
        b"[]\n",
        b'{"protocol":1}\n{"id":1}\n',
        b'{"event":"hello","protocol":1}\n',
        HELLO + b"garbage\n",
        HELLO + b'{"event":5}\n',
        HELLO + b'{"id":1,"ok":true}\n',
        HELLO + b'{"id":1,"ok":true,"filter":[1],"timeout":1,"viewers":1,"held":[]}\n',
        HELLO + b'{"id":1,"ok":true,"filter":[],"timeout":1,"viewers":1,"held":[{"seq":1}]}\n',
        HELLO + b'{"event":"held","seq":"x"}\n',
        HELLO + b'{"event":"resumed","seq":1,"action":[],"why":{}}\n',
    ],
)
def test_what_answers_at_a_socket_and_is_not_acp_spy_is_an_error(
    said: bytes, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds_client, "_PATIENCE", 1.0)
    path = str(runtime / "a.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(said)
                while connection.recv(1000):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(UnreadableError), ControlClient(path) as client:
            client.ask("list")
        thread.join()


@pytest.mark.parametrize("unreadable", [b'{"event":"held","seq":1e999}\n', b"garbage\n"])
def test_after_an_event_that_cannot_be_read_a_viewer_goes_on(
    unreadable: bytes, runtime: Path
) -> None:
    faults = b'"faults":[]}\n'
    path = str(runtime / "a.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(HELLO + b'{"event":"faults",' + faults + unreadable)
                connection.recv(1000)
                event = b'{"event":"filter","filter":["text:x"]}\n'
                connection.sendall(unreadable + b'{"id":1,"ok":true,' + faults + event)
                while connection.recv(1000):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        with ControlClient(path) as client:
            assert client.next_event()["event"] == "faults"
            with pytest.raises(UnreadableError):
                client.next_event()
            assert client.ask("faults")["faults"] == []
            assert client.next_event()["filter"] == ["text:x"]
        thread.join()


@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="only Linux says who listens")
def test_a_socket_at_which_another_user_listens_is_not_talked_to(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took the place of the run's own, after that was looked at."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path := str(runtime / "a.sock"))
        listening.listen()
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        with pytest.raises(PermissionError, match="it is a socket of another user"):
            ControlClient(path)


def test_a_capture_whose_name_is_not_utf_8_can_be_said_to_a_viewer() -> None:
    bench = Bench()
    bench.pipeline.capture = "/r\udcff.jsonl"
    said: list[Any] = []
    bench.control.join(Viewer(said.append))
    assert msgspec.json.decode(msgspec.json.encode(said[0]))["capture"] == "/r\\udcff.jsonl"


@pytest.mark.parametrize("said", [b"", HELLO])
def test_a_run_whose_process_is_stopped_is_not_waited_for(
    runtime: Path, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(holds_client, "_PATIENCE", 0.1)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path := str(runtime / "a.sock"))
        listening.listen()
        held = []

        def greet() -> None:
            connection, _ = listening.accept()
            connection.sendall(said)
            held.append(connection)

        thread = threading.Thread(target=greet)
        thread.start()
        silence = pytest.raises(AcpSpyError, match="the run does not answer")
        with silence, ControlClient(path) as client:
            client.ask("list")
        thread.join()
        held[0].close()


def test_what_is_no_text_cannot_be_asked_for(runtime: Path) -> None:
    path = str(runtime / "a.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()

        def greet() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(HELLO)
                assert connection.recv(1000) == b""

        thread = threading.Thread(target=greet)
        thread.start()
        with ControlClient(path) as client, pytest.raises(AcpSpyError, match="not UTF-8"):
            client.ask("filter", filter=["text:\udcff"])
        thread.join()


@pytest.mark.parametrize("frame", [{}, {"type": "closed", "t": 1, "sender": "agent"}, {"type": 5}])
def test_a_held_frame_that_is_none_is_an_error(frame: dict[str, Any]) -> None:
    with pytest.raises(AcpSpyError, match="not acp-spy"):
        frame_of({"frame": frame})


def test_at_the_end_a_held_frame_goes_on_as_it_was_edited() -> None:
    bench = Bench().attach()
    seq = bench.agent(update(text="sent"))
    edited = {"jsonrpc": "2.0", "method": "session/update", "params": {"text": "edited"}}
    assert bench.ask("edit", seq=seq, message=edited, keep=True)["ok"]
    bench.pipeline.end()
    bench.collect()
    assert [msgspec.json.decode(raw) for raw in bench.got[Peer.CLIENT]] == [edited]
    assert bench.records == [(seq, "held"), (seq, "replaced")]


def test_a_timeout_needs_something_that_holds() -> None:
    with pytest.raises(AcpSpyError, match="without `--intercept` or `--control`"):
        make_stages({"hold_timeout": "5m"})


def test_the_note_of_a_capture_has_the_options_that_may_change_its_traffic(tmp_path: Path) -> None:
    (tmp_path / "a b.py").write_text("def noise(event): pass")
    script = str(tmp_path / "a b.py")
    options = {"script": [script], "fix": "", "control": "", "fault": ["drop p:0.5"], "seed": "7"}
    noted = f"--fix --script '{script}' --control --fault 'drop p:0.5' --seed 7"
    assert note_of(make_stages(options)) == f"acp-spy may have changed the traffic: {noted}"
    translated = note_of(make_stages({"agent_dialect": "crow"}))
    assert translated == "agent speaks crow, translated"
    assert note_of(make_stages({"agent_dialect": "crow", "fix": ""})) == (
        f"acp-spy may have changed the traffic: --fix; {translated}"
    )


@pytest.mark.parametrize(
    ("tokens", "remark"),
    [
        (["from:agent"], "--intercept from:agent"),
        (["method:session/*", "from:agent"], "--intercept 'method:session/* from:agent'"),
        (["text:two words"], """--intercept ''"'"'text:two words'"'"''"""),
    ],
)
def test_the_option_is_noted_as_it_can_be_typed(tokens: list[str], remark: str) -> None:
    noted = HoldStage(tokens, 60.0).remark
    assert noted == remark
    assert shlex.split(shlex.split(noted)[1]) == tokens
