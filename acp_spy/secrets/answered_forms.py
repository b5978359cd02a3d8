"""
What a form asks for, and its answer, which is the response to it (`elicitation/create`).

An MCP server also has forms in a result (`inputRequests`), and the request that is sent once more
has the answers, by their names (`inputResponses`).

If the message of the form asks, an answer that is one word is read as one to any question. What is
in a field that the schema says is for a secret is one, whatever it looks like.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from acp_spy.secrets.answered_questions import LONGEST_QUESTION, asks_for, given_in
from acp_spy.secrets.chunks import DEEPEST
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.pieces import Piece, SplitSecret, shown_by_others
from acp_spy.secrets.placeholders import PLACEHOLDER, without_placeholders
from acp_spy.secrets.secret import Secret, secret_at
from acp_spy.secrets.values import Certainty, is_value
from acp_spy.wire.frame import Frame, Peer
from acp_spy.wire.json_text import leaves, unescaped
from acp_spy.wire.pointer import spell
from acp_spy.wire.values import fields, messages_of_line

_LARGEST = 256 * 1024
_MOST = 64  # forms that wait for an answer
_MOST_FIELDS = 200
_DEEPEST_SCHEMA = 8
_TITLE = expression(
    r"(?i)\b(?:pin|passcode|pass(?:word|phrase)s?|(?:api|access|secret|private)[ -]?keys?|tokens?"
    r"|secrets?|credentials?|(?:recovery|backup) codes?"
    r"|passwort|kennwort|mot de passe|contrase[n\u00f1]a|senha)\b"
    r"(?! (?:column|file|policy|manager|table|type|hash|length|format|rule|page|form|reset|flow"
    r"|name|hint|store|backend|provider))"
)
_PLURAL = expression(r"(?i)\b(key|token|secret|pass(?:word|phrase))s\b")
_MOST_WORDS = 4  # of a description that only names the field
_METHOD = "elicitation/create"
_FORMS = "inputRequests"
_ANSWERS = "inputResponses"
_MAY_ANSWER = expression(rb"\"(?:result|inputResponses)\"")
_NEAR = 8  # steps of a path
_Field = tuple[str, ...]
# Who asks, and the id of the request; or also the name of a form in a result.
_Key = tuple[Peer, Any] | tuple[Peer, str, str]


class _Form(msgspec.Struct, frozen=True):
    """What is known of a form: for what its message asks, and the fields that are for a secret."""

    asked: re.Match[str] | None
    secrets: frozenset[_Field]


class AnsweredForms:
    """Feed it frames in turn. What a form asks for is kept until its answer comes."""

    def __init__(self) -> None:
        self._forms: dict[_Key, _Form] = {}
        self._answered: set[_Key] = set()

    def feed(
        self, frame: Frame, found: Sequence[Secret], place: int, raw: bytes
    ) -> Sequence[SplitSecret]:
        """
        Take in a frame in which `found` was seen; return the answers in it that are secrets.

        `raw` is its line as it can be searched.
        """
        if len(frame.raw) > _LARGEST:
            return ()
        answers: Sequence[SplitSecret] = ()
        if self._forms and b'"content"' in raw and _MAY_ANSWER.search(raw):
            answers = list(self._answers(frame, found, place))
        if b'"elicitation/create"' in raw:
            for key, params in _forms_in(frame):
                self._keep(key, params)
        return answers

    def _keep(self, key: _Key, params: dict[str, Any]) -> None:
        schema = fields(params.get("requestedSchema"))
        form = _Form(
            asks_for(str(params.get("message", ""))),
            frozenset(islice(_secret_fields(schema, (), _DEEPEST_SCHEMA), _MOST_FIELDS)),
        )
        known = self._forms.get(key)
        if known and _is_of_result(key) and key not in self._answered:
            # Several servers may call one alike; which will be answered?
            secrets = islice((*form.secrets, *known.secrets), _MOST_FIELDS)
            form = _Form(form.asked or known.asked, frozenset(secrets))
        elif not known and len(self._forms) >= _MOST:
            oldest = next(iter(self._forms))
            del self._forms[oldest]
            self._answered.discard(oldest)
        self._answered.discard(key)
        self._forms[key] = form

    def _answers(self, frame: Frame, found: Sequence[Secret], place: int) -> Iterator[SplitSecret]:
        raw, asker = frame.raw, frame.sender.other
        keys = [(asker, message.get("id")) for message in messages_of_line(raw)]
        is_response = any(_is_id(key[1]) and key in self._forms for key in keys)
        if not keys or not (is_response or any(map(_is_of_result, self._forms))):
            return  # a line that is torn has no keys
        for leaf in leaves(raw):
            path = leaf.path
            if leaf.is_name or not leaf.is_string or path[DEEPEST:]:
                continue
            responds_to = keys[path[0] if path and isinstance(path[0], int) else 0]
            names = tuple(name for name in path if isinstance(name, str))
            key, field = _answered(names, asker, responds_to)
            form = self._forms.get(key) if field and _is_id(key[1]) else None
            if not form:
                continue
            self._answered.add(key)
            text = unescaped(raw[leaf.start : leaf.end])
            piece = Piece(frame, leaf.start, text, spell(*path), place, found)
            if any(field[:end] in form.secrets for end in range(1, len(field) + 1)):
                is_phrase = len(text.split()) > 1 and not PLACEHOLDER.search(text)
                if is_phrase or is_value(text, Certainty.PASSWORD):
                    secret = secret_at(text, 0, len(text), "prompt", is_named=True)
                    yield from shown_by_others(piece, secret)
            elif form.asked:
                yield from given_in(piece, form.asked)


def _forms_in(frame: Frame) -> Iterator[tuple[_Key, dict[str, Any]]]:
    """Give the forms of a line: by what its answer is known, and the parameters."""
    for message in messages_of_line(frame.raw):
        if message.get("method") == _METHOD and _is_id(number := message.get("id")):
            yield (frame.sender, number), fields(message.get("params"))
        result = fields(message.get("result"))
        asked = fields(fields(result.get("result", result)).get(_FORMS))
        for name, request in asked.items():
            if fields(request).get("method") == _METHOD:
                yield (frame.sender, _FORMS, name), fields(fields(request).get("params"))


def _answered(names: tuple[str, ...], asker: Peer, responds_to: _Key) -> tuple[_Key, _Field]:
    """Return which form a string answers, in the message that responds to one, and its field."""
    if _ANSWERS in names[:_NEAR]:
        name, *rest = names[names.index(_ANSWERS) + 1 :] or ("",)
        responds_to = (asker, _FORMS, name)
    elif names[:1] == ("result",):  # `mcp/message` has a result in its result
        rest = [*names[2 if names[:2] == ("result", "result") else 1 :]]
    else:
        rest = []
    return responds_to, tuple(rest[1:]) if rest[:1] == ["content"] else ()


def _is_of_result(key: _Key) -> bool:
    return len(key) > 2


def _is_id(number: Any) -> bool:
    return isinstance(number, str | int | float)


def _secret_fields(schema: dict[str, Any], path: _Field, depth: int) -> Iterator[_Field]:
    """Give the fields that a schema says are for a secret."""
    for each in _alternatives(schema, depth):
        for name, field in fields(each.get("properties")).items():
            said = list(_alternatives(fields(field), depth))
            if any(map(_is_for_secret, said)):
                yield (*path, name)
            elif depth:
                yield from _secret_fields(fields(field), (*path, name), depth - 1)


def _alternatives(schema: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    """Give a schema, and those that it is made of or that its items have."""
    yield schema
    others = [each for word in ("anyOf", "oneOf", "allOf") for each in _list(schema.get(word))]
    for each in (*others, schema.get("items")) if depth else ():
        if isinstance(each, dict):
            yield from _alternatives(each, depth - 1)


def _list(value: Any) -> list[Any]:
    return value[:_DEEPEST_SCHEMA] if isinstance(value, list) else []


def _is_for_secret(schema: dict[str, Any]) -> bool:
    if schema.get("format") == "password" or schema.get("writeOnly") is True:
        return True
    title, description = (
        without_placeholders(str(schema.get(word, "")))[:LONGEST_QUESTION]
        for word in ("title", "description")
    )
    names = f"{title}\n{description}" if len(description.split()) <= _MOST_WORDS else title
    return bool(_TITLE.search(names) or asks_for(_PLURAL.sub(r"\1", f"enter {description}")))
