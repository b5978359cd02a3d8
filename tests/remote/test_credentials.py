import re
import sys

import pytest

from acp_spy.remote import credentials
from acp_spy.remote.credentials import (
    RECORDED,
    credentials_in,
    recorded,
    without_credentials,
)
from acp_spy.secrets.redactor import Redactor

SECRET = "s3cret"


IN_HEADERS = [
    ("authorization", "Bearer s3cret", "Bearer redacted"),
    ("authorization", "s3cret", "redacted"),
    ("cookie", "route=s3cret; b=s3cret", "route=redacted; b=redacted"),
    ("set-cookie", "route=s3cret; Path=/; HttpOnly", "route=redacted; Path=/; HttpOnly"),
    ("set-cookie", "a=s3cret, b=s3cret", "a=redacted, b=redacted"),
    (
        "set-cookie",
        "a=s3cret; Path=/, b=s3cret; Secure",
        "a=redacted; Path=/, b=redacted; Secure",
    ),
    (
        "set-cookie",
        "a=s3cret; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=s3cret; HttpOnly",
        "a=redacted; Expires=Wed, 09 Jun 2027 10:18:14 GMT, b=redacted; HttpOnly",
    ),
    ("set-cookie", 'a="s3cret, s3cret; s3cret"', "a=redacted,redacted;redacted"),
    ("set-cookie", "path=s3cret; odd=s3cret; s3cret", "path=redacted; odd=redacted;redacted"),
    ("sec-websocket-protocol", "acp, qwen-bearer.s3cret", "acp, qwen-bearer.redacted"),
    ("sec-websocket-protocol", "s3cret, bearer, s3cret", "redacted, bearer, redacted"),
    ("location", "/acp?token=s3cret&a=b", "/acp?token=redacted&a=b"),
    ("cookie", 'a="s3cret, s3cret s3cret"; b=', "a=redacted; b=redacted"),
    ("cookie", "s3cret", "redacted"),
    ("sec-websocket-protocol", "bearer, s3cret, acp", "bearer, redacted, acp"),
    ("sec-websocket-protocol", "acp, access_token,s3cret", "acp, access_token,redacted"),
    ("sec-websocket-protocol", "acp, graphql-ws", "acp, graphql-ws"),
    ("sec-websocket-protocol", "acp, q7Zk2Vw9Xn4Rb8Tm3Yc6", "acp, redacted"),
    ("sec-websocket-protocol", "7f3a90c1d2e8b6457f3a90c1d2e8b645", "redacted"),
    ("sec-websocket-protocol", "v5.channel.k8s.io, acp.v1", "v5.channel.k8s.io, acp.v1"),
    ("sec-websocket-protocol", "auth, s3cret, acp", "auth, redacted, acp"),
    ("sec-websocket-protocol", "authorization , s3cret", "authorization, redacted"),
    ("sec-websocket-protocol", "bearer,, s3cret", "bearer,, redacted"),
    ("sec-websocket-protocol", "bearer, token, s3cret", "bearer, redacted, redacted"),
    ("sec-websocket-protocol", "acp, bearer-s3cret", "acp, bearer-redacted"),
    ("sec-websocket-protocol", "v1.bearer.a.k8s.io.s3cret", "v1.bearer.redacted"),
    ("authorization", "s3cret, Bearer s3cret", "redacted"),
    ("location", "https://a:s3cret@b.io/x", "https://redacted@b.io/x"),
    ("location", "/in#access_token=s3cret&a=b", "/in#access_token=redacted&a=b"),
    ("content-type", "application/json", "application/json"),
    ("origin", "https://a:s3cret@b.io", "https://redacted@b.io"),
    ("user-agent", "x/1 (+https://a:s3cret@b.io/)", "x/1 (+https://redacted@b.io/)"),
    (
        "www-authenticate",
        'Bearer realm="a b", token="s3cret"',
        'Bearer realm="a b", token=redacted',
    ),
    ("www-authenticate", "X hmac=s3cret,qop=auth", "X hmac=redacted,qop=auth"),
    ("www-authenticate", 'X sig="s3cret, s3cret", a="b"', 'X sig=redacted, a="b"'),
    ("www-authenticate", "Negotiate q7Zk2Vw9Xn4Rb8Tm3Yc6==", "Negotiate redacted"),
    (
        "www-authenticate",
        'Bearer authorization_uri="https://a:s3cret@b.io/t", error="invalid_token"',
        'Bearer authorization_uri="https://redacted@b.io/t", error="invalid_token"',
    ),
]


