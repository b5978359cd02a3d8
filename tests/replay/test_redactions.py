"""A redacted capture, played: what is not known is passed over, and told once."""

import json

import msgspec
import pytest
from fuzz.loop import LONGEST, limit
from support.replays import Play, capture_of

from acp_spy import Frame, Peer
from acp_spy.replay.divergence import explain_note
from acp_spy.replay.options import Options
from acp_spy.replay.redactions import may_be
from acp_spy.replay.script import Script

ROOT, ANN = "/root", "ann"

HINT = (
    "  hint: to get the original value, replay the capture before redaction,"
    " or record without `--redact`\n"
)
PROMPT = (
    '{"id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":'
    '[{"type":"text","text":"%s"},{"type":"text","text":"%s"}]}}'
)


def script_of(transcript, places, role=Peer.AGENT) -> Script:
    """Return a script in which the frames were redacted at `places`, by number."""
    capture = capture_of(transcript)
    records = [
        msgspec.structs.replace(record, redacted=places.get(record.seq, ()))
        if isinstance(record, Frame)
        else record
        for record in capture.records
    ]
    return Script.of(msgspec.structs.replace(capture, records=tuple(records)), role, "run.jsonl")


def seen_text(done) -> list[str]:
    assert done.player.divergences == []
    return [explain_note(note) for note in done.player.reported]


@pytest.mark.parametrize("match", [(), ("params",), ("exact",)])
def test_a_redacted_place_is_not_compared_and_told(match):
    asked = '{"jsonrpc":"2.0","id":0,"method":"authenticate","params":{"token":"%s","name":"%s"}}'
    answer = '<- {"jsonrpc":"2.0","id":0,"result":{}}'
    script = script_of(f"-> {asked % ('redacted-login-1', 'a')}\n{answer}", {1: ("/params/token",)})
    done = Play(script, Options(match=match)).hear((asked % ("secret", "a")).encode())
    assert seen_text(done) == [
        "frame 1, `authenticate`, is redacted, so it was not compared at /params/token\n" + HINT
    ]
    done = Play(script, Options(match=("params",))).hear((asked % ("secret", "b")).encode())
    assert [each.path for each in done.player.divergences[0].differences] == ["/params/name"]


def test_each_place_is_told_once_and_how_to_have_the_original_once():
    talk = "".join(
        f"""
        -> {PROMPT % (number, "redacted-key-1", "redacted-key-2")}
        <- {{"id":{number},"result":{{}}}}
        """
        for number in range(3)
    )
    one, other = "/params/prompt/0/text", "/params/prompt/1/text"
    done = Play(script_of(talk, {1: (one,), 3: (one, other), 5: (one, other)}))
    for number in range(3):
        words = ("x", "redacted-key-2") if not number else ("x", "y")
        done.hear((PROMPT % (number, *words)).encode())
    assert seen_text(done) == [
        f"frame 1, `session/prompt`, is redacted, so it was not compared at {one}\n{HINT}",
        f"frame 3, `session/prompt`, is redacted, so it was not compared at {other}\n",
    ]


@pytest.mark.parametrize(
    ("recorded", "live", "fits"),
    [
        ("redacted-github-token-1", "anything", True),
        ("redacted-github-token-1", "", False),
        ("use redacted-env-1, please", "use k3y, please", True),
        ("use redacted-env-1, please", "use , please", False),
        ("use redacted-env-1, please", "use k3y now, please", True),
        ("use redacted-env-1, please", "something else altogether", False),
        ("redacted-env-1 and redacted-env-2", "a and b and c", True),
        ("redacted-env-1 and redacted-env-2", "a or b", False),
        ("redacted-env-1 redacted-env-2", "a b", True),
        ("redacted-env-1 redacted-env-2", "ab", False),
        ("x redacted-env-1 x", "x x", False),
        (" and redacted-env-1 end", "4Rb8Tm3Yc and k3y end", True),  # a secret began before it
        (" and redacted-env-1 end", "4Rb8Tm3Yc, and k3y end", True),
        (" and redacted-env-1 end", "not this and k3y end", False),
        ("deleted /home/dev/a", f"undeleted /Users/{ANN}/a", False),
        ("\n-----END redacted-env-1", "MIIB+/\nAQ==\n-----END k3y", True),
        ("in /home/dev/project", f"in {ROOT}/project", True),
        ("in /home/dev2/project", f"in /Users/{ANN}/project", True),
        ("in /home/dev/project", f"in {ROOT}/other", False),
        (r"C:\Users\dev\a", r"C:\Users\ann\a", True),
        ("ask dev or develop", "ask ann or develop", True),
        ("ask dev or develop", "ask ann or ann", False),
        ("blacked out by hand", "whatever", True),
        ("redacted-env-1 €", "k3y €", True),
        (0, 12.5, True),
        (0, "12", False),
        ("redacted-env-1", 5, False),
    ],
)
def test_anything_may_stand_where_a_placeholder_does_and_nothing_else_around_it(
    recorded, live, fits
):
    assert may_be(recorded, live) == fits


def test_many_placeholders_in_a_long_text_take_no_long_time():
    recorded = "/home/dev/a " * 20_000
    assert may_be(recorded, recorded.replace("/home/dev", "/home/ann"))
    assert not may_be(recorded, recorded.replace("/home/dev", "/home/ann") + "!")


