"""`acp-spy import`, and the commands that take other tools' files as they are."""

import json
import os
import resource
import stat
import subprocess
import sys
from functools import partial

import msgspec
import pytest
from support.fake_agent import open_descriptors
from support.foreign import FOLDER
from support.in_process import acp_spy

from acp_spy import __version__
from acp_spy.capture.files import load


def test_a_capture_is_made_that_only_its_owner_can_read(tmp_path):
    target, before = tmp_path / "run.jsonl", open_descriptors()
    out, err, status = acp_spy("import", FOLDER / "sacp-tee.log", "-o", target)
    assert (out, status, open_descriptors()) == ("", 0, before)
    assert err == (
        f"{target}: 5 frames from the client, 6 frames from the agent\n"
        "note: imported from sacp-tee's text log; lost: times, CR and whether the last line had its"
        " end, stderr, exit\n"
    )
    assert stat.S_IMODE(os.stat(target).st_mode) == 0o600
    made, read = load(target), load(FOLDER / "sacp-tee.log")
    assert made.records == read.records
    assert made.header == msgspec.structs.replace(read.header, tool=f"acp-spy {__version__}")


@pytest.mark.parametrize("output", [".", "..", "folder", "folder/"])
def test_a_capture_stays_in_the_folder_that_is_named(tmp_path, output):
    inside = tmp_path / "inside"
    (inside / "folder").mkdir(parents=True)
    _, err, status = acp_spy("import", FOLDER / "zed.json", "-o", output, cwd=inside)
    assert (status, err.startswith(f"{os.path.join(output, 'zed.jsonl')}: ")) == (0, True)
    assert load(inside / output / "zed.jsonl").records == load(FOLDER / "zed.json").records


def test_an_existing_file_is_left_alone(tmp_path):
    target = tmp_path / "run.jsonl"
    target.write_text("mine")
    _, err, status = acp_spy("import", FOLDER / "zed.json", "-o", target)
    assert status == 0
    assert err.startswith(f"{tmp_path / 'run-2.jsonl'}: ")
    assert target.read_text() == "mine"
    assert load(tmp_path / "run-2.jsonl").records == load(FOLDER / "zed.json").records


def test_without_a_name_it_goes_to_stdout():
    data = (FOLDER / "ndjson.ndjson").read_bytes()
    out, err, status = acp_spy("import", "/dev/stdin", "--from", "ndjson", stdin=data)
    assert status == 0
    assert err.startswith("stdout: 5 frames from the client, 6 frames from the agent\nnote: ")
    header, *frames = map(json.loads, out.splitlines())
    assert header["note"].startswith("imported from plain NDJSON")
    assert [frame["message"] for frame in frames] == list(map(json.loads, data.splitlines()))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((FOLDER / "zed.json", "--from", "zedd"), "no such format: `zedd`; did you mean `zed`"),
        (("nope.log",), "directory\nhint: give the path of the file to convert\n"),
        ((FOLDER,), "directory\nhint: give the path of the file to convert\n"),
        ((FOLDER / "zed.json", "-o", "/dev/full"), "cannot write `/dev/full`: No space left"),
    ],
)
def test_what_cannot_be_imported_is_exit_2_and_leaves_nothing(words, said, tmp_path):
    given = words if "-o" in words else (*words, "-o", "new.jsonl")
    out, err, status = acp_spy("import", *given, cwd=tmp_path)
    assert (out, status) == ("", 2)
    assert err.startswith("error: ")
    assert said in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_the_disk_has_no_room_for_is_not_left_behind(tmp_path):
    """A part of it would be taken for the whole."""
    source, target = tmp_path / "talk.ndjson", tmp_path / "run.jsonl"
    source.write_text('{"jsonrpc":"2.0","method":"x"}\n' * 1000)
    done = subprocess.run(
        [sys.executable, "-m", "acp_spy", "import", source, "-o", target],
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (10_000, 10_000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: cannot write `{target}`: File too large\n"
    assert not target.exists()


def test_check_takes_such_a_file_as_it_is():
    out, err, status = acp_spy("check", "--select", "LIF130", FOLDER / "conductor.jsons")
    assert status == 1
    assert err.startswith(f"note: `{FOLDER / 'conductor.jsons'}`: imported from the Rust conductor")
    assert "10  client → " in out
    assert '"modeId":"x"' in out


def test_raw_takes_such_a_file_as_it_is():
    out, err, status = acp_spy("raw", FOLDER / "acp-devtools.json", "--sender", "client")
    assert (err, status) == ("", 0)
    assert out == (FOLDER / "ndjson-client-only.ndjson").read_text()


def test_view_takes_such_a_file_as_it_is():
    out, _, status = acp_spy("view", FOLDER / "gptme.log")
    assert status == 0
    assert "agent says  Allô ✓" in out


def test_such_a_file_cannot_be_followed():
    _, err, status = acp_spy("view", "-f", FOLDER / "gptme.log")
    assert status == 2
    assert "it is not a capture, for it does not begin with a `header`\nhint: follow" in err
