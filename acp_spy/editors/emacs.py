"""Emacs: Lisp, for the package agent-shell."""

import os
import re

from acp_spy.editors.editor import Editor, Launch, Machine, quoted
from acp_spy.wire.inert import inert

# The variable that holds an agent's command, by that command: its own way to log in is kept.
_VARIABLES = {
    "claude-agent-acp": "agent-shell-anthropic-claude-command",
    "claude-code-acp": "agent-shell-anthropic-claude-command",
    "codex-acp": "agent-shell-openai-codex-command",
    "gemini": "agent-shell-google-gemini-command",
    "gemini-cli": "agent-shell-google-gemini-command",
}
_TAKEN_FIRST = (".emacs.el", ".emacs", ".emacs.d/init.el")


def _file(machine: Machine) -> str:
    home = machine.env.get("HOME") or machine.roaming if machine.is_windows else machine.home
    candidates = [os.path.join(home, *name.split("/")) for name in _TAKEN_FIRST]
    candidates.append(os.path.join(machine.config, "emacs", "init.el"))
    return next(filter(os.path.exists, candidates), candidates[2])


def _quoted(word: str) -> str:
    return quoted(word, r"\U{:08x}")


def _snippet(launch: Launch) -> str:
    if variable := _VARIABLES.get(launch.agent):
        words = " ".join(map(_quoted, launch.words))
        return f"(setq {variable}\n      '({words}))"
    name, prompt = _quoted(launch.name), _quoted(f"{launch.name}> ")
    args = " ".join(map(_quoted, launch.words[1:]))
    return f"""\
(with-eval-after-load 'agent-shell
  (add-to-list
   'agent-shell-agent-configs
   (agent-shell-make-agent-config
    :identifier '{_symbol(launch.name)}
    :mode-line-name {name}
    :buffer-name {name}
    :shell-prompt {prompt}
    :shell-prompt-regexp {prompt}
    :client-maker (lambda (buffer)
                    (acp-make-client
                     :command {_quoted(launch.words[0])}
                     :command-params '({args})
                     :context-buffer buffer)))))"""


def _symbol(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", inert(name))


EMACS = Editor(
    name="emacs",
    title="Emacs, package agent-shell",
    programs=("emacs",),
    file=_file,
    naming="{}-spy",
    snippet=_snippet,
    why_not="they are a Lisp program, which acp-spy cannot edit safely",
    see="evaluate it, then `M-x agent-shell-new-shell`",
)
