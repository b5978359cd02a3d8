"""Conversations for the rules of the lifecycle, and what these find in them."""

import json

from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.rules.lifecycle import _opening
from acp_spy.lint.rules.lifecycle._examples import HANDSHAKE, transcript
from acp_spy.lint.ruleset import check

# ----------------------------------------------------------------------------- sessions and turns

LOAD = """
    -> {"jsonrpc": "2.0", "id": 7, "method": "session/load", "params": {"sessionId": "s1", "cwd": "/home/dev/project", "mcpServers": []}}
"""
LOADED = '<- {"jsonrpc": "2.0", "id": 7, "result": {}}'


def judge(*parts):
    """Return what the rules of sessions and turns find."""
    return check(parse(transcript(*parts)), rules_with("LIF0"))


def found(*parts):
    """Return the names of what they find after a handshake."""
    return [finding.name for finding in judge(HANDSHAKE, *parts)]


# ----------------------------------------------------------------------------- the agent's work

END = '<- {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}}'
SECOND_SESSION = (
    '-> {"jsonrpc": "2.0", "id": 3, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}}'
    '\n<- {"jsonrpc": "2.0", "id": 3, "result": {"sessionId": "s2"}}'
)


def work(*lines, start=_opening.PROMPT):
    """Return what the rules of an agent's work find in `lines` after `start`."""
    return check(parse("\n".join([start, *lines])), rules_with("LIF1"))


def codes(*lines, start=_opening.PROMPT):
    return [finding.code for finding in work(*lines, start=start)]


def places(*lines):
    return [(finding.code, finding.seq) for finding in work(*lines)]


def line(arrow, **message):
    return f"{arrow} " + json.dumps({"jsonrpc": "2.0", **message})


def ask(number, method, **params):
    """Return a request of the agent."""
    params = {"sessionId": "s1", "terminalId": "term_1", **params}
    return line("<-", id=number, method=method, params=params)


def answer(number, **result):
    return line("->", id=number, result=result)


def update(session="s1", **fields):
    return line("<-", method="session/update", params={"sessionId": session, "update": fields})


def announce(call="call_1", session="s1", **fields):
    """Return a tool call."""
    return update(session, sessionUpdate="tool_call", toolCallId=call, title="Run", **fields)


def change(call="call_1", session="s1", **fields):
    """Return an update of a tool call."""
    return update(session, sessionUpdate="tool_call_update", toolCallId=call, **fields)
