"""Terminals, files, options, elicitations and extensions."""

import json

import pytest
from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.check import check
from acp_spy.lint.rules.lifecycle import _opening

RULES = rules_with("LIF1")


def findings(*lines, start=_opening.TERMINAL):
    return check(parse("\n".join([start, *lines])), RULES)


def told(*lines, start=_opening.TERMINAL):
    return [finding.code for finding in findings(*lines, start=start)]


def line(arrow, **message):
    return f"{arrow} " + json.dumps({"jsonrpc": "2.0", **message})


def ask(number, method, **params):
    params = {"sessionId": "s1", "terminalId": "term_1", **params}
    return line("<-", id=number, method=method, params=params)


def answer(number, **result):
    return line("->", id=number, result=result)


RELEASE = ask(9, "terminal/release"), answer(9)
END = line("<-", id=2, result={"stopReason": "end_turn"})
EXIT = "-> EOF", "== 0"


def test_a_turn_that_was_open_at_the_end_had_no_time_to_release():
    assert told(*EXIT) == []
    assert told(END, *EXIT) == ["LIF121"]


def test_a_terminal_that_a_cut_off_capture_leaves_is_a_note():
    (finding,) = findings(END)
    assert (finding.code, finding.severity.value, finding.blame.value) == (
        "LIF121",
        "note",
        "agent",
    )


def test_a_release_that_the_client_refused_is_a_release():
    error = line("->", id=9, error={"code": -32603, "message": "no"})
    assert told(RELEASE[0], error, END, *EXIT) == []


def test_a_question_on_its_way_when_the_terminal_is_released_is_fine():
    wait = ask(5, "terminal/wait_for_exit")
    assert told(wait, *RELEASE, answer(5, exitCode=0), END, *EXIT) == []


def test_a_second_release_is_found_once():
    assert told(*RELEASE, *RELEASE, *RELEASE, END, *EXIT) == ["LIF122"]


def test_an_id_that_the_client_uses_again_is_a_new_terminal():
    create = ask(6, "terminal/create", command="ls"), answer(6, terminalId="term_1")
    output = ask(7, "terminal/output"), answer(7, output="", truncated=False)
    assert told(*RELEASE, *create, *output, *RELEASE, END, *EXIT) == []


def test_output_that_was_asked_for_before_the_end_may_know_nothing_of_it():
    output, wait = ask(5, "terminal/output"), ask(6, "terminal/wait_for_exit")
    late = answer(5, output="", truncated=False)
    assert told(output, wait, answer(6, exitCode=0), late, *RELEASE, END, *EXIT) == []
    assert told(wait, answer(6, exitCode=0), output, late, *RELEASE, END) == ["LIF127"]


def test_the_limit_counts_bytes():
    output = ask(5, "terminal/output")
    fits = answer(5, output="é" * 8, truncated=True)
    too_long = answer(5, output="é" * 8 + "!", truncated=True)
    assert told(output, fits, *RELEASE, END) == []
    assert told(output, too_long, *RELEASE, END) == ["LIF125"]


def test_output_that_is_whole_may_begin_with_any_character():
    output = ask(5, "terminal/output"), answer(5, output="\ufffd", truncated=False)
    assert told(*output, *RELEASE, END) == []


@pytest.mark.parametrize(
    ("content", "codes"), [("a\nb", []), ("a\nb\n", []), ("a\nb\nc", ["LIF109"])]
)
def test_a_last_line_counts_with_or_without_its_end(content, codes):
    read = ask(5, "fs/read_text_file", path="/a", limit=2), answer(5, content=content)
    assert told(*read, *RELEASE, END) == codes


CHANGED = line(
    "<-",
    method="session/update",
    params={
        "sessionId": "s1",
        "update": {
            "sessionUpdate": "config_option_update",
            "configOptions": [
                {"id": "effort", "name": "Effort", "type": "select", "currentValue": "low"},
                {"id": "web", "name": "Web", "type": "boolean", "currentValue": False},
            ],
        },
    },
)


def set_option(name, value, **more):
    params = {"sessionId": "s1", "configId": name, "value": value, **more}
    return line("->", id=8, method="session/set_config_option", params=params)


def test_a_client_may_not_have_seen_the_newest_options():
    start = _opening.OPTIONS
    assert told(CHANGED, set_option("model", "large"), start=start) == []
    assert told(CHANGED, "@ 1", set_option("model", "large"), start=start) == ["LIF134"]


