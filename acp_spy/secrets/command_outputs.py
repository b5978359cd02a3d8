"""
The output of a command, and the content of a file, that is nothing but a secret.

`cat /run/secrets/db_password` is in one message, and what it prints in another, or in another field
of the same: of a tool call, of a terminal, of a file that the client reads or writes. Both together
are what a person sees in a terminal, and are searched as such.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.secret import Secret
from acp_spy.secrets.split_secrets import Piece, SplitSecret, seen_at
from acp_spy.wire.frame import Frame
from acp_spy.wire.json_text import leaves, unescaped
from acp_spy.wire.pointer import spell

_ASKS = re.compile(rb"toolCallId\"|\"terminal/|\"fs/")
_ASKS_OR_SAYS = re.compile(_ASKS.pattern + rb"|\"result\"")
# What a field has, by its name; of a list, by the list's.
_ROLE = re.compile(
    r"(?P<id>id|toolCallId|terminalId)|(?P<command>command|cmd|title)|(?P<word>args)"
    r"|(?P<path>(?i:\w*path|file))"
    r"|(?P<output>(?i:\w*(?:text|content|output|stdout|string|data|result|preview)))"
)
_SHELL = re.compile(rb"(?:\S*/)?\w*sh -\w*c (.+)", re.DOTALL)
# What agents put before the text of a file or a command.
_BEFORE = re.compile(
    rb"(?:\s*`{3,}\w*\r?\n|<path>.{0,300}?<content>\r?\n|.{0,200}?\bOutput:\r?\n)?"
    rb"(?:[ \t]*1(?:\t|\xe2\x86\x92|: |\| ?))?",
    re.DOTALL,
)
_EXAMPLE = b"q7Rw2mXz9TbK4vLs"  # a secret, if it is below a command that prints one
_LARGEST_FRAME = 64 * 1024  # beyond it, something else is in it
_LONGEST_COMMAND = 400
_LONGEST_OUTPUT = 1024
_MOST = 256


class _Message(msgspec.Struct):
    """What of a message matters here."""

    keys: list[str] = []  # of a tool call, a terminal, and a request or its response
    commands: list[bytes] = []  # as they are at a prompt, with the end of the line
    outputs: list[Piece] = []


class CommandOutputs:
    """Feed it frames in turn; it gives the secrets that only a command shows to be some."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._asked: dict[str, bytes] = {}  # commands that print a secret
        self._judged: dict[bytes, bool] = {}

    def feed(self, frame: Frame, found: Sequence[Secret], place: int = 0) -> list[SplitSecret]:
        """Take in a frame in which `found` was seen; return what else is a secret in it."""
        hint = _ASKS_OR_SAYS if self._asked else _ASKS
        if len(frame.raw) > _LARGEST_FRAME or not hint.search(frame.raw):
            return []
        message = _read(frame, found, place)
        known = (self._asked[key] for key in message.keys if key in self._asked)
        asked = next(filter(self._prints_secret, message.commands), None) or next(known, None)
        if asked is None:
            return []
        for key in message.keys:
            if len(self._asked) >= _MOST:
                del self._asked[next(iter(self._asked))]
            self._asked[key] = asked
        split = [each for output in message.outputs for each in self._below(asked, output)]
        self._finder.learn_found(each.secret for each in split)
        return split

    def _prints_secret(self, command: bytes) -> bool:
        """Whether what a command prints is a secret, if it looks like one."""
        if command not in self._judged:
            if len(self._judged) >= _MOST:
                self._judged.clear()
            found = self._finder.find_in_joined(command + _EXAMPLE)
            self._judged[command] = any(each.start == len(command) for each in found)
        return self._judged[command]

    def _below(self, command: bytes, output: Piece) -> Iterator[SplitSecret]:
        """Give what is a secret below `command`, and not by itself."""
        before = _BEFORE.match(output.text)
        first = before.end() if before else 0
        text = command + output.text[first : first + _LONGEST_OUTPUT]
        away = first - len(command)
        for secret in self._finder.find_in_joined(text):
            if secret.start < len(command):
                continue
            start, end = output.in_line([secret.start + away, secret.end + away])
            part = msgspec.structs.replace(secret, start=start, end=end, pointer=output.pointer)
            if not seen_at(output, part):
                yield SplitSecret(text, secret, [(output, part)])


def _read(frame: Frame, found: Sequence[Secret], place: int) -> _Message:
    message = _Message()
    words: list[bytes] = []
    for leaf in leaves(frame.raw):
        name = next((step for step in reversed(leaf.path) if isinstance(step, str)), "")
        role = None if leaf.is_name else _ROLE.fullmatch(name)
        if role is None:
            continue
        content = frame.raw[leaf.start : leaf.end]
        text = unescaped(content)
        if role["id"]:
            message.keys += _keys(frame, name, content)
        elif role["word"] or (role["command"] and leaf.path[-1] != name):
            words.append(text)
        elif role["command"]:
            message.commands += _at_prompt(text)
            words += [text] if name == "command" else []  # of a terminal; its `args` come after it
        elif role["path"]:
            message.commands += _at_prompt(b"cat " + text)
        else:
            pointer = spell(*leaf.path)
            message.outputs.append(Piece(frame, leaf.start, text, pointer, place, found))
    message.commands += _at_prompt(b" ".join(words))
    return message


def _keys(frame: Frame, name: str, content: bytes) -> Iterator[str]:
    """Give how to know again what an id is of; a request's is that of its sender."""
    text = content.decode(errors="replace")
    if name != "id":
        yield text
    elif b'"method"' in frame.raw:
        yield f"{frame.sender.value} {text}"
    else:
        yield f"{frame.sender.other.value} {text}"


def _at_prompt(command: bytes) -> Iterator[bytes]:
    """Give the last line of a command as it is in a terminal, with its end."""
    shell = _SHELL.fullmatch(command)
    lines = (shell[1] if shell else command).strip(b" \r\n\t`\"'").splitlines()
    if lines and len(lines[-1]) <= _LONGEST_COMMAND:
        yield b"$ " + lines[-1].strip() + b"\n"
