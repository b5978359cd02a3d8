"""
Findings while the proxy runs, by a process of its own that follows the capture file.

`checker.py` is the proxy's side. In the process itself `quiet_period.py` says when to work,
`follow.py` checks, and `findings_writer.py` gets the findings into the capture.
"""

# The lines that the process writes to the proxy: most are findings, as they will be in the capture,
# and complaints for stderr. The rest are these; the last is followed by the reason.
READY, DONE, FAILED = b"ready", b"done", b"failed: "
