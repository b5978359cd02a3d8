"""Mistakes in bytes, lines and streams."""

import json

import msgspec

from acp_spy.capture.records import Closed, Exit, Stderr
from acp_spy.wire.frame import Frame
from benchmarks.mutating import AGENT, CLIENT, line_of, operator

FRM = "FRM"


@operator(FRM, "the agent prints a banner before its first message", "FRM-04")
def banner(talk):
    first, *_ = talk.by(AGENT)
    yield talk.before(first, AGENT, b"Welcome to the agent, version 1.0\n")


@operator(FRM, "the agent writes a log line to stdout", "FRM-04")
def log_line(talk):
    for said in talk.by(AGENT):
        yield talk.after(said, AGENT, b"2026-11-15 08:22:06 INFO loading the configuration\n")


@operator(FRM, "the agent writes a JSON log object to stdout", "FRM-04")
def log_object(talk):
    for said in talk.by(AGENT):
        line = b'{"level":"info","time":1794730926,"msg":"loading the configuration"}\n'
        yield talk.after(said, AGENT, line)


@operator(FRM, "the agent writes colors and a progress bar to stdout", "FRM-04")
def colors(talk):
    for said in talk.by(AGENT):
        yield talk.after(said, AGENT, b"\x1b[2K\x1b[32m[====>   ]\x1b[0m 50 %\n")


@operator(FRM, "the agent writes a number or a string to stdout", "FRM-04")
def scalar(talk):
    for number, said in enumerate(talk.by(AGENT)):
        yield talk.after(said, AGENT, (b"42\n", b'"ready"\n', b"null\n", b"true\n")[number % 4])


@operator(FRM, "the agent writes a stack trace to stdout", "FRM-04")
def stack_trace(talk):
    for said in talk.by(AGENT):
        lines = (b"Traceback (most recent call last):\n", b'  File "main.py", line 3\n')
        yield talk.after(said, AGENT, *lines, b"ValueError: no model\n")


@operator(FRM, "the client writes a line that is not a message", "FRM-05")
def client_noise(talk):
    for said in talk.by(CLIENT):
        yield talk.after(said, CLIENT, b"hello?\n")


@operator(FRM, "a byte order mark before a message", "FRM-01")
def byte_order_mark(talk):
    for said in talk.said:
        yield talk.raw(said, b"\xef\xbb\xbf" + said.frame.raw)


@operator(FRM, "a text in Latin-1", "FRM-01")
def latin_1(talk):
    for said in talk.updates("agent_message_chunk", "agent_message", "tool_call"):
        spelled = json.dumps(said.message, ensure_ascii=False).replace('"text": "', '"text": "né')
        spelled = spelled.replace('"title": "', '"title": "né')
        line = spelled.encode("latin-1", errors="replace") + b"\n"
        if b"\xe9" in line:
            yield talk.raw(said, line)


@operator(FRM, "half of a surrogate pair in a text", "FRM-01")
def lone_surrogate(talk):
    for said in talk.updates("agent_message_chunk", "agent_message", "tool_call"):
        for key in (b'"text":"', b'"title":"'):
            line = line_of(said.message)
            if key in line:
                yield talk.raw(said, line.replace(key, key + b"\\ud83e", 1))
                break


@operator(FRM, "a message in UTF-16", "FRM-01")
def utf_16(talk):
    for said in talk.by(AGENT):
        yield talk.raw(said, json.dumps(said.message).encode("utf-16-le") + b"\n")


@operator(FRM, "a message over several lines", "FRM-02", "FRM-03")
def pretty_printed(talk):
    for said in talk.said:
        spelled = json.dumps(said.message, indent=2).encode() + b"\n"
        yield talk.raw(said, *spelled.splitlines(keepends=True))


@operator(FRM, "two messages on one line", "FRM-14")
def two_on_a_line(talk):
    for one, two in zip(talk.said, talk.said[1:], strict=False):
        if one.sender is two.sender and two.place == one.place + 1:
            line = one.frame.payload + two.frame.raw
            yield {**talk.raw(one, line), **talk.drop(two)}


@operator(FRM, "other data after a message", "FRM-14")
def trailing_data(talk):
    for said in talk.said:
        yield talk.raw(said, said.frame.payload + b" // done\n")


