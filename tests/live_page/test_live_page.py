"""The live page in a real browser, while the test records."""

import json
import os
import socket
import threading
from pathlib import Path

import pytest
from support.browser import REBOUND
from support.conversations import long_talk, says, talk
from support.holds import Run, request
from support.live_pages import HEADER, record, served

from acp_spy.capture.codec import encode
from acp_spy.capture.lock import hold
from acp_spy.capture.records import Stderr
from acp_spy.capture.transcript import parse
from acp_spy.live_page import live_capture
from acp_spy.live_page.access import Access
from acp_spy.live_page.find import name_in_url
from acp_spy.live_page.live_capture import LiveCapture
from acp_spy.view.captures import live
from acp_spy.wire.frame import Frame, Peer

RECORDS = talk()[1:]
HOSTILE = "</script><img src=x onerror=alert(1)><script>alert(2)</script>\u202e\x1b[2J{{script}}"


def items(tab):
    return tab.page.evaluate("acpSpy.page.items()")


def test_frames_findings_and_the_diagnosis_appear_as_they_are_recorded(tmp_path, open_tab):
    file = record(tmp_path, RECORDS[:7])
    with served(tmp_path) as server:
        tab = open_tab(server.url(file.path))
        tab.shows_frames(6)
        tab.says("Live")
        assert tab.page.url == server.url(file.path, token=False)  # the token is gone from it
        assert tab.text("#count-findings") == "0"
        tab.wait_for_text("#diagnosis", "prompt pending")
        before = tab.page.locator("#plot .span").count()
        tab.page.evaluate("acpSpy.page.go(acpSpy.page.model.bySeq.get(4))")

        file.append(RECORDS[7:-1])
        tab.shows_frames(22)
        tab.waits("() => document.getElementById('count-findings').textContent === '2'")
        tab.waits("before => document.querySelectorAll('#plot .span').length > before", before)
        chosen = tab.page.evaluate(
            "(document.querySelector('#rows [aria-selected=true]')"
            " || document.querySelector('#view h2')).innerText"
        )
        assert "4" in chosen  # what was chosen stays so

        file.append(RECORDS[-1:])
        file.close()
        tab.says("Ended")
        tab.wait_for_text("#diagnosis", "client left")
        hint = tab.page.evaluate("acpSpy.page.model.diagnosis.hint")
        assert tab.text("#diagnosis .hint") == f"Hint: {hint.replace('`', '')}."
        tab.waits("() => document.getElementById('count-findings').textContent === '3'")
        tab.wait_for_text("#facts", "ended: status 0")
        tab.page.reload()  # the key is kept
        tab.shows_frames(22)


@pytest.mark.long
def test_what_is_open_and_the_filter_stay_while_frames_come(tmp_path, open_tab):
    file = record(tmp_path, RECORDS[:9])
    with served(tmp_path) as server:
        tab = open_tab(server.url(file.path, hash_="filter=from%3Aagent"))
        tab.shows_frames(5)
        tab.page.locator("#rows").focus()
        tab.press("End", "Enter")  # unfold the thought
        tab.waits("() => acpSpy.page.items() === 7")
        tab.page.locator("#tab-findings").click()
        file.append(RECORDS[9:])
        tab.shows_frames(17)
        tab.waits("() => document.querySelectorAll('#view .card').length === 2")
        assert tab.page.locator("#rows .deep").count() == 3
        assert tab.page.input_value("#filter") == "from:agent"
    file.close()


@pytest.mark.long
def test_the_end_is_followed_until_somebody_scrolls(tmp_path, open_tab):
    at_end = "() => { const box = document.getElementById('rows'); return box.scrollTop + box.clientHeight >= box.scrollHeight - 4; }"
    file = record(
        tmp_path, [*RECORDS[:6], *parse("\n".join(f"<~ noise {number}" for number in range(60)))]
    )
    with served(tmp_path) as server:
        tab = open_tab(server.url(file.path))
        tab.shows_frames(65)
        tab.waits(at_end)
        assert tab.page.get_attribute("#follow", "aria-pressed") == "true"
        tab.page.locator("#rows").focus()
        tab.press("g")
        tab.waits(
            "() => document.getElementById('follow').getAttribute('aria-pressed') === 'false'"
        )
        file.append([Frame(100, 3.0, Peer.AGENT, b"later\n")])
        tab.shows_frames(66)
        assert tab.page.evaluate("document.getElementById('rows').scrollTop") == 0
        tab.press("F")
        tab.waits(at_end)
        # Less room for the rows, as when frames are held: the end is still followed.
        tab.page.evaluate("document.getElementById('pending').before('more '.repeat(2000))")
        file.append([Frame(101, 4.0, Peer.AGENT, b"later\n")])
        tab.shows_frames(67)
        tab.waits(at_end)
        assert tab.page.get_attribute("#follow", "aria-pressed") == "true"
    file.close()


