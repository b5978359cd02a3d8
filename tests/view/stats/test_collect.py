import io
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from acp_spy.capture.codec import encode
from acp_spy.capture.files import read
from acp_spy.capture.lock import hold
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.conversation.tracker import Tracker
from acp_spy.view.stats import collect as module
from acp_spy.view.stats import text as text_of_stats
from acp_spy.view.stats.calls import OTHERS
from acp_spy.view.stats.collect import Collector, collect, stats
from acp_spy.view.stats.model import LargeFrame, Spans, Stall, Tool
from acp_spy.view.timeline import Timeline
from acp_spy.wire.frame import Frame, Peer

FIXTURES = Path(__file__).parents[3] / "fixtures"

OPENING = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"ed","version":"2"}}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"bot","version":"1.0"}}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
"""


def update(variant, rest="", session="s"):
    return (
        '<- {"jsonrpc":"2.0","method":"session/update","params":'
        f'{{"sessionId":"{session}","update":{{"sessionUpdate":"{variant}"{rest}}}}}}}\n'
    )


def text(words="x", variant="agent_message_chunk", session="s"):
    return update(variant, f',"content":{{"type":"text","text":"{words}"}}', session)


def tool(ident, status, variant="tool_call_update", more=""):
    return update(variant, f',"toolCallId":"{ident}","status":"{status}"{more}')


def call(ident, method, session="s", by="->"):
    params = f'{{"sessionId":"{session}"}}'
    return f'{by} {{"jsonrpc":"2.0","id":{ident},"method":"{method}","params":{params}}}\n'


def answer(ident, result='{"stopReason":"end_turn"}', by="<-"):
    return f'{by} {{"jsonrpc":"2.0","id":{ident},"result":{result}}}\n'


def refusal(ident, by="<-"):
    return f'{by} {{"jsonrpc":"2.0","id":{ident},"error":{{"code":-32603,"message":"no"}}}}\n'


def at(t):
    return f"@ {t}\n"


def stats_of(*parts):
    return collect(parse("".join(parts)))


def the_turn(*parts):
    (turn,) = stats_of(OPENING, at(10), call(2, "session/prompt"), *parts).turns.longest
    return turn


# ----------------------------------------------------------------------------- methods


def test_answers_are_timed_for_each_asker_and_method():
    stats = stats_of(
        call(0, "a"),
        at(0.5),
        call(1, "a"),
        at(1.001),
        answer(0),
        at(2),
        refusal(1),
        call(0, "a", by="<-"),
        call(2, "b"),
        '-> {"jsonrpc":"2.0","method":"note"}\n',
    )
    a, b, note, agents = stats.methods
    assert (a.asker, a.method, a.requests, a.errors, a.unanswered) == ("client", "a", 2, 1, 0)
    assert a.latency == Spans(2, 1.001, 1.5, 1.5, 1.5, exact=True)
    assert (b.method, b.requests, b.unanswered) == ("b", 1, 1)
    assert b.latency == Spans(0, None, None, None, None, exact=True)
    assert (note.method, note.requests, note.notifications) == ("note", 0, 1)
    assert (agents.asker, agents.method, agents.unanswered) == ("agent", "a", 1)


def test_null_beside_a_result_is_no_error():
    stats = stats_of(call(0, "a"), '<- {"jsonrpc":"2.0","id":0,"result":{},"error":null}')
    assert stats.methods[0].errors == 0


def test_somebody_who_makes_names_up_does_not_fill_the_memory():
    stats = stats_of(*(call(n, f"made-up-{n}" + "x" * 1000) for n in range(2000)))
    assert len(stats.methods) == 501
    assert max(len(method.method) for method in stats.methods) == 200
    assert stats.methods[-1].method == OTHERS
    assert sum(method.requests for method in stats.methods) == 2000


# ----------------------------------------------------------------------------- who sent what


def test_senders_are_told_apart():
    stats = stats_of(
        OPENING,
        "<~ noise\n",
        answer(77, by="->"),
        "!! of no peer\n",
        "@ 3\n<- EOF\n== 3\n",
    )
    client, agent = stats.senders["client"], stats.senders["agent"]
    assert (client.frames, client.noise, client.unmatched) == (3, 0, 1)
    assert (agent.frames, agent.noise, agent.unmatched) == (3, 1, 0)
    assert agent.largest[0] == LargeFrame(2, 99)
    assert (stats.frames, stats.stderr_bytes) == (6, 11)
    assert (stats.agent, stats.client) == ("bot 1.0", "ed 2")
    assert (stats.seconds, stats.cut_off, stats.status) == (3.002, False, 3)
    assert sum(stats.traffic.client) == client.bytes


def test_nothing_at_all_has_figures_too():
    stats = collect([])
    assert (stats.frames, stats.seconds, stats.cut_off, stats.turns.count) == (0, 0.0, True, 0)


# ----------------------------------------------------------------------------- turns


def test_a_turn_is_measured_from_prompt_to_answer():
    turn = the_turn(at(12.5), text(), at(13), answer(2))
    assert (turn.seq, turn.session, turn.t, turn.seconds) == (5, "s", 10.001, 3.0)
    assert (turn.outcome, turn.stop_reason, turn.cancelled) == ("ended", "end_turn", False)
    assert (turn.first_update, turn.updates) == (2.5, 1)


@pytest.mark.parametrize(
    ("silent", "first"),
    [
        (update("usage_update", ',"used":1,"size":2'), 2.0),
        (text(variant="user_message_chunk"), 2.0),
        (update("available_commands_update", ',"availableCommands":[]'), 2.0),
        (text(variant="agent_thought_chunk"), 1.0),
        (tool("c", "pending", "tool_call"), 1.0),
        (update("plan", ',"entries":[]'), 1.0),
    ],
)
def test_the_first_update_is_one_that_shows_something(silent, first):
    assert the_turn(at(11), silent, at(12), text(), answer(2)).first_update == first


def test_an_error_ends_a_turn():
    stats = stats_of(OPENING, call(2, "session/prompt"), refusal(2))
    (turn,) = stats.turns.longest
    assert (turn.outcome, turn.stop_reason) == ("error", None)
    assert (stats.turns.count, stats.turns.errors, stats.turns.open) == (1, 1, 0)


def test_an_answer_without_a_reason_is_no_error():
    turn = the_turn(answer(2, "{}"))
    assert (turn.outcome, turn.stop_reason) == ("ended", None)


def test_a_turn_that_never_ends_is_open():
    stats = stats_of(OPENING, at(10), call(2, "session/prompt"), at(11), text(), at(14), "<~ x")
    (turn,) = stats.turns.longest
    assert (turn.outcome, turn.seconds, turn.first_update) == ("open", None, 1.0)
    assert stats.turns.open == 1
    assert stats.turns.seconds.count == 0
    assert stats.turns.first_update.count == 1


def test_cancelling_is_told():
    cancel = '-> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}\n'
    turn = the_turn(text(), cancel, answer(2, '{"stopReason":"cancelled"}'))
    assert (turn.cancelled, turn.stop_reason) == (True, "cancelled")


def test_version_two_ends_a_turn_by_the_state_of_its_session():
    opening = OPENING.replace('"protocolVersion":1', '"protocolVersion":2')
    stats = stats_of(
        opening,
        at(1),
        call(2, "session/prompt"),
        answer(2, '{"messageId":"m"}'),
        update("state_update", ',"state":"running"'),
        at(4),
        update("state_update", ',"state":"idle","stopReason":"end_turn"'),
    )
    (turn,) = stats.turns.longest
    assert (turn.seconds, turn.stop_reason) == (3.0, "end_turn")
    assert (stats.turns.count, stats.turns.open) == (1, 0)


def test_turns_of_two_sessions_at_once_are_kept_apart():
    stats = stats_of(
        OPENING,
        call(5, "session/new"),
        answer(5, '{"sessionId":"z"}'),
        at(1),
        call(2, "session/prompt"),
        call(3, "session/prompt", "z"),
        at(2),
        text(session="z"),
        at(3),
        text(),
        at(4),
        answer(2),
        answer(3),
    )
    first, second = stats.turns.longest
    assert (first.session, first.first_update) == ("s", 2.0)
    assert (second.session, second.first_update) == ("z", 0.999)
    assert stats.sessions == 2


# ----------------------------------------------------------------------------- streams


def test_the_rate_counts_while_the_text_flows():
    flowing = "".join(at(11 + n / 10) + text() for n in range(6))  # five gaps of 0.1 s
    turn = the_turn(flowing, at(13), tool("c", "completed", "tool_call"), at(16), text(), answer(2))
    assert turn.chunks == 7
    assert turn.chunk_rate == pytest.approx(10.0)


def test_one_chunk_has_no_rate():
    assert the_turn(text(), answer(2)).chunk_rate is None


def test_words_of_the_user_are_no_stream_of_the_agent():
    assert the_turn(text(variant="user_message_chunk"), text(), answer(2)).chunks == 1


# ----------------------------------------------------------------------------- tools


def test_a_tool_call_is_timed_from_its_first_mention_to_its_end():
    turn = the_turn(
        at(11),
        tool("c", "pending", "tool_call", ',"title":"Read x","kind":"read"'),
        at(12),
        tool("c", "in_progress"),
        at(13.5),
        tool("c", "completed"),
        tool("c", "completed"),  # told twice
        answer(2),
    )
    assert turn.tool_calls == 1
    assert turn.tools == (Tool("c", 6, "Read x", "read", "completed", 11.001, 2.5),)


def test_one_that_never_ends_has_no_time():
    turn = the_turn(tool("c", "in_progress", "tool_call"), answer(2))
    assert [(call.status, call.seconds) for call in turn.tools] == [("in_progress", None)]


def test_the_longest_of_many_are_kept_in_their_order():
    many = "".join(
        at(11 + n)
        + tool(f"c{n}", "pending", "tool_call")
        + at(11 + n + n / 1000)
        + tool(f"c{n}", "failed")
        for n in range(60)
    )
    turn = the_turn(many, answer(2))
    assert turn.tool_calls == 60
    assert [call.id for call in turn.tools] == [f"c{n}" for n in range(10, 60)]


def test_a_call_of_an_earlier_turn_is_not_counted_again():
    stats = stats_of(
        OPENING,
        call(2, "session/prompt"),
        tool("c", "pending", "tool_call"),
        answer(2),
        call(3, "session/prompt"),
        tool("c", "completed"),
        answer(3),
    )
    assert [turn.tool_calls for turn in stats.turns.longest] == [1, 0]


# ----------------------------------------------------------------------------- waits and stalls


def test_waits_for_permission_that_overlap_count_once():
    ask = "session/request_permission"
    turn = the_turn(
        at(11),
        call(0, ask, by="<-"),
        at(12),
        call(1, ask, by="<-"),
        at(13),
        answer(0, "{}", by="->"),
        at(15),
        refusal(1, by="->"),
        at(16),
        call(2, ask, by="<-"),
        at(17),
        answer(2, "{}", by="->"),
        answer(2),
    )
    assert (turn.permissions, turn.permission_wait) == (3, 5.0)
    assert turn.stalls == 0


def test_a_permission_that_is_never_given_is_waited_for_to_the_end():
    turn = the_turn(at(11), call(0, "session/request_permission", by="<-"), at(61), "<~ bye")
    assert (turn.permission_wait, turn.stalls) == (50.0, 0)


def test_a_silence_of_the_agent_is_a_stall():
    turn = the_turn(
        at(16), text(), at(20.9), text(), tool("c", "in_progress", "tool_call"), at(40), answer(2)
    )
    assert (turn.stalls, turn.stalled) == (2, 25.099)
    assert turn.longest_stalls == (
        Stall(10.001, 6.0, 6, ""),
        Stall(20.902, 19.099, 9, "c"),
    )


def test_waiting_for_the_client_is_none():
    turn = the_turn(
        at(11),
        call(0, "terminal/wait_for_exit", by="<-"),
        at(60),
        answer(0, "{}", by="->"),
        answer(2),
    )
    assert turn.stalls == 0


def test_what_happens_in_another_session_does_not_break_a_silence():
    turn = the_turn(at(14), text(session="other"), at(18), answer(2))
    assert turn.longest_stalls == (Stall(10.001, 8.0, 7, ""),)


def test_an_agent_that_hangs_is_a_stall_to_the_end():
    turn = the_turn(at(11), text(), at(71), "-> EOF\n")
    assert turn.longest_stalls == (Stall(11.001, 60.0, None, ""),)


# ----------------------------------------------------------------------------- bounds


def test_of_many_turns_the_longest_are_told_and_all_are_counted(monkeypatch):
    monkeypatch.setattr(module, "MOST_TURNS", 3)
    turns = "".join(
        at(100 * n) + call(n, "session/prompt") + at(100 * n + n % 7) + answer(n)
        for n in range(2, 30)
    )
    stats = stats_of(OPENING, turns)
    assert stats.turns.count == 28
    assert [turn.seconds for turn in stats.turns.longest] == [6.0, 6.0, 6.0]
    assert [turn.seq for turn in stats.turns.longest] == [13, 27, 41]
    assert stats.turns.seconds.max == 6.0


def test_prompts_that_nobody_ends_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(module, "_MOST_OPEN", 5)
    tracker, collector = Tracker(), Collector()
    for record in parse(OPENING + "".join(call(n, "session/prompt") for n in range(2, 50))):
        collector.add(tracker.follow(record), tracker.state)
    assert len(collector._open) == 5
    assert collector.close().turns.open == 48


def test_a_clock_that_runs_backwards_gives_no_negative_time():
    turn = the_turn(at(5), text(), at(4), text(), answer(2))
    assert turn.seconds == 0.0
    assert turn.first_update == 0.0


# ----------------------------------------------------------------------------- dialects, sharing


@pytest.mark.parametrize(
    ("name", "turns", "tools", "first"),
    [
        ("crow", 2, 1, 2),
        ("quickref", 2, 3, 2),
        ("threads", 1, 0, 1),
        ("acpex", 2, 1, 1),
        ("jetbrains", 2, 1, 2),
    ],
)
def test_dialects_have_turns_and_tools_too(name, turns, tools, first):
    shown = collect(read(FIXTURES / f"dialect-{name}.jsonl")).turns
    assert shown.count == turns
    assert sum(turn.tool_calls for turn in shown.longest) == tools
    assert shown.first_update.count == first


def test_a_dialect_that_asks_for_permission_by_notification_waits_for_it_too():
    first, _ = collect(read(FIXTURES / "dialect-crow.jsonl")).turns.longest
    assert (first.permissions, first.permission_wait) == (1, 0.001)


def test_a_dialect_that_asks_for_each_chunk_has_a_rate_too():
    (turn,) = collect(read(FIXTURES / "dialect-threads.jsonl")).turns.longest
    assert (turn.chunks, turn.chunk_rate) == (2, 500.0)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("dialect-*.jsonl")), ids=lambda p: p.stem)
def test_it_counts_the_moments_of_a_tracker_that_others_follow_too(path):
    collector, timeline = Collector(), Timeline()
    for record in read(path):
        timeline.feed(record)
        collector.add(timeline.moment, timeline.state)
    assert collector.close() == collect(read(path))


def test_a_chunk_that_is_read_in_one_go_counts_as_one_that_is_looked_at(monkeypatch):
    talk = [OPENING, call(2, "session/prompt"), at(1), text(), at(1.5), text("y"), at(9), answer(2)]
    quick = stats_of(*talk)
    monkeypatch.setattr("acp_spy.conversation.tracker.read_chunk", lambda *_: None)
    assert stats_of(*talk) == quick
    assert quick.turns.longest[0].chunks == 2
    assert quick.senders[Peer.AGENT.value].noise == 0


# ----------------------------------------------------------------------------- anything at all

ODD = st.sampled_from([None, True, 0, -1, 1e308, "", "s", "c", "idle", [], {}, [{}], {"name": 1}])
UPDATE = st.fixed_dictionaries(
    {"sessionUpdate": st.sampled_from(["tool_call", "tool_call_update", "state_update", "plan"])},
    optional=dict.fromkeys(("toolCallId", "status", "title", "kind", "state", "content"), ODD),
)
PARAMS = st.fixed_dictionaries(
    {"sessionId": st.sampled_from(["s", "s", "z", None, 7])},
    optional={
        "update": UPDATE | ODD,
        "prompt": ODD,
        "toolCall": ODD,
        "requestId": ODD,
    },
)
METHODS = st.sampled_from(
    ["initialize", "session/new", "session/prompt", "session/update", "session/request_permission"]
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from([0, 1, "1", None]),
        "method": METHODS,
        "params": PARAMS | ODD,
        "result": ODD | st.fixed_dictionaries({"stopReason": ODD, "sessionId": ODD}),
        "error": ODD,
    },
)
TIMES = st.floats(allow_nan=False, allow_infinity=False) | st.floats(0, 30)


@given(st.lists(st.tuples(st.sampled_from(list(Peer)), TIMES, MESSAGE), max_size=30))
def test_whatever_is_said_there_are_figures_for_it(said):
    frames = [
        Frame(seq, t, peer, msgspec.json.encode(message) + b"\n")
        for seq, (peer, t, message) in enumerate(said, 1)
    ]
    stats = collect(frames)
    assert stats.frames == len(frames)
    for turn in stats.turns.longest:
        spans = (turn.seconds, turn.first_update, turn.permission_wait, turn.stalled)
        assert min(span or 0.0 for span in spans) >= 0
    console = Console(file=io.StringIO(), width=80)
    text_of_stats.render("run.jsonl", "ended", stats, console)


def test_from_python_the_state_is_that_of_the_command(tmp_path):
    capture = tmp_path / "run.jsonl"
    capture.write_bytes(encode([Header(), *parse("== 0")]))
    assert stats(capture).state == "ended"
    capture.write_bytes(encode([Header()]))
    assert stats(capture).state == "cut off"
    with capture.open("ab") as held:
        hold(held.fileno())
        assert stats(capture).state == "running"
