"""What a person, a script or a fault did to frames: it is named, and no peer is blamed for it."""

import json

import pytest
from support.diagnoses import AGAIN, ASKS_NEW, LEAVES, ask, fails
from support.in_process import acp_spy

from acp_spy.capture.codec import encode
from acp_spy.capture.delivered import on_side
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.conversation.tracker import Tracker
from acp_spy.diagnosis.changed_traffic import ChangedTraffic
from acp_spy.diagnosis.diagnosing_checker import DiagnosingChecker
from acp_spy.lint.rules.lifecycle._examples import (
    CANCEL,
    CANCELLED,
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
)
from acp_spy.lint.ruleset import ALL_RULES
from acp_spy.view.pending import pending_at_end, pending_so_far
from acp_spy.view.stats.collect import collect
from acp_spy.view.timeline import Timeline
from acp_spy.wire.frame import Peer

SIDES = ("sent", "delivered")
OPENED = f"{HANDSHAKE}\n{NEW_SESSION}"
OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]
ASKS = ask(0, "session/request_permission", toolCall={"toolCallId": "c1"}, options=OPTIONS)
READS = ask(0, "fs/read_text_file", path="/home/dev/project/a")
LISTS = '{"jsonrpc": "2.0", "id": "acp-spy-1", "method": "session/list", "params": {}}'
ERROR = fails(2, "Oops")[3:]
ENDED = END_TURN[3:]
ENDED_AGAIN = END_TURN.replace('"id": 2', '"id": 3')


def _tool(update, status, **fields):
    update = {"sessionUpdate": update, "toolCallId": "c1", "status": status, **fields}
    params = {"sessionId": "s1", "update": update}
    return f"<- {json.dumps({'jsonrpc': '2.0', 'method': 'session/update', 'params': params})}"


def _chosen(option):
    outcome = {"outcome": "selected", "optionId": option}
    return json.dumps({"jsonrpc": "2.0", "id": 0, "result": {"outcome": outcome}})


TOOL = _tool("tool_call", "pending", title="Run make", kind="execute")
RUNS, DONE = _tool("tool_call_update", "in_progress"), _tool("tool_call_update", "completed")
FAILED = _tool("tool_call_update", "failed")

