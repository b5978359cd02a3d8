"""What is sent to pages that read slowly, or go; and the list of captures as it is sent."""

import json
import os
from contextlib import suppress

import trio
from support.conversations import TALK, long_talk, talk
from support.keys import spelled_out
from support.live_pages import HEADER, record
from support.remote import receive
from trio.testing import lockstep_stream_pair, memory_stream_pair

from acp_spy.capture.codec import encode, encode_finding
from acp_spy.capture.transcript import parse
from acp_spy.lint.ruleset import ALL_RULES
from acp_spy.live_page import live_capture
from acp_spy.live_page.access import Access
from acp_spy.live_page.capture_list import CaptureList
from acp_spy.live_page.find import name_in_url
from acp_spy.live_page.held_frames import as_shown
from acp_spy.live_page.live_capture import Choices, LiveCapture
from acp_spy.live_page.server import PageServer, Unrecorded
from acp_spy.middleware.holds.watching import Holding

SECRET = "sk-ant-" + "api03-" + "Zq7" * 31 + "AA"


def asking(folder, path, pair, talk_to, *, masked=False, named=""):
    """Run a server whose page at `pair` asks for `path`, and what the test does with it."""
    access, complaints = Access(), []
    key = access.enter(f"Bearer {access.token}")
    server = PageServer(
        Unrecorded(7000, complaints.append), access, Choices(masked=masked), str(folder), named
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


class SlowPage:
    """A request of a page that never reads all that is sent to it."""

    def __init__(self):
        self.calls = []
        self.sends = trio.Event()

    async def stream(self, _status, _headers):
        self.calls.append("stream")

    async def send(self, _data):
        self.calls.append("send")
        self.sends.set()
        await trio.sleep_forever()

    async def end(self):
        self.calls.append("end")

    async def wait_until_gone(self):
        await trio.sleep_forever()


def test_nothing_is_sent_after_half_of_a_line(tmp_path):
    """Not even the end: a page would take it for a part of the line, and wait for the rest."""
    server = PageServer(Unrecorded(7000, print), Access(), Choices(masked=False), str(tmp_path))
    page = SlowPage()

    async def main():
        async with server._stream(page) as send, trio.open_nursery() as nursery:
            nursery.start_soon(send, "a line")
            await page.sends.wait()
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert page.calls == ["stream", "send"]


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


def open_files(name):
    """Return how many descriptors of ours are of a file; nothing where that cannot be known."""
    folder = "/proc/self/fd"
    found = []
    for each in os.listdir(folder) if os.path.isdir(folder) else []:
        with suppress(OSError):  # that of the folder itself
            found.append(os.readlink(f"{folder}/{each}"))
    return [path for path in found if path.endswith(name)]


def test_a_page_that_goes_leaves_nothing_open(tmp_path):
    file = record(tmp_path, talk()[1:5])
    before = open_files("run.jsonl")

    async def go(page):
        await receive(page, until=b"caughtUp")
        await page.aclose()

    # The server is done with it, or this would not return.
    asking(tmp_path, "/api/capture/run.jsonl", memory_stream_pair, go)
    assert open_files("run.jsonl") == before
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


def test_a_file_that_cannot_be_shown_is_quoted_without_its_secrets(tmp_path):
    named = str(tmp_path / "odd.jsonl")
    secret = spelled_out("ghp_<36>")
    (tmp_path / "odd.jsonl").write_text(f"nonsense {secret}\n")
    path = f"/api/capture/{name_in_url(named)}"
    got = []

    async def read(page):
        got.append(await receive(page, until=b"}}"))
        await page.aclose()

    for masked in (True, False):
        asking(tmp_path, path, memory_stream_pair, read, masked=masked, named=named)
    assert [secret.encode() in each for each in got] == [False, True]
    assert b"nonsense redacted-github-token-1" in got[0]


def test_the_list_masks_what_only_the_capture_shows_to_be_a_secret(tmp_path):
    password = "correct-horse-battery-9"
    env = f'[{{"name": "DB_PASSWORD", "value": "{password}"}}]'
    server = f'{{"name": "m", "command": "/m", "args": [], "env": {env}}}'
    transcript = f"""
        -> {{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {{"protocolVersion": 1}}}}
        <- {{"jsonrpc": "2.0", "id": 0, "result": {{"protocolVersion": 1}}}}
        -> {{"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {{"cwd": "/", "mcpServers": [{server}]}}}}
        <- {{"jsonrpc": "2.0", "id": 1, "error": {{"code": -32000, "message": "no login with {password}"}}}}
        == 0
    """
    (tmp_path / "a.jsonl").write_bytes(encode([HEADER, *parse(transcript)]))
    for masked in (True, False):
        captures = CaptureList(str(tmp_path), masked=masked)
        shown = [each for line in news_of(captures) for each in line.get("captures", [])]
        assert "no login with" in shown[-1]["diagnosis"]["text"]
        assert (password in json.dumps(shown)) is not masked
        captures.close()


def test_a_recorded_finding_is_not_quoted_where_secrets_are_masked(tmp_path):
    """It quotes a line that is cut, so that nothing shows the password in it."""
    line = "connecting to postgres://app:sunshine42@db-primary.internal.example.com:5432/shop"
    transcript = f"""
        -> {{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {{"protocolVersion": 1}}}}
        <- {{"jsonrpc": "2.0", "id": 0, "result": {{"protocolVersion": 1}}}}
        <- {line}
    """
    records = [HEADER, *parse(transcript)]
    checker = ALL_RULES.checker()
    found = [each for record in records for each in checker.feed(record)]
    findings = b"".join(map(encode_finding, found))
    (tmp_path / "a.jsonl").write_bytes(encode(records) + findings)
    for masked in (True, False):
        captures = CaptureList(str(tmp_path), masked=masked)
        shown = [each for line in news_of(captures) for each in line.get("captures", [])]
        assert "FRM004" in shown[-1]["diagnosis"]["text"]
        assert ("sunshine42" in json.dumps(shown)) is not masked
        captures.close()


def test_a_held_frame_has_no_gist_where_secrets_are_masked():
    held = dict.fromkeys(
        ("seq", "sender", "size", "left", "edited", "aside", "behind", "waiting"), 0
    )
    held |= {"what": "session/set_config_option", "gist": "api_key=sonnenblume"}
    now = Holding(held=(held,))
    for is_masked in (True, False):
        (frame,) = as_shown(now, str, is_masked=is_masked)["frames"]
        assert frame["gist"] == ("" if is_masked else "api_key=sonnenblume")
