"""The catalogue: every rule finds its own mistake, and nothing in what it calls right."""

import functools
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

from support.families import for_each
from support.processes import ACP_SPY, DEADLINE

from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import DOCUMENTATION, HEADINGS, Severity
from acp_spy.lint.rules import FAMILIES
from acp_spy.lint.ruleset import check as judge

ROOT = Path(__file__).parent.parent
ROWS = tomllib.loads((ROOT / "docs" / "rules" / "rows.toml").read_text())
RULES = list(CATALOGUE.values())

# Seen on the wire, but whatever is seen there is right: rows.toml says why.
NOTHING_TO_OBJECT_TO = {"SES-13", "SES-16", "PRM-10", "CNT-07", "CMD-01", "UNS-17", "NET-09"}


# A short example leaves out what these wish for.
BREVITY = {"LIF005", "LIF009"}
# What else is found in an example: how to answer a mistake cannot be shown without the mistake of
# the other peer, and one mistake may be two.
BESIDE = {
    "CAP011": "CAP010",
    "CAP014": "CAP002",
    "CAP016": "CAP003",
    "LIF006": "LIF201",
    "LIF032": "LIF029",
    "LIF113": "LIF054",
    "LIF116": "LIF052",
    "LIF152": "LIF130",
}


def check(rule, transcript, rules):
    """Return what is found in one of a rule's examples, in the dialect that they are in."""
    return judge(parse(transcript), rules, dialect=rule.dialect, budgets=rule.budgets)


def by_family(rule, transcript):
    """Return the codes of what the whole family finds, but for what is wished for only."""
    family = [other for other in RULES if other.family == rule.family]
    codes = [finding.code for finding in check(rule, transcript, family)]
    return [code for code in codes if code not in BREVITY - {rule.code}]


@functools.cache
def mistakes(code):
    """Return what a rule finds in its bad example."""
    return check(CATALOGUE[code], CATALOGUE[code].bad, [CATALOGUE[code]])


each_rule = for_each(RULES, lambda rule: rule.code)


@each_rule
def test_a_rule_finds_its_own_mistake(rule):
    assert [finding.code for finding in mistakes(rule.code)] == [rule.code]


@each_rule
def test_a_rule_is_silent_where_all_is_right(rule):
    assert check(rule, rule.good, [rule]) == []


@each_rule
def test_a_bad_example_has_one_finding_by_the_whole_family(rule):
    assert sorted(by_family(rule, rule.bad)) == sorted(
        {rule.code, BESIDE.get(rule.code, rule.code)}
    )


@each_rule
def test_a_good_example_has_none(rule):
    assert set(by_family(rule, rule.good)) <= {BESIDE.get(rule.code)}


@each_rule
def test_every_place_that_is_named_in_an_example_is_there(rule):
    """A finding that points at nothing cannot be shown."""
    frames = {record.seq for record in parse(rule.bad) if hasattr(record, "seq")}
    for finding in mistakes(rule.code):
        assert finding.seq in frames or not frames
        assert finding.see is None or finding.see in frames
        assert finding.path == "" or finding.path.startswith("/")


@each_rule
def test_a_finding_speaks_as_the_house_does(rule):
    for finding in mistakes(rule.code):
        assert finding.text.strip() == finding.text != ""
        assert not finding.text.endswith(".")
        assert not finding.hint.endswith(".")
        assert "\n" not in finding.text + finding.hint


