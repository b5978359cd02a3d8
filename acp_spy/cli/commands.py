"""The commands and the proxy's options, declared once: parsing, help and docs are derived."""

from acp_spy import __version__

PROGRAM = f"acp-spy {__version__}"

# Each command is a function of the same name in a module of the same name, beside this one; with
# an underscore behind it where Python keeps the word for itself.
COMMANDS = (
    "view",
    "check",
    "rule",
    "stats",
    "diff",
    "replay",
    "list",
    "prune",
    "import",
    "redact",
    "raw",
    "setup",
    "doctor",
    "completion",
    "demo",
)

START_AGENTS = ("replay", "doctor", "demo")  # as the proxy does


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

USAGE = "acp-spy [OPTIONS] -- COMMAND [ARG]..."
