"""
The ways to show a capture: each is an entry here, and a function that renders.

`--format`, its help and the suffixes of files are derived from the table.
"""

import os
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from acp_spy.errors import AcpSpyError

if TYPE_CHECKING:
    from acp_spy.view.capture_view import CaptureView


class Format(msgspec.Struct, frozen=True):
    """
    A format: its name, the suffixes of its files, and what renders it, in a module beside this one.

    In a format that is made `to_be_shared`, secrets are masked by default.
    """

    name: str
    suffixes: tuple[str, ...]
    function: str  # CaptureView -> Iterator[str | bytes]; loaded when it is needed
    to_be_shared: bool = False
    about: str = ""  # for the help, where the name does not say it

    def render(self, view: "CaptureView") -> "Iterator[str | bytes]":
        """Give the parts of `view` in this format."""
        module, _, function = self.function.partition(".")
        render = getattr(import_module(f"acp_spy.view.{module}"), function)
        parts: Iterator[str | bytes] = render(view)
        return parts


TEXT = Format("text", (".txt",), "text.render")
FORMATS = {
    form.name: form
    for form in (
        TEXT,
        Format("json", (".json",), "rows_json.as_json"),
        Format(
            "jsonl",
            (".jsonl",),
            "rows_json.as_capture",
            about="a capture of the rows that are shown",
        ),
        Format("markdown", (".md", ".markdown"), "markdown.render", to_be_shared=True),
        Format("mermaid", (".mmd",), "mermaid.render", to_be_shared=True),
        Format("html", (".html", ".htm"), "html.render", to_be_shared=True),
    )
}


def format_of(path: str, *, has_option: bool = True) -> Format:
    """
    Return the format that the suffix of a file asks for; text, if it has none.

    `has_option` says whether there is a `--format` to use instead. Raises `AcpSpyError` for an
    unknown suffix: text has secrets, and a page was perhaps expected.
    """
    suffix = os.path.splitext(path)[1]
    if not suffix:
        return TEXT
    for form in FORMATS.values():
        if suffix.lower() in form.suffixes:
            return form
    known = ", ".join(f"`{suffix}`" for form in FORMATS.values() for suffix in form.suffixes)
    raise AcpSpyError(
        f"cannot choose a format for `{path}`: unknown suffix `{suffix}`",
        hint=f"{'add `--format FORMAT`, or ' if has_option else ''}use one of {known}",
    )
