"""
The output of a command, and the content of a file, that is nothing but a secret.

`cat /run/secrets/db_password` is in one message, and what it prints in another, or in another field
of the same: of a tool call, of a terminal, of a file that the client reads or writes. Both together
are what a person sees in a terminal, and are searched as such.
"""

import re
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from acp_spy.secrets.answered_forms import AnsweredForms
from acp_spy.secrets.answered_questions import AnsweredQuestions
from acp_spy.secrets.asking_commands import (
    FILE_NAME,
    PRINTS_COMMITS,
    READS_FILE,
    certainty_of,
    is_silent,
)
from acp_spy.secrets.chunks import DEEPEST
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.finder import MOST_NESTED, Finder
from acp_spy.secrets.learned_values import is_learnable
from acp_spy.secrets.message_names import SESSION_IDS, TERMINAL_IDS, TOOL_CALL_IDS
from acp_spy.secrets.pieces import Piece, SplitSecret, shown_by_others
from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.secrets.plain_views import View, as_seen
from acp_spy.secrets.prefilter import readable
from acp_spy.secrets.secret import Secret, secret_at, without_overlap
from acp_spy.secrets.short_form import ShortForm, short_form
from acp_spy.secrets.terminal_outputs import may_have_output, output_in
from acp_spy.secrets.values import Certainty, is_value, looks_random
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.json_text import Leaf, json_within, leaves, unescaped
from acp_spy.wire.pointer import spell

_OUTPUT = expression(
    r"(?i)\w*(?:markdown|text|contents?|out(?:put)?|stdout|stderr|string|data|result|preview|lines|body|response)"
)
_SHELL = expression(rb"(?:\S*/)?\w*sh -\w*c (.+)", re.DOTALL)
_REMARK = expression(rb"(?: \[[^\[\]]{0,200}\])?(?: \([^()]{0,200}\))?\Z")  # after a title
# What agents put before the text of a file or a command, and after it.
_BEFORE = expression(
    rb"(?:\s*`{3,}\w*\r?\n|<path>.{0,300}?<content>\r?\n|.{0,200}?\bOutput:\s"
    rb"|\s*(?:<system>[^<]{0,200}</system>|<[a-z][\w-]{0,30}>|(?i:stdout|exit code: [0-9]{1,3}):?)"
    rb"\s*)?",
    re.DOTALL,
)
_NUMBER = rb"(?:[ \t]*[0-9]{1,6}(?:\t|\xe2\x86\x92|: |\| ?))?"  # of a line
_FIRST_NUMBER = expression(_NUMBER)
_AFTER = (
    rb"[%\s]*(?:[0-9]{1,6}\t)?"  # of a last line that is empty, of zsh
    rb"(?:`{3,}\s*|\(End of file.*|</[a-z][\w-]{0,30}>.*"
    rb"|[\[(]?(?i:error|stderr|exit code|returncode):.*)?\Z"
)
# All that was printed is one word, and neither a place in a file nor the name of one.
_ONE_WORD = expression(
    rb"[\"']?(?!%b|[\w./-]*:[0-9]+:)(?P<word>[^\s\"'`]{5,400})[\"']?%b" % (FILE_NAME, _AFTER),
    re.DOTALL,
)
# A line of several, with the sign of a diff.
_LINE = expression(
    rb"^%b(?:[+-](?![+-]))?(?!%b)(?P<word>[\w+/=.~!@#$%%^&*:-]{8,400}+)\r?$" % (_NUMBER, FILE_NAME),
    re.MULTILINE,
)
_COMMIT = expression(rb"[0-9a-f]{40}")
_EXAMPLE = b"q7Rw2mXz9TbK4vLs"  # a secret, if it is below a command that prints one
_COMMANDS = frozenset(("command", "cmd", "script", "code", "title", "label"))
_CALLS = ("tool_call", "tool_call_update")
_LISTS = frozenset(("command", "cmd", "args"))
# Also as a text, which is JSON; some agents show it as the first content of the tool call.
_INPUTS = frozenset(("rawInput", "arguments", "input", "text"))
# `path`, `file_path`, `absolutePath`, `paths`, `filename`, `target_file`: what a file is called.
_FILE = expression(r"(?:\w*_)?(?:file(?:_?[nN]ame)?|uri|path)s?|\w*(?:File(?:[nN]ame)?|[pP]ath)s?")
# Of a tool that reads it, in some agents; or of a command, `./show.sh`.
_FILE_AS_TITLE = expression(r"`?(?:[\w@~+:\\-]*+[./])++[\w@+-]++`?")
_LARGEST_FRAME = 64 * 1024  # but for images; beyond it, something else is in it
_LONGEST_COMMAND = 400
_LONGEST_SCRIPT = 4096
_LONGEST_OUTPUT = 4096  # most keys are shorter
_MOST_COMMANDS = 32  # of one message
# Bytes of outputs that are searched, each with its command: as many as are read, and these.
_ALWAYS_SEARCHED = 256 * 1024
_MOST_IN_MESSAGE = 64 * 1024  # of these
_WORD = expression(rb"\S{4}")
_DEEPEST = 64  # objects and lists around a command
_LEAST_OF_CUT = 6  # characters that are left of a secret
_WORD_OR_MORE = expression(rb"[^\s\"'`,;]{%d,400}" % _LEAST_OF_CUT)
_MOST = 256
# A line that goes on in the next one.
_CONTINUED = expression(
    rb"(?<![ \t])[ \t]*+\\\r?\n[ \t]*+|(?<=[|&])[ \t]{0,8}\r?\n[ \t]*+|\r?\n[ \t]*+(?=[|&])"
)


