"""
The tables and the models of the Python SDK say the same where both know a type.

The SDK was generated from schema 1.19.0, with the unstable parts; the tables from a later one.
Each difference is listed with its reason. One that is not listed fails, and so does a reason
for a difference that is no more.
"""

import functools
import operator
import typing

import pytest
from pydantic import BaseModel

from acp_spy.protocol.shapes import Object, Tagged, Text
from acp_spy.protocol.tables import spec

TABLES = spec("v1-unstable")

# Unions have no model of their own: where the SDK uses each.
UNIONS = {
    "AuthMethod": ("InitializeResponse", "authMethods"),
    "ContentBlock": ("ContentChunk", "content"),
    "McpServer": ("NewSessionRequest", "mcpServers"),
    "PlanUpdateContent": ("PlanUpdate", "plan"),
    "RequestPermissionOutcome": ("RequestPermissionResponse", "outcome"),
    "SessionConfigOption": ("SetSessionConfigOptionResponse", "configOptions"),
    "SessionUpdate": ("SessionNotification", "update"),
    "ToolCallContent": ("ToolCall", "content"),
}

LATER = "came after schema 1.19.0"
DROPPED = "was dropped after schema 1.19.0"
FROZEN = "next edit suggestions were frozen at schema 1.25.0 and left the schema"
MERGED = "the SDK gives this name to the branch of the union, with its tag"
REWORKED = "mcp/message lost its connections after schema 1.19.0"

KNOWN = {
    "AgentAuthCapabilities.status is not in the SDK": LATER,
    "AgentCapabilities.nes is only in the SDK": FROZEN,
    "AgentCapabilities.positionEncoding is only in the SDK": FROZEN,
    "AuthMethod `env_var` is only in the SDK": DROPPED,
    "AvailableCommandsUpdate.sessionUpdate is only in the SDK": MERGED,
    "ClientCapabilities.subagents is not in the SDK": LATER,
    "ClientCapabilities.nes is only in the SDK": FROZEN,
    "ClientCapabilities.positionEncodings is only in the SDK": FROZEN,
    "ClientSessionCapabilities.compaction is not in the SDK": LATER,
    "ClientSessionCapabilities.notices is not in the SDK": LATER,
    "ConfigOptionUpdate.sessionUpdate is only in the SDK": MERGED,
    "CurrentModeUpdate.sessionUpdate is only in the SDK": MERGED,
    "ForkSessionRequest.systemPrompt is not in the SDK": LATER,
    "ListSessionsRequest.archived is not in the SDK": LATER,
    "LoadSessionRequest.systemPrompt is not in the SDK": LATER,
    "MessageMcpNotification.requestId is not in the SDK": REWORKED,
    "MessageMcpNotification.serverId is not in the SDK": REWORKED,
    "MessageMcpNotification.connectionId is only in the SDK": REWORKED,
    "MessageMcpRequest.requestId is not in the SDK": REWORKED,
    "MessageMcpRequest.serverId is not in the SDK": REWORKED,
    "MessageMcpRequest.connectionId is only in the SDK": REWORKED,
    "NewSessionRequest.systemPrompt is not in the SDK": LATER,
    "ResumeSessionRequest.systemPrompt is not in the SDK": LATER,
    "SessionCapabilities.archive is not in the SDK": LATER,
    "SessionCapabilities.status is not in the SDK": LATER,
    "SessionCapabilities.systemPrompt is not in the SDK": LATER,
    "SessionCapabilities.title is not in the SDK": LATER,
    "SessionInfo.archived is not in the SDK": LATER,
    "SessionInfoUpdate.sessionUpdate is only in the SDK": MERGED,
    "SessionUpdate `compaction_summary_chunk` is not in the SDK": LATER,
    "SessionUpdate `compaction_update` is not in the SDK": LATER,
    "SessionUpdate `notice` is not in the SDK": LATER,
    "SessionUpdate `session_message` is not in the SDK": LATER,
    "SessionUpdate `session_message_chunk` is not in the SDK": LATER,
    "SessionUpdate `subagent_update` is not in the SDK": LATER,
    "SessionUpdate `tool_call`.name is not in the SDK": LATER,
    "SessionUpdate `tool_call_update`.name is not in the SDK": LATER,
    "StringMultiSelectItems.type is only in the SDK": MERGED,
    "ToolCall.name is not in the SDK": LATER,
    "ToolCallUpdate.name is not in the SDK": LATER,
    "UsageUpdate.sessionUpdate is only in the SDK": MERGED,
}


def in_sdk(name):
    import acp.schema  # takes a second, which no other test is to wait for

    return getattr(acp.schema, name, None)


def model(name):
    found = in_sdk(name)
    return found if isinstance(found, type) and issubclass(found, BaseModel) else None


def fields_of(model):
    """Return the model's fields by the names that they have on the wire."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def within(annotation):
    """Return the types that an annotation is made of."""
    inner = typing.get_args(annotation)
    if typing.get_origin(annotation) is typing.Literal or not inner:
        return [annotation]
    return functools.reduce(operator.iadd, map(within, inner), [])


def literals(annotation):
    """Return the strings that an annotation spells out."""
    return {
        value
        for part in within(annotation)
        if typing.get_origin(part) is typing.Literal
        for value in typing.get_args(part)
    }


def compare_object(name, shape, model):
    ours, theirs = shape.fields, fields_of(model)
    for key in sorted(ours.keys() - theirs.keys()):
        yield f"{name}.{key} is not in the SDK"
    for key in sorted(theirs.keys() - ours.keys()):
        yield f"{name}.{key} is only in the SDK"
    for key in sorted(ours.keys() & theirs.keys()):
        if ours[key].required != theirs[key].is_required():
            yield f"{name}.{key} is {'' if ours[key].required else 'not '}required here"
        known, values = TABLES.resolve(ours[key].shape), literals(theirs[key].annotation)
        if isinstance(known, Text) and known.values and not known.open and values:
            yield from compare_values(f"{name}.{key}", set(known.values), values)


def compare_values(name, ours, theirs):
    for value in sorted(ours - theirs):
        yield f"{name} `{value}` is not in the SDK"
    for value in sorted(theirs - ours):
        yield f"{name} `{value}` is only in the SDK"


def compare_union(name, union, annotation):
    branches = {}
    for part in within(annotation):
        is_model = isinstance(part, type) and issubclass(part, BaseModel)
        tag = fields_of(part).get(union.tag) if is_model else None
        for value in literals(tag.annotation) if tag else ():
            branches[value] = part
    yield from compare_values(name, set(union.branches), set(branches))
    for value in sorted(union.branches.keys() & branches.keys()):
        yield from compare_object(f"{name} `{value}`", union.branches[value], branches[value])


def differences():
    for name, shape in TABLES.shapes.items():
        match shape:
            case Object() if model(name):
                yield from compare_object(name, shape, model(name))
            case Text(values=values) if values and literals(in_sdk(name)):
                theirs = literals(in_sdk(name))
                yield from compare_values(name, set(values), theirs)
            case Tagged() if name in UNIONS:
                holder, key = UNIONS[name]
                yield from compare_union(name, shape, fields_of(model(holder))[key].annotation)


@pytest.fixture(scope="module")
def found():
    return set(differences())


def test_every_difference_has_a_reason(found):
    assert sorted(found - KNOWN.keys()) == []


def test_every_reason_has_a_difference(found):
    assert sorted(KNOWN.keys() - found) == []


def test_there_is_much_to_compare():
    both = [
        name for name, shape in TABLES.shapes.items() if isinstance(shape, Object) and model(name)
    ]
    assert len(both) > 130
