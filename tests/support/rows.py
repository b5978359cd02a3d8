"""The rows of a conversation, for tests that do not care for what is told late."""

from acp_spy.view.timeline import Timeline


def rows(records):
    """Give a row for each record that something happened in, as the records come."""
    timeline = Timeline()
    for record in records:
        yield from timeline.feed(record)
