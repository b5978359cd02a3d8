"""
What judging costs: `python benchmarks/check.py [--frames N] [--rounds N]`.

A capture with a realistic mix of frames (nearly all are small updates of a turn) is judged by the
whole catalogue; the yardstick is the decoding of each of its lines with `msgspec.json.decode`, in
the same run. Memory is measured on two captures of which one is ten times as long. The exit status
is 1 if a limit is not met.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

MIB = 1024 * 1024
CHECK = (
    "import sys\n"
    "from acp_spy.cli.judge import judge\n"
    "from acp_spy.lint.catalogue import CATALOGUE\n"
    "report = judge(sys.argv[1], tuple(CATALOGUE.values()))\n"
    "assert not report.bugs\n"
    # Not getrusage: its peak is that of the process before exec, too.
    "status = open('/proc/self/status').read()\n"
    "peak = status.partition('VmHWM:')[2].split()[0]\n"
    "print(report.frames, sum(mistake.count for mistake in report.mistakes), peak)\n"
)


def messages(count):
    """Give (sender, message) of one long conversation: turns with text, thoughts and tool calls."""
    capabilities = {"fs": {"readTextFile": True, "writeTextFile": False}, "terminal": False}
    client = {"auth": {"terminal": False}, "elicitation": {}, "session": {"configOptions": {}}}
    info = {"name": "bench", "version": "1"}
    yield (
        "client",
        {
            "id": 0,
            "method": "initialize",
            "params": {
                "protocolVersion": 1,
                "clientCapabilities": {**capabilities, **client},
                "clientInfo": info,
            },
        },
    )
    agent = {"loadSession": False, "promptCapabilities": {}, "mcpCapabilities": {"http": True}}
    answer = {"protocolVersion": 1, "agentCapabilities": {**agent, "auth": {}}, "agentInfo": info}
    yield "agent", {"id": 0, "result": {**answer, "authMethods": []}}
    yield "client", {"id": 1, "method": "session/new", "params": {"cwd": "/p", "mcpServers": []}}
    yield "agent", {"id": 1, "result": {"sessionId": "0b1f-4c8e-9d1a"}}
    ident, sent = 2, 4
    while sent < count:
        for sender, message in turn(ident):
            yield sender, message
            sent += 1
        ident += 1


def turn(ident):
    session = "0b1f-4c8e-9d1a"
    prompt = [{"type": "text", "text": "Please look at the tests and mend what fails."}]
    params = {"sessionId": session, "prompt": prompt}
    yield "client", {"id": ident, "method": "session/prompt", "params": params}

    def update(variant, **fields):
        params = {"sessionId": session, "update": {"sessionUpdate": variant, **fields}}
        return "agent", {"method": "session/update", "params": params}

    def text(words):
        return {"type": "text", "text": words}

    # As counted in real conversations of ten agents: a turn has 55 chunks of text, 4 of thought, 2
    # tool calls with 3 updates, 2 notes on usage; every second a permission, every third a file.
    for number in range(4):
        yield update("agent_thought_chunk", content=text(f"thinking about step {number} "))
    for call in range(2):
        yield from tool_call(session, ident, call, update, text)
    for number in range(55):
        yield update(
            "agent_message_chunk", content=text(f" and word number {number}"), messageId=f"m{ident}"
        )
    for used in (53_000, 54_000):
        yield update("usage_update", used=used, size=200_000)
    yield "agent", {"id": ident, "result": {"stopReason": "end_turn"}}


def tool_call(session, ident, call, update, text):
    name, path = f"call-{ident}-{call}", f"/p/src/module_{call}.py"
    yield update(
        "tool_call",
        toolCallId=name,
        title=f"Read {path}",
        kind="read",
        status="pending",
        locations=[{"path": path, "line": 1}],
    )
    if call == 0 and ident % 2:
        options = [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]
        ask = {"sessionId": session, "toolCall": {"toolCallId": name}, "options": options}
        yield "agent", {"id": 3 * ident, "method": "session/request_permission", "params": ask}
        chosen = {"outcome": {"outcome": "selected", "optionId": "yes"}}
        yield "client", {"id": 3 * ident, "result": chosen}
    if call == 1 and ident % 3 == 0:
        read = {"sessionId": session, "path": path}
        yield "agent", {"id": 3 * ident + 1, "method": "fs/read_text_file", "params": read}
        yield "client", {"id": 3 * ident + 1, "result": {"content": "import os\n" * 30}}
    if call == 0:
        yield update("tool_call_update", toolCallId=name, status="in_progress")
    done = [{"type": "content", "content": text("def f():\n    return 1\n" * 10)}]
    yield update("tool_call_update", toolCallId=name, status="completed", content=done)


def write_capture(path, count):
    with open(path, "wb") as file:
        file.write(b'{"type":"header","format":1,"tool":"benchmark"}\n')
        for seq, (sender, message) in enumerate(messages(count), 1):
            spelled = msgspec.json.encode({"jsonrpc": "2.0", **message})
            file.write(
                b'{"type":"frame","seq":%d,"t":%a,"sender":"%b","message":%b}\n'
                % (seq, seq / 1000, sender.encode(), spelled)
            )


def decode_time(path):
    lines = Path(path).read_bytes().splitlines()
    decode = msgspec.json.decode
    before = time.process_time()  # of this process: others have the machine, too
    for line in lines:
        decode(line)
    return time.process_time() - before


def check(path):
    """Return the seconds that judging takes (without start-up), findings, and peak memory."""
    timed = CHECK.replace(
        "report = judge", "import time\nbefore = time.process_time()\nreport = judge"
    )
    timed += "print(time.process_time() - before)\n"
    done = subprocess.run(
        [sys.executable, "-c", timed, path], capture_output=True, text=True, check=True
    )
    counts, seconds = done.stdout.splitlines()
    frames, findings, peak = map(int, counts.split())
    return float(seconds), frames, findings, peak * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        long, short = f"{folder}/long.jsonl", f"{folder}/short.jsonl"
        write_capture(long, options.frames)
        write_capture(short, options.frames // 10)
        decoding, judging = [], []
        for number in range(options.rounds):
            decoding.append(decode_time(long))
            judging.append(check(long))
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        memory_short = check(short)[3]
    seconds, frames, findings, memory = (
        statistics.median(column) for column in zip(*judging, strict=True)
    )
    decoded = statistics.median(decoding)
    rows = [
        ("judging, against decoding each line", seconds / decoded, 8.0),
        ("peak memory, against that of a tenth of the frames", memory / memory_short, 1.2),
    ]
    print(
        f"{frames:.0f} frames, {findings:.0f} findings: {seconds:.1f} s, decoding {decoded:.2f} s,"
    )
    print(f"{seconds / frames * 1e6:.1f} µs a frame; peak memory {memory / MIB:.0f} MiB\n")
    print("| limit | measured | at most | |\n| --- | ---: | ---: | --- |")
    for what, figure, limit in rows:
        print(f"| {what} | {figure:.2f} | {limit:g} | {'met' if figure <= limit else 'NOT MET'} |")
    if options.json:
        limits = [{"what": w, "figure": f, "limit": limit} for w, f, limit in rows]
        Path(options.json).write_text(
            json.dumps({"limits": limits, "cores": os.cpu_count()}) + "\n"
        )
    return any(figure > limit for _, figure, limit in rows)


if __name__ == "__main__":
    sys.exit(main())
