"""
Secrets that are shown in one place of a random conversation, and copied in others.

`python -m benchmarks.copies --seconds 300 --seed 7` shows the secrets of `secret_corpus` in places
of a conversation, before or after copies of them: cut, quoted, encoded, colored, in pieces. It
prints where twelve characters of one are left, where redacting twice changes something, where a
line is no longer JSON, and where `redact --check` and `redact` do not agree.

Only of what looks random copies are looked for (docs/secrets.md), and only of secrets that are
masked where they are shown: what is missed there, `benchmarks.secrets` counts. Not of texts in
base64, of which only a whole copy is one.
"""

import argparse
import base64
import html
import json
import random
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header, Record, Stderr
from acp_spy.secrets.encoded_text import decoded
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.values import looks_random
from acp_spy.wire.frame import Frame, Peer
from benchmarks.secrets import SETS, WEIGHTS, Place, missed, places

_WORD = re.compile(r"(?<![A-Za-z])[A-Z]?[a-z]{4,}(?![A-Za-z])")  # of a password that is in parts
# All of a kind begin alike, longer than twelve characters.
_ALIKE = ("SCRAM-SHA-256", "AGE-SECRET-KEY-1", "LS0tLS1CRUdJTi", "b3BlbnNzaC1rZXktdjE")
LEAST = 12  # characters of a secret that must not be left
# Names and values of the protocol that data may have, too.
_WORDS = (
    *("chunk", "vendor chunk", "agent_message_chunk", "delta", "terminal_output", "session/prompt"),
    *("tool_call_update", "output", "text", "s", "fs/read_text_file", "result"),
)
_AT_ONCE = frozenset(
    ("chunks", "output", "growing_output", "blocks", "terminal", "terminal_pieces")
)

COPIES = {
    "plain": lambda s: f"connected with {s} ok",
    "alone": lambda s: s,
    "line": lambda s: f"first\n{s}\nlast\n",
    "json": lambda s: json.dumps({"x": s, "n": 1}),
    "json in json": lambda s: json.dumps({"o": json.dumps({"x": f"a {s}"})}),
    "python": lambda s: repr({"x": s}),
    "url": lambda s: f"GET /v1/x?q={quote(s, safe='')}&n=2",
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 after a name": lambda s: f"h {base64.b64encode(f'bob:{s}'.encode()).decode()}",
    "color": lambda s: f"\x1b[01;31m\x1b[K{s}\x1b[m\x1b[K x",
    "colors within": lambda s: f"\x1b[1m{s[:7]}\x1b[31m{s[7:]}\x1b[0m",
    "start": lambda s: f"token {s[: max(14, len(s) * 2 // 3)]}... truncated",
    "end": lambda s: f"…{s[-max(14, len(s) * 2 // 3) :]} x",
    "middle": lambda s: f"a [{s[2:-2]}] x",
    "path": lambda s: f"/tmp/cache/{s}/x.json",
    "page": lambda s: f"<b>{html.escape(s)}</b>",
    "progress": lambda s: f"10% {s[:5]}\r 50% {s}\r100% {s}\n",
    "in a word": lambda s: f"pre-{s}-post",
    "twice": lambda s: f"{s} {s[:-2]}",
    "pair": lambda s: f"{s}:{s}",
    "columns": lambda s: f"a\t{s}\tb",
    "search": lambda s: f"src/a.py:12:x({s})",
    "list": lambda s: f"a,{s},b",
    "markdown": lambda s: f"**{s}** `{s}`",
    "quotes": lambda s: f"'{s}'",
    "assigned": lambda s: f"foo={s}",
    "arrow": lambda s: f"{s} => x",
    "sed": lambda s: f"s/{s}/x/g",
    "growing": lambda s: "\n".join(s[:size] for size in range(LEAST + 8, len(s), 3)),
    "diff": lambda s: f"-{s}\n+{s}x\n",
    "dots": lambda s: f"{s}...",
}


