"""Seeds, changed: bytes here and there, whole lines, and single values inside of a message."""

import json
import random
from collections.abc import Sequence
from typing import Any

# What readers trip over, in place of any value.
_ODD: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 1e308, 2**63, 2**64, -(2**70), 10**400),
    *("", "\0", "\x1b]0;x\x07", "\u202e", "\ud800", "`", "%0A::error::", "<script>", "]]>"),
    *("/", "..", "~", "C:\\x", "x" * 300, "é", "𝄞", "a\nb\r\nc", "2026-01-05T09:30:00Z"),
    *([], {}, [[]], [{}], {"": ""}, [None] * 20, {"type": None}, {"sessionUpdate": []}),
]
_SCRAPS = [
    *(b"\n", b"\r\n", b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"\\", b"{", b"}"),
    *(b"[" * 60, b"]" * 60, b'{"a":' * 40, b"9" * 5000, b"-", b"1e999", b"\\ud800", b"\\u0000"),
    *(b'"type":"frame",', b'"message":', b'"text":"', b'"base64":"', b'"seq":-1,'),
    *(b'"t":1e11,', b'"t":1e308,'),
    *("\u2028\u202e\u0301".encode(), b"\x1b[31m", b"\x9b", b"Content-Length: 3\r\n\r\n"),
]


class Mutator:
    """Gives one input after the other; the same ones for the same `seed`."""

    def __init__(self, seeds: Sequence[bytes], seed: int) -> None:
        self._seeds = seeds
        self._random = random.Random(seed)

    def next(self) -> bytes:
        """Return a seed that was changed a few times."""
        data = self._random.choice(self._seeds)
        for _ in range(self._random.choice((1, 1, 1, 2, 2, 4, 8))):
            data = self._random.choice(_CHANGES)(self, data)
        return data[:200_000]

    def flip(self, data: bytes) -> bytes:
        """Change single bytes."""
        changed = bytearray(data)
        for _ in range(self._random.randint(1, 8)):
            if changed:
                changed[self._random.randrange(len(changed))] = self._random.randrange(256)
        return bytes(changed)

    def cut(self, data: bytes) -> bytes:
        """Take a stretch out, and put a scrap in."""
        start = self._random.randint(0, len(data))
        end = min(len(data), start + self._random.choice((0, 0, 1, 10, 100, 10**6)))
        return data[:start] + self._random.choice((b"", *_SCRAPS)) + data[end:]

    def move_lines(self, data: bytes) -> bytes:
        """Repeat, drop or exchange lines, or take one from another seed."""
        lines = data.split(b"\n")
        one, other = (self._random.randrange(len(lines)) for _ in range(2))
        match self._random.randrange(4):
            case 0:
                lines[one:one] = [lines[other]] * self._random.choice((1, 3, 30))
            case 1:
                del lines[one]
            case 2:
                lines[one], lines[other] = lines[other], lines[one]
            case _:
                lines.insert(
                    one, self._random.choice(self._random.choice(self._seeds).split(b"\n"))
                )
        return b"\n".join(lines)

    def change_value(self, data: bytes) -> bytes:
        """Put something else in place of a value in a line of JSON: odd, or from another place."""
        lines = data.split(b"\n")
        at = self._random.randrange(len(lines))
        try:
            document = json.loads(lines[at])
            places = list(_places(document))
            if not places:
                return data
            holder, key = self._random.choice(places)
            other, name = self._random.choice(places)
            match self._random.randrange(5):
                case 0:
                    del holder[key]
                case 1:
                    holder[key] = json.loads(json.dumps(other[name]))
                case 2 if isinstance(holder, dict):
                    holder[str(name)] = holder.pop(key)
                case _:
                    holder[key] = self._random.choice(_ODD)
            lines[at] = json.dumps(document, ensure_ascii=self._random.random() < 0.8).encode(
                errors="surrogatepass"
            )
        except (ValueError, RecursionError):
            return self.flip(data)
        return b"\n".join(lines)


_CHANGES = (
    *(Mutator.change_value,) * 5,
    *(Mutator.move_lines,) * 2,
    Mutator.flip,
    Mutator.cut,
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return where all values below `value` stand: what holds them, and their key in it."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        if not isinstance(holder, dict | list):
            continue
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        found += [(holder, key) for key in keys]
        waiting += [holder[key] for key in keys if isinstance(holder[key], dict | list)]
    return found
