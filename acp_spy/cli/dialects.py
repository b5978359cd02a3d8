"""`acp-spy dialects`: the dialects of ACP, and what can be done with each."""

import textwrap
from collections.abc import Iterator
from typing import Any

from acp_spy.cli.output import write_lines, write_parts
from acp_spy.cli.shared_options import TextOrJson
from acp_spy.dialect.known import DIALECTS, documented
from acp_spy.middleware.dialects.known import TRANSLATIONS
from acp_spy.view.json_output import to_json
from acp_spy.view.layout import layout_of_terminal

_INDENT = " " * 4


def dialects(form: TextOrJson = "text") -> None:
    """
    Dialects are incompatible protocols that are also called ACP, and ACP's own past and future.
    `acp-spy check` detects which one a peer speaks. `acp-spy --agent-dialect NAME -- COMMAND` and
    `--client-dialect NAME` translate between that peer and official ACP.
    """
    listed = [*_listed()]
    if form == "json":
        write_parts([to_json({"dialects": listed})])
        return
    width = min(layout_of_terminal().width, 100)
    write_lines(line for each in listed for line in _lines(each, width))


def _listed() -> Iterator[dict[str, Any]]:
    found = {each.name: each.origin for each in DIALECTS}
    origins = found | {name: each.origin for name, each in TRANSLATIONS.items()}
    for name, origin in origins.items():
        translation = TRANSLATIONS.get(name)
        yield {
            "name": name,
            "origin": origin,
            "detect": name in found,
            "check": name in documented(),
            "translate": translation is not None,
            "cannot": translation.cannot if translation else "",
        }


def _lines(each: dict[str, Any], width: int) -> Iterator[str]:
    name = each["name"]
    yield name
    yield from _wrapped(f"{each['origin'][0].upper()}{each['origin'][1:]}.", width)
    if each["cannot"]:
        yield from _wrapped(f"It cannot express: {each['cannot']}.", width)
    if each["check"]:
        yield f"{_INDENT}acp-spy check --dialect {name} CAPTURE"
    if each["translate"]:
        yield f"{_INDENT}acp-spy --agent-dialect {name} -- COMMAND"
    else:
        yield from _wrapped("It is detected; its stages can be translated:", width)


def _wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(
        words, width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False
    )
