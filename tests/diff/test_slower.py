"""What takes much longer is marked, and is not a difference."""

import json

import pytest
from support.in_process import acp_spy

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.comparison.changes import is_slower

CALL = (
    '<- {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s-1","update":'
    '{{"sessionUpdate":"{}","toolCallId":"c-1","title":"Run make","status":"{}"}}}}}}'
)


def talk(tool, whole):
    """Return a conversation whose tool call ends at `tool` and whose turn at `whole`, in seconds."""
    return "\n".join(
        [
            '-> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project","mcpServers":[]}}',
            '<- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}',
            '-> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}',
            CALL.format("tool_call", "in_progress"),
            f"@ {tool}",
            CALL.format("tool_call_update", "completed"),
            f"@ {whole}",
            '<- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}',
            "-> EOF",
            "== 0",
        ]
    )


@pytest.fixture
def diff(tmp_path):
    for name, times in {"a": (1.0, 2.0), "b": (2.5, 3.5)}.items():
        (tmp_path / f"{name}.jsonl").write_bytes(encode([Header(), *parse(talk(*times))]))

    def diff(*words):
        return acp_spy("diff", *words, cwd=tmp_path, env={"COLUMNS": "80"})

    return diff


def test_it_is_marked_and_the_captures_are_equal(diff):
    out, _, status = diff("a.jsonl", "b.jsonl")
    assert status == 0
    assert out.split("\n\n")[1:] == [
        "No difference in 6 messages (6 frames); 1 slower",
        (
            "Slower (not counted as a difference)\n"
            "  ! 5 → 5  997 ms → 2.5 s  tool_call_update  Run make → completed"
        ),
        (
            "sender  method          count  p50             max\n"
            "client  session/new     1      1.0 ms          1.0 ms\n"
            "client  session/prompt  1      2.0 s → 3.5 s   2.0 s → 3.5 s\n"
            "agent   tool calls      1      997 ms → 2.5 s  997 ms → 2.5 s  slower\n"
        ),
    ]


def test_what_is_faster_is_not_marked(diff):
    out, _, status = diff("b.jsonl", "a.jsonl")
    assert status == 0
    assert "slower" not in out.lower()


def test_programs_get_it_too(diff):
    shown = json.loads(diff("a.jsonl", "b.jsonl", "--format", "json").out)
    (slower,) = shown["slower"]
    assert (slower["sender"], slower["what"]) == ("agent", "tool_call_update")
    assert slower["a"] == {"seq": 5, "seconds": 0.997}
    assert slower["b"] == {"seq": 5, "seconds": 2.497}
    assert shown["tool_calls"]["b"]["max"] == 2.497


@pytest.mark.parametrize(
    ("before", "now", "slower"),
    [
        (1.0, 2.0, True),
        (1.0, 1.9, False),
        (0.1, 0.59, False),
        (0.1, 0.61, True),
        (None, 9.0, False),
        (9.0, None, False),
    ],
)
def test_slower_is_twice_as_long_and_half_a_second_more(before, now, slower):
    assert is_slower(before, now) is slower
