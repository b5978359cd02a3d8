import pytest
from support.replays import RICH

from acp_spy import Header
from acp_spy.capture.codec import encode
from acp_spy.capture.transcript import parse
from acp_spy.cli.app import run_app


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], ""),  # but for the help, on stdout
        (["agent"], "error: Missing argument 'CAPTURE'\nhint: acp-spy replay --help\n"),
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
            ["client", "run.jsonl"],
            (
                "error: no command: which agent shall be started?\n"
                "hint: acp-spy replay client run.jsonl -- COMMAND [ARG]...\n"
            ),
        ),
    ],
)
def test_wrong_use_is_explained(words, said, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *parse(RICH)]))
    assert run_app(["replay", *words]) == 2
    assert capfd.readouterr().err == said
