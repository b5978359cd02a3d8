"""What a command prints is a secret if the command says so, though it is in another message."""

import json
import re

import pytest
from support import effort

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.secrets import command_outputs
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.plain_views import as_seen
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

SECRET = "kjh23K!hsd98"
AGENT, CLIENT = Peer.AGENT, Peer.CLIENT


def update(kind="tool_call", **fields):
    what = {"sessionUpdate": kind, "toolCallId": "call-1", **fields}
    return AGENT, {"method": "session/update", "params": {"sessionId": "s", "update": what}}


def text(words):
    return [{"type": "content", "content": {"type": "text", "text": words}}]


def test_the_title_of_a_tool_that_reads_a_file_may_be_its_path():
    """Without a word that says so: of opencode, when it has been read."""
    store = "production:\n  smtp: FyPeNXM8rffAdnbXzXtS\n"
    for title in ("home/dev/p/config/secrets.yml", "`secrets.yml`", "./secrets.json"):
        output = store if title.endswith(("yml", "yml`")) else '{"smtp": "FyPeNXM8rffAdnbXzXtS"}'
        records = frames(
            [
                update(title="read", rawInput={}),
                update("tool_call_update", title=title, content=text(output)),
            ]
        )
        redactor = Redactor()
        assert "FyPeNXM8rff" not in str([redactor.record(record) for record in records]), title


# zsh, after an output without a line end: a sign, and blanks up to the end of the line.
NO_LINE_END = f"\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m{' ' * 79}\r \r"
TERMINALS = {
    "bash": "\x1b[?2004l\r%s\r\n\x1b[?2004h\x1b]0;dev: /app\x07dev@host:/app$ ",
    "bash, no line end": "\x1b[?2004l\r%s\x1b[?2004hdev@host:/app$ ",
    "zsh, no line end": f"%s{NO_LINE_END}",
    "zsh and its prompt": f"%s{NO_LINE_END}\r\x1b[0m\x1b[27m\x1b[24m\x1b[Jdev@host /app % ",
    "a spinner": "* Reading...\r\x1b[K%s\r\n",
    "progress": "10%\r50%\r\x1b[2K%s\r\n",
    "zsh, no blanks": "%s\r\x1b[0m\x1b[27m\x1b[24m\x1b[Jhost% ",
    "fish, no line end": f"%s\x1b[2m\u23ce\x1b(B\x1b[m{' ' * 79}\r\u23ce \r\x1b[K",
    "zsh, no sign": f"%s{' ' * 79}\r \r",
    "oh-my-zsh": '\x1b]2;cat "/run/x"\x07\x1b]1;cat\x07%s\n',
    "a title of Windows": "\x1b]0;C:\\Users\\dev\\app\\exe.exe read op://a b\x07%s\r\n",
    "a spinner of Node.js": "\x1b[36m-\x1b[39m Reading\x1b[2K\x1b[1G%s\n",
    "a cursor": "\x1b[2 q\x1b[>1u\x1b[>4;1m\x1b=%s\x1b7\x1b[?1l\x1b>\n",
    "a color with colons": "\x1b[38:2::1:2:3m%s\x1b[m\x1bP+q544e\x1b\\\n",
    "a title after it": "%s\x1b]0;dev: /app\x07dev@host:/app$ ",
    "marks of Visual Studio Code": '\x1b]633;E;cat "x y";n\x07\x1b]633;C\x07%s\x1b]633;D;0\x07',
    "a wide bar": "\u2588" * 150 + "\r\x1b[K%s\n",
    "drawn over": "%s\rhello\n",
    "a file of Windows": "%s\r\r\n",
    "a line of one": "%s\r",
    "erased to the end": "%s\r\x1b[K\n",
    "colors": "\x1b[33m%s\x1b[0m\x1b[K\r\n",
}


@pytest.mark.parametrize("form", TERMINALS.values(), ids=TERMINALS)
def test_what_a_terminal_draws_around_an_output_does_not_hide_it(form):
    told = terminal("cat", "/run/secrets/db_password")
    told[-1][1]["result"]["output"] = form.replace("%s", SECRET)
    redactor = Redactor()
    assert SECRET not in str([redactor.record(record) for record in frames(told)])


