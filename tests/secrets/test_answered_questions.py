"""An answer of one word is a secret if the question, which is in another message, asks for one."""

import pytest

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer
from tests.secrets.test_command_outputs import AGENT, CLIENT, frames, update

SECRET = "maple7710"
ASKED = "I need root for this. What is the sudo password?"


def said(words, kind="agent_message_chunk", session="s"):
    peer, message = update(kind, content={"type": "text", "text": words})
    message["params"]["sessionId"] = session
    return peer, message


def prompt(words, session="s"):
    params = {"sessionId": session, "prompt": [{"type": "text", "text": words}]}
    return CLIENT, {"id": 3, "method": "session/prompt", "params": params}


def with_file(words):
    peer, message = prompt(words)
    resource = {"uri": "file:///project/app.py", "text": "import os\nprint(os.name)\n"}
    message["params"]["prompt"].append({"type": "resource", "resource": resource})
    return peer, message


def form(question, answer, **field):
    schema = {"type": "object", "properties": {"value": {"type": "string", **field}}}
    params = {"sessionId": "s", "mode": "form", "message": question, "requestedSchema": schema}
    return [
        (AGENT, {"id": 9, "method": "elicitation/create", "params": params}),
        (CLIENT, {"id": 9, "result": {"action": "accept", "content": {"value": answer}}}),
    ]


def wrapped(message):
    """Return what a proxy of a chain says to its successor."""
    peer, inner = message
    about = {key: inner[key] for key in ("method", "params")}
    ident = {"id": inner["id"]} if "id" in inner else {}
    return peer, {**ident, "method": "proxy/successor", "params": about}


def form_of_server(question, answer, **field):
    """Return the form of an MCP server, over ACP, and the answer to it."""
    (_, asks), (_, answers) = form(question, answer, **field)
    about = {"serverId": "srv-1", "requestId": "m-1"}
    inner = {"method": asks["method"], "params": asks["params"]}
    return [
        (CLIENT, {"id": 9, "method": "mcp/message", "params": {**about, **inner}}),
        (AGENT, {"id": 9, "result": {"result": answers["result"]}}),
    ]


def form_in_result(question, answer, **field):
    """Return the form in the result of a tool, and the same call with the answer to it."""
    (_, asks), (_, answers) = form(question, answer, **field)
    inputs = {"login": {"method": asks["method"], "params": asks["params"]}}
    params = {"name": "deploy", "inputResponses": {"login": answers["result"]}}
    call = {"serverId": "srv-1", "requestId": "m-2", "method": "tools/call", "params": params}
    asked = {"resultType": "input_required", "inputRequests": inputs}
    return [
        (CLIENT, {"id": 3, "result": {"result": asked}}),
        (AGENT, {"id": 4, "method": "mcp/message", "params": call}),
    ]


