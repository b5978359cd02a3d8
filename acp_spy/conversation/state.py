"""
What is known of a conversation at one moment.

Only the tracker writes here. Everything else reads: rules judge a frame by the state that it
arrived in. Nothing here grows with the length of the conversation without a bound.
"""

import enum
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, KeysView, ValuesView
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, final

import msgspec

from acp_spy.capture.records import Delivery
from acp_spy.conversation.readings import Readings
from acp_spy.dialect.detect import Clue, Detector
from acp_spy.protocol.events import Event
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.jsonrpc import Message
from acp_spy.wire.values import fields, text

_NONE_YET = Frame(0, 0.0, Peer.CLIENT, b"")
REMEMBERED = 1024  # how many ended things of a kind are remembered, to recognise a second end


class Phase(enum.Enum):
    """How far the handshake has come."""

    FRESH = "before initialize"
    INITIALIZING = "initialize asked"
    READY = "initialize answered"


class McpCall(msgspec.Struct, frozen=True):
    """An MCP message inside `mcp/message`: to which server, and for which tool call, if known."""

    method: str
    server: str = ""  # its name, else its id, else the connection
    tool: str = ""  # of `tools/call`
    session: str | None = None
    tool_call: str | None = None


class McpServer(msgspec.Struct):
    """An MCP server that the client provides over ACP, and the session that it was given to."""

    id: str
    name: str
    session: str | None = None


class McpConnection(msgspec.Struct):
    """Older drafts: a connection to such a server."""

    id: str
    server: str
    seq: int
    closed_seq: int | None = None  # where it was disconnected


class Mcp(msgspec.Struct):
    """What is known of MCP over ACP."""

    servers: dict[str, McpServer] = msgspec.field(default_factory=dict)
    connections: dict[str, McpConnection] = msgspec.field(default_factory=dict)
    # The requests of the current draft that are open, by server and inner id.
    active: "dict[tuple[str, str], Exchange]" = msgspec.field(default_factory=dict)


class Exchange(msgspec.Struct):
    """A request, and what became of it."""

    seq: int
    t: float
    sender: Peer
    id: bytes
    method: str
    params: Any
    session: str | None
    cancelled_at: float | None = None  # when the asker withdrew it by `$/cancel_request`
    is_injected: bool = False  # neither peer sent it: a script or a person did
    is_replaced: bool = False  # the other peer got another request in its place
    is_failed_by_us: bool = False  # the bridge could not get the response, and sent an error
    wraps: str = ""  # the method of the request inside it, if it carries one
    mcp: McpCall | None = None

    @property
    def name(self) -> str:
        """Its method, and that of the request inside it."""
        return f"{self.method} › {self.wraps}" if self.wraps else self.method


_OPEN = ("session/new", "session/fork")
_REOPEN = ("session/load", "session/resume")


_NOTHING: dict[tuple[Peer, bytes], Exchange] = {}
_MOST_TURNS = 256  # of one session that are open: some rules look at each


