"""Every rule there is, by code."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules import capability, dialect, framing, jsonrpc, lifecycle, schema

FAMILIES = (framing, jsonrpc, schema, lifecycle, capability, dialect)
CATALOGUE: dict[str, Rule] = {
    rule.code: rule
    for rule in sorted((rule for family in FAMILIES for rule in family.RULES), key=lambda r: r.code)
}
