"""How a script is to be played: the options of `acp-spy replay`, checked."""

from typing import Literal

import msgspec

from acp_spy.errors import AcpSpyError

OnDivergence = Literal["error", "warn", "stop"]
Expectation = Literal["shape", "exact", "none"]

FAST = 0.0


class Options(msgspec.Struct, frozen=True):
    """
    How alike the live peer must be, what happens when it is not, and how fast it goes.

    `match` names matchers, `ignore` are JSON Pointers of places to leave out. `expect` is how much
    of what a live agent says is compared. `pace` is 0 for no gaps, 1 for the recorded ones, 2 for
    half of them. `timeout` is in seconds without progress, 0 for none.
    """

    match: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    strict: bool = False
    on_divergence: OnDivergence = "error"
    expect: Expectation = "shape"
    map_cwd: bool = True
    pace: float = FAST
    timeout: float = 30.0

    def __post_init__(self) -> None:
        if not self.timeout >= 0:  # neither is "not a number"
            raise AcpSpyError(
                f"the timeout must be a number of seconds, not `{self.timeout:g}`",
                hint="use 0 for no timeout",
            )


def parse_timing(word: str) -> float:
    """Return the pace that `word` asks for: `fast`, `recorded`, or a factor such as `2x`."""
    if word == "fast":
        return FAST
    if word == "recorded":
        return 1.0
    try:
        pace = float(word.removesuffix("x"))
    except ValueError:
        pace = 0.0
    if not word.endswith("x") or not 0 < pace < float("inf"):
        raise AcpSpyError(
            f"`--timing` must be `fast`, `recorded` or a factor such as `2x`, not `{word}`",
            hint="use `2x` to halve the recorded pauses, `0.5x` to double them",
        )
    return pace
