"""Faults: what each does to frames, when it happens, and that a seed repeats it."""

from collections import Counter

import pytest

from acp_spy.capture.delivered import delivered, seen_by
from acp_spy.capture.files import load
from acp_spy.capture.records import Delivery, Header
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.dry_run import dry_run
from acp_spy.middleware.faults.catalogue import FAULTS, PRESETS, make_faults
from acp_spy.middleware.pipeline import Pipeline
from acp_spy.wire.frame import Frame, Peer
from tests.support.recordings import FOLDER

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT
NEW = b'{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}\n'
MADE = b'{"jsonrpc":"2.0","id":0,"result":{"sessionId":"s1"}}\n'
PROMPT = (
    b'{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}\n'
)
CHUNK = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":'
    b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%b"}}}}\n'
)
DONE = b'{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}\n'
CANCEL = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}\n'
SENT = (
    (CLIENT, NEW),
    (AGENT, MADE),
    (CLIENT, PROMPT % 1),
    (AGENT, CHUNK % b"one"),
    (AGENT, CHUNK % b"tw\xc3\xb6"),
    (AGENT, DONE % 1),
    (CLIENT, PROMPT % 2),
    (AGENT, CHUNK % b"three"),
    (CLIENT, CANCEL),
    (AGENT, DONE % 2),
)
TALK = (Header(), *(Frame(n, float(n), *each) for n, each in enumerate(SENT, 1)))


class Done:
    """What faults have made of a conversation."""

    def __init__(self, *specs, seed="1", talk=TALK):
        self.faults = make_faults(specs, seed)
        self.complaints = []
        records = dry_run(talk, self.faults, self.complaints.append)
        assert all(" never happened: " in each for each in self.complaints)
        self.records = [r for r in records if isinstance(r, Delivery)]
        self.actions = [(r.seq, r.action) for r in self.records]
        self.times = [(r.seq, r.t) for r in self.records if r.raw is not None]
        self.arrived = [(r.sender, r.raw) for r in delivered(records) if isinstance(r, Frame)]

    def seqs(self, action):
        return [seq for seq, of in self.actions if of == action]


def test_all_faults_of_the_issue_are_there():
    assert set(FAULTS) == {
        "latency",
        "jitter",
        "bandwidth",
        "slice",
        "merge",
        "drop",
        "duplicate",
        "reorder",
        "truncate",
        "corrupt",
        "noise",
        "swallow",
        "late",
        "error",
        "close",
        "half-close",
        "stall",
        "crash",
        "exit",
        "stderr-flood",
    }
    assert set(PRESETS) == {"flaky-network", "slow-model", "bad-agent"}


@pytest.mark.parametrize("name", [*FAULTS, *PRESETS])
def test_every_name_works_alone_and_leaves_its_mark(name):
    assert Done(name).records


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.word)
def test_every_example_works(fault):
    (made,) = make_faults([fault.example])
    assert made.name.startswith(f"fault {fault.word}")


@pytest.mark.parametrize("name", [*FAULTS, *PRESETS])
def test_the_same_seed_does_the_same_to_a_real_conversation(name):
    talk = [*load(FOLDER / "gemini.jsonl").records]
    talk.insert(0, Header())
    specs = [f"{name} p:0.3"] if name in FAULTS else [name]
    first, again = (Done(*specs, seed="5", talk=talk) for _ in range(2))
    assert first.records == again.records
    assert [r.raw for r in first.records] == [r.raw for r in again.records]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("drop method:session/load", "no frame matched `method:session/load`"),
        ("late session:s2", "no frame matched `session:s2 kind:response method:session/prompt`"),
        ("crash turn:3", "no frame matched `turn:3`"),
        ("drop method:session/prompt turn:9", "no frame matched `method:session/prompt turn:9`"),
        ("drop text:'not there'", "no frame matched `'text:not there'`"),
        ("stall at:90s", "no frame matched `at:90s`"),
    ],
)
def test_a_fault_whose_filter_matched_nothing_says_so_in_the_end(spec, reason):
    done = Done(spec)
    assert done.records == []
    assert done.complaints == [f"fault `{spec}` never happened: {reason}"]


def test_a_fault_whose_time_did_not_come_says_so():
    complaints = []
    pipeline = Pipeline(make_faults(["noise at:90s"], "1"), complain=complaints.append)
    pipeline.end()
    assert complaints == [
        "fault `noise at:90s` never happened: the conversation ended before 1 m 30 s"
    ]


