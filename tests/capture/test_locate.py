import os
import sys

import pytest
from support.in_process import acp_spy

from acp_spy.capture.codec import encode
from acp_spy.capture.locate import capture_folder, capture_path, find_capture, header_for
from acp_spy.capture.records import Header
from acp_spy.cli.remote_capture import opener
from acp_spy.errors import AcpSpyError

MORNING = 1767605400.25  # 2026-01-05T09:30:00.250 UTC


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    monkeypatch.delenv("ACP_SPY_DIR", raising=False)


def test_the_folder_that_was_chosen_comes_first(monkeypatch):
    monkeypatch.setenv("ACP_SPY_DIR", "/from/environment")
    assert capture_folder("chosen") == "chosen"


def test_the_environment_comes_next(monkeypatch):
    monkeypatch.setenv("ACP_SPY_DIR", "/from/environment")
    assert capture_folder() == "/from/environment"


@pytest.mark.skipif(sys.platform != "linux", reason="the state folder is elsewhere")
@pytest.mark.parametrize("empty", [None, ""])
def test_else_it_is_in_the_users_state_folder(monkeypatch, empty):
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    if empty is not None:
        monkeypatch.setenv("ACP_SPY_DIR", empty)
    assert capture_folder() == "/state/acp-spy/captures"


def test_a_capture_is_named_in_utc_for_its_agent_and_this_process(monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 4242)
    path = capture_path("", "captures", MORNING, ["npx", "some-agent", "--acp"])
    assert path == "captures/20260105T093000Z-some-agent-4242.jsonl"


def test_a_file_that_was_asked_for_is_taken_and_a_folder_gets_a_new_file(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 7)
    assert capture_path("run.jsonl", "", MORNING, ["agent"]) == "run.jsonl"
    within = f"{tmp_path}/20260105T093000Z-agent-7.jsonl"
    assert capture_path(str(tmp_path), "", MORNING, ["agent"]) == within


