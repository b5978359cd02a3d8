"""Who gets what from the server of the live page: by raw HTTP, in memory."""

import json
import subprocess
import sys

import pytest
import trio
from support.live_pages import record, served
from support.processes import DEADLINE
from support.remote import receive, reset, tcp_pair
from support.users import another_user

from acp_spy.live_page import peer_user
from acp_spy.live_page.access import Access
from acp_spy.live_page.live_capture import Choices
from acp_spy.live_page.server import PageServer, Unrecorded

HERE = "Host: 127.0.0.1:7000"


class Lab:
    """A server, and what it answers to one request."""

    def __init__(self, folder):
        self.access = Access()
        self.complaints = []
        service = Unrecorded(7000, self.complaints.append)
        self._make = lambda: PageServer(service, self.access, Choices(), str(folder))

    def ask(self, method, path, *headers, body=b""):
        """Return the status, the headers and the body of the response."""
        return trio.run(self._ask, method, path, headers, body)

    async def _ask(self, method, path, headers, body):
        ours, theirs = tcp_pair()
        lines = [f"{method} {path} HTTP/1.1", *headers, f"Content-Length: {len(body)}", "", ""]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._make().handle, ours)
            await theirs.send_all("\r\n".join(lines).encode() + body)
            got = await receive(theirs, until=b"\r\n\r\n")
            head, _, rest = got.partition(b"\r\n\r\n")
            first, *fields = head.decode().split("\r\n")
            named = dict(field.lower().split(": ", 1) for field in fields)
            if "content-length" in named:
                rest += await receive(theirs, int(named["content-length"]) - len(rest))
            elif not rest.endswith(b"0\r\n\r\n"):
                rest += await receive(theirs, until=b"0\r\n\r\n")
            await theirs.aclose()
        assert [each for each in self.complaints if "refused" not in each] == []
        return int(first.split()[1]), named, rest

    def key(self):
        status, _, body = self.ask(
            "POST", "/api/enter", HERE, f"Authorization: Bearer {self.access.token}"
        )
        assert status == 200
        return json.loads(body)["key"]


@pytest.fixture
def lab(tmp_path):
    record(tmp_path).close()
    return Lab(tmp_path)


def lines_in(body):
    """Return what a chunked stream of lines says."""
    text = b"".join(part for part in body.split(b"\r\n")[1::2])
    return [json.loads(line) for line in text.splitlines() if line]


def test_the_token_gives_the_key_once_and_the_key_opens_the_capture(lab):
    bearer = f"Authorization: Bearer {lab.key()}"
    for _ in range(2):  # a reload, a second tab
        status, _, body = lab.ask("GET", "/api/capture/run.jsonl", HERE, bearer)
        assert status == 200
        assert ["about"] in [[*line] for line in lines_in(body)]
    token = f"Authorization: Bearer {lab.access.token}"
    status, _, body = lab.ask("POST", "/api/enter", HERE, token)
    error = json.loads(body)["error"]
    assert (status, error["message"]) == (403, "this link was used already: it works once")
    assert "`acp-spy view --serve` again" in error["hint"]
    _, _, body = lab.ask("POST", "/api/enter", HERE, f"{token}x")
    assert "this link is wrong: " in json.loads(body)["error"]["message"]


def test_a_wrong_token_gives_nothing_and_does_not_use_up_the_right_one(lab):
    for wrong in ("", "Bearer ", "Bearer x", f"Basic {lab.access.token}", "Bearer \xe9"):
        assert lab.ask("POST", "/api/enter", HERE, f"Authorization: {wrong}")[0] == 403
    assert lab.ask("POST", "/api/enter", HERE)[0] == 403
    assert lab.key()


@pytest.mark.parametrize(
    "path", ["/api/capture/run.jsonl", "/api/captures", "/api/hold/run.jsonl", "/api/"]
)
def test_without_the_key_there_is_nothing(lab, path):
    for header in ("X-Nothing: x", f"Authorization: Bearer {lab.access.token}"):
        status, _, body = lab.ask("GET", path, HERE, header)
        assert (status, [*json.loads(body)]) == (403, ["error"])


