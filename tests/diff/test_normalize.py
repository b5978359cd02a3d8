"""How a message is normalized before it is compared."""

import json

import pytest

from acp_spy.comparison import normalize


def test_sessions_that_share_a_folder_are_looked_at_once(monkeypatch):
    looked = []
    plain = normalize._plain
    monkeypatch.setattr(normalize, "_plain", lambda folder: looked.append(1) or plain(folder))
    normalizer = normalize.Normalizer({}, {f"s{number}": "/p" for number in range(1000)}, "/q")
    assert len(looked) < 2000
    assert normalizer.message(["/p/a", "/q/a"], "s7", {}) == '["<cwd>/a","<other cwd>/a"]'


@pytest.mark.parametrize("folder", ["\tmp/x", "\n/x", "tmp/x", "\\tmp/x", '"/x', "\x01/x"])
@pytest.mark.parametrize(
    "text", ["see {0} and C:\\tmp/x", "\\n/x {0}", "\tmp/x", '\\"/x', "\\u0001/x"]
)
def test_a_folder_that_looks_like_the_rest_of_an_escape_is_no_part_of_one(folder, text):
    normalizer = normalize.Normalizer({}, {"s": folder}, "/q")
    message = json.loads(normalizer.message([text.format(folder)], "s", {}))
    left = message[0].replace("<cwd>", folder)
    assert left == text.format(folder)
