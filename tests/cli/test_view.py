"""`acp-spy view`: its words, its formats, and what it says when it cannot."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from support.conversations import talk
from support.in_process import acp_spy
from support.rules import a_rule

from acp_spy import load
from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Header
from acp_spy.view import page_data as of_page
from acp_spy.view.formats import FORMATS

ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "fixtures" / "example.jsonl")
DIALECT = str(ROOT / "fixtures" / "dialect-acpex.jsonl")
FRAME_ALONE = (
    "error: `--frame` cannot be used with {}\nhint: use the filter `seq:2` instead of `--frame 2`\n"
)
NOT_MASKED = "written to {}; secrets are not masked\n"


@pytest.fixture
def view(monkeypatch):
    """Give a function that runs the command and returns its status, stdout and stderr."""
    monkeypatch.chdir(ROOT)

    def run(*words, columns=80, **env):
        out, err, status = acp_spy("view", *words, env={"COLUMNS": str(columns), **env})
        return status, out, err

    return run


def test_the_page_of_the_docs_shows_what_is_shown(view):
    page = (ROOT / "docs" / "view.md").read_text()
    command, output = re.search(
        r"```console\n\$ acp-spy view ([^\n]+)\n(.*?)```", page, re.DOTALL
    ).groups()
    assert view(*command.split()) == (0, output, "")


def test_without_a_name_it_is_the_newest_in_the_capture_folder(view, tmp_path):
    folder = tmp_path / "captures"
    folder.mkdir()
    shutil.copy(EXAMPLE, folder / "one.jsonl")
    status, shown, _ = view("kind:request", ACP_SPY_DIR=str(folder))
    assert status == 0
    assert shown.splitlines()[0] == str(folder / "one.jsonl")
    assert "3 of 10 frames shown; whole capture: 4.0 s;" in shown


def test_without_any_capture_it_says_so(view, tmp_path):
    status, shown, said = view(ACP_SPY_DIR=str(tmp_path / "none"))
    assert (status, shown) == (2, "")
    assert "there are no captures in" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.jsonl"], "error: cannot read `nowhere.jsonl`: No such file or directory"),
        ([EXAMPLE, "colour:red"], "error: cannot filter by `colour:red`: no such filter"),
        ([EXAMPLE, "--frame", "99"], f"error: cannot show frame 99 of `{EXAMPLE}`: no such frame\nhint: use a frame from 1 to 10"),
        (["-f", EXAMPLE, "--format", "json"], "error: `--follow` cannot be used with `--output`, `--frame`, `--raw` or another format\nhint: remove `-f`\n"),
        ([EXAMPLE, "--frame", "2", "--format", "html"], FRAME_ALONE.format("`--format html`")),
        ([EXAMPLE, "--frame", "2", "-o", "f2.html"], FRAME_ALONE.format("`--format html`")),
        ([EXAMPLE, "--frame", "2", "--raw", "--format", "json"], FRAME_ALONE.format("`--format json`")),
        ([EXAMPLE, "--frame", "2", "from:agent"], FRAME_ALONE.format("the filter `from:agent`")),
        (["-f", "/dev/null"], "error: cannot follow `/dev/null`: it is not a regular file\nhint: remove `-f`\n"),
        ([EXAMPLE, "--raw", "--format", "json"], "error: `--raw` cannot be used with `--format json`\nhint: remove `--raw`, or use `--format text`\n"),
        ([EXAMPLE, "--raw", "-o", "all.md"], "error: `--raw` cannot be used with `--format markdown`\n"),
        ([EXAMPLE, "--force"], "error: `--force` needs `--output`: it replaces that file\nhint: remove `--force`, or add `-o FILE`\n"),
        ([EXAMPLE, "-o", EXAMPLE, "--format", "jsonl"], ": it is the capture itself"),
        ([EXAMPLE, "-o", "/nowhere/x.md"], "cannot write `/nowhere/x.md`: No such file or directory\nhint: run `mkdir -p /nowhere` first\n"),
        ([str(ROOT / "fixtures" / "damaged-in-the-middle.jsonl")], "to get the file without that line"),
        ([str(ROOT / "fixtures" / "format-from-the-future.jsonl")], "update acp-spy"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(view, words, said):
    status, _, err = view(*words)
    assert status == 2
    assert said in err
    assert "Traceback" not in err


def test_a_filter_may_begin_with_a_hyphen(view):
    _, all_of_it, _ = view(EXAMPLE, "kind:stderr")
    _, none_of_it, _ = view(EXAMPLE, "kind:stderr", "-from:agent", "-text:ready")
    assert "example-agent 1.0 is ready" in all_of_it
    assert "example-agent 1.0 is ready" not in none_of_it


def test_dialects_read_like_the_official(view):
    _, shown, _ = view(DIALECT, columns=200)
    for words in (
        "initialize  Still 1.2.0, version 1",
        "╭ session/prompt  turn 1  Distil this module",
        "agent says  One moment",
        "agent thinks  What can be boiled off?",
        "plan  0/3 done",
        "╰ response to session/prompt  9.0 ms  done",
    ):
        assert words in shown


def test_a_filtered_view_is_a_capture_that_can_be_viewed_and_checked(view, tmp_path):
    small = tmp_path / "small.jsonl"
    assert view(EXAMPLE, "finding:any", "-o", str(small)) == (0, "", NOT_MASKED.format(small))
    assert [frame.seq for frame in load(small).frames] == [1, 2, 3, 5, 8, 10]
    assert small.stat().st_mode & 0o777 == 0o600
    status, shown, _ = view(str(small))
    assert status == 0
    assert "6 frames in 4.0 s" in shown
    assert acp_spy("check", small).status == 1


def test_the_suffix_of_the_file_selects_the_format(view, tmp_path):
    for suffix, start, shared in (
        (".json", '{"header"', False),
        (".md", "# An ACP", True),
        (".markdown", "# An ACP", True),
        (".mmd", "sequenceDiagram", True),
        (".html", "<!doctype html>", True),
        (".htm", "<!doctype html>", True),
        (".HTML", "<!doctype html>", True),
        (".txt", EXAMPLE, False),
        ("", EXAMPLE, False),
    ):
        out = tmp_path / f"out{suffix}"
        masked = f"written to {out}; secrets masked: none found\n"
        said = masked if shared else NOT_MASKED.format(out)
        assert view(EXAMPLE, "-o", str(out)) == (0, "", said)
        assert out.read_text().startswith(start)


def test_an_unknown_suffix_is_not_taken_for_text_which_has_secrets(view, tmp_path):
    out = tmp_path / "page.xhtml"
    status, _, said = view(EXAMPLE, "-o", str(out))
    assert status == 2
    assert said.startswith(f"error: cannot choose a format for `{out}`: unknown suffix `.xhtml`\n")
    assert "hint: add `--format FORMAT`, or use one of `.txt`, " in said
    assert not out.exists()
    assert view(EXAMPLE, "-o", str(out), "--format", "text")[0] == 0


def test_it_is_said_when_secrets_are_written_into_what_is_made_to_be_shared(view, tmp_path):
    out = tmp_path / "page.md"
    _, _, said = view(EXAMPLE, "-o", str(out), "--show-secrets")
    assert said == f"written to {out}; secrets shown\n"
    assert "Secrets are masked." not in out.read_text()
    assert view(EXAMPLE, "-o", str(out))[0] == 0
    assert "Secrets are masked." in out.read_text()


@pytest.mark.parametrize("suffix", [".md", ".mmd", ".html"])
def test_of_a_redacted_capture_nothing_is_left_to_mask(view, tmp_path, suffix):
    capture, out = tmp_path / "clean.jsonl", tmp_path / f"out{suffix}"
    assert acp_spy("redact", EXAMPLE, "-o", capture).status == 0
    _, _, said = view(str(capture), "-o", str(out))
    none = "none left; the capture was redacted before"
    assert said == f"written to {out}; secrets masked: {none}\n"
    _, _, said = view(str(capture), "-o", str(tmp_path / "out.txt"))
    assert said.endswith("; no more secrets are masked than in the capture\n")


def test_what_is_there_is_replaced_only_by_what_is_complete(view, tmp_path):
    out = tmp_path / "out.md"
    out.write_text("precious")
    damaged = str(ROOT / "fixtures" / "damaged-in-the-middle.jsonl")
    assert view(damaged, "-o", str(out))[0] == 2
    assert out.read_text() == "precious"
    assert os.listdir(tmp_path) == ["out.md"]


@pytest.mark.parametrize("form", ["text", "jsonl", "html"])
def test_a_capture_is_not_overwritten_by_a_view_unasked(view, tmp_path, form):
    """`view -o v2.jsonl` may well have meant: show v2."""
    precious = tmp_path / "v2.jsonl"
    precious.write_bytes(Path(DIALECT).read_bytes())
    status, shown, said = view(EXAMPLE, "--format", form, "-o", str(precious))
    assert (status, shown) == (2, "")
    assert said == (
        f"error: cannot write `{precious}`: it is a capture\n"
        "hint: give a new name, or add `--force` to replace it;"
        f" to look at it, run `acp-spy view {precious}`\n"
    )
    assert precious.read_bytes() == Path(DIALECT).read_bytes()
    assert os.listdir(tmp_path) == ["v2.jsonl"]


def test_a_capture_is_replaced_when_that_is_wanted(view, tmp_path):
    small = tmp_path / "small.jsonl"
    assert view(EXAMPLE, "finding:any", "-o", str(small))[0] == 0
    assert view(EXAMPLE, "finding:error", "-o", str(small))[0] == 2
    assert view(EXAMPLE, "finding:error", "-o", str(small), "--force")[0] == 0
    assert [frame.seq for frame in load(small).frames] == [2, 8, 10]
    assert os.listdir(tmp_path) == ["small.jsonl"]


@pytest.mark.parametrize("form", ["text", "jsonl", "html"])
def test_the_capture_that_is_shown_is_never_replaced(view, tmp_path, form):
    shown = tmp_path / "run.jsonl"
    shutil.copy(EXAMPLE, shown)
    link = tmp_path / "link.jsonl"
    link.symlink_to("run.jsonl")
    for words in ((shown, link), (link, shown)):
        capture, output = map(str, words)
        assert view(capture, "seq:1", "--format", form, "-o", output, "--force") == (
            2,
            "",
            (f"error: cannot write `{output}`: it is the capture itself\nhint: give a new name\n"),
        )
    assert shown.read_bytes() == Path(EXAMPLE).read_bytes()


def test_a_capture_that_is_being_recorded_is_never_replaced(view, tmp_path):
    running = CaptureFile(str(tmp_path / "run.jsonl"), Header())
    assert view(EXAMPLE, "-o", running.path, "--force") == (
        2,
        "",
        (
            f"error: cannot write `{running.path}`: it is a capture that is being recorded\n"
            f"hint: give a new name; to look at it, run `acp-spy view -f {running.path}`\n"
        ),
    )
    running.append(load(EXAMPLE).frames)
    running.close()
    assert len(load(running.path).frames) == 10


def test_secrets_are_masked_in_what_is_made_to_be_shared(view, tmp_path):
    secret = "sk-ant-api03-" + "Ab1" * 30
    capture = tmp_path / "run.jsonl"
    env = {"name": "ANTHROPIC_API_KEY", "value": secret}
    server = {"name": "x", "command": "x", "args": [], "env": [env]}
    new = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": [{"type": "text", "text": f"my key is {secret}"}], "mcpServers": [server]}}  # fmt: skip
    record = {"type": "frame", "seq": 1, "t": 0.1, "sender": "client", "message": new}
    capture.write_text('{"type":"header","format":1}\n' + json.dumps(record) + "\n")
    for form in ("markdown", "mermaid"):
        assert secret[:24] not in view(str(capture), "--format", form)[1]
        assert secret[:24] in view(str(capture), "--format", form, "--show-secrets")[1]
    assert secret in view(str(capture), "--frame", "1")[1]


def test_a_finding_without_a_row_is_in_every_format_that_tells_findings(view, tmp_path):
    capture = tmp_path / "run.jsonl"
    end = {"type": "exit", "t": 0.1, "status": 127, "reason": "command not found: `x`"}
    capture.write_text('{"type":"header","format":1}\n' + json.dumps(end) + "\n")
    for form in ("text", "json", "markdown", "mermaid", "html"):
        assert "RPC023" in view(str(capture), "--format", form)[1]
    assert "RPC023" not in view(str(capture), "--format", "jsonl")[1]  # as docs/view.md says


def test_one_frame_whole_and_its_very_bytes(view, tmp_path):
    _, shown, _ = view(EXAMPLE, "--frame", "9")
    assert shown.startswith("frame 9  agent → client  response to session/prompt  3.126618 s\n")
    assert "request: frame 6  client → agent  session/prompt" in shown
    assert view(EXAMPLE, "--frame", "8", "--raw", "-o", str(tmp_path / "frame.json"))[0] == 0
    assert (tmp_path / "frame.json").read_bytes() == load(EXAMPLE).frames[7].raw
    _, raw, _ = view(EXAMPLE, "--frame", "9", "--raw")
    assert raw.encode() == load(EXAMPLE).frames[8].raw


def test_a_large_capture_is_shown_at_once_and_not_read_to_its_end_for_one_frame(view, monkeypatch):
    path, about, *rest = view(EXAMPLE)[1].splitlines()
    start = next(place for place, line in enumerate(rest) if "← agent" in line)
    why, rows, summary = rest[:start], rest[start:-1], rest[-1]
    assert why[0].startswith("protocol errors: ")
    monkeypatch.setattr("acp_spy.view.capture_view.CHECKED_FIRST", 0)
    # It has nothing that comes to light late but the diagnosis.
    assert view(EXAMPLE)[1].splitlines() == [path, about, *rows, *why, summary]
    status, shown, _ = view(str(ROOT / "fixtures" / "odd-bytes.jsonl"), "--frame", "1")
    assert (status, shown[:8]) == (0, "frame 1 ")
    assert "response after 1.4 ms" in view(EXAMPLE, "--frame", "1")[1]


def test_raw_shows_every_frame_as_it_was_sent(view):
    _, shown, _ = view(EXAMPLE, "--raw", "kind:request")
    assert shown.splitlines()[0] == (
        '   1   0.052 client {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
    )


def test_a_fold_is_one_row_and_its_frames_are_counted(view, tmp_path):
    capture = tmp_path / "talk.jsonl"
    capture.write_bytes(encode(talk()))
    _, shown, _ = view(str(capture), "method:agent_message_chunk")
    assert (
        shown
        == f"""\
{capture}
recorded 2026-01-05 09:30:00 UTC, agent: helper --acp
client left: The client closed the connection at 7.0 s, while `session/prompt`
(frame 22) had been pending for 998 ms.
                      client →  ← agent
  14   5.002          ← │ agent says  5 chunks in 4.0 ms, 1000/s
                        │   All twelve tests pass now.

