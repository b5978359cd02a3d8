"""`acp-spy setup`: how to put acp-spy in front of an agent, in each editor."""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from typing import Annotated, Any, NoReturn

import typer

from acp_spy.capture.file_names import agent_name
from acp_spy.cli.agent_command import AgentCommand, command_after_dashes
from acp_spy.cli.commands import is_posix, no_posix
from acp_spy.cli.console import write
from acp_spy.cli.output import write_lines
from acp_spy.editors.edit import CannotEdit
from acp_spy.editors.editor import Editor, Launch, Machine, starts_acp_spy
from acp_spy.editors.known import EDITORS, is_here
from acp_spy.editors.settings import Change, Settings
from acp_spy.errors import AcpSpyError

# What a program that was not started from a shell has on its PATH, too.
_DEFAULT_PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")
_WRITTEN = {
    "created": "written to {path}, which is new",
    "changed": "written to {path}; as it was: {backup}",
    "same": "{path} has it already",
}
_REMOVED = {
    "restored": "{path} is as it was before",
    "changed": "taken out of {path}; as it was: {backup}",
    "removed": "{path} is removed: it had nothing else in it",
    "same": "{path} has no agent called `{name}`",
}

Command = AgentCommand


def setup(
    context: typer.Context,
    editor: Annotated[
        str,
        typer.Argument(
            metavar="EDITOR",
            help=f"One of {', '.join(EDITORS)}. Without one: which of them are on this machine.",
            show_default=False,
        ),
    ] = "",
    *,
    write_it: Annotated[
        bool,
        typer.Option(
            "--write",
            metavar="",
            help="Put it into the settings file. All else there stays as it is, comments included,"
            " and the former file is kept beside it.",
        ),
    ] = False,
    remove: Annotated[
        bool,
        typer.Option("--remove", metavar="", help="Take out what `--write` has put there."),
    ] = False,
    name: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What the agent shall be called in the editor.",
            show_default=False,
        ),
    ] = "",
    file: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="The settings file, if it is not the usual one.",
            show_default=False,
        ),
    ] = "",
) -> None:
    """
    For example: `acp-spy setup zed -- claude-agent-acp`. It prints the settings to add, says which
    file they belong in on this machine, and how to see the result. The agent is added under a name
    of its own: what you have stays, and works without acp-spy.
    """
    machine = Machine(sys.platform, os.path.expanduser("~"), dict(os.environ))
    if not editor:
        _list(machine)
        return
    if editor not in EDITORS:
        raise AcpSpyError(
            f"no such editor: `{editor}`",
            hint=f"acp-spy setup {'|'.join(EDITORS)} -- COMMAND [ARG]...",
        )
    chosen = EDITORS[editor]
    command = [] if remove and name else command_after_dashes(context, editor)
    launch = _launch(chosen, command or [name], name)
    path = os.path.abspath(os.path.expanduser(file)) if file else chosen.file(machine)
    if write_it and remove:
        raise AcpSpyError("`--write` and `--remove` are each other's contrary", hint="give one")
    if (write_it or remove) and chosen.entry is None:
        raise AcpSpyError(
            f"not done for you: {chosen.why_not}",
            hint=f"to see what to add: {_setup_command(chosen, command)}",
        )
    if write_it and not is_posix():
        raise no_posix("what would be written there: acp-spy in front of an agent")
    if remove:
        write(_remove(chosen, path, launch) + "\n")
    elif write_it:
        write(_write(chosen, path, launch) + "\n")
        _note_if_not_found(command)
        write(_next_steps(chosen, launch))
    else:
        _show(chosen, path, launch, command)


def _launch(editor: Editor, command: list[str], name: str) -> Launch:
    """Return what the editor has to start, with an absolute path: its folder is another one."""
    first = command[0]
    if os.path.dirname(first):
        first = os.path.abspath(os.path.expanduser(first))
    agent = agent_name(command)
    words = (*absolute_program(), "--", first, *command[1:])
    return Launch(agent, name or editor.naming.format(agent), words)


def absolute_program() -> tuple[str, ...]:
    """
    Return the words that start acp-spy with any PATH and in any folder.

    An editor is rarely started from a shell, and so rarely has its PATH.
    """
    beside = os.path.dirname(os.path.abspath(sys.executable))
    if found := shutil.which("acp-spy", path=beside) or shutil.which("acp-spy"):
        return (os.path.abspath(found),)
    return (os.path.abspath(sys.executable), "-m", "acp_spy")


