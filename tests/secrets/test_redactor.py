"""Only the secrets change; the same secret has the same placeholder; nothing else moves a byte."""

import json
import re
from base64 import b64encode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.keys import spelled_out

from acp_spy.capture.codec import decode, encode
from acp_spy.capture.records import (
    Closed,
    Delivery,
    Disconnect,
    Exit,
    Header,
    HttpExchange,
    Stderr,
)
from acp_spy.errors import AcpSpyError
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.learned_values import LearnedValues
from acp_spy.secrets.redactor import Masked, Redactor
from acp_spy.secrets.secret import secret_at
from acp_spy.wire.frame import Frame, Peer, Via

GITHUB = spelled_out("ghp_<36>")
ANTHROPIC = spelled_out("sk-ant-api03-<95>")


def frame(raw, seq=1):
    return Frame(seq, 0.5, Peer.CLIENT, raw)


def redacted(raw, **wishes):
    done = Redactor(**wishes).record(frame(raw))
    return done.raw, done.redacted


def params(text):
    """Redact a message with these parameters; return them and the places that were redacted."""
    head = b'{"jsonrpc":"2.0","method":"any","params":'
    raw, places = redacted(head + text.encode() + b"}\n")
    return raw.removeprefix(head).removesuffix(b"}\n").decode(), places


def test_what_has_no_secret_is_the_same_record():
    message = frame(b'{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}\n')
    redactor = Redactor()
    for record in (message, Stderr(0.1, b"ready\n"), Closed(1, Peer.CLIENT), Exit(2, 0)):
        assert redactor.record(record) is record


def test_only_the_secret_changes():
    raw, places = redacted(
        b'{ "jsonrpc" : "2.0","id":1e0 , "method":"session/new","params":{"cwd":"/p\\/q",\t'
        b'"mcpServers":[{"name":"gh","command":"/bin/gh","args":[],"env":['
        b'{"name":"A","value":"hunter2"},{"value":"b\\u00e9\\"c","name":"B"}]}]}}\r\n'
    )
    assert raw == (
        b'{ "jsonrpc" : "2.0","id":1e0 , "method":"session/new","params":{"cwd":"/p\\/q",\t'
        b'"mcpServers":[{"name":"gh","command":"/bin/gh","args":[],"env":['
        b'{"name":"A","value":"redacted-env-1"},{"value":"redacted-env-2","name":"B"}]}]}}\r\n'
    )
    assert places == ("/params/mcpServers/0/env/0/value", "/params/mcpServers/0/env/1/value")


def test_headers_of_mcp_servers_and_providers():
    given_, places = params(
        '{"mcpServers":[{"type":"http","url":"https://u:pa55@mcp.example.com","headers":'
        '[{"name":"Authorization","value":"Bearer abc"}]}],"headers":{"X-Org":"acme"}}'
    )
    assert given_ == (
        '{"mcpServers":[{"type":"http","url":"https://u:redacted-url-password-1@mcp.example.com",'
        '"headers":[{"name":"Authorization","value":"Bearer redacted-header-1"}]}],'
        '"headers":{"X-Org":"redacted-header-2"}}'
    )
    assert places == (
        "/params/mcpServers/0/url",
        "/params/mcpServers/0/headers/0/value",
        "/params/headers/X-Org",
    )


def test_what_one_signs_in_with_keeps_its_types():
    raw, places = redacted(
        b'{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"pin","data":'
        b'{"pin":1234,"user":"me","keep":true,"none":null,"zero":0},"_meta":{"code":["x","y"]}}}\n'
    )
    assert raw == (
        b'{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"pin","data":'
        b'{"pin":0,"user":"redacted-login-1","keep":true,"none":null,"zero":0},'
        b'"_meta":{"code":["redacted-login-2","redacted-login-3"]}}}\n'
    )
    assert places == (
        "/params/data/pin",
        "/params/data/user",
        "/params/_meta/code/0",
        "/params/_meta/code/1",
    )


def test_account_fields():
    assert params('{"state":"ok","accounts":[{"label":"work","active":true,"email":"a@b.c"}]}') == (
        (
            '{"state":"ok","accounts":'
            '[{"label":"redacted-account-1","active":true,"email":"redacted-account-2"}]}'
        ),
        ("/params/accounts/0/label", "/params/accounts/0/email"),
    )


def test_names_that_look_like_tokens_anywhere():
    assert params('{"_meta":{"x.dev/authToken":"t","progressToken":"p","apiKey":""}}') == (
        '{"_meta":{"x.dev/authToken":"redacted-secret-1","progressToken":"p","apiKey":""}}',
        ("/params/_meta/x.dev~1authToken",),
    )


S = "hunter2"


@pytest.mark.parametrize(
    "value",
    [
        {"_meta": {"example.com/token": S}},
        {"_meta": {"copilotToken": S}},
        {"_meta": {"apiKeys": {"openai": S}}},
        {"_meta": {"token": {"value": S, "type": "bearer"}}},
        {"_meta": {"tokens": {"access": S}}},
        {"credentials": {"a": {"b": [S]}}},
        {"password": [S]},
        {"vars": [{"name": "OPENAI_API_KEY", "value": S}]},
        {"vars": [{"value": S, "name": "OPENAI_API_KEY"}]},
        {"key": "password", "value": S},
        {"configId": "apiKey", "value": S},
        {"fields": [{"id": "x", "type": "CONCEALED", "label": "y", "value": S}]},
        {"db": {"sensitive": True, "type": "string", "value": S}},
        {"db": {"value": S, "sensitive": True}},
        {"headers": {"X": [S]}},
        {"headers": [["X", S]]},
        {"headers": [f"X: {S}"]},
        {"headers": f"X: {S}"},
        {"headers": f"A: \r\nX: Bearer {S}\r\n"},
        {"env": f"A={S}"},
        {"env": [f"A.b={S}"]},
        {"env": {"A": [S]}},
        {"env": {"A": {"b": S}}},
        {"env": {"properties": S}},
        {"accounts": [{"profile": {"email": S}}]},
        {"accountInfo": {"email": S}},
        {"user": {"email": S, "name": "of a field"}},
        {"args": ["--apiKey", S]},
        {"args": ["--pat", S]},
        {"args": ["--credentials", S]},
        {"args": ["--API_KEY", S]},
        {"args": ["sh", "-c", f"FOO_TOKEN={S} agent --x"]},
        {"args": ["-H", f"Authorization: Bearer {S}"]},
    ],
    ids=json.dumps,
)
def test_a_place_is_known_however_it_is_spelled(value):
    text, places = params(json.dumps(value))
    assert len(places) == 1
    kind = re.search("redacted-([a-z]+)-1", text)[1]
    assert text == json.dumps(value).replace(S, f"redacted-{kind}-1")


