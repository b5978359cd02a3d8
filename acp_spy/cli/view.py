"""`acp-spy view`: what happened, who sent what, how long it took, and what is wrong."""

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from acp_spy.capture.links import names_descriptor
from acp_spy.capture.locate import capture_folder
from acp_spy.capture.write_file import write_file
from acp_spy.cli.capture_input import STDIN, find_input, refuse_pipe
from acp_spy.cli.console import mask_secrets, output_name, report_bugs, write
from acp_spy.cli.guesses import to_run
from acp_spy.cli.output import STDOUT, refuse_capture, write_parts
from acp_spy.cli.rule_settings import Ignore, Select, Severities, settings_with
from acp_spy.errors import AcpSpyError
from acp_spy.lint.ruleset import ruleset_for
from acp_spy.units import counted
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.filters import TOKENS, is_token, row_filter
from acp_spy.view.formats import FORMATS, TEXT, Format, format_of
from acp_spy.view.layout import layout_of_terminal
from acp_spy.wire.frame import Frame
from acp_spy.wire.inert import inert

if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[tuple(FORMATS)]
_NAMES = [
    f"`{each.name}`" + (f" ({each.about})" if each.about else "") for each in FORMATS.values()
]
_SHARED = [f"`{each.name}`" for each in FORMATS.values() if each.to_be_shared]


class Command(TyperCommand):
    """A command among whose words a filter may begin with a hyphen: `-kind:stderr`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Spell negated filters so that they are not taken for options."""
        return super().parse_args(
            ctx, [f"!{arg[1:]}" if arg.startswith("-") and is_token(arg) else arg for arg in args]
        )


def view(
    capture: Annotated[
        str | None,
        typer.Argument(
            metavar="CAPTURE",
            help="The capture, or `-` for stdin. Default: the newest in the capture folder.",
            show_default=False,
        ),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILTER",
            help="Show only the rows that match all filters: "
            + ", ".join(f"`{token.name}:{token.example}`" for token in TOKENS)
            + ". A leading `-` negates.",
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
            help="Keep showing new rows until Ctrl-C; in a pipe, until the capture ends. Without"
            " CAPTURE: the one that is being recorded, or else the next.",
        ),
    ] = False,
    frame: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Show this frame in full, with its request or response, and explain its findings.",
            show_default=False,
        ),
    ] = None,
    raw: Annotated[
        bool,
        typer.Option("--raw", metavar="", help="Show frames in full, as they were sent."),
    ] = False,
    no_fold: Annotated[
        bool,
        typer.Option(
            "--no-fold", metavar="", help="Show every frame, including each chunk of a text."
        ),
    ] = False,
    form: Annotated[
        FormatName | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"Output format: {', '.join(_NAMES[:-1])} or {_NAMES[-1]}. Default: by the suffix"
            " of FILE, or `text`.",
            show_default=False,
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
            help="Replace FILE even if it is a capture, but never the capture that is shown.",
        ),
    ] = False,
    serve: Annotated[
        bool,
        typer.Option(
            "--serve",
            metavar="",
            help="Show the page of the capture in the browser, live, until Ctrl-C. Without"
            " CAPTURE: the list of captures.",
        ),
    ] = False,
    no_open: Annotated[
        bool,
        typer.Option("--no-open", metavar="", help="With `--serve`: only print the URL."),
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            help="With `--serve`: the port. Default: any that is free.",
            show_default=False,
        ),
    ] = None,
    select: Select = None,
    ignore: Ignore = None,
    severity: Severities = None,
    show_secrets: Annotated[
        bool,
        typer.Option(
            "--show-secrets",
            metavar="",
            help=f"Do not mask secrets in {', '.join(_SHARED[:-1])} and {_SHARED[-1]}.",
        ),
    ] = False,
) -> int | None:
    """
    Each row is a frame: its time, the time since the previous row, who sent it, and what it says.
    Chunks of one text and updates of one tool call are folded into one row. Each turn is a block.
    Findings are shown below their frame; `acp-spy rule CODE` explains them. Rules are selected as
    for `check`: by options, in `[tool.acp-spy]` of pyproject.toml, or in acp-spy.toml.
    """
    if capture and is_token(capture) and not os.path.exists(capture):
        filters, capture = [capture, *(filters or ())], None
    tokens = filters or []
    output = "" if output == STDOUT else output
    alone = raw and frame is not None  # which may be of any kind
    chosen = FORMATS[form] if form else format_of("" if alone else output)
    if (chosen.to_be_shared or serve) and not show_secrets:
        mask_secrets()  # an error may quote the beginning of a file, or a filter
    _check_filters(capture, tokens)
    wanted = row_filter(tokens)
    settings = settings_with(select, ignore, severity)
    ruleset = ruleset_for(settings)
    _check_options(chosen, output, raw=raw and frame is None, force=force)
    if serve:
        from acp_spy.cli.serve_page import serve_page

        others = (follow, frame is not None, raw, no_fold, form is not None, output)
        _check_serve(capture, tokens, port or 0, alone=not any(others))
        path = "" if capture is None else find_input(capture, is_followed=True)
        url = {"filter": shlex.join(tokens)} if tokens else {}
        serve_page(
            path, url, ruleset, settings, port or 0, masked=not show_secrets, opens=not no_open
        )
        return None
    _refuse_without_serve(("--no-open", no_open), ("--port", port is not None))
    if follow:
        from acp_spy.cli.following import follow as run

        _check_follow(capture, alone=chosen is TEXT and not output and frame is None and not raw)
        path = "" if capture is None else find_input(capture, is_followed=True)
        return run(path, capture_folder(), wanted, ruleset, fold=not no_fold)
    if frame is not None:
        _check_frame_alone(frame, chosen, tokens)
    path = find_input(capture)
    if output:
        refuse_capture(output, but=path, force=force)
    elif chosen.name == "html" and sys.stdout.isatty():
        raise AcpSpyError(
            "cannot write a page to the terminal: it is for a browser",
            hint="write it to a file: `-o page.html`",
        )
    layout = layout_of_terminal(plain=bool(output), fold=not no_fold, raw=raw)
    masked = chosen.to_be_shared and not show_secrets
    shown = CaptureView(path, tokens, ruleset, masked=masked, layout=layout, settings=settings)
    parts = chosen.render(shown) if frame is None else _frame(shown, frame, output)
    if output:
        write_file(output, parts, but=path)
        _report_written(output, shown, to_be_shared=chosen.to_be_shared)
    else:
        write_parts(parts, paged=chosen is TEXT)
    return report_bugs(shown.crashes, path)


