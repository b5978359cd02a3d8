"""Settings of a project are those of its people, and not of whoever can put a file above it."""

import os

import pytest

from acp_spy.errors import AcpSpyError
from acp_spy.view.findings.settings_file import find_settings


@pytest.fixture
def above(tmp_path, monkeypatch):
    """Give a folder with a project in it, and settings above that are another user's."""
    (tmp_path / "project").mkdir()
    settings = tmp_path / "acp-spy.toml"
    settings.write_text('fail-on = "never"\n')
    if os.getuid() == 0:
        os.chown(settings, 54321, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    return tmp_path


def test_settings_of_another_user_in_a_folder_such_as_tmp_are_passed_over(above):
    above.chmod(0o1777)
    for _ in range(2):
        assert find_settings(str(above / "project")).fail_on == "error"
        (above / "acp-spy.toml").write_text("no [ TOML")


@pytest.mark.parametrize("mode", [0o755, 0o775, 0o777])
def test_elsewhere_they_count_as_a_project_may_be_mounted_from_another_machine(above, mode):
    above.chmod(mode)
    assert find_settings(str(above / "project")).fail_on == "never"


def test_ones_own_count_anywhere(tmp_path):
    tmp_path.chmod(0o1777)
    (tmp_path / "acp-spy.toml").write_text('fail-on = "never"\n')
    assert find_settings(str(tmp_path)).fail_on == "never"
    (tmp_path / "acp-spy.toml").write_text("no [ TOML")
    with pytest.raises(AcpSpyError, match="it is not TOML"):
        find_settings(str(tmp_path))


@pytest.mark.parametrize(
    "key", ["a." * 30_000 + "a", "'a' . " * 30_000 + "a", '"\\"".' * 30_000 + "a"]
)
def test_a_key_of_countless_parts_is_refused_at_once(tmp_path, key):
    """Python's own parser would take gigabytes for it."""
    (tmp_path / "acp-spy.toml").write_text(f"{key} = 1\n")
    with pytest.raises(AcpSpyError, match="a key has more than 20 parts"):
        find_settings(str(tmp_path))


@pytest.mark.parametrize("digits", ["0x" + "f" * 8000, "9" * 400])
@pytest.mark.parametrize("key", ["select", "max-turn"])
def test_a_huge_number_is_refused_in_words(tmp_path, key, digits):
    (tmp_path / "acp-spy.toml").write_text(f"{key} = {digits}\n")
    with pytest.raises(AcpSpyError, match="is a huge number"):
        find_settings(str(tmp_path))


def test_a_time_has_digits_that_python_can_read(tmp_path):
    (tmp_path / "acp-spy.toml").write_text('max-turn = "²"\n')
    with pytest.raises(AcpSpyError, match="`max-turn` is `²`"):
        find_settings(str(tmp_path))


def test_folders_above_that_we_may_not_enter_are_passed_over(tmp_path, monkeypatch):
    """As with `sudo -u`, or as the user of a container."""
    if os.getuid() != 0:
        pytest.skip("another user needs root")
    (tmp_path / "here").mkdir()
    (tmp_path / "acp-spy.toml").write_text("no [ TOML")
    tmp_path.chmod(0o700)
    monkeypatch.chdir(tmp_path / "here")
    for text, fail_on in (("", "error"), ('fail-on = "never"', "never")):
        if text:
            (tmp_path / "here" / "acp-spy.toml").write_text(text)
        os.seteuid(54321)
        try:
            assert find_settings(os.getcwd()).fail_on == fail_on
        finally:
            os.seteuid(0)


def test_a_text_of_many_escaped_quotes_is_read_at_once(tmp_path):
    """As JSON in a text of another tool has them: it would take an hour otherwise."""
    text = r"\"" * 500_000
    (tmp_path / "acp-spy.toml").write_text(f'fail-on = "error"\nx = "{text}"\n', encoding="utf-8")
    with pytest.raises(AcpSpyError, match="no such key: `x`"):
        find_settings(str(tmp_path))
