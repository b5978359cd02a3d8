"""
How many single mistakes `check` finds, and how many rules report each.

    python -m benchmarks.mutations [--places N] [--only WORD] [--captures DIR] [-v] [--write]

Each operator of `benchmarks/operators` changes one thing in a conversation: a mistake that a peer
could make, or a difference that the specification allows. The conversations are those of
recordings/ and of benchmarks/conversations/. What is found in a changed conversation and not in the
original is what the change caused. A finding that follows from another one does not count.

`--write` puts the results into docs/rules/mutations.md.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

import msgspec

from acp_spy.capture.files import load
from acp_spy.capture.records import Record
from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Finding
from acp_spy.lint.ruleset import Ruleset
from acp_spy.lint.select import select
from acp_spy.view.findings.report import MistakeKey, mistake_key
from benchmarks.measuring import ROOT
from benchmarks.mutating import LEGAL, OPERATORS, Edit, Operator, Talk

FAMILIES = (
    "framing",
    "jsonrpc",
    "shapes",
    "lifecycle",
    "version_2",
    "capabilities",
    "dialects",
    "legal",
    "testers",
    "unseen",
    "common_bugs",
)
for _family in FAMILIES:
    import_module(f"benchmarks.operators.{_family}")

PAGE = ROOT / "docs" / "rules" / "mutations.md"
PLACES = 2  # of each operator in each conversation
MOST_FINDINGS = 3  # of one mistake; more are a cascade
DIALECTS = ("acpex", "crow", "jetbrains", "quickref", "threads")


class Tried(msgspec.Struct, frozen=True):
    """One edit of one conversation, and the new mistakes that were found in it."""

    talk: str
    codes: tuple[str, ...]
    texts: tuple[str, ...] = ()

    @property
    def rules(self) -> set[str]:
        return set(self.codes)


class Score(msgspec.Struct, frozen=True):
    """An operator and what came of its edits."""

    operator: Operator
    tried: tuple[Tried, ...]

    @property
    def found(self) -> int:
        return sum(bool(one.codes) for one in self.tried)

    @property
    def by_one_rule(self) -> int:
        return sum(len(one.rules) == 1 for one in self.tried)

    @property
    def cascades(self) -> int:
        return sum(len(one.codes) > MOST_FINDINGS for one in self.tried)

    @property
    def rules(self) -> list[str]:
        counts = Counter(code for one in self.tried for code in one.rules)
        return sorted(counts, key=lambda code: (-counts[code], code))


def talks() -> list[Talk]:
    """Return the conversations: recorded, made by hand, and of dialects."""
    found = [
        Talk(path.stem, load(path).records)
        for path in sorted((ROOT / "recordings").glob("*.jsonl"))
        if not path.name.endswith(".findings.jsonl")
    ]
    found += [
        Talk(path.stem, parse(path.read_text()))
        for path in sorted((ROOT / "benchmarks" / "conversations").glob("*.txt"))
    ]
    for name in DIALECTS:
        path = ROOT / "fixtures" / f"dialect-{name}.jsonl"
        found.append(Talk(path.stem, load(path).records, name))
    return found


def talks_in(folder: str) -> list[Talk]:
    """Return the captures of a folder."""
    return [Talk(path.stem, load(path).records) for path in sorted(Path(folder).glob("*.jsonl"))]


def run(
    operators: Iterable[Operator], conversations: Sequence[Talk], places: int = PLACES
) -> list[Score]:
    """Return what came of each operator that applies anywhere."""
    known = {talk.name: _mistakes(talk, talk.records) for talk in conversations}
    scores = []
    for operator in operators:
        tried = tuple(
            _try(talk, edit, known[talk.name], is_legal=operator.is_legal)
            for talk in conversations
            if operator.applies_to(talk)
            for edit in _some(operator, talk, places)
        )
        scores.append(Score(operator, tried))
    return scores


def _some(operator: Operator, talk: Talk, places: int) -> Iterator[Edit]:
    edits = list(operator.edits(talk))
    chance = random.Random(f"{operator.what} {talk.name}")
    yield from chance.sample(edits, places) if len(edits) > places else edits


def _try(talk: Talk, edit: Edit, known: Counter[MistakeKey], *, is_legal: bool) -> Tried:
    """
    Return what is found now and was not.

    A mistake that the conversation had before, and that is now made once more, is the one that was
    meant if nothing else is found. In a legal change it is not an alarm.
    """
    now = _mistakes(talk, talk.apply(edit))
    again = now - known
    codes, before = _codes(now), _codes(known)
    new = [key for key in again if key not in known and codes[key[0]] > before[key[0]]]
    if not new and not is_legal:
        new = list(again)
    return Tried(
        talk.name,
        tuple(sorted(key[0] for key in new)),
        tuple(sorted(f"{key[0]} {key[1]}" for key in new)),
    )


def _codes(mistakes: Counter[MistakeKey]) -> Counter[str]:
    return Counter(key[0] for key in mistakes.elements())


def _mistakes(talk: Talk, records: Iterable[Record]) -> Counter[MistakeKey]:
    """Return what `check` reports, without what follows from another finding."""
    rules = select(CATALOGUE.values(), ())
    checker = Ruleset(tuple(rules), "auto", talk.dialect).checker()
    found: list[Finding] = []
    for record in records:
        found += checker.feed(record)
    found += checker.close()
    return Counter(mistake_key(one) for one in found if not getattr(one, "because", None))


# ------------------------------------------------------------------------------------- the tables

HEAD = """\
| change | tried | found | by one rule | cascades | rules |
| --- | --- | --- | --- | --- | --- |
"""
_INTRO = """\
# Mutations

