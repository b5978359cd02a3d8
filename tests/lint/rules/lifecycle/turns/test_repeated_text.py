"""Texts that are sent twice: found alike among plain chunks and among unusual ones."""

import pytest
from support.lifecycle import announce, update
from support.transcripts import lint

from acp_spy.lint.rules.lifecycle._examples import (
    END_TURN,
    HANDSHAKE,
    NEW_SESSION,
    PROMPT,
    transcript,
)

LONG = "The test failed because of a wrong path in the fixture."


def say(text, name="agent_message_chunk", **more):
    return update(sessionUpdate=name, content={"type": "text", "text": text}, **more)


def strange(text):
    """Return a chunk that goes the long way."""
    return say(text, _meta={"x": 1})


def reported(*lines):
    return lint(transcript(HANDSHAKE, NEW_SESSION, PROMPT, *lines, END_TURN), "LIF058")


@pytest.mark.parametrize("first", [say, strange])
@pytest.mark.parametrize("second", [say, strange])
def test_the_same_long_chunk_again_is_found(first, second):
    (finding,) = reported(say("Hm. "), first(LONG), second(LONG))
    assert (finding.seq, finding.see) == (8, 7)
    assert "the same text again, as frame 7: `The test failed" in finding.text


def test_a_third_time_is_counted():
    (finding,) = reported(say(LONG), say(LONG), say(LONG))
    assert "(and 1 more like it)" in finding.text


@pytest.mark.parametrize("way", [say, strange])
def test_the_stream_again_as_one_block_is_found(way):
    pieces = [LONG[at : at + 7] for at in range(0, len(LONG), 7)]
    usage = update(sessionUpdate="usage_update", used=1, size=2)
    (finding,) = reported(*map(way, pieces), usage, way(f"{LONG}\n"))
    assert finding.see == 6
    assert "all of the text again, since frame 6" in finding.text


def test_short_texts_may_be_the_same():
    assert reported(say("ha "), say("ha "), say("ha ")) == []
    assert reported(say("| --- "), say("| --- ")) == []


def test_the_same_words_after_something_else_are_meant():
    assert reported(say(LONG), announce("c1"), say(LONG)) == []
    assert reported(say(LONG, "agent_thought_chunk"), say(LONG)) == []
    assert reported(say(LONG), say("But: "), say(LONG)) == []


def test_a_long_text_is_not_another_of_its_length():
    pieces = ["I", " ", "will look at the tests of the parser first", "."]
    other = "I have to look at the docs of the parser too."
    assert len("".join(pieces)) == len(other)
    assert reported(*map(say, pieces), say(other)) == []


@pytest.mark.parametrize("way", [say, strange])
def test_every_chunk_twice_is_found_though_each_is_short(way):
    words = "The ", "test ", "is ", "fixed ", "now, ", "too."
    chunks = [way(text) for text in words for _ in range(2)]
    (finding,) = reported(*chunks)
    assert (finding.seq, finding.see) == (15, 14)
    assert "each chunk twice, such as frame 14 (and 1 more like it): `now, `" in finding.text
    assert reported(*chunks[:9]) == []
    assert reported(*chunks[:4], way("and "), *chunks[4:]) == []


@pytest.mark.parametrize("way", [say, strange])
@pytest.mark.parametrize(
    "pieces", ["#aabbccdd", "11223344", ("---", "---", *"\n\n", *["    "] * 2, *["  }\n"] * 2)]
)
def test_characters_that_come_one_by_one_may_come_twice(way, pieces):
    assert reported(way("Use "), *map(way, pieces)) == []


@pytest.mark.parametrize("way", [say, strange])
def test_chunks_that_contain_all_of_the_text_so_far_are_found(way):
    pieces = [LONG[: at + 14] for at in range(0, len(LONG), 7)]
    (finding,) = reported(*map(way, pieces))
    assert finding.see == 6
    assert "in each chunk all of the text, since frame 6" in finding.text
    assert "what is new" in finding.hint
    assert reported(*map(way, pieces[:3]), way("Then "), *map(way, pieces[3:5])) == []
