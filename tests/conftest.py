"""What concerns the whole suite: where captures go, what is run, how processes are started."""

import compileall
import gc
import itertools
import os
import random
import signal
import sys
from pathlib import Path

# ruff: noqa: E402
# What pytest makes of a test and of a plugin is kept, whatever the environment says: making it
# takes longer than collecting all tests. Hypothesis is such a plugin, and comes next.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import pytest
from _pytest.assertion import rewrite
from hypothesis import HealthCheck, is_hypothesis_test, settings, strategies
from hypothesis.internal.conjecture import providers
from support import browser, effort, families, inner_pytest
from support.descriptors import Descriptors
from support.effort import some_of
from support.processes import starter

TESTS = Path(__file__).parent
ROOT = TESTS.parent
# Made to be refused; tests/capture/test_files.py says how.
UNREADABLE = {"damaged-in-the-middle.jsonl", "format-from-the-future.jsonl"}
# What no test needs of what is installed, and a third of it: pip and what comes with it, Pygments'
# languages, Playwright for asyncio, the old pydantic, others' tests, and mypy, which is machine code.
NOT_LOADED = {
    *("pip", "setuptools", "pkg_resources", "lexers", "async_api", "v1", "tests", "_tests"),
    *("mypy", "mypyc"),
}


def pytest_addoption(parser):
    parser.addoption(
        "--captures",
        metavar="DIR",
        action="append",
        default=[],
        help="Run the tests over captures on those in DIR, too, besides fixtures/ and recordings/.",
    )
    parser.addoption(
        "--long",
        action="store_true",
        help="Run the tests marked `long`, too, and more examples; `-m long` leaves out the others.",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes long; run with --long only")
    effort.is_long = config.getoption("--long")
    # The same examples in every run: a test that fails now and then teaches nobody. To look for new
    # ones: pytest --hypothesis-profile=default
    settings.register_profile(
        "repeatable",
        derandomize=True,
        deadline=None,
        max_examples=effort.examples(15),
        suppress_health_check=[HealthCheck.too_slow],  # which depends on what else is running
    )
    settings.load_profile("repeatable")
    # A shell starts a job in the background with these ignored, and what we start would inherit it.
    for number, usual in (
        (signal.SIGHUP, signal.SIG_DFL),
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGQUIT, signal.SIG_DFL),
    ):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)
    # Only of tests: acp_spy is a plugin, of which pytest would make something else as well.
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("acp_spy")
    if hasattr(providers, "_get_local_constants"):
        # Constants of each module that happens to be loaded would be among the examples: which ones
        # depends on the tests that ran before, and reading them takes seconds in each worker.
        providers._get_local_constants = lambda: providers._local_constants
    for folder in config.getoption("--captures"):
        if not captures_in(Path(folder)):
            raise pytest.UsageError(f"--captures: no capture (*.jsonl) in `{folder}`")


def compile_to_bytecode(config):
    """
    Compile what the tests start as processes, and the tests as pytest does: once for all workers.

    With the README's command, pip compiles nothing: it would do so in one process, while the other
    processors wait. Neither does uv. Processes that have little room, time or rights are not to
    compile what they import, and hundreds need not. No test runs before all workers have collected,
    so nothing is missing then.
    """
    worker = getattr(config, "workerinput", {}).get("workerid")
    if worker == "gw0":
        strategies.text().validate()  # tries each character that there is, and keeps what it found
    folders = [ROOT / "acp_spy", TESTS]
    if os.access(packages := Path(pytest.__file__).parents[1], os.W_OK):
        folders.append(packages)
    sources = sorted(path for folder in folders for path in sources_in(folder))
    random.Random(worker).shuffle(sources)  # each worker begins with others
    for path in sources:
        if os.path.basename(path).startswith("test_") and path.startswith(f"{TESTS}{os.sep}"):
            if worker:  # a process alone makes those that it collects
                rewrite_asserts(Path(path), config)
        else:
            compileall.compile_file(path, quiet=2)


