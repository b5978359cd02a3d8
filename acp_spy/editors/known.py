"""The editors, in the order in which they are listed."""

from acp_spy.editors.acpx import ACPX
from acp_spy.editors.editor import Editor, Machine
from acp_spy.editors.emacs import EMACS
from acp_spy.editors.jetbrains import JETBRAINS
from acp_spy.editors.neovim import NEOVIM
from acp_spy.editors.toad import TOAD
from acp_spy.editors.vscode import VSCODE
from acp_spy.editors.zed import ZED

EDITORS = {editor.name: editor for editor in (ZED, JETBRAINS, NEOVIM, EMACS, VSCODE, TOAD, ACPX)}


def is_here(editor: Editor, machine: Machine) -> bool:
    """Whether `editor` seems to be in use on this machine."""
    import os
    import shutil

    settings = editor.file(machine)
    if settings and os.path.exists(settings):
        return True
    path = machine.env.get("PATH", "")
    return any(shutil.which(program, path=path) for program in editor.programs)
