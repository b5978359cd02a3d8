"""
A message put together again from the parts that another tool has kept.

Its bytes are not those that were sent: order, blanks and line end are lost. The values are: they
are taken over as JSON text, whatever they are.
"""

import msgspec


def call(method: str, params: bytes, ident: bytes = b"") -> bytes:
    """Return a request, or without `ident` a notification; empty `params` are left out."""
    parts = [b'{"jsonrpc":"2.0"']
    if ident:
        parts.append(b'"id":' + ident)
    parts.append(b'"method":' + msgspec.json.encode(method))
    if params:
        parts.append(b'"params":' + params)
    return b",".join(parts) + b"}\n"


def answer(ident: bytes, value: bytes, *, is_error: bool = False) -> bytes:
    """Return a response with a result, or an error."""
    return b'{"jsonrpc":"2.0","id":%b,"%b":%b}\n' % (
        ident or b"null",
        b"error" if is_error else b"result",
        value or b"null",
    )


def known(value: msgspec.Raw) -> bytes:
    """Return the JSON text of a part, on one line; nothing for `null` and for what is absent."""
    text = one_line(bytes(value))
    return b"" if text == b"null" else text


def one_line(text: bytes) -> bytes:
    """Return JSON text without the line ends between its tokens."""
    return msgspec.json.format(text, indent=-1) if b"\n" in text else text.strip()
