"""The page's script without a page: what needs no browser is run by node, which starts at once."""

import json
import shutil
import subprocess

from support.needs import do_without
from support.processes import DEADLINE

from acp_spy.view.html import SCRIPTS, script_of

NEEDED = "ACP_SPY_NEEDS_NODE"  # .ci/run sets it
# The first ones only declare; what comes after `search` looks for the page's elements.
PURE = SCRIPTS[: SCRIPTS.index("search") + 1]


def run_script(program: str, given: object, more: str = "") -> object:
    """
    Return what `program`, a function in JavaScript, makes of `given`; `acpSpy` is there for it.

    `more` are scripts besides those of the page.
    """
    node = shutil.which("node") or do_without(NEEDED, "there is no node: `apt-get install nodejs`")
    source = (
        f"{script_of(PURE)}\n{more}\nconsole.log(JSON.stringify(({program})({json.dumps(given)})));"
    )
    done = subprocess.run(
        [node, "-"], input=source, capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