@pytest.mark.parametrize(("lines", "messages"), [(3, 1), (100, 3), (400, 1), (100, 50)])
def test_outputs_are_not_searched_with_their_command_without_end(lines, messages, monkeypatch):
    """A command has up to 400 bytes: to search them for each line took minutes."""
    searched = []
    find = Finder.find_in_joined
    monkeypatch.setattr(
        Finder, "find_in_joined", lambda self, text: searched.append(text) or find(self, text)
    )
    words = [f"row {number} of the table: ok" for number in range(lines)]
    output = {"rawOutput": {"lines": [*words, SECRET]}}
    told = frames(
        [*tool_call({"command": LONG}, **output), *tool_call({}, **output)[1:] * messages]
    )
    records = [*map(Redactor().record, told)]
    assert SECRET not in str(records)
    assert records[1].raw.count(b"of the table") == lines
    sizes = [len(text) for text in searched if b".env\nrow" in text]
    read = sum(len(frame.raw) for frame in told)
    assert sum(sizes) <= read + 256 * 1024
    assert len(sizes) == lines * (messages + 1) or sum(sizes) > 64 * 1024


def test_a_message_with_many_outputs_leaves_something_for_the_next():
    rows = {"rawOutput": {"lines": [f"row {number}" for number in range(2500)]}}
    steps = [f"step_{number} ok" for number in range(5, 30)]
    store = {"rawOutput": {"lines": [*steps, "smtp: FyPeNXM8rffAdnbXzXtS"]}}
    last = [update(title="y", toolCallId="d", rawInput={"command": f"{LONG}; sops -d a.yaml"})]
    last += [update("tool_call_update", toolCallId="d", **store)]
    told = [*tool_call({"command": f"{LONG}; sops -d b.yaml"}, **rows), *last]
    assert "FyPeNXM8rff" not in str([*map(Redactor().record, frames(told))])


def test_all_fields_of_an_edit_are_searched_as_the_store_that_they_are_of():
    store = [f"name{number}: one\n" for number in range(12)]
    value = "smtp: FyPeNXM8rffAdnbXzXtS\n"
    edit = {
        "filePath": "config/secrets.yml",
        "oldString": "name3: one",
        "newString": "name3: two",
        "structuredPatch": [{"lines": [f" {line}" for line in (*store, value)]}],
        "originalFile": "".join((*store, value)),
    }
    told = tool_call({"file_path": "config/secrets.yml"}, _meta={"toolResponse": edit})
    assert "FyPeNXM8rff" not in str([*map(Redactor().record, frames(told))])


def test_many_tool_calls_in_one_message_are_looked_at_once(monkeypatch):
    """With the product of their number and that of the secrets before, it took minutes."""
    seen = []
    monkeypatch.setattr(command_outputs, "as_seen", lambda text: seen.append(text) or as_seen(text))
    shown = " ".join(f"sk-ant-api03-{number:02}{'aB3dE5fG7h' * 4}" for number in range(32))
    ids = [{"toolCallId": f"call-{number % 250}"} for number in range(500)]
    texts = text(" ".join(f"word{number}" for number in range(50))) * 100
    first = update("tool_call_update", content=text(shown), others=ids[:250])
    records = frames([first, *[update("tool_call_update", content=texts, others=ids)] * 3])
    assert [*map(Redactor().record, records)][1:] == records[1:]
    assert len(seen) == 3 * len(texts)


LONG = f"echo {'x' * 320}; grep API_TOKEN .env"


def tool_call(raw_input, *, title="x", **output):
    return [update(title=title, rawInput=raw_input), update("tool_call_update", **output)]


def request(number, method, **params):
    return AGENT, {"id": number, "method": method, "params": {"sessionId": "s", **params}}


def terminal(command, *args):
    return [
        request(1, "terminal/create", command=command, args=list(args)),
        (CLIENT, {"id": 1, "result": {"terminalId": "t-1"}}),
        request(2, "terminal/output", terminalId="t-1"),
        (CLIENT, {"id": 2, "result": {"output": f"{SECRET}\n", "truncated": False}}),
    ]


def mcp_call(arguments, result, **about):
    call = {"method": "tools/call", "params": {"name": "bash", "arguments": arguments}}
    return [
        (AGENT, {"id": 4, "method": "mcp/message", "params": {**about, **call}}),
        (CLIENT, {"id": 4, "result": result}),
    ]


