"""`acp-spy why`: which capture, what is printed, and the exit status."""

import json
import os
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.diagnoses import EXAMPLES
from support.in_process import acp_spy
from support.pages import Blocks

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Header
from acp_spy.diagnosis.kinds import KINDS
from acp_spy.lint.ruleset import ALL_RULES
from acp_spy.view.filters import row_filter
from acp_spy.view.findings.why import of_capture
from acp_spy.view.layout import Layout
from acp_spy.view.live_view import LiveView

WIDE = {"COLUMNS": "200"}


def write(folder, kind, name="run.jsonl", started="2026-01-05T09:30:00Z"):
    header, *records = EXAMPLES[kind].records()
    header = Header(started=started, note=header.note)
    path = folder / name
    path.write_bytes(encode([header, *records]))
    return path


@pytest.mark.parametrize("kind", [name for name in EXAMPLES if EXAMPLES[name].now is None])
def test_every_kind_is_shown_with_its_frames_and_its_hint(kind, tmp_path):
    path = write(tmp_path, kind)
    out, err, status = acp_spy("why", path, env=WIDE)
    assert err == ""
    assert status == KINDS[kind].is_wrong
    found = EXAMPLES[kind].diagnosis()
    assert out.startswith(f"{KINDS[kind].words}  {found.must_fix}".rstrip() + "\n")
    for text in (found.text, found.hint):
        assert of_capture(text, str(path)) in " ".join(out.split())
    for seq in found.seq:
        assert f"\n  {seq:>4}  " in out


def test_what_may_have_changed_the_traffic_is_said_at_the_top(tmp_path):
    path, note = tmp_path / "run.jsonl", "acp-spy may have changed the traffic: --fix"
    path.write_bytes(encode([Header(note=note), *EXAMPLES["fine"].records()[1:]]))
    out = acp_spy("why", path, env=WIDE).out
    assert out.splitlines()[2] == f"  note: {note}"
    assert json.loads(acp_spy("why", path, "--format", "json").out)["note"] == note
    assert acp_spy("view", path, env=WIDE).out.splitlines()[1] == f"note: {note}"
    assert f"Note: `{note}`" in acp_spy("view", path, "--format", "markdown").out


def test_it_is_the_same_everywhere(tmp_path):
    path = write(tmp_path, "prompt-failed")
    found = json.loads(acp_spy("why", path, "--format", "json").out)["diagnosis"]
    assert found == json.loads(json.dumps(EXAMPLES["prompt-failed"].diagnosis().as_json()))
    checked = json.loads(acp_spy("check", path, "--format", "json").out)
    assert checked["captures"][0]["diagnosis"] == found
    viewed = json.loads(acp_spy("view", path, "--format", "json").out)
    assert viewed["diagnosis"] == found
    listed = json.loads(acp_spy("list", "--dir", tmp_path, "--format", "json").out)
    assert listed["captures"][0]["diagnosis"] == found
    line = f"prompt failed: {found['text']}\n"
    checked = acp_spy("check", path, env=WIDE).out
    assert checked.startswith(f"{path}: prompt failed\n  {found['text']}\n")
    assert f"\n{line}" in acp_spy("view", path, env=WIDE).out
    assert f"{found['text']}\nagent must fix\n" in acp_spy("view", path, "--format", "markdown").out
    assert "prompt failed" in acp_spy("list", "--dir", tmp_path, env=WIDE).out


def test_the_machine_formats_of_check_have_no_line_of_it(tmp_path):
    path = write(tmp_path, "prompt-failed")
    for form in ("concise", "github"):
        assert "prompt failed" not in acp_spy("check", path, "--format", form).out


def test_list_takes_the_recorded_errors_for_those_of_the_check(tmp_path):
    path = write(tmp_path, "fine")
    with path.open("ab") as file:
        for seq in (6, 4):
            file.write(
                b'{"type":"finding","seq":%d,"code":"SCH001","name":"x","severity":"error",'
                b'"blame":"agent","text":"seen","t":0.1}\n' % seq
            )
    listed = json.loads(acp_spy("list", "--dir", tmp_path, "--format", "json").out)
    found = listed["captures"][0]["diagnosis"]
    assert (found["kind"], found["seq"], found["blame"]) == ("protocol-errors", [4], "agent")
    assert "reports 1 more" in found["text"]


