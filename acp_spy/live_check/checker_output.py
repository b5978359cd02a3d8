"""
The lines that the checker's process writes to the proxy.

Most are findings, as they will be in the capture, and complaints for stderr. The rest are these;
`FAILED` is followed by the reason.
"""

READY, DONE, FAILED = b"ready", b"done", b"failed: "
