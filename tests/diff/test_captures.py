"""
Every capture, compared with itself, with itself under other names, and with itself changed.

`pytest tests/diff/test_captures.py --captures DIR` compares those in DIR as well.
"""

import io
import json
import random
import re

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console
from support import effort
from support.replays import Renamed, other_id

from acp_spy import Capture, Delivery, Disconnect, Exit, Frame, Header, HttpExchange, Peer, load
from acp_spy.capture.transcript import parse
from acp_spy.comparison import json as as_json
from acp_spy.comparison import text
from acp_spy.comparison.capture_diff import diff_captures
from acp_spy.comparison.read import read_capture


def output(capture, name="run.jsonl"):
    return read_capture(name, [capture.header, *capture.records])


def diff(one, other):
    return diff_captures(output(one, "old.jsonl"), output(other, "new.jsonl"))


def differing(comparison):
    """Return all that differs, in words: what a failing test should show."""
    return [
        *[(c.kind, c.item.seq, c.item.what, c.differences) for c in comparison.said.changes],
        *[("came", mistake.first) for mistake in comparison.came],
        *[("went", mistake.first) for mistake in comparison.went],
        *[("end", comparison.one.stats.status)] * comparison.ends_differ,
    ]


def rebuilt(capture, frames):
    """Return the capture with other frames, given as (sender, bytes); the rest stays as it is."""
    fresh = iter(frames)
    records = [
        msgspec.structs.replace(record, raw=next(fresh)[1]) if isinstance(record, Frame) else record
        for record in capture.records
    ]
    return Capture(capture.header, tuple(records))


def renamed(capture):
    """Return the capture as it would have been with all ids, names and the folder changed."""
    for live in Peer:
        other = Renamed(capture, live, cwd=f"/srv/{live.value}/work")
        frames = [
            (sender, _withdrawn(_in_text(raw, other.names), sender is live))
            for sender, raw in other.frames
        ]
        capture = _in_headers(rebuilt(capture, frames), other.names)
        if capture.header.cwd == other.cwd[0]:
            header = msgspec.structs.replace(capture.header, cwd=other.cwd[1])
            capture = Capture(header, capture.records)
    return capture


def _in_headers(capture, names):
    """Return the capture with the sessions in HTTP headers renamed, too."""

    def with_session(record):
        return msgspec.structs.replace(record, session=names.get(record.session, record.session))

    def headed(record):
        if isinstance(record, HttpExchange | Disconnect):
            return with_session(record)
        if isinstance(record, Frame) and record.via:
            return msgspec.structs.replace(record, via=with_session(record.via))
        return record

    return Capture(capture.header, tuple(map(headed, capture.records)))


def _withdrawn(raw, is_live):
    """Return a line with the id of the request that it withdraws, as that is now."""
    if not is_live or b'"$/cancel_request"' not in raw:
        return raw
    message = json.loads(raw)
    message["params"]["requestId"] = other_id(message["params"]["requestId"])
    return json.dumps(message).encode() + b"\n"


def _in_text(raw, names):
    """Return a line with the names replaced where they stand in the middle of a text, too."""
    for name, fresh in names.items():
        if len(name) >= 8 and any(c.isdigit() for c in name):
            raw = re.sub(rb"(?<![\w-])%s(?![\w-])" % re.escape(name.encode()), fresh.encode(), raw)
    return raw


def mutated(capture, chance):
    """Return the capture after a few accidents: frames lost, doubled, swapped, cut or changed."""
    records = [r for r in capture.records if isinstance(r, Frame)]
    for _ in range(chance.randint(1, 4)):
        if not records:
            break
        at = chance.randrange(len(records))
        frame = records[at]
        accident = chance.choice(["drop", "double", "swap", "cut", "change", "noise"])
        if accident == "drop":
            del records[at]
        elif accident == "double":
            records.insert(at, frame)
        elif accident == "swap":
            other = chance.randrange(len(records))
            records[at], records[other] = records[other], frame
        elif accident == "noise":
            records.insert(at, msgspec.structs.replace(frame, raw=b"\x1b[1m oh \xff\n"))
        else:
            half = len(frame.raw) // 2
            raw = frame.raw[:half] + b"\n" if accident == "cut" else frame.raw.replace(b"a", b"e")
            records[at] = msgspec.structs.replace(frame, raw=raw)
    numbered = [
        msgspec.structs.replace(frame, seq=seq, t=seq / 1000)
        for seq, frame in enumerate(records, start=1)
    ]
    return Capture(capture.header, (*numbered, Exit(9.0, chance.choice([0, 0, 1]))))


