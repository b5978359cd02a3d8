"""Every tool, by the official client: it returns what its command prints as JSON."""

import json
import os
import re
import time
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest
from support import effort
from support.diagnoses import EXAMPLES
from support.in_process import acp_spy
from support.keys import spelled_out
from support.mcp_client import Refused, answer, answers, listed
from support.processes import DEADLINE

from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Header, Stderr
from acp_spy.capture.transcript import parse
from acp_spy.cli.commands import COMMANDS
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.live_page.capture_list import CaptureList
from acp_spy.mcp_server.answer import MOST_CHARACTERS
from acp_spy.mcp_server.captures import Captures
from acp_spy.mcp_server.reading_tools import TOOLS
from acp_spy.view.captures.summary import MOST_TO_DIAGNOSE

FIXTURES = Path(__file__).parents[2] / "fixtures"
RECORDINGS = Path(__file__).parents[2] / "recordings"


def write(path, *records, started="2026-01-05T09:30:00Z"):
    path.write_bytes(encode([Header(started=started), *records]))
    return path


def example(path, kind, **how):
    """Write the conversation with this diagnosis."""
    _, *records = EXAMPLES[kind].records()
    return write(path, *records, **how)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give a folder with one capture, where no settings of a project are found."""
    monkeypatch.chdir(tmp_path)
    example(tmp_path / "failed.jsonl", "prompt-failed")
    return tmp_path


def as_json(*words):
    return json.loads(acp_spy(*words, "--format", "json").out)


def test_an_agent_learns_from_the_list_which_tool_to_use():
    tools = listed(Captures("nowhere"))
    assert list(tools) == list(TOOLS)
    assert tools["diagnosis"].description.startswith("Start here. ")
    for tool in tools.values():
        assert tool.input_schema["additionalProperties"] is False
        assert all(each["description"] for each in tool.input_schema["properties"].values())
        assert tool.annotations.read_only_hint is True
    assert set(TOOLS) - set(COMMANDS) == {"list_captures", "diagnosis", "findings", "rows", "frame"}


def test_what_starts_processes_exists_only_if_the_user_allows_it():
    assert "doctor" not in listed(Captures("nowhere"))
    doctor = listed(Captures("nowhere"), allow_run=True)["doctor"]
    assert doctor.annotations.read_only_hint is False
    with pytest.raises(Refused, match=r"no such tool\nhint: .*`acp-spy mcp --allow-run`"):
        answer(Captures("nowhere"), "doctor", command=["true"])


def test_texts_name_only_tools_that_exist():
    from acp_spy.mcp_server.serve import INSTRUCTIONS

    tools = {*TOOLS, "doctor"}
    texts = [INSTRUCTIONS, *(tool.description for tool in TOOLS.values())]
    named = {word for text in texts for word in re.findall(r"(?:and|tool|use|with) `(\w+)`", text)}
    assert named - tools == {"because"}  # a field
    assert {"diagnosis", "frame", "rows", "findings", "check", "stats"} <= named


def test_the_answers_are_those_of_the_commands(folder):
    captures = Captures(str(folder))
    path = str(folder / "failed.jsonl")
    example(folder / "fine.jsonl", "fine", started="2026-01-04T09:30:00Z")
    other = str(folder / "fine.jsonl")
    assert answer(captures, "list_captures") == as_json("list", "--dir", folder)
    assert answer(captures, "diagnosis") == as_json("why", path)
    (checked,) = as_json("check", path)["captures"]
    assert answer(captures, "findings") == checked
    assert answer(captures, "check") == {
        "failed": False,
        "captures": [{**checked, "failed": False}],
    }
    shown = as_json("view", path, "kind:response")
    rows = answer(captures, "rows", filter="kind:response")
    assert rows == {"path": path, **shown, "header": rows["header"]}
    assert rows["header"] == {**shown["header"], "redacted": True}
    assert answer(captures, "stats") == as_json("stats", path)
    assert answer(captures, "diff", a="fine", b="failed") == as_json("diff", other, path)
    assert answer(captures, "rule", words="RPC006") == as_json("rule", "RPC006")


def test_a_frame_has_its_message_its_findings_and_its_partner(folder):
    prompt, response = [
        row["seq"]
        for row in answer(Captures(str(folder)), "rows", filter="method:session/prompt")["rows"]
    ]
    found = answer(Captures(str(folder)), "frame", frame=prompt)
    assert found["message"]["method"] == "session/prompt"
    assert found["response"]["message"]["error"]["message"] == "model overloaded"
    assert found["response"]["row"]["partner"] == prompt
    found = answer(Captures(str(folder)), "frame", frame=response, at="/error/message")
    assert found["value"] == "model overloaded"


def test_what_is_not_json_is_shown_as_text():
    noisy = Captures("nowhere", [str(FIXTURES / "odd-bytes.jsonl")])
    (row, *_) = answer(noisy, "rows", filter="kind:noise")["rows"]
    assert isinstance(answer(noisy, "frame", frame=row["seq"])["message"], str)


def test_several_rules_are_listed_and_one_is_explained():
    found = answer(Captures("nowhere"), "rule", words="permission")["rules"]
    assert {"LIF111", "LIF113"} <= {each["code"] for each in found}
    assert "explanation" not in found[0]
    seen, offset = [], 0
    while offset < len(CATALOGUE.values()):
        page = answer(Captures("nowhere"), "rule", offset=offset)["rules"]
        offset += len(page)
        seen += [each["code"] for each in page]
    assert seen == [rule.code for rule in CATALOGUE.values()]


def test_check_quotes_a_file_among_captures_without_its_secrets(folder):
    url = "postgres://alice:k7Jm2x9Qpw5tLz8@db-primary.internal.example.com:5432/shop"
    (folder / "odd.jsonl").write_text(f"DATABASE_URL={url}\n")
    example(folder / "fine.jsonl", "fine")
    found = answer(Captures(str(folder)), "check", captures=["odd", "fine"])["captures"]
    assert "postgres://alice:redacted-url-password-1@db-" in found[0]["error"]
    assert "k7Jm" not in str(found)


def test_check_takes_what_the_project_expects_and_its_settings(folder):
    example(folder / "fine.jsonl", "fine")
    captures = Captures(str(folder))
    assert answer(captures, "check", captures=["fine"])["failed"] is False
    assert answer(captures, "check", captures=["fine"], expect_tool=["read"])["failed"] is True
    never = answer(captures, "check", captures=["fine"], expect_tool=["read"], fail_on="never")
    assert never["failed"] is False
    assert len(never["captures"][0]["findings"]) == 1
    (folder / "acp-spy.toml").write_text('expect-tool = ["read"]\n')
    assert answer(captures, "check", captures=["fine"])["failed"] is True
    assert answer(captures, "check", captures=["fine"], ignore=["BUD"])["failed"] is False


def test_check_reports_a_capture_that_cannot_be_read_beside_the_others(folder):
    found = answer(Captures(str(folder)), "check", captures=["failed", "nothing"])
    assert found["failed"] is True
    assert found["captures"][1]["error"] == "cannot read `nothing`: No such file or directory"


def test_findings_can_be_chosen_by_severity(folder):
    captures = Captures(str(RECORDINGS))
    everything = answer(captures, "findings", capture="claude.jsonl")["findings"]
    assert {each["severity"] for each in everything} == {"note", "warning"}
    worse = answer(captures, "findings", capture="claude.jsonl", severity="warning")["findings"]
    assert {each["severity"] for each in worse} == {"warning"}


def test_doctor_examines_an_agent_and_names_its_capture(folder):
    captures = Captures(str(folder))
    arguments = {"command": ["no-such-agent"], "timeout": DEADLINE}
    found = answer(captures, "doctor", allow_run=True, **arguments)
    assert found["healthy"] is False
    assert found["checks"][0]["text"] == "command not found: `no-such-agent`"
    seen = answer(captures, "diagnosis", capture=found["capture"])
    assert seen["diagnosis"]["kind"] == "agent-not-started"


def test_why_a_conversation_hangs_can_be_found_out_by_the_tools_alone(folder):
    """As an agent would: each call uses only what the last one said."""
    started = datetime.fromtimestamp(time.time() - 120, UTC).isoformat()
    file = CaptureFile(str(folder / "hangs.jsonl"), Header(started=started))
    try:
        file.append(EXAMPLES["permission-pending"].records()[1:])
        captures = Captures(str(folder))
        found = answer(captures, "diagnosis")  # the one that runs, though another is newer
        assert found["running"] is True
        assert found["diagnosis"]["kind"] == "permission-pending"
        assert "session/request_permission" in " ".join(found["pending"])
        frame = answer(
            captures, "frame", capture=found["path"], frame=found["diagnosis"]["seq"][-1]
        )
        assert frame["message"]["method"] == "session/request_permission"
        assert "response" not in frame
        assert answer(captures, "stats")["pending"]
        assert answer(captures, "list_captures")["captures"][0]["state"] == "running"
    finally:
        os.close(file._fd)


SECRET = spelled_out("ghp_<36>")
NAMED = "correct-horse-4711"  # a secret only by the name of its field


def test_no_answer_has_a_secret(folder):
    request = '-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"password":"%s"}}'
    error = '<- {"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"bad login %s, %s"}}'
    lines = [request % NAMED, error % (SECRET, NAMED), f"!! token {SECRET} {NAMED}"]
    secret = write(folder / "secret.jsonl", *parse("\n".join([*lines, "-> EOF", "== 1"])))
    assert NAMED in acp_spy("why", secret).out
    assert NAMED in acp_spy("list", "--dir", folder, "--format", "json").out
    calls = [
        ("list_captures", {}),
        *((tool, {"capture": "secret"}) for tool in ("diagnosis", "findings", "rows", "stats")),
        *(("frame", {"capture": "secret", "frame": number}) for number in (1, 2)),
        ("frame", {"capture": "secret", "frame": 1, "at": "/params/password"}),
        ("diff", {"a": "failed", "b": "secret"}),
        ("check", {"captures": ["secret", "failed"]}),
    ]
    captures = Captures(str(folder))
    texts = answers(captures, *calls)
    assert [text for text in texts if SECRET in text or NAMED in text] == []
    asked = {"capture": "secret", "frame": 1, "at": f"/{NAMED}"}
    with pytest.raises(Refused, match="cannot show `/redacted-secret-1` of frame 1"):
        answer(captures, "frame", **asked)
    assert "bad login redacted-" in texts[0] + texts[1]


def test_a_difference_has_no_secret_that_only_the_other_capture_shows_to_be_one(folder):
    request = '-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1%s}}'
    error = '<- {"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"bad login %s"}}'
    named = [request % f',"password":"{NAMED}"', error % "again"]
    write(folder / "named.jsonl", *parse("\n".join([*named, "== 1"])))
    write(folder / "quoted.jsonl", *parse("\n".join([request % "", error % NAMED, "== 1"])))
    for a, b in (("named", "quoted"), ("quoted", "named")):
        (text,) = answers(Captures(str(folder)), ("diff", {"a": a, "b": b}))
        assert "bad login redacted-secret-1" in text
        assert NAMED not in text


QUOTED = """\
-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
== 1"""


def test_the_list_quotes_no_line_whose_secret_is_shown_by_the_line_before(folder):
    *before, end = parse(QUOTED)
    write(folder / "quoted.jsonl", *before, Stderr(0.0, b"DB_PASSWORD: |\n  Kx7-horse\n"), end)
    listed = answer(Captures(str(folder)), "list_captures")["captures"]
    text = next(each for each in listed if "quoted" in each["path"])["diagnosis"]["text"]
    assert "`DB_PASSWORD: |`" in text
    assert "horse" not in text
    lines = CaptureList(str(folder))
    try:
        news = "".join(lines.take())
        while lines.has_more:
            news += "".join(lines.take())
    finally:
        lines.close()
    assert "DB_PASSWORD" in news
    assert "horse" not in news


def test_nor_has_the_list_one_of_a_capture_that_is_too_large_to_be_read(folder):
    info = {"clientInfo": {"name": f"agent of {NAMED}", "version": "1"}, "password": NAMED}
    start = '-> {"jsonrpc":"2.0","id":0,"method":"initialize","params":%s}'
    noise = Stderr(1.0, b"x" * MOST_TO_DIAGNOSE)
    write(folder / "big.jsonl", *parse(start % json.dumps(info)), noise)
    assert NAMED in acp_spy("list", "--dir", folder, "--format", "json").out
    assert NAMED not in json.dumps(answer(Captures(str(folder)), "list_captures"))


def test_what_cannot_be_read_is_quoted_without_its_secrets(folder):
    (folder / "odd.jsonl").write_text(f"DB_PASSWORD=hunter2 {SECRET}\n")
    (folder / "long.jsonl").write_text("{" + "x" * 25 + f'":"{SECRET}"\n')  # it is cut
    for names in (["odd"], ["long"], ["odd", "long"]):
        try:
            (text,) = answers(Captures(str(folder)), ("check", {"captures": names}))
        except Refused as refused:
            text = str(refused)
        assert "line 1 is `" in text
        assert SECRET[:16] not in text
        assert "hunter2" not in text


LONG = "".join(f"{number:07} " for number in range(3000))


@pytest.fixture
def large(folder):
    """Give a capture with many rows, and one frame that is longer than any answer."""
    update = (
        '<- {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
        '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}'
    )
    texts = [*("x" * 50 for _ in range(300)), LONG]
    write(folder / "large.jsonl", *parse("\n".join(update % text for text in texts)))
    return Captures(str(folder))


def test_an_answer_is_limited_and_says_how_to_get_the_rest(large):
    seen, offset = [], 0
    while True:
        (text,) = answers(large, ("rows", {"capture": "large", "limit": 500, "offset": offset}))
        assert len(text) <= MOST_CHARACTERS
        page = json.loads(text)
        seen += [row["seq"] for row in page["rows"]]
        offset += len(page["rows"])
        if offset == 301:
            break
        assert page["left_out"][0].endswith(
            f"of 301 are shown; for the next, call again with offset {offset}"
        )
    assert seen == [*range(1, 302)]


def test_a_long_text_is_shown_piece_by_piece(large):
    (text,) = answers(large, ("frame", {"capture": "large", "frame": 301}))
    assert len(text) <= MOST_CHARACTERS
    at = "/params/update/content/text"
    assert f"/message{at}: the first 4000 of {len(LONG)} characters are shown" in text
    pieces, offset = "", 0
    while offset is not None:
        found = answer(large, "frame", capture="large", frame=301, at=at, offset=offset)
        pieces += found["value"]
        offset = len(pieces) if "next" in found else None
    assert pieces == LONG


def test_a_malicious_message_makes_no_long_answer(folder):
    """Neither by fields within fields, nor by the depth of lists, nor by characters that are escaped."""
    wide = {str(a): {str(b): {str(c): 1 for c in range(10)} for b in range(20)} for a in range(20)}
    deep = "[" * 500 + "]" * 500
    odd = json.dumps("\x1b" * 9000)
    lines = [
        f'<- {{"jsonrpc":"2.0","method":"x","params":{value}}}'
        for value in (json.dumps(wide), deep, odd)
    ]
    write(folder / "malicious.jsonl", *parse("\n".join(lines)))
    captures = Captures(str(folder))
    for frame in (1, 2, 3):
        try:
            (text,) = answers(captures, ("frame", {"capture": "malicious", "frame": frame}))
        except Refused as refused:
            text = str(refused)
            assert "nested too deeply" in text
        assert len(text) <= MOST_CHARACTERS
        assert "\x1b" not in text
    assert len(answer(captures, "rows", capture="malicious")["rows"]) == 3


ODD = ("\0", "a/\0/b", "\x1b[31mred", "\ud800", "x" * 5000)


def test_a_name_leads_to_captures_that_the_user_has_chosen_and_nowhere_else(folder):
    chosen, elsewhere = folder / "chosen", folder / "elsewhere"
    chosen.mkdir()
    elsewhere.mkdir()
    inside = example(chosen / "inside.jsonl", "fine")
    outside = example(elsewhere / "outside.jsonl", "fine")
    os.symlink(outside, chosen / "link.jsonl")
    captures = Captures(str(chosen))
    for named in ("inside", "ins", "inside.jsonl", str(inside), "chosen/inside.jsonl", ""):
        assert captures.find(named) == str(inside)
    outsiders = (
        str(outside),
        "../elsewhere/outside.jsonl",
        "elsewhere/outside",
        "/etc/passwd",
        "..",
    )
    for named in (
        *outsiders,
        "link",
        "link.jsonl",
        str(chosen),
        "outside",
        "-",
        "/dev/stdin",
        *ODD,
    ):
        with pytest.raises(Refused, match=r"^cannot read `") as refused:
            answer(captures, "diagnosis", capture=named)
        assert "\nhint: use a name that `list_captures` shows" in str(refused.value)
        assert str(refused.value).replace("\n", "").isprintable()
    for given in (outside, elsewhere):
        wider = Captures(str(chosen), [str(given)])
        assert wider.find("outside.jsonl") == wider.find(str(outside)) == str(outside)
        assert len(answer(wider, "list_captures")["captures"]) == 2


class Exchanged(Captures):
    """The captures of a folder in which somebody puts something else when one was found."""

    def __init__(self, folder, put):
        super().__init__(str(folder))
        self._put = put

    def find(self, named):
        path = super().find(named)
        os.unlink(path)
        self._put(path)
        return path


READERS, NAMES = ("diagnosis", "rows", "stats", "check"), ("inside", "inside.jsonl", "")


# Each tool, and each way to name a capture.
@pytest.mark.parametrize(
    "asked",
    effort.some_of(
        product(READERS, NAMES), *product(READERS, NAMES[:1]), *product(["rows"], NAMES[1:])
    ),
)
def test_a_file_that_is_exchanged_for_a_link_or_a_pipe_is_not_read(folder, asked):
    tool, named = asked
    outside = example(folder / "outside.jsonl", "fine")
    for put in (lambda path: os.symlink(outside, path), os.mkfifo):
        chosen = folder / f"chosen-{len(os.listdir(folder))}"
        chosen.mkdir()
        example(chosen / "inside.jsonl", "fine")
        given = {"captures": [named]} if tool == "check" else {"capture": named}
        with pytest.raises(Refused, match=r"inside.jsonl`: it is not a regular file"):
            answer(Exchanged(chosen, put), tool, **given)


def test_more_words_than_anybody_searches_for_are_refused():
    with pytest.raises(Refused, match=r"cannot call `rule`: Expected `str` of length <= 1000"):
        answer(Captures("nowhere"), "rule", words="x " * 40_000)


def test_a_name_that_is_not_utf8_is_listed_as_the_command_lists_it(folder):
    example(folder / os.fsdecode(b"bad\xff.jsonl"), "fine")
    paths = {each["path"] for each in answer(Captures(str(folder)), "list_captures")["captures"]}
    assert paths == {each["path"] for each in as_json("list", "--dir", str(folder))["captures"]}
    assert any("bad" in path for path in paths)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("rows", {"capture": "failed", "filter": "color:red"}, ["view", "failed", "color:red"]),
        ("rows", {"capture": "failed", "filter": "after:x"}, ["view", "failed", "after:x"]),
        ("frame", {"capture": "failed", "frame": 99}, ["view", "failed", "--frame", "99"]),
        ("rule", {"words": "RPC999"}, ["rule", "RPC999"]),
        ("check", {"captures": ["failed"], "select": ["XYZ"]}, ["check", "failed", "--select", "XYZ"]),
        ("check", {"captures": ["failed"], "max_turn": "x"}, ["check", "failed", "--max-turn", "x"]),
        ("diagnosis", {"capture": "damaged"}, ["why", "damaged"]),
        ("stats", {"capture": "empty"}, ["stats", "empty"]),
        ("stats", {"capture": "future"}, ["stats", "future"]),
        ("stats", {"capture": "notes.txt"}, ["stats", "notes.txt"]),
        ("stats", {"capture": "notes"}, ["stats", "notes"]),
    ],
)  # fmt: skip
def test_an_error_has_the_words_of_the_command(folder, monkeypatch, tool, arguments, words):
    captures = folder / "captures"
    captures.mkdir()
    (folder / "failed.jsonl").rename(captures / "failed.jsonl")
    for name, fixture in (
        ("damaged", "damaged-in-the-middle"),
        ("future", "format-from-the-future"),
    ):
        (captures / f"{name}.jsonl").write_bytes((FIXTURES / f"{fixture}.jsonl").read_bytes())
    (captures / "empty.jsonl").touch()
    (captures / "notes.txt").write_text("not a capture\n")
    (captures / "notes-2.txt").touch()
    with pytest.raises(Refused) as refused:
        answer(Captures(str(captures)), tool, **arguments)
    err = acp_spy(*words, env={"ACP_SPY_DIR": str(captures)}).err
    assert f"error: {refused.value}\n" == err


def test_wrong_arguments_are_refused_with_the_right_ones(folder):
    captures = Captures(str(folder))
    hint = "\nhint: its arguments are: capture, filter, offset, limit"
    for arguments in ({"limit": "many"}, {"limit": 0}, {"filters": "x"}, {"offset": -1}):
        with pytest.raises(Refused, match=f"^cannot call `rows`: .*{hint}$"):
            answer(captures, "rows", **arguments)
    assert len(answer(captures, "rows", limit="2", filter=None)["rows"]) == 2  # as models write it
    with pytest.raises(
        Refused, match=r"^cannot show `/nowhere` of frame 1: there is no such place"
    ):
        answer(captures, "frame", frame=1, at="/nowhere")
    with pytest.raises(Refused, match=r"^cannot call `view`: no such tool\nhint: the tools are: "):
        answer(captures, "view")


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("diagnosis", {"capture": "x" * 100_000}, "No such file or directory"),
        ("rows", {"filter": f"{'x ' * 4_000}"}, "no such filter"),
        ("x" * 100_000, {}, "no such tool"),
    ],
)
def test_an_error_is_short_however_long_what_it_quotes(folder, tool, arguments, reason):
    with pytest.raises(Refused, match=reason) as refused:
        answer(Captures(str(folder)), tool, **arguments)
    assert len(str(refused.value)) < 5000


def test_without_captures_it_says_how_to_record_one(tmp_path):
    with pytest.raises(Refused, match=r"^there are no captures in .*\nhint: record one with "):
        answer(Captures(str(tmp_path)), "diagnosis")
    assert answer(Captures(str(tmp_path)), "list_captures")["captures"] == []


def test_an_error_masks_what_it_quotes(folder):
    (folder / "notes.txt").write_text(f"{SECRET}\n")
    with pytest.raises(Refused, match=r"line 1 is `redacted-"):
        answer(Captures(str(folder)), "stats", capture="notes.txt")


def test_a_bug_of_ours_is_an_answer_and_the_server_goes_on(folder, monkeypatch):
    def fail(*_args, **_how):
        raise ValueError("oops")

    monkeypatch.setattr("acp_spy.mcp_server.reading_tools.collect", fail)
    with pytest.raises(
        Refused, match=r"^cannot call `stats`: a bug in acp-spy, please report it: "
    ):
        answer(Captures(str(folder)), "stats")


def test_a_capture_that_has_grown_is_read_again(folder):
    captures = Captures(str(folder))
    assert answer(captures, "diagnosis", capture="failed")["frames"] > 1
    write(folder / "failed.jsonl")
    assert answer(captures, "diagnosis", capture="failed")["frames"] == 0


def test_the_protocol_without_a_handshake_works_as_well(folder):
    """That is version 2026-07-28 of MCP, which clients try first."""
    (text,) = answers(Captures(str(folder)), ("diagnosis", {}), mode="auto")
    assert json.loads(text)["diagnosis"]["kind"] == "prompt-failed"
