"""The nouns: what is to be started, the machine that it is on, and an editor."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from acp_spy.wire.inert import inert
from acp_spy.wire.values import fields, items


class Launch(msgspec.Struct, frozen=True):
    """
    An agent behind acp-spy, as an editor starts it.

    `agent` is the agent's short name, `name` what it is called in the editor, and `words` the
    whole command line, acp-spy's own words first.
    """

    agent: str
    name: str
    words: tuple[str, ...]


class Machine(msgspec.Struct, frozen=True):
    """As much of a machine as decides where settings are: the platform, home and environment."""

    platform: str
    home: str
    env: Mapping[str, str] = {}

    @property
    def is_windows(self) -> bool:
        """Whether settings are where Windows has them."""
        return self.platform == "win32"

    @property
    def roaming(self) -> str:
        """The folder of `APPDATA`, on Windows."""
        return self.env.get("APPDATA") or self.under_home("AppData", "Roaming")

    @property
    def config(self) -> str:
        """The folder of `XDG_CONFIG_HOME`."""
        given = self.env.get("XDG_CONFIG_HOME", "")
        return given if os.path.isabs(given) else self.under_home(".config")

    def under_home(self, *parts: str) -> str:
        """Return a path in the home folder."""
        return os.path.join(self.home, *parts)


class Editor(msgspec.Struct, frozen=True):
    """
    A client: everything that the command `setup` knows about it.

    `programs` are its names on the PATH. `file` returns the path of its settings, or nothing. Where
    settings are JSON, `keys` lead to the object of the agents, and `entry` is an agent there; else
    `snippet` is what a person adds by hand, and `why_not` is why acp-spy cannot.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    file: Callable[[Machine], str]
    see: str
    naming: str = "{} via acp-spy"
    keys: tuple[str, ...] = ()
    entry: Callable[[Launch], dict[str, Any]] | None = None
    snippet: Callable[[Launch], str] | None = None
    why_not: str = ""

    def may_have_named(self, agent: str) -> bool:
        """Whether `agent` is called as acp-spy calls an agent that it adds."""
        before, _, after = self.naming.partition("{}")
        return agent.startswith(before) and agent.endswith(after)


def command_and_args(launch: Launch) -> dict[str, Any]:
    """Return an agent as most editors have it."""
    return {"command": launch.words[0], "args": list(launch.words[1:])}


def words_of(entry: Any) -> list[str]:
    """Return the command line of an agent in settings; none, if it is not in a known form."""
    agent = fields(entry)
    words = items(agent.get("argv")) or [agent.get("command"), *items(agent.get("args"))]
    return words if all(isinstance(word, str) for word in words) else []


def with_words(entry: Any, words: Sequence[str]) -> dict[str, Any]:
    """Return an agent in settings with another command line, and all else as it is."""
    agent = fields(entry)
    if "argv" in agent:
        return {**agent, "argv": list(words)}
    return {**agent, "command": words[0], "args": list(words[1:])}


def starts_acp_spy(entry: Any) -> bool:
    """Whether an agent in settings is one behind acp-spy, and not one with such a name."""
    words = words_of(entry)
    if not words:
        return False
    program = words[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    options = [word for word in words[1:4] if word != "-P"]
    return program == "acp-spy" or options[:2] == ["-m", "acp_spy"]


def quoted(word: str, code: str) -> str:
    """
    Return `word` as a string literal, as Lua and Emacs Lisp both read it.

    They differ in `code`: how a character is spelled by its number, as what acts or hides is.
    """
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    spelled = (c if inert(c) == c else code.format(ord(c)) for c in plain)
    return f'"{"".join(spelled)}"'
