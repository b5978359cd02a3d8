"""docs/performance.md: its tables are those of the kept results, and nobody has written in them."""

import re

import msgspec
import pytest

from benchmarks import __main__ as command
from benchmarks.outcome import Limit, Outcome, Result, Table
from benchmarks.report import fill, limits


def result(*found, table=None, note=""):
    outcome = Outcome(list(found), [table] if table else [], note)
    return Result("2026-01-05", "abc1234", "2 cores", 3, 125.0, outcome)


def test_the_page_is_what_the_kept_results_make_of_it():
    page = command.PAGE.read_text()
    assert page == fill(page, command.kept())


def test_every_benchmark_has_its_place_on_the_page():
    places = re.findall(r"<!-- benchmark: (\w+) -->", command.PAGE.read_text())
    assert sorted(places) == sorted([*command.BENCHMARKS, "all"])


def test_a_result_is_told_with_its_date_commit_machine_and_tables():
    page = "Before\n<!-- benchmark: proxy -->\nold\n<!-- end -->\nafter\n"
    table = Table(["", "µs"], [["direct", "7"]])
    assert fill(page, {"proxy": result(table=table, note="And a word.")}) == (
        "Before\n<!-- benchmark: proxy -->\n\n"
        "Measured on 2026-01-05 at commit `abc1234`, 3 rounds in 2 min: 2 cores.\n\n"
        "|  | µs |\n| --- | ---: |\n| direct | 7 |\n\n"
        "And a word.\n\n"
        "<!-- end -->\nafter\n"
    )


def test_the_one_table_has_every_limit_and_says_which_are_not_met():
    results = {
        "proxy": result(Limit("a round trip", 0.79, 1.0), Limit("the same", 3.5, 3.0, aim=True)),
        "check": result(Limit("judging", 8.01, 8.0)),
    }
    assert limits(results).splitlines()[2:] == [
        "| a round trip | 0.79 | 1 | met | proxy |",
        "| the same (aim) | 3.50 | 3 | **not met** | proxy |",
        "| judging | 8.01 | 8 | **not met** | check |",
    ]


def test_a_limit_that_is_not_met_fails_the_run_and_an_aim_does_not():
    assert command.missed(Outcome([Limit("judging", 8.01, 8.0)]))
    assert not command.missed(Outcome([Limit("the same", 3.5, 3.0, aim=True)]))


def test_one_benchmark_run_anew_leaves_the_others_as_they_were(tmp_path, monkeypatch):
    kept, page = tmp_path / "results.json", tmp_path / "performance.md"
    page.write_text("<!-- benchmark: all -->\n<!-- end -->\n")
    monkeypatch.setattr(command, "KEPT", kept)
    monkeypatch.setattr(command, "PAGE", page)
    command.keep({"check": result(Limit("judging", 7.5, 8.0))})
    command.keep({"proxy": result(Limit("a round trip", 0.8, 1.0))})
    command.keep({"check": result(Limit("judging", 7.0, 8.0))})
    assert [line for line in page.read_text().splitlines() if "met" in line] == [
        "| a round trip | 0.80 | 1 | met | proxy |",
        "| judging | 7.00 | 8 | met | check |",
    ]
    assert list(msgspec.json.decode(kept.read_bytes())) == ["proxy", "check"]


@pytest.mark.parametrize("name", command.BENCHMARKS)
def test_every_benchmark_can_be_loaded(name):
    """They are not run here: the guard counts what they would time."""
    from importlib import import_module

    assert callable(import_module(f"benchmarks.{name}").measure)