@pytest.mark.parametrize(("name", "value", "shown"), IN_HEADERS)
def test_a_credential_is_replaced_in_a_header(name, value, shown):
    assert recorded([(name, value)]) == {name: shown}
    assert recorded([(name, value)], keep=True) == {name: value}


def test_only_some_headers_are_recorded():
    assert recorded(
        [("x-api-key", SECRET), ("proxy-authorization", SECRET), ("accept", "*/*")]
    ) == {"accept": "*/*"}
    assert "x-api-key" not in RECORDED


IN_PATHS = [
    ("/acp", "/acp"),
    ("/acp/ws?token=s3cret", "/acp/ws?token=redacted"),
    ("/acp?a=1&API_KEY=s3cret&b=2", "/acp?a=1&API_KEY=redacted&b=2"),
    ("/acp?access_token=s3cret#part", "/acp?access_token=redacted#part"),
    ("/in?code=s3cret&status_code=1", "/in?code=redacted&status_code=1"),
    ("/acp?pwd=s3cret&jwt=s3cret", "/acp?pwd=redacted&jwt=redacted"),
    ("/acp?token=s3cret?s3cret;s3cret&a=1", "/acp?token=redacted&a=1"),
    ("/acp?%74oken=s3cret", "/acp?%74oken=redacted"),
    ("/acp;token=s3cret", "/acp;token=redacted"),
    ("/in?to=https://a.io/?key=s3cret#b", "/in?to=https://a.io/?key=redacted#b"),
    ("http://a:s3cret@s3cret@b.io/acp", "http://redacted@b.io/acp"),
    ("http://a:s3 cret@b.io?a=c@d", "http://redacted@b.io?a=c@d"),
    ("/acp?a=@", "/acp?a=@"),
]


@pytest.mark.parametrize(("path", "shown"), IN_PATHS)
def test_a_credential_is_replaced_in_a_path(path, shown):
    assert without_credentials(path) == shown


def test_a_list_may_be_split_over_headers_and_is_cut_afterwards():
    name = "sec-websocket-protocol"
    lines = [(name, "acp, bearer"), (name, SECRET), (name, "acp")]
    assert recorded(lines) == {name: "acp, bearer, redacted, acp"}
    assert recorded(lines, keep=True) == {name: f"acp, bearer, {SECRET}, acp"}
    lines = [("set-cookie", "a=s3cret; Path=/"), ("set-cookie", "b=s3cret")]
    assert recorded(lines) == {"set-cookie": "a=redacted; Path=/, b=redacted"}
    lines = [("authorization", SECRET), ("authorization", f"Bearer {SECRET}")]
    assert recorded(lines) == {"authorization": "redacted, Bearer redacted"}
    for keep in (False, True):
        found = recorded([("accept", "a" * 1000)] * 100, keep=keep)
        assert found["accept"] == f"{'a' * 1000}, "  # no part of the next one, up to 1024


@pytest.mark.parametrize(
    ("offered", "chosen", "shown"),
    [
        ("bearer, s3cret", "s3cret", "redacted"),
        ("acp, qwen-bearer.s3cret", "qwen-bearer.s3cret", "qwen-bearer.redacted"),
        ("bearer, s3cret, acp", "acp", "acp"),
        ("bearer, s3cret", "bearer", "bearer"),
    ],
)
def test_a_credential_that_a_server_repeats_is_replaced(offered, chosen, shown):
    """A server must choose one of the protocols; by itself a token may look like the name of one."""
    name = "sec-websocket-protocol"
    request = [("host", "localhost"), *((name, each) for each in offered.split(","))]
    assert recorded([(name, chosen)], request=request) == {name: shown}
    assert recorded([(name, chosen)], request=request, keep=True) == {name: chosen}


def most_characters(pattern):
    """Return how many characters a pattern looks at, at most, at each place of a text."""
    return re._parser.parse(pattern.pattern).getwidth()[1]