@pytest.mark.parametrize(
    "value",
    [
        {"properties": {"env": {"type": "object"}, "headers": {"type": "x"}, "token": {"a": "b"}}},
        {"_meta": {"api-key": {"provider": "google"}}},
        {"vars": [{"name": "OPENAI_API_KEY", "label": "API key"}]},
        {"id": "model", "value": "x", "options": [{"id": "apiKey", "name": "value"}]},
        {"fields": [{"id": "x", "type": "STRING", "value": "hunter2-ab34"}]},
        {"db": {"sensitive": False, "type": "string", "value": "hunter2-ab34"}},
        {"env": "production"},
        {"headers": "none"},
        {"user": {"name": "of a field"}, "env": []},
        {"usage": {"tokens": {"input": 5}}, "tokens": 7},
        {"args": ["--primary-key", "user_id_12345"]},
    ],
    ids=json.dumps,
)
def test_a_place_that_only_resembles_one_is_left_alone(value):
    assert params(json.dumps(value)) == (json.dumps(value), ())


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"env": {"FOO": "hunter2"}}, "env"),
        ({"mcpServers": [{"env": [{"name": "A", "value": "hunter2"}]}]}, "env"),
        ({"a": {"password": "hunter2"}}, "secret"),
        ({"method": "authenticate", "params": {"data": "hunter2"}}, "login"),
    ],
)
def test_json_in_a_string_is_looked_into(value, kind, depth):
    """A settings file that is read: the way in which most keys get into a conversation."""
    text = json.dumps(value, indent=2)
    for _ in range(depth - 1):
        text = json.dumps({"é": text})
    raw, places = redacted(json.dumps({"params": {"text": text}}).encode())
    assert (
        raw
        == json.dumps({"params": {"text": text}}).replace("hunter2", f"redacted-{kind}-1").encode()
    )
    assert places == ("/params/text",)


@pytest.mark.parametrize(
    "spelled",
    [
        lambda lines: "```json\n" + "\n".join(lines) + "\n```",
        lambda lines: "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1)),
        lambda lines: "\n".join(f"{number} | {line}" for number, line in enumerate(lines, 1)),
        lambda lines: "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1)),
        lambda lines: "\n".join((lines[0], "// a comment", *lines[1:-2])),
    ],
    ids=["fenced", "arrow", "bar", "tab", "torn"],
)
def test_a_file_in_a_string_may_have_numbers_and_comments(spelled):
    lines = json.dumps({"a": [1, "x"], "env": {"FOO": "hunter2"}, "b": 1}, indent=2).splitlines()
    text = spelled(lines)
    raw, _ = redacted(json.dumps({"text": text}).encode())
    assert json.loads(raw)["text"] == text.replace("hunter2", "redacted-env-1")


def test_words_of_a_command_line_in_a_message():
    assert params('{"args":["--api-key","k","--port","80","--token=t","-H","X-Api-Key: h"]}') == (
        (
            '{"args":["--api-key","redacted-secret-1","--port","80","--token=redacted-secret-2","-H",'
            '"X-Api-Key: redacted-secret-3"]}'
        ),
        ("/params/args/1", "/params/args/4", "/params/args/6"),
    )


def test_the_command_line_in_the_header():
    header = Header(
        command=("env", "A_TOKEN=t0", "agent", "--api-key", "t0", "--key-file", "k", GITHUB)
    )
    done = Redactor().record(header)
    assert done.command == (
        *("env", "A_TOKEN=redacted-secret-1", "agent", "--api-key", "redacted-secret-1"),
        *("--key-file", "k", "redacted-github-token-1"),
    )
    assert done.redacted
    assert decode(encode([done])) == done
    assert b"redacted" not in encode([header])


def test_the_reason_of_a_failed_start_quotes_the_command():
    end = Exit(0.1, 127, reason="command not found: `agent --api-key=" + "9f3a" * 8 + "`")
    assert "9f3a" not in Redactor().record(end).reason


def test_names_of_the_users_in_the_header():
    header = Header(command=("agent", "x"), cwd="/home/dev/secret-project", note="by cwd")
    redactor = Redactor(names=["CWD", "Command"])
    redactor.learn(header)
    done = redactor.record(header)
    assert (done.command, done.cwd, done.note) == (
        ("redacted-value-1", "redacted-value-2"),
        "redacted-value-3",
        "by cwd",
    )
    message = redactor.record(frame(b'{"params":{"cwd":"/home/dev/secret-project"}}\n'))
    assert message.raw == b'{"params":{"cwd":"redacted-value-3"}}\n'
    later = Redactor(names=["cwd", "command", "x"])
    later.learn(done)
    assert later.record(done) == done
    assert later.record(frame(b'{"x":"y"}\n')).raw == b'{"x":"redacted-value-4"}\n'


def test_what_stands_in_brackets_is_looked_at_all_the_same():
    raw, places = redacted(f'{{"apiKey":"<{GITHUB}>","env":{{"A":"<your key>"}}}}\n'.encode())
    assert raw == b'{"apiKey":"<redacted-github-token-1>","env":{"A":"<your key>"}}\n'
    assert places == ("/apiKey",)


