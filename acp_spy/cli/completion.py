"""
`acp-spy completion`: a script for the shell, which then completes commands and options by itself.

The script is made once, from the commands as they are declared. Pressing TAB starts no Python, and
the proxy's own start knows nothing of it.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

import msgspec
import typer

from acp_spy.cli.output import write_lines

_BASH = """\
# acp-spy, for bash: eval "$(acp-spy completion bash)"
_acp_spy() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local at=1 path="" words=""
  COMPREPLY=()
  while [ "$at" -lt "$COMP_CWORD" ]; do
    if [ "${{COMP_WORDS[at]}}" = "--" ]; then
      if [ "$((at + 1))" -eq "$COMP_CWORD" ]; then
        COMPREPLY=($(compgen -c -- "$current"))
      fi
      return
    fi
    case "$path ${{COMP_WORDS[at]}}" in
{paths}
    esac
    at=$((at + 1))
  done
  case "$path $previous" in
{choices}
  esac
  case "$path" in
{words}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "${{words//-*/}}" -- "$current")) ;;
  esac
}}
complete -o default -F _acp_spy acp-spy"""


class _Command(msgspec.Struct, frozen=True):
    """A command, by the words that lead to it: what can follow, and what an option can be."""

    path: str
    help: str
    commands: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]  # the spellings of each
    choices: dict[str, tuple[str, ...]]  # by spelling


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"],
        typer.Argument(metavar="SHELL", help="The shell.", show_default=False),
    ],
) -> None:
    """
    Print a script that teaches a shell to complete acp-spy's commands and options.

    For bash, add `eval "$(acp-spy completion bash)"` to ~/.bashrc; for zsh, the same with `zsh` to
    ~/.zshrc, after `compinit`; for fish: `acp-spy completion fish >
    ~/.config/fish/completions/acp-spy.fish`. Print it anew after an update of acp-spy.
    """
    commands = list(_commands())
    lines = _fish(commands) if shell == "fish" else _bash(commands, shell)
    write_lines(list(lines))


def _commands() -> Iterator[_Command]:
    from acp_spy.cli.app import whole_app

    yield from _walk(typer.main.get_command(whole_app()), "")


def _walk(command: Any, path: str) -> Iterator[_Command]:
    options = [param for param in command.params if param.param_type_name == "option"]
    shown = [param for param in options if not param.hidden]
    inner = getattr(command, "commands", {})
    first = (command.get_short_help_str(limit=100) or "").rstrip(".")
    yield _Command(
        path,
        first,
        tuple(inner),
        (*((*param.opts, *param.secondary_opts) for param in shown), ("-h", "--help")),
        {
            spelling: values
            for param in command.params
            if (values := tuple(_literals(param.type_descriptor.annotation)))
            for spelling in (param.opts if param in options else ("",))
        },
    )
    for name, follows in inner.items():
        yield from _walk(follows, f"{path} {name}".strip())


def _literals(annotation: Any) -> Iterator[str]:
    """Give the words that a parameter can be, if they are counted."""
    for part in get_args(annotation):
        if isinstance(part, str):
            yield part
        else:
            yield from _literals(part)


def _bash(commands: list[_Command], shell: str) -> Iterator[str]:
    paths, choices, words = [], [], []
    for command in commands:
        parent, _, name = command.path.rpartition(" ")
        if command.path:
            paths.append(f'      "{parent} {name}") path="{command.path}" ;;')
        for spelling, values in command.choices.items():
            if spelling:
                reply = f'COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$current"))'
                choices.append(f'    "{command.path} {spelling}") {reply}; return ;;')
        following = [
            *command.commands,
            *command.choices.get("", ()),
            *(spelling for option in command.options for spelling in option),
        ]
        words.append(f'    "{command.path}") words="{" ".join(following)}" ;;')
    if shell == "zsh":
        yield "autoload -U +X bashcompinit && bashcompinit"
    script = _BASH.format(
        paths="\n".join(paths), choices="\n".join(choices), words="\n".join(words)
    )
    yield from script.splitlines()


def _fish(commands: list[_Command]) -> Iterator[str]:
    yield "# acp-spy, for fish: ~/.config/fish/completions/acp-spy.fish"
    for command in commands:
        names = command.path.split()
        seen = "; and ".join(f"__fish_seen_subcommand_from {name}" for name in names)
        here = seen or "__fish_use_subcommand"
        for name in command.commands:
            (inner,) = [c for c in commands if c.path == f"{command.path} {name}".strip()]
            others = " ".join(command.commands)
            condition = f"{here}; and not __fish_seen_subcommand_from {others}"
            yield f"complete -c acp-spy -n '{condition}' -a {name} -d {_quoted(inner.help)}"
        for spellings in command.options:
            given = " ".join(
                f"-l {spelling[2:]}" if spelling.startswith("--") else f"-s {spelling[1:]}"
                for spelling in spellings
            )
            values = command.choices.get(spellings[-1], ())
            takes = f" -x -a '{' '.join(values)}'" if values else ""
            yield f"complete -c acp-spy -n '{here}' {given}{takes}"
        if values := command.choices.get("", ()):
            yield f"complete -c acp-spy -n '{here}' -a '{' '.join(values)}'"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