class CommandOutputs:
    """
    Feed it frames in turn; it gives the secrets that only their command reveals.

    Or a question: an answer to one is in another message, too.
    """

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._answers = AnsweredQuestions()
        self._forms = AnsweredForms()
        self._asked: dict[str, _Asked] = {}
        self._seen: dict[str, dict[bytes, str]] = {}  # the secrets in the outputs of a tool call
        self._judged: dict[str, _Asked | None] = {}
        self._left = _ALWAYS_SEARCHED  # bytes that may be searched
        self._left_in_message = 0
        self._terminals: dict[str, str] = {}  # whose output is asked for, by the request

    def feed(self, frame: Frame, found: Sequence[Secret], place: int = 0) -> list[SplitSecret]:
        """Take in a frame in which `found` was seen; return what else is a secret in it."""
        raw = readable(frame.raw) if b"\\" in frame.raw else frame.raw
        # A tool call, a terminal or a file; what an MCP server is asked by `mcp/message`; a method
        # that a vendor has added. To search for them at once is a call for each frame.
        asks = b"ool_call" in raw or b"oolCall" in raw or b'"terminal' in raw or b'"fs/' in raw
        asks = asks or b'"uri"' in raw or b'"tools/call"' in raw or b'"read' in raw
        asks = asks or b'"method":"_' in raw or b'"method": "_' in raw
        says = b'"result"' in raw or b'"error"' in raw
        says = says and bool(self._asked or self._terminals)
        answers = [
            *self._answers.feed(frame, found, place, raw),
            *self._forms.feed(frame, found, place, raw),
        ]
        if answers:
            self._finder.learn_found(each.secret for each in answers)
            return answers
        short = short_form(frame.raw, _LARGEST_FRAME) if asks or says else None
        message = _decoded(short.text) if short else None
        if short is None or message is None:
            return []
        question = _Question()
        question.read(message, _DEEPEST)
        keys = [*question.ids, *_id_of(message, frame)]
        terminals = [self._terminals.pop(key) for key in keys if key in self._terminals]
        if b'"terminal/output"' in raw and question.terminals:
            self._terminals |= dict.fromkeys(_id_of(message, frame), question.terminals[0])
            _limit(self._terminals)
        known = (self._asked[key] for key in keys if key in self._asked)
        asked = next(filter(None, map(self._judge, question.commands())), None) or next(known, None)
        said = _Said(frame, short, found, place)
        cut = [*self._cut_outputs([*question.ids, *terminals], said)]
        if asked is None:
            return cut
        for key in keys:
            self._asked[key] = asked
            _limit(self._asked)
        self._left += len(frame.raw)
        self._left_in_message = min(self._left, len(frame.raw) + _MOST_IN_MESSAGE)
        split = _once(each for output in said.outputs() for each in self._below(asked, output))
        self._finder.learn_found(each.secret for each in split)
        return _once((*split, *cut))

    def _cut_outputs(self, ids: Sequence[str], said: "_Said") -> Iterator[SplitSecret]:
        """
        Give what is left of secrets at the start of an output, and take note of those in it.

        Of an output that grows, some agents send the end again and again, and so do terminals of a
        client: what named a secret is cut off in time, and then its beginning.
        """
        known: dict[bytes, str] = {}
        for key in ids:
            known |= self._seen.get(key, {})
            _limit(known)
        if known:
            yield from _once(each for output in said.outputs() for each in _cut(output, known))
        if said.found and (said.frame.sender is Peer.AGENT or b'"result"' in said.frame.raw):
            whole = filter(_may_be_cut, said.found)
            seen = {each.text: each.kind for each in islice(whole, _MOST_COMMANDS)}
            for key in ids:
                of_key = self._seen.setdefault(key, {})
                of_key.update(seen)
                _limit(of_key)
                _limit(self._seen)

    def _judge(self, command: str) -> "_Asked | None":
        """Return what a command asks for, if what it prints may be a secret."""
        if len(command) > _LONGEST_SCRIPT:
            return None
        if command not in self._judged:
            if len(self._judged) >= _MOST:
                self._judged.clear()
            script = command.encode(errors="surrogatepass")
            judge = partial(self._judge_line, PRINTS_COMMITS.search(script) is not None)
            self._judged[command] = next(filter(None, map(judge, _at_prompt(script))), None)
        return self._judged[command]

    def _judge_line(self, has_commits: bool, line: bytes) -> "_Asked | None":
        line = PLACEHOLDER.sub(_EXAMPLE, line)  # as before an earlier run
        certainty = certainty_of(line[2:])
        found = () if certainty else self._finder.find_in_joined(line + _EXAMPLE)
        if any(each.start == len(line) for each in found):
            certainty = Certainty.KEY  # it is there to print one
        return _Asked(line, certainty, has_commits) if certainty else None

    def _below(self, asked: "_Asked", output: Piece) -> Iterator[SplitSecret]:
        """Give what is a secret below a command, and not by itself."""
        for seen in as_seen(output.text):
            yield from self._below_in(asked, output, seen)

    def _below_in(self, asked: "_Asked", output: Piece, seen: View) -> Iterator[SplitSecret]:
        first = _begin_of(seen.text)
        if READS_FILE.search(asked.command) and (number := _FIRST_NUMBER.match(seen.text, first)):
            first = number.end()
        text = asked.command + seen.text[first : first + _LONGEST_OUTPUT]
        below = len(asked.command)
        found: list[Secret] = []
        if _WORD.search(seen.text) and self._take(len(text)):
            found += self._finder.find_in_joined(text)
        found = [each for each in found if each.start >= below]
        found += [
            secret_at(text, *word.span("word"), "command-output", is_named=True)
            for word in _words(text, below, asked.certainty)
            if not (asked.has_commits and _COMMIT.fullmatch(word["word"]))
        ]
        found = without_overlap(found)
        for secret in found:
            start, end = (at - below + first for at in (secret.start, secret.end))
            placed = msgspec.structs.replace(secret, start=start, end=end)
            yield from shown_by_others(output, seen.in_whole(placed))

    def _take(self, size: int) -> bool:
        """Take so many bytes of those that may be searched; return whether they were left."""
        if size > self._left_in_message:
            return False
        self._left -= size
        self._left_in_message -= size
        return True