# By name: the conversation and its time if it is running, the kind, and words of the diagnosis.
CASES = {
    "response dropped": (
        [PROMPT, CHUNK, END_TURN, "<* dropped by intercept", "@ 60", LEAVES],
        "frame-dropped",
        (
            "The agent's response (frame 7) to `session/prompt` (frame 5) was dropped by a person"
            " (`--intercept`), and never reached the client. The client has been waiting for 1 m 00 s."
        ),
    ),
    "response dropped so far": (
        [PROMPT, CHUNK, END_TURN, "<* dropped by script a.py", 60.0],
        "frame-dropped",
        "was dropped by `script a.py`, and never reached the client.",
    ),
    "response swallowed, then cancelled": (
        [PROMPT, CHUNK, END_TURN, "<* dropped by fault swallow", "@ 60", CANCEL, "@ 90", LEAVES],
        "frame-dropped",
        "was dropped by `fault swallow`",
    ),
    "response dropped, and a later turn worked": (
        [PROMPT, CHUNK, END_TURN, "<* dropped by fault drop", AGAIN, CHUNK, ENDED_AGAIN, LEAVES],
        "fine",
        "acp-spy changed the traffic: 1 dropped by `fault drop`.",
    ),
    "response dropped and made up for": (
        [
            PROMPT,
            CHUNK,
            END_TURN,
            "<* dropped by script a.py",
            "@ 9",
            f"<* 7 injected by script a.py: {ENDED}",
            LEAVES,
        ],
        "fine",
        "1 dropped by `script a.py`, 1 injected by `script a.py`.",
    ),
    "response held": (
        [PROMPT, CHUNK, END_TURN, "<* held by intercept", 60.0],
        "frame-held",
        (
            "has been held by `--intercept` since 8.0 ms, and the client has not got it. The client has"
            " been waiting for 1 m 00 s."
        ),
    ),
    "response held to the end": (
        [PROMPT, CHUNK, END_TURN, "<* held by intercept", "@ 60", "!! killed"],
        "frame-dropped",
        "was held by `--intercept` when the recording ended, and never reached the client.",
    ),
    "response held and released": (
        [
            PROMPT,
            CHUNK,
            END_TURN,
            "<* held by intercept",
            "@ 9",
            f"<* delayed by intercept: {ENDED}",
            60.0,
        ],
        "fine",
        "1 turn ended",
    ),
    "response held by a fault": (
        [PROMPT, CHUNK, END_TURN, "<* held by fault late", 40.0],
        "frame-held",
        "has been held by `fault late` since 8.0 ms",
    ),
    "response that came late": (
        [
            PROMPT,
            CHUNK,
            END_TURN,
            "<* held by fault late",
            "@ 20",
            CANCEL,
            f"<* 7 delayed by fault late: {ENDED}",
            LEAVES,
        ],
        "fine",
        "1 turn ended",
    ),
    "text held": (
        [PROMPT, CHUNK, "<* held by intercept", 60.0],
        "frame-held",
        "The agent's `session/update` (frame 6) has been held",
    ),
    "response truncated": (
        [PROMPT, CHUNK, END_TURN, '<* replaced by fault truncate: {"json', "@ 60", LEAVES],
        "frame-changed",
        "was changed by `fault truncate`, so that the client cannot use it.",
    ),
    "response made an error": (
        [PROMPT, CHUNK, END_TURN, f"<* replaced by intercept: {ERROR}", LEAVES],
        "frame-changed",
        (
            "The agent's response to `session/prompt` (frame 5) was replaced by a person"
            " (`--intercept`) with the error `Oops`."
        ),
    ),
    "text made an error": (
        [PROMPT, CHUNK, f"<* replaced by script a.py: {ERROR}", LEAVES],
        "frame-changed",
        "was answered by `script a.py`, not by the agent, with the error `Oops`.",
    ),
    "prompt dropped": (
        [PROMPT, "*> dropped by intercept", "@ 60", CANCEL, "@ 90", LEAVES],
        "frame-dropped",
        (
            "The client's `session/prompt` (frame 5) was dropped by a person (`--intercept`), and never"
            " reached the agent."
        ),
    ),
    "prompt answered": (
        [PROMPT, f"<* answered by fault error: {ERROR}", LEAVES],
        "frame-changed",
        (
            "The `session/prompt` (frame 5) was answered by `fault error`, not by the agent, with the"
            " error `Oops`."
        ),
    ),
    "prompt answered, and a later turn worked": (
        [PROMPT, f"<* answered by fault error: {ERROR}", AGAIN, CHUNK, ENDED_AGAIN, LEAVES],
        "fine",
        "2 turns ended",
    ),
    "permission request held": (
        [PROMPT, TOOL, ASKS, "<* held by intercept", 60.0],
        "frame-held",
        "The agent has been waiting for 1 m 00 s, and so has `session/prompt` (frame 5).",
    ),
    "permission request dropped": (
        [PROMPT, TOOL, ASKS, "<* dropped by fault drop", 60.0],
        "frame-dropped",
        "The agent's `session/request_permission` (frame 7) was dropped by `fault drop`",
    ),
    "permission request dropped, and the turn cancelled": (
        [PROMPT, TOOL, ASKS, "<* dropped by fault drop", "@ 4", CANCEL, FAILED, CANCELLED, LEAVES],
        "fine",
        "1 dropped by `fault drop`",
    ),
    "permission response dropped": (
        [PROMPT, TOOL, ASKS, f"-> {_chosen('y')}", "*> dropped by intercept", 60.0],
        "frame-dropped",
        "The client's response (frame 8) to `session/request_permission` (frame 7) was dropped",
    ),
    "permission response held": (
        [PROMPT, TOOL, ASKS, f"-> {_chosen('y')}", "*> held by intercept", 60.0],
        "frame-held",
        "and the agent has not got it.",
    ),
    "permission answered": (
        [
            PROMPT,
            TOOL,
            ASKS,
            f"*> answered by script a.py: {_chosen('y')}",
            RUNS,
            DONE,
            CHUNK,
            END_TURN,
            LEAVES,
        ],
        "fine",
        "1 answered by `script a.py`.",
    ),
    "permission held and answered": (
        [
            PROMPT,
            TOOL,
            ASKS,
            "<* held by intercept",
            "@ 5",
            f"*> answered by intercept: {_chosen('y')}",
            RUNS,
            DONE,
            CHUNK,
            END_TURN,
            LEAVES,
        ],
        "fine",
        "1 answered by a person (`--intercept`).",
    ),
    "file request dropped": (
        [PROMPT, READS, "<* dropped by script a.py", 60.0],
        "frame-dropped",
        "The agent's `fs/read_text_file` (frame 6) was dropped by `script a.py`",
    ),
    "cancel dropped": (
        [PROMPT, CHUNK, CANCEL, "*> dropped by fault drop", 60.0],
        "frame-dropped",
        "never reached the agent. So the agent goes on with `session/prompt` (frame 5).",
    ),
    "cancel dropped, and the turn ended": (
        [PROMPT, CHUNK, CANCEL, "*> dropped by fault drop", "@ 9", CHUNK, END_TURN, LEAVES],
        "fine",
        "1 turn ended",
    ),
    "cancel held and released": (
        [
            PROMPT,
            CHUNK,
            CANCEL,
            "*> held by intercept",
            "@ 9",
            f"*> delayed by intercept: {CANCEL[3:]}",
            CANCELLED,
            LEAVES,
        ],
        "fine",
        "1 turn ended",
    ),
    "response to a script's own request": (
        [
            f"*> injected by script a.py: {LISTS}",
            '<- {"jsonrpc": "2.0", "id": "acp-spy-1", "result": {"sessions": []}}',
            "<* dropped by script a.py",
            PROMPT,
            CHUNK,
            END_TURN,
            LEAVES,
        ],
        "fine",
        "1 turn ended",
    ),
    "noise": (
        [PROMPT, CHUNK, "<* injected by fault noise: npm warn", END_TURN, LEAVES],
        "fine",
        "1 injected by `fault noise`.",
    ),
    "duplicate": (
        [PROMPT, CHUNK, END_TURN, f"<* injected by fault duplicate: {ENDED}", LEAVES],
        "fine",
        "1 injected by `fault duplicate`.",
    ),
    "agent killed": (
        [
            PROMPT,
            CHUNK,
            "*> signaled by fault crash",
            END_TURN,
            "<* dropped by fault crash",
            "<- EOF",
            "== -9",
        ],
        "ended-by-acp-spy",
        (
            "The agent was sent a signal by `fault crash` at 7.0 ms, after frame 6, and was ended by"
            " signal 9. The `session/prompt` (frame 5) was pending."
        ),
    ),
    "agent exited": (
        [PROMPT, CHUNK, "*> signaled by fault exit:3", "<- EOF", "== 3"],
        "ended-by-acp-spy",
        "by `fault exit:3` at 7.0 ms, after frame 6, and exited with status 3.",
    ),
    "stream closed": (
        [PROMPT, CHUNK, "<* closed by fault half-close", "@ 40", LEAVES],
        "ended-by-acp-spy",
        "The stream to the client was closed by `fault half-close` at 7.0 ms, after frame 6.",
    ),
}


