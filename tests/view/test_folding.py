import msgspec

from acp_spy.lint.rule import Finding, Severity
from acp_spy.view.folding import Fold, Folder
from acp_spy.view.timeline import Row
from acp_spy.wire.frame import Frame, Peer

_count = 0


def row(kind="notification", what="x", t=0.0, **fields):
    global _count  # noqa: PLW0603 - a number of its own for each
    _count += 1
    record = Frame(_count, t, Peer.AGENT, b"{}\n")
    return Row(kind, t, what, record, seq=_count, sender=Peer.AGENT, **fields)


def chunk(text="a", session="s", stream="agent", **fields):
    return row(session=session, stream=stream, text=text, gist=text, **fields)


def tool(name, text="", session="s", **fields):
    return row(what="tool_call_update", session=session, tool=name, text=text, **fields)


def folded(*rows):
    """Return what the rows become: `3×agent: abc` for a fold, the name for a row."""
    folder = Folder()
    items = [item for each in rows for item in folder.feed(each)] + folder.close()
    return [
        f"{item.count}×{item.first.stream or item.first.tool}: {item.text}"
        if isinstance(item, Fold)
        else item.what
        for item in items
    ]


def test_chunks_of_one_text_are_one():
    assert folded(chunk("a"), chunk("b"), chunk("c")) == ["3×agent: abc"]


def test_a_fold_has_its_count_span_rate_and_size():
    folder = Folder()
    for number in range(5):
        folder.feed(chunk("x", t=number / 2, size=100))
    (fold,) = folder.close()
    assert (fold.count, fold.span, fold.rate, fold.size) == (5, 2.0, 2.0, 500)


def test_another_speaker_begins_another_text():
    assert folded(chunk("a"), chunk("b", stream="thought"), chunk("c")) == [
        "1×agent: a",
        "1×thought: b",
        "1×agent: c",
    ]


def test_two_sessions_that_speak_at_once_are_two_texts():
    shown = (chunk("a"), chunk("1", session="t"), chunk("b"), chunk("2", session="t"))
    assert folded(*shown) == ["2×agent: ab", "2×agent: 12"]


def test_what_has_nothing_to_do_with_a_text_does_not_cut_it():
    beside = (
        row("stderr", "stderr"),
        row("noise", "noise"),
        row(what="usage_update", session="s"),
        row("request", "elsewhere", session="t"),
    )
    assert folded(chunk("a"), *beside, chunk("b")) == [
        "2×agent: ab",
        "stderr",
        "noise",
        "usage_update",
        "elsewhere",
    ]


def test_a_request_in_the_same_session_ends_a_text():
    ask = row("request", "session/request_permission", session="s")
    assert folded(chunk("a"), ask, chunk("b")) == [
        "1×agent: a",
        "session/request_permission",
        "1×agent: b",
    ]


def test_updates_of_a_tool_call_are_one_and_tell_what_was_told_last():
    assert folded(tool("c-1"), tool("c-1", "half"), tool("c-1", "whole"), tool("c-1")) == [
        "4×c-1: whole"
    ]


def test_tool_calls_run_side_by_side():
    assert folded(tool("c-1"), tool("c-2"), tool("c-1"), tool("c-2")) == ["2×c-1: ", "2×c-2: "]


def test_a_text_between_ends_both():
    assert folded(tool("c-1"), chunk("a"), tool("c-1"), chunk("b")) == [
        "1×c-1: ",
        "1×agent: a",
        "1×c-1: ",
        "1×agent: b",
    ]


def test_rows_come_when_the_fold_before_them_is_complete():
    folder = Folder()
    assert folder.feed(chunk("a")) == []
    log = row("stderr", "stderr")
    assert folder.feed(log) == []
    assert len(folder.waiting) == 2
    ends = row("response", "answer", session="s")
    fold, *rest = folder.feed(ends)
    assert fold.text == "a"
    assert rest == [log, ends]


def test_nothing_grows_without_a_bound():
    folder = Folder()
    folder.feed(chunk("a"))
    for _ in range(10_000):
        folder.feed(row("stderr", "stderr"))
        folder.feed(chunk("b" * 1000))
    assert len(folder.waiting) <= 256
    fold = next(item for item in folder.waiting + folder.close() if isinstance(item, Fold))
    assert len(fold.text) < 10_000


def test_findings_are_kept_up_to_a_bound_and_the_rest_is_counted():
    finding = Finding(1, "TST001", "t", Severity.ERROR, Peer.AGENT, "x")
    folder = Folder()
    for _ in range(100):
        folder.feed(msgspec.structs.replace(chunk(), findings=(finding, finding)))
    (fold,) = folder.close()
    assert (len(fold.findings), fold.more_findings) == (64, 136)
