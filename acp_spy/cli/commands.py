"""The commands and the proxy's options, declared once: parsing, help and docs are derived."""

import os

from acp_spy import __version__
from acp_spy.errors import AcpSpyError

PROGRAM = f"acp-spy {__version__}"
COMPLETION_VARIABLE = "_ACP_SPY_COMPLETE"  # as typer calls it
USAGE = "acp-spy [OPTIONS] -- COMMAND [ARG]..."

# Each command is a function of the same name in a module of the same name, beside this one; with
# an underscore behind it where Python keeps the word for itself. Its help begins with this line,
# and goes on with the function's docstring.
COMMANDS = {
    "view": "Show a capture: what happened, who said what, how long it took, and what is wrong.",
    "check": "Say what is wrong in captures, who can mend it, where, and how.",
    "rule": "List, search and explain the rules of `acp-spy check`.",
    "stats": "Tell a conversation in figures: how much, how fast, and who waited for whom.",
    "diff": "Tell what changed from capture A to capture B, whatever ids, sessions and folders are"
    " called.",
    "replay": "Play one side of a capture against the real other side: a test double from real"
    " traffic.",
    "list": "List the captures in the capture folder, the newest first.",
    "prune": "Remove old captures from the capture folder, and say which, and how much space that"
    " gives.",
    "import": "Make a capture of what another tool has written.",
    "redact": "Write a capture anew with placeholders in place of its secrets, so that it can be"
    " shared.",
    "raw": "Write one stream of a capture to stdout, byte for byte as it was on the wire.",
    "setup": "Show how to put acp-spy in front of an agent in an editor, or do it.",
    "doctor": "Start an agent through the proxy, say hello, and tell whether it is well.",
    "completion": "Print a script that teaches a shell to complete acp-spy's commands and options.",
    "demo": "Record a short conversation between a built-in client and a built-in agent, and show"
    " it.",
}

START_AGENTS = ("replay", "doctor", "demo")  # as the proxy does
NEEDS_POSIX = "needs Linux, macOS or another POSIX system, which this is not"


class Option:
    """An option of the proxy: its spellings, what it takes (empty for a switch), and its help."""

    def __init__(self, *spellings: str, takes: str = "", help: str) -> None:  # noqa: A002
        self.spellings = spellings
        self.takes = takes
        self.help = help

    @property
    def name(self) -> str:
        """The option as an identifier."""
        return self.spellings[-1].removeprefix("--").replace("-", "_")


PROXY_OPTIONS = (
    Option(
        "-o",
        "--output",
        takes="FILE",
        help="Record into FILE. An existing file is left alone: run-2.jsonl follows run.jsonl.",
    ),
    Option(
        "--dir",
        takes="DIR",
        help="Record into a new file in DIR, not in the capture folder"
        " ($ACP_SPY_DIR, else the user's state folder).",
    ),
    Option(
        "--redact",
        help="Keep no secrets: placeholders stand for them in the capture. The traffic is not"
        " touched.",
    ),
    Option(
        "-v",
        "--verbose",
        help="Name the capture on stderr at the start, tell findings as they come,"
        " and sum up at the end.",
    ),
    Option(
        "--no-check",
        help="Record only: do not judge the conversation while it goes on.",
    ),
)


def is_posix() -> bool:
    """Whether this platform has the processes, pipes and signals that the proxy needs."""
    return hasattr(os, "fork")


def no_posix(what: str) -> AcpSpyError:
    """Return the error for `what`, which cannot be done here: it starts an agent."""
    return AcpSpyError(
        f"{what} {NEEDS_POSIX}",
        hint="on Windows, run agent and acp-spy in WSL; what was recorded can be read here:"
        " acp-spy view CAPTURE",
    )
