"""JetBrains IDEs: `agent_servers` in ~/.jetbrains/acp.json, one file for all of them."""

from acp_spy.editors.editor import Editor, command_and_args

JETBRAINS = Editor(
    name="jetbrains",
    title="JetBrains IDEs",
    programs=("idea", "pycharm", "webstorm", "goland", "clion", "rider", "phpstorm", "rubymine"),
    file=lambda machine: machine.under_home(".jetbrains", "acp.json"),
    keys=("agent_servers",),
    entry=command_and_args,
    see="in the AI chat, choose `{name}` in the list of agents",
)
