"""Relative paths in an agent's command line: they work only in the folder they were typed in."""

import os
import re
from itertools import pairwise

# `org/model` is a model, and `@scope/name` a package of npm, so it takes a suffix to be a path.
_SUFFIXES = "cfg|cjs|exe|ini|jar|js|json|jsonc|lua|mjs|pl|py|rb|sh|toml|ts|yaml|yml"
_LIKE_A_PATH = re.compile(rf"\.{{1,2}}[/\\].*|(?!\w+://).*\.(?:{_SUFFIXES})")


def absolute_words(command: list[str], folder: str = "") -> list[str]:
    """
    Return `command` with absolute paths for the arguments that name existing files.

    They are looked for in `folder`, which is the current one unless another is given.
    """
    program = [_program(word, folder) for word in command[:1]]
    return [*program, *(_absolute(word, folder) for word in command[1:])]


def unresolved_words(command: list[str]) -> list[str]:
    """Return the arguments that look like relative paths, though no such file exists here."""
    return [word for word in command[1:] if _absolute(word) == word and _is_relative(word)]


def local_module(command: list[str]) -> str:
    """Return the module of `python -m MODULE` if it is found in the current folder only."""
    is_python = False
    for word, following in pairwise(command):
        is_python = is_python or os.path.basename(word).startswith("python")
        if is_python and word == "-m":
            top = following.partition(".")[0]
            return following if os.path.isdir(top) or os.path.isfile(f"{top}.py") else ""
    return ""


def _is_relative(word: str) -> bool:
    option, equals, value = word.partition("=")
    path = value if equals and option.startswith("-") else word
    is_option = path.startswith("-")
    return not is_option and not os.path.isabs(path) and bool(_LIKE_A_PATH.fullmatch(path))


def is_url(word: str) -> bool:
    """Whether a command is the URL of a remote agent, and no program."""
    return "://" in word


def _program(word: str, folder: str) -> str:
    """Return the program's path; one without a folder is looked up on the PATH."""
    if is_url(word):
        return word
    path = os.path.join(folder, os.path.expanduser(word))
    return os.path.abspath(path) if os.path.dirname(word) else word


def _absolute(word: str, folder: str = "") -> str:
    """Return an argument with an absolute path, also behind `--option=`, if it names a file."""
    option, equals, value = word.partition("=")
    if equals and option.startswith("-"):
        return f"{option}={_absolute(value, folder)}"
    if os.path.isabs(word) or word.startswith("-"):
        return word
    # A folder called like a subcommand must not be taken for it.
    path = os.path.join(folder, word)
    is_path = os.path.isfile(path) or (os.sep in word and os.path.exists(path))
    return os.path.abspath(path) if is_path else word