def records_of(parts):
    return [
        Header(),
        *parse("\n".join([OPENED, *(each for each in parts if each != now_of(parts))])),
    ]


def now_of(parts):
    return parts[-1] if isinstance(parts[-1], float) else None


def checked(parts, side):
    """Return the diagnosis and the findings of one side."""
    checker, now = DiagnosingChecker(ALL_RULES.checker()), now_of(parts)
    changed = ChangedTraffic(ALL_RULES.checker())
    found = []
    for record in on_side(side, changed.follow(records_of(parts))):
        found += changed.name(checker.feed(record))
    found += changed.name(checker.close()) if now is None else []
    return changed.diagnosis(now), found


@pytest.mark.parametrize("name", CASES)
def test_what_acp_spy_did_is_the_answer_and_neither_peer_must_act(name):
    parts, kind, words = CASES[name]
    checker, now = DiagnosingChecker(ALL_RULES.checker()), now_of(parts)
    found = [each for record in records_of(parts) for each in checker.feed(record)]
    found += checker.close() if now is None else []
    diagnosis = checker.diagnosis(now)
    assert (diagnosis.kind, diagnosis.blame) == (kind, None)
    assert words in diagnosis.text
    assert [each.text for each in found] == []
    timeline = Timeline()
    for record in records_of(parts):
        timeline.feed(record)
    timeline.close(running=now is not None)
    assert timeline.diagnosis(now) == diagnosis


