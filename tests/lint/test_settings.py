import tomllib

import pytest

from acp_spy.errors import AcpSpyError
from acp_spy.lint.rule import Severity
from acp_spy.lint.settings import Settings, settings_from, severity_from


def read(text):
    return settings_from(tomllib.loads(text), "acp-spy.toml")


def test_an_empty_table_is_the_defaults():
    assert read("") == Settings()
    assert Settings() == Settings((), (), {}, "error", "auto", "auto", "full")


def test_every_key_can_be_set():
    settings = read(
        """
        select = ["RPC", "FRM001,FRM002"]
        ignore = "noise"
        fail-on = "never"
        spec = "v1-unstable"
        dialect = "crow"
        format = "concise"
        [severity]
        RPC007 = "warning"
        SCH = "note"
        """
    )
    assert settings == Settings(
        select=("RPC", "FRM001", "FRM002"),
        ignore=("noise",),
        severity={"RPC007": Severity.WARNING, "SCH": Severity.NOTE},
        fail_on="never",
        spec="v1-unstable",
        dialect="crow",
        format="concise",
    )


KEYS = (  # all
    "The keys are `select`, `ignore`, `severity`, `fail-on`, `spec`, `dialect`, `format`,"
    " `max-duration`, `max-turn`, `max-first-update`, `expect-tool`, `forbid-tool`, `expect-stop`"
)
WORDS = 'expected a list of codes, families or names, as in ["RPC", "FRM001"]'
LEVELS = "expected one of `error`, `warning`, `note`"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("selct = []", "no such key: `selct`", f"did you mean `select`? {KEYS}"),
        ("fail_on = 'note'", "no such key: `fail_on`", f"did you mean `fail-on`? {KEYS}"),
        ("x = 1", "no such key: `x`", KEYS),
        ("select = 1", "`select` is `1`", WORDS),
        ("select = ['RPC', 1]", "`select` is a list", WORDS),
        ("ignore = {a = 1}", "`ignore` is a dict", WORDS),
        (
            "severity = 'error'",
            "`severity` is `error`",
            'expected a table, as in {RPC007 = "warning"}',
        ),
        ("severity = {RPC007 = 'bad'}", "`severity.RPC007` is `bad`", LEVELS),
        ("severity = {RPC007 = 'never'}", "`severity.RPC007` is `never`", LEVELS),
        ("fail-on = 'all'", "`fail-on` is `all`", f"{LEVELS}, `never`"),
        ("fail-on = false", "`fail-on` is `False`", f"{LEVELS}, `never`"),
        ("spec = 1", "`spec` is `1`", "expected one of `auto`, `v1`, `v1-unstable`, `v2`"),
        (
            "dialect = 'crow '",
            "`dialect` is `crow `",
            "expected one of `auto`, `acp`, `crow`, `threads`, `quickref`, `jetbrains`, `acpex`",
        ),
        (
            "format = ['json']",
            "`format` is a list",
            "expected one of `full`, `concise`, `json`, `github`, `sarif`, `junit`",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(text, message, hint):
    with pytest.raises(AcpSpyError) as caught:
        read(text)
    assert caught.value.message == f"acp-spy.toml: {message}"
    assert caught.value.hint == hint


def test_a_rule_that_is_named_again_and_again_is_looked_for_once():
    table = {"ignore": ["RPC001", "RPC002,RPC001"] * 1000}
    assert settings_from(table, "acp-spy.toml").ignore == ("RPC001", "RPC002")


def test_severities_are_read_from_the_command_line():
    assert severity_from(["RPC007=warning,SCH=note", "noise=error"]) == {
        "RPC007": Severity.WARNING,
        "SCH": Severity.NOTE,
        "noise": Severity.ERROR,
    }


@pytest.mark.parametrize("word", ["RPC007", "RPC007=", "RPC007=never", "error=RPC007"])
def test_a_severity_that_cannot_be_meant_is_refused(word):
    with pytest.raises(AcpSpyError) as caught:
        severity_from([word])
    level = word.partition("=")[2]
    assert caught.value.message == (
        f"no such severity: `{level}` in `{word}`" if level else f"missing severity: `{word}`"
    )
    assert caught.value.hint == (
        "write it as CODE=SEVERITY; the severity is `error`, `warning` or `note`"
    )
