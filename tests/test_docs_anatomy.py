"""What docs/anatomy.md shows is in the recordings."""

import re
import shlex
from pathlib import Path

from support.in_process import acp_spy

from acp_spy import load

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "anatomy.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_commands_give_the_outputs_that_are_shown():
    assert len(blocks("console")) == 2
    for block in blocks("console"):
        command, _, output = block.removeprefix("$ acp-spy ").partition("\n")
        shown = acp_spy(*shlex.split(command), cwd=ROOT, env={"COLUMNS": "80"})
        assert shown == (output, "", 0)


def test_the_frames_are_shown_as_they_were_sent():
    sent = {
        frame.raw.decode()
        for name in ("kimi", "codex")
        for frame in load(ROOT / "recordings" / f"{name}.jsonl").frames
    }
    assert len(blocks("json")) > 5
    assert [block for block in blocks("json") if block not in sent] == []
