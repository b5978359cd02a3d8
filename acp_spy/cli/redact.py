"""`acp-spy redact`: a capture without its secrets, or whether a file still has some."""

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import chain
from shutil import which
from typing import Annotated

import typer

from acp_spy.capture.codec import encode
from acp_spy.capture.files import is_cut_off, read
from acp_spy.capture.folder_tree import CannotRead, files_below
from acp_spy.capture.links import names_descriptor
from acp_spy.capture.write_file import write_file
from acp_spy.cli.capture_input import find_input, is_pipe
from acp_spy.cli.console import FINE, FOUND, mask_secrets, output_name, report, write
from acp_spy.cli.guesses import to_run
from acp_spy.cli.output import STDOUT, quiet_pipe, write_lines, write_parts
from acp_spy.errors import AcpSpyError, file_word
from acp_spy.secrets.explanation import Explanation
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.patterns import Patterns
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.redactor import Masked, Redactor
from acp_spy.units import counted

_TO_REPLACE = "add `--force` to replace it"


def redact(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="The capture to redact, or `-` for stdin; with `--check`, any files and folders.",
            show_default=False,
        ),
    ],
    *,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Write the new capture to OUT, or to stdout if it is `-`.",
            show_default=False,
        ),
    ] = "",
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Redact the values of fields with this name, in messages and the header.",
            show_default=False,
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGEX",
            help="Redact matches in any string or line; only the first group, if there is one.",
            show_default=False,
        ),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POINTER",
            help="Redact the value at this JSON Pointer in messages; `*` matches any one step.",
            show_default=False,
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGEX",
            help="Keep values that match as a whole: they only look like secrets.",
            show_default=False,
        ),
    ] = None,
    home: Annotated[
        bool, typer.Option("--home", metavar="", help="Replace home folders with `/home/dev`.")
    ] = False,
    user: Annotated[
        bool, typer.Option("--user", metavar="", help="Replace user names with `dev`.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            metavar="",
            help="Write nothing; print what looks like a secret, and where it is.",
        ),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            metavar="",
            help="Print what is masked, where and why, and what is left although it looks odd;"
            " without `-o`, write nothing.",
        ),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Replace OUT if it exists.")
    ] = False,
) -> int:
    """
    Redacts environment variables and headers of MCP servers and providers, login data, accounts,
    fields with names such as `apiKey`, passwords in settings, programs, URLs and command lines,
    private keys, and the keys of major vendors. The same secret always gets the same placeholder,
    so that the capture can still be replayed. For example:
    `acp-spy redact run.jsonl -o shared.jsonl --home --user`.

    Start with `--explain`: it says what will be masked, and what looks odd and stays. No program
    knows every secret: read what you share.

    `--key`, `--value`, `--path` and `--allow` can be repeated. The exit status is 0, also if there
    was nothing to redact, and 2 if an option is wrong, or a file cannot be read or written.

    With `--check`, the exit status is 1 if a file contains what looks like a secret, 0 if none
    does, and 2 if a file cannot be read. It accepts any text file, and all files in a folder, and
    can run as a pre-commit hook.
    """
    mask_secrets()  # an error may quote the beginning of a file, and a name be a secret
    patterns = Patterns(key or [], value or [], path or [], allow or [], home=home, user=user)
    if check:
        _refuse_together("--check", ("--output", output), ("--explain", explain))
        return _check(files, patterns)
    if output == STDOUT:
        _refuse_together("-o -", ("--explain", explain))  # both go to stdout
    source = _source(files, output, explain=explain, force=force, user=user)
    masked = Masked(lambda: read(source), redactor := patterns.redactor())
    explanation = Explanation(redactor) if explain else None
    redact_one = (explanation or redactor).record
    parts = (encode([redact_one(each)]) for each in masked.sent())
    if output == STDOUT:
        write_parts(parts)
    elif output:
        write_file(output, parts, but=source, replace=force, to_replace=_TO_REPLACE)
    else:
        deque(parts, maxlen=0)
    if explanation:
        write_lines(explanation.lines())
    if next(parts, None) is not None:
        return FINE  # the reader has seen enough, as `head` has; what the rest holds is not known
    if output:
        write(*_summary(redactor, "stdout" if output == STDOUT else output_name(output)))
    if is_cut_off(source):
        write(f"note: the last record of `{source}` is cut off, and left out\n")
    _note_kept_names(redactor.persons, user=user)
    _note_matches(patterns, patterns.unmatched_places(), patterns.unmatched_values())
    return FINE


def _refuse_together(one: str, *others: tuple[str, object]) -> None:
    for other, is_given in others:
        if is_given:
            raise AcpSpyError(f"`{one}` cannot be used with `{other}`", hint="use one of them")


