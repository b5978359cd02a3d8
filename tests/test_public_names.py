import pytest

import acp_spy


@pytest.mark.parametrize("name", acp_spy.__all__)
def test_every_public_name_resolves_to_what_is_called_so(name):
    assert getattr(acp_spy, name).__name__ == name


def test_the_public_names_are_these():
    """A name added here is a promise; one removed here breaks somebody's program."""
    assert acp_spy.__all__ == [
        "AcpSpyError",
        "Capture",
        "Closed",
        "Divergence",
        "Exit",
        "Finding",
        "Frame",
        "Header",
        "Options",
        "Peer",
        "Player",
        "Rule",
        "Said",
        "Script",
        "Severity",
        "Stderr",
        "assert_clean",
        "check",
        "explain",
        "load",
    ]


def test_all_that_is_public_can_be_had_at_once():
    names = {}
    exec("from acp_spy import *", names)
    assert set(acp_spy.__all__) <= set(names)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError) as caught:
        acp_spy.nothing  # noqa: B018
    assert str(caught.value) == "module 'acp_spy' has no attribute 'nothing'"
    assert not hasattr(acp_spy, "_nothing")


def test_importing_an_unknown_name_is_an_import_error():
    with pytest.raises(ImportError, match="cannot import name 'nothing' from 'acp_spy'"):
        from acp_spy import nothing  # noqa: F401


def test_the_version_is_three_numbers():
    assert [part.isdigit() for part in acp_spy.__version__.split(".")] == [True] * 3
