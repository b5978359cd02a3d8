"""What is said of a test."""

from acp_spy.pytest_plugin.mock import masked


def test_a_secret_that_is_cut_takes_no_other_line_with_it():
    said = (
        'got {"env": "DB_PASSWORD=Tr0ub4dor&3…\n  - /result/stopReason: "end_turn"\n  + "refusal"'
    )
    assert masked(said) == said.replace("Tr0ub4dor&3…", "redacted-env-1")
