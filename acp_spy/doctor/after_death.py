"""
What is done if we are killed: by a signal that cannot be caught, or by one that ends us at once.

A shell waits for the end of a pipe that only we hold open. It works for any death and from any
thread: a handler of signals would be for the main thread, and the kernel's signal at the death of a
parent comes at the end of the thread that has started the child, which trio may end before.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_WATCH = "read -r line || {{ {}; }}"


@contextmanager
def after_our_death(script: str, *words: str) -> Iterator[None]:
    """If we die before the end of this, let a shell run `script`, with `words` as `$1`, `$2`."""
    watcher = None
    with suppress(OSError):  # no shell, or no more processes: then it is not done
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH.format(script), "sh", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # what ends our process group, or terminal, does not end it
        )
    try:
        yield
    finally:
        if watcher:
            watcher.kill()  # before its stdin is closed
            watcher.communicate()
