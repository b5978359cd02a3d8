"""The one exception that is meant for the person at the keyboard."""

NO_MEMORY = "out of memory"


class AcpSpyError(Exception):
    """
    Something that the person at the keyboard can act on.

    `message` says what is wrong and where, `hint` what to do next. Mistakes of a programmer
    are builtin exceptions instead, and what is wrong in the traffic is a value, never raised.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")  # for those who see it as a traceback, in a test
