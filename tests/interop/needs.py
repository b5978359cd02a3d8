"""Whether a test that needs node is run, skipped or failed."""

import os

import pytest

from acp_spy.errors import AcpSpyError

from .lab import install_node, node_folder

NEEDED = "ACP_SPY_NEEDS_NODE"  # .ci/run sets it


def need_node() -> None:
    """Have node, the TypeScript SDK and acpx. A plain test run fetches nothing by itself."""
    if node_folder().exists():
        return
    if os.environ.get("CI") != "true" and not os.environ.get(NEEDED):
        pytest.skip(
            "the TypeScript SDK and acpx are not installed;"
            f" with {NEEDED}=1 they are, by npm, into a cache folder"
        )
    try:
        install_node()
    except AcpSpyError as error:
        pytest.fail(f"{error}\n{error.hint}")
