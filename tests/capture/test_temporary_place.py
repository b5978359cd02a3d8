"""Temporary files are made where no other user can exchange them."""

import os
import subprocess
import tempfile

import pytest

from acp_spy.capture.temporary_place import remove_tree, temporary_place
from acp_spy.errors import AcpSpyError


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a home folder that nobody else can write to."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(folder))
    return folder


def usual(tmp_path, monkeypatch, mode):
    place = tmp_path / "usual"
    place.mkdir()
    place.chmod(mode)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o1777])
def test_the_usual_place_if_others_can_exchange_only_their_own(tmp_path, home, monkeypatch, mode):
    place = usual(tmp_path, monkeypatch, mode)
    assert temporary_place() == str(place)


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_home_if_others_can_rename_in_the_usual_place(tmp_path, home, monkeypatch, mode):
    usual(tmp_path, monkeypatch, mode)
    assert temporary_place() == str(home)


def test_none_if_there_is_none(tmp_path, home, monkeypatch):
    place = usual(tmp_path, monkeypatch, 0o777)
    home.chmod(0o777)
    with pytest.raises(AcpSpyError, match=f"cannot use `{place}` for temporary files"):
        temporary_place()


def test_a_deep_tree_is_no_reason_to_fail(tmp_path, monkeypatch):
    top = tmp_path / "top"
    top.mkdir()
    monkeypatch.chdir(top)
    for _ in range(3000):
        os.mkdir("d")
        os.chdir("d")
    monkeypatch.chdir(tmp_path)
    remove_tree(str(top))
    subprocess.run(["rm", "-rf", str(top)], check=True)  # pytest could not remove it either
