"""Ten times the frames, and the same memory: by real processes, as the kernel counts it."""

import pytest
from guard.limits import MEMORY
from support.effort import some_of

from benchmarks.conversation import write_capture
from benchmarks.measuring import run_command


@pytest.fixture(scope="module", params=some_of([2_000], 1_000))
def captures(request, tmp_path_factory):
    sizes = request.param, 10 * request.param
    folder = tmp_path_factory.mktemp("captures")
    paths = [folder / f"{size}.jsonl" for size in sizes]
    for path, size in zip(paths, sizes, strict=True):
        write_capture(path, size)
    return list(map(str, paths))


@pytest.mark.parametrize("command", MEMORY)
def test_memory_does_not_grow_with_the_capture(command, captures, tmp_path):
    short, long = (run_command([command, path], tmp_path).peak for path in captures)
    assert long / short <= MEMORY[command].at_most, (short, long)
