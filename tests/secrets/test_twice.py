"""
Redacting twice changes nothing, and `--check` agrees, whatever a capture has in whichever form.

Conversations are put together at random from the places of all sets that recall is measured with,
as programs print them.
"""

import json
import random
import string

import pytest
from support import effort
from support.keys import spelled_out

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header, Stderr
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer
from benchmarks.printed_forms import FORMS, LINE_FORMS
from benchmarks.secrets import SETS, WEIGHTS

PLACES = [place for group in WEIGHTS for one in SETS.values() for place in one(group)]
PIECES = (3, 7, 20, 60)  # characters of a chunk
MOST_PIECES = 40


def update(kind, **fields):
    what = {"sessionUpdate": kind, **fields}
    return {"method": "session/update", "params": {"sessionId": "s", "update": what}}


class Conversation:
    """Records that are made from a seed."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.records = []
        for _ in range(self.dice.choice((1, 2, 4))):
            self.dice.choice(
                (self.prompt, self.chunks, self.call, self.polls, self.stderr, self.meta)
            )()

    def text(self):
        """Return a place with secrets as it was printed, in lines and then as a whole."""
        text = self.dice.choice(PLACES).text
        for forms in (LINE_FORMS, FORMS):
            if self.dice.random() < 0.5:
                text = self.dice.choice([*forms.values()])(text)
        return text

    def send(self, sender, message):
        seq = len(self.records) + 1
        raw = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=self.dice.random() < 0.5)
        line = raw.encode(errors="surrogatepass") + b"\n"
        self.records.append(Frame(seq, seq / 10, sender, line))

    def prompt(self):
        params = {"sessionId": "s", "prompt": [{"type": "text", "text": self.text()}]}
        self.send(Peer.CLIENT, {"id": 1, "method": "session/prompt", "params": params})

    def chunks(self):
        text = self.text()
        for _ in range(MOST_PIECES):
            size = self.dice.choice(PIECES)
            self.send(Peer.AGENT, update("agent_message_chunk", content={"text": text[:size]}))
            text = text[size:]

    def call(self):
        call = f"call-{len(self.records)}"
        command = self.text()
        self.send(
            Peer.AGENT,
            update("tool_call", toolCallId=call, title="x", rawInput={"command": command}),
        )
        output = self.dice.choice((self.text(), f"$ {command}\n", f"$ {command}\n{self.text()}"))
        output = {"stdout": output}
        self.send(Peer.AGENT, update("tool_call_update", toolCallId=call, rawOutput=output))

    def polls(self):
        text = f"$ run\n{self.text()}\n"
        for end in sorted(self.dice.randrange(len(text)) for _ in range(4)):
            self.send(Peer.CLIENT, {"id": len(self.records), "result": {"output": text[:end]}})
        self.send(Peer.CLIENT, {"id": len(self.records), "result": {"output": text}})

    def stderr(self):
        for line in self.text().encode(errors="replace").split(b"\n"):
            at = (len(self.records) + 1) / 10
            self.records.append(Stderr(at, line + b"\n"))

    def meta(self):
        result = {"_meta": {self.text()[:60]: self.text()}, "stopReason": "end_turn"}
        self.send(Peer.AGENT, {"id": 1, "result": result})


def redacted(records, **options):
    redactor = Redactor(**options)
    redactor.learn_all(records)
    return [redactor.record(record) for record in records]


def raws(records):
    return [record.raw for record in records]


@pytest.mark.parametrize("seed", effort.some_of(range(50), *range(6)))
def test_a_second_run_changes_nothing_and_check_agrees(seed, tmp_path):
    records = Conversation(seed).records
    masked = redacted(records)
    assert raws(redacted(masked)) == raws(masked)
    path = tmp_path / "c.jsonl"
    path.write_bytes(encode([Header(), *masked]))
    assert list(secrets_in_file(str(path), Redactor())) == []
    path.write_bytes(encode([Header(), *records]))
    is_reported = any(True for _ in secrets_in_file(str(path), Redactor()))
    assert is_reported == (raws(masked) != raws(records))


@pytest.mark.parametrize("before", ["", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n"])
def test_a_private_key_that_came_line_by_line_is_masked_once(before):
    letters = string.ascii_letters + string.digits + "+/"
    body = "\n".join("".join(random.Random(at).choices(letters, k=64)) for at in range(26))
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{before}{body}\n-----END RSA PRIVATE KEY-----\n"
    records = [Stderr(at / 10, line) for at, line in enumerate(text.encode().splitlines(True))]
    masked = redacted(records)
    assert raws(redacted(masked)) == raws(masked)
    assert not set(text.split("\n")[1:-2]) & {raw.decode().strip() for raw in raws(masked)} - {""}


@pytest.mark.parametrize(
    "option", [{"names": ["text"]}, {"pointers": ["/params/update/content/text"]}]
)
@pytest.mark.parametrize("kinds", [{"homes": True, "users": False}, {"homes": True, "users": True}])
def test_a_name_that_is_split_is_a_part_of_what_is_masked_as_a_whole(option, kinds):
    conversation = Conversation(0)
    conversation.records.clear()
    for text in ("In /home/ma", "rcus/proj I see"):
        conversation.send(Peer.AGENT, update("agent_message_chunk", content={"text": text}))
    masked = redacted(conversation.records, **option, persons=Persons(**kinds))
    assert [b'"redacted-value-%d"' % number in masked[number - 1].raw for number in (1, 2)] == [
        True,
        True,
    ]
    assert raws(redacted(masked, **option, persons=Persons(**kinds))) == raws(masked)


KEYS = [spelled_out(form) for form in ("ghp_<36>", "sk-ant-api03-<95>", "npm_<36>", "AIza<35>")]
COMMIT = "fc3832cc31a72f6421f64ee9bd453abf694b927b"


@pytest.mark.parametrize("between", [" ", ": ", "=", ", ", "\n", "  ", " is used in commit "])
@pytest.mark.parametrize("before", ["C:\\t\\", "\\", "/^\\", "dir C:\\tokens\\"])
def test_a_placeholder_after_a_backslash_is_no_escape(before, between):
    for key in KEYS:
        once = Redactor().text(f"{before}{key}{between}{COMMIT}")
        assert once.startswith(f"{before}redacted-")
        assert Redactor().text(once) == once


@pytest.mark.parametrize(
    "prefix", ["web-1  | ", "web-1  | config/prod.env:2:", "  2\N{RIGHTWARDS ARROW}"]
)
def test_what_is_before_the_lines_of_a_masked_key_that_was_cut_stays(prefix):
    key = spelled_out("<64>\n<64>")
    lines = ["-----BEGIN OPENSSH PRIVATE KEY-----", *key.splitlines()]
    once = Redactor().text("\n".join(prefix + line for line in lines))
    assert not set(key.splitlines()) & set(once.split())
    assert Redactor().text(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=note: oKUDzSpdj7VPn2qL",
        "client_secret=old pw sunshine42 -> moonlight77",
        'api_token = "Pass word1" -> "moonlight77"',
        'api_token = "Pass word1" if x else "moonlight77"',
        'api_token = x ? "Pass word1" : "moonlight77"',
        "api_token: `old pw sunshine42` → `14dqyl3uqts2F3BFuDF5`",
    ],
)
def test_a_text_with_a_placeholder_in_it_is_no_more_a_secret_than_before(text):
    once = Redactor().text(text)
    assert "redacted-" in once
    assert Redactor().text(once) == once


def test_a_change_that_is_split_over_chunks_is_masked_once():
    conversation = Conversation(0)
    conversation.records.clear()
    for text in ('password = "chang', 'eme" -> "qZ8kZxK1xQNNjkzZ"\n'):
        conversation.send(Peer.AGENT, update("agent_message_chunk", content={"text": text}))
    masked = redacted(conversation.records)
    assert b"qZ8kZxK1xQNNjkzZ" not in masked[1].raw
    assert raws(redacted(masked)) == raws(masked)


def test_the_numbers_of_a_color_are_no_part_of_a_secret():
    conversation = Conversation(0)
    conversation.records.clear()
    colored = "\x1b[32mcgwCdXSE72ZBMZYL8yOb9\x1b[0m"
    conversation.send(Peer.CLIENT, {"method": "any", "params": {"headers": {"X-A": colored}}})
    conversation.records.append(Stderr(0.2, f"DB_PASSWORD={colored}\n".encode()))
    masked = redacted(conversation.records)
    assert masked[1].raw == b"DB_PASSWORD=\x1b[32mredacted-variable-1\x1b[0m\n"
    assert raws(redacted(masked)) == raws(masked)


@pytest.mark.parametrize("between", ["a1b2", "NniwQ", "see", "42"])
def test_a_placeholder_between_blocks_is_no_key(between):
    key, token = map(spelled_out, ("sk-<48>", "<24>"))
    server = {"name": "x", "command": "y", "env": [{"name": "API_TOKEN", "value": token}]}
    conversation = Conversation(0)
    conversation.records.clear()
    conversation.send(Peer.CLIENT, {"method": "session/new", "params": {"mcpServers": [server]}})
    blocks = [{"type": "text", "text": text} for text in (key, between, token)]
    conversation.send(Peer.CLIENT, {"method": "session/prompt", "params": {"prompt": blocks}})
    masked = redacted(conversation.records)
    texts = [block["text"] for block in json.loads(masked[1].raw)["params"]["prompt"]]
    assert texts == ["redacted-sk-key-1", between, "redacted-env-1"]
    assert raws(redacted(masked)) == raws(masked)


@pytest.mark.parametrize("behind", ["1MlX8V", "x9Kq2"])
def test_a_placeholder_with_more_behind_it_is_no_key_with_the_next_text(behind):
    """`secret-` and letters is what keys of Statsig look like."""
    secret = "k5DB4fb291fd-a60c-bfa3-6907-e031cfbb38a6"
    conversation = Conversation(0)
    conversation.records.clear()
    conversation.send(Peer.CLIENT, {"method": "authenticate", "params": {"apiKey": secret}})
    texts = [secret[4:] + behind, spelled_out("<48>")]
    conversation.send(Peer.AGENT, {"method": "x/y", "params": {"list": texts}})
    masked = redacted(conversation.records)
    assert secret[4:].encode() not in masked[-1].raw
    assert raws(redacted(masked)) == raws(masked)


@pytest.mark.parametrize("name", ["password", "databaseUrl"])
@pytest.mark.parametrize(
    "text",
    [
        "mysql -uroot -p{} shopdb2 < dump.sql",
        "7z x -p{} backup2.7z",
        "tool --x-{} release-2024",
        "java -D{}=release2024",
        "$ echo '{}' | base64 -d\nrelease 2024\n",
        "$ cat /run/{}\nrelease2024\n",
        "$ printenv {}\nrelease2024\n",
    ],
)
def test_a_placeholder_is_no_name_of_a_secret(name, text):
    """Many kinds of secrets have the name of one: `redacted-url-password-1`."""
    password = "tR7wK2mQ9xLp"
    values = {"password": password, "databaseUrl": f"mysql://root:{password}@db/shop"}
    conversation = Conversation(0)
    conversation.records.clear()
    conversation.send(Peer.CLIENT, {"method": "any", "params": {name: values[name]}})
    content = {"type": "text", "text": text.format(password)}
    conversation.send(Peer.AGENT, update("agent_message_chunk", content=content))
    masked = redacted(conversation.records)
    assert password.encode() not in masked[1].raw
    assert raws(redacted(masked)) == raws(masked)


@pytest.mark.parametrize("below", ["4f2a9c1e fix login", "http://h/Yx9?a=1"])
def test_what_is_below_an_authorization_is_no_part_of_it(below):
    conversation = Conversation(0)
    conversation.records.clear()
    title = "curl -H Authorization:id=1&sig=NcyaekorWz1336JP2HiGGl"
    content = [{"type": "content", "content": {"type": "text", "text": below}}]
    conversation.send(Peer.AGENT, update("tool_call", toolCallId="t", title=title, content=content))
    masked = redacted(conversation.records)
    assert below.encode() in masked[0].raw
    assert raws(redacted(masked)) == raws(masked)


HIDING = "#8.C&qV*t*k$:-8nI0[,1I|j"  # signs that end a word: what is around them is no URL
HIDDEN = "c7c7CceZQQN6NB7YkugK95yUzpX0ObjyPFIoPmZX"


@pytest.mark.parametrize(
    "text",
    [
        f"git push {HIDING}://{HIDING}:{HIDDEN}@github.com/x/y.git",
        f"credentials: {HIDING} {HIDDEN}",
        f"htpasswd -bB /etc/nginx/.htpasswd {HIDING} {HIDDEN}",
        f"curl -u {HIDING}:{HIDDEN} https://x.example",
    ],
)
def test_what_a_copy_hides_is_found_in_the_first_run_and_so_are_its_copies(text):
    servers = [{"name": "x", "env": [{"name": "DB_PASSWORD", "value": HIDING}]}]
    conversation = Conversation(0)
    conversation.records.clear()
    params = {"cwd": "/", "mcpServers": servers}
    conversation.send(Peer.CLIENT, {"id": 1, "method": "session/new", "params": params})
    for said in (f"saw {HIDDEN} before", text):
        conversation.send(Peer.AGENT, update("agent_message_chunk", content={"text": said}))
        conversation.send(Peer.AGENT, {"id": 1, "result": {"stopReason": "end_turn"}})
    masked = redacted(conversation.records)
    assert HIDDEN.encode() not in b"".join(raws(masked))
    assert all(record.redacted for record in masked if b"redacted-" in record.raw)
    assert raws(redacted(masked)) == raws(masked)
