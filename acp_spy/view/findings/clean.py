"""An assertion for tests: nothing is wrong in a capture; else what is, one line a mistake."""

import os
from collections.abc import Iterable
from typing import Any, get_args

from acp_spy.capture.files import is_capture, load
from acp_spy.capture.records import Capture
from acp_spy.capture.scan import frames_in_lines
from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.dialect_rules import some_rules_for
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import check
from acp_spy.lint.select import select as select_rules
from acp_spy.lint.settings import Dialect, FailOn, Spec
from acp_spy.view.findings import concise
from acp_spy.view.findings.report import Report
from acp_spy.view.units import counted
from acp_spy.wire.inert import inert


def assert_clean(
    capture: str | os.PathLike[str] | Capture,
    *,
    ignore: str | Iterable[str] = (),
    select: str | Iterable[str] = (),
    fail_on: FailOn = "note",
    spec: Spec = "auto",
    dialect: Dialect = "auto",
) -> None:
    """
    Assert that no rule finds anything in `capture`, a path or what `load` gave.

    The options are those of `acp-spy check`: rules to leave out or to ask alone, by code, family or
    name; the mildest severity that fails, which is any if nothing is said; and what to judge by.
    Settings files are not read: what a test demands is in the test.
    """
    __tracebackhide__ = True  # pytest shows the line of the test, not ours
    _check_words(fail_on=(fail_on, FailOn), spec=(spec, Spec), dialect=(dialect, Dialect))
    rules = select_rules(CATALOGUE.values(), _words(select), _words(ignore))
    rules = some_rules_for(rules, dialect)
    name = "capture" if isinstance(capture, Capture) else os.fspath(capture)
    records = (capture if isinstance(capture, Capture) else load(capture)).records
    report = Report(name, rules, None if fail_on == "never" else Severity(fail_on))
    report.add(found for found in check(records, rules, spec, dialect) if report.fails(found))
    if report.failed:
        if not isinstance(capture, Capture) and is_capture(name):
            wanted = {seq for seq, _ in report.shown_places()}
            report.lines = {frame.seq: line for line, frame in frames_in_lines(name, wanted)}
        raise AssertionError(_message(report))


def _check_words(**options: tuple[str, Any]) -> None:
    """Refuse a word that is not one of the legal: it would be taken for another, silently."""
    for name, (word, kind) in options.items():
        if word not in get_args(kind):
            legal = ", ".join(get_args(kind))
            raise AcpSpyError(f"no such `{name}`: `{word}`", hint=f"one of {legal}")


def _words(words: str | Iterable[str]) -> Iterable[str]:
    return [words] if isinstance(words, str) else words


def _message(report: Report) -> str:
    count = sum(mistake.count for mistake in report.mistakes)
    head = f"{counted(count, 'finding')} in {inert(report.path)}\n"
    return "".join([head, *concise.render([report])]).rstrip("\n")
