"""Plain English: words that must not be in docs, help, messages, rules and the page, and what to write instead."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.families import for_each
from support.in_process import acp_spy

import acp_spy as public
from acp_spy.cli.commands import COMMANDS, PROXY_OPTIONS
from acp_spy.lint.catalogue import CATALOGUE

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md")),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("fixtures/**/README.md"),
        *ROOT.glob("recordings/README.md"),
    ]
)

# What is banned, as a regular expression in which a space may be a line end, and what to write
# instead. Capitals do not matter.
BANNED = {
    # Words.
    r"mend|mends|mended|mending": "fix",
    r"tongues?": "protocol, dialect",
    r"tells?(?! the user| you| us)|telling|told|tales?": "say, report, show, print; for `tell apart`: distinguish",
    r"shall": "must, should, will",
    r"anew|afresh": "again; for `record anew`: re-record",
    r"parts from|parted|parting|parts messages": "diverge from; for lines: separate",
    r"ow(?:e|es|ed|ing)": "wait for; a request is pending",
    r"wants|(?:is|are|was|were|be) wanted": "needs, expects, must, is expected",
    r"heed|heeds|heeded|unheeded|heeding": "apply, follow",
    r"(?:stand|stands|stood)(?!-| ?alone)": "is, are; for `stands for`: means, matches, replaces",
    r"whoever|whomever|whosoever": "anyone who, the peer that",
    r"besides": "also, in addition to, next to",
    r"unwell|(?:is|are|was|be|not|goes|went)(?: the \w+)? well(?!-| known| formed)": "works, fails",
    r"figures|figure(?! out)": "numbers, statistics",
    r"hurt|hurts": "malicious, hostile",
    r"blamed|to blame": "agent must fix, client must fix",
    r"lull|lulls": "quiet period",
    r"whilst|amongst|lest|thereof|wherein|whence|hither|nought|naught": "a modern word",
    # Permission.
    r"(?:for|without|of|no|needs?|gets?|got|gives?|gave|given|asks?|asked|grants?|granted) leave": (
        "permission"
    ),
    r"leave (?:is|was|has|had|may|must|for)": "permission",
    # Phrases.
    r"(?<!there\s)(?:is|are|was|were) no(?! longer| more| less| fewer| later| earlier| need)": "is not a",
    r"(?:an?|one) (?!for|of|to|in|with|by|as|on)\w+ an? (?:frame|line|row|file|turn|message|peer)": "one … per …",
    r"what [^.;:|?!]*\b(?:is|are) what": "a sentence with one `what` or none",
    r"brings? forth|brought forth": "output",
    r"takes? it that|took it that": "assume that",
    r"asks? (?:these|those|the|this|no|which|all|every)? ?rules?|rules? (?:is|are|be) asked": "run",
    r"takes? what (?:a|these|the) rules? finds?": "override the severity of a rule",
    r"which must be said": "(required)",
    r"be the (?:agent|client) of": "act as the recorded agent",
    r"each other's (?:contrary|place)": "cannot be used with; swapped",
    r"two ways to say one thing": "cannot be used together",
    r"(?:is|are) none of": "does not accept",
    r"where only messages may be": "only JSON-RPC messages are allowed on stdout",
    r"no way back": "a finished tool call must not change status again",
    r"another trouble": "an unrelated error",
    r"call themselves acp": "incompatible protocols that are also called ACP",
    # American spelling. (`cancelled` is a word of ACP.)
    r"\w*(?:cogn|rgan|ormal|ummar|erial|chron|ptim|pecial|nitial|mphas)is(?:e|es|ed|er|ing|ation)s?": (
        "-ize"
    ),
    r"\w*(?:colour|behaviour|neighbour|favour|honour)\w*": "-or",
    r"licence|licences|centre|grey|misspelt|spelt|spoilt|learnt|judgement|artefact\w*": (
        "license, center, gray, misspelled, spelled, spoiled, learned, judgment, artifact"
    ),
}
SPACE = r"(?!\s*\n\s*\n)\s+"  # a sentence may go on in the next line, not in the next paragraph
SEARCHES = {
    re.compile(rf"\b(?:{banned})(?!\w)".replace(" ", SPACE), re.IGNORECASE): instead
    for banned, instead in BANNED.items()
}
ANY = re.compile(rf"\b(?:{'|'.join(BANNED)})(?!\w)".replace(" ", SPACE), re.IGNORECASE)


# A comment, or a string; those in quotes end with their line.
SCRIPT = re.compile(
    r"/\*.*?\*/|//[^\n]*"
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`""",
    re.DOTALL,
)


def complaints(text: str, place: str, first_line: int | None = None) -> list[str]:
    """Return what is banned in `text`: where, the words, and what to write instead."""
    found = []
    for search, instead in SEARCHES.items() if ANY.search(text) else ():
        for match in search.finditer(text):
            line = text.count("\n", 0, match.start()) + (first_line or 0)
            where = place if first_line is None else f"{place}:{line}"
            words = " ".join(match.group().split())
            found.append(f"{where}: `{words}`: write: {instead}")
    return found


def outside(pattern: str, text: str) -> str:
    """Return `text` with what matches blanked out, on the same lines."""
    return re.sub(
        pattern,
        lambda match: re.sub(r"[^\n]", "·", match.group()),
        text,
        flags=re.MULTILINE | re.DOTALL,
    )


def prose(page: str) -> str:
    """Return a page of Markdown without code, addresses and comments, on the same lines."""
    for code in (r"^```.*?^```$", r"<!--.*?-->", r"(`+)[^`]+\1", r"\]\([^)]*\)", r"https?://\S+"):
        page = outside(code, page)
    return page