@pytest.mark.parametrize("spec", ["drop p:0", "drop count:1", "crash turn:2", "noise at:1s"])
def test_a_fault_that_happened_or_that_chance_spared_says_nothing(spec):
    assert Done(spec).complaints == []


@pytest.mark.parametrize(
    "spec",
    ["drop turn:9", "drop from:agent turn:9", "drop at:90s", "truncate:1 p:0", "drop count:1"],
)
def test_what_a_frame_means_is_not_looked_for_if_the_fault_cannot_depend_on_it(spec, monkeypatch):
    looked = []
    pipeline = Pipeline(make_faults([spec], "1"))
    monkeypatch.setattr(pipeline.context, "catch_up", lambda: looked.append(pipeline.context._new))
    pipeline.take(Frame(1, 1.0, CLIENT, NEW))
    assert looked == []


def test_another_seed_does_something_else():
    talk = [Header(), *(Frame(n, float(n), AGENT, CHUNK % b"x") for n in range(1, 100))]
    assert Done("drop p:0.5", seed="1", talk=talk).actions != (
        Done("drop p:0.5", seed="2", talk=talk).actions
    )


def test_what_a_peer_sends_does_not_change_the_luck_of_the_other():
    by_agent = [Frame(n, float(n), AGENT, CHUNK % b"x") for n in range(1, 50)]
    between = [Frame(n + 100, n + 0.5, CLIENT, CANCEL) for n in range(1, 50)]
    both = sorted([*by_agent, *between], key=lambda frame: frame.t)
    alone = Done("drop p:0.5", talk=[Header(), *by_agent]).seqs("dropped")
    together = Done("drop p:0.5", talk=[Header(), *both]).seqs("dropped")
    assert [seq for seq in together if seq < 100] == alone


def test_without_a_seed_one_is_chosen_and_said():
    first, second = make_faults(["drop p:0.5", "noise"])
    assert first.remark.startswith("--fault 'drop p:0.5' --fault noise --seed ")
    assert not second.remark
    assert make_faults(["drop"], "7")[0].remark == "--fault drop --seed 7"


# ---------------------------------------------------------------------------- which frames


@pytest.mark.parametrize(
    ("tokens", "dropped"),
    [
        ("from:client", [1, 3, 7, 9]),
        ("method:session/update", [4, 5, 8]),
        ("method:session/prompt kind:response", [6, 10]),
        ("-method:session/update from:agent", [2, 6, 10]),
        ("count:2", [1, 2]),
        ("p:0", []),
        ("p:1 count:3 from:agent", [2, 4, 5]),
        ("turn:2", [7, 8, 9, 10]),
        ("turn:1 kind:notification", [4, 5]),
        ("at:3.5s", [4]),
        ("at:3.5s from:client", [7]),
        ("at:3.5s count:2", [4, 5]),
        ("after:7s before:8s", [7, 8]),
        ("text:three", [8]),
        ("session:s1 kind:request", [3, 7]),
        ("seq:2-3", [2, 3]),
    ],
)
def test_tokens_select_frames(tokens, dropped):
    assert Done(f"drop {tokens}").seqs("dropped") == dropped


def test_faults_act_in_the_order_in_which_they_are_given():
    assert Done("drop count:1", "duplicate:3").seqs("dropped") == [1]
    # The frame and one of its copies: nobody has sent that, so there is no record of it.
    done = Done("duplicate:3 seq:1", "drop count:2")
    assert done.seqs("dropped") == [1]
    assert done.seqs("injected") == [1]


@pytest.mark.parametrize(
    "specs",
    [
        ("duplicate from:agent", "drop p:0.5 from:agent"),
        ("drop p:0.5 from:agent", "duplicate from:agent"),
        ("drop p:0.5 from:agent", "noise from:agent"),
        ("noise", "duplicate:3", "drop p:0.7"),
        ("duplicate method:session/prompt", "error:-32603 method:session/prompt p:0.5"),
        ("duplicate:3", "error:-32603 p:0.5", "drop p:0.2"),
    ],
)
def test_the_capture_has_what_was_delivered_if_one_fault_adds_and_another_drops(specs):
    for seed in range(1, 20):
        pipeline = Pipeline(make_faults(specs, str(seed)))
        for frame in TALK[1:]:
            pipeline.take(frame)
        records, writes = pipeline.collect()
        got = [
            (peer, each.raw)
            for peer in Peer
            for each in seen_by(peer, records)
            if isinstance(each, Frame) and each.sender is peer.other
        ]
        assert Counter(got) == Counter(writes)


