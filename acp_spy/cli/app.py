"""Everything but the proxy itself, as a typer application."""

import inspect
import io
import sys
from collections.abc import Callable
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer

from acp_spy.cli.commands import COMMANDS, PROGRAM, PROXY_OPTIONS, START_AGENTS, USAGE
from acp_spy.cli.complaint import complaint
from acp_spy.cli.console import FINE, WRONG_USE, report
from acp_spy.cli.platform import NEEDS_POSIX, is_posix, no_posix
from acp_spy.cli.quiet_pipe import silence_stdout
from acp_spy.cli.tidy_help import tidy
from acp_spy.errors import NO_MEMORY, AcpSpyError

_HELP = """
Record what an ACP client and an ACP agent say to each other, and change nothing.

Put `acp-spy --` in front of the agent's command in your editor's settings:

    acp-spy -- claude-code-acp

`acp-spy setup` shows how, or does it. The editor works as before. Every frame, both ways, with its
time, and the agent's stderr and exit status go into a new capture: a JSON Lines file that only you
can read.

Exit status: the agent's, or death by the same signal; 127 if its command is not found, 126 if it
cannot be run, 2 for wrong use.
"""


def run_app(words: list[str]) -> int:
    """Run the command that `words` name; return the exit status."""
    try:
        if sys.stdout is None:
            raise AcpSpyError("stdout is closed: there is nowhere to write to")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # an arrow is no reason to fail
        command = typer.main.get_command(_build(words[0]))
        tidy(command)
        status = command(words, prog_name="acp-spy", standalone_mode=False)
        sys.stdout.flush()
    except AcpSpyError as error:
        return report(error)
    except OSError as error:
        silence_stdout()
        return report(AcpSpyError(f"the output cannot be written: {error.strerror}"))
    except MemoryError:
        hint = "a line may be huge, as in a capture that was made to hurt: allow more (ulimit -v)"
        return report(AcpSpyError(NO_MEMORY, hint=hint))
    except typer.TyperException as error:
        if said := error.format_message().rstrip("."):  # nothing, where the help was shown instead
            report(AcpSpyError(complaint(said), hint=" ".join([*_named(command, words), "--help"])))
        return WRONG_USE
    except typer.Abort:
        return WRONG_USE
    return status if isinstance(status, int) else FINE


def _named(command: Any, words: list[str]) -> list[str]:
    """Return the words that name the innermost command; the error does not always know it."""
    named = ["acp-spy"]
    for word in words:
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            break
        named.append(word)
    return named


def whole_app() -> typer.Typer:
    """Return the application with all of its commands."""
    return _build("")


def _build(asked: str) -> typer.Typer:
    """Return the application; of the commands only the one that is asked for, if one is."""
    app = typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=_HELP, subcommand_metavar=USAGE.partition("] ")[2])(_root())
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        if name in START_AGENTS and not is_posix():
            _add_without_posix(app, name)
            continue
        spelled = f"{name}_" if iskeyword(name) else name
        module = import_module(f"acp_spy.cli.{spelled}")
        command = getattr(module, spelled)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=getattr(module, "Command", None))(command)
    return app


def _add_without_posix(app: typer.Typer, name: str) -> None:
    """Add a command that says why it is not here; its module could not be loaded."""

    def refuse(_context: typer.Context) -> None:
        raise no_posix(f"`acp-spy {name}`")

    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, help=f"Not here: it {NEEDS_POSIX}.", context_settings=anything)(refuse)


def _root() -> Callable[..., None]:
    """Return a function whose signature shows the proxy's options, for the help to list."""

    def version(wanted: bool) -> None:
        if wanted:
            typer.echo(PROGRAM)
            raise typer.Exit

    def root(**_options: Any) -> None:
        pass

    annotations: dict[str, Any] = {
        option.name: Annotated[
            str if option.takes else bool,
            typer.Option(
                *option.spellings,
                metavar=option.takes,
                help=option.help,
                show_default=False,
            ),
        ]
        for option in PROXY_OPTIONS
    }
    annotations["version"] = Annotated[
        bool,
        typer.Option(
            "--version", metavar="", help="Show the version.", callback=version, is_eager=True
        ),
    ]
    root.__annotations__ = annotations
    root.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default="" if annotation.__origin__ is str else False,
                annotation=annotation,
            )
            for name, annotation in annotations.items()
        ]
    )
    return root
