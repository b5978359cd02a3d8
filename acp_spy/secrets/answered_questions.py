"""
An answer that is nothing but a secret, and the question before it that asks for one.

`What is the sudo password?` is what the agent says, and `hunter3439` or `it's hunter3439, same as
last time` the whole prompt after it. Only an answer that is one word is read, and only one that
looks like a password: `yes`, `skip` and `config.yml` are answers, too.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain, islice, takewhile
from typing import Any

import msgspec

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.message_names import (
    AS_CHUNK,
    SAID_BY_AGENT,
    is_said_by_agent,
    is_said_by_person,
    kind_of,
    message_id_of,
    session_of,
    texts_of,
)
from acp_spy.secrets.pieces import Piece, SplitSecret, shown_by_others
from acp_spy.secrets.placeholders import without_placeholders
from acp_spy.secrets.secret import Secret, secret_at
from acp_spy.secrets.short_form import ShortForm, short_form
from acp_spy.secrets.values import Certainty, is_value, is_weak_password
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.json_text import unescaped
from acp_spy.wire.pointer import spell
from acp_spy.wire.values import messages_of_line

_MOST = 128  # messages before an answer, most of them a word or two of the question
_LARGEST = 8 * 1024  # of a message, but for images in it
LONGEST_QUESTION = 400
# Names after which a message may have what the agent says, or a person; not those of members.
_IS_SAID = expression(
    rb"\"(?:%b)\"(?!\s*:)|\"stopReason\"" % "|".join(sorted(SAID_BY_AGENT)).encode()
)
_ANSWERS = ("text", "chunk")  # members that have an answer

# `tel{2}`, because a test reads the strings of this package as prose.
_ASKS = expression(
    r"(?i)\b(?:which|what(?:'s|\u2019s)?|enter|type|give|provide|send|tel{2}|share|paste|need|supply"
    r"|have|could|can|please|requires?|ask(?:s|ing)?)\b"
)
_WORDS = r"(?:(?P<pin>pin|passcode)|pass(?:word|phrase)|(?:api|access|secret)[ -]?key|token|secret)"
_ASKED_FOR = expression(
    rf"(?i)\b{_WORDS}\b"
    r"(?!s? (?:column|field|file|policy|manager|table|type|hash|length|format|rule|page|form|reset"
    r"|flow|name|prompt|hint|store|backend|provider))"
)
_ASKS_ELSEWHERE = expression(
    r"(?i)\b(?:wie (?:lautet|ist)|was ist|gib|nenne?|quel(?:le)? est|donnez?|indiquez?"
    r"|cu[a\u00e1]l es|dime|qual [e\u00e9\u00e8]|informe)\b"
)
_ASKED_FOR_ELSEWHERE = expression(  # with a group for PINs, which none of these is
    r"(?i)\b(?:passwor[dt]|kennwort|mot de passe|contrase[n\u00f1]a|senha|token)\b(?P<pin>\Z\A)?"
)
_LANGUAGES = ((_ASKS, _ASKED_FOR), (_ASKS_ELSEWHERE, _ASKED_FOR_ELSEWHERE))
# `Password:`, `Your API key?`, `[sudo] password for bob:`
_SHORT = expression(
    rf"(?i)[\W_]*(?:[a-z]{{2,12}}\W{{1,2}}){{0,3}}?{_WORDS}"
    r"(?: (?:for|of) \S{1,40})?[\s*_`]*[:?][\W_]*"
)
_FARTHEST = 140  # what asks, before what it asks for
_LONGEST_REST = 160  # of the line after it
ANSWER = expression(
    rb"\s*(?:(?i:ok(?:ay)?|sure|yes|yeah|no|here(?: (?:yo)?u go| it is)?|it is"
    rb"|(?:it|that)(?:'|\xe2\x80\x99)?s|(?:the|my) [a-z]{2,10}(?: is)?|use|try"
    rb"|es ist|c'est|es|\xc3\xa9)[,:.! ]{1,3}){0,3}"
    rb"[\"'`]?(?P<secret>[^\s\"'`]{3,199}[^\s\"'`.,;])[\"'`]?[.,;]?"
    rb"(?: (?:same as|thank|thx|pls|please|again|btw|like)[^\n]{0,30})?\s*"
)
_PIN = expression(rb"[0-9]{4,8}")
# A command, an address, a file, a word with a number.
_OTHER = expression(
    rb"/.*|[\w.+-]+@[\w.-]+\.[a-z]+|[\w./-]*\.[a-z]{1,5}|[A-Za-z]+[0-9]{1,2}", re.DOTALL
)


class AnsweredQuestions:
    """Feed it frames in turn. What asks is kept, and is read when an answer comes."""

    def __init__(self) -> None:
        self._before: deque[Frame] = deque(maxlen=_MOST)

    def feed(
        self, frame: Frame, found: Sequence[Secret], place: int, raw: bytes
    ) -> Sequence[SplitSecret]:
        """
        Take in a frame in which `found` was seen; return the answer in it that is a secret.

        `raw` is its line as it can be searched.
        """
        is_said = b'"agent_message_chunk"' in raw  # most are: to search is a call for each
        if not is_said and (b"essage" in raw or (b'"stopReason"' in raw and b'"content"' in raw)):
            is_said = bool(_IS_SAID.search(raw))
        is_said = is_said and frame.sender is Peer.AGENT
        may_answer = b'/prompt"' in raw or b'"user' in raw or b'"send' in raw
        if not is_said and not may_answer:
            return ()
        short = short_form(frame.raw, _LARGEST)
        if short is None:
            return ()
        split = list(self._answers(frame, short, found, place)) if may_answer else ()
        self._before.append(msgspec.structs.replace(frame, raw=short.text))
        return split

    def _answers(
        self, frame: Frame, short: ShortForm, found: Sequence[Secret], place: int
    ) -> Iterator[SplitSecret]:
        texts: dict[int, list[Piece]] = {}  # by which message of a batch they are in
        for leaf in short.leaves():
            is_text = leaf.path and leaf.path[-1] in _ANSWERS
            is_text = is_text and leaf.is_string and not leaf.is_name
            if is_text and "resource" not in leaf.path:  # an attached file is no part of an answer
                text = unescaped(frame.raw[leaf.start : leaf.end])
                piece = Piece(frame, leaf.start, text, spell(*leaf.path), place, found)
                number = leaf.path[0] if isinstance(leaf.path[0], int) else 0
                texts.setdefault(number, []).append(piece)
        messages = messages_of_line(short.text)
        for number, pieces in texts.items() if messages else ():
            is_answer = len(pieces) == 1 and ANSWER.fullmatch(pieces[0].text)
            if not is_answer or not is_said_by_person(messages[number]):
                continue
            said, *last = self._said_before(frame, messages[: number + 1])
            asked = asks_for(said) or next(filter(None, map(_asks_in_sentence, last)), None)
            if asked:
                yield from given_in(pieces[0], asked)

    def _said_before(self, frame: Frame, messages: list[dict[str, Any]]) -> tuple[str, str, str]:
        """
        Return what was said last before the answer, the last of the `messages` of its frame.

        All of it; of that, what by its id is the last message; and the last block, if a message has
        several: before them there may be no line end. But some agents give each piece of a message
        an id of its own.

        A frame may be delivered in another form, with its number. Some agents send a prompt back,
        so the same answer may be there already.
        """
        *others, answer = messages
        given = texts_of(answer)
        said: list[str] = []
        idents: list[Any] = []
        block = ""
        session = session_of(answer)
        after: tuple[int, int, str] | None = None
        earlier = (
            each
            for before in reversed(self._before)
            if before.seq != frame.seq or before.sender is not frame.sender
            for each in _backwards(before.seq, messages_of_line(before.raw))
        )
        for seq, number, message in islice(chain(_backwards(frame.seq, others), earlier), _MOST):
            if "method" in message and session_of(message) != session:
                continue
            texts = texts_of(message)
            if is_said_by_agent(message):
                text = "".join(texts)
                if after != (seq, number, text):
                    is_last_whole = not said and kind_of(message) in AS_CHUNK and bool(texts)
                    block = texts[-1] if is_last_whole else block
                    said.append(text)
                    idents.append(message_id_of(message))
                after = seq, number, text
            elif is_said_by_person(message) and texts != given:
                break
        of_last = [
            text
            for text, _ in takewhile(
                lambda each: each[1] == idents[0], zip(said, idents, strict=True)
            )
        ]
        return "".join(reversed(said)), "".join(reversed(of_last)), block


def _backwards(
    seq: int, messages: list[dict[str, Any]]
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Give the messages of a frame, the last one first: its number, theirs, and themselves."""
    for number in reversed(range(len(messages))):
        yield seq, number, messages[number]


