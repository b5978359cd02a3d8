"""Envelopes, methods, codes, and protocols that are not ACP."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.rules import checker, rules_with

from acp_spy.capture.records import Closed, Exit, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.conversation.tracker import Tracker
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import check
from acp_spy.lint.unusual import KNOWN, is_unusual
from acp_spy.wire.frame import Frame, Peer

RULES = rules_with("FRM", "RPC")


def lint(transcript):
    return check(parse(transcript), RULES)


def codes(transcript):
    return [finding.code for finding in lint(transcript)]


@pytest.mark.parametrize(
    ("message", "code", "path"),
    [
        ('{"method":"_x"}', "RPC001", ""),
        ('{"jsonrpc":2.0,"method":"_x"}', "RPC001", "/jsonrpc"),
        ('{"jsonrpc":"1.0","method":"_x"}', "RPC001", "/jsonrpc"),
        ('{"method":"_x","jsonrpc":"2"}', "RPC001", "/jsonrpc"),
        ('{"jsonrpc":"2.0"}', "RPC002", ""),
        ('{"jsonrpc":"2.0","id":4}', "RPC002", ""),
        ('{"jsonrpc":"2.0","method":5}', "RPC002", "/method"),
        ('{"jsonrpc":"2.0","method":"_x","result":{}}', "RPC002", "/result"),
        ('{"jsonrpc":"2.0","method":"_x","params":7}', "RPC003", "/params"),
        ('{"jsonrpc":"2.0","method":"_x","trace":"t","params":{}}', "RPC019", "/trace"),
        ('[{"jsonrpc":"2.0","method":"_x"}]', "RPC016", ""),
        ('{"jsonrpc":"2.0","method":"session/prmpt"}', "RPC013", "/method"),
    ],
)
def test_each_mistake_in_an_envelope_is_one_finding(message, code, path):
    assert [(f.code, f.path) for f in lint(f"-> {message}")] == [(code, path)]


@pytest.mark.parametrize(
    "message",
    [
        '{"method":"_x","jsonrpc":"2.0"}',
        ' { "jsonrpc" : "2.0" , "method" : "_x" , "params" : [ ] } ',
        '{"jsonrpc":"2.0","method":"_x","params":null}',
        r'{"jsonrpc":"2.0","method":"_\u0078","params":{"a":"\u0041"}}',
        '{"params":{},"method":"$/cancel_request","jsonrpc":"2.0"}',
        '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s","jsonrpc":"1.0"}}',
    ],
)
def test_the_spelling_of_an_envelope_is_free(message):
    assert codes(f"-> {message}") == []


def test_a_nearby_name_is_suggested():
    (finding,) = lint('-> {"jsonrpc":"2.0","method":"session/prmpt"}')
    assert finding.hint == "use `session/prompt`"


def test_a_method_that_was_acps_once_is_told_with_its_heir():
    (finding,) = lint('-> {"jsonrpc":"2.0","method":"session/cancelled"}')
    assert "before its first release" in finding.text
    assert finding.hint == "use `session/cancel`"


HELLO = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%d}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":%d}}
"""


def test_a_method_of_the_other_version_is_unknown():
    login = '-> {"jsonrpc":"2.0","id":1,"method":"auth/login"}\n'
    load = '-> {"jsonrpc":"2.0","id":1,"method":"session/load"}\n'
    answer = '<- {"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert codes(HELLO % (1, 1) + login + answer) == ["RPC013"]
    assert codes(HELLO % (2, 2) + login + answer) == []
    assert codes(HELLO % (1, 1) + load + answer) == []
    assert codes(HELLO % (2, 2) + load + answer) == ["RPC013"]


def test_unstable_methods_are_not_unknown():
    fork = '-> {"jsonrpc":"2.0","id":1,"method":"session/fork"}\n'
    assert codes(HELLO % (1, 1) + fork + '<- {"jsonrpc":"2.0","id":1,"result":{}}\n') == []


