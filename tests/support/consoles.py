"""The `console` blocks of a page: each command is run, and must print what the page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_console_blocks(page: str, folder: Path) -> None:
    """Run the commands of `page` in `folder`, which the page calls /tmp, and compare the outputs."""
    blocks = BLOCK.findall(page)
    assert blocks
    for block in blocks:
        for command, shown in _commands_of(block):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
                capture_output=True,
                text=True,
                check=False,
            )
            # Which of the two streams is the first to say something is nobody's promise.
            out, err = (
                _lines(text.replace(f"{folder}/", "/tmp/")) for text in (done.stdout, done.stderr)
            )
            assert [line for line in _lines(shown) if line in out] == out, command
            assert [line for line in _lines(shown) if line not in out] == err, command


def _commands_of(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output that follows it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def _lines(text: str) -> list[str]:
    """Return the lines without durations, and without line numbers of a live capture."""
    text = re.sub(r"\d+\.\d+ s\b", "# s", re.sub(r"\.jsonl:\d+:", ".jsonl:#:", text))
    return text.splitlines()
