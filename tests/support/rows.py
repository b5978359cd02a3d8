"""The rows of a conversation, for tests that do not care for what is told late."""

from acp_spy.capture.records import Header
from acp_spy.view.timeline import Timeline


def rows(records):
    """Give a row for each record that something happened in, as the records come."""
    timeline = Timeline()
    for record in records:
        yield from timeline.feed(record)


class RowsView:
    """As much of a `CaptureView` as a renderer reads, with rows that are there already."""

    masked = False
    masked_places = 0
    diagnosis = None

    def __init__(self, rows, late=(), header=None):
        self.header = header or Header()
        self.rows = lambda: iter(rows)
        self.late = lambda: iter(late)
