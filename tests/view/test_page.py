"""The page in a real browser, used as a person uses it."""

import json
import shlex
import socket
from pathlib import Path

import pytest
from support.conversations import TALK, says, talk, update
from support.effort import some_of
from support.pages import PHONE
from support.rules import a_rule

import acp_spy
from acp_spy.capture.files import read
from acp_spy.capture.records import Header, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import Ruleset, ruleset_for
from acp_spy.lint.settings import Settings
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.filters import TOKENS
from acp_spy.view.rows_json import as_capture
from acp_spy.wire.frame import Frame, Peer

ROOT = Path(__file__).parents[2]

# ------------------------------------------------------------------------------------- open


def test_the_page_tells_the_conversation(open_page):
    page = open_page()
    assert page.tab.title() == "talk.jsonl - acp-spy"
    assert page.tab.inner_text("h1") == "talk.jsonl"
    assert page.tab.inner_text("#facts").split("\n") == [
        "editor 1.2 ⇄ helper 3.4",
        "22 frames",
        "7.0 s",
        "2026-01-05 09:30:00 UTC",
        "ended: status 0",
        "secrets masked: none found",
    ]
    rows = [row for row in page.rows() if not row.startswith(("error | ", "warning | ", "note | "))]
    assert rows == [
        "1 | 0.001 | client to agent | initialize | editor 1.2, version 1; offers fs.readTextFile",
        "0.002 | the agent's standard error | stderr | warming up",
        "2 | 0.401 | agent to client | response to initialize | helper 3.4, version 1; offers promptCapabilities, mcpCapabilities.http | 400 ms",
        "3 | 1.001 | client to agent | session/new | in /project",
        "4 | 1.002 | agent to client | response to session/new | s-1 | 1.0 ms",
        "Turn 1 | Mend the tests | end_turn 16 frames 4.0 s",
        "5 | 2.001 | client to agent | session/prompt | Mend the tests",
        "6 | 2.501 | agent to client | agent thinks | Let me look at that | ×3 2.0 ms",
        "9 | 2.504 | agent to client | tool_call | Run pytest (execute) → completed | ×3 2.5 s",
        "10 | 2.505 | agent to client | session/request_permission | Run pytest: Allow",
        "11 | 4.001 | client to agent | response to session/request_permission | Allow (allow_once) | 1.5 s",
        "14 | 5.002 | agent to client | agent says | All twelve tests pass now. | ×5 4.0 ms",
        "19 | 5.007 | agent to client | plan | 0/1 done, ahead: rest",
        "20 | 6.001 | agent to client | response to session/prompt | end_turn | 4.0 s",
        "21 | 6.002 | agent to client | not JSON: invalid character (byte 1) | [info] bye",
        "Turn 2 | Still there? | never ended 1 frame",
        "22 | 6.003 | client to agent | session/prompt | Still there?",
        "7.001 | client closed its stream | closed its stream",
        "7.002 | the agent's end | agent exited | status 0",
    ]


def test_what_was_not_delivered_is_struck_out_and_what_acp_spy_answered_is_answered(open_page):
    page = open_page(list(read(ROOT / "fixtures/with-deliveries.jsonl")))
    struck = page.tab.evaluate(
        """() => [...document.querySelectorAll('#rows .row.undelivered .what')].map((each) =>
            [getComputedStyle(each).textDecorationLine, each.innerText])"""
    )
    assert struck == [
        ["line-through", "not JSON: invalid character (byte 1)"],
        ["line-through", "session/new"],
        ["line-through", "session/request_permission"],
    ]
    assert any("#4 replaced by script container.py" in row for row in page.rows())
    page.tab.locator("#rows .row.undelivered").last.click()
    assert "answered by acp-spy" in page.panel()
    assert "never answered" not in page.panel()


def test_of_a_redacted_capture_nothing_is_left_to_mask(open_page):
    page = open_page([Header(redacted=True), Stderr(0.1, b"key redacted-github-token-1\n")])
    facts = page.tab.inner_text("#facts").split("\n")
    assert "secrets masked: none left; the capture was redacted before" in facts


def test_another_tools_file_brings_its_note_and_is_not_cut_off(open_page):
    records = list(read(ROOT / "fixtures/foreign/ndjson-client-only.ndjson"))
    page = open_page(records)
    facts = page.tab.inner_text("#facts").split("\n")
    assert facts == [f"{len(records) - 1} frames", "secrets masked: none found"]
    assert page.tab.inner_text("#note") == (
        "Note: imported from plain NDJSON; lost: times, senders (inferred from method and id),"
        " blank lines, stderr, exit; it holds one stream only, the client's"
    )
    page.tab.click("#door-stats")
    assert "–\nfrom first to last" in page.tab.inner_text("#panel")
    assert open_page().tab.locator("#note").is_hidden()


