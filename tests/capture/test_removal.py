"""A folder of ours is removed with all that is in it, and no other."""

import os

from acp_spy.capture.lock import open_to_look
from acp_spy.capture.removal import remove_folder


def test_all_that_is_in_a_folder_is_removed_with_it(tmp_path):
    ours = tmp_path / "ours"
    (ours / "below" / "deep").mkdir(parents=True)
    (ours / "below" / "deep" / "file").write_text("x")
    (ours / "link").symlink_to(tmp_path)
    (ours / ".hidden").write_text("x")
    descriptor = open_to_look(str(ours))
    remove_folder(str(ours), descriptor)
    os.close(descriptor)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_took_the_place_of_ours_is_not_removed(tmp_path):
    ours, others, moved = tmp_path / "ours", tmp_path / "others", tmp_path / "moved"
    ours.mkdir()
    others.mkdir()
    (ours / "a").write_text("x")
    (others / "b").write_text("x")
    descriptor = open_to_look(str(ours))
    ours.rename(moved)
    others.rename(ours)
    remove_folder(str(ours), descriptor)
    os.close(descriptor)
    assert os.listdir(ours) == ["b"]
    assert os.listdir(moved) == []
