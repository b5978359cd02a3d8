"""
The pages of one console: a process that serves them, and gives a new link for each line on stdin.

It ends when its stdin does, so it cannot outlive the console, however that has ended.
"""

import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterable
from typing import Any, TextIO

from acp_spy.cli.rule_settings import settings_with
from acp_spy.cli.serve_page import open_browser, page_url
from acp_spy.errors import AcpSpyError
from acp_spy.lint.ruleset import ruleset_for
from acp_spy.live_page.access import Access
from acp_spy.live_page.live_capture import Choices
from acp_spy.live_page.server import PageServer, run_server


def main(folder: str, named: str, requests: Iterable[str], out: TextIO) -> None:
    """
    Serve the pages of the captures in `folder`, and of `named`, until `requests` end.

    Each request is a line of JSON with `path` and `filters`; the reply is one with `url` and
    `is_open`, or with `error` and `hint`.
    """
    access = Access()

    def give_links(port: int) -> None:
        for line in requests:
            request = json.loads(line)
            filters = request["filters"]
            parts = {"filter": shlex.join(filters)} if filters else {}
            url = page_url(port, request["path"], {**parts, "token": access.renew()})
            _reply(out, url=url, is_open=open_browser(url))
        os.kill(os.getpid(), signal.SIGTERM)

    def ready(port: int) -> None:
        threading.Thread(target=give_links, args=(port,), daemon=True).start()

    try:
        settings = settings_with(None, None, None)
        choices = Choices(ruleset_for(settings), settings)
        run_server(
            0,
            lambda service: PageServer(service, access, choices, folder, named),
            ready,
            lambda _complaint: None,  # there is nobody who could read it
        )
    except AcpSpyError as error:
        _reply(out, error=error.message, hint=error.hint)
    except OSError as error:
        _reply(out, error=f"cannot serve the page: {error.strerror or error}", hint="")


def _reply(out: TextIO, **fields: Any) -> None:
    out.write(json.dumps(fields) + "\n")
    out.flush()


if __name__ == "__main__":
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a browser may write to its stdout
    main(sys.argv[1], sys.argv[2], sys.stdin, replies)
