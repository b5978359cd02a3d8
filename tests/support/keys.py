"""Keys for tests, made when they are needed: nothing here looks like one."""

import re
import string
from random import Random

_FILLERS = {
    None: "q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpAeUiOy",
    "hex": "7f3a90c1d2e8b645",
    "upper": "Q7ZK2VW6XN4RB3TM",
}


_LETTERS = {
    None: string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "upper": string.ascii_uppercase + "234567",
}
_HOLE = re.compile(r"<(?:(hex|upper) )?(\d+)>")


def spelled_out(example: str) -> str:
    """Return an example of `acp_spy/secrets/shape.py` as it would be met."""
    return _HOLE.sub(_fill, example)


def at_random(example: str, random: Random, signs: str = "") -> str:
    """Return such an example with other letters and digits each time, and with `signs`."""

    def fill(hole: re.Match[str]) -> str:
        letters = _LETTERS[hole[1]] + signs * (hole[1] is None)
        return "".join(random.choices(letters, k=int(hole[2])))

    return _HOLE.sub(fill, example)


def _fill(hole: re.Match[str]) -> str:
    return (_FILLERS[hole[1]] * 99)[: int(hole[2])]
