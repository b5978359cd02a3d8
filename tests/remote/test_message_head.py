"""The head of a message is read, whatever else is in it."""

import pytest

from acp_spy.remote.message_head import head_of, key_of, value_of


@pytest.mark.parametrize(
    "odd",
    [
        b'"\\ud83d"',
        b"1e400",
        b"-0",
        b"NaN",
        b"1" * 400,
        b"-" + b"1" * 9000,
        b'"\xff"',
        b'"\\u0000"',
        b"[" * 900 + b"]" * 900,
    ],
)
def test_a_message_with_something_odd_in_it_has_its_head(odd):
    message = head_of(
        b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"sessionId":"s","a":%b}}' % odd
    )
    assert (message["id"], message["method"], message["params"]["sessionId"]) == (7, "x", "s")


@pytest.mark.parametrize("raw", [b"", b"  ", b"[]", b"7", b'"a"', b"{", b"[" * 100_000, b"\xff{}"])
def test_what_is_no_message_has_none(raw):
    assert head_of(raw) == {}


@pytest.mark.parametrize(("raw", "value"), [(b' {"a":%b}', {}), (b"[%b]", [])])
def test_what_is_nested_too_deeply_is_an_object_or_a_list_all_the_same(raw, value):
    assert value_of(raw % (b"[" * 100_000 + b"]" * 100_000)) == value


@pytest.mark.parametrize("ident", [b"7", b'"a"', b'"\\ud83d"', b"null", b"1e400", b"[1]"])
def test_an_id_is_the_same_in_request_and_response(ident):
    request = head_of(b'{"id":%b,"method":"x"}' % ident)
    response = head_of(b'{"result":"\\ud83d","id":%b}' % ident)
    assert key_of(request["id"]) == key_of(response["id"])
