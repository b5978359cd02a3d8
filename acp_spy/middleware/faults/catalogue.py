"""All faults and presets, and the stages that `--fault` asks for."""

import shlex
from collections.abc import Sequence
from random import SystemRandom

import msgspec

from acp_spy.errors import AcpSpyError
from acp_spy.middleware.faults import content, delays, ends, order
from acp_spy.middleware.faults.fault import Fault
from acp_spy.middleware.faults.spec import nearest, parse

FAULTS: dict[str, type[Fault]] = {
    fault.word: fault
    for fault in (
        delays.Latency,
        delays.Jitter,
        delays.Bandwidth,
        content.Slice,
        order.Merge,
        order.Drop,
        order.Duplicate,
        order.Reorder,
        content.Truncate,
        content.Corrupt,
        content.Noise,
        order.Swallow,
        order.Late,
        content.ErrorResponse,
        ends.Close,
        ends.HalfClose,
        delays.Stall,
        ends.Crash,
        ends.Exit,
        ends.StderrFlood,
    )
}


class Preset(msgspec.Struct, frozen=True):
    """Several faults under one name."""

    word: str
    meaning: str
    specs: tuple[str, ...]


PRESETS = {
    preset.word: preset
    for preset in (
        Preset(
            "flaky-network",
            "A connection that is slow at times, and splits and joins what it carries.",
            ("jitter:300ms", "slice p:0.3", "merge:3 p:0.2", "stall:2s p:0.02 count:3"),
        ),
        Preset(
            "slow-model",
            "The first word takes seconds, and the others come slowly.",
            (
                "latency:3s~1s kind:request method:session/prompt",
                "bandwidth:300B from:agent method:session/update",
            ),
        ),
        Preset(
            "bad-agent",
            "An agent that logs to stdout, repeats itself, mixes up the order, and breaks off.",
            (
                "noise p:0.1",
                "duplicate from:agent kind:notification p:0.1",
                "reorder from:agent kind:notification p:0.1",
                "truncate from:agent kind:notification p:0.05",
                "error kind:request from:client -method:initialize p:0.05",
                "stderr-flood:100kB p:0.05",
            ),
        ),
    )
}


def make_faults(texts: Sequence[str], seed: str = "") -> list[Fault]:
    """
    Return a stage for each fault. Raises `AcpSpyError` for a wrong spec or seed.

    Without a seed one is chosen. It is in the remark of the first stage, for the capture.
    """
    if seed and not seed.removeprefix("-").isdecimal():
        raise AcpSpyError(f"cannot use the seed `{seed}`: not a number", hint="use --seed 1")
    if seed and not texts:
        raise AcpSpyError(
            "`--seed` cannot be used without `--fault`", hint="use --fault 'drop p:0.1' --seed 1"
        )
    chosen = seed or str(SystemRandom().randrange(1_000_000))
    made: list[Fault] = []
    for text in texts:
        spec = parse(text)
        if preset := PRESETS.get(spec.head):
            words = shlex.split(text)[1:]
            specs = [parse(each, words) for each in preset.specs]
        else:
            specs = [spec]
        for each in specs:
            if each.word not in FAULTS:
                meant = nearest(each.word, [*FAULTS, *PRESETS])
                raise each.error(
                    f"no such fault: `{each.word}`", f"{meant}`acp-spy faults` lists all"
                )
            made.append(FAULTS[each.word](each, f"{chosen} {len(made)}"))
    if made:
        given = [word for text in texts for word in ("--fault", text)]
        made[0].remark = shlex.join([*given, "--seed", chosen])
    return made
