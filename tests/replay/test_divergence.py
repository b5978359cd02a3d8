"""The texts in full: they are the product."""

import json
import textwrap

import pytest
from support.replays import Play, play, script_of

from acp_spy import Peer
from acp_spy.replay import expectations
from acp_spy.replay.agent_exit import AgentExit, with_cause
from acp_spy.replay.divergence import Note, explain, explain_note
from acp_spy.replay.options import Options

TALK = """
    -> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
    <- {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
    -> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project"}}
    <- {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
    -> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}}
    <- {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s-1","options":[{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]}}
    -> {"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}
    <- {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
    -> EOF
    == 0
"""
INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n'
NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/project"}}\n'
PROMPT = b'{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}}\n'
YES = b'{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}\n'
AGENT = [part.line.raw for part in script_of(TALK).parts if not hasattr(part, "gates")]


TWO = """
    -> {"id":0,"method":"a"}
    -> {"id":1,"method":"b"}
    <- {"id":0,"result":{}}
    <- {"id":1,"result":{}}
"""
AGENT_OF_TWO = [part.line.raw for part in script_of(TWO).parts if not hasattr(part, "gates")]


def notes(done) -> str:
    """Return everything that the person is told."""
    texts = []
    for each in done.player.reported:
        if isinstance(each, Note):
            texts.append(explain_note(each))
        else:
            texts.append(explain(each, done.player.divergences.index(each) + 1))
    return "".join(texts)


def says(done, text: str) -> bool:
    assert notes(done) == textwrap.dedent(text).lstrip("\n")
    return True


def heard(*lines, **options):
    return Play(script_of(TALK), Options(**options)).hear(*lines)


def test_never_recorded():
    extra = b'{"jsonrpc":"2.0","id":7,"method":"session/set_mode","params":{"sessionId":"s-1","modeId":"ask"}}\n'
    assert says(
        heard(INITIALIZE, NEW, extra),
        """
        divergence 1: `session/set_mode` was never recorded
          expected  frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
          got       session/set_mode (id 7) {"sessionId":"s-1","modeId":"ask"}
        """,
    )


def test_a_slip_of_the_pen():
    assert says(
        heard(INITIALIZE, NEW, PROMPT.replace(b"session/prompt", b"session/promt")),
        """
        divergence 1: `session/promt` was never recorded
          expected  frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
          got       session/promt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
        """,
    )


def test_already_used():
    assert says(
        heard(INITIALIZE, INITIALIZE.replace(b'"id":0', b'"id":8').replace(b":1}", b":2}")),
        """
        divergence 1: `initialize` was recorded, but already used
          expected  frame 3: session/new (id 1) {"cwd":"/project"}
          got       initialize (id 8) {"protocolVersion":2}
          nearest   frame 1: initialize (id 0) {"protocolVersion":1}
                    - /params/protocolVersion: 1
                    + /params/protocolVersion: 2
        """,
    )


def test_too_early():
    assert says(
        heard(INITIALIZE, PROMPT),
        """
        divergence 1: `session/prompt` was recorded, but later
          expected  frame 3: session/new (id 1) {"cwd":"/project"}
          got       session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
          nearest   frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
        """,
    )


def test_the_nearest_of_what_comes_later_is_the_one_that_says_the_same():
    script = script_of(
        """
        -> {"id":0,"method":"session/new","params":{"cwd":"/project"}}
        <- {"id":0,"result":{"sessionId":"s"}}
        -> {"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
        -> {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":["x"]}}
        """
    )
    early = b'{"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":["x"]}}\n'
    assert says(
        Play(script).hear(early),
        """
        divergence 1: `session/prompt` was recorded, but later
          expected  frame 1: session/new (id 0) {"cwd":"/project"}
          got       session/prompt (id 2) {"sessionId":"s","prompt":["x"]}
          nearest   frame 4: session/prompt (id 2) {"sessionId":"s","prompt":["x"]}
        """,
    )


