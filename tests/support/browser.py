"""A real browser: chromium without a window, driven by Playwright, on pages from disk."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from support.needs import do_without

NEEDED = "ACP_SPY_NEEDS_BROWSER"  # .ci/run sets it
REBOUND = "rebound.example"
INSTALL = (
    "the page is tested in a real browser, and there is none: `apt-get install chromium`,"
    " or name one in $ACP_SPY_CHROMIUM"
)


def chromium() -> str:
    """Return the browser's path. Without one the test is skipped; where it is needed, it fails."""
    path = os.environ.get("ACP_SPY_CHROMIUM") or shutil.which("chromium")
    return path or do_without(NEEDED, INSTALL)


@contextmanager
def browser() -> Iterator:
    """
    Start the browser, and end it.

    Not for the whole suite: Playwright keeps an event loop running in this thread meanwhile, which
    is in the way of every test that has one of its own.
    """
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A name that somebody else has made resolve to this machine.
        rebound = f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", rebound])
        try:
            yield started
        finally:
            started.close()


_kept = ExitStack()
_windows: list = []


def kept_browser():
    """Return the browser that is kept while tests that need it follow each other: `let_go` ends it."""
    if not _windows:
        _windows.append(_kept.enter_context(browser()))
    return _windows[0]


def let_go() -> None:
    """End the browser that is kept, if any."""
    _windows.clear()
    _kept.close()
