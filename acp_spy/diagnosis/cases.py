"""The kinds of diagnosis, in the order in which they are tried."""

import json
import re
from collections.abc import Container

from acp_spy.capture.records import FROM_OUTSIDE, HELD, INTERCEPT, REPLACED, SIGNALED
from acp_spy.conversation.chunk import LONG_SILENCE
from acp_spy.conversation.state import Exchange, Phase, Turn, Withheld
from acp_spy.conversation.successor import SUCCESSOR
from acp_spy.diagnosis.evidence import PERMISSION, SLOW_REQUEST, Evidence, Failure, SlowStep
from acp_spy.diagnosis.kinds import Cause, kind
from acp_spy.diagnosis.words import (
    frames,
    how_it_ended,
    last_lines,
    last_of_turn,
    method,
    names,
    quoted,
    share,
    waited,
)
from acp_spy.dialect.known import translated
from acp_spy.lint.posts import (
    close_hint,
    fault_in,
    name_of,
    refusal,
    refusal_hint,
    stream_name,
    stream_of,
)
from acp_spy.lint.rule import Finding
from acp_spy.protocol.names import LOGINS, SETUPS
from acp_spy.units import counted, span
from acp_spy.wire.frame import Peer
from acp_spy.wire.values import fields, items

_CRASHES = frozenset((-4, -5, -6, -7, -8, -11))  # signals that a program gets for its own faults
_FROM_OUTSIDE = FROM_OUTSIDE | {128 - status for status in FROM_OUTSIDE}  # or as a shell says it
_VERSIONS = range(1, 2**16)
_WHAT_IT_WAITS_FOR = (
    "find out what the agent waits for: its model, a tool, or a lock; its log or stderr may say so"
)
# A number alone may be a port, a line or an id.
_STATUS = r"(?:(?:\b|_|status|error)code|status|error|\bHTTP(?:/[\d.]+)?)\W{0,3}"
# Neither "the log in /tmp" nor "catalog in use".
_LOGIN = (
    r"(?:\bnot|n't|\bmust be) logged in\b|\b(?:please|must|(?:need|have) to) log ?in\b"
    r"|\blog ?in (?:first|again|to continue|(?:is )?required)\b|(?<![\w./])/login\b(?!/|\.\w)"
)
_HINTS_BY_ERROR = (
    (
        re.compile(r"\bMCP\b", re.IGNORECASE),
        "check the MCP servers in the client's settings, and try without them",
    ),
    (
        re.compile(
            rf"{_STATUS}(?:429|529)\b|too many requests|rate.?limit|quota|overloaded",
            re.IGNORECASE,
        ),
        "wait and try again, or check the account at the model's vendor: it limits requests",
    ),
    (
        re.compile(rf"{_STATUS}401\b|api.?key|unauthorized|credential|{_LOGIN}", re.IGNORECASE),
        "log in with the agent's own program, or check its API key",
    ),
)
# Statuses of HTTP and close codes that may be the answer to a message that breaks the protocol.
_REFUSES_CONTENT = frozenset((400, 422, 500, 501, 1002, 1003, 1007, 1008, 1011))
_IN_ACP_MODE = "start the agent in ACP mode: many need an option such as `--acp`"


@kind("not started")
def agent_not_started(seen: Evidence) -> Cause | None:
    """The command of the agent could not be run."""
    if seen.exit is None or not seen.exit.reason:
        return None
    return Cause(
        f"The agent could not be started: {seen.exit.reason}."
        " The command is in the client's settings.",
        Peer.CLIENT,
        hint="fix the command in the client's settings; use the full path of the program",
    )


@kind()
def target_unreachable(seen: Evidence) -> Cause | None:
    """No HTTP response came from the server of the agent: it does not run, or not there."""
    http = seen.unreachable
    if http is None:
        return None
    if http.method != "POST" and http.transport != "ws" and not seen.unfinished():
        return None  # the client only tried to open a stream again
    where = f" at {quoted(seen.header.command[0])}" if seen.header.command else ""
    what = "could not be reached" if http.by == "proxy" else "gave no HTTP response"
    return Cause(
        f"The agent{where} {what} at {span(http.t)}: {quoted(http.error)}.",
        Peer.AGENT,
        frames(http.request),
        "check that the server runs, and its address and port",
    )


@kind()
def response_refused(seen: Evidence) -> Cause | None:
    """
    The client answered a request of the agent, but the HTTP server refused the answer, so the agent
    still waits.
    """
    for refused in seen.refused_responses.values():
        exchange, http = refused.posted.exchange, refused.http
        if exchange is None or not seen.is_pending(exchange):
            continue
        fault = fault_in(http, refused.posted)
        why = f": {fault.text}" if fault else ""
        opened = _turn_of(seen, exchange)
        waits = f", and so has {method(opened.exchange)}" if opened else ""
        return Cause(
            f"The client answered {method(exchange)}, but its response (frame {http.request}) was"
            f" {refusal(http)}{why}. The agent never got it and has been waiting"
            f"{waited(seen, exchange.t)}{waits}.",
            Peer.CLIENT if fault else Peer.AGENT,
            frames(exchange.seq, http.request, opened.exchange.seq if opened else None),
            fault.hint if fault else "read the body of the refusal, and the log of the server",
        )
    return None


@kind()
def connection_lost(seen: Evidence) -> Cause | None:
    """A stream or a WebSocket ended on the agent's side while requests were pending."""
    found = seen.lost_stream()
    if found is None:
        return None
    end, pending = found
    how = "was lost" if end.lost else "was closed by the agent"
    said = (
        f" (code {end.code}{f', {quoted(end.reason)}' if end.reason else ''})" if end.code else ""
    )
    because = f" ({quoted(end.error)})" if end.error else ""
    text = (
        f"The {stream_name(end)} {how}{said or because} at {span(end.t)} while"
        f" {method(pending[0])} was pending, so its response cannot arrive."
    )
    blame = None if end.lost else Peer.AGENT
    hint = (
        "read the log of the server; look for a proxy or load balancer that ends idle connections"
    )
    if client_hint := close_hint(end):
        blame, hint = Peer.CLIENT, client_hint
    if end.code in _REFUSES_CONTENT and (error := seen.error_of_client(pending[0].seq)):
        text, blame, hint = text + _broken(error), error.blame, error.hint or hint
    return Cause(text, blame, frames(*(each.seq for each in pending[:3])), hint)