def test_it_equals_itself(capture):
    recorded = load(capture)
    assert differing(diff(recorded, recorded)) == []


def test_it_equals_itself_under_other_names(capture):
    recorded = load(capture)
    # What came instead of a frame has its ids as well, and they are not renamed here.
    sent = tuple(each for each in recorded.records if not isinstance(each, Delivery))
    recorded = Capture(recorded.header, sent)
    # Spelled anew, too: what is spelled oddly is a finding, and would be mended by the way.
    assert differing(diff(respelled(recorded), renamed(recorded))) == []


def respelled(capture):
    """Return the capture with its JSON spelled as `renamed` spells it."""

    def spell(raw):
        try:
            message = json.loads(raw)
        except ValueError:
            return raw
        is_message = isinstance(message, dict) and message.keys() & {"method", "result", "error"}
        return json.dumps(message).encode() + b"\n" if is_message else raw

    return rebuilt(capture, [(frame.sender, spell(frame.raw)) for frame in capture.frames])


@pytest.mark.parametrize("seed", effort.some_of(range(4), 0))
def test_two_mutations_are_compared_without_a_word_that_is_not_so(capture, seed):
    """Each equals itself, and whether two are equal does not depend on which is the first."""
    recorded = load(capture)
    chance = random.Random(f"{seed} {capture.name}")
    one, other = output(mutated(recorded, chance)), output(mutated(recorded, chance))
    assert differing(diff_captures(one, one)) == []
    there, back = diff_captures(one, other), diff_captures(other, one)
    assert there.is_equal == back.is_equal
    shows_well(there)


def shows_well(comparison):
    """Both renderings exist, fit, and are harmless."""
    for width in (40, 200):
        out = io.StringIO()
        text.render(comparison, Console(file=out, width=width, highlight=False))
        lines = out.getvalue().splitlines()
        assert all(line.isprintable() for line in lines)
        assert [line for line in lines if cell_len(line) > width] == []
    document = as_json.render(comparison)
    assert json.loads(document)["equal"] == comparison.is_equal
    assert document.replace("\n", "").isprintable()


def test_an_empty_capture_is_one_too():
    empty = Capture(Header(), ())
    comparison = diff(empty, empty)
    assert comparison.is_equal
    shows_well(comparison)


def test_an_end_that_another_tool_did_not_keep_is_no_difference():
    whole = Capture(Header(), (Exit(t=1.0, status=0),))
    assert not diff(whole, Capture(Header(note="imported from x"), ())).ends_differ
    assert diff(whole, Capture(Header(), ())).ends_differ


def test_what_is_slower_is_a_property_as_it_is_a_field_of_the_json():
    prompt = '-> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}'
    response = '<- {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}'
    one, other = (Capture(Header(), tuple(parse(f"{prompt}\n@ {t}\n{response}"))) for t in (1, 9))
    ((before, after),) = diff(one, other).slower
    assert (round(before.seconds), round(after.seconds)) == (1, 9)


def test_captures_in_memory_and_paths_are_compared_alike(tmp_path):
    from support.talks import write_two_days

    import acp_spy

    write_two_days(tmp_path)
    monday, tuesday = tmp_path / "monday.jsonl", tmp_path / "tuesday.jsonl"
    by_path = acp_spy.diff(monday, tuesday)
    loaded = acp_spy.diff(acp_spy.load(monday), acp_spy.load(tuesday))
    assert not by_path.is_equal
    assert by_path.changes
    assert loaded.changes == by_path.changes
    assert (by_path.one.path, loaded.one.path) == (str(monday), "capture")
    assert acp_spy.diff(monday, monday).is_equal
