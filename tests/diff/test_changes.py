"""Each kind of change is reported once, and what is no change is not."""

import msgspec
import pytest
from support.conversations import TALK, says, update

from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.comparison.capture_diff import diff_captures
from acp_spy.comparison.read import read_capture
from acp_spy.wire.frame import Frame, Peer

LINES = TALK.split("\n")


def diff(one, other):
    sides = ("\n".join(side) if isinstance(side, list) else side for side in (one, other))
    return diff_captures(*(read_capture("x", [Header(), *parse(side)]) for side in sides))


def said(one, other):
    """Return what changed, with the frames and the places that differ."""
    return [
        (
            change.kind,
            change.one and change.one.seq,
            change.other and change.other.seq,
            [(each.path, each.recorded, each.live) for each in change.differences],
        )
        for change in diff(one, other).said.changes
    ]


def replaced(old, new):
    assert TALK.count(old) == 1
    return TALK.replace(old, new)


def test_a_value_that_is_another():
    place = "/params/update/title"
    assert said(TALK, replaced("Run pytest", "Run make")) == [
        ("changed", 9, 9, [(place, "Run pytest", "Run make")])
    ]


def test_a_frame_more_and_a_frame_less():
    plan = update("plan", entries=[])
    longer = [*LINES[:9], plan, *LINES[9:]]
    assert said(LINES, longer) == [("added", None, 6, [])]
    assert said(longer, LINES) == [("gone", 6, None, [])]


def test_a_frame_in_another_place():
    plan = update("plan", entries=[])
    usage = update("usage_update", used=1, size=2)
    at = LINES.index(says("All "))
    one, other = ([*LINES[:at], *pair, *LINES[at:]] for pair in ((plan, usage), (usage, plan)))
    assert [change[0] for change in said(one, other)] == ["moved"]


def test_the_pieces_of_a_text_do_not_count():
    pieces = [says(word) for word in ("All ", "twelve ", "tests ", "pass ", "now.")]
    at = LINES.index(pieces[0])
    whole = [*LINES[:at], says("All twelve tests pass now."), *LINES[at + 5 :]]
    assert diff(LINES, whole).is_equal
    other = [*LINES[:at], says("All eleven tests pass now."), *LINES[at + 5 :]]
    assert said(LINES, other) == [
        (
            "changed",
            14,
            14,
            [
                (
                    "/params/update/content/text",
                    "All twelve tests pass now.",
                    "All eleven tests pass now.",
                )
            ],
        )
    ]


def test_an_update_of_another_tool_call_is_a_change():
    call = update("tool_call", toolCallId="c-2", title="Other", kind="read", status="pending")
    at = LINES.index(says("All "))
    done = [update("tool_call_update", toolCallId=name, title="x") for name in ("c-1", "c-2")]
    one, other = ([*LINES[:at], call, each, *LINES[at:]] for each in done)
    assert said(one, other) == [
        (
            "changed",
            15,
            15,
            [("/params/update/toolCallId", "<tool call 1>", "<tool call 2>")],
        )
    ]


def test_a_tool_call_more_does_not_make_the_next_ones_others():
    call = [
        update("tool_call", toolCallId="c-0", title="Other", kind="read", status="pending"),
        update("tool_call_update", toolCallId="c-0", status="in_progress"),
        update("tool_call_update", toolCallId="c-0", status="completed"),
    ]
    at = LINES.index(says("that", "agent_thought_chunk")) + 1
    assert [change[0] for change in said(LINES, [*LINES[:at], *call, *LINES[at:]])] == ["added"] * 3