def _begin_of(output: bytes) -> int:
    """Return where an output begins, after what an agent has put before it."""
    before = _BEFORE.match(output)
    return before.end() if before else 0


def _limit(known: dict[Any, Any]) -> None:
    """Forget the oldest, if there are too many."""
    while len(known) > _MOST:
        del known[next(iter(known))]


def _may_be_cut(secret: Secret) -> bool:
    """Whether a part of it is a secret: of a variable, it may as well be an ordinary word."""
    if secret.kind in ("env", "header") and not is_learnable(secret):
        return False
    return len(secret.text) >= _LEAST_OF_CUT


def _cut(output: Piece, known: dict[bytes, str]) -> Iterator[SplitSecret]:
    """Give what the first line of an output has of a secret that was in it before."""
    for seen in as_seen(output.text):
        yield from _cut_in(seen, output, known)


def _cut_in(seen: View, output: Piece, known: dict[bytes, str]) -> Iterator[SplitSecret]:
    first = _begin_of(seen.text)
    line = seen.text[first : first + _LONGEST_COMMAND].split(b"\n", 1)[0]
    for word in _WORD_OR_MORE.finditer(line):
        whole = _whole_of(word, known)
        if whole is not None:
            end = first + word.end()
            start = end - min(len(word[0]), len(whole))
            placed = seen.in_whole(Secret(start, end, known[whole], text=whole))
            yield from shown_by_others(output, placed)


