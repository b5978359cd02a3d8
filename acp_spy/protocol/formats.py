"""What the string formats of the schema look like, for the validator and the walk alike."""

import re

# Sound rather than exact: what these refuse is wrong, what they take may still be.
PATTERNS = {
    "base64": r"\A(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z",
    "date-time": (
        r"\A[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
        r"[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
        r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])\Z"
    ),
    "uri": r"\A[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f\"<>^`{|}]*\Z",
}
_COMPILED = {name: re.compile(pattern) for name, pattern in PATTERNS.items()}


def is_well_formed(text: str, form: str) -> bool:
    """Return whether `text` has the format; a format without a pattern here accepts any text."""
    pattern = _COMPILED.get(form)
    return pattern is None or pattern.match(text) is not None
