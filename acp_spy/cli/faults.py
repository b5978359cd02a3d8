"""`acp-spy faults`: what `--fault` can cause, listed and explained."""

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from acp_spy.cli.output import write_lines, write_parts
from acp_spy.cli.shared_options import TextOrJson
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.faults.catalogue import FAULTS, PRESETS
from acp_spy.middleware.faults.spec import WHEN, nearest
from acp_spy.view.filters import TOKENS_ON_THE_WAY
from acp_spy.view.json_output import to_json
from acp_spy.view.layout import layout_of_terminal

_INDENT = " " * 4


def faults(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="A fault or a preset; without it, all are listed.",
            show_default=False,
        ),
    ] = None,
    form: TextOrJson = "text",
) -> None:
    """
    Each is listed with what it does and an example for `acp-spy --fault SPEC -- COMMAND`. A SPEC is
    a name, with a value after a colon if it takes one, and then filters as in `acp-spy view` and
    when it happens: `drop method:session/update p:0.1`.
    """
    _refuse_unknown(names or [])
    chosen = [each for name, each in FAULTS.items() if not names or name in names]
    presets = [each for name, each in PRESETS.items() if not names or name in names]
    if form == "json":
        listed: dict[str, Any] = {
            "faults": [
                {
                    "name": fault.word,
                    "takes": fault.takes,
                    "default": fault.default,
                    "meaning": fault.meaning,
                    "implies": fault.implies,
                    "count": fault.times,
                    "example": fault.example,
                }
                for fault in chosen
            ],
            "presets": [
                {"name": preset.word, "meaning": preset.meaning, "faults": preset.specs}
                for preset in presets
            ],
        }
        write_parts([to_json(listed)])
        return
    lines = [
        *(
            line
            for fault in chosen
            for line in _entry(_head(fault), fault.meaning, [fault.example])
        ),
        *(line for each in presets for line in _entry(each.word, each.meaning, each.specs)),
    ]
    if not names:
        lines += _when()
    width = min(layout_of_terminal().width, 100)
    write_lines(wrapped for line in lines for wrapped in _wrap(line, width))


def _refuse_unknown(names: Sequence[str]) -> None:
    for name in names:
        if name not in FAULTS and name not in PRESETS:
            meant = nearest(name, [*FAULTS, *PRESETS])
            raise AcpSpyError(f"no such fault: `{name}`", hint=f"{meant}run `acp-spy faults`")


def _head(fault: Any) -> str:
    return f"{fault.word}[:{fault.takes}]" if fault.takes else fault.word


def _entry(head: str, meaning: str, examples: Sequence[str]) -> Iterator[str]:
    yield head
    yield f"{_INDENT}{meaning}"
    for example in examples:
        yield f"{_INDENT}--fault {shlex.quote(example)}"


def _when() -> Iterator[str]:
    yield ""
    yield "When, after the name:"
    for name, (example, meaning) in WHEN.items():
        yield f"{_INDENT}{name}:{example}  {meaning}"
    filters = ", ".join(f"{token.name}:{token.example}" for token in TOKENS_ON_THE_WAY)
    yield f"{_INDENT}and the filters of `acp-spy view`: {filters}; a leading `-` negates"
    yield ""
    yield "`--seed N` repeats the random choices of a run; the seed is in the note of its capture."


def _wrap(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    if "--fault" in line:
        return [line]  # to be copied
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
