"""
Which findings follow from which: the one table.

A message that nobody can read, or that names another session, breaks the rules about order for the
messages after it. Those findings are true, but there is nothing else to fix: each is folded into
its cause (`Finding.because`), and only the cause counts. `cause_finder.py` applies the table.
"""

import enum
from functools import cache

import msgspec

from acp_spy.protocol.names import SETUPS

NOT_UNDERSTOOD = ""  # instead of a method: unreadable, or a response that matches no request


class Scope(enum.Enum):
    """What a cause and its consequence have in common."""

    FRAME = "the same frame"
    REQUEST = "the same request or its response"
    RESPONSE = "the response to the same request"
    TOOL_CALL = "the same tool call, or any of the turn if the cause does not name it"
    TERMINAL = "the same terminal in the same turn"
    TURN = "the same session until its next prompt, or any session if the cause names no open one"
    SESSION = "the same session, or any if the cause names no open one"
    UNOPENED = "the same session, while nobody has opened it"
    PEER = "the same peer must fix both"
    HANDSHAKE = "the same connection, before `initialize` was answered"
    OPENING = "the same connection, while no other session was opened"
    SILENCE = "the same peer, if it has answered no later request"
    CONVERSATION = "the same connection"


class Row(msgspec.Struct, frozen=True):
    """
    Findings of the rules `then` follow from findings of the rules `because`, within `scope`.

    Both are codes or families; `-` excludes one of a family. `about` has the methods of the
    messages that can be the cause (none: all), and `at` a part of the path of such a finding,
    unless it is about the whole message.

    With `waits` a finding is held back while such a request is pending: only its response, or the
    end, shows the cause, which is about that request; a prompt is waited for only once it is
    cancelled. With `since_seen` the cause is not older than
    the frame that the finding refers to. With `in_any_order` the frame of the cause may come after
    that of the finding. With `within` only what is in that part of the message follows.
    """

    then: frozenset[str]
    because: frozenset[str]
    scope: Scope
    about: frozenset[str]
    at: str
    waits: bool
    since_seen: bool
    in_any_order: bool
    within: str


def _row(
    then: str,
    because: str,
    scope: Scope,
    *about: str,
    at: str = "",
    waits: bool = False,
    since_seen: bool = False,
    in_any_order: bool = False,
    within: str = "",
) -> Row:
    codes = frozenset(then.split()), frozenset(because.split())
    in_any_order = in_any_order or waits
    return Row(*codes, scope, frozenset(about), at, waits, since_seen, in_any_order, within)


# The shape of a message is not the one that its reader needs.
_SHAPE = (
    "SCH001 SCH002 SCH003 SCH004 SCH005 SCH006 SCH011 SCH012 SCH015 SCH016 SCH018 SCH020 SCH021"
    " SCH022 SCH023 SCH024 SCH025 SCH027 SCH028"
)
# It is not a message, or a response that nobody waits for.
_UNREADABLE = "FRM001 FRM003 FRM006 FRM007 FRM008 FRM012 FRM015"
_IDS = "RPC005 RPC007 RPC008 RPC009 RPC010"
_LOST = f"{_UNREADABLE} {_IDS} RPC002 RPC004 RPC014 RPC016"
# It does not reach what it is about; with `_IDS`, also if it is a response.
_UNREAD = f"{_SHAPE} {_UNREADABLE} RPC002 RPC004 RPC014 RPC016"
_UNDELIVERED = f"{_UNREAD} RPC013 RPC015 LIF029 LIF030"
_BROKEN = f"{_UNDELIVERED} {_IDS}"
_UNANSWERED = "RPC006 RPC022"
_REOPENING = "session/load", "session/resume"
_TERMINALS = tuple(
    f"terminal/{what}" for what in ("create", "output", "wait_for_exit", "kill", "release")
)
_OF_TURN = (
    "LIF032 LIF050 LIF052 LIF055 LIF056 LIF060 LIF061 LIF062 LIF063 LIF064 LIF067 LIF068 LIF116"
    " LIF117 LIF203 LIF204 LIF205 LIF206 LIF207 LIF222 RPC008"
)
_OF_TOOL_CALL = "LIF102 LIF103 LIF104 LIF105 LIF111 LIF115 LIF155 LIF208 LIF209 LIF221"
_OF_HISTORY = (
    f"{_OF_TOOL_CALL} LIF033 LIF052 LIF053 LIF054 LIF058 LIF101 LIF139 LIF204 LIF205 LIF206 LIF222"
)
_OF_REQUEST = (
    "LIF024 LIF055 LIF056 LIF062 LIF063 LIF112 LIF113 LIF114 LIF118 LIF119 LIF129 LIF130 LIF132"
    " LIF133 LIF134 LIF135 LIF136 LIF142 LIF152 LIF153 LIF202 LIF203 LIF213 LIF214 LIF215"
)

