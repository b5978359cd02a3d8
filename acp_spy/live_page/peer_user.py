"""Which user is at the other end of a connection on this machine, where the system tells: Linux."""

import os
import sys
from contextlib import suppress
from typing import Any

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")  # a client may have a socket for both
_LOCAL, _REMOTE, _USER, _INODE = 1, 2, 7, 9  # fields of a line
_ROOT = 0  # may do all things anyhow; and forwards connections, as into a virtual machine


def is_stranger(socket: Any) -> bool:
    """
    Whether another user has made a connection, so that it must not have what the link is for.

    One that the system does not know is of nobody on this machine, and one whose end is closed gets
    no answer.
    """
    user = _user_of(socket)
    return user is not None and user not in _own_users()


def _own_users() -> set[int]:
    """Return our user, and whoever has become root to start us: the browser is theirs."""
    users = {_ROOT, os.geteuid()}
    with suppress(KeyError, ValueError):
        users.add(int(os.environ["SUDO_UID"]))
    return users


def _user_of(socket: Any) -> int | None:
    """Return who has made the connection; nothing if the system does not say."""
    try:
        theirs, ours = _spelled(socket.getpeername()), _spelled(socket.getsockname())
    except OSError:  # it has gone
        return None
    for name in _TABLES:
        with suppress(OSError), open(name, encoding="ascii") as table:
            for line in table:
                if theirs not in line:
                    continue
                fields = line.split()
                is_it = fields[_LOCAL].endswith(theirs) and fields[_REMOTE].endswith(ours)
                if is_it and fields[_INODE] != "0":  # whose end is closed is of nobody
                    return int(fields[_USER])
    return None


def _spelled(address: tuple[str, int]) -> str:
    """Return an address as the tables spell it: `0100007F:1F90`."""
    host, port = address[:2]
    number = int.from_bytes(bytes(map(int, host.split("."))), sys.byteorder)
    return f"{number:08X}:{port:04X}"
