import pytest

from acp_spy.errors import AcpSpyError
from acp_spy.remote.addresses import Guard, parse_listen, parse_origins, parse_target


def test_the_parts_of_a_url():
    target = parse_target("wss://agent.example/acp/ws?token=s3cret")
    assert (target.host, target.port, target.path) == (
        "agent.example",
        443,
        "/acp/ws?token=s3cret",
    )
    assert target.shown == "wss://agent.example/acp/ws?token=redacted"
    assert (target.is_tls, target.is_websocket, target.authority) == (True, True, "agent.example")
    assert parse_target("http://[::1]:8080/acp").authority == "[::1]:8080"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("ws://host?token=s3cret", "ws://host?token=redacted"),
        ("ws://host?token=s3cret@s3cret", "ws://host?token=redacted"),
        ("ws://host#token=s3cret/s3cret", "ws://host#token=redacted"),
        ("HTTP://host/acp?user=me@home", "HTTP://host/acp?user=me@home"),
    ],
)
def test_a_credential_of_a_url_is_not_shown(url, shown):
    assert parse_target(url).shown == shown
    assert parse_target(url).host == "host"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "acp",
        "ftp://a/b",
        "http://",
        "http://a:x/",
        "http://user:s3cret@host/acp",
        "http://u:s3cret@s3cret@host?a",
        "ws://host/a b?token=s3cret",
        "http://host/Ł",
    ],
)
def test_what_is_no_url_of_an_agent_is_refused_without_showing_a_password(url):
    with pytest.raises(AcpSpyError) as caught:
        parse_target(url)
    assert "s3cret" not in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("text", ["127.0.0.1:7000", "localhost:0", "[::1]:1", "127.3.4.5:9"])
def test_the_own_machine_may_be_listened_at(text):
    assert parse_listen(text, allow_remote=False)[1] == int(text.rpartition(":")[2])


@pytest.mark.parametrize("text", ["0.0.0.0:7000", "192.168.1.2:7000", "example.com:1", "[::]:80"])
def test_others_can_connect_only_if_that_is_allowed(text):
    with pytest.raises(AcpSpyError, match="other machines could connect"):
        parse_listen(text, allow_remote=False)
    assert parse_listen(text, allow_remote=True)


@pytest.mark.parametrize("text", ["7000", "localhost", "localhost:x", "localhost:70000", ":1"])
def test_an_address_has_a_host_and_a_port(text):
    with pytest.raises(AcpSpyError, match="expected HOST:PORT"):
        parse_listen(text, allow_remote=False)


@pytest.mark.parametrize(
    ("host", "origin", "is_allowed"),
    [
        ("127.0.0.1:7000", "", True),
        ("localhost", "", True),
        ("[::1]:7000", "", True),
        ("", "", False),
        ("rebound.example", "", False),
        ("localhost.evil.example", "", False),
        ("localhost:7000", "http://localhost:7000", True),
        ("LOCALHOST:7000", "https://localhost:7000", True),
        ("localhost:9000", "http://localhost:9000", True),  # through a tunnel
        ("localhost:7000", "http://localhost:3000", False),
        ("localhost:7000", "http://127.0.0.1:7000", False),
        ("localhost:7000", "http://localhost", False),
        ("localhost:7000", "ftp://localhost:7000", False),
        ("localhost:7000", "localhost:7000", False),
        ("localhost:7000", "https://page.example", False),
        ("localhost:7000", "null", False),
        ("localhost:7000", "https://allowed.example", True),
        ("[", "http://[", False),
        ("evil.example@localhost", "", False),
        ("localhost/evil.example", "", False),
        ("localhost?", "", False),
        ("[::1]evil.example", "", False),
        ("127.0.0.1:evil", "", False),
        ("x://127.0.0.1", "", False),
        ("localhost", "https://evil.example@localhost", False),
        ("localhost", "https://evil.example\\@localhost", False),
        ("localhost", "http://localhost https://evil.example", False),
    ],
)
def test_who_may_come(host, origin, is_allowed):
    guard = Guard("127.0.0.1", origins=("https://allowed.example",))
    assert (guard.refusal(host, origin) == "") is is_allowed


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("https://Example.com", "https://example.com"),
        ("https://example.com:443", "https://example.com"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("vscode-webview://0a1b-2c", "vscode-webview://0a1b-2c"),
    ],
)
def test_an_origin_is_what_a_browser_would_say(given, origin):
    assert parse_origins([given]) == (origin,)


@pytest.mark.parametrize(
    "given",
    ["", "*", "null", "example.com", "https://a.example/", "https://u@a.example", "http://bü.de"],
)
def test_what_no_browser_would_say_is_refused(given):
    with pytest.raises(AcpSpyError, match="it is not the origin of a page"):
        parse_origins([given])


def test_with_others_allowed_any_name_of_this_machine_will_do():
    guard = Guard("0.0.0.0", allow_remote=True)
    assert guard.refusal("laptop.lan:7000", "") == ""
    assert guard.refusal("laptop.lan:7000", "https://page.example")


def test_with_others_allowed_a_page_is_not_trusted_because_it_is_of_the_name_that_it_asks_for():
    """Its name may lead to this machine since a moment ago."""
    guard = Guard("0.0.0.0", allow_remote=True, origins=("http://laptop.lan:7000",))
    assert guard.refusal("page.example:7000", "http://page.example:7000")
    assert guard.refusal("page.example:7000", "", "same-origin")
    assert guard.refusal("laptop.lan:7000", "http://laptop.lan:7000") == ""
    assert guard.refusal("laptop.lan:7000", "", "same-origin") == ""


LOCAL, ELSEWHERE = ("origin", "http://localhost"), ("origin", "https://page.example")
HOST = ("host", "localhost")


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ([HOST, LOCAL], ""),
        ([HOST, ELSEWHERE, LOCAL], "it has two Origin headers"),
        ([HOST, LOCAL, LOCAL], "it has two Origin headers"),
        ([("host", "page.example"), HOST], "it has two Host headers"),
        ([HOST, ("sec-fetch-site", "cross-site")], "a page of another origin asks for it"),
        ([HOST, ("sec-fetch-site", "same-site")], "a page of another origin asks for it"),
        ([HOST, ("sec-fetch-site", "cross-site"), LOCAL], ""),
        ([HOST, ("sec-fetch-site", "same-origin")], ""),
        ([HOST, ("sec-fetch-site", "none")], ""),
        ([("accept", "*/*")], "it has no Host header"),
    ],
)
def test_no_header_of_a_request_may_say_that_it_is_of_another_page(headers, reason):
    assert Guard("127.0.0.1").refusal_of(headers) == reason
