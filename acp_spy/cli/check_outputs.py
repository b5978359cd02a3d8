"""Which formats `check` writes, and where: `--format FORMAT[:FILE]`, repeated, and `-o FILE`."""

import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import get_args

import msgspec

from acp_spy.cli.output import STDOUT, refuse_capture
from acp_spy.errors import AcpSpyError
from acp_spy.lint.settings import Format

FORMATS = get_args(Format)
_BY_SUFFIX = {".sarif": "sarif", ".sarif.json": "sarif", ".xml": "junit", ".json": "json"}


class Output(msgspec.Struct, frozen=True):
    """One format, and the file to write it to; stdout, if there is no path."""

    format: str
    path: str = ""


def outputs_of(words: Sequence[str], output: str, default: str) -> list[Output]:
    """Return what `--format` (`words`) and `-o` ask for; `default` is the format of the project."""
    output = "" if output == STDOUT else output
    asked = [_output(word) for word in words] or [Output(_by_suffix(output) or default)]
    for_stdout = [each for each in asked if not each.path]
    if len(for_stdout) > 1:
        first, second = (each.format for each in for_stdout[:2])
        raise AcpSpyError(
            f"`--format {first}` cannot be used with `--format {second}`: both go to stdout",
            hint=f"write one of them to a file: `--format {second}:FILE`",
        )
    if output and not for_stdout:
        raise AcpSpyError(
            "`--output` cannot be used with `--format FORMAT:FILE` alone",
            hint="remove `-o`, or add the format to write there: `--format FORMAT`",
        )
    outputs = [each if each.path else Output(each.format, output) for each in asked]
    paths = [each.path for each in outputs if each.path]
    for path in paths:
        refuse_capture(path, can_force=False)
        if [*map(os.path.realpath, paths)].count(os.path.realpath(path)) > 1:
            raise AcpSpyError(
                f"cannot write two formats to `{path}`", hint="give each format its own file"
            )
    return outputs


def refuse_inputs(outputs: Iterable[Output], captures: Iterable[str]) -> None:
    """Raise `AcpSpyError` if an output would replace a file that is checked."""
    for path in (output.path for output in outputs if os.path.exists(output.path)):
        folder = os.path.dirname(path) or "."
        for capture in filter(os.path.exists, captures):
            is_inside = path.endswith(".jsonl") and os.path.samefile(folder, capture)
            if is_inside or os.path.samefile(path, capture):
                raise AcpSpyError(
                    f"cannot write `{path}`: it is a file that is checked",
                    hint="give the output a new name",
                )


def complete_format(incomplete: str) -> list[str]:
    """Return the formats that a shell offers."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def _output(word: str) -> Output:
    name, colon, path = word.partition(":")
    if name not in FORMATS:
        near = get_close_matches(name, FORMATS, n=1)
        raise AcpSpyError(
            f"no such format: `{name}`" + (f"; did you mean `{near[0]}`?" if near else ""),
            hint=f"use one of {', '.join(FORMATS)}",
        )
    if colon and not path:
        raise AcpSpyError(
            f"missing file in `--format {word}`", hint=f"add it: `--format {name}:FILE`"
        )
    return Output(name, path)


def _by_suffix(path: str) -> str:
    return next((form for end, form in _BY_SUFFIX.items() if path.endswith(end)), "")