@each_rule
def test_a_declaration_is_complete(rule):
    assert re.fullmatch(r"[A-Z]{3}[0-9]{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert isinstance(rule.severity, Severity)
    assert rule.summary == rule.summary.strip() != ""
    assert not rule.summary.endswith(".")
    assert "\n" not in rule.summary
    assert rule.explanation != ""
    assert rule.on != ()
    assert rule.spec == "" or rule.spec.startswith("https://")
    assert re.fullmatch(r"[0-9]+\.[0-9]+", rule.since)


@each_rule
def test_an_explanation_has_its_three_sections_in_order(rule):
    lines = rule.explanation.split("\n")
    assert [line for line in lines if line.startswith("#")] == [f"## {one}" for one in HEADINGS]
    assert lines[0] == f"## {HEADINGS.what}"
    for section in rule.sections:
        assert section[:1] != ""
        assert section.endswith((".", "`", ")", "?"))


@each_rule
def test_a_rule_covers_only_rows_that_there_are(rule):
    assert [row for row in rule.covers if row not in ROWS] == []
    assert len(set(rule.covers)) == len(rule.covers)


def test_no_two_rules_have_one_name_and_none_has_a_family_s():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert not {rule.name.upper() for rule in RULES} & set(FAMILIES)


def test_every_rule_belongs_to_a_family_and_every_family_has_rules():
    assert {rule.family for rule in RULES} == set(FAMILIES)


@each_rule
def test_a_rule_is_called_as_its_module_and_lives_in_its_family_s_room(rule):
    *_, room, module = rule.check.__module__.split(".")
    assert module == rule.name.replace("-", "_") == rule.check.__name__
    about = import_module(".".join(rule.check.__module__.split(".")[:4])).__doc__
    assert about.startswith(f"Family {rule.family}")
    assert room != "lifecycle"


def test_a_rule_is_found_by_code_and_by_name_without_loading_the_others():
    code = (
        "import sys\n"
        "from acp_spy.lint.catalogue import CATALOGUE, _Catalogue\n"
        "words = ['RPC007', 'lif001', CATALOGUE['SCH001'].name]\n"
        "fresh = [name for name in sys.modules if '.lint.rules.' in name]\n"
        "for name in fresh: del sys.modules[name]\n"
        "found = [_Catalogue().find(word).code for word in words]\n"
        "loaded = [name for name in sys.modules if '.lint.rules.' in name]\n"
        "print(*found, len(loaded) < len(fresh) / 10)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "RPC007 LIF001 SCH001 True\n"


def test_every_rule_can_be_found_before_any_is_loaded():
    fresh = type(CATALOGUE)
    assert [fresh().find(rule.code) for rule in RULES] == RULES
    assert [fresh().find(rule.name) for rule in RULES] == RULES
    assert [fresh().find(word) for word in ("RPC", "RPC000", "", "_common")] == [None] * 4


def test_every_row_that_can_be_seen_has_a_rule_or_a_reason():
    covered = {row for rule in RULES for row in rule.covers}
    assert {name for name in ROWS.keys() - covered if "none" not in ROWS[name]} == set()


def test_what_can_be_seen_has_a_rule():
    """A reason will not do for what the wire shows."""
    covered = {row for rule in RULES for row in rule.covers}
    seen = {name for name, row in ROWS.items() if row["observable"] == "Y"}
    assert seen - covered - NOTHING_TO_OBJECT_TO == set()
    assert NOTHING_TO_OBJECT_TO & covered == set()


def test_no_row_has_both_a_rule_and_a_reason_for_none():
    covered = {row for rule in RULES for row in rule.covers}
    assert {name for name in covered & set(ROWS) if "none" in ROWS[name]} == set()


def test_the_pages_are_linked_where_the_site_is():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["urls"]["Documentation"] == DOCUMENTATION
    assert f"\nsite_url: {DOCUMENTATION}\n" in (ROOT / "mkdocs.yml").read_text()
    for rule in RULES:
        page = rule.url.removeprefix(DOCUMENTATION).rstrip("/")
        assert (ROOT / "docs" / f"{page}.md").is_file()


def test_the_pages_are_current():
    made = subprocess.run(
        [sys.executable, ROOT / "scripts" / "make_rule_docs.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (made.stdout, made.stderr, made.returncode) == ("", "", 0)


def test_a_word_of_any_bytes_is_no_rule():
    """A rule is looked for in the files, unless all are loaded: so in a process of its own."""
    done = subprocess.run(
        [*ACP_SPY, "rule", b"\xff"], capture_output=True, check=False, timeout=DEADLINE
    )
    assert (done.stdout, done.returncode) == (b"", 2)
    assert done.stderr.startswith(b"error: ")