@kind()
def connection_unknown(seen: Evidence) -> Cause | None:
    """The HTTP server does not know the connection or the session of a request (404)."""
    http = seen.unknown
    if http is None:
        return None
    what = "connection"
    if http.method == "GET" and http.session:
        what = f"session {quoted(http.session)} or connection"
    place = f" (frame {http.request})" if http.request else ""
    return Cause(
        f"The server does not know {what} {quoted(http.connection)}: a {http.method}{place} was"
        f" {refusal(http)} at {span(http.t)}.",
        None,
        frames(http.request),
        "begin again with `initialize`; if nobody has deleted the connection, the server was"
        " restarted, or a load balancer has chosen another one",
    )


@kind("HTTP request refused")
def request_refused(seen: Evidence) -> Cause | None:
    """The HTTP server refused a message of the client, and it was not sent again."""
    refused = seen.refused_post
    if refused is None:
        return None
    http, posted = refused.http, refused.posted
    fault = fault_in(http, posted)
    why = f": {fault.text}" if fault else ""
    may_be_error = not fault and http.status in _REFUSES_CONTENT
    error = seen.error_of_client(http.request) if may_be_error else None
    is_client = fault is not None or error is not None or http.status < 500
    hint = fault.hint if fault else refusal_hint(http)
    return Cause(
        f"The client's HTTP request with {name_of(posted)} (frame {http.request}) was"
        f" {refusal(http)}{why}.{_broken(error) if error else ''}",
        Peer.CLIENT if is_client else Peer.AGENT,
        frames(http.request),
        error.hint or hint if error else hint,
    )


@kind()
def stream_not_opened(seen: Evidence) -> Cause | None:
    """The client has not opened the stream on which the response to its request comes."""
    found = seen.unopened_stream()
    if found is None:
        return None
    exchange, session, refused = found
    stream, headers = stream_of(session)
    if refused:
        return Cause(
            f"The client's request for the {stream} was {refusal(refused)} at {span(refused.t)}, so"
            f" the response to {method(exchange)} cannot arrive.",
            Peer.CLIENT if refused.status < 500 else Peer.AGENT,
            frames(exchange.seq),
            refusal_hint(refused),
        )
    return Cause(
        f"The agent accepted {method(exchange)}, but the client never opened the {stream}, on which"
        f" the response comes. It has been waiting{waited(seen, exchange.t)}.",
        Peer.CLIENT,
        frames(exchange.seq),
        f"open the stream with GET, {headers}",
    )


@kind("ended by acp-spy")
def ended_by_acp_spy(seen: Evidence) -> Cause | None:
    """A fault closed a stream or ended the agent."""
    done = seen.state.ended_by
    if done is None or (done.action == SIGNALED and seen.exit is None):
        return None
    what, then = f"The stream to the {done.to.value} was closed", ""
    if done.action == SIGNALED and seen.exit:
        what, then = "The agent was sent a signal", f", and {how_it_ended(seen.exit.status)}"
    after = f", after frame {done.seq}" if done.seq else ""
    pending = next(iter(seen.state.waiting()), None)
    while_ = f" {method(pending, article=True)} was pending." if pending else ""
    return Cause(
        f"{what} by {quoted(done.by)} at {span(done.t)}{after}{then}.{while_}",
        None,
        frames(done.seq, pending.seq if pending else None),
        _without(done.by),
    )


@kind("held by acp-spy", is_wrong=False)
def frame_held(seen: Evidence) -> Cause | None:
    """
    The recording runs, and acp-spy holds a frame for `--intercept`, a script or a fault: its
    receiver has not got it yet.
    """
    held = seen.withheld(HELD)
    if not held or not seen.running:
        return None
    first = held[0]
    more = f" {counted(len(held) - 1, 'more frame')} {_is(len(held) - 1)} held." if held[1:] else ""
    return Cause(
        f"{_named(first)} has been held by {_hand(first.by, HELD)} since {span(first.t)}, and the"
        f" {first.to.value} has not got it.{_consequence(seen, first)}{more}",
        None,
        frames(first.seq, first.exchange.seq if first.exchange else None),
        f"release it with `acp-spy hold release {first.seq}`, or with `a` in `acp-spy live`; it"
        " goes on by itself after `--hold-timeout`"
        if first.by == INTERCEPT
        else f"wait until it goes on, or run without {_option(first.by)}",
    )


@kind()
def agent_died(seen: Evidence) -> Cause | None:
    """
    The agent exited by itself before the client had closed the connection: it crashed, or requests
    were pending.
    """
    if seen.client_left_first or (seen.exit is None and Peer.AGENT not in seen.closed):
        return None
    if seen.exit is None and seen.never_delivered():
        return None  # acp-spy itself was ended, and kept from a peer what it waits for
    status = seen.exit.status if seen.exit else None
    pending = seen.unfinished(with_lost=bool(status))
    if status in _FROM_OUTSIDE or not (pending or status):
        return None
    text = f"The agent {how_it_ended(status)} at {span(seen.end)}"
    if pending:
        text += f" while {method(pending[0])} was pending"
    elif not seen.first.get(Peer.CLIENT):
        text += " before the client had sent anything"
    text += f".{last_lines(seen)}"
    seq = [each.seq for each in pending[:3]]
    hint = "read its last lines on stderr for the cause"
    noise = seen.noise.get(Peer.AGENT) if seen.state.phase is not Phase.READY else None
    if noise:
        text += f" On stdout it wrote {quoted(noise[2].decode(errors='replace'))}."
        seq.append(noise[1])
        hint = f"read what it wrote; if it is a usage text, {_IN_ACP_MODE}"
    elif status in _CRASHES:
        hint = (
            "it crashed: report it to the author of the agent, with the output of `acp-spy redact`"
        )
    elif not seen.stderr:
        hint = "run the agent's command in a terminal to see why it exits"
        if seen.state.phase is not Phase.READY:
            hint += f"; {_IN_ACP_MODE}"
    return Cause(text, Peer.AGENT, frames(*seq), hint)