def test_the_same_secret_has_the_same_placeholder_everywhere():
    redactor = Redactor()
    first = redactor.record(frame(json.dumps({"text": f"use {GITHUB}, {ANTHROPIC}"}).encode()))
    second = redactor.record(Stderr(0.7, f"no {ANTHROPIC}\n".encode()))
    assert first.raw == b'{"text": "use redacted-github-token-1, redacted-anthropic-key-1"}'
    assert second == Stderr(0.7, b"no redacted-anthropic-key-1\n", ("",))


def test_a_secret_known_by_its_place_is_found_elsewhere():
    place = frame(b'{"params":{"env":[{"name":"K","value":"my-own-s3cret7Q2x9Z"}]}}\n', 2)
    elsewhere = Stderr(0.1, b"cannot sign in with my-own-s3cret7Q2x9Z!\n")
    redactor = Redactor()
    redactor.learn(elsewhere)
    redactor.learn(place)
    assert redactor.record(elsewhere).raw == b"cannot sign in with redacted-env-1!\n"
    assert redactor.text("my-own-s3cret7Q2x9Z again") == "redacted-env-1 again"


@pytest.mark.parametrize(
    ("place", "secret"),
    [
        ({"env": {"DB_PASSWORD": "Tr0ub4dor&3"}}, "Tr0ub4dor&3"),
        ({"env": [{"name": "DB_PASSWORD", "value": "p@ss!word"}]}, "p@ss!word"),
        ({"env": {"K": "abCD3+ef/gh4IJkl5mnO=="}}, "abCD3+ef/gh4IJkl5mnO=="),
        ({"url": "postgres://u:q7Zk2Vw9Xn4R@h/db"}, "q7Zk2Vw9Xn4R"),
        ({"args": ["-H", "Authorization: Bearer q7Zk2Vw9Xn4R"]}, "q7Zk2Vw9Xn4R"),
        ({"args": ["sh", "-c", "FOO_TOKEN=q7Zk2Vw9Xn4R agent"]}, "q7Zk2Vw9Xn4R"),
        ({"text": "export MY_TOKEN=q7Zk2Vw9Xn4R"}, "q7Zk2Vw9Xn4R"),
        ({"text": "Authorization: Bearer q7Zk2Vw9Xn4Rb8Tm"}, "q7Zk2Vw9Xn4Rb8Tm"),
        ({"text": "DB_PASSWORD=q7Zk2!Vw9Xn4R"}, "q7Zk2!Vw9Xn4R"),
        ({"text": "psql -c \"ALTER ROLE bob PASSWORD 'C#Str0ng!'\""}, "C#Str0ng!"),
        ({"text": "mysql -u root -pq7Zk2Vw9Xn4R shop"}, "q7Zk2Vw9Xn4R"),
        ({"text": "machine h login bob password q7Zk2Vw9Xn4R"}, "q7Zk2Vw9Xn4R"),
        ({"text": "user,password\nbob,q7Zk2Vw9Xn4R\n"}, "q7Zk2Vw9Xn4R"),
    ],
    ids=str,
)
def test_the_same_secret_is_found_where_nothing_betrays_it(place, secret):
    redactor = Redactor()
    first = redactor.record(frame(json.dumps(place).encode())).raw
    placeholder = re.search(rb"redacted-[a-z-]+-1", first)[0]
    assert redactor.record(Stderr(0.1, f"no: {secret}\n".encode())).raw == b"no: %b\n" % placeholder
    escaped = json.dumps({"x": secret}).replace("/", "\\/").encode()
    assert placeholder in redactor.record(frame(escaped)).raw


@pytest.mark.parametrize(
    "place",
    [
        "> cookie: theme=dark; sid=%s; a=b",
        "< set-cookie: sid=%s; Path=/; HttpOnly",
        'Authorization: Digest username="bob", uri="/", response="%s"',
    ],
)
def test_a_part_of_a_header_is_found_where_nothing_betrays_it(place):
    secret = "q7Zk2Vw9Xn4Rb8Tm3Yc6"
    redactor = Redactor()
    redactor.record(frame(json.dumps({"text": place % secret}).encode()))
    assert secret.encode() not in redactor.record(Stderr(0.1, f"no: {secret}\n".encode())).raw
    same = Stderr(0.1, b"theme=dark; Path=/; HttpOnly, username=bob\n")
    assert redactor.record(same) is same


@pytest.mark.parametrize(
    "place",
    [
        {
            "env": {"GOOGLE_APPLICATION_CREDENTIALS": "/etc/keys/key1.json"},
            "x": "/etc/keys/key1.json",
        },
        {"env": {"API_TOKEN": "production"}},
        {"password": "12345678"},
        {"env": {"MODEL": "claude-sonnet-4-5"}},
        {"env": {"API_KEY": "https://key1.example.com/"}},
        {"env": {"OPTIONS": "--opt=/usr/lib/x86_64-linux-gnu/Python3.11 -x"}},
    ],
    ids=str,
)
def test_paths_words_and_numbers_are_not_looked_for_elsewhere(place):
    redactor = Redactor()
    redactor.record(frame(json.dumps(place).encode()))
    value = next(iter(place.values()))
    text = value if isinstance(value, str) else next(iter(value.values()))
    line = Stderr(0.1, f"see {text}\n".encode())
    assert redactor.record(line) is line


BEFORE = [Header(), frame(b"{}"), Stderr(0.1, b"a"), Exit(0.2, 0)]


@pytest.mark.parametrize(
    ("now", "given"),
    [
        ([Header(), frame(b"[]"), *BEFORE[2:]], 1),
        ([*BEFORE[:2], Stderr(0.1, b"b"), BEFORE[3]], 2),
        (BEFORE[:3], 3),
        ([], 0),
    ],
)
def test_nothing_is_given_of_a_file_that_took_the_place_of_what_was_searched(now, given):
    versions = [BEFORE, now]
    masked = Masked(lambda: versions.pop(0))
    seen = []
    with pytest.raises(AcpSpyError, match="the capture was replaced while it was read"):
        seen.extend(masked.sent())
    assert seen == BEFORE[:given]