@pytest.fixture
def port():
    """Give a port that nobody else gets while no server listens at it."""
    with socket.socket() as kept:
        # So that a server can listen at it all the same.
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


@pytest.mark.long
def test_a_page_reconnects_when_the_server_is_back(tmp_path, open_tab, port):
    file = record(tmp_path, RECORDS[:9])
    access = Access()
    with served(tmp_path, port=port, access=access) as server:
        tab = open_tab(server.url(file.path))
        tab.shows_frames(8)
        tab.page.evaluate("acpSpy.page.go(acpSpy.page.model.bySeq.get(7))")
    tab.says("Reconnecting")
    assert tab.page.evaluate("acpSpy.page.shown().length") == 8  # what it has, it shows
    file.append(RECORDS[9:-1])
    with served(tmp_path, port=port, access=access):
        tab.shows_frames(22)
        tab.says("Live")
        assert tab.text("#view h2").startswith("#7 ")
        file.append([Frame(23, 8.0, Peer.AGENT, b"later\n")])
        tab.shows_frames(23)
    # Another run at the same port has another key: the page says so until its link is opened.
    with served(tmp_path, port=port) as other:
        tab.says("Disconnected")
        second = open_tab(other.url(file.path), beside=tab)
        second.shows_frames(23)
        tab.says("Live")
    file.close()


def test_the_first_rows_of_a_large_capture_are_shown_while_it_is_read(
    tmp_path, open_tab, monkeypatch
):
    monkeypatch.setattr(live_capture, "_LARGE", 1)
    monkeypatch.setattr(live_capture, "_AT_ONCE", 1000)
    go_on, take = threading.Event(), LiveCapture.take

    def take_some(live):
        if live._count:  # there are rows
            go_on.wait()
        return take(live)

    monkeypatch.setattr(LiveCapture, "take", take_some)
    (tmp_path / "run.jsonl").write_bytes(encode([HEADER, *RECORDS]))
    with served(tmp_path) as server:
        tab = open_tab(server.url(tmp_path / "run.jsonl", hash_="seq=22"))
        try:
            tab.waits("() => acpSpy.page && acpSpy.page.shown().length > 0")
            assert tab.page.evaluate("acpSpy.page.shown().length") < 22
            tab.waits("() => /^Reading \\d+ %$/.test(document.querySelector('.live').textContent)")
            assert "cut off" not in tab.text("#facts")
            assert "secrets masked: still being counted" in tab.text("#facts")
            tab.page.locator("#tab-stats").click()
            assert "still being read" in tab.text("#view")
        finally:
            go_on.set()
        tab.shows_frames(22)
        tab.says("Ended")
        tab.wait_for_text("#view h2", "#22 ")  # the frame that the address names
        tab.wait_for_text("#facts", "secrets masked: none found")


@pytest.mark.long
def test_two_tabs_see_the_same_and_closing_one_ends_nothing(tmp_path, open_tab):
    file = record(tmp_path, RECORDS[:5])
    with served(tmp_path) as server:
        first = open_tab(server.url(file.path))
        first.shows_frames(4)
        second = open_tab(
            server.url(file.path, token=False), beside=first
        )  # by the key that is kept
        second.shows_frames(4)
        first.page.close()
        file.append(RECORDS[5:])
        second.shows_frames(22)
    file.close()


