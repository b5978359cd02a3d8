"""VS Code with the extension ACP Client: `acp.agents` in the user's settings.json."""

import os

from acp_spy.editors.editor import Editor, Machine, command_and_args


def _file(machine: Machine) -> str:
    config = machine.roaming if machine.is_windows else machine.config
    if machine.platform == "darwin":
        config = machine.under_home("Library", "Application Support")
    return os.path.join(config, "Code", "User", "settings.json")


VSCODE = Editor(
    name="vscode",
    title="VS Code, extension ACP Client (formulahendry.acp-client)",
    programs=("code",),
    file=_file,
    keys=("acp.agents",),
    entry=command_and_args,
    see="in the ACP Client view, connect to `{name}`",
)
