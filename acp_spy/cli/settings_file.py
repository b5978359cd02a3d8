"""Find the settings of the project that one stands in: `acp-spy.toml`, else pyproject.toml."""

import os
import tomllib
from collections.abc import Iterator
from typing import Any

from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.select import select
from acp_spy.lint.settings import Settings, settings_from

_OWN, _SHARED = "acp-spy.toml", "pyproject.toml"


def find_settings(folder: str) -> Settings:
    """
    Return the settings for whoever stands in `folder`; the defaults, if there are none.

    The nearest folder upwards counts that has either file. A pyproject.toml that does not
    mention us is somebody else's.
    """
    for above in _upwards(folder):
        own, shared = os.path.join(above, _OWN), os.path.join(above, _SHARED)
        if (table := _parse(own)) is not None:
            return _known(settings_from(table, own), own)
        tools = (_parse(shared) or {}).get("tool")
        ours = tools.get("acp-spy") if isinstance(tools, dict) else None
        if isinstance(ours, dict):
            source = f"{shared} [tool.acp-spy]"
            return _known(settings_from(ours, source), source)
    return Settings()


def _known(settings: Settings, source: str) -> Settings:
    """Return `settings`; refuse a rule that there is not, with the file that names it."""
    try:
        for word in (*settings.select, *settings.ignore, *settings.severity):
            select(CATALOGUE.values(), (word,))
    except AcpSpyError as error:
        raise AcpSpyError(f"{source}: {error.message}", hint=error.hint) from None
    return settings


def _upwards(folder: str) -> Iterator[str]:
    folder = os.path.abspath(folder)
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        yield folder


def _parse(path: str) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise AcpSpyError(f"`{path}` cannot be read: {error.strerror}") from None
    except ValueError as error:  # also what is no UTF-8
        raise AcpSpyError(
            f"`{path}` is not TOML: {error}", hint="settings are looked for from here upwards"
        ) from None