@kind()
def agent_killed(seen: Evidence) -> Cause | None:
    """Something else ended the agent, with a signal, while it was working on a request."""
    pending = seen.unfinished()
    if seen.exit is None or seen.exit.status not in _FROM_OUTSIDE or not pending:
        return None
    if seen.client_left_first or seen.stuck():
        return None
    return Cause(
        f"The agent {how_it_ended(seen.exit.status)} at {span(seen.end)} while {method(pending[0])}"
        f" was pending: something else ended it.{last_lines(seen)}",
        None,
        frames(*(each.seq for each in pending[:3])),
        "find out what ended it: the client, a person, or a lack of memory",
    )


@kind("dropped by acp-spy")
def frame_dropped(seen: Evidence) -> Cause | None:
    """
    A person, a script or a fault dropped a request, a response or a cancel, or held it to the end,
    and a peer waits because of it.
    """
    dropped = seen.never_delivered()
    if not dropped:
        return None
    first = dropped[0]
    by = _hand(first.by, first.action)
    end = " when the recording ended" if first.action == HELD else ""
    more = f" {counted(len(dropped) - 1, 'more frame')} did not arrive." if dropped[1:] else ""
    return Cause(
        f"{_named(first)} was {first.action} by {by}{end}, and never reached the"
        f" {first.to.value}.{_consequence(seen, first)}{more}",
        None,
        frames(first.seq, first.exchange.seq if first.exchange else None),
        _without(first.by),
    )


@kind("changed by acp-spy")
def frame_changed(seen: Evidence) -> Cause | None:
    """
    A person, a script or a fault answered a request with an error, or changed a request or a
    response so that its receiver cannot use it; and no later turn worked.
    """
    changed = next(iter(seen.withheld(REPLACED)), None)
    if changed is not None:
        return Cause(
            f"{_named(changed)} was changed by {_hand(changed.by)}, so that the {changed.to.value}"
            f" cannot use it.{_consequence(seen, changed)}",
            None,
            frames(changed.seq, changed.exchange.seq if changed.exchange else None),
            _without(changed.by),
        )
    failure = seen.made_error
    if failure is None:
        return None
    if failure.is_replaced:
        did = (
            f"The agent's response to {method(failure.exchange)} was replaced by"
            f" {_hand(failure.by)}"
        )
    else:
        did = (
            f"{method(failure.exchange, article=True)} was answered by {_hand(failure.by)}, not by"
            " the agent,"
        )
    return Cause(
        f"{did} with the error {quoted(failure.message)}.",
        None,
        frames(failure.exchange.seq, failure.seq),
        _without(failure.by),
    )


def _named(frame: Withheld) -> str:
    """Return a frame that did not arrive as the subject of a sentence."""
    sender = frame.to.other.value
    if frame.kind == "response" and frame.exchange:
        return f"The {sender}'s response (frame {frame.seq}) to {method(frame.exchange)}"
    what = quoted(frame.method) if frame.method else frame.kind or "line"
    return f"The {sender}'s {what} (frame {frame.seq})"


def _consequence(seen: Evidence, frame: Withheld) -> str:
    """Return a sentence about who waits because of a frame that did not arrive."""
    exchange = frame.exchange
    if exchange is None:
        return ""
    if frame.kind == "notification":
        return f" So the agent goes on with {method(exchange)}."
    opened = _turn_of(seen, exchange) if exchange.sender is Peer.AGENT else None
    also = f", and so has {method(opened.exchange)}" if opened else ""
    return f" The {exchange.sender.value} has been waiting{waited(seen, exchange.t)}{also}."


def _hand(by: str, action: str = "") -> str:
    """Return what of acp-spy changed the traffic, in words."""
    if by != INTERCEPT:
        return quoted(by)
    return _option(by) if action == HELD else f"a person ({_option(by)})"


def _option(by: str) -> str:
    """Return the option that changes the traffic so."""
    words = by.replace(",", "").split()
    given = [word for word in words if word in (INTERCEPT, "script", "fault", "fix")]
    return f"`--{given[-1]}`" if given else "the option that changes the traffic"


def _without(by: str) -> str:
    return f"neither peer must fix it; run without {_option(by)} to see the conversation as it is"


@kind()
def agent_echoes(seen: Evidence) -> Cause | None:
    """The agent sends back what the client sends: it is not an agent, or a terminal echoes."""
    if seen.echo is None or seen.initialize is None:
        return None
    silent = ", and no response" if seen.version_seq is None else ""
    return Cause(
        f"The agent sent {method(seen.initialize)} of the client back (frame {seen.echo}){silent}.",
        Peer.AGENT,
        frames(seen.initialize.seq, seen.echo),
        "check which program is started as the agent; a terminal (`docker run -t`, `script`)"
        " echoes its input: start the agent without one",
    )


@kind()
def other_protocol(seen: Evidence) -> Cause | None:
    """A peer speaks MCP, LSP, A2A or another protocol that is not ACP, and opened no session."""
    if seen.foreign is None or seen.sessions or seen.turns:
        return None
    peer, seq, protocol = seen.foreign
    return Cause(
        f"The {peer.value} does not speak ACP: frame {seq} belongs to {protocol}.",
        peer,
        (seq,),
        f"check which program is started as the {peer.value}, and with which options",
    )


