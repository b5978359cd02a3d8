"""Text that a peer has sent, shown and not obeyed."""


def inert(text: str, but: str = "") -> str:
    """Return `text` with what a terminal would obey spelled out, except the characters in `but`."""
    if text.isprintable():  # nearly all is
        return text
    return "".join(c if c.isprintable() or c in but else ascii(c)[1:-1] for c in text)