class OpenRequests(dict[tuple[Peer, bytes], Exchange]):
    """
    The exchanges that are open, by asker and id, in the order in which they were asked.

    Rules want to know at nearly every frame whether this or that was asked for about a session.
    Two peers have a handful of open requests. Somebody who means harm has a million: to go through
    them each time would take hours.
    """

    def __init__(self) -> None:
        super().__init__()
        self._about: dict[tuple[str, str | None], dict[tuple[Peer, bytes], Exchange]] = {}
        self._by_frame: dict[int, dict[tuple[Peer, bytes], Exchange]] = {}
        self._by_method: dict[str, dict[tuple[Peer, bytes], Exchange]] = {}
        self._by_asker: dict[Peer, dict[tuple[Peer, bytes], Exchange]] = {peer: {} for peer in Peer}
        self.opening = 0  # how many are for the id of a new session
        self.reopening = 0  # how many are about a session that was there before

    def about(self, method: str, session: str | None) -> Iterable[Exchange]:
        """Return those for `method` about `session`, of either peer."""
        return self._about.get((method, session), {}).values()

    def for_method(self, method: str) -> ValuesView[Exchange]:
        """Return those for `method`, of either peer."""
        return self._by_method.get(method, _NOTHING).values()

    def asked_by(self, peer: Peer) -> ValuesView[Exchange]:
        """Return those of `peer`."""
        return self._by_asker[peer].values()

    @property
    def methods(self) -> KeysView[str]:
        """What was asked for."""
        return self._by_method.keys()

    def asked_in(self, seq: int) -> list[Exchange]:
        """Return those that a frame has asked for: of what acp-spy sent, several may name one."""
        return [*self._by_frame.get(seq, {}).values()]

    def is_opening(self, but: Exchange | None = None) -> bool:
        """Return whether the id of a new session is waited for, `but` for that of one."""
        is_one = but is not None and but.method in _OPEN and self.get((but.sender, but.id)) is but
        return self.opening > is_one

    def replays(self, session: str | None) -> bool:
        """Return whether the agent was asked for the history of `session` and still sends it."""
        if ("session/load", session) in self._about:
            return True
        resumed = self._about.get(("session/resume", session))
        return resumed is not None and any(
            type(asked.params) is dict and asked.params.get("replayFrom") is not None
            for asked in resumed.values()
        )

    def __setitem__(self, key: tuple[Peer, bytes], exchange: Exchange) -> None:
        if key in self:  # an id that is taken again while it is open
            self._forget(key)
        super().__setitem__(key, exchange)
        self._about.setdefault((exchange.method, exchange.session), {})[key] = exchange
        self._by_frame.setdefault(exchange.seq, {})[key] = exchange
        self._by_method.setdefault(exchange.method, {})[key] = exchange
        self._by_asker[exchange.sender][key] = exchange
        self.opening += exchange.method in _OPEN
        self.reopening += exchange.method in _REOPEN

    def __delitem__(self, key: tuple[Peer, bytes]) -> None:
        self._forget(key)
        super().__delitem__(key)

    def _forget(self, key: tuple[Peer, bytes]) -> None:
        exchange = self[key]
        about = exchange.method, exchange.session
        self.opening -= about[0] in _OPEN
        self.reopening -= about[0] in _REOPEN
        groups: tuple[tuple[dict[Any, Any], Any], ...] = (
            (self._about, about),
            (self._by_frame, exchange.seq),
            (self._by_method, exchange.method),
        )
        del self._by_asker[exchange.sender][key]
        for exchanges, group in groups:
            del exchanges[group][key]
            if not exchanges[group]:
                del exchanges[group]


class Withheld(msgspec.Struct):
    """
    A frame that acp-spy keeps from its receiver `to`, since `t`: it is held or dropped, or what was
    delivered instead is not a message that can take its place (`action`). `by` is what did it.

    `exchange` is the request, or the one that is answered, or the prompt that is cancelled.
    """

    seq: int
    t: float
    to: Peer
    by: str
    action: str
    kind: str = ""  # request, response or notification
    method: str = ""
    exchange: Exchange | None = None


# This changes with nearly every frame, as do three more: to set a field of a Struct takes four
# times as long.
@dataclass(slots=True)
class ToolCall:
    """A tool call as told so far."""

    id: str
    seq: int
    announced: bool
    status: str = "pending"
    title: str = ""
    kind: str = ""
    permission: str = ""  # asked, then allow_once, reject_once, cancelled, ...
    name: str = ""  # of the tool
    ran: bool = False  # whether it was ever in progress
    cancellable: bool = False  # version 2: it offers `capabilities.cancel`
    withdrawn_at: float | None = None  # version 2: when it ceased to

    @property
    def is_open(self) -> bool:
        """Whether it has yet to end."""
        return self.status not in ("completed", "failed", "cancelled")


class Terminal(msgspec.Struct):
    """A terminal that the client runs for the agent."""

    id: str
    seq: int
    session: str | None
    released: bool = False


class AgentTerminal(msgspec.Struct):
    """Version 2: a terminal that the agent runs and tells about."""

    id: str
    seq: int
    command: Any = None
    exited: bool = False
    cancellable: bool = False
    withdrawn_at: float | None = None


class Repetition(enum.Enum):
    """How a text was sent twice."""

    CHUNK = "a long chunk again"
    WHOLE = "streamed in pieces, then again as one"
    PAIRS = "every chunk twice"
    GROWING = "every chunk with all of the text before it"


class Repeat(msgspec.Struct):
    """A text that the agent sent twice: where it came again, and how often that happened."""

    seq: int
    first_seq: int
    text: str
    how: Repetition
    count: int = 1


@dataclass(slots=True)
class Speech:
    """What the agent has said since it last did something else, and how long that is."""

    name: str  # of the update that brings its pieces
    seq: int  # where it began
    last_seq: int
    head: str  # its first words
    last: str  # its last piece
    last_size: int
    size: int
    run: "Run | None" = field(default=None, compare=False)  # its last pieces, if they are plain
    pairs: int = 0  # how many of its last pieces came twice, apart from tiny ones
    paired_at: int = 0  # the update that was the second of a pair
    grown: int = 0  # how many of its last pieces began with all of the one before


