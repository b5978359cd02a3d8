"""A text is searched for the shapes that may be in it, and once for each: none is missed by that."""

import json
import sys
from collections import Counter

import pytest
from support.families import for_each
from support.keys import spelled_out

from acp_spy.secrets import shape_search
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.shape_search import SHAPES, FoundByLook, ShapeSearch
from acp_spy.wire.frame import Frame, Peer

EXAMPLES = [spelled_out(shape.example) for shape in SHAPES]


def search(shapes, before=None):
    return ShapeSearch(shapes, None, (), None, before)


@for_each(SHAPES, lambda shape: f"{shape.kind}, {shape.example}")
def test_a_short_text_is_not_searched_for_each_shape_and_all_is_found_as_if_it_were(shape):
    example = spelled_out(shape.example)
    for text in (
        example,
        f'x "{example}"',
        f"x\n{example}\ny",
        f"x\0{example}\0y",
        f"\x1b[1m{example}",
    ):
        alone = search([shape]).find_in(text.encode())
        together = search(SHAPES).find_in(text.encode())
        for secret in alone:
            assert any(each.start <= secret.start < secret.end <= each.end for each in together)


@pytest.fixture
def searched(monkeypatch):
    """Count how often a text is searched for a shape."""
    calls = Counter()
    of_shape = shape_search._of_shape

    def counted(shape, text):
        calls[text] += 1
        return of_shape(shape, text)

    monkeypatch.setattr(shape_search, "_of_shape", counted)
    return calls


def dense(count):
    """Return a message with all examples in one text, and after them so many short strings."""
    strings = [{"a": f"the words {number}"} for number in range(count)]
    text = "\n".join([*EXAMPLES, *map(json.dumps, strings)])
    message = {"jsonrpc": "2.0", "method": "x", "params": {"texts": [text, *strings]}}
    return json.dumps(message).encode()


@pytest.mark.long
def test_strings_of_a_line_with_many_secrets_are_searched_for_few_shapes(searched):
    Finder().find(dense(0))
    few = searched.total()
    searched.clear()
    Finder().find(dense(30))
    assert searched.total() < few + 90
    assert searched[b"the words 7"] < 10


@pytest.mark.long
def test_what_is_read_twice_is_searched_once_by_its_look(searched):
    redactor = Redactor()
    frame = Frame(1, 0.0, Peer.AGENT, dense(30))
    redactor.learn(frame)
    assert searched
    searched.clear()
    assert redactor.finder.find(frame.raw)
    assert not searched


def test_what_is_kept_of_texts_that_are_read_twice_is_bounded(searched, monkeypatch):
    monkeypatch.setattr(shape_search, "_MOST_KEPT", 1000)
    before = FoundByLook()
    texts = [f"password=Kq8zPw31{number}x".encode() for number in range(500)]
    for text in texts:
        search(SHAPES, before).find_in(text)
    searched.clear()
    found = [search(SHAPES, before).find_in(text) for text in texts]
    assert all(found)
    assert not searched[texts[0]]
    assert searched[texts[-1]]
    for number in range(400):
        before.by(SHAPES[: number % len(SHAPES)])
    assert sum(map(sys.getsizeof, before._found)) < 100_000
