"""
The command line: where the rooms are put together. One module per command.

`entry.py` decides which; the proxy's own path from there imports nothing that it can do without.
"""