@pytest.mark.parametrize(
    "host",
    [
        "rebound.example:7000",
        "127.0.0.1",
        "127.0.0.1:7001",
        "localhost.example:7000",
        "[::1]:7000",
        "127.0.0.2:7000",
    ],
)
def test_another_name_for_this_server_is_refused(lab, host):
    """A page that had its own name resolve to 127.0.0.1 asks by that name (DNS rebinding)."""
    bearer = f"Authorization: Bearer {lab.key()}"
    assert lab.ask("GET", "/", f"Host: {host}")[0] == 403
    assert lab.ask("GET", "/api/captures", f"Host: {host}", bearer)[0] == 403


@pytest.mark.parametrize(
    "origin",
    [
        "https://page.example",
        "http://127.0.0.1:8000",
        "http://localhost:7000",
        "https://127.0.0.1:7000",
        "null",
    ],
)
def test_a_page_of_another_origin_is_refused(lab, origin):
    """So is a page of another port of this machine, and of this port by another name."""
    bearer = f"Authorization: Bearer {lab.key()}"
    assert lab.ask("GET", "/api/capture/run.jsonl", HERE, bearer, f"Origin: {origin}")[0] == 403
    assert lab.ask("POST", "/api/hold/run.jsonl", HERE, bearer, f"Origin: {origin}")[0] == 403


def test_the_name_of_a_capture_is_masked_in_errors(tmp_path):
    key = "ghp_" + "R4nD0mZx9QkW7LmP2sTv4BnH8dYc6Jf3Gt5K"
    record(tmp_path, name=f"run-{key}.jsonl").close()
    lab = Lab(tmp_path)
    bearer = f"Authorization: Bearer {lab.key()}"
    body = b'{"do":"get","seq":1}'
    status, _, said = lab.ask("POST", f"/api/hold/run-{key}.jsonl", HERE, bearer, body=body)
    assert status == 409
    assert b"redacted-github-token-1" in said
    assert key.encode() not in said


def test_the_own_origin_and_the_other_name_of_loopback_are_served(lab):
    bearer = f"Authorization: Bearer {lab.key()}"
    assert (
        lab.ask("GET", "/api/capture/run.jsonl", HERE, bearer, "Origin: http://127.0.0.1:7000")[0]
        == 200
    )
    local = ("Host: localhost:7000", "Origin: http://localhost:7000")
    assert lab.ask("GET", "/api/capture/run.jsonl", *local, bearer)[0] == 200


def test_what_a_browser_says_about_the_asking_site_counts(lab):
    bearer = f"Authorization: Bearer {lab.key()}"
    asked = ("GET", "/api/capture/run.jsonl", HERE, bearer)
    assert lab.ask(*asked, "Sec-Fetch-Site: same-site")[0] == 403
    assert lab.ask(*asked, "Sec-Fetch-Site: cross-site")[0] == 403
    assert lab.ask(*asked, "Sec-Fetch-Site: same-origin")[0] == 200


@pytest.mark.parametrize("path", ["/", "/capture/run.jsonl", "/capture/../../etc/passwd"])
def test_the_pages_have_no_data_and_a_policy_that_allows_only_this_server(lab, path):
    status, headers, page = lab.ask("GET", path, HERE)
    assert status == 200
    assert b"--acp" not in page
    assert b"run.jsonl" not in page
    policy = headers["content-security-policy"].split("; ")
    assert policy[0] == "default-src 'none'"
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert not [part for part in policy if "unsafe" in part or "*" in part]
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "name",
    [
        "other.jsonl",
        "..%2Frun.jsonl",
        "../run.jsonl",
        "%2Fetc%2Fpasswd",
        "notes.txt",
        "link.jsonl",
        "",
    ],
)
def test_only_captures_of_the_folder_can_be_asked_for(lab, tmp_path, name):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "run.jsonl")
    bearer = f"Authorization: Bearer {lab.key()}"
    assert lab.ask("GET", f"/api/capture/{name}", HERE, bearer)[0] == 404


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/favicon.ico", 404),
        ("GET", "/page.html", 404),
        ("GET", "//[", 404),
        ("GET", "//elsewhere.example/", 404),
        ("POST", "/", 405),
        ("GET", "http://127.0.0.1:7000/", 404),
        ("OPTIONS", "/api/captures", 403),
    ],
)
def test_nothing_else_is_served(lab, method, path, status):
    assert lab.ask(method, path, HERE)[0] == status


