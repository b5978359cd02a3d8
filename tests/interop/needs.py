"""Whether a test that needs node is run, skipped or failed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_spy.errors import AcpSpyError

from .lab import install_node, install_remote, node_folder, remote_folder

NEEDED = "ACP_SPY_NEEDS_NODE"  # .ci/run sets it


def need_node() -> None:
    """Have node, the TypeScript SDK and acpx. A plain test run fetches nothing by itself."""
    _need(node_folder(), install_node)


def need_remote_node() -> None:
    """Have node, and the TypeScript SDK that has the remote transport."""
    need_node()
    _need(remote_folder(), install_remote)


def _need(folder: Path, install: Callable[[], Path]) -> None:
    if folder.exists():
        return
    if os.environ.get("CI") != "true" and not os.environ.get(NEEDED):
        pytest.skip(
            "the TypeScript SDK and acpx are not installed;"
            f" with {NEEDED}=1 they are, by npm, into a cache folder"
        )
    try:
        install()
    except AcpSpyError as error:
        pytest.fail(f"{error}\n{error.hint}")
