from support.rules import a_rule

from acp_spy.lint.rule import Remark
from acp_spy.view.rule_example import FOLDED, bad_example, good_example, legend

INITIALIZE = """
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
"""
SESSION = (
    INITIALIZE
    + """
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/"}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
"""
)
PROMPT = '-> {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1"}}'
END = """
    <- {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk"}}}
    <- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}
    -> EOF
    == 0
"""


def finds(word, *on, **more):
    """Return a rule that finds `word` in a frame."""

    def check(step, memory: dict):
        """Explain."""
        memory[step.frame.sender] = step.frame.seq
        if word.encode() in step.frame.raw:
            yield Remark("found", see=more.get("see"), at=more.get("at", ""))

    return lambda bad, good: a_rule(check, *on, bad=bad, good=good)


def lines(example):
    return [f"{line.mark} {line.text}" for line in example]


def test_the_common_opening_and_the_usual_end_are_folded():
    rule = finds("mistake")(SESSION + PROMPT + "\n<- mistake" + END, SESSION + PROMPT + END)
    assert lines(bad_example(rule)) == [
        "... initialize and session/new (4 frames)",
        PROMPT,
        "<- mistake",
        "... the turn ends as usual (4 lines)",
    ]
    assert [line.matters for line in bad_example(rule)] == [False, False, True, False]
    assert [len(line.findings) for line in bad_example(rule)] == [0, 0, 1, 0]


def test_what_the_good_example_shares_is_folded_but_for_a_line():
    bad = SESSION + PROMPT + "\n<- mistake" + END
    left_out = finds("mistake")(bad, SESSION + PROMPT + END)
    assert lines(good_example(left_out)) == [
        "... as above (4 frames)",
        PROMPT,
        END.split("\n")[1].strip(),
        "... as above (3 lines)",
    ]
    replaced = finds("mistake")(bad, SESSION + PROMPT + "\n<- right" + END)
    assert lines(good_example(replaced)) == [
        "... as above (4 frames)",
        PROMPT,
        "<- right",
        "... as above (4 lines)",
    ]


def test_an_opening_that_a_finding_names_is_shown():
    about = finds("mistake", see=2)(INITIALIZE + "<- mistake", INITIALIZE)
    assert FOLDED not in [line.mark for line in bad_example(about)]
    itself = finds("initialize")(INITIALIZE + PROMPT, PROMPT)
    assert FOLDED not in [line.mark for line in bad_example(itself)]


def test_an_opening_that_is_not_in_the_good_example_is_shown():
    other = INITIALIZE.replace('"result": {', '"result": {"agentCapabilities": {}, ')
    rule = finds("mistake")(INITIALIZE + "<- mistake", other + "<- mistake")
    assert FOLDED not in [line.mark for line in bad_example(rule)]
    (changed,) = [line for line in good_example(rule) if line.place]
    assert changed.place == 'agentCapabilities": {}, "'


def test_the_place_of_a_finding_is_marked():
    rule = finds("mistake", at="/method")('-> {"id": 1, "method": "mistake"}', "-> {}")
    (line,) = bad_example(rule)
    assert (line.before, line.place, line.after) == ('{"id": 1, ', '"method": "mistake"', "}")


def test_a_finding_about_the_end_is_under_the_last_line():
    def check(moment):
        """Explain."""
        if hasattr(moment, "status"):
            yield Remark("crashed")

    rule = a_rule(check, "end", bad=PROMPT + "\n== 1", good=PROMPT + "\n== 0")
    assert [len(line.findings) for line in bad_example(rule)] == [0, 1]


def test_a_legend_has_the_marks_that_are_used():
    rule = finds("mistake")("-> mistake\n@ 2.0\n-> EOF", "-> {}")
    assert dict(legend(bad_example(rule))) == {
        "->": "client to agent",
        "<-": "agent to client",
        "EOF": "end of stream",
        "@": "time in seconds",
        ">>": "what the finding is about",
    }
