"""The files in a folder and below it, whatever others put in their place meanwhile."""

import os
import sys

import pytest
from support.keys import spelled_out

from acp_spy.capture import folder_tree
from acp_spy.capture.folder_tree import files_below
from acp_spy.capture.opening import size_of, to_open
from acp_spy.cli import redact
from acp_spy.errors import AcpSpyError
from acp_spy.secrets.patterns import Patterns

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be opened")

PATTERNS = Patterns([], [], [], [], home=False, user=False)


@pytest.fixture
def folder(tmp_path):
    """Give a folder, and a private one beside it whose files have the same names."""
    for name, text in (("shared/a/b", "shared"), ("private/b", spelled_out("ghp_<36>"))):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "one.md").write_text(text)
        (tmp_path / name / "two.md").write_text(text)
    (tmp_path / "shared" / "first.md").touch()
    return tmp_path


def exchange(folder, name):
    """Put a link to the private folder in the place of one that is read."""
    os.rename(folder / name, folder / "gone")
    os.symlink(folder / "private", folder / name)


def read(path):
    with open(to_open(path), "rb") as file:
        return file.read()


def test_a_folder_that_becomes_a_link_while_it_is_walked_leads_nowhere_else(folder):
    failed = []
    found = files_below(str(folder / "shared"), failed.append)
    assert next(found) == str(folder / "shared/first.md")
    first = next(found)
    exchange(folder, "shared/a")
    second = next(found)
    assert (first, second) == tuple(
        str(folder / "shared/a/b" / name) for name in ("one.md", "two.md")
    )
    assert read(second) == b"shared"
    assert size_of(second) == len("shared")
    assert (list(found), failed) == ([], [])


def test_a_folder_that_became_a_link_before_it_is_opened_is_not_followed(folder):
    failed = []
    found = files_below(str(folder / "shared"), failed.append)
    next(found)
    exchange(folder, "shared/a")
    assert list(found) == []
    (error,) = failed
    assert error.message.startswith(f"cannot read the folder `{folder}/shared/a`: ")


def test_check_reads_no_file_through_a_folder_that_others_exchange(folder, monkeypatch, capfd):
    real = redact.secrets_in_file

    def exchanged_first(path, redactor):
        if path.endswith("one.md"):
            exchange(folder, "shared/a")
        return real(path, redactor)

    monkeypatch.setattr(redact, "secrets_in_file", exchanged_first)
    assert redact._check([str(folder / "shared")], PATTERNS) == 0
    assert capfd.readouterr().out == ""


def test_a_link_that_the_user_names_is_followed(folder):
    (folder / "link").symlink_to(folder / "private")
    found = files_below(str(folder / "link"), pytest.fail)
    assert list(found) == [str(folder / "link/b" / name) for name in ("one.md", "two.md")]


def test_a_folder_that_cannot_be_read_is_reported_and_the_others_are_read(
    folder, monkeypatch, capfd
):
    real = folder_tree._names_in

    def refused(opened):
        if os.path.samestat(os.stat(opened), os.stat(folder / "shared/a")):
            raise PermissionError(13, "Permission denied")
        return real(opened)

    monkeypatch.setattr(folder_tree, "_names_in", refused)
    words = [str(folder / name) for name in ("shared", "private")]
    assert redact._check(words, PATTERNS) == 2
    out, err = capfd.readouterr()
    said = f"error: cannot read the folder `{folder}/shared/a`: Permission denied\n"
    assert err.startswith(f"{said}2 places in 2 files; ")
    assert out.count("github-token") == 2


def test_folders_are_walked_to_a_certain_depth_and_closed(folder, monkeypatch):
    monkeypatch.setattr(folder_tree, "_DEEPEST", 2)
    opened = set(os.listdir("/dev/fd"))
    failed: list[AcpSpyError] = []
    found = list(files_below(str(folder / "shared"), failed.append))
    assert found == [str(folder / "shared/first.md")]
    assert [error.message for error in failed] == [
        f"cannot read the folder `{folder}/shared/a/b`: it is more than 2 folders deep"
    ]
    assert set(os.listdir("/dev/fd")) == opened
