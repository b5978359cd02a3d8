import pytest
from support import families
from support.families import for_each

pytest_plugins = ["pytester"]


def test_all_that_fail_are_named_and_why():
    @for_each([1, 2, 3], lambda number: f"number {number}")
    def test_is_one(number):
        assert number == 1, "is not one"

    assert test_is_one.__name__ == "test_is_one"
    with pytest.raises(AssertionError) as failure:
        test_is_one()
    told = str(failure.value)
    assert "number 1" not in told
    assert "number 2: is not one" in told
    assert "number 3: is not one" in told


FAMILIES = """
import pytest

@pytest.mark.parametrize("number", range(4))
def test_small(number):
    assert number % 2, "is even"

@pytest.mark.parametrize("number", range(4))
def test_with_a_fixture(number, tmp_path):
    pass

@pytest.mark.parametrize("number", range(2))
def test_of_few(number):
    pass

@pytest.mark.parametrize("number", range(3))
def test_that_skips(number):
    pytest.skip("not here")

@pytest.fixture(params=range(4))
def made(request):
    return request.param + 1

def test_made(made):
    pass
"""


def test_workers_run_small_tests_without_fixtures_as_one(pytester, monkeypatch):
    monkeypatch.setattr(families, "TESTS", pytester.path)
    items = families.merged(pytester.getitems(FAMILIES))
    names = [item.name for item in items]
    assert names[0] == "test_small[0], 4 in one"
    assert "test_that_skips[0], 3 in one" in names
    assert len(items) == 1 + 4 + 2 + 1 + 4
    monkeypatch.setenv("ACP_SPY_DIR", str(pytester.path))
    with pytest.raises(BaseExceptionGroup) as failure:
        items[0].obj()
    notes = [error.__notes__[-1].partition("::")[2] for error in failure.value.exceptions]
    assert notes == ["test_small[0]", "test_small[2]"]
    with pytest.raises(pytest.skip.Exception):
        items[names.index("test_that_skips[0], 3 in one")].obj()