<!-- made by `python -m benchmarks.mutations --write`: do not edit -->

How many single mistakes [`check`](../check.md) finds. Each *operator* changes one thing in a
conversation: a mistake that a real agent or client could make, or a difference that the
specification allows. The conversations are the recordings of six agents, three conversations in
`benchmarks/conversations` (two of version 1, one of version 2), and one of each dialect. An
operator is tried in at most {places} places of each conversation, always the same ones.

A change is *found* if it causes a finding that the original does not have. A finding that follows
from another one (`because`) does not count. More than {most} findings for one change are a
*cascade*. For an allowed difference every finding is a *false alarm*.

"""


def page(scores: Sequence[Score], places: int) -> str:
    """Return the page of the documentation."""
    parts = [_INTRO.format(places=places, most=MOST_FINDINGS), summary(scores)]
    for family in dict.fromkeys(score.operator.family for score in scores):
        of_family = [score for score in scores if score.operator.family == family]
        title = "Allowed differences" if family == LEGAL else f"{family}: mistakes"
        parts.append(f"\n## {title}\n\n{table(of_family)}")
    return "".join(parts)


def summary(scores: Sequence[Score]) -> str:
    """Return the totals in a few lines."""
    illegal = [score for score in scores if not score.operator.is_legal]
    legal = [score for score in scores if score.operator.is_legal]
    tried = sum(len(score.tried) for score in illegal)
    found = sum(score.found for score in illegal)
    one = sum(score.by_one_rule for score in illegal)
    return (
        f"- {len(illegal)} operators made {tried} mistakes: {_percent(found, tried)} were found,"
        f" {_percent(one, tried)} by exactly one rule;"
        f" {sum(score.cascades for score in illegal)} cascades.\n"
        f"- {len(legal)} operators made {sum(len(s.tried) for s in legal)} allowed differences:"
        f" {sum(s.found for s in legal)} false alarms.\n"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def table(scores: Iterable[Score]) -> str:
    """Return a row for each operator."""
    return HEAD + "".join(
        f"| {score.operator.what} | {len(score.tried)} | {score.found} | {score.by_one_rule} |"
        f" {score.cascades} | {', '.join(score.rules)} |\n"
        for score in scores
    )


def details(scores: Iterable[Score]) -> Iterator[str]:
    """Give a line for each edit that did not come out as it should."""
    for score in scores:
        for one in score.tried:
            is_wrong = score.operator.is_legal == bool(one.codes)
            if is_wrong or len(one.rules) > 1 or len(one.codes) > MOST_FINDINGS:
                yield f"{score.operator.family} {score.operator.what} [{one.talk}]"
                yield from (f"    {text}" for text in one.texts)


def main() -> int:
    """Try the operators, and print what came of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutations")
    parser.add_argument("--places", type=int, default=PLACES, help="in each conversation, at most")
    parser.add_argument("--only", default="", metavar="WORD", help="operators with this word")
    parser.add_argument("--captures", metavar="DIR", help="use these instead of our conversations")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what went wrong")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    operators = [one for one in OPERATORS if options.only in f"{one.family} {one.what}"]
    conversations = talks_in(options.captures) if options.captures else talks()
    scores = run(operators, conversations, options.places)
    print(table(scores))
    if options.verbose:
        print("\n".join(details(scores)))
    print(summary(scores))
    if options.write:
        PAGE.write_text(page(scores, options.places))
    return 0


if __name__ == "__main__":
    sys.exit(main())