SECRETS = {
    "of a proxy": [wrapped(said(ASKED)), wrapped(prompt(SECRET))],
    "a form of a proxy": [
        wrapped(form("Sign in", SECRET, title="Password")[0]),
        form("", SECRET)[1],
    ],
    "alone": [said(ASKED), prompt(SECRET)],
    "with a file": [said(ASKED), with_file(SECRET)],
    "after a title with a word of the protocol": [
        said(ASKED),
        update("session_info_update", title="agent_message_chunk"),
        prompt(SECRET),
    ],
    "a question in pieces": [*map(said, ASKED.partition("sudo")), prompt(f"{SECRET}\n")],
    "a sentence": [said(ASKED), prompt(f"it's {SECRET}, same as last time")],
    "with a capital": [said(ASKED), prompt(f"It's {SECRET}")],
    "a sentence with a capital": [said(ASKED), prompt(f"Here you go: {SECRET}")],
    "two words before it": [said(ASKED), prompt(f"sure, here: `{SECRET}`")],
    "a token": [said("Please provide your API token so that I can go on."), prompt(SECRET)],
    "which one": [said("OK.\nWhich API key should I use?"), prompt(SECRET)],
    "a session that is loaded": [said(ASKED), said(SECRET, "user_message_chunk")],
    "a word": [said("Ok, I will deploy it now.\n\nPassword:"), prompt(SECRET)],
    "two words": [said("API key?"), prompt(SECRET)],
    "of a program": [said("[sudo] password for bob:"), prompt(SECRET)],
    "in bold": [said("**Password:**"), prompt(SECRET)],
    "in German": [said("Wie lautet das sudo-Passwort?"), prompt(f"Es ist {SECRET}")],
    "in French": [said("Quel est le mot de passe de la base ?"), prompt(SECRET)],
    "in Spanish": [said("\u00bfCu\u00e1l es la contrase\u00f1a?"), prompt(SECRET)],
    "a form": form("Enter the passphrase of the key", SECRET),
    "a field with a title": form("Sign in to the database", SECRET, title="Password"),
    "one that is described": form("Sign in", SECRET, description="Your personal access token."),
    **{
        f"a field called {words}": form("Sign in", SECRET, **{name: words})
        for name, words in (
            ("title", "API keys"),
            ("title", "Credentials"),
            ("title", "Recovery codes"),
            ("description", "API tokens"),
            ("description", "Credentials"),
        )
    },
    "a title in German": form("Sign in", SECRET, title="Kennwort"),
    "one of several": form("Sign in", SECRET, anyOf=[{"type": "null"}, {"format": "password"}]),
    "a form of an MCP server": form_of_server("Enter the passphrase of the key", SECRET),
    "a field of one": form_of_server("Sign in", SECRET, title="Password"),
    "a form in the result of a tool": form_in_result("Enter the password", SECRET),
    "a field of one in a result": form_in_result("Sign in", SECRET, title="Password"),
    "long after the form": [
        form("Sign in", SECRET, title="Password")[0],
        *[said("Let me look at that, too.")] * 300,
        form("", SECRET)[1],
    ],
    "a large form": form("Sign in", SECRET, title="Password", enum=["eu-central"] * 2000),
    "in batches": [(peer, [message]) for peer, message in form("Enter the password", SECRET)],
    "a question and its answer in batches": [
        (peer, [{"method": "x/y"}, message]) for peer, message in (said(ASKED), prompt(SECRET))
    ],
    "both in one batch, of a session that is loaded": [
        (AGENT, [said(ASKED)[1], said(SECRET, "user_message_chunk")[1]])
    ],
    "another form with the same id, from the other side": [
        form("Sign in", SECRET, title="Password")[0],
        form_of_server("Where to deploy?", "", title="Region")[0],
        form("", SECRET)[1],
    ],
    "a form of another server that is called alike": [
        form_in_result("Sign in", SECRET, title="Password")[0],
        *form_in_result("Where to deploy?", SECRET, title="Region"),
    ],
    "beside the next form": [
        form("Sign in", SECRET, title="Password")[0],
        (CLIENT, [form("", SECRET)[1][1], form_of_server("Where?", "")[0][1]]),
    ],
    "one with a format": form("Sign in", SECRET, format="password"),
    "one that is only written": form("Sign in", SECRET, title="Code", writeOnly=True),
    "another session between": [said(ASKED), prompt("go on", "other"), prompt(SECRET)],
}
OTHERS = {
    "the kind of a placeholder": [
        said("Which machine can use redacted-github-token-1?"),
        prompt(SECRET),
    ],
    "the kind of a placeholder in a form": form(
        "Which repo should get redacted-api-key-1?", SECRET, title="redacted-private-key-2"
    ),
    "no question": [said("All tests pass."), prompt(SECRET)],
    "a question about something else": [said("The password is wrong.\nGo on?"), prompt(SECRET)],
    "a question about a column": [said("What is the password column called?"), prompt(SECRET)],
    "another session": [said(ASKED), prompt(SECRET, "other")],
    "a question that was answered": [said(ASKED), prompt("skip it"), prompt(SECRET)],
    "a field for something else": form("Sign in", SECRET, title="User", format="email"),
    "a request of the other side with the same id": [
        form_of_server("Enter the password", "")[0],
        form("", SECRET)[1],
    ],
    "a notification": [
        form("Enter the password", "")[0],
        (CLIENT, {"method": "_x/y", "params": {"content": {"result": SECRET}}}),
    ],
    "an error": [
        form("Enter the password", "")[0],
        (CLIENT, {"id": 9, "error": {"content": {"result": SECRET}}}),
    ],
    "another form of a result": form_in_result("Where to deploy?", SECRET, title="Region"),
    "a form in a result that has another name": [
        form_in_result("Enter the password", "")[0],
        (
            AGENT,
            {"method": "x", "params": {"inputResponses": {"y": {"content": {"value": SECRET}}}}},
        ),
    ],
    "another form": [*form("Enter a name", "bob"), form(ASKED, SECRET)[1]],
    "a sentence": [said(ASKED), prompt(f"I think that {SECRET} is the branch")],
    "a file": [said(ASKED), prompt("config2.yml")],
    "an address": [said(ASKED), prompt("bob2@example.com")],
    "a program": [said(ASKED), prompt("python3")],
    "a command": [said(ASKED), prompt("/login2")],
    "yes": [said(ASKED), prompt("yes!!!")],
    "a number": [said(ASKED), prompt("4821")],
    "the same batch, before the question": [
        (AGENT, [said(SECRET, "user_message_chunk")[1], said(ASKED)[1]])
    ],
    "a placeholder": [said(ASKED), prompt("redacted-prompt-19")],
    "no message": [said(ASKED), (CLIENT, {"method": "session/prompt", "params": [SECRET]})],
}


