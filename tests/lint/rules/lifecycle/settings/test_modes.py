"""Modes: changed by the agent, and set though nobody offered them."""

import json

from support.lifecycle import announce, change, line, update
from support.transcripts import lint

from acp_spy.lint.rule import Severity
from acp_spy.lint.rules.lifecycle._opening import END, OPTIONS, PROMPT

RULES = ("LIF152", "LIF153")
OPENED = json.loads(OPTIONS.strip().splitlines()[-1].strip()[3:])
ASKED = PROMPT.strip().splitlines()[-1].strip()


def options(mode):
    found = json.loads(json.dumps(OPENED["result"]["configOptions"]))
    found[0]["currentValue"] = mode
    return found


def told(mode):
    return update(sessionUpdate="config_option_update", configOptions=options(mode))


MODE = update(sessionUpdate="current_mode_update", currentModeId="code")


def reported(*lines):
    findings = lint("\n".join([OPTIONS, *lines]), *RULES)
    return [(finding.code, finding.seq, finding.severity) for finding in findings]


def ask(number, method, **params):
    return line("->", id=number, method=f"session/{method}", params={"sessionId": "s1", **params})


def done(number, **result):
    return line("<-", id=number, result=result)


def test_a_mode_that_the_agent_changes_is_reported_in_both_ways():
    assert reported(ASKED, told("code"), MODE, END) == []
    assert reported(ASKED, MODE, told("code"), END) == []
    assert reported(ASKED, told("code"), END) == [("LIF153", 6, Severity.WARNING)]
    assert reported(told("ask"), ASKED, told("ask"), END) == []


def test_a_mode_that_the_client_sets_needs_no_report():
    set_mode = ask(7, "set_mode", modeId="code")
    assert reported(set_mode, told("code"), done(7)) == []
    assert reported(set_mode, done(7), told("code")) == []
    set_option = ask(7, "set_config_option", configId="mode", value="code")
    assert reported(set_option, done(7, configOptions=options("code"))) == []


def test_another_option_that_changes_the_mode_is_found():
    set_option = ask(7, "set_config_option", configId="model", value="large")
    answer = done(7, configOptions=options("code"))
    assert reported(set_option, answer, MODE) == []
    assert reported(set_option, answer) == [("LIF153", 6, Severity.WARNING)]


def test_a_tool_call_that_switches_the_mode_is_a_note():
    switch = announce("c1", kind="switch_mode"), change("c1", status="completed")
    assert reported(ASKED, *switch, END) == [("LIF153", 6, Severity.NOTE)]
    assert reported(ASKED, *switch, MODE, END) == []
    assert reported(ASKED, switch[0], change("c1", status="failed"), END) == []


def test_an_option_that_nobody_offers_is_refused():
    bogus = ask(7, "set_config_option", configId="bogus", value="x")
    assert [code for code, *_ in reported(bogus, done(7, configOptions=options("ask")))] == [
        "LIF152"
    ]
    assert (
        reported(bogus, line("<-", id=7, error={"code": -32602, "message": "No such option"})) == []
    )


def test_a_mode_is_not_current_if_none_is_available():
    opened = json.loads(json.dumps(OPENED))
    opened["result"]["modes"]["availableModes"] = []
    opened["result"].pop("configOptions")
    talk = OPTIONS.strip().splitlines()[:-1]
    (finding,) = lint("\n".join([*talk, f"<- {json.dumps(opened)}", END]), "LIF129")
    assert "`availableModes` is empty" in finding.text


def test_ids_in_a_list_are_unique_and_not_empty():
    def texts(*names):
        commands = [{"name": name, "description": "Do it"} for name in names]
        sent = update(sessionUpdate="available_commands_update", availableCommands=commands)
        return [finding.text for finding in lint(f"{OPTIONS}\n{sent}\n{END}", "LIF114")]

    assert texts("plan", "review") == []
    assert texts("plan", "plan") == ["command `plan` is listed 2 times; expected unique ids"]
    assert texts("plan", "") == ["an entry has an empty id (command); expected unique ids"]


def test_login_methods_have_unique_ids():
    method = '{"id": "key", "name": "API key"}'
    talk = OPTIONS.replace('"result": {', f'"result": {{"authMethods": [{method}, {method}], ', 1)
    (finding,) = lint(talk, "LIF114")
    assert finding.path == "/result/authMethods"
