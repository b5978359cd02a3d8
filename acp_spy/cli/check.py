"""`acp-spy check`: what is wrong in captures, who must fix it, where, and how."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from shlex import quote
from typing import Annotated, Literal

import typer

from acp_spy.capture.delivered import Side
from acp_spy.capture.folder import captures as captures_in
from acp_spy.capture.folder import files_in
from acp_spy.capture.write_file import write_file
from acp_spy.cli.capture_input import find_input
from acp_spy.cli.check_outputs import FORMATS, Output, complete_format, outputs_of, refuse_inputs
from acp_spy.cli.console import FINE, FOUND, mask_secrets, report, report_bugs, show_secrets, write
from acp_spy.cli.output import messages_at_the_end, write_parts
from acp_spy.cli.rule_settings import (
    Ignore,
    Select,
    Severities,
    settings_with,
    with_budgets,
)
from acp_spy.cli.shared_options import Delivered
from acp_spy.dialect.known import choices, translated
from acp_spy.errors import AcpSpyError
from acp_spy.lint.budgets import durations_from
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import Ruleset, ruleset_for
from acp_spy.lint.settings import Dialect, FailOn, Settings, Spec
from acp_spy.units import counted
from acp_spy.view.findings.check_file import add_excerpts, check_file, without_secrets
from acp_spy.view.findings.report import Report
from acp_spy.view.layout import layout_of_terminal
from acp_spy.wire.frame import Peer

_SHARED = {"github", "sarif", "junit"}  # in logs and on pages that others can read
_WITH_PLACES = {"full", "concise", "github", "sarif"}
_FOR_PEOPLE = {"full", "concise"}


def check(
    captures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CAPTURE",
            help="The captures to check, folders of captures (not their subfolders), or `-` for"
            " stdin. Default: the newest in the capture folder.",
            show_default=False,
        ),
    ] = None,
    *,
    select: Select = None,
    ignore: Ignore = None,
    severity: Severities = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            metavar="LEVEL",
            help="Exit with status 1 for findings of this severity or worse: `error` (default),"
            " `warning`, `note` or `never`.",
            show_default=False,
        ),
    ] = None,
    spec: Annotated[
        Spec | None,
        typer.Option(
            metavar="VERSION",
            help="Version of the specification: `v1`, `v1-unstable`, `v2`, or `auto` (default): the"
            " version that the peers agreed on.",
            show_default=False,
        ),
    ] = None,
    dialect: Annotated[
        Dialect | None,
        typer.Option(
            metavar="NAME",
            help="Protocol of the peers: `acp`, or a dialect that is checked by its own document"
            f" ({', '.join(choices()[2:])}). `auto` (default) recognizes dialects and checks"
            " everything by official ACP.",
            show_default=False,
        ),
    ] = None,
    max_duration: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METHOD=TIME",
            help="Report requests of this method that take longer: `session/new=5s`. Can be"
            " repeated.",
            show_default=False,
        ),
    ] = None,
    max_turn: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="Report turns that take longer, such as `2m`.", show_default=False
        ),
    ] = "",
    max_first_update: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Report turns whose first update comes later, such as `500ms`.",
            show_default=False,
        ),
    ] = "",
    expect_tool: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Report that no tool call has this name, kind or title. Can be repeated; `*`"
            " matches any text.",
            show_default=False,
        ),
    ] = None,
    forbid_tool: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Report tool calls of this name, kind or title. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    expect_stop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REASON",
            help="Report turns that end with another stop reason, such as `end_turn`. Can be"
            " repeated: one of them is expected.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="FORMAT[:FILE]",
            help=f"Output format: {', '.join(f'`{name}`' for name in FORMATS)}; with FILE, write to"
            " that file. Can be repeated. Default: by the suffix of `-o`, or `full`.",
            show_default=False,
            autocompletion=complete_format,
        ),
    ] = None,
    as_delivered: Delivered = False,
    seen_by: Annotated[
        Literal["client", "agent"] | None,
        typer.Option(
            metavar="PEER",
            help="Take the conversation as the `client` or the `agent` saw it: what it sent, and"
            " what it received. If acp-spy translated for this peer, its dialect is expected.",
            show_default=False,
        ),
    ] = None,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            metavar="",
            help="Repair what has one obvious repair, write the repaired capture to the file of"
            " `-o`, and report what is left.",
        ),
    ] = False,
    diff: Annotated[
        bool,
        typer.Option("--diff", metavar="", help="Show what `--fix` would change, frame by frame."),
    ] = False,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write to FILE instead of stdout; with `--fix`, the repaired capture.",
            show_default=False,
        ),
    ] = "",
) -> int:
    """
    The same settings can be in `[tool.acp-spy]` of pyproject.toml or in acp-spy.toml; options
    override them. For example, for CI: `acp-spy check captures --format full
    --format sarif:acp.sarif --format junit:acp.xml`.

    Exit status: 0 if there are no findings that fail the check, 1 if there are, 2 if a capture
    cannot be read or is an empty file. With `--fix`, it is about the repaired capture; with
    `--diff`, it is 1 if there is something to repair.
    """
    # Until the format is known: the settings may say it, and an error about them may quote them.
    mask_secrets()
    settings = settings_with(select, ignore, severity, fail_on=fail_on, spec=spec, dialect=dialect)
    settings = with_budgets(
        settings,
        max_duration=durations_from(max_duration or ()),
        max_turn=max_turn,
        max_first_update=max_first_update,
        expect_tool=expect_tool,
        forbid_tool=forbid_tool,
        expect_stop=expect_stop,
    )
    ruleset = ruleset_for(settings)
    if fix or diff:
        from acp_spy.cli import check_fixes

        part = "--delivered" if as_delivered else "--seen-by" if seen_by else ""
        check_fixes.refuse(fix=fix, diff=diff, form=form, part=part)
    if as_delivered and seen_by:
        raise AcpSpyError("`--delivered` cannot be used with `--seen-by`", hint="use one of them")
    outputs = outputs_of(form or [], "" if fix else output, settings.format)
    if not any(each.format in _SHARED for each in outputs):
        show_secrets()
    run = _Run(ruleset, settings, "delivered" if as_delivered else seen_by or "sent")
    if not captures:
        captures = [find_input()]
        write(f"checking the newest capture: {captures[0]}\n")
    if diff:
        refuse_inputs(outputs, captures)
        return check_fixes.show(captures, ruleset, output)
    if fix:
        outputs = check_fixes.beside_stdout(outputs, output)
        refuse_inputs(outputs, captures)
        with check_fixes.written(captures, ruleset, output) as fixed:
            refuse_inputs(outputs, [fixed])
            run.report([fixed], outputs, name=output)
        return run.status
    refuse_inputs(outputs, captures)
    run.report(captures, outputs)
    return run.status


class _Run:
    """One run over several captures, and the exit status for all of them."""

    def __init__(self, ruleset: Ruleset, settings: Settings, side: Side) -> None:
        self._side = side
        self._name = ""
        self._rules = ruleset.rules or ()
        self._settings = settings
        self._unreadable = self._bug = FINE
        self._failed = False

    @property
    def status(self) -> int:
        """The worst of what happened. A rule that raised says nothing about the capture."""
        if self._unreadable:
            return self._unreadable
        return FOUND if self._failed else self._bug

    def report(self, captures: Sequence[str], outputs: Sequence[Output], *, name: str = "") -> None:
        """
        Write what is found in `captures`, paths or names, to each of `outputs`.

        They are called by `name`, if it is given.
        """
        self._name = name
        if len(outputs) == 1 and not sys.stdout.isatty():
            self._write(self._reports(captures, outputs), outputs[0])
            return
        # All reports at first: several formats show them, and a pager may be left early.
        with messages_at_the_end():
            # Masked for all of them, if for one: what CI prints beside it is read by others, too.
            reports = list(self._reports(captures, outputs))
            for output in outputs:
                self._write(reports, output)

    def _write(self, reports: Iterable[Report], output: Output) -> None:
        render = import_module(f"acp_spy.view.findings.{output.format}").render
        if output.format == "full":
            parts = render(reports, layout_of_terminal(plain=bool(output.path)))
        else:
            parts = render(reports)
        if output.path:
            write_file(output.path, parts)
        else:
            write_parts(parts, paged=output.format in _FOR_PEOPLE)

    def _reports(self, captures: Iterable[str], outputs: Sequence[Output]) -> Iterator[Report]:
        """Give a report for each capture; one that cannot be read does not keep the others."""
        settings = self._settings
        formats = {output.format for output in outputs}
        for path in self._paths(captures):
            try:
                masked = without_secrets(path) if formats & _SHARED else None
                found = check_file(
                    path,
                    self._rules,
                    spec=settings.spec,
                    dialect=settings.dialect,
                    budgets=settings.budgets,
                    fail_on=None if settings.fail_on == "never" else Severity(settings.fail_on),
                    every="json" in formats,
                    masked=masked,
                    side=self._side,
                    name=self._name,
                )
                if formats & _WITH_PLACES:
                    add_excerpts(found, masked=masked)
            except AcpSpyError as error:
                self._unreadable = report(error)
                continue
            self._failed = self._failed or found.failed
            if not found.frames and not found.mistakes:
                write(f"note: `{found.name}` has no frames: there is nothing to check\n")
            if found.pending:
                write(f"note: `{found.name}`: recording still runs; {'; '.join(found.pending)}\n")
            if found.note:
                more = ""
                if self._side in ("sent", "delivered") and any(
                    translated(peer, "") in found.note for peer in Peer
                ):
                    more = "; check what each peer saw: `--seen-by client`, `--seen-by agent`"
                write(f"note: `{found.name}`: {found.note}{more}\n")
            if found.masked_places:
                places = counted(found.masked_places, "place")
                write(f"note: `{found.name}`: secrets masked: {places}")
            self._bug = report_bugs(found.crashes, self._name or path) or self._bug
            yield found

    def _paths(self, captures: Iterable[str]) -> Iterator[str]:
        for named in captures:
            try:
                each_named = _files_in(named) if os.path.isdir(named) else [named]
            except AcpSpyError as error:
                self._unreadable = report(error)
                continue
            for each in each_named:
                try:
                    yield find_input(each)
                except AcpSpyError as error:
                    self._unreadable = report(error)


def _files_in(folder: str) -> list[str]:
    """Return the captures in `folder`, and what is called like one and may not be readable."""
    named_so = [path for path in files_in(folder) if path.endswith(".jsonl")]
    paths = sorted({entry.path for entry in captures_in(folder)}.union(named_so))
    if not paths:
        raise AcpSpyError(
            f"cannot check `{folder}`: it is a folder without captures",
            hint=f"record into it: `acp-spy --dir {quote(folder)} -- COMMAND`",
        )
    return paths
