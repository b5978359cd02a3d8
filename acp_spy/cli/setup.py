"""`acp-spy setup`: how to put acp-spy in front of an agent, in each editor."""

import errno
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import Annotated, Any, NoReturn

import msgspec
import typer

from acp_spy.capture.file_names import agent_name
from acp_spy.cli.agent_command import AgentCommand, command_after_dashes
from acp_spy.cli.commands import is_posix, no_posix
from acp_spy.cli.console import write
from acp_spy.cli.output import write_lines
from acp_spy.editors.edit import CannotEdit
from acp_spy.editors.editor import Editor, Launch, Machine, starts_acp_spy, with_words, words_of
from acp_spy.editors.known import EDITORS, is_here
from acp_spy.editors.settings import Change, Settings
from acp_spy.errors import AcpSpyError
from acp_spy.home import expanded
from acp_spy.relative_paths import absolute_words, local_module, unresolved_words
from acp_spy.units import either
from acp_spy.view.json_output import to_json
from acp_spy.wire.inert import inert

# The PATH of a program that was not started from a shell.
_DEFAULT_PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")
_ADDED = {
    "created": "added the agent `{name}` to {path}, a new file",
    "changed": "added the agent `{name}` to {path}; your other agents are unchanged",
    "same": "{path} already has the agent `{name}`",
}
_REPLACED = {
    "changed": "put acp-spy in front of the agent `{name}` in {path}",
    "same": "the agent `{name}` in {path} already starts through acp-spy",
}
_REMOVED = {
    "restored": "restored {path}: it is as it was before",
    "changed": "removed the agent `{name}` from {path}",
    "unwrapped": "took acp-spy out of the agent `{name}` in {path}",
    "removed": "removed {path}: it contained nothing else",
    "same": "{path} has no agent called `{name}`",
}

Command = AgentCommand


class _Target(msgspec.Struct, frozen=True):
    """An editor, its settings file, and the option that names that file if it is not the usual."""

    editor: Editor
    path: str
    options: tuple[str, ...] = ()

    def command(self, *words: str) -> str:
        """Return the `acp-spy setup` command line with `words`, for this file."""
        return shlex.join(["acp-spy", "setup", self.editor.name, *self.options, *words])

    def undo(self, name: str) -> str:
        """Return the line that says how to undo a change."""
        return f"to undo: {self.command('--remove', '--name', name)}\n"