def given_in(piece: Piece, asked: re.Match[str]) -> Iterator[SplitSecret]:
    """Give the secret in an answer to a question that has `asked` for one."""
    word = ANSWER.fullmatch(piece.text)
    if word and _is_given(word["secret"], is_pin=bool(asked["pin"])):
        secret = secret_at(piece.text, *word.span("secret"), "prompt", is_named=True)
        yield from shown_by_others(piece, secret)


def asks_for(question: str) -> re.Match[str] | None:
    """Return the secret for which the last line of a text asks."""
    question = without_placeholders(question).rstrip()[-LONGEST_QUESTION:]
    line = question.rpartition("\n")[2]
    return _SHORT.fullmatch(line) or _asks_in_sentence(line)


def _asks_in_sentence(text: str) -> re.Match[str] | None:
    """Return the secret for which a sentence in a line asks."""
    line = without_placeholders(text).rstrip()[-LONGEST_QUESTION:].rpartition("\n")[2]
    for asks, asked_for in _LANGUAGES:
        for found in asked_for.finditer(line):
            before = line[max(0, found.start() - _FARTHEST) : found.start()]
            sentence = re.split(r"[.?!]", before)[-1]
            if len(line) - found.end() <= _LONGEST_REST and asks.search(sentence):
                return found
    return None


def _is_given(word: bytes, *, is_pin: bool) -> bool:
    if is_pin and _PIN.fullmatch(word):
        return True
    word = word.rstrip(b"!?")
    return is_weak_password(word) or (
        not _OTHER.fullmatch(word) and is_value(word, Certainty.SETTING, is_bare=True)
    )
