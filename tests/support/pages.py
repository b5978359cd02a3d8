"""A conversation as a page, open in a browser, with what a person would look at."""

from acp_spy.view.capture_view import CaptureView
from acp_spy.view.html import render

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 375, "height": 740}


class Page:
    """An open page. It holds on to everything that must never happen: errors, requests, dialogs."""

    def __init__(self, browser, path, *, at="", size=WIDE, scheme="light"):
        self.context = browser.new_context(viewport=size, color_scheme=scheme)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.tab = self.context.new_page()
        self.tab.set_default_timeout(20_000)
        self.errors, self.requests, self.dialogs = [], [], []
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("console", lambda said: self.errors.append(said.text))
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("dialog", self._dismiss)
        self.url = f"file://{path}"
        self.tab.goto(self.url + at)

    def _dismiss(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def rows(self):
        """Return the rows that are drawn, as text, top to bottom."""
        return self.tab.evaluate(
            """() => [...document.querySelectorAll('#rows .row')]
            .sort((a, b) => a.getAttribute('aria-posinset') - b.getAttribute('aria-posinset'))
            .map((row) => [...row.children].map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim())
                .filter(Boolean).join(' | '))"""
        )

    def shown(self):
        """Return the numbers of the frames that pass the filter, as the page's model has them."""
        return self.tab.evaluate("acpSpy.page.shown()")

    def chosen(self):
        """Return the chosen row as text."""
        return self.tab.locator("#rows [aria-selected=true]").inner_text()

    def panel(self):
        return self.tab.locator("#view").inner_text()

    def press(self, *keys):
        for key in keys:
            self.tab.keyboard.press(key)

    def type_filter(self, text):
        """Type a filter, and wait until it is in force: the page waits for the end of the typing."""
        self.tab.fill("#filter", text)
        self.tab.wait_for_function("text => acpSpy.page.filterNow() === text", arg=text)

    def wait_for_address(self, end):
        """Wait until the address ends so: it follows when a choice has lasted for a moment."""
        self.tab.wait_for_function("end => location.hash === end", arg=end)

    def wait_for_toast(self, words):
        """Wait until the page has said so; the words stay when they are shown no longer."""
        self.tab.wait_for_function(
            "words => document.getElementById('toast').textContent === words", arg=words
        )

    def clipboard(self):
        return self.tab.evaluate("navigator.clipboard.readText()")

    def close(self):
        self.context.close()


def page_of(records, name="talk.jsonl", *, masked=True, **options):
    """Return the page of these records."""
    view = CaptureView(name, masked=masked, records=lambda: iter(records), **options)
    return "".join(render(view))


def write_page(path, records, **options):
    """Write the page of these records; return its path."""
    path.write_text(page_of(records, **options), encoding="utf-8")
    return path
