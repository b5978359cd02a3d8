"""What the options of the user have matched: one that matches nothing may be misspelled."""

import re


class OptionMatches:
    """
    The options that have matched something by now, in one file or in several.

    Finders add to it. `allowed` are the values that are kept because the user allows them.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()  # in small letters
        self.values: set[re.Pattern[str]] = set()
        self.pointers: set[tuple[str, ...]] = set()
        self.allowed: set[bytes] = set()
