"""
Which rules are run, and with which severity: by code, family or name.

A word that names no rule is refused: a check that silently asked nobody would pass everything.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

import msgspec

from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Rule, Severity


def select(
    rules: Iterable[Rule],
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Mapping[str, Severity] | None = None,
) -> list[Rule]:
    """
    Return those of `rules` that `select` names (all, if it names none) and `ignore` does not.

    A word is a code (`RPC007`), a family (`RPC`) or a name (`unanswered-request`), or several
    with commas between them. `severity` overrides what a rule says of itself; what is said of
    the rule counts for more than what is said of its family.
    """
    rules = list(rules)
    wanted, unwanted = _codes(rules, select), _codes(rules, ignore)
    levels = _levels(rules, severity or {})
    selected = [
        _with_severity(rule, levels[rule.code]) if rule.code in levels else rule
        for rule in rules
        if (not wanted or rule.code in wanted) and rule.code not in unwanted
    ]
    if rules and not selected:
        raise AcpSpyError(
            "no rule is left to check", hint="select more, or ignore less; all are asked by default"
        )
    return selected


def find(rules: Iterable[Rule], word: str) -> Rule:
    """Return the one rule that is called `word`, by its code or its name."""
    rules = list(rules)
    for rule in rules:
        if word.upper() == rule.code or word.lower() == rule.name:
            return rule
    raise _no_such_rule(word, [*_each(rules, "code"), *_each(rules, "name")])


def _codes(rules: list[Rule], words: Iterable[str]) -> set[str]:
    """Return the codes of the rules that `words` name."""
    return {code for word in split(words) for code in _matches(rules, word)}


def _levels(rules: list[Rule], severity: Mapping[str, Severity]) -> dict[str, Severity]:
    families = {rule.family for rule in rules}
    broad = {word: level for word, level in severity.items() if word.upper() in families}
    levels: dict[str, Severity] = {}
    for words in (broad, {word: level for word, level in severity.items() if word not in broad}):
        for word, level in words.items():
            levels |= dict.fromkeys(_matches(rules, word), level)
    return levels


def _matches(rules: list[Rule], word: str) -> list[str]:
    code, name = word.upper(), word.lower()
    found = [rule.code for rule in rules if code in (rule.code, rule.family) or name == rule.name]
    if not found:
        legal = (*_each(rules, "code"), *_each(rules, "family"), *_each(rules, "name"))
        raise _no_such_rule(word, legal)
    return found


def split(words: Iterable[str]) -> list[str]:
    """Return the words that `words` hold, also those with commas between them."""
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


def _each(rules: list[Rule], what: str) -> list[str]:
    return list(dict.fromkeys(getattr(rule, what) for rule in rules))


def _no_such_rule(word: str, legal: Iterable[str]) -> AcpSpyError:
    near = {one.lower(): one for one in legal}
    found = [f"`{near[one]}`" for one in get_close_matches(word.lower(), near, n=3)]
    guess = f"did you mean {' or '.join(found)}? " if found else ""
    return AcpSpyError(f"no such rule: `{word}`", hint=f"{guess}`acp-spy rule` lists them all")


def _with_severity(rule: Rule, level: Severity) -> Rule:
    """Return `rule` with all its remarks at one level, also those that have one of their own."""
    return msgspec.structs.replace(rule, severity=level, declared=rule.declared or rule.severity)
