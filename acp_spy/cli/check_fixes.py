"""`acp-spy check --fix` and `--diff`: a capture with its repairs, and what they are."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from shlex import quote

from acp_spy.capture.codec import encode
from acp_spy.capture.files import read
from acp_spy.capture.links import names_descriptor
from acp_spy.capture.write_file import is_special, write_file
from acp_spy.cli.capture_input import find_input, spooled
from acp_spy.cli.check_outputs import Output
from acp_spy.cli.console import FINE, FOUND, output_name, write
from acp_spy.cli.line_diff import line_diff
from acp_spy.cli.output import STDOUT, refuse_capture, write_parts
from acp_spy.errors import AcpSpyError, file_word
from acp_spy.lint.ruleset import Ruleset
from acp_spy.middleware.fixes.capture import Change, FixedCapture
from acp_spy.units import counted
from acp_spy.view.layout import layout_of_terminal
from acp_spy.view.style import paint
from acp_spy.wire.inert import inert
from acp_spy.wire.values import decoded

_LONGEST = 1000  # characters of a line
_STYLES = {"-": "failed", "+": "string", "@": "client"}


def refuse(*, fix: bool, diff: bool, form: list[str] | None, part: str) -> None:
    """Raise `AcpSpyError` for options that cannot be used together."""
    if fix and diff:
        raise AcpSpyError(
            "`--fix` cannot be used with `--diff`",
            hint="run `--diff` to see the repairs, then `--fix -o FILE` to write them",
        )
    name = "--fix" if fix else "--diff"
    if part:
        raise AcpSpyError(
            f"`{name}` cannot be used with `{part}`",
            hint=f"remove `{part}`: repairs are made to what was sent",
        )
    if diff and form:
        raise AcpSpyError("`--diff` cannot be used with `--format`", hint="remove `--format`")


@contextmanager
def written(captures: Sequence[str], ruleset: Ruleset, output: str) -> Iterator[str]:
    """
    Write the repaired capture, say what was repaired, and give the path at which it can be read.

    That is not `output` if this is a pipe or a device: what went there is gone.
    """
    path = _one(captures)
    if not output or output == STDOUT:
        raise AcpSpyError(
            f"cannot fix `{path}` in place: a capture is never changed",
            hint="name a new file: `--fix -o fixed.jsonl`",
        )
    refuse_capture(output, but=path, can_force=False)
    _refuse_existing(output, but=path)
    fixed = FixedCapture(read(path), ruleset)
    is_kept = not is_special(output)
    write_file(output, (encode([record]) for record in fixed.records()), but=path)
    write(f"{_summary(fixed.changes, 'fixed')}; written to {output_name(output)}\n")
    if is_kept:
        yield output
        return
    with spooled(encode([record]) for record in fixed.records()) as spool:
        yield spool


def _refuse_existing(output: str, *, but: str) -> None:
    """Raise `AcpSpyError` if a file with something in it is there; `but` is refused elsewhere."""
    try:
        is_there = not is_special(output) and os.path.getsize(output) > 0
        if not is_there or os.path.samefile(output, but):
            return
    except OSError:  # there is none, or what writes it says why it cannot be
        return
    raise AcpSpyError(
        f"cannot write `{output}`: it exists",
        hint=f"give a new name, or remove it first: `rm {file_word(output)}`",
    )


def beside_stdout(outputs: Iterable[Output], output: str) -> list[Output]:
    """Return where the reports go: to stderr, if the repaired capture itself goes to stdout."""
    try:
        is_stdout = names_descriptor(output) and os.path.samestat(os.stat(output), os.fstat(1))
    except OSError:  # what writes it says why it cannot be
        is_stdout = False
    there = "/dev/stderr" if is_stdout else ""
    return [each if each.path else Output(each.format, there) for each in outputs]


def show(captures: Sequence[str], ruleset: Ruleset, output: str) -> int:
    """Show the repairs of each capture; the status says whether there are any."""
    changes: list[Change] = []
    parts: list[str] = []
    is_coloured = layout_of_terminal(plain=bool(output)).colour
    for capture in captures:
        path = _file(capture)
        found = FixedCapture(read(path), ruleset).changes
        changes += found
        lines = (line for change in found for line in _diff(path, change))
        parts += [
            paint([(_STYLES.get(line[:1], ""), line)], colour=is_coloured) + "\n" for line in lines
        ]
    if output and output != STDOUT:
        write_file(output, parts)
    else:
        write_parts(parts, paged=True)
    if not changes:
        write("nothing to fix\n")
        return FINE
    write(f"{_summary(changes, 'to fix')}; to write them: `acp-spy check --fix -o FILE CAPTURE`\n")
    return FOUND


def _one(captures: Sequence[str]) -> str:
    if len(captures) > 1:
        raise AcpSpyError(
            "cannot fix several captures at once", hint="run `--fix -o FILE` for each of them"
        )
    return _file(captures[0])


def _file(capture: str) -> str:
    if os.path.isdir(capture):
        raise AcpSpyError(
            f"cannot fix `{capture}`: it is a folder",
            hint=f"name a capture in it: `{quote(os.path.join(capture, 'FILE.jsonl'))}`",
        )
    return find_input(capture)


def _summary(changes: Iterable[Change], what: str) -> str:
    changes = list(changes)
    counts = Counter(code for change in changes for code in change.codes)
    codes = ", ".join(f"{code} {count}" for code, count in sorted(counts.items()))
    return f"{counted(len(changes), 'frame')} {what}" + (f": {codes}" if codes else "")


def _diff(path: str, change: Change) -> Iterator[str]:
    """Give a unified diff of one frame."""
    frame = change.frame
    before, after = _lines(frame.raw, change.lines)
    where = f"{inert(path)}, frame {frame.seq} ({frame.sender.value})"
    what = ", ".join(change.codes)
    if not after:
        what += ": moved to stderr" if change.log else ": joined with the next line"
    for line in line_diff(before, after, where, what):
        yield line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _lines(sent: bytes, made: Sequence[bytes]) -> tuple[list[str], list[str]]:
    """Return what to compare: JSON over several lines where it differs, else the bytes."""
    if len(made) == 1:
        before, after = _spread(sent), _spread(made[0])
        if before and after and before != after:
            return before, after
    return [_text(sent)], [_text(each) for each in made]


def _spread(raw: bytes) -> list[str]:
    value = decoded(raw)
    if not isinstance(value, dict):
        return []
    return [inert(line) for line in json.dumps(value, indent=2, ensure_ascii=False).split("\n")]


def _text(raw: bytes) -> str:
    return inert(raw.removesuffix(b"\n").decode(errors="backslashreplace"))
