"""Help as a person wants it: without Python's types, and with `--` where it has to be typed."""

from typing import Any

AGENT_COMMAND = "COMMAND [ARG]"  # the metavar of an agent's command line, which follows `--`
_BRACES = {ord(brace): None for brace in "{}"}
_SAY_NOTHING = {"<bool>", "<str>", "<list[str]>"}


def tidy(command: Any) -> None:
    """Change how `command`, and all the commands in it, show themselves."""
    for param in command.params:
        _quiet(param)
        _say_plainly(param)
        if param.metavar == AGENT_COMMAND:
            param.get_usage_pieces = lambda _: [f"-- {AGENT_COMMAND}..."]
    help_option = command.get_help_option
    command.get_help_option = lambda ctx: _quiet(help_option(ctx))
    for inner in getattr(command, "commands", {}).values():
        tidy(inner)


def _quiet(param: Any) -> Any:
    """Leave out a type that says nothing: that a switch is a `bool`, or a name a `str`."""
    if param is not None and "display_type_rich" not in vars(param):
        shown = param.display_type_rich
        param.display_type_rich = lambda ctx: _if_telling(shown(ctx=ctx))
    return param


def _if_telling(shown: str | None) -> str | None:
    return None if shown is None or shown in _SAY_NOTHING else shown.strip("<>")


def _say_plainly(param: Any) -> None:
    """Show `CAPTURE` instead of `{CAPTURE}`, and `[default: x]` instead of `[default: (x)]`."""
    name = param.metavar or ""
    if param.param_type_name == "argument":
        pieces = param.get_usage_pieces
        if name.startswith("["):  # the usage, written out
            param.get_usage_pieces = lambda _: [name]
        elif param.required:
            param.get_usage_pieces = lambda ctx: [piece.translate(_BRACES) for piece in pieces(ctx)]
    elif isinstance(param.show_default, str):  # of what a settings file may give, too
        param.help = f"{param.help} [default: {param.show_default}]"
        param.show_default = False