@pytest.mark.parametrize("width", [1200, 1400])
def test_the_names_of_the_protocol_are_not_cut(open_page, width):
    commands = update("available_commands_update", availableCommands=[])
    records = parse(TALK.replace("@ 5\n", f"@ 5\n{commands}\n", 1))
    page = open_page(records, size={"width": width, "height": 900})
    cut = page.tab.evaluate(
        """() => [...document.querySelectorAll('#rows .row.kind-request, #rows .row.kind-notification')]
        .map((row) => row.querySelector('.what')).filter((what) => what.scrollWidth > what.clientWidth)
        .map((what) => what.innerText)"""
    )
    assert "available_commands_update" in page.tab.inner_text("#rows")
    assert "session/request_permission" in page.tab.inner_text("#rows")
    assert cut == []


def test_findings_stand_under_their_frames(open_page):
    page = open_page()
    rows = page.rows()
    place = next(index for index, row in enumerate(rows) if row.startswith("22 | "))
    assert rows[place + 1].startswith("error | RPC006 | session/prompt was never answered")


def test_a_fold_tells_each_mistake_once_and_no_two_as_one(open_page):
    statuses = ("pending", "dancing", "dancing", "singing")
    calls = [update("tool_call_update", toolCallId="c-1", status=status) for status in statuses]
    page = open_page(parse("\n".join(calls)))
    wrong = [row for row in page.rows() if row.startswith("warning | SCH025")]
    assert [(row.split("; ")[0], row[-2:]) for row in wrong] == [
        ("warning | SCH025 | status is dancing", "×2"),
        ("warning | SCH025 | status is singing", "us"),
    ]
    page.tab.click("#rows .row.tool")
    cards = page.tab.locator("#view section[aria-label='warning SCH025']").all_inner_texts()
    assert ["dancing" in card for card in cards] == [True, False]


def test_a_finding_about_no_frame_stands_in_the_panel(open_page):
    page = open_page(parse(CATALOGUE["RPC023"].bad))
    assert page.tab.inner_text("#count-findings") == "1"
    page.tab.click("#door-findings")
    assert page.tab.inner_text("#view .places") == (
        "end\nthe agent could not be started: command not found: example-agent\nclient must fix"
    )
    assert page.tab.locator("#view .card button:visible").count() == 0  # there is nowhere to go
    page.press("n")
    assert page.tab.inner_text("#toast") == "No finding"


def test_a_rule_that_raises_is_no_clean_bill(open_page):
    def fails(_moment):
        raise KeyError("oops")

    page = open_page(talk(), ruleset=Ruleset((a_rule(fails),)))
    assert "1 rule crashed (a bug in acp-spy)" in page.tab.inner_text("#facts").split("\n")
    page.tab.click("#door-findings")
    assert "TST001 crashed, so findings may be missing." in page.panel()
    assert "No other rule reports anything" in page.panel()


def test_a_page_of_a_part_does_not_say_that_what_it_lacks_never_was(open_page):
    page = open_page(talk(), filters=["seq:5-9"], at="#seq=5")
    assert page.rows()[0] == "Turn 1 | Mend the tests | no end on this page 5 frames"
    assert "its response is not on this page" in page.panel()
    page.press("p")
    assert page.tab.inner_text("#toast") == "Its response is not on this page"
    page.tab.click("#door-stats")
    assert "1 of 2" in page.panel()
    assert "longest 1" not in page.panel()


def test_the_page_asks_nothing_of_the_network_and_could_not(open_page):
    """`open_page` looks at the requests of every test here; this one tries to make some."""
    page = open_page()
    assert page.requests == [page.url]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        at = f"http://127.0.0.1:{server.getsockname()[1]}/"
        outcome = page.tab.evaluate(
            """async (at) => {
                const image = document.createElement('img');
                const seen = new Promise((done) => {
                    image.onload = () => done('loaded');
                    image.onerror = () => done('refused');
                });
                image.src = at;
                const fetched = fetch(at).then(() => 'loaded', () => 'refused');
                return Promise.all([seen, fetched]);
            }""",
            at,
        )
        assert outcome == ["refused", "refused"]
        with pytest.raises(BlockingIOError):
            server.accept()
    assert all("Content Security Policy" in error for error in page.errors)
    page.errors.clear()
    page.requests[1:] = []  # the attempts


def test_an_empty_capture_says_so(open_page):
    page = open_page([Header()])
    assert "No messages" in page.tab.inner_text("#nothing")
    page.press("j", "k", "n", "Enter", "p")
    assert page.tab.inner_text("#toast") == "No finding"


def test_a_clean_conversation_has_a_findings_panel_that_says_so(open_page):
    page = open_page([Stderr(0.1, b"hello\n")])
    page.tab.click("#door-findings")
    assert "No findings" in page.panel()


# ------------------------------------------------------------------------------------- filter, search


def test_a_filter_leaves_only_what_passes(open_page):
    page = open_page()
    page.type_filter("from:client kind:request")
    assert page.shown() == [1, 3, 5, 22]
    assert page.tab.inner_text("#tally") == "4 of 22 frames"
    page.tab.focus("#filter")
    page.press("Escape")
    page.wait_for_filter("")
    assert len(page.shown()) == 22


