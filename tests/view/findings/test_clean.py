"""`assert_clean`: what it lets pass, and its words when it does not."""

from pathlib import Path

import pytest

from acp_spy import AcpSpyError, Capture, Header, assert_clean, load
from acp_spy.capture.transcript import parse

FIXTURES = Path(__file__).parents[3] / "fixtures"
WRONG = FIXTURES / "with-findings.jsonl"


def shown(*arguments, **options):
    with pytest.raises(AssertionError) as caught:
        assert_clean(*arguments, **options)
    return str(caught.value)


def test_what_is_found_is_told_as_check_tells_it(capfdbinary):
    from acp_spy.cli.app import run_app

    run_app(["check", str(WRONG), "--format", "concise"])
    lines = capfdbinary.readouterr().out.decode()
    assert shown(WRONG, fail_on="note") == f"2 findings in {WRONG}\n{lines}".rstrip("\n")


def test_a_capture_in_memory_does_as_well():
    assert shown(load(WRONG), select="FRM004") == (
        "1 finding in capture\n"
        "capture: error FRM004 `[info] ready` is a log line (before `initialize` was answered);"
        " only JSON-RPC messages are allowed on stdout (agent must fix, frame 2)"
    )


def test_a_mistake_in_many_places_is_one_line():
    lines = [f'-> {{"id":{number},"method":"x","params":{{}}}}\n' for number in (1, 2, 3)]
    capture = Capture(Header(), tuple(parse("".join(lines))))
    assert shown(capture, select=["missing-jsonrpc"]) == (
        "3 findings in capture\n"
        'capture: error RPC001 `jsonrpc` is missing; expected `"2.0"`'
        " (client must fix, frame 1, 3 times, also in frames 2, 3)"
    )


def test_what_is_ignored_or_too_mild_passes():
    everything = ["FRM", "unanswered-request"]
    assert_clean(WRONG, ignore=everything, fail_on="note")
    assert_clean(WRONG, ignore="FRM,RPC", fail_on="warning")
    assert_clean(WRONG, fail_on="never")
    assert shown(WRONG, fail_on="warning").splitlines()[0] == f"2 findings in {WRONG}"


def test_a_dialect_is_judged_by_its_own_document():
    assert "DIA001" in shown(FIXTURES / "dialect-threads.jsonl", fail_on="note")
    assert_clean(FIXTURES / "dialect-threads.jsonl", dialect="threads")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fail_on": "notes"}, "no such `fail_on`: `notes`"),
        ({"spec": "3"}, "no such `spec`: `3`"),
        ({"dialect": "threat"}, "no such `dialect`: `threat`"),
        ({"ignore": "FRM999"}, "no such rule: `FRM999`"),
    ],
)
def test_a_word_that_means_nothing_is_refused(options, message):
    with pytest.raises(AcpSpyError) as caught:
        assert_clean(WRONG, **options)
    assert caught.value.message == message


def call_from(module, *arguments, **options):
    """Call it as a line of that module would."""
    names = {"assert_clean": assert_clean, "__file__": str(module)}
    exec("def call(*words, **options): assert_clean(*words, **options)", names)
    names["call"](*arguments, **options)


def test_it_agrees_with_check_without_options_and_with_the_settings_of_the_project(
    tmp_path, monkeypatch, capfdbinary
):
    from acp_spy.cli.app import run_app

    tests = tmp_path / "tests"
    (tests / "recordings").mkdir(parents=True)
    (tests / "recordings" / "run.jsonl").write_bytes(WRONG.read_bytes())
    monkeypatch.chdir(tmp_path)
    settings = {
        "": True,
        'ignore = ["FRM", "RPC"]': False,
        'ignore = ["FRM"]\nfail-on = "note"': True,
        'ignore = ["FRM", "RPC"]\nseverity = {LIF005 = "error"}': True,
        'severity = {FRM = "note", RPC = "note"}': False,
        'fail-on = "never"': False,
    }
    for text, fails in settings.items():
        (tmp_path / "acp-spy.toml").write_text(text)
        assert run_app(["check", "tests/recordings/run.jsonl"]) == fails
        if fails:
            with pytest.raises(AssertionError, match=r"in tests/recordings/run\.jsonl\n"):
                call_from(tests / "test_it.py", "recordings/run.jsonl")
        else:
            call_from(tests / "test_it.py", "recordings/run.jsonl")
    with pytest.raises(AssertionError):
        call_from(tests / "test_it.py", "recordings/run.jsonl", fail_on="error")
    capfdbinary.readouterr()


def test_a_path_is_that_of_the_module_or_else_of_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(FIXTURES)
    call_from(tmp_path / "test_it.py", "with-findings.jsonl", fail_on="never")
    (tmp_path / "with-findings.jsonl").write_text("")
    with pytest.raises(AcpSpyError, match="is empty"):
        call_from(tmp_path / "test_it.py", "with-findings.jsonl")


def test_what_cannot_be_read_is_told_in_one_line(tmp_path):
    with pytest.raises(AcpSpyError) as caught:
        call_from(tmp_path / "test_it.py", "recordings/none.jsonl")
    assert str(caught.value) == f"cannot check `recordings/none.jsonl`: no such file in {tmp_path}"
    assert len(caught.traceback) == 4  # this test, the module that calls it, and it itself: hidden
    assert caught.traceback[-1].frame.f_locals["__tracebackhide__"]


OPTIONS = '[{"id": "db_password", "name": "x", "type": "select", "currentValue": "a", "options": [{"value": "a", "name": "a"}]}]'
QUOTING = """
    <- connecting to postgres://app:sunshine42@db-primary.internal.example.com:5432/shop
    -> {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}
    <- {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}
    -> {"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}
    <- {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s", "configOptions": %s}}
    -> {"jsonrpc": "2.0", "id": 2, "method": "session/set_config_option", "params": {"sessionId": "s", "configId": "db_password", "value": "sonnenblume"}}
    <- {"jsonrpc": "2.0", "id": 2, "result": {"configOptions": %s}}
"""


def test_a_secret_is_masked_also_if_the_sentence_does_not_show_what_it_is():
    """Of the URL, the host is cut off; of the option, the name is not beside the value."""
    said = shown(Capture(Header(), parse(QUOTING % (OPTIONS, OPTIONS))))
    assert "`connecting to postgres://app:redacted-url-password-1@db-prim" in said
    assert "`db_password` was set to `redacted-secret-2`" in said
