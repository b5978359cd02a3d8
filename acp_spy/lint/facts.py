"""
What several rules need to know of the record that is judged, each fact worked out once.

The linter owns one `Facts`, shows it each step before the rules see it, and passes it to those
whose check has a parameter of that name.
"""

from typing import Any

from acp_spy.capture.records import HttpExchange
from acp_spy.conversation.memory import remember
from acp_spy.conversation.state import Conversation, Ending, Exchange, Step
from acp_spy.lint.budgets import Budgets
from acp_spy.lint.dialect_words import dialect_words, is_dialect_word
from acp_spy.lint.envelope import read_members
from acp_spy.lint.lines import LineReader, UnusualLine
from acp_spy.lint.mismatches import Schema, find_mismatches, spec_of
from acp_spy.lint.mistakes import Mistake, group
from acp_spy.lint.pairing import Pairing, Reason
from acp_spy.lint.unusual import is_unusual
from acp_spy.protocol.mismatch import Mismatch
from acp_spy.protocol.tables import Spec
from acp_spy.wire.frame import Peer
from acp_spy.wire.jsonrpc import Request, Response, Unreadable
from acp_spy.wire.pointer import spans
from acp_spy.wire.values import fields

_NO_WORDS: frozenset[str] = frozenset()
_NO_TOOL_CALL: tuple[str, dict[str, Any]] = "/params/update", {}
_MOST_POSTS = 64  # that wait for their status at the same time


