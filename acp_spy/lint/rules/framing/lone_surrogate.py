"""Escaped surrogates come in pairs."""

import re
from collections.abc import Iterator

from acp_spy.conversation.state import Ending, Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule

_ESCAPE = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F]..)"
)


@rule(
    code="FRM003",
    name="lone-surrogate",
    severity=Severity.ERROR,
    summary="A string has half of a surrogate pair",
    on=("line:surrogate",),
    covers=("FRM-01",),
    spec="https://agentclientprotocol.com/protocol/transports#stdio",
    bad=r"""
        <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"done \ud83d"}}}}
    """,
    good=r"""
        <- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"done \ud83d\ude00"}}}}
    """,
)
def lone_surrogate(_step: Step | Ending, facts: Facts) -> Iterator[Remark]:
    r"""
    ## What it does

    Reports a `\ud800` to `\udfff` escape in a string without its other half.

    ## Why it matters

    In JSON an emoji can be written as two escapes, `\ud83d\ude00`. One of them alone is not a
    character and cannot be encoded in UTF-8. Rust and Python readers refuse the whole message,
    others show a replacement character.

    The usual cause is text that is cut into chunks between two UTF-16 units, as `slice` does in
    JavaScript.

    ## Use instead

    Cut text between characters.
    """
    for line in facts.lines:
        if line.kind == "surrogate":
            found = next((m[1] for m in _ESCAPE.finditer(line.payload) if m[1]), b"")
            yield Remark(
                f"`{found.decode(errors='replace')}` is half of a surrogate pair; expected both halves",
                on=line.seq,
                blame=line.sender,
                hint="cut text between characters, not between UTF-16 units",
            )
