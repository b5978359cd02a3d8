import pytest
from support.rules import a_rule, checker

from acp_spy.capture.records import Closed, Exit, Header, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.conversation import tracker
from acp_spy.conversation.state import Ending, Step
from acp_spy.conversation.tracker import Tracker
from acp_spy.lint import mismatches
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.facts import Facts
from acp_spy.lint.linter import _MOST_KINDS, Crash, topics
from acp_spy.lint.rule import Finding, Remark, Severity
from acp_spy.lint.ruleset import check
from acp_spy.wire.frame import Frame, Peer

TALK = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    -> {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
"""


def say(moment):
    """Explain."""
    yield Remark("seen")


def judged(transcript, *rules):
    """Return what is found, and the linter."""
    linter = checker(rules)
    found = [finding for record in parse(transcript) for finding in linter.feed(record)]
    return found + linter.close(), linter


def topics_of(transcript):
    tracker, facts = Tracker(), Facts()
    found = []
    for record in parse(transcript):
        step = tracker.look_closely(record)
        facts.look_at(step)
        found.append(topics(facts))
        tracker.advance(step)
    return found


@pytest.mark.parametrize(
    ("transcript", "expected"),
    [
        ('-> {"id": 1, "method": "x/y"}', {"frame", "request", "request:x/y"}),
        ('-> {"method": "x/y"}', {"frame", "notification", "notification:x/y"}),
        ('<- {"id": 1, "result": {}}', {"frame", "response", "unmatched"}),
        (
            '-> {"id": 1, "method": "x"}\n<- {"id": 1, "result": 0}',
            {"frame", "response", "result:x"},
        ),
        (
            '-> {"id": 1, "method": "x"}\n<- {"id": 1, "error": 0}',
            {"frame", "response", "error", "error:x"},
        ),
        ('-> {"method": "_x"}', {"frame", "notification", "notification:_x", "custom"}),
        (
            '-> {"method": "x", "params": {"_meta": {}}}',
            {"frame", "notification", "notification:x", "meta"},
        ),
        (
            '-> {"id": 1, "method": "session/prompt", "params": {"prompt": [{"type": "image"}]}}',
            {"frame", "request", "request:session/prompt", "TurnStarted", "media"},
        ),
        ("<- noise", {"frame", "unreadable", "line:noise"}),
        ('<- {"cut', {"frame", "unreadable", "lost"}),
        (
            '<~ \\x1b[0m{"jsonrpc": "2.0", "method": "x"}\\n',
            {"frame", "notification", "notification:x", "glued", "line:glued"},
        ),
        (
            '<- {"method": "session/update", "params": {"update": {"sessionUpdate": "tool_call"}}}',
            {
                "frame",
                "notification",
                "notification:session/update",
                "update:tool_call",
                "unopened",
                "ToolCallChanged",
            },
        ),
        (
            '<- {"method": "session/update", "params": {"update": {"sessionUpdate": 1}}}',
            {"frame", "notification", "notification:session/update"},
        ),
    ],
)
def test_a_step_has_these_topics(transcript, expected):
    *_, last = topics_of(transcript)
    assert expected <= set(last)
    # All messages here are unusual: none has `jsonrpc` in front. The shapes of some are wrong, too.
    often = {"mismatch"} | ({"unusual"} if "unreadable" not in expected else set())
    assert {topic for topic in last if topic[0].islower()} - often == {
        topic for topic in expected if topic[0].islower()
    }


IN_A_TURN = """
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
    <- UPDATE{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}}}
    <- UPDATE{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"STATUS"}}}
    <- UPDATE{"sessionUpdate":"tool_call_update",CHANGE}}}
