"""Whether a page that nobody could look at is noticed."""

from pathlib import Path

import pytest
from support.browser import NEEDED, chromium

ROOT = Path(__file__).parents[2]


@pytest.fixture
def no_browser(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CI", NEEDED, "ACP_SPY_CHROMIUM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_browser")
def test_without_a_browser_its_tests_are_skipped():
    with pytest.raises(pytest.skip.Exception):
        chromium()


@pytest.mark.usefixtures("no_browser")
@pytest.mark.parametrize(("name", "value"), [("CI", "true"), (NEEDED, "1")])
def test_in_ci_they_fail(name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    with pytest.raises(pytest.fail.Exception):
        chromium()


def test_our_ci_says_that_it_needs_one():
    assert f"export {NEEDED}=1" in (ROOT / ".ci" / "run").read_text()