def test_the_home_folder_is_understood_where_there_is_no_shell(monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")
    monkeypatch.setenv("ACP_SPY_DIR", "~/c")
    assert capture_folder() == "/somewhere/c"
    assert capture_path("~/run.jsonl", "", MORNING, ["agent"]) == "/somewhere/run.jsonl"


@pytest.fixture(params=[None, "", "relative"])
def no_home(request, monkeypatch):
    """Let the home folder be unknown, as that of a user is who is in no list of users."""
    pwd = pytest.importorskip("pwd")

    def unknown(user):
        raise KeyError(user)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    if request.param is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", request.param)


def test_without_a_home_folder_it_is_said_what_to_set(no_home):
    with pytest.raises(AcpSpyError) as caught:
        capture_folder()
    assert caught.value.message == "cannot find the capture folder: the home folder is not known"
    assert caught.value.hint == (
        "set `HOME` to the path of your home folder, or `ACP_SPY_DIR` to that of a folder for"
        " captures"
    )


def test_without_a_home_folder_every_other_folder_can_be_used(no_home, monkeypatch, tmp_path):
    monkeypatch.setenv("ACP_SPY_DIR", str(tmp_path))
    assert capture_folder() == str(tmp_path)
    assert capture_path("run.jsonl", "", MORNING, ["agent"]) == "run.jsonl"
    monkeypatch.delenv("ACP_SPY_DIR")
    assert find_capture("captures/missing") == "captures/missing"


@pytest.mark.parametrize("words", [["list"], ["why"], ["view", "--serve"], ["doctor", "--", "x"]])
def test_without_a_home_folder_a_command_ends_with_an_error(no_home, words):
    done = acp_spy(*words)
    assert done.status == 2
    assert done.err.startswith("error: cannot find the capture folder: the home folder is not")


def test_without_a_home_folder_no_settings_are_made_here(no_home, tmp_path):
    done = acp_spy("setup", "zed", "--write", "--", "agent", cwd=tmp_path)
    assert done.status == 2
    assert done.err == (
        "error: cannot find the settings of editors: the home folder is not known\n"
        "hint: set `HOME` to the path of your home folder, or name an editor and its settings:"
        " `--file FILE`\n"
    )
    assert acp_spy("setup", "zed", "--file", "x.json", "--", "agent", cwd=tmp_path).status == 0
    assert not list(tmp_path.iterdir())


def test_no_folder_is_called_like_a_home_folder_that_is_not_known(no_home, monkeypatch):
    for folder in ("~", "~/c", "~nobody-is-called-so", "~nobody-is-called-so/c"):
        monkeypatch.setenv("ACP_SPY_DIR", folder)
        with pytest.raises(AcpSpyError, match=f"^cannot use `{folder}`: the home folder "):
            capture_folder()
    for path in ("~/run.jsonl", "~nobody-is-called-so/run.jsonl"):
        with pytest.raises(AcpSpyError, match=f"^cannot use `{path}`: the home folder "):
            capture_path(path, "", MORNING, ["agent"])
    assert capture_path("~run.jsonl", "", MORNING, ["agent"]) == "~run.jsonl"


def test_a_remote_conversation_goes_on_where_the_folder_is_not_known(capfd):
    tap = opener("", "~nobody-is-called-so/c", ["agent"], redact=False)()
    assert tap.path == ""
    assert capfd.readouterr().err.startswith(
        "acp-spy: not recording: cannot use `~nobody-is-called-so/c`: the home folder of"
    )


def test_the_header_tells_who_where_and_when(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert header_for(MORNING, ["agent", "--acp", ""], "acp-spy 0.1") == Header(
        format=1,
        tool="acp-spy 0.1",
        started="2026-01-05T09:30:00.250000Z",
        command=("agent", "--acp", ""),
        cwd=os.path.realpath(tmp_path),
    )


@pytest.mark.parametrize(
    ("wall", "started"),
    [
        (0.0, "1970-01-01T00:00:00.000000Z"),
        (1767605400.0, "2026-01-05T09:30:00.000000Z"),
        (1767605400.000001, "2026-01-05T09:30:00.000001Z"),
    ],
)
def test_the_start_has_microseconds_always(wall, started):
    assert header_for(wall, ["agent"], "acp-spy 0.1").started == started


def test_the_header_never_holds_the_environment(monkeypatch):
    monkeypatch.setenv("EXAMPLE_API_KEY", "do-not-record-me")
    line = encode([header_for(MORNING, ["agent"], "acp-spy 0.1")])
    assert b"do-not-record-me" not in line
    assert b"EXAMPLE_API_KEY" not in line


def test_words_that_are_no_text_can_still_be_written(monkeypatch):
    monkeypatch.setattr(os, "getcwd", lambda: "/caf\udce9")
    header = header_for(MORNING, ["agent", "\udcff"], "acp-spy 0.1")
    assert header.command == ("agent", "\ufffd")
    assert header.cwd == "/caf\ufffd"
    encode([header])


def test_a_folder_that_was_removed_is_no_reason_to_fail(monkeypatch):
    def getcwd():
        raise FileNotFoundError

    monkeypatch.setattr(os, "getcwd", getcwd)
    assert header_for(MORNING, ["agent"], "acp-spy 0.1").cwd == ""


@pytest.fixture
def two_captures(tmp_path, monkeypatch):
    """Return a folder with two captures, which is the capture folder; we stand elsewhere."""
    folder = tmp_path / "captures"
    folder.mkdir()
    for name, day in (("old.jsonl", 1), ("new.jsonl", 2)):
        header = Header(started=f"2026-01-0{day}T00:00:00Z")
        (folder / name).write_bytes(encode([header]))
    monkeypatch.setenv("ACP_SPY_DIR", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def test_without_a_name_the_newest_capture_is_meant(two_captures):
    assert find_capture() == str(two_captures / "new.jsonl")


def test_a_name_may_be_one_in_the_capture_folder(two_captures, tmp_path):
    assert find_capture("old.jsonl") == str(two_captures / "old.jsonl")
    (tmp_path / "old.jsonl").write_text("{}")
    assert find_capture("old.jsonl") == "old.jsonl"  # what is here goes first


@pytest.mark.parametrize("named", ["missing.jsonl", "./old.jsonl", "../captures/x.jsonl", "/x"])
def test_whatever_else_is_named_is_a_path(two_captures, named):
    assert find_capture(named) == named


@pytest.mark.parametrize("named", ["old", "ol", "o"])
def test_the_ending_may_be_left_out_and_all_that_tells_no_other_apart(two_captures, named):
    assert find_capture(named) == str(two_captures / "old.jsonl")


def test_a_whole_name_goes_before_the_beginning_of_others(two_captures):
    (two_captures / "old.jsonl-copy").write_text("{}")
    (two_captures / "old-2.jsonl").write_text("{}")
    assert find_capture("old") == find_capture("old.jsonl") == str(two_captures / "old.jsonl")


def test_the_ending_may_be_left_out_of_a_path(two_captures):
    assert find_capture("captures/old") == "captures/old.jsonl"


def test_the_beginning_of_several_names_is_refused(two_captures):
    for number in (2, 3, 4):
        (two_captures / f"old-{number}.jsonl").write_text("{}")
    with pytest.raises(AcpSpyError) as caught:
        find_capture("ol")
    assert caught.value.message == (
        "`ol` matches 4 captures: old-2.jsonl, old-3.jsonl, old-4.jsonl, ..."
    )
    assert caught.value.hint == "run `acp-spy list` to see the captures in the capture folder"


def test_an_empty_file_is_refused_where_something_is_expected(two_captures):
    (two_captures / "none.jsonl").touch()
    with pytest.raises(AcpSpyError) as caught:
        find_capture("none")
    assert caught.value.message == f"cannot read `{two_captures}/none.jsonl`: it is empty"
    assert find_capture("none", may_be_empty=True) == str(two_captures / "none.jsonl")
