"""Stand in for the tap when that cannot even be imported: the traffic comes first."""


class NoTap:
    """Takes everything and keeps nothing."""

    path = ""
    counts = (0, 0)

    def client(self, chunk: bytes) -> None:
        """Take nothing."""

    agent = stderr = client

    def client_end(self) -> None:
        """Take nothing."""

    agent_end = check_file = client_end

    def exit(self, status: int, undelivered: dict[str, int], reason: str = "") -> None:
        """Take nothing."""