def by_bash(port, token, *before):
    """Return what a page gets that a program of a user asks for the key."""
    ask = (
        f"POST /api/enter HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nConnection: close\\r\\n"
        f"Authorization: Bearer {token}\\r\\nContent-Length: 0\\r\\n\\r\\n"
    )
    words = [
        *before,
        "bash",
        "-c",
        f"exec 3<>/dev/tcp/127.0.0.1/{port}; printf '{ask}' >&3; cat <&3",
    ]
    done = subprocess.run(words, capture_output=True, cwd="/", timeout=DEADLINE, check=True)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says whose a connection is")
def test_a_link_is_of_no_use_to_another_user_and_works_still(tmp_path, monkeypatch):
    """It is on the command line of the browser, which all users see."""
    monkeypatch.delenv("SUDO_UID", raising=False)
    with served(tmp_path) as page:
        status, answer = by_bash(page.port, page.access.token, *another_user())
        assert (status, [*answer]) == (403, ["error"])
        assert answer["error"]["message"] == "this link belongs to another user of this machine"
        status, answer = by_bash(page.port, page.access.token)
        assert (status, [*answer]) == (200, ["key"])


def test_who_has_become_root_to_start_it_may_see_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("SUDO_UID", "65534")
    with served(tmp_path) as page:
        assert by_bash(page.port, page.access.token, *another_user())[0] == 200


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says whose a connection is")
def test_a_connection_that_a_table_leaves_out_is_looked_for_again(monkeypatch):
    """As happens if another one that is before it goes while the table is read."""
    ours, theirs = tcp_pair()
    with ours.socket, theirs.socket:
        whole = [line for table in peer_user._TABLES for line in peer_user._lines(table)]
        port = f":{theirs.socket.getsockname()[1]:04X} "
        gaps = [line for line in whole if not line.split()[1].endswith(port.strip())]
        for missed, is_stranger in ((3, False), (100, True)):
            reads = iter([*[gaps] * missed, whole])
            monkeypatch.setattr(peer_user, "_TABLES", ("one",))
            monkeypatch.setattr(peer_user, "_lines", lambda _, reads=reads: next(reads))
            assert peer_user.is_stranger(ours.socket) == is_stranger


@pytest.mark.parametrize("table", ["/there/is/none", "/dev/null"])
def test_where_no_system_tells_nobody_is_a_stranger(table, monkeypatch):
    monkeypatch.setattr(peer_user, "_TABLES", (table,))
    ours, theirs = tcp_pair()
    with ours.socket, theirs.socket:
        assert not peer_user.is_stranger(ours.socket)


def test_a_connection_that_has_gone_is_of_a_stranger():
    """Who resets theirs while the tables are read must not use up the link."""
    ours, theirs = tcp_pair()
    trio.run(reset, theirs)
    with ours.socket:
        assert peer_user.is_stranger(ours.socket)


def test_a_connection_that_goes_while_the_tables_are_read_is_of_a_stranger(monkeypatch):
    ours, theirs = tcp_pair()

    def without_it(_table):
        if theirs.socket.fileno() >= 0:
            trio.run(reset, theirs)
        return []

    monkeypatch.setattr(peer_user, "_lines", without_it)
    with ours.socket:
        assert peer_user.is_stranger(ours.socket)
