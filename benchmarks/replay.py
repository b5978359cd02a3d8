"""
What a mock costs, and that a longer conversation costs no more by the frame.

A client asks, waits for the answer, and asks again: 300 prompts, each with 20 updates before its
answer. The yardstick is a bare script in the place of the mock, which looks at nothing and writes
the same bytes for each line that it reads; its other side decodes what it gets. The mock agent is
run with the recorded names, where the recorded bytes go out as they are; with other ids, names and
folder, where each frame has something replaced; and so with `--strict`. The mock client drives
a bare agent, in another folder than the recorded one. Figures are the time per frame in the best of
the rounds: whatever else the machine does makes a round longer, never shorter. Then the players
alone, without processes, in ever longer conversations.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from acp_spy.capture.records import Capture, Header
from acp_spy.replay.options import Options
from acp_spy.replay.player import Player
from acp_spy.replay.script import Script
from acp_spy.wire.frame import Frame, Peer
from benchmarks.measuring import ACP_SPY, first_version, median, take_turns
from benchmarks.outcome import Limit, Outcome, Table

UPDATES = 20
BARE = (
    "import sys\n"
    "for line, answer in zip(sys.stdin.buffer, open(sys.argv[1], 'rb').read().split(b'\\0')):\n"
    "    sys.stdout.buffer.write(answer)\n"
    "    sys.stdout.buffer.flush()\n"
)
# Is driven by a client, says the same, and writes how long that took after its first answer.
DRIVEN = (
    "import sys, time\n"
    "started = 0\n"
    "for line, answer in zip(sys.stdin.buffer, open(sys.argv[1], 'rb').read().split(b'\\0')):\n"
    "    sys.stdout.buffer.write(answer)\n"
    "    sys.stdout.buffer.flush()\n"
    "    started = started or time.perf_counter()\n"
    "sys.stdin.buffer.read()\n"
    "open(sys.argv[2], 'w').write(str(time.perf_counter() - started))\n"
)
# Drives an agent that answers as `DRIVEN` does, by count; it decodes the answers, and no more.
BARE_CLIENT = (
    "import json, subprocess, sys\n"
    "pipe = subprocess.PIPE\n"
    "agent = subprocess.Popen(sys.argv[3:], stdin=pipe, stdout=pipe)\n"
    "answers = open(sys.argv[1], 'rb').read().split(b'\\0')\n"
    "for line, answer in zip(open(sys.argv[2], 'rb').read().splitlines(keepends=True), answers):\n"
    "    agent.stdin.write(line)\n"
    "    agent.stdin.flush()\n"
    "    for _ in range(answer.count(b'\\n')):\n"
    "        json.loads(agent.stdout.readline())\n"
    "agent.stdin.close()\n"
    "agent.wait()\n"
)
MOCK, BEFORE = "mock agent, same names", "mock agent of 0.1, same names"
AT_MOST = {  # times the bare script in its place
    MOCK: 8.0,
    "mock agent, other names": 12.0,
    "mock agent, strict": 12.0,
    "mock client": 25.0,
    "mock client, strict": 25.0,
}
SIZES = (1_000, 10_000, 100_000)
SMALL = (500, 1_000, 2_000)


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
    """
    Converse with `command` as a client that waits.

    Return the seconds after the first answer, and those until then.
    """
    begun = time.perf_counter()
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
    return seconds, started - begun


def be_driven(command, took):
    """Run a client that drives `DRIVEN`; return the seconds that it tells, and no others."""
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return float(took.read_text()), 0.0


def contenders(folder, turns):
    """Return what is compared: each has the same conversation, and returns what `drive` does."""
    same = list(conversation(turns))
    # The session's name is the agent's own: the mock keeps it.
    other = list(conversation(turns, cwd="/some/where/else", first=5000))
    capture, answers, took = folder / "run.jsonl", folder / "answers", folder / "took"
    write_capture(capture, same)
    answers.write_bytes(b"\0".join(b"".join(said) for _, said in same))
    here = folder / "answers-here"
    said_here = [said for _, said in conversation(turns, cwd=str(Path.cwd()))]
    here.write_bytes(b"\0".join(map(b"".join, said_here)))
    asked = folder / "asked"
    asked.write_bytes(b"".join(line for line, _ in same))
    python = [sys.executable, "-c"]
    agent, mock = [*python, BARE, str(answers)], [*ACP_SPY, "replay", "agent", str(capture)]
    driven = [*python, DRIVEN, str(here), str(took)]
    bare = [*python, BARE_CLIENT, str(here), str(asked), *driven]
    client = [*ACP_SPY, "replay", "client", str(capture)]
    before = [*first_version(folder / "before"), "replay", "agent", str(capture)]
    return {
        "bare agent": lambda: drive(agent, same),
        MOCK: lambda: drive(mock, same),
        BEFORE: lambda: drive(before, same),
        "mock agent, other names": lambda: drive(mock, other),
        "mock agent, strict": lambda: drive([*mock, "--strict"], other),
        "bare client": lambda: be_driven(bare, took),
        "mock client": lambda: be_driven([*client, "--", *driven], took),
        "mock client, strict": lambda: be_driven([*client, "--strict", "--", *driven], took),
    }


def play(frames, role, options):
    """Return the processor's seconds per frame that a player takes, its script included."""
    said = [
        (sender, line)
        for asked, answers in conversation(max(1, frames // (UPDATES + 2)))
        for sender, line in [(Peer.CLIENT, asked), *((Peer.AGENT, each) for each in answers)]
    ]
    records = tuple(Frame(seq, 0.0, *each) for seq, each in enumerate(said, start=1))
    started = time.process_time()
    script = Script.of(Capture(Header(cwd="/project"), records), role)
    player = Player(script, options)
    player.begin(0.0)
    for sender, line in said:
        if sender is not role:
            player.receive(line, 0.0)
        player.take(0.0)
    player.end(0.0)
    assert not player.divergences, player.divergences[0].summary
    return (time.process_time() - started) / len(said)


def measure(effort):
    turns = effort.size(300, 30)
    with tempfile.TemporaryDirectory() as folder:
        samples = take_turns(contenders(Path(folder), turns), effort.rounds)
    frames = turns * (UPDATES + 2)
    best = {name: min(times)[0] / frames for name, times in samples.items()}
    first = {name: median(until for _, until in samples[name]) for name in (MOCK, BEFORE)}
    sizes = SMALL if effort.quick else SIZES
    players = {
        f"player of the {role.value}{', strict' if options.strict else ''}": [
            min(play(size, role, options) for _ in range(2)) for size in sizes
        ]
        for role in Peer
        for options in (Options(), Options(strict=True))
    }
    against = [
        Limit(f"{name}, relative to a {bare}", best[name] / best[bare], most)
        for name, most in AT_MOST.items()
        for bare in [f"bare {name.partition(',')[0].split()[1]}"]
    ]
    growing = [
        Limit(
            f"{name}: a frame of {sizes[-1]:,}, relative to one of {sizes[0]:,}", last / first, 1.5
        )
        for name, (first, *_, last) in players.items()
    ]
    of_before = [
        Limit("a mock agent, relative to that of 0.1", best[MOCK] / best[BEFORE], 1.0),
        Limit("its first answer, relative to that of 0.1", first[MOCK] / first[BEFORE], 1.0),
    ]
    return Outcome(
        limits=of_before + against + growing,
        tables=[
            Table(
                ["", "µs per frame"], [[name, f"{each * 1e6:.1f}"] for name, each in best.items()]
            ),
            Table(
                ["processor µs per frame, of", *(f"{size:,}" for size in sizes)],
                [[name, *(f"{each * 1e6:.1f}" for each in all_)] for name, all_ in players.items()],
            ),
        ],
        figures={**best, **players, "first": first},
    )