def test_a_large_capture_has_no_diagnosis_in_the_list(tmp_path, monkeypatch):
    write(tmp_path, "fine", "a.jsonl")
    write(tmp_path, "fine", "b.jsonl")
    size = os.path.getsize(tmp_path / "a.jsonl")
    monkeypatch.setattr("acp_spy.cli.list.MOST_TO_DIAGNOSE_TOGETHER", size)
    listed = json.loads(acp_spy("list", "--dir", tmp_path, "--format", "json").out)["captures"]
    assert [each["diagnosis"] is None for each in listed] == [False, True]
    monkeypatch.setattr("acp_spy.cli.list.MOST_TO_DIAGNOSE", size - 1)
    listed = json.loads(acp_spy("list", "--dir", tmp_path, "--format", "json").out)["captures"]
    assert [each["diagnosis"] for each in listed] == [None, None]


def test_secrets_are_masked_where_others_read_it(tmp_path):
    from support.keys import spelled_out

    secret = spelled_out("ghp_<36>")
    path = write(tmp_path, "prompt-failed")
    path.write_bytes(path.read_bytes().replace(b"model overloaded", f"bad {secret}".encode()))
    assert secret in acp_spy("why", path, env=WIDE).out
    assert secret not in acp_spy("view", path, "--format", "markdown").out
    assert secret not in acp_spy("view", path, "--format", "html").out


def test_what_is_being_recorded_is_read_before_the_newest(tmp_path):
    """A finished capture that was begun later does not count; durations are those so far."""
    write(tmp_path, "fine", "newer.jsonl", started="2999-01-01T00:00:00Z")
    started = datetime.fromtimestamp(time.time() - 120, UTC).isoformat()
    capture = CaptureFile(str(tmp_path / "running.jsonl"), Header(started=started))
    try:
        capture.append(EXAMPLES["prompt-pending"].records()[1:])
        out, err, status = acp_spy("why", env={**WIDE, "ACP_SPY_DIR": str(tmp_path)})
        assert err == f"reading the newest capture: {tmp_path}/running.jsonl\n"
        assert out.startswith("prompt pending  agent must fix\n")
        assert "for 2 m " in out
        assert status == 1
    finally:
        os.close(capture._fd)


def test_a_missing_capture_is_wrong_use(tmp_path):
    done = acp_spy("why", tmp_path / "none.jsonl")
    assert done.status == 2
    assert done.err.startswith("error: cannot read ")


def test_stdin_can_be_read(tmp_path):
    done = acp_spy("why", "-", stdin=write(tmp_path, "agent-died").read_bytes())
    assert done.out.startswith("agent died  agent must fix\n")


def test_a_view_that_follows_shows_it_while_something_is_wrong():
    talk = EXAMPLES["prompt-pending"]
    view = LiveView("run.jsonl", row_filter([]), ALL_RULES, Layout(120))
    view.feed([Header(started="1970-01-01T00:00:00Z"), *talk.records()[1:]])
    assert view.unfinished(3.0, 20, ended=False)[1:] == [
        "── waiting for agent: `session/prompt` 3.0 s"
    ]
    first, *_, last = view.unfinished(talk.now, 20, ended=False)[1:]
    assert first.startswith("── prompt pending: The agent has not finished `session/prompt`")
    assert last == "── waiting for agent: `session/prompt` 1 m 15 s"


def test_the_page_has_it(tmp_path):
    page = acp_spy("view", write(tmp_path, "prompt-failed"), "--format", "html").out
    found = json.loads(dict(Blocks(page).blocks)["acp-spy-about"])["diagnosis"]
    assert (found["kind"], found["words"], found["isWrong"]) == (
        "prompt-failed",
        "prompt failed",
        True,
    )


def test_a_command_in_the_hint_names_the_capture_and_can_be_pasted(tmp_path):
    path = tmp_path / "a b.jsonl"
    shutil.copy(Path(__file__).parents[2] / "recordings" / "vibe.jsonl", path)
    why = acp_spy("why", path, env={"COLUMNS": "400"}).out
    assert f"run `acp-spy stats '{path}'` to see" in why


def test_a_held_frame_is_released_in_the_run_that_it_is_about():
    hint = of_capture(EXAMPLES["frame-held"].diagnosis().hint, "a b.jsonl")
    assert hint == (
        "release it with `acp-spy hold release 6 --capture 'a b.jsonl'`, or with `a` in `acp-spy"
        " live 'a b.jsonl'`; it goes on by itself after `--hold-timeout`"
    )


def test_a_folder_is_named_by_dir():
    refused = acp_spy("list", "--folder", "x")
    assert refused.err.endswith("no such option: `--folder`\nhint: use `--dir DIR`\n")
