"""What is read without h11 is read as h11 reads it; all that is not plain is left to h11."""

import h11
import pytest
from support.remote import get, post, response

from acp_spy.remote.simple_http import read_request, read_response

BODY = b'{"jsonrpc":"2.0"}'


def test_a_plain_request_is_read_as_h11_reads_it():
    data = post(BODY, "Acp-Connection-Id:c-1 ", "X-Empty:", "x-other: \u00e9 ", "Accept: a, b")
    parser = h11.Connection(h11.SERVER)
    parser.receive_data(data)
    event = parser.next_event()
    request = read_request(data)
    assert (request.method, request.path) == (event.method.decode(), event.target.decode())
    assert request.headers == [(n.decode(), v.decode("latin-1")) for n, v in event.headers]
    assert data[request.body_start :] == bytes(parser.next_event().data)


def test_only_the_host_is_replaced():
    data = post(BODY, "X-Forwarded-Host: localhost")
    expected = data.replace(b"Host: localhost", b"Host: there:80", 1)
    assert read_request(data).to_host(b"there:80") == expected


PLAIN = post(BODY)


@pytest.mark.parametrize(
    "data",
    [
        *(PLAIN[:at] for at in range(len(PLAIN))),
        PLAIN + b"x",
        PLAIN + PLAIN,
        post(BODY, "X-A: b\x0cc"),
        post(BODY, "X-A: b\x0bc"),
        get(),
        PLAIN.replace(b"HTTP/1.1", b"HTTP/1.0"),
        PLAIN.replace(b"Host: localhost\r\n", b""),
        post(BODY, "Host: other"),
        post(BODY, "Content-Length: 17"),
        post(BODY, "Transfer-Encoding: chunked"),
        post(BODY, "Expect: 100-continue"),
        post(BODY, "Connection: close"),
        post(BODY, "Connection: Upgrade", "Upgrade: h2c"),
        post(BODY, " folded: line"),
        post(BODY, "no colon"),
        post(BODY, "space : before"),
        post(BODY, "nul: \0"),
        post(BODY, "bare: cr\rlf"),
        post(BODY, "bare: lf\nEvil: yes"),
        PLAIN.replace(b"Content-Length: 17", b"Content-Length: +17"),
        PLAIN.replace(b"Content-Length: 17", b"Content-Length: 017"),
        PLAIN.replace(b"POST", b"PUT"),
    ],
)
def test_what_is_not_plain_is_left_to_h11(data):
    assert read_request(data) is None


def test_a_plain_response_is_read():
    data = response(400, b"Missing", "Content-Type: text/plain")
    found = read_response(data)
    assert (found.status, data[found.body_start :]) == (400, b"Missing")
    assert found.headers == [("content-length", "7"), ("content-type", "text/plain")]


ACCEPTED = response(202)


@pytest.mark.parametrize(
    "data",
    [
        *(ACCEPTED[:at] for at in range(len(ACCEPTED))),
        ACCEPTED + b"x",
        response(100),
        response(101),
        response(204),
        response(304),
        response(202, b"", "Connection: close"),
        response(202, b"", "Transfer-Encoding: chunked"),
        b"HTTP/1.1 202 OK\r\n\r\n",
        b"HTTP/1.0 202 OK\r\nContent-Length: 0\r\n\r\n",
        b"SSH-2.0\r\n\r\n",
    ],
)
def test_a_response_that_is_not_plain_is_left_to_h11(data):
    assert read_response(data) is None