@operator(FRM, "other data before a message", "FRM-14")
def leading_data(talk):
    for said in talk.said:
        yield talk.raw(said, b"DEBUG: " + said.frame.raw)


@operator(FRM, "messages with `Content-Length` headers", "FRM-09")
def content_length(talk):
    def framed(said):
        return [
            b"Content-Length: %d\r\n" % len(said.frame.payload),
            b"\r\n",
            said.frame.raw,
        ]

    for sender in (CLIENT, AGENT):
        edit = {}
        for said in talk.by(sender):
            edit.update(talk.raw(said, *framed(said)))
        yield edit
    for said in talk.said:
        yield talk.raw(said, *framed(said))


@operator(FRM, "lines that end with CR LF", "FRM-08")
def carriage_returns(talk):
    for sender in (CLIENT, AGENT):
        edit = {}
        for said in talk.by(sender):
            edit.update(talk.raw(said, said.frame.payload + b"\r\n"))
        yield edit


@operator(FRM, "a blank line between messages", "FRM-04", "FRM-08")
def blank_line(talk):
    for said in talk.said:
        yield talk.after(said, said.sender, b"\n")


@operator(FRM, "the same key twice in one object", "FRM-13")
def duplicate_key(talk):
    for said in talk.said:
        line = said.frame.raw
        for key in (b'"sessionId":', b'"jsonrpc":'):
            if key in line:
                start = line.index(key)
                end = line.index(b'"', line.index(b'"', start + len(key)) + 1) + 1
                yield talk.raw(said, line[:start] + line[start:end] + b"," + line[start:])
                break


@operator(FRM, "the last line of a stream has no line feed", "FRM-11")
def unterminated(talk):
    for sender in (CLIENT, AGENT):
        *_, last = talk.by(sender)
        yield talk.raw(last, last.frame.payload)


@operator(FRM, "a message is cut off in the middle", "FRM-02", "FRM-04")
def cut_off(talk):
    for said in talk.said:
        payload = said.frame.payload
        yield talk.raw(said, payload[: len(payload) * 2 // 3] + b"\n")


def _damaged(change):
    def edits(talk):
        for said in talk.said:
            line = change(said.frame.payload)
            if line and line != said.frame.payload:
                yield talk.raw(said, line + b"\n")

    return edits


operator(FRM, "a comma before the last brace", "FRM-04")(_damaged(lambda line: line[:-1] + b",}"))
operator(FRM, "single quotes instead of double quotes", "FRM-04")(
    _damaged(lambda line: line.replace(b'"', b"'"))
)
operator(FRM, "`NaN` as a number", "FRM-04")(
    _damaged(lambda line: line.replace(b'"jsonrpc":"2.0"', b'"jsonrpc":"2.0","_meta":NaN', 1))
)
operator(FRM, "a raw tab in a string", "FRM-04")(
    _damaged(lambda line: line.replace(b'"text":"', b'"text":"\t', 1))
)
operator(FRM, "a comment in a message", "FRM-04")(
    _damaged(lambda line: line.replace(b'{"', b'{/* request */"', 1))
)


@operator(FRM, "the agent writes a message to stderr", "FRM-06")
def message_on_stderr(talk):
    for said in talk.updates("agent_message_chunk", "agent_message"):
        yield {said.place: [Stderr(said.frame.t, said.frame.raw), said.frame]}


@operator(FRM, "the agent keeps running after its stdin was closed", "FRM-07")
def late_exit(talk):
    closed = [one.t for one in talk.records if isinstance(one, Closed) and one.sender is CLIENT]
    for place, record in enumerate(talk.records):
        if isinstance(record, Exit) and closed and record.t - closed[0] < 5:
            yield {place: [msgspec.structs.replace(record, t=record.t + 60)]}


@operator(FRM, "a line that the reader's buffer cannot hold, and nothing after it", "FRM-10")
def long_line(talk):
    for said in talk.updates("agent_message_chunk", "agent_message"):
        line = said.frame.raw.replace(b'"text":"', b'"text":"' + b"x" * 33_000_000, 1)
        rest = {
            place: []
            for place, record in enumerate(talk.records)
            if place > said.place and isinstance(record, Frame)
        }
        if len(line) > len(said.frame.raw):
            yield {**rest, **talk.raw(said, line)}
            return
