"""Options, modes and commands: offered, set, and told."""

import pytest
from support.lifecycle import codes, line, update, work

from acp_spy.lint.rules.lifecycle import _opening

CHANGED = update(
    sessionUpdate="config_option_update",
    configOptions=[
        {"id": "effort", "name": "Effort", "type": "select", "currentValue": "low"},
        {"id": "web", "name": "Web", "type": "boolean", "currentValue": False},
    ],
)


def set_option(name, value, **more):
    params = {"sessionId": "s1", "configId": name, "value": value, **more}
    return line("->", id=8, method="session/set_config_option", params=params)


def test_a_client_may_not_have_seen_the_newest_options():
    start = _opening.OPTIONS
    assert codes(CHANGED, set_option("model", "large"), start=start) == []
    assert codes(CHANGED, "@ 1", set_option("model", "large"), start=start) == ["LIF134"]


@pytest.mark.parametrize(
    ("request_line", "wanted"),
    [
        (set_option("web", True, type="boolean"), []),
        (set_option("web", True), ["LIF134"]),
        (set_option("web", "true"), ["LIF134"]),
        (set_option("model", True, type="boolean"), ["LIF134"]),
        (set_option("model", ["large"]), []),
    ],
)
def test_a_boolean_is_set_as_a_boolean(request_line, wanted):
    assert codes(request_line, start=_opening.OPTIONS) == wanted


def test_a_wrong_value_is_shown_as_json():
    found = work(set_option("web", None), start=_opening.OPTIONS)
    assert [finding.text for finding in found] == [
        '`web` was set to `null`; expected `true` or `false`, with `"type": "boolean"`'
    ]


def test_an_answer_without_options_does_not_make_the_next_call_wrong():
    lines = set_option("model", "large"), line("<-", id=8, result={}), set_option("model", "small")
    assert codes(*lines, start=_opening.OPTIONS) == []


def test_an_option_that_depends_on_another_may_vanish():
    rest = [
        {"id": "mode", "type": "select", "currentValue": "ask"},
        {"id": "model", "type": "select", "currentValue": "large"},
    ]
    lines = set_option("model", "large"), line("<-", id=8, result={"configOptions": rest})
    assert codes(*lines, start=_opening.OPTIONS) == []
    lines = set_option("model", "large"), line("<-", id=8, result={"configOptions": rest[1:]})
    assert codes(*lines, start=_opening.OPTIONS) == ["LIF133"]


@pytest.mark.parametrize("text", ["/home/dev/x is broken", "/", "// a comment", "please /plam"])
def test_a_text_that_only_looks_like_a_command_is_passed_over(text):
    prompt = {"sessionId": "s1", "prompt": [{"type": "text", "text": text}]}
    lines = (
        update(sessionUpdate="available_commands_update", availableCommands=[{"name": "plan"}]),
        line("->", id=2, method="session/prompt", params=prompt),
    )
    assert codes(*lines, start=_opening.SESSION) == []
