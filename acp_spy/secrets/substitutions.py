"""
Substitutions, as of sed, Perl and vi: `s/OLD/NEW/g`, with any sign between the parts.

Each part stands for a line, or for a part of one: so a name in it begins a line, and its value ends
where the part does, although a password may have that sign in it elsewhere.
"""

from acp_spy.secrets.expressions import expression

_LONGEST_PART = 400
# What may be before it: the lines that are meant, or the program in a list of words.
_BEGIN = rb"(?:^|[\s\"'`;{}])(?:[0-9,$!:%]{1,12}+|/[^/\n]{1,80}/[ ]?)?s(?P<sign>[/|#,@:!~%+])(?!\s)"
_PART = rb"(?:\\.|(?!(?P=sign))[^\\\r\n]){%d,%d}+"
_MAY_BEGIN = expression(_BEGIN)
_SUBSTITUTION = expression(
    rb"%b\^?(?P<old>%b)(?P=sign)(?P<new>%b)(?P=sign)[egimpswxIMr0-9]{0,6}+(?=[\s\"'`;}\\]|$)"
    % (_BEGIN, _PART % (1, _LONGEST_PART), _PART % (0, _LONGEST_PART))
)


def part_of_substitution(text: bytes, start: int) -> tuple[int, int] | None:
    """Return from where to where the part of a substitution goes in which `start` is, if any."""
    first = max(0, start - 2 * _LONGEST_PART)
    first = max(first, text.rfind(b"\n", first, start))
    if not _MAY_BEGIN.search(text, first, start):
        return None
    for found in _SUBSTITUTION.finditer(text, first, start + 2 * _LONGEST_PART):
        for part in ("old", "new"):
            if found.start(part) <= start < found.end(part):
                return found.span(part)
        if found.start() > start:
            break
    return None