class Talk:
    """A conversation, to which texts are added in random places."""

    def __init__(self, dice: random.Random) -> None:
        self.records: list[Record] = []
        self._dice = dice
        self.has_ids = dice.random() < 0.5  # of messages
        self._is_odd = dice.random() < 0.5  # data has words of the protocol
        self._places = {
            name.removeprefix("_in_"): getattr(self, name)
            for name in dir(self)
            if name.startswith("_in_")
        }

    def say(self, text: str) -> str:
        """Add a text; return where."""
        name = self._dice.choice([*self._places])
        self._places[name](text)
        return name

    def _send(self, sender: Peer, **message: object) -> None:
        number = len(self.records) + 1
        raw = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=number % 2 == 0)
        self.records.append(Frame(number, number / 10, sender, raw.encode() + b"\n"))

    def _update(self, kind: str, **fields: object) -> None:
        update = {"sessionUpdate": kind, **fields}
        if self._is_odd and self._dice.random() < 0.5:
            update = self._with_word(update)
        self._send(Peer.AGENT, method="session/update", params={"sessionId": "s", "update": update})

    def _with_word(self, update: dict[str, object]) -> dict[str, object]:
        word = self._dice.choice(_WORDS)
        beside = self._dice.choice(
            (
                {"title": word},
                {"rawInput": {"type": word, "text": word}},
                {"rawInput": {word: word}},
                {"_meta": {"event": {"type": word, "delta": word, "text": word}}},
                {"locations": [{"path": f"/a/{word}"}]},
            )
        )
        return {**beside, **update}

    def in_turn(self, first: int, second: int) -> None:
        """Let what was said from `first` on, and from `second` on, come in turn."""
        one, other = self.records[first:second], self.records[second:]
        del self.records[first:]
        while one or other:
            rest = one if self._dice.random() * (len(one) + len(other)) < len(one) else other
            number = len(self.records) + 1
            self.records.append(msgspec.structs.replace(rest.pop(0), seq=number, t=number / 10))

    @property
    def _ident(self) -> int:
        return 1000 + len(self.records)

    def _pieces(self, text: str) -> Iterator[str]:
        while text:
            size = self._dice.choice((2, 4, 9, 25, 60, 200))
            yield text[:size]
            text = text[size:]

    def _grown(self, text: str) -> Iterator[str]:
        cuts = self._dice.sample(range(len(text)), min(4, len(text)))
        for end in (*sorted(cuts), len(text)):
            yield text[:end]

    def _in_prompt(self, text: str) -> None:
        params = {"sessionId": "s", "prompt": [{"type": "text", "text": text}]}
        self._send(Peer.CLIENT, id=self._ident, method="session/prompt", params=params)

    def _in_chunks(self, text: str) -> None:
        who = self._dice.choice(("agent_message", "agent_thought", "user_message"))
        ids = {"messageId": f"m{self._ident}"} if self.has_ids else {}
        for piece in self._pieces(text):
            self._update(f"{who}_chunk", content={"type": "text", "text": piece}, **ids)

    def _in_input(self, text: str) -> None:
        self._update(
            *("tool_call",), toolCallId=f"c{self._ident}", title=text, rawInput={"command": text}
        )

    def _in_output(self, text: str) -> None:
        output = {"stdout": text, "exitCode": 0}
        self._update("tool_call_update", toolCallId=f"c{self._ident}", rawOutput=output)

    def _in_growing_output(self, text: str) -> None:
        call = f"c{self._ident}"
        for part in self._grown(text):
            content = [{"type": "content", "content": {"type": "text", "text": part}}]
            self._update("tool_call_update", toolCallId=call, content=content)

    def _in_growing_input(self, text: str) -> None:
        call = f"c{self._ident}"
        whole = json.dumps({"file_path": "/a/.x", "content": text})
        for part in self._grown(whole):
            content = [{"type": "content", "content": {"type": "text", "text": part}}]
            self._update("tool_call_update", toolCallId=call, content=content)

    def _in_blocks(self, text: str) -> None:
        content = [
            {"type": "content", "content": {"type": "text", "text": part}}
            for part in ("see:", text, "done")
        ]
        self._update("tool_call_update", toolCallId=f"c{self._ident}", content=content)

    def _in_diff(self, text: str) -> None:
        diff = {"type": "diff", "path": "/a/b.txt", "oldText": f"a\n{text}", "newText": f"{text}\n"}
        self._update("tool_call_update", toolCallId=f"c{self._ident}", content=[diff])

    def _in_meta(self, text: str) -> None:
        meta = {"claudeCode": {"toolResponse": [{"type": "text", "text": text}]}}
        self._update("tool_call_update", toolCallId="c", _meta=meta)

    def _in_key(self, text: str) -> None:
        self._update("tool_call_update", toolCallId="c", _meta={"x": {text: 1}})

    def _in_file(self, text: str) -> None:
        ident = self._ident
        params = {"sessionId": "s", "path": "/a/b"}
        self._send(Peer.AGENT, id=ident, method="fs/read_text_file", params=params)
        self._send(Peer.CLIENT, id=ident, result={"content": text})

    def _in_terminal(self, text: str) -> None:
        name = f"t{self._ident}"
        for part in self._grown(text):
            ident = self._ident
            params = {"sessionId": "s", "terminalId": name}
            self._send(Peer.AGENT, id=ident, method="terminal/output", params=params)
            self._send(Peer.CLIENT, id=ident, result={"output": part, "truncated": False})

    def _in_terminal_pieces(self, text: str) -> None:
        name = f"c{self._ident}"
        for piece in self._pieces(text):
            meta = {"terminal_output": {"data": piece, "terminal_id": name}}
            self._update("tool_call_update", toolCallId=name, _meta=meta)

    def _in_error(self, text: str) -> None:
        error = {"code": -32603, "message": text, "data": {"details": text}}
        self._send(Peer.AGENT, id=1, error=error)

    def _in_stderr(self, text: str) -> None:
        for line in text.split("\n"):
            self.records.append(Stderr(len(self.records) / 10, line.encode() + b"\n"))

    def _in_noise(self, text: str) -> None:
        for line in text.split("\n"):
            number = len(self.records) + 1
            self.records.append(Frame(number, number / 10, Peer.AGENT, line.encode() + b"\n"))

    def _in_environment(self, text: str) -> None:
        server = {"name": "m", "command": "npx", "args": ["-y", text]}
        server["env"] = [{"name": "FOO", "value": text}]
        params = {"cwd": "/", "mcpServers": [server]}
        self._send(Peer.CLIENT, id=self._ident, method="session/new", params=params)