def test_who_changed_a_line_first_is_named_too():
    (record,) = Done("truncate:9 seq:1", "corrupt seq:1").records
    assert record.by == "fault truncate:9, fault corrupt"
    assert len(record.raw) == 10


def test_a_line_that_two_faults_hold_names_both():
    held, delayed = Done("latency:9ms seq:4", "jitter:9ms seq:4").records
    assert (held.by, delayed.by) == ("fault jitter:9ms", "fault jitter:9ms, fault latency:9ms")


# ---------------------------------------------------------------------------- what they do


def test_latency_is_added_and_keeps_the_order():
    done = Done("latency:2s~500ms from:agent")
    assert [raw for sender, raw in done.arrived if sender is AGENT] == [
        raw for sender, raw in SENT if sender is AGENT
    ]
    assert all(1.5 <= t - seq <= 2.5 for seq, t in done.times)
    assert len({t - seq for seq, t in done.times}) > 1


def test_latency_without_variation_is_exact():
    assert Done("latency:500ms seq:3").times == [(3, 3.5)]


def test_jitter_is_any_time_up_to_one():
    waited = [t - seq for seq, t in Done("jitter:900ms").times]
    assert len(waited) == len(SENT)
    assert all(0 <= each <= 0.9 for each in waited)


def test_bandwidth_counts_what_is_still_on_its_way():
    size = len(CHUNK % b"x")
    talk = [Header(), *(Frame(n, 1.0, AGENT, CHUNK % b"x") for n in range(1, 4))]
    done = Done(f"bandwidth:{size}B", talk=talk)
    assert done.times == [(1, 2.0), (2, 3.0), (3, 4.0)]


def test_stall_for_a_time():
    done = Done("stall:3s turn:1 from:agent")
    assert done.times == [(4, 7.0), (5, 7.0), (6, 7.0)]
    assert {*done.arrived} == {*SENT}


def test_stall_without_a_time_is_for_ever_and_for_one_direction():
    assert Done("stall turn:1 from:agent").seqs("dropped") == [4, 5, 6, 8, 10]


def test_swallow_drops_responses_only():
    assert Done("swallow method:session/prompt").seqs("dropped") == [6, 10]


def test_duplicates():
    done = Done("duplicate:3 seq:4")
    assert done.seqs("injected") == [4, 4]
    assert done.arrived.count(SENT[3]) == 3


def test_reorder_swaps_a_frame_with_the_next_one_of_its_sender():
    done = Done("reorder:5s seq:4")
    assert done.actions == [(4, "held"), (4, "delayed")]
    assert done.arrived == [*SENT[:3], SENT[4], SENT[3], *SENT[5:]]


def test_reorder_gives_up_when_nothing_follows():
    assert Done("reorder:500ms seq:4").times == [(4, 4.5)]


def test_merge_lets_lines_go_together():
    talk = [Header(), *(Frame(n, n / 100, AGENT, CHUNK % b"%d" % n) for n in range(1, 6))]
    done = Done("merge:3", talk=talk)
    assert done.times[:3] == [(1, 0.03), (2, 0.03), (3, 0.03)]
    assert done.times[3:] == [(4, 0.14), (5, 0.14)]
    assert done.actions[:3] == [(1, "held"), (2, "held"), (3, "held")]
    assert [raw for _, raw in done.arrived] == [frame.raw for frame in talk[1:]]


def test_truncate():
    (record,) = Done("truncate:10 seq:3").records
    assert (record.action, record.raw) == ("replaced", b'{"jsonrpc"\n')
    (record,) = Done("truncate seq:3").records
    assert (PROMPT % 1).startswith(record.raw[:-1])
    assert record.raw != PROMPT % 1


def test_corrupt_changes_so_many_bytes_and_no_line_end():
    (record,) = Done("corrupt:3 seq:5").records
    pairs = list(zip(record.raw, SENT[4][1], strict=True))
    assert sum(ours != theirs for ours, theirs in pairs) == 3
    assert record.raw.endswith(b"\n")
    assert record.raw.count(b"\n") == 1


