"""`acp-spy diff` as people run it: statuses, formats, and what cannot be read."""

import json
from pathlib import Path

import pytest
from support.in_process import acp_spy
from support.talks import write_two_days

FIXTURES = Path(__file__).parents[2] / "fixtures"


def test_a_capture_and_itself_are_equal():
    path = str(FIXTURES / "example.jsonl")
    out, err, status = acp_spy("diff", path, path)
    assert (err, status) == ("", 0)
    assert "\nNo difference in 10 messages (10 frames)\n" in out
    out, err, status = acp_spy("diff", path, path, "--format", "json")
    assert (json.loads(out)["equal"], err, status) == (True, "", 0)


def test_what_differs_is_status_1_in_either_format(tmp_path):
    write_two_days(tmp_path)
    for form in ("text", "json"):
        out, err, status = acp_spy(
            "diff", "monday.jsonl", "tuesday.jsonl", "--format", form, cwd=tmp_path
        )
        assert (err, status) == ("", 1)
        assert "\x1b" not in out


@pytest.mark.parametrize("name", ["damaged-in-the-middle", "format-from-the-future", "missing"])
def test_what_cannot_be_read_is_an_error_with_a_hint(name):
    out, err, status = acp_spy(
        "diff", str(FIXTURES / "example.jsonl"), str(FIXTURES / f"{name}.jsonl")
    )
    assert (out, status) == ("", 2)
    assert err.startswith("error: cannot read `")
    assert "\nhint: " in err
