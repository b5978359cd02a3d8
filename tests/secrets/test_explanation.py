"""What a person needs to decide in a minute: what was masked and why, and what was left."""

import pytest
from support.in_process import acp_spy
from support.keys import spelled_out

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Delivery, Disconnect, Exit, Header, HttpExchange, Stderr
from acp_spy.secrets.explanation import Explanation
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

GITHUB = spelled_out("ghp_<36>")
HOME = "/home/" + "alice"
RANDOM = "Lp5Hd8Ws2Jf6Gv9Ku3Ea"  # no part of the key


def said(text):
    return f'{{"jsonrpc":"2.0","method":"x","params":{text}}}\n'.encode()


RECORDS = [
    Header(command=("agent", "--api-key", "hunter2"), cwd=f"{HOME}/project"),
    Stderr(0.1, b"signed in with my0wnSecret77\n"),
    Frame(1, 0.2, Peer.CLIENT, said('{"env":[{"name":"A","value":"my0wnSecret77"},{"name":"B","value":"other55"}]}')),
    Frame(2, 0.3, Peer.AGENT, said(f'{{"sessionId":"{RANDOM}","a":"{RANDOM}","b":"{RANDOM[::-1]}","c":"to a.lee@example.com"}}')),
    Frame(3, 0.4, Peer.AGENT, f"\x1b[31mgot {GITHUB}\n".encode()),
    Exit(0.5, 0),
]  # fmt: skip
EXPLAINED = rf"""Masked: 5 places, 4 values
  redacted-secret-1: a value with the name of a secret, 1 place
    header at /command/2: ****
  redacted-env-1: a value in `env`, 2 places
    stderr, 0.1 s: signed in with ****
    frame 1 at /params/env/0/value: …name":"A","value":"****"}},{{"name":"B","val…
  redacted-env-2: a value in `env`, 1 place
    frame 1 at /params/env/1/value: "}},{{"name":"B","value":"****"}}]}}}}
  redacted-github-token-1: has the form of a github token, 1 place
    frame 3: \x1b[31mgot ****
Left, although it looks odd: 3 values
  {HOME}: a home folder, 1 place; add `--home` to replace it
    header, cwd
  a.lee@example.com: an e-mail address, 1 place
    frame 2 at /params/c
  {RANDOM[::-1]}: random letters and digits, 1 place
    frame 2 at /params/b
To mask one of these as well: add `--value REGEX`, or `--key NAME`
"""


@pytest.fixture
def capture(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode(RECORDS))
    return path


def test_what_was_masked_where_and_why_and_what_was_left(capture):
    assert acp_spy("redact", capture, "--explain") == (EXPLAINED, "", 0)


def test_nothing_is_written_unless_a_file_is_named(capture, tmp_path):
    new = tmp_path / "new.jsonl"
    acp_spy("redact", capture, "--explain")
    assert not new.exists()
    out, err, status = acp_spy("redact", capture, "--explain", "-o", new)
    assert (out, status) == (EXPLAINED, 0)
    assert err.startswith("redacted 5 places: 3 env, 1 github-token, 1 secret; written to ")
    out, _, _ = acp_spy("redact", new, "--explain", "--home", "--value", "a.lee@|[0-9a-zA-Z]{20}")
    assert out.splitlines()[-1] == "Left, although it looks odd: nothing"


def test_a_line_fits_on_a_screen_and_names_every_record(tmp_path):
    """Of a long pointer, the end says more."""
    key = "a_name_that_is_long" * 4
    deep = said(f'{{"{key}":{{"{key}":"{"before " * 9}{GITHUB}{" after" * 9}"}}}}')
    records = [
        Header(),
        Frame(1, 0.1, Peer.AGENT, deep),
        Delivery(1, 0.2, Peer.CLIENT, f"{HOME}/x.py", "replaced", said(f'"{GITHUB}"')),
        HttpExchange(0.3, 7, "http", "GET", f"/{GITHUB}", error=RANDOM),
        Disconnect(0.4, 7, "http", "session", "agent", reason=GITHUB),
    ]
    (tmp_path / "run.jsonl").write_bytes(encode(records))
    out = acp_spy("redact", "run.jsonl", "--explain", "-o", "new.jsonl", cwd=tmp_path).out
    assert max(map(len, out.splitlines())) <= 80
    assert out.startswith(SHORT)
    assert "\n    delivery of frame 1\n" in out  # a home folder
    assert "\n    HTTP exchange 7\n" in out


SHORT = """Masked: 4 places, 1 value
  redacted-github-token-1: has the form of a github token, 4 places
    frame 1 at …at_is_longa_name_that_is_long: …efore before **** after after a…
    delivery of frame 1 at /params: ,"method":"x","params":"****"}
    HTTP exchange 7: /****
    and 1 more
Left, although it looks odd: 2 values
"""


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--check",), "error: `--check` cannot be used with `--explain`\nhint: use one of them\n"),
        (("-o", "-"), "error: `-o -` cannot be used with `--explain`\nhint: use one of them\n"),
    ],
)
def test_what_cannot_be_used_together(capture, words, complaint):
    assert acp_spy("redact", capture, "--explain", *words) == ("", complaint, 2)


def test_ids_hashes_of_words_and_placeholders_are_not_odd(tmp_path):
    path = tmp_path / "run.jsonl"
    words = "a-long-name-of-a-class-in-a-style-sheet 0f8fad5b-d9cb-469f-a165-70867728950e"
    raw = said(
        f'{{"id":"{RANDOM}","text":"{words} redacted-github-token-1 /usr/lib/python3.11/x"}}'
    )
    path.write_bytes(encode([Header(), Frame(1, 0.1, Peer.AGENT, raw)]))
    assert acp_spy("redact", path, "--explain").out == (
        "Masked: nothing\nLeft, although it looks odd: nothing\n"
    )


def test_a_placeholder_in_a_url_is_no_address_of_mail():
    redactor = Redactor()
    explanation = Explanation(redactor)
    explanation.record(Stderr(0.1, b"postgres://admin:q7Zk2Vw9Xn4R@db.internal/shop\n"))
    assert not any("e-mail" in line for line in explanation.lines())
