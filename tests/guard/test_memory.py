"""Ten times the frames, and the same memory: by real processes, as the kernel counts it."""

import pytest
from guard.limits import MEMORY

from benchmarks.conversation import write_capture
from benchmarks.measuring import run_command

SHORT, LONG = 1_000, 10_000


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("captures")
    paths = [folder / f"{size}.jsonl" for size in (SHORT, LONG)]
    for path, size in zip(paths, (SHORT, LONG), strict=True):
        write_capture(path, size)
    return list(map(str, paths))


@pytest.mark.parametrize("command", MEMORY)
def test_memory_does_not_grow_with_the_capture(command, captures, tmp_path):
    short, long = (run_command([command, path], tmp_path).peak for path in captures)
    assert long / short <= MEMORY[command].at_most, (short, long)