def test_a_log_that_grows_is_the_same():
    versions = [[frame(b"{}"), frame(b'{"a')], [frame(b"{}"), frame(b'{"a":1}'), frame(b"[]")]]
    masked = Masked(lambda: versions.pop(0))
    assert [each.raw for each in masked()] == [b"{}"]  # nobody has read the whole line


def test_what_is_recorded_meanwhile_is_left_out():
    versions = [[b"{}"], [b"{}", b'{"password":"hunter2"}']]
    masked = Masked(lambda: map(frame, versions.pop(0)))
    assert [each.raw for each in masked()] == [b"{}"]


@pytest.mark.long
def test_a_thousand_learned_secrets_in_disguise_are_no_burden():
    """With a search of its own for each of them this would need minutes: no clock is needed."""
    redactor = Redactor()
    env = {f"A{n}_TOKEN": f"q7Zk2Vw9Xn{n:06}" for n in range(1000)}
    redactor.record(frame(json.dumps({"env": env}).encode()))
    line = json.dumps([f"{value}!" for value in env.values()] * 10).replace("q", "\\u0071")
    done = redactor.record(frame(line.encode())).raw
    assert b"0071" not in done
    assert redactor.counts["env"] == 11_000


def test_plain_values_known_by_their_place_are_not_looked_for_elsewhere():
    """`production` and `/usr/bin` are redacted in `env`, but mean nothing in a sentence."""
    redactor = Redactor()
    redactor.record(frame(b'{"env":{"NODE_ENV":"production","PATH":"/usr/bin:/usr/local/bin2"}}\n'))
    sentence = Stderr(0.1, b"production runs /usr/bin:/usr/local/bin2\n")
    assert redactor.record(sentence) is sentence


def test_escapes_do_not_hide_a_secret_and_stay_around_it():
    hidden = "".join(f"\\u{ord(c):04x}" for c in GITHUB)
    raw, places = redacted(f'{{"text":"\\u00e9\\n\\ud83d\\ude00 {hidden}\\u002e\\/"}}\n'.encode())
    assert raw == b'{"text":"\\u00e9\\n\\ud83d\\ude00 redacted-github-token-1\\u002e\\/"}\n'
    assert places == ("/text",)


def test_a_name_may_be_a_secret_and_a_name_may_stand_twice():
    raw, _ = redacted(f'{{"{GITHUB}":1,"apiKey":"a","apiKey":"b"}}\n'.encode())
    assert raw == (
        b'{"redacted-github-token-1":1,"apiKey":"redacted-secret-1","apiKey":"redacted-secret-2"}\n'
    )


def test_torn_and_glued_frames():
    torn = b'{"method":"session/new","params":{"mcpServers":[{"env":[{"name":"A","value":"hunt'
    assert redacted(torn) == (torn.replace(b"hunt", b"redacted-env-1"), ("",))
    glued = b'\x1b]0;title\x07{"params":{"headers":{"Authorization":"Bearer \\n x"}}}\n'
    assert redacted(glued)[0] == glued.replace(b"x", b"redacted-header-1")
    not_text = b"caf\xe9 " + GITHUB.encode() + b"\xff\n"
    assert redacted(not_text) == (b"caf\xe9 redacted-github-token-1\xff\n", ("",))


def test_redacting_twice_changes_nothing_and_takes_no_placeholder_twice():
    redactor = Redactor()
    once = redactor.record(frame(f'{{"apiKey":"k","text":"{GITHUB}"}}\n'.encode()))
    assert Redactor().record(once) is once
    later = Redactor()
    later.learn(once)
    again = later.record(Stderr(1, spelled_out("now ghp_<30>999999\n").encode()))
    assert again.raw == b"now redacted-github-token-2\n"


def test_stand_ins_of_others_are_left_alone():
    kept = (
        '{"env":{"A":"","B":"***","C":"${TOKEN}","D":"<redacted>","E":"$TOKEN","F":"[REDACTED]"}}'
    )
    assert params(kept) == (kept, ())


def test_what_the_user_knows_besides():
    raw, places = redacted(
        b'{"method":"x","params":{"Badge":"b1","items":[{"note":"caf\xc3\xa9 ID-77"},{"note":5}],'
        b'"deep":{"er":["one",2]}}}\n',
        names=["badge"],
        values=[re.compile(r"ID-(\d+)")],
        pointers=["/params/deep", "/params/items/*/note"],
    )
    assert raw == (
        b'{"method":"x","params":{"Badge":"redacted-value-1","items":[{"note":"redacted-value-2"},'
        b'{"note":0}],"deep":{"er":["redacted-value-3",0]}}}\n'
    )
    assert places[0] == "/params/Badge"
    assert redacted(b"ID-77 and caf\xc3\xa9 ID-8\n", values=[re.compile(r"ID-(\d+)")])[0] == (
        b"ID-redacted-value-1 and caf\xc3\xa9 ID-redacted-value-2\n"
    )


@pytest.mark.parametrize(
    "wishes",
    [
        {"names": ["badge"]},
        {"pointers": ["/params/badge"]},
        {"values": [re.compile(r"^k4J\w+$")]},
    ],
    ids=str,
)
def test_what_the_user_asks_for_is_found_elsewhere_if_it_looks_like_a_secret(wishes):
    records = [
        Stderr(0.1, b"no k4Jw81mZq0Xt, Bob\n"),
        frame(b'{"params":{"badge":"k4Jw81mZq0Xt"}}\n', 1),
        frame(b'{"params":{"badge":"Bob"}}\n', 2),
    ]
    redactor = Redactor(**wishes)
    for record in records:
        redactor.learn(record)
    assert redactor.record(records[0]).raw == b"no redacted-value-1, Bob\n"


