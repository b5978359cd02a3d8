"""What cannot be read is refused, with what was seen and what to do."""

import os

import pytest
from fuzz.loop import LONGEST, limit
from support.foreign import FOLDER, records

from acp_spy.capture.files import load, read
from acp_spy.capture.foreign import python_sdk
from acp_spy.capture.foreign import source as source_module
from acp_spy.capture.foreign.known import NAMES
from acp_spy.errors import AcpSpyError

CALL = b'{"jsonrpc":"2.0","id":0,"method":"initialize"}\n'


def refusal(do, *arguments):
    with pytest.raises(AcpSpyError) as caught:
        do(*arguments)
    return caught.value.message, caught.value.hint


def test_a_file_of_no_format_is_refused_with_what_was_seen():
    path = FOLDER / "odd-unknown.txt"
    message, hint = refusal(load, path)
    assert message == (
        f"cannot read `{path}`: it is neither a capture nor in another known format:"
        " line 1 is `hello, world`"
    )
    assert hint.endswith(", ".join(NAMES))


def test_what_was_seen_is_short_and_cannot_act():
    message, _ = refusal(records, b"\n\x1b[2J\xff" + b" xyz" * 5000)
    seen = message.rpartition(": ")[2]
    assert seen == "line 2 is `\\x1b[2J\\xff" + " xyz" * 12 + " …`"


def test_several_formats_are_refused_by_name():
    path = FOLDER / "odd-mixed.log"
    seen = "conductor: line 3 and 1 more; sacp-tee: line 1 and 1 more"
    assert refusal(load, path) == (
        f"cannot read `{path}`: it may be in several formats ({seen})",
        f"choose one: `acp-spy import --from conductor|sacp-tee -o NEW.jsonl {path}`",
    )


def test_a_few_lines_that_look_otherwise_do_not_matter():
    """An agent that logs to stdout what it receives is no other format."""
    noise = b'incoming {"jsonrpc":"2.0","id":0,"method":"initialize"}\n'
    assert len(records(CALL * 4 + noise)) == 6
    assert "several formats" in refusal(records, CALL * 3 + noise)[0]


def test_a_format_can_be_forced():
    noise = b'incoming {"jsonrpc":"2.0","id":0,"method":"initialize"}\n'
    assert len(records(CALL + noise, "ndjson")) == 3


def test_a_damaged_line_is_named():
    path = FOLDER / "odd-damaged.jsons"
    assert refusal(load, path) == (
        f"cannot read `{path}`: line 3: Input data was truncated",
        f"if only this line is damaged, run `sed 3d {path} > NEW` to get the file without it",
    )


def test_half_a_document_is_refused():
    path = FOLDER / "odd-truncated.json"
    message, hint = refusal(load, path)
    assert message.startswith(
        f"cannot read `{path}`: it is damaged, or not an export of acp-devtools: "
    )
    assert hint == "if it was cut short, export it again"


@pytest.mark.parametrize(
    ("start", "what", "remedy"),
    [
        (b"SQLite format 3\0\x10", "a database", "acp-devtools export"),
        (b"\x1f\x8b\x08\0", "compressed by gzip", "gunzip"),
        (b"PK\x03\x04", "a zip archive", "unzip"),
        ('{"x":1}\n'.encode("utf-16"), "UTF-16", "iconv -f UTF-16"),
    ],
)
def test_what_is_given_by_mistake_is_known(start, what, remedy):
    message, hint = refusal(records, start)
    assert message == f"cannot read `file`: it is {what}, not a capture"
    assert remedy in hint


def test_a_capture_need_not_be_imported():
    path = FOLDER.parent / "example.jsonl"
    assert refusal(list, read(path, "auto")) == (
        f"cannot import `{path}`: it is already a capture",
        "use it without importing it",
    )


def test_a_format_that_is_not_known_is_refused_with_the_list():
    assert refusal(records, CALL, "sacptee") == (
        "no such format: `sacptee`; did you mean `sacp-tee`?",
        f"use one of {', '.join(NAMES)}",
    )


@pytest.mark.parametrize("form", [name for name in NAMES if name not in ("ndjson", "gptme")])
def test_a_file_of_another_format_than_was_said_is_refused(form):
    refusal(records, b"hello\nworld\n", form)


