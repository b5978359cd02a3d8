"""What the page's script does as the terminal does it: each case is run through both."""

from pathlib import Path

import pytest
from support.conversations import talk
from support.page_script import run_script
from support.pages import Blocks, page_of

from acp_spy import load
from acp_spy.errors import AcpSpyError, file_word
from acp_spy.units import counted, size, span
from acp_spy.view.filters import TOKENS, row_filter, split
from acp_spy.view.timeline import Timeline, late_findings
from acp_spy.wire.inert import inert

ROOT = Path(__file__).parents[2]
FIXTURES = (
    *("example", "odd-bytes", "dialect-crow", "dialect-threads", "dialect-acpex"),
    *("chain", "mcp-messages"),
)
LINES = (
    "",
    "from:agent",
    "from:client,agent",
    "-from:agent",
    "!from:agent",
    "kind:request",
    "kind:request|response",
    "kind:noise",
    "kind:stderr",
    "-kind:notification",
    "kind:closed,exit",
    "kind:mcp",
    "-kind:mcp,request",
    "hop:successor",
    "hop:predecessor",
    "-hop:successor",
    "hop:successor text:'this is a project'",
    "method:tools/*",
    "method:session/*",
    "method:*s*s*n*",
    "method:*?e*o*e?",
    "method:initialize",
    "method:agent_*_chunk",
    "method:?nitialize",
    "method:sess…",
    "method:session.new",
    "session:s-1",
    "session:*",
    "-session:s*",
    "tool:c-1",
    "tool:*",
    "tool:c?1",
    "finding:any",
    "finding:error",
    "finding:warning|note",
    "finding:SCH",
    "finding:rpc007",
    "finding:unanswered-request",
    "-finding:any",
    "text:tests",
    "text:TESTS",
    'text:"Mend the"',
    "text:Mend\\ the",
    "'text:Mend the'",
    'text:\\"id\\"',
    "text:café",
    "text:[info]",
    "text:\\\\x1b",
    "text:'let me look'",
    "text:'ME LOOK AT THAT'",
    "text:'twelve tests pass now.'",
    "-text:'twelve tests'",
    "text:'twelve tests' seq:16-",
    "seq:17- text:'pass now'",
    "text:'that all'",
    "seq:5",
    "seq:5-9",
    "seq:9-",
    "seq:-3",
    "-seq:5-9",
    "after:2.5s",
    "after:2500ms",
    "after:0.04m",
    "before:2s",
    "before:2",
    "after:1s before:5s",
    "slower:500ms",
    "slower:400000us",
    "slower:1s tool:*",
    "slower:400000µs",
    "larger:200",
    "larger:0.2kB",
    "larger:.2KiB",
    "from:agent kind:notification text:tests -method:plan",
)
WRONG = (
    "colour:red",
    "tests",
    "from:",
    "-",
    "from:editor",
    "kind:reply",
    "hop:conductor",
    "kind:,",
    "finding:XYZ999",
    "finding:|",
    "seq:-",
    "seq:five",
    "seq:5-9-12",
    "after:soon",
    "after:2parsecs",
    "after:constructor",
    "larger:-1",
    "slower:",
    'text:"open',
    "text:'open",
    "text:open\\",
    "constructor:x",
    "__proto__:x",
)


def captures():
    yield "talk", talk()
    for name in FIXTURES:
        capture = load(ROOT / f"fixtures/{name}.jsonl")
        yield name, [capture.header, *capture.records]


def rows_of(records):
    timeline = Timeline(late=late_findings(records))
    return [row for record in records for row in timeline.feed(record)]


def test_the_same_rows_pass_as_in_the_terminal():
    there, pages = {}, {}
    for name, records in captures():
        rows = rows_of(records)
        pages[name] = Blocks(page_of(records, masked=False)).data
        there[name] = {
            line: [index for index, row in enumerate(rows) if passes(row)]
            for line in LINES
            for passes in [row_filter(split(line))]
        }
    assert there == run_script(
        """({ pages, lines }) => {
            const told = {};
            for (const [name, blocks] of Object.entries(pages)) {
                globalThis.document = { getElementById: (id) => ({ textContent: blocks[id] }) };
                const model = acpSpy.data.load();
                told[name] = {};
                for (const line of lines) {
                    const passes = acpSpy.filters.parse(line, model);
                    told[name][line] = model.rows.filter(passes).map((row) => row.index);
                }
            }
            return told;
        }""",
        {"pages": pages, "lines": LINES},
    )


