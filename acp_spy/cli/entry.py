"""Decide what the command line asks for: the proxy, a command, or help with the command line."""

import os

from acp_spy.cli.commands import (
    COMMANDS,
    COMPLETION_VARIABLE,
    PROGRAM,
    PROXY_OPTIONS,
    URLS,
    USAGE,
    Option,
    has_terminal,
    is_posix,
    no_posix,
)
from acp_spy.cli.console import mask_secrets, report, run_reporting
from acp_spy.cli.interrupts import raise_again
from acp_spy.errors import AcpSpyError

TYPE_CHECKING = False  # importing typing for its name would delay the agent
if TYPE_CHECKING:
    from typing import Any

_HELP, _VERSION = ("--help", "-h", "help"), ("--version", "version")
EXAMPLE = "acp-spy -- claude-agent-acp"


def run(words: list[str]) -> int:
    """Do what `words`, the command line without the program's name, ask for."""
    if not words and COMPLETION_VARIABLE in os.environ:
        _prepare_loading()
        from acp_spy.cli.app import answer_shell

        return answer_shell(os.environ[COMPLETION_VARIABLE])
    if not words and has_terminal() and is_posix():
        words = ["live"]
    first = words[0] if words else ""
    if first in _VERSION:
        return run_reporting(lambda: print(PROGRAM))  # noqa: T201 - this is what stdout is for
    if first == "help" and len(words) > 1 and words[1] not in COMMANDS:
        from acp_spy.cli.guesses import unknown_command

        return report(unknown_command(words[1]))
    if first in COMMANDS or first in _HELP:
        _prepare_loading()
        from acp_spy.cli.app import run_app

        raise_again()
        return run_app(_help_words(words) if first in _HELP else words)
    ours = words[: words.index("--")] if "--" in words else words
    asked = [word for word in ours if word.startswith("-") and word in (*_HELP, *_VERSION)]
    if asked and all(word.startswith("-") for word in ours):
        return run(asked[:1])
    try:
        options, command = parse(words)
        if command[0] in COMMANDS:
            from acp_spy.cli.guesses import own_command

            raise own_command(ours, command)
        _refuse_remote_options(options, command)
    except AcpSpyError as error:
        return _refuse(ours, error)
    if not is_posix():
        return report(no_posix("start an agent"))
    return _record(command, options)


def _refuse(options: list[str], error: AcpSpyError) -> int:
    if "--redact" in options:
        mask_secrets()  # the hint may have all of the command line
    return report(error)


def _record(command: list[str], options: "dict[str, Any]") -> int:
    """Run the proxy, or the bridge to an agent that has a URL."""
    if command[0].startswith(URLS):
        from acp_spy.cli.bridge import run_bridge

        raise_again()
        return run_bridge(command, **options)
    from acp_spy.cli.proxy import run_proxy

    try:
        return run_proxy(command, **options)
    except AcpSpyError as error:  # an option that may change the traffic is wrong
        return report(error)


def _refuse_remote_options(options: dict[str, str], command: list[str]) -> None:
    has_url = command[0].startswith(URLS)
    for option in PROXY_OPTIONS:
        if option.name not in options:
            continue
        spelling = option.spellings[-1]
        if option.changes_traffic and has_url:
            raise AcpSpyError(
                f"`{spelling}` cannot be used with a URL: it is for an agent that is started",
                hint=f"put another acp-spy before it: `acp-spy {spelling} ... -- acp-spy --"
                f" {command[0]}`",
            )
        if option.is_remote and not has_url:
            raise AcpSpyError(
                f"`{spelling}` cannot be used with a command: it is for a remote agent",
                hint=f"give a URL: `acp-spy {spelling} ... -- https://HOST/acp`",
            )


def _help_words(words: list[str]) -> list[str]:
    """Return the words for the help that is asked for: `help view` is `view --help`."""
    return [*words[1:], "--help"] if words[0] == "help" else ["--help"]


