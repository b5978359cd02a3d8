from hypothesis import given
from hypothesis import strategies as st

from acp_spy.wire.framing import LONGEST_LINE, Framer, Parts, split_lines

# Bytes that a framer might trip over, and any others.
pieces = st.sampled_from([b"\n", b"\r", b"\r\n", b"\n\n", b"{}", b'{"a": 1}\n', b"\xc3", b"\x0b"])
chunks = st.lists(st.one_of(pieces, st.binary(max_size=30)), max_size=30)


def frame_all(chunks, framer):
    lines = [line for chunk in chunks for line in framer.feed(chunk)]
    return lines, framer.close()


@given(chunks)
def test_lines_and_tail_joined_are_the_input(chunks):
    lines, tail = frame_all(chunks, Framer())
    assert b"".join(lines) + tail == b"".join(chunks)


@given(chunks)
def test_every_line_has_one_line_feed_at_its_end(chunks):
    lines, tail = frame_all(chunks, Framer())
    assert all(line.index(b"\n") == len(line) - 1 for line in lines)
    assert b"\n" not in tail


@given(chunks, st.integers(min_value=1, max_value=7))
def test_the_lines_do_not_depend_on_the_chunks(chunks, size):
    stream = b"".join(chunks)
    even = [stream[start : start + size] for start in range(0, len(stream), size)]
    framed = frame_all(chunks, Framer())
    assert framed == frame_all([stream], Framer())
    assert framed == frame_all(even, Framer())


@given(chunks, st.integers(min_value=0, max_value=12))
def test_a_line_too_long_comes_out_in_pieces_and_nothing_is_lost(chunks, longest):
    framer = Framer(longest=longest)
    unread = b"".join(chunks)
    for chunk in chunks:
        for line in framer.feed(chunk):
            assert unread.startswith(line)
            unread = unread.removeprefix(line)
            if line.endswith(b"\n"):
                assert line.count(b"\n") == 1
            else:  # a piece: of a line too long, and let go as soon as it was
                assert b"\n" not in line
                assert longest < len(line) <= longest + len(chunk)
    assert framer.close() == unread
    assert b"\n" not in unread
    assert len(unread) <= longest


@given(st.one_of(st.binary(), chunks.map(b"".join)))
def test_split_lines_splits_after_line_feeds_and_nowhere_else(chunk):
    lines = split_lines(chunk)
    assert b"".join(lines) == chunk
    assert all(line.count(b"\n") == line.endswith(b"\n") for line in lines)
    assert all(line.endswith(b"\n") for line in lines[:-1])
    assert b"" not in lines


def test_a_part_of_a_line_waits_for_its_end():
    framer = Framer()
    assert framer.feed(b'{"a":') == []
    assert framer.feed(b" 1}") == []
    assert framer.feed(b'\n{"b"') == [b'{"a": 1}\n']
    assert framer.close() == b'{"b"'


def test_a_carriage_return_ends_no_line():
    framer = Framer()
    assert framer.feed(b"a\rb\r") == []
    assert framer.feed(b"\n\r\n") == [b"a\rb\r\n", b"\r\n"]


def test_blank_lines_are_lines():
    assert Framer().feed(b"\n\n{}\n\n") == [b"\n", b"\n", b"{}\n", b"\n"]


def test_an_empty_chunk_changes_nothing():
    framer = Framer()
    assert framer.feed(b"") == []
    assert framer.feed(b"a") == []
    assert framer.feed(b"") == []
    assert framer.feed(b"\n") == [b"a\n"]
    assert framer.close() == b""


def test_unterminated_tail_is_kept_and_given_once():
    framer = Framer()
    framer.feed(b"one\ntwo")
    assert framer.close() == b"two"
    assert framer.close() == b""


def test_the_rest_of_a_line_too_long_ends_as_a_line_of_its_own():
    framer = Framer(longest=4)
    assert framer.feed(b"abc") == []
    assert framer.feed(b"def") == [b"abcdef"]
    assert framer.feed(b"gh\n") == [b"gh\n"]


def test_a_line_as_long_as_may_be_is_whole():
    framer = Framer(longest=4)
    assert framer.feed(b"abcd") == []
    assert framer.feed(b"\n") == [b"abcd\n"]


def test_the_longest_line_is_as_the_documentation_says():
    assert LONGEST_LINE == 65 * 1024 * 1024


def test_all_parts_of_a_line_that_is_too_long_are_told_from_whole_lines():
    framer, parts = Framer(longest=4), Parts(longest=4)
    chunks = [b"{}\n", b"12345", b"67890", b"{}\n{}\n", b"[1,2,3]\n", b"12345", b"\n", b"{}"]
    lines = [line for chunk in chunks for line in framer.feed(chunk)] + [framer.close()]
    told = [(line, parts.has(line)) for line in lines]
    assert [line for line, is_part in told if is_part] == [
        *(b"12345", b"67890", b"{}\n"),
        *(b"12345", b"\n"),
    ]
    assert [line for line, is_part in told if not is_part] == [
        *(b"{}\n", b"{}\n", b"[1,2,3]\n", b"{}"),
    ]
