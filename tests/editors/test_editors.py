"""What each editor is told, as text, and where its settings are on each platform."""

import pytest

from acp_spy.editors.editor import Launch, Machine, starts_acp_spy
from acp_spy.editors.known import EDITORS

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


def test_where_the_settings_are_on_windows():
    roaming, local = "/home/dev/AppData/Roaming", "/home/dev/AppData/Local"
    assert {
        name: editor.file(Machine("win32", "/home/dev")) for name, editor in EDITORS.items()
    } == {
        "zed": f"{roaming}/Zed/settings.json",
        "jetbrains": "/home/dev/.jetbrains/acp.json",
        "neovim": f"{local}/nvim/init.lua",
        "emacs": f"{roaming}/.emacs.d/init.el",
        "vscode": f"{roaming}/Code/User/settings.json",
        "toad": "",
        "acpx": "/home/dev/.acpx/config.json",
    }
    moved = Machine("win32", "/home/dev", {"APPDATA": "/r", "LOCALAPPDATA": "/l"})
    assert EDITORS["zed"].file(moved) == "/r/Zed/settings.json"
    assert EDITORS["neovim"].file(moved) == "/l/nvim/init.lua"


OURS = [
    {"command": "/home/dev/.venv/bin/acp-spy", "args": ["--", "agent"]},
    {"command": "acp-spy", "args": ["--", "agent"], "env": {"A": "b"}},
    {"command": "C:\\Python\\Scripts\\acp-spy.exe", "args": ["--", "agent"]},
    {"argv": ["/usr/bin/python3", "-m", "acp_spy", "--", "agent"]},
    {"argv": ["/usr/bin/python3", "-P", "-m", "acp_spy", "--", "agent"]},
    {"argv": ["/opt/bin/acp-spy", "-v", "--", "agent"]},
]
OTHERS = [
    {"command": "/opt/my-acp-spy-agent"},
    {"command": "/opt/acp-spy/agent"},
    {"command": "agent", "args": ["--log", "/tmp/acp-spy"]},
    {"argv": ["python3", "-m", "acp_spy_agent"]},
    {"argv": ["agent", "acp-spy"], "env": {"acp-spy": "acp_spy"}},
    *({}, [], None, "acp-spy", {"argv": []}, {"argv": "acp-spy"}, {"argv": [7]}),
    *({"command": 7, "args": 7}, {"command": ["acp-spy"]}),
]


def test_an_entry_is_ours_if_it_starts_acp_spy_whatever_else_is_called_so():
    assert [entry for entry in OURS if not starts_acp_spy(entry)] == []
    assert [entry for entry in OTHERS if starts_acp_spy(entry)] == []


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
