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
    "live": "Open the console: all captures live, on a full screen. So does `acp-spy` alone.",
    "view": "Show a capture: what happened, who sent what, how long it took, and what is wrong.",
    "check": "Report what is wrong in captures, who must fix it, where, and how.",
    "why": "Say what went wrong in a capture, in one answer: who must act, and since when.",
    "rule": "List, search and explain the rules of `acp-spy check`.",
    "stats": "Show statistics of a conversation: how much, how fast, and who waited for whom.",
    "diff": "Show what changed from capture A to capture B, ignoring names of sessions, ids and"
    " folders.",
    "replay": "Act as the recorded agent or client of a capture, to test the other side.",
    "script": "Show what scripts and faults would do to the frames of a capture.",
    "hold": "Release, edit or drop the frames that `--intercept` holds; inject messages.",
    "faults": "List the faults that `--fault` can cause, each with an example.",
    "dialects": "List the dialects of ACP that can be detected, checked and translated.",
    "http": "Record conversations with an agent that is reached by HTTP or WebSocket: a proxy.",
    "serve": "Offer a stdio agent over HTTP and WebSocket, and record its conversations.",
    "list": "List the captures in the capture folder, newest first.",
    "prune": "Remove old captures from the capture folder.",
    "import": "Convert a file from another tool to a capture.",
    "redact": "Replace the secrets in a capture with placeholders, so that it can be shared.",
    "raw": "Write one stream of a capture to stdout, byte for byte as it was on the wire.",
    "setup": "Add an agent with acp-spy in front to the settings of an editor, or show how.",
    "doctor": "Check that an agent works: start it through the proxy and report what it does.",
    "mcp": "Offer captures to a coding agent: an MCP server on stdio, which only reads.",
    "completion": "Print the script that completes acp-spy's commands and options in a shell.",
    "demo": "Record a short conversation between a built-in client and a built-in agent, and show"
    " it.",
}

NEED_POSIX = ("replay", "doctor", "demo", "http", "serve", "hold", "live")  # as the proxy does
NEEDS_POSIX = "needs Linux, macOS or another POSIX system"


class Option:
    """
    An option of the proxy: its spellings, what it takes (empty for a switch), and its help.

    With `repeats` it can be given several times, and its value is a list. With `is_remote` it is
    for an agent that has a URL; with `changes_traffic` for one that is started by a command.
    """

    def __init__(
        self,
        *spellings: str,
        takes: str = "",
        help: str,  # noqa: A002
        repeats: bool = False,
        is_remote: bool = False,
        changes_traffic: bool = False,
    ) -> None:
        self.spellings = spellings
        self.takes = takes
        self.help = help
        self.repeats = repeats
        self.is_remote = is_remote
        self.changes_traffic = changes_traffic

    @property
    def name(self) -> str:
        """The option as an identifier."""
        return self.spellings[-1].removeprefix("--").replace("-", "_")


PROXY_OPTIONS = (
    Option(
        "-o",
        "--output",
        takes="FILE",
        help="Record to FILE. An existing file is kept: run-2.jsonl is written beside run.jsonl.",
    ),
    Option(
        "--dir",
        takes="DIR",
        help="Record to a new file in DIR instead of the capture folder ($ACP_SPY_DIR, or the"
        " user's state folder).",
    ),
    Option(
        "--redact",
        help="Write placeholders instead of secrets to the capture, not to the traffic."
        " Before you share it, run acp-spy redact: it finds more.",
    ),
    Option(
        "-v",
        "--verbose",
        help="On stderr, print the path of the capture, findings as they occur, and a summary at"
        " the end.",
    ),
    Option(
        "--no-check",
        help="Record only: do not check the conversation while it runs.",
    ),
    Option(
        "-s",
        "--script",
        takes="FILE.py",
        repeats=True,
        changes_traffic=True,
        help="Show each message to the functions in FILE.py, which may change, delay, drop or"
        " answer it. Can be given several times.",
    ),
    Option(
        "--fault",
        takes="SPEC",
        changes_traffic=True,
        repeats=True,
        help="Make something go wrong, for example 'drop method:session/update p:0.1'; the command"
        " faults lists what. Can be given several times.",
    ),
    Option(
        "--seed",
        takes="N",
        changes_traffic=True,
        help="With --fault: repeat the same random choices. The seed of a run is in its capture.",
    ),
    Option(
        "--fix",
        changes_traffic=True,
        help="Repair what is wrong and has one obvious repair, such as log lines on stdout: each"
        " peer gets messages as the specification has them.",
    ),
    Option(
        "--agent-dialect",
        takes="NAME",
        changes_traffic=True,
        help="The agent speaks this dialect, for example crow: translate for it. The command"
        " dialects lists them.",
    ),
    Option(
        "--client-dialect",
        takes="NAME",
        changes_traffic=True,
        help="The client speaks this dialect: translate for it.",
    ),
    Option(
        "--intercept",
        takes="FILTER",
        changes_traffic=True,
        help="Hold frames that FILTER selects, for example 'method:session/request_permission':"
        " acp-spy live or acp-spy hold watch releases, edits or drops them.",
    ),
    Option(
        "--hold-timeout",
        takes="TIME",
        changes_traffic=True,
        help="With --intercept or --control: let a held frame go on after this time, 60s without"
        " this option.",
    ),
    Option(
        "--control",
        changes_traffic=True,
        help="Open a control socket for acp-spy hold, to set a filter, inject messages and add"
        " faults while it runs; --intercept does, too.",
    ),
    Option(
        "--header",
        takes="HEADER",
        help="Send this header with every request, for example 'X-Team: blue'. Repeatable.",
        repeats=True,
        is_remote=True,
    ),
    Option(
        "--header-env",
        takes="NAME=VARIABLE",
        help="Send a header whose value is in an environment variable, for example"
        " Authorization=MY_TOKEN. Repeatable.",
        repeats=True,
        is_remote=True,
    ),
    Option(
        "--ca",
        takes="FILE",
        help="Trust the certificates in FILE (PEM), in addition to the system's.",
        is_remote=True,
    ),
    Option(
        "--keep-credentials",
        help="Record credentials in headers and URLs in clear.",
        is_remote=True,
    ),
)
URLS = ("http://", "https://", "ws://", "wss://")  # what is no command, but a remote agent


def is_posix() -> bool:
    """Whether this platform has the processes, pipes and signals that the proxy needs."""
    return hasattr(os, "fork")


def has_terminal() -> bool:
    """Whether the console can be shown: keys come from stdin, and it is drawn on stdout."""
    from acp_spy.view.layout import is_dumb  # such a terminal only appends, as a shell in Emacs

    return os.isatty(0) and os.isatty(1) and not is_dumb()


def no_posix(what: str) -> AcpSpyError:
    """Return the error for `what`, a verb and its object: it starts an agent."""
    return AcpSpyError(
        f"cannot {what}: it {NEEDS_POSIX}",
        hint="on Windows, run the agent and acp-spy in WSL; captures can be read here:"
        " `acp-spy view CAPTURE`",
    )
