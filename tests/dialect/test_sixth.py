"""A dialect is one module and an entry in a list: nothing else has to know of it."""

import subprocess
import sys
from pathlib import Path

import pytest

TALK = """\
{"type":"header","format":1}
{"type":"frame","seq":1,"t":0.1,"sender":"client","message":{"jsonrpc":"2.0","id":1,"method":"chirp","params":{"song":"hi"}}}
{"type":"frame","seq":2,"t":0.2,"sender":"agent","message":{"jsonrpc":"2.0","id":1,"result":{"echo":"hi"}}}
{"type":"frame","seq":3,"t":0.3,"sender":"client","message":{"jsonrpc":"2.0","id":2,"method":"chirp","params":{}}}
{"type":"frame","seq":4,"t":0.4,"sender":"agent","message":{"jsonrpc":"2.0","id":2,"result":{"echo":"hi"}}}
{"type":"closed","t":0.5,"sender":"client"}
{"type":"exit","t":0.6,"status":0}
"""
# What a module of its own would hold, and the line in known.py.
SIXTH = """
import sys
from acp_spy.dialect import known
from acp_spy.dialect.document import TEXT, asks, document, record
from acp_spy.dialect.declaration import Dialect, Evidence
from acp_spy.protocol import events as ev

WREN = Dialect(
    name="wren",
    title="the wren dialect",
    origin="a test",
    evidence=(Evidence(3, "`chirp`", lambda _: True, ("chirp",), calls=("chirp",)),),
    words={"chirp": "session/prompt", "song": "prompt"},
    calls={"chirp": lambda p: ev.TurnStarted(ev.ONLY_SESSION, p.get("song"))},
    answers={"chirp": lambda *_: ev.TurnEnded(ev.ONLY_SESSION, None)},
    document=document(
        "wren",
        (asks("chirp", "Song", "Echo"),),
        {"Song": record({"song": TEXT}), "Echo": record({"echo": TEXT})},
    ),
)
known.DIALECTS += (WREN,)

from acp_spy.cli import entry
sys.exit(entry.run(sys.argv[1:]))
"""


@pytest.fixture
def check(tmp_path):
    Path(tmp_path / "talk.jsonl").write_text(TALK)

    def run(*words):
        command = [
            sys.executable,
            "-c",
            SIXTH,
            "check",
            "talk.jsonl",
            "--format",
            "concise",
            *words,
        ]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        return done.stdout, done.stderr, done.returncode

    return run


def test_a_sixth_is_recognized(check):
    out, err, status = check()
    assert out == (
        "talk.jsonl:2: error DIA001 the client uses the wren dialect (wren), not official ACP;"
        " seen: `chirp` (frame 1) (client must fix, frame 1, 2 times, also in frame 3)\n"
    )
    assert (err, status) == ("", 1)


def test_and_can_be_judged_by(check):
    out, err, status = check("--dialect", "wren")
    assert out == (
        "talk.jsonl:4: error DIA003 `song` is missing in `params`, per a test"
        " (client must fix, frame 3)\n"
    )
    assert (err, status) == ("", 1)


def test_and_is_named_among_the_choices(check):
    _, err, status = check("--dialect", "robin")
    assert "`acpex`, `wren`" in err
    assert status == 2
