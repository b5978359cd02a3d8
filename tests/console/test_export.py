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
WRITER = [sys.executable, "-P", "-m", "acp_spy.console.export"]


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


def test_when_the_console_is_gone_nothing_is_written(tmp_path):
    theirs, ours = os.pipe()
    os.write(ours, json.dumps(wanted(tmp_path).job).encode() + b"\n")
    os.close(ours)
    with os.fdopen(theirs) as stdin:
        done = subprocess.run(
            WRITER, stdin=stdin, capture_output=True, timeout=DEADLINE, check=False
        )
    assert (done.stdout, done.stderr) == (b"", b"")
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
