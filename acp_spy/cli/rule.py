"""`acp-spy rule`: the catalogue, and each rule in it explained."""

import shutil
import sys
from typing import Annotated, Literal

import typer

from acp_spy.cli.output import quiet_pipe
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rules import FAMILIES
from acp_spy.lint.select import find
from acp_spy.view.json_output import to_json
from acp_spy.view.rule_text import description, explanation, listing


def rule(
    word: Annotated[
        str,
        typer.Argument(
            metavar="CODE|NAME|FAMILY",
            help="The rule to explain, or a family (`RPC`) to list; without it, all are listed.",
            show_default=False,
        ),
    ] = "",
    form: Annotated[
        Literal["text", "json"], typer.Option("--format", help="For people, or for programs.")
    ] = "text",
) -> None:
    """For example: `acp-spy rule RPC007`, or by name, `acp-spy rule unanswered-request`."""
    with quiet_pipe():
        sys.stdout.write(_output(word, form))
        sys.stdout.flush()


def _output(word: str, form: str) -> str:
    width = shutil.get_terminal_size().columns
    if word.upper() in FAMILIES:
        family = [each for each in CATALOGUE.values() if each.family == word.upper()]
        if form == "json":
            return to_json({"rules": [description(each) for each in family]})
        return listing(family, width)
    if word:
        asked = CATALOGUE.find(word) or find(CATALOGUE.values(), word)
        return to_json(description(asked)) if form == "json" else explanation(asked, width)
    if form == "json":
        return to_json({"rules": [description(each) for each in CATALOGUE.values()]})
    return listing(CATALOGUE.values(), width)
