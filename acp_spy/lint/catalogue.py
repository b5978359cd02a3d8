"""Every rule there is, by code."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules import capability, framing, jsonrpc, lifecycle, schema

FAMILIES = (framing, jsonrpc, schema, lifecycle, capability)
CATALOGUE: dict[str, Rule] = {
    rule.code: rule
    for rule in sorted((rule for family in FAMILIES for rule in family.RULES), key=lambda r: r.code)
}
