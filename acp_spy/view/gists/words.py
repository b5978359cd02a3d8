"""The words that gists are made of: content, capabilities, options, counts, sizes."""

from collections.abc import Iterable, Iterator
from typing import Any

from acp_spy.units import counted
from acp_spy.wire.values import fields, items, text

LONGEST = 1000  # of JSON that is shown for want of better words


def plain(raw: bytes) -> str:
    """Return bytes as text without their line end; what is no text is spelled out."""
    return raw.decode(errors="backslashreplace").rstrip("\r\n")


def as_sent(raw: bytes) -> str:
    """Return JSON as it was sent, as much of it as anybody reads."""
    shown = plain(bytes(raw[: 4 * LONGEST]))
    return shown if len(shown) <= LONGEST else shown[:LONGEST] + "…"


def word(value: Any) -> str:
    """Return a plain value as a word: a string, a number, true or false; else nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else ""


def joined(*parts: Any, by: str = ", ") -> str:
    """Return what there is of `parts`."""
    return by.join(part for part in parts if isinstance(part, str) and part)


def aside(*parts: Any) -> str:
    """Return what there is of `parts` in parentheses, with a blank before them."""
    inside = joined(*parts)
    return f" ({inside})" if inside else ""


def content(value: Any) -> str:
    """Return what a content block, a list of them, or what a dialect has for one, says."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return joined(*map(content, value), by=" ")
    block = fields(value)
    kind = block.get("type")
    if isinstance(said := block.get("text"), str) and kind in ("text", None):
        return said
    if kind == "content":  # as a tool call wraps it
        return content(block.get("content"))
    inner = fields(block.get("resource")) or fields(block.get("source"))
    named = word(block.get("name")) or word(block.get("uri")) or word(inner.get("uri"))
    media = word(block.get("mimeType")) or word(inner.get("mimeType", inner.get("mediaType")))
    if not block:
        return ""
    return f"[{joined(word(kind) or 'content', named or media, by=' ')}]"


def offers(capabilities: Any) -> str:
    """Return what is offered: the names of all that is true, present or counted."""
    return ", ".join(_offered(fields(capabilities), ""))


def _offered(value: dict[str, Any], above: str) -> Iterator[str]:
    for key, item in value.items():
        if key == "_meta" or item is None or item is False:
            continue
        if isinstance(item, dict) and any(name != "_meta" for name in item):
            yield from _offered(item, f"{above}{key}.")
        else:
            yield above + key


def who(info: Any) -> str:
    """Return the name and version of a peer."""
    peer = fields(info)
    return joined(
        word(peer.get("name")) or word(peer.get("title")), word(peer.get("version")), by=" "
    )


def names(values: Iterable[Any], *keys: str, by: str = ", ") -> str:
    """Return the names of objects, each by the first of `keys` that it has."""
    found = (
        next(filter(None, (word(fields(value).get(key)) for key in keys)), "") for value in values
    )
    return joined(*found, by=by)


def chosen(options: Any, wanted: Any) -> str:
    """Return the name of the option whose id is `wanted`, with its kind, or that id."""
    for option in map(fields, items(options)):
        if wanted is not None and wanted in (
            option.get("optionId"),
            option.get("id"),
            option.get("option_id"),
        ):
            label = word(option.get("name")) or word(option.get("label"))
            kind = word(option.get("kind"))
            return (label or word(wanted)) + aside(kind if kind != label else "")
    return word(wanted)


def lines_of(value: Any) -> str:
    """Return how much text there is, and its first line."""
    said = text(value)
    if said is None:
        return ""
    count = said.count("\n") + (not said.endswith("\n") and bool(said))
    first = said.lstrip("\n").partition("\n")[0]
    return counted(count, "line") + (f": {first}" if first else "")
