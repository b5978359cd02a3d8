"""Every promise is put to the bare agent, too: the test must hold without the proxy as well."""

import pytest
from support.processes import starter


@pytest.fixture(params=["direct", "proxied"])
def start(request, tmp_path):
    """Start a command as a client would: once by itself, once behind acp-spy."""
    with starter(tmp_path, proxied=request.param == "proxied") as start:
        yield start


@pytest.fixture
def spy(tmp_path):
    """Start a command behind acp-spy."""
    with starter(tmp_path, proxied=True) as start:
        yield start
