"""Findings while the proxy runs, by a process of its own that follows the capture file."""

# The lines that the process writes to the proxy: most are findings, as they will be in the capture,
# and complaints for stderr. The rest are these; the last is followed by the reason.
READY, DONE, FAILED = b"ready", b"done", b"failed: "
