"""Terminals: created, asked, released, and shown in tool calls."""

import pytest
from support.lifecycle import END, SECOND_SESSION, announce, answer, ask, change, codes, line, work
from support.rules import rules_with

from acp_spy.capture.transcript import parse
from acp_spy.lint.rules.lifecycle import _opening
from acp_spy.lint.ruleset import check

RELEASE = ask(9, "terminal/release"), answer(9)
EXIT = "-> EOF", "== 0"


def found(*lines):
    return codes(*lines, start=_opening.TERMINAL)


def test_a_turn_that_was_open_at_the_end_had_no_time_to_release():
    assert found(*EXIT) == []
    assert found(END, *EXIT) == ["LIF121"]


def test_a_terminal_that_a_cut_off_capture_leaves_is_a_note():
    (finding,) = work(END, start=_opening.TERMINAL)
    assert (finding.code, finding.severity.value, finding.blame.value) == (
        "LIF121",
        "note",
        "agent",
    )


def test_a_release_that_the_client_refused_is_a_release():
    error = line("->", id=9, error={"code": -32603, "message": "no"})
    assert found(RELEASE[0], error, END, *EXIT) == []


def test_a_question_on_its_way_when_the_terminal_is_released_is_fine():
    wait = ask(5, "terminal/wait_for_exit")
    assert found(wait, *RELEASE, answer(5, exitCode=0), END, *EXIT) == []


def test_a_second_release_is_found_once():
    assert found(*RELEASE, *RELEASE, *RELEASE, END, *EXIT) == ["LIF122"]


def test_an_id_that_the_client_uses_again_is_a_new_terminal():
    create = ask(6, "terminal/create", command="ls"), answer(6, terminalId="term_1")
    output = ask(7, "terminal/output"), answer(7, output="", truncated=False)
    assert found(*RELEASE, *create, *output, *RELEASE, END, *EXIT) == []


def test_a_release_with_another_id_is_one_mistake():
    release = ask(9, "terminal/release", terminalId="other"), answer(9)
    assert found(*release, END, *EXIT) == ["LIF122"]


def create(number, name, session="s1"):
    return ask(number, "terminal/create", command="ls", sessionId=session), answer(
        number, terminalId=name
    )


def release(number, name, session="s1"):
    return ask(number, "terminal/release", terminalId=name, sessionId=session), answer(number)


def test_a_release_with_another_id_excuses_one_terminal_that_its_session_had_then():
    wrong = release(9, "other")
    assert found(*create(6, "t2"), *wrong, END, *EXIT) == ["LIF122", "LIF121"]
    assert found(*RELEASE, *wrong, *create(6, "t2"), END, *EXIT) == ["LIF122", "LIF121"]
    talk = SECOND_SESSION, *RELEASE, *create(6, "t2", "s2"), *wrong, END, *EXIT
    assert found(*talk) == ["LIF122", "LIF121"]


def test_leaks_after_many_terminals_are_found():
    many = [
        each
        for i in range(1030)
        for each in (*create(10 + 2 * i, f"t{i}"), *release(11 + 2 * i, f"t{i}"))
    ]
    leaks = *create(6, "a"), *create(7, "b"), *create(8, "c")
    records = parse("\n".join([_opening.TERMINAL, *RELEASE, *many, *leaks, END, *EXIT]))
    findings = check(records, rules_with("LIF121"))
    assert [each.text.split()[1] for each in findings] == ["`a`", "`b`", "`c`"]


def test_two_terminals_do_not_have_the_same_id():
    create = ask(6, "terminal/create", command="ls"), answer(6, terminalId="term_1")
    (finding,) = work(*create, *RELEASE, END, *EXIT, start=_opening.TERMINAL)
    assert (finding.code, finding.blame.value) == ("LIF122", "client")
    assert "another terminal has" in finding.text


def test_output_that_was_asked_for_before_the_end_may_know_nothing_of_it():
    output, wait = ask(5, "terminal/output"), ask(6, "terminal/wait_for_exit")
    late = answer(5, output="", truncated=False)
    assert found(output, wait, answer(6, exitCode=0), late, *RELEASE, END, *EXIT) == []
    assert found(wait, answer(6, exitCode=0), output, late, *RELEASE, END) == ["LIF127"]


def test_the_limit_counts_bytes():
    output = ask(5, "terminal/output")
    fits = answer(5, output="é" * 8, truncated=True)
    too_long = answer(5, output="é" * 8 + "!", truncated=True)
    assert found(output, fits, *RELEASE, END) == []
    assert found(output, too_long, *RELEASE, END) == ["LIF125"]


def test_output_that_is_whole_may_begin_with_any_character():
    output = ask(5, "terminal/output"), answer(5, output="\ufffd", truncated=False)
    assert found(*output, *RELEASE, END) == []


def test_a_terminal_that_was_shown_may_be_shown_again_after_its_release():
    shown = change(content=[{"type": "terminal", "terminalId": "term_1"}])
    assert found(shown, *RELEASE, shown) == []


def test_a_terminal_that_an_extension_brings_is_its_own_business():
    content = [{"type": "terminal", "terminalId": "own"}]
    meta = {"terminal_info": {"terminal_id": "own"}}
    shown = announce(content=content, _meta=meta), change(content=content)
    advertised = _opening.PROMPT.replace(
        '"terminal": true', '"terminal": true, "_meta": {"terminal_output": true}', 1
    )
    assert codes(*shown, start=advertised) == []
    assert codes(*shown) == ["LIF120"]  # the client knows nothing of it
    assert codes(announce(content=content), start=advertised) == ["LIF120"]


def test_a_terminal_that_nobody_could_create_is_found():
    without = _opening.PROMPT.replace('"terminal": true', '"terminal": false', 1)
    content = [{"type": "terminal", "terminalId": "own"}]
    assert codes(announce(content=content), start=without) == ["LIF120"]


@pytest.mark.parametrize(
    ("command", "args", "wanted"),
    [
        ("npm", ["test"], []),
        ("npm", [], []),
        ("npm test", [], ["LIF154"]),
        ("npm test", ["--coverage"], []),  # somebody may have such a program
        ("make|tee", None, ["LIF154"]),
        ("echo $HOME", None, ["LIF154"]),
        ("/opt/My Tools/run", None, []),
        ("C:\\Program Files\\run.exe", None, []),
        ("  npm  ", None, []),
        (7, None, []),
    ],
)
def test_a_command_is_a_program(command, args, wanted):
    given = {"command": command, **({} if args is None else {"args": args})}
    create = ask(0, "terminal/create", **given)
    found = codes(create, answer(0, terminalId="term_1"), start=_opening.TOOL_CALL)
    assert [code for code in found if code == "LIF154"] == wanted


def test_a_shell_line_is_reported_once_per_session():
    lines = [ask(number, "terminal/create", command="npm test") for number in range(3)]
    assert codes(*lines, start=_opening.TOOL_CALL).count("LIF154") == 1