def _source(files: list[str], output: str, *, explain: bool, force: bool, user: bool) -> str:
    """Return the path of the one capture to redact, if `output` may be written."""
    if os.path.isdir(files[0]):
        raise AcpSpyError(
            f"cannot redact `{files[0]}`: it is a folder",
            hint="redact one capture at a time; to find secrets in all files of the folder, run"
            f" `acp-spy redact --check {file_word(files[0])}`",
        )
    if len(files) != 1 or not (output or explain):
        raise _no_capture_to_redact(files, user=user)
    if is_pipe(files[0]) and os.path.exists(output) and os.path.samefile(files[0], output):
        raise _is_capture(output)  # it would wait for itself
    source = find_input(files[0])
    if output != STDOUT and os.path.isfile(output) and not names_descriptor(output) and not force:
        if os.path.exists(source) and os.path.samefile(source, output):
            raise _is_capture(output)
        raise AcpSpyError(
            f"cannot write `{output}`: it exists",
            hint=f"give a new name, or {_TO_REPLACE}",
        )
    return source


def _is_capture(output: str) -> AcpSpyError:
    return AcpSpyError(f"cannot write `{output}`: it is the capture itself", hint="give a new name")


def _no_capture_to_redact(files: list[str], *, user: bool) -> AcpSpyError:
    """Return the error for several files, or for one without a place to write to."""
    first = files[0]
    capture = "-" if first == "-" else file_word(first)
    hint = f"run `acp-spy redact {capture} -o redacted.jsonl`"
    if which(first) and not first.endswith(".jsonl"):
        return AcpSpyError(
            f"cannot redact `{first}`: it is a program",
            hint=f"to record it without secrets, {to_run('acp-spy', '--redact', '--', *files)}",
        )
    if len(files) == 1:
        return AcpSpyError("specify one capture and `-o OUT`", hint=hint)
    if user and not os.path.exists(files[-1]):
        hint = f"remove `{files[-1]}`: `--user` takes no name, it finds the names in the capture"
    return AcpSpyError(f"cannot redact {len(files)} files at a time: {_quoted(files)}", hint=hint)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _note_kept_names(persons: Persons | None, *, user: bool) -> None:
    if user and persons and persons.left_alone:
        names = _quoted(persons.left_alone)
        write(f"note: outside of paths these user names are kept, they are plain words: {names}\n")


def _note_matches(patterns: Patterns, *unmatched: Iterable[str]) -> None:
    if allowed := len(patterns.matches.allowed):
        write(f"note: kept {counted(allowed, 'value')} because of `--allow`\n")
    for option in chain(*unmatched):
        write(f"note: `{option}` matched nothing\n")


def _check(files: list[str], patterns: Patterns) -> int:
    checked, unreadable = 0, FINE
    places: Counter[str] = Counter()  # by their files

    def cannot_read(error: AcpSpyError) -> None:
        nonlocal unreadable
        unreadable = report(error)

    with quiet_pipe():
        for named in chain.from_iterable(_files_in(each, cannot_read) for each in files):
            try:
                path = find_input(named, may_be_empty=True)  # any text file will do
                for line in secrets_in_file(path, patterns.redactor()):
                    places[path] += 1
                    write_lines([line], paged=False)
                checked += 1
            except AcpSpyError as error:
                cannot_read(error)
    if places:
        write(
            f"{counted(places.total(), 'place')} in {counted(len(places), 'file')}; in a capture,"
            " mask them with `acp-spy redact FILE -o OUT`; keep what is not secret with"
            " `--allow REGEX`\n"
        )
    elif checked and not unreadable:
        write(f"{counted(checked, 'file')} checked, no secrets found\n")
    elif not unreadable:
        write(f"warning: there are no files to check in {_quoted(files)}\n")
    if checked:
        # That no value matches is what a check is for.
        _note_matches(patterns, patterns.unmatched_places())
    return unreadable or (FOUND if places else FINE)


def _files_in(named: str, cannot_read: CannotRead) -> Iterator[str]:
    """Give the file that is named, or all in a folder."""
    return files_below(named, cannot_read) if os.path.isdir(named) else iter([named])


def _summary(redactor: Redactor, output: str) -> tuple[str, str]:
    kinds = sorted(redactor.counts.items(), key=lambda item: (-item[1], item[0]))
    total = sum(count for _, count in kinds)
    by_kind = ", ".join(f"{count} {kind}" for kind, count in kinds)
    what = f"redacted {counted(total, 'place')}: {by_kind}" if total else "found nothing to redact"
    return f"{what}; written to {output}", "Read it yourself before you share it."