def test_a_log_without_any_message_is_refused():
    assert refusal(records, b"hello\n", "gptme") == (
        "cannot read `file`: it has no messages, read as gptme's protocol log",
        "choose another format; `acp-spy import --help` lists them",
    )


@pytest.mark.parametrize(
    ("data", "tool"),
    [
        (b'{"version":2,"exportedAt":1,"session":{"id":1},"messages":[]}', "acp-devtools"),
        (b'{"type":"header","format":"acp-inspector-trace","version":2}\n', "acp-inspector"),
    ],
)
def test_a_version_from_the_future_asks_for_an_update(data, tool):
    assert refusal(records, data) == (
        f"cannot read `file`: it is an {tool} export of version 2, and this acp-spy reads 1",
        "update acp-spy: `pip install --upgrade acp-spy`",
    )


def test_a_line_that_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(source_module, "LONGEST_FOREIGN_LINE", 1024 * 1024)
    message, _ = refusal(records, CALL + b"x" * (1024 * 1024 + 1))
    assert message == "cannot read `file`: line 2 is longer than 1 MiB"


def test_a_document_that_is_too_large_is_refused(monkeypatch):
    data = (FOLDER / "zed.json").read_bytes()
    monkeypatch.setattr(source_module, "LARGEST_WHOLE", len(data) - 1)
    assert "and must be read as a whole" in refusal(records, data)[0]


def test_a_pipe_is_read_as_a_whole(monkeypatch):
    def through_a_pipe(data):
        reading, writing = os.pipe()
        os.write(writing, data)  # less than a pipe holds
        os.close(writing)
        try:
            return list(read(f"/proc/self/fd/{reading}"))
        finally:
            os.close(reading)

    plain = (FOLDER / "ndjson.ndjson").read_bytes()
    assert through_a_pipe(plain)[1:] == list(load(FOLDER / "ndjson.ndjson").records)
    monkeypatch.setattr(source_module, "LARGEST_WHOLE", len(plain) - 1)
    assert "use a file instead of a pipe" in refusal(through_a_pipe, plain)[1]


def test_a_literal_of_python_that_takes_more_than_its_size_is_refused():
    """The multiples of a prime number have one hash, so a dict of them takes the square."""
    keys = ",".join(f"{number * (2**61 - 1)}:0" for number in range(1000))
    for many in (f"{{{keys}}}", "{1, 2}", "[" + "-0," * 300_000 + "]"):
        assert python_sdk._read(f"outgoing {{'jsonrpc':'2.0','params':{many}}}".encode()) is None
    assert python_sdk._read(b"outgoing {'jsonrpc':'2.0','params':{'a':[1,-2,None]}}").raw


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_quote_that_nothing_closes_is_tried_once(quote):
    """From each escaped quote after it, it would take minutes."""
    escaped = f"\\{quote}" * 1_000_000
    with limit(LONGEST):
        assert python_sdk._read(f"outgoing {{{quote}{escaped}}}".encode()) is None
    closed = f"outgoing {{{quote}jsonrpc{quote}: {quote}{escaped}{quote}, 'id': 1}}"
    assert python_sdk._read(closed.encode()).raw


def test_connections_whose_numbers_have_one_hash_are_kept_apart(tmp_path):
    """As keys of a dict they would take the square of their number: minutes for these."""
    path = tmp_path / "trace.jsonl"
    frame = (
        '{{"type":"frame","direction":"client -> agent","frame":"{{}}","at":1,"connection":{}}}\n'
    )
    lines = [frame.format(number * (2**61 - 1)) for number in range(50_000)]
    header = '{"type":"header","format":"acp-inspector-trace","version":1}\n'
    path.write_text("".join([header, *lines, lines[7]]))
    assert len([*load(path).records]) == 2


def test_a_formatted_string_is_not_parsed_as_that_takes_the_square_of_its_length(tmp_path):
    """It would take hours otherwise."""
    path = tmp_path / "run.log"
    first = (
        "incoming {'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'x': 'f\\'{a}'}}"
    )
    hostile = "{a}" * 333_000
    path.write_text(f"{first}\nincoming {{'jsonrpc': '2.0', 'params': f\"{hostile}\"}}\n")
    (read_one,) = load(path).frames
    assert b"initialize" in read_one.raw
