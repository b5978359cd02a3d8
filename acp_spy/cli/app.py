"""Everything but the proxy itself, as a typer application."""

import inspect
import os
import re
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from acp_spy.cli.commands import (
    COMMANDS,
    COMPLETION_VARIABLE,
    NEED_POSIX,
    NEEDS_POSIX,
    PROXY_OPTIONS,
    USAGE,
    Option,
    is_posix,
    no_posix,
)
from acp_spy.cli.console import (
    FINE,
    WRONG_USE,
    mask_secrets,
    report,
    run_reporting,
    silence_stdout,
)
from acp_spy.cli.usage_errors import option_instead, plain
from acp_spy.errors import AcpSpyError

_HELP = """
Record the messages between an ACP client and an ACP agent, without changing them.

Put `acp-spy --` in front of the agent command in the settings of your editor:

    acp-spy -- claude-agent-acp

`acp-spy setup` shows how, or changes the settings for you. The editor works as before. Every
message in both directions, with its time, and the agent's stderr and exit status are written to a
new capture: a JSON Lines file that only you can read.

Exit status: that of the agent, or death by the same signal; 127 if the agent command is not found,
126 if it cannot be run, 2 for wrong use.
"""
_NOT_HERE = f"Not available here: it {NEEDS_POSIX}."
_OPTIONS = (*PROXY_OPTIONS, Option("--version", help="Show the version and exit."))
_LOOK: Any = {
    "add_completion": False,
    "rich_markup_mode": "markdown",
    "pretty_exceptions_enable": False,
}

_WIDTH = re.compile("[2-9][0-9]|[1-9][0-9]{2,4}")  # that a terminal may have

# typer before 0.28 has click's name for it, and before 0.26 click itself.
_TYPER_ERROR: type[Any] = typer.BadParameter.__mro__[2]


def run_app(words: list[str]) -> int:
    """Run the command that `words` name; return the exit status."""
    return run_reporting(lambda: _run(words))


def answer_shell(instruction: str) -> int:
    """Do for a shell's completion what typer's `instruction` says; return the exit status."""
    from typer.completion import get_completion_inspect_parameters, shell_complete

    get_completion_inspect_parameters()  # makes typer's shells known
    group = application(_OPTIONS)

    def complete() -> object:
        if not re.fullmatch("[a-z]+_[a-z]+", instruction):  # typer would repeat any text
            raise AcpSpyError(
                f"cannot complete: `{COMPLETION_VARIABLE}` is `{instruction}`",
                hint="run `acp-spy completion --help`",
            )
        try:
            return shell_complete(group, {}, "acp-spy", COMPLETION_VARIABLE, instruction)
        except (LookupError, ValueError) as error:  # of typer, for the variables of the shell
            raise AcpSpyError(
                f"cannot complete: {error}", hint="run `acp-spy completion --help`"
            ) from None

    return run_reporting(complete)


def _run(words: list[str]) -> object:
    group = application(() if words and words[0] in COMMANDS else _OPTIONS)
    try:
        return group(words, prog_name="acp-spy", standalone_mode=False)
    except _TYPER_ERROR as error:
        if text := plain(error.format_message()):  # nothing, where the help was shown instead
            path, command = _named_command(group, words)
            mask_secrets()  # whatever the command is: nobody needs to read what they have typed
            report(option_instead(text, command) or AcpSpyError(text, hint=f"run `{path} --help`"))
        return WRONG_USE
    except SystemExit as end:
        # So typer and rich end when the reader of stdout has closed it, as `head` does.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        silence_stdout()
        return FINE
    except typer.Abort:
        return WRONG_USE


def _named_command(command: Any, words: list[str]) -> tuple[str, Any]:
    """Return the words that name the innermost command, and it; not every error knows it."""
    path = "acp-spy"
    for word in words:
        inner = getattr(command, "commands", {}).get(word)
        if inner is None:
            break
        path += f" {word}"
        command = inner
    return path, command


class _Commands(TyperGroup):
    """The commands: listed by what `COMMANDS` says of them, and loaded when they are called."""

    _after_dashes = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Note whether an agent's command has begun: there is nothing of ours to complete."""
        self._after_dashes = "--" in args and args[0] not in COMMANDS
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the command that is named."""
        if args[0] in COMMANDS:
            self.add_command(load_command(args[0]))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Offer commands and options."""
        return [] if self._after_dashes else super().shell_complete(ctx, incomplete)


