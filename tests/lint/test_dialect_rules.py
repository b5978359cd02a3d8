"""Which rules are asked when a conversation is judged by a dialect's own document."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort
from support.rules import checker

from acp_spy import load
from acp_spy.capture.transcript import parse
from acp_spy.dialect.known import DIALECTS, documented
from acp_spy.errors import AcpSpyError
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.dialect_rules import rules_for, some_rules_for
from acp_spy.lint.rule import Because, Severity
from acp_spy.lint.ruleset import check
from acp_spy.lint.select import select
from acp_spy.wire.frame import Frame, Peer

FIXTURES = Path(__file__).parents[2] / "fixtures"
RULES = tuple(CATALOGUE.values())
each_dialect = pytest.mark.parametrize("dialect", documented().values(), ids=lambda d: d.name)


def codes(dialect):
    return {rule.code for rule in rules_for(RULES, dialect)}


@pytest.mark.parametrize("dialect", ["auto", "acp"])
def test_by_official_acp_all_are_asked_but_those_about_documents(dialect):
    assert codes(dialect) == CATALOGUE.keys() - {"DIA002", "DIA003", "DIA004"}


@each_dialect
def test_by_a_document_those_about_lines_and_documents_and_those_that_it_names(dialect):
    found = codes(dialect.name)
    assert {code for code in found if code.startswith("FRM")} == {
        code for code in CATALOGUE if code.startswith("FRM")
    }
    assert {code for code in found if code.startswith("DIA")} == {"DIA002", "DIA003", "DIA004"}
    assert {code for code in found if code.startswith("SCH")} == set()
    named = {CATALOGUE[code].name for code in found if code.startswith(("LIF", "CAP"))}
    assert named == set(dialect.rules)


@each_dialect
def test_the_envelope_is_judged_by_one_family_only(dialect):
    assert ("RPC001" in codes(dialect.name)) == dialect.has_jsonrpc


def test_to_ask_nobody_is_refused():
    with pytest.raises(AcpSpyError) as caught:
        some_rules_for([CATALOGUE["SCH001"]], "crow")
    assert caught.value.message == "none of the selected rules runs with `--dialect crow`"
    assert caught.value.hint == (
        "select more rules, such as `DIA`, which check against the dialect's document"
    )
    assert some_rules_for([CATALOGUE["SCH001"]], "acp") == [CATALOGUE["SCH001"]]


METHODS = sorted({method.name for d in documented().values() for method in d.document.methods})
WORDS = sorted({word for d in DIALECTS for word in d.words} | {"update", "text", "content", "0"})
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.floats() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=effort.examples(40))
@given(
    st.sampled_from(sorted(documented())),
    st.lists(st.tuples(st.sampled_from(METHODS), values, values), max_size=6),
)
def test_whatever_is_said_no_rule_raises(dialect, calls):
    linter = checker(RULES, dialect=dialect)
    for seq, (method, params, result) in enumerate(calls):
        for sender, body in (
            (Peer.CLIENT, {"id": seq, "method": method, "params": params}),
            (Peer.AGENT, {"jsonrpc": "2.0", "id": seq, "result": result}),
            (Peer.AGENT, {"jsonrpc": "2.0", "method": method, "params": params}),
            (Peer.CLIENT, {"id": seq, "error": params}),
        ):
            linter.feed(Frame(seq, 0.0, sender, msgspec.json.encode(body) + b"\n"))
    linter.close()
    assert linter.crashes == []


def found_in(path, dialect, **levels):
    rules = select(RULES, severity={word: Severity(level) for word, level in levels.items()})
    found = check(load(path).records, rules, dialect=dialect)
    return [(finding.seq, finding.code, finding.severity.value) for finding in found]


@each_dialect
@pytest.mark.parametrize("path", sorted(FIXTURES.glob("dialect-*.jsonl")), ids=lambda p: p.stem)
def test_how_bad_a_mistake_is_told_does_not_change_what_is_told_besides(dialect, path):
    plain = found_in(path, dialect.name)
    for level in ("note", "error"):
        reported = found_in(path, dialect.name, DIA=level)
        assert [(seq, code) for seq, code, _ in reported] == [(seq, code) for seq, code, _ in plain]
        assert {how for _, code, how in reported if code.startswith("DIA")} <= {level}


def test_what_follows_from_a_message_that_does_not_match_the_document_is_folded_into_it():
    talk = """
        -> {"jsonrpc":"2.0","id":0,"method":"initialise","params":{"protocolVersion":1}}
        -> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
    """
    found = check(parse(talk), RULES, dialect="quickref")
    first, *others = (finding for finding in found if finding.code[:3] in ("DIA", "LIF", "CAP"))
    assert (first.code, first.because) == ("DIA002", None)
    assert {finding.because for finding in others} == {Because(1, "DIA002")}