@kind()
def dialect(seen: Evidence) -> Cause | None:
    """A peer speaks an incompatible protocol that is also called ACP."""
    dialects = seen.state.dialects
    if dialects.settled is not None:
        return None
    spoken = {peer: dialects.spoken_by(peer) for peer in Peer}
    foreign = [
        peer
        for peer in Peer
        if spoken[peer].dialect is not None
        and translated(peer, spoken[peer].name) not in seen.header.note
    ]
    if not foreign:
        return None
    first = spoken[foreign[0]]
    assert first.dialect is not None
    both = len(foreign) == 2 and spoken[foreign[1]].dialect is first.dialect
    who = "Both peers speak" if both else f"The {foreign[0].value} speaks"
    other = "" if both else f" The {foreign[0].other.value} does not understand it."
    clues = sorted({clue.seq for peer in foreign for clue in spoken[peer].clues})
    return Cause(
        f"{who} {first.dialect.title} ({first.name}), not official ACP.{other}",
        None if both else foreign[0],
        frames(*clues[:3]),
        f"use the official schema; `acp-spy check --dialect {first.name}` checks against the"
        " dialect's own document"
        if both
        else f"use the official schema; until then, `acp-spy --{foreign[0].value}-dialect"
        f" {first.name}` before the agent's command translates",
    )


@kind()
def one_stream(seen: Evidence) -> Cause | None:
    """Another tool recorded only what one of the peers sent, so nothing can be said."""
    if not seen.header.is_imported or len(seen.first) != 1:
        return None
    peer = next(iter(seen.first))
    return Cause(
        f"The recording has only the frames of the {peer.value}, so what the {peer.other.value}"
        " sent is not known.",
        None,
        frames(*seen.first.values()),
        "record both directions, for example with `acp-spy -- COMMAND`",
    )


@kind()
def no_messages(seen: Evidence) -> Cause | None:
    """The client sent nothing."""
    if seen.first.get(Peer.CLIENT) or (seen.running and seen.now < LONG_SILENCE):
        return None
    return Cause(
        f"The client sent nothing{waited(seen, 0.0)}.{last_lines(seen)}",
        Peer.CLIENT,
        frames(seen.first.get(Peer.AGENT)),
        "check that the client speaks ACP and uses this agent; `acp-spy doctor` tries the agent"
        " without it",
    )


@kind("noise in handshake")
def noise_in_handshake(seen: Evidence) -> Cause | None:
    """
    A peer wrote lines that are not JSON-RPC messages, and the handshake did not come to an end, or
    the client gave up after it.
    """
    if seen.running and seen.now - seen.state.t < LONG_SILENCE:
        return None
    initialize = seen.initialize
    if initialize is None:
        noise = seen.noise.get(Peer.CLIENT)
        if noise is None or seen.client_requests:
            return None
        count, seq, line = noise
        return Cause(
            f"The client wrote {counted(count, 'line')} that {_is(count)} not JSON-RPC"
            f" (frame {seq}: {quoted(line.decode(errors='replace'))}), and no request.",
            Peer.CLIENT,
            (seq,),
            "write one JSON-RPC message per line, beginning with `initialize`",
        )
    noise = seen.noise.get(Peer.AGENT)
    if noise is None or not seen.noise_in_handshake or seen.client_requests > 1:
        return None
    count, seq, line = noise
    outcome = (
        f"{method(initialize)} has no response"
        if seen.is_pending(initialize)
        else "the client sent nothing after the handshake"
    )
    return Cause(
        f"The agent wrote {counted(count, 'line')} that {_is(count)} not JSON-RPC to stdout during"
        f" the handshake (frame {seq}: {quoted(line.decode(errors='replace'))}), and {outcome}.",
        Peer.AGENT,
        frames(initialize.seq, seq),
        f"write logs to stderr; if it is a usage text or a question, {_IN_ACP_MODE}",
    )


@kind()
def version_mismatch(seen: Evidence) -> Cause | None:
    """Client and agent have no protocol version in common, and got no further."""
    asked, agreed = seen.state.asked_version, seen.state.version
    if seen.initialize is None or seen.turns:
        return None
    evidence = frames(seen.initialize.seq, seen.version_seq)
    hint = "update the peer that supports only the older version"
    if seen.refused is not None:
        if "version" not in seen.refused.message.lower():
            return None
        return Cause(
            f"The agent refused version {_version(asked)} of the protocol:"
            f" {quoted(seen.refused.message)}.",
            None,
            evidence,
            hint,
        )
    if seen.state.phase is not Phase.READY or asked == agreed or agreed is None:
        return None
    if type(agreed) is not int or agreed not in _VERSIONS:
        return Cause(
            f"The agent answered `initialize` with the version {_version(agreed)}, which is not a"
            f" version of ACP; the client requested {_version(asked)}.",
            Peer.AGENT,
            evidence,
            "answer with `protocolVersion: 1`",
        )
    newer = type(asked) is int and agreed > asked
    if not newer and (seen.client_requests > 1 or not _has_given_up(seen)):
        return None  # the client took the older version, or may do so
    then = "the client sent nothing after it" if seen.client_requests < 2 else "no turn ended"
    return Cause(
        f"The client requested version {_version(asked)} of the protocol, the agent answered"
        f" {_version(agreed)}, and {then}.",
        Peer.CLIENT if newer and seen.client_requests > 1 else None,
        evidence,
        hint,
    )


def _has_given_up(seen: Evidence) -> bool:
    """Whether the client had the time to send more."""
    is_over = bool(seen.closed or seen.exit) or not seen.has_times
    return is_over or seen.until - seen.state.t >= LONG_SILENCE


@kind()
def initialize_refused(seen: Evidence) -> Cause | None:
    """The agent answered `initialize` with an error."""
    failure = seen.refused
    if failure is None or seen.state.phase is Phase.READY:
        return None
    return Cause(
        f"The agent refused {method(failure.exchange)}: {quoted(failure.message)}.",
        Peer.AGENT,
        frames(failure.exchange.seq, failure.seq),
        "the conversation cannot begin without it; read the error",
    )


