"""`acp-spy redact`, `redact --check`, and `acp-spy --redact -- COMMAND`, from command line to file."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.captures import stream
from support.in_process import acp_spy
from support.keys import spelled_out
from support.processes import ACP_SPY, DEADLINE, ECHO, SLOW_TO_REDACT, python

from acp_spy import Header, load
from acp_spy.capture.files import CaptureFile
from acp_spy.engine.tap import END_LEFT_OUT, STILL_REDACTING
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.pointer import lookup

GITHUB = spelled_out("ghp_<36>")

HOME = "/home/" + "alice"  # in parts: the house has a test that no file names a machine's owner

CAPTURE = f"""\
{{"type":"header","format":1,"command":["agent","--api-key","hunter2"],"cwd":"{HOME}/project"}}
{{"type":"stderr","t":0.1,"text":"signed in with my0wnSecret77\\n"}}
{{"type":"later","what":"{GITHUB}"}}
{{"type":"frame","seq":1,"t":0.2,"sender":"client","message":{{"jsonrpc": "2.0","id":1,"method":"session/new","params":{{"mcpServers":[{{"env":[{{"name":"A","value":"my0wnSecret77"}}]}}]}}}}}}
{{"type":"frame","seq":2,"t":0.3,"sender":"agent","text":"\\u001b[31mgot {GITHUB}\\r\\n"}}
{{"type":"exit","t":0.4,"status":0}}
"""
REDACTED = f"""\
{{"type":"header","format":1,"tool":"","started":"","command":["agent","--api-key","redacted-secret-1"],"cwd":"{HOME}/project","redacted":true}}
{{"type":"stderr","t":0.1,"redacted":[""],"text":"signed in with redacted-env-1\\n"}}
{{"type":"frame","seq":1,"t":0.2,"sender":"client","redacted":["/params/mcpServers/0/env/0/value"],"message":{{"jsonrpc": "2.0","id":1,"method":"session/new","params":{{"mcpServers":[{{"env":[{{"name":"A","value":"redacted-env-1"}}]}}]}}}}}}
{{"type":"frame","seq":2,"t":0.3,"sender":"agent","redacted":[""],"text":"\\u001b[31mgot redacted-github-token-1\\r\\n"}}
{{"type":"exit","t":0.4,"status":0}}
"""

NONE_FOUND = "1 file checked, no secrets found\n"
NEXT = (
    "; in a capture, mask them with `acp-spy redact FILE -o OUT`; keep what is not secret with"
    " `--allow REGEX`\n"
)
ONE_FOUND = f"1 place in 1 file{NEXT}"


@pytest.fixture
def redact(tmp_path):
    """Run the command where the capture is; in this process, which has all of it loaded."""
    (tmp_path / "run.jsonl").write_text(CAPTURE, encoding="utf-8")
    return lambda *words: acp_spy("redact", *words, cwd=tmp_path, env={"HOME": "/home/carol"})


def test_a_name_of_a_file_that_is_a_secret_is_not_replaced_by_that_of_no_file(redact, tmp_path):
    out, err, status = redact("run.jsonl", "-o", f"{GITHUB}.jsonl")
    assert (out, status) == ("", 0)
    assert "; written to the file of `-o`\n" in err
    assert (tmp_path / f"{GITHUB}.jsonl").exists()
    words = ("view", "run.jsonl", "-o", f"{GITHUB}.html")
    said = acp_spy(*words, cwd=tmp_path).err
    assert said.startswith("written to the file of `-o`; ")
    assert (tmp_path / f"{GITHUB}.html").exists()


def test_a_capture_is_written_anew_without_its_secrets(redact, tmp_path):
    out, err, status = redact("run.jsonl", "-o", "new.jsonl")
    assert (out, err, status) == (
        "",
        (
            "redacted 4 places: 2 env, 1 github-token, 1 secret; written to new.jsonl\n"
            "Read it yourself before you share it.\n"
        ),
        0,
    )
    new = tmp_path / "new.jsonl"
    assert new.read_text(encoding="utf-8") == REDACTED
    assert new.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "run.jsonl").read_text(encoding="utf-8") == CAPTURE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.jsonl", "run.jsonl"]


def test_what_is_redacted_is_redacted_for_good(redact, tmp_path):
    redact("run.jsonl", "-o", "new.jsonl")
    assert redact("new.jsonl", "-o", "again.jsonl")[1].startswith("found nothing to redact;")
    assert (tmp_path / "again.jsonl").read_text(encoding="utf-8") == REDACTED


def test_what_the_user_asks_for_besides(redact, tmp_path):
    wishes = ("--key", "NAME", "--value", "got ([a-z]+)_", "--path", "/params/*/0/env/*/value")
    assert redact("run.jsonl", "-o", "new.jsonl", *wishes, "--home", "--user")[2] == 0
    text = (tmp_path / "new.jsonl").read_text(encoding="utf-8")
    assert '"cwd":"/home/dev/project"' in text
    assert '"text":"signed in with redacted-value-1\\n"' in text
    assert '{"name":"redacted-value-2","value":"redacted-value-1"}' in text
    assert GITHUB not in text


def test_files_are_not_overwritten_by_mistake(redact, tmp_path):
    (tmp_path / "old").write_text("precious", encoding="utf-8")
    assert redact("run.jsonl", "-o", "old") == (
        "",
        "error: cannot write `old`: it exists\nhint: give a new name, or add `--force` to replace it\n",
        2,
    )
    assert (tmp_path / "old").read_text(encoding="utf-8") == "precious"
    for force in ((), ("--force",)):
        assert redact("run.jsonl", "-o", "./run.jsonl", *force) == (
            "",
            (
                "error: cannot write `./run.jsonl`: it is the capture itself\n"
                "hint: give a new name\n"
            ),
            2,
        )
    assert redact("run.jsonl", "-o", "old", "--force")[2] == 0
    assert (tmp_path / "old").read_text(encoding="utf-8") == REDACTED


def test_stdout_may_be_the_new_file(tmp_path):
    (tmp_path / "run.jsonl").write_text(CAPTURE, encoding="utf-8")
    done = subprocess.run(
        [*ACP_SPY, "redact", "run.jsonl", "-o", "/dev/stdout"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        timeout=DEADLINE,
        check=True,
    )
    assert done.stdout.decode() == REDACTED


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("run.jsonl",),
            (
                "error: specify one capture and `-o OUT`\n"
                "hint: run `acp-spy redact run.jsonl -o redacted.jsonl`\n"
            ),
        ),
        (
            (".",),
            (
                "error: cannot redact `.`: it is a folder\n"
                "hint: redact one capture at a time; to find secrets in all files of the folder,"
                " run `acp-spy redact --check .`\n"
            ),
        ),
        (
            ("run.jsonl", "-o", "new", "--value", "("),
            (
                "error: `(` is not a regular expression: missing ), unterminated subpattern at"
                " position 0\n"
                "hint: escape characters such as `(`, `[`, `*` with `\\`; quote it in a shell\n"
            ),
        ),
        (
            ("run.jsonl", "-o", "new", "--path", "params.x"),
            (
                "error: `params.x` is not a JSON Pointer\n"
                "hint: start with `/` at the top of the message: `/params/_meta/token`\n"
            ),
        ),
        (
            ("--check", "run.jsonl", "-o", "new"),
            "error: `--check` cannot be used with `--output`\nhint: use one of them\n",
        ),
        (
            ("run.jsonl", "-o", "no/such/folder/new"),
            (
                "error: cannot write `no/such/folder/new`: No such file or directory\n"
                "hint: run `mkdir -p HERE/no/such/folder` first\n"
            ),
        ),
        (
            ("run.jsonl", "-o", "."),
            (
                "error: cannot write `.`: Is a directory\n"
                "hint: give the path of a file, such as `./NEW`\n"
            ),
        ),
        (
            ("--", "cat", "run.jsonl"),
            (
                "error: cannot redact `cat`: it is a program\n"
                "hint: to record it without secrets, run `acp-spy --redact -- cat run.jsonl`\n"
            ),
        ),
        (
            ("-o", "new", "run.jsonl", "--user", "marten"),
            (
                "error: cannot redact 2 files at a time: `run.jsonl`, `marten`\n"
                "hint: remove `marten`: `--user` takes no name, it finds the names in the capture\n"
            ),
        ),
        (
            ("a.jsonl", "b.jsonl", "-o", "new"),
            (
                "error: cannot redact 2 files at a time: `a.jsonl`, `b.jsonl`\n"
                "hint: run `acp-spy redact a.jsonl -o redacted.jsonl`\n"
            ),
        ),
        *(
            (
                (*words, option, ""),
                (
                    f"error: the value of `{option}` is empty\n"
                    f"hint: check that the variable in your script is set, or remove `{option}`\n"
                ),
            )
            for option in ("--key", "--value", "--path", "--allow")
            for words in (("run.jsonl", "-o", "new"), ("--check", "run.jsonl"))
        ),
    ],
)
def test_what_cannot_be_done_is_explained(redact, words, complaint, tmp_path):
    out, err, status = redact(*words)
    assert (out, err.replace(str(tmp_path), "HERE"), status) == ("", complaint, 2)


def test_stdout_is_written_to_also_if_it_is_a_file(redact, tmp_path):
    redact("run.jsonl", "-o", "new.jsonl")
    command = [sys.executable, "-m", "acp_spy", "redact", "run.jsonl", "-o", "/dev/stdout"]
    with open(tmp_path / "out", "wb", buffering=0) as out:
        out.write(b"before\n")
        subprocess.run(command, cwd=tmp_path, stdout=out, check=True)
        out.write(b"after\n")
    new = (tmp_path / "new.jsonl").read_bytes()
    assert (tmp_path / "out").read_bytes() == b"before\n" + new + b"after\n"


def test_a_file_that_comes_while_it_runs_is_not_replaced(redact, tmp_path, monkeypatch):
    redact_one = Redactor.record

    def slow(self, record):
        (tmp_path / "new.jsonl").write_text("precious", encoding="utf-8")
        return redact_one(self, record)

    monkeypatch.setattr(Redactor, "record", slow)
    assert redact("run.jsonl", "-o", "new.jsonl").err == (
        "error: cannot write `new.jsonl`: File exists\n"
        "hint: give a new name, or add `--force` to replace it\n"
    )
    assert (tmp_path / "new.jsonl").read_text(encoding="utf-8") == "precious"


def test_a_capture_that_is_being_recorded_is_not_replaced(redact, tmp_path):
    running = CaptureFile(str(tmp_path / "running.jsonl"), Header())
    assert redact("run.jsonl", "-o", "running.jsonl", "--force").err == (
        "error: cannot write `running.jsonl`: it is a capture that is being recorded\n"
        "hint: give a new name; to look at it, run `acp-spy view -f running.jsonl`\n"
    )
    assert load(running.path).header == Header()


def test_a_name_of_the_users_holds_for_the_header(redact, tmp_path):
    _, err, _ = redact("run.jsonl", "-o", "new.jsonl", "--key", "cwd")
    assert err.startswith("redacted 5 places: 2 env, 1 github-token, 1 secret, 1 value; ")
    assert load(tmp_path / "new.jsonl").header.cwd == "redacted-value-1"
    out, _, status = redact("--check", "run.jsonl", "--key", "cwd")
    assert (out.splitlines()[1], status) == ("run.jsonl:1: value at /cwd: ****", 1)
    assert redact("--check", "new.jsonl", "--key", "cwd") == ("", NONE_FOUND, 0)


def test_check_says_where_and_what_kind_and_never_the_secret(redact, tmp_path):
    (tmp_path / "notes.md").write_text(f"Hello.\nUse `{GITHUB}` there.\n", encoding="utf-8")
    (tmp_path / "clean.md").write_text("Hello, redacted-github-token-1.\n", encoding="utf-8")
    out, err, status = redact("--check", "run.jsonl", "notes.md", "clean.md")
    assert out.splitlines() == [
        "run.jsonl:1: secret at /command/2: ****",
        "run.jsonl:2: env: signed in with ****",  # which only line 4 shows to be a secret
        'run.jsonl:3: github-token at /what: {"type":"later","what":"****"}',
        'run.jsonl:4: env at /params/mcpServers/0/env/0/value: ":[{"name":"A","value":"****"}]}]}}',
        r"run.jsonl:5: github-token: \x1b[31mgot ****",
        "notes.md:2: github-token: Use `****` there.",
    ]
    assert (err, status) == (f"6 places in 2 files{NEXT}", 1)


KEYS = (
    '{"type":"frame","seq":1,"t":0,"sender":"agent","redacted":["/%(p)s"],"message":{"%(k)s":1}}',
    '{"type":"frame","seq":1,"t":0,"sender":"agent","message":{"%(k)s":{"token":"hunter2"}}}',
    '{"type":"frame","seq":1,"t":0.1,"sender":"agent","redacted":["/a","/%(p)s/b"],"message":{"a":1}}',
    '{"type":"frame","seq":1,"t":0.1,"sender":"agent","message":{"a":1},"more":"%(k)s"}',
    '{"type":"frame","seq":1,"t":0.1,"sender":"agent","message":"%(k)s","message":{"a":1}}',
    '{"type":"stderr","t":0.1,"redacted":["/%(p)s"],"text":"x\\n"}',
    '{"type":"closed","t":0.1,"sender":"agent","why":"%(k)s"}',
    '{"type":"exit","t":0.1,"status":1,"undelivered":{"%(k)s":7},"reason":"no %(k)s"}',
    '{"type":"header","format":1,"tool":"%(k)s","started":"%(k)s","note":"%(k)s","x":"%(k)s"}',
    '{"type":"finding","text":"%(k)s"}',
    '{"type":"frame","seq":1,"t":0.1,"sender":"%(k)s"',
)


@pytest.mark.parametrize("line", KEYS)
@pytest.mark.parametrize("key", [GITHUB, HOME + "/x", "mine-1234"])
def test_no_place_of_a_capture_is_passed_over(redact, tmp_path, line, key):
    """Neither keys, nor the pointers that are spelled from them, nor fields that nobody reads."""
    wishes = ("--home", "--value", "mine-[0-9]+")
    text = '{"type":"header","format":1}\n' + line % {"k": key, "p": key.replace("/", "~1")} + "\n"
    (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
    out, _, status = redact("--check", "run.jsonl", *wishes)
    hidden = key.removeprefix("/home/").removesuffix("/x")
    assert (status, hidden in out) == (1, False)
    if redact("run.jsonl", "-o", "new.jsonl", *wishes).status == 0:  # the last line is torn
        assert hidden not in (tmp_path / "new.jsonl").read_text(encoding="utf-8")
        assert redact("--check", "new.jsonl", *wishes) == ("", NONE_FOUND, 0)


def test_a_pointer_leads_to_its_place_in_the_redacted_message(redact, tmp_path):
    message = {"params": {GITHUB: {"token": "hunter2"}, f"{HOME}/a~b": ["x", GITHUB]}}
    text = f'{{"type":"header","format":1}}\n{{"type":"frame","seq":1,"t":0,"sender":"agent","message":{json.dumps(message)}}}\n'
    (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
    redact("run.jsonl", "-o", "new.jsonl", "--home")
    [frame] = load(tmp_path / "new.jsonl").frames
    found = [lookup(frame.message, pointer) for pointer in frame.redacted]
    token = "redacted-github-token-1"
    assert found == [{"token": "redacted-secret-1"}, "redacted-secret-1", ["x", token], token]


def test_the_name_of_a_file_is_shared_with_it(redact, tmp_path):
    (tmp_path / f"run-{GITHUB}.jsonl").write_text('{"type":"header","format":1}\n')
    assert redact("--check", f"run-{GITHUB}.jsonl") == (
        "run-****.jsonl: github-token in the name of the file\n",
        ONE_FOUND,
        1,
    )


def test_what_is_around_a_secret_shows_no_other(redact, tmp_path):
    document = {"env": ["A=hunter22", "B=hunter33"], "x": {"env": {"a": "hunter44"}}}
    text = json.dumps(document, separators=(",", ":")).replace("{", "{\n", 1)
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    out, _, status = redact("--check", "a.json")
    assert (len(out.splitlines()), "hunter" in out, status) == (3, False, 1)


def test_check_sees_what_an_agent_has_streamed_in_pieces(redact, tmp_path):
    head = '{"type":"frame","seq":1,"t":0.2,"sender":"agent","message":{"params":{"update":'
    pieces = ("so: " + GITHUB[:9], GITHUB[9:22], GITHUB[22:] + ", ok?")
    (tmp_path / "run.jsonl").write_text(
        '{"type":"header","format":1}\n'
        + "".join(
            f'{head}{{"sessionUpdate":"agent_message_chunk","content":{{"text":"{piece}"}}}}}}}}}}\n'
            for piece in pieces
        ),
        encoding="utf-8",
    )
    assert redact("--check", "run.jsonl") == (
        "run.jsonl:2: github-token at /params/update/content/text: so: ****, ok?\n",
        ONE_FOUND,
        1,
    )
    redact("run.jsonl", "-o", "new.jsonl")
    assert redact("--check", "new.jsonl") == ("", NONE_FOUND, 0)


def test_what_check_shows_around_a_split_secret_has_no_other_one_in_it(redact, tmp_path):
    other = spelled_out("hf_<34>")
    head = '{"type":"frame","seq":1,"t":0.2,"sender":"agent","message":{"params":{"update":'
    pieces = ("so: " + GITHUB[:9], f"{GITHUB[9:]} {other}")
    (tmp_path / "run.jsonl").write_text(
        '{"type":"header","format":1}\n'
        + "".join(
            f'{head}{{"sessionUpdate":"agent_message_chunk","content":{{"text":"{piece}"}}}}}}}}}}\n'
            for piece in pieces
        ),
        encoding="utf-8",
    )
    out, _, status = redact("--check", "run.jsonl")
    assert "run.jsonl:2: github-token at /params/update/content/text: so: **** ****\n" in out
    assert (other[:6] in out, status) == (False, 1)
    assert not any(GITHUB[at : at + 6] in out for at in range(4, len(GITHUB) - 6))


@pytest.mark.parametrize("form", ["markdown", "mermaid", "html"])
def test_what_is_made_to_be_shared_joins_no_secret_of_pieces(tmp_path, form):
    pieces = ("so: " + GITHUB[:9], GITHUB[9:22], GITHUB[22:], ", ok?")
    messages = [
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": "s", "update": update},
        }
        for update in (
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": piece}}
            for piece in pieces
        )
    ]
    frames = (
        f'{{"type":"frame","seq":{seq},"t":{seq},"sender":"agent","message":{json.dumps(message)}}}\n'
        for seq, message in enumerate(messages, 1)
    )
    text = '{"type":"header","format":1}\n' + "".join(frames)
    (tmp_path / "run.jsonl").write_text(text, encoding="utf-8")
    out, _, status = acp_spy("view", "--format", form, tmp_path / "run.jsonl")
    assert status == 0
    assert "redacted-github-token-1" in out
    assert not any(piece in out for piece in (GITHUB[:9], GITHUB[9:22], GITHUB[22:]))


FOREIGN = Path(__file__).parent.parent.parent / "fixtures" / "foreign"


@pytest.mark.parametrize(
    "name",
    [
        path.name
        for path in sorted(FOREIGN.iterdir())
        if "mcpServers" in path.read_text(encoding="latin-1")
    ],
)
def test_check_sees_in_another_tools_file_what_redact_sees(redact, tmp_path, name):
    text = (FOREIGN / name).read_bytes().decode("latin-1")
    spelled = r"\1mcpServers\1\2[{\1env\1: [{\1name\1: \1A\1, \1value\1: \1k4Jw81mZq0Xt\1}]}]"
    planted, count = re.subn(r"""(\\?["'])mcpServers\1(:\s*)\[\]""", spelled, text)
    assert count
    (tmp_path / name).write_bytes(planted.encode("latin-1"))
    _, err, status = redact(name, "-o", "new.jsonl")
    finds = status == 0 and not err.startswith("nothing")
    out, _, status = redact("--check", name)
    assert "k4Jw81mZq0Xt" not in out
    assert status == 1, (finds, err)
    assert not finds or out.startswith(name)


def test_check_reads_a_json_document_as_a_whole(redact, tmp_path):
    document = {"mcpServers": [{"env": [{"name": "A", "value": "k4Jw81mZq0Xt"}], "x": GITHUB}]}
    (tmp_path / "mcp.json").write_text(json.dumps(document, indent=2), encoding="utf-8")
    assert redact("--check", "mcp.json") == (
        (
            'mcp.json:7: env at /mcpServers/0/env/0/value: "value": "****"\n'
            'mcp.json:10: github-token at /mcpServers/0/x: "x": "****"\n'
        ),
        f"2 places in 1 file{NEXT}",
        1,
    )
    (tmp_path / "torn.json").write_text(json.dumps(document, indent=2)[:-3], encoding="utf-8")
    out, _, status = redact("--check", "torn.json")
    (tmp_path / "mark.json").write_text(json.dumps(document, indent=2), encoding="utf-8-sig")
    assert redact("--check", "mark.json")[2] == 1
    lines = ('torn.json:7: env: "value": "****"\n', 'torn.json:10: github-token: "x": "****"\n')
    assert (out, status) == ("".join(lines), 1)


def test_check_reads_a_text_with_the_lines_around_each(redact, tmp_path):
    """The names are in other lines: in long ones, and wherever the windows begin and end."""
    pair = "- name: API_TOKEN\n  value: k4Jw81mZq0Xt7Lp2\n"
    filler = "nothing is here\n"
    (tmp_path / "deploy.yaml").write_text(filler * 8191 + pair + filler * 8190 + pair)
    place = 'value: ****"'.rstrip('"')
    lines = [f"deploy.yaml:{n}: setting: {place}" for n in (8193, 16385)]
    out, _, status = redact("--check", "deploy.yaml")
    assert [line.replace("assignment", "setting") for line in out.splitlines()] == lines
    assert status == 1
    users = ", ".join(f"({n}, 'k4Jw81mZq0Xt{n:04d}')" for n in range(6000))
    made = "CREATE TABLE users (id int, api_token text);\n"
    (tmp_path / "dump.sql").write_text(f"{made}INSERT INTO users VALUES {users};\n")
    out, _, status = redact("--check", "dump.sql")
    assert len(out.splitlines()) == 6000


def test_check_refuses_what_is_no_text(redact, tmp_path):
    (tmp_path / "run.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00")
    assert redact("--check", "run.jsonl.gz") == (
        "",
        (
            "error: cannot read `run.jsonl.gz`: it is compressed by gzip, not a capture\n"
            "hint: unpack it first with `gunzip`\n"
        ),
        2,
    )


def test_check_is_content_with_what_redact_has_written(redact):
    redact("run.jsonl", "-o", "new.jsonl", "--home", "--user")
    assert redact("--check", "new.jsonl", "--home", "--user") == ("", NONE_FOUND, 0)
    assert redact("--check", "run.jsonl", "--home")[0].startswith(
        "run.jsonl:1: secret at /command/2: ****\n"
    )
    assert "person at /cwd: /home/****/project" in redact("--check", "run.jsonl", "--home")[0]


def test_what_only_looks_like_a_secret_can_be_allowed(redact, tmp_path):
    allow = ("--allow", "my0wnS.*", "--allow", "ghp_[A-Za-z0-9]+")
    assert redact("--check", "run.jsonl", *allow) == (
        "run.jsonl:1: secret at /command/2: ****\n",
        f"{ONE_FOUND}note: kept 2 values because of `--allow`\n",
        1,
    )
    assert (
        len(redact("--check", "run.jsonl", "--allow", "my0wn", "--allow", "ghp_")[0].splitlines())
        == 5
    )
    _, err, _ = redact("run.jsonl", "-o", "new.jsonl", *allow)
    assert err.startswith("redacted 1 place: 1 secret; ")
    assert "my0wnSecret77" in (tmp_path / "new.jsonl").read_text(encoding="utf-8")
    assert redact("--check", "run.jsonl", "--allow", "(")[1].startswith(
        "error: `(` is not a regular expression: "
    )


@pytest.mark.parametrize(
    ("option", "matching", "other"),
    [
        ("--key", "NAME", "nosuchfield"),
        ("--key", "cwd", "title"),
        ("--path", "/params/mcpServers/*/env/0/name", "/params/name"),
        ("--value", "got ([a-z]+)_", "gets"),
        ("--value", "0wnSecret", "ownSecret"),  # in what is masked as a whole
    ],
)
def test_an_option_that_matches_nothing_is_reported(redact, option, matching, other):
    words = (option, matching, option, other)
    said = f"note: `{option} {other}` matched nothing\n"
    for how in (("-o", "new.jsonl"), ("--explain",)):
        assert redact("run.jsonl", *how, *words).err.endswith(said)
        assert redact("run.jsonl", *how, "--force", option, matching).err.count("note") == 0
    # That no value is found is what a check is for.
    noted = "" if option == "--value" else said
    assert redact("--check", "run.jsonl", *words).err.partition(NEXT)[2] == noted


def test_each_option_for_the_same_place_has_matched(redact):
    wishes = ("--key", "value", "--key", "env", "--path", "/params/*/0/env", "--value", "my0wn")
    assert "note" not in redact("run.jsonl", "-o", "new.jsonl", *wishes).err


def test_how_many_values_are_allowed_is_reported(redact):
    _, err, _ = redact("run.jsonl", "-o", "new.jsonl", "--allow", ".*")
    assert err.startswith("found nothing to redact; ")
    assert err.endswith("\nnote: kept 3 values because of `--allow`\n")


def test_a_record_that_is_cut_off_is_reported(redact, tmp_path):
    (tmp_path / "cut.jsonl").write_text(CAPTURE[:-10], encoding="utf-8")
    said = "note: the last record of `cut.jsonl` is cut off, and left out\n"
    assert redact("cut.jsonl", "-o", "new.jsonl").err.endswith(said)
    (tmp_path / "cut.jsonl").write_text(CAPTURE[:-1], encoding="utf-8")  # all but its end
    assert "note" not in redact("cut.jsonl", "-o", "new.jsonl", "--force").err


@pytest.mark.parametrize("pipe", ["a named one", "/dev/stdin", "/dev/fd/0", "-"])
def test_a_capture_that_comes_by_a_pipe_is_read_once(tmp_path, pipe):
    (tmp_path / "run.jsonl").write_text(CAPTURE, encoding="utf-8")
    os.mkfifo(tmp_path / "a named one")
    with subprocess.Popen(
        "exec cat run.jsonl" + (" > 'a named one'" if pipe == "a named one" else ""),
        shell=True,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
    ) as writer:
        words = [*ACP_SPY, "redact", pipe, "-o", "new.jsonl"]
        subprocess.run(words, cwd=tmp_path, stdin=writer.stdout, timeout=DEADLINE, check=True)
    assert (tmp_path / "new.jsonl").read_text(encoding="utf-8") == REDACTED


@pytest.mark.parametrize("command", ["check --format github", "stats", "why", "diff run.jsonl"])
def test_other_commands_read_a_pipe_as_often_as_they_need_to(tmp_path, command):
    (tmp_path / "run.jsonl").write_text(CAPTURE, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    told = []
    for name in ("run.jsonl", "pipe"):
        with subprocess.Popen("exec cat run.jsonl > pipe", shell=True, cwd=tmp_path) as writer:
            words = [*ACP_SPY, *command.split(), name]
            done = subprocess.run(
                words, cwd=tmp_path, timeout=DEADLINE, check=False, capture_output=True
            )
            if name == "run.jsonl":
                (tmp_path / "pipe").read_bytes()
            writer.wait(DEADLINE)
        told.append((done.returncode, len(done.stdout.splitlines())))
    assert told[0] == told[1]


@pytest.mark.parametrize("output", ["-", "/dev/stdout"])
def test_nothing_is_counted_if_the_reader_has_gone(tmp_path, output):
    noise = '{"type":"stderr","t":0.1,"text":"hello"}\n' * 5000
    (tmp_path / "run.jsonl").write_text(CAPTURE + noise, encoding="utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as closed:
        words = [*ACP_SPY, "redact", "run.jsonl", "-o", output, "--key", "nosuchfield"]
        done = subprocess.run(
            words, cwd=tmp_path, stdout=closed, stderr=subprocess.PIPE, timeout=DEADLINE, check=True
        )
    assert done.stderr == b""


def test_check_looks_into_all_files_of_a_folder(redact, tmp_path):
    inner = tmp_path / "some" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "some" / ".hidden").write_text(GITHUB, encoding="utf-8")
    (tmp_path / "some" / "z.md").write_text(GITHUB, encoding="utf-8")
    (inner / "a.md").write_text(f"see {GITHUB}", encoding="utf-8")
    (tmp_path / "elsewhere").write_text(GITHUB, encoding="utf-8")
    (inner / "link").symlink_to(tmp_path / "elsewhere")
    assert redact("--check", "some") == (
        "some/z.md:1: github-token: ****\nsome/inner/a.md:1: github-token: see ****\n",
        f"2 places in 2 files{NEXT}",
        1,
    )


@pytest.mark.parametrize("form", ["github", "sarif", "junit"])
def test_what_check_tells_to_others_has_no_secrets(tmp_path, form):
    noise = f"Using key {GITHUB} and my0wnSecret77"
    (tmp_path / "run.jsonl").write_text(
        '{"type":"header","format":1}\n'
        f'{{"type":"frame","seq":1,"t":0.1,"sender":"agent","text":"{noise}\\n"}}\n'
        '{"type":"frame","seq":2,"t":0.2,"sender":"client","message":{"env":{"A":"my0wnSecret77"}}}\n',
        encoding="utf-8",
    )
    out, _, status = acp_spy("check", "--format", form, tmp_path / "run.jsonl")
    assert status == 1
    assert "Using key redacted-github-token-1 and redacted-env-1" in out
    assert GITHUB not in out
    assert "my0wnSecret77" not in out
    whole = acp_spy("check", "--format", "concise", tmp_path / "run.jsonl").out
    assert "Using key ghp_" in whole  # a debugger needs the truth


def test_check_tells_what_it_cannot_read_and_reads_the_rest(redact, tmp_path):
    (tmp_path / "torn.jsonl").write_text(CAPTURE[:-30] + f"{{\n{GITHUB}", encoding="utf-8")
    out, err, status = redact("--check", "missing", "torn.jsonl")
    assert "torn.jsonl:7: github-token: ****" in out.splitlines()
    assert err.startswith(
        "error: cannot read `missing`: No such file or directory\n"
        "hint: give the path of a file or folder that you can read\n"
    )
    assert err.endswith(NEXT)
    assert status == 2


def test_while_recording_the_capture_has_no_secrets_and_the_traffic_all(tmp_path):
    capture = tmp_path / "run.jsonl"
    line = f'{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"apiKey":"k1","t":"{GITHUB}"}}}}\n'
    agent = python(
        "import os, sys\n"
        f"os.write(2, b'key {GITHUB}\\n')\n"
        "while chunk := os.read(0, 65536): os.write(1, chunk)\n"
    )
    done = subprocess.run(
        [*ACP_SPY, "--redact", "-o", str(capture), "--", *agent],
        input=line.encode() * 2 + GITHUB.encode(),
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.stdout == line.encode() * 2 + GITHUB.encode()
    assert done.stderr == f"key {GITHUB}\n".encode()
    assert GITHUB.encode() not in capture.read_bytes()
    kept = line.replace("k1", "redacted-secret-1").replace(GITHUB, "redacted-github-token-1")
    assert stream(capture, "agent").decode() == kept * 2 + "redacted-github-token-1"
    assert stream(capture, "stderr") == b"key redacted-github-token-1\n"
    recorded = load(capture)
    assert recorded.header.redacted
    assert recorded.header.command[-1] == agent[-1].replace(GITHUB, "redacted-github-token-1")
    assert {frame.redacted for frame in recorded.frames} == {("/params/apiKey", "/params/t"), ("",)}


def test_no_peer_waits_until_what_is_large_is_redacted(tmp_path):
    capture = tmp_path / "run.jsonl"
    pipe = subprocess.PIPE
    large = f'{{"jsonrpc":"2.0","id":1,"result":{{"text":"{GITHUB} {"word " * 4000}"}}}}\n'
    small = f'{{"jsonrpc":"2.0","id":2,"method":"x","params":{{"t":"{GITHUB}"}}}}\n'
    command = [*SLOW_TO_REDACT, "--redact", "-o", str(capture), "--", *ECHO]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=tmp_path) as proxy:
        for line in (large, small, large, small):
            proxy.stdin.write(line.encode())
            proxy.stdin.flush()
            assert proxy.stdout.readline().decode() == line
        assert not load(capture).frames
        (tmp_path / "go").touch()
        proxy.stdin.close()
        assert proxy.wait(DEADLINE) == 0
    kept = [line.replace(GITHUB, "redacted-github-token-1") for line in (large, small) * 2]
    for peer in ("client", "agent"):
        assert stream(capture, peer).decode() == "".join(kept)
    recorded = load(capture)
    assert [frame.seq for frame in recorded.frames] == list(range(1, 9))
    assert recorded.exit.status == 0


def test_who_ends_it_twice_does_not_wait_until_all_is_redacted(tmp_path):
    capture = tmp_path / "run.jsonl"
    pipe = subprocess.PIPE
    command = [*SLOW_TO_REDACT, "--redact", "--no-check", "-o", str(capture), "--", *ECHO]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=tmp_path) as proxy:
        proxy.stdin.write(b"x" * 20_000 + b"\n")
        proxy.stdin.flush()
        assert proxy.stdout.readline() == b"x" * 20_000 + b"\n"
        proxy.stdin.close()
        assert proxy.stderr.readline().decode() == f"acp-spy: {STILL_REDACTING}\n"
        proxy.terminate()
        assert proxy.stderr.read().decode() == f"acp-spy: {END_LEFT_OUT}\n"
        assert proxy.wait(DEADLINE) == 0
    assert not load(capture).frames


def test_without_redact_what_finds_secrets_is_not_even_loaded(tmp_path):
    output = tmp_path / "loaded"
    code = (
        "import sys\n"
        "from acp_spy.cli import entry\n"
        "from acp_spy.engine import process\n"
        f"process.exit_like = lambda _: open({str(output)!r}, 'w').write(' '.join(sys.modules))\n"
        f"entry.run([*sys.argv[1:], '-o', {str(tmp_path / 'x.jsonl')!r}, '--', '/bin/true'])\n"
    )
    for options in ([], ["--redact"]):
        subprocess.run([sys.executable, "-c", code, *options], check=True, timeout=DEADLINE)
        loaded = output.read_text(encoding="utf-8").split()
        assert ("acp_spy.secrets.redactor" in loaded) == bool(options)


def test_every_recording_of_ours_is_clean():
    root = Path(__file__).parent.parent.parent
    files = list((root / "recordings").rglob("*.*"))
    assert files
    said = f"{len(files)} files checked, no secrets found\n"
    assert acp_spy("redact", "--check", "--home", *files) == ("", said, 0)


def test_check_warns_if_there_was_nothing_to_check(redact, tmp_path):
    (tmp_path / "bare").mkdir()
    (tmp_path / "empty").mkdir()
    said = "warning: there are no files to check in `bare`, `empty`\n"
    assert redact("--check", "bare", "empty") == ("", said, 0)


def test_echo_is_byte_exact_with_redact(tmp_path):
    """Whatever is redacted in the capture: odd bytes, a torn tail, a huge line pass as they are."""
    data = b"\xff\xfe\n\r\n" + b'{"token":"' + b"x1" * 200_000 + b'"}\n' + b'{"password":"hal'
    done = subprocess.run(
        [*ACP_SPY, "--redact", "-o", str(tmp_path / "x.jsonl"), "--", *ECHO],
        input=data,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.stdout == data
    assert stream(tmp_path / "x.jsonl", "client") == (
        b'\xff\xfe\n\r\n{"token":"redacted-secret-1"}\n{"password":"redacted-secret-2'
    )