def session(number, text):
    """Return the frames of a session with one turn, the client's and the agent's."""
    name, ask, prompt = f"s-{number}", 10 * number, 10 * number + 1
    return [
        f'-> {{"jsonrpc":"2.0","id":{ask},"method":"session/new","params":{{"cwd":"/w/{number}","mcpServers":[]}}}}',
        f'<- {{"jsonrpc":"2.0","id":{ask},"result":{{"sessionId":"{name}"}}}}',
        f'-> {{"jsonrpc":"2.0","id":{prompt},"method":"session/prompt","params":{{"sessionId":"{name}","prompt":[{{"type":"text","text":"{text}"}}]}}}}',
        says(f"{text}!").replace("s-1", name),
        f'<- {{"jsonrpc":"2.0","id":{prompt},"result":{{"stopReason":"end_turn"}}}}',
    ]


def test_how_sessions_interleave_is_no_change():
    one, two = session(1, "Hi"), session(2, "Ho")
    mixed = [line for pair in zip(two, one, strict=True) for line in pair]
    assert diff([*LINES[:4], *one, *two], [*LINES[:4], *mixed]).is_equal


def test_a_session_more_is_added_whole():
    one, two = session(1, "Hi"), session(2, "Ho")
    comparison = diff([*LINES[:4], *two], [*LINES[:4], *one, *two])
    assert comparison.said.sessions == (("s-2", "s-2"), (None, "s-1"))
    assert [(c.kind, c.session) for c in comparison.said.changes] == [("added", 2)] * 5


def test_times_and_stderr_do_not_count():
    slower = replaced("@ 0.4", "@ 0.9").replace("!! warming up\n", "!! x\n!! y\n")
    comparison = diff(TALK, slower)
    assert comparison.is_equal
    latency = comparison.latencies[0]
    assert (latency.method, latency.one.latency.p50, latency.other.latency.p50) == (
        "initialize",
        0.4,
        0.9,
    )


def test_the_end_counts():
    comparison = diff(TALK, replaced("== 0", "== 3"))
    assert (comparison.is_equal, comparison.ends_differ) == (False, True)
    assert comparison.said.changes == ()
    assert diff(TALK, TALK.replace("\n== 0", "")).ends_differ


def test_noise_is_compared_with_noise():
    assert said(TALK, replaced("[info] bye", "[info] see you")) == [
        ("changed", 21, 21, [("", "[info] bye", "[info] see you")])
    ]


def test_findings_come_and_go():
    mended = replaced('"dancing"', '"pending"')
    there, back = diff(TALK, mended), diff(mended, TALK)
    assert [m.first.code for m in there.went] == [m.first.code for m in back.came] == ["SCH025"]
    assert there.came == back.went == ()


def test_a_request_that_is_withdrawn_is_known_by_its_method():
    cancel = '-> {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}'
    one = [*LINES[:-2], cancel % 3]
    other = [*TALK.replace('"id":3', '"id":"z"').split("\n")[:-2], cancel % '"z"']
    assert said(one, other) == []


def test_what_cannot_be_decoded_is_compared_as_text():
    deep = '<- {"jsonrpc":"2.0","method":"x","params":%s1%s}'
    one = deep % ("[" * 500, "]" * 500)
    assert said(one, one) == []
    assert [change[0] for change in said(one, one.replace("1]", "2]"))] == ["changed"]


@pytest.mark.long
def test_many_ids_in_a_text_and_many_redacted_chunks_are_no_burden():
    """To copy what was before each of them would take minutes."""
    ids = " ".join(f"{number:08x}-0000-4000-8000-{number:012x}" for number in range(60_000))
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": f"\U0001f600 {ids}"}]}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}
    frames = [Frame(1, 0.1, Peer.CLIENT, msgspec.json.encode(asked) + b"\n")]
    content = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}
    chunk = {"method": "session/update", "params": {"sessionId": "s", "update": content}}
    raw = msgspec.json.encode({"jsonrpc": "2.0", **chunk}) + b"\n"
    places = tuple(f"/{number}" for number in range(200))
    frames += [Frame(seq, 0.2, Peer.AGENT, raw, places) for seq in range(2, 3_000)]
    side = read_capture("x", [Header(), *frames])
    assert not diff_captures(side, side).said.changes