def test_what_is_typed_is_filtered_and_searched_in_slices_and_taken_with_enter(open_page):
    page = open_page()
    page.tab.evaluate(
        """() => {
            acpSpy.slices.runNow = () => { throw new Error("a key would wait"); };
            performance.now = () => (performance.time = (performance.time || 0) + 1000); // every slice is over
        }"""
    )
    page.press("f")
    page.tab.keyboard.type("kind:request")
    page.press("Enter")
    page.wait_for_filter("kind:request")
    assert page.shown() == [1, 3, 5, 10, 22]
    page.press("/")
    page.tab.keyboard.type("still")
    page.press("Enter")  # before the pause after what was typed is over
    page.tab.wait_for_function("() => document.getElementById('tally').innerText.includes('1 of')")
    assert page.chosen().split("\n")[0] == "22"
    page.press("Escape", "Escape", "Escape")
    page.wait_for_filter("")
    assert page.tab.input_value("#search") == ""


def test_an_unknown_token_is_answered_with_the_known_ones(open_page):
    page = open_page()
    page.tab.fill("#filter", "colour:red")
    error = page.tab.locator("#filter-error")
    error.wait_for(state="visible")
    known = ", ".join(f"{token.name}:{token.example}" for token in TOKENS)
    assert error.inner_text() == (
        f"Cannot filter by colour:red: no such filter. Use {known}; a leading - negates"
    )
    assert len(page.shown()) == 22  # what was shown before stays
    page.type_filter("from:client")
    assert error.is_hidden()


def test_a_filter_that_nothing_passes_offers_the_way_back(open_page):
    page = open_page()
    page.type_filter("seq:900")
    assert "No frame matches this filter" in page.tab.inner_text("#nothing")
    page.tab.click("#nothing button")
    assert len(page.shown()) == 22


def test_a_search_marks_and_finds_without_hiding(open_page):
    page = open_page()
    page.press("/")
    page.tab.keyboard.type("twelve")
    page.tab.wait_for_function(
        "() => document.getElementById('tally').innerText.includes('1 match')"
    )
    assert len(page.shown()) == 22
    assert page.tab.locator("#rows mark").all_inner_texts() == ["twelve"]
    page.press("Enter")  # the stream that holds it is unfolded
    assert page.chosen().split("\n")[0] == "15"
    assert page.tab.inner_text("#tally") == "22 frames · 1 of 1 match"
    assert "twelve" in page.tab.locator("#view mark").all_inner_texts()


def test_n_goes_round_the_matches_and_capital_n_back(open_page):
    page = open_page()
    page.tab.fill("#search", "session/prompt")
    page.tab.wait_for_function(
        "() => document.getElementById('tally').innerText.includes('3 matches')"
    )
    page.tab.focus("#rows")
    seen = []
    for key in ("n", "n", "n", "n", "N", "N"):
        page.press(key)
        seen.append(page.chosen().split("\n")[0])
    assert seen == ["5", "20", "22", "5", "22", "20"]


# ------------------------------------------------------------------------------------- findings


def test_a_click_on_a_finding_shows_its_frame_and_marks_its_place(open_page):
    page = open_page()
    page.tab.click("#door-findings")
    assert "RPC006" in page.panel()
    page.tab.click("#view button[data-seq='19']")
    page.wait_for_address("#seq=19")
    assert "#19 plan" in page.panel()
    place = page.tab.locator("#view .line.found")
    assert place.count() == 1
    assert place.inner_text().startswith('status: "dancing"')
    assert page.tab.locator("#view .card details p").first.is_visible()


def test_findings_are_grouped_by_rule_the_worst_first(open_page):
    page = open_page()
    page.tab.click("#door-findings")
    badges = page.tab.locator("#view .card .badge").all_inner_texts()
    assert badges == sorted(badges, key=["error", "warning", "note"].index)
    names = page.tab.locator("#view .card").evaluate_all("all => all.map((card) => card.ariaLabel)")
    assert len(set(names)) == len(names)
    page.tab.click("#view .card[aria-label='error RPC006'] .small")
    assert page.shown() == [22]


def test_n_goes_to_the_next_finding(open_page):
    page = open_page()
    page.tab.focus("#rows")
    seen = []
    for _ in range(3):
        page.press("n")
        seen.append(int(page.panel().split()[0].removeprefix("#")))
    assert seen == sorted(set(seen))
    assert "warning" in page.chosen() or "error" in page.chosen() or "note" in page.chosen()


# ------------------------------------------------------------------------------------- keyboard