@pytest.mark.parametrize(
    ("messages", "name"),
    [
        (['{"jsonrpc":"2.0","method":"notifications/initialized"}'] * 3, "MCP"),
        (['{"jsonrpc":"2.0","id":1,"method":"message/send"}'], "A2A"),
        (['{"method":"thread/start","id":1,"params":{}}', '{"method":"item/x"}'], "Codex"),
        (['{"jsonrpc":"2.0","method":"textDocument/didOpen"}'], "LSP"),
        (
            [
                '{"type":"system","subtype":"init","session_id":"x"}',
                '{"type":"assistant","message":{},"session_id":"x"}',
                '{"type":"result","subtype":"success","result":"done","session_id":"x"}',
            ],
            "stream-json",
        ),
    ],
)
def test_another_protocol_is_one_finding(messages, name):
    (finding,) = lint("".join(f"<- {message}\n" for message in messages) + "-> EOF\n== 0")
    assert finding.code == "RPC020"
    assert name in finding.text


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        (-32603, None),
        (-32800, None),
        (-1, None),
        (1234, None),
        (-32001, Severity.WARNING),
        (-32768, Severity.WARNING),
        (-32769, None),
        (429, Severity.NOTE),
    ],
)
def test_codes_and_what_they_are_worth(code, severity):
    found = lint(
        '-> {"jsonrpc":"2.0","id":1,"method":"session/list"}\n'
        f'<- {{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"x"}}}}\n'
    )
    assert [(f.code, f.severity) for f in found] == ([("RPC017", severity)] if severity else [])


def test_an_error_that_does_ask_to_sign_in_is_left_alone():
    text = (
        '-> {"jsonrpc":"2.0","id":1,"method":"session/list"}\n'
        '<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"%s"}}\n'
    )
    assert codes(text % "Authentication required") == []
    assert codes(text % "token quota: log in again") == []
    assert codes(text % "quota exceeded") == ["RPC018"]


# ------------------------------------------------------------------ whatever a peer may send

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "method", "code", "message", "type", "a"]), inner)
    ),
    max_leaves=6,
)
names = st.sampled_from([*sorted(KNOWN), "_x", "tools/list", "session/stop", "thread/start", ""])
members = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": st.sampled_from([0, 1, "1", 1.0, None]) | json_values,
        "method": names | json_values,
        "params": json_values,
        "result": json_values,
        "error": st.fixed_dictionaries({"code": st.integers() | json_values}) | json_values,
        "level": json_values,
        "type": st.sampled_from(["result", "assistant", 1]),
    },
)
senders = st.sampled_from(list(Peer))
ends = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b""])
fronts = st.sampled_from([b"", b"", b"", b"\x1b[0m", b"\xef\xbb\xbf", b"Content-Length: 1", b"{"])
lines = st.binary(max_size=40) | st.sampled_from([b"{", b"}", b"[", b'{"a":1} x', b"\\ud800"])


@st.composite
def payloads(draw):
    import json

    indent = draw(st.sampled_from([None, None, None, 1]))
    if draw(st.integers(0, 3)) == 0:
        return [draw(lines)]
    return [
        draw(fronts) + line
        for line in json.dumps(draw(members), indent=indent).encode().split(b"\n")
    ]


@st.composite
def conversations(draw):
    records, t = [], 0.0
    for _ in range(draw(st.integers(0, 12))):
        sender = draw(senders)
        t += draw(st.sampled_from([0.001, 0.001, 0.5, 50.0]))
        for payload in draw(payloads()):
            end = draw(ends)
            records.append(Frame(len(records) + 1, t, sender, payload + end))
    if draw(st.booleans()):
        records.append(Stderr(t, b'{"jsonrpc":"2.0","id":0,"result":{}}\n{"'))
    if draw(st.booleans()):
        records += [Closed(t, draw(senders)), Exit(t, draw(st.integers(-9, 1)))]
    return records


@settings(max_examples=effort.examples(40))
@given(conversations())
def test_no_rule_crashes_whatever_is_sent(records):
    linter = checker(RULES)
    for record in records:
        linter.feed(record)
    linter.close()
    assert linter.crashes == []


@settings(max_examples=effort.examples(40))
@given(conversations())
def test_a_frame_that_is_not_odd_has_no_odd_members(records):
    """What the glance lets pass is what the closer look would."""
    import json

    tracker = Tracker()
    for frame in records:
        if isinstance(frame, Frame):
            step = tracker.look_closely(frame)
            if not is_unusual(step):
                value = json.loads(frame.raw)
                assert value["jsonrpc"] == "2.0"
                assert set(value) <= {"jsonrpc", "id", "method", "params", "result", "error"}
                assert not {"result", "error"} <= set(value)
            tracker.advance(step)


def test_many_answers_with_changed_ids_are_one_mistake_each():
    """Each open request was looked at for each answer once, and forgotten when there were many."""
    asked = [
        f'-> {{"jsonrpc": "2.0", "id": {n}, "method": "_x/y", "params": {{}}}}' for n in range(600)
    ]
    answers = [f'<- {{"jsonrpc": "2.0", "id": "{n}", "result": {{}}}}' for n in range(600)]
    found = lint("\n".join([*asked, *answers, "-> EOF", "== 0"]))
    assert Counter(finding.code for finding in found) == {"RPC005": 600}
