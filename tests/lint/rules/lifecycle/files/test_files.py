"""Files: paths, and what was read of them."""

import pytest
from support.lifecycle import announce, answer, ask, change, codes, places, work
from support.transcripts import lint

from acp_spy.lint.rule import Severity
from acp_spy.lint.rules.lifecycle._opening import PROMPT


def test_a_path_is_told_once_for_a_call_however_often_it_is_sent():
    wrong = {"locations": [{"path": "main.py"}]}
    lines = announce(**wrong), change(**wrong), change(**wrong), announce("call_2", **wrong)
    assert places(*lines) == [("LIF106", 6), ("LIF106", 9)]


@pytest.mark.parametrize("path", ["/a", "C:\\a", "C:/a", "\\\\server\\share\\a"])
def test_paths_of_every_system_are_absolute(path):
    assert places(announce(locations=[{"path": path}])) == []


@pytest.mark.parametrize("path", ["a", "./a", "~/a", "file:///a", ""])
def test_what_only_looks_like_a_path_is_found_in_a_diff(path):
    diff = {"type": "diff", "path": path, "newText": ""}
    (finding,) = work(announce(content=[diff]))
    assert (finding.code, finding.path) == ("LIF106", "/params/update/content/0/path")


@pytest.mark.parametrize(
    ("content", "wanted"), [("a\nb", []), ("a\nb\n", []), ("a\nb\nc", ["LIF109"])]
)
def test_a_last_line_counts_with_or_without_its_end(content, wanted):
    read = ask(5, "fs/read_text_file", path="/a", limit=2), answer(5, content=content)
    assert codes(*read) == wanted


def test_a_write_outside_of_the_folders_is_worse_than_a_read():
    read = ask(5, "fs/read_text_file", path="/etc/hosts"), answer(5, content="")
    write = ask(6, "fs/write_text_file", path="/etc/hosts", content=""), answer(6)
    findings = lint("\n".join([PROMPT, *read, *write, *write]), "LIF023")
    assert [f.severity for f in findings] == [Severity.NOTE, Severity.WARNING]
