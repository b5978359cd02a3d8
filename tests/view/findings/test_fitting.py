import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_spy.view.findings import fitting
from acp_spy.view.findings.fitting import cut_end, cut_start, fit

texts = st.text(alphabet="ab漢é😀", max_size=60)


@pytest.mark.parametrize(
    ("parts", "room", "fitted"),
    [
        (("abc", "X", "def"), 7, ("abc", "X", "def")),
        (("abc", "X", "def"), 80, ("abc", "X", "def")),
        (("a" * 50, "X" * 3, "b" * 50), 20, ("…aaaaa", "XXX", "bbbbbbbbbb…")),
        (("a" * 50, "X" * 3, "bb"), 20, ("…" + "a" * 14, "XXX", "bb")),
        (("aa", "X" * 3, "b" * 50), 20, ("aa", "XXX", "b" * 14 + "…")),
        (("a" * 50, "X" * 50, "b"), 20, ("…aaaaa", "X" * 13 + "…", "")),
        (("a" * 50, "", ""), 20, ("a" * 19 + "…", "", "")),
    ],
)
def test_a_line_is_cut_around_its_place(parts, room, fitted):
    assert fit(*parts, room) == fitted


@given(texts, texts.filter(bool), texts, st.integers(8, 80))
@settings(deadline=None, derandomize=True)
def test_a_line_fits_and_its_place_is_seen(before, place, after, room):
    fitted = fit(before, place, after, room)
    assert cell_len("".join(fitted)) <= room
    assert fitted[1] != ""


@given(texts, st.integers(0, 80))
@settings(deadline=None, derandomize=True)
def test_what_is_cut_is_the_beginning_or_the_end(text, room):
    head, tail = cut_end(text, room), cut_start(text, room)
    assert text.startswith(head.removesuffix("…"))
    assert text.endswith(tail.removeprefix("…"))
    assert max(cell_len(head), cell_len(tail)) <= room


def test_a_character_that_makes_the_one_before_it_wider_is_counted():
    text = "\u2139\ufe0f" * 20
    assert all(cell_len(cut_end(text, room)) <= room for room in range(1, 30))


def test_a_letter_with_thousands_of_marks_is_measured_a_few_times(monkeypatch):
    """Two hundred hearts and twelve thousand marks once took a minute."""
    lengths = []

    def counted(text):
        lengths.append(len(text))
        return cell_len(text)

    monkeypatch.setattr(fitting, "cell_len", counted)
    text = "❤\ufe0f" * 60 + "\u0301" * 4000  # by older versions of rich, all of it is 60 cells wide
    assert cell_len(fitting.fill(text, 80)) in (60, 80)
    assert fitting.fill(text, 120) == text
    assert sum(lengths) < 20 * len(text)
