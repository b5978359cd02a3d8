"""
The beginning of a text, in which no word is cut.

What is kept or shown may be masked later, and half a key, or a URL without its host, looks like no
secret then.
"""

_BETWEEN_WORDS = " \t\r\n\"'`,;<>"


def cut_at_word(text: str, longest: int) -> str:
    """Return at most `longest` characters of `text`, up to where a line ends, or else a word."""
    if len(text) <= longest:
        return text
    line = text.rfind("\n", longest // 2, longest + 1)
    if line >= 0 or text[longest] in _BETWEEN_WORDS:
        return text[: line if line >= 0 else longest]
    return text[: max(text.rfind(sign, 0, longest) for sign in _BETWEEN_WORDS) + 1]
