"""
What redacting costs: `python benchmarks/redact.py [--frames N] [--rounds N]`.

A realistic conversation without a secret, which is what nearly all frames are, is redacted; so are
a megabyte of prose and a megabyte of base64 in one frame each. The yardstick is the decoding of the
same bytes with `msgspec.json.decode`, in the same run. The exit status is 1 if a limit is not met.
"""

import argparse
import base64
import json
import random
import sys
import time

import msgspec
from check import messages

from acp_spy.capture.redact import Redactor
from acp_spy.wire.frame import Frame, Peer

# Decodings. While recording with --redact every frame waits for this, so it is watched.
LIMITS = {"conversation": 30, "prose": 60, "base64": 200}


def frames_of(texts):
    return [Frame(seq, 0.0, Peer.AGENT, text + b"\n") for seq, text in enumerate(texts, 1)]


def samples(count):
    """Give (name, frames) for each kind of traffic."""
    spelled = (json.dumps({"jsonrpc": "2.0", **message}) for _, message in messages(count))
    yield "conversation", frames_of(text.encode() for text in spelled)
    prose = "The quick brown fox jumps over the lazy dog, and so on.\n" * 20_000
    noise = base64.b64encode(random.Random(1).randbytes(800_000)).decode()
    for name, text in (("prose", prose), ("base64", noise)):
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


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--frames", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=5)
    given = options.parse_args()
    decode = msgspec.json.Decoder().decode
    missed = 0
    for name, frames in samples(given.frames):
        redactor = Redactor()
        assert all(redactor.record(frame) is frame for frame in frames), "a false alarm"
        yardstick = fastest(lambda frame: decode(frame.raw), frames, given.rounds)
        redacting = fastest(redactor.record, frames, given.rounds)
        ratio = redacting / yardstick
        each = redacting / len(frames) * 1e6
        verdict = "" if ratio <= LIMITS[name] else f"  MISSED: {LIMITS[name]} at most"
        missed += bool(verdict)
        print(f"{name:13} {each:10.1f} us a frame  {ratio:6.1f} decodings{verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