@pytest.mark.parametrize("side", ["sent", "delivered"])
def test_an_error_of_the_agent_that_is_only_reworded_stays_the_agents(side):
    talk = [PROMPT, fails(2, "Bad key k-1"), f"<* replaced by script a.py: {ERROR}", LEAVES]
    diagnosis, _ = checked(talk, side)
    assert (diagnosis.kind, diagnosis.blame) == ("prompt-failed", Peer.AGENT)
    assert "`Bad key k-1`" in diagnosis.text


@pytest.mark.parametrize("name", CASES)
def test_what_arrived_has_the_same_diagnosis_and_names_the_work_of_acp_spy(name):
    parts, kind, words = CASES[name]
    diagnosis, found = checked(parts, "delivered")
    assert diagnosis.kind == kind
    assert words in diagnosis.text
    assert [each.must_fix for each in found if not (each.by or each.because)] == []
    assert not any(each.hint for each in found if each.by)


PENDING = {
    "response held": "held by intercept: response to `session/prompt` 1 m 00 s",
    "response dropped so far": "dropped by script a.py: response to `session/prompt` 1 m 00 s",
    "permission request held": "held by intercept: `session/request_permission` 1 m 00 s; agent's"
    " `session/prompt` waits for it",
    "permission response dropped": "dropped by intercept: response to `session/request_permission`"
    " 1 m 00 s; agent's `session/prompt` waits for it",
    "response truncated": "changed by fault truncate: response to `session/prompt`",
    "prompt dropped": "dropped by intercept: `session/prompt`",
    "agent exited": "pending when fault exit:3 ended the conversation: `session/prompt`",
    "permission answered": None,
    "prompt answered": None,
    "response held and released": None,
}


@pytest.mark.parametrize("name", PENDING)
def test_the_lines_about_what_is_pending_name_it_too(name):
    parts = CASES[name][0]
    checker, now = DiagnosingChecker(ALL_RULES.checker()), now_of(parts)
    for record in records_of(parts):
        checker.feed(record)
    state = checker.tracker.state
    lines = pending_at_end(state, None) if now is None else pending_so_far(state, now)
    assert lines == ([PENDING[name]] if PENDING[name] else [])


def test_a_held_line_that_is_no_message_has_no_method():
    diagnosis, _ = checked([PROMPT, "<- npm warn", "<* held by fault latency:9s", 5.0], "sent")
    words = "The agent's line (frame 6) has been held by `fault latency:9s` since 7.0 ms"
    assert diagnosis.text.startswith(words)


def test_a_rejection_by_a_script_counts_as_one():
    parts = [PROMPT, TOOL, ASKS, f"*> answered by script a.py: {_chosen('n')}", RUNS]
    _, found = checked([*parts, END_TURN, LEAVES], "sent")
    (rejected,) = [each for each in found if each.code == "LIF115"]
    assert "was rejected (`reject_once`)" in rejected.text
    assert rejected.must_fix == "agent must fix"


