"""A viewer in a thread of its own: what it knows, what it does, and what it survives."""

import os
import threading
from pathlib import Path

import pytest
from support.holds import Run, request, update

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.middleware.holds import actions, watching
from acp_spy.middleware.holds.editing import send_text
from acp_spy.middleware.holds.watching import Holding, Watch
from acp_spy.wire.frame import Peer


class Known:
    """What a watch has told; `waits` for what it is to tell."""

    def __init__(self, capture: str) -> None:
        self.changed = threading.Condition()
        self.events: list[str] = []
        self.done: list[object] = []
        self.watch = Watch(capture, self._notify, lambda event: self.events.append(event["event"]))
        self.watch.start()

    def _notify(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def waits(self, is_so) -> Holding:
        with self.changed:
            self.changed.wait_for(lambda: is_so(self.watch.now) or self.watch.now.end)
        assert is_so(self.watch.now), self.watch.now.end
        return self.watch.now

    def does(self, act) -> object:
        """Have something done, and wait until it is; return the result, or the error."""
        is_done = threading.Event()
        outcome: list[object] = []

        def done(result, error) -> None:
            outcome.append(error or result)
            is_done.set()

        self.watch.do(act, done)
        is_done.wait()
        return outcome[0]


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose path is short enough for a socket."""
    return Path(os.path.realpath(tmp_path_factory.mktemp("w")))


def test_a_watch_knows_what_is_held_and_acts_on_it(folder):
    with Run(folder / "a.jsonl") as run:
        known = Known(run.capture)
        assert known.waits(lambda now: now.is_attached).filter == ("method:session/*",)
        run.client(request(1))
        (held,) = known.waits(lambda now: now.held).held
        assert (held["seq"], held["what"], "frame" in held) == (1, "session/prompt", False)
        assert known.does(lambda client: actions.release(client, [])) == ["released frame 1"]
        known.waits(lambda now: not now.held)
        assert run.bench.got[Peer.AGENT] == [request(1)]
        refused = known.does(lambda client: actions.release(client, ["9"]))
        assert "cannot release frame 9" in str(refused)
        known.does(lambda client: actions.faults(client, add="drop p:0.1"))
        assert known.waits(lambda now: now.faults).faults[0]["specs"] == ["drop p:0.1"]
        known.watch.close()
        known.watch.join()
        assert known.watch.now.end == "detached"
        assert known.events[:2] == ["held", "resumed"]
        run.sees(lambda bench: bench.stage.viewers == 0)
    known.watch.do(lambda client: client.ask("list"))  # it is over: nothing happens


def test_what_waits_behind_a_frame_becomes_known_by_itself(folder, monkeypatch):
    monkeypatch.setattr(watching, "_FRESH", 0.0)
    with Run(folder / "a.jsonl", ["seq:1"]) as run:
        known = Known(run.capture)
        known.waits(lambda now: now.is_attached)
        run.agent(update(text="1"))
        known.waits(lambda now: now.held)
        run.agent(update(text="2"))
        known.waits(lambda now: now.held and now.held[0]["waiting"] == 1)


def test_a_burst_that_is_held_does_not_detach_its_viewer(folder):
    with Run(folder / "a.jsonl") as run:
        known = Known(run.capture)
        known.waits(lambda now: now.is_attached)
        run.burst([update(text="x")] * 600)  # before the viewer can read any of it
        assert known.waits(lambda now: len(now.held) == 600).held[-1]["behind"] == 1


def test_a_frame_with_a_number_beyond_all_ends_no_watch(folder):
    raw = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","a":1e999}}\n'
    with Run(folder / "a.jsonl") as run:
        known = Known(run.capture)
        known.waits(lambda now: now.is_attached)
        run.agent(raw)
        known.waits(lambda now: len(now.held) == 1)
        run.agent(update(text="2"))
        known.waits(lambda now: len(now.held) == 2)
        shown = known.does(lambda client: actions.show(client, ["1"]))
        assert '    "a": 1e999' in shown
        known.does(lambda client: actions.release(client, [], everything=True))
        known.waits(lambda now: not now.held)
        assert run.bench.got[Peer.CLIENT] == [raw, update(text="2")]


def test_a_held_frame_is_shown_and_edited_as_it_is_spelled(folder):
    raw = b'{"jsonrpc":"2.0","id":1e0,"method":"session/load","params":{"a":-0,"a":1.50}}\n'
    with Run(folder / "a.jsonl") as run:
        known = Known(run.capture)
        known.waits(lambda now: now.is_attached)
        run.client(raw)
        known.waits(lambda now: now.held)
        shown = known.does(lambda client: actions.show(client, []))
        assert "".join(line.strip() for line in shown).replace(": ", ":").encode() + b"\n" == raw
        known.does(lambda client: send_text(client, 1, "\n".join(shown)))
        known.waits(lambda now: not now.held)
        assert run.bench.got[Peer.AGENT] == [raw]


@pytest.mark.parametrize("unreadable", [{"event": "held"}, ["garbage"]])
def test_an_event_that_cannot_be_read_ends_no_watch(folder, unreadable):
    with Run(folder / "a.jsonl") as run:
        known = Known(run.capture)
        known.waits(lambda now: now.is_attached)
        run.says(unreadable)
        run.client(request(1))
        assert known.waits(lambda now: now.held).held[0]["seq"] == 1


def test_the_end_of_a_run_is_noticed(folder):
    with Run(folder / "a.jsonl") as run:
        known = Known(run.capture)
        known.waits(lambda now: now.is_attached)
        run.end()
        assert known.waits(lambda now: now.end).end == "the run has ended"
        known.watch.join()


def test_a_capture_without_a_control_socket_has_nothing_to_watch(folder):
    (folder / "a.jsonl").write_bytes(encode([Header()]))
    known = Known(str(folder / "a.jsonl"))
    assert "no run with a control socket" in known.waits(lambda now: now.end).end
