"""acpx, the headless client: `agents` in ~/.acpx/config.json, which is plain JSON."""

from acp_spy.editors.editor import Editor

ACPX = Editor(
    name="acpx",
    title="acpx",
    programs=("acpx",),
    file=lambda machine: machine.under_home(".acpx", "config.json"),
    naming="{}-spy",
    keys=("agents",),
    entry=lambda launch: {"argv": list(launch.words)},
    see="run `acpx {word} exec 'say hello'`",
)
