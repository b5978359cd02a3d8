"""What a test needs of the machine besides Python: without it the test is skipped, and in CI it fails."""

import os
from typing import NoReturn

import pytest


def do_without(variable: str, why: str) -> NoReturn:
    """Skip the test; fail it in CI, and where `variable` says that what it lacks is needed."""
    if os.environ.get("CI") == "true" or os.environ.get(variable):
        pytest.fail(why)
    pytest.skip(why)
