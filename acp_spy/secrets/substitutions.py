"""
Substitutions, as of sed, Perl and vi: `s/OLD/NEW/g`, with any sign between the parts.

Each part stands for a line, or for a part of one: so a name in it begins a line, and its value ends
where the part does, although a password may have that sign in it elsewhere.
"""

from bisect import bisect_right

from acp_spy.secrets.expressions import expression

_LONGEST_PART = 400
# What may be before it: the lines that are meant, or the program in a list of words.
_BEGIN = rb"(?:^|[\s\"'`;{}])(?:[0-9,$!:%]{1,12}+|/[^/\n]{1,80}/[ ]?)?s(?P<sign>[/|#,@:!~%+])(?!\s)"
_PART = rb"(?:\\.|(?!(?P=sign))[^\\\r\n]){%d,%d}+"
_SUBSTITUTION = expression(
    rb"%b\^?(?P<old>%b)(?P=sign)(?P<new>%b)(?P=sign)[egimpswxIMr0-9]{0,6}+(?=[\s\"'`;}\\]|$)"
    % (_BEGIN, _PART % (1, _LONGEST_PART), _PART % (0, _LONGEST_PART))
)


class Substitutions:
    """Those of a text, which are looked for once, when the first name in it is read."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._parts: list[tuple[int, int]] | None = None

    def part_at(self, start: int) -> tuple[int, int] | None:
        """Return from where to where the part of one goes in which `start` is, if any."""
        if self._parts is None:
            found = _SUBSTITUTION.finditer(self._text)
            self._parts = [each.span(part) for each in found for part in ("old", "new")]
        if not self._parts:
            return None
        before = bisect_right(self._parts, (start, len(self._text)))
        if not before or self._parts[before - 1][1] <= start:
            return None
        return self._parts[before - 1]
