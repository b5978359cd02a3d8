"""What the console reads of a capture is what `acp-spy view` shows of it."""

import json
import os
from pathlib import Path

import msgspec
import pytest
from support.console import read_all
from support.in_process import acp_spy

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile, Follower
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.console import export
from acp_spy.console.document import Document, search
from acp_spy.console.reading import Ask, Show, Work
from acp_spy.console.shelf import Shelf
from acp_spy.view.folding import Fold
from acp_spy.view.style import paint
from acp_spy.view.terminal import Terminal

RECORDINGS = Path(__file__).parents[2] / "recordings"
HANDSHAKE = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}}
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/x", "mcpServers": []}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
"""


def chunk(text):
    update = f'{{"sessionUpdate": "agent_message_chunk", "content": {{"type": "text", "text": "{text}"}}}}'
    return f'<- {{"jsonrpc": "2.0", "method": "session/update", "params": {{"sessionId": "s", "update": {update}}}}}\n'


@pytest.fixture
def opened():
    """Open captures as documents; close them in the end."""
    to_close = []

    def opened(path, *filters, **how):
        reader, shelf = read_all(path, *filters, **how)
        document = Document(str(path), shelf)
        document.is_filtered = bool(filters)
        document.update(reader.status(0.0))
        to_close.extend([reader, shelf, document])
        return reader, document

    yield opened
    for each in to_close:
        each.close()


def places(document):
    found, place = [], document.first()
    while place is not None:
        found.append(place)
        place = document.after(place)
    return found


def shown_lines(document, width=80):
    terminal = Terminal(width)
    return [
        paint(line, colour=False)
        for shown in map(document.show, places(document))
        for line in terminal.pieces(shown.item, shown.margin)
    ]


@pytest.mark.parametrize("name", ["codex", "vibe"])
@pytest.mark.parametrize("filters", [(), ("finding:any",)])
@pytest.mark.parametrize("is_known", [False, True])
def test_the_rows_are_those_of_view(opened, name, filters, is_known):
    path = RECORDINGS / f"{name}.jsonl"
    reader, document = opened(path)
    if is_known:  # what was found is known from the reading before
        first = reader.status(0.0)
        assert reader.known is not None
        reader, document = opened(path, *filters, known=reader.known)
        again = reader.status(0.0)
        assert (again.counts, again.diagnosis) == (first.counts, first.diagnosis)
    elif filters:  # of too many findings only those that come late are
        _, document = opened(path, *filters, late=reader.late)
    view = acp_spy("view", path, *filters, env={"COLUMNS": "80"}).out.splitlines()
    rows = shown_lines(document)
    start = next(at for at, line in enumerate(view) if line == rows[0])
    assert view[start : start + len(rows)] == rows
    assert view[start + len(rows)] == ""


def test_the_rows_of_many_tool_calls_that_end_at_once_are_those_of_view(opened, tmp_path):
    """Of those that were not on the shelf yet, the places were forgotten."""
    path = tmp_path / "many.jsonl"
    updates = [
        *({"sessionUpdate": "tool_call", "toolCallId": f"c{n}", "title": "x"} for n in range(70)),
        *(
            {"sessionUpdate": "tool_call_update", "toolCallId": f"c{n}", "status": "completed"}
            for n in range(70)
        ),
    ]
    params = (json.dumps({"sessionId": "s", "update": update}) for update in updates)
    said = "".join(
        f'<- {{"jsonrpc": "2.0", "method": "session/update", "params": {each}}}\n'
        for each in params
    )
    end = '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}\n'
    path.write_bytes(encode([Header(), *parse(HANDSHAKE + said + end)]))
    _, document = opened(path)
    found = places(document)
    assert len({*found}) == len(found) == 76
    view = acp_spy("view", path, env={"COLUMNS": "80"}).out.splitlines()
    rows = shown_lines(document)
    start = view.index(rows[0])
    assert view[start : start + len(rows)] == rows


def test_rows_are_found_from_anywhere_in_both_directions(opened):
    _, document = opened(RECORDINGS / "codex.jsonl")
    found = places(document)
    assert found[-1] == document.last()
    back, place = [], document.last()
    while place is not None:
        back.append(place)
        place = document.before(place)
    assert back == found[::-1]
    assert [document.find(place + 1) for place in found] == found
    assert document.move(found[0], 3) == found[3]
    assert document.move(found[0], 10_000) == found[-1]


def test_before_the_reader_has_begun_every_record_is_a_row(opened):
    path = RECORDINGS / "codex.jsonl"
    _, document = opened(path)
    read = [document.show(place).row.seq for place in places(document)]
    fresh = Document(str(path), document._shelf)
    rough = places(fresh)
    assert rough[-1] == fresh.last()
    back = [rough[-1]]
    while (place := fresh.before(back[-1])) is not None:
        back.append(place)
    assert back == rough[::-1]
    frames = [seq for place in rough if (seq := fresh.show(place).row.seq)]
    assert frames == list(range(1, document.status.frames + 1))
    assert set(filter(None, read)) <= set(frames)
    assert list(filter(None, search(fresh, "REQUEST_PERMISSION", rough[0]))) == [
        document.place_of_frame(26)
    ]
    assert next(filter(None, search(fresh, "fallback", rough[-1], back=True))) in rough
    assert list(filter(None, search(fresh, "nowhere", rough[-1], back=True))) == []
    fresh.update(document.status)  # the reader has come: the same places are found again
    assert [fresh.find(place) for place in rough] == [document.find(place) for place in rough]
    fresh.close()


def test_a_running_capture_grows_and_a_late_finding_goes_to_its_frame(tmp_path, opened):
    capture = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    records = parse(HANDSHAKE + chunk("Hello ") + chunk("world"))
    capture.append(records)
    reader, document = opened(tmp_path / "run.jsonl")
    (waiting,) = document.status.waiting
    last = document.show(document.last())
    assert document.status.running
    assert isinstance(last.item, Fold)
    assert (last.item.text, last.place, waiting.place) == ("Hello world", waiting.place, last.place)
    capture.append(parse("== 0"))
    capture.close()
    while reader.advance():
        pass
    document.update(reader.status(0.0))
    assert not document.status.running
    assert document.status.waiting == []
    prompt = document.show(document.place_of_frame(5))
    assert [finding.code for finding in prompt.item.findings] == ["RPC022"]
    assert document.next_finding(document.place_of_frame(4)) == prompt.place
    assert document.next_finding(document.last(), back=True) == prompt.place


def test_folds_of_sessions_that_talk_at_once_know_their_frames(tmp_path, opened):
    """What is found late goes to the right one, and so does a frame's number."""
    path = tmp_path / "two.jsonl"
    other = chunk("b").replace('"sessionId": "s"', '"sessionId": "other"')
    late = '-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}\n'
    path.write_bytes(encode([Header(), *parse((chunk("a") + other) * 3 + chunk("a") + late)]))
    _, document = opened(path)
    first, second = (document.show(document.place_of_frame(seq)) for seq in (5, 6))
    assert (first.item.text, second.item.text) == ("aaaa", "bbb")
    assert list(document.frames_of(first)) == [1, 3, 5, 7]
    assert list(document.frames_of(second)) == [2, 4, 6]
    assert document.frame_beside(first, 5, back=False) == 7
    assert document.frame_beside(first, 5, back=True) == 3
    assert document.frame_beside(first, 7, back=False) == 7
    assert {each.seq for each in first.item.findings} <= {1, 3, 5, 7}
    assert {each.seq for each in second.item.findings} <= {2, 4, 6}


