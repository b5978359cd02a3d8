"""The settings file of a project: `acp-spy.toml`, or else the table in pyproject.toml."""

import os
import re
import stat
from collections.abc import Iterator
from typing import Any

from acp_spy.capture.links import is_for_others_too
from acp_spy.capture.open_flags import BINARY, NONBLOCK
from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.select import select
from acp_spy.lint.settings import Settings, settings_from

_OWN, _SHARED = "acp-spy.toml", "pyproject.toml"
_LARGEST = 1024 * 1024
_LONG_KEY = re.compile(  # no key begins with an escaped quote, and a text may have many of them
    rb"(?<![\w\\-])(?:(?:[\w-]++|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){20}"
)


def find_settings(folder: str) -> Settings:
    """
    Return the settings that apply in `folder`; the defaults, if there are none.

    The nearest folder upwards counts that has either file. A pyproject.toml that does not
    mention us is passed over, and so is what another user has put into a folder such as /tmp.
    """
    for above in _upwards(folder):
        own, shared = os.path.join(above, _OWN), os.path.join(above, _SHARED)
        if (table := _parse(own)) is not None:
            return _refuse_unknown_rules(settings_from(table, own), own)
        tools = (_parse(shared) or {}).get("tool")
        ours = tools.get("acp-spy") if isinstance(tools, dict) else None
        if isinstance(ours, dict):
            source = f"{shared} [tool.acp-spy]"
            return _refuse_unknown_rules(settings_from(ours, source), source)
    return Settings()


def _refuse_unknown_rules(settings: Settings, source: str) -> Settings:
    """Return `settings`; refuse a rule that there is not, with the file that names it."""
    try:
        for word in (*settings.select, *settings.ignore, *settings.severity):
            select(CATALOGUE.values(), (word,))
    except AcpSpyError as error:
        raise AcpSpyError(f"{source}: {error.message}", hint=error.hint) from None
    return settings


def _upwards(folder: str) -> Iterator[str]:
    folder = os.path.abspath(folder)
    # We may be in it, and not be allowed to go through those above, as with `sudo -u`.
    is_only_here = not os.path.exists(folder) and folder == os.getcwd()
    yield os.curdir if is_only_here else folder
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        yield folder


def _is_of_a_stranger(path: str) -> bool:
    """Whether another user has put it into a folder such as /tmp. Raises `FileNotFoundError`."""
    folder = os.path.dirname(path)
    owner = os.lstat(path).st_uid
    return is_for_others_too(folder) and owner not in (os.geteuid(), 0)


def _loads(data: bytes) -> dict[str, Any]:
    if _LONG_KEY.search(data):  # reading it takes the square of their number
        raise ValueError("a key has more than 20 parts")
    import tomllib

    return tomllib.loads(data.decode())


def _parse(path: str) -> dict[str, Any] | None:
    # The project may be a stranger's: a pipe would be waited for, and a device read without end.
    descriptor = -1
    try:
        try:
            if _is_of_a_stranger(path):
                return None
        except PermissionError:  # in a folder that we may not look into
            return None
        descriptor = os.open(path, os.O_RDONLY | NONBLOCK | BINARY)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise AcpSpyError(f"cannot read `{path}`: it is not a regular file")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            most = f"{_LARGEST // 2**20} MiB"
            raise AcpSpyError(f"cannot read `{path}`: it is larger than {most}")
        if path.endswith(_SHARED) and b"acp-spy" not in data:
            return None  # it need not be parsed to know that it does not mention us
        return _loads(data)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise AcpSpyError(f"cannot read `{path}`: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # also what is no UTF-8
        why = "nested too deeply" if isinstance(error, RecursionError) else error
        raise AcpSpyError(
            f"cannot read `{path}`: it is not TOML: {why}",
            hint="fix the file; acp-spy looks for settings in this folder and those above",
        ) from None
    finally:
        if descriptor >= 0:
            os.close(descriptor)
