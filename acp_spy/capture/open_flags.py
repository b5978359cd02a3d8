"""Flags for `os.open` that not every platform has; where one is missing, it is nothing."""

import os

CLOEXEC: int = getattr(os, "O_CLOEXEC", 0)  # Windows: descriptors are not inherited anyway
NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
BINARY: int = getattr(os, "O_BINARY", 0)  # Windows: bytes as they are, ends of lines included
