"""
How many secrets are found in realistic places, and how many look-alikes are masked.

`secret_corpus` has the places: five classes, each with a weight that says how likely it is in the
traffic of agents, and look-alikes, which must stay. In it `«…»` is a secret and `⟨hex 32⟩` a
random text, so that nothing in it is a key. All of it was written before the grammars that find
it, but for those in `development`, which were written with theirs. These and the odd places were
for development; the even ones were only measured. `later` was written after those grammars,
measured once, and then used for development, too. `fourth` was written after all that, and only
measured. `fifth` to `eighteenth` were each measured once, and then used for development.
A place whose title begins with `message` is a whole line; others are texts in one.

`python -m benchmarks.secrets` lists what is missed.
"""

import argparse
import json
import random
import re
import string
import uuid
from pathlib import Path

import msgspec

from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer
from benchmarks.outcome import Limit, Outcome, Table

CORPUS = Path(__file__).parent / "secret_corpus"
# By likelihood in the traffic of agents; the first two are the most likely.
WEIGHTS = {
    "1_vendor_keys": 5,
    "2_assignments": 5,
    "3_command_lines": 3,
    "4_known_grammars": 2,
    "5_unusual": 1,
}
SEED = 20261115
ORDINARY = "ordinary/look_alikes"  # what test runners, compilers, clusters and people write
SHORTEST = 6  # a secret of which so many characters in a row are left is not masked

_RANDOM = re.compile(r"⟨(?:([A-Za-z]\w*) ?)?(\d*)⟩")
_SECRET = re.compile(r"«(.*?)»", re.DOTALL)
_ALPHABETS = {
    "": string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "upper": string.ascii_uppercase + "234567",
    "lower": string.ascii_lowercase + string.digits,
    "digits": string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "b64u": string.ascii_letters + string.digits + "-_",
    "b64c": string.ascii_letters + string.digits + "./",  # of crypt(3)
    "base32": string.ascii_uppercase + "234567",
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "pw": string.ascii_letters + string.digits + "!#%^*-+.~@",
}


class Place(msgspec.Struct, frozen=True):
    """A text with secrets in it, or with none."""

    title: str
    text: str
    secrets: list[str]


def measure(effort):
    del effort  # the same at every run
    rows, limits = [], []
    for name, chosen in SETS.items():
        shares = {group: found_share(chosen(group)) for group in WEIGHTS}
        weighted = sum(shares[group] * weight for group, weight in WEIGHTS.items())
        weighted /= sum(WEIGHTS.values())
        look_alikes = chosen("look_alikes")
        alarms = sum(bool(masked(each)) for each in look_alikes)
        rows += [
            [f"{name}: {group[2:].replace('_', ' ')}", _percent(shares[group])] for group in WEIGHTS
        ]
        rows += [
            [f"{name}: weighted", _percent(weighted)],
            [f"{name}: false alarms in {len(look_alikes)} look-alikes", str(alarms)],
        ]
        limits += [
            Limit(f"secrets that are missed, weighted ({name})", 1 - weighted, 0.1),
            Limit(f"look-alikes that are masked ({name})", alarms / len(look_alikes), 6 / 86),
        ]
    ordinary = places(ORDINARY)
    alarms = sum(bool(masked(each)) for each in ordinary)
    rows.append([f"ordinary output: false alarms in {len(ordinary)} texts", str(alarms)])
    limits.append(Limit("ordinary output that is masked", alarms / len(ordinary), 6 / 86))
    return Outcome(limits=limits, tables=[Table(["", "found"], rows)])


def places(group, seed=SEED):
    """Return the places of a class, with random texts by `seed`."""
    entries = re.split(r"^§ (.*)\n", (CORPUS / f"{group}.txt").read_text(), flags=re.MULTILINE)
    found = []
    for title, place in zip(entries[1::2], entries[2::2], strict=True):
        dice = random.Random(f"{seed} {group} {title}")
        spelled = place.removesuffix("\n").replace("␛", "\x1b").replace("␀", "\0")
        text = filled(spelled, dice)
        found.append(Place(title, _SECRET.sub(r"\1", text), _SECRET.findall(text)))
    return found


def _written_later(group):
    """Return places that were written with the grammars that find them: so that they stay found."""
    return places(f"development/{group}") if (CORPUS / f"development/{group}.txt").exists() else []


SETS = {
    "development": lambda group: places(group)[::2] + _written_later(group),
    "validation": lambda group: places(group)[1::2],
    "later": lambda group: places(f"later/{group}"),
    "fourth": lambda group: places(f"fourth/{group}"),
    "fifth": lambda group: places(f"fifth/{group}"),
    "sixth": lambda group: places(f"sixth/{group}"),
    "seventh": lambda group: places(f"seventh/{group}"),
    "eighth": lambda group: places(f"eighth/{group}"),
    "ninth": lambda group: places(f"ninth/{group}"),
    "tenth": lambda group: places(f"tenth/{group}"),
    "eleventh": lambda group: places(f"eleventh/{group}"),
    "twelfth": lambda group: places(f"twelfth/{group}"),
    "thirteenth": lambda group: places(f"thirteenth/{group}"),
    "fourteenth": lambda group: places(f"fourteenth/{group}"),
    "fifteenth": lambda group: places(f"fifteenth/{group}"),
    "sixteenth": lambda group: places(f"sixteenth/{group}"),
    "seventeenth": lambda group: places(f"seventeenth/{group}"),
    "eighteenth": lambda group: places(f"eighteenth/{group}"),
}


