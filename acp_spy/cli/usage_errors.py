"""Wrong use that typer has found, in our words: its own are written for programmers."""

import re

# What typer says, and what a person reads. Typer takes the names of types from pydantic; before
# 0.29 it had its own, and before 0.26 those of click.
_TEXTS = tuple(
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
            r"No such option:? '?([^' ]+)'? \(Possible options: (.+)\)",
            r"no such option: '\1'; similar: \2",
        ),
        (r"No such option:? '?([^' ]+)'?", r"no such option: '\1'"),
        (r"Got unexpected extra arguments \((.+)\)", r"unexpected arguments: '\1'"),
        (r"Got unexpected extra argument(?:\(s\))? \((.+)\)", r"unexpected argument: '\1'"),
        (r"Missing (?:argument|option|parameter) (.+)", r"missing \1"),
        (r"Option (.+) requires an argument", r"\1 needs a value"),
    )
)
_QUOTED = re.compile(r"'([^']*)'")


def plain(message: str) -> str:
    """Return typer's `message` about a command line as a sentence for the one who typed it."""
    text = message.strip().rstrip(".")
    for pattern, better in _TEXTS:
        if pattern.fullmatch(text):
            text = pattern.sub(better, text)
            break
    return _QUOTED.sub(r"`\1`", text)
