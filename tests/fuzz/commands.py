"""The commands that read captures, run in this process as the command line would, and measured."""

import io
import os
import sys
import types
from collections.abc import Callable
from unittest import mock

from support.work import no_garbage_collected

from acp_spy.cli import console
from acp_spy.cli.app import run_app

# By what they are called here. `{}` is the capture, `{other}` a small one to compare it with.
COMMANDS = {
    "check": "check {}",
    "check, with a guard": "check --forbid-tool x --expect-tool x --expect-stop x {}",
    "check, for programs": "check --format sarif {}",
    "view": "view {}",
    "view, raw": "view --raw {}",
    "view, a frame": "view --frame 6 {}",
    "view, jsonl": "view --format jsonl {}",
    "html": "view --format html -o /dev/null {}",
    "markdown": "view --format markdown -o /dev/null {}",
    "mermaid": "view --format mermaid -o /dev/null {}",
    "stats": "stats {}",
    "stats, for programs": "stats --format json {}",
    "view, for programs": "view --format json {}",
    "why": "why {}",
    "diff": "diff {} {other}",
    "diff, with itself": "diff {} {}",
    "redact": "redact -o /dev/null {}",
    "redact, all options": "redact -o /dev/null --home --user --key text --value s.*e"
    " --path /params/*/x {}",
    "redact --check": "redact --check {}",
    "replay": "replay agent --timeout 1 {}",
}


def run(name: str, capture: str, other: str = "") -> tuple[object, str]:
    """Return how a command ended, and what it said on stderr."""
    words = [
        word.replace("{other}", other).replace("{}", capture) for word in COMMANDS[name].split(" ")
    ]
    output: list[bytes] = []
    out = io.TextIOWrapper(open(os.devnull, "wb"), encoding="utf-8")  # noqa: SIM115 - closed below
    with mock.patch.object(sys, "stdout", out), mock.patch.object(console, "_say", output.append):
        status = run_app(words)
    out.close()
    return status, b"".join(output).decode()


# What they do does not depend on the capture, and it is most of what a short command does.
_NOT_COUNTED = ("typer", "pydantic", "tomllib", "typing.py", "inspect.py")


def lines_run(name: str, capture: str, other: str = "") -> int:
    """Return how many lines of Python a command takes: the same number in every run."""
    count = 0

    def enter(frame: types.FrameType, _event: str, _argument: object) -> object:
        place = frame.f_code.co_filename
        return None if any(part in place for part in _NOT_COUNTED) else trace

    def trace(_frame: types.FrameType, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    with no_garbage_collected():
        sys.settrace(enter)
        try:
            run(name, capture, other)
        finally:
            sys.settrace(before)
    return count


def grows_no_faster(cost: Callable[[int], int], size: int, *, most: float = 2.2) -> str:
    """
    Return nothing if `cost` grows no faster than `size`, else how it does.

    To go from twice to four times as many may cost `most` times what it cost to go from one to
    twice. Two times is in proportion, four times is as bad as the square of it. What hardly grows
    is fine.
    """
    once, twice, more = (cost(size * times) for times in (1, 2, 4))
    if more <= 1.5 * once or more - twice <= most * (twice - once):
        return ""
    return f"{once:g} for {size:,}, {twice:g} for twice and {more:g} for four times as many"
