"""
Which rules are run, and with which severity: by code, family or name.

A word that names no rule is refused: a check that silently ran no rule would pass everything.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches

import msgspec

from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Rule, Severity
from acp_spy.units import either

_CLOSE = 0.65  # of 1: with difflib's 0.6, `nonsense` is close to `long-silence`


def select(
    rules: Iterable[Rule],
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Mapping[str, Severity] | None = None,
) -> list[Rule]:
    """
    Return those of `rules` that `select` names and `ignore` does not.

    If `select` names none, these are the rules that run by default, and those that `severity` names
    by code or name: who sets the severity of a rule wants to see it.

    A word is a code (`RPC007`), a family (`RPC`) or a name (`unanswered-request`), or several
    with commas between them. `severity` overrides the severity of a rule; a setting for
    the rule goes before one for its family.
    """
    rules = list(rules)
    wanted, unwanted = _codes(rules, select), _codes(rules, ignore)
    levels = _levels(rules, severity or {})
    if not wanted:
        wanted = {rule.code for rule in rules if rule.by_default or _is_named(rule, severity or {})}
    selected = [
        _with_severity(rule, levels[rule.code]) if rule.code in levels else rule
        for rule in rules
        if rule.code in wanted and rule.code not in unwanted
    ]
    if rules and not selected:
        raise AcpSpyError(
            "no rule is left to check", hint="select more, or ignore less; by default all rules run"
        )
    return selected


def search(rules: Iterable[Rule], words: Iterable[str]) -> list[Rule]:
    """
    Return the rules that `words` name, by code, name or family; else those that mention all words.

    Names and summaries are searched if a name has the words, and all of their texts if none has. A
    word is found at the start of words.
    """
    rules, words = list(rules), list(words)
    named = [_named(rules, word) for word in words]
    if all(named):
        return [rule for rule in rules if any(rule.code in codes for codes in named)]
    if _mentioning(rules, words, _name):
        return _mentioning(rules, words, _headline)
    if found := _mentioning(rules, words, _everything):
        return found
    parts = dict.fromkeys(part for rule in rules for part in rule.name.split("-"))
    raise _no_such_rule(" ".join(words), _names(rules), parts)


def _mentioning(
    rules: Iterable[Rule], words: Iterable[str], text_of: Callable[[Rule], str]
) -> list[Rule]:
    # At the start of a word: `hang` is not in `changed`.
    starts = [
        re.compile((r"(?<![^\W_])" if word[:1].isalnum() else "") + re.escape(word.lower()))
        for word in words
    ]
    found = []
    for rule in rules:
        text = text_of(rule)
        if all(start.search(text) for start in starts):
            found.append(rule)
    return found


def _name(rule: Rule) -> str:
    return f"{rule.code} {rule.name} {rule.name.replace('-', ' ')}".lower()


def _headline(rule: Rule) -> str:
    return f"{_name(rule)} {rule.summary.lower()}"


def _everything(rule: Rule) -> str:
    return f"{_headline(rule)} {' '.join(rule.explanation.lower().split())}"


def _is_named(rule: Rule, words: Iterable[str]) -> bool:
    return any(word.upper() == rule.code or word.lower() == rule.name for word in words)


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
    if found := _named(rules, word):
        return found
    raise _no_such_rule(word, _names(rules))


def _named(rules: list[Rule], word: str) -> list[str]:
    """Return the codes of the rules that `word` names; none if it is not a name."""
    code, name = word.upper(), word.lower()
    return [rule.code for rule in rules if code in (rule.code, rule.family) or name == rule.name]


def split(words: Iterable[str]) -> list[str]:
    """Return the words that `words` hold, also those with commas between them."""
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


def _names(rules: list[Rule]) -> list[str]:
    """Return every code, family and name."""
    each = [getattr(rule, what) for what in ("code", "family", "name") for rule in rules]
    return list(dict.fromkeys(each))


def _no_such_rule(word: str, *legal: Iterable[str]) -> AcpSpyError:
    """Return the error for a word; a guess is taken from the first of `legal` that has one."""
    found: list[str] = []
    for words in legal:
        near = {one.lower(): one for one in words}
        close = get_close_matches(word.lower(), near, n=3, cutoff=_CLOSE)
        if (code := _with_zeros(word.lower())) in near:
            close = [code]
        found = found or [f"`{near[one]}`" for one in close]
    guess = f"did you mean {either(found)}? " if found else ""
    return AcpSpyError(f"no such rule: `{word}`", hint=f"{guess}`acp-spy rule` lists them all")


def _with_zeros(word: str) -> str:
    """Return a code with its three digits: `frm004` for `frm4` and `frm04`."""
    return re.sub(r"(?<=\D)\d++$", lambda digits: digits[0].lstrip("0").zfill(3), word)


def _with_severity(rule: Rule, level: Severity) -> Rule:
    """Return `rule` with all its remarks at one level, also those that have one of their own."""
    return msgspec.structs.replace(rule, severity=level, declared=rule.declared or rule.severity)