def test_a_mistake_that_was_sent_stays_the_peers_whoever_changed_the_frame():
    wrong = CHUNK.replace("agent_message_chunk", "agent_mesage_chunk")
    changed = f"<* replaced by script a.py: {wrong[3:].replace('Done', 'Well')}"
    _, found = checked([PROMPT, wrong, changed, END_TURN, LEAVES], "delivered")
    assert [each.must_fix for each in found if not each.because] == ["agent must fix"]


def test_the_agent_was_not_silent_while_its_request_was_held():
    refused = fails(0, "no")[3:]
    held = ["<* held by intercept", "@ 40", f"*> 7 answered by intercept: {refused}", DONE]
    diagnosis, found = checked([PROMPT, TOOL, ASKS, *held, "@ 41", END_TURN, LEAVES], "sent")
    assert (diagnosis.kind, "silence" in diagnosis.text) == ("fine", False)
    assert [each.code for each in found] == []  # an error is an answer: nothing is pending


def test_time_for_which_a_frame_was_held_is_not_the_time_of_a_peer():
    asked = ["<* held by fault latency:9s", "@ 9", f"<* 7 delayed by fault latency:9s: {ASKS[3:]}"]
    told = [CHUNK, "<* held by fault latency:9s"]
    held = [TOOL, ASKS, *asked, f"-> {_chosen('y')}", *told]
    later = ["@ 17", f"<* 9 delayed by fault latency:9s: {CHUNK[3:]}"]
    diagnosis, _ = checked([PROMPT, *held, *later, RUNS, DONE, END_TURN, LEAVES], "sent")
    assert "waiting for a permission" not in diagnosis.text
    assert "frame 7, held by `fault latency:9s`, 8.0 s frame 9, held by" in diagnosis.text


def test_of_frames_that_were_held_together_the_longest_is_named():
    held = [CHUNK, "<* held by script a.py", CHUNK, "<* held by script a.py"]
    go_on = [f"<* {n} delayed by script a.py: {CHUNK[3:]}" for n in (6, 7)]
    parts = [PROMPT, *held, "@ 9", go_on[0], "@ 10", go_on[1], END_TURN, LEAVES]
    diagnosis, _ = checked(parts, "sent")
    assert "frame 7, held by `script a.py`." in diagnosis.text
    assert "frame 6" not in diagnosis.text


def test_what_runs_while_acp_spy_keeps_the_request_runs_without_permission():
    _, found = checked([PROMPT, TOOL, ASKS, "<* dropped by intercept", DONE, END_TURN], "sent")
    assert "LIF115" in [each.code for each in found]


def test_a_request_that_was_answered_before_what_was_held_is_no_mistake_of_the_agent():
    late = [f"<* 6 delayed by script a.py: {TOOL[3:]}", RUNS, DONE, END_TURN, LEAVES]
    answered = [ASKS, f"*> answered by script a.py: {_chosen('y')}"]
    _, found = checked([PROMPT, TOOL, "<* held by script a.py", *answered, *late], "delivered")
    assert [(each.code, each.must_fix) for each in found] == [
        ("LIF111", "acp-spy did it: script a.py")
    ]


def test_what_came_in_another_order_is_no_mistake_of_the_agent():
    held = [TOOL, "<* held by fault reorder"]
    late = f"<* 6 delayed by fault reorder: {TOOL[3:]}"
    answered = [f"-> {_chosen('y')}", RUNS, DONE]
    last = [
        CHUNK,
        "<* held by fault reorder",
        END_TURN,
        f"<* 11 delayed by fault reorder: {CHUNK[3:]}",
    ]
    parts = [PROMPT, *held, ASKS, late, *answered, *last, LEAVES]
    assert checked(parts, "sent")[1] == []
    _, found = checked(parts, "delivered")
    assert [(each.code, each.seq, each.must_fix) for each in found if not each.because] == [
        ("LIF111", 7, "acp-spy did it: fault reorder"),
        ("LIF052", 11, "acp-spy did it: fault reorder"),
    ]