@kind()
def answer_lost(seen: Evidence) -> Cause | None:
    """
    A request is still pending although it was answered: the response had another id or a `method`,
    could not be read, or was written to stderr.
    """
    for lost in seen.lost.values():
        if seen.is_pending(lost.exchange):
            asker = lost.exchange.sender.value
            at = f"frame {lost.seq} has it" if lost.seq else "it is"
            return Cause(
                f"The {lost.sender.value} answered {method(lost.exchange)}, but the response is"
                f" lost: {at} {lost.how}. The {asker} has been waiting"
                f"{waited(seen, lost.exchange.t)}.",
                lost.sender,
                frames(lost.exchange.seq, lost.seq),
                "write each response to stdout as one line of JSON, without `method`, and with the"
                " id of its request as it was sent",
            )
    return None


@kind("initialize pending")
def initialize_pending(seen: Evidence) -> Cause | None:
    """The agent runs and has not answered `initialize`."""
    exchange = seen.initialize
    if exchange is None or not seen.is_pending(exchange) or not seen.is_stuck(exchange):
        return None
    if any(one.method == SUCCESSOR for one in seen.pending(Peer.AGENT)):
        return None  # a proxy, which has handed it on
    return Cause(
        f"The agent has not answered {method(exchange)}{waited(seen, exchange.t)}; nothing works"
        f" before it does.{last_lines(seen)}",
        Peer.AGENT,
        frames(exchange.seq),
        f"{_IN_ACP_MODE}; run its command in a terminal to see what it waits for",
    )


@kind()
def login_required(seen: Evidence) -> Cause | None:
    """The agent refused a session or a prompt because nobody is logged in, or refused the login."""
    failure = seen.unauthorized
    if failure is None or _is_tried_again(seen, failure, LOGINS):
        return None
    ways = names(items(seen.state.auth_methods))
    tried = failure.exchange.method in LOGINS
    what = "The login failed" if tried else "The agent requires a login"
    text = f"{what}: the agent answered {method(failure.exchange)} with {quoted(failure.message)}."
    if not ways:
        text += " It offers no way to log in."
    return Cause(
        text,
        None if ways else Peer.AGENT,
        frames(failure.exchange.seq, failure.seq),
        f"log in with the agent's own program, or in the client: {ways}"
        if ways
        else "log in with the agent's own program, or set its API key",
    )


@kind()
def session_refused(seen: Evidence) -> Cause | None:
    """
    The agent answered `session/new`, `load`, `resume` or `fork` with an error, and the client has
    sent no request since then that is pending.
    """
    failure = seen.unopened
    if failure is None or any(each.seq < failure.seq for each in seen.failures.values()):
        return None
    if any(each.seq > failure.seq for each in seen.unfinished()):
        return None  # it went on, with another session or with the same again
    others = " An earlier session works." if seen.turns else ""
    return Cause(
        f"The agent refused {method(failure.exchange)}: {quoted(failure.message)}.{others}",
        Peer.AGENT,
        frames(failure.exchange.seq, failure.seq),
        _refusal_hint(seen, failure),
    )


@kind("permission: no session")
def permission_unknown_session(seen: Evidence) -> Cause | None:
    """The agent asked for a permission in a session that the client never opened."""
    for exchange in seen.strangers.values():
        if seen.is_stranger(exchange):
            outcome = (
                f"has no response{waited(seen, exchange.t)}"
                if seen.is_pending(exchange)
                else "was refused"
            )
            named = exchange.session or ""
            where = f"session {quoted(named)}, which the client never opened"
            return Cause(
                f"The agent asked for a permission in {where if named else 'no session'}, and"
                f" {method(exchange)} {outcome}.",
                Peer.AGENT,
                frames(exchange.seq),
                "use the `sessionId` of the session that the client opened, also for subagents",
            )
    return None


@kind()
def permission_pending(seen: Evidence) -> Cause | None:
    """The agent asked for a permission, and the client has not answered."""
    exchange = next((one for one in seen.pending(Peer.AGENT) if one.method == PERMISSION), None)
    opened = _turn_of(seen, exchange) if exchange else None
    is_cancelled = opened is not None and seen.is_unconfirmed(opened)
    if exchange is None or not (is_cancelled or seen.is_stuck(exchange)):
        return None
    title = fields(fields(exchange.params).get("toolCall")).get("title")
    what = f" for {quoted(title)}" if isinstance(title, str) else ""
    text = (
        f"The agent asked for a permission{what}, and the client has not answered"
        f" {method(exchange)}{waited(seen, exchange.t)}."
    )
    seq = [exchange.seq]
    hint = "answer the question in the client; a client without a user must answer by itself"
    if opened:
        text += f" {method(opened.exchange, article=True)} waits for it."
        seq.append(opened.exchange.seq)
        if opened.cancelled_seq is not None:
            text += f" The turn was cancelled at frame {opened.cancelled_seq}."
            hint = 'answer pending permission requests with the outcome "cancelled" after a cancel'
            seq.append(opened.cancelled_seq)
    else:
        text += " No turn waits for it."
    return Cause(text, Peer.CLIENT, frames(*seq), hint)


@kind()
def client_request_pending(seen: Evidence) -> Cause | None:
    """The agent asked the client for a file, a terminal or something else, without a response."""
    exchange = _asked_of_client(seen)
    if exchange is None or not seen.is_stuck(exchange):
        return None
    opened = _turn_of(seen, exchange)
    if opened and opened.cancelled_at is not None:
        return None  # the agent need not wait for it any more
    waits = f" {method(opened.exchange, article=True)} waits for it." if opened else ""
    seq = frames(exchange.seq, opened.exchange.seq if opened else None)
    if exchange.method == "terminal/wait_for_exit":
        terminal = fields(exchange.params).get("terminalId")
        return Cause(
            f"A command has not ended{waited(seen, exchange.t)}: the agent waits for terminal"
            f" {quoted(str(terminal))} ({method(exchange)}).{waits}",
            None,
            seq,
            "check whether the command waits for input; end it, or cancel the turn",
        )
    who = "successor of the proxy" if exchange.method == SUCCESSOR else "client"
    return Cause(
        f"The {who} has not answered {method(exchange)}{waited(seen, exchange.t)}.{waits}",
        Peer.CLIENT,
        seq,
        "answer every request, with an error if nothing else is possible",
    )


