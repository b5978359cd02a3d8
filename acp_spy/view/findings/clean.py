"""An assertion for tests: nothing is wrong in a capture; else what is, one line per mistake."""

import os
import sys
from collections.abc import Iterable
from typing import Any, get_args

import msgspec

from acp_spy.capture.files import is_capture, records_of
from acp_spy.capture.folder import is_running
from acp_spy.capture.locate import find_capture
from acp_spy.capture.records import Capture
from acp_spy.capture.scan import frames_in_lines
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import Ruleset, check, findings_in, ruleset_for
from acp_spy.lint.settings import Dialect, FailOn, Settings, Spec
from acp_spy.units import counted
from acp_spy.view.findings import concise
from acp_spy.view.findings.report import Report
from acp_spy.view.findings.settings_file import find_settings
from acp_spy.wire.inert import inert


def assert_clean(
    capture: str | os.PathLike[str] | Capture,
    *,
    ignore: str | Iterable[str] = (),
    select: str | Iterable[str] = (),
    fail_on: FailOn | None = None,
    spec: Spec | None = None,
    dialect: Dialect | None = None,
) -> None:
    """
    Assert that `acp-spy check` passes for `capture`, a path or what `load` gave.

    The options, their defaults and the settings file are those of `acp-spy check`: what is given
    here overrides the file, which is looked for from the folder of the calling module upwards. A
    relative path is one from that folder, or else from the current one.
    """
    __tracebackhide__ = True  # pytest shows the line of the test, not ours
    folder = _folder_of(sys._getframe(1).f_globals.get("__file__"))  # noqa: SLF001 - as documented
    try:
        settings = _settings(
            folder, select=select, ignore=ignore, fail_on=fail_on, spec=spec, dialect=dialect
        )
        report = _report(capture, folder, settings)
    except AcpSpyError as error:  # from here, so that pytest shows one line and no way to it
        from acp_spy.secrets.redactor import Redactor

        raise error.without_secrets(Redactor().text) from None
    if report.failed:
        checked = capture if isinstance(capture, Capture) else report.path
        raise AssertionError(_without_secrets(report, checked, settings))


def _without_secrets(report: Report, checked: str | Capture, settings: Settings) -> str:
    """
    Return what has failed, for a log that others read.

    Placeholders are judged in the place of secrets: in a sentence that quotes a part of one,
    nothing may show what it is. Budgets are compared with what was sent, as in `check_file`.
    """
    from acp_spy.secrets.redactor import Masked  # most tests pass

    is_whole = not is_running(checked)  # asked first
    masked = Masked(lambda: records_of(checked))
    ruleset = Ruleset(tuple(report.rules), settings.spec, settings.dialect)
    shared, budgeted = (Report(report.path, report.rules, report.fail_on) for _ in range(2))
    shared.add(filter(report.fails, findings_in(masked(), ruleset, is_whole=is_whole)))
    own = [rule for rule in report.rules if rule.budgets.set_ones]
    found = check(checked, own, settings.spec, settings.dialect, settings.budgets)
    budgeted.add(filter(report.fails, found))
    shared.merge(budgeted, masked.redactor.text)
    shared.lines = report.lines
    return masked.redactor.text(_message(shared))


def _folder_of(module: str | None) -> str:
    """Return the folder of a module; the current one for what is typed in, and has no file."""
    return os.path.dirname(os.path.abspath(module)) if module else os.getcwd()


def _settings(folder: str, **given: Any) -> Settings:
    legal = {"fail_on": FailOn, "spec": Spec, "dialect": Dialect}
    for name, kind in legal.items():
        if given[name] is not None and given[name] not in get_args(kind):
            # It would be taken for another, silently.
            hint = f"use one of {', '.join(get_args(kind))}"
            raise AcpSpyError(f"no such `{name}`: `{given[name]}`", hint=hint)
    for name in ("select", "ignore"):
        words = given[name]
        given[name] = (words,) if isinstance(words, str) else tuple(words)
    changes = {name: value for name, value in given.items() if value}
    return msgspec.structs.replace(find_settings(folder), **changes)


def _report(capture: str | os.PathLike[str] | Capture, folder: str, settings: Settings) -> Report:
    path = "" if isinstance(capture, Capture) else _find(os.fspath(capture), folder)
    rules = ruleset_for(settings).rules or ()
    fail_on = None if settings.fail_on == "never" else Severity(settings.fail_on)
    report = Report(path or "capture", rules, fail_on)
    found = check(path or capture, rules, settings.spec, settings.dialect, settings.budgets)
    report.add(each for each in found if report.fails(each))
    if report.failed and path and is_capture(path):
        wanted = {seq for seq, _ in report.shown_places()}
        report.lines = {frame.seq: line for line, frame in frames_in_lines(path, wanted)}
    return report


def _find(named: str, folder: str) -> str:
    """Return the path of a capture that must exist, and not be empty; a short one if possible."""
    path = os.path.join(folder, named)
    if not os.path.exists(path) and not os.path.exists(path := named):
        where = "" if os.path.isabs(named) else f" in {folder}"
        raise AcpSpyError(f"cannot check `{named}`: no such file{where}")
    from_here = os.path.relpath(path)
    return find_capture(path if os.path.isabs(named) or from_here.startswith("..") else from_here)


def _message(report: Report) -> str:
    count = sum(mistake.count for mistake in report.mistakes)
    head = f"{counted(count, 'finding')} in {inert(report.path)}\n"
    return "".join([head, *concise.render([report])]).rstrip("\n")
