"""Where the walk is: in the value, in the tables, and how far readers forgive."""

import msgspec

from acp_spy.wire.pointer import spell, steps


class Spot(msgspec.Struct, frozen=True):
    """
    A place in the value (`path`), the definition it is held to, and how lenient readers are.

    `lost` is the place that lenient readers drop with all it holds.
    """

    path: str
    shape: str
    lenient: str
    depth: int = 0
    lost: str = ""

    def at(self, step: str | int, lenient: str | None = None) -> "Spot":
        """Return the place one step further in; what readers forgive there, they forgive below."""
        path = self.path + spell(step)
        if lenient is None:
            return Spot(path, self.shape, self.lenient, self.depth + 1, self.lost)
        return Spot(path, self.shape, lenient, self.depth + 1, path)

    def named(self, shape: str) -> "Spot":
        """Return the same place, held to the definition of that name."""
        return Spot(self.path, shape or self.shape, self.lenient, self.depth, self.lost)

    @property
    def key(self) -> str:
        """The last step that led here."""
        return steps(self.path)[-1] if self.path else ""