def test_noise_follows_a_frame_of_the_agent():
    done = Done('noise:"oh no" count:1')
    assert done.arrived[:3] == [*SENT[:2], (AGENT, b"oh no\n")]
    assert done.actions == [(2, "injected")]


def test_noise_at_a_time_needs_no_frame():
    (record,) = Done("noise at:2.5s").records
    assert (record.seq, record.t, record.to) == (0, 2.5, CLIENT)


def test_slice_cuts_in_the_middle_of_a_character():
    pipeline = Pipeline(make_faults(["slice:4"], "1"))
    pipeline.take(TALK[5])
    records, writes = pipeline.collect()
    pieces = [raw for _, raw in writes if raw]
    assert len(pieces) == 4
    assert b"".join(pieces) == TALK[5].raw
    assert any(piece[0] == 0xB6 for piece in pieces)
    assert [raw for _, raw in writes[1::2]] == [b""] * 4
    assert records[1].action == "sliced"
    assert records[1].raw == TALK[5].raw


@pytest.mark.parametrize("raw", [b"\n", b"{\n", b"", b"\xc3\xb6"])
@pytest.mark.parametrize("name", ["slice:9", "truncate", "corrupt:9", "duplicate", "error"])
def test_tiny_lines_do_no_harm(raw, name):
    Done(name, talk=[Header(), Frame(1, 0.1, AGENT, raw)])


def test_late_waits_for_the_cancel():
    done = Done("late:2s")
    assert done.times == [(6, 11.0), (10, 11.0)]  # the cancel is at 9
    assert done.arrived[-2:] == [SENT[5], SENT[9]]
    assert Done("late:500ms turn:2").times == []  # it is late enough by itself


def test_late_without_a_cancel_is_delivered_at_the_end():
    done = Done("late", talk=TALK[:7])
    assert done.actions == [(6, "held"), (6, "delayed")]


def test_a_request_can_be_cancelled_by_its_id():
    by_id = b'{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}\n'
    done = Done("late:1s", talk=[*TALK[:7], Frame(7, 20.0, CLIENT, by_id)])
    assert done.times == [(6, 21.0)]


def test_error_answers_a_request_for_the_other_peer():
    done = Done("error:-32000 method:session/prompt count:1")
    assert done.actions == [(3, "answered")]
    (record,) = done.records
    assert record.to is CLIENT
    assert record.raw == (
        b'{"jsonrpc":"2.0","id":1,"error":'
        b'{"code":-32000,"message":"Authentication required (a fault of acp-spy)"}}\n'
    )


# ---------------------------------------------------------------------------- ends


class Controls:
    """What is asked of a conversation."""

    def __init__(self):
        self.done = []

    def close(self, to):
        self.done.append(f"close {to.value}")

    def signal_agent(self, number):
        self.done.append(f"signal {number}")

    def exit_with(self, status):
        self.done.append(f"exit {status}")

    def write_stderr(self, data):
        self.done.append(f"stderr {data.count(10)}")


@pytest.mark.parametrize(
    ("spec", "acts", "actions"),
    [
        (
            "close turn:1",
            ["close client", "close agent"],
            [("client", "closed"), ("agent", "closed")],
        ),
        ("half-close turn:1", ["close client"], [("client", "closed")]),
        ("half-close turn:1 from:client", ["close agent"], [("agent", "closed")]),
        ("crash turn:1", ["signal 9"], [("agent", "signaled")]),
        ("crash:term turn:1", ["signal 15"], [("agent", "signaled")]),
        ("exit:3 turn:1", ["signal 9", "exit 3"], [("agent", "signaled")]),
        ("stderr-flood:790B turn:1", ["stderr 10"], [("client", "flooded")]),
    ],
)
def test_an_end_is_recorded_and_done_once(spec, acts, actions):
    pipeline = Pipeline(make_faults([spec], "1"))
    for frame in TALK[1:6]:
        pipeline.take(frame)
    records, _ = pipeline.collect()
    controls = Controls()
    for act in pipeline.collect_acts():
        act(controls)
    assert controls.done == acts
    beside = [r for r in records if isinstance(r, Delivery) and r.action != "dropped"]
    assert [(r.to.value, r.action) for r in beside] == actions
    assert not pipeline.collect_acts()


