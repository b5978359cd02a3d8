"""All fixes, by the code of the rule that they belong to, in the order in which they are tried."""

from acp_spy.lint.fixes import envelopes, lines, shapes
from acp_spy.lint.fixes.fix import Fix

FIXES: dict[str, Fix] = {fix.code: fix for fix in (*lines.FIXES, *envelopes.FIXES, *shapes.FIXES)}