def _asked_of_client(seen: Evidence) -> Exchange | None:
    """Return what the agent waits for; for a proxy, what its successor may wait for as well."""
    asked = [one for one in seen.pending(Peer.AGENT) if one.method != PERMISSION]
    for exchange in asked:
        if exchange.method != SUCCESSOR:
            return exchange
    if any(one.method == SUCCESSOR for one in seen.pending(Peer.CLIENT)):
        return None  # the successor itself waits for the proxy
    return next(iter(asked), None)


@kind()
def cancel_not_confirmed(seen: Evidence) -> Cause | None:
    """A turn was cancelled, and its prompt never got a response."""
    session, turn = seen.stuck_turn() or (None, None)
    if session is None or turn is None or turn.cancelled_at is None or turn.cancelled_seq is None:
        return None
    text = (
        f"The client cancelled {method(turn.exchange)} at frame {turn.cancelled_seq}, and the"
        f" agent has not confirmed it{waited(seen, turn.cancelled_at)}."
    )
    blame, hint = Peer.AGENT, 'answer a cancelled prompt with `"stopReason": "cancelled"`'
    asked = next((one for one in seen.pending(Peer.AGENT) if one.session == session.id), None)
    if asked:
        text += f" Its request {method(asked)} is pending, too."
        hint += ", without waiting for the client"
    error = seen.error_in(session, turn)
    if error is not None and error.seq == turn.cancelled_seq:  # the cancel itself is wrong
        text, blame, hint = text + _broken(error), error.blame, error.hint
    seq = frames(turn.exchange.seq, turn.cancelled_seq, asked.seq if asked else None)
    return Cause(text, blame, seq, hint)


@kind("unusable after cancel")
def session_unusable_after_cancel(seen: Evidence) -> Cause | None:
    """After a cancelled turn, the next prompt in the same session fails or gets no response."""
    hint = "end only the turn on `session/cancel`, and keep the session"
    for failure in seen.failures.values():
        if failure.after_cancel:
            came = "no output" if failure.is_empty else f"the error {quoted(failure.message)}"
            return Cause(
                "The session has been unusable since a turn was cancelled: the next prompt,"
                f" {method(failure.exchange)}, got {came}.",
                Peer.AGENT,
                frames(failure.exchange.seq, failure.seq),
                hint,
            )
    _, turn = seen.stuck_turn() or (None, None)
    if turn is None or turn.updates or not seen.is_after_cancel(turn.exchange):
        return None
    if _whole_agent_hangs(seen, turn.exchange):
        return None
    return Cause(
        "The session has been unusable since a turn was cancelled: the agent has not reacted to"
        f" the next prompt, {method(turn.exchange)},{waited(seen, turn.exchange.t)}.",
        Peer.AGENT,
        frames(turn.exchange.seq),
        hint,
    )


@kind()
def session_pending(seen: Evidence) -> Cause | None:
    """`session/new`, `load`, `resume` or `fork` has no response."""
    exchange = seen.stuck()
    if exchange is None or exchange.method not in SETUPS:
        return None
    return Cause(
        f"The agent has not answered {method(exchange)}{waited(seen, exchange.t)}; there is no"
        f" session without it.{last_lines(seen)}",
        Peer.AGENT,
        frames(exchange.seq),
        "look at what the agent does then: it starts MCP servers, logs in, or indexes files; try"
        " without MCP servers",
    )


@kind()
def prompt_pending(seen: Evidence) -> Cause | None:
    """A turn has not ended, and only the agent can go on."""
    opened = seen.stuck_turn()
    if opened is None:
        return None
    session, turn = opened
    exchange = turn.exchange
    accepted = "" if seen.is_pending(exchange) else ", which it accepted,"
    text = (
        f"The agent has not finished {method(exchange)}{accepted}{waited(seen, exchange.t)}"
        f"{last_of_turn(seen, session, turn)}."
    )
    blame, hint = Peer.AGENT, _WHAT_IT_WAITS_FOR
    others = [each for each in seen.pending(Peer.CLIENT) if each.seq > exchange.seq]
    if others:
        text += f" {counted(len(others), 'later request')} {_is(len(others))} pending, too"
        if _whole_agent_hangs(seen, exchange):
            text += ", not only in this session: the whole agent hangs"
            hint = "find out what blocks the whole agent: its event loop, a lock, or its stdin"
        text += "."
    if seen.stderr_at > (turn.last[0].t if turn.last else exchange.t):
        text += last_lines(seen)
    seq = [exchange.seq, turn.last[0].seq if turn.last else None]
    refused = seen.refused_asks.get(session.id)
    if error := seen.error_in(session, turn):
        text += _broken(error)
        seq.append(error.seq)
        blame, hint = error.blame, error.hint or f"run `acp-spy rule {error.code}`"
    elif refused is not None and refused.seq > (turn.last[0].seq if turn.last else exchange.seq):
        text += (
            f" Since then, the client answered {method(refused.exchange)} with the error"
            f" {quoted(refused.message)}."
        )
        seq += [refused.exchange.seq, refused.seq]
        hint = "go on, or end the turn, when the client refuses a request"
    return Cause(text, blame, frames(*seq), hint)


def _whole_agent_hangs(seen: Evidence, exchange: Exchange) -> bool:
    """Whether later requests are stuck that are not of the same session."""
    return any(
        each.seq > exchange.seq and each.session != exchange.session and seen.is_stuck(each)
        for each in seen.pending(Peer.CLIENT)
    )


