"""The ids of a protocol stay what they are: a capture in which one changes cannot be replayed."""

import json

import pytest
from support.keys import spelled_out

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header, HttpExchange
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer, Via

AGENT, CLIENT = Peer.AGENT, Peer.CLIENT
UUID = "0197a3c2-5b1e-7d44-9c0f-3e8a6b2d1f57"
IDS = [UUID, "sess_7Kq2mXz9TbR4vLsW", "k4Jw81mZq0XtVb7N"]
KEY = "sk-ant-api03-" + "q7Rw2mXz9TbK4vLs" * 5 + "AA"
VARIABLE = {"name": "ACP_SESSION_ID"}


def frames(*messages, via=None):
    return [
        Frame(
            seq, seq / 10, sender, json.dumps({"jsonrpc": "2.0", **said}).encode() + b"\n", (), via
        )
        for seq, (sender, said) in enumerate(messages, 1)
    ]


def opened(ident):
    return AGENT, {"id": 1, "result": {"sessionId": ident}}


def terminal(ident, **env):
    params = {"sessionId": ident, "command": "ls", "env": [{**VARIABLE, "value": ident, **env}]}
    return AGENT, {"id": 2, "method": "terminal/create", "params": params}


def said(ident, text="done"):
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    return AGENT, {"method": "session/update", "params": {"sessionId": ident, "update": update}}


def live(records):
    redactor = Redactor()
    return [redactor.record(record) for record in records]


def read_twice(records):
    redactor = Redactor()
    redactor.learn_all(records)
    return [redactor.record(record) for record in records]


def check(path, records):
    path.write_bytes(encode([Header(), *records]))
    return [*secrets_in_file(str(path), Redactor())]


def sessions(records):
    messages = [json.loads(record.raw) for record in records]
    return {each.get("params", each.get("result"))["sessionId"] for each in messages}


both_ways = pytest.mark.parametrize("redact", [live, read_twice])


@both_ways
@pytest.mark.parametrize("ident", IDS)
def test_an_id_in_a_variable_stays_the_id(redact, ident, tmp_path):
    records = frames(opened(ident), said(ident), terminal(ident), said(ident), terminal(ident))
    clean = redact(records)
    assert sessions(clean) == {ident}
    assert [each.redacted for each in clean] == [
        (),
        (),
        ("/params/env/0/value",),
        (),
        ("/params/env/0/value",),
    ]
    assert check(tmp_path / "run.jsonl", clean) == []


def test_live_and_afterwards_agree(tmp_path):
    records = frames(
        opened(UUID), said(UUID, f"in {UUID}"), terminal(UUID), said(UUID, f"a {UUID}")
    )
    assert live(records) == read_twice(records)
    assert len(check(tmp_path / "run.jsonl", records)) == 1


@both_ways
def test_an_id_within_a_longer_variable_stays(redact):
    records = frames(opened(UUID), terminal(UUID, value=f"agent_{UUID}"), said(UUID))
    assert sessions(redact(records)) == {UUID}


FIELDS = ["toolCallId", "terminalId", "requestId", "messageId", "optionId", "session_id", "modeId"]


@both_ways
@pytest.mark.parametrize("field", FIELDS)
def test_each_id_of_the_protocol_stays(redact, field):
    update = {"sessionUpdate": "tool_call", field: UUID}
    params = {"sessionId": "s", "update": update}
    message = AGENT, {"method": "session/update", "params": params}
    clean = redact(frames(message, terminal("s", value=UUID), message))
    assert [json.loads(clean[at].raw)["params"]["update"][field] for at in (0, 2)] == [UUID] * 2


@both_ways
@pytest.mark.parametrize("ident", IDS)
def test_an_id_in_the_url_of_a_server_stays_the_id(redact, ident):
    server = {"type": "http", "name": "m", "url": f"http://127.0.0.1:4100/mcp/{ident}"}
    params = {"sessionId": ident, "cwd": "/p", "mcpServers": [server]}
    load = CLIENT, {"id": 3, "method": "session/load", "params": params}
    clean = redact(frames(opened(ident), load, said(ident)))
    assert sessions(clean) == {ident}
    assert clean[1].redacted == ("/params/mcpServers/0/url",)


@both_ways
def test_the_id_of_a_request_stays(redact):
    answer = CLIENT, {"id": UUID, "result": {"env": {"TRACE": UUID}}}
    asked = AGENT, {"id": UUID, "method": "fs/read_text_file", "params": {"sessionId": "s"}}
    assert [json.loads(each.raw)["id"] for each in redact(frames(asked, answer, asked))] == [
        UUID
    ] * 3


