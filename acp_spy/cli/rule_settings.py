"""
Which rules are run, and with which severity: options first, then the project's settings file.

The file is `acp-spy.toml`, or else pyproject.toml.
"""

import os
from typing import Annotated, Any

import msgspec
import typer

from acp_spy.lint.budgets import budgets_from
from acp_spy.lint.settings import Settings, severity_from
from acp_spy.view.findings.settings_file import find_settings

Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="CODES",
        help="Run only these rules: codes (`RPC007`), families (`RPC`) or names.",
        show_default=False,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="CODES", help="Do not run these rules.", show_default=False),
]
Severities = Annotated[
    list[str] | None,
    typer.Option(
        "--severity",
        metavar="CODE=LEVEL",
        help="Override the severity of a rule: `error`, `warning` or `note`.",
        show_default=False,
    ),
]


def settings_with(
    select: list[str] | None, ignore: list[str] | None, severity: list[str] | None, **others: Any
) -> Settings:
    """Return the settings of the project in the current folder; options override them."""
    given: dict[str, Any] = {
        "select": select and tuple(select),
        "ignore": ignore and tuple(ignore),
        "severity": severity_from(severity) if severity else None,
        **others,
    }
    try:
        settings = find_settings(os.getcwd())
    except FileNotFoundError:  # the current folder has been removed
        settings = Settings()
    return msgspec.structs.replace(
        settings, **{key: value for key, value in given.items() if value}
    )


def with_budgets(settings: Settings, **given: Any) -> Settings:
    """Return `settings` with the budgets of the command line in place of those of the file."""
    changed = budgets_from({key.replace("_", "-"): value for key, value in given.items() if value})
    budgets = msgspec.structs.replace(settings.budgets, **changed)
    return msgspec.structs.replace(settings, budgets=budgets)
