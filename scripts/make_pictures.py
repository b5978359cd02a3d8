"""
Draw the pictures of the console and of the live page in docs/pictures/, from the recordings.

    python scripts/make_pictures.py [--check]

With `--check` nothing is written; if a picture is stale the exit status is 1. The same recordings
give the same pictures of the console on every machine: the size and the time zone are fixed, and
nothing in them comes from a clock. The picture of the live page is made by chromium, with the fonts
of the machine: it is current if it was made from the files that the page has now.
"""
# ruff: noqa: INP001 - a script, run by its path

import asyncio
import os
import sys
import time
import zlib
from pathlib import Path

from acp_spy.console.app import ConsoleApp
from acp_spy.console.conversation_screen import ConversationScreen
from acp_spy.console.reading import ReaderProcess
from acp_spy.console.starting import start

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
# What is drawn: the capture, or none for the list, the size, and the keys that are pressed.
DRAWN = {
    "console.svg": ("codex.jsonl", (100, 32), ["n", "n", "enter"]),
    "console-list.svg": ("", (100, 12), []),
}

# Chromium shows this recording, up to where the agent asks for permission.
PHOTOGRAPHED = "claude.jsonl"
PHOTOGRAPH_SIZE = {"width": 1240, "height": 760}


async def draw(capture: str, size: tuple[int, int], keys: list[str]) -> str:
    """Return a picture of the console after these keys."""
    reading = ReaderProcess(start())
    path = str(ROOT / "recordings" / capture) if capture else ""
    app = ConsoleApp("recordings", path, reading)
    try:
        async with app.run_test(size=size) as pilot:
            await _settle(app, pilot)
            for key in keys:
                await pilot.press(key)
            await _settle(app, pilot)
            return app.export_screenshot(title="acp-spy")
    finally:
        reading.close()


async def _settle(app: ConsoleApp, pilot: object) -> None:
    while True:
        await pilot.pause(0.05)  # type: ignore[attr-defined]
        screen = app.screen
        if isinstance(screen, ConversationScreen):
            if screen.is_read:
                break
        elif screen.is_read:  # type: ignore[attr-defined]
            break
    await pilot.pause(0.3)  # type: ignore[attr-defined]


def photograph() -> bytes:
    """Return a picture of the live page, in chromium: an agent waits for a permission."""
    import shutil
    import subprocess
    import tempfile
    from datetime import UTC, datetime

    import msgspec
    from playwright.sync_api import sync_playwright

    from acp_spy.capture.files import CaptureFile, load

    recorded = load(ROOT / "recordings" / PHOTOGRAPHED)
    asked = next(
        place
        for place, each in enumerate(recorded.records)
        if b'"session/request_permission"' in getattr(each, "raw", b"")
    )
    # Asked so many seconds ago that the page names what is pending.
    now = datetime.now(UTC).timestamp() - recorded.records[asked].t - 12
    started = datetime.fromtimestamp(now, UTC).isoformat(timespec="microseconds")
    header = msgspec.structs.replace(
        recorded.header, started=started.replace("+00:00", "Z"), command=("agent", "--acp")
    )
    with tempfile.TemporaryDirectory() as folder:
        file = CaptureFile(f"{folder}/{PHOTOGRAPHED}", header)
        file.append(recorded.records[: asked + 1])
        serve = [sys.executable, "-m", "acp_spy", "view", file.path, "--serve", "--no-open"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            with sync_playwright() as playwright:
                path = os.environ.get("ACP_SPY_CHROMIUM") or shutil.which("chromium")
                browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
                tab = browser.new_page(viewport=PHOTOGRAPH_SIZE, color_scheme="light")
                tab.goto(url)
                tab.wait_for_function("() => acpSpy.page && acpSpy.page.shown().length")
                tab.evaluate("acpSpy.page.move(Infinity)")
                tab.wait_for_timeout(500)
                picture = tab.screenshot()
                browser.close()
            server.terminate()
        file.close()
    return picture


def inputs_of_photograph() -> str:
    """Return a hash of everything that the picture of the live page is made from."""
    import hashlib

    from acp_spy.live_page.served_pages import conversation_page

    recording = (ROOT / "recordings" / PHOTOGRAPHED).read_bytes()
    return hashlib.sha256(conversation_page()[0] + recording).hexdigest()


def marked(picture: bytes, text: str) -> bytes:
    """Return a PNG with a comment in it: how it looks depends on the fonts of the machine."""
    body = b"tEXt" + b"Comment\0" + text.encode()
    chunk = (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
    end = picture.rindex(b"IEND") - 4
    return picture[:end] + chunk + picture[end:]


def main() -> int:
    """Draw the pictures, or check them."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.environ.pop("NO_COLOR", None)
    os.chdir(ROOT)
    stale = 0
    for name, (capture, size, keys) in DRAWN.items():
        new = asyncio.run(draw(capture, size, keys))
        picture = PICTURES / name
        old = picture.read_text(encoding="utf-8") if picture.exists() else ""
        stale += old != new
        if "--check" not in sys.argv[1:]:
            PICTURES.mkdir(exist_ok=True)
            picture.write_text(new, encoding="utf-8")
    photograph_file, inputs = PICTURES / "live-page.png", f"inputs {inputs_of_photograph()}"
    is_current = photograph_file.exists() and inputs.encode() in photograph_file.read_bytes()
    stale += not is_current
    if "--check" not in sys.argv[1:] and not is_current:
        photograph_file.write_bytes(marked(photograph(), inputs))
    return int("--check" in sys.argv[1:] and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
