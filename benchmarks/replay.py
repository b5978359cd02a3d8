"""
What a mock agent costs.

A client asks, waits for the answer, and asks again: 300 prompts, each with 20 updates before its
answer. The yardstick is a bare script that looks at nothing and writes the same bytes for each
line that it reads. The mock is run twice: with the recorded names, where the recorded bytes go out
as they are, and with other ids, names and folder, where each frame has something replaced. Figures
are the time per frame in the best of the rounds: whatever else the machine does makes a round
longer, never shorter.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import ACP_SPY, take_turns
from benchmarks.outcome import Limit, Outcome, Table

UPDATES = 20
BARE = (
    "import sys\n"
    "for line, answer in zip(sys.stdin.buffer, open(sys.argv[1], 'rb').read().split(b'\\0')):\n"
    "    sys.stdout.buffer.write(answer)\n"
    "    sys.stdout.buffer.flush()\n"
)


def conversation(turns, *, session="s-1", cwd="/project", first=0):
    """Give (what the client asks, what the agent answers) for each request."""

    def spell(**message):
        return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"

    def ask(number, method, **params):
        return spell(id=first + number, method=method, params=params)

    def answer(number, **result):
        return spell(id=first + number, result=result)

    yield ask(0, "initialize", protocolVersion=1), [answer(0, protocolVersion=1)]
    yield ask(1, "session/new", cwd=cwd, mcpServers=[]), [answer(1, sessionId=session)]
    for number in range(2, turns + 2):
        prompt = [{"type": "text", "text": f"Look at {cwd}/{number}.txt"}]
        said = [
            spell(
                method="session/update",
                params={
                    "sessionId": session,
                    "update": {
                        "sessionUpdate": "agent_message_chunk",
                        "content": {"type": "text", "text": f"{word} of {cwd}/{number}.txt "},
                    },
                },
            )
            for word in range(UPDATES)
        ]
        asked = ask(number, "session/prompt", sessionId=session, prompt=prompt)
        yield asked, [*said, answer(number, stopReason="end_turn")]


def write_capture(path, exchanges):
    records = [{"type": "header", "format": 1}]
    frames = [
        (sender, line)
        for asked, said in exchanges
        for sender, line in [("client", asked), *(("agent", each) for each in said)]
    ]
    records += [
        {"type": "frame", "seq": seq, "t": 0.0, "sender": sender, "message": json.loads(line)}
        for seq, (sender, line) in enumerate(frames, start=1)
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def drive(command, exchanges):
    """Converse with `command` as a client that waits; return the seconds after the first answer."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as agent:
        started = 0.0
        for asked, said in exchanges:
            os.write(agent.stdin.fileno(), asked)
            for each in said:
                if json.loads(agent.stdout.readline()) != json.loads(each):
                    raise SystemExit(f"wrong answer: {each}\n{agent.stderr.read().decode()}")
            started = started or time.perf_counter()
        seconds = time.perf_counter() - started
        agent.stdin.close()
        agent.wait()
    return seconds


def measure(effort):
    turns = effort.size(300, 30)
    same = list(conversation(turns))
    # The session's name is the agent's own: the mock keeps it.
    other = list(conversation(turns, cwd="/some/where/else", first=5000))
    frames = sum(1 + len(said) for _, said in same[1:])
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_capture(folder / "run.jsonl", same)
        (folder / "answers").write_bytes(b"\0".join(b"".join(said) for _, said in same))
        bare = [sys.executable, "-c", BARE, str(folder / "answers")]
        mock = [*ACP_SPY, "replay", "agent", str(folder / "run.jsonl")]
        samples = take_turns(
            {
                "bare script": lambda: drive(bare, same),
                "same names": lambda: drive(mock, same),
                "other names": lambda: drive(mock, other),
            },
            effort.rounds,
        )
    best = {name: min(times) / frames for name, times in samples.items()}
    limits = {"same names": 8.0, "other names": 12.0}
    return Outcome(
        limits=[
            Limit(
                f"a mock agent with {name}, against a bare script",
                best[name] / best["bare script"],
                most,
            )
            for name, most in limits.items()
        ],
        tables=[
            Table(["", "µs a frame"], [[name, f"{each * 1e6:.1f}"] for name, each in best.items()])
        ],
        figures=best,
    )