def _broken(error: Finding) -> str:
    """Return a sentence about an error that may be the reason of what is pending."""
    return (
        f" The {error.blame.value} broke the protocol in frame {error.seq} ({error.code}):"
        f" {error.text}."
    )


@kind()
def request_pending(seen: Evidence) -> Cause | None:
    """Another request of the client has no response."""
    exchange = seen.stuck()
    if exchange is None:
        return None
    if exchange.method in LOGINS:
        return Cause(
            f"The login has not ended: {method(exchange)} is pending{waited(seen, exchange.t)}.",
            None,
            frames(exchange.seq),
            "finish the login where the agent asks for it: in the browser or in its terminal",
        )
    return Cause(
        f"The agent has not answered {method(exchange)}{waited(seen, exchange.t)}.",
        Peer.AGENT,
        frames(exchange.seq),
        "answer every request, with an error if nothing else is possible",
    )


@kind()
def prompt_failed(seen: Evidence) -> Cause | None:
    """The agent answered a prompt with an error, and no later turn of that session worked."""
    failure = _first(seen, is_empty=False)
    if failure is None:
        return None
    session = quoted(failure.exchange.session or "")
    never = f" The client never opened session {session}." if failure.is_stranger else ""
    return Cause(
        f"The agent answered {method(failure.exchange)} with an error"
        f"{_after(seen, failure)}: {quoted(failure.message)}.{never}",
        Peer.CLIENT if failure.is_stranger else Peer.AGENT,
        frames(failure.exchange.seq, failure.seq),
        _refusal_hint(seen, failure),
    )


@kind()
def empty_turn(seen: Evidence) -> Cause | None:
    """A turn ended without any text, thought, plan or tool call, and no later turn worked."""
    failure = _first(seen, is_empty=True)
    if failure is None:
        return None
    text = (
        f"The agent ended the turn of {method(failure.exchange)} with `end_turn`"
        f"{_after(seen, failure)}, without any output: the user sees nothing."
    )
    seq = [failure.exchange.seq, failure.seq]
    prompted = seen.state.sessions.get(failure.exchange.session or "")
    if prompted is not None and prompted.how == "used":
        return Cause(
            f"{text} The prompt names session {quoted(prompted.id)}, which the client never"
            " opened.",
            Peer.CLIENT,
            frames(*seq),
            "use the `sessionId` that `session/new` returned",
        )
    for session in seen.state.sessions.values():
        stray = session.stray
        if session.how == "used" and stray and stray.seq > failure.exchange.seq:
            text += (
                f" Its updates name session {quoted(session.id)}, which the client never opened"
                f" (frame {stray.seq})."
            )
            seq.append(stray.seq)
            break
    return Cause(
        text,
        Peer.AGENT,
        frames(*seq),
        "look for an error that the agent swallowed: a refused key, an empty response of the model",
    )


@kind(is_wrong=False)
def in_progress(seen: Evidence) -> Cause | None:
    """
    The recording runs and a request is pending, but not for long, or something happens about it.
    Nothing is stuck yet.
    """
    if not seen.running:
        return None
    if not seen.first.get(Peer.CLIENT):
        return Cause("The recording has just begun: the client has sent nothing yet.")
    turns = ((session, turn) for session, turn in seen.open_turns())
    opened = min(turns, key=lambda each: each[1].exchange.seq, default=None)
    asked = next(seen.pending(Peer.AGENT), None)
    exchange = asked or (opened[1].exchange if opened else next(seen.pending(Peer.CLIENT), None))
    if exchange is None:
        return None
    who = exchange.sender.other.value
    text = f"Nothing is stuck: the {who} has had {method(exchange)}{waited(seen, exchange.t)}"
    if opened and not asked:
        text += last_of_turn(seen, *opened)
        if opened[1].cancelled_seq is not None:
            text += f"; the client cancelled it at frame {opened[1].cancelled_seq}"
    return Cause(f"{text}.", None, frames(exchange.seq), "run `acp-spy why` again if it stays so")


@kind()
def client_left(seen: Evidence) -> Cause | None:
    """
    The client closed the connection in the middle of a message, or while a request was pending that
    was not stuck.
    """
    exchange, cut = _first_pending(seen), seen.cut.get(Peer.CLIENT)
    if Peer.CLIENT not in seen.closed or (exchange is None and cut is None):
        return None
    text = f"The client closed the connection at {span(seen.closed[Peer.CLIENT])}, "
    if exchange is None:
        text += f"in the middle of a message (frame {cut})."
        return Cause(text, Peer.CLIENT, frames(cut), "write the whole message before closing")
    text += f"while {method(exchange)} had been pending{waited(seen, exchange.t)}."
    hint = "wait for the response before closing"
    if exchange.method == "session/prompt":
        hint = "wait for the response, or send `session/cancel` before closing"
    asked = next((one for one in seen.pending(Peer.AGENT) if one is not exchange), None)
    if asked:
        text += f" The agent was waiting for the response to {method(asked)}."
        hint = "answer the agent's requests, and wait for its response before closing"
    return Cause(text, Peer.CLIENT, frames(exchange.seq, asked.seq if asked else None), hint)


@kind()
def cut_off(seen: Evidence) -> Cause | None:
    """
    The recording ends while a request is pending, or in the middle of a message, without an exit of
    the agent.
    """
    exchange = _first_pending(seen)
    if exchange is None:
        for peer, seq in () if seen.closed or seen.exit else seen.cut.items():
            return Cause(
                f"The recording ends in the middle of a message of the {peer.value} (frame {seq}):"
                " what came then is not known.",
                None,
                frames(seq),
                "record the conversation to its end",
            )
        return None
    return Cause(
        f"The recording ends while {method(exchange)} is pending{waited(seen, exchange.t)}: what"
        " came then is not known.",
        None,
        frames(exchange.seq),
        "record the conversation to its end",
    )


