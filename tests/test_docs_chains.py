"""What docs/chains.md shows is so."""

import re
import shlex
from pathlib import Path

import pytest
from support.in_process import acp_spy

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "chains.md").read_text()
SHOWN = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("shown", SHOWN, ids=["chain", "mcp", "stats"])
def test_the_command_gives_the_output_that_is_shown(shown):
    command, _, output = shown.removeprefix("$ acp-spy ").partition("\n")
    done = acp_spy(*shlex.split(command), cwd=ROOT, env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert done == (output, "", 0)
