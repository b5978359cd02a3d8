"""A new recording of a capture: recorded apart, and put in its place when the test has passed."""

import os

from acp_spy.pytest_plugin.mock import ACP_SPY, wait_until


class NewRecording:
    """
    A recording of the real agent that will become the capture at `path`.

    It is made in `folder`, which is the test's own: a test that fails leaves the old one as it was.
    """

    def __init__(self, path: str, folder: str, *, shown: str) -> None:
        self.path = path
        self.shown = shown
        self.output = os.path.join(folder, os.path.basename(path))
        self._folder = folder

    def argv(self, command: list[str]) -> list[str]:
        """Return the command line of the real agent, recorded."""
        return [*ACP_SPY, "-o", self.output, "--no-check", "--", *command]

    def wait(self) -> None:
        """Give the recorder the time to end."""
        wait_until(lambda: not any(map(_is_written, self._recordings())))

    def trouble(self) -> str:
        """Return why there is nothing to keep; empty if there is."""
        count = len(self._recordings())
        if count == 1:
            return ""
        if not count:
            return f"{self.shown} was not recorded: the agent's command was never started"
        return (
            f"{self.shown} was not recorded: the agent was started {count} times\n"
            "hint: a capture is one conversation; ask for a mock of its own for each"
        )

    def keep(self) -> None:
        """Put the recording in its place, without the secrets that can be found."""
        from acp_spy.capture.codec import encode
        from acp_spy.capture.files import read
        from acp_spy.secrets.redactor import masked

        records = masked(lambda: read(self.output))
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        beside = f"{self.path}.{os.getpid()}"
        with open(beside, "wb") as file:
            file.writelines(encode([record]) for record in records())
        os.replace(beside, self.path)

    def _recordings(self) -> list[str]:
        return [os.path.join(self._folder, name) for name in sorted(os.listdir(self._folder))]


def _is_written(path: str) -> bool:
    from acp_spy.capture.lock import is_held, open_to_look

    descriptor = open_to_look(path)
    try:
        return is_held(descriptor)
    finally:
        os.close(descriptor)