def application(options: Sequence[Option] = ()) -> Any:
    """
    Return the application: its commands by name and one line of help, not yet loaded.

    `options` are those of the proxy, for its help: a command has no use for them, and typer makes
    a validator for each.
    """
    app = typer.Typer(
        **_LOOK,
        cls=_Commands,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=_HELP, subcommand_metavar=USAGE.partition("] ")[2])(_root(options))
    group = typer.main.get_group(app)
    _make_help_plain(group)
    for name, line in COMMANDS.items():
        group.add_command(TyperCommand(name, help=line if _works_here(name) else _NOT_HERE))
    return group


def load_command(name: str) -> Any:
    """Return the command of this name, with its parameters and all of its help."""
    app = typer.Typer(**_LOOK)
    if not _works_here(name):  # its module could not be loaded

        def refuse(_context: typer.Context) -> None:
            raise no_posix(f"run `acp-spy {name}`")

        anything = {"allow_extra_args": True, "ignore_unknown_options": True}
        app.command(name, help=_NOT_HERE, context_settings=anything)(refuse)
    else:
        spelled = f"{name}_" if iskeyword(name) else name
        module = import_module(f"acp_spy.cli.{spelled}")
        function = getattr(module, spelled)
        if isinstance(function, typer.Typer):
            app.add_typer(function, name=name, help=COMMANDS[name])
        else:
            text = f"{COMMANDS[name]}\n\n{inspect.getdoc(function)}"
            app.command(name, cls=getattr(module, "Command", None), help=text)(function)
    command = typer.main.get_group(app).commands[name]
    _make_help_plain(command)
    return command


def _make_help_plain(command: Any) -> None:
    """
    Keep Python's types (`<str>`, `<bool>`) and typer's braces out of the help of `command`.

    Nor is it wider than a terminal can be, or too narrow for any text: rich fills lines of any
    width with spaces, shows nothing where it is 0, and typer fails if it is not a number.
    """
    for each in getattr(command, "commands", {}).values():
        _make_help_plain(each)
    get_params, get_pieces = command.get_params, command.collect_usage_pieces
    format_help = command.format_help

    def formatted(context: Any, formatter: Any) -> None:
        for name in ("COLUMNS", "TERMINAL_WIDTH"):
            if not _WIDTH.fullmatch(os.environ.get(name, "")):
                os.environ.pop(name, None)
        format_help(context, formatter)

    def pieces(context: Any) -> list[str]:
        return [piece.replace("{", "").replace("}", "") for piece in get_pieces(context)]

    def params(context: Any) -> Any:
        found = get_params(context)
        for param in found:
            has_no_value = param.param_type_name == "argument" or param.is_flag
            shown = "" if has_no_value else param.metavar or param.opts[-1].lstrip("-").upper()
            param.display_type_rich = lambda ctx, shown=shown: shown  # noqa: ARG005 - typer's name
            param.process_value = partial(_process_value, param)
        return found

    command.get_params, command.collect_usage_pieces = params, pieces
    command.format_help = formatted


def _process_value(param: Any, context: Any, value: Any) -> Any:
    """
    Return the value of a parameter, without typer's conversion where it would change nothing.

    typer since 0.28 loads pydantic to convert, even for what was not given: half of the time that a
    command takes to start.
    """
    if _needs_conversion(param, value):
        return type(param).process_value(param, context, value)
    if value is None and (param.multiple or param.nargs != 1):
        value = ()
    return param.callback(context, param, value) if param.callback else value


def _needs_conversion(param: Any, value: Any) -> bool:
    kind = getattr(param, "type_descriptor", None)
    if kind is None:  # an older typer: it has no pydantic
        return True
    if param.value_is_missing(value):
        return bool(param.required)  # for the error
    if param.multiple or param.nargs != 1:
        return kind.annotation != list[str] or not all(type(each) is str for each in value)
    return type(value) is not kind.annotation and value not in (kind.choices or ())


def _works_here(name: str) -> bool:
    return is_posix() or name not in NEED_POSIX


def _panel_of(option: Option) -> str | None:
    """Return the title that an option is listed under; none for typer's own."""
    if option.is_remote:
        return "Options for an agent with a URL"
    return "Options that may change the traffic" if option.changes_traffic else None


def _root(options: Sequence[Option]) -> Any:
    """Return a function whose signature has `options`."""

    def root(**_options: Any) -> None:
        pass

    root.__annotations__ = {
        option.name: Annotated[
            str if option.takes else bool,
            typer.Option(
                *option.spellings,
                metavar=option.takes,
                help=option.help,
                show_default=False,
                rich_help_panel=_panel_of(option),
            ),
        ]
        for option in options
    }
    root.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default="" if annotation.__origin__ is str else False,
                annotation=annotation,
            )
            for name, annotation in root.__annotations__.items()
        ]
    )
    return root
