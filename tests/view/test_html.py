"""The page as a file: whole, closed to the outside, and safe to hold anything."""

import base64
import hashlib
import json
import re
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from support import effort
from support.conversations import TALK, says, talk
from support.pages import Blocks, page_of

import acp_spy.view
from acp_spy import load
from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rules.framing import duplicate_key
from acp_spy.lint.ruleset import check
from acp_spy.live_page.live_capture import Choices, LiveCapture
from acp_spy.view import page_data
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.html import SCRIPTS, STYLES, render
from acp_spy.view.page_data import LONGEST_LINE, to_json
from acp_spy.wire.frame import Frame, Peer

ROOT = Path(__file__).parents[2]
SOURCES = Path(acp_spy.view.__file__).parent / "page"


def rows_in(page):
    return json.loads(Blocks(page).data["acp-spy-rows"])


def about(page):
    return json.loads(Blocks(page).data["acp-spy-about"])


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "<img src=x onerror=alert(1)>",
    "\u2028 \u2029 \x1b[2J \x9b31m \x00 \x7f \u202e",
    "{{script}} {{about}}",
    "&lt;/script&gt;",
    "\\u003c/script>",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_is_sent_the_page_keeps_its_shape_and_the_text_its_letters(text):
    line = json.dumps({"jsonrpc": "2.0", "method": text, "params": [text]}, ensure_ascii=False)
    sent = line.encode() + b"\n"
    records = [
        Header(command=(text,)),
        Frame(1, 0.1, Peer.AGENT, sent),
        Frame(2, 0.2, Peer.CLIENT, text.encode() + b"\n"),
        Stderr(0.3, text.encode()),
    ]
    page = page_of(records)
    plain = page_of(talk())
    assert Blocks(page).tags[2:] == Blocks(plain).tags[2:]  # but for the policy, which is the same
    assert Blocks(page).tags == Blocks(plain).tags
    assert [row[-2] for row in rows_in(page)] == [sent.decode(), text + "\n", text]
    outside = re.sub(r"[\n\x20-\x7e]", "", page)
    assert [c for c in outside if not c.isprintable()] == []


def test_json_for_a_page_means_the_same_also_with_half_an_emoji():
    for value in (
        ["\ud83d", "</script>\u2028\x1b\u202e##[x]", "é😀"],
        {"a": [None, True, 1e-7, 1e16]},
    ):
        assert json.loads(to_json(value)) == value
        assert "<" not in to_json(value)
        assert "\x1b" not in to_json(value)


def test_bytes_that_are_no_text_are_spelled_out():
    page = page_of([Frame(1, 0.1, Peer.AGENT, b"caf\xe9\n")])
    assert rows_in(page)[0][-2] == "caf\\xe9\n"


def test_a_name_that_is_no_text_or_is_markup_is_harmless():
    page = page_of(talk(), "<b>\udce9\x1b.jsonl")
    assert "<b>" not in page
    page.encode()
    assert about(page)["name"] == "<b>\udce9\x1b.jsonl"


def test_the_page_loads_nothing():
    tags = Blocks(page_of(talk())).tags
    loaded = [
        value
        for _, attributes in tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "data", "poster", "background")
    ]
    assert [value.split(",")[0] for value in loaded] == ["data:image/svg+xml"]
    styles = Blocks(page_of(talk())).data["style"]
    assert "url(" not in styles
    assert "@import" not in styles


def test_the_policy_allows_the_pages_own_script_and_style_and_nothing_else():
    page = page_of(talk())
    policy = next(
        attributes["content"]
        for tag, attributes in Blocks(page).tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )

    def digest(name):
        hashed = hashlib.sha256(Blocks(page).data[name].encode()).digest()
        return f"'sha256-{base64.b64encode(hashed).decode()}'"

    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src {digest('script')}",
        f"style-src {digest('style')}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]


def test_the_page_is_made_of_all_its_files():
    assert {path.name for path in SOURCES.iterdir()} == {
        "document.html",
        "page.html",
        *(f"{name}.css" for name in STYLES),
        *(f"{name}.js" for name in SCRIPTS),
    }


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_short_says_what_it_does_and_makes_no_markup(name):
    source = (SOURCES / f"{name}.js").read_text()
    lines = source.splitlines()
    assert len(lines) <= 300
    assert lines[0].startswith("// ")
    assert lines[1] == f"acpSpy.{name} = (() => {{"  # the one name that it gives to the others
    assert lines[-1] == "})();"
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function"
    assert re.findall(forbidden + r"|fetch\(|XMLHttpRequest|WebSocket|</script|<!--", source) == []


SECRET = "sk-ant-" + "api03-" + "Zq7" * 31 + "AA"


def test_secrets_are_masked_unless_they_are_asked_for():
    transcript = TALK.replace("warming up", f"key is {SECRET}").replace("bye", SECRET)
    records = parse(transcript)
    assert SECRET not in page_of(records)
    assert about(page_of(records))["masked"] is True
    shown = page_of(records, masked=False)
    assert shown.count(SECRET) >= 2
    assert about(shown)["masked"] is False


def test_filters_choose_what_goes_into_the_page():
    page = page_of(talk(), filters=["kind:request", "from:client"])
    assert [row[2] for row in rows_in(page)] == [1, 3, 5, 22]
    rendered = about(page)
    assert rendered["filter"] == "kind:request from:client"
    assert {finding["row"] for finding in rendered["findings"]} <= {0, 1, 2, 3}