def test_what_a_dropped_frame_leads_to_later_is_no_mistake_of_the_agent():
    parts = [PROMPT, TOOL, "<* dropped by fault drop", DONE, CHUNK, END_TURN, LEAVES]
    _, found = checked(parts, "delivered")
    assert {(each.code, each.must_fix) for each in found if not each.because} == {
        ("LIF102", "acp-spy did it: fault drop")
    }


def test_a_mistake_of_a_peer_that_is_reported_once_stays_its_own_if_the_first_frame_was_dropped():
    wrong = rf"<~ {CHUNK[3:]}\r\n"
    parts = [PROMPT, wrong, "<* dropped by fault drop", wrong, END_TURN, LEAVES]
    named = [[(each.code, each.seq) for each in checked(parts, side)[1]] for side in SIDES]
    assert named == [[("FRM009", 6)], [("FRM009", 7)]]
    assert [each.must_fix for each in checked(parts, "delivered")[1]] == ["agent must fix"]


def test_what_a_peer_leaves_open_at_the_end_stays_its_mistake_whatever_was_dropped():
    parts = [PROMPT, TOOL, RUNS, CHUNK, "<* dropped by fault drop", END_TURN, LEAVES]
    sent, arrived = (checked(parts, side)[1] for side in SIDES)
    named = [(each.code, each.must_fix) for each in sent]
    assert named
    assert [(each.code, each.must_fix) for each in arrived] == named


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_was_made_twice_at_a_frame_names_both(order):
    made = [
        "<* injected by fault noise: [log] a line",
        f"<* injected by fault duplicate: {CHUNK[3:]}",
    ]
    made = [made[each] for each in order]
    _, found = checked([PROMPT, CHUNK, *made, END_TURN, LEAVES], "delivered")
    (named,) = {each.by for each in found}
    assert sorted(named.split(", ")) == ["fault duplicate", "fault noise"]


@pytest.mark.parametrize("side", ["delivered", "agent"])
def test_a_client_does_not_speak_the_dialect_that_acp_spy_writes_for_it(side):
    crow = '{"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"session_id": "s1", "prompt": []}}'
    records = records_of([PROMPT, f"*> replaced by dialect crow: {crow}", CHUNK, END_TURN, LEAVES])
    records[0] = Header(note="agent speaks crow, translated")
    checker, changed = ALL_RULES.checker(), ChangedTraffic(ALL_RULES.checker(), side)
    found = []
    for record in on_side(side, changed.follow(records)):
        found += changed.name(checker.feed(record))
    wrong = {each.must_fix for each in found if each.code == "SCH005"}
    assert wrong == {"acp-spy did it: dialect crow" if side == "delivered" else "client must fix"}


def test_a_turn_and_a_request_that_acp_spy_answered_have_ended():
    parts = [PROMPT, f"<* answered by fault error: {ERROR}"]
    permission = [AGAIN, TOOL, ASKS, f"*> answered by script a.py: {_chosen('y')}", ENDED_AGAIN]
    records = records_of([*parts, *permission, LEAVES])
    rows = [row for timeline in [Timeline()] for record in records for row in timeline.feed(record)]
    assert [(row.turn, row.turn_edge) for row in rows if row.kind == "delivery"] == [
        (5, "end"),
        (None, ""),
    ]
    stats = collect(records)
    assert (stats.turns.count, stats.turns.open, stats.turns.errors) == (2, 0, 1)
    assert {each.method: each.unanswered for each in stats.methods}["session/prompt"] == 0
    assert [each.permissions_pending for each in stats.turns.longest] == [0, 0]
    assert stats.pending == ()


