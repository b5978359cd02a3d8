"""
The statistics of a conversation. The fields are those of the JSON output; see docs/stats.md.

Times are seconds since the start, spans are seconds. `None` is for what was never measured.
"""

import msgspec

from acp_spy.view.captures.summary import State


class Spans(msgspec.Struct, frozen=True):
    """How long something took: how often, and the percentiles."""

    count: int
    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None
    exact: bool


class Method(msgspec.Struct, frozen=True):
    """What one peer requested of the other by one method, or notified it of."""

    asker: str
    method: str
    requests: int
    notifications: int
    errors: int
    unanswered: int
    latency: Spans


class McpMethod(msgspec.Struct, frozen=True):
    """What the agent requested of an MCP server over ACP: a tool, or any other method."""

    server: str
    method: str
    tool: str  # of `tools/call`
    requests: int
    errors: int
    unanswered: int
    latency: Spans


class LargeFrame(msgspec.Struct, frozen=True):
    """A frame that is among the largest of its sender."""

    seq: int
    bytes: int


class Sender(msgspec.Struct, frozen=True):
    """All that one peer sent: `noise` are frames that are not messages."""

    frames: int
    bytes: int
    noise: int
    unmatched: int  # responses to nothing
    largest: tuple[LargeFrame, ...]


class Traffic(msgspec.Struct, frozen=True):
    """Bytes over time: what each peer sent in each of equal spans from the start."""

    span: float
    client: tuple[int, ...]
    agent: tuple[int, ...]


class Tool(msgspec.Struct, frozen=True):
    """A tool call; `seconds` is `None` if it did not end within the turn."""

    id: str
    seq: int
    title: str
    kind: str
    status: str
    t: float
    seconds: float | None


class Stall(msgspec.Struct, frozen=True):
    """A silence that the agent could have broken; `seq` is the frame that did, if one did."""

    t: float
    seconds: float
    seq: int | None
    tool: str  # the id of a tool call that was open


class Turn(msgspec.Struct, frozen=True):
    """
    A prompt and all it caused. `seq` is the prompt's frame.

    While the capture is recorded, `permission_wait` and `stalled` count up to now.
    """

    seq: int
    session: str
    t: float
    seconds: float | None  # `None` while it is open, too
    outcome: str  # ended, error, open
    stop_reason: str | None
    cancelled: bool
    first_update: float | None
    updates: int
    chunks: int
    chunk_rate: float | None
    tool_calls: int
    tools: tuple[Tool, ...]  # the longest, in their order
    permissions: int
    permission_wait: float | None
    stalls: int
    stalled: float | None
    longest_stalls: tuple[Stall, ...]
    number: int = 1  # among all turns of the capture
    permissions_pending: int = 0


class Turns(msgspec.Struct, frozen=True):
    """All turns together, and the longest of them in their order."""

    count: int
    open: int
    errors: int
    seconds: Spans
    first_update: Spans
    longest: tuple[Turn, ...]


class PendingRequest(msgspec.Struct, frozen=True):
    """
    A request without a response at the end, or so far; `seconds` is how long that is.

    `kept` is what acp-spy did to it or to its response, as in `dropped by intercept`.
    """

    seq: int
    asker: str
    method: str
    t: float
    seconds: float | None
    kept: str | None = None


class Slow(msgspec.Struct, frozen=True):
    """One of the slowest requests and tool calls; `name` is a method, or a tool call's title."""

    kind: str  # request, tool call
    name: str
    seq: int
    seconds: float


class Http(msgspec.Struct, frozen=True):
    """Over HTTP or WebSocket: requests, those refused or unanswered, streams, those that broke."""

    exchanges: int = 0
    refused: int = 0
    streams: int = 0  # WebSockets, too
    lost: int = 0


class Stats(msgspec.Struct, frozen=True):
    """The statistics of a conversation."""

    agent: str
    client: str
    frames: int
    seconds: float | None
    cut_off: bool
    status: int | None
    senders: dict[str, Sender]
    stderr_bytes: int
    traffic: Traffic
    methods: tuple[Method, ...]
    turns: Turns
    sessions: int
    stall_after: float
    reason: str | None = None  # why the agent could not be started
    imported: bool = False  # another tool's: what is missing may have happened
    running: bool = False  # the recording goes on: times are those so far
    tool_calls: Spans | None = None  # how long the tool calls of all turns took
    slowest: tuple[Slow, ...] = ()  # of all requests and tool calls
    pending: tuple[PendingRequest, ...] = ()  # the oldest
    mcp: tuple[McpMethod, ...] = ()  # requests to MCP servers over ACP
    http: Http | None = None  # `None` on stdio

    @property
    def state(self) -> str:
        """Whether the capture is `running`, `ended`, `cut off`, or `imported` without its end."""
        state = State.CUT_OFF if self.cut_off else State.ENDED
        if self.imported and self.status is None:
            state = State.IMPORTED
        if self.running:
            state = State.RUNNING
        return str(state.value)
