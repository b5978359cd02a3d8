"""
A capture at a glance: who talked, how far they came, what was found, and whether it goes on.

Only its first and last lines are read, and the whole for the findings if it is not too large: a
folder may hold hundreds.
"""

import enum
from collections.abc import Callable, Iterable
from datetime import datetime

import msgspec

from acp_spy.capture.file_names import agent_name
from acp_spy.capture.files import read
from acp_spy.capture.folder import Entry
from acp_spy.capture.records import Record
from acp_spy.capture.scan import End, count_findings, read_end, recorded_errors
from acp_spy.conversation.state import Phase
from acp_spy.conversation.tracker import Tracker
from acp_spy.diagnosis.diagnose import diagnose
from acp_spy.diagnosis.kinds import Diagnosis
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Finding
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.values import fields, text

MOST_TO_DIAGNOSE = 2_000_000  # bytes of a capture that is read for its diagnosis
MOST_TO_DIAGNOSE_TOGETHER = 20_000_000  # of all that are listed: some seconds
_finding = msgspec.json.Decoder(Finding).decode
_MOST_RECORDS = 500  # until the peers must have introduced themselves


class State(enum.Enum):
    """Whether a capture goes on."""

    RUNNING = "running"
    ENDED = "ended"
    CUT_OFF = "cut off"  # its writer is gone, and it has no end
    IMPORTED = "imported"  # another tool's, which has not kept the end


class PeerName(msgspec.Struct, frozen=True):
    """A peer as it has introduced itself; `name` is empty when it is not known."""

    name: str
    version: str = ""


class Summary(msgspec.Struct, frozen=True):
    """
    One line of the list; `None` is for what is not known without reading all of the capture.

    `findings` has the number of `finding` records by severity, `reason` why the agent could not be
    started. `diagnosis` is that of the frames and the recorded errors.
    """

    path: str
    name: str
    started: datetime
    state: State
    agent: PeerName
    client: PeerName
    frames: int | None
    findings: dict[str, int] | None
    seconds: float | None
    status: int | None
    size: int
    reason: str = ""
    diagnosis: Diagnosis | None = None


def summarize(
    entry: Entry,
    now: float,
    *,
    most: int = MOST_TO_DIAGNOSE,
    masked: Callable[[Record], Record] | None = None,
) -> Summary:
    """
    Return the capture at a glance.

    `now` is in seconds since the epoch: a capture that is running is as long as it has been so far.
    One of more than `most` bytes is not read for its diagnosis. `masked` returns a record without
    its secrets; `reason` is not of a record.
    """

    def records() -> Iterable[Record]:
        return map(masked, read(entry.path)) if masked else read(entry.path)

    agent, client = _introductions(records)
    try:
        end, findings = read_end(entry.path), count_findings(entry.path)
    except OSError:  # removed since we saw it
        end, findings = End(), None
    imported = entry.header.is_imported
    seconds = None if imported and not end.seconds else end.seconds
    if entry.running:
        seconds = max(seconds or 0.0, entry.header.elapsed(now) or 0.0)
    return Summary(
        path=entry.path,
        name=entry.name,
        started=entry.started,
        state=state_of(entry, end.status),
        agent=agent or PeerName(agent_name(entry.header.command) if entry.header.command else ""),
        client=client or PeerName(""),
        frames=end.frames,
        findings=findings,
        seconds=seconds,
        status=end.status,
        size=entry.size,
        reason=end.reason,
        diagnosis=_diagnosis(entry, findings, now, records, is_masked=masked is not None)
        if entry.size <= most
        else None,
    )


def _diagnosis(
    entry: Entry,
    findings: dict[str, int] | None,
    now: float,
    records: Callable[[], Iterable[Record]],
    *,
    is_masked: bool,
) -> Diagnosis | None:
    """Return the diagnosis of a capture that is not checked again: the recorded errors count."""
    has_errors = findings is not None and "error" in findings
    try:
        errors = [_finding(line) for line in recorded_errors(entry.path)] if has_errors else []
        if is_masked:
            errors = [*map(without_quotes, errors)]
        elapsed = entry.header.elapsed(now) or 0.0
        return diagnose(records(), elapsed if entry.running else None, errors)
    except (AcpSpyError, OSError, msgspec.DecodeError):  # damaged, or removed
        return None


def without_quotes(finding: Finding) -> Finding:
    """
    Return a recorded finding with the name of its rule only.

    Its text may quote a part of a secret, and then nothing in it shows that it is one.
    """
    return msgspec.structs.replace(finding, text=f"`{finding.name}`", hint="")


def state_of(entry: Entry, status: int | None) -> State:
    """Return whether a capture goes on; `status` is the recorded exit's, if there is one."""
    if entry.running:
        return State.RUNNING
    if status is not None:
        return State.ENDED
    return State.IMPORTED if entry.header.is_imported else State.CUT_OFF


def peer_name(info: object) -> PeerName | None:
    """Return the name and version that a peer gave in the handshake, if it gave any."""
    peer = fields(info)
    name = text(peer.get("name")) or text(peer.get("title"))
    return PeerName(name, text(peer.get("version")) or "") if name else None


def _introductions(
    records: Callable[[], Iterable[Record]],
) -> tuple[PeerName | None, PeerName | None]:
    """Return how agent and client introduced themselves, from the beginning of the capture."""
    tracker = Tracker()
    try:
        for number, record in enumerate(records()):
            if number > _MOST_RECORDS or tracker.state.phase is Phase.READY:
                break
            if isinstance(record, Frame):
                tracker.follow(record)
    except AcpSpyError:  # damaged, or removed: what was read until then counts
        pass
    info = tracker.state.info
    return peer_name(info.get(Peer.AGENT)), peer_name(info.get(Peer.CLIENT))