def test_nobody_waits_for_what_was_dropped_before_acp_spy_ended_the_turn():
    dropped = [TOOL, ASKS, "<* dropped by script a.py"]
    end = f"<* 5 answered by script a.py: {END_TURN[3:]}"
    tracker = Tracker()
    for record in records_of([PROMPT, *dropped, end]):
        tracker.follow(record)
    assert tracker.state.waiting() == []


def test_a_session_that_a_script_opened_is_open():
    opened = '{"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}'
    parts = [HANDSHAKE, ASKS_NEW, f"<* answered by script a.py: {opened}", PROMPT, CHUNK, END_TURN]
    checker = DiagnosingChecker(ALL_RULES.checker())
    found = [each for record in parse("\n".join([*parts, LEAVES])) for each in checker.feed(record)]
    assert [each.text for each in [*found, *checker.close()]] == []


def test_a_script_that_fails_is_named_with_its_line_however_much_it_says():
    failed = f"*> failed by script a.py: ValueError: {'x' * 200}, line 12"
    once, _ = checked([PROMPT, failed, CHUNK, END_TURN, LEAVES], "sent")
    assert (once.kind, once.blame, once.seq) == ("script-failed", None, (5,))
    assert once.text.startswith(
        "The script `a.py` failed at frame 5, which passed unchanged: `ValueError: xxx"
    )
    assert "…`, line 12. Nothing is stuck; 1 turn ended in a conversation of" in once.text
    twice, _ = checked([PROMPT, failed, CHUNK, failed, END_TURN, LEAVES], "delivered")
    assert twice.text.startswith(
        "The script `a.py` failed at 2 frames, which passed unchanged; first at frame 5: `ValueError"
    )
    other = failed.replace("a.py", "b.py")
    both, _ = checked([PROMPT, failed, other, CHUNK, other, END_TURN, LEAVES], "sent")
    assert both.text.startswith("The script `a.py` failed at frame 5, which passed unchanged:")


def test_a_line_that_a_repair_takes_away_says_where_it_went():
    repaired = ["<- [info] hi", "<* dropped by fix FRM004", '<- {"x":', "<* dropped by fix FRM007"]
    dropped = ["<- [info] hi", "<* dropped by script a.py"]
    timeline = Timeline()
    rows = [row for each in records_of([*repaired, *dropped]) for row in timeline.feed(each)]
    assert [row.what for row in rows if row.kind == "delivery"] == [
        "#5 moved to stderr by fix FRM004",
        "#6 joined with the lines after it by fix FRM007",
        "#7 dropped by script a.py",
    ]


def test_what_a_repair_prevented_does_not_follow_from_the_mistake():
    allowed = [TOOL, ASKS, f"-> {_chosen('y')}"]
    wrong = RUNS.replace("sessionUpdate", "type")
    rest = [DONE, CHUNK, END_TURN, LEAVES]
    _, found = checked([PROMPT, *allowed, wrong, *rest], "sent")
    assert [(each.code, each.because and each.because.code) for each in found] == [
        ("SCH001", None),
        ("LIF104", "SCH001"),
    ]
    repair = f"<* replaced by fix SCH001: {RUNS[3:]}"
    _, found = checked([PROMPT, *allowed, wrong, repair, *rest], "sent")
    assert [each.code for each in found] == ["SCH001"]


def test_a_mistake_that_was_repaired_is_not_the_cause_of_another():
    announced = TOOL.replace("sessionUpdate", "type")
    repair = f"<* replaced by fix SCH001: {TOOL[3:]}"
    parts = [PROMPT, announced, repair, ASKS, f"-> {_chosen('y')}", DONE, CHUNK, END_TURN, LEAVES]
    for side in SIDES:
        _, found = checked(parts, side)
        (late,) = [each for each in found if each.code == "LIF104"]
        assert (late.because, late.must_fix) == (None, "agent must fix")


