"""
The pytest plugin: mock agents and mock clients from captures, handed out as command lines.

Every pytest run where acp-spy is installed loads this module, so it imports nothing but
pytest; the rest is imported by the first test that uses a fixture. docs/testing.md shows how.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from acp_spy.pytest_plugin.fixtures import MockAgents, MockClients, Mocks

MODES = ("none", "once", "new", "all")
_MOCKS: "pytest.StashKey[Mocks]" = pytest.StashKey()
_OUTDATED: pytest.StashKey[set[str]] = pytest.StashKey()
_RECORDED = "acp_recorded"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of the command line and of the settings."""
    group = parser.getgroup("acp-spy", "mocks from captures (acp-spy)")
    group.addoption(
        "--acp-record",
        choices=MODES,
        default="none",
        help="What to record with the real agent: nothing (none, the default); captures that do not"
        " exist (once); these, and those that a test diverged from (new); all of them (all).",
    )
    parser.addini(
        "acp_recordings",
        "The folder of the captures, relative to that of the test module (default: recordings).",
        default="recordings",
    )
    parser.addini(
        "acp_agent_command",
        "The real agent's command, for recording and for acp_client; files in it are found from"
        " the root folder of the project.",
        type="args",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "acp_capture(name, *, command, match, ignore, strict, timing, timeout, on_divergence,"
        " map_cwd, expect, optional, transport): which capture acp_agent() and acp_client() play,"
        " and how.",
    )


@pytest.hookimpl(trylast=True)  # after those who shuffle
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """When something is recorded: run what can record from nothing before what needs a capture."""
    if config.getoption("--acp-record") != "none":
        items.sort(key=lambda item: "acp_agent" not in getattr(item, "fixturenames", ()))


@pytest.fixture
def acp_agent(request: pytest.FixtureRequest) -> "Iterator[MockAgents]":
    """Give the command line of a mock agent: `acp_agent("hello")` plays recordings/hello.jsonl."""
    from acp_spy.pytest_plugin.fixtures import MockAgents

    mocks = _mocks_of(request)
    yield MockAgents(mocks)
    mocks.finish()


@pytest.fixture
def acp_client(request: pytest.FixtureRequest) -> "Iterator[MockClients]":
    """Give the command line of a mock client that drives an agent: `acp_client("hello")`."""
    from acp_spy.pytest_plugin.fixtures import MockClients

    mocks = _mocks_of(request)
    yield MockClients(mocks)
    mocks.finish()


def _mocks_of(request: pytest.FixtureRequest) -> "Mocks":
    """Return the mocks of the test that asks; a test that is run again gets new ones."""
    from acp_spy.pytest_plugin.fixtures import Mocks
    from acp_spy.pytest_plugin.recorded_captures import RecordedCaptures

    item: pytest.Item = request.node
    mocks = item.stash.get(_MOCKS, None)
    if mocks is None or mocks.is_over:
        factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
        # Not from the environment: a pytest that a test starts is another run.
        run = getattr(item.config, "workerinput", {}).get("testrunuid", "")
        mocks = item.stash[_MOCKS] = Mocks(
            item,
            RecordedCaptures(factory.getbasetemp(), run),
            item.stash.setdefault(_OUTDATED, set()),
            make_folder=lambda: str(factory.mktemp("acp-spy")),
            on_recorded=lambda shown: item.user_properties.append((_RECORDED, shown)),
        )
    mocks.users += 1
    return mocks


# No hook of ours is a wrapper: pytest 7 runs with a pluggy that has no `wrapper=True`, and a newer
# one warns of a `hookwrapper=True` that raises.
@pytest.hookimpl(trylast=True)  # after the test, if it has passed
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fail a test whose mocks complain."""
    if mocks := item.stash.get(_MOCKS, None):
        mocks.judge()


@pytest.hookimpl(tryfirst=True)  # before the report is made
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Add to the report of a test that has failed by itself what its mocks have to say."""
    if call.when == "call" and call.excinfo and (mocks := item.stash.get(_MOCKS, None)):
        mocks.add_to_failure()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """With `--acp-record=new`: run a test again that has diverged from its capture."""
    if item.config.getoption("--acp-record") != "new":
        return None
    from _pytest.runner import runtestprotocol  # who runs tests again has no other door

    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if item.stash.get(_OUTDATED, None):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter: "pytest.TerminalReporter") -> None:
    """Say what was recorded: it is to be looked at, and committed."""
    recorded = {
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == _RECORDED
    }
    if recorded:
        terminalreporter.section("acp-spy: recorded")
        for path in sorted(map(str, recorded)):
            terminalreporter.write_line(path)
