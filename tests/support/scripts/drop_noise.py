"""A script for `acp-spy --script`: the client gets no line that is not a message."""


def noise(event):
    """Drop it."""
    event.drop()
