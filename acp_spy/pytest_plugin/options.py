"""The options of a mock: what the test says when it asks for it, its marker, and the settings."""

import os
import shlex
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, Literal, Required, TypedDict, cast, get_args

import pytest

from acp_spy.errors import AcpSpyError
from acp_spy.pytest_plugin.mock import ACP_SPY, masked
from acp_spy.relative_paths import absolute_words


class MockOptions(TypedDict, total=False):
    """
    How a mock is to be played: the options of `acp-spy replay`, with the same names.

    `command` is the real agent. An `optional` mock need not be started. `faults` and `seed` are
    those of `acp-spy --fault`, between the mock and its peer.
    """

    command: str | Sequence[str]
    match: str | Iterable[str]
    ignore: str | Iterable[str]
    strict: bool
    timing: str
    timeout: float
    on_divergence: str
    map_cwd: bool
    expect: str
    optional: bool
    faults: str | Iterable[str]
    seed: int


class RemoteOptions(MockOptions):
    """How a mock is to be played that is reached by URL: over HTTP, or over a WebSocket."""

    transport: Required[Literal["http", "ws"]]


_REPEATED = ("match", "ignore")
_FAULTS = ("faults", "seed")
_SEED = 1  # a test must do the same each time
_VALUES = ("timing", "timeout", "on_divergence", "expect")
_CHOICES = {"on_divergence", "expect", "transport"}
_NAMES = RemoteOptions.__annotations__
_BOOLEANS = ("strict", "map_cwd", "optional")
_SWITCHES = {("strict", True): "--strict", ("map_cwd", False): "--no-map-cwd"}


def gather(item: pytest.Item, given: MockOptions) -> tuple[str, MockOptions]:
    """Return the name that the nearest marker gives, and the options: the nearest counts."""
    name, options = "", MockOptions()
    for mark in reversed(list(item.iter_markers("acp_capture"))):
        if len(mark.args) > 1 or not all(isinstance(word, str) for word in mark.args):
            raise _wrong("`acp_capture` takes one name, and options by their names")
        more = dict(mark.kwargs)
        name = more.pop("name", mark.args[0] if mark.args else name)
        options.update(_checked(more))
    options.update(_checked(dict(given)))
    return name, options


def flags(options: MockOptions) -> list[str]:
    """Return the options as `acp-spy replay` takes them."""
    words: list[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if name in _REPEATED:
            words += [word for each in _words(name, value) for word in (flag, each)]
        elif name in _VALUES:
            words += [flag, str(value)]
        elif isinstance(value, bool) and (name, value) in _SWITCHES:
            words.append(_SWITCHES[name, value])
    return words


def transport_of(options: MockOptions) -> str:
    """Return how a mock and its peer are connected; empty for stdio."""
    return str(options.get("transport", ""))


def with_transport(url: str, transport: str) -> str:
    """Return `url` as that of a WebSocket, or of HTTP."""
    scheme, mark, rest = url.partition("://")
    secure = "s" if scheme in ("https", "wss") else ""
    return f"{transport}{secure}{mark}{rest}"


def with_faults(options: MockOptions, command: list[str], folder: str) -> list[str]:
    """
    Return the command line of an agent with the faults in front of it, if there are any.

    What they did is recorded in `folder`.
    """
    if not options.get("faults"):
        return command
    words = [word for each in _words("faults", options["faults"]) for word in ("--fault", each)]
    seed = str(options.get("seed", _SEED))
    output = os.path.join(folder, "faults.jsonl")
    return [*ACP_SPY, "--no-check", "-o", output, *words, "--seed", seed, "--", *command]


def command_of(item: pytest.Item, options: MockOptions) -> list[str]:
    """
    Return the real agent's command; empty if none is given.

    A file in it is one of the project: it is found from the project's root, wherever pytest was
    started, and wherever the client starts the agent.
    """
    command = options.get("command") or item.config.getini("acp_agent_command")
    try:
        words = shlex.split(command) if isinstance(command, str) else [*_words("command", command)]
    except ValueError:
        raise _wrong(f"cannot read the command `{command}`: a quote is not closed") from None
    return absolute_words(words, str(item.config.rootpath))


def _checked(options: dict[str, Any]) -> MockOptions:
    for name in options:
        if name not in _NAMES:
            near = get_close_matches(name, _NAMES, n=1)
            guess = f"; did you mean `{near[0]}`?" if near else ""
            raise _wrong(f"a mock has no option `{name}`{guess}")
    for name in _CHOICES & options.keys():
        legal = _choices(name)
        if options[name] not in legal:
            raise _wrong(f"`{name}` must be one of {', '.join(legal)}, not `{options[name]}`")
    for name in _BOOLEANS:
        if not isinstance(options.get(name, True), bool):
            raise _wrong(f"`{name}` must be True or False, not `{options[name]}`")
    for name in options.keys() & _REPEATED:
        options[name] = _words(name, options[name])  # kept: what can be gone through only once
    if options.keys() & {*_REPEATED, *_VALUES}:
        _try(options)
    if options.keys() & {*_FAULTS}:
        _try_faults(options)
    return cast(MockOptions, options)


def _try(options: dict[str, Any]) -> None:
    """Refuse here, where it is given, what the mock would refuse when it is started."""
    from acp_spy.replay.matchers import find_matchers, skipping  # not light, and seldom needed
    from acp_spy.replay.options import Options, parse_timing

    if not isinstance(options.get("timeout", 0), int | float):
        raise _wrong(f"`timeout` must be a number of seconds, not `{options['timeout']}`")
    try:
        find_matchers(options.get("match", ()))
        skipping(options.get("ignore", ()))
        parse_timing(str(options.get("timing", "fast")))
        Options(timeout=options.get("timeout", 0))
    except AcpSpyError as error:
        raise _wrong(f"{error.message}\nhint: {error.hint}") from None


def _try_faults(options: dict[str, Any]) -> None:
    from acp_spy.middleware.faults.catalogue import make_faults

    options["faults"] = _words("faults", options.get("faults", ()))
    try:
        make_faults(options["faults"], str(options.get("seed", "")))
    except AcpSpyError as error:
        raise _wrong(f"{error.message}\nhint: {error.hint}") from None


def _words(name: str, value: Any) -> tuple[str, ...]:
    """Return one word or several as several."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise _wrong(f"`{name}` must be a word or several, not `{value}`")
    return tuple(map(str, value))


def _choices(name: str) -> tuple[str, ...]:
    from acp_spy.replay.options import Expectation, OnDivergence

    if name == "transport":
        return "http", "ws"
    return get_args(Expectation if name == "expect" else OnDivergence)


def _wrong(text: str) -> BaseException:
    return pytest.fail.Exception(masked(text), pytrace=False)
