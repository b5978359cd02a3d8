"""A wrong command line is told in words for the user."""

import pytest
from support.in_process import acp_spy

from acp_spy.cli.complaint import complaint


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["check", "--format", "xml"],
            (
                "error: `--format` is `xml`; expected one of `full`, `concise`, `json`, `github`,"
                " `sarif`, `junit`\nhint: acp-spy check --help\n"
            ),
        ),
        (
            ["view", "--frame", "x"],
            "error: `--frame` must be a whole number\nhint: acp-spy view --help\n",
        ),
        (
            ["prune", "--keep", "all"],
            "error: `--keep` must be a whole number\nhint: acp-spy prune --help\n",
        ),
        (
            ["prune", "--keep", "-1"],
            "error: `--keep` must be 0 or more\nhint: acp-spy prune --help\n",
        ),
        (
            ["replay", "agent", "x", "--timeout", "long"],
            "error: `--timeout` must be a number\nhint: acp-spy replay agent --help\n",
        ),
    ],
)
def test_a_wrong_value_is_told_in_our_words(words, said):
    assert acp_spy(*words) == ("", said, 2)


def test_what_we_do_not_know_is_passed_on():
    assert complaint("No such option: --x") == "No such option: --x"
    assert complaint("Invalid value for '--x': Value error, odd") == "`--x`: odd"
