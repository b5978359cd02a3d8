import gzip
import json
import os
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.replays import RICH

from acp_spy import Header
from acp_spy.capture.codec import encode
from acp_spy.capture.transcript import parse


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], ""),  # but for the help, on stdout
        (["agent"], "error: missing `CAPTURE`\nhint: run `acp-spy replay agent --help`\n"),
        (
            ["client", "run.jsonl", "--expect"],
            "error: `--expect` needs a value\nhint: run `acp-spy replay client --help`\n",
        ),
        (
            ["agent", "no.jsonl"],
            (
                "error: cannot read `no.jsonl`: No such file or directory\n"
                "hint: give the path of a capture, or a name that `acp-spy list` shows\n"
            ),
        ),
        (
            ["agent", "run.jsonl", "--match", "text"],
            "error: no such matcher: `text`\nhint: use one of params, prompt, exact\n",
        ),
        (
            ["agent", "run.jsonl", "--timing", "slow"],
            (
                "error: `--timing` must be `fast`, `recorded` or a factor such as `2x`, not `slow`\n"
                "hint: use `2x` to halve the recorded pauses, `0.5x` to double them\n"
            ),
        ),
        (
            ["run.jsonl"],
            (
                "error: specify which side to play: `agent` or `client`\n"
                "hint: run `acp-spy replay agent run.jsonl`,"
                " or `acp-spy replay client CAPTURE -- COMMAND [ARG]...`\n"
            ),
        ),
        (
            ["run.jsonl", "--expect", "exact", "--", "claude", "--acp"],
            (
                "error: specify which side to play: `agent` or `client`\n"
                "hint: run `acp-spy replay client run.jsonl --expect exact -- claude --acp`\n"
            ),
        ),
        (
            ["agnet", "run.jsonl"],
            "error: no such side: `agnet`\nhint: run `acp-spy replay agent run.jsonl`\n",
        ),
        (
            ["client", "--expect", "exact", "run.jsonl", "claude", "--acp"],
            (
                "error: put the agent command after `--`\n"
                "hint: run `acp-spy replay client --expect exact run.jsonl -- claude --acp`\n"
            ),
        ),
        (
            ["client", "--strict", "run.jsonl", "--timing=2x", "claude", "--", "--acp"],
            (
                "error: put the agent command after `--`\n"
                "hint: run `acp-spy replay client --strict run.jsonl --timing=2x -- claude --acp`\n"
            ),
        ),
        (
            ["agent", "run.jsonl", "--match", "params", "--", "claude", "--acp"],
            (
                "error: `replay agent` does not start an agent: it is the agent\n"
                "hint: to act as the client of an agent,"
                " run `acp-spy replay client run.jsonl --match params -- claude --acp`\n"
            ),
        ),
        (
            ["client", "run.jsonl"],
            (
                "error: missing agent command\n"
                "hint: run `acp-spy replay client run.jsonl -- COMMAND [ARG]...`\n"
            ),
        ),
    ],
)
def test_wrong_use_is_explained(words, said, tmp_path):
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *parse(RICH)]))
    assert acp_spy("replay", *words, cwd=tmp_path)[1:] == (said, 2)


def test_a_capture_whose_name_is_not_utf_8_is_named_in_the_error_for_the_peer(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/r\xff.jsonl")
    Path(path).write_bytes(encode([Header(), *parse(RICH)]))
    request = b'{"jsonrpc":"2.0","id":0,"method":"x"}\n'
    out, err, _ = acp_spy("replay", "agent", path, stdin=request)
    assert json.loads(out)["error"]["data"]["capture"] == "r\\udcff.jsonl"
    assert "Traceback" not in err


def test_a_folder_that_no_message_can_have_is_not_put_in_the_place_of_the_recorded_one(tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(folder)
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *parse(RICH)]))
    assert acp_spy("replay", "client", tmp_path / "run.jsonl", "--", "true", cwd=folder) == (
        "",
        (
            f"error: cannot use the folder `{tmp_path}/\\udcff`: it is not UTF-8\n"
            "hint: change to another, or add `--no-map-cwd`\n"
        ),
        2,
    )


REPLAYS = pytest.mark.parametrize(
    "words",
    [
        ["agent", "run.jsonl"],
        ["agent", "run.jsonl", "--listen", "127.0.0.1:0"],
        ["client", "run.jsonl", "--", "true"],
    ],
)


@REPLAYS
def test_a_verdict_is_not_appended_to_a_capture(words, tmp_path):
    recorded = encode([Header(), *parse(RICH)])
    (tmp_path / "run.jsonl").write_bytes(recorded)
    role, capture, *rest = words
    done = acp_spy("replay", role, capture, "--verdict", "run.jsonl", *rest, cwd=tmp_path)
    assert done.err == (
        "error: cannot write `run.jsonl`: it is a capture\n"
        "hint: give a new name; to look at it, run `acp-spy view run.jsonl`\n"
    )
    assert done.status == 2
    assert (tmp_path / "run.jsonl").read_bytes() == recorded


@REPLAYS
def test_a_verdict_is_not_appended_to_a_file_of_another_kind(words, tmp_path):
    packed = gzip.compress(recorded := encode([Header(), *parse(RICH)]))
    (tmp_path / "run.jsonl").write_bytes(recorded)
    (tmp_path / "run.jsonl.gz").write_bytes(packed)
    role, capture, *rest = words
    done = acp_spy("replay", role, capture, "--verdict", "run.jsonl.gz", *rest, cwd=tmp_path)
    assert done.err == (
        "error: cannot write the verdict `run.jsonl.gz`: something else is in this file\n"
        "hint: give a new name, or that of a verdict to add to\n"
    )
    assert done.status == 2
    assert (tmp_path / "run.jsonl.gz").read_bytes() == packed
