"""What the dialects share: reading JSON that may be anything."""

from collections.abc import Mapping
from typing import Any

from acp_spy.dialect.declaration import Line, Params
from acp_spy.protocol.shapes import Tagged
from acp_spy.protocol.tables import spec
from acp_spy.wire.values import fields, text

_SESSION_UPDATE = spec("v1").shapes["SessionUpdate"]
# Every name that an update has in stable ACP.
OFFICIAL_UPDATES = frozenset(
    _SESSION_UPDATE.branches if isinstance(_SESSION_UPDATE, Tagged) else ()
)


def reach(value: Any, *keys: str) -> Any:
    """Return what stands under these keys, one in the other; `None` if nothing does."""
    for key in keys:
        if type(value) is not dict:
            return None
        value = value.get(key)
    return value


def update_of(line: Line) -> Params:
    """Return the update in the params of a `session/update`."""
    return fields(reach(line.body, "update"))


def word(value: Params, key: str) -> str:
    """Return the string that stands under `key`, or an empty one."""
    return text(value.get(key)) or ""


def text_block(value: Any) -> Any:
    """Return the content block of official ACP for a bare text."""
    return {"type": "text", "text": value}


def renamed(value: Params, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the same members under their official names."""
    return {names.get(key, key): item for key, item in value.items()}


def is_version_1(line: Line) -> bool:
    """Tell whether a handshake is version 1's; `true` is no version."""
    version = reach(line.body, "protocolVersion")
    return type(version) is int and version == 1
