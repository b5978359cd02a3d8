"""
A private key that comes line by line, as on standard error: what is between BEGIN and END.

Each line is a record of its own, so that no expression can see the key as a whole.
"""

from acp_spy.secrets.expressions import expression

_BEGIN = expression(rb"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr])*[^\w+/=]*$")
_END = b"-----END"
_BODY = expression(rb"\s*+([\w+/=][\w+/=:,. ()-]*[\w+/=])\s*")
# As a file is shown: `  7 | ...`, `> ...`, `"...\n"`.
_SHOWN = expression(rb"\W*+(?:[0-9]{1,6}\W++)?([\w+/=]++)(?:\\[nr])*[^\w+/=]*+")
# Behind the time of a log line, or in a message. The letter of an escape is no part of it.
_LONG_RUN = expression(rb"(?:(?<=\\[nrt])|(?<![\\A-Za-z0-9+/=]))[A-Za-z0-9+/=]{40,}+")


class PrivateKeyBlock:
    """Follows one stream, and knows whether it is in the middle of a private key."""

    def __init__(self) -> None:
        self._open = False

    def body(self, line: bytes) -> tuple[int, int] | None:
        """Return where in `line` a part of a key is; `None` when there is none."""
        if not self._open:
            self._open = b"PRIVATE KEY" in line and bool(_BEGIN.search(line))
            return None
        if not line.strip():
            return None
        found = _BODY.fullmatch(line) or _LONG_RUN.search(line) or _SHOWN.fullmatch(line)
        self._open = found is not None and _END not in line
        return found.span(found.lastindex or 0) if found and self._open else None
