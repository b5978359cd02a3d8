"""
What the page costs: `python benchmarks/view_page.py [--frames N] [--rounds N]`.

A capture with a realistic mix of frames is made a page, and the page is opened in chromium without
a window: from the start of the navigation until the rows are on the screen. Then it is scrolled
from top to bottom, and the time of each drawn frame is taken; then filtered. The yardstick for the
opening is two seconds; everything else is told as it is. The processor's time on the page's own
thread is told, too, which other programs on the machine change less. The exit status is 1 if the
yardstick is not met.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from check import write_capture
from playwright.sync_api import sync_playwright

from acp_spy.capture.files import read
from acp_spy.view.html import render

LIMIT = 2.0  # seconds until 20,000 frames are open
OPENED = "() => performance.now() / 1000"  # since the navigation began, when asked after two frames
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SCROLL = """async () => {
    const rows = document.getElementById('rows');
    const times = [];
    let before = performance.now();
    for (let step = 0; step < 200; step += 1) {
        rows.scrollTop += rows.clientHeight * 0.8;
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - before);
        before = performance.now();
    }
    return times;
}"""
FILTER = """() => {
    const before = performance.now();
    acpSpy.page.setFilter('from:agent text:number');
    return performance.now() - before;
}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    chromium = os.environ.get("ACP_SPY_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        sys.exit("there is no chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        capture, page = Path(folder, "long.jsonl"), Path(folder, "long.html")
        write_capture(capture, options.frames)
        before = time.perf_counter()
        with page.open("w", encoding="utf-8") as file:
            file.writelines(render(lambda: read(capture), name=capture.name))
        making = time.perf_counter() - before
        opened, busy, frames, filtered = measure(chromium, page, options.rounds)
        size = page.stat().st_size
    frames.sort()
    opening = statistics.median(opened)
    print(f"{options.frames:,} frames: a page of {size / 1e6:.1f} MB, made in {making:.1f} s")
    print(f"opening takes {statistics.median(busy):.2f} s of the processor;", end=" ")
    print(f"filtering {statistics.median(filtered):.0f} ms; a frame while scrolling", end=" ")
    print(
        f"{statistics.median(frames):.0f} ms, 95 of 100 {frames[len(frames) * 95 // 100]:.0f} ms\n"
    )
    print("| limit | measured | at most | |\n| --- | ---: | ---: | --- |")
    met = "met" if opening <= LIMIT else "NOT MET"
    print(f"| seconds until the page is open | {opening:.2f} | {LIMIT:g} | {met} |")
    return opening > LIMIT


def measure(chromium, page, rounds):
    """Return the seconds to open, and of the processor; milliseconds to scroll, and to filter."""
    opened, busy, frames, filtered = [], [], [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for number in range(rounds):
            tab = browser.new_page(viewport={"width": 1400, "height": 900})
            inside = tab.context.new_cdp_session(tab)
            inside.send("Performance.enable", {"timeDomain": "threadTicks"})
            tab.goto(f"file://{page}")
            tab.evaluate(DRAWN)
            opened.append(tab.evaluate(OPENED))
            told = inside.send("Performance.getMetrics")["metrics"]
            busy += [each["value"] for each in told if each["name"] == "TaskDuration"]
            frames += tab.evaluate(SCROLL)
            filtered.append(tab.evaluate(FILTER))
            tab.close()
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
        browser.close()
    return opened, busy, frames, filtered


if __name__ == "__main__":
    sys.exit(main())
