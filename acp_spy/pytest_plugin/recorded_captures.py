"""
What was recorded in this run of pytest: by this process, or by another worker of pytest-xdist.

A capture is recorded once in a run; of several tests that play it, the first to pass records. The
workers share nothing but a folder, so what is recorded has a file there.
"""

import hashlib
import os
from pathlib import Path


class RecordedCaptures:
    """
    The recorded captures. `base` is where pytest's temporary folders of this process are.

    `run` is the id of the run that this process is a worker of, by pytest-xdist; else empty.
    """

    def __init__(self, base: Path, run: str) -> None:
        # A worker's is one of several in the run's own, which may have been used before.
        self.is_shared = bool(run)  # with other workers
        self._folder = base.parent / f"acp-spy-{run}" if run else base / "acp-spy-recorded"

    def __contains__(self, path: str) -> bool:
        return self._file(path).exists()

    def add(self, path: str) -> bool:
        """Note that a capture is about to be replaced; `False` if another was faster."""
        self._folder.mkdir(exist_ok=True)
        try:
            self._file(path).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def _file(self, path: str) -> Path:
        return self._folder / hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