@pytest.mark.parametrize(
    ("spec", "dropped"),
    [
        ("close turn:1", [4, 5, 6, 7, 8, 9, 10]),
        ("half-close turn:1", [5, 6, 8, 10]),
        ("crash turn:1", [4, 5, 6, 8, 10]),
        ("crash:SIGTERM turn:1", []),
        ("stderr-flood turn:1", []),
        ("close at:5.5s", [6, 7, 8, 9, 10]),
    ],
)
def test_nothing_is_delivered_after_an_end(spec, dropped):
    done = Done(spec)
    assert done.seqs("dropped") == dropped
    assert done.arrived == [each for n, each in enumerate(SENT, 1) if n not in dropped]


@pytest.mark.parametrize(
    "specs", [("close at:5.5s", "latency:2s"), ("latency:2s", "close at:5.5s")]
)
def test_what_is_held_when_a_stream_ends_is_not_delivered_either(specs):
    """Whatever the order: the fault that holds it may be nearer to its receiver."""
    done = Done(*specs)
    assert [seq for seq, t in done.times if t > 5.5] == []
    dropped = done.seqs("dropped")
    assert dropped
    assert done.arrived == [each for n, each in enumerate(SENT, 1) if n not in dropped]


# ---------------------------------------------------------------------------- wrong specs


@pytest.mark.parametrize(
    ("spec", "reason", "hint"),
    [
        ("dorp", "no such fault: `dorp`", "did you mean `drop`? `acp-spy faults` lists all"),
        ("bad-agnt", "no such fault: `bad-agnt`", "did you mean `bad-agent`?"),
        ("", "missing name", "`acp-spy faults` lists all"),
        ("drop methd:x", "no such filter: `methd:x`", "did you mean `method`?"),
        ("drop finding:any", "frames are not checked on their way", "another filter"),
        ("drop often", "no such filter: `often`", "use p:, count:"),
        ("drop count", "missing value: `count`", "use count:VALUE"),
        ("drop kind:x", "unknown value `x`", "use request"),
        ("drop text:'x", "no closing quote", "close the quote"),
        ("drop p:2", "not a probability: `p:2`", "from 0 to 1"),
        ("drop p:nan", "not a probability: `p:nan`", "from 0 to 1"),
        ("drop count:0", "not a number from 1: `count:0`", "count:2"),
        ("drop turn:x", "not a number from 1: `turn:x`", "turn:2"),
        ("drop at:noon", "not a time: `at:noon`", "at:5s"),
        ("drop:3", "`drop` takes no value", "use 'drop method:session/update p:0.1'"),
        ("close:both", "`close` takes no value", "use 'close turn:2 from:agent'"),
        ("latency:soon", "not a time: `soon`", "use 200ms"),
        ("latency:1s~x", "not a time: `x`", "use 200ms"),
        ("bandwidth:0B", "nothing would ever arrive", "use `stall`"),
        ("bandwidth:fast", "not a size: `fast`", "use 500B"),
        ("slice:1", "not a number from 2: `1`", "use slice:3"),
        ("error:oops", "not an error code: `oops`", "use error:-32603"),
        ("crash:SIGFOO", "no such signal: `SIGFOO`", "use crash:SIGSEGV"),
        ("exit:256", "not an exit status: `256`", "from 0 to 255"),
    ],
)
def test_a_wrong_spec_is_refused(spec, reason, hint):
    with pytest.raises(AcpSpyError) as refused:
        make_faults([spec])
    assert refused.value.message == f"cannot use the fault `{spec}`: {reason}"
    assert hint in refused.value.hint


def test_a_spec_that_is_too_long_or_no_text_is_refused():
    with pytest.raises(AcpSpyError, match="xx…`: it has more than 10,000 characters"):
        make_faults([f"drop text:{'x' * 1_000_000}"])
    with pytest.raises(AcpSpyError, match="it is not UTF-8"):
        make_faults(["drop text:\udcff"])


def test_a_seed_must_be_a_number_and_needs_a_fault():
    with pytest.raises(AcpSpyError, match="cannot use the seed `x`: not a number"):
        make_faults(["drop"], "x")
    with pytest.raises(AcpSpyError, match="cannot be used without `--fault`"):
        make_faults([], "1")


def test_a_preset_takes_more_tokens():
    assert {fault.spec.tokens[-1] for fault in make_faults(["bad-agent from:agent"])} == {
        "from:agent"
    }
