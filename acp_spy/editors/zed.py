"""Zed: a `custom` entry in `agent_servers` of settings.json, which is JSON with comments."""

import os
from typing import Any

from acp_spy.editors.editor import Editor, Launch, Machine, command_and_args


def _file(machine: Machine) -> str:
    if machine.is_windows:
        return os.path.join(machine.roaming, "Zed", "settings.json")
    # On macOS, too, it is ~/.config, whatever the environment says.
    config = machine.under_home(".config") if machine.platform == "darwin" else machine.config
    return os.path.join(config, "zed", "settings.json")


def _entry(launch: Launch) -> dict[str, Any]:
    return {"type": "custom", **command_and_args(launch)}


ZED = Editor(
    name="zed",
    title="Zed",
    programs=("zed", "zeditor", "zedit"),
    file=_file,
    keys=("agent_servers",),
    entry=_entry,
    see="in the agent panel, open a new thread with `{name}`",
)
