"""
The proxy: one thread and one `poll` loop over plain descriptors; docs/architecture.md says why.

`loop.py` follows the agent to its end, `pump.py` carries one stream.
"""
