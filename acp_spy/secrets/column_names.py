"""
How the last word of a column of secrets begins, for tables of every kind: `password`, `API_KEY`.

What these find is a hint. Whether it is the name of a secret, the whole name says.
"""

# By the letter that comes first: an expression that begins with one letter of a few is fast. Of
# `cookie`, `credentials`, `authorization` and `jwt`, it is a letter in the middle, or the last one.
# A column `tokens` has numbers.
_RESTS = {
    b"pP": (b"ass", b"ASS", b"w", b"W"),
    b"sS": (b"ecret", b"ECRET"),
    b"kK": (b"ey", b"EY", b"ie"),
    b"tT": (b"oken(?!s)", b"OKEN(?!S)", b"ial", b"horization", b"(?<=jwt|JWT)"),
}
NAME_OF_COLUMN = b"[%b](?:%b)" % (
    b"".join(_RESTS),
    b"|".join(b"(?<=[%b])(?:%b)" % (first, b"|".join(rest)) for first, rest in _RESTS.items()),
)
