"""The rules of the house: style, types, the stairs, and what is loaded when."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.needs import do_without

from acp_spy import secrets

ROOT = Path(__file__).parent.parent


def run(*command):
    """Run a tool that was installed beside this Python; return what it printed if it failed."""
    tool = Path(sys.executable).parent / command[0]
    if not tool.exists():
        do_without("ACP_SPY_NEEDS_MYPY", "not installed: `pip install --group lint --group types`")
    done = subprocess.run(
        [tool, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        pytest.param(("mypy",), marks=pytest.mark.long),  # 13 s of CPU at first
        ("lint-imports", "--no-cache"),
    ],
    ids=" ".join,
)
def test_the_tools_have_nothing_to_say(command):
    assert run(*command) == ""


def test_no_module_imports_itself_by_way_of_others():
    """Not even inside a function, or for types alone."""
    import grimp

    graph = grimp.build_graph("acp_spy", cache_dir=None)
    left = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    while free := {name for name, imported in left.items() if not imported & left.keys()}:
        for name in free:
            del left[name]
    assert left == {}  # the cycles, and what leads to them


def test_the_list_of_the_modules_that_find_secrets_is_complete():
    lines = [line for line in (secrets.__doc__ or "").splitlines() if line.startswith("    ")]
    named = [name for line in lines for name in line.strip().split("  ")[0].split()]
    modules = {path.stem for path in Path(secrets.__file__).parent.glob("*.py")} - {"__init__"}
    assert sorted(named) == sorted(modules)


def modules_after(code):
    """Return the modules that a fresh interpreter has loaded after running `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    *_, last = [
        "",
        *done.stdout.splitlines(),
    ]  # a command writes, too, and the proxy does not return
    return set(last.split())


HEAVY = {"trio", "rich", "textual", "typer", "asyncio", "subprocess"}


def test_importing_the_package_loads_nothing_heavy():
    assert not modules_after("import acp_spy") & (HEAVY | {"msgspec", "typing"})


def test_the_public_names_load_nothing_heavy():
    """The pytest plugin will be loaded by every test run on a user's machine."""
    assert not modules_after("from acp_spy import *") & HEAVY


def test_nothing_that_can_wait_is_loaded_before_the_agent_is_started():
    """What the proxy imports before fork is paid for by every start of every agent."""
    code = (
        "import sys\n"
        "from acp_spy.cli import entry\n"
        "from acp_spy.engine import process\n"
        "def start(*_):\n"
        "    print(*sys.modules)\n"
        "    sys.exit()\n"
        "process.start = start\n"
        "entry.run(['-o', '/dev/null', '--', 'agent'])\n"
    )
    loaded = modules_after(code)
    assert "acp_spy.engine.process" in loaded
    assert not loaded & (HEAVY | {"msgspec", "typing", "re", "json", "platformdirs", "inspect"})


def test_the_whole_proxy_loads_no_more_than_it_needs(tmp_path):
    output = tmp_path / "loaded"  # not on stdout: that is the wire
    code = (
        "import sys\n"
        "from acp_spy.cli import entry\n"
        "from acp_spy.engine import process\n"
        f"process.exit_like = lambda _: open('{output}', 'w').write(' '.join(sys.modules))\n"
        f"entry.run(['-o', '{tmp_path}/x.jsonl', '--', '/bin/true'])\n"
    )
    modules_after(code)
    loaded = set(output.read_text().split())
    assert "acp_spy.live_check.checker" in loaded
    beside_the_traffic = {"trio", "subprocess"}  # which trio needs
    not_needed = {"platformdirs", "acp_spy.lint.catalogue"}  # the judge loads it
    assert not loaded & (HEAVY - beside_the_traffic | not_needed)
    assert "trio" in loaded or not loaded & {"typing_extensions", "inspect"}  # the response waits


def test_http_2_is_loaded_only_by_a_connection_that_speaks_it():
    names = ("agent_server", "bridge", "run_http")
    loaded = modules_after("; ".join(f"import acp_spy.remote.{name}" for name in names))
    assert "h11" in loaded
    assert "h2" not in loaded


EXAMPLE = str(ROOT / "fixtures" / "example.jsonl")


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        (["--version"], {"typer", "rich", "msgspec", "typing"}),
        (["--help"], {"msgspec", "acp_spy.cli.view", "acp_spy.cli.replay"}),
        (["list"], {"acp_spy.lint.linter", "acp_spy.view.captures.json"}),
        (["stats", EXAMPLE], {"acp_spy.lint.linter", "acp_spy.view.stats.json"}),
        (["rule", "RPC007"], {"rich.console", "acp_spy.lint.rules.schema"}),
        (["check", EXAMPLE], {"rich.console", "acp_spy.view.findings.sarif", "xml.etree"}),
        (["view", EXAMPLE], {"rich.console", "acp_spy.view.html", "acp_spy.view.markdown"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_loads_no_more_than_it_needs(words, unneeded):
    """What is loaded is paid for by every start: see benchmarks/startup.py."""
    loaded = modules_after(f"from acp_spy.cli.entry import run\nrun({words!r})")
    assert not loaded & {*unneeded, "pydantic", "textual"}


def test_no_process_of_ours_looks_for_modules_in_the_current_folder():
    """That is the user's project, which may have a `json.py`."""
    import re

    started = [
        (path.name, option)
        for path in (ROOT / "acp_spy").rglob("*.py")
        for option in re.findall(r'sys\.executable\)?,\s*"(-\w+)"', path.read_text())
    ]
    assert len(started) > 5
    assert [each for each in started if each[1] != "-P"] == []


def test_no_python_runs_between_fork_and_exec_where_threads_may():
    """A lock that another thread held stays locked forever: `engine/launch.py` is for that."""
    named = [path for path in (ROOT / "acp_spy").rglob("*.py") if "preexec_fn=" in path.read_text()]
    assert named == []


def test_the_repository_names_no_machine():
    """Neither home folders nor user names nor hosts of package registries."""
    import re

    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    wrong = re.compile(rb"/(?:home|Users)/(?!dev/)[a-z]+/|/root/|registry\.npmjs|pythonhosted")
    names = [name for name in listed.stdout.decode().split("\0") if name]
    found = [
        name
        for name in names
        if name != "tests/test_house.py" and wrong.search((ROOT / name).read_bytes())
    ]
    assert found == []