def main() -> None:
    """Try conversations and print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.copies")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="show the conversation with this number")
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    shown = shown_texts(options.seed if options.only is None else options.only // 100_000)
    first = options.seed * 100_000
    numbers = range(first, first + 100_000) if options.only is None else [options.only]
    count = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            if time.monotonic() > until:
                break
            case = made(number, shown)
            if case is None:
                continue
            problems = [*problems_of(case, Path(folder) / "run.jsonl")]
            count += 1
            wrong += bool(problems)
            for problem in problems:
                print(f"{number}: {problem}: {case.how}", flush=True)
            if options.only is not None:
                for record in _redacted(case.records):
                    print(record.raw.decode(errors="replace").rstrip())
    print(f"{count} conversations, {wrong} with something wrong")


def shown_texts(seed: int) -> list[Place]:
    """Return the texts of the corpus that show something random, with others for each seed."""
    folders = ["", *(f"{name}/" for name in SETS if name not in ("development", "validation"))]
    found = [
        place
        for folder in folders
        for group in WEIGHTS
        for place in places(f"{folder}{group}", seed)
        if not place.title.startswith("message ")
    ]
    return [place for place in found if any(map(_is_copied, place.secrets))]


def _is_copied(secret: str) -> bool:
    """Whether copies of it are looked for elsewhere."""
    return (
        LEAST + 4 <= len(secret) <= 200
        and secret.isascii()
        and secret.isprintable()
        and not set(secret) & set(" \"\\'")
        and looks_random(secret.encode())
        and not _WORD.search(secret)
        and not decoded(secret.encode())
        and not secret.startswith(_ALIKE)
    )


class Case(NamedTuple):
    """A conversation in which a secret is shown and copied; `how` says where."""

    secret: str
    how: str
    records: list[Record]


def made(number: int, shown: list[Place]) -> Case | None:
    """Return a conversation; nothing if the secret can be read where it is shown."""
    dice = random.Random(number)
    place = dice.choice(shown)
    if missed(place):
        return None
    secret = dice.choice([*filter(_is_copied, place.secrets)])
    forms = dice.choices([*COPIES], k=dice.choice((1, 2, 4)))
    said = [("shown", place.text), *((form, COPIES[form](secret)) for form in forms)]
    dice.shuffle(said)
    talk = Talk(dice)
    how: list[str] = []
    before, last = 0, ""  # where what was said last begins, and in which place
    for form, text in said:
        first = len(talk.records)
        name = talk.say(text)
        how.append(f"{form} in {name}")
        if form == "shown" and _left_of(secret, _redacted(talk.records[first:])):
            return None
        both = {last, name}
        if both <= _AT_ONCE and (talk.has_ids or "chunks" not in both) and dice.random() < 0.5:
            talk.in_turn(before, first)
            how.append("in turn")
            name = ""  # what is in turn with a third is no longer where it was
        before, last = first, name
    return Case(secret, f"{place.title}: {secret}: {', '.join(how)}", talk.records)


def problems_of(case: Case, file: Path) -> Iterator[str]:
    """Redact a conversation; give what is wrong."""
    done = _redacted(case.records)
    if left := _left_of(case.secret, done):
        yield f"{max(left)} is left"
    if _redacted(done) != done:
        yield "redacting twice differs"
    for before, after in zip(case.records, done, strict=True):
        if _is_json(before.raw) and not _is_json(after.raw):
            yield "a line is no longer JSON"
    file.write_bytes(encode([Header(), *done]))
    if any(secrets_in_file(str(file), Redactor())):
        yield "`redact --check` finds something in what was redacted"
    file.write_bytes(encode([Header(), *case.records]))
    if any(secrets_in_file(str(file), Redactor())) != (done != case.records):
        yield "`redact --check` and `redact` differ"


def _redacted(records: list[Record]) -> list[Record]:
    redactor = Redactor()
    redactor.learn_all(records)
    return [redactor.record(each) for each in records]


def _left_of(secret: str, records: list[Record]) -> list[str]:
    """Return what can still be read of a secret."""
    texts = "\0".join(_texts(records))
    runs = {secret[at : at + LEAST] for at in range(len(secret) - LEAST + 1)}
    return [
        run
        for run in runs
        if run in texts and any(letter.isalpha() for letter in run)  # not the number of an account
    ]


def _texts(records: list[Record]) -> Iterator[str]:
    for record in records:
        yield record.raw.decode(errors="replace")
        if _is_json(record.raw):
            yield from _strings(json.loads(record.raw))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            yield from _strings([*pair])
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _is_json(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


if __name__ == "__main__":
    main()
