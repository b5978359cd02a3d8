"""A result without content is an empty object."""

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
    ## What it does
    Reports results that are null. The schema defines an object for every result. For `session/load`
    it is a note and for `fs/write_text_file` a warning, because official pages show null there.

    ## Why it matters
    Most readers accept null as an empty object, but some fail: the agent reports an error although
    the file was written. A null result with required fields always fails.

    ## Use instead
    Answer with `{}`, or with an object that has the required fields.
    """
    for mistake in facts.mistakes_of("null-result"):
        required = sorted(_required(step, facts))
        page = ", although an official page shows it" if step.method in _SHOWN else ""
        yield Remark(
            f"the result of `{step.method}` is null{page}; expected an object",
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