@pytest.mark.parametrize("name", SECRETS)
def test_an_answer_is_masked_while_recording_and_after(name, tmp_path):
    records = frames(SECRETS[name])
    while_recording = Redactor()
    afterwards = Redactor()
    afterwards.learn_all(records)
    for redactor in (while_recording, afterwards):
        masked = [redactor.record(record) for record in records]
        assert SECRET not in str(masked)
        assert masked[:-1] == records[:-1]
        again = Redactor()
        again.learn_all(masked)
        assert [again.record(record) for record in masked] == masked
    (later,) = frames([said(f"I use {SECRET} now.")])
    assert SECRET.encode() not in while_recording.record(later).raw
    path = tmp_path / "c.jsonl"
    path.write_bytes(encode([Header(), *records]))
    (line,) = secrets_in_file(str(path), Redactor())
    assert SECRET not in line
    path.write_bytes(encode([Header(), *masked]))
    assert list(secrets_in_file(str(path), Redactor())) == []


def test_a_phrase_in_a_field_for_a_secret_is_masked():
    redactor = Redactor()
    records = frames(form("Sign in", "the quick brown fox", title="Passphrase"))
    redactor.learn_all(records)
    assert b"quick" not in redactor.record(records[1]).raw


@pytest.mark.parametrize(
    "raw",
    [
        b'{"id":2,"result":{"content":"hi"}',
        b'{"id":1,"result":{"content":[{"text":"x\xff"}]}}',
        b'{"id":1,"result":{"content":' + b"[" * 2000 + b"]" * 2000 + b"}}",
    ],
)
def test_a_line_that_cannot_be_read_answers_no_form(raw):
    (asks,) = frames(form_in_result("Sign in", "", title="Password")[:1])
    redactor = Redactor()
    redactor.record(asks)
    assert redactor.record(Frame(2, 0.2, Peer.AGENT, raw + b"\n")).raw == raw + b"\n"


def test_a_form_that_was_answered_asks_no_more():
    """Another of the same name asks for something else."""
    asks, answer = form_in_result("Enter the PIN", "4711")
    again, city = form_in_result("Which city?", "New York2")
    records = frames([asks, answer, again, city])
    redactor = Redactor()
    masked = [redactor.record(record) for record in records]
    assert b"4711" not in masked[1].raw
    assert masked[2:] == records[2:]


def test_an_answer_that_the_agent_sends_back_is_masked_however_short():
    records = frames([said(ASKED), prompt("k7!x2p"), said("k7!x2p", "user_message_chunk")])
    redactor = Redactor()
    redactor.learn_all(records)
    assert "k7!x2p" not in str([redactor.record(record) for record in records])


@pytest.mark.parametrize("name", OTHERS)
def test_what_no_question_asked_for_is_left_alone(name):
    records = frames(OTHERS[name])
    redactor = Redactor()
    redactor.learn_all(records)
    assert [redactor.record(record) for record in records] == records
    while_recording = Redactor()
    assert [while_recording.record(record) for record in records] == records


def test_a_number_is_a_pin_if_one_was_asked_for():
    records = frames([said("Please enter the PIN of the card."), prompt("4821")])
    redactor = Redactor()
    assert "4821" not in str([redactor.record(record) for record in records])


def test_a_question_that_repeats_itself_is_no_burden():
    """It would take minutes otherwise, so that no clock is needed."""
    words = ("can " * 30 + "pin " * 30 + " " * 158 + "x")[:400]
    asks, answers = form(words, "yes", title=words, description=words)
    redactor = Redactor()
    for frame in frames([asks, *[answers] * 400]):
        redactor.record(frame)


def test_messages_without_end_are_not_all_kept():
    redactor = Redactor()
    for record in frames([said("word ")] * 1000 + [said("x " * 10_000)]):
        redactor.record(record)
    kept = redactor._outputs._answers._before
    assert len(kept) <= 128
    assert all(len(frame.raw) < 10_000 for frame in kept)
