"""How a message is normalized before it is compared."""

import json

import pytest

from acp_spy.comparison import normalize


def test_a_session_has_its_own_folder_and_those_of_others():
    folders = {f"s{number}": f"/p/{number % 100}" for number in range(1000)}
    normalizer = normalize.Normalizer({}, folders, "/q")
    said = normalizer.message(["/p/7/a", "/p/77/a", "/q/a"], "s107", {})
    assert said == '["<cwd>/a","<other cwd>/a","<other cwd>/a"]'


@pytest.mark.parametrize("folder", ["\tmp/x", "\n/x", "tmp/x", "\\tmp/x", '"/x', "\x01/x"])
@pytest.mark.parametrize(
    "text", ["see {0} and C:\\tmp/x", "\\n/x {0}", "\tmp/x", '\\"/x', "\\u0001/x"]
)
def test_a_folder_that_looks_like_the_rest_of_an_escape_is_no_part_of_one(folder, text):
    normalizer = normalize.Normalizer({}, {"s": folder}, "/q")
    message = json.loads(normalizer.message([text.format(folder)], "s", {}))
    left = message[0].replace("<cwd>", folder)
    assert left == text.format(folder)
