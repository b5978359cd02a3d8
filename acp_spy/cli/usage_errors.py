"""Wrong use that typer has found, in our words: its own are written for programmers."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from shlex import quote
from typing import Any

from acp_spy.errors import AcpSpyError
from acp_spy.units import either


def _in_one_line(match: re.Match[str]) -> str:
    legal = re.split(r"[,\s]+", match[2].replace("\\t", " ").strip())
    return f"missing {match[1]}: {either(legal)}"


def _did_you_mean(match: re.Match[str]) -> str:
    options = re.findall(r"[^', ]+", match[2])
    (near,) = get_close_matches(match[1], options, n=1, cutoff=0)
    return f"no such option: '{match[1]}'; did you mean '{near}'?"


# What typer says, and what a person reads. Typer takes the names of types from pydantic; before
# 0.29 it had its own, and before 0.26 those of click, whatever version that is.
_TEXTS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (
            r"Invalid value for (.+?): (?:Input should be|'.*' is not) a valid int.*",
            r"\1 must be a whole number",
        ),
        (
            r"Invalid value for (.+?): (?:Input should be|'.*' is not) a valid (?:num|float).*",
            r"\1 must be a number",
        ),
        (r"Invalid value for (.+?): (?:Value error, )?(.+)", r"invalid value for \1: \2"),
        (
            r"No such option:? '?([^' ]+?)'?\.? \(?(?:Possible|Did you mean)[^-]+(-[^?)]+)\W*",
            _did_you_mean,
        ),
        (r"No such option:? '?([^' ]+)'?", r"no such option: '\1'"),
        (r"Got unexpected extra arguments \((.+)\)", r"unexpected arguments: '\1'"),
        (r"Got unexpected extra argument(?:\(s\))? \((.+)\)", r"unexpected argument: '\1'"),
        (r"(?s)Missing (?:argument|option|parameter) (.+?)\. Choose from:(.+)", _in_one_line),
        (r"Missing (?:argument|option|parameter) (.+)", r"missing \1"),
        (r"Option (.+) requires an argument", r"\1 needs a value"),
    )
)
_SECRETS = ("secrets", "secret", "redact", "redacted")
_FOLDERS = ("folder", "directory", "path")  # what people call `--dir`
_QUOTED = re.compile(r"'([^']*)'")


def plain(message: str) -> str:
    """Return typer's `message` about a command line as a sentence for the one who typed it."""
    text = message.strip().rstrip(".")
    for pattern, better in _TEXTS:
        if pattern.fullmatch(text):
            text = pattern.sub(better, text)
            break
    return _QUOTED.sub(r"`\1`", text)


def option_instead(text: str, command: Any) -> AcpSpyError | None:
    """Return a better error than `text` if it is known what was meant: `--json`, a folder."""
    options = {name: param for param in command.params for name in param.opts}
    if match := re.match(r"no such option: `--(\w+)`", text):
        form = options.get("--format")
        if form is not None and f"`{match[1]}`" in (form.help or ""):
            return AcpSpyError(match[0], hint=f"use `--format {match[1]}`")
        if "--dir" in options and match[1] in _FOLDERS:
            return AcpSpyError(match[0], hint="use `--dir DIR`")
        if command.name == "check" and match[1] in _SECRETS:
            return AcpSpyError(
                match[0], hint="to search files for secrets, run `acp-spy redact --check FILE...`"
            )
    elif command.name == "diff" and text.startswith("missing"):
        hint = "run `acp-spy diff A.jsonl B.jsonl`"
        return AcpSpyError("`diff` compares two captures", hint=hint)
    elif command.name == "http" and text.startswith("missing"):
        hint = "run `acp-spy http --target URL`, with the URL of the agent"
        return AcpSpyError(text, hint=hint)
    elif "--dir" in options and (match := re.fullmatch(r"unexpected argument: `(.+)`", text)):
        return AcpSpyError(text, hint=f"to name the folder, use `--dir {quote(match[1])}`")
    return None