@pytest.mark.long
@pytest.mark.parametrize(
    "text", ["key", "a", '"key', "key,", "?key=", "&key", "?", "@", "//", "//@", "%6b", "key;", " "]
)
def test_the_work_grows_as_the_text_does(text):
    """What a stranger sends is looked at where all traffic passes: all of it would wait."""
    patterns = [value for value in vars(credentials).values() if isinstance(value, re.Pattern)]
    assert patterns
    assert max(map(most_characters, patterns)) < 20

    def work(size):
        value = (text * size)[:size]
        steps = 0

        def count(*_):
            nonlocal steps
            steps += 1

        sys.setprofile(count)
        try:
            headers = [(name, value) for name in ("location", "cookie", "set-cookie")]
            protocols = [("sec-websocket-protocol", value)]
            recorded([*headers, *protocols], request=protocols)
            without_credentials(f"/a?x=1&{value}")
        finally:
            sys.setprofile(None)
        return steps

    assert work(64 * 1024) < 17 * work(4 * 1024)


RANDOM = "q7Zk2Vw9Xn4Rb8Tm3Yc6"


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, value, _ in IN_HEADERS if SECRET in value]
)
def test_what_is_not_recorded_of_a_header_is_masked_in_messages(name, value):
    value = value.replace(SECRET, RANDOM, 1).replace(SECRET, "other")
    assert RANDOM not in masked([(name, value)], f"hello {RANDOM} there")


@pytest.mark.parametrize("path", [path for path, _ in IN_PATHS if SECRET in path])
def test_what_is_not_recorded_of_a_path_is_masked_in_messages(path):
    path = path.replace(SECRET, RANDOM, 1).replace(f"@{SECRET}", "").replace(SECRET, "")
    assert RANDOM not in masked([], f"hello {RANDOM} there", path)


@pytest.mark.parametrize(
    "path",
    ["/a?author=johnsmith1", "/a?session_id=q7Zk2Vw9Xn4Rb8Tm3Yc6", "/a?code=200", "//git42@b.io/"],
)
def test_what_may_be_no_credential_is_not_searched_for(path):
    value = re.split("[=/@]", path.strip("/"))[-2 if "@" in path else -1]
    assert masked([], f"it is {value}", path) == f"it is {value}"


def test_credentials_are_found_that_are_not_recorded():
    random = "q7Zk2Vw9Xn4Rb8Tm3Yc6"
    headers = [
        ("authorization", "Bearer one"),
        ("authorization", "two"),
        ("cookie", f'lang=en; sid="{random}"'),
        ("set-cookie", f"sid={random}; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT"),
        ("x-api-key", "three"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("sec-websocket-protocol", "acp, bearer.four, bearer, five"),
        ("acp-session-id", "s-1"),
    ]
    found = list(credentials_in(headers, "/acp?token=s%20x&session=s-1#api_key=seven"))
    cookies = [random, "lang=en; Secure", random]
    assert found == ["one", "two", *cookies, "three", "four", "five", "s x", "seven"]


def masked(headers, text, path=""):
    """Return a text that comes after these headers, whose credentials are not recorded."""
    redactor = Redactor()
    for credential in credentials_in(headers, path):
        redactor.learn_credential(credential)
    return redactor.text(text)


@pytest.mark.parametrize(
    "cookie", ["Kk3m9Qw7Xr2Lp5Vt", "qx7Lk2Vn9Rb4", "0a1b2c3d4e5f6071", "kP9mX2!vLq7Rt4wZ"]
)
@pytest.mark.parametrize(
    "header",
    [
        ("cookie", "sid={}"),
        ("cookie", 'lang=en; sid="{}"; theme=dark'),
        ("cookie", "path={}"),
        ("set-cookie", "sid={}"),
        ("set-cookie", "sid={}; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT"),
        ("set-cookie", "lang=en; Path=/, sid={}; HttpOnly"),
        ("set-cookie", "path={}; Path=/"),
    ],
)
def test_a_short_cookie_is_masked_in_a_message(header, cookie):
    name, value = header
    assert cookie not in masked([(name, value.format(cookie))], f"I saw {cookie} there")


@pytest.mark.parametrize(
    "header",
    [
        ("cookie", "theme=dark-mode-2024"),
        ("cookie", "sid=hunter2; route=eu-central-1-prod"),
        ("cookie", "seen=1799999999"),
        ("set-cookie", "lang=en; Path=/Kk3m9Qw7Xr2Lp5Vt; Domain=n7f3k9x2.agents.example"),
    ],
)
def test_ordinary_cookies_and_attributes_are_not_searched_for(header):
    name, value = header
    for text in (part.partition("=")[2].strip("/") for part in value.split("; ")):
        said = f"I saw {text} there"
        assert masked([(name, value)], said) == said
