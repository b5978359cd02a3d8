"""
What becomes of secrets when a program prints the text that they are in.

`python -m benchmarks.printed_forms` prints for each form how many of the secrets that are found in
the text itself are missed in what was printed, and how many look-alikes are masked only there. The
texts are those of `secret_corpus`; with `--set examples`, those of the shapes, of which the page
about secrets is made, and their near misses: whatever is missed there is listed.
"""

import argparse
import json
import random
import re

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.shape_search import SHAPES
from benchmarks.secrets import SEED, SETS, WEIGHTS, Place, filled, masked, missed

_HOLE = re.compile(r"<((?:hex |upper )?[0-9]+)>")


def _each_line(printed):
    """Return what prints a text line by line; `printed` gets the number of a line, and the line."""

    def form(text):
        return "\n".join(printed(at, line) for at, line in enumerate(text.split("\n"), 1))

    return form


# What programs put before the lines of a text.
LINE_FORMS = {
    "a file that was read": _each_line(lambda at, line: f"{at:6}\N{RIGHTWARDS ARROW}{line}"),
    "cat -n": _each_line(lambda at, line: f"{at:6}\t{line}"),
    "numbers and a bar": _each_line(lambda at, line: f"{at:05}| {line}"),
    "numbers and a colon": _each_line(lambda at, line: f"{at}: {line}"),
    "grep -n": _each_line(lambda at, line: f"{at}:{line}"),
    "grep -rn": _each_line(lambda at, line: f"config/prod.env:{at}:{line}"),
    "diff": _each_line(lambda _, line: f"+{line}"),
    "diff, what is gone": _each_line(lambda _, line: f"-{line}"),
    "git diff --color": _each_line(lambda _, line: f"\x1b[32m+\x1b[m\x1b[32m{line}\x1b[m"),
    "a quotation": _each_line(lambda _, line: f"> {line}"),
    "a log": _each_line(lambda _, line: f"2026-11-16T10:00:00.123Z app[web.1]: {line}"),
    "a log with levels": _each_line(lambda _, line: f"2026-11-16 10:00:00,123 INFO {line}"),
    "syslog": _each_line(lambda _, line: f"Nov 16 10:00:00 host app[12]: {line}"),
    "docker compose logs": _each_line(lambda _, line: f"web-1  | {line}"),
    "git blame": _each_line(
        lambda at, line: f"1a2b3c4{at:x} (A. Dev 2026-11-16 10:00:00 +0100 {at:2}) {line}"
    ),
    "color": _each_line(lambda _, line: f"\x1b[32m{line}\x1b[0m"),
    "an interactive shell": _each_line(lambda _, line: f"\x1b]0;dev: /app\x07\x1b[?2004l\r{line}"),
    "what was drawn over": _each_line(
        lambda at, line: f"{at} of 9\r{at + 1} of 9\r\x1b[K{line}" if line else ""
    ),
}
FORMS = LINE_FORMS | {
    "code in a sentence": lambda text: f"- I set `{text}`, is that right?",
    "a fence": lambda text: f"This is it:\n```\n{text}\n```\n",
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "line ends of Windows in a terminal": lambda text: text.replace("\n", "\r\r\n"),
    "JSON in a string": lambda text: json.dumps({"stdout": f"$ cat it\n{text}\n", "code": 0}),
    "JSON in lines": lambda text: json.dumps({"stdout": text, "code": 0}, indent=2),
    "a string of JSON": json.dumps,
    "JSON in JSON": lambda text: json.dumps({"output": json.dumps({"stdout": text})}),
    "JSON in JSON in JSON": lambda text: json.dumps(
        {"result": json.dumps({"output": json.dumps({"stdout": text})})}
    ),
    "JSON after a word": lambda text: f"result: {json.dumps({'stdout': text, 'code': 0})}",
    "JSON in JSON after a word": lambda text: (
        f"result: {json.dumps({'output': json.dumps({'stdout': text})})}"
    ),
    "an object of Python": lambda text: repr({"stdout": text, "code": 0}),
    "a string of Python": lambda text: f"output: {text!r}",
}


def examples():
    """Return the example of each shape, with what is found in it, as places."""
    return [_example(f"{at} {shape.kind}", shape.example) for at, shape in enumerate(SHAPES)]


def near_misses():
    """Return the texts that look like the examples, and hold nothing."""
    return [
        Place(f"{at} {shape.kind}", _spelled_out(str(at), shape.near_miss), [])
        for at, shape in enumerate(SHAPES)
    ]


def _example(title, example):
    text = _spelled_out(title, example)
    raw = text.encode()
    found = Finder().find_in_text(raw)
    return Place(title, text, [raw[each.start : each.end].decode() for each in found])


def _spelled_out(title, text):
    dice = random.Random(f"{SEED} {title}")
    same: dict[str, str] = {}  # some say the same twice
    return _HOLE.sub(lambda hole: same.setdefault(hole[1], filled(f"⟨{hole[1]}⟩", dice)), text)


def lost(form, places):
    """Return the secrets that are found in the texts of `places`, and not in what was printed."""
    return [
        secret
        for place in places
        for secret in missed(Place(place.title, form(place.text), place.secrets))
        if secret not in missed(place)
    ]


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.printed_forms")
    parser.add_argument("--set", choices=[*SETS, "examples"], help="otherwise all of the corpus")
    options = parser.parse_args()
    is_of_examples = options.set == "examples"
    places, others = (examples(), near_misses()) if is_of_examples else _in_corpus(options.set)
    look_alikes = [place for place in others if not masked(place)]
    total = sum(len(place.secrets) for place in places)
    print(f"{total} secrets, {len(look_alikes)} look-alikes")
    for name, form in FORMS.items():
        gone = [place for place in places if lost(form, [place])]
        alarms = [
            place for place in look_alikes if masked(Place(place.title, form(place.text), []))
        ]
        share = sum(len(lost(form, [place])) for place in gone) / total
        print(f"{name}: {share:.1%} lost, {len(alarms)} alarms", flush=True)
        for place in (*gone, *alarms) if is_of_examples else ():
            print(f"    {place.title}: {place.text!r}")


def _in_corpus(name):
    """Return the places of a set, or of all, and its look-alikes."""
    chosen = [SETS[name]] if name else SETS.values()
    places = [
        place
        for group in WEIGHTS
        for one in chosen
        for place in one(group)
        if not place.title.startswith("message ")
    ]
    return places, [place for one in chosen for place in one("look_alikes")]


if __name__ == "__main__":
    main()