def test_names_that_are_too_long_for_a_typing_error_are_not_compared(monkeypatch):
    """Letter by letter, 100,000 of them took a minute."""
    compared = []
    monkeypatch.setattr(
        expectations, "get_close_matches", lambda *names, **_: compared.append(names) or []
    )
    long = "m" * 100_000
    script = script_of(f"""-> {{"id":0,"method":"{long}a"}}\n-> {{"id":1,"method":"x/y"}}""")
    Play(script).hear(b'{"id":0,"method":"%b"}\n' % long.encode())
    Play(script).hear(b'{"id":0,"method":"x/z"}\n')
    assert [(name, list(others)) for name, others in compared] == [("x/z", ["x/y"])]


def test_an_answer_before_another_is_out_of_order_if_strict():
    """It is taken all the same: it will not come again."""
    lines = [AGENT_OF_TWO[1], AGENT_OF_TWO[0]]
    done = play(script_of(TWO, Peer.CLIENT), lines, Options(strict=True))
    assert says(
        done,
        """
        divergence 1: the response to `b` was recorded, but later
          expected  frame 3: response to a (id 0) {}
                    frame 4: response to b (id 1) {}
          got       response to b (id 1) {}
        """,
    )
    assert play(script_of(TWO, Peer.CLIENT), lines).player.reported == []


def test_another_session():
    assert says(
        heard(INITIALIZE, NEW, PROMPT.replace(b"s-1", b"s-9")),
        """
        divergence 1: `session/prompt` was never recorded for session `s-9`
          expected  frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
          got       session/prompt (id 2) {"sessionId":"s-9","prompt":[{"type":"text","text":"hi"}]}
                    - /params/sessionId: "s-1"
                    + /params/sessionId: "s-9"
        """,
    )


def test_differing_params():
    assert says(
        heard(INITIALIZE, NEW, PROMPT.replace(b'"hi"', b'"hello"'), match=("params",)),
        """
        divergence 1: `session/prompt` differs from the recording at /params/prompt/0/text
          expected  frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
          got       session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hello"}]}
                    - /params/prompt/0/text: "hi"
                    + /params/prompt/0/text: "hello"
        """,
    )


def test_a_wrong_frame_is_told_once():
    """It is not missing, too: what is missing is what would have come after it."""
    assert says(
        heard(INITIALIZE, NEW, PROMPT.replace(b'"hi"', b'"hello"'), match=("prompt",)).end(),
        """
        divergence 1: `session/prompt` differs from the recording at /params/prompt/0/text
          expected  frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
          got       session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hello"}]}
                    - /params/prompt/0/text: "hi"
                    + /params/prompt/0/text: "hello"
        divergence 2: the response to `session/request_permission` did not come before the end of the stream
          expected  frame 7: response to session/request_permission (id 0) {"outcome":{"outcome":"selected","optionId":"y"}}
        """,
    )


def test_a_wrong_frame_that_is_followed_by_the_right_one_leaves_nothing_missing():
    wrong, right = PROMPT.replace(b'"hi"', b'"hello"'), PROMPT.replace(b'"id":2', b'"id":3')
    done = heard(INITIALIZE, NEW, wrong, right, YES, match=("prompt",)).end()
    assert [each.kind for each in done.player.divergences] == ["differs from the recording"]


def test_differing_params_that_do_not_count():
    assert says(
        heard(INITIALIZE, NEW, PROMPT.replace(b'"hi"}', b'"hello","annotations":{}}')),
        """
        frame 5, `session/prompt`, came with a difference
          - /params/prompt/0/text: "hi"
          + /params/prompt/0/text: "hello"
          + /params/prompt/0/annotations: {}
        """,
    )


def test_another_answer():
    assert says(
        heard(INITIALIZE, NEW, PROMPT, YES.replace(b'"y"', b'"n"')),
        """
        divergence 1: the response to `session/request_permission` differs from the recording at /result/outcome/optionId
          expected  frame 7: response to session/request_permission (id 0) {"outcome":{"outcome":"selected","optionId":"y"}}
          got       response to session/request_permission (id 0) {"outcome":{"outcome":"selected","optionId":"n"}}
                    - /result/outcome/optionId: "y" (allow_once)
                    + /result/outcome/optionId: "n" (reject_once)
        """,
    )


