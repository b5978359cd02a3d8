"""
Draw the pictures of the console in docs/pictures/, from the recordings.

    python scripts/make_pictures.py [--check]

With `--check` nothing is written; if a picture is stale the exit status is 1. The same recordings
give the same pictures on every machine: the size and the time zone are fixed, and nothing in them
comes from a clock.
"""
# ruff: noqa: INP001 - a script, run by its path

import asyncio
import os
import sys
import time
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
    return int("--check" in sys.argv[1:] and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
