"""Commands with an agent's command line after `--`, and the errors when it is elsewhere."""

from difflib import get_close_matches
from shlex import join
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from acp_spy.cli.commands import URLS
from acp_spy.cli.guesses import to_run
from acp_spy.errors import AcpSpyError

_SIDES = ("agent", "client")
_OTHER_WORDS = {"server": "agent", "mock": "agent", "editor": "client", "ide": "client"}
_USAGE = "-- COMMAND [ARG]..."


class AgentCommand(TyperCommand):
    """A command that ends with an agent's command line: what follows `--` is in `ctx.args`."""

    _after_dashes = False

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage with the dashes, which have to be typed."""
        return [*super().collect_usage_pieces(ctx), _USAGE]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what is ours; refuse a command without dashes, whose options we would take."""
        at = args.index("--") if "--" in args else len(args)
        extra = _extra_word(self, args[:at])
        if extra is not None and args[extra].startswith(URLS):  # no command with options of its own
            args = [*args[:extra], "--", *args[extra:at], *args[at + 1 :]]
            at, extra = extra, None
        if extra is not None and not ctx.resilient_parsing:
            raise AcpSpyError(
                "put the agent command after `--`",
                hint=to_run(*_with_dashes(ctx.command_path.split(), args, extra)),
            )
        super().parse_args(ctx, args[:at])
        self._after_dashes = at < len(args)
        ctx.args = command = args[at + 1 :]
        return command

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Offer options; nothing of an agent's command is ours to complete."""
        return [] if self._after_dashes else super().shell_complete(ctx, incomplete)


def command_after_dashes(ctx: typer.Context, *words: str) -> list[str]:
    """Return the agent's command line. `words` are our own, for the hint when there is none."""
    if not ctx.args:
        raise AcpSpyError(
            "missing agent command",
            hint=f"run `{join([*ctx.command_path.split(), *words])} {_USAGE}`",
        )
    return ctx.args


class MockAgentCommand(TyperCommand):
    """`replay agent`, which starts nothing: it is the agent."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse a command to start."""
        at = _extra_word(self, args)
        if at is not None and not ctx.resilient_parsing:
            client = [*ctx.parent.command_path.split(), "client"]
            raise AcpSpyError(
                "`replay agent` does not start an agent: it is the agent",
                hint=f"to act as the client of an agent, {to_run(*_with_dashes(client, args, at))}",
            )
        return super().parse_args(ctx, args)


class Replay(TyperGroup):
    """`acp-spy replay`, whose first word is the side that it plays."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what does not begin with a side."""
        if args and args[0] not in (*_SIDES, "--help", "-h") and not ctx.resilient_parsing:
            raise _no_side(ctx.command_path.split(), args)
        return super().parse_args(ctx, args)


def _no_side(path: list[str], args: list[str]) -> AcpSpyError:
    word = args[0]
    near = get_close_matches(word, _SIDES, n=1)
    if side := _OTHER_WORDS.get(word) or (near[0] if near else ""):
        return AcpSpyError(f"no such side: `{word}`", hint=to_run(*path, side, *args[1:]))
    side = "client" if "--" in args else "agent"
    other = "" if side == "client" else f", or `acp-spy replay client CAPTURE {_USAGE}`"
    return AcpSpyError(
        "specify which side to play: `agent` or `client`",
        hint=to_run(*path, side, *args) + other,
    )


def _extra_word(command: TyperCommand, args: list[str]) -> int | None:
    """
    Return the index of the first word that is no option, no option's value, and not declared.

    After an unknown option there is none: it may have a value, and is reported itself.
    """
    options = [param for param in command.params if param.param_type_name == "option"]
    takes_value = {
        name for param in options if not getattr(param, "is_flag", False) for name in param.opts
    }
    names = {"-h", "--help"}.union(*(param.opts for param in options))
    room = len(command.params) - len(options)
    is_value = False
    for at, word in enumerate(args):
        if word == "--":
            return at + 1 if at + 1 < len(args) else None
        if is_value or (word.startswith("-") and word != "-"):
            if not is_value and not names & {word.partition("=")[0], word[:2]}:
                return None
            is_value = not is_value and word in takes_value
        elif not room:
            return at
        else:
            room -= 1
    return None


def _with_dashes(path: list[str], args: list[str], at: int) -> list[str]:
    """Return the command line as it should have been, where the agent's begins at `at`."""
    ours, command = ([word for word in part if word != "--"] for part in (args[:at], args[at:]))
    return [*path, *ours, "--", *command]
