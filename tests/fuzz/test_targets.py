"""Whatever bytes are given to whatever reads them: a value, or an error for people."""

import json
from functools import cache
from itertools import count

import pytest
from fuzz.loop import Hang, Outcome, feed, run, save, table
from fuzz.mutation import Mutator
from fuzz.seeds import ROOT, seeds
from fuzz.targets import TARGETS, Target, hold
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort

from acp_spy.capture.codec import encode
from acp_spy.capture.records import MOST_SECONDS, Header
from acp_spy.wire.frame import Frame, Peer

EXAMPLE = (ROOT / "fixtures" / "example.jsonl").read_bytes()


@cache
def vocabulary():
    """Return the keys and the short values that occur in what we have."""
    keys, values = set(), set()
    for seed in seeds("captures"):
        for line in seed.split(b"\n"):
            try:
                waiting = [json.loads(line)]
            except (ValueError, RecursionError):
                continue
            while waiting:
                value = waiting.pop()
                if isinstance(value, dict):
                    keys.update(key for key in value if len(key) < 40)
                    waiting += value.values()
                elif isinstance(value, list):
                    waiting += value
                elif not isinstance(value, str) or len(value) < 40:
                    values.add(json.dumps(value))
    return sorted(keys), [json.loads(value) for value in sorted(values)]


keys = st.deferred(lambda: st.sampled_from(vocabulary()[0]))
values = st.deferred(lambda: st.sampled_from(vocabulary()[1]))
words = st.deferred(
    lambda: st.sampled_from([value for value in vocabulary()[1] if isinstance(value, str)])
)
any_value = st.recursive(
    values | st.text(max_size=8) | st.floats(allow_nan=False) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=10,
)
bodies = st.dictionaries(keys, any_value, max_size=6)
calls = st.fixed_dictionaries(
    {"method": words},
    optional={"id": st.sampled_from([0, 1, "1", None]), "params": bodies | any_value},
)
answers = st.fixed_dictionaries(
    {"id": st.sampled_from([0, 1, "1", None])}, optional={"result": any_value, "error": any_value}
)
lines = st.one_of(
    (calls | answers).map(lambda message: json.dumps({"jsonrpc": "2.0", **message}).encode()),
    any_value.map(lambda value: json.dumps(value).encode()),
    st.binary(max_size=60),
)
times = st.floats(-1, 100) | st.sampled_from([MOST_SECONDS, -MOST_SECONDS, 0.0])


@st.composite
def conversations(draw):
    """Give a capture in which the words are right, and nothing else need be."""
    said = draw(st.lists(st.tuples(st.sampled_from(Peer), lines, times), max_size=8))
    header = Header(
        started=draw(st.sampled_from(["", "2026-01-05T09:30:00Z", "9999-12-31T23:59:59Z", "x"])),
        command=tuple(draw(st.lists(st.text(max_size=5), max_size=2))),
        cwd=draw(st.sampled_from(["", "/", "/p", "\0"])),
    )
    frames = [
        Frame(seq, t, sender, line + b"\n") for seq, (sender, line, t) in enumerate(said, start=1)
    ]
    return encode([header, *frames])


@pytest.mark.parametrize("name", TARGETS)
@given(st.binary(max_size=200) | conversations())
@settings(max_examples=effort.examples(5))
def test_whatever_comes_the_promise_holds(name, data):
    hold(name, data)


@pytest.mark.parametrize("inputs", effort.some_of((10, 60), 10))
@pytest.mark.parametrize("name", TARGETS)
def test_whatever_is_done_to_what_we_have_the_promise_holds(name, inputs):
    """A short form of `python -m tests.fuzz`; the inputs are the same in every run."""
    mutator = Mutator(seeds(TARGETS[name].seeds), seed=7)
    for _ in range(inputs):
        hold(name, mutator.next())


@pytest.mark.parametrize("name", [name for name in TARGETS if TARGETS[name].seeds == "captures"])
def test_no_target_refuses_a_good_capture(name):
    """It would hold every promise, and test nothing."""
    TARGETS[name].run(EXAMPLE)
    assert TARGETS[name].promise.endswith(".")


# ----------------------------------------------------------------------------- the loop itself


def fails_on_braces(data):
    """Fail."""
    if b"{" in data:
        raise KeyError("brace")


def hangs(data):
    """Hang."""
    while True:
        pass


@pytest.fixture
def planted(monkeypatch):
    monkeypatch.setitem(TARGETS, "planted", Target(fails_on_braces))
    monkeypatch.setitem(TARGETS, "hangs", Target(hangs))


def test_a_bug_that_is_planted_is_found_and_its_input_kept(planted, monkeypatch, tmp_path):
    clock = count()
    monkeypatch.setattr("fuzz.loop.time.monotonic", lambda: next(clock))
    outcome = run("planted", seconds=20, seed=1)
    (output,) = outcome.failures
    assert output.startswith("KeyError: \"'brace'\" at test_targets.py:")
    assert outcome.executions == 19
    kept = list(save([outcome], tmp_path / "new"))
    assert [path.name for path in kept] == ["planted-failure-1", "planted-slowest"]
    assert b"{" in kept[0].read_bytes()


def test_a_hang_is_a_failure_with_an_end(planted, monkeypatch):
    monkeypatch.setattr("fuzz.loop.LONGEST", 0.05)
    outcome = Outcome("hangs")
    feed(outcome, b"x")
    (output,) = outcome.failures
    assert output.startswith(f"{Hang.__name__}: 'no end after 0.05 s' at loop.py:")
    head, row, _, failure = "\n".join(table([outcome])).split("\n")
    assert head == "target          executions  failures  slowest input"
    assert row.startswith("hangs                    1         1  ")
    assert failure == f"hangs: {output}"


def test_the_same_seed_gives_the_same_inputs():
    one, other = (Mutator(seeds("captures"), seed=3) for _ in range(2))
    assert [one.next() for _ in range(50)] == [other.next() for _ in range(50)]
    assert Mutator(seeds("captures"), seed=4).next() != Mutator(seeds("captures"), seed=3).next()
