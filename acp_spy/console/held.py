"""The frames that a run holds, and what can be done with them."""

from acp_spy.console.panes import LinesPane


class HeldPanel(LinesPane):
    """
    The held frames of the run that records the capture at `path`.

    `act` is called for the keys: `intercept`, `release`, `release_all`, `edit`, `drop`, `revert`.
    `self.screen.ask(label, text, then)` asks for a line of text, `self.app.suspend()` gives the
    terminal to another program, and `self.app.notify(text)` says something.
    """

    def __init__(self, path: str, **more: str) -> None:
        super().__init__(**more)
        self.path = path

    def on_mount(self) -> None:
        """Say that there is nothing yet."""
        self.show([[("dim", "no run with a control socket records this capture")]])

    @property
    def summary(self) -> str:
        """What the tab says: how many frames are held; empty if none can be."""
        return ""

    def act(self, action: str) -> None:
        """Do something with the held frame."""
        self.app.notify(f"cannot {action.replace('_', ' ')}: no frame is held")
