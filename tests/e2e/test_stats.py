"""`acp-spy stats` as people run it: by name, by path, without a name, into a pipe that closes."""

import json
import shutil
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.processes import ECHO

FIXTURES = Path(__file__).parents[2] / "fixtures"


def test_a_capture_by_its_path():
    out, err, status = acp_spy("stats", str(FIXTURES / "example.jsonl"))
    assert (err, status) == ("", 0)
    assert out.startswith(f"{FIXTURES}/example.jsonl\n10 frames in 4.0 s, ended\n")


def test_without_a_name_it_is_the_newest(tmp_path):
    environment = {"ACP_SPY_DIR": str(tmp_path)}
    shutil.copy(FIXTURES / "example.jsonl", tmp_path / "old.jsonl")
    new = (FIXTURES / "dialect-crow.jsonl").read_text().replace("2026-01-05T", "2026-01-06T")
    (tmp_path / "new.jsonl").write_text(new)
    output = json.loads(acp_spy("stats", "--format", "json", env=environment)[0])
    assert (output["path"], output["agent"]) == (f"{tmp_path}/new.jsonl", "jackdaw 0.4.0")
    output = json.loads(acp_spy("stats", "old.jsonl", "--format", "json", env=environment)[0])
    assert (output["path"], output["state"]) == (f"{tmp_path}/old.jsonl", "ended")


def test_what_was_recorded_without_times_has_none():
    path = FIXTURES / "foreign" / "zed.json"
    assert acp_spy("stats", str(path)) == (
        f"""\
{path}
11 frames, imported: neither its times nor its end are known

          frames  bytes  largest (frame)
client →       5  494 B  119 B (5), 102 B (1), 95 B (10)
← agent        6  622 B  188 B (7), 167 B (6), 79 B (2)
stderr             23 B

client requests   count  errors
initialize            1       -
session/new           1       -
session/prompt        1       -
session/set_mode      1       1

agent requests              count
session/request_permission      1

sender  notification    count
agent   session/update      1

1 turn
turn  frame  time  first  chunks  end
   1      5     -      -       1  end_turn
""",
        "",
        0,
    )
    output = json.loads(acp_spy("stats", str(path), "--format", "json")[0])
    assert (output["state"], output["cut_off"], output["seconds"]) == ("imported", False, None)
    assert [method["latency"]["max"] for method in output["methods"]] == [None] * 6
    (turn,) = output["turns"]["longest"]
    assert (turn["outcome"], turn["seconds"], turn["permission_wait"]) == ("ended", None, None)


def test_what_was_recorded_without_its_end_is_not_cut_off():
    out, _, _ = acp_spy("stats", str(FIXTURES / "foreign" / "conductor.jsons"))
    assert out.splitlines()[1] == "11 frames in 5.0 s, imported: its end is not known"


def test_no_capture_at_all_is_one_error_and_one_hint(tmp_path):
    assert acp_spy("stats", env={"ACP_SPY_DIR": str(tmp_path)}) == (
        "",
        (
            f"error: there are no captures in `{tmp_path}` yet\n"
            "hint: record one with `acp-spy -- COMMAND` or `acp-spy demo`, or name one\n"
        ),
        2,
    )


def test_a_link_to_a_capture_that_is_running_is_running(spy, tmp_path):
    peer = spy(ECHO)
    peer.send(b'{"jsonrpc":"2.0","method":"x"}\n')
    peer.read_line()
    (tmp_path / "link").symlink_to(peer.capture)
    output = json.loads(acp_spy("stats", str(tmp_path / "link"), "--format", "json")[0])
    assert output["state"] == "running"


def test_a_capture_that_is_running_is_said_to_be(spy):
    peer = spy(ECHO)
    peer.send(b'{"jsonrpc":"2.0","method":"x"}\n')
    peer.read_line()
    output = json.loads(acp_spy("stats", str(peer.capture), "--format", "json")[0])
    assert (output["state"], output["frames"], output["cut_off"]) == ("running", 2, False)


@pytest.mark.parametrize("name", ["damaged-in-the-middle", "format-from-the-future", "missing"])
def test_what_cannot_be_read_is_an_error_with_a_hint(name):
    out, err, status = acp_spy("stats", str(FIXTURES / f"{name}.jsonl"))
    assert (out, status) == ("", 2)
    assert err.startswith("error: cannot read `")
    assert "\nhint: " in err
