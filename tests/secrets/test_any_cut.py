"""Of a vendor's key that was shown once nothing is left, wherever a copy of it is cut."""

import re
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import effort
from support.keys import at_random

from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.vendor_shapes import VENDORS

LEAST = 12
# Of a URL a part is the secret; what is around it stays.
KEYS = [shape for shape in VENDORS if not set(shape.example) & set(' \n"\\/;')]
COPIED = ["it was {} then", "{}...", "key={}", "({})", '"{}', "\n{}\n"]


@st.composite
def keys(draw):
    """Give a key as a vendor makes them, and where what is random in it begins."""
    shape = draw(st.sampled_from(KEYS))
    random = Random(draw(st.integers(0, 2**32)))  # no example is simpler, so none is less random
    tried = (at_random(shape.example, random, signs) for signs in ("-_", "", ""))
    whole = (key for key in tried if re.fullmatch(r"redacted-[a-z-]+-1", Redactor().text(key)))
    key = next(whole, None)
    assume(key)
    return key, shape.example.index("<")


@settings(max_examples=effort.examples(80))
@given(key=keys(), form=st.sampled_from(COPIED), data=st.data())
def test_nothing_is_left_of_a_key_wherever_it_is_cut(key, form, data):
    key, common = key
    start = data.draw(st.integers(0, max(0, len(key) - LEAST)))
    end = data.draw(st.integers(min(max(start, common) + LEAST, len(key)), len(key)))
    cut = key[start:end]
    redactor = Redactor()
    redactor.text(f"use {key} now")
    said = redactor.text(form.format(cut))
    random_part = key[max(start, common) : end]
    left = [
        random_part[at : at + LEAST]
        for at in range(len(random_part) - LEAST + 1)
        if random_part[at : at + LEAST] in said
    ]
    is_telling = any(letter.isdigit() for letter in cut) or not cut.islower()
    assert not is_telling or not left
