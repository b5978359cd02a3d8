"""`acp-spy rule`: the catalogue, searched, listed and explained."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from acp_spy.cli.output import write_lines, write_parts
from acp_spy.cli.shared_options import TextOrJson
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Rule
from acp_spy.lint.select import search
from acp_spy.units import counted
from acp_spy.view.json_output import to_json
from acp_spy.view.layout import Layout, layout_of_terminal
from acp_spy.view.rule_text import description, explanation, listing


def rule(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD",
            help="A rule's code (`RPC006`) or name (`unanswered-request`), a family (`RPC`), or"
            " words to search for; without it, all rules are listed.",
            show_default=False,
        ),
    ] = None,
    form: TextOrJson = "text",
) -> None:
    """
    One match is explained: what the rule does, why it matters, an example, and what to use instead.
    Several are listed. For example: `acp-spy rule RPC006`, `acp-spy rule FRM`,
    `acp-spy rule permission`, `acp-spy rule session/load`.
    """
    found = _find(words or [])
    if form == "json":
        write_parts([_json(found, alone=bool(words))])
    else:
        write_lines(_text(found, words or [], layout_of_terminal()))


def _find(words: Sequence[str]) -> list[Rule]:
    if not words:
        return list(CATALOGUE.values())
    if len(words) == 1 and (one := CATALOGUE.find(words[0])):
        return [one]  # the others need not be loaded
    return search(CATALOGUE.values(), words)


def _json(found: list[Rule], *, alone: bool) -> str:
    if alone and len(found) == 1:
        return to_json(description(found[0]))
    return to_json({"rules": [description(each) for each in found]})


def _text(found: list[Rule], words: Sequence[str], layout: Layout) -> Iterator[str]:
    if words and len(found) == 1:
        yield from explanation(found[0], layout)
        return
    yield from listing(found, layout.width).splitlines()
    if words:
        yield ""
        yield f"{counted(len(found), 'rule')}; `acp-spy rule CODE` explains one"
