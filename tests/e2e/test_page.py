"""`acp-spy view --format html`, from the command line to the file."""

import json
import os
import pty
import re
import subprocess

import pytest
from support.conversations import TALK, talk
from support.in_process import acp_spy
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse

SECRET = "sk-ant-" + "api03-" + "Zq7" * 31 + "AA"


@pytest.fixture
def capture(tmp_path):
    path = tmp_path / "talk.jsonl"
    path.write_bytes(encode(talk()))
    return path


def run(*words, **options):
    out, err, status = acp_spy("view", *words, **options)
    return status, out, err


def rows_in(page):
    block = re.search(r'id="acp-spy-rows">(.*?)</script>', page, re.DOTALL)
    return json.loads(block[1])


def test_the_page_is_written_for_its_owner(capture, tmp_path):
    page = tmp_path / "page.html"
    said = f"written to {page}; secrets masked: none found\n"
    assert run(capture, "--format", "html", "-o", page) == (0, "", said)
    assert page.read_text().startswith("<!doctype html>")
    assert page.read_text().endswith("</html>\n")
    assert len(rows_in(page.read_text())) == 25
    assert page.stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path)) == ["page.html", "talk.jsonl"]


def test_the_ending_of_the_file_is_enough_and_a_pipe_gets_the_same(capture, tmp_path):
    page = tmp_path / "page.html"
    assert run(capture, "-o", page)[0] == 0
    assert run(capture, "--format", "html") == (0, page.read_text(), "")


@pytest.mark.long
def test_the_page_itself_has_nothing_that_looks_like_a_secret(capture, tmp_path):
    page = tmp_path / "page.html"
    assert run(capture, "-o", page)[0] == 0
    said = "1 file checked, no secrets found\n"
    assert acp_spy("redact", "--check", page) == ("", said, 0)


def test_a_capture_from_a_pipe_is_a_page_as_well(capture):
    status, out, err = run("/dev/stdin", "--format", "html", stdin=capture.read_bytes())
    assert (status, err) == (0, "")
    assert len(rows_in(out)) == 25


def test_filters_choose_the_rows(capture):
    status, out, _ = run(capture, "from:client", "-kind:response", "--format", "html")
    assert status == 0
    assert [row[2] for row in rows_in(out)] == [1, 3, 5, 22, None]


def test_secrets_are_masked_unless_they_are_asked_for(tmp_path):
    path = tmp_path / "talk.jsonl"
    records = parse(TALK.replace("warming up", f"key is {SECRET}"))
    path.write_bytes(encode([Header(command=("agent", "--api-key", SECRET)), *records]))
    assert SECRET not in run(path, "--format", "html")[1]
    assert SECRET in run(path, "--format", "html", "--show-secrets")[1]


def test_what_is_wrong_is_said_and_no_page_is_left(capture, tmp_path):
    page = tmp_path / "page.html"
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(capture.read_bytes().replace(b'"seq":7', b'"seq":', 1))
    for arguments in ((damaged,), (tmp_path / "none.jsonl",), (capture, "colour:red")):
        status, out, err = run(*arguments, "--format", "html", "-o", page)
        assert (status, out) == (2, "")
        assert err.startswith("error: ")
        assert not page.exists()
    assert run(capture, "--format", "html", "-o", capture)[0] == 2
    assert len(rows_in(run(capture, "--format", "html")[1])) == 25


def test_a_terminal_is_not_flooded_with_a_page(capture):
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [*ACP_SPY, "view", str(capture), "--format", "html"],
            stdout=theirs,
            stderr=subprocess.PIPE,
            timeout=DEADLINE,
            check=False,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "error: cannot write a page to the terminal: it is for a browser\nhint: write it to a file: `-o page.html`\n"
    )
