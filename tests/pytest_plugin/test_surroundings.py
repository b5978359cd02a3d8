"""The plugin among others: loaded by every run, used by few."""

import sys

import pytest
from support.inner_pytest import everything

from acp_spy import load, pytest_plugin

pytest_plugins = ["pytester"]


def test_all_is_loaded_before_pytester_remembers_what_is(pytester):
    """So that no other test has two of a module: what is loaded later is forgotten again."""
    assert sys.modules.keys() >= {"acp_spy.cli.rule", *everything()}


def test_a_run_that_does_not_use_it_loads_nothing_of_it(project):
    project.capture()
    project.test(
        """
        HEAVY = {"msgspec", "rich", "trio", "typer", "acp_spy.pytest_plugin.fixtures"}

        def test_before():
            assert "acp_spy.pytest_plugin" in sys.modules
            assert not HEAVY & set(sys.modules)
            assert [name for name in sys.modules if name.startswith("acp_spy")] == [
                "acp_spy", "acp_spy.pytest_plugin"
            ]

        def test_used(acp_agent):
            talk(acp_agent("hello"), INIT, NEW)

        def test_after():
            assert not {"msgspec", "rich", "trio", "typer"} & set(sys.modules)
        """
    )
    assert project.run_apart("-p", "no:xdist").outcomes == {"passed": 3}


def test_its_hooks_ask_nothing_of_pluggy_that_the_one_of_pytest_7_lacks():
    hooks = [getattr(each, "pytest_impl", {}) for each in vars(pytest_plugin).values()]
    options = {name for hook in hooks for name, value in hook.items() if value}
    assert options == {"tryfirst", "trylast"}


def test_its_words_are_in_the_help(project):
    text = project.run("--help").text
    assert "--acp-record={none,once,new,all}" in text
    assert "acp_recordings (string):" in text
    assert "acp_agent_command (args):" in text


def test_it_can_be_turned_off(project):
    project.test("def test_it(acp_agent): pass")
    (project.path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    run = project.run("-p", "no:acp_spy")
    assert run.outcomes == {"errors": 1}
    assert "fixture 'acp_agent' not found" in run.text


@pytest.mark.long
def test_workers_of_xdist_do_not_meet(project):
    project.capture()
    project.test(
        """
        @pytest.mark.parametrize("number", range(3))
        def test_it(acp_agent, number):
            talk(acp_agent("hello"), INIT, NEW)

        @pytest.mark.parametrize("number", range(2))
        def test_new(acp_agent, number):
            talk(acp_agent(), INIT)

        def test_bad(acp_agent):
            talk(acp_agent("hello"), INIT, NEW, NEW)
        """
    )
    run = project.run("-n", "2", "--acp-record=once")
    assert run.outcomes == {"failed": 1, "passed": 5}
    assert run.report_of("test_bad").count("divergence 1: `session/new`") == 1
    assert "\nrecordings/test_new-0.jsonl\nrecordings/test_new-1.jsonl\n" in run.text


@pytest.mark.long
def test_workers_of_xdist_record_a_capture_once_and_replace_nothing_unseen(project):
    hello = project.capture()
    project.test(
        """
        import os, time
        from pathlib import Path

        def meet():
            # Both workers have been given a mock before one of them has recorded it.
            Path(os.environ["PYTEST_XDIST_WORKER"]).touch()
            while not (Path("gw0").exists() and Path("gw1").exists()):
                time.sleep(0.01)

        @pytest.mark.parametrize(
            "group", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in "ab"]
        )
        class TestGroup:
            def test_first(self, acp_agent, group):
                command = acp_agent("hello")
                meet()
                talk(command, INIT)

            def test_later(self, acp_agent, group):
                talk(acp_agent("hello"), INIT)
        """
    )
    run = project.run("-n", "2", "--dist=loadgroup", "--acp-record=all")
    assert run.outcomes == {"passed": 4, "errors": 1}
    worker, _, report = run.report_of(r"TestGroup\.test_first\[[ab]\]").partition("\n")
    assert worker.startswith("[gw")
    assert report == (
        "cannot record recordings/hello.jsonl: another worker recorded it in the meantime\n"
        "hint: record tests that share a capture without -n, or in one xdist_group"
    )
    assert run.text.count("\nrecordings/hello.jsonl\n") == 1
    assert len(load(hello).frames) == 2
