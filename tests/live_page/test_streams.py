"""What is sent to pages that read slowly, or go; and the list of captures as it is sent."""

import json
import os

import trio
from support.conversations import TALK, long_talk, talk
from support.live_pages import HEADER, record
from support.remote import receive
from trio.testing import lockstep_stream_pair, memory_stream_pair

from acp_spy.capture.codec import encode
from acp_spy.capture.transcript import parse
from acp_spy.live_page import live_capture
from acp_spy.live_page.access import Access
from acp_spy.live_page.capture_list import CaptureList
from acp_spy.live_page.live_capture import Choices, LiveCapture
from acp_spy.live_page.server import PageServer, Unrecorded

SECRET = "sk-ant-" + "api03-" + "Zq7" * 31 + "AA"


def asking(folder, path, pair, talk_to):
    """Run a server whose page at `pair` asks for `path`, and what the test does with it."""
    access, complaints = Access(), []
    key = access.enter(f"Bearer {access.token}")
    server = PageServer(
        Unrecorded(7000, complaints.append), access, Choices(masked=False), str(folder)
    )
    ask = f"GET {path} HTTP/1.1\r\nHost: localhost:7000\r\nAuthorization: Bearer {key}\r\n\r\n"

    async def main():
        ours, theirs = pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.handle, ours)
            await theirs.send_all(ask.encode())
            await talk_to(theirs)

    trio.run(main)
    assert complaints == []


def test_a_capture_is_read_no_faster_than_the_page_reads(tmp_path, monkeypatch):
    monkeypatch.setattr(live_capture, "_AT_ONCE", 4096)
    (tmp_path / "run.jsonl").write_bytes(encode([HEADER, *long_talk(1000)]))
    taken = []
    take = LiveCapture.take
    monkeypatch.setattr(LiveCapture, "take", lambda self: taken.append(1) or take(self))

    async def read_slowly(page):
        for received in range(1, 20):
            await page.receive_some()
            assert len(taken) <= received + 1
        assert len(taken) < 25
        await page.aclose()

    asking(tmp_path, "/api/capture/run.jsonl", lockstep_stream_pair, read_slowly)


def test_a_page_that_goes_leaves_nothing_open(tmp_path):
    file = record(tmp_path, talk()[1:5])
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None

    async def go(page):
        await receive(page, until=b"caughtUp")
        await page.aclose()

    asking(
        tmp_path, "/api/capture/run.jsonl", memory_stream_pair, go
    )  # and the server is done with it
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) == before
    file.close()


def news_of(captures):
    lines = captures.take()
    while captures.has_more:
        lines += captures.take()
    return [json.loads(line) for line in lines]


def test_the_list_says_what_there_is_and_then_what_changes(tmp_path):
    (tmp_path / "old.jsonl").write_bytes(encode(talk()))
    file = record(tmp_path, talk()[1:8], name="new.jsonl")
    captures = CaptureList(str(tmp_path))
    news = news_of(captures)
    assert [each["order"] for each in news if "order" in each][-1] == ["new.jsonl", "old.jsonl"]
    last = {each["name"]: each for line in news for each in line.get("captures", [])}
    assert [last[name]["state"] for name in ("new.jsonl", "old.jsonl")] == ["running", "ended"]
    assert last["old.jsonl"]["diagnosis"]["words"] == "client left"
    (pending,) = last["new.jsonl"]["pending"]
    assert (pending["of"], pending["method"]) == ("agent", "session/prompt")

    file.append(talk()[8:])
    file.close()
    changed = [each["name"] for line in news_of(captures) for each in line.get("captures", [])]
    assert set(changed) == {"new.jsonl"}
    os.unlink(tmp_path / "old.jsonl")
    assert [line["order"] for line in news_of(captures) if "order" in line] == [["new.jsonl"]]
    captures.close()


def test_the_list_masks_secrets(tmp_path):
    transcript = TALK.replace('"name":"helper"', f'"name":"{SECRET}"').replace("bye", SECRET)
    (tmp_path / f"{SECRET}.jsonl").write_bytes(encode([HEADER, *parse(transcript)]))
    for masked in (True, False):
        captures = CaptureList(str(tmp_path), masked=masked)
        shown = [each for line in news_of(captures) for each in line.get("captures", [])]
        assert [SECRET in each["agent"] for each in shown] == [not masked] * len(shown)
        assert [SECRET in each["file"] for each in shown] == [not masked] * len(shown)
        captures.close()