def test_an_option_that_is_named_by_who_cancels_is_no_leave():
    assert says(
        heard(INITIALIZE, NEW, PROMPT, YES.replace(b'"selected"', b'"cancelled"')),
        """
        divergence 1: the response to `session/request_permission` differs from the recording at /result/outcome/outcome
          expected  frame 7: response to session/request_permission (id 0) {"outcome":{"outcome":"selected","optionId":"y"}}
          got       response to session/request_permission (id 0) {"outcome":{"outcome":"cancelled","optionId":"y"}}
                    - /result/outcome/outcome: "selected"
                    + /result/outcome/outcome: "cancelled"
        """,
    )


def test_an_answer_to_nothing():
    assert says(
        heard(INITIALIZE, YES.replace(b":0,", b":5,")),
        """
        divergence 1: a response to no open request was never recorded
          expected  frame 3: session/new (id 1) {"cwd":"/project"}
          got       response (id 5) {"outcome":{"outcome":"selected","optionId":"y"}}
        """,
    )


def test_noise_cannot_act():
    assert says(
        heard(b"\x1b]0;owned\x07 \xff\n"),
        r"""
        divergence 1: a line that is not UTF-8: byte 12 is 0xff was never recorded
          expected  frame 1: initialize (id 0) {"protocolVersion":1}
          got       \x1b]0;owned\x07 \xff\n
        """,
    )


def test_other_noise_is_spelled_as_text():
    script = script_of(r"""<- {"a":'\xff'}""", Peer.CLIENT)
    assert says(
        Play(script, Options(expect="exact")).hear(b'it\'s \xe2\x82\xac "5" \xff\n'),
        r"""
        divergence 1: a line that is not UTF-8: byte 14 is 0xff differs from the recording
          expected  frame 1: {"a":'\xff'}\n
          got       it's € "5" \xff\n
                    - the whole: "{\"a\":'\\xff'}\n"
                    + the whole: "it's € \"5\" \\xff\n"
        """,
    )


def test_values_that_no_encoder_likes_are_spelled_as_json():
    odd = b'{"a":123456789012345678901234567890,"b":[true,null,12345678901234567890]}'
    done = heard(INITIALIZE.replace(b'{"protocolVersion":1}', odd))
    assert says(
        done,
        r"""
        frame 1, `initialize`, came with a difference
          - /params/protocolVersion: 1
          + /params/a: 123456789012345678901234567890
          + /params/b: [true,null,12345678901234567890]
        """,
    )


def test_one_frame_too_many():
    assert says(
        heard(INITIALIZE, NEW, PROMPT, YES, PROMPT.replace(b'"id":2', b'"id":3')),
        """
        divergence 1: `session/prompt` was recorded, but already used
          expected  the end of the stream
          got       session/prompt (id 3) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
          nearest   frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
        """,
    )


def test_missing_at_the_end():
    assert says(
        heard(INITIALIZE).end(),
        """
        divergence 1: 3 recorded messages did not come before the end of the stream
          expected  frame 3: session/new (id 1) {"cwd":"/project"}
                    frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
                    frame 7: response to session/request_permission (id 0) {"outcome":{"outcome":"selected","optionId":"y"}}
        """,
    )


def test_a_timeout():
    assert says(
        heard(INITIALIZE, NEW, PROMPT, timeout=2.5).wait(),
        """
        divergence 1: nothing came for 2.5 s
          expected  frame 7: response to session/request_permission (id 0) {"outcome":{"outcome":"selected","optionId":"y"}}
        """,
    )