def _report_written(output: str, view: CaptureView, *, to_be_shared: bool) -> None:
    if to_be_shared:
        write(f"written to {output_name(output)}; {_secrets(view)}")
    elif not names_descriptor(output):  # else it may be on the screen already
        write(f"written to {output_name(output)}; {_not_masked(view)}")


def _secrets(view: CaptureView) -> str:
    if not view.masked:
        return "secrets shown"
    if count := view.masked_places:
        return f"secrets masked: {counted(count, 'place')}"
    none = "none left; the capture was redacted before" if view.was_redacted else "none found"
    return f"secrets masked: {none}"


def _not_masked(view: CaptureView) -> str:
    if view.was_redacted:
        return "no more secrets are masked than in the capture"
    return "secrets are not masked"


def _check_filters(capture: str | None, tokens: Sequence[str]) -> None:
    """Refuse what is not a filter, but a frame's number or a capture."""
    if number := next((token for token in tokens if token.isdecimal()), ""):
        raise AcpSpyError(
            f"cannot filter by `{number}`: no such filter",
            hint=f"to show frame {number}, use `--frame {number}`",
        )
    if other := next((token for token in tokens if _is_capture(token)), ""):
        if capture is None:
            rest = [token for token in tokens if token != other]
            raise AcpSpyError(
                "put the capture before the filters", hint=to_run("acp-spy", "view", other, *rest)
            )
        raise AcpSpyError(
            "`view` shows one capture",
            hint=f"to compare two, {to_run('acp-spy', 'diff', capture, other)}",
        )


def _is_capture(token: str) -> bool:
    return not is_token(token) and (token.endswith(".jsonl") or os.path.isfile(token))


def _check_follow(named: str | None, *, alone: bool) -> None:
    if not alone:
        raise AcpSpyError(
            "`--follow` cannot be used with `--output`, `--frame`, `--raw` or another format",
            hint="remove `-f`",
        )
    if named == STDIN:
        raise AcpSpyError(
            "cannot follow stdin: it is read to its end first",
            hint="name the file, or remove `-f`",
        )


def _refuse_without_serve(*options: tuple[str, bool]) -> None:
    for option, is_given in options:
        if is_given:
            raise AcpSpyError(
                f"`{option}` needs `--serve`", hint=f"add `--serve`, or remove `{option}`"
            )


def _check_serve(named: str | None, tokens: Sequence[str], port: int, *, alone: bool) -> None:
    if not 0 <= port <= 65535:
        raise AcpSpyError(f"cannot listen on port {port}", hint="use one from 0 to 65535")
    if not alone:
        raise AcpSpyError(
            "`--serve` cannot be used with `--follow`, `--output`, `--frame`, `--raw`, `--no-fold`"
            " or `--format`",
            hint="remove the other option",
        )
    if named == STDIN:
        raise AcpSpyError(
            "cannot serve a page of stdin: it is read only once", hint="give the path of a file"
        )
    if named:
        refuse_pipe(named, "serve a page of")
    if named is None and tokens:
        raise AcpSpyError(
            f"cannot filter the list of captures by `{tokens[0]}`",
            hint=f"name a capture: {to_run('acp-spy', 'view', 'CAPTURE', *tokens, '--serve')}",
        )


def _check_options(form: Format, output: str, *, raw: bool, force: bool) -> None:
    """Refuse options that would be ignored: `--raw` of all rows, `--force` without a file."""
    if raw and form is not TEXT:
        raise AcpSpyError(
            f"`--raw` cannot be used with `--format {form.name}`",
            hint="remove `--raw`, or use `--format text`",
        )
    if force and not output:
        raise AcpSpyError(
            "`--force` needs `--output`: it replaces that file",
            hint="remove `--force`, or add `-o FILE`",
        )


def _check_frame_alone(seq: int, form: Format, tokens: Sequence[str]) -> None:
    """Refuse options that one frame, which is always shown as text, would ignore."""
    if form is TEXT and not tokens:
        return
    other = f"`--format {form.name}`" if form is not TEXT else f"the filter `{tokens[0]}`"
    raise AcpSpyError(
        f"`--frame` cannot be used with {other}",
        hint=f"use the filter `seq:{seq}` instead of `--frame {seq}`",
    )


def _frame(view: CaptureView, seq: int, output: str) -> Iterable[str | bytes]:
    """Give one frame: as it was sent, or in full with what belongs to it."""
    from acp_spy.view import frame_detail

    detail = view.frame(seq)
    if not view.layout.raw:
        lines = frame_detail.render(detail, view.layout.width, colour=view.layout.colour)
        return (f"{line}\n" for line in lines)
    assert isinstance(detail.row.record, Frame)
    data = detail.row.record.raw
    if output or not sys.stdout.isatty():
        return [data]
    return [inert(data.decode(errors="backslashreplace").rstrip("\r\n")) + "\n"]