def filled(text, dice):
    """Return `text` with a random text for each `⟨hex 32⟩` in it."""
    return _RANDOM.sub(lambda found: _spelled(dice, found[1] or "", found[2]), text)


def _spelled(dice, alphabet, length):
    if alphabet == "uuid":
        return str(uuid.UUID(int=dice.getrandbits(128), version=4))
    size = int(length)
    letters = dice.choices(_ALPHABETS[alphabet], k=size)
    if size >= 8 and alphabet not in ("digits", "base32"):  # random keys have digits and letters
        letters[1], letters[2] = "7", "C" if alphabet in ("upper", "HEX") else "c"
    return "".join(letters)


def found_share(chosen):
    total = sum(len(place.secrets) for place in chosen)
    return 1 - sum(len(missed(place)) for place in chosen) / total


def missed(place):
    """Return the secrets of `place` that can still be read."""
    left = PLACEHOLDER.sub(b"", redacted(place).encode()).decode()
    around = place.text
    for secret in place.secrets:
        around = around.replace(secret, "\0")
    return [
        secret
        for secret in place.secrets
        if any(run in left and run not in around for run in _runs(secret))
    ]


def _runs(secret):
    size = min(len(secret), SHORTEST)
    return {secret[at : at + size] for at in range(len(secret) - size + 1)}


def masked(place):
    """Return what a look-alike looks like if something in it was masked."""
    left = redacted(place)
    return "" if left == place.text else left


def redacted(place):
    """Return the text after it went through a message, as file content or output of a tool."""
    if place.title.startswith("message "):
        frame = Frame(1, 0.0, Peer.AGENT, place.text.encode() + b"\n")
        redactor = Redactor()
        redactor.learn(frame)
        return redactor.record(frame).raw.decode().removesuffix("\n")
    dice = random.Random(place.title)
    text = place.text
    around = "line 1\n", "\nlast line"
    whole = f"{around[0]}{text}{around[1]}" if dice.random() < 0.5 and text[0] not in "{[" else text
    message = dice.choice(_CARRIERS)(whole)
    frame = Frame(1, 0.0, Peer.AGENT, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    redactor = Redactor()
    redactor.learn(frame)
    path = _path_to(whole, message)
    left = json.loads(redactor.record(frame).raw)
    for step in path:
        left = left[step]
    return left if whole is text else left.removeprefix(around[0]).removesuffix(around[1])


def _update(**fields):
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", **fields}
    return {"method": "session/update", "params": {"sessionId": "s", "update": update}}


def _block(text):
    return {"type": "content", "content": {"type": "text", "text": text}}


_CARRIERS = (
    lambda text: _update(status="completed", content=[_block(text)]),
    lambda text: _update(rawOutput={"stdout": text, "exitCode": 0}),
    lambda text: _update(content=[{"type": "diff", "path": "a", "oldText": None, "newText": text}]),
    lambda text: {"id": 1, "result": {"output": text, "truncated": False}},
    lambda text: {"id": 1, "result": {"content": text}},
    lambda text: {
        "id": 1,
        "method": "fs/write_text_file",
        "params": {"path": "/a", "content": text},
    },
    lambda text: {
        "id": 1,
        "method": "session/prompt",
        "params": {"prompt": [{"type": "text", "text": text}]},
    },
)


def _path_to(text, value):
    """Return the steps that lead to `text` in `value`; `None` if it is not there."""
    if value is text:
        return ()
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found = ((step, _path_to(text, inner)) for step, inner in pairs)
    return next(((step, *path) for step, path in found if path is not None), None)


def _percent(share):
    return f"{share * 100:.1f} %"


def _print_alarms(chosen):
    for place in chosen:
        if left := masked(place):
            print(f"alarm {place.title}: {left!r}")


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.secrets")
    parser.add_argument("--set", choices=SETS, help="the set to list; otherwise all")
    parser.add_argument("--only", help="the class to list")
    parser.add_argument("--quiet", action="store_true", help="only the shares")
    options = parser.parse_args()
    for chosen in () if options.quiet else [SETS[options.set]] if options.set else SETS.values():
        for group in WEIGHTS:
            for place in chosen(group) if options.only in (None, group) else ():
                for secret in missed(place):
                    print(f"{group[0]} {place.title}: {secret!r}\n      left: {redacted(place)!r}")
        if options.only in (None, "look_alikes"):
            _print_alarms(chosen("look_alikes"))
    if not options.quiet and not options.set and not options.only:
        _print_alarms(places(ORDINARY))
    for table in measure(None).tables:
        for row in table.rows:
            print(*row, sep="\t")


if __name__ == "__main__":
    main()
