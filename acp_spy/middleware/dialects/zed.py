"""Zed's crate in August 2025: today's methods, in older spellings."""

from typing import Any, ClassVar

from acp_spy.dialect.reading import OFFICIAL_UPDATES
from acp_spy.dialect.zed_history import KINDS, UPDATES
from acp_spy.middleware.dialects.tables import Calls, call, each, record, word
from acp_spy.middleware.dialects.translation import Asked, Params, Translation
from acp_spy.protocol.tables import spec
from acp_spy.wire.values import fields


def _official_calls(**others: Any) -> dict[str, Any]:
    same = {each.name: call(each.name) for each in spec("v1").methods}
    return {**same, **others}


class Zed0029(Translation):
    """August 17 to 20: as today, but `canceled`."""

    name = "zed-0.0.29"
    origin = "Zed's crate 0.0.25 to 0.0.29, August 17 to 20, 2025"
    cannot = ""
    cancel = word({"canceled": "cancelled"})
    outcome = record(inside={"outcome": record(inside={"outcome": cancel})})
    calls: ClassVar[Calls] = _official_calls(
        **{
            "session/prompt": call("session/prompt", result=record(inside={"stopReason": cancel})),
            "session/request_permission": call("session/request_permission", result=outcome),
        }
    )
    updates: ClassVar[Calls] = {name: call(name) for name in OFFICIAL_UPDATES}


_STATUS = word({"inProgress": "in_progress"})
_LABELED = record({"label": "title"}, {"status": _STATUS})
_OPTION_KINDS = word(
    {name: kind for name, kind in KINDS.items() if name.endswith(("Once", "Always"))}
)
_OPTIONS = each(record(inside={"kind": _OPTION_KINDS}))


class Zed0017(Translation):
    """August 4: names in camelCase, and `session/cancelled`."""

    name = "zed-0.0.17"
    origin = "Zed's crate 0.0.16 and 0.0.17, August 4, 2025"
    cannot = "updates that came later: commands, modes, options, usage"
    calls: ClassVar[Calls] = _official_calls(
        **{
            "session/cancel": call("session/cancelled"),
            "session/request_permission": call(
                "session/request_permission",
                record(inside={"toolCall": _LABELED, "options": _OPTIONS}),
                Zed0029.outcome,
            ),
        }
    )
    updates: ClassVar[Calls] = {
        **{official: call(name) for name, official in UPDATES.items()},
        "tool_call": call("toolCall", _LABELED),
        "tool_call_update": call("toolCallUpdate", _LABELED),
        "plan": call("plan", record(inside={"entries": each(record(inside={"status": _STATUS}))})),
    }


class Zed0015(Zed0017):
    """August 2 to 4: the update's fields are in `params`."""

    name = "zed-0.0.15"
    origin = "Zed's crate 0.0.14 and 0.0.15, August 2 to 4, 2025"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.reads["session/update"] = self._read_flat

    def tell_dialect(self, method: str, params: Any) -> None:
        """Send a notification, an update without its wrapper."""
        if method == "session/update":
            params = {"sessionId": params.get("sessionId"), **fields(params.get("update"))}
        super().tell_dialect(method, params)

    def _read_flat(self, params: Params, asked: Asked | None) -> None:
        update = {key: item for key, item in params.items() if key != "sessionId"}
        self._read_update({"sessionId": params.get("sessionId"), "update": update}, asked)