def test_a_request_that_waits_for_a_fold_is_paired(tmp_path, opened):
    path = tmp_path / "run.jsonl"
    other = '-> {"jsonrpc": "2.0", "id": 8, "method": "_x/ping", "params": {}}\n'
    response = '<- {"jsonrpc": "2.0", "id": 8, "result": {}}\n'
    text = HANDSHAKE + chunk("a") + other + response + chunk("b")
    path.write_bytes(encode([Header(), *parse(text)]))
    _, document = opened(path)
    request = document.show(document.place_of_frame(7))
    assert (request.row.what, request.partner) == ("_x/ping", 8)
    assert document.show(document.place_of_frame(9)).item.text == "ab"


def test_a_row_of_a_second_capture_in_the_file_is_written_and_not_its_namesake(tmp_path, opened):
    """Each has a frame 1 to 6; those of the second are 7 to 12."""
    path = tmp_path / "two.jsonl"
    one, two = (encode([Header(), *parse(HANDSHAKE + chunk(word))]) for word in ("one", "two"))
    path.write_bytes(one + two)
    _, document = opened(path)
    place = document.place_of_frame(12)
    assert document.show(place).item.text == "two"
    assert export._frames(document, [place]) == {12}
    assert document.record(place) == document.record_of_frame(12)
    assert export._frames(document, [document.place_of_frame(6)]) == {6}