def _whole_of(word: re.Match[bytes], known: Collection[bytes]) -> bytes | None:
    """Return which of the `known` a word is; of one that is cut, if it is the first of a line."""
    text = word[0]
    if text in known:
        return text
    for whole in () if word.start() else known:
        # Of the name before it, the end may be left.
        if whole.endswith(text) or text.endswith((b"=" + whole, b":" + whole)):
            return whole
    return None


def _once(found: Iterable[SplitSecret]) -> list[SplitSecret]:
    """Return what is `found`, without what overlaps something before it."""
    once: list[SplitSecret] = []
    taken: list[tuple[int, int]] = []  # in order
    for each in found:
        places = [(part.start, part.end) for _, part in each.parts]
        if not any(_overlaps(place, taken) for place in places):
            once.append(each)
            for place in places:
                insort(taken, place)
    return once


def _overlaps(place: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    """Whether a place overlaps one of those that are taken, none of which overlaps another."""
    after = bisect_left(taken, place)
    before = taken[after - 1][1] if after else 0
    return before > place[0] or (after < len(taken) and taken[after][0] < place[1])


def _words(text: bytes, at: int, certainty: Certainty) -> Iterator[re.Match[bytes]]:
    """Give the only word that is printed; of several lines, those that look random."""
    if word := _ONE_WORD.match(text, at):
        if is_value(word["word"], certainty) and not PLACEHOLDER.search(word["word"]):
            yield word
        return
    for line in _LINE.finditer(text, at):
        if looks_random(line["word"]) and is_value(line["word"], Certainty.KEY):
            yield line


class _Asked(msgspec.Struct, frozen=True):
    """
    A command that asks for a secret: as it is at a prompt, and how sure a name in it is.

    `has_commits` if the script that it is in prints some, too.
    """

    command: bytes
    certainty: Certainty
    has_commits: bool


class _Said(msgspec.Struct, frozen=True):
    """A frame in which `found` was seen, and its short form."""

    frame: Frame
    short: ShortForm
    found: Sequence[Secret]
    place: int

    def outputs(self) -> Iterator[Piece]:
        """Give the strings of a message that may be what a command has printed."""
        is_of_terminal = may_have_output(self.frame.raw)
        for leaf, text in _printed_in(self.frame.raw, self.short.leaves()):
            pointer = spell(*leaf.path)
            piece = Piece(self.frame, leaf.start, text, pointer, self.place, self.found)
            if is_of_terminal and (said := output_in(leaf.path, text)):
                piece.text, piece.in_base64 = said, leaf.end - leaf.start
            yield from _within(piece, MOST_NESTED)
            yield piece


class _Question(msgspec.Struct):
    """What a message asks for: commands and names of files, and of which tool call or terminal."""

    session: str = ""
    tool_calls: list[str] = []
    terminals: list[str] = []
    lines: list[str] = []  # whole commands
    words: list[str] = []  # of one more

    @property
    def ids(self) -> list[str]:
        """How to know them again: some agents count the tool calls of each session by itself."""
        calls = (f"{self.session} {each}" for each in self.tool_calls)
        return [*dict.fromkeys((*calls, *self.terminals))]

    def read(self, value: Any, levels: int, name: str = "") -> None:
        """Take in all strings of a message, by their names; items of a list by that of the list."""
        if not levels:
            return
        if isinstance(value, dict):
            self.tool_calls += _id_in(value, name) if "id" in value else ()
            for each in value.items():
                self.read(each[1], levels - 1, each[0])
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, str):
                    self.words += [item] if name in _LISTS else []
                    self._take_file(item, name)
                else:
                    self.read(item, levels - 1)
        elif isinstance(value, str) and name in _INPUTS and value[:1] == "{":
            self.read(_decoded(value), levels - 1)
        elif isinstance(value, str):
            self._take(value, name)
        elif name in TOOL_CALL_IDS:
            self.tool_calls.append(str(value))  # a number

    def _take(self, value: str, name: str) -> None:
        if name in SESSION_IDS:
            self.session = value
        elif name in TOOL_CALL_IDS:
            self.tool_calls.append(value)
        elif name in TERMINAL_IDS:
            self.terminals.append(value)
        elif name == "arguments":
            self.lines.append(value)
        elif name in _COMMANDS:
            if name == "title" and _FILE_AS_TITLE.fullmatch(value):
                self.lines.append(f"cat {value.strip('`')}")
            self.lines.append(value)
            self.words += [value] if name == "command" else []  # of a terminal, before its `args`
        else:
            self._take_file(value, name)

    def _take_file(self, value: str, name: str) -> None:
        if _FILE.fullmatch(name):
            self.lines.append(f"cat {value}")

    def commands(self) -> list[str]:
        """Return the commands, each with all of its lines."""
        return [*self.lines[:_MOST_COMMANDS], " ".join(self.words[:_MOST])]


