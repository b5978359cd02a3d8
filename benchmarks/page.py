"""
What the page costs: made, opened in chromium without a window, scrolled and filtered.

Opening is from the start of the navigation until the rows are on the screen; while scrolling from
top to bottom the time of each drawn frame is taken. The processor's time on the page's own thread
is told, too, which other programs on the machine change less.
"""

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from acp_spy.view.capture_view import CaptureView
from acp_spy.view.html import render
from benchmarks.conversation import write_capture
from benchmarks.outcome import Limit, Outcome

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


def measure(effort):
    chromium = os.environ.get("ACP_SPY_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        return Outcome(
            limits=[], note="Not measured, because chromium is missing: `apt-get install chromium`."
        )
    count = effort.size(20_000, 2_000)
    with tempfile.TemporaryDirectory() as folder:
        capture, page = Path(folder, "long.jsonl"), Path(folder, "long.html")
        write_capture(capture, count)
        before = time.perf_counter()
        with page.open("w", encoding="utf-8") as file:
            file.writelines(render(CaptureView(str(capture), masked=True)))
        making = time.perf_counter() - before
        opened, busy, frames, filtered = open_page(chromium, page, effort.rounds)
        size = page.stat().st_size
    frames.sort()
    opening = statistics.median(opened)
    return Outcome(
        limits=[Limit(f"seconds until a page of {count:,} frames is open", opening, 2.0)],
        note=(
            f"{count:,} frames: a page of {size / 1e6:.1f} MB, made in {making:.1f} s. Opening"
            f" takes {statistics.median(busy):.2f} s of processor time, filtering"
            f" {statistics.median(filtered):.0f} ms, a frame while scrolling"
            f" {statistics.median(frames):.0f} ms, 95 of 100"
            f" {frames[len(frames) * 95 // 100]:.0f} ms."
        ),
        figures={"making": making, "opening": opening, "size": size},
    )


def open_page(chromium, page, rounds):
    """Return the seconds to open, and of the processor; milliseconds to scroll, and to filter."""
    from playwright.sync_api import sync_playwright

    opened, busy, frames, filtered = [], [], [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(rounds):
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
        browser.close()
    return opened, busy, frames, filtered
