import pytest

from acp_spy.view.findings.excerpt import excerpt
from acp_spy.wire.frame import Frame, Peer


def cut(raw, pointer=""):
    shown = excerpt(Frame(1, 0.5, Peer.AGENT, raw), pointer)
    return shown.before, shown.place, shown.after


@pytest.mark.parametrize(
    ("raw", "pointer", "parts"),
    [
        (b'{"a": 1, "b": 2}\n', "", ('{"a": 1, "b": 2}', "", "")),
        (b'{"a": 1, "b": 2}\r\n', "/a", ("{", '"a": 1', ', "b": 2}')),
        (b'{"a": [1]}\n', "/a", ("{", '"a"', ": [1]}")),
        (b'{"a": [1]}\n', "/a/0", ('{"a": [', "1", "]}")),
        (b'{"a": [[]]}\n', "/a/0", ('{"a": [', "[", "]]}")),
        (b'{"a": {"b": 1}}\n', "/a/c", ("{", '"a"', ': {"b": 1}}')),
        (b'{"a": 1}\n', "/z", ('{"a": 1}', "", "")),
        (b"caf\xe9\n", "/a", ("caf\\xe9", "", "")),
        (b"", "", ("", "", "")),
    ],
)
def test_a_frame_is_parted_at_the_place(raw, pointer, parts):
    assert cut(raw, pointer) == parts


def test_of_a_large_frame_only_what_can_be_seen_is_kept():
    raw = b'{"a": "%b", "here": 1, "b": "%b"}' % (b"x" * 1_000_000, b"y" * 1_000_000)
    before, place, after = cut(raw, "/here")
    assert before.startswith("…xxx")
    assert place == '"here": 1'
    assert after.endswith("yyy…")
    assert len(before + place + after) < 3000


def test_who_sent_it_and_when_is_kept():
    shown = excerpt(Frame(7, 1.25, Peer.CLIENT, b"{}\n"))
    assert (shown.t, shown.sender) == (1.25, Peer.CLIENT)
