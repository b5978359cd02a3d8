"""The tools that read captures. A docstring is what an agent reads to choose the tool."""

import os
import time
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from acp_spy.comparison import json as diff_json
from acp_spy.comparison.capture_diff import diff_captures
from acp_spy.comparison.read import LoadedCapture, read_capture
from acp_spy.dialect.known import choices
from acp_spy.errors import AcpSpyError
from acp_spy.lint.budgets import budgets_from
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.linter import Crash
from acp_spy.lint.rule import Severity
from acp_spy.lint.ruleset import ruleset_for
from acp_spy.lint.select import search
from acp_spy.lint.settings import Settings, Spec
from acp_spy.mcp_server.answer import Answer
from acp_spy.mcp_server.captures import Captures, MaskedCapture, redactor_for
from acp_spy.mcp_server.tool import Tool, tool
from acp_spy.secrets.redactor import Redactor
from acp_spy.view import frame_json
from acp_spy.view.capture_view import CaptureView
from acp_spy.view.captures import json as captures_json
from acp_spy.view.captures.summary import MOST_TO_DIAGNOSE, MOST_TO_DIAGNOSE_TOGETHER, summarize
from acp_spy.view.filters import TOKENS, split
from acp_spy.view.findings import json as findings_json
from acp_spy.view.findings import why
from acp_spy.view.findings.check_file import check_file
from acp_spy.view.findings.report import LEVELS, Report
from acp_spy.view.findings.settings_file import find_settings
from acp_spy.view.rows_json import row_fields
from acp_spy.view.rule_text import description, headline
from acp_spy.view.stats import json as stats_json
from acp_spy.view.stats.collect import collect
from acp_spy.wire.pointer import lookup

TOOLS: dict[str, Tool] = {}
_MOST_LISTED = 20
_MOST_ROWS = 50
_PIECE = 10_000  # characters of one long text; some become two in JSON
_IN_FULL = "`frame` shows a message in full: its argument `at` takes the place of a long text"

Name = Annotated[
    str,
    Meta(
        description="A capture, by its name or path from `list_captures`; the first characters of"
        " its name are enough."
    ),
]
Default = Annotated[
    str,
    Meta(
        description="A capture, by its name or path from `list_captures`; the first characters of"
        " its name are enough. Default: the newest that is being recorded, or else the newest."
    ),
]
Offset = Annotated[int, Meta(ge=0, description="How many items to skip, for the next page.")]
Words = Annotated[
    list[str], Meta(description="Rules: codes (`RPC006`), families (`RPC`) or names.")
]


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `list_captures`."""

    offset: Offset = 0
    limit: Annotated[int, Meta(ge=1, le=200, description="How many captures to list.")] = (
        _MOST_LISTED
    )


@tool(TOOLS, Page)
def list_captures(given: Page, captures: Captures) -> Answer:
    """
    List the recorded conversations (captures), newest first: agent, client, state, number of
    frames, findings by severity, and the diagnosis in one sentence. `state` is `running` while it
    is being recorded, `ended`, `cut off` (the recorder was killed) or `imported`. Use it to find
    the name of a capture; without a name, the other tools take the newest one that is running, or
    else the newest.
    """
    entries = captures.entries()
    listed, left, now = [], MOST_TO_DIAGNOSE_TOGETHER, time.time()
    for entry in entries[given.offset : given.offset + given.limit]:
        most = min(left, MOST_TO_DIAGNOSE)
        is_read = entry.size <= most
        left -= entry.size if is_read else 0
        redactor = redactor_for(entry.path) if is_read else Redactor()
        # Each record first: in the lines that a diagnosis quotes, what shows a secret is missing.
        summary = summarize(entry, now, most=most, masked=redactor.record)
        listed.append(redactor.value(captures_json.document(summary)))
    document = {"folder": Redactor().text(captures.folder), "captures": listed}
    return Answer(document, "captures", given.offset, len(entries))


class OneCapture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of what is about one capture."""

    capture: Default = ""


