"""Each test has tabs of its own, with a storage of their own."""

import pytest
from support.browser import kept_browser
from support.live_pages import Tab


@pytest.fixture(scope="module")
def chromium():
    return kept_browser()


@pytest.fixture
def open_tab(chromium):
    """Open a URL in a new tab, which must make no error and open no dialog."""
    contexts, tabs = [], []

    def open_it(url, *, beside=None, **how):
        context = beside.context if beside else chromium.new_context(**how)
        if not beside:
            contexts.append(context)
        tabs.append(Tab(context.new_page(), url))
        return tabs[-1]

    yield open_it
    for context in contexts:
        context.close()
    assert [tab.errors for tab in tabs] == [[]] * len(tabs)