def setup(
    context: typer.Context,
    editor: Annotated[
        str,
        typer.Argument(
            metavar="EDITOR",
            help=f"One of {', '.join(EDITORS)}. Without one: list all of them, and mark those that"
            " were found on this machine.",
            show_default=False,
        ),
    ] = "",
    *,
    write_it: Annotated[
        bool,
        typer.Option(
            "--write",
            metavar="",
            help="Change the settings file. Everything else in it is kept, including comments, and"
            " a backup is written beside it.",
        ),
    ] = False,
    replace: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Put acp-spy in front of the agent NAME that is in the settings, instead of adding"
            " a second agent.",
            show_default=False,
        ),
    ] = "",
    remove: Annotated[
        bool,
        typer.Option("--remove", metavar="", help="Undo `--write`, of an added or replaced agent."),
    ] = False,
    name: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Name of the added agent in the editor.",
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
    For example: `acp-spy setup zed --write -- claude-agent-acp` adds a second agent, named
    `claude-agent-acp via acp-spy`, beside the agents that you have. With `--replace NAME`, the
    agent NAME itself is started through acp-spy. Without `--write`, the settings to add are only
    printed. An editor starts agents in a folder of its own, so arguments that name existing files
    are made absolute.
    """
    if not editor:
        if context.args or write_it or remove or replace:
            raise AcpSpyError(
                "missing editor",
                hint=f"run `acp-spy setup EDITOR -- {shlex.join(context.args) or 'COMMAND'}`;"
                " `acp-spy setup` lists the editors",
            )
        _list(_this_machine())
        return
    editor = editor.lower()
    if editor not in EDITORS:
        near = get_close_matches(editor, EDITORS, n=1)
        raise AcpSpyError(
            f"no such editor: `{editor}`" + (f"; did you mean `{near[0]}`?" if near else ""),
            hint=f"use {either(EDITORS)}: `acp-spy setup EDITOR -- COMMAND [ARG]...`",
        )
    chosen = EDITORS[editor]
    _refuse_conflicts(context, write_it=write_it, remove=remove, replace=replace, name=name)
    if file:
        path = os.path.abspath(expanded(file, is_file=True))
        target = _Target(chosen, path, ("--file", file))
    else:
        target = _Target(chosen, chosen.file(_this_machine()))
    is_nameless = remove and not name and not context.args
    if is_nameless and chosen.entry:
        raise _no_name(target)
    has_command = not (replace or is_nameless or (remove and name))
    typed = command_after_dashes(context, editor) if has_command else []
    if (write_it or remove or replace) and chosen.entry is None:
        raise AcpSpyError(
            f"cannot change the settings of {chosen.title}: {chosen.why_not}",
            hint=f"to see what to add, run `{target.command('--', *(typed or ['COMMAND']))}`",
        )
    if write_it and not is_posix():
        raise no_posix("start an agent through acp-spy")
    if remove:
        write(*_remove(target, name or _launch(chosen, typed, "").name))
    elif replace:
        _replace(target, replace, write_it=write_it)
    else:
        _add(target, typed, name, write_it=write_it)


def _refuse_conflicts(
    context: typer.Context, *, write_it: bool, remove: bool, replace: str, name: str
) -> None:
    for one, other, both in (
        ("--write", "--remove", write_it and remove),
        ("--replace", "--remove", replace and remove),
        ("--replace", "--name", replace and name),
        ("--replace", "-- COMMAND", replace and context.args),
    ):
        if both:
            hint = "use one of them"
            if (one, other) == ("--replace", "--remove"):
                quoted = shlex.quote(replace)
                hint = f"to undo `--replace {quoted}`, use `--remove --name {quoted}`"
            raise AcpSpyError(f"`{one}` cannot be used with `{other}`", hint=hint)


def _no_name(target: _Target) -> AcpSpyError:
    """Return the error for `--remove` alone, with the names that could be meant."""
    ours: list[str] = []
    with suppress(CannotEdit, OSError):
        settings = Settings(target.path, target.editor.keys)
        ours = [name for name, entry in settings.entries().items() if starts_acp_spy(entry)]
    commands = [f"`{target.command('--remove', '--name', name)}`" for name in ours or ["NAME"]]
    return AcpSpyError(
        "missing `--name`: which agent to remove", hint=f"run {' or '.join(commands)}"
    )


def _add(target: _Target, typed: list[str], name: str, *, write_it: bool) -> None:
    """Add an agent beside the others, or show how."""
    editor, path = target.editor, target.path
    launch = _launch(editor, typed, name)
    if write_it:
        write(*_write(target, launch))
    else:
        write(f"{editor.title}: {f'add this to {path}' if path else 'run this'}:", "")
        write_lines(map(inert, _snippet(editor, launch).splitlines()))
        sys.stdout.flush()
        write("\n")
        if not is_posix():
            write(f"note: {no_posix('start an agent through acp-spy').message}\n")
        if editor.entry:
            write(
                "it adds a second agent; the agents that you have are not changed",
                f"to let acp-spy add it: {target.command('--write', '--', *typed)}",
                f"to change an agent that you have instead: {target.command('--replace', 'NAME')}",
            )
    if starts_acp_spy({"command": typed[0], "args": typed[1:]}):
        write("warning: the command starts acp-spy itself; give the agent command alone\n")
    _note_paths(typed)
    _note_if_not_found(typed)
    write(*_next_steps(editor, launch.name, _behind_acp_spy(launch.words)))
    if write_it:
        write(target.undo(launch.name))


def _replace(target: _Target, name: str, *, write_it: bool) -> None:
    """Put acp-spy in front of an agent that is in the settings, or show how."""
    editor, path = target.editor, target.path
    with _changing(path, f"change `{name}` yourself"):
        settings = Settings(path, editor.keys)
        there = settings.entry(name)
        if there is None:
            names = ", ".join(f"`{each}`" for each in settings.entries())
            raise AcpSpyError(
                f"cannot replace `{name}`: {path} has no such agent",
                hint=f"use one of {names}" if names else "add the agent with `-- COMMAND` instead",
            )
        words = words_of(there)
        if not words:
            raise AcpSpyError(
                f"cannot replace `{name}`: its command is not a string",
                hint=f"change it in {path} yourself",
            )
        is_ours = starts_acp_spy(there)
        command = (is_ours and _behind_acp_spy(words)) or words
        entry = there if is_ours else with_words(there, [*absolute_program(), "--", *words])
        if write_it:
            change = settings.put(name, entry)
    if write_it:
        write(*_outcome(_REPLACED, change, name))
    else:
        write(f"{editor.title}: the agent `{name}` in {path} becomes:", "")
        write_lines(_nested(editor, name, entry).splitlines())
        sys.stdout.flush()
        write("", f"to let acp-spy change it: {target.command('--replace', name, '--write')}")
    write(*_next_steps(editor, name, command))
    if write_it:
        write(target.undo(name))


def _launch(editor: Editor, command: list[str], name: str) -> Launch:
    """Return what the editor has to start, with absolute paths: its folder is another one."""
    agent = agent_name(command)
    words = (*absolute_program(), "--", *absolute_words(command))
    return Launch(agent, name or editor.naming.format(agent), words)


def absolute_program() -> tuple[str, ...]:
    """
    Return the words that start acp-spy with any PATH and in any folder.

    An editor is rarely started from a shell, and so rarely has its PATH.
    """
    beside = os.path.dirname(os.path.abspath(sys.executable))
    if found := shutil.which("acp-spy", path=beside) or shutil.which("acp-spy"):
        return (os.path.abspath(found),)
    return (os.path.abspath(sys.executable), "-P", "-m", "acp_spy")


def _this_machine() -> Machine:
    try:
        home = expanded("~")
    except AcpSpyError as error:
        raise AcpSpyError(
            "cannot find the settings of editors: the home folder is not known",
            hint=f"{error.hint}, or name an editor and its settings: `--file FILE`",
        ) from None
    return Machine(sys.platform, home, dict(os.environ))


def _list(machine: Machine) -> None:
    def lines() -> Iterator[str]:
        for editor in EDITORS.values():
            found = "found" if is_here(editor, machine) else ""
            yield f"{editor.name:10}  {found:5}  {editor.title}"
            yield f"{'':17}  {inert(editor.file(machine) or 'no settings file')}"
        yield ""
        yield "To see what to add to one of them: acp-spy setup EDITOR -- COMMAND [ARG]..."

    write_lines(list(lines()))


def _note_paths(typed: list[str]) -> None:
    """Say which arguments were made absolute, and which will not be found in another folder."""
    for word, absolute in zip(typed[1:], absolute_words(typed)[1:], strict=True):
        if word != absolute:
            write(f"note: `{word}` is made absolute: {absolute}\n")
    for word in unresolved_words(typed):
        write(
            f"warning: `{word}` looks like a relative path, but there is no such file here; an"
            " editor starts the agent in another folder, so use an absolute path\n"
        )
    if module := local_module(typed):
        write(
            f"warning: `-m {module}` is found in this folder only, and an editor starts the agent"
            " in another one; install the module, or use the path of its script\n"
        )


def _note_if_not_found(command: list[str]) -> None:
    """Warn of an agent that is not found, or perhaps not by an editor, which has another PATH."""
    name = command[0]
    found = shutil.which(name)
    if found is None:
        text = f"warning: command not found: `{name}`"
        if " " in name and len(command) == 1:
            text += "; give the command and its arguments as separate words"
        write(f"{text}\n")
    elif not os.path.dirname(name) and os.path.dirname(found) not in _DEFAULT_PATH:
        write(f"note: if your editor does not find `{name}`, use its path: {found}\n")


def _snippet(editor: Editor, launch: Launch) -> str:
    if editor.entry is None:
        assert editor.snippet is not None
        return editor.snippet(launch)
    return _nested(editor, launch.name, editor.entry(launch))


def _nested(editor: Editor, name: str, entry: dict[str, Any]) -> str:
    shown: dict[str, Any] = {name: entry}
    for key in reversed(editor.keys):
        shown = {key: shown}
    return to_json(shown)


def _next_steps(editor: Editor, name: str, command: Sequence[str]) -> list[str]:
    program = shlex.join(absolute_program())
    return [
        f"to use it: {editor.see.format(name=name, word=shlex.quote(name))}",
        f"to watch: {program} view --follow",
        f"to check that it starts: {program} doctor --empty-folder -- {shlex.join(command)}",
    ]


def _behind_acp_spy(words: Sequence[str]) -> Sequence[str]:
    """Return the command of the agent that acp-spy starts by `words`; none, if there is none."""
    return words[words.index("--") + 1 :] if "--" in words else ()


def _write(target: _Target, launch: Launch) -> list[str]:
    editor, path = target.editor, target.path
    assert editor.entry is not None
    by_hand = f"run `{target.command('--', *_behind_acp_spy(launch.words))}`, and add it yourself"
    with _changing(path, by_hand):
        settings = Settings(path, editor.keys)
        there = settings.entry(launch.name)
        if there is not None and not starts_acp_spy(there):
            _refuse(
                path,
                f"it has an agent `{launch.name}` that was not added by acp-spy",
                f"choose another `--name`, or use `--replace {shlex.quote(launch.name)}`",
            )
        # Keep what the user has added to our entry, such as `env`.
        change = settings.put(launch.name, {**(there or {}), **editor.entry(launch)})
    return _outcome(_ADDED, change, launch.name)


def _remove(target: _Target, name: str) -> list[str]:
    path = target.path
    with _changing(path, f"remove `{name}` yourself"):
        settings = Settings(path, target.editor.keys)
        there = settings.entry(name)
        if there is not None and not starts_acp_spy(there):
            _refuse(path, f"the agent `{name}` was not added by acp-spy", "remove it yourself")
        words = _behind_acp_spy(words_of(there))
        own = with_words(there, words) if words else None
        change = settings.remove(name, own, was_added=target.editor.may_have_named(name))
    return _outcome(_REMOVED, change, name)


@contextmanager
def _changing(path: str, hint: str) -> Iterator[None]:
    """Report why the settings at `path` could not be changed."""
    try:
        yield
    except CannotEdit as error:
        _refuse(path, str(error), hint)
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        hint = "free some space" if is_full else "check that you own the folder and the file"
        _refuse(path, error.strerror or str(error), hint)


def _outcome(texts: dict[str, str], change: Change, name: str) -> list[str]:
    text = texts[change.what].format(path=change.path, name=name)
    return [text, f"backup: {change.backup}"] if change.backup else [text]


def _refuse(path: str, why: str, hint: str) -> NoReturn:
    raise AcpSpyError(f"cannot change `{path}`: {why}", hint=hint)