def test_what_the_user_asks_for_goes_whatever_it_looks_like():
    raw, places = redacted(
        '{"params":{"customer":"山田太郎","note":"für 山田太郎","pw":"$ecret123","b":"***","c":""}}\n'.encode(),
        names=["customer", "b", "c"],
        values=[re.compile("山田太郎")],
        pointers=["/params/pw"],
    )
    assert (
        raw
        == (
            '{"params":{"customer":"redacted-value-1","note":"für redacted-value-1",'
            '"pw":"redacted-value-2","b":"redacted-value-3","c":""}}\n'
        ).encode()
    )
    assert places == ("/params/customer", "/params/note", "/params/pw", "/params/b")
    again = Redactor(names=["customer", "b", "c"], pointers=["/params/pw"])
    assert again.record(frame(raw)).raw == raw


@pytest.mark.parametrize(
    "text",
    [
        '{"env":{"P":"секретныйпароль"}}',
        '{"accounts":[{"name":"山田太郎"}]}',
        '{"account":{"name":"Зоя"}}',
        '{"password":"!@#$%^&*"}',
        '{"password":"$ecret123"}',
        '{"apiKey":"{hunter2hunter2}"}',
        '{"password":"密码密码"}',
    ],
)
def test_a_secret_needs_no_latin_letter(text):
    assert len(params(text)[1]) == 1


@pytest.mark.parametrize(
    "stand_in",
    ["$PASSWORD", "${pass_1}", "{password}", "{{ .Values.pass1 }}", "••••••", "%s", "%(pw)s", "…"],
)
def test_what_is_yet_to_be_put_in_is_no_secret(stand_in):
    kept = f'{{"password":"{stand_in}","text":"postgres://u:{stand_in.replace(" ", "")}@host/db"}}'
    assert params(kept) == (kept, ())


def test_marks_come_back_from_disk():
    done = Redactor().record(frame(b'{"apiKey":"k"}\n'))
    line = encode([done])
    assert line == (
        b'{"type":"frame","seq":1,"t":0.5,"sender":"client","redacted":["/apiKey"],'
        b'"message":{"apiKey":"redacted-secret-1"}}\n'
    )
    assert decode(line) == done
    stderr = Redactor().record(Stderr(0.5, f"{GITHUB}\n".encode()))
    assert decode(encode([stderr])) == stderr


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))
)
def test_whatever_comes_is_no_reason_to_raise(raw):
    Redactor(pointers=["/a/*"], names=["b"]).record(frame(raw))


@given(
    st.recursive(
        st.none()
        | st.integers()
        | st.text(max_size=5)
        | st.sampled_from([GITHUB, f'\n{GITHUB}"é']),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["env", "value", "apiKey", "args", "x", "é\n"]), inner
            )
        ),
    ),
    st.booleans(),
)
def test_a_message_stays_a_message_of_the_same_types(value, ascii_only):
    raw = json.dumps({"params": value}, ensure_ascii=ascii_only).encode() + b"\n"
    done = Redactor().record(frame(raw))
    assert GITHUB.encode() not in done.raw
    assert same_types(value, json.loads(done.raw)["params"])


def same_types(one, other):
    if isinstance(one, dict):
        pairs = zip(one.values(), other.values(), strict=True)
        return all(same_types(*pair) for pair in pairs)
    if isinstance(one, list):
        return all(same_types(*pair) for pair in zip(one, other, strict=True))
    return type(one) is type(other)


def test_exchanges_have_secrets_in_paths_headers_bodies_and_ids():
    secret = GITHUB
    exchange = HttpExchange(
        *(0.5, 1, "http", "POST", f"/acp?x={secret}"),
        session=secret,
        status=400,
        request_headers={"origin": f"https://{secret}", "accept": "*/*"},
        response_headers={"location": f"/{secret}"},
        body=f"bad token {secret}",
        error=f"see {secret}",
    )
    end = Disconnect(0.6, 1, "ws", "connection", "agent", session=secret, reason=f"not {secret}")
    sent = Frame(1, 0.5, Peer.CLIENT, b"{}\n", via=Via("http", "post", "c-1", secret))
    redactor = Redactor()
    for record in (exchange, end, sent):
        clean = encode([redactor.record(record)])
        assert secret.encode() not in clean
        assert b"redacted-github-token-1" in clean
    kept = redactor.record(exchange)
    assert (kept.status, kept.request_headers["accept"]) == (400, "*/*")
    assert redactor.record(sent).via.connection == "c-1"


def with_a_secret_in_each_text(kind, **others):
    """Return a record of a kind, all of whose texts are a secret."""
    fields = msgspec.structs.fields(kind)
    texts = {field.name: GITHUB for field in fields if field.type is str}
    return kind(**{**texts, **others})


WEAK = "tulip-Garden"
HEADERS = {GITHUB: "x", "x-api-key": WEAK, "Authorization": f"Bearer {WEAK}", "cookie": WEAK}
BESIDE_THE_LINES = [
    with_a_secret_in_each_text(
        HttpExchange, t=0.1, id=1, request_headers=HEADERS, response_headers=HEADERS
    ),
    with_a_secret_in_each_text(Disconnect, t=0.1, exchange=1),
    with_a_secret_in_each_text(Delivery, seq=1, t=0.1, to=Peer.AGENT),
    with_a_secret_in_each_text(Delivery, seq=1, t=0.1, to=Peer.AGENT, raw=GITHUB.encode()),
    with_a_secret_in_each_text(Delivery, seq=1, t=0.1, to=Peer.AGENT, redacted=(f"/{GITHUB}",)),
    Frame(1, 0.1, Peer.AGENT, b"{}\n", via=with_a_secret_in_each_text(Via)),
]


