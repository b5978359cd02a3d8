"""pytest within a test, in the same process: a tenth of the time of one as a process."""

import gc
import sys
import warnings
from importlib import import_module
from pkgutil import walk_packages

import acp_spy

# Programs of their own, which load packages that nothing else needs.
_NOT_FOR_TESTS = ("acp_spy.console.", "acp_spy.mcp_server.")


def run_pytest(pytester, *words):
    """
    Run pytest; return its result.

    Tests of others may fail, and leave processes and files open. These are let go here: whenever
    else they were found, the test that is run just then would fail.
    """
    done = pytester.runpytest_inprocess(*words)
    del done.reprec  # has the exceptions, and with them all that their frames hold
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        if hasattr(sys, name):
            delattr(sys, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    return done


def load_everything():
    """
    Load acp_spy: modules that the inner pytest loads it forgets, and others load anew.

    Before there is a `pytester`, which forgets what is loaded while a test has it. A package would
    have the old module then, and an import find a new one. What is loaded now is left alone by the
    garbage collector, which each inner pytest calls.
    """
    for name in everything():
        import_module(name)
    gc.collect()
    gc.freeze()


def everything():
    """Return the names of all modules but those of other programs."""
    names = (module.name for module in walk_packages(acp_spy.__path__, "acp_spy."))
    return [
        name
        for name in names
        if not name.endswith("__main__") and not name.startswith(_NOT_FOR_TESTS)
    ]