"""
UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'


@pytest.mark.parametrize(
    ("status", "change", "expected"),
    [
        ("in_progress", '"toolCallId":"t","status":"completed"', set()),
        ("in_progress", '"toolCallId":"t","status":"pending"', {"changed:pending"}),
        ("in_progress", '"toolCallId":"x","status":"completed"', {"changed:unknown"}),
        ("failed", '"toolCallId":"t","name":"n"', {"changed:ended", "changed:name"}),
        (
            "in_progress",
            '"toolCallId":"t","locations":[{"path":"/a"},{"path":"a","line":0},{"path":"b"}]',
            {"locations", "locations:relative", "locations:0"},
        ),
        ("in_progress", '"toolCallId":"t","locations":[{"path":"/a","line":1}]', {"locations"}),
    ],
)
def test_a_change_of_a_tool_call_has_topics_only_where_it_is_unusual(status, change, expected):
    lines = IN_A_TURN.replace("UPDATE", UPDATE).replace("STATUS", status).replace("CHANGE", change)
    *_, last = topics_of(lines)
    assert {topic for topic in last if topic.startswith(("changed", "locations"))} == expected


def test_the_state_of_a_line_is_a_topic_where_it_is_unusual():
    opening = '-> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'
    line = '{"jsonrpc":"2.0","method":"_x","params":{"x":"y"}}'
    states = {"long", "silence", "unterminated"}
    assert not states & set(topics_of(f"{opening}<- {line}")[-1])
    assert "long" in topics_of(opening + "<- " + line.replace("y", "y" * 70_000))[-1]
    assert "unterminated" in topics_of(f"{opening}<~ {line}")[-1]
    assert "silence" in topics_of(f"{opening}@ 60\n<- {line}")[-1]


def test_a_frame_that_is_spelled_as_nearly_all_are_is_not_odd():
    line = '-> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}'
    assert "unusual" not in topics_of(line)[0]


def test_a_rule_is_shown_only_what_it_asked_for():
    shown = []

    def listen(moment):
        """Explain."""
        shown.append(moment)
        return iter(())

    judged(TALK, a_rule(listen, "request:initialize", "notification:session/cancel"))
    assert [step.frame.seq for step in shown] == [1, 3]


def test_a_rule_that_asked_twice_is_shown_it_once():
    found, _ = judged(TALK, a_rule(say, "frame", "request", "request:initialize"))
    assert [finding.seq for finding in found] == [1, 2, 3]


def test_every_kind_of_moment_can_be_asked_for():
    shown = []

    def listen(moment):
        """Explain."""
        shown.append(moment)
        return iter(())

    rule = a_rule(listen, "frame", "stderr", "closed", "end")
    linter = checker([rule])
    linter.feed(Header())
    for record in parse("-> {}\n!! log\n<- EOF\n== 3"):
        linter.feed(record)
    linter.close()
    assert [type(moment) for moment in shown] == [Step, Stderr, Closed, Ending]
    assert (shown[-1].status, shown[-1].cut_off) == (3, False)


def test_a_capture_without_its_end_is_cut_off():
    shown = []

    def listen(moment):
        """Explain."""
        shown.append(moment)
        return iter(())

    judged("-> {}", a_rule(listen, "end"))
    assert (shown[0].status, shown[0].cut_off) == (None, True)


def test_a_frame_is_judged_by_the_state_that_it_meets():
    def phase(step):
        """Explain."""
        yield Remark(step.state.phase.value)

    found, _ = judged(TALK, a_rule(phase))
    assert [finding.text for finding in found] == [
        "before initialize",
        "initialize asked",
        "initialize answered",
    ]


def test_a_remark_is_signed_with_the_frame_and_its_sender():
    found, _ = judged(TALK, a_rule(say, "response"))
    assert found == [Finding(2, "TST001", "test-rule", Severity.ERROR, Peer.AGENT, "seen", t=0.002)]


def test_a_remark_may_say_otherwise():
    def say_all(moment):
        """Explain."""
        yield Remark(
            "seen",
            at="/id",
            hint="do",
            on=1,
            see=2,
            blame=Peer.CLIENT,
            severity=Severity.NOTE,
        )

    found, _ = judged(TALK, a_rule(say_all, "response"))
    assert found == [
        Finding(
            1,
            "TST001",
            "test-rule",
            Severity.NOTE,
            Peer.CLIENT,
            "seen",
            path="/id",
            see=2,
            hint="do",
            t=0.002,
        )
    ]


def test_what_is_found_at_the_end_is_signed_with_the_last_frame_and_time():
    found, _ = judged(TALK + "\n@ 9.5\n-> EOF\n@ 10\n== 0", a_rule(say, "closed", "end"))
    assert [(finding.seq, finding.t) for finding in found] == [(3, 9.501), (3, 10.001)]
    assert found[0].blame is Peer.CLIENT


def test_a_rule_has_a_memory_of_its_own_for_each_conversation():
    def count(_moment, memory):
        """Explain."""
        memory["seen"] = memory.get("seen", 0) + 1
        yield Remark(str(memory["seen"]))

    rules = [a_rule(count, code="TST001"), a_rule(count, "response", code="TST002")]
    for _ in range(2):
        found, _ = judged(TALK, *rules)
        assert [(finding.code, finding.text) for finding in found] == [
            ("TST001", "1"),
            ("TST001", "2"),
            ("TST002", "1"),
            ("TST001", "3"),
        ]


def crash(moment):
    """Explain."""
    if moment.frame.seq == 2:
        yield Remark("before the crash")
        raise KeyError("oops")
    yield Remark("seen")


def test_a_rule_that_raises_is_reported_and_stops_nothing():
    bad, good = a_rule(crash, code="TST001"), a_rule(say, code="TST002")
    found, linter = judged(TALK, bad, good)
    assert [(finding.seq, finding.code, finding.text) for finding in found] == [
        (1, "TST001", "seen"),
        (1, "TST002", "seen"),
        (2, "TST001", "before the crash"),
        (2, "TST002", "seen"),
        (3, "TST001", "seen"),
        (3, "TST002", "seen"),
    ]
    assert linter.crashes == [Crash("TST001", 2, "KeyError('oops')")]


def test_rules_report_in_their_order_whatever_they_are_given():
    def with_facts(_moment, facts):
        """Explain."""
        yield Remark("facts")

    def with_both(_moment, facts, memory):
        """Explain."""
        yield Remark("both")

    rules = [
        a_rule(with_both, code="TST001"),
        a_rule(crash, code="TST002"),
        a_rule(with_facts, code="TST003"),
        a_rule(crash, code="TST004"),
        a_rule(say, code="TST005"),
    ]
    found, linter = judged(TALK, *rules)
    assert [finding.text for finding in found if finding.seq == 2] == [
        "both",
        "before the crash",
        "facts",
        "before the crash",
        "seen",
    ]
    assert [crash.code for crash in linter.crashes] == ["TST002", "TST004"]


def test_a_rule_that_raises_is_no_clean_bill_for_those_who_ask_for_findings():
    with pytest.raises(RuntimeError, match="rule TST001 raised at frame 2"):
        check(parse(TALK), [a_rule(crash)])


def test_names_from_the_wire_do_not_fill_the_linter():
    linter = checker([a_rule(say, "request:initialize")])
    for seq in range(_MOST_KINDS + 100):
        raw = b'{"jsonrpc":"2.0","method":"_m/%d"}\n' % seq
        linter.feed(Frame(seq, 0.0, Peer.AGENT, raw))
    assert len(linter.linter._by_kind) <= _MOST_KINDS + 1


def test_a_rule_that_raises_at_every_frame_does_not_fill_the_linter():
    linter = checker([a_rule(crash)])
    for seq in range(2000):
        linter.feed(Frame(seq, 0.0, Peer.AGENT, b"noise\n"))
    assert [crash.code for crash in linter.crashes] == ["TST001"]


def test_a_rule_that_raises_late_is_told_beside_one_that_raised_often():
    def raise_from(first):
        def raises(moment):
            """Explain."""
            if moment.frame.seq >= first:
                raise KeyError("oops")
            return iter(())

        return raises

    often, late = a_rule(raise_from(1), code="TST001"), a_rule(raise_from(1500), code="TST002")
    _, linter = judged("<- noise\n" * 1500, often, late)
    assert [(crash.code, crash.count) for crash in linter.crashes] == [
        ("TST001", 1500),
        ("TST002", 1),
    ]


def test_check_asks_the_whole_catalogue_by_default():
    assert check([Exit(0.0, 0)]) == []


def test_a_lack_of_memory_is_no_bug_of_a_rule():
    def greedy(moment):
        """Explain."""
        raise MemoryError
        yield

    with pytest.raises(MemoryError):
        judged(TALK, a_rule(greedy))


def test_a_huge_message_is_judged_as_any_other(monkeypatch):
    """It is read without copies; here, every message is."""
    records = [[*parse(rule.bad)] for rule in CATALOGUE.values()]
    usual = [[*check(each)] for each in records]
    monkeypatch.setattr(tracker, "BEYOND", slice(0, 1))
    monkeypatch.setattr(mismatches, "HUGE", 0)
    assert [[*check(each)] for each in records] == usual