def test_j_and_k_walk_the_rows_and_enter_unfolds(open_page):
    page = open_page()
    page.type_filter("seq:5-9")
    page.tab.focus("#rows")
    page.press("j")
    assert page.chosen().startswith("Turn 1")
    page.press("j", "j")
    assert "Let me look at that" in page.chosen()
    before = len(page.rows())
    page.press("Enter")
    assert len(page.rows()) == before + 3
    page.press("j")
    assert page.chosen().split("\n")[0] == "6"
    page.press("ArrowLeft")
    assert "Let me look at that" in page.chosen()
    page.press("ArrowLeft")
    assert len(page.rows()) == before
    page.press("End")
    assert page.chosen().split("\n")[0] == "9"
    page.press("Home", "ArrowLeft")
    assert page.rows() == ["Turn 1 | Mend the tests | end_turn 16 frames 4.0 s"]


def test_p_goes_from_a_request_to_its_answer_and_back(open_page):
    page = open_page(at="#seq=10")
    page.press("p")
    page.wait_for_address("#seq=11")
    page.press("p")
    page.wait_for_address("#seq=10")
    page.press("End", "p")
    assert page.tab.inner_text("#toast") == "This row has no request or response"


def test_the_tabs_of_the_panel_are_walked_by_arrow_keys(open_page):
    page = open_page()
    page.tab.focus("#tab-findings")
    rendered = []
    for _ in range(4):
        page.press("ArrowRight")
        rendered.append(page.tab.evaluate("document.activeElement.id"))
    assert rendered == ["tab-stats", "tab-about", "tab-frame", "tab-findings"]
    assert page.panel().startswith("Findings")


def test_a_filter_and_a_search_typed_at_once_are_both_taken(open_page):
    page = open_page()
    page.tab.evaluate(
        """() => { for (const [id, text] of [['filter', 'from:client'], ['search', 'prompt']]) {
            const field = document.getElementById(id);
            field.value = text;
            field.dispatchEvent(new Event('input'));
        } }"""
    )
    page.tab.wait_for_function("() => document.getElementById('tally').innerText.includes('match')")
    assert page.shown() == [1, 3, 5, 11, 22]


def test_help_lists_the_keys_and_every_token_and_escape_closes_it(open_page):
    page = open_page()
    page.press("?")
    said = page.tab.inner_text("#help")
    assert all(f"{token.name}:{token.example}" in said for token in TOKENS)
    assert "next and previous finding" in said
    page.press("j")  # belongs to the dialog now
    assert page.tab.locator("#rows [aria-selected=true]").count() == 0
    page.press("Escape")
    assert page.tab.locator("#help").is_hidden()


def test_what_is_typed_into_a_field_is_no_command(open_page):
    page = open_page()
    page.press("f")
    page.tab.keyboard.type("jjn?w")
    assert page.tab.input_value("#filter") == "jjn?w"
    assert page.tab.locator("#help").is_hidden()


def test_the_focus_can_be_seen_and_everything_has_a_name(open_page):
    page = open_page(at="#seq=19")
    nameless = page.tab.evaluate(
        """() => [...document.querySelectorAll('button, input, a, [role=tree], [role=group], canvas')]
        .filter((each) => !each.closest('[aria-hidden=true]') && each.offsetParent)
        .filter((each) => !(each.ariaLabel || each.textContent || each.labels?.[0]?.innerText))
        .map((each) => each.outerHTML)"""
    )
    assert nameless == []
    page.tab.keyboard.press("Tab")
    outlines = page.tab.evaluate(
        """async () => {
            const told = [];
            for (const each of document.querySelectorAll('.bar button, .tabs button')) {
                if (!each.offsetParent) continue;
                each.focus({ focusVisible: true });
                told.push(getComputedStyle(each).outlineStyle);
            }
            return [...new Set(told)];
        }"""
    )
    assert outlines == ["solid"]


# ------------------------------------------------------------------------------------- links and copies


def test_a_link_leads_to_its_frame_even_inside_a_fold(open_page):
    page = open_page(at="#seq=16")
    assert page.chosen().split("\n")[0] == "16"
    assert page.panel().startswith("#16 agent_message_chunk")
    page.tab.evaluate("location.hash = '#seq=21'")
    page.tab.wait_for_function("() => document.getElementById('view').innerText.startsWith('#21')")


def test_a_link_that_is_followed_before_the_address_says_what_is_chosen_is_not_lost(open_page):
    page = open_page(at="#seq=16")
    page.tab.evaluate(
        """() => {
            const addresses = [];
            addEventListener("hashchange", () => addresses.push(location.hash), { once: true });
            acpSpy.links.follow(16, "");  // the address is to say this in a fifth of a second
            location.hash = "#seq=21";
            const late = performance.now() + 400;
            while (performance.now() < late);  // then both are due: the link, and the older address
            window.addresses = addresses;
        }"""
    )
    page.tab.wait_for_function("() => window.addresses.length")
    assert page.tab.evaluate("[...window.addresses, location.hash]") == ["#seq=21", "#seq=21"]
    assert page.panel().startswith("#21")


def test_the_address_follows_what_stays_chosen(open_page):
    page = open_page()
    page.tab.evaluate(
        """() => {
            const replace = history.replaceState.bind(history);
            window.asked = 0;
            history.replaceState = (...words) => { window.asked += 1; replace(...words); };
        }"""
    )
    page.tab.evaluate("() => { for (let row = 0; row < 12; row += 1) acpSpy.page.move(1); }")
    seq = page.chosen().split("\n")[0]
    page.wait_for_address(f"#seq={seq}")
    assert page.tab.evaluate("window.asked") == 1