@pytest.mark.long
def test_without_the_link_a_page_shows_nothing_but_how_to_get_it(tmp_path, open_tab):
    file = record(tmp_path, RECORDS)
    with served(tmp_path) as server:
        tab = open_tab(server.url(file.path, token=False))
        server.access.enter(f"Bearer {server.access.token}")  # somebody else was faster
        for url, why in (
            (server.url(file.path, token=False), "was not opened by the link"),
            (server.url() + "x", "this link is wrong: "),
            (server.url(), "this link was used already"),
            (server.url(file.path), "this link was used already"),
        ):
            tab.page.goto("about:blank")
            tab.page.goto(url)
            tab.says("Disconnected")
            tab.wait_for_text("#nothing", why)
            assert "acp-spy view --serve again, or press o in the console" in tab.text("#nothing")
            assert "helper" not in tab.text("body")
    file.close()


FETCH = """([url, how]) => fetch(url, how).then((got) => got.text(), (error) => error.name)"""


@pytest.mark.long
def test_pages_of_other_sites_and_other_names_of_this_server_get_nothing(tmp_path, open_tab):
    file = record(tmp_path, RECORDS)
    with served(tmp_path) as server:
        tab = open_tab(server.url(file.path))
        tab.shows_frames(22)
        key = tab.page.evaluate("localStorage.getItem('acp-spy-key')")
        bearer = {"headers": {"Authorization": f"Bearer {key}"}}
        api = f"{server.origin}/api/captures"
        tab.context.route("http://127.0.0.1:1234/", lambda route: route.fulfill(body="a page"))
        foreign = open_tab("http://127.0.0.1:1234/", beside=tab)
        for how in (bearer, {"mode": "no-cors"}, {"mode": "no-cors", "method": "POST"}):
            assert foreign.page.evaluate(FETCH, [api, how]) == "TypeError"

        # The page has another origin, and whoever made the name resolve so is told nothing.
        url = f"http://{REBOUND}:{server.port}"
        for path in ("/", f"/capture/{name_in_url(file.path)}", "/api/captures"):
            assert tab.page.goto(url + path).status == 403
            assert "helper" not in tab.text("body")
        refusal = tab.page.evaluate(FETCH, [f"{url}/api/captures", bearer])
        assert refusal.startswith(f"acp-spy: refused: the Host header names `{REBOUND}")
    file.close()


def test_hostile_payloads_are_shown_and_do_nothing(tmp_path, open_tab):
    line = (
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": HOSTILE, "params": [HOSTILE]}).encode()
        + b"\n"
    )
    file = record(tmp_path, RECORDS[:3])
    with served(tmp_path) as server:
        tab = open_tab(server.url(file.path))
        tab.shows_frames(2)
        file.append(
            [Frame(3, 1.0, Peer.AGENT, line), Stderr(1.1, HOSTILE.encode()), *parse(says(HOSTILE))]
        )
        tab.waits("() => acpSpy.page && acpSpy.page.model.rows.length === 6")
        tab.wait_for_text("#rows", "onerror=alert")
        tab.page.evaluate("acpSpy.page.go(acpSpy.page.model.rows[3])")
        assert "\\u202e" in tab.text("#view")
        assert tab.page.locator("img, #rows script").count() == 0
        start = open_tab(server.url(token=False), beside=tab)
        start.wait_for_text("li.capture", "onerror=alert")
        assert start.page.locator("img").count() == 0
    file.close()


def test_a_name_that_would_act_is_spelled_out_where_an_error_is_shown(tmp_path, open_tab):
    folder = tmp_path / "f\u202eredlo"
    folder.mkdir()
    file = record(folder, RECORDS[:3], name="r\u202egnp.jsonl")
    with served(folder) as server:
        tab = open_tab(server.url(file.path))
        tab.shows_frames(2)
        os.truncate(file.path, 0)  # as another program may do
        tab.says("Disconnected")
        for shown in (tab.page.get_attribute(".live", "title"), tab.text("#toast")):
            assert "r\\u202egnp.jsonl" in shown
            assert "\u202e" not in shown
        file.close()
        os.unlink(file.path)
        folder.rmdir()
        folder.write_text("no folder any more")
        start = open_tab(server.url(token=False), beside=tab)
        start.says("Disconnected")
        title = start.page.get_attribute(".live", "title")
        assert "f\\u202eredlo" in title
        assert "\u202e" not in title


