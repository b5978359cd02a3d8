"""A conversation as a page, open in a browser, with what a person would look at."""

from html.parser import HTMLParser

from acp_spy.view.capture_view import CaptureView
from acp_spy.view.html import render

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 375, "height": 740}


class Page:
    """An open page. It holds on to everything that must never happen: errors, requests, dialogs."""

    def __init__(self, tab, path, *, at="", size=WIDE, scheme="light"):
        self.tab = tab
        self.tab.set_default_timeout(60_000)
        self.tab.set_viewport_size(size)
        self.tab.emulate_media(color_scheme=scheme, reduced_motion="no-preference")
        self.errors, self.requests, self.dialogs = [], [], []
        self._listeners = {
            "pageerror": lambda error: self.errors.append(str(error)),
            "console": lambda said: self.errors.append(said.text),
            "request": lambda request: self.requests.append(request.url),
            "dialog": self._dismiss,
        }
        for event, listener in self._listeners.items():
            self.tab.on(event, listener)
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
        self.wait_for_filter(text)

    def wait_for_filter(self, text):
        """Wait until a filter is in force: it is made in slices."""
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

    def leave(self):
        """Go elsewhere, so that the next page is opened as if it were the first."""
        for event, listener in self._listeners.items():
            self.tab.remove_listener(event, listener)
        self.tab.evaluate("localStorage.clear()")
        self.tab.goto("about:blank")


def page_of(records, name="talk.jsonl", *, masked=True, **options):
    """Return the page of these records."""
    view = CaptureView(name, masked=masked, records=lambda: iter(records), **options)
    return "".join(render(view))


def write_page(path, records, **options):
    """Write the page of these records; return its path."""
    path.write_text(page_of(records, **options), encoding="utf-8")
    return path


class Blocks(HTMLParser):
    """What a browser sees: the tags, and the text of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.blocks, self._now = [], [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self._now = (dict(attributes).get("id") or tag, [])

    def handle_data(self, data):
        if self._now:
            self._now[1].append(data)

    def handle_endtag(self, tag):
        if self._now and tag in ("script", "style"):
            self.blocks.append((self._now[0], "".join(self._now[1])))
            self._now = None

    @property
    def data(self):
        return dict(self.blocks)