def test_a_browser_that_refuses_another_address_is_no_error(open_page):
    page = open_page()
    page.tab.evaluate(
        """() => { history.replaceState = () => {
            window.refused = true;
            throw new DOMException('too many', 'SecurityError');
        }; }"""
    )
    page.press("j")
    page.tab.wait_for_function("() => window.refused")
    assert page.panel().startswith("#")


def test_a_link_can_carry_a_filter(open_page):
    page = open_page(at="#seq=5&filter=kind%3Arequest")
    assert page.shown() == [1, 3, 5, 10, 22]
    assert page.chosen().split("\n")[0] == "5"


def test_a_link_that_leads_nowhere_is_no_error(open_page):
    page = open_page(at="#seq=900")
    page.wait_for_toast("There is no frame 900 on this page")
    for seq, shown in {"x": "x", "%1b[2J": "\\x1b[2J"}.items():
        page.tab.evaluate("at => { location.hash = at; }", f"#seq={seq}")
        page.wait_for_toast(f"There is no frame {shown} on this page")
    page.tab.evaluate("location.hash = '#other'")
    assert page.tab.locator("#rows [aria-selected=true]").count() == 0


def test_the_link_the_json_and_the_pointer_can_be_copied(open_page):
    page = open_page(at="#seq=19")
    page.tab.click("#copy-link")
    page.wait_for_toast("Copied the link to frame 19")
    assert page.clipboard() == f"{page.url}#seq=19"
    page.tab.click("#copy-json")
    page.wait_for_toast("Copied the JSON")
    assert json.loads(page.clipboard())["params"]["update"]["sessionUpdate"] == "plan"
    page.tab.click("#view .line.found")
    page.tab.click("#copy-pointer")
    page.wait_for_toast("Copied the pointer")
    assert page.clipboard() == "/params/update/entries/0/status"


def test_without_a_clipboard_the_old_way_is_taken(open_page):
    page = open_page(at="#seq=19")
    page.tab.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed')); }"
    )
    page.tab.click("#copy-link")
    page.wait_for_toast("Copied the link to frame 19")
    assert page.clipboard() == f"{page.url}#seq=19"


# ------------------------------------------------------------------------------------- JSON


def test_json_is_shown_as_it_was_spelled(open_page):
    """Numbers keep their digits, and a key that stands twice is shown twice."""
    line = b'{"jsonrpc":"2.0","id":12345678901234567890,"method":"_x","params":{"a":1.0,"a":1e3,"b":[]}}\n'
    page = open_page([Frame(1, 0.1, Peer.CLIENT, line)], at="#seq=1")
    lines = page.tab.locator("#view .line").all_inner_texts()
    rendered = [text.partition("copy")[0].strip() for text in lines]
    assert "id: 12345678901234567890" in rendered[2]
    assert [text[:6] for text in rendered if text.startswith("a: ")] == ["a: 1.0", "a: 1e3"]
    page.tab.click("#copy-json")
    page.wait_for_toast("Copied the JSON")
    assert page.clipboard() == (
        '{\n  "jsonrpc": "2.0",\n  "id": 12345678901234567890,\n  "method": "_x",\n'
        '  "params": {\n    "a": 1.0,\n    "a": 1e3,\n    "b": []\n  }\n}'
    )


def test_the_tree_is_walked_by_arrow_keys(open_page):
    page = open_page(at="#seq=19")
    page.tab.focus("#view .tree .line >> nth=0")
    for _ in range(3):
        page.press("ArrowDown")
    assert page.tab.inner_text("#view .pointer") == "/params"
    lines = page.tab.locator("#view .line:visible")
    before = lines.count()
    page.press("ArrowLeft")
    assert lines.count() == 4
    page.press("ArrowRight", "ArrowDown")
    assert lines.count() == before
    assert page.tab.inner_text("#view .pointer") == "/params/sessionId"
    page.tab.click("#copy-pointer")
    page.wait_for_toast("Copied the pointer")
    assert page.clipboard() == "/params/sessionId"


def test_long_strings_and_lists_are_shown_bit_by_bit(open_page):
    params = {"text": "x" * 5000, "list": list(range(250))}
    line = json.dumps({"jsonrpc": "2.0", "method": "_x", "params": params}).encode() + b"\n"
    page = open_page([Frame(1, 0.1, Peer.CLIENT, line)], at="#seq=1")
    tree = page.tab.locator("#view .tree")
    assert "x" * 601 not in tree.inner_text()
    page.tab.click("text=Show all 5.0 kB")
    assert "x" * 5000 in tree.inner_text()
    assert page.tab.locator("#view .index").count() == 100
    page.tab.click("text=Show 100 of 150 more")
    page.tab.click("text=Show 50 of 50 more")
    assert page.tab.locator("#view .index").count() == 250


