"""Which user is at the other end of a connection on this machine, where the system tells: Linux."""

import os
import sys
from contextlib import suppress
from typing import Any

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")  # a client may have a socket for both
_LOCAL, _REMOTE, _USER, _INODE = 1, 2, 7, 9  # fields of a line
_ROOT = 0  # may do all things anyhow; and forwards connections, as into a virtual machine
# The system gives a table in parts, and may leave out a line if others go meanwhile, which somebody
# may bring about: in one of hundreds of tries, not in eight in a row.
_TRIES = 8


def is_stranger(socket: Any) -> bool:
    """
    Whether another user has made a connection, so that it must not have what the link is for.

    Also one that has gone, or has no line in tables in which our end has one: it hides.
    """
    is_known = False
    try:
        theirs, ours = _spelled(socket.getpeername()), _spelled(socket.getsockname())
        for _ in range(_TRIES):
            lines = [line for table in _TABLES for line in _lines(table)]
            if users := _users(lines, theirs, ours):
                return not _own_users().issuperset(users)
            is_known = is_known or bool(_users(lines, ours, theirs))
        socket.getpeername()
    except OSError:  # it has gone
        return True
    return is_known


def _own_users() -> set[int]:
    """Return our user, and the one who has become root to start us: the browser is theirs."""
    users = {_ROOT, os.geteuid()}
    with suppress(KeyError, ValueError):
        users.add(int(os.environ["SUDO_UID"]))
    return users


def _lines(table: str) -> list[str]:
    try:
        with open(table, encoding="ascii") as file:
            return file.readlines()
    except OSError:
        return []


def _users(lines: list[str], local: str, remote: str) -> list[int]:
    """Return who is at the end `local` of a connection; nobody, if that is closed."""
    found = (line.split() for line in lines if local in line)
    return [
        int(fields[_USER])
        for fields in found
        if fields[_LOCAL].endswith(local)
        and fields[_REMOTE].endswith(remote)
        and fields[_INODE] != "0"
    ]


def _spelled(address: tuple[str, int]) -> str:
    """Return an address as the tables spell it: `0100007F:1F90`."""
    host, port = address[:2]
    number = int.from_bytes(bytes(map(int, host.split("."))), sys.byteorder)
    return f"{number:08X}:{port:04X}"