def _prepare_loading() -> None:
    """Look for garbage less often: loading makes many objects, and hardly any garbage."""
    import gc

    gc.set_threshold(100_000)
    _ignore_wrong_sizes()


def _ignore_wrong_sizes() -> None:
    """Forget a size of the terminal that is no number, or 0: rich would fail, or print nothing."""
    for name in ("COLUMNS", "LINES"):
        size = os.environ.get(name, "1")
        if not (size.isascii() and size.isdigit() and len(size) < 6 and int(size)):
            del os.environ[name]


def parse(words: list[str]) -> "tuple[dict[str, Any], list[str]]":
    """
    Return the proxy's options and the agent's command.

    By hand, because the agent must have been started before a library for this is imported.
    """
    options: dict[str, Any] = {}
    rest = list(words)
    while rest:
        given = words[: len(words) - len(rest)]
        word = rest.pop(0)
        if word == "--":
            if not rest:
                break
            return options, rest
        if not word.startswith("-"):
            from acp_spy.cli.guesses import without_dashes

            raise without_dashes(given, [word, *rest])
        option, value = _match(word)
        if option is None:
            raise _no_such_option(given, word, rest)
        if option.takes and value is None and rest and not rest[0].startswith("-"):
            value = rest.pop(0)
        if option.takes and not value:
            spelling = word.removesuffix("=")
            raise AcpSpyError(
                f"`{spelling}` needs a value",
                hint=_corrected([*given, spelling, option.takes], rest),
            )
        if option.repeats:
            options.setdefault(option.name, []).append(value)
        else:
            options[option.name] = value or "yes"
        if {"output", "dir"} <= options.keys():
            raise AcpSpyError("`--output` cannot be used with `--dir`", hint="use one of them")
    raise AcpSpyError(
        "missing agent command",
        hint=f"run `{USAGE}`, for example `{EXAMPLE}`; `acp-spy --help` lists the commands",
    )


def _match(word: str) -> tuple[Option | None, str | None]:
    """Return the option that `word` spells, and the value in the same word."""
    for option in PROXY_OPTIONS:
        for spelling in option.spellings:
            if word == spelling:
                return option, None
            joined = f"{spelling}=" if spelling.startswith("--") else spelling
            if option.takes and word.startswith(joined):
                return option, word.removeprefix(joined)
    return None, None


def _no_such_option(given: list[str], word: str, rest: list[str]) -> AcpSpyError:
    """Return the error for `word`; it may be a safety, so no hint is to run without it."""
    from difflib import get_close_matches

    name, equals, value = word.partition("=")
    spellings = [spelling for option in PROXY_OPTIONS for spelling in option.spellings]
    near = get_close_matches(name, [*spellings, _HELP[0], _VERSION[0]], n=1, cutoff=0.7)
    if not near:
        hint = "run `acp-spy --help` to list the options; those of the agent belong after `--`"
        return AcpSpyError(f"no such option: `{word}`", hint=hint)
    if near[0] in (_HELP[0], _VERSION[0]):
        message = f"no such option: `{word}`; did you mean `{near[0]}`?"
        return AcpSpyError(message, hint=f"run `acp-spy {near[0]}`")
    option, _ = _match(near[0])
    takes_value = option is not None and option.takes
    meant = f"{near[0]}{equals}{value}" if takes_value else near[0]
    return AcpSpyError(
        f"no such option: `{word}`; did you mean `{near[0]}`?",
        hint=_corrected([*given, meant], rest),
    )


def _corrected(given: list[str], rest: list[str]) -> str:
    """Return the hint to run what was right so far, and what follows it."""
    from shlex import join

    at = rest.index("--") if "--" in rest else len(rest)
    options = [*given, *rest[:at]] if at < len(rest) else given
    command = join(rest[at + 1 :])
    right = f"{join(['acp-spy', *options])} -- {command or 'COMMAND [ARG]...'}"
    return f"run `{right}`; `acp-spy --help` lists the options"
