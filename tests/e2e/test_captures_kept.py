"""`acp-spy list` and `acp-spy prune` on captures of real proxies: running, ended and killed."""

import json
import os
import signal
import subprocess
import time

import pytest
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE, ECHO, python

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header

LINE = b'{"jsonrpc":"2.0","method":"x"}\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "kept"
    folder.mkdir()
    monkeypatch.setenv("ACP_SPY_DIR", str(folder))
    return folder


def states():
    out, err, status = acp_spy("list", "--format", "json")
    assert (err, status) == ("", 0)
    return {
        os.path.basename(capture["path"]): (capture["state"], capture["frames"], capture["status"])
        for capture in json.loads(out)["captures"]
    }


def talk(spy, folder, name, agent=ECHO):
    """Start a proxy that records into the folder; return it once a frame has gone both ways."""
    # Unjudged, for a judge may write after the proxy has gone.
    peer = spy(agent, "--no-check", "-o", str(folder / name))
    peer.send(LINE)
    assert peer.read_line() == LINE
    return peer


def test_running_ended_and_killed_are_told_apart(spy, folder):
    talk(spy, folder, "running.jsonl")
    ended = talk(spy, folder, "ended.jsonl")
    killed = talk(spy, folder, "killed.jsonl")
    assert states() == {
        "running.jsonl": ("running", 2, None),
        "ended.jsonl": ("running", 2, None),
        "killed.jsonl": ("running", 2, None),
    }
    ended.close_stdin()
    ended.wait()
    killed.signal(signal.SIGKILL)
    killed.wait()
    assert states() == {
        "running.jsonl": ("running", 2, None),
        "ended.jsonl": ("ended", 2, 0),
        "killed.jsonl": ("cut off", 2, None),
    }


def test_a_child_that_the_agent_leaves_behind_does_not_keep_it_running(spy, folder):
    """Neither the agent nor its children have the capture open."""
    agent = python(
        """
        import os, subprocess, sys
        line = os.read(0, 65536)
        null = subprocess.DEVNULL
        child = subprocess.Popen(["/bin/sleep", "60"], stdin=null, stdout=null, stderr=null)
        print(child.pid, flush=True)
        """
    )
    peer = spy(agent, "-o", str(folder / "run.jsonl"))
    peer.send(LINE)
    child = int(peer.read_line())
    try:
        assert peer.wait() == 0
        assert states() == {"run.jsonl": ("ended", 2, 0)}
    finally:
        os.kill(child, signal.SIGKILL)


def test_the_newest_comes_first_for_people(spy, folder):
    for name in ("one.jsonl", "two.jsonl"):
        talk(spy, folder, name)
    out, err, status = acp_spy("list", env={"COLUMNS": "120"})
    lines = out.splitlines()
    assert (err, status) == ("", 0)
    assert [line.split()[-1] for line in lines[:3]] == ["name", "two.jsonl", "one.jsonl"]
    assert lines[1].split()[2] == "running"
    assert lines[4].startswith("2 captures, ")


def test_an_empty_folder_is_no_error(folder):
    assert acp_spy("list") == (f"no captures in {folder}\n", "", 0)
    assert acp_spy("list", "--format", "json")[0] == (
        f'{{\n  "folder": "{folder}",\n  "captures": []\n}}\n'
    )


@pytest.mark.parametrize("words", [("list",), ("prune", "--keep", "5")], ids=["list", "prune"])
def test_a_folder_that_was_named_must_be_there(tmp_path, words):
    said = (
        f"error: cannot {words[0]} `{tmp_path}/nope`: it does not exist\n"
        "hint: name a folder that exists: `--dir DIR`\n"
    )
    assert acp_spy(*words, "--dir", tmp_path / "nope") == ("", said, 2)


def test_prune_wants_to_be_told_what_may_go(folder):
    said = (
        "error: specify `--keep` or `--older-than`\n"
        "hint: run `acp-spy prune --keep 20` or `acp-spy prune --older-than 30d`;"
        " add `--dry-run` to see what would be removed\n"
    )
    assert acp_spy("prune") == ("", said, 2)


def put(folder, name, days_old=0):
    """Put a capture that began, and was last written, so long ago."""
    path = folder / name
    then = time.time() - days_old * 86400
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(then))
    path.write_bytes(encode([Header(started=started, cwd="x" * 2000)]))
    os.utime(path, (then, then))
    return path


def test_prune_removes_the_old_and_leaves_what_runs_and_what_is_not_ours(spy, folder):
    killed = talk(spy, folder, "killed.jsonl")
    killed.signal(signal.SIGKILL)
    killed.wait()
    running = talk(spy, folder, "running.jsonl")
    (folder / "notes.txt").write_text("mine\n")
    elsewhere = put(folder.parent, "linked.jsonl", 900)
    (folder / "link.jsonl").symlink_to(elsewhere)
    put(folder, "old.jsonl", 40)
    for name in ("killed.jsonl", "running.jsonl"):
        os.utime(folder / name, (0, 0))
    out, err, status = acp_spy("prune", "--older-than", "30d")
    assert (err, status) == ("", 0)
    lines = out.splitlines()
    assert lines[0].startswith("removed killed.jsonl  ")
    assert lines[1] == "removed old.jsonl  2.1 kB"
    assert lines[2].startswith("removed 2 captures, ")
    assert lines[2].endswith(f"; 1 capture left in {folder}")
    assert lines[3:] == ["kept 1 capture still being recorded"]
    assert {path.name for path in folder.iterdir()} == {"running.jsonl", "notes.txt", "link.jsonl"}
    assert elsewhere.exists()
    running.send(LINE)
    assert running.read_line() == LINE
    assert states()["running.jsonl"] == ("running", 4, None)


def test_prune_keeps_the_newest(folder):
    for days in range(4):
        put(folder, f"{days}.jsonl", days)
    told = (
        "would remove 2.jsonl  2.1 kB\n"
        "would remove 3.jsonl  2.1 kB\n"
        f"would remove 2 captures, 4.2 kB; 2 captures left in {folder}\n"
    )
    assert acp_spy("prune", "--keep", "2", "--dry-run") == (told, "", 0)
    assert len(list(folder.iterdir())) == 4
    assert acp_spy("prune", "--keep", "1", "--older-than", "2d 1h")[0] == (
        f"removed 3.jsonl  2.1 kB\nremoved 1 capture, 2.1 kB; 3 captures left in {folder}\n"
    )
    assert sorted(path.name for path in folder.iterdir()) == ["0.jsonl", "1.jsonl", "2.jsonl"]


def test_a_reader_that_has_seen_enough_does_not_stop_the_removal(folder):
    for days in range(3):
        put(folder, f"{days}.jsonl", days)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*ACP_SPY, "prune", "--keep", "0"],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=DEADLINE,
        check=False,
    )
    os.close(writing)
    assert (done.stderr, done.returncode) == (b"", 0)
    assert list(folder.iterdir()) == []


def test_a_name_from_the_list_will_do_for_other_commands(spy, folder):
    talk(spy, folder, "run.jsonl")
    assert acp_spy("raw", "run.jsonl", "--sender", "client") == (LINE.decode(), "", 0)
    assert acp_spy("check", "--format", "concise", "run.jsonl")[0].startswith(
        f"{folder}/run.jsonl:2:"
    )
