"""What each editor is told, as text, and where its settings are on each platform."""

import pytest

from acp_spy.editors.known import EDITORS
from acp_spy.editors.model import Launch, Machine

LINUX = Machine("linux", "/home/dev", {})
ELSEWHERE = Machine("linux", "/home/dev", {"XDG_CONFIG_HOME": "/etc/dev", "NVIM_APPNAME": "mine"})
MAC = Machine("darwin", "/home/dev", {"XDG_CONFIG_HOME": "/etc/dev"})


def launch(agent="claude-agent-acp", *args, name="it"):
    return Launch(agent, name, ("/opt/bin/acp-spy", "--", agent, *args))


@pytest.mark.parametrize(
    ("name", "linux", "elsewhere", "mac"),
    [
        (
            "zed",
            "/home/dev/.config/zed/settings.json",
            "/etc/dev/zed/settings.json",
            "/home/dev/.config/zed/settings.json",
        ),
        ("jetbrains", *["/home/dev/.jetbrains/acp.json"] * 3),
        (
            "neovim",
            "/home/dev/.config/nvim/init.lua",
            "/etc/dev/mine/init.lua",
            "/etc/dev/nvim/init.lua",
        ),
        ("emacs", *["/home/dev/.emacs.d/init.el"] * 3),
        (
            "vscode",
            "/home/dev/.config/Code/User/settings.json",
            "/etc/dev/Code/User/settings.json",
            "/home/dev/Library/Application Support/Code/User/settings.json",
        ),
        ("toad", "", "", ""),
        ("acpx", *["/home/dev/.acpx/config.json"] * 3),
    ],
)
def test_where_the_settings_are(name, linux, elsewhere, mac):
    assert [EDITORS[name].file(m) for m in (LINUX, ELSEWHERE, MAC)] == [linux, elsewhere, mac]


def test_emacs_reads_the_first_file_that_exists(tmp_path):
    machine = Machine("linux", str(tmp_path), {})
    (tmp_path / ".config" / "emacs").mkdir(parents=True)
    (tmp_path / ".config" / "emacs" / "init.el").touch()
    assert EDITORS["emacs"].file(machine) == f"{tmp_path}/.config/emacs/init.el"
    (tmp_path / ".emacs").touch()
    assert EDITORS["emacs"].file(machine) == f"{tmp_path}/.emacs"


def test_every_editor_can_either_be_written_or_says_why_not():
    for editor in EDITORS.values():
        assert (editor.entry is None) == bool(editor.why_not) == (editor.snippet is not None)
        assert bool(editor.entry) == bool(editor.keys)


def test_neovim():
    assert EDITORS["neovim"].snippet(launch("codex-acp", 'a"b')) == (
        r"""-- CodeCompanion
require("codecompanion").setup({
  adapters = {
    acp = {
      ["it"] = function()
        return require("codecompanion.adapters").extend("codex", {
          name = "it",
          formatted_name = "it",
          commands = { default = { "/opt/bin/acp-spy", "--", "codex-acp", "a\"b" } },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "it" } },
})

-- or Avante
require("avante").setup({
  provider = "it",
  acp_providers = {
    ["it"] = { command = "/opt/bin/acp-spy", args = { "--", "codex-acp", "a\"b" } },
  },
})"""
    )


def test_emacs_with_an_agent_that_agent_shell_knows():
    assert EDITORS["emacs"].snippet(launch()) == (
        "(setq agent-shell-anthropic-claude-command\n"
        '      \'("/opt/bin/acp-spy" "--" "claude-agent-acp"))'
    )


def test_emacs_with_another_agent():
    assert EDITORS["emacs"].snippet(launch("mine", "--acp", name="my agent")) == (
        """\
(with-eval-after-load 'agent-shell
  (add-to-list
   'agent-shell-agent-configs
   (agent-shell-make-agent-config
    :identifier 'my-agent
    :mode-line-name "my agent"
    :buffer-name "my agent"
    :shell-prompt "my agent> "
    :shell-prompt-regexp "my agent> "
    :client-maker (lambda (buffer)
                    (acp-make-client
                     :command "/opt/bin/acp-spy"
                     :command-params '("--" "mine" "--acp")
                     :context-buffer buffer)))))"""
    )