@pytest.mark.parametrize("record", BESIDE_THE_LINES, ids=lambda record: type(record).__name__)
def test_no_text_of_a_record_and_no_name_of_a_header_has_a_secret(record, tmp_path):
    redactor = Redactor()
    redactor.learn(record)
    done = repr(redactor.record(record))
    assert GITHUB not in done
    assert WEAK not in done
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), record]))
    assert any("github-token" in line for line in secrets_in_file(str(path), Redactor()))


@pytest.mark.parametrize("before", ["bearer.", "acp, bearer.", "bearer, ", "", "acp.v1, auth."])
def test_a_token_among_the_protocols_of_a_websocket_is_masked(before):
    token = "n6RNuyug1S4JSTxp4gnstZrZ"
    headers = {"Sec-WebSocket-Protocol": before + token, "sec-websocket-version": "13"}
    record = HttpExchange(0.1, 1, "ws", "GET", "/acp", request_headers=headers)
    redactor = Redactor()
    redactor.learn(record)
    done = redactor.record(record).request_headers["Sec-WebSocket-Protocol"]
    assert done == f"{before}redacted-header-1"


def test_names_of_protocols_stay():
    for protocols in ("graphql-transport-ws", "acp, v12.stomp", "openai-insecure-api-key", "mqtt"):
        record = HttpExchange(
            0.1, 1, "ws", "GET", "/acp", request_headers={"sec-websocket-protocol": protocols}
        )
        assert Redactor().record(record) == record


def test_a_cut_copy_at_the_end_of_a_string_ends_with_it():
    """It is found twice: as a part of the secret, and as what was found before."""
    secret = "q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpA"
    setting = json.dumps({"params": {"env": {"GH": secret}}}).encode() + b"\n"
    copy = json.dumps({"params": {"text": f"used {secret[:20]}"}, "id": 1}).encode() + b"\n"
    frames = [Frame(1, 0.1, Peer.CLIENT, setting), Frame(2, 0.2, Peer.AGENT, copy)]
    redactor = Redactor()
    for each in frames:
        redactor.learn(each)
    assert json.loads(redactor.record(frames[1]).raw) == {
        "params": {"text": "used redacted-env-1"},
        "id": 1,
    }


def test_a_message_with_half_of_an_emoji_is_redacted_string_by_string():
    """As a whole, `password: "}}, "` would be an assignment."""
    raw = rb'{"params": {"a": {"text": "cut \ud83d, password: "}}, "id": "x"}'
    assert redacted(raw) == (raw, ())
    secret = rb'{"params":{"text":"cut \ud83d","hint":"password: hunter2!"}}'
    assert redacted(secret)[0].endswith(b'"hint":"password: redacted-assignment-1"}}')


def test_a_key_right_after_another_is_masked_and_so_nothing_changes_the_second_time():
    keys = spelled_out("AKIA<upper 16>") + spelled_out("ghp_<36>")
    once, places = redacted(b'{"params":{"text":"%b, Bearer token=q7Zk2Vw9"}}' % keys.encode())
    assert once.startswith(b'{"params":{"text":"redacted-aws-key-id-1redacted-github-token-1, ')
    assert places == ("/params/text",)
    assert redacted(once)[0] == once


def pieces(*texts):
    """Return frames with these texts: as the blocks of a prompt, and as pieces of an output."""
    blocks = [{"type": "text", "text": text} for text in texts]
    prompt = {"method": "session/prompt", "params": {"prompt": blocks}}
    updates = [
        {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "rawOutput": {"stdout": text}}
        for text in texts
    ]
    output = [{"method": "session/update", "params": {"update": update}} for update in updates]
    return [
        [
            Frame(seq, seq / 10, Peer.CLIENT, json.dumps(each).encode() + b"\n")
            for seq, each in enumerate(messages, 1)
        ]
        for messages in ([prompt], output)
    ]


@pytest.mark.parametrize(
    ("texts", "wishes"),
    [
        (["DB_", "PASSWORD=gJWB", "qv2k/tsu9w9Ye"], {}),
        (["- name: DB_PASSWORD\n  value: hf_", "fjBPwMm47JN", "xY3QCqstMmsSpv", "XiD67iuMx"], {}),
        ([r"Cookie: session=2P6Ap\4P6wzP; theme=dark", "x"], {}),
        (["id PROJ-12, MYVAL-7", "x"], {"values": [re.compile(r"\w+-\d+")]}),
        (["12 and 3", "4"], {"values": [re.compile(r"\d")]}),
    ],
)
def test_a_part_of_a_placeholder_is_not_masked_again(texts, wishes):
    for frames in pieces(*texts):
        after = frames
        for _ in range(2):
            before, redactor = after, Redactor(**wishes)
            for each in before:
                redactor.learn(each)
            after = [redactor.record(each) for each in before]
        assert after == before


def test_what_was_found_of_a_key_that_repeats_itself_is_not_found_again():
    """Or a line of 50 kB would take 20 s."""
    key = b"xoxb-" + b"aA0_xoxb-" * 99
    learned = LearnedValues()
    learned.learn([secret_at(key, 0, len(key), "slack-token")])
    found = list(learned.find(b"x" + key * 2))
    assert sum(len(each.text) for each in found) <= 2 * len(key)


@pytest.mark.parametrize("name", ["hmac", "token", "access_token"])
def test_a_parameter_of_a_challenge_is_masked(name):
    key = spelled_out("<24>")
    headers = {"www-authenticate": f'X realm="a b", {name}="{key}", error="no"'}
    record = HttpExchange(1.0, 1, "http", "GET", "/acp", response_headers=headers)
    [done] = Redactor().record(record).response_headers.values()
    assert done == f'X realm="a b", {name}="redacted-assignment-1", error="no"'