@dataclass(slots=True)
class Turn:
    """A prompt and all it caused, until its answer."""

    exchange: Exchange
    number: int = 1  # among all turns of the conversation, in the order of their prompts
    updates: int = 0
    silent: int = 0  # those without anything to look at
    has_asked: bool = False  # the agent has asked the user something
    cancelled_at: float | None = None
    cancelled_seq: int | None = None
    last: tuple[Frame, str] | None = None  # its last update, and of what kind it was
    first_update_at: float | None = None
    speech: Speech | None = None
    repeat: Repeat | None = None

    @property
    def shown(self) -> int:
        """How many updates had something to look at: texts, tool calls, plans, notices."""
        return self.updates - self.silent

    @property
    def is_empty(self) -> bool:
        """Whether the user has seen nothing of it, neither an update nor a question."""
        return self.updates == self.silent and not self.has_asked


class OpenTurns(list[Turn]):
    """
    The open turns of a session, in the order of their prompts.

    Two are a mistake already. Somebody who means harm has thousands, so that none is found by
    going through all of them, and the oldest of very many is forgotten.
    """

    def __init__(self) -> None:
        super().__init__()
        self._by_prompt: dict[tuple[int, bytes], Turn] = {}  # a batch may have several

    def start(self, turn: Turn) -> None:
        """Add a turn."""
        if len(self) == _MOST_TURNS:
            self.end(self[0])
        self.append(turn)
        self._by_prompt[turn.exchange.seq, turn.exchange.id] = turn

    def of(self, prompt: Exchange | None) -> Turn | None:
        """Return the turn of a prompt, if it is open."""
        turn = self._by_prompt.get((prompt.seq, prompt.id)) if prompt else None
        return turn if turn and turn.exchange is prompt else None  # in a joined capture, another

    def end(self, turn: Turn) -> None:
        """Take a turn away."""
        self._by_prompt.pop((turn.exchange.seq, turn.exchange.id), None)
        del self[bisect_left(self, turn.number, key=attrgetter("number"))]


class Stray(msgspec.Struct):
    """Texts and tool calls that came while no turn was open: the first, and how many."""

    seq: int
    t: float
    event: Event
    count: int = 1


class MixedMessage(msgspec.Struct, frozen=True):
    """A message id that user and agent share: where the second took it, and the first."""

    id: str
    seq: int
    first_seq: int


class Session(msgspec.Struct):
    """A session of this conversation."""

    id: str
    seq: int
    how: str  # new, load, resume, fork, subagent; listed: only named; used: nobody opened it
    cwd: Any = None
    closed: str = ""  # close, delete or archive, once it was
    modes: Any = None
    mode: Any = None
    config: Any = None
    commands: Any = None
    turns: OpenTurns = msgspec.field(default_factory=OpenTurns)
    turn_count: int = 0
    last_turn_end: float | None = None
    last_turn_cancelled: bool = False
    tool_calls: dict[str, ToolCall] = msgspec.field(default_factory=dict)
    state: Any = None  # version 2
    directories: Any = None  # `additionalDirectories`, as it was opened with
    opened_at: float = 0.0
    may_have_overtaken: bool = False  # its history, by the response that opened it
    stray: Stray | None = None  # since it was opened, or since the last turn
    after_close: int | None = None  # the first update after it was closed
    messages: dict[str, tuple[bool, int]] = msgspec.field(default_factory=dict)  # is user's, seq
    mixed_message: MixedMessage | None = None
    terminals: dict[str, AgentTerminal] = msgspec.field(default_factory=dict)  # version 2
    readings: Readings = msgspec.field(default_factory=Readings)  # of its lists

    @property
    def turn(self) -> Turn | None:
        """The turn that is open."""
        return self.turns[-1] if self.turns else None

    def turn_of(self, seq: int) -> Turn | None:
        """Return the open turn of the prompt in this frame; turns are in the order of prompts."""
        at = bisect_left(self.turns, seq, key=lambda turn: turn.exchange.seq)
        found = self.turns[at] if at < len(self.turns) else None
        return found if found is not None and found.exchange.seq == seq else None


@final
class Run(msgspec.Struct, frozen=True):
    """
    What pieces of one text that come one after the other have in common: all but the text.

    So the next of them is known by its bytes: only what is between `before` and `after` differs,
    which `text` cuts out, with the quotes.
    """

    session: Session
    name: str  # of the update
    message: str | msgspec.UnsetType  # the id of the message
    before: bytes
    after: bytes
    text: slice


