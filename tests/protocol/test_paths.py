"""Paths of systems that we do not run on."""

from itertools import product
from random import Random

import pytest

from acp_spy.protocol.paths import Folders, is_absolute, normalized, why_relative


@pytest.mark.parametrize(
    "path", ["/", "/home/dev", "C:\\x", "c:/x", "\\\\server\\share", "\\\\?\\C:\\x", "//x"]
)
def test_a_path_from_a_root_is_absolute_on_either_system(path):
    assert is_absolute(path)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "empty"),
        ("~", "a path that only a shell expands"),
        ("~/project", "a path that only a shell expands"),
        (".", "relative"),
        ("src/a.py", "relative"),
        ("C:x", "relative"),
        ("\\x", "relative"),
        ("file:///home/dev", "a URI"),
        ("vscode-remote://wsl/home", "a URI"),
    ],
)
def test_what_is_not_absolute_is_told_why(path, why):
    assert not is_absolute(path)
    assert why_relative(path) == why


def is_within(path, *folders):
    return Folders(folders).contain(path)


def same_folder(one, other):
    return normalized(one) == normalized(other)


def test_a_folder_is_the_same_with_a_slash_at_its_end_and_in_windows_spellings():
    assert same_folder("/home/dev/", "/home/dev")
    assert same_folder("C:\\Dev\\x\\", "c:/dev/X")
    assert same_folder("\\\\?\\C:\\x", "C:\\x")
    assert not same_folder("/home/Dev", "/home/dev")


def test_a_path_is_within_a_folder_but_not_within_one_that_only_begins_alike():
    assert is_within("/home/dev/a.py", "/home/dev")
    assert is_within("/a.py", "/")
    assert is_within("C:\\x\\a.py", "c:/x/")
    assert not is_within("/home/dev/pro/a.py", "/home/dev/p")


def test_a_path_that_climbs_out_of_a_folder_is_not_within_it():
    assert not is_within("/home/dev/../../etc/passwd", "/home/dev")
    assert not is_within("C:\\x\\..\\y", "C:\\x")
    assert is_within("/home/dev/./src/../a.py", "/home/dev/")
    assert is_within("/home/dev/..a/...", "/home/dev")


def test_a_path_may_be_in_any_of_several_folders():
    folders = ["/home/dev", "/home/dev/a", "/home/dev-2/b", "/home/dev/a/c", "D:\\x"]
    for path in ("/home/dev", "/home/dev/z", "/home/dev/a/b", "/home/dev-2/b/c", "d:/X/y"):
        assert is_within(path, *folders), path
    for path in ("/home", "/home/dev-", "/home/dev-2", "/home/dev.py", "/home/dev-2/bc", "d:/"):
        assert not is_within(path, *folders), path
    assert not is_within("/home/dev")


def test_many_folders_contain_what_one_of_them_contains():
    parts = ["a", "a-", "a.b", "b", "\U0001f600"]
    places = ["/" + "/".join(words) for size in (1, 2, 3) for words in product(parts, repeat=size)]
    chance = Random(7)
    for _ in range(50):
        folders = chance.sample(places, 6)
        for path in chance.sample(places, 40):
            assert is_within(path, *folders) == any(is_within(path, each) for each in folders)
