"""What is written after `--fault`: a fault, its value, and when it happens."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches

import msgspec

from acp_spy.errors import AcpSpyError, refuse_non_utf8
from acp_spy.middleware.selection import Selection
from acp_spy.view.filters import LONGEST, SECONDS, TOKENS_ON_THE_WAY, quantity

# What can be said of a fault in addition to the filters of `view`.
WHEN = {
    "p": ("0.1", "with this probability, for each frame that matches"),
    "count": ("3", "this often at most"),
    "turn": ("2", "in this prompt turn, counted from 1 in the whole conversation"),
    "at": (
        "5s",
        "once, at this time after the start: at the first frame from then on that matches",
    ),
}


class Spec(msgspec.Struct, frozen=True):
    """One `--fault`, read as far as that is the same for all faults."""

    text: str  # as it was given
    head: str  # its first word
    tokens: tuple[str, ...] = ()  # filters of `view`
    p: float = 1.0
    count: int | None = None
    turn: int | None = None
    at: float | None = None

    @property
    def word(self) -> str:
        """The name of the fault."""
        return self.head.partition(":")[0]

    @property
    def value(self) -> str:
        """What follows the name."""
        return self.head.partition(":")[2]

    def error(self, reason: str, hint: str) -> AcpSpyError:
        """Return the error for this spec."""
        return wrong(self.text, reason, hint)

    def select(self, implied: Sequence[str]) -> Selection:
        """Return which frames are meant; what is implied counts unless it is given."""
        given = {_name(token) for token in self.tokens}
        more = [token for token in implied if _name(token) not in given]
        try:
            return Selection([*self.tokens, *more])
        except AcpSpyError as error:
            reason = error.message.partition("`: ")[2] or error.message
            raise self.error(reason, error.hint) from None

    def seconds(self, value: str) -> float:
        """Read a span of time."""
        return self._quantity(value, SECONDS, "a time", "200ms, 2s or 1m")

    def number(self, value: str, least: int = 1) -> int:
        """Read a number."""
        if not value.isdecimal() or len(value) > 9 or int(value) < least:
            raise self.error(
                f"not a number from {least}: `{value}`", f"use {self.word}:{least + 1}"
            )
        return int(value)

    def _quantity(self, value: str, units: Mapping[str, float], what: str, example: str) -> float:
        number = quantity(value, units)
        if number is None:
            raise self.error(f"not {what}: `{value}`", f"use {example}")
        return number

    def size(self, value: str, units: Mapping[str, float]) -> float:
        """Read a size in bytes."""
        return self._quantity(value, units, "a size", "500B, 10kB or 1MB")


def parse(text: str, more: Sequence[str] = ()) -> Spec:
    """Return what `text` says, with `more` words after it. Raises `AcpSpyError`."""
    refuse_non_utf8("the fault", text, hint="give it in UTF-8")
    if len(text) > LONGEST:
        reason = f"it has more than {LONGEST:,} characters"
        raise wrong(f"{text[:40]}…", reason, "use a shorter filter; `*` matches anything")
    try:
        words = shlex.split(text)
    except ValueError:
        raise wrong(text, "no closing quote", "close the quote") from None
    if not words:
        raise wrong(
            text, "missing name", "use 'drop method:session/update'; `acp-spy faults` lists all"
        )
    given: dict[str, float | int] = {}
    tokens: list[str] = []
    for word in (*words[1:], *more):
        name, colon, value = word.partition(":")
        if colon and name in WHEN:
            given[name] = _READERS[name](text, word, value)
        elif colon and _name(word) in {token.name for token in TOKENS_ON_THE_WAY}:
            tokens.append(word)
        else:
            raise _unknown_word(text, word)
    if "at" in given:
        given.setdefault("count", 1)
    return Spec(text, words[0], tuple(tokens), **given)  # type: ignore[arg-type]


def wrong(text: str, reason: str, hint: str) -> AcpSpyError:
    """Return the error for a spec."""
    return AcpSpyError(f"cannot use the fault `{text}`: {reason}", hint=hint)


def nearest(word: str, names: Sequence[str]) -> str:
    """Return which name was meant, as the start of a hint; empty if none is near."""
    near = get_close_matches(word, names, n=1)
    return f"did you mean `{near[0]}`? " if near else ""


def _name(token: str) -> str:
    return token.lstrip("-!").partition(":")[0]


def _unknown_word(text: str, word: str) -> AcpSpyError:
    names = [*WHEN, *(token.name for token in TOKENS_ON_THE_WAY)]
    if _name(word) == "finding":
        return wrong(
            text, "frames are not checked on their way", "use another filter than finding:"
        )
    if ":" not in word and word in names:
        return wrong(text, f"missing value: `{word}`", f"use {word}:VALUE")
    meant = nearest(_name(word), names)
    listed = ", ".join(f"{name}:" for name in names)
    return wrong(text, f"no such filter: `{word}`", f"{meant}use {listed}")


def _probability(text: str, word: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise wrong(text, f"not a probability: `{word}`", "use a number from 0 to 1, such as p:0.1")
    return number


def _count(text: str, word: str, value: str) -> int:
    if not value.isdecimal() or len(value) > 9 or int(value) < 1:
        raise wrong(text, f"not a number from 1: `{word}`", f"use {word.partition(':')[0]}:2")
    return int(value)


def _time(text: str, word: str, value: str) -> float:
    number = quantity(value, SECONDS)
    if number is None:
        raise wrong(text, f"not a time: `{word}`", "use at:5s, at:200ms or at:1m")
    return number


_READERS: dict[str, Callable[[str, str, str], float | int]] = {
    "p": _probability,
    "count": _count,
    "turn": _count,
    "at": _time,
}
