"""Every dialect that is known; between equals, the first is believed."""

from acp_spy.dialect.acpex import ACPEX
from acp_spy.dialect.crow import CROW
from acp_spy.dialect.declaration import Dialect
from acp_spy.dialect.jetbrains import JETBRAINS
from acp_spy.dialect.quickref import QUICKREF
from acp_spy.dialect.threads import THREADS
from acp_spy.dialect.zed_history import ZED_HISTORY
from acp_spy.wire.frame import Peer

DIALECTS: tuple[Dialect, ...] = (CROW, THREADS, QUICKREF, JETBRAINS, ACPEX, ZED_HISTORY)

AUTO = "auto"
OFFICIAL = "acp"


def documented() -> dict[str, Dialect]:
    """Return the dialects that one can be judged by, by name."""
    return {dialect.name: dialect for dialect in DIALECTS if dialect.document}


def choices() -> tuple[str, ...]:
    """Return the names of all that one can be judged by; `auto` is to find out."""
    return (AUTO, OFFICIAL, *documented())


def translated(peer: Peer, name: str) -> str:
    """Return what the header of a capture notes if a peer's dialect was translated."""
    return f"{peer.value} speaks {name}"


def translated_dialect(peer: Peer, note: str) -> str:
    """Return the documented dialect that was translated for a peer, per the note of a capture."""
    return next((name for name in documented() if translated(peer, name) in note), AUTO)
