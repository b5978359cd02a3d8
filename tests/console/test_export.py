"""The process that writes a file for the console: it ends with the console."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import DEADLINE, until

from acp_spy.console import export
from acp_spy.errors import AcpSpyError

CAPTURE = Path(__file__).parents[2] / "recordings" / "codex.jsonl"


def wanted(tmp_path, name="out.md"):
    job = object.__new__(export.Export)
    job.path = name
    job.job = {"capture": str(CAPTURE), "wanted": str(tmp_path / name), "filters": [], "only": None}
    return job


def test_what_cannot_be_written_is_an_error_and_not_a_part_of_a_file(tmp_path, monkeypatch):
    job = wanted(tmp_path, "no/such/out.md")
    with pytest.raises(AcpSpyError, match="cannot write") as raised:
        asyncio.run(job.run())
    assert "mkdir -p" in raised.value.hint
    monkeypatch.setattr(sys, "executable", "true")  # it ends without a word
    with pytest.raises(AcpSpyError, match="the process that writes it has ended"):
        asyncio.run(job.run())
    monkeypatch.setattr(sys, "executable", "/no/such")
    with pytest.raises(AcpSpyError, match="cannot export: No such file"):
        asyncio.run(job.run())
    assert os.listdir(tmp_path) == []


def run_instead(monkeypatch, script):
    """Have a shell script run as the process."""
    start = asyncio.create_subprocess_exec

    async def start_script(*_, **options):
        process = await start("sh", "-c", script, **options)
        process.send_signal = process.terminate = process.kill = pytest.fail
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_script)


def test_a_bug_in_the_process_is_reported_with_its_last_line(tmp_path, monkeypatch):
    run_instead(monkeypatch, "printf 'Traceback:\\n  code\\nKeyError: 5\\n' >&2; exit 1")
    with pytest.raises(AcpSpyError, match="that writes it has ended: KeyError: 5") as raised:
        asyncio.run(wanted(tmp_path).run())
    assert raised.value.hint == "please report it"


def test_a_process_that_has_replied_gets_no_signal(tmp_path, monkeypatch):
    # It may have ended, and then asyncio complains on stderr.
    run_instead(monkeypatch, """read -r job; echo '{"done": "all"}'""")
    assert asyncio.run(wanted(tmp_path).run()) == "written to out.md: all"


def test_the_process_ends_with_the_console_before_the_first_part_is_there(tmp_path):
    code = """
import time
from types import SimpleNamespace
from acp_spy.console import export

def render(view):
    print("begun", flush=True)
    while True:
        time.sleep(0.01)
    yield ""

export.format_of = lambda _: SimpleNamespace(render=render, to_be_shared=False)
export.main()
"""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            process.stdin.write(json.dumps(wanted(tmp_path).job).encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"begun\n"
            assert [name.endswith(".part") for name in os.listdir(tmp_path)] == [True]
            assert process.communicate(timeout=DEADLINE) == (b"", b"")  # closes stdin
        finally:
            process.kill()
    assert os.listdir(tmp_path) == []


def test_an_export_that_is_canceled_ends_at_once_and_leaves_no_part_of_a_file(
    tmp_path, monkeypatch
):
    out = tmp_path / "out"
    out.mkdir()
    busy = tmp_path / "busy"  # as one that does not come to notice that it should end
    part = out / "out.md"
    busy.write_text(f"#!/bin/sh\ntrap '' TERM\nread job\n: > '{part}'.$$.part\nexec sleep 600\n")
    busy.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(busy))

    async def cancel():
        task = asyncio.create_task(wanted(out).run())
        await asyncio.to_thread(until, lambda: os.listdir(out), "it writes")
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(cancel(), DEADLINE))
    assert os.listdir(out) == []


@pytest.mark.parametrize("is_own_session", [True, False])
def test_a_process_beside_the_console_is_nice_and_so_is_a_session_of_its_own(
    tmp_path, is_own_session
):
    group = tmp_path / "autogroup"
    group.write_text("0")
    code = f"""
import os
from acp_spy.console import priority

priority._GROUP = {str(group)!r}
before = os.nice(0)
priority.lower()
print(os.nice(0) == min(before + 5, 19))
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        start_new_session=is_own_session,
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"True\n"
    assert group.read_text() == ("5" if is_own_session else "0")
