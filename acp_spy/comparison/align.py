"""
Which elements of two lists belong together, in their order: as in `diff`, in nearly linear time.

What is equal at both ends is matched first, then what occurs once on either side (the longest
such run that rises on both, as in patience sorting), and so on in between. Where nothing occurs
only once, a longest common run is found if that is not too much work, else a good one.
"""

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence

Pair = tuple[int, int]

_MOST_WORK = 40_000  # steps for the exact answer, in a place where nothing is unique
_MOST_LEVELS = 32  # each of which takes a look at all that is left
_WINDOW = 200  # how far the good answer looks ahead


def align(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[Pair]:
    """Return the places of equal elements, rising on both sides."""
    pairs: list[Pair] = []
    left = [(0, (0, len(one), 0, len(other)))]
    while left:
        level, (a, a_end, b, b_end) = left.pop()
        while a < a_end and b < b_end and one[a] == other[b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and one[a_end - 1] == other[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            pairs.append((a_end, b_end))
        if a == a_end or b == b_end:
            continue
        box = (a, a_end, b, b_end)
        if level < _MOST_LEVELS and (anchors := _anchors(one, other, box)):
            pairs += anchors
            left += [(level + 1, each) for each in _between(anchors, box)]
        elif (a_end - a) * (b_end - b) <= _MOST_WORK:
            pairs += _longest(one, other, box)
        else:
            pairs += _good(one, other, box)
    return sorted(pairs)


def gaps(pairs: Sequence[Pair], one: int, other: int) -> Iterator[tuple[range, range]]:
    """Give what lies between the pairs of two lists of these lengths."""
    for a, a_end, b, b_end in _between(pairs, (0, one, 0, other)):
        yield range(a, a_end), range(b, b_end)


_Box = tuple[int, int, int, int]


def _between(pairs: Sequence[Pair], box: _Box) -> list[_Box]:
    a, a_end, b, b_end = box
    boxes = []
    for next_a, next_b in [*pairs, (a_end, b_end)]:
        if a < next_a or b < next_b:
            boxes.append((a, next_a, b, next_b))
        a, b = next_a + 1, next_b + 1
    return boxes


def _anchors(one: Sequence[Hashable], other: Sequence[Hashable], box: _Box) -> list[Pair]:
    """Return what occurs once on either side, as much of it as rises on both."""
    a, a_end, b, b_end = box
    here, there = Counter(one[a:a_end]), Counter(other[b:b_end])
    place = {each: at for at, each in enumerate(other[b:b_end], start=b)}
    both = [
        (at, place[each])
        for at, each in enumerate(one[a:a_end], start=a)
        if here[each] == 1 and there.get(each) == 1
    ]
    ends: list[int] = []  # the lowest place that a run of each length can end at
    last: list[int] = []
    before: list[int] = []
    for number, (_, at) in enumerate(both):
        length = bisect_left(ends, at)
        before.append(last[length - 1] if length else -1)
        if length == len(ends):
            ends.append(at)
            last.append(number)
        else:
            ends[length], last[length] = at, number
    run, number = [], last[-1] if last else -1
    while number >= 0:
        run.append(both[number])
        number = before[number]
    return run[::-1]


def _longest(one: Sequence[Hashable], other: Sequence[Hashable], box: _Box) -> list[Pair]:
    """Return a longest common run, by the textbook's table."""
    a, a_end, b, b_end = box
    width = b_end - b
    table = [[0] * (width + 1) for _ in range(a_end - a + 1)]
    for i in range(a_end - a - 1, -1, -1):
        row, below = table[i], table[i + 1]
        for j in range(width - 1, -1, -1):
            same = one[a + i] == other[b + j]
            row[j] = below[j + 1] + 1 if same else max(below[j], row[j + 1])
    pairs, i, j = [], 0, 0
    while i < a_end - a and j < width:
        if one[a + i] == other[b + j]:
            pairs.append((a + i, b + j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _good(one: Sequence[Hashable], other: Sequence[Hashable], box: _Box) -> list[Pair]:
    """Return a common run: each element with the next equal one that is near."""
    a, a_end, b, b_end = box
    places: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for at in range(b, b_end):
        places[other[at]].append(at)
    pairs, at = [], b
    for number in range(a, a_end):
        ahead = places[one[number]]
        while ahead and ahead[0] < at:
            ahead.popleft()
        if ahead and ahead[0] - at < _WINDOW:
            pairs.append((number, ahead[0]))
            at = ahead[0] + 1
    return pairs
