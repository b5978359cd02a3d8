"""A capture played again by real processes, in its order: the test is the client, a puppet the agent."""

import socket

from support.processes import Peer, Starter, python

from acp_spy import Closed, Exit, Frame, Stderr

# Does what it is told over a socket, and says when it has done so.
PUPPET = python(
    """
    import os, socket, sys
    strings = socket.socket(fileno=int(sys.argv[1]))
    orders = strings.makefile("rb")
    def write(number, data):
        while data:
            data = data[os.write(number, data):]
    while order := orders.readline():
        what, number = order.split()
        number = int(number)
        if what == b"read":
            while number:
                number -= len(os.read(0, number))
        elif what == b"say":
            write(1, orders.read(number))
        elif what == b"mutter":
            write(2, orders.read(number))
        elif what == b"close":
            os.close(1)
        elif what == b"exit":
            os._exit(number)
        strings.sendall(b".")
    """
)


class Play:
    """A puppet behind the proxy, and the client that talks to it."""

    def __init__(self, start: Starter, *options: str) -> None:
        ours, theirs = socket.socketpair()
        self._strings = ours
        descriptor = theirs.fileno()
        command = [*PUPPET, str(descriptor)]
        self.peer: Peer = start(command, *options, pass_fds=(descriptor,))
        theirs.close()
        self._client_has_closed = self._agent_has_closed = False

    def order(self, what: str, number: int = 0) -> None:
        """Have the puppet do something, and wait until it has."""
        self._strings.sendall(f"{what} {number}\n".encode())
        if what != "exit":
            self._wait()

    def _wait(self) -> None:
        assert self._strings.recv(1) == b"."

    def _from_agent(self, how: str, raw: bytes, descriptor: int) -> None:
        step = 32 * 1024  # less than a pipe holds
        for start in range(0, len(raw), step):
            part = raw[start : start + step]
            self._strings.sendall(f"{how} {len(part)}\n".encode() + part)
            assert self.peer.read(len(part), descriptor) == part
            self._wait()

    def play(self, records) -> None:
        """Do what the records say, each only when the one before it has arrived."""
        for record in records:
            match record:
                case Frame(sender=sender, raw=raw) if sender.value == "client":
                    if not self._client_has_closed:
                        self._from_client(raw)
                case Frame(raw=raw):
                    if not self._agent_has_closed:
                        self._from_agent("say", raw, self.peer.stdout)
                case Stderr(raw=raw):
                    self._from_agent("mutter", raw, self.peer.stderr)
                case Closed(sender=sender) if sender.value == "client":
                    self.peer.close_stdin()
                    self._client_has_closed = True
                case Closed():
                    self.order("close")
                    self._agent_has_closed = True
                case Exit(status=status):
                    self.order("exit", status % 256)

    def _from_client(self, raw: bytes) -> None:
        step = 32 * 1024  # less than a pipe holds
        for start in range(0, len(raw), step):
            self.peer.send(raw[start : start + step])
            self.order("read", len(raw[start : start + step]))

    def end(self) -> int:
        """End both sides, if they have not ended yet, and return the status."""
        self._strings.close()
        self.peer.close_stdin()
        return self.peer.wait()