KEY_LINES = [
    "q7Rw2mXz9TbK4vLsq8Zt5Yw1Bn6Hd3Js+2Vw9Xn4Rk7Lm8TbP3cQ5sD1fGh6JkZ/",
    "Xn4Rk7Lm8TbP3cQ5sD1fGh6JkZ0aB2Vw9q7Rw2mXz9TbK4vLs8Zt5Yw1Bn6Hd3Js",
    "5Yw1Bn6Hd3JsQ5sD1fGh6JkZ0aB2Vw9q7Rw2mX==",
]
SAID = {
    "a command in quotes, output in a fence": tool_call(
        {"command": "cat /run/secrets/db_password", "description": "look"},
        content=text(f"```console\n{SECRET}\n```"),
        rawOutput=SECRET,
    ),
    "input that is a text in JSON": tool_call(
        json.dumps({"command": "cat /run/secrets/db_password"}), rawOutput=f"{SECRET}\n"
    ),
    "input that is the first content, as JSON": [
        update(title="Shell", content=text(json.dumps({"command": "cat db_password"}))),
        update("tool_call_update", content=text(f"{SECRET}\n")),
    ],
    "a file with numbered lines, by its title": [
        update(title="Read .vault_pass", rawInput={"file_path": "/p/.vault_pass"}),
        update(
            "tool_call_update",
            content=text(f"```\n1\t{SECRET}\n```"),
            rawOutput=f"1\t{SECRET}\n2\t",
        ),
    ],
    "what a tool puts around it": [
        update(rawInput={"command": "cat /run/secrets/db_password"}),
        *(
            update("tool_call_update", content=text(around.format(SECRET)))
            for around in (
                "<output>{}</output>",
                "stdout: {}\n\nstderr: \nreturncode: 0",
                "<system>Command executed successfully.</system>{}\n",
                "Exit code: 0\n{}",
                "{}\n[Exit code: 1]",
                "{}\x1b[7m%\x1b[27m",
            )
        ),
    ],
    "the title alone": [
        update(title="`cat /run/secrets/db_password`", kind="execute"),
        update("tool_call_update", content=text(SECRET)),
    ],
    "a command of a shell, one of two": tool_call(
        {"command": ["/bin/bash", "-lc", "cd infra && cat .vault_pass"]},
        rawOutput={
            "stdout": f"{SECRET}\n",
            "aggregated_output": f"{SECRET}\n",
            "formatted_output": f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{SECRET}",
        },
    ),
    "a file with numbers of lines": tool_call(
        {"filePath": "/home/dev/project/db_password.txt"},
        content=text(f"     1\t{SECRET}"),
        rawOutput={
            "output": f"<path>/x</path>\n<content>\n1: {SECRET}\n\n(End of file)\n</content>"
        },
    ),
    "a file that the client reads": [
        request(7, "fs/read_text_file", path="/home/dev/.vault_pass"),
        (CLIENT, {"id": 7, "result": {"content": f"{SECRET}\n"}}),
    ],
    "a file that the client writes": [
        request("a", "fs/write_text_file", path="/srv/secrets/db_password", content=SECRET)
    ],
    "a change of a file": [
        update(content=[{"type": "diff", "path": "/srv/db_password", "newText": f"{SECRET}\n"}])
    ],
    "a terminal": terminal("sh", "-c", "kubectl get secret db -o json | jq -r .data.password"),
    "a terminal with a whole line": terminal("openssl rand -hex 16"),
    "a variable that is cut out of a file": tool_call(
        {"command": "grep DB_PASSWORD .env | cut -d= -f2"}, content=text(SECRET)
    ),
    "a program that prints a variable": tool_call(
        {"command": """python -c 'import os; print(os.environ["API_TOKEN"])'"""},
        rawOutput=f"\x1b[32m{SECRET}\x1b[0m\n",
    ),
    "PowerShell": tool_call({"command": r"Get-Content .\db_password.txt"}, content=text(SECRET)),
    "a path of Windows": [
        request(7, "fs/read_text_file", path=r"C:\app\.vault_pass"),
        (CLIENT, {"id": 7, "result": {"content": f"{SECRET}\n"}}),
    ],
    "a title with a remark": [
        update(title="cat /run/secrets/db_password [current working directory /p] (Print it)"),
        update("tool_call_update", content=text(f"Output: {SECRET}\nError: (none)")),
    ],
    "an attached file": [
        (
            CLIENT,
            {
                "id": 1,
                "method": "session/prompt",
                "params": {
                    "prompt": [
                        {
                            "type": "resource",
                            "resource": {"uri": "file:///p/.vault_pass", "text": f"{SECRET}\n"},
                        }
                    ]
                },
            },
        )
    ],
    "two files": tool_call(
        {"command": "tail -n +1 /run/secrets/*_password"},
        content=text(f"==> a_password <==\nQ8zt5Yw1Bn6hd3Js\n\n==> b_password <==\n{SECRET}\n"),
    ),
    "a query": tool_call(
        {"command": "sqlite3 app.db 'SELECT username, password FROM users'"},
        content=text(f"bob|{SECRET}\n"),
    ),
    "a query with numbers, which are not those of lines": tool_call(
        {"command": 'mysql -N -e "SELECT id, email, password FROM users;"'},
        content=text(f"1\tbob@example.com\t{SECRET}\n2\tal@example.com\tQ8zt5Yw1Bn6hd3Js\n"),
    ),
    "tuples": tool_call(
        {
            "command": "python -c \"print(c.execute('SELECT name, password FROM users').fetchall())\""
        },
        content=text(f"[('bob', 'maple7710'), ('al', '{SECRET}')]\n"),
    ),
    "a query in a script": tool_call(
        {"command": "python - <<'E'\nfor row in c.execute('select id, pw from u'): print(row)\nE"},
        content=text(f"(1, 'maple7710')\n(2, '{SECRET}')\n"),
    ),
    **{
        f"a script, {name}": tool_call({"command": script}, content=text(f"{SECRET}{end}\n"))
        for name, script, end in (
            ("continued", "aws secretsmanager get-secret-value \\\n --query SecretString", ""),
            ("a pipe", "kubectl get secret db -o jsonpath='{.data.password}' |\n base64 -d", ""),
            ("a pipe below", "kubectl get secret db -o json \\\n  | jq -r .data.password", ""),
            ("not its last line", "cd /app\ncat .vault_pass\necho done", "\ndone"),
            ("its store", "set -e\nop read op://prod/db/password\necho", "\n"),
            ("another program", "python3 - <<'E'\nprint(os.environ['API_TOKEN'])\nE", ""),
            ("a loop", "for f in /run/secrets/*_password; do\n  cat $f\ndone", ""),
            ("a query", 'psql -c "\nselect api_key\nfrom accounts\nlimit 1"', ""),
            ("a list after it", "cat db_password && ls -la db_password", "\ndb_password"),
            ("a sum after it", "cat .vault_pass; sha256sum .vault_pass", ""),
            ("a count after it", "cat .vault_pass; wc -c .vault_pass", "\n12 .vault_pass"),
            ("found files", "find . -name .vault_pass -exec cat {} \\;", ""),
            ("after cd", "cd /srv && cat .vault_pass\necho done", "\ndone"),
            ("after then", "if true; then cat .vault_pass; fi\necho done", "\ndone"),
            ("after a list", "ls & cat .vault_pass", "\nx"),
            ("listed files", "ls .vault_pass | xargs -n 1 cat", ""),
            ("a store that names none", "ls\nvault kv get -field=value kv/app", "\nREADME.md"),
            ("a generator", "for i in 1 2; do openssl rand -base64 12; done", "\nx"),
        )
    },
    **{
        f"a file that is {name}": tool_call({name: value}, content=text(f"{SECRET}\n"))
        for name, value in (
            ("filename", "/p/.vault_pass"),
            ("target_file", "/p/.vault_pass"),
            ("targetFile", "/p/.vault_pass"),
            ("paths", ["/p/README.md", "/p/.vault_pass"]),
        )
    },
    "a file with its contents": [
        update(rawInput={"path": "/p/.vault_pass", "contents": f"{SECRET}\n"})
    ],
    "a patch": [
        update(rawInput={"input": f"*** Begin Patch\n*** Add File: .vault_pass\n+{SECRET}\n"})
    ],
    "a tool of an MCP server": mcp_call(
        {"command": "cat /run/secrets/db_password"},
        {"result": {"content": [{"type": "text", "text": f"{SECRET}\n"}], "isError": False}},
        serverId="srv-1",
        requestId="m-2",
    ),
    "a tool of an MCP server, on a connection": mcp_call(
        {"path": "/p/.vault_pass"},
        {"content": [{"type": "text", "text": SECRET}]},
        connectionId="c-1",
    ),
    "a tool of an MCP server that fails": [
        mcp_call({"command": "cat /run/secrets/db_password; exit 1"}, {}, serverId="srv-1")[0],
        (CLIENT, {"id": 4, "error": {"code": -1, "message": "exit 1", "data": {"stdout": SECRET}}}),
    ],
    "a method that a vendor has added": [
        request(5, "_example.com/run", command="cat /run/secrets/db_password"),
        (CLIENT, {"id": 5, "result": {"stdout": f"{SECRET}\n", "exitCode": 0}}),
    ],
    "one message": [
        update(rawInput={"command": "terraform output -raw db_password"}, content=text(SECRET))
    ],
}
NOT_SAID = {
    "a line that was redacted before": tool_call(
        {"command": "cat ~/.pgpass"}, content=text("db:5432:*:shop:redacted-pgpass-1")
    ),
    "a file of a program": tool_call({"file_path": "/src/password.py"}, content=text("import\nos")),
    "another file": tool_call({"file_path": "/src/notes.txt"}, content=text(f"{SECRET}\n")),
    "a list of design tokens": tool_call({"path": "/x/tokens.json"}, content=text('{\n "a": 1}')),
    "a list of names": tool_call(
        {"command": "ls secrets"}, content=text("db_password\nid_ed25519\nq8Zt5Yw1Bn6Hd3Js\n")
    ),
    "a place in a file": tool_call(
        {"command": "grep -rn apiKey src"}, content=text("src/config2.ts:12:apiKey9")
    ),
    "a commit": tool_call(
        {"command": "git log --format=%h -1 secrets/db_password"}, content=text("1a2b3c4")
    ),
    "a commit, in a script that names a file": tool_call(
        {"command": "export API_TOKEN=x\ncd secrets && git log --format=%H db_password"},
        content=text("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n"),
    ),
    "a commit, after a message about one": tool_call(
        {"command": "git commit -qm 'Fix token refresh' && git log -1 --format=%H"},
        content=text("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n"),
    ),
    "a commit, after a search": tool_call(
        {"command": "grep -rn password src | head\ngit rev-parse HEAD"},
        content=text("src/a.py:12: password = ask()\n9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n"),
    ),
    "a commit, after a word about it": tool_call(
        {"command": "echo 'checking token handling'\ngit rev-parse HEAD"},
        content=text("checking token handling\n9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n"),
    ),
    "names of files, after cd": tool_call(
        {"command": "cd x; git ls-files; find . -name '*api_token*'"},
        content=text("fixtures-4Bcd9Zk2q-api\n./a_token\n"),
    ),
    "sums of files": tool_call(
        {"command": "rm db_password; find . -name '*_token' | xargs sha256sum"},
        content=text("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b  a_token\n"),
    ),
    "a profile": tool_call({"profile": "/p/.vault_pass"}, content=text(f"{SECRET}\n")),
    "another tool call": [
        update(rawInput={"command": "cat db_password"}),
        update("tool_call_update", toolCallId="call-2", content=text(SECRET)),
    ],
    "a tool call of another session": [
        update(rawInput={"command": "cat db_password"}),
        (
            AGENT,
            {
                "method": "session/update",
                "params": {
                    "sessionId": "s-2",
                    "update": {"toolCallId": "call-1", "rawOutput": SECRET},
                },
            },
        ),
    ],
    "a word about it": tool_call(
        {"command": "cat db_password"}, content=text("cat: db_password: No such file or directory")
    ),
    "what else is in the message": tool_call(
        {"command": "cat db_password"}, _meta={"tool_name": SECRET}, status="completed"
    ),
    "a query about it": tool_call(
        {"command": 'mysql -N -e "select id, name from users where password is null"'},
        content=text("1\tmaple7710\n"),
    ),
    "what a program does with a key": tool_call(
        {"command": "ssh -i ~/.ssh/id_rsa host git rev-parse HEAD"},
        content=text("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n"),
    ),
    "a public key": tool_call(
        {"command": "cat ~/.ssh/id_ed25519.pub"},
        content=text("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIq8Zt5Yw1Bn6Hd3Js2Vw9Xn4Rk7 a@b\n"),
    ),
    "a certificate": tool_call(
        {"command": "sed -n 2,3p cert.pem"}, content=text(f"{KEY_LINES[0]}\n{KEY_LINES[1]}\n")
    ),
    "the answer to the other side": [
        request(7, "fs/read_text_file", path="/home/dev/.vault_pass"),
        (AGENT, {"id": 7, "result": {"content": f"{SECRET}\n"}}),
    ],
}


