"""Keys for tests, made when they are needed: nothing here looks like one."""

import re

_FILLERS = {
    None: "q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpAeUiOy",
    "hex": "7f3a90c1d2e8b645",
    "upper": "Q7ZK2VW6XN4RB3TM",
}


def spelled_out(example: str) -> str:
    """Return an example of `acp_spy/secrets/shape.py` as it would be met."""
    return re.sub(r"<(?:(hex|upper) )?(\d+)>", _fill, example)


def _fill(hole: re.Match[str]) -> str:
    return (_FILLERS[hole[1]] * 99)[: int(hole[2])]
