"""The prefilter misses nothing that a close one would find."""

import random
from base64 import b64encode
from binascii import hexlify

import pytest

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.prefilter import Prefilter, has_escaped_ascii, without_data

WORDS = (b"sk-", b"Bearer", b"@", b"_key", b"AKIA")
PREFILTER = Prefilter(WORDS, lambda name: name == "env")


@pytest.mark.parametrize("around", [b"%b", b"xx%byy", b"%b" + b"." * 9000, b"q" * 9000 + b"%b"])
@pytest.mark.parametrize("word", WORDS)
def test_each_keyword_is_seen_wherever_it_stands(around, word):
    assert PREFILTER.keywords_in(around % word) == {word}


def test_a_word_within_another_is_seen_with_it_and_alone():
    prefilter = Prefilter((b"sk-", b"sk-proj-", b"disk-x"), lambda _: False)
    assert prefilter.keywords_in(b"a sk-1") == {b"sk-"}
    assert prefilter.keywords_in(b"a sk-proj-1") == {b"sk-", b"sk-proj-"}
    assert prefilter.keywords_in(b"q" * 9000 + b"disk-x") == {b"sk-", b"disk-x"}


def test_nothing_is_seen_in_plain_text():
    assert PREFILTER.keywords_in(b"skin, bearer, key, akia" * 1000) == frozenset()


def test_no_common_word_is_a_keyword():
    prefilter = Finder()._prefilter  # each line that has one is searched for everything
    assert (
        prefilter.keywords_in(b"the author has set an alias, as the settings of a dataset") == set()
    )


def test_names_are_seen_also_in_a_string_and_other_words_are_not():
    assert PREFILTER.has_relevant_name(b'{"a":{"env" :[]}}')
    assert not PREFILTER.has_relevant_name(rb'{"a":"env","b":"\"env\", env:"}')
    assert PREFILTER.has_relevant_name(rb'{"b":"{\"env\":[]}"}')
    assert PREFILTER.has_relevant_name(rb'{"b":"{\"a\":\"{\\\"env\\\":[]}\"}"}')
    assert PREFILTER.has_relevant_name(b'noise {"env":[')


def test_letters_spelled_as_escapes_are_a_disguise_and_others_are_none():
    assert has_escaped_ascii(rb'"\u0065nv"')
    assert not has_escaped_ascii(rb'"caf\u00e9 \u001b[0m"')
    assert has_escaped_ascii(rb'"cat \u003c\u003cEOF \u0026\u0026 c \u003E d"')  # as Go spells them
    assert has_escaped_ascii(rb'"a \u003d b"')


@pytest.mark.parametrize("before", [0, 1, 2047, 2048, 5000])
def test_data_is_passed_over_but_not_what_is_before_and_after_it(before):
    data = b64encode(random.Random(1).randbytes(12_288))
    raw = b"x" * before + b" ghp_" + data + b"= token=" + b"y" * 4096
    plain = without_data(raw)
    assert len(plain) < len(raw) - len(data) // 2
    assert b" ghp_" + data[:2048] in plain
    assert b"= token=" in plain
    assert without_data(data[:4000]) == data[:4000]


@pytest.mark.parametrize("encode", [b64encode, hexlify])
@pytest.mark.parametrize("before", ["", "x", "xy"])
def test_a_long_text_is_no_data(encode, before):
    raw = b'{"text":"%b"}' % encode(f"{before}# Ein Täßt\nname: value\n".encode() * 600)
    assert without_data(raw) == raw