def frames(messages):
    return [
        Frame(seq, seq / 10, sender, json.dumps(with_version(message)).encode() + b"\n")
        for seq, (sender, message) in enumerate(messages, 1)
    ]


def with_version(message):
    if isinstance(message, list):
        return [with_version(each) for each in message]
    return {"jsonrpc": "2.0", **message}


def in_json(value, levels):
    """Return a message with what has the secret as tools say it: JSON in a string."""
    if isinstance(value, dict):
        return {key: in_json(item, levels) for key, item in value.items()}
    if isinstance(value, list):
        return [in_json(item, levels) for item in value]
    if not isinstance(value, str) or SECRET not in value:
        return value
    for _ in range(levels):
        value = json.dumps({"exit_code": 0, "output": value})
    return value


@pytest.mark.parametrize("levels", effort.some_of([1, 3], 0, 2))
@pytest.mark.parametrize("name", SAID)
def test_what_a_command_prints_is_masked_while_recording_and_after(name, levels, tmp_path):
    records = frames([(sender, in_json(message, levels)) for sender, message in SAID[name]])
    while_recording = Redactor()
    afterwards = Redactor()
    afterwards.learn_all(records)
    for redactor in (while_recording, afterwards):
        masked = [redactor.record(record) for record in records]
        assert SECRET not in str(masked)
        assert b"redacted-" in masked[-1].raw
        again = Redactor()
        again.learn_all(masked)
        assert [again.record(record) for record in masked] == masked
    # A copy in a later message is the same secret.
    (later,) = frames([update("agent_message_chunk", content={"text": f"It is {SECRET}."})])
    assert SECRET.encode() not in while_recording.record(later).raw
    path = tmp_path / "c.jsonl"
    path.write_bytes(encode([Header(), *records]))
    lines = list(secrets_in_file(str(path), Redactor()))
    assert lines
    assert SECRET not in str(lines)
    path.write_bytes(encode([Header(), *masked]))
    assert list(secrets_in_file(str(path), Redactor())) == []


