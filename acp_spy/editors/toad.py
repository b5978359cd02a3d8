"""Toad: it takes the agent's command on its own command line; there is nothing to edit."""

import shlex

from acp_spy.editors.editor import Editor, Launch


def _snippet(launch: Launch) -> str:
    return shlex.join(["toad", "acp", shlex.join(launch.words), "."])


TOAD = Editor(
    name="toad",
    title="Toad",
    programs=("toad",),
    file=lambda _: "",
    snippet=_snippet,
    why_not="it has no settings file for agents; the agent is on Toad's command line",
    see="run it in the project folder",
)