def test_one_redacted_word_does_not_free_the_whole_prompt():
    talk = f"-> {PROMPT % (0, 'push with redacted-github-token-1', 'x')}"
    script = script_of(talk, {1: ("/params/prompt/0/text",)})
    for match in ("params",), ("prompt",), ("exact",):
        done = Play(script, Options(match=match)).hear(
            (PROMPT % (0, "push with k3y", "x")).encode()
        )
        assert done.player.divergences == []
        done = Play(script, Options(match=match)).hear((PROMPT % (0, "do not push", "x")).encode())
        assert [each.kind for each in done.player.divergences] == ["differs from the recording"]


def test_the_text_of_a_prompt_is_compared_without_what_is_redacted():
    talk = f'-> {PROMPT % (0, "redacted-key-1", "please")}\n<- {{"id":0,"result":{{}}}}'
    script = script_of(talk, {1: ("/params/prompt/0/text",)})
    done = Play(script, Options(match=("prompt",))).hear((PROMPT % (0, "k3y", "please")).encode())
    assert len(seen_text(done)) == 1
    done = Play(script, Options(match=("prompt",))).hear((PROMPT % (0, "k3y", "now")).encode())
    assert [(each.recorded, each.live) for each in done.player.divergences[0].differences] == [
        ("please", "now")
    ]


def test_a_line_that_is_redacted_somewhere_is_not_compared_at_all():
    """Places are named in messages only; a line of a log has none."""
    script = script_of("-> key is redacted-key-1", {1: ("",)})
    for match in (), ("exact",):
        assert seen_text(Play(script, Options(match=match)).hear(b"key is k3y\n")) == [
            "frame 1, a line that is not JSON, is redacted, so it was not compared\n" + HINT
        ]


def test_what_the_live_side_is_sent_with_a_placeholder_is_told():
    talk = """
        -> {"id":0,"method":"session/new","params":{"cwd":"/a","mcpServers":[{"env":[{"name":"K","value":"redacted-env-1"}]}]}}
        <- {"id":0,"result":{"sessionId":"s"}}
        <- {"method":"session/update","params":{"sessionId":"s","update":"redacted-env-1"}}
        -> {"id":1,"method":"session/new","params":{"cwd":"/a","mcpServers":[{"env":[{"name":"K","value":"redacted-env-1"}]}]}}
    """
    place = "/params/mcpServers/0/env/0/value"
    script = script_of(talk, {1: (place,), 3: ("/params/update",), 4: (place,)}, Peer.CLIENT)
    done = Play(script).hear(
        b'{"id":0,"result":{"sessionId":"s"}}\n',
        b'{"method":"session/update","params":{"sessionId":"s","update":"k3y"}}\n',
    )
    assert [json.loads(raw)["id"] for raw in done.wire] == [0, 1]
    assert seen_text(done) == [
        f"frame 1, `session/new`, is redacted, so a placeholder was sent at {place}\n{HINT}"
    ]


def test_names_and_folders_of_today_are_no_placeholders():
    talk = """
        -> {"id":0,"method":"session/load","params":{"cwd":"/home/dev/p","sessionId":"redacted-secret-1","x":"/home/dev/q"}}
    """
    places = ("/params/cwd", "/params/sessionId", "/params/x")
    script = script_of(talk, {1: places}, Peer.CLIENT)
    (note,) = seen_text(Play(script, cwd="/here"))
    assert note.startswith(
        "frame 1, `session/load`, is redacted, so a placeholder was sent at /params/x\n"
    )


def test_what_may_differ_anyway_need_not_be_known():
    talk = """
        -> {"id":0,"method":"session/list"}
        <- {"id":0,"result":{"sessions":[{"title":"redacted-key-1"}]}}
    """
    answer = b'{"id":0,"result":{"sessions":[{"title":"k3y"}]}}\n'
    place = "/result/sessions/0/title"
    for expect, notes in ("shape", 0), ("exact", 1):
        script = script_of(talk, {2: (place,)}, Peer.CLIENT)
        assert len(seen_text(Play(script, Options(expect=expect)).hear(answer))) == notes


def test_many_redacted_places_in_one_message_are_found_and_compared_in_one_pass():
    """One pass for each would take minutes."""
    many = range(8_000)
    places = tuple(f"/{part}/list/{number}" for part in ("params", "result") for number in many)

    def numbered(word):
        return json.dumps({"list": [word % number for number in many]})

    asked = '{"id":0,"method":"_x","params":%s}'
    answer = f'{{"id":0,"result":{numbered("redacted-key-%d")}}}'
    script = script_of(
        f"-> {asked % numbered('redacted-key-%d')}\n<- {answer}",
        {1: places[:8_000], 2: places[8_000:]},
    )
    with limit(LONGEST):
        done = Play(script, Options(match=("params",))).hear((asked % numbered("k%d")).encode())
    assert done.wire == [answer.encode() + b"\n"]
    assert [note.partition(" at ")[0] for note in seen_text(done)] == [
        "frame 1, `_x`, is redacted, so it was not compared",
        "frame 2, the response to `_x`, is redacted, so a placeholder was sent",
    ]
