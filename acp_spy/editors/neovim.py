"""Neovim: Lua, for the plugin CodeCompanion and for the plugin Avante."""

import os

from acp_spy.editors.editor import Editor, Launch, Machine, quoted

# The adapter of CodeCompanion that knows how to log in to an agent, by the agent's command.
_ADAPTERS = {
    "auggie": "auggie_cli",
    "claude-agent-acp": "claude_code",
    "claude-code-acp": "claude_code",
    "codex-acp": "codex",
    "gemini": "gemini_cli",
    "gemini-cli": "gemini_cli",
    "goose": "goose",
    "kimi": "kimi_cli",
    "opencode": "opencode",
}
_PLAIN = "opencode"  # the one that does nothing of its own


def _file(machine: Machine) -> str:
    config = machine.config
    if machine.is_windows and "XDG_CONFIG_HOME" not in machine.env:
        config = machine.env.get("LOCALAPPDATA") or machine.under_home("AppData", "Local")
    return os.path.join(config, machine.env.get("NVIM_APPNAME") or "nvim", "init.lua")


def _quoted(word: str) -> str:
    return quoted(word, r"\u{{{:x}}}")


def _snippet(launch: Launch) -> str:
    name = _quoted(launch.name)
    adapter = _quoted(_ADAPTERS.get(launch.agent, _PLAIN))
    words = ", ".join(map(_quoted, launch.words))
    command, args = _quoted(launch.words[0]), ", ".join(map(_quoted, launch.words[1:]))
    return f"""\
-- CodeCompanion
require("codecompanion").setup({{
  adapters = {{
    acp = {{
      [{name}] = function()
        return require("codecompanion.adapters").extend({adapter}, {{
          name = {name},
          formatted_name = {name},
          commands = {{ default = {{ {words} }} }},
        }})
      end,
    }},
  }},
  interactions = {{ chat = {{ adapter = {name} }} }},
}})

-- or Avante
require("avante").setup({{
  provider = {name},
  acp_providers = {{
    [{name}] = {{ command = {command}, args = {{ {args} }} }},
  }},
}})"""


NEOVIM = Editor(
    name="neovim",
    title="Neovim, plugin CodeCompanion or Avante",
    programs=("nvim",),
    file=_file,
    naming="{}-spy",
    snippet=_snippet,
    why_not="they are a Lua program, which acp-spy cannot edit safely",
    see="restart Neovim, then `:CodeCompanionChat` or `:AvanteAsk`",
)
