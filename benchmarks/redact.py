"""
What redacting costs: a realistic conversation, a megabyte of prose and a megabyte of base64.

There is no secret in them, as in nearly all frames. The yardstick is the decoding of the same bytes
with `msgspec.json.decode`, in the same run.
"""

import base64
import json
import random
import time

import msgspec

from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer
from benchmarks.conversation import messages
from benchmarks.outcome import Limit, Outcome, Table

# Decodings. While recording with --redact every frame waits for this, so it is watched.
LIMITS = {"a conversation": 30, "a megabyte of prose": 60, "a megabyte of base64": 200}


def measure(effort):
    decode = msgspec.json.Decoder().decode
    limits, rows = [], []
    for name, frames in samples(effort.size(20_000, 2_000)):
        redactor = Redactor()
        assert all(redactor.record(frame) is frame for frame in frames), "a false alarm"
        yardstick = fastest(lambda frame: decode(frame.raw), frames, effort.rounds)
        redacting = fastest(redactor.record, frames, effort.rounds)
        limits.append(
            Limit(f"redacting {name}, relative to decoding it", redacting / yardstick, LIMITS[name])
        )
        rows.append([name, f"{redacting / len(frames) * 1e6:.1f}"])
    return Outcome(limits=limits, tables=[Table(["", "µs per frame"], rows)])


def frames_of(texts):
    return [Frame(seq, 0.0, Peer.AGENT, text + b"\n") for seq, text in enumerate(texts, 1)]


def samples(count):
    """Give (name, frames) for each kind of traffic."""
    spelled = (json.dumps({"jsonrpc": "2.0", **message}) for _, message in messages(count))
    yield "a conversation", frames_of(text.encode() for text in spelled)
    prose = "The quick brown fox jumps over the lazy dog, and so on.\n" * 20_000
    noise = base64.b64encode(random.Random(1).randbytes(800_000)).decode()
    for name, text in (("a megabyte of prose", prose), ("a megabyte of base64", noise)):
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}}
        yield name, frames_of([json.dumps(message).encode()])


def fastest(work, frames, rounds):
    """Return the seconds of the fastest round, as the kernel counts them for us alone."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for frame in frames:
            work(frame)
        best = min(best, time.process_time() - start)
    return best