@pytest.mark.long
def test_the_start_page_lists_captures_and_is_used_by_keys_alone(tmp_path, open_tab):
    (tmp_path / "old.jsonl").write_bytes(encode([HEADER, *RECORDS]))
    with served(tmp_path) as server:
        tab = open_tab(server.url(), color_scheme="dark")
        tab.wait_for_text("li.capture", "client left")
        file = record(tmp_path, RECORDS[:6], name="new.jsonl")
        tab.waits("() => document.querySelectorAll('li.capture').length === 2")
        tab.wait_for_text("li.capture:first-child .state", "running")
        tab.wait_for_text("li.capture:first-child .pending", "waiting for agent: session/prompt")
        assert (
            tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
            == "rgb(16, 18, 21)"
        )
        tab.press("t")
        assert (
            tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
            == "rgb(255, 255, 255)"
        )
        tab.press("j", "j", "k", "Enter")
        tab.shows_frames(5)
        assert tab.page.url.endswith("/capture/new.jsonl")
        tab.press("?")
        assert "stay at the end" in tab.text("#help")
        file.close()


@pytest.mark.long
def test_a_large_capture_is_listed_at_once_and_diagnosed_when_it_is_opened(
    tmp_path, open_tab, monkeypatch
):
    monkeypatch.setattr(live, "MOST_TO_DIAGNOSE", 100)
    (tmp_path / "large.jsonl").write_bytes(encode([HEADER, *RECORDS]))
    with served(tmp_path) as server:
        tab = open_tab(server.url())
        tab.wait_for_text("li.capture .diagnosis", "open it to diagnose it")
        tab.press("j", "Enter")
        tab.wait_for_text("#diagnosis", "client left")


SLOW_LINES = """async () => {
    const order = [];
    const real = window.fetch;
    window.fetch = async () => new Response('"one"\\n"two"\\n');
    await acpSpy.server.lines("/", (line) => {
        const until = performance.now() + 60;
        while (performance.now() < until);
        order.push(line);
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => order.push(`a key after ${line}`);
        port2.postMessage(null);
    });
    window.fetch = real;
    return order;
}"""


def test_a_key_is_answered_between_two_lines_that_take_long(tmp_path, open_tab):
    with served(tmp_path) as server:
        tab = open_tab(server.url())
        tab.says("Live")
        order = tab.page.evaluate(SLOW_LINES)
        assert order[:3] == ["one", "a key after one", "two"]


FILTERED_MEANWHILE = """async () => {
    const growing = acpSpy.page.grow(); // its rows are folded, and not shown yet
    acpSpy.page.setFilter("from:client");
    const wanted = acpSpy.page.items();
    await growing;
    return [wanted, acpSpy.page.items()];
}"""


def test_a_filter_that_is_set_while_rows_are_folded_counts(tmp_path, open_tab):
    (tmp_path / "run.jsonl").write_bytes(encode([HEADER, *RECORDS]))
    with served(tmp_path) as server:
        tab = open_tab(server.url(tmp_path / "run.jsonl"))
        tab.says("Ended")
        wanted, shown = tab.page.evaluate(FILTERED_MEANWHILE)
        assert wanted == shown


SINCE = """() => {
    const { model, setFilter, go, filterNow, shown } = acpSpy.page;
    const come = (seq, sender) => {
        const row = { ...model.bySeq.get(1), index: model.rows.length, seq, sender };
        model.rows.push(row);
        model.bySeq.set(seq, row);
        return row;
    };
    setFilter("from:agent");
    go(come(901, "agent"));
    const kept = [filterNow(), shown().includes(901)];
    go(come(902, "client"));
    return [...kept, filterNow()];
}"""
RESTS = """async () => {
    const real = { Channel: window.MessageChannel, now: performance.now };
    let rests = 0, time = 0;
    window.MessageChannel = class { constructor() { rests += 1; return new real.Channel(); } };
    performance.now = () => (time += 1000); // every slice is over
    const restsOf = async () => {
        rests = 0;
        await acpSpy.page.grow();
        return rests;
    };
    const counted = [await restsOf()];
    acpSpy.page.setFilter("from:agent");
    counted.push(await restsOf());
    window.MessageChannel = real.Channel;
    performance.now = real.now;
    return counted;
}"""