def sources_in(folder):
    """Give the paths of the modules in a folder, as texts: of thousands, a `Path` takes a second."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in NOT_LOADED]
        yield from (os.path.join(parent, name) for name in names if name.endswith(".py"))


def rewrite_asserts(path, config):
    """Make what pytest makes of a test's file when it imports it, and keep it where it looks for it."""
    kept = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
    if not kept.exists():
        rewrite.try_makedirs(kept.parent)
        version, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, version, kept)


@pytest.hookimpl(optionalhook=True)  # there may be no xdist
def pytest_xdist_auto_num_workers():
    """Return what `-n auto` is: one more than can compute, since tests wait for processes."""
    return 1 + (os.cpu_count() or 1)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection(session):
    """
    Compile everything, and keep what is collected out of the garbage collector's sight.

    A pytest within a test collects five times when it ends, and whoever calls it once more.
    """
    gc.disable()
    if not session.config.getoption("tx", None):  # not in a process that only hands out the tests
        compile_to_bytecode(session.config)
    yield
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)  # families are of what is left
def pytest_collection_modifyitems(config, items):
    leave_long_ones(config, items)
    if hasattr(config, "workerinput"):
        items[:] = families.merged(items)
        # At the beginning, for others take over what is at the end; and in a row, with one browser.
        items.sort(key=lambda item: not needs_browser(item))


def needs_browser(item):
    return bool({"tab", "chromium"} & set(getattr(item, "fixturenames", ())))


def leave_long_ones(config, items):
    if config.getoption("--long"):
        for item in items:
            if is_hypothesis_test(getattr(item, "obj", None)):  # has more examples then
                item.add_marker("long")
        return
    long = [item for item in items if item.get_closest_marker("long")]
    if long:
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)


def pytest_generate_tests(metafunc):
    if "capture" not in metafunc.fixturenames or not metafunc.module.__name__.endswith("_captures"):
        return
    ours = [*captures_in(ROOT / "fixtures"), *captures_in(ROOT / "recordings")]
    if usual := getattr(metafunc.module, "USUAL", None):  # the others with --long
        ours = some_of(ours, *(path for path in ours if path.stem in usual))
    given = map(Path, metafunc.config.getoption("--captures"))
    found = [*ours, *(path for folder in given for path in captures_in(folder))]
    metafunc.parametrize("capture", found, ids=lambda path: path.stem)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """End the browser after the last test that needs it, however that one has ended."""
    yield
    if needs_browser(item) and not needs_browser(nextitem):
        browser.let_go()


descriptors = Descriptors()


@pytest.hookimpl(trylast=True)  # after all fixtures
def pytest_runtest_teardown(item):
    if message := descriptors.look(item.nodeid):
        pytest.fail(message, pytrace=False)


def captures_in(folder):
    return [
        path
        for path in sorted(folder.glob("*.jsonl"))
        if path.name not in UNREADABLE and not path.name.endswith(".findings.jsonl")
    ]


@pytest.fixture(scope="session")
def _folders_of_captures(tmp_path_factory):
    """Give a new path each time. A folder for each of ten thousand tests takes longer than most tests."""
    folder = tmp_path_factory.mktemp("captures-of-tests")
    return (str(folder / str(number)) for number in itertools.count())


@pytest.fixture(autouse=True)
def _no_captures_in_the_users_folder(_folders_of_captures):
    """Whatever a test starts without saying where to record must not litter the state folder."""
    os.environ["ACP_SPY_DIR"] = next(_folders_of_captures)  # monkeypatch would take twice as long


@pytest.fixture(scope="session")
def _acp_spy_is_loaded():
    inner_pytest.load_everything()


@pytest.fixture
def pytester(_acp_spy_is_loaded, pytester):
    """Give pytest's own, which puts the loaded modules back as they are now."""
    return pytester


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