def test_the_text_of_a_long_stream_is_shown_in_two_parts(open_page):
    def said(text):
        content = {"type": "text", "text": text}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        params = {"sessionId": "s1", "update": update}
        body = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        return json.dumps(body).encode() + b"\n"

    texts = ["x" * 9000] * 3
    page = open_page([Frame(n, n / 10, Peer.AGENT, said(text)) for n, text in enumerate(texts, 1)])
    page.press("j")
    box = page.tab.locator("#view pre.said")
    assert box.inner_text() == "x" * 20000
    page.tab.click("text=Show all 27 kB")
    assert box.inner_text() == "x" * 27000
    assert page.tab.locator("text=Show all").count() == 0


HARD_TO_READ = (
    b'{"jsonrpc":"2.0","method":"_x","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    b'{"broken": \n',
    b'"' + b"\\" * 7 + b'"\n',
    b'{"a": "\\ud800"}\n',
    b"\n",
    b"caf\xe9\n",
    b'{"a":1} trailing\n',
    b"no line end",
)


def test_a_frame_that_is_hard_to_read_is_shown_all_the_same(open_page):
    lines = enumerate(HARD_TO_READ, start=1)
    page = open_page([Frame(seq, 0.1, Peer.AGENT, line) for seq, line in lines])
    for seq in range(1, len(HARD_TO_READ) + 1):
        page.tab.evaluate("seq => acpSpy.page.go(acpSpy.page.model.bySeq.get(seq))", seq)
        assert page.panel().startswith(f"#{seq} ")
        assert page.tab.locator("#view pre, #view .tree").count() == 1


# ------------------------------------------------------------------------------------- inert


def test_a_payload_cannot_act(open_page):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!-- \u2028 \x1b[2J \u202e {{about}}\" onfocus=alert(3) autofocus x=' javascript:alert(4)"
    call = {"jsonrpc": "2.0", "id": evil, "method": evil, "params": {evil: evil}}
    talked = parse("\n".join([TALK.replace("Mend the tests", json.dumps(evil)[1:-1]), says(evil)]))
    lines = [json.dumps(call).encode(), evil.encode(), b"\x1b]0;title\x07 caf\xe9"]
    frames = [Frame(100 + n, 9.0, Peer.AGENT, line + b"\n") for n, line in enumerate(lines)]
    header = Header(tool=evil, started=evil, command=(evil,), cwd=evil, note=evil)
    page = open_page([header, *talked, *frames, Stderr(9.1, evil.encode())])
    scripts = page.tab.locator("script").count()
    elements = page.tab.locator("img, iframe, object, embed, b, i").count()
    page.tab.focus("#rows")
    for _ in range(page.tab.evaluate("acpSpy.page.items()")):
        page.press("j")
        assert page.panel()
    page.press("?", "Escape")
    for door in ("#door-findings", "#door-stats", "#door-about"):
        page.tab.click(door)
        shown = page.tab.inner_text("body")
        assert not {"\u202e", "\x1b"} & set(shown)
    page.tab.fill("#search", "<img src=x")
    page.tab.wait_for_function("() => document.getElementById('tally').innerText.includes('match')")
    page.tab.fill("#filter", f"text:'{evil}'")
    page.tab.locator("#filter-error").wait_for()
    assert page.tab.locator("script").count() == scripts == 3
    assert page.tab.locator("img, iframe, object, embed").count() == 0
    assert elements == 0
    acting = "[onerror], [onfocus], [autofocus], [href^='javascript:'], [src^='javascript:']"
    assert page.tab.locator(acting).count() == 0
    assert not {"\u202e", "\x1b"} & set(page.tab.inner_text("body"))


def test_what_to_run_to_see_a_huge_line_can_be_pasted_into_a_shell(open_page):
    raw = b'{"jsonrpc":"2.0","method":"x","params":"%b"}\n' % (b"x" * 1_100_000)
    name = "it's; $(touch x).jsonl"
    page = open_page([Header(), Frame(7, 0.1, Peer.AGENT, raw)], at="#seq=7", name=name)
    command = page.tab.inner_text(".cut code")
    assert shlex.split(command) == ["acp-spy", "view", name, "--frame", "7"]


# ------------------------------------------------------------------------------------- waterfall and stats


def test_the_waterfall_has_turns_tool_calls_and_requests_as_spans(open_page):
    page = open_page()
    page.tab.locator("#plot .span").first.wait_for()  # it is drawn after the rows
    spans = page.tab.locator("#plot .span").evaluate_all("all => all.map((span) => span.ariaLabel)")
    assert spans == [
        "initialize, 400 ms, frame 1",
        "session/new, 1.0 ms, frame 3",
        "Turn 1: Mend the tests, 4.0 s, frame 5",
        "Turn 2: Still there?, never ended, frame 22",
        "Run pytest (execute) → completed, 2.5 s, frame 9",
        "session/request_permission, 1.5 s, frame 10",
    ]
    boxes = page.tab.locator("#plot .span").evaluate_all(
        "all => all.map((span) => { const b = span.getBoundingClientRect(); return [b.left, b.right, b.top]; })"
    )
    turn, call, asked = boxes[2], boxes[4], boxes[5]
    for inner in (call, asked):  # nested in time
        assert turn[0] <= inner[0]
        assert inner[1] <= turn[1]
    assert turn[2] < call[2] < asked[2]


def test_a_span_leads_to_its_frame(open_page):
    page = open_page()
    page.tab.click("#plot .span >> text=Run pytest")
    page.wait_for_address("#seq=9")
    assert page.chosen().split("\n")[0] == "9"


def test_the_waterfall_zooms_by_button_wheel_key_and_brush(open_page):
    page = open_page()
    whole = page.tab.evaluate("acpSpy.page.waterfall.view()")

    def window():
        view = page.tab.evaluate("acpSpy.page.waterfall.view()")
        return round(view["to"] - view["from"], 3)

    assert (whole["from"], round(whole["to"], 3), window()) == (0.001, 7.002, 7.001)
    page.tab.click("#zoom-in")
    assert window() == pytest.approx(3.5, abs=0.001)
    page.press("+")
    assert window() == pytest.approx(1.75, abs=0.001)
    page.press("0")
    assert window() == 7.001
    box = page.tab.locator("#plot").bounding_box()
    middle = box["y"] + 8  # on the axis, where no span is
    page.tab.mouse.move(box["x"] + box["width"] / 2, middle)
    page.tab.mouse.wheel(0, -300)
    page.tab.wait_for_function("() => acpSpy.page.waterfall.view().to < 6.9")
    page.tab.click("#zoom-fit")
    page.tab.mouse.move(box["x"] + box["width"] * 0.4, middle)
    page.tab.mouse.down()
    page.tab.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=4)
    page.tab.mouse.up()
    assert 1 < window() < 2
    page.tab.wait_for_function("() => document.getElementById('window').innerText.includes('from')")


def test_stats_tell_methods_turns_and_tool_calls(open_page):
    page = open_page()
    page.tab.click("#door-stats")
    tables = page.tab.locator("#view table").evaluate_all(
        "all => all.map((table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText)))"
    )
    assert tables[0][0] == ["Method", "Sent by", "Count", "Errors", "p50", "p95", "Max"]
    by_name = {row[0]: row[1:] for row in tables[0][1:]}
    assert by_name["session/request_permission"] == [
        "agent",
        "1",
        "–",
        "1.5 s",
        "1.5 s",
        "1.5 s",
    ]
    assert by_name["session/prompt"][:3] == ["client", "2", "1 without response"]
    assert [row[:3] for row in tables[1][1:]] == [
        ["Turn 1", "end_turn", "4.0 s"],
        ["Turn 2", "never ended", "–"],
    ]
    assert tables[2][1] == ["Run pytest", "#9", "completed", "2.5 s"]
    page.tab.click("#view table >> text=Turn 2")
    page.wait_for_address("#seq=22")


# ------------------------------------------------------------------------------------- looks


def test_light_and_dark_follow_the_system_until_told_otherwise(open_page):
    def paper(page):
        return page.tab.evaluate("getComputedStyle(document.body).backgroundColor")

    light, dark = "rgb(255, 255, 255)", "rgb(16, 18, 21)"
    page = open_page(scheme="dark")
    assert paper(page) == dark
    page.tab.click("#theme")
    assert paper(page) == light
    page.tab.emulate_media(color_scheme="dark")
    assert paper(page) == light
    page = open_page(scheme="light")
    assert paper(page) == light
    page.press("t")
    assert paper(page) == dark


def test_nothing_moves_for_who_wants_no_motion(open_page):
    page = open_page()
    moving = """() => [...document.querySelectorAll('*')]
        .filter((each) => getComputedStyle(each).transitionDuration !== '0s').length"""
    assert page.tab.evaluate(moving) > 0
    page.tab.emulate_media(reduced_motion="reduce")
    assert page.tab.evaluate(moving) == 0


@pytest.mark.parametrize("size", [PHONE, {"width": 320, "height": 600}], ids=["375", "320"])
def test_a_phone_shows_all_without_scrolling_sideways(open_page, size):
    page = open_page(size=size)

    def overflow():
        return page.tab.evaluate(
            """() => [document.documentElement.scrollWidth - innerWidth,
            ...['rows', 'view'].map((id) => document.getElementById(id))
                .map((box) => Math.max(0, box.scrollWidth - box.clientWidth))]"""
        )

    assert page.tab.locator("#panel").is_hidden()
    assert overflow() == [0, 0, 0]
    page.tab.click("#rows .row >> text=initialize >> nth=0")
    assert page.tab.locator("#panel").is_visible()
    assert overflow() == [0, 0, 0]
    page.tab.click("#close-panel")
    assert page.tab.locator("#panel").is_hidden()
    for door in ("#door-findings", "#door-stats"):
        page.tab.click(door)
        assert overflow() == [0, 0, 0]
        page.press("Escape")
    assert page.tab.locator("#panel").is_hidden()
    page.press("?")
    assert overflow() == [0, 0, 0]


# ------------------------------------------------------------------------------------- the capture itself


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize(
    "name",
    ["talk", "odd-bytes", "example", "unknown-record-and-field", "remote-refused-response"],
)
def test_the_capture_can_be_saved_as_view_would_write_it(open_page, name, masked):
    records = talk()
    if name != "talk":
        records = list(read(ROOT / f"fixtures/{name}.jsonl"))
    page = open_page(records, masked=masked, name=f"{name}.jsonl")
    with page.tab.expect_download() as download:
        page.tab.click("#download")
    view = CaptureView(name, masked=masked, records=lambda: iter(records))
    assert download.value.suggested_filename == f"{name}{'.redacted' if masked else ''}.jsonl"
    assert Path(download.value.path()).read_bytes() == b"".join(as_capture(view))


def test_about_says_where_the_page_comes_from(open_page):
    header = Header(
        tool="acp-spy 0.0.9",
        started="2026-01-05T09:30:00.000000Z",
        command=("my-agent", "--acp", "<b>"),
        cwd="/home/dev/project",
    )
    settings = Settings(
        select=("RPC", "FRM"), ignore=("FRM009",), severity={"RPC006": Severity.NOTE}
    )
    ruleset = ruleset_for(settings)
    records = [header, *talk()[1:]]
    page = open_page(records, settings=settings, ruleset=ruleset, filters=["from:agent"])
    assert page.tab.inner_text("#command") == "my-agent --acp <b> in /home/dev/project"
    page.tab.click("#door-about")
    facts = page.tab.inner_text("#view dl").split("\n")
    assert facts[facts.index("Agent command") + 1] == "my-agent --acp <b>"
    assert facts[facts.index("Folder") + 1] == "/home/dev/project"
    assert facts[facts.index("Recorded by") + 1] == "acp-spy 0.0.9"
    assert facts[facts.index("Page made by") + 1] == f"acp-spy {acp_spy.__version__}"
    at = facts.index("Rules")
    assert facts[at + 1 : at + 5] == [
        f"{len(ruleset.rules)} rules",
        "select: RPC, FRM",
        "ignore: FRM009",
        "severity: RPC006 = note",
    ]
    assert "only the rows on this page" in page.panel()
    with page.tab.expect_download() as download:
        page.tab.click("#save")
    assert download.value.suggested_filename == "talk.part.redacted.jsonl"


def test_without_settings_the_default_rules_were_run(open_page):
    page = open_page()
    page.tab.click("#door-about")
    count = sum(rule.by_default for rule in CATALOGUE.values())
    assert f"\n{count} rules (the default)\n" in page.panel()


def test_a_single_chunk_is_called_as_on_the_terminal(open_page):
    page = open_page(parse("\n".join([says("Hello"), update("plan", entries=[])])))
    assert any("| agent says | Hello" in row for row in page.rows())
    page = open_page(parse("\n".join([says("Hello "), says("you")])))
    assert any("| agent says | Hello you" in row for row in page.rows())
    page.tab.click("#rows [data-twist]")
    assert sum("| agent_message_chunk |" in row for row in page.rows()) == 2


def test_a_tool_call_that_never_ended_is_hatched_and_said_to_be_open(open_page):
    call = update("tool_call", toolCallId="x", title="Wait", status="pending")
    going = update("tool_call_update", toolCallId="x", status="in_progress")
    done = update("tool_call_update", toolCallId="x", status="completed")
    prompt = '-> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}'
    end = '<- {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}'
    for last, classes, took in ((going, True, "open"), (done, False, "3.0 s")):
        lines = [prompt, call, "@ 3", last, "@ 4", end, "@ 9", "-> EOF"]
        page = open_page(parse("\n".join(lines)))
        span = page.tab.locator(".spans .calls")
        assert ("open" in span.get_attribute("class").split()) is classes
        assert any(row.endswith(f"×2 {took}") for row in page.rows())
        # It lasts to the end of its turn, not to the end of the capture.
        turn = page.tab.locator(".spans .turns").bounding_box()
        assert span.bounding_box()["width"] <= turn["width"] + 4


WIDTHS = (600, 700, 770, 800, 900, 1000, 1100)


@pytest.mark.parametrize("width", some_of(WIDTHS, 600, 770, 1100))
def test_every_column_can_be_read_in_a_small_window(open_page, width):
    page = open_page(size={"width": width, "height": 600})
    gists = page.tab.evaluate(
        "() => [...document.querySelectorAll('#rows .row .gist')].map((gist) => gist.clientWidth)"
    )
    assert min(gists) >= 120
    rows = page.tab.locator("#rows").bounding_box()
    assert rows["height"] >= 190
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width
    page.tab.click("#door-findings")
    assert page.tab.locator("#view").bounding_box()["width"] >= 290