@both_ways
def test_the_ids_of_http_stay(redact):
    connection = "k4Jw81mZq0XtVb7N"
    via = Via("http", "post", connection, UUID)
    headers = {"acp-connection-id": connection, "acp-session-id": UUID}
    exchange = HttpExchange(
        0.5, 1, "http", "POST", "/acp", "post", connection, UUID, request_headers=headers
    )
    server = {"type": "http", "name": "m", "url": "http://m", "headers": [
        {"name": "X-Conn", "value": connection}, {"name": "X-Session", "value": UUID}
    ]}  # fmt: skip
    load = CLIENT, {"id": 3, "method": "session/load", "params": {"mcpServers": [server]}}
    last = frames(load, load, via=via)[1]
    _, kept, after = redact([*frames(load), exchange, last])
    assert kept == exchange
    assert after.via == via


@both_ways
@pytest.mark.parametrize("name", ["API_TOKEN", "DB_PASSWORD"])
def test_a_secret_by_its_name_is_one_as_an_id_too(redact, name):
    records = frames(terminal(UUID, name=name), said(UUID))
    assert UUID.encode() not in b"".join(each.raw for each in redact(records))


@both_ways
@pytest.mark.parametrize("first", [0, 1])
def test_a_secret_by_its_name_that_is_also_in_an_ordinary_variable_is_one(redact, first):
    both = [terminal(UUID, name="API_TOKEN"), terminal(UUID)]
    records = frames(both[first], both[1 - first], said(UUID))
    assert UUID.encode() not in redact(records)[-1].raw


@both_ways
@pytest.mark.parametrize("before", ["", "x-"])
def test_a_vendors_key_is_one_as_an_id_too(redact, before):
    records = frames(opened(KEY), terminal(KEY, value=before + KEY), said(KEY))
    assert KEY.encode() not in b"".join(each.raw for each in redact(records))


@both_ways
def test_a_sentence_is_no_id(redact):
    records = frames(terminal("s", value=UUID), said(f"it is {UUID}"))
    assert UUID.encode() not in redact(records)[-1].raw


@both_ways
def test_a_copy_elsewhere_is_still_one(redact):
    other = "q7Rw2mXz9TbK4vLs"
    records = frames(opened(UUID), terminal(UUID, value=other), said(UUID, f"it is {other}"))
    assert other.encode() not in redact(records)[-1].raw


@both_ways
def test_a_field_that_the_user_names_is_masked_and_so_are_its_copies(redact):
    redactor = Redactor(names=("sessionId",))
    records = frames(opened(UUID), said(UUID, f"in {UUID}"))
    if redact is read_twice:
        redactor.learn_all(records)
    assert UUID.encode() not in b"".join(redactor.record(each).raw for each in records)


NAMED = "Tr0ub4dor&3xKq9!Lm"
OTHER_FORMS = [
    (NAMED, "Tr0ub4dor%263xKq9%21Lm"),  # as a URL spells it
    ("k4Jw81mZq0Xt7Yp3Vn6Rb", "k4Jw81mZq0Xt7Yp3Vn6Rbabc9"),  # known only cut
    ("k4Jw81mZq0Xt7Yp3Vn6Rb", "k4Jw81mZq0Xt7Yp"),  # a cut copy
]


@pytest.mark.parametrize("redact", [live, read_twice])
@pytest.mark.parametrize(("secret", "copy"), OTHER_FORMS)
def test_a_named_secret_is_masked_as_an_id_in_whatever_form(secret, copy, redact):
    """And so it is in texts after that: it was never an id."""
    new = (
        CLIENT,
        {"id": 1, "method": "x", "params": {"env": [{"name": "API_TOKEN", "value": secret}]}},
    )
    done = redact(frames(new, said(copy), said("s", f"GET /x?q={copy}&n=2")))
    assert not [record for record in done if copy[:12].encode() in record.raw]


def test_an_id_with_a_named_secret_in_it_is_masked():
    """Although a variable without a secret's name has all of it."""
    secret = "k4Jw81mZq0Xt7Yp3Vn6Rb"
    env = [{"name": "API_TOKEN", "value": secret}, {**VARIABLE, "value": f"s-{secret}-1"}]
    new = (CLIENT, {"id": 1, "method": "x", "params": {"env": env}})
    for records in (frames(new, said(f"s-{secret}-1")), frames(said(f"s-{secret}-1"), new)):
        assert not [each for each in read_twice(records) if secret.encode() in each.raw]


def variable(name, value):
    return CLIENT, {"id": 1, "method": "x", "params": {"env": [{"name": name, "value": value}]}}


TOKEN = "7Hq2xW9vLp4RtZ8mKc3y"


