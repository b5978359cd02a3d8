"""A long conversation: only what can be seen is drawn, and all of it can be reached."""

import pytest
from support.conversations import long_talk
from support.effort import some_of
from support.pages import Page, write_page


@pytest.fixture(scope="module", params=some_of([20_000], 4_000))
def frames(request):
    return request.param


@pytest.fixture(scope="module")
def page(tab, frames, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "long.html"
    opened = Page(tab, write_page(path, long_talk(frames), masked=False))
    yield opened
    assert opened.errors == []


def drawn(page):
    return page.tab.locator("#rows .row").count()


def first_shown(page):
    return page.tab.evaluate(
        """() => { const box = document.getElementById('rows').getBoundingClientRect();
        return document.elementFromPoint(box.left + 30, box.top + 10).closest('.row').ariaPosInSet; }"""
    )


def test_few_rows_are_drawn_of_thousands_of_frames(page, frames):
    page.type_filter("-method:agent_message_chunk")
    page.type_filter("")
    assert len(page.shown()) == frames
    assert 10 < drawn(page) < 100
    assert page.tab.locator("#plot .span").count() < frames / 10


def test_every_row_is_reached_by_scrolling(page):
    """Page by page through all of them: each row is drawn at some time, and in its place."""
    seen = page.tab.evaluate(
        """async () => {
            const box = document.getElementById('rows');
            const seen = new Set();
            let most = 0;
            box.scrollTop = 0;
            for (;;) {
                await new Promise(requestAnimationFrame);
                await new Promise(requestAnimationFrame);
                const rows = [...box.querySelectorAll('.row')];
                most = Math.max(most, rows.length);
                for (const row of rows) seen.add(Number(row.ariaPosInSet));
                const before = box.scrollTop;
                box.scrollTop += box.clientHeight;
                if (box.scrollTop === before) return { seen: seen.size, most };
            }
        }"""
    )
    assert seen["seen"] == page.tab.evaluate("acpSpy.page.items()")
    assert seen["most"] < 100


def test_the_last_frame_is_a_key_away_and_so_is_one_in_the_middle(page, frames):
    page.tab.focus("#rows")
    page.press("End", "ArrowRight", "End")  # the last is in a fold
    assert page.chosen().startswith(f"{frames}\n")
    page.tab.evaluate("location.hash = '#seq=2345'")
    page.tab.wait_for_function(
        "() => document.getElementById('view').innerText.startsWith('#2345 ')"
    )
    assert page.chosen().startswith("2345")
    assert drawn(page) < 100


def test_unfolding_a_long_stream_draws_no_more(page):
    page.type_filter("method:agent_message_chunk seq:1-1000")
    page.tab.focus("#rows")
    before = page.tab.evaluate("acpSpy.page.items()")
    page.press("Home", "j", "Enter")
    assert page.tab.evaluate("acpSpy.page.items()") > before + 20
    assert drawn(page) < 100
    page.type_filter("")