@dataclass(slots=True)
class Conversation:
    """Everything so far."""

    phase: Phase = Phase.FRESH
    asked_version: Any = None
    version: Any = None
    capabilities: dict[Peer, Any] = field(default_factory=dict)
    info: dict[Peer, Any] = field(default_factory=dict)
    auth_methods: Any = None
    readings: Readings = field(default_factory=Readings)  # of the handshake
    sessions: dict[str, Session] = field(default_factory=dict)
    terminals: dict[str, Terminal] = field(default_factory=dict)
    pending: OpenRequests = field(default_factory=OpenRequests)
    answered: deque[Exchange] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    closed: set[Peer] = field(default_factory=set)
    turn_count: int = 0
    dialects: Detector = field(default_factory=Detector)
    mcp: Mcp = field(default_factory=Mcp)
    is_remote: bool = False  # over HTTP or WebSocket
    withheld: dict[int, Withheld] = field(default_factory=dict)  # by frame, until it goes on
    repaired: dict[int, bool] = field(default_factory=dict)  # frames that were taken in repaired
    ended_by: Delivery | None = None  # a fault that closed a stream or killed the agent
    last: Frame = _NONE_YET  # the last frame
    last_said: dict[Peer, int] = field(default_factory=dict)  # the same of each, but for responses
    run: Run | None = field(default=None, compare=False)  # if that was a plain piece of text

    @property
    def t(self) -> float:
        """The time of the last frame."""
        return self.last.t

    def find_request(self, asker: Peer, ident: bytes) -> Exchange | None:
        """Return the request with this id, the last one if it has been answered."""
        answered = (e for e in reversed(self.answered) if (e.sender, e.id) == (asker, ident))
        return self.pending.get((asker, ident)) or next(answered, None)

    def waiting(self) -> list[Exchange]:
        """Return the requests whose askers wait for a response, also for one that is withheld."""
        found = {each.seq: each for each in self.pending.values()}
        for each in self.withheld.values():
            if each.exchange is not None and each.kind in ("request", "response"):
                found.setdefault(each.exchange.seq, each.exchange)
        return [found[seq] for seq in sorted(found)] if self.withheld else [*found.values()]

    def waits_for(self) -> dict[int, Exchange]:
        """
        Return, by frame, which of the client's requests wait for the client itself, and for what.

        While a request of the agent about a session is open, the agent cannot answer what it was
        asked about that session before.
        """
        asked: dict[str, list[Exchange]] = {}
        found: dict[int, Exchange] = {}
        for exchange in self.waiting():
            if exchange.session is None:
                continue
            if exchange.sender is Peer.CLIENT:
                asked.setdefault(exchange.session, []).append(exchange)
            else:
                found |= {each.seq: exchange for each in asked.pop(exchange.session, ())}
        return found

    def withholds_from(self, session: str) -> bool:
        """Whether acp-spy keeps something about a session from a peer, which cannot know of it."""
        about = (each.exchange for each in self.withheld.values())
        return any(each is not None and each.session == session for each in about)

    @property
    def is_draft(self) -> bool:
        """Whether the peers have agreed on version 2."""
        return self.version == 2 and type(self.version) is int


class Step(msgspec.Struct):
    """
    A frame, what it means, and the state it arrived in: `state` is as it was before.

    `exchange` is the request that a response answers, or the one that a request opens; `method`
    is its method, or the notification's. `body` is the decoded params, result or error.
    """

    frame: Frame
    message: Message
    state: Conversation
    method: str = ""
    body: Any = None
    exchange: Exchange | None = None
    event: Event | None = None
    session: Session | None = None
    glued_at: int = 0  # where the message begins in a frame that has something in front of it
    clues: tuple[Clue, ...] = ()  # what in it is evidence of a dialect
    inner: "Step | None" = None  # what is wrapped in it, in the conversation with the successor
    mcp: McpCall | None = None  # the MCP message in it
    is_plain: bool = False  # spelled as `read_plain` expects it

    @property
    def name(self) -> str:
        """Its method, and that of the message inside it."""
        if self.exchange is not None:
            return self.exchange.name
        inside = self.inner.name if self.inner else self.mcp.method if self.mcp else ""
        return f"{self.method} › {inside}" if inside else self.method

    @property
    def session_id(self) -> str | None:
        """The session that the frame names, or that the request names to which it belongs."""
        named: str | None = getattr(self.event, "session", None)
        if named is None and self.exchange is not None:
            named = self.exchange.session
        if named is None and self.mcp is not None:
            named = self.mcp.session
        if named is None:
            named = self.session.id if self.session else text(fields(self.body).get("sessionId"))
        return named


class Ending(msgspec.Struct):
    """
    The end of the capture: `state` has what is still open, `status` how the agent ended.

    `reason` is why it could not be started, and empty if it was.
    """

    t: float
    state: Conversation
    status: int | None = None
    cut_off: bool = True
    reason: str = ""
    inner: "Ending | None" = None  # of the conversation with the successor
