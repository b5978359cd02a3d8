"""Message to event, in any dialect; what a dialect does not define is read as official ACP."""

from typing import Any

from acp_spy.dialect.declaration import Dialect
from acp_spy.protocol import interpret as official
from acp_spy.protocol.events import Event, TurnEnded
from acp_spy.wire.values import fields, text


def interpret_call(dialect: Dialect | None, method: str, params: Any) -> Event | None:
    """Return what a request or notification brings about."""
    read = dialect.calls.get(method) if dialect else None
    return read(fields(params)) if read else official.interpret_request(method, params)


def interpret_result(
    dialect: Dialect | None, method: str, params: Any, result: Any
) -> Event | None:
    """Return what the answer to `method`, asked with `params`, brings about."""
    read = dialect.answers.get(method) if dialect else None
    if read:
        return read(fields(params), fields(result))
    return official.interpret_response(method, params, result)


def interpret_error(dialect: Dialect | None, method: str, params: Any) -> Event | None:
    """Return what a refusal brings about: a turn ends with it, too."""
    if dialect and method in dialect.prompts:
        return TurnEnded(session_of(dialect, params), None)
    return official.interpret_error(method, params)


def session_of(dialect: Dialect | None, params: Any) -> str | None:
    """Return the session that params name."""
    if dialect is None:
        return official.session_of(params)
    named = (text(fields(params).get(key)) for key in dialect.session_keys)
    return next((name for name in named if name is not None), None)
