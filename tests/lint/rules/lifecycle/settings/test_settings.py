"""Options, modes and commands: offered, set, and told."""

import json

import pytest
from support.lifecycle import codes, line, update, work

from acp_spy.lint.rules.lifecycle import _opening


def option(name, *values, **more):
    offered = [{"value": value, "name": value.title()} for value in values]
    fields = {"id": name, "name": name.title(), "type": "select", "currentValue": values[0]}
    return {**fields, "options": offered, **more}


CHANGED = update(
    sessionUpdate="config_option_update",
    configOptions=[
        option("mode", "ask", "code", category="mode"),
        option("model", "small", category="model"),
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


@pytest.mark.parametrize(
    ("left", "wanted"),
    [
        (["mode", "model", "effort", "web"], []),
        (["mode", "model", "web"], []),  # the effort depends on the model
        (["mode", "model"], []),
        (["model"], ["LIF133"]),
        (["effort", "web"], ["LIF133"]),
        ([], ["LIF133"]),
    ],
)
def test_the_mode_and_the_model_do_not_vanish(left, wanted):
    offered = {
        "mode": option("mode", "ask", "code", category="mode"),
        "model": option("model", "small", "large", category="model"),
        "effort": option("effort", "low", category="thought_level"),
        "web": {"id": "web", "name": "Web", "type": "boolean", "currentValue": False},
    }
    first = update(sessionUpdate="config_option_update", configOptions=list(offered.values()))
    then = [offered[name] for name in left]
    second = update(sessionUpdate="config_option_update", configOptions=then)
    assert codes(first, second, start=_opening.OPTIONS) == wanted


def test_one_of_two_options_that_vanishes_was_forgotten_unless_it_depends_on_the_other():
    for category, wanted in (("thought_level", []), ("_other", ["LIF133"])):
        both = [option("model", "small", category="model"), option("x", "low", category=category)]
        start = _opening.SESSION.replace(
            '"sessionId": "s1"}', f'"sessionId": "s1", "configOptions": {json.dumps(both)}}}'
        )
        one = update(sessionUpdate="config_option_update", configOptions=both[:1])
        assert codes(one, start=start) == wanted