@pytest.mark.parametrize("password", ["pässwörd-9x", "пароль-9xÄ", "пароль9кот", "naïve!café"])
def test_copies_of_a_password_with_other_letters_are_masked(password):
    def line(message, **options):
        return frame(json.dumps(message, **options).encode() + b"\n")

    nested = json.dumps({"a": f"sent {password}"})
    records = [
        Stderr(0.1, f"signed in with {password}.\n".encode()),
        line({"params": {"text": f"try {password}, please"}}, ensure_ascii=False),
        line({"params": {"text": f"try {password}, please"}}),
        line({"params": {"text": nested}}),
        line({"params": {"password": password}}),
    ]
    redactor = Redactor()
    for record in records:
        redactor.learn(record)
    done = [redactor.record(record).raw for record in records]
    assert all(b"redacted-secret-1" in raw for raw in done)
    assert all(text in done[at] for at, text in enumerate([b"with ", b"please", b"please"]))
    for raw in done:
        raw.decode()


@pytest.mark.parametrize("password", ["k4Jw81mZq0Xt", "Tr0ub4dor&3", "q7Zk2Vw9Xn4Rb8Tm3Yc6"])
def test_what_a_secret_says_in_base64_is_masked_elsewhere(password):
    """As `kubectl get secret` and `base64 -d` print it, and as a header has it."""
    encoded = b64encode(password.encode()).decode()
    settings = f"apiVersion: v1\nkind: Secret\ndata:\n  password: {encoded}\n"
    header = f"Authorization: Basic {b64encode(f'bob:{password}'.encode()).decode()}"
    for text in (settings, header):
        redactor = Redactor()
        copy = Stderr(0.1, f"it says {password}, bob\n".encode())
        redactor.learn(copy)
        redactor.learn(frame(json.dumps({"params": {"text": text}}).encode()))
        assert re.fullmatch(rb"it says redacted-[a-z-]+-1, bob\n", redactor.record(copy).raw)


def test_a_label_with_other_letters_is_not_searched_for_elsewhere():
    redactor = Redactor()
    redactor.learn(frame('{"params":{"password":"Passwörter"}}\n'.encode()))
    stays = frame('{"params":{"text":"Passwörter ändern"}}\n'.encode())
    assert redactor.record(stays) is stays


def test_a_cut_copy_of_a_password_ends_where_a_letter_ends():
    redactor = Redactor()
    redactor.learn(frame('{"params":{"password":"q7Zk2Vw9Xn4Rö8Tm"}}\n'.encode()))
    [done] = [redactor.record(Stderr(0.1, "is q7Zk2Vw9Xn4Rä ok\n".encode()))]
    assert done.raw.decode() == "is redacted-secret-1ä ok\n"


def test_only_a_line_with_a_secret_is_searched_again():
    def searches(text):
        redactor, lines = Redactor(), []
        find = redactor.finder.find
        redactor.finder.find = lambda raw, stream="": lines.append(raw) or find(raw, stream)
        done = redactor.record(Stderr(0.1, text.encode()))
        assert "ghp_" not in done.raw.decode()
        return len(lines)

    assert searches("token and password\n") == 1
    assert searches(f'{{"a":"{GITHUB}"}} {GITHUB} ok\n') == 2
    assert searches(f"{GITHUB}{GITHUB[:4]}{GITHUB[:3:-1]}\n") == 2


@pytest.mark.parametrize(
    "params",
    [
        {"text": "DB_PASSWORD={}\nthen saw {} in the log"},
        {"text": "used {}", "_meta": {"apiKey": "{}"}},
        {"title": "curl -u bob:{} https://x", "output": "sent {}"},
    ],
)
def test_while_recording_a_copy_in_the_same_message_is_masked(params):
    raw = (
        json.dumps({"method": "x", "params": params}).replace("{}", "q7Zk2Vw9Xn4Rb8Tm5Ls1").encode()
    )
    done = Redactor().record(frame(raw + b"\n")).raw
    assert b"q7Zk2Vw9" not in done
    assert done.count(b"redacted-") == 2


SHOWN, COPY = "DB_PASSWORD=q7Zk2Vw9Xn4Rb8Tm", "saw q7Zk2Vw9Xn4Rb8Tm"
BY_HEADER = {"cookie": "lang=en; sid=q7Zk2Vw9Xn4Rb8Tm; theme=dark"}
SHOWN_LINE, COPIED_LINE = (
    json.dumps({"method": "x", "params": {"text": text}}).encode() + b"\n" for text in (SHOWN, COPY)
)
HTTP, DELIVERY, VIA = (0.5, 1, "http", "POST"), (1, 0.5, Peer.CLIENT), ("http", "post")
IN_ONE_RECORD = {
    "body, then header": HttpExchange(*HTTP, "/", body=COPY, request_headers=BY_HEADER),
    "body, then header of response": HttpExchange(
        *HTTP, "/", body=COPY, response_headers=BY_HEADER
    ),
    "path, then header": HttpExchange(*HTTP, f"/{COPY}", request_headers=BY_HEADER),
    "path, then body": HttpExchange(*HTTP, f"/{COPY}", body=SHOWN),
    "header, then error": HttpExchange(*HTTP, "/", request_headers={"origin": COPY}, error=SHOWN),
    "session, then reason": Disconnect(0.5, 1, "ws", "x", "agent", session=COPY, reason=SHOWN),
    "line, then error": Delivery(*DELIVERY, "x.py", "failed", COPIED_LINE, error=SHOWN),
    "error, then line": Delivery(*DELIVERY, "x.py", "failed", SHOWN_LINE, error=COPY),
    "by, then line": Delivery(*DELIVERY, COPY, "replaced", SHOWN_LINE),
    "by, then error": Delivery(*DELIVERY, COPY, "failed", error=SHOWN),
    "via, then line": Frame(1, 0.5, Peer.AGENT, SHOWN_LINE, via=Via(*VIA, session=COPY)),
    "line, then via": Frame(1, 0.5, Peer.AGENT, COPIED_LINE, via=Via(*VIA, session=SHOWN)),
    "reason, then name": Exit(0.5, 1, reason=COPY, undelivered={SHOWN: 1}),
    "name, then reason": Exit(0.5, 1, reason=SHOWN, undelivered={COPY: 1}),
    "command, then note": Header(command=("agent", COPY), note=SHOWN),
    "folder, then note": Header(cwd=f"/{COPY}", note=SHOWN),
    "note, then tool": Header(note=COPY, tool=SHOWN),
}


