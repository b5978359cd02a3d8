"""Content: blocks, and what goes with a message."""

import pytest
from support.lifecycle import announce, codes, line, work

from acp_spy.lint.rules.lifecycle import _opening


def test_a_block_in_tool_content_is_looked_into():
    image = {"type": "image", "mimeType": "text/plain", "data": "no base64"}
    lines = announce(content=[{"type": "content", "content": image}])
    found = work(lines)
    assert [(finding.code, finding.path) for finding in found] == [
        ("LIF147", "/params/update/content/0/content/data"),
        ("LIF148", "/params/update/content/0/content/mimeType"),
    ]


@pytest.mark.parametrize(
    ("meta", "is_fine"),
    [
        ({"tracestate": "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"}, True),
        ({"baggage": "userId=alice,isProduction=false;meta=1"}, True),
        ({"traceparent": "00-00000000000000000000000000000000-7a085853722dc6d2-01"}, False),
        ({"traceparent": None}, False),
        ({"baggage": {"userId": "alice"}}, False),
        ({"tracestate": "no pair"}, False),
        ({"trace": 1}, True),
    ],
)
def test_trace_context_has_its_form(meta, is_fine):
    cancel = line("->", method="session/cancel", params={"sessionId": "s1", "_meta": meta})
    assert codes(cancel, cancel, start=_opening.SESSION) == ([] if is_fine else ["LIF150"])
