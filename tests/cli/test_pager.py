"""The pager as a process: what it is fed, and that it is not left alone."""

import pytest

from acp_spy.cli.output import _page


def test_an_error_is_told_when_the_person_has_left_the_pager(tmp_path):
    seen = tmp_path / "seen"
    pager = ["/bin/sh", "-c", f"cat > {seen}; sleep 0.2; echo left >> {seen}"]

    def lines():
        yield "one\n"
        yield "two\n"
        raise RuntimeError("the third line is damaged")

    with pytest.raises(RuntimeError):
        _page(pager, lines())
    assert seen.read_text() == "one\ntwo\nleft\n"


def test_a_pager_that_is_left_early_is_fed_no_more():
    fed = []

    def lines():
        for number in range(1_000_000):
            fed.append(number)
            yield "x" * 100 + "\n"

    assert _page(["/bin/sh", "-c", "exec head -1 > /dev/null"], lines())
    assert len(fed) < 1_000_000


def test_a_pager_that_cannot_be_started_is_said_to_be_none():
    assert not _page(["/nowhere/pager"], iter(["one"]))