@pytest.mark.parametrize("record", IN_ONE_RECORD.values(), ids=IN_ONE_RECORD)
def test_while_recording_a_copy_in_the_same_record_is_masked(record):
    redactor = Redactor()
    redactor.learn(record)
    done = Redactor().record(record)
    assert "q7Zk2Vw9" not in repr(done)
    assert done == redactor.record(record)


SHORT_KEY = "\n".join(
    ["-----BEGIN PRIVATE KEY-----", *["q7Zk2Vw9" * 8] * 2, "-----END PRIVATE KEY-----", ""]
)
CUT_KEY = SHORT_KEY.partition("-----END")[0]


@pytest.mark.parametrize("text", [
    json.dumps({"private_key": SHORT_KEY}, indent=2),
    json.dumps({"private_key": CUT_KEY, "client_email": "x@example.com"}),
    f"DEBUG out: {json.dumps({'private_key': CUT_KEY, 'client_email': 'x@example.com'})}",
    f"```\n{json.dumps({'privateKey': SHORT_KEY, 'client_email': 'x@example.com'})}\n```",
])  # fmt: skip
def test_a_private_key_in_json_is_masked_as_far_as_its_string(text):
    for record in (
        Stderr(0.1, text.encode()),
        Frame(1, 0.1, Peer.AGENT, json.dumps({"params": {"content": text}}).encode()),
    ):
        masked = Redactor().record(record)
        assert b"q7Zk2Vw9" not in masked.raw
        assert text.count("client_email") == masked.raw.count(b"client_email")
        assert text.count("x@example.com") == masked.raw.count(b"x@example.com")
        assert Redactor().record(masked).raw == masked.raw


def test_what_is_beside_a_secret_in_an_object_of_python_stays():
    text = "{'stdout': 'A=1\\nDB_PASSWORD=s3kr3tA9\\nREDIS_PASSWORD=null\\nP=\"x\"', 'code': 0}"
    masked = Redactor().record(Stderr(0.1, text.encode()))
    assert masked.raw.decode() == text.replace("s3kr3tA9", "redacted-variable-1")


def test_what_is_beside_a_secret_in_json_in_a_line_of_a_log_stays():
    inner = json.dumps([{"key": "password", "value": "p0stman7", "type": "secret"}])
    text = f"result: {json.dumps({'stdout': inner})}"
    masked = Redactor().record(Stderr(0.1, text.encode()))
    assert masked.raw.decode() == text.replace("p0stman7", "redacted-secret-1")


def test_a_line_end_after_a_password_stays_in_a_string_that_is_nested_deeper_than_is_read():
    text = "DB_PASSWORD=Fj39fk20dk\nX=1\n"
    for _ in range(5):
        text = json.dumps({"text": text})
    masked = Redactor().record(Frame(1, 0.1, Peer.AGENT, text.encode()))
    assert masked.raw.decode() == text.replace("Fj39fk20dk", "redacted-variable-1")


def test_a_text_is_masked_while_another_thread_redacts_and_nothing_is_learned_from_it():
    redactor = Redactor()
    redactor.text("the password is q7Zk2Vw9Xn4Rb8Tm")
    known = redactor.finder.learned_count
    said = redactor.text_meanwhile("q7Zk2Vw9Xn4Rb8Tm again, DB_PASSWORD=hunter2")
    assert said == "redacted again, DB_PASSWORD=redacted-variable-1"
    assert redactor.finder.learned_count == known


BESIDE = [
    '<pre>{"headers":{"x-foo":"*"}}</pre>',
    'relay\trequest failed\t{"headers": {"x-foo": "*"}}',
    '[error]{"env":{"FOO":"*"}}',
    '{"errors":{"password":"required"}}',
    '{"token":"expired"}',
    '{"token":"*"}',
]


@pytest.mark.parametrize("text", BESIDE)
def test_what_is_beside_a_line_is_learned_and_checked_as_it_is_masked(text, tmp_path):
    key = "q7Zk2Vw9Xn4Rb8Tc5Hj1Lm6P"
    said = text.replace("*", key)
    copy = Frame(1, 0.1, Peer.AGENT, b'{"a":"I saw %b there"}\n' % key.encode())
    exchange = HttpExchange(0.2, 1, "http", "POST", "/acp", status=502, body=said)
    end = Disconnect(0.3, 1, "ws", "connection", "agent", reason=said)
    records = [copy, exchange, end, Exit(0.4, 1, reason=said)]
    path = tmp_path / "c.jsonl"
    path.write_bytes(encode([Header(), *records]))
    redactor = Redactor()
    redactor.learn_all(records)
    done = [redactor.record(record) for record in records]
    is_secret = key in said
    assert (key not in str(done)) == is_secret
    assert bool(list(secrets_in_file(str(path), Redactor()))) == is_secret
    if not is_secret:
        assert done == records


def test_a_long_id_beside_each_line_is_searched_once_for_all(monkeypatch):
    """To search it again for each took a second."""
    redactor = Redactor()
    searched = []
    find = redactor.finder.find_in_text
    monkeypatch.setattr(
        redactor.finder, "find_in_text", lambda raw: searched.append(raw) or find(raw)
    )
    via = Via("http", "get", "c", "password=a1b2c3d4 " * 100)
    frames = [Frame(seq, 0.1, Peer.AGENT, b"{}\n", via=via) for seq in range(9)]
    done = {redactor.record(frame).via for frame in frames}
    assert len(done) == 1
    assert searched.count(via.session.encode()) == 1