@both_ways
@pytest.mark.parametrize("ident", [f"{TOKEN}-prod", f"s-{TOKEN[:14]}", f"s-{TOKEN[-14:]}"])
@pytest.mark.parametrize("order", [1, -1])
def test_of_an_id_in_an_ordinary_variable_what_is_named_elsewhere_is_masked(redact, ident, order):
    both = [variable("FOO", ident), variable("API_TOKEN", TOKEN)][::order]
    done = redact(frames(*both, said(ident)))
    assert not any(TOKEN[at : at + 12].encode() in done[-1].raw for at in range(9))


def test_an_id_with_a_part_that_is_named_does_not_change_when_a_variable_has_it(tmp_path):
    ident = f"s-{TOKEN[:14]}"
    first, *others = variable("API_TOKEN", TOKEN), said(ident), variable("FOO", ident), said(ident)
    for redact in (live, read_twice):
        _, before, _, after = redact(frames(first, *others))
        assert len(sessions([before, after])) == 1
        assert check(tmp_path / f"{redact.__name__}.jsonl", [before, after]) == []


@both_ways
def test_an_id_that_a_cookie_spells_in_another_way_is_masked_in_each_place(redact):
    ident = "q83vEjRWeJ+83vEjRWeJ0A=="
    cookie = {"set-cookie": "sid=q83vEjRWeJ%2B83vEjRWeJ0A%3D%3D"}
    exchange = HttpExchange(0.5, 1, "http", "POST", "/acp", session=ident, response_headers=cookie)
    *_, kept, after = redact([*frames(opened("s")), exchange, *frames(said(ident))])
    assert kept.session == sessions([after]).pop() != ident


@both_ways
@pytest.mark.parametrize("value", [UUID[:13], UUID[9:], f"session.id={UUID}", f"{UUID}-x"])
def test_an_id_that_a_variable_has_in_part_or_in_more_stays_everywhere(redact, value):
    ends = (terminal(UUID, value=value), said(UUID), said(UUID))
    assert sessions(redact(frames(opened(UUID), said(UUID), *ends))) == {UUID}
    assert sessions(redact(frames(opened(UUID), said(UUID), ends[0]))) == {UUID}


@both_ways
@pytest.mark.parametrize("cut", [slice(-26, None), slice(14), slice(8, 30)])
def test_a_cut_copy_of_a_vendors_key_is_masked_as_an_id_too(redact, cut):
    key = spelled_out("ghp_<36>")
    done = redact(frames(variable("FOO", key), said(key[cut], f"it ends in {key[-26:]}")))
    assert not any(key[at : at + 12].encode() in done[-1].raw for at in range(4, len(key) - 11))


def test_a_secret_by_its_name_is_one_though_a_copy_of_a_longer_value_begins_before_it():
    noise = Frame(9, 0.9, AGENT, f"API_TOKEN={UUID}\n".encode())
    first = variable("OTEL_RESOURCE_ATTRIBUTES", f"session.id={UUID}")
    *done, last = read_twice([*frames(opened(UUID), first, said(UUID)), noise])
    assert UUID.encode() not in b"".join(each.raw for each in done)
    assert last.raw.startswith(b"API_TOKEN=redacted-")


@both_ways
@pytest.mark.parametrize("name", ["AGENT_CONFIG", "X_CONTEXT"])
def test_an_id_beside_a_named_secret_in_one_variable_stays(redact, name):
    config = json.dumps({"session": UUID, "token": "k4Jw81mZq0XtPp9a"}, separators=(",", ":"))
    talk = [opened(UUID), variable(name, config), said(UUID, f"it is {config}"), said(UUID)]
    done = redact([*frames(*talk), Frame(9, 0.9, AGENT, f"{config}\n".encode())])
    assert sessions([done[0], done[2], done[3]]) == {UUID}
    assert b"k4Jw81mZq0XtPp9a" not in b"".join(each.raw for each in done)


@pytest.mark.parametrize("method", ["_acme2/reset", "_acme.dev/v2/secret", "session/prompt"])
@both_ways
def test_a_method_that_a_program_has_as_a_password_too_stays(redact, method):
    shown = json.dumps({"password": method})
    records = frames(said("s", shown), (CLIENT, {"id": 2, "method": method}))
    assert json.loads(redact(records)[1].raw)["method"] == method


@both_ways
def test_a_password_as_a_method_is_masked(redact):
    password = "q7Rw2mXz9TbK4vLs"
    records = frames(said("s", f'DB_PASSWORD="{password}"'), (CLIENT, {"method": password}))
    assert password not in str(redact(records)[1].raw)
