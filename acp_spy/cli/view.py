"""`acp-spy view`: what happened, who said what, how long it took, and what is wrong."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from typer.core import TyperCommand

from acp_spy.capture.locate import capture_folder
from acp_spy.cli.captures import STDIN, find_input
from acp_spy.cli.output import write_lines
from acp_spy.cli.output_file import refuse_capture, write_file
from acp_spy.cli.quiet_pipe import quiet_pipe
from acp_spy.cli.rule_bugs import tell_bugs
from acp_spy.cli.rule_settings import Ignore, Select, Severities, settings_with
from acp_spy.errors import AcpSpyError
from acp_spy.lint.linter import Crash
from acp_spy.lint.ruleset import Ruleset, ruleset_for
from acp_spy.view import frame as whole_frame
from acp_spy.view import html, markdown, mermaid
from acp_spy.view.capture_view import Viewed, reader
from acp_spy.view.filters import TOKENS, is_token, wants
from acp_spy.view.rows_json import as_capture, as_json
from acp_spy.view.text import lines, raw_lines, terminal_for
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert

Format = Literal["text", "json", "jsonl", "markdown", "mermaid", "html"]
_BY_ENDING = {
    ".jsonl": "jsonl",
    ".json": "json",
    ".md": "markdown",
    ".mmd": "mermaid",
    ".html": "html",
}
_TO_BE_SHARED = ("markdown", "mermaid", "html")


class Command(TyperCommand):
    """A command among whose words a filter may begin with a hyphen: `-kind:stderr`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Spell negated filters so that they are not taken for options."""
        return super().parse_args(
            ctx, [f"!{arg[1:]}" if arg.startswith("-") and is_token(arg) else arg for arg in args]
        )


def view(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CAPTURE] [FILTER]...",
            help="The capture (the newest, if none is named; `-` is stdin), and which of its rows,"
            " all of: "
            + ", ".join(f"`{token.name}:{token.example}`" for token in TOKENS)
            + "; a leading `-` negates.",
            show_default=False,
        ),
    ] = None,
    *,
    follow: Annotated[
        bool,
        typer.Option(
            "-f",
            "--follow",
            metavar="",
            help="Go on showing what is recorded, until Ctrl-C. Without a capture, wait for the"
            " next recording to begin.",
        ),
    ] = False,
    frame: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Show frame N whole, with its answer or question, and what its findings mean.",
            show_default=False,
        ),
    ] = None,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", metavar="", help="Show frames as they were sent, whole and unfolded."
        ),
    ] = False,
    no_fold: Annotated[
        bool,
        typer.Option("--no-fold", metavar="", help="Show every frame, also each chunk of a text."),
    ] = False,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="`text`, `json`, `jsonl` (a capture of the rows that are wanted), `markdown`,"
            " `mermaid` or `html`; else as the ending of FILE says.",
            show_default="text",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FILE", help="Write to FILE.", show_default=False),
    ] = "",
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            metavar="",
            help="Replace FILE even if it is a capture; never the one that is shown.",
        ),
    ] = False,
    select: Select = None,
    ignore: Ignore = None,
    severity: Severities = None,
    show_secrets: Annotated[
        bool,
        typer.Option(
            "--show-secrets",
            metavar="",
            help="Do not mask what looks like a secret in `markdown`, `mermaid` and `html`.",
        ),
    ] = False,
) -> int | None:
    """
    Show a capture: what happened, who said what, how long it took, and what is wrong.

    A row is a frame, with its time, the time since the row before, who sent it, and what it says.
    Chunks of one text and updates of one tool call are folded into one row; a turn is a block.
    Findings stand under their frame; `acp-spy rule CODE` explains them. Which rules are asked is
    said as for `check`: by options, in `[tool.acp-spy]` of pyproject.toml, or in acp-spy.toml.
    """
    named, tokens = _split(words or [])
    wanted = wants(tokens)
    judging = ruleset_for(settings_with(select, ignore, severity))
    form = form or ("text" if raw and frame is not None else _format_of(output))
    _check_options(form, output, raw=raw and frame is None, force=force)
    if follow:
        from acp_spy.cli.following import follow as run

        _check_follow(named, alone=form == "text" and not output and frame is None and not raw)
        path = find_input(named) if named else ""
        return run(path, capture_folder(), wanted, judging, fold=not no_fold)
    if frame is not None:
        _check_frame_alone(frame, form, tokens)
    path = find_input(named)
    if output:
        refuse_capture(output, but=path, force=force)
    if form == "html":
        if not output and sys.stdout.isatty():
            raise AcpSpyError(
                "a page is for a browser, not for a terminal",
                hint="write it to a file: -o page.html",
            )
        crashes: list[Crash] = []
        page = _page(path, tokens, judging, crashes, show_secrets=show_secrets)
        _write(page, output, but=path)
        return tell_bugs(crashes, path)
    masked = form in _TO_BE_SHARED and not show_secrets
    viewed = Viewed(path, wanted, judging, filtered=bool(tokens), masked=masked)
    if frame is not None:
        _show_frame(viewed, frame, raw=raw, output=output)
        return tell_bugs(viewed.crashes, path)
    if form == "text":
        told = (
            raw_lines(viewed)
            if raw
            else lines(
                viewed,
                terminal_for(Console(), sessions=viewed.sessions, plain=bool(output)),
                fold=not no_fold,
            )
        )
        if output:
            write_file(output, (f"{line}\n" for line in told), but=path)
        else:
            write_lines(told)
    else:
        _write(_parts(viewed, form), output, but=path)
    return tell_bugs(viewed.crashes, path)


def _check_follow(named: str, *, alone: bool) -> None:
    if not alone:
        raise AcpSpyError("`-f` shows rows on the terminal, and nothing else", hint="leave it out")
    if named == STDIN:
        raise AcpSpyError(
            "`-f` follows a file while it is written, and stdin is read to its end first",
            hint="name the file, or leave out `-f`",
        )


def _check_options(form: Format, output: str, *, raw: bool, force: bool) -> None:
    """Refuse what would otherwise be passed over: `--raw` of all rows, `--force` without a file."""
    if raw and form != "text":
        raise AcpSpyError(
            f"`--raw` shows what was sent as text, and not as `{form}`",
            hint="leave out `--raw`, or add `--format text`",
        )
    if force and not output:
        raise AcpSpyError(
            "`--force` replaces the file that `-o` names, and none is named",
            hint="leave it out, or name one: `-o FILE`",
        )


def _check_frame_alone(seq: int, form: Format, tokens: Sequence[str]) -> None:
    """Refuse what would otherwise be passed over: one frame is shown as text, whatever it is."""
    if form == "text" and not tokens:
        return
    what = f"as `{form}`" if form != "text" else f"with `{tokens[0]}`"
    raise AcpSpyError(
        f"`--frame {seq}` shows one frame whole, as text, and not {what}",
        hint="it can be combined with `--raw` and `-o FILE`;"
        f" for the other formats and filters take `seq:{seq}` instead",
    )


def _write(parts: Iterable[str | bytes], output: str, *, but: str) -> None:
    """Write to the file `output`, or to stdout if it has no name."""
    if output:
        write_file(output, parts, but=but)
        return
    with quiet_pipe():
        for part in parts:
            data = part if isinstance(part, bytes) else part.encode(errors="backslashreplace")
            sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _page(
    path: str,
    tokens: Sequence[str],
    judging: Ruleset,
    crashes: list[Crash],
    *,
    show_secrets: bool,
) -> Iterator[str]:
    """Give the capture at `path` as a page."""
    if not tokens and os.path.isfile(path) and os.path.getsize(path) > html.MOST:
        raise html.too_long(path)  # the page would be longer still: do not read it all for that
    return html.render(
        reader(path),
        name=os.path.basename(path),
        filters=tokens,
        judging=judging,
        crashes=crashes,
        show_secrets=show_secrets,
    )


def _split(words: list[str]) -> tuple[str, list[str]]:
    """Return the capture that is named first, if one is, and the filters."""
    if words and (os.path.exists(words[0]) or not is_token(words[0])):
        return words[0], words[1:]
    return "", words


def _format_of(output: str) -> Format:
    ending = os.path.splitext(output)[1]
    return _BY_ENDING.get(ending, "text")  # type: ignore[return-value]  # its values are formats


def _parts(viewed: Viewed, form: str) -> Iterator[str | bytes]:
    match form:
        case "json":
            yield from as_json(viewed.header, viewed.rows(), viewed.late())
        case "jsonl":
            yield from as_capture(viewed.header, viewed.rows())
        case "markdown":
            yield from markdown.render(viewed.header, viewed.rows(), viewed.late())
        case "mermaid":
            yield from (f"{line}\n" for line in mermaid.render(viewed.rows(), viewed.late()))
        case _:
            raise AssertionError(f"`{form}` is rendered elsewhere")


def _show_frame(viewed: Viewed, seq: int, *, raw: bool, output: str) -> None:
    found = viewed.frame(seq)
    if raw:
        assert isinstance(found.row.record, Frame)
        data = found.row.record.raw
        if output:
            write_file(output, [data], but=viewed.path)
        elif sys.stdout.isatty():
            write_lines([inert(data.decode(errors="backslashreplace").rstrip("\r\n"))])
        else:
            with quiet_pipe():
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
        return
    console = Console()
    terminal = terminal_for(console, plain=bool(output))
    told = whole_frame.render(found, terminal.width, colour=terminal.colour)
    if output:
        write_file(output, (f"{line}\n" for line in told), but=viewed.path)
    else:
        write_lines(told)
