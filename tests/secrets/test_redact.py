"""`acp_spy.redact`: a capture in memory without its secrets, as the command would write it."""

import pytest
from support.in_process import acp_spy as run

from acp_spy import AcpSpyError, Capture, Frame, Header, Peer, load, redact, save

KEY = "sk-ant-api03-" + "a1B2c3D4e5" * 9 + "-xyzXYZAA"
RAW = f'{{"id":0,"method":"x","params":{{"apiKey":"{KEY}","ticket":"T-1"}}}}\n'.encode()
CAPTURE = Capture(
    Header(command=("agent", f"--token={KEY}"), cwd="/home/dev/secret-project"),
    (Frame(1, 0.0, Peer.CLIENT, RAW.replace(b"x", b"y")), Frame(2, 0.1, Peer.CLIENT, RAW)),
)


def test_it_is_what_the_command_writes(tmp_path):
    save(CAPTURE, tmp_path / "run.jsonl")
    words = ("--key", "ticket", "--home", "-o", "out.jsonl")
    _, _, status = run("redact", "run.jsonl", *words, cwd=tmp_path)
    assert status == 0
    ours = redact(CAPTURE, key="ticket", home=True)
    assert (
        ours
        == load(tmp_path / "out.jsonl")
        == redact(tmp_path / "run.jsonl", key=["ticket"], home=True)
    )
    assert ours.header.redacted
    assert b"T-1" not in ours.frames[1].raw
    assert KEY not in repr(ours)
    assert KEY in repr(CAPTURE)  # which stays as it was


def test_what_is_allowed_or_matches_is_told_as_to_the_command():
    assert KEY.encode() in redact(CAPTURE, allow="sk-ant-.*").frames[1].raw
    assert b"T-1" not in redact(CAPTURE, value=r"T-[0-9]+").frames[1].raw
    assert b"T-1" not in redact(CAPTURE, path="/params/ticket").frames[1].raw


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"value": "("}, "`(` is not a regular expression: missing ), unterminated subpattern"),
        ({"allow": ["fine", "["]}, "`[` is not a regular expression: unterminated character set"),
        ({"path": "params.ticket"}, "`params.ticket` is not a JSON Pointer"),
        ({"key": ["ticket", ""]}, "the value of `--key` is empty"),
    ],
)
def test_what_cannot_match_is_refused_as_by_the_command(options, complaint, tmp_path):
    with pytest.raises(AcpSpyError) as caught:
        redact(CAPTURE, **options)
    assert caught.value.message.startswith(complaint)
    (name, words), *_ = options.items()
    flags = [
        word
        for each in ([words] if isinstance(words, str) else words)
        for word in (f"--{name}", each)
    ]
    save(CAPTURE, tmp_path / "run.jsonl")
    told = run("redact", "run.jsonl", "-o", "out.jsonl", *flags, cwd=tmp_path)
    assert told.err == f"error: {caught.value.message}\nhint: {caught.value.hint}\n"
    assert told.status == 2