def test_what_is_left_out_of_a_page_is_not_told_by_its_figures_either():
    whole = about(page_of(talk()))
    (turn, _) = whole["stats"]["turns"]["longest"]
    assert [tool["title"] for tool in turn["tools"]] == ["Run pytest"]
    page = page_of(talk(), filters=["seq:3-5"])
    stats = about(page)["stats"]
    assert "pytest" not in page
    assert "helper 3.4" not in page  # the command of the header stays
    assert "c-1" not in page
    assert about(page)["peers"] == {"client": "", "agent": ""}
    assert [method["method"] for method in stats["methods"]] == ["session/new", "session/prompt"]
    (turn,) = stats["turns"]["longest"]
    assert (turn["seq"], turn["stop_reason"], turn["tools"]) == (5, None, [])
    assert (stats["frames"], turn["tool_calls"]) == (22, 1)  # figures are of the whole


def test_what_a_part_shows_is_named_in_its_figures():
    rendered = about(page_of(talk(), filters=["-text:nowhere"]))
    whole = about(page_of(talk()))
    assert rendered["peers"] == {"client": "editor 1.2", "agent": "helper 3.4"}
    assert rendered["stats"] == whole["stats"]


def test_findings_stand_with_their_rows_and_bring_their_rules():
    page = page_of(talk())
    rendered = about(page)
    seqs = {finding["code"]: finding["seq"] for finding in rendered["findings"]}
    assert seqs["RPC006"] == 22
    assert set(rendered["rules"]) == set(seqs)
    rows = rows_in(page)
    for finding in rendered["findings"]:
        if finding["row"] is None:  # it came to light later: the page places it by its frame
            assert finding["seq"] in [row[2] for row in rows]
        else:
            assert rows[finding["row"]][2] == finding["seq"]


@pytest.mark.parametrize("part", effort.some_of(range(6), 0))
def test_the_page_tells_exactly_what_check_finds(part):
    """In the wrong example of every rule, whatever the rules find there."""
    for rule in list(CATALOGUE.values())[part::6]:
        records = parse(rule.bad)
        found = check(records)
        rendered = about(page_of(records, masked=False))["findings"]
        assert sorted(
            (finding["seq"], finding["code"], finding["text"]) for finding in rendered
        ) == (sorted((finding.seq, finding.code, finding.text) for finding in found))


def test_a_capture_without_a_record_is_a_page_all_the_same():
    assert rows_in(page_of([])) == []


READABLE = [
    path
    for path in sorted((ROOT / "fixtures").glob("*.jsonl"))
    if path.stem not in ("damaged-in-the-middle", "format-from-the-future")
]


@pytest.mark.parametrize("path", READABLE, ids=lambda path: path.stem)
def test_every_fixture_that_can_be_read_is_a_page(path):
    capture = load(path)
    assert len(rows_in(page_of([capture.header, *capture.records]))) == len(capture.records)


def test_of_a_huge_line_the_page_has_the_beginning_and_says_so():
    letters = "é" * 10_000  # two bytes each: the cut is in one, or before it
    text = letters + "x" * (LONGEST_LINE // 2 - 40_000) + letters + "x" * 100_000
    raw = f'{{"jsonrpc":"2.0","method":"{text[:-100_000]}","params":"{text}"}}\n'.encode()
    assert raw[LONGEST_LINE - 1_000 : LONGEST_LINE].decode(errors="ignore").strip("é") == ""
    page = page_of([Header(), Frame(1, 0.1, Peer.AGENT, raw), Stderr(0.2, b"x" * 1_100_000)])
    assert len(page.encode()) < 12_000_000
    [frame, stderr] = rows_in(page)
    for row, sent in ((frame, raw), (stderr, b"x" * 1_100_000)):
        left_out, _text, *_, shown, line = row[-7:]
        assert left_out == len(sent) - LONGEST_LINE
        assert sent.decode().startswith(shown)
        assert len(shown.encode()) in (LONGEST_LINE, LONGEST_LINE - 1)
        assert len(line or "") < 2 * LONGEST_LINE
    assert frame[9] == len(raw)  # its size is that of the whole line
    assert "FRM010" in {finding["code"] for finding in about(page)["findings"]}


def test_the_page_counts_what_is_masked():
    secret = "ghp_" + "q7Zk2Vw9Xn4Rb8Tm3Yc6" * 2
    raw = f'{{"jsonrpc":"2.0","method":"{secret[:40]}","params":"{secret[:40]}"}}\n'.encode()
    page = page_of([Header(), Frame(1, 0.1, Peer.AGENT, raw)], masked=True)
    assert (about(page)["masked"], about(page)["maskedPlaces"]) == (True, 2)
    assert secret[:40] not in page


def test_a_huge_line_is_held_no_more_than_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(page_data, "LONGEST_LINE", 10_000)
    monkeypatch.setattr(duplicate_key, "_LONGEST", 1_000_000)  # a huge line has no such check
    path = tmp_path / "run.jsonl"
    *before, end = talk()
    [huge] = parse(says("lorem ipsum " * 250_000))
    path.write_bytes(encode([*before, msgspec.structs.replace(huge, seq=1_000), end]))

    def as_page():
        for _ in render(CaptureView(str(path), masked=True)):
            pass

    def as_live_page():
        live = LiveCapture(str(path), Choices())
        while not live.is_over:
            live.take()
        live.close()

    for make in (as_page, as_live_page):
        tracemalloc.start()
        make()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 3 * path.stat().st_size  # as it is sent, as a text, and all the rest