@pytest.mark.parametrize(
    ("request_line", "codes"),
    [
        (set_option("web", True, type="boolean"), []),
        (set_option("web", True), ["LIF134"]),
        (set_option("web", "true"), ["LIF134"]),
        (set_option("model", True, type="boolean"), ["LIF134"]),
        (set_option("model", ["large"]), []),
    ],
)
def test_a_boolean_is_set_as_a_boolean(request_line, codes):
    assert told(request_line, start=_opening.OPTIONS) == codes


def test_an_answer_without_options_does_not_make_the_next_call_wrong():
    lines = set_option("model", "large"), line("<-", id=8, result={}), set_option("model", "small")
    assert told(*lines, start=_opening.OPTIONS) == []


def test_an_option_that_depends_on_another_may_vanish():
    rest = [
        {"id": "mode", "type": "select", "currentValue": "ask"},
        {"id": "model", "type": "select", "currentValue": "large"},
    ]
    lines = set_option("model", "large"), line("<-", id=8, result={"configOptions": rest})
    assert told(*lines, start=_opening.OPTIONS) == []
    lines = set_option("model", "large"), line("<-", id=8, result={"configOptions": rest[1:]})
    assert told(*lines, start=_opening.OPTIONS) == ["LIF133"]


@pytest.mark.parametrize("text", ["/home/dev/x is broken", "/", "// a comment", "please /plam"])
def test_a_text_that_only_looks_like_a_command_is_passed_over(text):
    commands = {
        "sessionUpdate": "available_commands_update",
        "availableCommands": [{"name": "plan"}],
    }
    lines = (
        line("<-", method="session/update", params={"sessionId": "s1", "update": commands}),
        line(
            "->",
            id=2,
            method="session/prompt",
            params={"sessionId": "s1", "prompt": [{"type": "text", "text": text}]},
        ),
    )
    assert told(*lines, start=_opening.SESSION) == []


def elicit(properties, **more):
    schema = {"type": "object", "properties": properties, **more}
    params = {"mode": "form", "message": "?", "requestedSchema": schema}
    return ask(0, "elicitation/create", **params)


@pytest.mark.parametrize(
    ("field", "value", "is_fine"),
    [
        ({"type": "integer"}, 1, True),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, True, False),
        ({"type": "number", "maximum": 2}, 2.5, False),
        ({"type": "string", "enum": ["a"]}, "b", False),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "a", True),
        ({"type": "string", "minLength": 2}, "a", False),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, ["a"], True),
        ({"type": "array", "items": {"anyOf": [{"const": "a"}]}, "minItems": 1}, ["b"], False),
        ({"type": "_own"}, {"x": 1}, True),
        ({"type": ["string"]}, 1, True),
    ],
)
def test_the_answer_to_a_form_is_checked_field_by_field(field, value, is_fine):
    lines = elicit({"x": field}), answer(0, action="accept", content={"x": value})
    assert told(*lines, start=_opening.PROMPT) == ([] if is_fine else ["LIF142"])


def test_a_form_that_was_declined_is_not_checked():
    lines = elicit({"x": {"type": "string"}}, required=["x"]), answer(0, action="decline")
    assert told(*lines, start=_opening.PROMPT) == []


@pytest.mark.parametrize("name", ["max_tokens", "tokenLimit", "keyword", "monkey", "author"])
def test_harmless_fields_are_no_secrets(name):
    assert told(elicit({name: {"type": "string"}}), start=_opening.PROMPT) == []


@pytest.mark.parametrize(
    ("url", "severity"),
    [
        ("https://example.com/?code=1&state=2&client_id=3", None),
        ("http://localhost:8080/callback", None),
        ("http://127.0.0.1/x", None),
        ("http://example.com/", "warning"),
        ("https://user:pw@example.com/", "error"),
        ("https://example.com/?id_token=x", "error"),
        ("https://[broken", None),
    ],
)
def test_links_are_looked_at_for_credentials(url, severity):
    params = {"mode": "url", "message": "?", "elicitationId": "e1", "url": url}
    found = findings(ask(0, "elicitation/create", **params), start=_opening.PROMPT)
    assert [finding.severity.value for finding in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("meta", "is_fine"),
    [
        ({"tracestate": "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"}, True),
        ({"baggage": "userId=alice,isProduction=false;meta=1"}, True),
        ({"traceparent": "00-00000000000000000000000000000000-7a085853722dc6d2-01"}, False),
        ({"traceparent": None}, False),
        ({"baggage": {"userId": "alice"}}, False),
        ({"tracestate": "no pair"}, False),
        ({"trace": 1}, True),
    ],
)
def test_trace_context_has_its_form(meta, is_fine):
    cancel = line("->", method="session/cancel", params={"sessionId": "s1", "_meta": meta})
    assert told(cancel, cancel, start=_opening.SESSION) == ([] if is_fine else ["LIF150"])
