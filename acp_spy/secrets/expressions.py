"""
Regular expressions that are compiled when they are first used.

There are hundreds, and most texts need few of them. To compile all of them took longer than all
else that is done before the first line is searched.
"""

import re
from typing import Any, AnyStr, Generic, cast

# The escape that begins a color, after the backslash with which a program spells it.
SPELLED_ESCAPE = rb"u001[bB]|x1[bB]|033"


def expression(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return an expression as `re.compile` does, compiled when it is first used."""
    return cast("re.Pattern[AnyStr]", _Expression(pattern, flags))


class _Expression(Generic[AnyStr]):
    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self.pattern: AnyStr = pattern
        self._given = flags

    def __getattr__(self, name: str) -> Any:
        """Compile it, and answer like the compiled one from now on, without being asked again."""
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._given)
        public = (each for each in dir(compiled) if not each.startswith("_"))
        self.__dict__.update({each: getattr(compiled, each) for each in public})
        return getattr(compiled, name)
