"""
Count the lines of the engine's rooms, and of those of 0.1 that they replace.

Of each room: all lines; those without docstrings, comments and blank lines; and, of both, how many
are of what came later and is not the engine's.
"""

# ruff: noqa: INP001, T201 - a script, run by its path; it prints the table
import ast
import io
import re
import subprocess
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent.parent
BEFORE = "e9e9a31"
# What is compared: modules of 0.1's `runtime`, and of today.
CARRYING = "proxy/__init__ proxy/conversation proxy/follow proxy/run engine/carrier engine/driven"
ROOMS = {
    "carrying: loops, streams, our messages, the end of a run": (
        "proxy pump outlet voice",
        f"{CARRYING} engine/ready engine/stderr_queue engine/stream engine/work",
    ),
    "processes, signals, standard streams, the tap": (
        "__init__ limits no_tap process signals stdio tap",
        "engine/__init__ engine/no_tap engine/process engine/signals engine/stdio engine/tap",
    ),
    "live check": ("judge live lull telling", "live_check/*"),
    "live replay": ("player drive verdict", "live_replay/*"),
}
# What later steps have added to these modules: whole functions, and lines that such a text is in.
LATER = {
    "engine/tap": (
        "messages found_messages close keep_cut",
        r"whole:|via:|b\"\\n\" for line in lines|^import msgspec",
    ),
    "engine/process": (
        "reported_failure",
        r"(def|^ +) ?(become|prepare)\(|int, prepare|Become .*after|`origin` has|^\) -> .NoReturn",
    ),
    "engine/stream": ("release cut", r"is_taken"),
    "proxy/conversation": ("", r"Handling|`handling`|self\.handling|if (not )?handling|\.connect"),
    "proxy/run": ("", r"handling|elif not by_trio|carry_alone\(|^        carry\("),
    "live_check/checker": ("_fork", r"begin(:|`)|^    output, and returns its"),
    "live_replay/drive": (
        "on_source_end _explain_end _keep_stderr patience",
        r"_waits_for_exit_until|_last_stderr|_LAST_STDERR|until <|_explain_end\(\)$",
    ),
    "live_replay/stage": ("on_source_end", r"on_source_end"),
    "live_replay/verdict": ("", r"`peer`|more = |agent's doing"),
}


def main() -> None:
    """Print the rows of the table in docs/architecture.md."""
    sums = [0] * 5
    for room, (before, today) in ROOMS.items():
        old = count([("", show(f"acp_spy/runtime/{name}.py")) for name in before.split()])
        new = count([each for names in today.split() for each in read(names)])
        figures = [*old[:2], *new]
        sums = [total + figure for total, figure in zip(sums, figures, strict=False)]
        print(spell(room, figures))
    print(spell("together", sums))


def spell(name: str, figures: list[int]) -> str:
    """Return a row of the table."""
    old, old_code, new, new_code, later = figures
    return f"| {name} | {old:,} ({old_code:,}) | {new:,} ({new_code:,}) | {later} |"


def show(path: str) -> str:
    """Return a module of 0.1."""
    command = ["git", "show", f"{BEFORE}:{path}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def read(names: str) -> list[tuple[str, str]]:
    """Return these modules of today, without those that only later steps need."""
    paths = sorted((ROOT / "acp_spy").glob(f"{names}.py"))
    return [
        (f"{path.parent.name}/{path.stem}", path.read_text())
        for path in paths
        if path.stem != "spawn"
    ]


def count(texts: list[tuple[str, str]]) -> tuple[int, int, int]:
    """Return how many lines there are, how many of code, and how many that came later."""
    lines = code = later = 0
    for name, text in texts:
        lines += len(text.splitlines())
        code += len(code_of(text))
        later += len(later_of(text, *LATER.get(name, ("", "^$a"))))
    return lines, code, later


def code_of(text: str) -> set[int]:
    """Return the numbers of the lines that are neither docstrings nor comments, nor blank."""
    no_code = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    found = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in no_code and token.string:
            found.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return found


def later_of(text: str, functions: str, pattern: str) -> set[int]:
    """Return the numbers of the lines of these functions, and of those that `pattern` is in."""
    lines = enumerate(text.splitlines(), start=1)
    found = {number for number, line in lines if re.search(pattern, line)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name in functions.split():
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found.update(range(first, (node.end_lineno or 0) + 2))  # and the blank line after it
    return found


if __name__ == "__main__":
    main()
