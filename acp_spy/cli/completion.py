"""`acp-spy completion`: typer's script for a shell, which then completes commands and options."""

from typing import Annotated, Literal

import typer

from acp_spy.cli.app import answer_shell


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"],
        typer.Argument(metavar="SHELL", help="One of `bash`, `zsh`, `fish`.", show_default=False),
    ],
) -> int:
    """
    For bash, add `eval "$(acp-spy completion bash)"` to ~/.bashrc. For zsh, add
    `eval "$(acp-spy completion zsh)"` to ~/.zshrc, after `compinit`. For fish, run
    `acp-spy completion fish > ~/.config/fish/completions/acp-spy.fish`.
    """
    return answer_shell(f"source_{shell}")