DOCUMENTED = {ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef}


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Give each string of a module that may be for people, with its line; not its docstrings."""
    tree = ast.parse(path.read_text())
    skipped: set[int] = set()
    for node in ast.walk(tree):
        kind = type(node)  # there are half a million, and `isinstance` takes as long as to parse
        if kind in DOCUMENTED:
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str()) as docstring), *_]:
                    skipped.add(id(docstring))
        elif kind is ast.JoinedStr:
            parts = [part for part in node.values if isinstance(part, ast.Constant)]
            skipped.update(map(id, parts))
            yield (
                node.lineno,
                "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "…"
                    for part in node.values
                ),
            )
        elif kind is ast.Constant and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def is_for_people(line: str) -> bool:
    """Whether a line of a string may be a sentence: not an identifier, not a message of a peer."""
    return " " in line.strip() and not re.match(r"\s*(?:->|<-|[{\[])", line)


def texts_of_the_page(path: Path) -> str:
    """Return a file of the page with nothing but its texts, on the same lines."""
    if path.suffix == ".html":
        return outside(r"<!--.*?-->|<[^>]*>", path.read_text())
    script, kept, last = path.read_text(), "", 0
    for match in SCRIPT.finditer(script):
        kept += "\n" * script.count("\n", last, match.start())
        is_text = not match.group().startswith("/") and " " in match.group()
        kept += match.group() if is_text else "\n" * match.group().count("\n")
        last = match.end()
    return outside(r"\$\{[^}]*\}", kept)


def help_pages() -> list[tuple[str, ...]]:
    return [(), *((name,) for name in COMMANDS), ("replay", "agent"), ("replay", "client")]


def public_names() -> Iterator[tuple[str, str]]:
    """Give each docstring that `help(acp_spy.NAME)` shows, with the name."""
    for name in public.__all__:
        thing = getattr(public, name)
        if not callable(thing):
            continue
        yield name, inspect.getdoc(thing) or ""
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and value.__doc__:
                yield f"{name}.{member}", str(value.__doc__)


@for_each(PAGES, lambda path: path.relative_to(ROOT))
def test_pages(page):
    found = complaints(prose(page.read_text()), str(page.relative_to(ROOT)), 1)
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("words", help_pages(), ids=" ".join)
def test_help(words):
    out = acp_spy(*words, "--help", env={"COLUMNS": "500"}).out
    found = complaints(re.sub(r"[│╭╮╰╯─]", "", out), f"acp-spy {' '.join(words)} --help")
    assert found == [], "\n".join(found)


def test_options_of_the_proxy():
    found = [line for each in PROXY_OPTIONS for line in complaints(each.help, f"--{each.name}")]
    assert found == [], "\n".join(found)


@for_each(sorted(CATALOGUE), str)
def test_rules(code):
    rule = CATALOGUE[code]
    texts = (rule.name.replace("-", " "), rule.summary, rule.explanation)
    found = [line for text in texts for line in complaints(prose(text), code)]
    assert found == [], "\n".join(found)


@for_each(sorted(ROOT.glob("acp_spy/**/*.py")), lambda path: path.relative_to(ROOT))
def test_messages(path):
    found, place = [], path.relative_to(ROOT)
    for number, text in strings(path):
        kept = "\n".join(line if is_for_people(line) else "" for line in text.split("\n"))
        found += complaints(kept, f"{place}:{number}")
    assert found == [], "\n".join(found)


@for_each(
    sorted([*ROOT.glob("acp_spy/view/page/*.html"), *ROOT.glob("acp_spy/view/page/*.js")]),
    lambda path: path.name,
)
def test_the_html_page(path):
    found = complaints(texts_of_the_page(path), str(path.relative_to(ROOT)), 1)
    assert found == [], "\n".join(found)


def test_docstrings_of_the_public_names():
    found = [line for name, text in public_names() for line in complaints(prose(text), name)]
    assert found == [], "\n".join(found)


# ----------------------------------------------------------------------------- the test itself


@pytest.mark.parametrize(
    "text",
    [
        "who can mend it",
        "The user is told.",
        "a row a frame",
        "is no file",
        "asks for leave",
        "Leave is asked for",
        "the options stand after it",
        "is the agent well?",
        "what was sent is what was\nrecorded",
        "in figures",
        "recognised",
        "which rules are asked",
        "diverged; it\nis no file",
    ],
)
def test_banned(text):
    assert complaints(text, "here")


@pytest.mark.parametrize(
    "text",
    [
        "recommended, amended",
        "leave out the last one; it leaves nothing behind",
        "there is no such file, and it is no longer needed",
        "a stand-in",
        "well-behaved, as well as others",
        "figure out why",
        "tell the user",
        "a part of the message; the part from `#` on",
        "# Replay a capture\n\nA line is a message",
        "beside it",
        "what it does",
        "lower, flower, towel",
        "cancelled",
    ],
)
def test_not_banned(text):
    assert complaints(text, "here") == []


def test_code_is_not_prose():
    page = "One `told` and\n```console\n$ told\n```\n[it](told.md) then is\nno file\n"
    assert complaints(prose(page), "page.md", 1) == ["page.md:5: `is no`: write: is not a"]


def test_a_string_is_found_with_its_line(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('"""Told."""\n\nkey = "told"\ntext = f"who {key}s is told"\n')
    assert [complaints(text, f"m:{line}") for line, text in strings(module)][-1] == [
        "m:4: `told`: write: say, report, show, print; for `tell apart`: distinguish"
    ]