class Facts:
    """
    The facts about one step, and what must be remembered of earlier ones to know them.

    `edition` is the specification to judge by; `explain_dialects` says whether a rule reports
    dialects, so that their words need no other finding.
    """

    step: Step

    def __init__(self, edition: str = "auto", *, explain_dialects: bool = True) -> None:
        self.edition = edition
        self._explain_dialects = explain_dialects
        self.budgets = Budgets()  # what the project expects
        self.reader = LineReader()
        self.pairing = Pairing()
        self._schema = Schema(edition)
        self.mismatches: list[Mismatch] = []  # with the shape that the message should have
        # Where an update or a permission request has its tool call, and its fields.
        self.tool_call = _NO_TOOL_CALL
        self.variant = ""  # the name of an update
        self.is_unusual = False  # not spelled as nearly all frames are
        self.may_be_lost = False  # not a message, but it may have been meant as one
        self.lines: list[UnusualLine] = []  # what is known now of this line, or of lines before it
        self.is_replayed = False  # history of a session that the client has asked for
        self.dialect_words = _NO_WORDS  # explained by the dialect that its sender speaks
        self.posted: Step | None = None  # of an HTTP exchange: the message in the request
        self._posts: dict[int, Step] = {}  # whose status is not known yet
        # What few steps are asked for, once it is worked out.
        self._mistakes: list[Mistake] | None = None
        self._members: dict[str, memoryview] | None = None
        self._texts: dict[str, bytes] | None = None
        self._unmatched: tuple[Reason | None, Exchange | None] | None = None

    def look_at(self, step: Step) -> None:
        """Begin with `step`; everything before it has been looked at."""
        self._mistakes = self._members = self._texts = self._unmatched = None
        self.step = step
        body = step.body
        self.tool_call = _tool_call_in(body, step.method) if type(body) is dict else _NO_TOOL_CALL
        self.variant = _variant_in(body) if step.method == "session/update" else ""
        kind, state, frame = type(step.message), step.state, step.frame
        pending = state.pending
        self.is_unusual = unusual = kind is Unreadable or is_unusual(step)
        self.lines = self.reader.read(step) if unusual else []
        self.is_replayed = pending.reopening > 0 and pending.replays(_session_of(body))
        self.may_be_lost = False
        if kind is Unreadable:
            self.mismatches = []
            self.may_be_lost = b'"' in frame.raw or b"'" in frame.raw
        elif self._schema.surely_fits(step):
            self.mismatches = []
        else:
            self.mismatches = find_mismatches(step, self.edition)
        self.dialect_words = _NO_WORDS
        if (step.clues or state.dialects.is_suspicious) and self._explain_dialects:
            self.dialect_words = dialect_words(step)
        if kind is Request or (unusual and self._explains_responses(step)):
            self.pairing.note(step)
        via = frame.via
        if via is not None and via.transport == "http" and frame.sender is Peer.CLIENT:
            remember(self._posts, frame.seq, step, most=_MOST_POSTS)

    def _explains_responses(self, step: Step) -> bool:
        """Whether a line that nobody can read, or only a part of it, may be a request."""
        answers_nothing = type(step.message) is Response and step.exchange is None
        return self.may_be_lost or (step.glued_at > 0 and not answers_nothing)

    def look_at_exchange(self, exchange: HttpExchange) -> None:
        """Take in the response to an HTTP request."""
        self.clear()
        self.posted = self._posts.pop(exchange.request, None)
        if self.posted is not None:
            self.step = self.posted
            self.tool_call = _tool_call_in(fields(self.posted.body), self.posted.method)

    def look_at_end(self, ending: Ending) -> None:
        """Take in that nothing more will come."""
        self.clear()
        self.lines = self.reader.read(ending)

    def clear(self) -> None:
        """Forget the last step: what is judged now is not one."""
        self._mistakes = self._members = self._texts = self._unmatched = None
        self.mismatches, self.lines = [], []
        self.is_unusual = self.may_be_lost = self.is_replayed = False
        self.posted = None
        self.dialect_words = _NO_WORDS

    @property
    def state(self) -> Conversation | None:
        """The conversation so far; `None` before the first step."""
        step: Step | None = getattr(self, "step", None)
        return step.state if step else None

    @property
    def spec(self) -> Spec:
        """The tables that the step is judged by."""
        return spec_of(self.step, self.edition)

    @property
    def mistakes(self) -> list[Mistake]:
        """The mistakes in the shape of the message, in the order of their places."""
        if self._mistakes is None:
            step, words, found = self.step, self.dialect_words, self.mismatches
            unexplained = [each for each in found if not is_dialect_word(step, words, each)]
            self._mistakes = group(step.method, unexplained)
        return self._mistakes

    def mistakes_of(self, rule: str) -> list[Mistake]:
        """Return the mistakes that `rule` reports."""
        return [mistake for mistake in self.mistakes if mistake.rule == rule]

    @property
    def members(self) -> dict[str, memoryview]:
        """The members of an unusual message's envelope, as sent; none if it is not a message."""
        if self._members is None:
            self._members = read_members(self.step) if self.is_unusual else {}
        return self._members

    @property
    def texts(self) -> dict[str, bytes]:
        """The values that are not as they should be, as they were sent, by their places."""
        if self._texts is None:
            sent = self.step.frame.payload
            found = spans(sent, [each.path for each in self.mismatches])
            self._texts = {path: sent[at.start : at.end] for path, at in found.items()}
        return self._texts

    @property
    def unmatched(self) -> tuple[Reason | None, Exchange | None]:
        """Why a response matches no request, and which one it may have meant."""
        if self._unmatched is None:
            self._unmatched = self._find_unmatched()
        return self._unmatched

    def _find_unmatched(self) -> tuple[Reason | None, Exchange | None]:
        message = self.step.message
        if not isinstance(message, Response) or self.step.exchange is not None:
            return None, None
        if self.is_unusual and not self.members:
            return None, None  # a log record, or another protocol
        return self.pairing.reason(self.step, message)


def _tool_call_in(body: dict[str, Any], method: str | None) -> tuple[str, dict[str, Any]]:
    if "toolCall" in body and method != "session/update":
        return "/params/toolCall", fields(body["toolCall"])
    if "update" in body:
        return "/params/update", fields(body["update"])
    return _NO_TOOL_CALL


def _variant_in(body: Any) -> str:
    update = body.get("update") if type(body) is dict else None
    variant = update.get("sessionUpdate") if type(update) is dict else None
    return variant if type(variant) is str else ""


def _session_of(body: Any) -> str | None:
    session = fields(body).get("sessionId")
    return session if isinstance(session, str) else None
