"""An agent without a process: the test is the agent, at the other ends of its pipes."""

import os


def open_descriptors() -> set[int]:
    """Return what this process has open; but for the one by which that is listed."""
    return {fd for fd in map(int, os.listdir("/dev/fd")) if os.path.exists(f"/dev/fd/{fd}")}


class FakeAgent:
    """Our ends of its pipes, and theirs; it ends when the test says so, or with a signal."""

    def __init__(self) -> None:
        self.reads, self.stdin = os.pipe()
        self.stdout, self.writes = os.pipe()
        self.stderr, self.logs = os.pipe()
        self._end, self._lives = os.pipe()
        self.signals: list[int] = []

    def watch_end(self) -> int:
        return self._end

    def exit(self, *, closing: tuple[str, ...] = ("reads", "writes", "logs")) -> None:
        for name in closing:
            self.close(name)
        os.close(self._lives)

    def close(self, name: str) -> None:
        os.close(getattr(self, name))

    def send(self, number: int) -> bool:
        self.signals.append(number)
        return True

    def is_exiting(self) -> bool:
        return False

    def reap(self) -> int:
        return 7
