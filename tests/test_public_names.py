import re
import subprocess
import sys
from pathlib import Path

import pytest

import acp_spy.script


@pytest.mark.parametrize("name", acp_spy.__all__)
def test_every_public_name_resolves_to_what_is_called_so(name):
    assert getattr(acp_spy, name).__name__ == name


def test_the_public_names_are_these():
    """A name added here is a promise; one removed here breaks somebody's program."""
    assert acp_spy.__all__ == [
        "AcpSpyError",
        "Capture",
        "CaptureDiff",
        "Closed",
        "Conversation",
        "Delivery",
        "Disconnect",
        "Divergence",
        "Exchange",
        "Exit",
        "Finding",
        "Frame",
        "Header",
        "HttpExchange",
        "Options",
        "Peer",
        "Player",
        "Rule",
        "Said",
        "Script",
        "Session",
        "Severity",
        "Stats",
        "Stderr",
        "ToolCall",
        "Turn",
        "Via",
        "assert_clean",
        "check",
        "diff",
        "explain",
        "load",
        "redact",
        "save",
        "stats",
    ]


def test_the_type_of_every_public_name_is_tested():
    checked = (Path(__file__).parent / "typing" / "public_names.py").read_text(encoding="utf-8")
    assert set(acp_spy.__all__) <= set(re.findall(r"\bacp_spy\.(\w+)", checked))
    scripts = set(re.findall(r"\bacp_spy\.script\.(\w+)", checked))
    assert scripts == set(acp_spy.script.__all__)


def test_all_that_is_public_can_be_had_at_once():
    names = {}
    exec("from acp_spy import *", names)
    assert set(acp_spy.__all__) <= set(names)


def test_all_that_is_public_is_listed_before_it_is_used():
    code = "import acp_spy; print(*dir(acp_spy)); import acp_spy.comparison; print(acp_spy.diff)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed, diff = done.stdout.splitlines()
    assert {name for name in listed.split() if not name.startswith("__")} == set(acp_spy.__all__)
    assert diff.startswith("<function diff")  # and no room of that name takes its place


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError) as caught:
        acp_spy.nothing  # noqa: B018
    assert str(caught.value) == "module 'acp_spy' has no attribute 'nothing'"
    assert not hasattr(acp_spy, "_nothing")


def test_importing_an_unknown_name_is_an_import_error():
    with pytest.raises(ImportError, match="cannot import name 'nothing' from 'acp_spy'"):
        from acp_spy import nothing  # noqa: F401


def test_the_version_is_three_numbers():
    assert [part.isdigit() for part in acp_spy.__version__.split(".")] == [True] * 3