def _id_in(value: dict[str, Any], name: str) -> Sequence[str]:
    """Return the id of a tool call, where it is called no more than that."""
    is_call = name == "toolCall" or value.get("sessionUpdate") in _CALLS
    is_made = name == "result" and len(value) == 1  # by a request
    return [str(value["id"])] if is_call or is_made else ()


def _decoded(text: bytes | str) -> Any:
    """Return what a text in JSON says; `None` for what is none."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None


def _id_of(message: Any, frame: Frame) -> Iterator[str]:
    """Give how to know again a request, and its response: by who has sent the request."""
    for each in message if isinstance(message, list) else [message]:
        if isinstance(each, dict) and "id" in each:
            sender = frame.sender if "method" in each else frame.sender.other
            yield f"{sender.value} {each['id']}"


def _within(piece: Piece, levels: int) -> Iterator[Piece]:
    """Give what was printed, if a piece is what a tool says of it in JSON."""
    for start, end in json_within(piece.text) if levels else ():
        json = piece.text[start:end]
        for leaf, text in _printed_in(json, leaves(json)):
            inside = ((piece.text, start + leaf.start), *piece.inside)
            within = msgspec.structs.replace(piece, text=text, inside=inside)
            yield from _within(within, levels - 1)
            yield within


def _printed_in(raw: bytes, all_leaves: Iterable[Leaf]) -> Iterator[tuple[Leaf, bytes]]:
    for leaf in all_leaves:
        if leaf.path[DEEPEST:]:
            continue
        name = next((step for step in reversed(leaf.path) if isinstance(step, str)), "")
        if leaf.is_string and not leaf.is_name and _OUTPUT.fullmatch(name):
            yield leaf, unescaped(raw[leaf.start : leaf.end])


def _at_prompt(command: bytes) -> Iterator[bytes]:
    """
    Give the commands of a script, each as it is in a terminal, with its end.

    The last one first: the others only if they print something.
    """
    shell = _SHELL.fullmatch(command := _REMARK.sub(b"", command))
    script = (shell[1] if shell else command).strip(b" \r\n\t`\"'")
    *others, last = _CONTINUED.sub(b" ", script).splitlines() or [b""]
    printing = (line for line in reversed(others) if not is_silent(line))
    for line in (last, *islice(printing, _MOST_COMMANDS)):
        if len(line) <= _LONGEST_COMMAND:
            yield b"$ " + line.strip() + b"\n"