5 of 22 frames shown; whole capture: 7.0 s; 2 errors, 1 warning
"""
    )
    _, shown, _ = view(str(capture), "method:agent_message_chunk", "--no-fold")
    assert "5 of 22 frames shown; whole capture: " in shown


def test_another_tools_file_is_not_said_to_be_cut_off_and_its_note_stands_above(view):
    _, shown, _ = view("fixtures/foreign/ndjson-agent-only.ndjson", "-finding:any")
    assert shown.startswith(
        "fixtures/foreign/ndjson-agent-only.ndjson\n"
        "note: imported from plain NDJSON; lost: times, senders (inferred from method\n"
        "and id), blank lines, stderr, exit; it holds one stream only, the agent's\n"
        "one stream: The recording has only the frames of the agent, so what the client\n"
        "sent is not known.\n"
        "                      client →  ← agent\n"
    )
    assert "0 µs" not in view("fixtures/foreign/zed.json")[1]
    assert shown.endswith("\n1 of 7 frames shown; whole capture: 5 errors, 1 warning, 1 note\n")
    _, shown, _ = view("fixtures/foreign/conductor.jsons")
    assert re.search(r"\n\d+ frames in [0-9.]+ s; [^;]*\n$", shown)  # this one has times
    _, shown, _ = view("fixtures/foreign/ndjson.ndjson", "--format", "markdown")
    assert "Note: `imported from plain NDJSON; lost: times, " in shown


# ------------------------------------------------------------------------ which rules are asked


def codes_in(text):
    return sorted(set(re.findall(r"\b(?:FRM|RPC|SCH|LIF|CAP|DIA)[0-9]{3}\b", text)))


@pytest.mark.parametrize(
    "form", [["--format", form] for form in ("text", "json", "markdown", "html")] + [["-f"]]
)
def test_rules_are_silenced_in_every_format(view, form):
    assert codes_in(page_data(view(EXAMPLE, *form)[1])) == ["FRM004", "FRM009", "LIF003", "LIF004"]
    _, shown, _ = view(EXAMPLE, *form, "--ignore", "FRM009,LIF")
    assert codes_in(page_data(shown)) == ["FRM004"]
    _, shown, _ = view(EXAMPLE, *form, "--select", "LIF")
    assert codes_in(page_data(shown)) == ["LIF003", "LIF004"]


def page_data(text):
    """Return the findings of a page, which names every rule in its catalogue; else all."""
    about = re.search(r'id="acp-spy-about">(.*?)</script>', text, re.DOTALL)
    return json.dumps(json.loads(about[1])["findings"]) if about else text


def test_a_rule_that_is_not_asked_leaves_its_row_in_place(view):
    """Unlike `-finding:note`, which lets no row through that has one."""
    _, shown, _ = view(EXAMPLE, "--ignore", "FRM009")
    assert "   5   0.056  +1.1 ms ←   response to session/new  1.1 ms  s-1\n   6 " in shown
    assert shown.endswith("\n10 frames in 4.0 s; 3 errors, 4 warnings\n")
    _, shown, _ = view(EXAMPLE, "--frame", "5", "--ignore", "FRM009")
    assert codes_in(shown) == []
    _, shown, _ = view(EXAMPLE, "--severity", "FRM=note")
    assert shown.endswith("\n10 frames in 4.0 s; 4 warnings, 4 notes\n")


def test_the_settings_of_the_project_hold_as_for_check(view, tmp_path, monkeypatch):
    (tmp_path / "acp-spy.toml").write_text(
        'ignore = ["LIF"]\nformat = "json"\nfail-on = "never"\n[severity]\nFRM009 = "error"\n'
    )
    monkeypatch.chdir(tmp_path)
    assert view(EXAMPLE)[1].endswith("\n10 frames in 4.0 s; 4 errors\n")
    # What is given on the command line goes before the file.
    assert codes_in(view(EXAMPLE, "--ignore", "FRM")[1]) == ["LIF003", "LIF004"]
    (tmp_path / "acp-spy.toml").write_text("ignor = []\n")
    status, _, said = view(EXAMPLE)
    assert status == 2
    assert "acp-spy.toml: no such key: `ignor`" in said


def test_a_rule_that_is_not_known_is_refused(view):
    status, shown, said = view(EXAMPLE, "--ignore", "FRM0004")
    assert (status, shown) == (2, "")
    assert "error: no such rule: `FRM0004`" in said


def test_a_folder_that_has_been_removed_has_no_settings(view, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert view(EXAMPLE)[0] == 0


# ------------------------------------------------------------------------------- a bug of ours


def fails(_moment):
    raise KeyError("oops")


SAID = (
    f"a bug in acp-spy: rule TST001 raised KeyError('oops') at frame 1 of `{EXAMPLE}`"
    " (10 times)\n"
    "hint: please report it; this rule's findings may be incomplete\n"
)


@pytest.fixture
def failing_rule(monkeypatch):
    monkeypatch.setattr("acp_spy.lint.ruleset.CATALOGUE", {"TST001": a_rule(fails)})


@pytest.mark.usefixtures("failing_rule")
@pytest.mark.parametrize(
    "words",
    [
        *(["--format", form] for form in FORMATS),
        ["--frame", "1"],
        ["-f"],
    ],
    ids=" ".join,
)
def test_a_rule_that_raises_is_no_clean_bill_in_any_form(view, words):
    status, shown, said = view(EXAMPLE, *words)
    assert (status, said) == (70, SAID)
    assert shown


@pytest.mark.usefixtures("failing_rule")
def test_the_foot_says_that_a_rule_has_raised(view):
    assert view(EXAMPLE, columns=200)[1].splitlines()[-1] == (
        "10 frames in 4.0 s; nothing found;"
        " 1 rule crashed (a bug in acp-spy): findings may be missing"
    )


TOO_LONG = (
    "error: cannot make a page of `{}`: it would be larger than {} MB\n"
    "hint: filter the rows, for example with `seq:1-100000` or `finding:any`,"
    " or use `acp-spy view` on the terminal\n"
)


def test_a_capture_that_no_browser_would_show_is_refused_before_it_is_read(view, tmp_path):
    long = tmp_path / "long.jsonl"
    long.write_bytes(Path(EXAMPLE).read_bytes())
    os.truncate(long, of_page.MOST + 1)
    page = tmp_path / "page.html"
    assert view(str(long), "-o", str(page)) == (2, "", TOO_LONG.format(long, 250))
    assert not page.exists()


def test_a_part_that_is_too_long_is_refused_too_and_what_was_there_stays(
    view, tmp_path, monkeypatch
):
    page = tmp_path / "page.html"
    assert view(EXAMPLE, "from:agent", "-o", str(page))[0] == 0
    before = page.read_bytes()
    monkeypatch.setattr(of_page, "MOST", 1_000)
    reported = TOO_LONG.format("example.jsonl", 0)
    assert view(EXAMPLE, "from:agent", "-o", str(page)) == (2, "", reported)
    assert [page] == list(tmp_path.iterdir())
    assert page.read_bytes() == before
    assert view(EXAMPLE, "seq:1", "-o", str(page))[0] == 0


@pytest.mark.parametrize("form", FORMATS)
def test_of_a_damaged_capture_there_is_the_error_and_not_the_beginning_of_an_output(
    view, tmp_path, form
):
    path = tmp_path / "damaged.jsonl"
    lines = Path(EXAMPLE).read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:5], b"{\n", *lines[5:]]))
    status, out, err = view(str(path), "--format", form)
    assert (status, out) == (2, "")
    assert f"cannot read `{path}`: line 6 is not a record" in err
