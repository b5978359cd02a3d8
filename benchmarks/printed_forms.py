"""
What becomes of the secrets of `secret_corpus` when a program prints the text that they are in.

`python -m benchmarks.printed_forms` tells for each form how many of the secrets that are found in
the text itself are missed in what was printed, and how many look-alikes are masked only there.
"""

import argparse
import json

from benchmarks.secrets import SETS, WEIGHTS, Place, masked, missed


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
    "grep -n": _each_line(lambda at, line: f"{at}:{line}"),
    "grep -rn": _each_line(lambda at, line: f"config/prod.env:{at}:{line}"),
    "diff": _each_line(lambda _, line: f"+{line}"),
    "git diff --color": _each_line(lambda _, line: f"\x1b[32m+\x1b[m\x1b[32m{line}\x1b[m"),
    "a quotation": _each_line(lambda _, line: f"> {line}"),
    "a log": _each_line(lambda _, line: f"2026-11-16T10:00:00.123Z app[web.1]: {line}"),
    "a log with levels": _each_line(lambda _, line: f"2026-11-16 10:00:00,123 INFO {line}"),
    "syslog": _each_line(lambda _, line: f"Nov 16 10:00:00 host app[12]: {line}"),
    "docker compose logs": _each_line(lambda _, line: f"web-1  | {line}"),
    "color": _each_line(lambda _, line: f"\x1b[32m{line}\x1b[0m"),
}
FORMS = LINE_FORMS | {
    "code in a sentence": lambda text: f"- I set `{text}`, is that right?",
    "a fence": lambda text: f"This is it:\n```\n{text}\n```\n",
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "JSON in a string": lambda text: json.dumps({"stdout": f"$ cat it\n{text}\n", "code": 0}),
    "JSON after a word": lambda text: f"result: {json.dumps({'stdout': text, 'code': 0})}",
    "JSON in JSON after a word": lambda text: (
        f"result: {json.dumps({'output': json.dumps({'stdout': text})})}"
    ),
    "an object of Python": lambda text: repr({"stdout": text, "code": 0}),
}


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
    parser.add_argument("--set", choices=SETS, help="otherwise all")
    options = parser.parse_args()
    chosen = [SETS[options.set]] if options.set else SETS.values()
    places = [
        place
        for group in WEIGHTS
        for one in chosen
        for place in one(group)
        if not place.title.startswith("message ")
    ]
    total = sum(len(place.secrets) for place in places)
    look_alikes = [place for one in chosen for place in one("look_alikes") if not masked(place)]
    print(f"{total} secrets, {len(look_alikes)} look-alikes")
    for name, form in FORMS.items():
        alarms = sum(
            bool(masked(Place(place.title, form(place.text), []))) for place in look_alikes
        )
        print(f"{name}: {len(lost(form, places)) / total:.1%} lost, {alarms} alarms", flush=True)


if __name__ == "__main__":
    main()
