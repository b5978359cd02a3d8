"""`acp-spy view --serve`: the page of captures in a browser, live."""

import os
import sys
import threading
from urllib.parse import urlencode

from acp_spy.capture.files import read
from acp_spy.capture.locate import capture_folder
from acp_spy.cli.console import note
from acp_spy.errors import AcpSpyError
from acp_spy.lint.ruleset import Ruleset
from acp_spy.lint.settings import Settings


def serve_page(
    path: str,
    parts: dict[str, str],
    ruleset: Ruleset,
    settings: Settings,
    port: int,
    *,
    masked: bool,
    opens: bool,
) -> None:
    """
    Serve until Ctrl-C: the page of the capture at `path`, or without one the list.

    `parts` are added to the URL, as what the page is to show first.
    """
    from acp_spy.live_page.access import Access
    from acp_spy.live_page.live_capture import Choices
    from acp_spy.live_page.server import PageServer, run_server

    if path:
        next(read(path), None)  # what cannot be read is reported here, not in the browser
    access, folder = Access(), capture_folder()
    choices = Choices(ruleset, settings, masked)

    def ready(taken: int) -> None:
        url = page_url(taken, path, {**parts, "token": access.token})
        print(url, flush=True)  # noqa: T201 - what stdout is for
        is_open = opens and open_browser(url)
        note(
            ("opened in the browser" if is_open else "open the URL above in a browser")
            + "; it works once, press Ctrl-C to stop"
        )

    try:
        run_server(
            port,
            lambda service: PageServer(service, access, choices, folder, path),
            ready,
            note,
        )
    except OSError as error:
        raise AcpSpyError(
            f"cannot serve the page at port {port}: {error.strerror or error}",
            hint="choose another port with `--port`, or omit it",
        ) from None


def page_url(port: int, path: str, parts: dict[str, str]) -> str:
    """Return the URL of the page of the capture at `path`, or without one of the list."""
    from acp_spy.live_page.find import name_in_url
    from acp_spy.live_page.server import HOST

    page = f"/capture/{name_in_url(path)}" if path else "/"
    return f"http://{HOST}:{port}{page}#{urlencode(parts)}"


def open_browser(url: str) -> bool:
    """Open the browser beside us; return whether there is one."""
    import webbrowser

    has_screen = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not has_screen:  # it would be a browser in this terminal
        return False
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    # A browser may take its time, or run until it is closed.
    threading.Thread(target=browser.open, args=(url,), daemon=True).start()
    return True