def test_a_timeout_in_the_middle_of_a_line():
    done = heard(INITIALIZE, NEW, timeout=2)
    done.player.take(done.now + 2, memoryview(PROMPT[:-1].replace(b'"hi"', b'"\x1b]0;h\xc3\xa9"')))
    assert says(
        done,
        """
        divergence 1: nothing came for 2 s; 123 bytes have come without a line end: {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"te…
          expected  frame 5: session/prompt (id 2) {"sessionId":"s-1","prompt":[{"type":"text","text":"hi"}]}
        """,
    )
    done = heard(INITIALIZE, NEW, timeout=2)
    done.player.take(done.now + 2, b"\x1b")
    assert done.player.divergences[0].summary == (
        r"nothing came for 2 s; 1 byte has come without a line end: \x1b"
    )


def test_more_than_anybody_reads():
    asked = "".join(f'-> {{"id":{n},"method":"m{n}"}}\n' for n in range(8))
    assert says(
        Play(script_of(asked)).end(),
        """
        divergence 1: 8 recorded messages did not come before the end of the stream
          expected  frame 1: m0 (id 0)
                    frame 2: m1 (id 1)
                    frame 3: m2 (id 2)
                    frame 4: m3 (id 3)
                    frame 5: m4 (id 4)
                    and 3 more
        """,
    )


@pytest.mark.parametrize(("count", "rest"), [(5, ""), (6, "1 more place"), (7, "2 more places")])
def test_more_places_than_anybody_reads(count, rest):
    params = {f"p{n}": 1 for n in range(count)}
    script = script_of(f'-> {{"id":0,"method":"m","params":{json.dumps(params)}}}')
    live = json.dumps({"id": 0, "method": "m", "params": dict.fromkeys(params, 2)}).encode()
    shown = "".join(f"  - /params/p{n}: 1\n  + /params/p{n}: 2\n" for n in range(5))
    more = f"    and {rest}\n" if rest else ""
    assert notes(Play(script).hear(live)) == (
        f"frame 1, `m`, came with a difference\n{shown}{more}"
        "frame 1, `m`, has no response in the capture, so none is sent\n"
    )


def test_a_mock_clients_question_that_cannot_be_answered():
    lines = [
        line.replace(b'"allow_once"', b'"allow_always"').replace(b'"y"', b'"a"') for line in AGENT
    ]
    done = play(script_of(TALK, Peer.CLIENT), lines)
    assert says(
        done,
        """
        frame 6, `session/request_permission`, came with a difference
          - /params/options/0/optionId: "y"
          + /params/options/0/optionId: "a"
          - /params/options/0/kind: "allow_once"
          + /params/options/0/kind: "allow_always"
        divergence 1: `session/request_permission` cannot be answered: no option of the kind `allow_once` is offered
          got       session/request_permission (id 0) {"sessionId":"s-1","options":[{"optionId":"a","kind":"allow_alway…
          nearest   frame 7: response to session/request_permission (id 0) {"outcome":{"outcome":"selected","optionId":"y"}}
        """,
    )


def test_a_mock_clients_missing_question():
    done = play(script_of(TALK, Peer.CLIENT), [AGENT[0], AGENT[1], AGENT[3]])
    assert says(
        done,
        """
        divergence 1: `session/request_permission` did not come before the response to `session/prompt`
          expected  frame 6: session/request_permission (id 0) {"sessionId":"s-1","options":[{"optionId":"y","kind":"allow_once"…
        """,
    )


def test_a_question_that_an_agent_which_is_only_driven_asks_besides():
    lines = [*AGENT[:2], AGENT[2].replace(b"request_permission", b"ask"), *AGENT[2:]]
    done = play(script_of(TALK, Peer.CLIENT), lines, Options(expect="none"))
    assert says(
        done,
        "`session/ask` was never recorded; ignored with `--expect none`\n",
    )
    assert done.player.status == 0


def test_another_exit_status():
    done = play(script_of(TALK, Peer.CLIENT), AGENT, Options(expect="exact"))
    done.player.agent_exited(AgentExit(0))
    assert done.player.status == 0
    done.player.agent_exited(AgentExit(3))
    done.player.agent_exited(AgentExit(-9))
    assert says(
        done,
        """
        divergence 1: the agent ended differently: it exited with status 3; the recorded one exited with status 0
        divergence 2: the agent ended differently: it was killed by signal 9; the recorded one exited with status 0
        """,
    )
    assert done.player.status == 1


