"""What takes long to make and is the same for all tests: made by the worker that asks first."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from interop.lab import filled


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return the folder that `make` fills, once in a run of pytest, whichever worker needs it."""
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # each worker has a folder in it
    return filled(shared / name, make)
