"""
Percentiles of a stream of spans of time, in memory that does not grow with the stream.

Up to `EXACT` values are kept, and the percentiles are exact. From then on only their number in
buckets is, each bucket `_GROWTH` times as wide as the one before: a percentile is off by at most
`ERROR` of its value, and what is below a microsecond is nothing. Buckets and bound are those of
DDSketch (Masson, Rim and Lee, 2019).
"""

import copy
import math
from typing import Self

EXACT = 1000
ERROR = 0.01

_GROWTH = (1 + ERROR) / (1 - ERROR)
_LOG_GROWTH = math.log(_GROWTH)
# Clocks count microseconds, and no capture lasts for thirty years: about 1,800 buckets.
_SMALLEST, _LARGEST = 1e-6, 1e9
_OF_NOTHING = -1


class Quantiles:
    """Feed it spans in seconds."""

    def __init__(self) -> None:
        self.count = 0
        self.max = 0.0
        self._values: list[float] = []
        self._buckets: dict[int, int] = {}

    @property
    def is_exact(self) -> bool:
        """Whether every value is still known."""
        return not self._buckets

    def add(self, seconds: float) -> None:
        """Take a value; a clock that went backwards gives a zero."""
        value = min(seconds, _LARGEST) if seconds > 0 else 0.0
        self.count += 1
        self.max = max(self.max, value)
        if self._buckets:
            self._drop(value)
            return
        self._values.append(value)
        if len(self._values) > EXACT:
            for each in self._values:
                self._drop(each)
            self._values.clear()

    def copy(self) -> Self:
        """Return another one, which has the same values for now."""
        other = copy.copy(self)
        vars(other).update(_values=[*self._values], _buckets={**self._buckets})
        return other

    def at(self, share: float) -> float | None:
        """Return the smallest value that at least `share` of all do not exceed; `None` of none."""
        if not self.count:
            return None
        rank = max(1, math.ceil(share * self.count - 1e-9))
        if not self._buckets:
            return sorted(self._values)[rank - 1]
        seen = 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= rank:
                return min(_value_of(bucket), self.max)
        return self.max

    def _drop(self, value: float) -> None:
        if value < _SMALLEST:
            bucket = _OF_NOTHING
        else:
            bucket = math.ceil(math.log(value / _SMALLEST) / _LOG_GROWTH)
        self._buckets[bucket] = self._buckets.get(bucket, 0) + 1


def _value_of(bucket: int) -> float:
    """Return the value in a bucket that is in the middle, as errors are counted."""
    return 0.0 if bucket == _OF_NOTHING else _SMALLEST * 2 * _GROWTH**bucket / (_GROWTH + 1)
