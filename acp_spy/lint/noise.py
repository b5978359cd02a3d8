"""What a line that is not a message probably is, so that its source is found quickly."""

import re

LONGEST_QUOTE = 60

_ESCAPE = re.compile(r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])")

# The first that matches names it: specific patterns come before broad ones.
_KINDS: dict[str, tuple[str, ...]] = {
    "HTML": (r"\s*<(?:!doctype|html|head|body|div|p>|\?xml|/\w)",),
    "HTTP": (r"HTTP/\d", r"(?:GET|POST|PUT|HEAD|DELETE|OPTIONS) /\S* HTTP/"),
    "part of a stack trace": (
        r"Traceback \(most",
        r"\s+File \".*\", line \d",
        r"\s+at .+[:(].*\d\)?",
        r"thread '.*' panicked",
        r"goroutine \d",
        r"Exception in thread",
        r"[\w.]*(?:Error|Exception): ",
        r"node:internal/",
    ),
    "package manager output": (
        r"npm (?:notice|warn|err|info)",
        r"(?:added|changed|removed) \d+ packages?\b",
        r"\[notice\] ",
        r"need to install the following",
        r"(?:Collecting|Downloading|Requirement already) ",
        r"(?:Resolved|Installed|Prepared|Audited) \d+ packages?",
        r"(?:yarn|pnpm|bun|pip|uv) ",
        r".*\b(?:update|upgrade|new (?:version|release)) (?:is )?available",
    ),
    "shell output": (
        r"(?:-?(?:ba|z|da|k)?sh|fish): ",
        r"Last login",
        r"Welcome to ",
        r"Agent pid \d",
        r"Now using node",
        r"Found '.*\.nvmrc",
        r".*: command not found",
        r"You have (?:new )?mail",
    ),
    "a log line": (
        r"[\[(<|]?\s*(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical)\b",
        r"[\[(]?\d{4}[-/]\d\d[-/]\d\d",
        r"[\[(]?\d\d:\d\d:\d\d",
        r"[IWEF]\d{4} \d\d:",
        r"[\w.:/ -]{0,40}[\[ ](?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)[\]: ]",
    ),
    "a prompt": (
        r".*(?:\[y/n\]|\(y/n\)|\(yes/no\)|password:|press (?:any key|enter))",
        r".*[>$#?❯] ?$",
    ),
    "a banner": (
        r".*[═║╔╗╚╝╭╮╰╯─━│█▓▒░]",
        r"\s*[-=*#_+~]{6}",
        r"\s*[|+][ -=].*[|+]\s*$",
    ),
}
_PATTERNS = {kind: re.compile("|".join(ways), re.IGNORECASE) for kind, ways in _KINDS.items()}


def classify(payload: bytes) -> str:
    """Return what the line looks like."""
    text = payload[:2000].decode(errors="replace")
    bare = _ESCAPE.sub("", text)
    escapes = len(bare) != len(text)
    if escapes and not bare.strip():
        return "terminal escape sequences"
    for kind, pattern in _PATTERNS.items():
        if pattern.match(bare[:400]):
            return f"{kind} with terminal escape sequences" if escapes else kind
    return "text with terminal escape sequences" if escapes else "text"


def quote(payload: bytes) -> str:
    """Return the beginning of a line between backticks, harmless to every terminal."""
    text = payload[: 4 * LONGEST_QUOTE].decode(errors="backslashreplace").strip()
    cut = text[:LONGEST_QUOTE]
    shown = "".join(c if c.isprintable() and c != "`" else _spelled(c) for c in cut)
    return f"`{shown}{'…' if len(text) > len(cut) else ''}`"


def _spelled(letter: str) -> str:
    if letter == "`":
        return "'"
    return letter.encode("unicode_escape").decode()
