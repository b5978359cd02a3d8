"""
A rule is declared, its check makes remarks, and the linter turns them into findings.

A rule is one module with one decorated function. Everything else, from `--select` to the docs page,
is derived from the declaration.
"""

import enum
from collections.abc import Callable, Iterator
from typing import NamedTuple, get_origin

import msgspec

from acp_spy.lint.budgets import Budgets
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

DOCUMENTATION = "https://acp-spy.readthedocs.io/"  # the site that is built from docs/
RULE_PAGES = f"{DOCUMENTATION}rules/"  # with a page for each code

LONGEST_VALUE = 80  # characters of an id or a value in a sentence


class Severity(enum.Enum):
    """As in the specification: MUST is an error, SHOULD a warning, the rest a note."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Remark(msgspec.Struct, frozen=True):
    """
    What a check has seen. `text` says what was seen, then what was expected.

    The frame that is judged is the place unless `on` names another (its seq); its sender must fix
    it unless `blame` names the other peer. `at` is a JSON Pointer into the frame, `see` another
    frame that is needed to understand, `severity` overrides the rule's.
    """

    text: str
    at: str = ""
    hint: str = ""
    on: int | None = None
    see: int | None = None
    blame: Peer | None = None
    severity: Severity | None = None


class Because(msgspec.Struct, frozen=True):
    """The finding that another one follows from: its frame, and its rule."""

    seq: int
    code: str


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """
    A remark, with the rule that made it. The fields are those of the JSON output.

    One with a `because` follows from another finding, and does not count. With `by`, neither peer
    must fix it: acp-spy changed the traffic there, and this is the script, fault or person.
    """

    seq: int
    code: str
    name: str
    severity: Severity
    blame: Peer
    text: str
    path: str = ""
    see: int | None = None
    hint: str = ""
    t: float = 0.0
    hop: str = ""  # successor: in what a proxy and its successor say to each other
    because: Because | None = None
    by: str = ""

    @property
    def must_fix(self) -> str:
        """Who must fix it, or what it follows from, in the words of every format."""
        if self.because:
            return f"follows from {self.because.code} in frame {self.because.seq}"
        if self.by:
            return f"acp-spy did it: {inert(self.by)}"  # it may be the name of a file
        if self.hop:  # the proxy is the capture's agent; the conductor only delivers
            return f"{'proxy' if self.blame is Peer.AGENT else self.hop} must fix"
        return f"{self.blame.value} must fix"


class Sections(NamedTuple):
    """The explanation of a rule by its headings; `HEADINGS` has them in the same order."""

    what: str
    why: str = ""
    instead: str = ""


HEADINGS = Sections("What it does", "Why it matters", "Use instead")

# What a check is shown (a Step, an Ending, ...) and what it may keep between two of them.
Check = Callable[..., Iterator[Remark]]


class Rule(msgspec.Struct, frozen=True):
    """
    A declaration in the catalogue.

    A rule with a `dialect` judges by a dialect's own document, and is asked only then; the one that
    it names is that of its examples. So does one with `budgets` judge by those of a project.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    on: tuple[str, ...]
    covers: tuple[str, ...]
    spec: str
    since: str
    examples: tuple[str, str]  # bad and good, as they are declared
    check: Check
    version: int = 0
    takes: tuple[str, ...] = ()  # what the check is given besides the moment: facts, memory
    dialect: str = "auto"
    budgets: Budgets = Budgets()
    by_default: bool = True  # else it runs only if it is selected, or given a severity
    declared: Severity | None = None  # its severity before the user chose another

    def severity_of(self, remark: Remark) -> Severity:
        """Return the severity to report: the one that the user chose, else the remark's own."""
        return self.severity if self.declared else self.own_severity_of(remark)

    def own_severity_of(self, remark: Remark) -> Severity:
        """Return the severity of a remark, whatever the user chose."""
        return remark.severity or self.declared or self.severity

    # Most runs show no explanation, and what is in a source is laid out only where it is shown.
    @property
    def bad(self) -> str:
        """The transcript in which it finds something."""
        return _without_indent(self.examples[0])

    @property
    def good(self) -> str:
        """The transcript in which it finds nothing."""
        return _without_indent(self.examples[1])

    @property
    def explanation(self) -> str:
        """What it does, why it matters and what to use instead, as Markdown with headings."""
        from inspect import cleandoc

        return cleandoc(self.check.__doc__ or "")

    @property
    def sections(self) -> Sections:
        """The explanation, taken apart at its headings."""
        what, why, instead = (f"## {heading}\n" for heading in HEADINGS)
        text, _, fix = self.explanation.partition(instead)
        text, _, reason = text.partition(why)
        return Sections(text.removeprefix(what).strip(), reason.strip(), fix.strip())

    @property
    def url(self) -> str:
        """The address of its page; it stays the same when the rule is renamed."""
        return f"{RULE_PAGES}{self.code}/"

    @property
    def family(self) -> str:
        """The letters of the code."""
        return self.code.rstrip("0123456789")


def rule(
    *,
    code: str,
    name: str,
    severity: Severity,
    summary: str,
    on: tuple[str, ...],
    covers: tuple[str, ...] = (),
    version: int = 0,
    spec: str = "",
    since: str = "0.1",
    dialect: str = "auto",
    budgets: Budgets = Budgets(),  # noqa: B008 - it is frozen
    by_default: bool = True,
    bad: str,
    good: str,
) -> Callable[[Callable[..., Iterator[Remark]]], Rule]:
    """
    Declare a rule; the decorated function is its check, and its docstring the explanation.

    The docstring has a section for each of `HEADINGS`, as in `## What it does`.

    `on` names the topics that the check is called for (see `topics.py`), and `version` when: 2 only
    if the peers have agreed on version 2, 1 only if they have not. The check takes the moment; a
    parameter `facts` gets what is known of it (see `facts.py`), and one of any other name a dict
    that belongs to the rule and lives as long as the conversation.
    """

    def declare(check: Callable[..., Iterator[Remark]]) -> Rule:
        code_of_check = check.__code__
        _, *takes = code_of_check.co_varnames[: code_of_check.co_argcount]
        return Rule(
            code=code,
            name=name,
            severity=severity,
            summary=summary,
            on=on,
            covers=covers,
            spec=spec,
            since=since,
            examples=(bad, good),
            check=check,
            takes=tuple(_given(check, name) for name in takes),
            version=version,
            dialect=dialect,
            budgets=budgets,
            by_default=by_default,
        )

    return declare


def shortened(sentence: str) -> str:
    """Return `sentence` with what is long between backquotes cut: an id may have any length."""
    if len(sentence) <= LONGEST_VALUE:
        return sentence
    parts = sentence.split("`")
    for place in range(1, len(parts), 2):
        if len(parts[place]) > LONGEST_VALUE:
            parts[place] = parts[place][: LONGEST_VALUE - 3] + "..."
    return "`".join(parts)


def _without_indent(transcript: str) -> str:
    return "\n".join(line.strip() for line in transcript.strip().split("\n"))


def _given(check: Check, name: str) -> str:
    """Return what a check is given for its parameter `name`: the facts, or its own memory."""
    if name == "facts":
        return name
    is_dict = get_origin(check.__annotations__.get(name)) is dict
    if is_dict or name.lstrip("_") == "memory":
        return "memory"
    raise TypeError(f"`{name}` of a check is neither `facts` nor a dict")
