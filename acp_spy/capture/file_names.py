"""The default file name of a capture: when, which agent, which process."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import count

# Programs that run the agent rather than being it: what they are given says more.
_RUNNERS = re.compile(
    r"(?:env|exec|sudo|sh|bash|zsh|dash|node|deno|bun|bunx|npx|npm|pnpm|yarn|uv|uvx|pipx"
    r"|java|ruby|perl|pythonw?[\d.]*|pypy[\d.]*)(?:\.exe)?"
)
_VERBS = frozenset({"run", "exec", "x", "dlx", "tool", "start"})
_SCRIPT_ENDING = re.compile(r"\.(?:py|js|mjs|cjs|ts|sh|rb|pl|exe|jar)$")
_URL = re.compile(r"(?i)(?:http|ws)s?://(?:[^/?#]*@)?([^/?#]*)")  # its host, without a user
_LONGEST = 40


def capture_name(stamp: str, command: Sequence[str], pid: int) -> str:
    """Return the file name for a run that began at `stamp`, the UTC time in digits."""
    return f"{stamp}-{agent_name(command)}-{pid}.jsonl"


def numbered(path: str) -> Iterator[str]:
    """Give `path`, then `path-2`, `path-3`, ... with the number before the ending."""
    stem, ending = os.path.splitext(path)
    yield path
    for number in count(2):
        yield f"{stem}-{number}{ending}"


def agent_name(command: Sequence[str]) -> str:
    """
    Return the agent's name as its command line has it, fit for a file name.

    `npx -y @scope/some-agent@1.2 --acp` is `some-agent`, `python3 agents/mine.py` is `mine`, and
    a URL is its host.
    """
    words = list(command)
    first = words.pop(0)
    url = _URL.match(first)
    name = url[1] if url else os.path.basename(first)
    while _RUNNERS.fullmatch(name):
        following = _first_program(words)
        if following is None:
            break
        name = following
    name = _SCRIPT_ENDING.sub("", name)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:_LONGEST] or "agent"


def _first_program(words: list[str]) -> str | None:
    """Take words off the front up to the program that a runner is asked to run, and name it."""
    while words:
        word = words.pop(0)
        if word in ("-c", "-e", "--eval"):  # code, not a program
            return None
        if word.startswith("-") or word in _VERBS or re.match(r"\w+=", word):
            continue
        return re.sub(r"(?<=.)@.*", "", word.rstrip("/").rsplit("/", 1)[-1])
    return None