@pytest.mark.parametrize(
    "call",
    [
        tool_call({"command": "sed -n 2,4p ~/.ssh/id_rsa"}, content=text("\n".join(KEY_LINES))),
        tool_call(
            {"command": "awk 'NR>1 && NR<5' /etc/ssl/server.key"}, rawOutput="\n".join(KEY_LINES)
        ),
        tool_call(
            {"file_path": "/etc/letsencrypt/live/x/privkey.pem", "offset": 2},
            content=text("".join(f"{n:6}\u2192{line}\n" for n, line in enumerate(KEY_LINES, 2))),
        ),
    ],
    ids=["sed", "awk", "a file with numbers of lines"],
)
def test_the_middle_of_a_private_key_is_one_if_the_name_of_the_file_says_so(call):
    redactor = Redactor()
    masked = str([redactor.record(record) for record in frames(call)])
    assert not any(line in masked for line in KEY_LINES)


def test_the_end_of_an_output_that_is_sent_again_begins_with_what_was_a_secret_in_it():
    def grown(words):
        return update("tool_call_update", content=text(words))

    outputs = ["a\npassword: maple7710\n", "word: maple7710\nb\n", "maple7710\nc\n", "ple7710\nd"]
    records = frames([update(rawInput={"command": "./run"}), *map(grown, outputs)])
    afterwards = Redactor()
    afterwards.learn_all(records)
    for redactor in (Redactor(), afterwards):
        masked = [redactor.record(record) for record in records]
        assert "7710" not in str(masked)
        assert all(b"redacted-assignment-1" in record.raw for record in masked[1:])
    # Of another tool call, and elsewhere in it, it may be something else.
    records = frames([grown("password: maple7710"), update(toolCallId="2", content=text("7710"))])
    records += frames([grown("x\nmaple7710\n"), grown("le7710 left")])
    redactor = Redactor()
    is_masked = [b"redacted-" in redactor.record(record).raw for record in records]
    assert is_masked == [True, False, False, True]