@pytest.mark.parametrize("seq", [1 << 32, 1 << 62])
def test_a_frame_with_an_impossible_number_is_refused(tmp_path, seq):
    path = tmp_path / "run.jsonl"
    frame = {"type": "frame", "seq": seq, "t": 0.1, "sender": "client", "message": {}}
    path.write_bytes(encode([Header()]) + json.dumps(frame).encode() + b"\n")
    shelf = Shelf.create()
    work = Work(shelf)
    work.obey(Show(1, os.fsencode(path)))
    assert f"a frame with the number {seq}" in work.step(1.0)[-1].message
    shelf.close()


def test_rows_that_were_read_completely_are_not_read_again(monkeypatch):
    shelf = Shelf.create()
    work = Work(shelf)
    codex = os.fsencode(RECORDINGS / "codex.jsonl")

    def read(run, *filters, fold=True):
        said = work.obey(Show(run, codex, filters, fold=fold))
        while work.is_busy:
            said += work.step(float(run))
        said += work.step(run + 0.9)
        assert {each.status.run for each in said} == {run}
        work.obey(Ask("stats"))
        while not (told := work.step(run + 0.91)):
            pass
        assert told[0].stats.frames == 52
        return said[-1].status

    first, requests = read(1), read(2, "kind:request")
    monkeypatch.setattr(Follower, "__init__", None)  # nothing is opened any more
    again, back = read(3), read(4, "kind:request")
    assert msgspec.structs.replace(again, run=1) == first
    assert msgspec.structs.replace(back, run=2) == requests
    work.close()
    shelf.close()


def test_request_and_response_know_each_other(opened):
    _, document = opened(RECORDINGS / "codex.jsonl")
    request = document.show(document.place_of_frame(1))
    response = document.show(document.place_of_frame(request.partner))
    assert (request.partner, response.row.partner) == (2, 1)


def test_words_are_found_in_a_streamed_text_and_in_what_was_sent(tmp_path, opened):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), *parse(HANDSHAKE + chunk("Hel") + chunk("lo") + "== 0")]))
    _, document = opened(path)

    def found(words, start, **how):
        return [place for place in search(document, words, start, **how) if place is not None]

    text, first, last = document.place_of_frame(6), document.first(), document.last()
    assert found("HELLO", first) == [text]
    assert found("hello", last, back=True) == [text]
    assert found("mcpservers", first) == [document.place_of_frame(3)]
    assert found("nowhere", first) == []


def test_with_no_folds_each_frame_is_a_row(tmp_path, opened):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), *parse(HANDSHAKE + chunk("Hel") + chunk("lo") + "== 0")]))
    _, document = opened(path, fold=False)
    assert len(places(document)) == 8
