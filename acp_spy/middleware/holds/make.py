"""`--intercept`, `--hold-timeout` and `--control`, as a stage with its control socket."""

from collections.abc import Mapping

from acp_spy.errors import AcpSpyError, refuse_non_utf8
from acp_spy.middleware.holds.stage import HoldStage
from acp_spy.view.filters import SECONDS, quantity, split

_TIMEOUT = "60s"


def make_holds(options: Mapping[str, str | list[str]]) -> HoldStage:
    """Return the stage. Raises `AcpSpyError` for a wrong filter or time."""
    given = options.get("intercept")
    if given is None and "control" not in options:
        raise AcpSpyError(
            "`--hold-timeout` cannot be used without `--intercept` or `--control`",
            hint="use --intercept 'method:session/request_permission' --hold-timeout 5m",
        )
    refuse_non_utf8("the filter", str(given or ""), hint="give it in UTF-8")
    tokens = split(str(given)) if given is not None else []
    if given is not None and not tokens:
        raise AcpSpyError(
            "cannot intercept: the filter is empty",
            hint="use --intercept 'method:session/*', or --control to set a filter later",
        )
    asked = str(options.get("hold_timeout", _TIMEOUT))
    timeout = quantity(asked, SECONDS)
    if not timeout:
        raise AcpSpyError(
            f"cannot use the hold timeout `{asked}`: not a time", hint="use 30s, 5m or 1h"
        )
    stage = HoldStage(tokens, timeout)
    stage.serve = _serve
    return stage


def _serve(stage: HoldStage) -> None:
    from acp_spy.middleware.holds.control import Control
    from acp_spy.middleware.holds.server import Server

    Server(Control(stage)).start(stage)
