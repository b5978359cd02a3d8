"""What the terminal allows, as the environment and stdout say."""

import sys

import pytest

from acp_spy.view.layout import layout_of_terminal, terminal_size


@pytest.fixture(autouse=True)
def a_terminal(monkeypatch):
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)


def test_the_environment_says_how_wide_it_is(monkeypatch):
    monkeypatch.setenv("COLUMNS", "57")
    monkeypatch.setenv("LINES", "11")
    assert layout_of_terminal().width == 57
    assert terminal_size() == (57, 11)


@pytest.mark.parametrize("wrong", ["", "wide", "-3", "0", "1000000", "9" * 5000])
def test_nonsense_in_the_environment_is_passed_over(monkeypatch, wrong):
    expected = terminal_size()
    monkeypatch.setenv("COLUMNS", wrong)
    assert terminal_size() == expected


def test_a_terminal_that_is_too_narrow_for_indented_text_is_taken_for_wider(monkeypatch):
    monkeypatch.setenv("COLUMNS", "1")
    assert layout_of_terminal().width == 20


def test_a_terminal_has_colours_unless_somebody_does_not_want_them(monkeypatch):
    assert layout_of_terminal().colour
    assert not layout_of_terminal(plain=True).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not layout_of_terminal().colour


@pytest.mark.parametrize("dumb", ["dumb", "unknown"])
def test_a_dumb_terminal_has_none(monkeypatch, dumb):
    monkeypatch.setenv("TERM", dumb)
    assert not layout_of_terminal().colour


def test_a_pipe_has_none_unless_they_are_forced(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False)
    assert not layout_of_terminal().colour
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert layout_of_terminal().colour
