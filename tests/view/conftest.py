"""What the tests of the page share: one tab for a module, and a page that is left again."""

import pytest
from support.browser import kept_browser
from support.conversations import talk
from support.pages import WIDE, Page, write_page


@pytest.fixture(scope="module")
def tab():
    """Give the tab in which pages are opened, one after the other: one of its own takes a second."""
    context = kept_browser().new_context()  # is closed with it
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return context.new_page()


@pytest.fixture(scope="session")
def page_of_talk(tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("talk") / "page.html", talk())


@pytest.fixture
def open_page(tab, page_of_talk, tmp_path):
    """
    Open the page of these records, or of the talk that most tests look at, and leave the last one.

    Whatever is done to a page, it must have made no error, and asked for nothing but itself.
    """
    opened = []

    def open_it(records=None, *, at="", size=WIDE, scheme="light", **options):
        path = page_of_talk
        if records is not None:
            path = write_page(tmp_path / f"page-{len(opened)}.html", records, **options)
        if opened:
            opened[-1].leave()
        page = Page(tab, path, at=at, scheme=scheme, size=size)
        opened.append(page)
        return page

    yield open_it
    opened[-1].leave()
    shown = [(page.errors, page.dialogs, page.requests) for page in opened]
    assert shown == [([], [], [page.url]) for page in opened]
