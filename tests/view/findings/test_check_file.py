import json
import tracemalloc
from pathlib import Path

import pytest
from support.rules import a_rule

from acp_spy.capture.codec import encode
from acp_spy.capture.files import load
from acp_spy.capture.records import Delivery, Header
from acp_spy.capture.transcript import parse
from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Remark
from acp_spy.view.findings.check_file import add_excerpts, check_file
from acp_spy.wire.frame import Frame, Peer

UPDATE = b'{"jsonrpc":"2.0","method":"_x/y","params":{"text":"' + b"x" * 500 + b'"}}\n'


def remark(moment):
    """Explain."""
    yield Remark("seen", at="/method")


def crash(moment):
    """Explain."""
    raise ValueError(moment.frame.seq)


@pytest.fixture
def capture(tmp_path):
    def write(frames):
        path = tmp_path / f"{frames}.jsonl"
        records = (Frame(seq, seq / 1000, Peer.AGENT, UPDATE) for seq in range(1, frames + 1))
        path.write_bytes(encode([Header(), *records]))
        return str(path)

    return write


def test_a_capture_is_judged(capture):
    report = check_file(capture(10), [a_rule(remark)])
    (mistake,) = report.mistakes
    assert (report.frames, mistake.count, mistake.places) == (10, 10, [1, 2, 3, 4, 5])
    assert report.failed


def test_every_place_is_kept_on_demand(capture):
    report = check_file(capture(10), [a_rule(remark)], every=True)
    assert [mistake.places for mistake in report.mistakes] == [list(range(1, 11))]


def test_memory_does_not_grow_with_the_capture(capture):
    def peak(frames):
        path = capture(frames)
        tracemalloc.start()
        check_file(path, [a_rule(remark)])
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)  # what is loaded and built once
    # What the collector has yet to collect comes and goes; the frames would be 3 MB.
    assert peak(5000) < peak(500) + 300_000


def test_only_the_frames_worth_showing_are_read_again(capture):
    report = check_file(capture(10), [a_rule(remark)])
    add_excerpts(report)
    assert list(report.excerpts) == [(1, "/method")]
    assert report.excerpts[1, "/method"].place == '"method":"_x/y"'
    assert report.lines == {1: 2}


def test_a_clean_capture_is_not_read_again(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), *parse("-> {}")]))
    report = check_file(str(path), [a_rule(remark, "response")])
    path.unlink()
    add_excerpts(report)
    assert report.excerpts == {}


def test_a_rule_that_raises_is_named_once(capture):
    rules = [a_rule(crash, code="TST001"), a_rule(remark, code="TST002")]
    report = check_file(capture(3), rules)
    (raised,) = report.crashes
    assert (raised.code, raised.seq, raised.error, raised.count) == (
        "TST001",
        1,
        "ValueError(1)",
        3,
    )
    assert [mistake.first.code for mistake in report.mistakes] == ["TST002"]


def test_what_is_no_capture_is_refused(tmp_path):
    with pytest.raises(AcpSpyError):
        check_file(str(tmp_path / "missing.jsonl"), [])


@pytest.mark.parametrize(
    ("name", "client", "agent"),
    [("dialect-jetbrains", "acp", "jetbrains"), ("dialect-threads", "threads", "threads")],
)
def test_the_dialect_of_each_peer_is_told(name, client, agent):
    path = Path(__file__).parents[3] / "fixtures" / f"{name}.jsonl"
    assert check_file(str(path), []).dialect == {"client": client, "agent": agent}


def test_another_tools_file_is_judged_as_the_capture_that_it_could_be(tmp_path):
    name = Path(__file__).parents[3] / "fixtures" / "foreign" / "acp-inspector.jsonl"
    capture = load(name)
    copy = tmp_path / "run.jsonl"
    copy.write_bytes(encode([capture.header, *capture.records]))
    direct, imported = (check_file(str(path), tuple(CATALOGUE.values())) for path in (name, copy))
    assert direct.note == imported.note == capture.header.note
    assert direct.mistakes == imported.mistakes
    assert "LIF130" in {mistake.first.code for mistake in direct.mistakes}
    for report in (direct, imported):
        add_excerpts(report)
    assert direct.excerpts == imported.excerpts
    assert imported.lines
    assert not direct.lines  # its lines are not those of a capture


