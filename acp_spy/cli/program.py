"""How this acp-spy can be called from anywhere: by an absolute path."""

import os
import shutil
import sys


def absolute_program() -> tuple[str, ...]:
    """
    Return the words that start acp-spy whatever the PATH and the folder are.

    An editor is rarely started from a shell, and so rarely has its PATH.
    """
    beside = os.path.dirname(os.path.abspath(sys.executable))
    if found := shutil.which("acp-spy", path=beside) or shutil.which("acp-spy"):
        return (os.path.abspath(found),)
    return (os.path.abspath(sys.executable), "-m", "acp_spy")
