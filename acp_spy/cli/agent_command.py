"""Command lines of `acp-spy replay` that are nearly right, and how they should have been."""

from difflib import get_close_matches
from shlex import join
from typing import Any, Never

from typer.core import TyperCommand, TyperGroup

from acp_spy.errors import AcpSpyError

_START = ["acp-spy", "replay"]
_SIDES = ("agent", "client")


class Replay(TyperGroup):
    """`acp-spy replay`, which wants to know which side it shall play."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse what does not begin with a side."""
        if args and args[0] not in (*_SIDES, "--help", "-h") and not ctx.resilient_parsing:
            _which_side(args)
        return super().parse_args(ctx, args)


class AgentCommand(TyperCommand):
    """`replay agent`, which starts nothing: it is the agent."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse a command to start."""
        at = _second_word(self, args)
        if at is not None and not ctx.resilient_parsing:
            raise AcpSpyError(
                "a mock agent is the agent, and starts none",
                hint=f"to play the client to that one: {_client_of(args, at)}",
            )
        return super().parse_args(ctx, args)


class ClientCommand(TyperCommand):
    """`replay client`, with the agent's command after `--`, as the proxy has it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse a command that does not stand there: its options would be taken for ours."""
        ours = args[: args.index("--")] if "--" in args else args
        at = _second_word(self, ours)
        if at is not None and not ctx.resilient_parsing:
            raise AcpSpyError(
                "the agent's command must stand after `--`", hint=_client_of(args, at)
            )
        return super().parse_args(ctx, args)


def _which_side(args: list[str]) -> Never:
    word = args[0]
    if near := get_close_matches(word, _SIDES, n=1):
        raise AcpSpyError(
            f"no such side: `{word}`; did you mean `{near[0]}`?",
            hint=join([*_START, near[0], *args[1:]]),
        )
    side = "client" if "--" in args else "agent"
    other = "" if side == "client" else ", or replay client CAPTURE -- COMMAND [ARG]..."
    raise AcpSpyError(
        "which side of the capture shall be played, the agent or the client?",
        hint=join([*_START, side, *args]) + other,
    )


def _second_word(command: TyperCommand, args: list[str]) -> int | None:
    """Return where the second word stands that is neither an option nor the value of one."""
    takes_value = {
        name
        for param in command.params
        for name in param.opts
        if name.startswith("-") and not getattr(param, "is_flag", False)
    }
    is_value, count = False, 0
    for at, word in enumerate(args):
        if word == "--":
            return at + 1 if count and at + 1 < len(args) else None
        if is_value or (word.startswith("-") and word != "-"):
            is_value = not is_value and word in takes_value
            continue
        count += 1
        if count == 2:
            return at
    return None


def _client_of(args: list[str], at: int) -> str:
    """Return how to play the client to the agent whose command begins at `at`."""
    ours, command = ([word for word in part if word != "--"] for part in (args[:at], args[at:]))
    return join([*_START, "client", *ours, "--", *command])
