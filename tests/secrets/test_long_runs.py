"""
A text in which one sign comes again and again takes no longer than another of its length.

An expression that tries each sign of a run as its beginning, and goes to the end of the run each
time, takes the square of its length: these would take minutes. `python -m benchmarks.expressions`
looks for such expressions.
"""

import json

import pytest
from support import effort

from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer


def said(text):
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return {"sessionId": "s", "update": chunk}


def called(**fields):
    call = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "x", **fields}
    return {"sessionId": "s", "update": call}


SECRET = "x7Kd92mQpLvR4tWz"
ALIKE = {f"token{number}": f"{'L' * (8000 - 3 * number)}7{number:02}" for number in range(32)}
RUNS = {
    # Two alternatives matched each of its parts, so there were 2 ** 50 ways to fail.
    "a password like an address": said(f"password=Abcdefghijk@7{'.1' * 50}~"),
    "a title of dots": called(title="." * 60_000 + "{"),
    "a password of backslashes": said("the password is " + "\\" * 75_000 + '"'),
    "a key of dots": called(rawInput={"apiKey": "." * 75_000 + "{"}),
    "a key of stars": called(rawInput={"apiKey": "*" * 75_000 + "{"}),
    "a key of ellipses": called(rawInput={"apiKey": "…" * 75_000 + "{"}),
    "a key of one letter": called(rawInput={"apiKey": "L" * 100_000 + "0", "path": "L" * 100_000}),
    "keys of one letter": called(rawInput={**ALIKE, "path": "L" * 100_000}),
    "a store of blanks": said(("$ sops -d secrets.yml\n" + " \t" * 2000 + "\0\n") * 30),
    "backticks": said("password: `" + "`" * 150_000 + "{"),
}


@pytest.mark.parametrize("run", effort.some_of(RUNS, *[*RUNS][:3]))
def test_a_long_run_of_one_sign_is_no_burden(run):
    params = {**RUNS[run], "_meta": {"password": SECRET}}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    frame = Frame(1, 0.1, Peer.AGENT, json.dumps(message).encode() + b"\n")
    redactor = Redactor()
    redactor.learn_all([frame])
    redacted = redactor.record(frame)
    assert isinstance(redacted, Frame)
    assert SECRET.encode() not in redacted.raw