@pytest.mark.parametrize("line", ["PASSWORD=maple7710\n", "password:maple7710\n"])
def test_the_name_of_a_weak_password_may_be_cut_anywhere(line):
    outputs = [f"{line[at:]}done\n" for at in range(line.index("maple") + 1)]
    updates = [update("tool_call_update", content=text(each)) for each in outputs]
    records = frames([update(rawInput={"command": "./run"}), *updates])
    redactor = Redactor()
    assert "7710" not in str([redactor.record(record) for record in records])


TOKEN = "q7Zk2Vw9Xn4Rb8Tc5Hj1Lm6P"
CUT_OFF = [
    [f"a\nAPI_TOKEN={TOKEN}\nb\n", *(f"{TOKEN[-left:]}\nb\nc\n" for left in (12, 11, 6))],
    [f"one line and more\nAPI_TOKEN={TOKEN[:6]}", f"and more\nAPI_TOKEN={TOKEN}\n"],
]


@pytest.mark.parametrize("outputs", CUT_OFF)
def test_nothing_is_left_of_what_a_terminal_has_cut_off(outputs):
    messages = []
    for number, output in enumerate(outputs):
        messages.append(request(number, "terminal/output", terminalId="t-1"))
        messages.append((CLIENT, {"id": number, "result": {"output": output, "truncated": True}}))
    records = frames(messages)
    redactor = Redactor()
    redactor.learn_all(records)
    masked = str([redactor.record(record) for record in records])
    assert not [at for at in range(len(TOKEN) - 5) if TOKEN[at : at + 6] in masked]


