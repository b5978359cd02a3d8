"""What was sent and what was delivered: the commands that take `--delivered`, and what shows both."""

import json
from pathlib import Path

import pytest
from support.in_process import acp_spy, acp_spy_bytes
from support.pages import Blocks

from acp_spy.capture.codec import encode
from acp_spy.capture.files import load
from acp_spy.capture.records import Delivery, Header
from acp_spy.capture.transcript import parse
from acp_spy.lint.rules.lifecycle._examples import (
    CHUNK,
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
)
from acp_spy.wire.frame import Frame, Peer

CAPTURE = Path(__file__).parents[2] / "fixtures" / "with-deliveries.jsonl"
RECORDS = load(CAPTURE).records


def sent(sender):
    return [each.raw for each in RECORDS if isinstance(each, Frame) and each.sender is sender]


def test_raw_writes_what_was_sent_or_what_arrived():
    agent = sent(Peer.AGENT)
    assert acp_spy_bytes("raw", CAPTURE, "--sender", "agent")[0] == b"".join(agent)
    (injected,) = (each.raw for each in RECORDS if getattr(each, "action", "") == "injected")
    noise, initialized, opened, tool, _asked, failed, ended = agent
    arrived = [initialized, opened, tool, failed, injected, ended]
    out = acp_spy_bytes("raw", CAPTURE, "--sender", "agent", "--delivered")[0]
    assert out == b"".join(arrived)
    assert noise not in out


def test_raw_writes_what_acp_spy_answered():
    out = acp_spy_bytes("raw", CAPTURE, "--sender", "client", "--delivered")[0]
    (answer,) = (each.raw for each in RECORDS if getattr(each, "action", "") == "answered")
    (changed,) = (each.raw for each in RECORDS if getattr(each, "action", "") == "replaced")
    initialize, _new, prompt = sent(Peer.CLIENT)
    assert out == b"".join([initialize, changed, prompt, answer])


def test_replay_plays_the_agent_as_the_client_saw_it(tmp_path):
    ask = '{"jsonrpc": "2.0", "id": 0, "method": "_x"}'
    one = '{"jsonrpc": "2.0", "id": 0, "result": 1}'
    two = one.replace("1}", "2}")
    path = tmp_path / "run.jsonl"
    lines = f"-> {ask}\n<- {one}\n<* replaced by script a.py: {two}\n-> EOF\n<- EOF\n== 0"
    path.write_bytes(encode([Header(), *parse(lines)]))
    for words, response in ([], one), (["--delivered"], two):
        done = acp_spy("replay", "agent", path, *words, stdin=f"{ask}\n".encode())
        assert done.out == f"{response}\n"


def test_view_shows_what_was_sent_and_below_it_what_became_of_it():
    shown = acp_spy("view", CAPTURE, env={"COLUMNS": "200"}).out.splitlines()
    at = next(number for number, line in enumerate(shown) if "session/new  in /project" in line)
    assert "#4 replaced by script container.py  session/new  in /workspace" in shown[at + 1]
    rows = json.loads(acp_spy("view", CAPTURE, "--format", "json").out)["rows"]
    kinds = {each["seq"]: each for each in rows if each.get("seq")}
    assert [each["what"] for each in rows if each["kind"] == "delivery"] == [
        f"#{each.seq} {each.action} by {each.by}" for each in RECORDS if isinstance(each, Delivery)
    ]
    assert kinds[4]["fate"] == "replaced"


def test_what_was_not_delivered_is_struck_out_in_color():
    colors = {"COLUMNS": "200", "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    shown = acp_spy("view", CAPTURE, env=colors).out.splitlines()
    struck = [line for line in shown if "\x1b[2;9m" in line]
    assert len(struck) == 4
    assert "[info] hello" in struck[1]


def test_the_page_has_the_fate_of_each_frame_and_takes_an_answer_for_the_response(tmp_path):
    page = tmp_path / "page.html"
    assert acp_spy("view", CAPTURE, "-o", page).status == 0
    rows = json.loads(Blocks(page.read_text()).data["acp-spy-rows"])
    fates = {row[2]: row[21] for row in rows if row[2] is not None}
    assert {seq: fate for seq, fate in fates.items() if fate} == {
        1: "held",
        2: "dropped",
        4: "replaced",
        8: "answered",
    }
    assert [row[17] for row in rows if row[0] == "delivery" and "answered" in row[5]] == [8]


@pytest.mark.parametrize("words", [["--delivered"], ["--seen-by", "client"]])
def test_check_of_what_arrived_has_no_finding_about_what_was_dropped(words):
    out = acp_spy("check", CAPTURE, *words, "--format", "concise").out
    assert "FRM004" not in out
    assert "FRM004" in acp_spy("check", CAPTURE, "--format", "concise").out


def test_diff_and_check_blame_the_same_for_what_arrived(tmp_path):
    late = [
        CHUNK,
        CHUNK,
        "<* held by fault reorder",
        END_TURN,
        f"<* 7 delayed by fault reorder: {CHUNK[3:]}",
    ]
    talk = "\n".join([HANDSHAKE, NEW_SESSION, PROMPT, *late, "-> EOF", "== 0"])
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), *parse(talk)]))
    (checked,) = json.loads(acp_spy("check", path, "--delivered", "--format", "json").out)[
        "captures"
    ]
    assert [(each["code"], each["by"]) for each in checked["findings"]] == [
        ("LIF052", "fault reorder")
    ]
    out = acp_spy("diff", path, "--delivered").out
    assert "+ warning LIF052 update-outside-turn  acp-spy did it: fault reorder, frame 7" in out
    assert "must fix" not in out
