import pytest

from acp_spy.capture.transcript import parse
from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Remark, Severity, rule
from acp_spy.lint.ruleset import check
from acp_spy.lint.select import search, select


def a_rule(
    code, name, *, severity=Severity.WARNING, own=None, summary="s", text="Explain.", **more
):
    def speak(moment):
        yield Remark("seen", severity=own)

    speak.__doc__ = text
    about = {"code": code, "name": name, "severity": severity, "summary": summary}
    return rule(**about, on=("frame",), bad="", good="", **more)(speak)


RULES = [
    a_rule("FRM001", "noise"),
    a_rule("RPC001", "missing-version"),
    a_rule("RPC007", "unanswered-request", own=Severity.NOTE),
    a_rule("SCH001", "unknown-field", severity=Severity.ERROR),
]


def codes(**how):
    return [selected.code for selected in select(RULES, **how)]


def levels(**how):
    found = check(parse("-> {}"), select(RULES, **how))
    return {finding.code: finding.severity.value for finding in found}


def test_without_a_word_all_are_asked():
    assert select(RULES) == RULES


def test_a_rule_that_is_off_by_default_runs_when_it_is_named():
    quiet = a_rule("FRM009", "quiet", by_default=False)
    rules = [*RULES, quiet]
    assert select(rules) == RULES
    assert select(rules, ["FRM"]) == [RULES[0], quiet]
    assert select(rules, ["quiet"]) == [quiet]
    for word in ("FRM009", "frm009", "quiet"):
        assert [rule.code for rule in select(rules, severity={word: Severity.NOTE})][-1] == "FRM009"
    of_family = select(rules, severity={"FRM": Severity.NOTE})
    assert [rule.code for rule in of_family] == [rule.code for rule in RULES]


@pytest.mark.parametrize(
    ("words", "selected"),
    [
        (["RPC007"], ["RPC007"]),
        (["RPC"], ["RPC001", "RPC007"]),
        (["unanswered-request"], ["RPC007"]),
        (["RPC007,FRM"], ["FRM001", "RPC007"]),
        (["RPC007", "noise"], ["FRM001", "RPC007"]),
        ([" rpc007 , Noise,"], ["FRM001", "RPC007"]),
        (["RPC", "RPC007"], ["RPC001", "RPC007"]),
    ],
)
def test_rules_are_selected_by_code_family_or_name(words, selected):
    assert codes(select=words) == selected
    assert codes(ignore=words) == [each.code for each in RULES if each.code not in selected]


def test_what_is_ignored_is_not_selected():
    assert codes(select=["RPC", "SCH"], ignore=["RPC001"]) == ["RPC007", "SCH001"]


def test_nothing_left_is_no_clean_bill():
    with pytest.raises(AcpSpyError) as caught:
        select(RULES, ["RPC007"], ["RPC"])
    assert caught.value.message == "no rule is left to check"
    assert caught.value.hint != ""


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        ("RPC07", "did you mean `RPC007`? "),
        ("rpc7", "did you mean `RPC007`? "),
        ("RPC1O7", "did you mean `RPC007`, `RPC001` or `RPC`? "),
        ("unanswered-requests", "did you mean `unanswered-request`? "),
        ("RCP", "did you mean `RPC`? "),
        ("xyzzy", ""),
    ],
)
@pytest.mark.parametrize("how", ["select", "ignore", "severity"])
def test_an_unknown_word_is_refused_with_the_nearest(word, guess, how):
    with pytest.raises(AcpSpyError) as caught:
        select(RULES, **{how: {word: Severity.NOTE} if how == "severity" else ["FRM", word]})
    assert caught.value.message == f"no such rule: `{word}`"
    assert caught.value.hint == f"{guess}`acp-spy rule` lists them all"


def test_a_name_of_countless_zeros_is_refused_at_once():
    """It would take minutes otherwise."""
    with pytest.raises(AcpSpyError, match="no such rule"):
        select(RULES, [f"RPC{'0' * 300_000}x"])


def test_a_severity_is_overridden_also_where_a_remark_has_one_of_its_own():
    assert levels() == {
        "FRM001": "warning",
        "RPC001": "warning",
        "RPC007": "note",
        "SCH001": "error",
    }
    overridden = levels(severity={"RPC007": Severity.ERROR, "noise": Severity.NOTE})
    assert overridden == {
        "FRM001": "note",
        "RPC001": "warning",
        "RPC007": "error",
        "SCH001": "error",
    }


@pytest.mark.parametrize("words", [["RPC", "rpc007"], ["rpc007", "RPC"]])
def test_what_is_said_of_a_rule_counts_for_more_than_what_is_said_of_its_family(words):
    meant = {"RPC": Severity.ERROR, "rpc007": Severity.WARNING}
    found = levels(severity={word: meant[word] for word in words})
    assert (found["RPC001"], found["RPC007"]) == ("error", "warning")


def test_the_rules_given_are_left_as_they_are():
    (changed,) = select(RULES, ["FRM001"], severity={"FRM001": Severity.ERROR})
    assert changed.severity is Severity.ERROR
    assert RULES[0].severity is Severity.WARNING


TEXTS = [
    a_rule("FRM001", "noise", summary="A line is not a message", text="Look for a timeout."),
    a_rule("RPC001", "missing-version", summary="A message has no version", text="Send it."),
    a_rule("RPC007", "unanswered-request", summary="No response came", text="Timeout,\nor crash."),
    a_rule("SCH001", "unknown-field", summary="A field of a message", text="See session/load."),
    a_rule("RPC008", "long-silence", summary="It came late", text="As ashes."),
]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["RPC007"], ["RPC007"]),
        (["rpc007"], ["RPC007"]),
        (["unanswered-request"], ["RPC007"]),
        (["rpc"], ["RPC001", "RPC007", "RPC008"]),
        (["FRM", "RPC007"], ["FRM001", "RPC007"]),
        (["Unanswered"], ["RPC007"]),  # a part of a name
        (["missing version"], ["RPC001"]),
        (["version", "missing"], ["RPC001"]),
        (["noise", "RPC001"], ["FRM001", "RPC001"]),
        (["message"], ["FRM001", "RPC001", "SCH001"]),  # no name has it
        (["timeout"], ["FRM001", "RPC007"]),
        (["timeout, or crash"], ["RPC007"]),  # over the end of a line
        (["session/load"], ["SCH001"]),
        (["/load"], ["SCH001"]),
        (["ash"], ["RPC008"]),  # not `crash`
    ],
)
def test_rules_are_searched_by_code_name_family_and_words(words, found):
    assert [rule.code for rule in search(TEXTS, words)] == found


def test_the_texts_are_searched_only_if_no_name_has_the_word():
    also = a_rule("SCH002", "timeout", summary="Late", text="")
    assert [rule.code for rule in search([*TEXTS, also], ["timeout"])] == ["SCH002"]


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        ("unanswred", "did you mean `unanswered-request`"),
        ("answerd", "did you mean `unanswered`"),
        ("RPC07", "did you mean `RPC007`"),
        ("nonsense", "`acp-spy rule` lists them all"),
        ("xyzzy", "`acp-spy rule` lists them all"),
    ],
)
def test_a_search_without_a_match_names_the_nearest(word, guess):
    with pytest.raises(AcpSpyError, match="no such rule") as caught:
        search(TEXTS, [word])
    assert caught.value.hint.startswith(guess)