@pytest.mark.parametrize(
    ("command", "output"),
    [("cat /run/secrets/db_password", "{}\n"), ("sops -d prod.yaml", "host: db1\nsmtp: {}\n")],
)
@pytest.mark.parametrize("length", [5, 8, 11, 12, 14, 17])
def test_nothing_is_left_of_an_output_that_has_once_ended_within_the_secret(
    command, output, length
):
    secret = "RE3INfZmySagGMLNl0yb"
    whole = output.format(secret)
    part = whole[: whole.index(secret) + length]
    outputs = [update("tool_call_update", content=text(each)) for each in (part, whole)]
    records = frames([update(rawInput={"command": command}), *outputs])
    afterwards = Redactor()
    afterwards.learn_all(records)
    for redactor in (Redactor(), afterwards):
        masked = [redactor.record(record) for record in records]
        assert all(secret[at : at + 4].encode() not in masked[-1].raw for at in range(16))
        again = Redactor()
        again.learn_all(masked)
        assert [again.record(record) for record in masked] == masked


@pytest.mark.parametrize("output", ["Vf787Eo{}", "{}Vf787Eo", "Vf787Eo{}kJpD2LU"])
def test_nothing_is_left_of_an_output_with_another_secret_in_it(output):
    other = "q7Zk2Vw9Xn4Rb8Tm5Ls1"
    whole = output.format(other)
    call = tool_call({"command": "cat /run/secrets/db_password"}, content=text(whole))
    records = frames([(CLIENT, {"method": "x", "params": {"apiKey": other}}), *call])
    afterwards = Redactor()
    afterwards.learn_all(records)
    for redactor in (Redactor(), afterwards):
        masked = [redactor.record(record) for record in records]
        assert re.search(rb'"redacted-(?:command-output-1|secret-2)"', masked[-1].raw)


@pytest.mark.parametrize(
    ("output", "masked"),
    [
        ("API_KEY={}", "API_KEY=redacted-variable-1"),
        ("postgres://app:{}@db/x", "postgres://app:redacted-url-password-1@db/x"),
    ],
)
def test_what_names_a_secret_in_an_output_stays(output, masked):
    call = tool_call(
        {"command": "cat /run/secrets/db_password"},
        content=text(output.format("q7Zk2Vw9Xn4Rb8Tm5Ls1")),
    )
    redactor = Redactor()
    done = [redactor.record(record) for record in frames(call)]
    assert f'"{masked}"'.encode() in done[-1].raw


