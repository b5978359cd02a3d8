"""
How alike a live line and the recorded one must be: named matchers, each a function of both.

The kind and the method must always agree. A matcher gives the other differences that count; the
recorded line comes with its ids, names and folder as the live peer knows them.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from acp_spy.conversation.fold import kind_of_option
from acp_spy.conversation.tracker import decoded
from acp_spy.errors import AcpSpyError
from acp_spy.protocol.events import PermissionAnswered, TurnStarted
from acp_spy.replay.bindings import Bindings
from acp_spy.replay.json_difference import ABSENT, Difference, Path, differences
from acp_spy.replay.line import ANSWERS, CALLS, ERROR, REQUEST, Line
from acp_spy.wire.jsonrpc import Response, Unreadable, read_message
from acp_spy.wire.pointer import spell
from acp_spy.wire.values import fields, items

Skip = Callable[[Path], bool]
Matcher = Callable[[Line, Line, Skip], Iterator[Difference]]


def match_params(recorded: Line, live: Line, skip: Skip) -> Iterator[Difference]:
    """Compare params, result or error, but for `_meta` and the version of the client."""

    def more(path: Path) -> bool:
        return (
            skip(path)
            or (bool(path) and path[-1] == "_meta")
            or (path[-1:] == ("version",) and path[-2] in _INFOS)
        )

    member = body_field(recorded)
    yield from differences(recorded.body, live.body, more, (member,))


def match_prompt(recorded: Line, live: Line, skip: Skip) -> Iterator[Difference]:
    """Compare the text of a prompt, and nothing else."""
    if isinstance(recorded.event, TurnStarted) and isinstance(live.event, TurnStarted):
        one, other = _text(recorded.event.prompt, skip), _text(live.event.prompt, skip)
        yield from differences(one, other, skip, _PROMPT)


def match_exact(recorded: Line, live: Line, skip: Skip) -> Iterator[Difference]:
    """Compare everything but the id."""

    def more(path: Path) -> bool:
        return skip(path) or path == ("id",)

    yield from differences(_whole(recorded), _whole(live), more)


MATCHERS: dict[str, Matcher] = {
    "params": match_params,
    "prompt": match_prompt,
    "exact": match_exact,
}
_PROMPT = ("params", "prompt")
_INFOS = ("clientInfo", "client_info", "info")


def find_matchers(names: tuple[str, ...]) -> tuple[Matcher, ...]:
    """Return the matchers of these names."""
    for name in names:
        if name not in MATCHERS:
            raise AcpSpyError(
                f"no such matcher: `{name}`", hint=f"use one of {', '.join(MATCHERS)}"
            )
    return tuple(MATCHERS[name] for name in names)


def skipping(pointers: tuple[str, ...]) -> Skip:
    """Return what passes over these places, and all that is in them."""
    for pointer in pointers:
        if not pointer.startswith("/"):
            raise AcpSpyError(
                f"`{pointer}` is not a JSON Pointer",
                hint="start with `/` at the top of the message: `/params/prompt/0/text`",
            )
    return lambda path: spell(*path) in pointers if pointers else False


def answer_differs(recorded: Line, live: Line) -> Iterator[Difference]:
    """
    Give what makes an answer another kind of answer, whatever the matchers.

    A result is not an error, and a permission that is granted is not one that is refused.
    """
    if recorded.kind not in ANSWERS or live.kind not in ANSWERS:
        return
    if recorded.kind != live.kind:
        yield Difference(f"/{body_field(recorded)}", recorded.body, ABSENT)
        yield Difference(f"/{body_field(live)}", ABSENT, live.body)
        return
    chosen, chooses = choice(recorded), choice(live)
    if chosen != chooses:
        yield Difference("/result/outcome", chosen, chooses)
    elif (one := _outcome(recorded)) != (other := _outcome(live)):
        # An answer that cancels, and names an option all the same, grants nothing.
        yield Difference("/result/outcome", one, other)


def choice(line: Line) -> str | None:
    """Return what was chosen in answer to a permission request, free of the options' ids."""
    if not isinstance(line.event, PermissionAnswered):
        return None
    asked = fields(line.question)
    options = asked.get("options", asked.get("permission_options"))
    kind = kind_of_option(line.event.option, options)
    return kind or str(line.event.option or line.event.outcome)


def _outcome(line: Line) -> Any:
    return line.event.outcome if isinstance(line.event, PermissionAnswered) else None


def body_field(line: Line) -> str:
    """Return the field of a message that holds its body."""
    return "params" if line.kind in CALLS else "error" if line.kind == ERROR else "result"


def _whole(line: Line) -> Any:
    return decoded(line.raw[line.begins :].strip())


def _text(prompt: Any, skip: Skip) -> Any:
    """Return the text of a prompt without what is to be skipped; one of another shape as it is."""
    blocks = [fields(block) for block in items(prompt)]
    texts = [
        block["text"]
        for index, block in enumerate(blocks)
        if isinstance(block.get("text"), str)
        and not skip((*_PROMPT, index))
        and not skip((*_PROMPT, index, "text"))
    ]
    return "\n".join(texts) if blocks else prompt


def translated(recorded: Line, bindings: Bindings) -> Line:
    """Return `recorded` as the live peer would have sent it, with the names that it knows."""
    raw = bindings.translate(recorded, own=False)
    if raw == recorded.raw:
        return recorded
    message = read_message(raw[recorded.begins :].strip())
    if isinstance(message, Unreadable):
        return recorded
    event = recorded.event
    if isinstance(event, TurnStarted):
        prompt = Line(0, msgspec.json.encode(event.prompt), REQUEST, session=recorded.session)
        event = TurnStarted(event.session, decoded(bindings.translate(prompt, own=False)))
    answer = message.result or message.error if isinstance(message, Response) else b""
    body = answer if isinstance(message, Response) else message.params
    return msgspec.structs.replace(
        recorded, raw=raw, body=decoded(body) if body else ABSENT, event=event
    )
