"""`acp-spy check`: what is wrong in captures, who must fix it, where, and how."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Annotated, get_args

import typer

from acp_spy.cli.capture_input import find_input
from acp_spy.cli.console import FINE, FOUND, report, report_bugs, write
from acp_spy.cli.output import write_parts
from acp_spy.cli.rule_settings import Ignore, Select, Severities, settings_with
from acp_spy.dialect.known import choices
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import Ruleset, ruleset_for
from acp_spy.lint.settings import Dialect, FailOn, Format, Settings, Spec
from acp_spy.view.findings.check_file import add_excerpts, check_file
from acp_spy.view.findings.report import Report
from acp_spy.view.layout import layout_of_terminal

_SHARED = ("github", "sarif", "junit")  # in logs and on pages that others can read
_WITH_PLACES = ("full", "concise", "github", "sarif")


def check(
    captures: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CAPTURE",
            help="The captures to check, `-` for stdin; without any, the newest in the capture"
            " folder.",
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
            help="Exit with status 1 from this severity on: `error`, `warning`, `note` or `never`.",
            show_default="error",
        ),
    ] = None,
    spec: Annotated[
        Spec | None,
        typer.Option(
            metavar="VERSION",
            help="The specification to judge by: `v1`, `v1-unstable` or `v2`; `auto` is the version"
            " that the peers agreed on.",
            show_default="auto",
        ),
    ] = None,
    dialect: Annotated[
        Dialect | None,
        typer.Option(
            metavar="NAME",
            help="What the peers speak: official ACP (`acp`), or a dialect, to be judged by its own"
            f" document: {', '.join(choices()[2:])}; `auto` recognises dialects and judges all by"
            " official ACP.",
            show_default="auto",
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"How to tell what was found: {', '.join(get_args(Format))}.",
            show_default="full",
        ),
    ] = None,
) -> int:
    """
    Exit status: 0 when nothing is found that fails, 1 when something is, 2 when a capture cannot be
    read, or is an empty file. The same settings can stand in `[tool.acp-spy]` of pyproject.toml, or
    in acp-spy.toml; what is given here goes before them.
    """
    settings = settings_with(
        select, ignore, severity, fail_on=fail_on, spec=spec, dialect=dialect, format=form
    )
    run = _Run(ruleset_for(settings), settings)
    if not captures:
        captures = [find_input()]
        write(f"checking the newest capture: {captures[0]}\n")
    run.report(captures)
    return run.status


class _Run:
    """One run over several captures, and what its exit status must say in the end."""

    def __init__(self, ruleset: Ruleset, settings: Settings) -> None:
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

    def report(self, captures: Iterable[str]) -> None:
        """Write what is found in `captures`, paths or names, in the format that was asked for."""
        render = import_module(f"acp_spy.view.findings.{self._settings.format}").render
        reports = self._reports(captures)
        is_full = self._settings.format == "full"
        write_parts(render(reports, layout_of_terminal()) if is_full else render(reports))

    def _reports(self, captures: Iterable[str]) -> Iterator[Report]:
        """Give a report for each capture; one that cannot be read does not keep the others."""
        settings = self._settings
        for named in captures:
            try:
                path = find_input(named)
                found = check_file(
                    path,
                    self._rules,
                    spec=settings.spec,
                    dialect=settings.dialect,
                    fail_on=None if settings.fail_on == "never" else Severity(settings.fail_on),
                    every=settings.format == "json",
                    without_secrets=settings.format in _SHARED,
                )
                if settings.format in _WITH_PLACES:
                    add_excerpts(found)
            except AcpSpyError as error:
                self._unreadable = report(error)
                continue
            self._failed = self._failed or found.failed
            if not found.frames and not found.mistakes:
                write(f"note: `{path}` has no frames: there was nothing to judge\n")
            if found.pending:
                write(f"note: `{path}`: recording still runs; {'; '.join(found.pending)}\n")
            if found.note:
                write(f"note: `{path}`: {found.note}\n")
            self._bug = report_bugs(found.crashes, path) or self._bug
            yield found
