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
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            printed = done.stdout.replace(f"{folder}/", "/tmp/")
            assert _without_what_varies(printed) == _without_what_varies(shown), command


def _commands_of(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output that follows it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def _without_what_varies(text: str) -> str:
    """Return `text` without durations, and without line numbers of a live capture."""
    return re.sub(r"\d+\.\d+ s\b", "# s", re.sub(r"\.jsonl:\d+:", ".jsonl:#:", text))