def test_an_agent_that_did_not_end_by_itself():
    stayed = "did not end within 5 s of its stdin being closed, and was ended by SIGTERM"
    done = play(script_of(TALK, Peer.CLIENT), AGENT, Options(expect="exact"))
    done.player.agent_exited(AgentExit(0, stayed))
    assert says(
        done,
        """
        divergence 1: the agent ended differently: it did not end within 5 s of its stdin being closed, and was ended by SIGTERM; the recorded one exited with status 0
        """,
    )
    done = play(script_of(TALK, Peer.CLIENT), AGENT)
    done.player.agent_exited(AgentExit(-15, stayed))
    assert says(
        done,
        """
        the agent did not end within 5 s of its stdin being closed, and was ended by SIGTERM
        """,
    )
    assert done.player.status == 0


def test_of_two_long_texts_the_place_is_shown_where_they_part():
    long = b"x" * 5000
    script = script_of(TALK.replace('"hi"', f'"{long.decode()}one"'))
    done = Play(script).hear(INITIALIZE, NEW, PROMPT.replace(b'"hi"', b'"%btwo"' % long))
    assert says(
        done,
        """
        frame 5, `session/prompt`, came with a difference
          - /params/prompt/0/text: …xxxxxxxxxxxxxxxxxxxxone
          + /params/prompt/0/text: …xxxxxxxxxxxxxxxxxxxxtwo
        """,
    )


def test_no_line_is_longer_than_a_terminal_can_show():
    done = heard(
        INITIALIZE, NEW, PROMPT.replace(b'"hi"', b'"' + b"y" * 9000 + b'"'), match=("exact",)
    )
    done.hear(PROMPT.replace(b"session/prompt", b"z" * 4000))
    assert max(map(len, notes(done).splitlines())) < 160


def test_an_agent_that_exits_before_its_first_message_is_the_cause_and_not_what_is_missing():
    done = Play(script_of(TALK, Peer.CLIENT)).hear(b"starting up\n")
    done.player.end(1.0, AgentExit(1, stderr="no key\n"))
    done.player.agent_exited(AgentExit(1))
    assert says(done, "divergence 1: the agent sent no message: it exited with status 1\n")
    assert done.player.divergences[0].stderr == "no key\n"
    done = Play(script_of(TALK, Peer.CLIENT)).hear(AGENT[0])
    done.player.end(1.0, AgentExit(1))
    assert [each.kind for each in done.player.divergences] == ["missing"]


def test_a_prompt_of_other_blocks_differs_as_a_whole():
    other = PROMPT.replace(b'{"type":"text"', b'{"type":"text","text":"first"},{"type":"text"')
    done = heard(INITIALIZE, NEW, other, match=("prompt",))
    (difference,) = done.player.divergences[0].differences
    assert difference.path == "/params/prompt"
    assert [block["text"] for block in difference.live] == ["first", "hi"]


@pytest.mark.parametrize(
    ("stderr", "cause"),
    [
        ("", ""),
        ("no API key\n", "no API key"),
        (
            "Traceback:\n  import x\nModuleNotFoundError: No module named 'x'\n",
            "ModuleNotFoundError: No module named 'x'",
        ),
        (
            "node:1\nError: Cannot find module 'a.js'\n    at Module\n\nNode.js v20.1.0\n",
            "Error: Cannot find module 'a.js'",
        ),
        ("starting\n\x1b[31mno key\n", "\\x1b[31mno key"),
        ("   \n  indented\n", ""),
    ],
    ids=["nothing", "a line", "Python", "Node", "color", "indented"],
)
def test_of_what_an_agent_wrote_the_likely_cause_is_quoted(stderr, cause):
    assert with_cause("it failed", stderr) == "it failed" + (f"\n  {cause}" if cause else "")