@kind()
def script_failed(seen: Evidence) -> Cause | None:
    """Nothing is stuck, but a script raised exceptions: the frames passed it unchanged."""
    if not seen.script_failures:
        return None
    count, first = seen.script_failures
    what, comma, line = first.error.rpartition(", line ")
    shown = f"{quoted(what)}, line {line}" if comma else quoted(first.error)
    where = f"frame {first.seq}, which passed unchanged"
    if count > 1:
        where = f"{count} frames, which passed unchanged; first at frame {first.seq}"
    name = quoted(first.by.removeprefix("script "))
    return Cause(
        f"The script {name} failed at {where}: {shown}. {_worked(seen)}.",
        None,
        frames(first.seq),
        "correct the script; `acp-spy script CAPTURE FILE.py` tries it without an agent",
    )


@kind()
def protocol_errors(seen: Evidence) -> Cause | None:
    """Nothing is stuck, but a peer breaks the protocol: `check` reports errors."""
    first = seen.first_error
    if first is None:
        return None
    place = f" in frame {first.seq}" if first.seq else ""
    more = f" `acp-spy check` reports {seen.errors - 1} more." if seen.errors > 1 else ""
    return Cause(
        f"The {first.blame.value} broke the protocol{place} ({first.code}): {first.text}.{more}"
        f" {_worked(seen)}.",
        first.blame,
        frames(first.seq, first.see),
        first.hint or f"run `acp-spy rule {first.code}`",
    )


@kind(is_wrong=False)
def fine(seen: Evidence) -> Cause:
    """Everything works. Steps that took long are named."""
    text = f"{_worked(seen, 'Everything works')}."
    held = [
        SlowStep(seconds, f"frame {end.seq}, held by {_hand(end.by, HELD)}", (end.seq,))
        for seconds, end in seen.holds.longer_than(SLOW_REQUEST)
    ]
    slow = sorted(seen.slow + held, key=lambda step: -step.seconds) if seen.has_times else []
    total = seen.now - (seen.started or 0.0)
    named = slow[:2]
    if named:
        text += f" {share(named[0].seconds, total)} were {named[0].words}"
        text += "".join(f", {span(step.seconds)} {step.words}" for step in named[1:]) + "."
    if seen.recovered and not seen.failures:
        failure = seen.recovered
        came = "no output" if failure.is_empty else quoted(failure.message)
        text += (
            f" {counted(seen.failed_turns, 'turn')} failed before: {method(failure.exchange)} got"
            f" {came}."
        )
    elif seen.stop_reason not in ("", "end_turn", "cancelled"):
        text += f" The last turn ended with {quoted(seen.stop_reason)}."
    if seen.changed:
        did = [f"{n} {action} by {_hand(by)}" for (by, action), n in seen.changed.items()]
        text += f" acp-spy changed the traffic: {', '.join(did[:3])}."
    if seen.exit and not seen.client_left_first:
        text += (
            f" Then the agent {how_it_ended(seen.exit.status)}, before the client closed the"
            " connection."
        )
    elif seen.exit and seen.exit.status and seen.exit.status not in _FROM_OUTSIDE:
        text += f" Then the agent {how_it_ended(seen.exit.status)}."
    seq = [number for step in named for number in step.seq]
    if seen.recovered:
        seq += [seen.recovered.exchange.seq, seen.recovered.seq]
    hint = "run `acp-spy stats` to see where the time went" if named else ""
    return Cause(text, None, frames(*seq), hint)


def _worked(seen: Evidence, well: str = "Nothing is stuck") -> str:
    """Return how far the conversation came."""
    if seen.turns:
        took = span(max(seen.end - (seen.started or 0.0), 0.0))
        whole = f" in a conversation of {took}" if seen.has_times else ""
        far = f"{counted(seen.turns, 'turn')} ended{whole}"
    elif seen.sessions:
        far = "a session was opened, and there was no prompt"
    elif seen.state.phase is Phase.READY:
        far = "the handshake is done, and no session was opened"
    else:
        far = "there was no handshake"
    return f"{well}{' so far' if seen.running else ''}; {far}"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _first_pending(seen: Evidence) -> Exchange | None:
    """Return the oldest request that waits for a response: version 2 has turns without one."""
    pending = [next(seen.pending(peer), None) for peer in Peer]
    pending += [turn.exchange for _, turn in seen.open_turns()]
    return min(filter(None, pending), key=lambda each: each.seq, default=None)


def _version(version: object) -> str:
    if type(version) is str:
        return f"`{json.dumps(version[:20])}`"
    return str(version)[:20] if type(version) is int else "none"


def _turn_of(seen: Evidence, exchange: Exchange) -> Turn | None:
    session = seen.state.sessions.get(exchange.session or "")
    return session.turns[0] if session and session.turns else None


def _first(seen: Evidence, *, is_empty: bool) -> Failure | None:
    failures = (one for one in seen.failures.values() if one.is_empty is is_empty)
    return min(failures, key=lambda one: one.seq, default=None)


def _after(seen: Evidence, failure: Failure) -> str:
    took = failure.t - failure.exchange.t
    return f" after {span(took)}" if seen.has_times and took > 0 else ""


def _is_tried_again(seen: Evidence, failure: Failure, methods: Container[str]) -> bool:
    """Whether the client went on with such a request, which hangs now."""
    exchange = seen.stuck()
    return exchange is not None and exchange.seq > failure.seq and exchange.method in methods


def _refusal_hint(seen: Evidence, failure: Failure) -> str:
    if failure.code == -32601:
        return "check that the agent offers this method in its capabilities"
    if failure.code == -32002 or failure.is_stranger:
        return "open the session first, with `session/new` or `session/load`"
    for words, hint in _HINTS_BY_ERROR:
        if words.search(failure.message):
            return hint
    if seen.stderr:
        return "read the error and the agent's stderr"
    return "read the error; the agent's own log may say more"
