"""Whoever writes, and whenever the proxy goes: every finding is in the capture once, in order."""

import os

import pytest

from acp_spy.live_check import DONE, findings_writer
from acp_spy.live_check.findings_writer import FindingsWriter

HEADER = b'{"type":"header","format":1}\n'


def finding(number):
    return b'{"type":"finding","seq":%d}\n' % number


@pytest.fixture
def capture(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(HEADER)
    return path


@pytest.fixture
def pipe():
    reader, writer = os.pipe()
    yield reader, writer
    os.close(writer)


@pytest.fixture
def writer(capture, pipe):
    descriptor = os.open(capture, os.O_RDWR | os.O_APPEND)
    yield FindingsWriter(descriptor, pipe[1])
    os.close(descriptor)


def append(path, data):
    with path.open("ab") as file:
        file.write(data)


def test_while_the_proxy_lives_it_is_sent_them_and_nothing_is_written(capture, pipe, writer):
    reader, _ = pipe
    writer.write([finding(1), finding(2)])
    writer.send(DONE)
    assert os.read(reader, 1000) == finding(1) + finding(2) + DONE + b"\n"
    assert capture.read_bytes() == HEADER
    os.close(reader)


@pytest.mark.parametrize("written", range(4))
def test_what_the_proxy_did_not_write_is_written_when_it_has_gone(capture, pipe, writer, written):
    reader, _ = pipe
    findings = [finding(number) for number in range(3)]
    writer.write(findings[:2])
    writer.write(findings[2:])
    append(capture, b"".join(findings[:written]))
    os.close(reader)
    writer.end()
    assert capture.read_bytes() == HEADER + b"".join(findings)


def test_what_is_found_after_that_comes_after_it(capture, pipe, writer):
    reader, _ = pipe
    writer.write([finding(1)])
    os.close(reader)
    writer.write([finding(2)])
    writer.write([finding(3)])
    writer.end()
    assert capture.read_bytes() == HEADER + finding(1) + finding(2) + finding(3)


@pytest.mark.parametrize("torn", [1, 12, 20, len(finding(1)) - 1])
def test_a_finding_that_was_torn_is_completed(capture, pipe, writer, torn):
    """A fatal signal ends a write anywhere, also before the line shows what it is."""
    reader, _ = pipe
    findings = [finding(number) for number in range(4)]
    writer.write(findings[:3])
    append(capture, findings[0] + findings[1][:torn])
    os.close(reader)
    writer.write(findings[3:])
    writer.end()
    assert capture.read_bytes() == HEADER + b"".join(findings)


def test_nothing_is_put_behind_a_torn_frame(capture, pipe, writer):
    reader, _ = pipe
    append(capture, b'{"type":"frame","seq":1,"t":0.1,"se')
    os.close(reader)
    writer.write([finding(1)])
    writer.end()
    assert capture.read_bytes().endswith(b'"se')


def test_what_is_kept_does_not_grow_with_what_is_found(capture, pipe, writer, monkeypatch):
    reader, _ = pipe
    monkeypatch.setattr(findings_writer, "_KEPT", 100)
    for number in range(100):
        writer.write([finding(number)])
        append(capture, os.read(reader, 1000))
    assert sum(map(len, writer._kept)) < 200
    os.close(reader)
    writer.end()
    assert capture.read_bytes() == HEADER + b"".join(map(finding, range(100)))


def test_a_complaint_is_one_line(capture, pipe, writer):
    reader, _ = pipe
    writer.complain("a rule\nraised \ud800")
    assert os.read(reader, 1000) == b"a rule raised \\ud800\n"
    os.close(reader)
