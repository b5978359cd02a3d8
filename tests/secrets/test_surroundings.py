"""
What is around a secret stays as it is, in whatever form a program prints the text.

`python -m benchmarks.surroundings` tries all forms, within each other.
"""

import random

import pytest
from support import effort

from benchmarks.printed_forms import FORMS
from benchmarks.secrets import SEED, missed
from benchmarks.surroundings import changed, places

PLACES = [*places()]
# Each a form within another, in which more than the secret was masked, or a second run differed.
ONCE = [
    ("a command", "grep -rn", "docker compose logs"),
    ("a command", "diff", "a log with levels"),
    ("a command", "numbers and a bar", "a log"),
    ("a command", "code in a sentence", "diff, what is gone"),
    ("a command in a pipe", "docker compose logs", "a fence"),
    ("Kubernetes", "docker compose logs", "a file that was read"),
    ("Kubernetes", "a log with levels", "code in a sentence"),
    (".netrc", "git diff --color", "a string of Python"),
    ("a sentence", "color", "JSON in JSON"),
    ("a sentence", "git diff --color", "JSON in JSON after a word"),
    ("a private key", "cat -n", "diff, what is gone"),
    ("a kubeconfig", "a quotation", "a fence"),
    ("a cookie", "code in a sentence", "a fence"),
    ("nothing", "diff, what is gone", "a fence"),
]


def place_of(title):
    return next(place for place in PLACES if place.title == title)


@pytest.mark.parametrize(("title", "inner", "outer"), ONCE)
def test_once_more_was_masked_than_the_secret(title, inner, outer):
    assert changed(place_of(title), inner, outer) == ""


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.title)
def test_all_secrets_of_the_texts_are_found(place):
    assert missed(place) == []


@pytest.mark.parametrize("outer", effort.some_of(FORMS, "git diff --color", "JSON in a string"))
def test_all_else_stays_in_pairs_of_forms(outer):
    dice = random.Random(f"{SEED} {outer}")
    for place in PLACES:
        inner = dice.choice(sorted(FORMS.keys() - {outer}))
        assert changed(place, inner, outer) == "", inner
