from itertools import product

import pytest
from support.families import for_each

from acp_spy.remote.chunked import ChunkedReader

BODY = b"1\r\na\r\n2\r\nbc\r\n4\r\nWiki\r\n7;name=value\r\npedia i\r\nB\r\nn \r\nchunks.\r\n"
TEXT = b"abcWikipedia in \r\nchunks."
ENDS = [b"0\r\n\r\n", b"0\r\nExpires: never\r\nA: b\r\n\r\n"]


@for_each(product(range(1, len(BODY) + max(map(len, ENDS)) + 1), ENDS), str)
def test_a_body_is_the_same_however_it_is_cut(size_and_end):
    size, end = size_and_end
    reader = ChunkedReader()
    data = BODY + end
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    pieces[-1] += b"HTTP/1.1 200 OK"
    assert b"".join(map(reader.feed, pieces)) == TEXT
    assert (reader.is_over, reader.is_broken, reader.rest) == (True, False, b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    "data", [b"x\r\n", b"-1\r\n", b"1" * 20_000, b"4\r\nWiki\r\nno\r\n", b"5\r\nWiki\r\n4\r\n"]
)
def test_what_is_not_chunked_is_noticed(data):
    reader = ChunkedReader()
    reader.feed(data)
    assert reader.is_broken


@pytest.mark.parametrize("size", [b"+4", b"0x4", b"0_4", b" 4"])
def test_a_size_is_hexadecimal_digits_and_nothing_that_python_reads_as_well(size):
    reader = ChunkedReader()
    reader.feed(size + b"\r\nWiki\r\n")
    assert reader.is_broken


def test_a_chunk_must_end_with_a_line_end_however_it_is_cut():
    data = b"4\r\nWiki\rX"
    for at in range(len(data)):
        reader = ChunkedReader()
        reader.feed(data[:at])
        reader.feed(data[at:])
        assert reader.is_broken
