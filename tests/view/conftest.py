"""What the tests of the page share: one browser for a module, and pages that are closed again."""

import pytest
from support.browser import browser as started_browser
from support.conversations import talk
from support.pages import WIDE, Page, write_page


@pytest.fixture(scope="module")
def browser():
    with started_browser() as started:
        yield started


@pytest.fixture(scope="session")
def page_of_talk(tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("talk") / "page.html", talk())


@pytest.fixture
def open_page(browser, page_of_talk, tmp_path):
    """
    Open the page of these records, or of the talk that most tests look at.

    Whatever is done to a page, it must have made no error, and asked for nothing but itself.
    """
    opened = []

    def open_it(records=None, *, at="", size=WIDE, scheme="light", **options):
        path = page_of_talk
        if records is not None:
            path = write_page(tmp_path / f"page-{len(opened)}.html", records, **options)
        page = Page(browser, path, at=at, scheme=scheme, size=size)
        opened.append(page)
        return page

    yield open_it
    told = [(page.errors, page.dialogs, page.requests) for page in opened]
    for page in opened:
        page.close()
    assert told == [([], [], [page.url]) for page in opened]
