"""
The output of a command, and the content of a file, that is nothing but a secret.

`cat /run/secrets/db_password` is in one message, and what it prints in another, or in another field
of the same: of a tool call, of a terminal, of a file that the client reads or writes. Both together
are what a person sees in a terminal, and are searched as such.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.secret import Secret
from acp_spy.secrets.split_secrets import Piece, SplitSecret, seen_at
from acp_spy.wire.frame import Frame
from acp_spy.wire.json_text import leaves, unescaped
from acp_spy.wire.pointer import spell

_OUTPUT = re.compile(r"(?i)\w*(?:text|content|output|stdout|string|data|result|preview)")
_SHELL = re.compile(rb"(?:\S*/)?\w*sh -\w*c (.+)", re.DOTALL)
# What agents put before the text of a file or a command.
_BEFORE = re.compile(
    rb"(?:\s*`{3,}\w*\r?\n|<path>.{0,300}?<content>\r?\n|.{0,200}?\bOutput:\r?\n)?"
    rb"(?:[ \t]*1(?:\t|\xe2\x86\x92|: |\| ?))?",
    re.DOTALL,
)
_EXAMPLE = b"q7Rw2mXz9TbK4vLs"  # a secret, if it is below a command that prints one
_IDS = frozenset(("toolCallId", "terminalId"))
_COMMANDS = frozenset(("command", "cmd", "title"))
_LISTS = frozenset(("command", "cmd", "args"))
_LARGEST_FRAME = 64 * 1024  # beyond it, something else is in it
_LONGEST_COMMAND = 400
_LONGEST_OUTPUT = 1024
_MOST = 256


class CommandOutputs:
    """Feed it frames in turn; it gives the secrets that only a command shows to be some."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._asked: dict[str, bytes] = {}  # commands that print a secret
        self._judged: dict[bytes, bool] = {}

    def feed(self, frame: Frame, found: Sequence[Secret], place: int = 0) -> list[SplitSecret]:
        """Take in a frame in which `found` was seen; return what else is a secret in it."""
        raw = frame.raw
        asks = b'toolCallId"' in raw or b'"terminal/' in raw or b'"fs/' in raw
        says = self._asked and b'"result"' in raw
        if not (asks or says) or len(raw) > _LARGEST_FRAME:
            return []
        try:
            message = msgspec.json.decode(raw)
        except ValueError:
            return []
        question = _Question()
        question.read(message)
        keys = [*question.ids, *_id_of(message, frame)]
        known = (self._asked[key] for key in keys if key in self._asked)
        asked = next(filter(self._prints_secret, question.commands()), None) or next(known, None)
        if asked is None:
            return []
        for key in keys:
            if len(self._asked) >= _MOST:
                del self._asked[next(iter(self._asked))]
            self._asked[key] = asked
        outputs = _outputs(frame, found, place)
        split = [each for output in outputs for each in self._below(asked, output)]
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


class _Question(msgspec.Struct):
    """What a message asks for: commands and names of files, and of which tool call or terminal."""

    ids: list[str] = []
    lines: list[str] = []  # whole commands
    words: list[str] = []  # of one more

    def read(self, value: Any, name: str = "") -> None:
        """Take in all strings of a message, by their names; items of a list by that of the list."""
        if isinstance(value, dict):
            for each in value.items():
                self.read(each[1], each[0])
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, str):
                    self.words += [item] if name in _LISTS else []
                else:
                    self.read(item)
        elif isinstance(value, str):
            self._take(value, name)

    def _take(self, value: str, name: str) -> None:
        if name in _IDS:
            self.ids.append(value)
        elif name in _COMMANDS:
            self.lines.append(value)
            self.words += [value] if name == "command" else []  # of a terminal, before its `args`
        elif name == "file" or name.lower().endswith("path"):
            self.lines.append(f"cat {value}")

    def commands(self) -> Iterator[bytes]:
        """Give the commands as they are at a prompt, with the end of the line."""
        for command in (*self.lines, " ".join(self.words)):
            yield from _at_prompt(command.encode(errors="surrogatepass"))


def _id_of(message: Any, frame: Frame) -> Iterator[str]:
    """Give how to know again a request, and its response: by who has sent the request."""
    if isinstance(message, dict) and "id" in message:
        sender = frame.sender if "method" in message else frame.sender.other
        yield f"{sender.value} {message['id']}"


def _outputs(frame: Frame, found: Sequence[Secret], place: int) -> Iterator[Piece]:
    """Give the strings of a message that may be what a command has printed."""
    for leaf in leaves(frame.raw):
        name = next((step for step in reversed(leaf.path) if isinstance(step, str)), "")
        if leaf.is_string and not leaf.is_name and _OUTPUT.fullmatch(name):
            text = unescaped(frame.raw[leaf.start : leaf.end])
            yield Piece(frame, leaf.start, text, spell(*leaf.path), place, found)


def _at_prompt(command: bytes) -> Iterator[bytes]:
    """Give the last line of a command as it is in a terminal, with its end."""
    shell = _SHELL.fullmatch(command)
    lines = (shell[1] if shell else command).strip(b" \r\n\t`\"'").splitlines()
    if lines and len(lines[-1]) <= _LONGEST_COMMAND:
        yield b"$ " + lines[-1].strip() + b"\n"
