"""
The places that recall is measured with, changed: other names, other signs, a piece of another one.

Whatever comes of it, nothing fails, a second run changes nothing, and the prefilter hides nothing
that a search without it would find.
"""

import json
import re
from random import Random

import pytest
from support import effort

from acp_spy.capture.records import Stderr
from acp_spy.secrets import finder
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.shape_search import SHAPES
from acp_spy.wire.frame import Frame, Peer
from benchmarks.printed_forms import FORMS
from benchmarks.secrets import ORDINARY, SETS, WEIGHTS, places

TEXTS = [
    place.text
    for group in (*WEIGHTS, "look_alikes")
    for one in SETS.values()
    for place in one(group)
] + [place.text for place in places(ORDINARY)]
FORM = [*FORMS.values()]
NAME = re.compile(
    r"(?i)\b[\w-]*(?:passw(?:or)?d|token|secret|api[_-]?key|access[_-]?key|_key|pwd|passphrase"
    r"|credential)s?\b"
)
NAMES = (
    *("token", "access_token", "accessToken", "AUTH_TOKEN", "tokens", "token2", "tokenValue"),
    *("apiKey", "api_key", "API_KEY", "APIKEY", "apiKeys", "x-api-key", "stripeKey", "privateKey"),
    *("secret", "clientSecret", "client_secret_value", "secret_key_base", "secretAccessKey"),
    *("password", "passwd", "pwd", "pass", "PGPASSWORD", "db_pw", "Pw", "userPass", "passphrase"),
    *("credentials", "authorization", "Set-Cookie", "cookie", "jwt", "PAT", "psk", "totp", "pin"),
    *("key", "seed", "salt", "hmac", "mnemonic", "seed phrase", "auth_code", "code_verifier"),
    *("-p", "--password", "mot de passe", "IDENTIFIED BY", "device_code", "signing_key"),
)
SIGNS = (
    *("\n", "\r\n", "\t", " ", '"', "'", "`", "\\", "[", "]", "{", "}", "(", ")", "<", ">", "|"),
    *(":", "=", "=>", "->", ",", "%", "&", "$", "#", "@", "/", "\0", "\x1b[1m", "\xe9", "\uff1a"),
    "redacted-secret-1",
)
COUNT = 25  # texts of a seed


class Texts:
    """Makes texts from a seed."""

    def __init__(self, seed):
        self.dice = Random(seed)

    def text(self):
        """Return a place with other names, as it may have been printed."""
        text = NAME.sub(lambda _: self.dice.choice(NAMES), self.dice.choice(TEXTS))
        return self.dice.choice(FORM)(text) if self.dice.random() < 0.5 else text

    def broken(self):
        """Return one with signs and pieces of others where they do not belong."""
        text = self.text()
        for _ in range(self.dice.choice((1, 2, 4))):
            start = self.dice.randrange(len(text) + 1)
            end = start + self.dice.choice((0, 0, 1, 5, 20))
            more = ("", self.dice.choice(SIGNS), self.dice.choice(NAMES), self.text()[:80])
            text = text[:start] + self.dice.choice(more) + text[end:]
        return text

    def records(self):
        """Return one in two records, as it was streamed or written to standard error."""
        text = self.broken()
        cut = self.dice.randrange(len(text) + 1)
        kind = self.dice.choice(("agent_message_chunk", "tool_call_update"))
        for seq, part in enumerate((text[:cut], text[cut:]), 1):
            if kind == "tool_call_update" and self.dice.random() < 0.5:
                yield Stderr(seq / 10, part.encode(errors="surrogatepass") + b"\n")
            else:
                what = {"sessionUpdate": kind, "toolCallId": "c", "content": {"text": part}}
                yield Frame(seq, seq / 10, Peer.AGENT, self.line({"params": {"update": what}}))

    def line(self, message):
        """Return a message as a line."""
        text = json.dumps(message, ensure_ascii=self.dice.random() < 0.5)
        return text.encode(errors="surrogatepass") + b"\n"


def redacted(records):
    redactor = Redactor()
    redactor.learn_all(records)
    return [redactor.record(record) for record in records]


@pytest.mark.parametrize("seed", effort.some_of(range(20), 0))
def test_a_second_run_changes_nothing(seed):
    texts = Texts(seed)
    for _ in range(COUNT):
        once = redacted([*texts.records()])
        assert [record.raw for record in redacted(once)] == [record.raw for record in once]


@pytest.mark.parametrize("seed", effort.some_of(range(20), 0))
def test_the_prefilter_hides_nothing(seed, monkeypatch):
    texts = Texts(seed)
    raws = [
        texts.line({"text": texts.text()})
        if at % 2
        else texts.text().encode(errors="surrogatepass")
        for at in range(COUNT)
    ]
    found = [Finder().find(raw) for raw in raws]
    monkeypatch.setattr(finder, "shapes_in", lambda *_: [*SHAPES])
    for raw, as_usual in zip(raws, found, strict=True):
        thorough = Finder()
        thorough._prefilter.keywords_in = lambda _: frozenset((b"password",))
        places = [(each.start, each.end) for each in thorough.find(raw)]
        assert [(each.start, each.end) for each in as_usual] == places, raw