@pytest.mark.parametrize("value", ["production", "integration-testing", "127.0.0.1:8080"])
def test_an_ordinary_variable_of_a_command_is_left_alone_in_its_output(value):
    variables = {"command": "./run", "env": {"MODE": value}}
    call = tool_call(variables, content=text(f"{value} build\n"))
    more = update("tool_call_update", content=text(f"{value[-8:]} build\nand more\n"))
    redactor = Redactor()
    masked = [redactor.record(record) for record in frames([*call, more])]
    assert b"redacted-env-1" in masked[0].raw
    assert masked[1:] == frames([*call, more])[1:]


def test_a_weak_password_is_one_if_the_name_of_the_file_says_so():
    call = tool_call({"command": "cat /run/secrets/db_password"}, content=text("sunflower\n"))
    masked = [Redactor().record(record) for record in frames(call)]  # each alone says nothing
    assert masked == frames(call)
    redactor = Redactor()
    assert "sunflower" not in str([redactor.record(record) for record in frames(call)])


@pytest.mark.parametrize("name", NOT_SAID)
def test_what_no_command_asked_for_is_left_alone(name):
    records = frames(NOT_SAID[name])
    redactor = Redactor()
    redactor.learn_all(records)
    assert [redactor.record(record) for record in records] == records
    assert [Redactor().record(record) for record in records] == records


@pytest.mark.parametrize("password", ["mT7%vQ2xLp9(dRw4", "x9Lq%2vTk7Rw4mZs"])
def test_a_password_with_a_percent_sign_is_found_before_what_the_agent_says_of_the_command(
    password,
):
    calls = tool_call({"command": "cat .vault_pass"}, content=text(f"{password}\n[Exit code: 1]"))
    redactor = Redactor()
    masked = [redactor.record(record) for record in frames(calls)]
    assert password not in str(masked)


def test_commands_and_ids_without_end_are_not_all_kept():
    redactor = Redactor()
    for number in range(600):
        command = {"command": f"cat {number}/db_password"}
        for record in frames([update(toolCallId=f"call-{number}", rawInput=command)]):
            redactor.record(record)
    records = frames([update("tool_call_update", toolCallId="call-599", content=text(SECRET))])
    assert SECRET.encode() not in redactor.record(records[0]).raw
    assert len(redactor._outputs._asked) <= 256
    assert len(redactor._outputs._judged) <= 256


@pytest.mark.parametrize("depth", [100, 1500, 20_000])
def test_deep_nesting_is_no_danger(depth):
    nested = b"[" * depth + b"]" * depth
    raw = b'{"method":"x","params":{"toolCallId":"c","title":"cat db_password","x":%b}}\n' % nested
    frame = Frame(1, 0.0, AGENT, raw)
    assert Redactor().record(frame) == frame


def test_of_countless_commands_in_a_message_only_the_first_are_judged(monkeypatch):
    redactor = Redactor()
    judged = []
    monkeypatch.setattr(redactor._outputs, "_judge", judged.append)
    paths = [{"path": f"/a/{number}"} for number in range(1000)]
    for record in frames([update(locations=paths, title=" [x" * 5000)]):
        redactor.record(record)
    assert 0 < len(judged) < 40


@pytest.mark.parametrize("form", ["capture", "an unknown field", "another tool"])
def test_what_only_a_command_reveals_is_not_shown_around_what_a_line_shows(form, tmp_path):
    records = frames(
        [
            update(title="Run", rawInput={"command": "sops -d secrets.yml"}),
            update("tool_call_update", content=text("smtp: sunny88k\npassword: k4Jw81mZq0Xt\n")),
        ]
    )
    lines = encode([Header(), *records]).splitlines(keepends=True)
    if form == "an unknown field":
        lines[-1] = lines[-1].replace(b"}\n", b',"api_key":"Zr7Lm2Qx9Kd4Wp"}\n')
    elif form == "another tool":
        lines = [b"\xe2\x86\x90 " + record.raw for record in records]
    path = tmp_path / "x.log"
    path.write_bytes(b"".join(lines))
    report = str([*secrets_in_file(str(path), Redactor())])
    assert "assignment" in report
    assert "command-output" in report
    assert "sunny88k" not in report