@tool(TOOLS, OneCapture)
def diagnosis(given: OneCapture, captures: Captures) -> Answer:
    """
    Start here. Say what went wrong in a conversation, in one answer: the kind, what was seen, who
    must act (`blame`), since when, the frames that show it (`seq`), and what to do next (`hint`).
    For a hang, a crash, a failed prompt or a wrong message this names the one cause. It also works
    while the conversation is being recorded (`running`). Next, look at the frames in `seq` with
    `frame`, which also has the findings about them, and at what happened around them with `rows`:
    by the filter `seq:70-90`, or `kind:stderr` for the agent's log.
    """
    report = _checked(captures.open(given.capture), _settings())
    pending = {"pending": report.pending} if report.pending else {}
    return Answer({**why.document(report), **pending, **_bugs(report.crashes)})


class FindingsOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `findings`."""

    capture: Default = ""
    severity: Annotated[
        Literal["error", "warning", "note"],
        Meta(description="Leave out findings that are milder than this."),
    ] = "note"
    offset: Offset = 0


@tool(TOOLS, FindingsOf)
def findings(given: FindingsOf, captures: Captures) -> Answer:
    """
    List everything in one conversation that breaks the protocol: the rule (`code`), who must fix
    it (`blame`), the frame (`seq`) and the place in it (`path`, a JSON Pointer), what was seen and
    what to do. A mistake that was made many times is one finding with all its `places`. A finding
    with `because` follows from another one: fix that one first. `rule` explains a code. For the one
    cause of what the user sees, use `diagnosis`; to test several conversations, use `check`.
    """
    report = _checked(captures.open(given.capture), _settings())
    document = {**findings_json.document(report), **_bugs(report.crashes)}
    worst = [level.value for level in LEVELS][: LEVELS.index(Severity(given.severity)) + 1]
    wanted = [each for each in document["findings"] if each["severity"] in worst]
    document["findings"] = wanted[given.offset :]
    return Answer(document, "findings", given.offset, len(wanted))


class RowsOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `rows`."""

    capture: Default = ""
    filter: Annotated[
        str,
        Meta(
            description="Tokens with blanks between them, which all must match; a leading `-`"
            " negates. "
            + "; ".join(f"`{each.name}:{each.example}`: {each.meaning}" for each in TOKENS)
            + ". For example: `from:agent -method:agent_message_chunk after:2s`."
        ),
    ] = ""
    offset: Offset = 0
    limit: Annotated[int, Meta(ge=1, le=500, description="How many rows to show.")] = _MOST_ROWS


@tool(TOOLS, RowsOf)
def rows(given: RowsOf, captures: Captures) -> Answer:
    """
    Show what happened in a conversation, one row per frame and per line of the agent's stderr, in
    order: time in seconds (`t`), sender, method (`what`), content in short (`gist`), latency of a
    response, session, turn, tool call and findings. Choose rows by `filter`: `kind:request`,
    `kind:stderr`, `method:session/*`, `finding:any`, `seq:40-60`, `slower:2s`, `text:WORDS`.
    Streamed text has one row per chunk; `-method:agent_message_chunk` leaves those out. `partner`
    of a response is the frame of its request. For the whole message of a row, use `frame`.
    """
    view = _view(captures.open(given.capture), split(given.filter))
    found: list[dict[str, Any]] = []
    count = 0
    for row in view.rows():
        if given.offset <= count < given.offset + given.limit:
            found.append(row_fields(row))
        count += 1
    document = {
        "path": view.name,
        "header": view.header,
        "rows": found,
        "findings": list(view.late()),
        "diagnosis": view.diagnosis,
        **_bugs(view.crashes),
    }
    return Answer(document, "rows", given.offset, count, _IN_FULL)


class FrameOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `frame`."""

    frame: Annotated[int, Meta(ge=1, description="The number of the frame: `seq` elsewhere.")]
    capture: Default = ""
    at: Annotated[
        str,
        Meta(
            description="Show only this part of the message, a JSON Pointer such as"
            " `/params/update/content/text`."
        ),
    ] = ""
    offset: Annotated[
        int, Meta(ge=0, description="With `at`: skip so many characters of a text, or items.")
    ] = 0


@tool(TOOLS, FrameOf)
def frame(given: FrameOf, captures: Captures) -> Answer:
    """
    Show one frame in full: its message as it was sent (secrets masked), its row, everything that
    was found in it, and the request or response that belongs to it. A request without `response`
    was never answered. If a message is too long, show a part of it by `at`.
    """
    view = _view(captures.open(given.capture), ())
    detail = view.frame(given.frame)
    if not given.at:
        document = {"path": view.name, **frame_json.document(detail)}
        return Answer(document, more="to see more of a place, call again with `at`")
    try:
        value = lookup(frame_json.message_of(detail.row), given.at)
    except LookupError:
        raise AcpSpyError(
            f"cannot show `{given.at}` of frame {given.frame}: there is no such place",
            hint="use a JSON Pointer into `message`, such as `/params`",
        ) from None
    shown: dict[str, Any] = {"path": view.name, "seq": given.frame, "at": given.at}
    if isinstance(value, list):
        return Answer({**shown, "value": value[given.offset :]}, "value", given.offset, len(value))
    if not isinstance(value, str):
        return Answer({**shown, "value": value}, more="to see more of a place, add it to `at`")
    end = given.offset + _PIECE
    if end < len(value):
        shown["next"] = (
            f"characters {given.offset} to {end - 1} of {len(value)} are shown; for the next, call"
            f" again with offset {end}"
        )
    return Answer({**shown, "value": value[given.offset : end]})


@tool(TOOLS, OneCapture)
def stats(given: OneCapture, captures: Captures) -> Answer:
    """
    Show how much, how fast, and who waited for whom: response times of each method, turns with the
    time to the first update, tool calls, stalls, the slowest of each, and requests that are
    pending. Use it for "it is slow"; for "it hangs" or "it fails", use `diagnosis`.
    """
    source = captures.open(given.capture)
    found = collect(source(), now=source.now)
    return Answer(stats_json.document(source.shown_path, found.state, found))


class TwoCaptures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `diff`."""

    a: Name
    b: Name
    offset: Offset = 0


@tool(TOOLS, TwoCaptures)
def diff(given: TwoCaptures, captures: Captures) -> Answer:
    """
    Show what changed from capture A to capture B: messages that were added, removed, changed or
    moved, findings that came and went, how the agent ended, and what became slower. Names of
    sessions, ids, folders and times do not count. Use it to compare a conversation that works with
    one that does not, or one before a fix with one after it.
    """
    both = [captures.open(named) for named in (given.a, given.b)]
    document = diff_json.document(diff_captures(*map(_loaded, both)))
    for capture in both:  # what one shows to be a secret, the other may quote
        document = capture.redactor.value(document)
    total = len(document["changes"])
    document["changes"] = document["changes"][given.offset :]
    return Answer(document, "changes", given.offset, total, _IN_FULL)


class RuleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `rule`."""

    words: Annotated[
        str,
        Meta(
            max_length=1000,  # each word is looked for in the text of each rule
            description="A rule's code (`RPC006`) or name (`unanswered-request`), a family (`RPC`),"
            " or words to search for. Default: all rules.",
        ),
    ] = ""
    offset: Offset = 0


@tool(TOOLS, RuleWords)
def rule(given: RuleWords, captures: Captures) -> Answer:  # noqa: ARG001 - as every tool
    """
    Explain a rule of the protocol, by the code of a finding: what it checks, why it matters, a
    wrong and a right conversation, what to do instead, and the place in the specification. Several
    matches are listed with their summaries. Use it before you fix a finding.
    """
    words = given.words.split()
    one = CATALOGUE.find(words[0]) if len(words) == 1 else None
    found = [one] if one else search(CATALOGUE.values(), words) if words else [*CATALOGUE.values()]
    if words and len(found) == 1:
        return Answer(description(found[0]))
    listed = [headline(each) for each in found[given.offset :]]
    more = "`rule` with one code explains that rule"
    return Answer({"rules": listed}, "rules", given.offset, len(found), more)


class CheckOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `check`."""

    captures: Annotated[list[str], Meta(description="Names of captures. Default: the newest.")] = []
    select: Annotated[Words, Meta(description="Run only these rules.")] = []
    ignore: Annotated[Words, Meta(description="Do not run these rules.")] = []
    fail_on: Annotated[
        Literal["error", "warning", "note", "never"] | None,
        Meta(description="The mildest severity that fails a capture; by default `error`."),
    ] = None
    spec: Annotated[Spec | None, Meta(description="The version of the specification.")] = None
    dialect: Annotated[
        str | None, Meta(description=f"The protocol of the peers: {', '.join(choices())}.")
    ] = None
    max_duration: Annotated[
        dict[str, str],
        Meta(description='The longest response time by method: {"session/new": "5s"}.'),
    ] = {}
    max_turn: Annotated[str, Meta(description="The longest turn, such as `2m`.")] = ""
    max_first_update: Annotated[
        str, Meta(description="The longest time to the first update of a turn: `500ms`.")
    ] = ""
    expect_tool: Annotated[
        list[str], Meta(description="Names, kinds or titles of tool calls that must occur.")
    ] = []
    forbid_tool: Annotated[list[str], Meta(description="Tool calls that must not occur.")] = []
    expect_stop: Annotated[
        list[str], Meta(description="Stop reasons of which each turn must end with one.")
    ] = []
    offset: Offset = 0


