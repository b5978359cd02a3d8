"""End without a word when whoever reads our output has seen enough, as `head` has."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """Take a closed stdout as the reader's word that it wants no more."""
    try:
        yield
    except BrokenPipeError:
        silence_stdout()


def silence_stdout() -> None:
    """Let what is still buffered go nowhere: the interpreter would flush it on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
