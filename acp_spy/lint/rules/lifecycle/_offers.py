"""What the peers have announced, each list read once however many requests are about it."""

from typing import Any

import msgspec

from acp_spy.conversation.state import Conversation, Session
from acp_spy.lint.rules.lifecycle._common import quoted
from acp_spy.lint.rules.lifecycle._reading import entries, names, options, values
from acp_spy.protocol.paths import Folders, is_absolute, is_windows
from acp_spy.wire.values import fields, items


class Names(list[str]):
    """Names in the order of their list. Whether one is among them takes no look at the others."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(names)
        self._known = frozenset(names)

    def __contains__(self, name: object) -> bool:
        return name in self._known


class AuthMethods(msgspec.Struct):
    """The ids of authentication methods, and which of them are for a terminal."""

    ids: Names
    shown: list[str]  # the first of them, for a sentence
    terminal: frozenset[str]
    is_readable: bool  # each has an id


class Values(msgspec.Struct):
    """The values that a config option offers."""

    offered: Names
    is_readable: bool  # each is an object


class Commands(msgspec.Struct):
    """The commands of a session, and what a prompt starts with to use one."""

    names: list[str]
    words: frozenset[str]


class Roots(msgspec.Struct):
    """Folders of a session whose paths are absolute."""

    shown: list[str]  # the first of them, for a sentence
    folders: Folders
    systems: frozenset[bool]  # whether one is of Windows, and whether one is not


def auth_methods(state: Conversation) -> AuthMethods:
    """Return what the result of `initialize` offers."""
    return state.readings.of(_auth_methods, state.auth_methods)


def mode_ids(session: Session) -> Names:
    """Return the ids of the modes of a session."""
    return session.readings.of(ids_in, session.modes)


def known_options(session: Session | None) -> dict[str, dict[str, Any]]:
    """Return the config options of a session by their ids."""
    return session.readings.of(options, session.config) if session else {}


def mode_option(session: Session) -> dict[str, Any] | None:
    """Return the config option of category `mode`, the first of several."""
    return session.readings.of(_mode_option, session.config)


def option_values(session: Session) -> dict[str, Values]:
    """Return what each config option of a session offers, by its id."""
    return session.readings.of(_values, session.config)


def commands(session: Session | None) -> Commands:
    """Return the commands of a session."""
    return session.readings.of(_commands, session.commands) if session else _commands(None)


def roots(session: Session) -> tuple[Roots, Roots]:
    """Return the `cwd` of a session, and its `additionalDirectories`."""
    read = session.readings.of
    return read(_working_directory, session.cwd), read(_roots, session.directories)


def ids_in(modes: Any) -> Names:
    """Return the ids in `modes`, as an agent sends it."""
    return Names(names(fields(modes).get("availableModes"), "id"))


def _auth_methods(listed: Any) -> AuthMethods:
    methods = [fields(method) for method in items(listed)]
    found = [(method.get("id", method.get("methodId")), method.get("type")) for method in methods]
    ids = [(name, kind) for name, kind in found if isinstance(name, str)]
    return AuthMethods(
        Names([name for name, _ in ids]),
        [quoted(name) for name, _ in ids[:8]],
        frozenset(name for name, kind in ids if kind == "terminal"),
        len(ids) == len(found),
    )


def _mode_option(config: Any) -> dict[str, Any] | None:
    found = (option for _, option in entries(config) if option.get("category") == "mode")
    return next(found, None)


def _values(config: Any) -> dict[str, Values]:
    return {
        name: Values(
            Names(values(option)),
            all(isinstance(each, dict) for each in items(option.get("options"))),
        )
        for name, option in options(config).items()
    }


def _commands(listed: Any) -> Commands:
    found = names(listed, "name")
    return Commands(found, frozenset(name.lstrip("/").split(" ")[0] for name in found))


def _roots(listed: Any) -> Roots:
    paths = [path for path in items(listed) if isinstance(path, str) and is_absolute(path)]
    shown = [quoted(path) for path in paths[:4]]
    return Roots(shown, Folders(paths), frozenset(map(is_windows, paths)))


def _working_directory(cwd: Any) -> Roots:
    return _roots([cwd])
