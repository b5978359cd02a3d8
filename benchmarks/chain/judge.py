"""What has to be true of a conversation that has ended."""

import json
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from acp_spy import load
from acp_spy.errors import AcpSpyError
from acp_spy.wire.frame import Peer
from benchmarks.chain.servers import broken
from benchmarks.chain.talk import Talk


class Outcome:
    """What the client, the agent, the capture and stderr have of a conversation."""

    def __init__(self, talk: Talk, path: Path, *, has_failed: bool) -> None:
        self._talk = talk
        self._case = talk.case
        self._has_failed = has_failed
        self._path = path
        self._errors = self._path.with_suffix(".log").read_text(errors="replace")
        self._read = _lines(self._path.with_suffix(".read"))
        self._wrote = _lines(self._path.with_suffix(".wrote"))

    @cached_property
    def _may_lose(self) -> bool:
        """Whether something may not arrive; nothing may come twice, or in another order."""
        ends_early = self._case.ends in ("signal", "deaf", "pipe")
        return self._has_failed or ends_early or "exits" in str(self._case.requests)

    def problems(self) -> list[str]:
        """Return what is wrong."""
        return [
            *self._of_program(),
            *self._of_messages(),
            *self._of_responses(),
            *self._of_captures(),
        ]

    def _of_program(self) -> Iterable[str]:
        if found := broken(self._errors):
            yield f"on stderr: {found}"
        elif not self._may_lose and self._errors:
            yield f"on stderr: {self._errors}"
        if not self._may_lose and self._talk.program.returncode:
            yield f"exit status {self._talk.program.returncode}"
        if self._talk.is_cut:
            yield "the last line is cut off"

    def _of_messages(self) -> Iterable[str]:
        yield from _differences("the agent read", self._talk.sent, self._read, self._may_lose)
        got = [each for each in self._talk.got if b'"origin":"acp-spy"' not in each]
        streams = {""} if self._case.is_socket else {*map(self._stream_of, self._wrote + got)}
        for stream in streams:
            theirs = [each for each in self._wrote if self._stream_of(each) == stream]
            ours = [each for each in got if self._stream_of(each) == stream]
            where = f"on {stream or 'the connection'} the client got"
            yield from _differences(where, theirs, ours, self._may_lose)

    def _stream_of(self, line: bytes) -> str:
        """Return the session by whose stream a message of the agent comes."""
        message = json.loads(line)
        if self._case.is_socket:
            return ""
        if "method" in message:
            return message["params"].get("sessionId") or ""
        return self._case.session_of.get(json.dumps(message.get("id")), "")

    def _of_responses(self) -> Iterable[str]:
        answered = self._talk.answered
        yield from (f"{count} responses to {key}" for key, count in answered.items() if count > 1)
        missing = {each for each in self._talk.expected if not answered[each]}
        if self._has_failed and self._case.is_socket and self._talk.has_program_left:
            missing = set()  # it ends with the connection, as an agent that exits
        elif self._has_failed:  # a response may be lost with its stream
            missing -= {json.dumps(json.loads(each).get("id")) for each in self._wrote}
        if missing and self._case.ends == "orderly":
            yield f"no response to {missing}"

    def _of_captures(self) -> Iterable[str]:
        yield from self._of_capture(self._path)
        if self._case.is_relayed and not self._may_lose:
            yield from self._of_capture(self._path.with_name(f"{self._path.stem}.relay.jsonl"))

    def _of_capture(self, path: Path) -> Iterable[str]:
        try:
            frames = load(path).frames
        except AcpSpyError as error:
            yield f"the capture: {error}"
            return
        sent = [each.raw.strip() for each in frames if each.sender is Peer.CLIENT]
        came = Counter(each.raw.strip() for each in frames if each.sender is Peer.AGENT)
        if missing := Counter(each.strip() for each in self._talk.got) - came:
            yield f"not in the capture: {[*missing][:2]}"[:300]
        if self._case.ends in ("orderly", "pipe") and sent != self._talk.sent[: len(sent)]:
            yield "the capture has other messages of the client"


def _lines(path: Path) -> list[bytes]:
    """Return what the agent has kept, if it was ever begun."""
    lines = path.read_bytes().split(b"\n") if path.exists() else []
    return [each.strip() for each in lines if each.strip()]


def _differences(what: str, sent: list[bytes], got: list[bytes], may_lose: bool) -> Iterable[str]:
    """Give how what came differs from what was sent, if it may not."""
    is_in_order = _is_within(got, sent)
    if extra := Counter(got) - Counter(sent):
        yield f"{what} what was not sent: {[*extra][:2]}"[:400]
    elif not is_in_order:
        yield f"{what} {len(got)} of {len(sent)} in another order"
    elif len(got) != len(sent) and not may_lose:
        yield f"{what} {len(got)} of {len(sent)}"


def _is_within(got: Iterable[bytes], sent: Iterable[bytes]) -> bool:
    """Whether all that came was sent, in this order."""
    rest = iter(sent)
    return all(any(each == other for other in rest) for each in got)
