"""Repairs: what they make of a message, what they leave alone, and what is so for all of them."""

from collections.abc import Iterable
from pathlib import Path

import pytest
import trio
from fuzz.loop import LONGEST, limit
from support.recordings import recordings
from support.rules import checker

from acp_spy import load
from acp_spy.capture.delivered import delivered
from acp_spy.capture.files import records_of
from acp_spy.capture.records import Delivery, Header, Record, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.conversation.deliveries import is_reworded
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.fixes.known import FIXES
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import Ruleset
from acp_spy.middleware.fixes.capture import FixedCapture
from acp_spy.middleware.fixes.stage import FixStage
from acp_spy.middleware.options import make_stages
from acp_spy.middleware.pipeline import Pipeline
from acp_spy.middleware.scripts.stage import ScriptStage
from acp_spy.wire.frame import Frame, Peer
from benchmarks import mutations
from benchmarks.mutating import OPERATORS

RULES = (*FIXES, "RPC006", "DIA001")  # the others take time, and are not repaired
FIXTURES = Path(__file__).parents[2] / "fixtures"
OPENING = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}}
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/home/dev/project", "mcpServers": []}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "go"}]}}
"""
ASKED = """
    <- {"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, {"optionId": "no", "name": "No", "kind": "reject_once"}]}}
"""


def _records(transcript: str) -> list[Record]:
    return [Header(), *parse(transcript)]


def _fixed(transcript: str, ruleset: Ruleset = Ruleset()) -> list[str]:  # noqa: B008
    """Return what is repaired: the lines in place of the frame, and behind `!!` what is not one."""
    found = []
    for change in FixedCapture(_records(transcript), ruleset).changes:
        found += [line.decode() for line in change.lines]
        found += [f"!! {change.log.decode()}"] if change.log else []
    return found


def _check(records: Iterable[Record]) -> list[Finding]:
    judge = checker(CATALOGUE[code] for code in RULES)
    found = [finding for record in records for finding in judge.feed(record)]
    found += judge.close()
    assert judge.crashes == []
    return found


def _update(update: str) -> str:
    return f'{{"jsonrpc": "2.0", "method": "session/update", "params": {update}}}'


CHUNK = _update(
    '{"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk",'
    ' "content": {"type": "text", "text": "Hi"}}}'
)


@pytest.mark.parametrize(
    ("sent", "made"),
    [
        pytest.param(
            '{"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "text": "Hi"}}',
            '{"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk",'
            ' "content": {"type": "text", "text": "Hi"}}}',
            id="flattened, and then without a type",
        ),
        pytest.param(
            '{"session_id": "s", "type": "agentMessageChunk", "content": "Hi"}',
            '{"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk",'
            ' "content": {"type": "text", "text": "Hi"}}}',
            id="everything at once",
        ),
        pytest.param(
            '{"sessionId": "s", "update": {"sessionUpdate": "tool_call", "tool_call_id": "c",'
            ' "title": "T", "content": {"type": "text", "text": "Hi"}}}',
            '{"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "c",'
            ' "title": "T", "content": [{"type": "content", "content":'
            ' {"type": "text", "text": "Hi"}}]}}',
            id="the output of a tool call",
        ),
        pytest.param(
            '{"sessionId":"s","update":{"type":"plan","entries":[ ],"_meta":{"n":1.50}}}',
            '{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[ ],"_meta":{"n":1.50}}}',
            id="all other bytes stay",
        ),
    ],
)
def test_an_update_is_repaired(sent: str, made: str) -> None:
    assert _fixed(f"{OPENING}<- {_update(sent)}") == [_update(made) + "\n"]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ('{"optionId": "yes"}', '{"outcome": "selected", "optionId": "yes"}'),
        (
            '{"outcome": "selected", "optionId": "yes"}',
            '{"outcome": "selected", "optionId": "yes"}',
        ),
        ('{"outcome": "cancelled"}', '{"outcome": "cancelled"}'),
        ('{"outcome": "yes"}', '{"outcome": "selected", "optionId": "yes"}'),
        ('{"outcome": {"outcome": "allow_once"}}', '{"outcome": "selected", "optionId": "yes"}'),
        (
            '{"outcome": {"outcome": "selected", "option_id": "no"}}',
            '{"outcome": "selected", "optionId": "no"}',
        ),
    ],
)
def test_a_permission_response_gets_its_shape(answer: str, outcome: str) -> None:
    envelope = '{{"jsonrpc": "2.0", "id": 0, "result": {}}}'
    sent = OPENING + ASKED + "-> " + envelope.format(answer)
    assert _fixed(sent) == [envelope.format(f'{{"outcome": {outcome}}}') + "\n"]


@pytest.mark.parametrize(
    "line",
    [
        '-> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": "approved"}}',
        '-> {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "allow_always"}}}',
        '<- {"jsonrpc": "2.0", "id": 2, "result": null}',
        "<- "
        + _update(
            '{"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content":'
            ' [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}'
        ),
        "<- " + _update('{"sessionId": "s", "update": {"content": {"type": "text", "text": "a"}}}'),
        '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "upda',
    ],
)
def test_what_can_be_meant_in_two_ways_passes_as_it_is(line: str) -> None:
    assert _fixed(OPENING + ASKED + line) == []


@pytest.mark.parametrize(
    ("lines", "made"),
    [
        (
            ["<- {", '<-   "jsonrpc": "2.0",', '<-   "method": "_x"', "<- }"],
            ['{"jsonrpc": "2.0","method": "_x"}\n'],
        ),
        (
            ["<- {", '<- "jsonrpc": "2.0", "method": "_x", "params": {"a": "b', '<-  c"}}'],
            ['{"jsonrpc": "2.0", "method": "_x", "params": {"a": "b\\n c"}}\n'],
        ),
        (["<- {", "<-   level: 1", "<- }", f"<- {CHUNK}"], ["!! {\n", "!!   level: 1\n", "!! }\n"]),
        (["<- {", '<-   "jsonrpc": x', f"<- {CHUNK}"], []),
        ([f"<- log {CHUNK}"], [CHUNK + "\n", "!! log\n"]),
        ([f"<- {CHUNK} rest"], [CHUNK + "\n", "!! rest\n"]),
        ([f"<- {CHUNK}{CHUNK} {CHUNK}"], [CHUNK + "\n"] * 3),
        ([rf"<~ \xef\xbb\xbf{CHUNK}\r\n"], [CHUNK + "\n"]),
        (["<- banner", "<- ", "<- "], ["!! banner\n", "!! \n", "!! \n"]),
        ([r"<~ Content-Length: 20\r\n", r"<~ \r\n"], []),
    ],
)
def test_lines_are_repaired(lines: list[str], made: list[str]) -> None:
    assert _fixed("\n".join([OPENING, *lines])) == made


def test_later_frames_are_judged_by_the_repaired_conversation() -> None:
    answered = '<- {"id": "2", "result": {"stopReason": "end_turn"}}\n== 0'
    fixed = FixedCapture(_records(OPENING + answered))
    assert [change.codes for change in fixed.changes] == [("RPC001", "RPC005")]
    assert "RPC006" not in {found.code for found in _check(fixed.records())}


def test_an_envelope_is_repaired_beside_its_content() -> None:
    flat = CHUNK.replace('"update": {', "").replace("}}}}", "}}}")
    sent = flat.replace('"jsonrpc": "2.0", ', "")
    fixed = FixedCapture(_records(f"{OPENING}<- {sent}"))
    assert [(each.lines, each.codes) for each in fixed.changes] == [
        ((f"{CHUNK}\n".encode(),), ("RPC001", "SCH002"))
    ]


def test_only_the_repairs_of_the_selected_rules_are_made() -> None:
    sent = f"{OPENING}<- banner\n<- {CHUNK.replace('sessionUpdate', 'type')}"
    ruleset = Ruleset((CATALOGUE["FRM004"],))
    assert _fixed(sent, ruleset) == ["!! banner\n"]


def test_a_message_inside_a_wrapper_is_repaired() -> None:
    def wrapped(key: str) -> str:
        update = CHUNK.replace("sessionUpdate", key).replace('"jsonrpc": "2.0", ', "")
        return f'{{"jsonrpc": "2.0", "method": "proxy/successor", "params": {update}}}'

    assert _fixed(f"-> {wrapped('type')}") == [wrapped("sessionUpdate") + "\n"]


def test_the_capture_has_what_was_sent_and_each_repair_with_its_code() -> None:
    pipeline = Pipeline([FixStage(Peer.CLIENT), FixStage(Peer.AGENT)], log=(logged := []).append)
    for frame in parse(
        f"{OPENING}<- banner\n<- {{\n<- {CHUNK[1:].replace('sessionUpdate', 'type')}"
    ):
        assert isinstance(frame, Frame)
        pipeline.take(frame)
    records, lines = pipeline.collect()
    assert [(each.seq, each.action, each.by) for each in records if isinstance(each, Delivery)] == [
        (6, "dropped", "fix FRM004"),
        (7, "held", "fix"),
        (7, "dropped", "fix FRM007"),
        (8, "replaced", "fix FRM007, SCH001"),
    ]
    assert logged == [b"banner\n"]
    assert lines[5:] == [(Peer.CLIENT, CHUNK.encode() + b"\n")]
    arrived = [each.raw for each in delivered(records) if isinstance(each, Frame)]
    assert arrived == [raw for _, raw in lines]


def test_a_script_that_changes_a_repaired_message_does_not_hide_the_repair(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "def notification(event):\n    event.replace(event.raw.replace(b'Hi', b'Ho'))\n"
    )
    pipeline = Pipeline([ScriptStage(str(tmp_path / "a.py")), FixStage(Peer.AGENT)])
    sent = CHUNK.replace("sessionUpdate", "type").encode()
    pipeline.take(Frame(1, 0.0, Peer.AGENT, sent + b"\n"))
    (made,) = [each for each in pipeline.collect()[0] if isinstance(each, Delivery)]
    assert made.by == "fix SCH001, script a.py"
    assert made.raw is not None
    assert b'"sessionUpdate"' in made.raw
    assert not is_reworded(made)


def test_lines_that_are_held_go_on_as_they_are_at_the_end() -> None:
    pipeline = Pipeline([FixStage(Peer.AGENT)])
    pipeline.take(Frame(1, 0.0, Peer.AGENT, b'{"jsonrpc": "2.0",\n'))
    assert pipeline.is_holding(Peer.CLIENT)
    assert pipeline.collect()[1] == []
    pipeline.end()
    assert pipeline.collect()[1] == [(Peer.CLIENT, b'{"jsonrpc": "2.0",\n')]


def test_a_line_that_came_twice_is_held_twice() -> None:
    """As by a fault that is nearer to the agent: both have the number of the frame."""
    pipeline = Pipeline([FixStage(Peer.AGENT)])
    line, chunk = b'"jsonrpc": "2.0",\n', f"{CHUNK}\n".encode()
    sent = [b"{\n", line, line, chunk]
    for seq, raw in zip((1, 2, 2, 3), sent, strict=True):
        pipeline.take(Frame(seq, 0.0, Peer.AGENT, raw))
    assert not pipeline.is_holding(Peer.CLIENT)
    assert pipeline.collect()[1] == [(Peer.CLIENT, raw) for raw in sent]


def test_a_line_that_came_twice_and_was_cut_once_holds_up_nothing() -> None:
    """As by two faults: the first is held, and the second is a message with its number."""
    pipeline = Pipeline([FixStage(Peer.AGENT)])
    cut, twice, after = f"{CHUNK[:40]}\n", f"{CHUNK}{CHUNK}\n", f"{CHUNK}\n"
    for seq, raw in ((1, cut), (1, twice), (2, after)):
        pipeline.take(Frame(seq, 0.0, Peer.AGENT, raw.encode()))
    assert not pipeline.is_holding(Peer.CLIENT)
    sent = [raw.decode() for _, raw in pipeline.collect()[1]]
    assert sent == [cut, after, after, after]


def test_after_a_bug_in_its_task_lines_are_held_and_go_on_again() -> None:
    stage, tasks = FixStage(Peer.AGENT), []
    pipeline = Pipeline([stage])
    pipeline.begin(tasks.append, trio.sleep)
    for seq in (1, 2):
        pipeline.take(Frame(seq, 0.0, Peer.AGENT, b'{"jsonrpc": "2.0",\n'))
        assert len(tasks) == seq  # one that lets it go on
        stage.let_go()
        assert not pipeline.is_holding(Peer.CLIENT)
    assert pipeline.collect()[1] == [(Peer.CLIENT, b'{"jsonrpc": "2.0",\n')] * 2


def test_each_peer_s_repairs_are_next_to_it() -> None:
    assert [type(stage) for stage in make_stages({"fix": "yes"})] == [FixStage, FixStage]
    assert make_stages({}) == []


# ----------------------------------------------------------------------- what is so for all repairs


def _hold(records: list[Record]) -> FixedCapture:
    """Check what must be so for any conversation."""
    reported = {finding.code for finding in _check(records)}
    fixed = FixedCapture(records)
    made = list(fixed.records())
    # Nothing is changed but where a rule that has a fix has found something, or a repair has.
    if "DIA001" not in reported:  # it stands for all that the dialect explains
        assert {change.codes[0] for change in fixed.changes} <= reported
    if not fixed.changes:
        assert made[1:] == records[1:]
    # None of what can be repaired is left.
    assert FixedCapture(made).changes == []
    left = {finding.code for finding in _check(made)}
    assert not {code for code in left & FIXES.keys() if FIXES[code].always}
    return fixed


@pytest.mark.parametrize("code", FIXES)
def test_the_example_of_its_rule_is_repaired(code: str) -> None:
    fixed = _hold(_records(CATALOGUE[code].bad))
    assert {each for change in fixed.changes for each in change.codes} == {code}
    assert code not in {finding.code for finding in _check(fixed.records())}


@pytest.mark.parametrize(
    "family",
    ["FRM", "RPC", "SCH", *(pytest.param(name, marks=pytest.mark.long) for name in ("LIF", "CAP"))],
)
def test_the_examples_of_all_rules(family: str) -> None:
    for rule in CATALOGUE.values():
        if rule.family == family and rule.dialect == "auto":
            for example in (rule.bad, rule.good):
                _hold(_records(example))


@pytest.mark.parametrize(
    "path",
    [*recordings(), *FIXTURES.glob("dialect-*.jsonl"), FIXTURES / "odd-bytes.jsonl"],
    ids=lambda path: path.stem,
)
def test_recorded_conversations(path: Path) -> None:
    records = [each for each in records_of(load(path)) if not isinstance(each, Delivery)]
    fixed = _hold(records)
    if path.parent != FIXTURES:
        assert fixed.changes == []


@pytest.mark.parametrize(
    "operator",
    [
        pytest.param(one, id=one.what)
        for number, one in enumerate(OPERATORS)
        if one.dialect == "auto" and one.family not in ("LIF", "CAP", "DIA") and number % 12 == 0
    ],
)
@pytest.mark.long
def test_single_mistakes(operator) -> None:
    for talk in mutations.talks():
        if talk.name.startswith("version-") and operator.applies_to(talk):
            for edit in [*operator.edits(talk)][:2]:
                records = [each for each in talk.apply(edit) if not isinstance(each, Header)]
                fixed = _hold([Header(), *records])
                assert not (operator.is_legal and fixed.changes)


def test_what_is_moved_to_stderr_is_a_record_of_stderr() -> None:
    fixed = FixedCapture(_records("<- banner\n-> noise\n-> {}"))
    assert [each for each in fixed.records() if isinstance(each, Stderr)] == [
        Stderr(0.001, b"banner\n")
    ]


def test_a_message_with_countless_mistakes_passes_as_it_is() -> None:
    options = ", ".join(['{"option_id": "a", "name": "A", "kind": "allow_once"}'] * 1001)
    asked = ASKED.replace('"options": [', f'"options": [{options}, ')
    assert _fixed(OPENING + asked) == []


def test_many_mistakes_in_a_large_message_are_repaired_in_one_pass() -> None:
    """One pass for each would take minutes."""
    block = '{"type": "content", "content": "N"}'
    update = (
        '<- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": '
        '{"sessionUpdate": "tool_call", "toolCallId": "c", "title": "x", "content": [%s], '
        '"rawInput": {"list": [%s]}}}}\n'
    )
    talk = OPENING + update % (", ".join([block] * 900), "{}, " * 100_000 + "{}")
    with limit(LONGEST):
        (change,) = FixedCapture(parse(talk)).changes
    assert change.lines[0].count(b'"content": {"type": "text", "text": "N"}') == 900


def test_beginnings_without_an_end_are_noise() -> None:
    beginnings = '{"id":' * 20_000
    assert _fixed(f"{OPENING}<- {beginnings}\n<- {CHUNK}") == [f"!! {beginnings}\n"]
