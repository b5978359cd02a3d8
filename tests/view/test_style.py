import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_spy.view import style
from acp_spy.view.findings import fitting
from acp_spy.view.style import broken, cut, paint, wrapped


@pytest.mark.parametrize(
    ("pieces", "width", "line"),
    [
        ([("", "abc"), ("", "def")], 6, "abcdef"),
        ([("", "abc"), ("", "def")], 5, "abcd…"),
        ([("", "abc"), ("", "def")], 3, "ab…"),
        ([("", "abc"), ("", "")], 3, "abc"),
        ([("", "漢字"), ("", "漢字")], 7, "漢字漢…"),
        ([("", "漢字"), ("", "漢字")], 6, "漢字…"),
    ],
)
def test_a_line_is_cut_to_the_width(pieces, width, line):
    assert paint(cut(pieces, width), colour=False) == line


def test_colours_stand_around_a_piece_and_not_around_blanks_at_the_end():
    pieces = [("bold", "a"), ("", "b"), ("dim", "  ")]
    assert paint(pieces, colour=True) == "\x1b[1ma\x1b[0mb"


@given(
    st.lists(st.tuples(st.just(""), st.text("a漢😀 ", max_size=20)), max_size=4), st.integers(1, 40)
)
def test_no_line_is_ever_wider(pieces, width):
    assert cell_len(paint(cut(pieces, width), colour=False)) <= width


@pytest.mark.parametrize(
    ("text", "most", "lines"),
    [
        ("one two three four", 9, ["one two", "three four"]),
        ("one two three four", 1, ["one two …"]),
        ("one\n\n\ntwo\n", 9, ["one", "two"]),
        ("one\ntwo\nthree", 2, ["one", "two …"]),
        ("abcdefghijklmnopqrst", 9, ["abcdefghij", "klmnopqrst"]),
        ("", 3, []),
    ],
)
def test_a_text_is_broken_between_words(text, most, lines):
    assert broken(text, 10, most) == lines


@pytest.mark.parametrize("letter", ["漢", "a", "\u0301", "漢 "])
def test_a_long_text_is_not_measured_whole_for_each_of_its_lines(letter, monkeypatch):
    """Forty thousand wide letters once took eleven seconds."""
    looked_at = []

    def measured(text):
        looked_at.append(len(text))
        return cell_len(text)

    monkeypatch.setattr(style, "width_of", measured)
    lines = broken(letter * 2000, 10, 1000)
    assert "".join(lines).replace(" ", "") == letter.strip() * 2000
    assert max(looked_at) <= 80


@given(st.text("ab 漢\n", max_size=200), st.integers(10, 40), st.integers(1, 5))
def test_a_broken_text_is_within_its_bounds_and_keeps_its_words(text, width, most):
    lines = broken(text, width, most)
    assert len(lines) <= most
    assert all(cell_len(line) <= width for line in lines)
    everything = broken(text, width, 1000)
    assert "".join("".join(everything).split()) == "".join(text.split())


HEART = "❤\ufe0f"  # one cell, and one more by what follows


@pytest.mark.parametrize(
    "text",
    [
        "\u1100" * 6000,
        HEART * 200 + "\u0301" * 3000,
        (HEART * 41 + "\u0301" * 300) * 10,
        "\u200d漢" * 1500 + "漢" * 60,
        "漢 " * 1500,
        "a" * 3000 + "漢",
    ],
    ids=["wide", "marks at the end", "marks", "joined", "words", "ascii"],
)
def test_a_long_word_is_not_measured_whole_for_each_of_its_lines(text, monkeypatch):
    """Eighty thousand wide letters in a note once took half a minute."""
    measured = 0

    def counted(part, *more):
        nonlocal measured
        measured += len(part)
        return cell_len(part, *more)

    monkeypatch.setattr(style, "cell_len", counted)
    monkeypatch.setattr(fitting, "cell_len", counted)
    lines = ["".join(part for _, part in line) for line in wrapped([("", text)], 80)]
    assert "".join(lines) == text
    assert all(cell_len(line.rstrip()) <= 80 for line in lines)
    assert measured <= 30 * len(text)


@given(st.text("ab 漢é❤\ufe0f\u0301", max_size=200), st.integers(4, 40), st.integers(0, 200))
def test_lines_that_are_wrapped_have_all_of_the_text_and_fit(text, width, second):
    lines = [*wrapped([("", text[:second]), ("bold", text[second:])], width)]
    assert "".join(part for line in lines for _, part in line) == text
    assert all(cell_len("".join(part for _, part in line).rstrip()) <= width for line in lines)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two ", "three"]),
        ("漢字漢字漢字漢", ["漢字漢字", "漢字漢"]),
        ("one abcdefghijklm", ["one ", "abcdefgh", "ijklm"]),
        ("abcdefgh\u0301i", ["abcdefgh\u0301", "i"]),  # a mark stays with its letter
    ],
)
def test_lines_are_broken_between_words_or_where_they_are_full(text, lines):
    made = ["".join(part for _, part in line) for line in wrapped([("", text)], 8)]
    assert made == lines


@pytest.mark.parametrize("letter", [HEART, "👩\u200d👧"])
def test_what_is_joined_is_as_wide_as_rich_says_and_stays_together(letter):
    """Until 14.3 it says that these are one cell and four; since then, two of both."""
    fitting_in = 8 // cell_len(letter)
    made = ["".join(part for _, part in line) for line in wrapped([("", letter * 20)], 8)]
    assert set(made[:-1]) == {letter * fitting_in}
