"""A line that differs from one before in its text only is searched as any other, and faster."""

import json

from support.keys import spelled_out

from acp_spy.secrets import finder
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.shape_search import SHAPES
from acp_spy.secrets.similar_lines import SimilarLines, text_in
from acp_spy.wire.frame import Frame, Peer

GITHUB = spelled_out("ghp_<36>")
TEXTS = (
    *("", "plain", "more", 'a "quoted" word', "a\\b\n", "é\u200b", "\ud800", ": x", "text"),
    *(f"key {GITHUB}", GITHUB, f'{{"token": "{GITHUB}"}}', '{"apiKey": "brown-fox-4711"}'),
    *("brown-fox-4711", "the password is hunter2-4711", "PASSWORD=hunter2-4711", "hunter2-4711"),
    *('"password": "x9Kq-4711-zz"', "oken", "x9Kq-4711-zz", "authenticate", "plain again"),
)


def line(text, session="s-1", **more):
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    params = {"sessionId": session, "update": update, **more}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message).encode() + b"\n"


def test_the_same_is_found_as_in_a_line_that_is_like_no_other():
    texts = [*TEXTS, *(spelled_out(shape.example) for shape in SHAPES[::7]), *TEXTS]
    kinds = [{}, {"session": "s-2"}, {"session": GITHUB}, {"_meta": {"token": "x9Kq-4711-yy"}}]
    lines = [line(text, **kind) for kind in kinds for text in texts]
    # Torn, glued, with a text that is none.
    lines += [line("x")[:-6], line("y")[:-6], b"x" + line("z"), line("a").replace(b'"a"', b"7")]
    quick, slow = Finder(), Finder()
    slow._only_text = lambda _: None
    assert [quick.find(each) for each in lines] == [slow.find(each) for each in lines]
    assert quick._only_text(line("one more", "s-2")) is not None  # it went the quick way


def test_what_is_learned_later_is_found_around_the_text():
    searching = Finder()
    for text in ("one", "two", "three"):
        assert not searching.find(line(text, "x9Kq-4711-zz"))
    searching.find(b'{"params":{"apiKey":"x9Kq-4711-zz"}}')
    [found] = searching.find(line("four", "x9Kq-4711-zz"))
    assert found.text == b"x9Kq-4711-zz"


def test_a_text_that_was_clean_is_searched_again_when_more_is_known():
    searching = Finder()
    for _ in range(3):
        assert not searching.find(line("see x9Kq-4711-zz"))
    searching.find(b'{"params":{"apiKey":"x9Kq-4711-zz"}}')
    for _ in range(3):
        [found] = searching.find(line("see x9Kq-4711-zz"))
        assert found.text == b"x9Kq-4711-zz"


def test_of_clean_texts_only_so_many_are_kept(monkeypatch):
    monkeypatch.setattr(finder, "_MOST_CLEAN", 3)
    kept = Finder()
    for number in range(9):
        kept.find(line(f"word {number}"))
        kept.find(line("long " * 20))
        assert len(kept._clean) <= 3


def test_a_key_in_pieces_is_found_in_lines_that_are_alike():
    texts = ["see gh", GITHUB[2:9], GITHUB[9:20], GITHUB[20:] + ' "ok\n"?']
    frames = [
        Frame(seq, seq / 10, Peer.AGENT, line(text))
        for seq, text in enumerate(["a", "b", *texts], 1)
    ]
    redactor = Redactor()
    for frame in frames:
        redactor.learn(frame)
    done = b"".join(redactor.record(frame).raw for frame in frames)
    assert redactor.counts == {"github-token": 1}
    assert GITHUB[9:20].encode() not in done


def test_only_short_lines_that_agree_around_one_string_are_alike():
    similar = SimilarLines[str]()
    first = line("one")
    similar.add(first, *text_in(first), "known")
    assert similar.like(line('t"wo')) == ("known", *text_in(line('t"wo')))
    assert similar.like(line("two", "s-2")) is None
    assert similar.like(first.replace(b"one", b'one","text":"two')) is None
    similar.add(first + b" " * 2000, *text_in(first), "too much around it")
    assert similar.like(line("x") + b" " * 2000) is None
    assert text_in(b'{"a":1}') is None