@pytest.mark.parametrize("name", ["crow", "acp"])
def test_what_is_settled_is_not_found_out(name):
    path = Path(__file__).parents[3] / "fixtures" / "dialect-threads.jsonl"
    report = check_file(str(path), [], dialect=name)
    assert report.dialect == {"client": name, "agent": name}


BLANKS, DIGITS = " " * 1_000_000 + "!", "`" + "1" * 1_000_000


@pytest.mark.parametrize(
    "params",
    [
        {"protocolVersion": 1, "clientCapabilities": {}, "_meta": {"tracestate": BLANKS}},
        {"protocolVersion": DIGITS, "clientCapabilities": {DIGITS: {"a": 1}}, DIGITS: 1},
    ],
    ids=["a trace state of blanks", "keys of digits"],
)
def test_long_values_are_no_burden(params, tmp_path):
    """Quadratic, each would take an hour, so that no clock is needed."""
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    path = tmp_path / "long.jsonl"
    path.write_bytes(
        encode([Header(), Frame(1, 0.1, Peer.CLIENT, json.dumps(message).encode() + b"\n")])
    )
    assert check_file(str(path), tuple(CATALOGUE.values())).mistakes


def test_many_findings_while_many_prompts_are_open_are_no_burden(tmp_path):
    """Each may follow from a cancelled prompt: to look at all of them each time takes minutes."""
    opening = """
        -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
        <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
        -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}
        <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
    """
    prompt = '-> {"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s"}}\n'
    answer = '<- {"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}\n'
    path = tmp_path / "open.jsonl"
    numbers = range(2, 6_000)
    text = "".join([*(prompt % at for at in numbers), *(answer % at for at in numbers)])
    path.write_bytes(encode([Header(), *parse(opening + text)]))
    (mistake,) = check_file(str(path), [CATALOGUE["LIF051"]]).mistakes
    assert mistake.count == 1024  # as many as the rule remembers


@pytest.mark.long
def test_an_agent_that_is_idle_many_times_while_many_prompts_are_open_is_no_burden(tmp_path):
    """To look at all prompts each time takes hours."""
    opening = """
        -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}
        <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}
    """
    prompt = '-> {"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s"}}\n'
    update = '{"sessionUpdate":"state_update","state":"idle"}'
    params = f'{{"sessionId":"s","update":{update}}}'
    idle = f'<- {{"jsonrpc":"2.0","method":"session/update","params":{params}}}\n'
    text = "".join(prompt % at for at in range(1, 3_000)) + idle * 3_000
    path = tmp_path / "idle.jsonl"
    path.write_bytes(encode([Header(), *parse(opening + text)]))
    rules = [CATALOGUE["LIF033"], CATALOGUE["NET010"]]
    assert check_file(str(path), rules).frames == 6_001


def test_of_many_who_made_lines_at_one_frame_the_first_are_named(tmp_path):
    """Each finding would name all of them: the square of their number."""
    asked = '-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n'
    made = [
        Delivery(1, 0.2, Peer.AGENT, f"script a, script b; c{number}", "replaced", b"x\n")
        for number in range(100)
    ]
    path = tmp_path / "made.jsonl"
    path.write_bytes(encode([Header(), *parse(asked), *made]))
    report = check_file(str(path), tuple(CATALOGUE.values()), side="delivered")
    named = {mistake.first.by for mistake in report.mistakes}
    assert "script a, script b; c0, script a, script b; c1" in named
    assert max(map(len, named)) < 300


def test_many_unreadable_lines_while_many_sessions_are_loaded_are_no_burden(tmp_path):
    """Each line may be a part of each replay: to remember that for all of them takes minutes."""
    load_ = '-> {"jsonrpc":"2.0","id":%d,"method":"session/load","params":{"sessionId":"s%d"}}\n'
    text = "".join(load_ % (number, number) for number in range(6_000))
    path = tmp_path / "loads.jsonl"
    path.write_bytes(encode([Header(), *parse(text + '<- {"jsonrpc":"2.0","id"\n' * 6_000)]))
    assert check_file(str(path), [CATALOGUE["LIF033"]]).frames == 12_000