_BUDGETS = (
    *("max_duration", "max_turn", "max_first_update"),
    *("expect_tool", "forbid_tool", "expect_stop"),
)


@tool(TOOLS, CheckOf)
def check(given: CheckOf, captures: Captures) -> Answer:
    """
    Test one or several conversations against the rules of the protocol, and against what the
    project expects of them: times, tools, stop reasons. `failed` says whether one of them has a
    finding that fails it. Use it as a test after a fix, or with other rules than the project's;
    to look into one conversation, use `diagnosis` and `findings`. Settings of the project
    (`[tool.acp-spy]` of pyproject.toml, acp-spy.toml) apply where no argument overrides them.
    """
    settings = _settings_with(given)
    named = given.captures or [""]
    checked: list[dict[str, Any]] = []
    failed = False
    for each in named[given.offset :]:
        try:
            report = _checked(captures.open(each), settings)
        except AcpSpyError as error:
            if len(named) == 1:
                raise
            failed = True
            masked = error.without_secrets((redactor := Redactor()).text)
            unreadable = {"path": each, "error": masked.message, "hint": masked.hint}
            checked.append(redactor.value(unreadable))
            continue
        failed = failed or report.failed
        document = findings_json.document(report)
        checked.append({**document, "failed": report.failed, **_bugs(report.crashes)})
    more = "`findings` shows all findings of one capture"
    return Answer(
        {"failed": failed, "captures": checked}, "captures", given.offset, len(named), more
    )


def _settings() -> Settings:
    try:
        return find_settings(os.getcwd())
    except FileNotFoundError:  # the current folder has been removed
        return Settings()


def _settings_with(given: CheckOf) -> Settings:
    settings = _settings()
    if given.dialect and given.dialect not in choices():
        raise AcpSpyError(
            f"no such dialect: `{given.dialect}`", hint=f"use one of {', '.join(choices())}"
        )
    budgets = {
        name.replace("_", "-"): value for name in _BUDGETS if (value := getattr(given, name))
    }
    return msgspec.structs.replace(
        settings,
        select=tuple(given.select) or settings.select,
        ignore=tuple(given.ignore) or settings.ignore,
        fail_on=given.fail_on or settings.fail_on,
        spec=given.spec or settings.spec,
        dialect=given.dialect or settings.dialect,
        budgets=msgspec.structs.replace(settings.budgets, **budgets_from(budgets)),
    )


def _checked(source: MaskedCapture, settings: Settings) -> Report:
    return check_file(
        source.path,
        ruleset_for(settings).rules or (),
        spec=settings.spec,
        dialect=settings.dialect,
        budgets=settings.budgets,
        fail_on=None if settings.fail_on == "never" else Severity(settings.fail_on),
        every=True,
        masked=source,
    )


def _bugs(crashes: Iterable[Crash]) -> dict[str, list[str]]:
    """Return what is said of rules that raised: what they would have found is not known."""
    found = [f"rule {each.code} raised {each.error} at frame {each.seq}" for each in crashes]
    return {"bugs_of_acp_spy": found} if found else {}


def _view(source: MaskedCapture, tokens: list[str] | tuple[()]) -> CaptureView:
    settings = _settings()
    view = CaptureView(source.path, tokens, ruleset_for(settings), settings=settings, shared=source)
    view.running, view.name = source.running, source.shown_path
    return view


def _loaded(source: MaskedCapture) -> LoadedCapture:
    return read_capture(source.shown_path, source(), now=source.now)
