"""What a page is told of a capture while it grows: in the end, what the page of the whole has."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from support import page_script
from support.conversations import TALK, talk
from support.diagnoses import EXAMPLES
from support.effort import some_of
from support.live_pages import HEADER, record
from support.pages import Blocks, page_of

from acp_spy.capture.codec import encode
from acp_spy.capture.files import read
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.errors import AcpSpyError
from acp_spy.live_page import live_capture
from acp_spy.live_page.live_capture import Choices, LiveCapture
from acp_spy.live_page.served_pages import source_of
from acp_spy.view import page_data

ROOT = Path(__file__).parents[2]
UNMASKED = Choices(masked=False)
CAPTURES = [
    path
    for path in sorted(ROOT.glob("fixtures/*.jsonl"))
    if path.stem not in ("damaged-in-the-middle", "format-from-the-future")
]
USUAL = [ROOT / "fixtures" / f"{name}.jsonl" for name in ("with-deliveries", "with-findings")]
SECRET = "sk-ant-" + "api03-" + "Zq7" * 31 + "AA"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(live_capture, "_STATE_PAUSE", 0.0)
    monkeypatch.setattr(live_capture, "_STATS_PAUSE", 0.0)


def news_of(live):
    """Return what is new, up to where there is no more for now."""
    lines = []
    while not live.is_over:
        lines += live.take()
        if live.is_idle:
            break
    return [json.loads(line) for line in lines]


def said(news, name):
    return [each[name] for each in news if name in each]


def whole(path, choices=UNMASKED):
    live = LiveCapture(str(path), choices)
    try:
        return news_of(live)
    finally:
        live.close()


def grown(folder, records, choices=UNMASKED, name="run.jsonl"):
    """Return what a page is told that is open from the first record on."""
    header, *rest = records
    file = record(folder, name=name, header=header)
    live = LiveCapture(file.path, choices)
    news = news_of(live)
    for each in rest:
        file.append([each])
        news += news_of(live)
    file.close()
    while not live.is_over:
        news += news_of(live)
    live.close()
    return news


BOTH = """({ about, rows, news }) => {
    const still = acpSpy.data.create(about);
    acpSpy.data.append(still, rows);
    acpSpy.data.addFindings(still, about.findings);
    acpSpy.data.settle(still);
    let live = null;
    for (const each of news) {
        if (each.about) live = acpSpy.live.create(each.about);
        acpSpy.live.take(live, each);
    }
    acpSpy.live.settle(live);
    return [still, live].map((model) => ({
        ...model,
        sessions: [...model.sessions],
        turns: [...model.turns.values()].map((turn) => [turn.seq, turn.name, turn.ended, turn.rows.length]),
        bySeq: model.bySeq.size, answers: model.answers.size,
        requests: model.requests.map(({ index }) => index), toolUpdates: model.toolUpdates.map(({ index }) => index),
    }));
}"""


def plain(model):
    """Return a model without what depends on when a finding came to light, and what only one has."""
    for row in model["rows"]:
        row["findings"] = sorted(json.dumps(each, sort_keys=True) for each in row["findings"])
    model["findings"] = sorted(
        (each["code"], each["seq"], each["text"]) for each in model["findings"]
    )
    for row in model["rows"]:
        row["findings"] = [{**json.loads(each), "mistake": 0} for each in row["findings"]]
    return {
        name: value
        for name, value in model.items()
        if name not in ("isLive", "isReading", "stamp", "clock", "pending")
    }


@pytest.mark.parametrize("path", some_of(CAPTURES, *USUAL), ids=lambda path: path.stem)
def test_a_page_that_saw_it_all_happen_has_what_the_page_of_the_whole_has(path, tmp_path):
    records = [*read(path)]
    blocks = Blocks(page_of(records, "run.jsonl", masked=False)).data
    given = {
        "about": json.loads(blocks["acp-spy-about"]),
        "rows": json.loads(blocks["acp-spy-rows"]),
    }
    still, live = page_script.run_script(
        BOTH, {**given, "news": grown(tmp_path, records)}, more=source_of("live.js")
    )
    assert plain(live) == plain(still)


MEANWHILE = """({ about, rows }) => {
    const model = acpSpy.data.create(about);
    acpSpy.data.append(model, rows.slice(0, 12));
    const wanted = acpSpy.fold.fold(model.rows, model, () => true);
    const steps = acpSpy.fold.steps(model.rows, model, () => true);
    steps.next();
    acpSpy.data.append(model, rows.slice(12));
    const folded = acpSpy.slices.runNow(steps);
    return [wanted, folded].map(({ items, places }) => [items.map(({ key }) => key), [...places]]);
}"""


def test_rows_that_come_while_others_are_folded_are_left_out():
    blocks = Blocks(page_of(talk(), "run.jsonl")).data
    given = {name: json.loads(blocks[f"acp-spy-{name}"]) for name in ("about", "rows")}
    wanted, folded = page_script.run_script(MEANWHILE, given)
    assert len(wanted[1]) == 12
    assert folded == wanted


def test_each_record_is_told_when_it_is_there(tmp_path):
    header, *records = talk()
    file = record(tmp_path, header=header)
    live = LiveCapture(file.path, UNMASKED)
    first = news_of(live)
    assert [*first[0]] == ["about"]
    assert said(first, "caughtUp") == [True]
    assert news_of(live) == [] or said(news_of(live), "rows") == []
    for each in records[:3]:
        file.append([each])
        assert [len(rows) for rows in said(news_of(live), "rows")] == [1]
    file.close()
    while not live.is_over:
        last = news_of(live)
    assert said(last, "over") == [True]
    assert said(last, "state")[-1]["running"] is False
    live.close()


@pytest.mark.parametrize("masked", [True, False])
def test_how_much_of_a_large_file_has_been_read_is_told(tmp_path, monkeypatch, masked):
    monkeypatch.setattr(live_capture, "_LARGE", 1000)
    monkeypatch.setattr(live_capture, "_AT_ONCE", 1000)
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode(talk()))
    news = whole(path, Choices(masked=masked))
    percents = said(news, "reading")
    assert percents == sorted(set(percents))
    assert (percents[0], percents[-1]) == (0, 99)
    before_rows = next(place for place, each in enumerate(news) if "rows" in each)
    assert (50 in said(news[:before_rows], "reading")) is masked  # it is read twice
    assert "reading" not in news[-1]


def test_what_is_pending_is_told_with_its_beginning(tmp_path):
    file = record(tmp_path, [each for each in talk() if not isinstance(each, Header)][:10])
    live = LiveCapture(file.path, UNMASKED)
    (state,) = said(news_of(live), "state")
    assert [(each["of"], each["method"], each["seq"]) for each in state["pending"]] == [
        ("agent", "session/prompt", 5)
    ]
    assert state["running"] is True
    live.close()
    file.close()


def test_a_held_request_is_pending_because_of_acp_spy(tmp_path):
    records = EXAMPLES["frame-held"].records()[1:]
    file = record(tmp_path, records)
    live = LiveCapture(file.path, UNMASKED)
    (state,) = said(news_of(live), "state")
    assert state["diagnosis"]["words"] == "held by acp-spy"
    assert "`acp-spy hold release 6`" in state["diagnosis"]["hint"]
    assert [each["kept"] for each in state["pending"]] == ["held by intercept"]
    live.close()
    file.close()


def test_secrets_are_masked_also_in_what_comes_later(tmp_path):
    transcript = TALK.replace("warming up", f"key is {SECRET}").replace("bye", SECRET)
    masked = json.dumps(grown(tmp_path, [HEADER, *parse(transcript)], Choices()))
    assert SECRET not in masked
    assert '"maskedPlaces": 2' in masked
    shown = json.dumps(grown(tmp_path, [HEADER, *parse(transcript)], UNMASKED, name="other.jsonl"))
    assert shown.count(SECRET) > 2


@pytest.mark.parametrize("before", [False, True])
def test_the_page_knows_if_the_capture_was_redacted_before(tmp_path, before):
    news = grown(tmp_path, [replace(HEADER, redacted=before), *parse(TALK)], Choices())
    (about,) = said(news, "about")
    assert (about["masked"], about["wasRedacted"]) == (True, before)


def test_what_is_told_again_after_a_secret_is_known_is_masked(tmp_path):
    """The diagnosis, what is waited for and the statistics quote earlier frames."""
    *before, named, gone, status = parse("""
        -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
        <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
        -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p","mcpServers":[]}}
        -> {"jsonrpc":"2.0","id":2,"method":"_x/k4Jw81mZq0XtR7vB","params":{}}
        <- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"cannot use k4Jw81mZq0XtR7vB"}}
        !! fatal: upstream said no to k4Jw81mZq0XtR7vB
        -> {"jsonrpc":"2.0","id":9,"method":"authenticate","params":{"apiKey":"k4Jw81mZq0XtR7vB"}}
        <- EOF
        == 1
    """)
    file = record(tmp_path, before)
    live = LiveCapture(file.path, Choices())
    assert "k4Jw81mZq0XtR7vB" in json.dumps(news_of(live))
    file.append([named])
    revealed = news_of(live)
    (state,) = said(revealed, "state")
    assert state["maskedPlaces"] == 1
    waiting = [each["method"] for each in state["pending"]]
    assert sorted(waiting) == ["_x/redacted-secret-1", "authenticate"]
    file.append([gone, status])
    file.close()
    revealed += news_of(live)
    assert said(revealed, "state")[-1]["diagnosis"]
    assert said(revealed, "stats")
    assert "k4Jw81mZq0XtR7vB" not in json.dumps(revealed)
    live.close()


def test_a_page_that_is_opened_later_masks_what_was_identified_later(tmp_path):
    """A reload is enough to mask a value that a later frame showed to be a secret."""
    named = '-> {"jsonrpc":"2.0","id":9,"method":"authenticate","params":{"methodId":"k","apiKey":"brown-fox-4711"}}'
    records = [HEADER, *parse(f"!! value brown-fox-4711\n{named}")]
    early = json.dumps(grown(tmp_path, records, Choices()))
    assert "value brown-fox-4711" in early
    assert 'apiKey\\":\\"brown-fox-4711' not in early
    path = tmp_path / "whole.jsonl"
    path.write_bytes(encode(records))
    assert "brown-fox-4711" not in json.dumps(whole(path, Choices()))


def test_a_file_of_another_tool_is_told_as_a_whole(tmp_path):
    path = next(iter(sorted((ROOT / "fixtures" / "foreign").glob("*conductor*"))))
    news = whole(path, Choices())
    assert said(news, "over") == [True]
    assert sum(map(len, said(news, "rows"))) > 3


def test_an_empty_file_is_a_page_without_rows(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    news = whole(tmp_path / "empty.jsonl")
    assert [*news[0]] == ["about"]
    assert said(news, "rows") == []


def test_what_is_too_long_for_a_page_is_refused_at_once_or_when_it_becomes_so(
    tmp_path, monkeypatch
):
    header, *records = talk()
    file = record(tmp_path, records[:5], header=header)
    live = LiveCapture(file.path, UNMASKED)
    news_of(live)
    monkeypatch.setattr(page_data, "MOST", 500)
    with pytest.raises(
        AcpSpyError, match=r"cannot make a page of `run\.jsonl`: it would be larger"
    ):
        LiveCapture(file.path, UNMASKED)
    file.append(records[5:])
    with pytest.raises(AcpSpyError, match="it would be larger") as raised:
        news_of(live)
    assert "seq:1-100000" in raised.value.hint
    live.close()
    file.close()


def test_what_to_run_instead_of_a_page_can_be_pasted_into_a_shell(tmp_path, monkeypatch):
    path = tmp_path / "a $(touch x).jsonl"
    path.write_bytes(encode(talk()))
    monkeypatch.setattr(page_data, "MOST", 500)
    with pytest.raises(AcpSpyError) as raised:
        LiveCapture(str(path), UNMASKED)
    assert "`acp-spy view 'a $(touch x).jsonl'`" in raised.value.hint
    assert "`acp-spy view 'a $(touch x).jsonl' seq:1-100000" in raised.value.hint


def test_a_file_that_becomes_shorter_is_reported(tmp_path):
    file = record(tmp_path, talk()[1:])
    live = LiveCapture(file.path, UNMASKED)
    news_of(live)
    Path(file.path).write_bytes(b"")
    with pytest.raises(AcpSpyError, match="it became shorter"):
        news_of(live)
    live.close()
    file.close()
