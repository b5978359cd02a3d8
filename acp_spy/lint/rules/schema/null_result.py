"""A success without anything to say is an empty object."""

from collections.abc import Iterator

from acp_spy.conversation.state import Step
from acp_spy.lint.facts import Facts
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.rules.schema._examples import in_turn
from acp_spy.lint.rules.schema._words import names
from acp_spy.protocol.legal import required_of
from acp_spy.protocol.shapes import Ref

_SHOWN = {"fs/write_text_file": Severity.WARNING, "session/load": Severity.NOTE}


@rule(
    code="SCH016",
    name="null-result",
    severity=Severity.ERROR,
    summary="A result is null where an object is expected",
    on=("mismatch",),
    covers=("SES-28", "FS-06", "AUT-05"),
    spec="https://agentclientprotocol.com/protocol/schema",
    bad=in_turn(
        """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/write_text_file", "params": {"sessionId": "s-1", "path": "/home/dev/project/a.txt", "content": "a"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": null}
        """
    ),
    good=in_turn(
        """
        <- {"jsonrpc": "2.0", "id": 0, "method": "fs/write_text_file", "params": {"sessionId": "s-1", "path": "/home/dev/project/a.txt", "content": "a"}}
        -> {"jsonrpc": "2.0", "id": 0, "result": {}}
        """
    ),
)
def null_result(step: Step, facts: Facts) -> Iterator[Remark]:
    """
    The schema says object for every result. Where nothing is required in it, most readers take null
    for an empty one, but some fail: agents that write a file through the client report an error
    though the file is there. A null where something is required always fails.

    The official pages show null as the answer to `session/load` and to `fs/write_text_file`, so
    these are a note and a warning.
    """
    for mistake in facts.mistakes_of("null-result"):
        required = sorted(_required(step, facts))
        page = ", though an official page shows it" if step.method in _SHOWN else ""
        yield Remark(
            f"the answer to `{step.method}` is null{page}; expected an object",
            at=mistake.first.path,
            severity=_SHOWN.get(step.method, None if required else Severity.WARNING),
            hint=f"answer with an object that has {names(required)}"
            if required
            else "answer with `{}`",
        )


def _required(step: Step, facts: Facts) -> frozenset[str]:
    tables = facts.spec
    ways = tables.find(step.method)
    return required_of(tables, Ref(ways[0].result)) if ways else frozenset()
