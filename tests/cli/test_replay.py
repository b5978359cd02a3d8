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
        (["agent"], "error: Missing argument 'CAPTURE'\nhint: acp-spy replay agent --help\n"),
        (
            ["client", "run.jsonl", "--expect"],
            "error: Option '--expect' requires an argument\nhint: acp-spy replay client --help\n",
        ),
        (
            ["agent", "no.jsonl"],
            (
                "error: `no.jsonl` cannot be read: No such file or directory\n"
                "hint: give the path of a capture, or the name of one that `acp-spy list` shows\n"
            ),
        ),
        (
            ["agent", "run.jsonl", "--match", "text"],
            "error: no such matcher: `text`\nhint: one of params, prompt, exact; repeat to add\n",
        ),
        (
            ["agent", "run.jsonl", "--timing", "slow"],
            (
                "error: `--timing` must be fast, recorded or a factor such as 2x, not `slow`\n"
                "hint: 2x halves the recorded gaps, 0.5x doubles them\n"
            ),
        ),
        (
            ["run.jsonl"],
            (
                "error: which side of the capture shall be played, the agent or the client?\n"
                "hint: acp-spy replay agent run.jsonl, or replay client CAPTURE -- COMMAND [ARG]...\n"
            ),
        ),
        (
            ["run.jsonl", "--expect", "exact", "--", "claude", "--acp"],
            (
                "error: which side of the capture shall be played, the agent or the client?\n"
                "hint: acp-spy replay client run.jsonl --expect exact -- claude --acp\n"
            ),
        ),
        (
            ["agnet", "run.jsonl"],
            "error: no such side: `agnet`; did you mean `agent`?\nhint: acp-spy replay agent run.jsonl\n",
        ),
        (
            ["client", "--expect", "exact", "run.jsonl", "claude", "--acp"],
            (
                "error: the agent's command must stand after `--`\n"
                "hint: acp-spy replay client --expect exact run.jsonl -- claude --acp\n"
            ),
        ),
        (
            ["client", "--strict", "run.jsonl", "--timing=2x", "claude", "--", "--acp"],
            (
                "error: the agent's command must stand after `--`\n"
                "hint: acp-spy replay client --strict run.jsonl --timing=2x -- claude --acp\n"
            ),
        ),
        (
            ["agent", "run.jsonl", "--match", "params", "--", "claude", "--acp"],
            (
                "error: a mock agent is the agent, and starts none\n"
                "hint: to play the client to that one:"
                " acp-spy replay client run.jsonl --match params -- claude --acp\n"
            ),
        ),
        (
            ["client", "run.jsonl"],
            (
                "error: no command: which agent shall be started?\n"
                "hint: acp-spy replay client run.jsonl -- COMMAND [ARG]...\n"
            ),
        ),
    ],
)
def test_wrong_use_is_explained(words, said, tmp_path):
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *parse(RICH)]))
    assert acp_spy("replay", *words, cwd=tmp_path)[1:] == (said, 2)
