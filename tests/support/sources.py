"""What the package's own files say, read once."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
# A statement has its own line, says ruff; to parse whole modules takes twenty times as long.
_IMPORT = re.compile(
    r"^[ \t]*((?:from +[\w.]+ +)?import +(?:\([^)]*\)|[\w., ]+?(?=\s*(?:#|$))))", re.MULTILINE
)


@cache
def imports() -> frozenset[tuple[str, str]]:
    """Return every import in the package: the module that it is in, and the name imported."""
    package = ROOT / "acp_spy"
    return frozenset(
        (place, name)
        for path in package.rglob("*.py")
        for place in [str(path.relative_to(package))]  # which takes longer than all else here
        for statement in _IMPORT.findall(path.read_text())
        for name in _names(ast.parse(statement).body[0])
    )


def _names(node):
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