def test_the_cases_tell_every_token_from_its_opposite():
    """Each token has a case that keeps some of the talk and drops some: else the above says little."""
    rows = rows_of(talk())
    telling = set()
    for line in LINES:
        passes = row_filter(split(line))
        kept = [row for row in rows if passes(row)]
        if 0 < len(kept) < len(rows):
            telling |= {token.name for token in TOKENS if f"{token.name}:" in line}
    assert telling == {token.name for token in TOKENS}


def test_what_the_terminal_refuses_the_page_refuses_too():
    for line in WRONG:
        with pytest.raises(AcpSpyError):
            row_filter(split(line))
    known = {
        "filterWords": [[token.name, token.example, token.meaning] for token in TOKENS],
        "catalogue": [],
        "beside": [],
    }
    said = run_script(
        """({ lines, known }) => lines.map((line) => {
            try { acpSpy.filters.parse(line, known); return 'accepted'; }
            catch (error) {
                return error instanceof acpSpy.filters.Wrong ? 'refused' : String(error);
            }
        })""",
        {"lines": WRONG, "known": known},
    )
    assert dict(zip(WRONG, said, strict=True)) == dict.fromkeys(WRONG, "refused")


def test_words_are_split_as_a_shell_splits_them():
    lines = ["", "  a  b ", "a'b c'd", 'a"b\\"c\\\\d\\e"f', "a\\ b", "''", 'x ""', "a\tb\nc"]
    assert run_script("(lines) => lines.map(acpSpy.shell.split)", lines) == list(map(split, lines))


def test_spans_of_time_sizes_and_counts_are_told_as_in_the_terminal():
    seconds = [0, 1e-6, 0.00034, 0.0009996, 0.0012, 0.00996, 0.034, 0.9994, 0.9996, 2.34, 9.96]
    seconds += [0.00295, 0.004 - 0.00105, 0.0125, 0.0105, 2.25, 2.35]  # halves
    seconds += [59.94, 59.96, 61, 724, 3599.6, 3601, 11100, 86399, 90061]
    sizes = [0, 1, 999, 1000, 1234, 9949, 9951, 34_000, 999_499, 999_501, 5_000_000, 10**12, 10**16]
    counts = [0, 1, 2, 999, 1000, 20_000, 1_234_567]
    assert run_script(
        """([seconds, sizes, counts]) => [
            seconds.map(acpSpy.words.took),
            sizes.map(acpSpy.words.size),
            counts.map((each) => acpSpy.words.count(each, 'frame')),
        ]""",
        [seconds, sizes, counts],
    ) == [
        [span(each) for each in seconds],
        [size(each) for each in sizes],
        [counted(each, "frame") for each in counts],
    ]


def test_text_is_made_inert_as_in_the_terminal():
    texts = [
        "plain, ümläut, 日本, 🎉",
        "\x1b[31mred\x1b[0m\r\n\t\x00\x7f\x9b",
        "bidi \u202e\u2066 zero\u200bwidth \u2028\u2029 \u00a0nbsp \ufeff \ue000 \U000e0041",
        "a lone surrogate, from an escape in JSON: \ud800",
        "not seen: \u034f \u115f \u3164 \uffa0 \u2800 \ufe00 \U000e0101, but \u2764\ufe0f",
    ]
    assert run_script("(texts) => texts.map(acpSpy.inert.line)", texts) == list(map(inert, texts))
    assert run_script("acpSpy.inert.block", "a\n\tb\x1b") == inert("a\n\tb\x1b", but="\n\t")


def test_files_in_commands_are_words_for_a_shell_in_both():
    names = ["run-1.jsonl", "a b", "it's", "$(x)`y`;z", '"', "-o", "-e x", "a\nb", "é", "~/x", "#x"]
    assert run_script("(all) => all.map(acpSpy.words.fileWord)", names) == [*map(file_word, names)]
