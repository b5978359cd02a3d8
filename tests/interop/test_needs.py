"""Whether it is noticed that nobody could test with node."""

from pathlib import Path

import pytest
from interop import lab
from interop.needs import NEEDED, need_node

ROOT = Path(__file__).parents[2]


@pytest.fixture
def no_npm(monkeypatch, tmp_path):
    monkeypatch.setattr(lab, "LAB", tmp_path / "lab")
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CI", NEEDED):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_npm")
def test_without_it_its_tests_are_skipped():
    with pytest.raises(pytest.skip.Exception, match=f"{NEEDED}=1"):
        need_node()


@pytest.mark.usefixtures("no_npm")
@pytest.mark.parametrize(("name", "value"), [("CI", "true"), (NEEDED, "1")])
def test_in_ci_they_fail(name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    with pytest.raises(pytest.fail.Exception, match="apt-get install nodejs npm"):
        need_node()


def test_our_ci_says_that_it_needs_it():
    assert f"export {NEEDED}=1" in (ROOT / ".ci" / "run").read_text()