def test_a_response_whose_id_was_restored_is_one():
    wrong = END_TURN.replace('"id": 2', '"id": "2"')
    repair = f"<* replaced by fix RPC005: {ENDED}"
    diagnosis, found = checked([PROMPT, CHUNK, wrong, repair, "@ 60", LEAVES], "sent")
    assert [each.code for each in found] == ["RPC005"]
    assert diagnosis.kind == "protocol-errors"
    assert "Nothing is stuck; 1 turn ended" in diagnosis.text
    _, found = checked([PROMPT, CHUNK, wrong, repair, "@ 60", LEAVES], "delivered")
    assert found == []
    wrong = _chosen("y").replace('"id": 0', '"id": "0"')
    answered = [TOOL, ASKS, f"-> {wrong}", f"*> replaced by fix RPC005: {_chosen('y')}", RUNS, DONE]
    _, found = checked([PROMPT, *answered, CHUNK, END_TURN, LEAVES], "sent")
    assert [(each.code, each.must_fix) for each in found] == [("RPC005", "client must fix")]


def test_an_error_whose_id_was_restored_is_the_answer():
    error = '{"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "no disk"}}'
    wrong = error.replace('"id": 2', '"id": "2"')
    repaired = [f"<- {wrong}", f"<* replaced by fix RPC005: {error}", LEAVES]
    diagnosis, _ = checked([PROMPT, *repaired], "sent")
    assert (diagnosis.kind, diagnosis.blame) == ("prompt-failed", Peer.AGENT)
    assert "with an error after" in diagnosis.text
    assert "`no disk`" in diagnosis.text


def test_a_session_whose_id_was_restored_was_opened():
    asks, opened = NEW_SESSION.splitlines()
    wrong = opened.replace('"id": 1', '"id": "1"')
    repair = f"<* replaced by fix RPC005: {opened[3:]}"
    checker = DiagnosingChecker(ALL_RULES.checker())
    for record in parse(f"{HANDSHAKE}\n{asks}\n{wrong}\n{repair}\n{LEAVES}"):
        checker.feed(record)
    checker.close()
    assert "a session was opened, and there was no prompt" in checker.diagnosis().text


def test_if_all_is_killed_while_a_frame_is_held_the_agent_has_not_died_by_itself():
    diagnosis, _ = checked([PROMPT, TOOL, ASKS, "<* held by intercept", "@ 5", "<- EOF"], "sent")
    assert (diagnosis.kind, diagnosis.blame) == ("frame-dropped", None)
    assert "was held by `--intercept` when the recording ended" in diagnosis.text


def test_every_command_says_it(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode(records_of(CASES["response dropped"][0])))
    wide = {"COLUMNS": "300"}
    words = CASES["response dropped"][2]
    out, _, status = acp_spy("why", path, env=wide)
    assert status == 1
    assert out.startswith(f"dropped by acp-spy\n  {words}\n")
    assert "hint: neither peer must fix it; run without `--intercept` to see" in out
    assert words in acp_spy("check", path, env=wide).out
    assert f"dropped by acp-spy: {words}" in acp_spy("view", path, env=wide).out
    assert "dropped by acp-spy" in acp_spy("list", "--dir", tmp_path, env=wide).out
    assert "dropped by intercept: `session/prompt` (frame 5)" in acp_spy("stats", path).out
    out, _, status = acp_spy("check", path, "--delivered", env=wide)
    assert status == 1
    assert words in out
    assert "error RPC006 unanswered-request  frame 5  acp-spy did it: intercept" in out
    assert "1 error: acp-spy did 1" in out
    (found,) = json.loads(acp_spy("check", path, "--delivered", "--format", "json").out)["captures"]
    assert [each["by"] for each in found["findings"]] == ["intercept"]


def test_a_frame_in_full_says_that_acp_spy_answered_it(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode(records_of(CASES["prompt answered"][0])))
    shown = acp_spy("view", path, "--frame", "5").out
    assert "answered by acp-spy" in shown
    assert "no response" not in shown
