"""The TypeScript SDK and acpx: needed in CI, skipped elsewhere unless they have been installed."""

import pytest
from interop.needs import need_node, need_remote_node


@pytest.fixture(scope="session")
def node():
    need_node()


@pytest.fixture(scope="session")
def remote_node():
    need_remote_node()