def test_rows_that_came_since_pass_the_filter_and_are_filtered_in_slices(tmp_path, open_tab):
    (tmp_path / "run.jsonl").write_bytes(encode([HEADER, *RECORDS]))
    with served(tmp_path) as server:
        tab = open_tab(server.url(tmp_path / "run.jsonl"))
        tab.says("Ended")
        plain, filtered = tab.page.evaluate(RESTS)
        assert plain < filtered
        tab.page.fill("#search", "a")
        tab.waits("() => acpSpy.page.pattern()")
        plain, searched = tab.page.evaluate(RESTS)
        assert filtered < searched
        assert tab.page.evaluate(SINCE) == ["from:agent", True, ""]


@pytest.mark.long
def test_an_empty_folder_says_how_to_get_a_capture(tmp_path, open_tab):
    with served(tmp_path / "none") as server:
        tab = open_tab(server.url())
        tab.wait_for_text("#nothing", "acp-spy demo")


@pytest.fixture
def held(tmp_path_factory):
    """Give a run that holds frames, and whose capture is being recorded."""
    folder = Path(os.path.realpath(tmp_path_factory.mktemp("h")))  # short enough for a socket
    with Run(folder / "a.jsonl") as run:
        descriptor = os.open(run.capture, os.O_WRONLY)
        hold(descriptor)
        yield run
        os.close(descriptor)


def test_held_frames_are_released_edited_and_dropped_from_the_page(held, open_tab):
    with served(Path(held.capture).parent) as server:
        tab = open_tab(server.url(held.capture))
        tab.wait_for_text(".held", "Nothing is held")
        for ident in (1, 2, 3):
            held.client(request(ident, session=f"s{ident}"))
        tab.waits("() => document.querySelectorAll('.held-list li').length === 3")
        frames = tab.page.locator(".held-list li")
        for each in frames.get_by_text("Release").all():  # on the first screen
            assert each.bounding_box()["y"] < tab.page.viewport_size["height"]
        frames.nth(0).get_by_text("Release").click()
        held.sees(lambda bench: len(bench.got[Peer.AGENT]) == 1)
        tab.waits("() => document.querySelectorAll('.held-list li').length === 2")

        frames.nth(0).get_by_text("Edit").click()
        area = tab.page.locator("textarea")
        area.fill("not JSON")
        area.press("Control+Enter")
        tab.wait_for_text(".editor .error", "is still held")
        assert area.input_value() == "not JSON"  # the text stays until it is right
        held.client(request(4, session="s4"))  # the text also stays when something else changes
        tab.waits("() => document.querySelectorAll('.held-list li').length === 3")
        assert area.input_value() == "not JSON"
        area.fill(request(2, session="other").decode())
        tab.page.get_by_text("Deliver").click()
        held.sees(lambda bench: len(bench.got[Peer.AGENT]) == 2)
        tab.waits("() => document.querySelectorAll('.held-list li').length === 2")

        frames.nth(0).get_by_text("Drop").click()
        held.sees(lambda bench: (3, "dropped") in bench.records)
        tab.waits("() => document.querySelectorAll('.held-list li').length === 1")
        frames.nth(0).get_by_text("Release").press("Enter")  # by keys alone, too
        tab.wait_for_text(".held", "Nothing is held")
        assert b'"other"' in held.bench.got[Peer.AGENT][1]
        tab.page.close()  # which ends nothing
        held.sees(lambda bench: not bench.stage.viewers)


@pytest.mark.long
def test_twenty_thousand_frames_come_live(tmp_path, open_tab):
    records = long_talk(20_000)
    file = record(tmp_path, records[:10], header=HEADER)
    with served(tmp_path) as server:
        tab = open_tab(server.url(file.path))
        tab.waits("() => acpSpy.page")
        for start in range(10, len(records), 500):
            file.append(records[start : start + 500])
        tab.shows_frames(20_000)
        assert tab.page.locator("#rows .row").count() < 100
        assert tab.page.locator("#plot .span").count() < 2_000
        tab.page.locator("#rows").focus()
        tab.press("g")
        assert tab.text("#rows [aria-selected=true]").startswith("1\n")
    file.close()
