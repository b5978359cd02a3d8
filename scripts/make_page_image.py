"""
Make docs/page.png: the page of the demo's conversation, as it looks in a browser.

    .venv/bin/python scripts/make_page_image.py

Needs chromium, as the tests of the page do.
"""

# ruff: noqa: INP001 - a script, run by its path

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
from playwright.sync_api import sync_playwright

from acp_spy.capture.codec import encode
from acp_spy.capture.files import load

ROOT = Path(__file__).parent.parent
SIZE = {"width": 1240, "height": 760}


def main() -> None:
    """Record the demo, make its page, and take a picture of it."""
    acp_spy = [sys.executable, "-m", "acp_spy"]
    with tempfile.TemporaryDirectory() as folder:
        capture, page = Path(folder, "demo.jsonl"), Path(folder, "page.html")
        subprocess.run([*acp_spy, "demo", "-o", capture], check=True, stdout=subprocess.DEVNULL)
        recorded = load(capture)
        # The paths of this machine are nobody's business.
        header = msgspec.structs.replace(
            recorded.header, command=("demo-agent", "--acp"), cwd="/home/dev/project"
        )
        capture.write_bytes(encode([header, *recorded.records]))
        subprocess.run([*acp_spy, "view", capture, "-o", page], check=True)
        with sync_playwright() as playwright:
            path = os.environ.get("ACP_SPY_CHROMIUM") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            tab = browser.new_page(viewport=SIZE, color_scheme="light")
            tab.goto(f"file://{page}#seq=16")
            tab.wait_for_timeout(500)
            tab.screenshot(path=ROOT / "docs" / "page.png")
            browser.close()


if __name__ == "__main__":
    main()
