"""What concerns the whole suite: where captures go, which are tested, how processes are started."""

from pathlib import Path

import pytest
from hypothesis import settings
from support.processes import starter

# The same examples in every run: a test that fails now and then teaches nobody. To look for new
# ones: pytest --hypothesis-profile=default
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

ROOT = Path(__file__).parent.parent
# Made to be refused; tests/capture/test_files.py says how.
UNREADABLE = {"damaged-in-the-middle.jsonl", "format-from-the-future.jsonl"}


def pytest_addoption(parser):
    parser.addoption(
        "--captures",
        metavar="DIR",
        action="append",
        default=[],
        help="Run the tests over captures on those in DIR, too, besides fixtures/ and recordings/.",
    )


def pytest_configure(config):
    for folder in config.getoption("--captures"):
        if not captures_in(Path(folder)):
            raise pytest.UsageError(f"--captures: no capture (*.jsonl) in `{folder}`")


def pytest_generate_tests(metafunc):
    if "capture" not in metafunc.fixturenames or not metafunc.module.__name__.endswith("_captures"):
        return
    folders = [ROOT / "fixtures", ROOT / "recordings"]
    folders += map(Path, metafunc.config.getoption("--captures"))
    found = [path for folder in folders for path in captures_in(folder)]
    metafunc.parametrize("capture", found, ids=lambda path: path.stem)


def captures_in(folder):
    return [
        path
        for path in sorted(folder.glob("*.jsonl"))
        if path.name not in UNREADABLE and not path.name.endswith(".findings.jsonl")
    ]


@pytest.fixture(autouse=True)
def _no_captures_in_the_users_folder(monkeypatch, tmp_path):
    """Whatever a test starts without saying where to record must not litter the state folder."""
    monkeypatch.setenv("ACP_SPY_DIR", str(tmp_path / "captures-of-this-test"))


@pytest.fixture(params=["direct", "proxied"])
def start(request, tmp_path):
    """
    Start a command as a client would: once by itself, once behind acp-spy.

    So a promise is put to the bare agent, too: the test must hold without the proxy as well.
    """
    with starter(tmp_path, proxied=request.param == "proxied") as start:
        yield start


@pytest.fixture
def spy(tmp_path):
    """Start a command behind acp-spy."""
    with starter(tmp_path, proxied=True) as start:
        yield start