def _list(machine: Machine) -> None:
    def lines() -> Iterator[str]:
        for editor in EDITORS.values():
            here = "here" if is_here(editor, machine) else ""
            yield f"{editor.name:10}  {here:4}  {editor.title}"
            yield f"{'':16}  {editor.file(machine) or 'no settings file'}"
        yield ""
        yield "What to add to one of them: acp-spy setup EDITOR -- COMMAND [ARG]..."

    write_lines(list(lines()))


def _show(editor: Editor, path: str, launch: Launch, command: list[str]) -> None:
    """Print the settings on stdout, and the talk about them on stderr."""
    write(f"{editor.title}: {f'to add to {path}' if path else 'to run'}:\n\n")
    write_lines(_snippet(editor, launch).splitlines())
    sys.stdout.flush()
    write("\n")
    if not is_posix():
        write(f"note: {no_posix('this').message}\n")
    _note_if_not_found(command)
    if editor.entry:
        write(f"to have it added: {_setup_command(editor, command, '--write')}\n")
    write(_next_steps(editor, launch))


def _note_if_not_found(command: list[str]) -> None:
    """Say that the agent is not found, or perhaps not by an editor, which has another PATH."""
    name = command[0]
    found = shutil.which(name)
    if found is None:
        text = f"note: `{name}` is not found on this PATH"
        if " " in name and len(command) == 1:
            text += ": give the command and its arguments as separate words"
        write(f"{text}\n")
    elif not os.path.dirname(name) and os.path.dirname(found) not in _DEFAULT_PATH:
        write(f"note: if your editor does not find `{name}`, give its path: {found}\n")


def _snippet(editor: Editor, launch: Launch) -> str:
    if editor.entry is None:
        assert editor.snippet is not None
        return editor.snippet(launch)
    shown: dict[str, Any] = {launch.name: editor.entry(launch)}
    for key in reversed(editor.keys):
        shown = {key: shown}
    return json.dumps(shown, indent=2, ensure_ascii=False)


def _next_steps(editor: Editor, launch: Launch) -> str:
    program = shlex.join(absolute_program())
    return (
        f"to use it: {editor.see.format(name=launch.name)}\n"
        f"to watch: {program} view --follow\n"
        f"if it does not start: {program} doctor -- {shlex.join(_command_of(launch))}\n"
    )


def _command_of(launch: Launch) -> tuple[str, ...]:
    return launch.words[launch.words.index("--") + 1 :]


def _setup_command(editor: Editor, command: list[str], option: str = "") -> str:
    words = ["acp-spy", "setup", editor.name, *([option] if option else [])]
    return shlex.join([*words, "--", *(command or ["COMMAND"])])


def _write(editor: Editor, path: str, launch: Launch) -> str:
    assert editor.entry is not None
    try:
        settings = Settings(path, editor.keys)
        there = settings.entry(launch.name)
        if there is not None and not starts_acp_spy(there):
            _refuse(path, f"`{launch.name}` is there, and not by acp-spy", "give another `--name`")
        # Keep what the user has added to our entry, such as `env`.
        change = settings.put(launch.name, {**(there or {}), **editor.entry(launch)})
    except CannotEdit as error:
        _refuse(
            path, str(error), f"add it by hand: {_setup_command(editor, list(_command_of(launch)))}"
        )
    except OSError as error:
        _refuse(path, error.strerror or str(error), "is the folder yours?")
    return _outcome(_WRITTEN, change, launch)


def _remove(editor: Editor, path: str, launch: Launch) -> str:
    try:
        settings = Settings(path, editor.keys)
        there = settings.entry(launch.name)
        if there is not None and not starts_acp_spy(there):
            _refuse(path, f"`{launch.name}` is not by acp-spy", "take it out by hand")
        change = settings.remove(launch.name)
    except CannotEdit as error:
        _refuse(path, str(error), f"take `{launch.name}` out by hand")
    except OSError as error:
        _refuse(path, error.strerror or str(error), "is the folder yours?")
    return _outcome(_REMOVED, change, launch)


def _outcome(texts: dict[str, str], change: Change, launch: Launch) -> str:
    return texts[change.what].format(path=change.path, backup=change.backup, name=launch.name)


def _refuse(path: str, why: str, hint: str) -> NoReturn:
    raise AcpSpyError(f"`{path}` is left as it is: {why}", hint=hint)
