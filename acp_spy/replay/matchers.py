"""
How alike a live line and the recorded one must be: named matchers, each a function of both.

The kind and the method must always agree. A matcher gives the other differences that count; the
recorded line comes with its ids, names and folder as the live peer knows them.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from acp_spy.conversation.fold import kind_of_option
from acp_spy.errors import AcpSpyError
from acp_spy.protocol.events import PermissionAnswered, TurnStarted
from acp_spy.replay.bindings import Bindings
from acp_spy.replay.json_difference import ABSENT, Difference, Path, differences
from acp_spy.replay.line import ANSWERS, CALLS, ERROR, REQUEST, Line
from acp_spy.wire.jsonrpc import Response, Unreadable, read_message
from acp_spy.wire.pointer import spell
from acp_spy.wire.values import decoded, fields, items

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
    if not isinstance(recorded.event, TurnStarted) or not isinstance(live.event, TurnStarted):
        return
    one, other = recorded.event.prompt, live.event.prompt
    mine, theirs = _texts(one, skip), _texts(other, skip)
    if skip(_PROMPT) or _joined(one, mine) == _joined(other, theirs):
        return
    if mine and mine.keys() == theirs.keys():
        for index, text in mine.items():
            yield from differences(text, theirs[index], at=(*_PROMPT, index, "text"))
    else:  # its blocks are other ones: there is no smaller place where the two differ
        yield Difference(spell(*_PROMPT), one, other)


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
    # A response that cancels, and names an option all the same, grants nothing.
    if chosen == chooses and _outcome(recorded) == _outcome(live):
        return
    found = [*differences(recorded.body, live.body, _is_meta, ("result",))]
    # With other options the same id may mean something else.
    first = found[0] if found else Difference("/result", recorded.body, live.body)
    meanings = (chosen or "", chooses or "") if chosen != chooses else ("", "")
    yield msgspec.structs.replace(first, recorded_means=meanings[0], live_means=meanings[1])
    yield from found[1:]


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


def _is_meta(path: Path) -> bool:
    return path[-1] == "_meta"


def _texts(prompt: Any, skip: Skip) -> dict[int, str]:
    """Return the texts of a prompt by the number of their block, without what is to be skipped."""
    return {
        index: block["text"]
        for index, block in enumerate(map(fields, items(prompt)))
        if isinstance(block.get("text"), str)
        and not skip((*_PROMPT, index))
        and not skip((*_PROMPT, index, "text"))
    }


def _joined(prompt: Any, texts: dict[int, str]) -> Any:
    """Return the whole text of a prompt; one of another shape as it is."""
    return "\n".join(texts.values()) if items(prompt) else prompt


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