# These are about what a message contains, whatever it names.
_OF_CONTENT = " ".join(f"-LIF{number}" for number in (106, 107, 108, 147, 148, 149, 150))
# It was refused by an HTTP server, or peers ignore it.
_REFUSED = "NET001 NET002 NET003 NET004 NET005 NET006 NET012 NET013"

TABLE = (
    # The peers do not agree on a version: nothing after this can be relied on.
    _row("RPC SCH LIF CAP", "LIF015 LIF201 SCH013", Scope.CONVERSATION),
    # Nor if one of them speaks a dialect, or differs from the document of the dialect.
    _row("RPC006 RPC013 SCH LIF CAP", "DIA", Scope.CONVERSATION),
    # The handshake was lost, so that the version is not known; or what is in it.
    _row(
        "LIF001 LIF026 LIF102 RPC013 SCH CAP",
        _BROKEN,
        Scope.HANDSHAKE,
        "initialize",
        "proxy/initialize",
        NOT_UNDERSTOOD,
    ),
    _row(
        "LIF001 LIF026 LIF029 LIF102 RPC013 SCH CAP",
        _UNANSWERED,
        Scope.REQUEST,
        "initialize",
        waits=True,
    ),
    _row("LIF026 LIF029 LIF102 RPC013 SCH CAP", "LIF001", Scope.HANDSHAKE),
    _row("LIF001", "SCH030", Scope.CONVERSATION, "initialize"),
    _row("LIF002", "RPC009", Scope.FRAME),
    _row("SCH007", "SCH005 SCH006 SCH011 SCH012 SCH014", Scope.REQUEST, "initialize"),
    _row("LIF011", _SHAPE, Scope.CONVERSATION, "initialize", at="authMethods"),
    _row("LIF013", "RPC018", Scope.FRAME),
    _row(
        "CAP LIF151",
        f"{_BROKEN} SCH009 SCH014",
        Scope.CONVERSATION,
        "initialize",
        at="apabilities",
    ),
    # A session was not opened, or nobody opened it.
    _row("LIF029 LIF031 LIF034 LIF050", _BROKEN, Scope.OPENING, *SETUPS, NOT_UNDERSTOOD),
    _row("LIF029", _UNANSWERED, Scope.REQUEST, *SETUPS, waits=True),
    _row("LIF029 LIF031 LIF050", "LIF007 LIF013 LIF014 SCH030", Scope.OPENING, *SETUPS),
    _row(f"LIF CAP -LIF001 -LIF034 -LIF244 {_OF_CONTENT}", "LIF029", Scope.UNOPENED),
    _row(
        "LIF025 LIF030 LIF052 LIF101 LIF220",
        _BROKEN,
        Scope.SESSION,
        *_REOPENING,
        in_any_order=True,
    ),
    _row("LIF030 LIF220", _BROKEN, Scope.SESSION, NOT_UNDERSTOOD, in_any_order=True),
    _row("LIF025 LIF052 LIF101", _BROKEN, Scope.TURN, NOT_UNDERSTOOD, in_any_order=True),
    _row("LIF024 LIF033", "LIF029", Scope.TURN, "session/update", in_any_order=True),
    _row(
        "LIF223",
        "LIF029",
        Scope.CONVERSATION,
        "session/update",
        "session/prompt",
        in_any_order=True,
    ),
    _row("LIF023", f"{_SHAPE} LIF021", Scope.SESSION, *SETUPS),
    # A prompt, a cancel or a response to a prompt was lost.
    _row(_OF_TURN, _BROKEN, Scope.TURN, "session/prompt", "session/cancel", NOT_UNDERSTOOD),
    _row("LIF025 LIF052", f"{_UNREAD} RPC013", Scope.SESSION, "session/prompt"),
    _row(
        "LIF052 LIF056 LIF068 LIF116 LIF117",
        "LIF029",
        Scope.OPENING,
        "session/prompt",
        "session/cancel",
    ),
    # A prompt was cancelled and never answered, and the next one was sent all the same.
    _row(f"{_OF_TURN} LIF051 LIF054", _UNANSWERED, Scope.REQUEST, "session/prompt", waits=True),
    _row("LIF055 LIF062", "LIF051", Scope.SESSION),  # a cancel ends both of two turns
    # The turn was answered too early, or its updates came too early.
    _row("LIF055", "LIF052 LIF064", Scope.TURN),
    _row("LIF052 LIF064 LIF068 LIF116 LIF117", "LIF055 LIF056", Scope.TURN),
    # The agent works while no turn is open: what is noticed first is the mistake.
    _row(
        "LIF052 LIF064 LIF116 LIF117 RPC008",
        "LIF052 LIF064 LIF116 RPC008",
        Scope.TURN,
        in_any_order=True,
    ),
    # The announcement of a tool call, its end, its permission or the response to that was lost.
    _row(
        _OF_TOOL_CALL,
        _UNDELIVERED,
        Scope.TOOL_CALL,
        "session/update",
        "session/request_permission",
        NOT_UNDERSTOOD,
    ),
    _row("LIF104 LIF115 LIF155 LIF221", _IDS, Scope.TOOL_CALL, NOT_UNDERSTOOD),
    _row("LIF102 LIF104 LIF111", "LIF102 LIF111", Scope.TOOL_CALL),
    _row("LIF104", "LIF102", Scope.TURN),
    _row("LIF111 LIF155", "LIF116", Scope.FRAME),
    _row("LIF058", "LIF101", Scope.TURN, in_any_order=True),  # all is sent twice
    _row("LIF103", "LIF115 LIF155", Scope.TOOL_CALL),
    _row("LIF116", "LIF115", Scope.TOOL_CALL, in_any_order=True),
    _row("LIF116", "LIF054", Scope.FRAME),
    _row("LIF120", "LIF115", Scope.FRAME),
    _row("LIF052 LIF064", "LIF054", Scope.TURN),
    _row("LIF054", "LIF103", Scope.TURN, since_seen=True),
    _row("LIF115 LIF116", _UNANSWERED, Scope.REQUEST, "session/request_permission", waits=True),
    _row(
        "LIF054 LIF204 LIF205 LIF206 LIF207 LIF213",
        f"{_UNDELIVERED} SCH031 LIF102",
        Scope.TURN,
        "session/update",
        "session/request_permission",
        NOT_UNDERSTOOD,
        since_seen=True,
        in_any_order=True,
    ),
    # A history that nobody asked for.
    _row(_OF_HISTORY, "LIF026 LIF214", Scope.REQUEST, "session/resume", waits=True),
    _row(_OF_HISTORY, "LIF025 LIF026 LIF214", Scope.TURN),
    _row(
        "LIF033",
        f"{_UNREAD} {_IDS} RPC013",
        Scope.SESSION,
        "session/update",
        "session/prompt",
        NOT_UNDERSTOOD,
    ),
    _row("LIF033", "LIF024 LIF051", Scope.SESSION),
    _row("LIF025", "LIF024 LIF033", Scope.SESSION),
    # What an update or a setting was about is not known.
    _row("LIF140 LIF216 LIF222", _BROKEN, Scope.SESSION, "session/update", NOT_UNDERSTOOD),
    _row(
        "LIF140",
        f"{_UNDELIVERED} SCH031",
        Scope.SESSION,
        "session/update",
        NOT_UNDERSTOOD,
        in_any_order=True,
    ),
    _row("LIF138", "LIF114", Scope.SESSION),
    _row("LIF138", _SHAPE, Scope.SESSION, "session/update", at="availableCommands"),
    _row(
        "LIF132 LIF133 LIF134 LIF135",
        _SHAPE,
        Scope.SESSION,
        *SETUPS,
        "session/update",
        "session/set_config_option",
        at="configOptions",
    ),
    _row("LIF129 LIF130 LIF152", _SHAPE, Scope.SESSION, *SETUPS, at="modes"),
    _row("LIF129 LIF132", "LIF114", Scope.FRAME),
    _row("LIF132 LIF153", "LIF129 LIF135", Scope.SESSION),
    _row("LIF136", "LIF135", Scope.FRAME),
    _row("LIF153", "LIF132", Scope.SESSION),
    _row("LIF153", _BROKEN, Scope.SESSION, "session/set_mode", NOT_UNDERSTOOD),
    _row("LIF218", "LIF217", Scope.SESSION),
    # The id of a terminal, of a form or of a page was lost.
    _row("LIF120 LIF121 LIF122", f"{_BROKEN} CAP013", Scope.CONVERSATION, *_TERMINALS),
    _row("LIF120 LIF122", _UNANSWERED, Scope.REQUEST, "terminal/create", waits=True),
    _row("LIF121", _BROKEN, Scope.CONVERSATION, "terminal/release", in_any_order=True),
    _row(
        "LIF120 LIF122",
        f"{_UNREADABLE} RPC002 RPC008 RPC013",
        Scope.TURN,
        NOT_UNDERSTOOD,
        in_any_order=True,
    ),
    _row("LIF121", "RPC002 RPC008 RPC013", Scope.CONVERSATION, NOT_UNDERSTOOD, in_any_order=True),
    _row("LIF125 LIF127", f"{_BROKEN} SCH026", Scope.CONVERSATION, *_TERMINALS),
    _row("LIF122", "LIF120", Scope.TERMINAL),
    _row("LIF143", "RPC009", Scope.FRAME),
    _row("LIF144", _BROKEN, Scope.CONVERSATION, "elicitation/create", NOT_UNDERSTOOD),
    _row("LIF144", "LIF007 LIF014", Scope.TURN),
    _row(
        "LIF041",
        f"{_BROKEN} RPC017 CAP013 LIF066",
        Scope.CONVERSATION,
        "session/list",
        NOT_UNDERSTOOD,
    ),
    # What became of a request that was wrong.
    _row(_OF_REQUEST, f"{_SHAPE} SCH031", Scope.REQUEST),
    _row("LIF032", "LIF029 LIF030", Scope.REQUEST),
    _row("LIF136 LIF152 LIF153", "LIF130 LIF134", Scope.REQUEST),
    _row("LIF153", "LIF152", Scope.REQUEST),
    _row("CAP011", "CAP010", Scope.REQUEST),
    _row("CAP014", "CAP001 CAP002", Scope.REQUEST),
    _row("CAP014", "CAP002", Scope.CONVERSATION, "session/new"),  # version 2: all is one
    _row("LIF060", "LIF112 LIF119 SCH015", Scope.REQUEST),
    _row("LIF063", "SCH030 RPC017", Scope.REQUEST),
    _row("LIF014 LIF067 LIF119", "SCH030", Scope.REQUEST),
    _row("LIF043", _SHAPE, Scope.FRAME),
    _row("LIF118", _SHAPE, Scope.FRAME),
    _row(
        "SCH", "SCH003", Scope.FRAME, within="/params/update"
    ),  # an update that this version does not have
    _row("LIF115 LIF221", f"{_SHAPE} LIF112 LIF114", Scope.REQUEST),
    _row("LIF115 LIF221", "LIF112 LIF114", Scope.TOOL_CALL),
    _row("RPC021", "LIF124", Scope.REQUEST),
    _row("CAP016", "CAP003 CAP004", Scope.REQUEST),
    # Ids: one that is wrong in a request makes the response wrong, and the other way around.
    _row("RPC008 RPC009 RPC010", _LOST, Scope.TURN),
    _row("RPC004", "RPC014", Scope.FRAME),
    _row("RPC019", "SCH004 SCH011 SCH013", Scope.FRAME),  # it is `params`, under another name
    _row("RPC019", "RPC007", Scope.FRAME),  # or `id`
    _row("SCH LIF", "RPC009", Scope.RESPONSE),  # the response may belong to the other request
    _row("LIF115", "RPC009", Scope.TURN),
    _row("SCH LIF CAP", "RPC015", Scope.FRAME),
    _row("RPC006 RPC009 RPC022", "RPC015", Scope.REQUEST, in_any_order=True),
    # A response that is a request, too, is one to most readers, and is never answered.
    _row(
        "RPC006 RPC009 RPC014 RPC015 RPC022 SCH LIF CAP", "RPC002", Scope.FRAME, in_any_order=True
    ),
    _row("RPC006 RPC022", "RPC002", Scope.PEER, in_any_order=True),
    _row("RPC009", "RPC002", Scope.CONVERSATION),
    # What was refused by an HTTP server did not reach the agent, and a stream was lost.
    _row("NET013", "RPC001 RPC002 RPC004 RPC016 FRM001 FRM003 FRM015 LIF001 LIF002", Scope.FRAME),
    _row("RPC006 RPC021 RPC022 NET010", _REFUSED, Scope.REQUEST, in_any_order=True),
    _row("RPC006 RPC021 RPC022", "NET010", Scope.CONVERSATION, in_any_order=True),
    _row("RPC006 RPC021 RPC022", "NET017", Scope.REQUEST, in_any_order=True),
    _row("NET010", "LIF001", Scope.FRAME),
    _row("NET", "NET005", Scope.CONVERSATION),
    _row("LIF029 LIF031 LIF050", _REFUSED, Scope.OPENING, *SETUPS),
    _row(f"{_OF_TURN} {_OF_TOOL_CALL} LIF054 RPC006", _REFUSED, Scope.TURN),
    _row("NET010", _REFUSED, Scope.TURN, in_any_order=True),
    # A peer has stopped answering, or nobody could read its response.
    _row("RPC006", _UNREADABLE, Scope.PEER, in_any_order=True),
    _row("RPC006", "RPC006", Scope.SILENCE),
)


@cache
def consequences_of(code: str) -> tuple[tuple[int, Row], ...]:
    """Return the rows, with their numbers, in which a finding of rule `code` is the cause."""
    return _rows_with(code, [row.because for row in TABLE])


@cache
def causes_of(code: str) -> tuple[tuple[int, Row], ...]:
    """Return the rows, with their numbers, in which a finding of rule `code` is what follows."""
    return _rows_with(code, [row.then for row in TABLE])


def _rows_with(code: str, columns: list[frozenset[str]]) -> tuple[tuple[int, Row], ...]:
    names = {code, code.rstrip("0123456789")}
    return tuple(
        (number, TABLE[number])
        for number, codes in enumerate(columns)
        if codes & names and f"-{code}" not in codes
    )
