"""The pages as they are served: those of `view --format html`, with scripts that ask for data."""

from functools import cache
from importlib.resources import files

from acp_spy.view import html
from acp_spy.view.html import PLACE, SCRIPTS, STYLES, document, policy, script_of, style_of

# After those of the page itself.
LIVE_SCRIPTS = ("server", "held", "live")
LIST_SCRIPTS = ("server", "captures")
_LIST_NEEDS = ("inert", "dom", "words", "slices", "theme")


@cache
def conversation_page() -> tuple[bytes, str]:
    """Return the page of any capture, which has no data in it, and its policy."""
    script = _script(SCRIPTS, LIVE_SCRIPTS, "acpSpy.live.start();")
    return _page(document(html.source_of("page.html")), script)


@cache
def captures_page() -> tuple[bytes, str]:
    """Return the page that lists captures, and its policy."""
    script = _script(_LIST_NEEDS, LIST_SCRIPTS, "acpSpy.captures.start();")
    return _page(document(source_of("captures.html"), "start"), script)


def _script(shared: tuple[str, ...], more: tuple[str, ...], start: str) -> str:
    return "\n".join([script_of(shared), *(source_of(f"{name}.js") for name in more), start, ""])


def _page(template: str, script: str) -> tuple[bytes, str]:
    style = f"{style_of(STYLES)}\n{source_of('live.css')}"
    allowed = policy(script, style, "connect-src 'self'")
    parts = {
        "policy": allowed,
        "title": "acp-spy",
        "style": style,
        "script": script,
        "rows": "[]",
        "about": "null",
    }
    page = PLACE.sub(lambda place: parts[place[1]], template)
    return page.encode(), f"{allowed}; frame-ancestors 'none'"


def source_of(name: str) -> str:
    """Return the text of a file that only pages that are served have."""
    return files("acp_spy.live_page").joinpath("page", name).read_text(encoding="utf-8")
