"""A secret that is cut over several records is found as if it were in one."""

import itertools
import json
import re
import string
from base64 import b64encode
from hashlib import sha384
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.keys import spelled_out

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Delivery, Header, Stderr
from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

GITHUB = spelled_out("ghp_<36>")
PRIVATE = "-----BEGIN PRIVATE KEY-----\n" + "q7Zk2Vw9" * 8 + "\n-----END PRIVATE KEY-----\n"


def chunk(text, kind="agent_message_chunk", session="s1"):
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    return {"method": "session/update", "params": {"sessionId": session, "update": update}}


def assistant(text):
    params = {"chunk": {"text": text}}
    return {"id": 1, "method": "streamAssistantMessageChunk", "params": params}


def frames(*messages, sender=Peer.AGENT):
    return [
        Frame(seq, seq / 10, sender, json.dumps(message).encode() + b"\n")
        for seq, message in enumerate(messages, 1)
    ]


def redacted(records, **wishes):
    redactor = Redactor(**wishes)
    for record in records:
        redactor.learn(record)
    return [redactor.record(record) for record in records], redactor.counts


def text_of(frame):
    message = json.loads(frame.raw)
    found = message["params"].get("update") or message["params"]["chunk"]
    return found["content"]["text"] if "content" in found else found["text"]


def test_the_first_piece_has_the_placeholder_and_the_rest_is_cut_out():
    texts = ["Your token is gh", GITHUB[2:9], GITHUB[9:20], GITHUB[20:] + ' "ok\n"?']
    done, counts = redacted(frames(*map(chunk, texts)))
    assert [text_of(frame) for frame in done] == [
        "Your token is redacted-github-token-1",
        "",
        "",
        ' "ok\n"?',
    ]
    assert [frame.redacted for frame in done] == [("/params/update/content/text",)] * 4
    assert counts == {"github-token": 1}
    assert redacted(done)[0] == done


def recorded(*texts):
    """Return chunks as they are recorded with `--redact`, a frame at a time."""
    redactor = Redactor()
    return [redactor.record(frame) for frame in frames(*map(chunk, texts))]


@pytest.mark.parametrize(
    "rest", ["&3-shop", "9x", "ator", "_2026!x", "=q7", "/bPxRfi", "9" * 99, ".SflKxwRJSMeKKF2QT4f"]
)
def test_the_rest_of_a_word_that_began_as_a_secret_is_masked_while_recording(rest):
    at = 14 if rest.startswith(".") else 2
    more = rest[:at], "", f"{rest[at:]} and\nmore", "ator"
    done = recorded("The database password is Tr0ub4dor", *more)
    texts = [*map(text_of, done)]
    assert texts == ["The database password is redacted-prompt-1", "", "", " and\nmore", "ator"]
    assert redacted(done)[0] == done


def test_only_one_text_of_a_batch_goes_on_while_recording():
    redactor = Redactor()
    [begun] = frames(chunk(f"use {GITHUB[:30]}"))
    redactor.record(begun)
    batch = [chunk(f"{GITHUB[30:]}\nIt is. "), chunk("Everything is fine")]
    left = redactor.record(Frame(2, 0.2, Peer.AGENT, json.dumps(batch).encode() + b"\n")).raw
    assert GITHUB[30:].encode() not in left
    assert b"It is. " in left
    assert b"Everything is fine" in left


def test_the_rest_is_masked_in_each_of_two_places_that_say_it_while_recording():
    redactor = Redactor()
    for text in (f"use {GITHUB[:30]}", f"{GITHUB[30:]} ok"):
        message = chunk(text)
        message["params"]["update"]["_meta"] = {"delta": text}
        (record,) = frames(message)
        left = redactor.record(record).raw
        assert GITHUB[:12].encode() not in left
        assert GITHUB[30:].encode() not in left


@pytest.mark.parametrize(
    "between",
    [
        {"id": 2, "result": {"stopReason": "end_turn"}},
        chunk("Hm", kind="agent_thought_chunk"),
        {"method": "session/update", "params": {"sessionId": "s1", "update": {"a": 1}}},
    ],
)
def test_the_next_message_is_not_the_rest_of_a_word_while_recording(between):
    redactor = Redactor()
    told = frames(chunk("The database password is Tr0ub4dor"), between, chunk("Done"))
    *_, last = map(redactor.record, told)
    assert text_of(last) == "Done"


@pytest.mark.parametrize("kind", ["message", "agent_message"])
def test_a_whole_message_is_not_the_rest_of_a_word_while_recording(kind):
    redactor = Redactor()
    told = frames(*(chunk(text, kind) for text in ("The password is Tr0ub4dor", "Done")))
    *_, last = map(redactor.record, told)
    assert text_of(last) == "Done"


@pytest.mark.parametrize(
    "after",
    [" and more", ". It is", ", too", '" is it', "`.", "!\n", "@host/db", "&user=bob", "\nx"],
)
def test_what_follows_a_secret_in_the_next_chunk_stays_while_recording(after):
    done = recorded("The database password is Tr0ub4dor", after)
    assert text_of(done[1]) == after
    assert redacted(done)[0] == done


@pytest.mark.parametrize("cut", range(12, 32))
def test_a_cut_copy_of_a_cookie_that_came_in_two_pieces_leaves_nothing(cut):
    value = spelled_out("<32>")
    shown = f"Set-Cookie: sid={value}; Path=/; HttpOnly\n"
    texts = [f"+{value[1:30]}\n", shown[: 16 + cut], shown[16 + cut :]]
    records = frames(*(chunk(text, session=f"s{at > 0}") for at, text in enumerate(texts)))
    redactor = Redactor()
    redactor.learn_all(records)
    left = "".join(text_of(redactor.record(each)) for each in records)
    assert not [at for at in range(27) if value[at : at + 6] in left]


@given(st.lists(st.integers(1, 90), max_size=12), st.sampled_from([chunk, assistant]))
def test_wherever_it_is_cut(cuts, spelled):
    whole = f'first "é\n{GITHUB}\tlast {PRIVATE}'
    places = sorted({0, *cuts, len(whole)})
    texts = [whole[start:end] for start, end in itertools.pairwise(places)]
    done, _ = redacted(frames(*map(spelled, texts)))
    assert "".join(map(text_of, done)) == (
        'first "é\nredacted-github-token-1\tlast -----BEGIN PRIVATE KEY-----\n'
        "redacted-private-key-1-----END PRIVATE KEY-----\n"
    )


def test_what_betrays_a_secret_may_stand_in_another_piece():
    done, _ = redacted(frames(chunk("the api_"), chunk("key: "), chunk("q7Zk2Vw9Xn4Rb8Tm3Yc6")))
    assert text_of(done[2]) == "redacted-assignment-1"


@pytest.mark.parametrize("size", [1, 3, 8])
def test_a_copy_in_the_same_text_is_masked_though_no_piece_shows_either(size):
    text = "DB_PASSWORD=k4Jw81mZq0XtB7nP\nI tried k4Jw81mZq0XtB7nP again.\n"
    records, _ = redacted(
        frames(*(chunk(text[at : at + size]) for at in range(0, len(text), size)))
    )
    said = "".join(map(text_of, records))
    assert re.sub(r"redacted-\w+-\d", "*", said) == "DB_PASSWORD=*\nI tried * again.\n"


def test_the_chunks_of_a_batch_are_joined():
    batch = [chunk(text) for text in (f"I see {GITHUB[:20]}", f"{GITHUB[20:]}, ok?")]
    [done], _ = redacted(frames(batch))
    said = [each["params"]["update"]["content"]["text"] for each in json.loads(done.raw)]
    assert said == ["I see redacted-github-token-1", ", ok?"]


def test_other_sessions_and_updates_in_between_are_other_texts():
    messages = [
        chunk("see gh"),
        chunk(GITHUB[2:], session="s2"),
        {"method": "session/update", "params": {"sessionId": "s1", "update": {"a": "x"}}},
        chunk(GITHUB[2:]),
    ]
    done, _ = redacted(frames(*messages))
    assert text_of(done[0]) == "see redacted-github-token-1"
    assert text_of(done[3]) == ""
    assert text_of(done[1]) == "redacted-github-token-2"  # a truncated copy, by now


def test_the_pieces_of_a_line_of_standard_error():
    raws = [b"signed in\nwith " + GITHUB[:7].encode(), GITHUB[7:].encode() + b" ok\n", b"done\n"]
    done, _ = redacted([Stderr(0.1, raw) for raw in raws])
    assert [record.raw for record in done] == [
        b"signed in\nwith redacted-github-token-1",
        b" ok\n",
        b"done\n",
    ]
    apart = [Stderr(0.1, GITHUB[:7].encode() + b"\n"), Stderr(0.1, GITHUB[7:].encode() + b"\n")]
    assert redacted(apart)[0] == apart


@pytest.mark.parametrize("before", [0, 3000, 100_000])
def test_a_text_may_be_long(before):
    """It is searched part by part, so that memory does not grow; a seam hides nothing."""
    texts = ["lorem ipsum " * 40] * (before // 48)
    texts += [GITHUB[:10], GITHUB[10:], "x " * 100_000, "y " * 100_000, "z " * 100_000]
    texts += [GITHUB[:10], GITHUB[10:]]
    done, counts = redacted(frames(*map(chunk, texts)))
    assert counts == {"github-token": 2}
    assert GITHUB not in "".join(map(text_of, done))


def test_a_thousand_texts_at_once_are_no_burden():
    messages = [
        chunk(GITHUB[at : at + 1] or "!", session=f"s{n}") for at in (0, 1) for n in range(500)
    ]
    given_ = frames(*messages)
    assert redacted(given_)[0] == given_


def test_a_thought_between_the_pieces_does_not_end_the_text():
    texts = [
        chunk("Your token is gh"),
        chunk("hm", "agent_thought_chunk"),
        chunk(GITHUB[2:] + " ok"),
    ]
    done, _ = redacted(frames(*texts))
    assert [text_of(frame) for frame in done] == [
        "Your token is redacted-github-token-1",
        "hm",
        " ok",
    ]


def test_a_prompt_ends_the_texts_before_it():
    prompt = {"id": 1, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": []}}
    done, counts = redacted(frames(chunk("so gh"), prompt, chunk(GITHUB[2:9])))
    assert counts == {}
    assert text_of(done[0]) == "so gh"


def test_a_prompt_of_another_session_ends_no_text():
    prompt = {"id": 1, "method": "session/prompt", "params": {"sessionId": "s2", "prompt": []}}
    done, _ = redacted(frames(chunk("so gh"), prompt, chunk(GITHUB[2:])))
    assert [text_of(done[0]), text_of(done[2])] == ["so redacted-github-token-1", ""]


PASSWORD = "k4Jw81mZq0Xt"


@pytest.mark.parametrize("size", [3, 8])
@pytest.mark.parametrize("kind", ["chunks", "blocks", "standard error", "terminal", "delivered"])
def test_pieces_of_what_only_a_later_turn_shows_to_be_a_secret_are_masked(kind, size):
    pieces = [PASSWORD[at : at + size] for at in range(0, len(PASSWORD), size)]
    lines = frames(*map(chunk, pieces))
    if kind == "blocks":
        lines = frames(prompt_of("try", *pieces, "now"), sender=Peer.CLIENT)
    elif kind == "standard error":
        lines = [Stderr(at / 10, text.encode()) for at, text in enumerate(pieces)]
    elif kind == "terminal":
        lines = frames(*map(terminal_output, pieces))
    elif kind == "delivered":
        lines = [Delivery(1, 0.1, Peer.CLIENT, "s.py", "injected", each.raw) for each in lines]
    later = frames(prompt_of("go on"), chunk(f"DB_PASSWORD={PASSWORD}"))
    done, _ = redacted([*lines, *later])
    raw = b"".join(each.raw for each in done)
    assert raw.count(b"redacted-variable-1") == 2
    assert not [text for text in pieces if text.encode() in raw]


def terminal_output(text):
    meta = {"terminal_output": {"terminal_id": "t", "data": text}}
    fields = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": meta}
    return {"method": "session/update", "params": {"sessionId": "s1", "update": fields}}


def test_the_blocks_of_a_prompt_and_the_lines_of_a_list_are_joined():
    blocks = [{"type": "text", "text": f"use {GITHUB[:9]}"}, {"type": "text", "text": GITHUB[9:]}]
    prompt = {"id": 1, "method": "session/prompt", "params": {"prompt": blocks}}
    lines = {"id": 1, "result": {"lines": PRIVATE.splitlines()}}
    done, counts = redacted(frames(prompt, lines))
    assert json.loads(done[0].raw)["params"]["prompt"] == [
        {"type": "text", "text": "use redacted-github-token-1"},
        {"type": "text", "text": ""},
    ]
    assert b"q7Zk2Vw9" not in done[1].raw
    assert counts == {"github-token": 1, "private-key": 1}


def prompt_of(*texts):
    blocks = [{"type": "text", "text": text} for text in texts]
    return {"id": 1, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": blocks}}


@pytest.mark.parametrize("is_recording", [True, False])
@pytest.mark.parametrize(
    "place",
    [
        *("the password: %s ok", "DB_PASSWORD=%s\nX=1", "Authorization: Bearer %s\n"),
        *("postgres://bob:%s@host/db", "key sk-proj-%s0123456789abcdefghij ok"),
    ],
)
def test_the_rest_of_a_value_is_cut_out_of_the_next_block_though_its_beginning_is_masked_alone(
    place, is_recording
):
    secret = "q7Zk2Vw9!Xn4Rb8Tm3Yc6" if "-" not in place else "q7Zk2Vw9Xn4Rb8Tm3Yc6"
    whole = place % secret
    for cut in range(whole.index(secret) + 9, whole.index(secret) + len(secret) - 3):
        given_ = frames(prompt_of(whole[:cut], whole[cut:]), sender=Peer.CLIENT)
        done = [Redactor().record(given_[0])] if is_recording else redacted(given_)[0]
        texts = [block["text"] for block in json.loads(done[0].raw)["params"]["prompt"]]
        assert not any(secret[at : at + 4] in "".join(texts) for at in range(len(secret) - 3))
        assert redacted(done)[0] == done


@pytest.mark.parametrize("key", [GITHUB, *map(spelled_out, ("glpat-<20>", "sk-<48>"))])
@pytest.mark.parametrize("is_named_before", [True, False])
def test_a_key_in_two_blocks_is_masked_though_the_second_is_a_cut_copy_of_one_that_is_known(
    key, is_named_before
):
    server = {"name": "x", "command": "y", "args": [], "env": [{"name": "A_TOKEN", "value": key}]}
    new = {"id": 1, "method": "session/new", "params": {"cwd": "/p", "mcpServers": [server]}}
    for cut in range(5, len(key) - 4):
        messages = [new, prompt_of(f"use {key[:cut]}", key[cut:])]
        done, _ = redacted(frames(*messages[:: 1 if is_named_before else -1], sender=Peer.CLIENT))
        left = b"".join(frame.raw for frame in done).decode()
        assert not any(key[at : at + 8] in left for at in range(len(key) - 7))
        assert redacted(done)[0] == done


@pytest.mark.parametrize(
    "after", ["Fix it, please", "API_TOKEN=${TOKEN}", "python3 -m build", "/usr/lib64/x", "v2: x"]
)
def test_a_block_after_one_that_ends_with_a_secret_is_another_text(after):
    done, _ = redacted(frames(prompt_of("DB_PASSWORD=q7Zk2Vw9Xn4R", after)))
    texts = [block["text"] for block in json.loads(done[0].raw)["params"]["prompt"]]
    assert texts == ["DB_PASSWORD=redacted-variable-1", after]


def test_words_of_a_list_after_a_password_are_other_words():
    lists = {"id": 1, "result": {"words": ["--password=q7Zk2Vw9Xn", "x9y8z7w6", "-v"]}}
    [done], _ = redacted(frames(lists))
    assert json.loads(done.raw)["result"]["words"][1:] == ["x9y8z7w6", "-v"]


def test_items_of_a_list_that_are_secrets_alone_stay_apart():
    done, _ = redacted(frames({"id": 1, "result": {"words": [GITHUB, "and", "more"]}}))
    assert json.loads(done[0].raw)["result"]["words"] == ["redacted-github-token-1", "and", "more"]


def test_output_of_a_terminal_in_meta_is_joined():
    def output(data):
        meta = {"terminal_output": {"terminal_id": "t1", "data": data}}
        update = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": meta}
        return {"method": "session/update", "params": {"sessionId": "s", "update": update}}

    done, _ = redacted(frames(output("got gh"), output(GITHUB[2:])))
    assert b"got redacted-github-token-1" in done[0].raw
    assert GITHUB[2:].encode() not in done[1].raw


def test_a_growing_text_is_masked_before_the_key_is_complete():
    def update(text):
        content = [{"type": "content", "content": {"type": "text", "text": text}}]
        fields = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": content}
        return {"method": "session/update", "params": {"sessionId": "s", "update": fields}}

    done, _ = redacted(frames(*(update(f"key {GITHUB[:end]}") for end in (14, 25, 40))))
    assert all(GITHUB[:12].encode() not in frame.raw for frame in done)


@pytest.mark.parametrize(
    ("before", "secret"),
    [
        ("REDIS_URL=redis://:", "hJ4JslbIPFGmbCF1ePvvkp7O@cache:6379/0"),
        ("gh secret set KEY --body ", "crkaO8IiSzdh0t9LQyDRotvxNOTJNB8FQ7ooWAoe"),
    ],
)
def test_nothing_is_left_of_a_growing_text_whose_beginning_was_found(before, secret):
    """What was found of a shorter one was masked in the longer ones, and the rest left."""
    texts = [(before + secret)[:end] for end in range(len(before) + 12, len(before + secret), 4)]
    done, _ = redacted(frames(*map(tool_output, [*texts, before + secret])))
    pieces = [secret[at : at + 6].encode() for at in range(19)]
    assert not [piece for piece in pieces for frame in done if piece in frame.raw]


def test_what_an_output_had_of_a_secret_before_it_grew_is_masked_however_little():
    secret = "hJ4JslbIPFGmbCF1ePvvkp7O"
    texts = [f"was {secret}"[:end] for end in (10, 13, 17, 28)]
    done, _ = redacted(frames(*map(tool_output, texts), chunk(f"API_TOKEN={secret}")))
    assert not [frame for frame in done if secret[:6].encode() in frame.raw]


def test_a_line_on_stderr_goes_on_although_somebody_asks_something_meanwhile():
    secret = "hJ4JslbIPFGmbCF1ePvvkp7O"
    asked = {"id": 1, "method": "session/prompt", "params": {"sessionId": "", "prompt": []}}
    lines = [Stderr(0.1, f"password: {secret[:9]}".encode()), *frames(asked, sender=Peer.CLIENT)]
    done, _ = redacted([*lines, Stderr(0.3, f"{secret[9:]}\n".encode())])
    assert [done[0].raw, done[2].raw] == [b"password: redacted-assignment-1", b"\n"]


def test_of_a_piece_on_stderr_that_looks_like_a_line_of_a_key_nothing_is_left():
    lines = ["password: AeAweJ7rDuPVT9", "niPp3BR6dcxk\n"]
    lines += ['{"apiKey": "', "AeAweJ7rDuPVT9niYD", "4VmKBTXqe3", 'AUTz"}\n']
    records = [Stderr(at / 10, line.encode()) for at, line in enumerate(lines)]
    done, _ = redacted(records)
    assert b"".join(each.raw for each in done[2:]) == b'{"apiKey": "redacted-secret-1"}\n'
    assert redacted(done)[0] == done


def test_a_copy_in_pieces_is_masked_though_the_next_word_follows_without_a_blank():
    secret = "hJ4JslbIPFGmbCF1ePvvkp7O"
    texts = [secret[:9], secret[9:], f",DB_PASSWORD={secret[:9]}", secret[9:]]
    done, _ = redacted(frames(*map(chunk, texts)))
    assert "".join(map(text_of, done)) == "redacted-variable-1,DB_PASSWORD=redacted-variable-1"


def test_a_cut_copy_is_masked_though_its_first_digit_is_late():
    secret = "GmailofzeluaDI0NHkc1Bo07"
    done, _ = redacted(frames(chunk(f"was {secret[:21]}"), chunk(f'API_TOKEN="{secret}"')))
    assert not [at for at in range(15) if secret[at : at + 6].encode() in done[0].raw]
    other = frames(chunk("was Gmailofzelua"), chunk(f'API_TOKEN="{secret}"'))
    assert redacted(other)[0][0] == other[0]  # it may be a word


def test_nothing_is_left_of_a_cut_copy_that_begins_with_a_shorter_one():
    secret = "PZcpWJWednbl2GOTTFQwyE9O88g4QZ8E7wz6w6Bt"
    texts = [f"was {secret[:16]}\n", f"was {secret[:28]}\n", f'API_TOKEN="{secret}"\n']
    redactor = Redactor()
    for text in (texts[0].replace("was ", "API_TOKEN="), *texts):
        redactor.learn(frames(chunk(text))[0])
    done = redactor.record(frames(chunk(texts[1]))[0])
    assert text_of(done) == "was redacted-variable-1\n"


def test_what_follows_a_secret_stays_though_a_longer_one_begins_alike():
    short, long = "q7Zk2Vw9Xn4Rb", "q7Zk2Vw9Xn4RbT3Yc6Hd1Gm8"
    done, _ = redacted(
        frames(
            chunk(f'API_TOKEN="{short}"'), chunk(f'API_TOKEN="{long}"'), chunk(f"{short}-and-more")
        )
    )
    assert b"-and-more" in done[2].raw
    assert short.encode() not in done[2].raw


def test_items_of_a_list_after_a_word_are_joined():
    lists = {"method": "x", "params": {"lines": ["use", GITHUB[:20], GITHUB[20:], "ok"]}}
    [done], _ = redacted(frames(lists))
    assert json.loads(done.raw)["params"]["lines"] == ["use", "redacted-github-token-1", "", "ok"]


def test_a_line_of_standard_error_that_a_logger_has_broken_is_joined():
    key = spelled_out("sk-ant-api03-<95>")
    lines = [f"[10:00:00] INFO the key is {key[:60]}\n", f"{key[60:]}\n", "ready\n"]
    done, counts = redacted([Stderr(at, line.encode()) for at, line in enumerate(lines)])
    assert [record.raw.decode() for record in done] == [
        "[10:00:00] INFO the key is redacted-anthropic-key-1\n",
        "\n",
        "ready\n",
    ]
    assert counts == {"anthropic-key": 1}
    others = [
        Stderr(0.0, b"a" * 50 + b" built in dist/Main2024Release\n"),
        Stderr(0.1, b"ready1\n"),
    ]
    assert redacted(others) == (others, {})


def test_a_cut_copy_of_a_key_is_masked_though_it_has_no_digit():
    key = "ghp_" + "tBZnhtfVYtifpfAJpdRcmrxgAtUI3OVJBYO7"
    done, _ = redacted(frames(chunk(f"was {key[:20]}..."), chunk(f"is {key}")))
    assert key[:12].encode() not in done[0].raw


def tool_output(text, tool="c1", **where):
    update = {"sessionUpdate": "tool_call_update", "toolCallId": tool}
    update |= {"rawOutput": {"stdout": text}} if not where else {}
    update |= {name: {key: text} for name, key in where.items()}
    return {"method": "session/update", "params": {"sessionId": "s1", "update": update}}


@pytest.mark.parametrize(
    "where", [{}, {"rawOutput": "outputDelta"}, {"_meta": "partial_json"}, {"_meta": "delta"}]
)
@pytest.mark.parametrize("size", [8, 20, 31])
def test_a_key_in_pieces_of_the_output_of_a_tool_is_found(where, size):
    pieces = [GITHUB[at : at + size] for at in range(0, len(GITHUB), size)]
    texts = ["signed in as bob, ", "with " + pieces[0], *pieces[1:-1], pieces[-1] + " ok\n"]
    messages = [tool_output(text, **where) for text in texts]
    if "partial_json" in where.values():
        for message in messages:
            message["params"]["update"]["_meta"]["type"] = "input_json_delta"
    messages.insert(2, tool_output("another tool ", tool="c2"))
    done, _ = redacted(frames(*messages))
    left = b"".join(frame.raw for frame in done).decode()
    assert not any(GITHUB[at : at + 8] in left for at in range(len(GITHUB) - 7))
    assert "redacted-github-token-1" in left
    assert "signed in as bob, " in left
    assert " ok" in left
    assert redacted(done)[0] == done


@pytest.mark.parametrize("place", ["DB_PASSWORD=%s\n", "postgres://u:%s@h/db", "Bearer %s "])
def test_a_password_in_two_pieces_of_the_output_of_a_tool_is_found(place):
    text = place % "q7Zk2Vw9Xn4Rb8Tm3Yc6"
    at = text.index("Xn4")
    done, _ = redacted(frames(tool_output(text[:at]), tool_output(text[at:])))
    left = b"".join(frame.raw for frame in done)
    assert b"Zk2Vw9" not in left
    assert b"Xn4Rb8" not in left


@pytest.mark.parametrize("rest", ["!Xn4Rb8Tm", "Xn4Rb8.Tm"])
def test_a_password_with_signs_in_two_pieces_of_the_output_of_a_tool_is_found(rest):
    pieces = ["the password: q7Zk2Vw9", f"{rest} ok"]
    done, _ = redacted(frames(*map(tool_output, pieces)))
    assert b"Rb8" not in done[1].raw


def test_a_key_in_pieces_is_found_after_many_outputs_that_did_not_go_on():
    others = [tool_output("built abc1x9", tool=f"other-{number}") for number in range(70)]
    done, _ = redacted(frames(*others, tool_output("key " + GITHUB[:20]), tool_output(GITHUB[20:])))
    left = b"".join(frame.raw for frame in done).decode()
    assert GITHUB[:20] not in left
    assert GITHUB[20:] not in left


def test_an_output_that_is_a_key_by_itself_is_joined_to_the_next_alone(monkeypatch):
    """Sixty-four of them were searched again for each: a second for a hundred."""
    sizes = []
    real = Finder.find_in_joined
    monkeypatch.setattr(
        Finder, "find_in_joined", lambda self, text: sizes.append(len(text)) or real(self, text)
    )
    letters = string.ascii_letters + string.digits
    keys = ["ghp_" + "".join(Random(at).choices(letters, k=36)) for at in range(20)]
    _, counts = redacted(frames(*map(tool_output, keys)))
    assert counts == {"github-token": len(keys)}
    assert max(sizes) <= 2 * len(GITHUB)


def test_output_that_is_sent_again_and_longer_is_not_joined():
    """Nothing in it is removed, though it begins with letters and digits."""
    grown = ["q7Zk2 API_TOKEN=q7Zk2Vw9Xn4R", "q7Zk2 API_TOKEN=q7Zk2Vw9Xn4R\nv2x done"]
    done, counts = redacted(frames(*map(tool_output, grown)))
    assert counts == {"variable": 2}
    assert [json.loads(frame.raw)["params"]["update"]["rawOutput"]["stdout"] for frame in done] == [
        "q7Zk2 API_TOKEN=redacted-variable-1",
        "q7Zk2 API_TOKEN=redacted-variable-1\nv2x done",
    ]


def test_a_key_in_short_lines_on_standard_error_is_found():
    lines = [GITHUB[at : at + 16] for at in range(0, len(GITHUB), 16)]
    done, _ = redacted([Stderr(at / 10, f"{line}\n".encode()) for at, line in enumerate(lines)])
    assert [record.raw for record in done] == [b"redacted-github-token-1\n", b"\n", b"\n"]


def test_a_place_with_many_secrets_is_compared_once_with_what_was_seen_before():
    """To compare each with each, or to count escapes again for each, would take minutes."""
    word = 'password="hunter2x" ' * 2_000
    [done], counts = redacted(frames({"lines": [word, "x"]}))
    assert counts == {"assignment": 2_000}
    assert b"hunter2x" not in done.raw


def test_a_key_in_chunks_that_a_script_has_made_is_found():
    sent = frames(chunk("one "), chunk("two"))
    made = frames(chunk("key: " + GITHUB[:18]), chunk(GITHUB[18:] + " ok"))
    delivered = [
        Delivery(frame.seq, 1.0, Peer.CLIENT, "it.py", "replaced", new.raw)
        for frame, new in zip(sent, made, strict=True)
    ]
    done, counts = redacted([*sent, *delivered])
    assert done[:2] == sent
    assert [text_of(record) for record in done[2:]] == ["key: redacted-github-token-1", " ok"]
    assert counts == {"github-token": 1}


def test_lines_of_standard_error_are_one_text():
    """The line before says what the next one has: the head of a table, the name of a variable."""
    lines = [
        b" id | username | password\n",
        b"----+----------+-----------\n",
        b"  1 | admin    | r3sult!1\n",
        b"- name: DB_PASSWORD\n",
        b"  value: helm-P4ss\n",
    ]
    redactor = Redactor()
    records = [Stderr(0.1 * at, raw) for at, raw in enumerate(lines)]
    for record in records:
        redactor.learn(record)
    left = [redactor.record(record).raw for record in records]
    assert left[:2] == lines[:2]
    assert not any(secret in b"".join(left) for secret in (b"r3sult", b"helm-P4ss"))


def test_what_is_reported_of_one_secret_does_not_show_a_part_of_another(tmp_path):
    lines = [b64encode(sha384(bytes([at])).digest()).decode() for at in range(6)]
    key = ["-----BEGIN OPENSSH PRIVATE KEY-----", *lines, "-----END OPENSSH PRIVATE KEY-----"]
    frame = Frame(1, 0.0, Peer.AGENT, json.dumps({"id": 1, "result": {"lines": key}}).encode())
    path = tmp_path / "run.jsonl"
    path.write_bytes(encode([Header(), frame]))
    report = "\n".join(secrets_in_file(str(path), Redactor()))
    assert report.count("private-key") >= len(lines) - 1
    assert not [
        line[at : at + 4] for line in lines for at in range(60) if line[at : at + 4] in report
    ]


OTHER = spelled_out("Q<23>")


@pytest.mark.parametrize(
    ("title", "outputs"),
    [
        ("ls", [f"x {GITHUB[:20]}", GITHUB[20:]]),
        ("ls", [f"x {GITHUB}", f"{OTHER} DB_PASSWORD={OTHER}"]),
        ("ls", [f"x {GITHUB}", OTHER, f"DB_PASSWORD={OTHER}"]),
        ("cat /run/secrets/db_password", [GITHUB, OTHER]),
        ("cat /run/secrets/db_password", [GITHUB, OTHER, GITHUB, OTHER]),
    ],
)
def test_what_goes_on_in_the_next_output_is_reported_wherever_it_is_masked(
    title, outputs, tmp_path
):
    call = {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": title}
    asked = {"method": "session/update", "params": {"sessionId": "s1", "update": call}}
    records = frames(asked, *map(tool_output, outputs))
    path = tmp_path / "c.jsonl"
    path.write_bytes(encode([Header(), *records]))
    report = list(secrets_in_file(str(path), Redactor()))
    masked = [frame.raw.count(b"redacted-") for frame in redacted(records)[0]]
    assert sum(masked)
    assert [
        sum(f":{at}: " in line for line in report) for at in range(2, len(masked) + 2)
    ] == masked
    assert not any(
        key[at : at + 6] in line for line in report for key in (GITHUB, OTHER) for at in range(18)
    )


@pytest.mark.parametrize("step", [1, 11, 17, 30])
@pytest.mark.parametrize(
    "pairs",
    [
        "Server=db;User Id=sa;Password=S3cr3t!pass99;TrustServerCertificate=True;",
        "Server=db;Pwd=S3cr3t!pass99;MultipleActiveResultSets=1;Encrypt=True",
        "jdbc:sqlserver://db;user=sa;password=S3cr3t!pass99;trustServerCertificate=true",
    ],
)
def test_pairs_in_output_that_grows_are_redacted_once(pairs, step):
    text = json.dumps({"cs": pairs})
    grown = [text[:end] for end in range(step, len(text) + step, step)]
    once, _ = redacted(frames(*map(chunk_of_tool, grown)))
    again, _ = redacted(once)
    assert [frame.raw for frame in again] == [frame.raw for frame in once]
    assert pairs.partition("pass99")[2] in json.loads(once[-1].raw)["params"]["update"]["rawOutput"]


def chunk_of_tool(text):
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "rawOutput": text}
    return {"method": "session/update", "params": {"sessionId": "s1", "update": update}}


def test_what_a_line_of_stderr_shows_the_next_to_be_is_reported_too(tmp_path):
    lines = [b"$ANSIBLE_VAULT;1.1;AES256\n", b"47c140421246c65c0f7f" * 4 + b"\n"]
    path = tmp_path / "c.jsonl"
    path.write_bytes(encode([Header(), *(Stderr(at / 10, raw) for at, raw in enumerate(lines))]))
    [line] = secrets_in_file(str(path), Redactor())
    assert line.endswith(":3: private-key: ****")


SPLIT = "k7Qm2Xw9Zt4Rb8Vn5Ygh3L"


@pytest.mark.parametrize("cut", range(8, 20))
def test_what_the_last_text_shows_is_masked_from_the_header_on(cut):
    name = f"DB_PASSWORD={SPLIT}\n"
    header = Header(command=("agent", "--profile", SPLIT), cwd=f"/tmp/{SPLIT}")
    texts = frames(chunk(f"I set {name[:cut]}"), chunk(name[cut:]), chunk("and done"))
    records = [header, Stderr(0.1, f"started for {SPLIT}\n".encode()), *texts]
    redactor = Redactor()
    redactor.learn_all(records)
    done = encode([redactor.record(record) for record in records])
    assert SPLIT[:12].encode() not in done


@pytest.mark.parametrize("size", [3, 7, 10])
@pytest.mark.parametrize("cut", [12, 16, 20])
def test_a_copy_in_pieces_is_masked_although_a_part_was_known_before(cut, size):
    pieces = [SPLIT[at : at + size] for at in range(0, len(SPLIT), size)]
    thoughts = [chunk(piece, "agent_thought_chunk") for piece in ("see ", *pieces, " there")]
    name = [chunk(f"DB_PASSWORD={SPLIT[:cut]}"), chunk(f"{SPLIT[cut:]}\n")]
    records = frames(*thoughts, *name)
    redactor = Redactor()
    redactor.learn_all(records)
    done = "".join(text_of(redactor.record(record)) for record in records)
    assert done == "see redacted-variable-1 thereDB_PASSWORD=redacted-variable-1\n"


@pytest.mark.parametrize("is_noise", [True, False], ids=["stdout", "stderr"])
@pytest.mark.parametrize("form", ["password: |-\n  {}\n", PRIVATE.replace("q7Zk2Vw9" * 8, "{}")])
def test_lines_that_a_program_prints_are_one_text(form, is_noise, tmp_path):
    """Noise on stdout has a frame for each line."""
    secret = "hJ4JslbIPFGmbCF1ePvvkp7OhJ4Js3bIPFGmbCF1ePvvkp7O"
    printed = [line.encode() + b"\n" for line in form.format(secret).splitlines()]
    lines = [
        Frame(seq, seq / 10, Peer.AGENT, line) if is_noise else Stderr(seq / 10, line)
        for seq, line in enumerate(printed, 1)
    ]
    records = [*lines, Frame(9, 0.9, Peer.AGENT, json.dumps(chunk(f"it is {secret}")).encode())]
    done, _ = redacted(records)
    assert not [record for record in done if secret[:12].encode() in record.raw]
    (tmp_path / "run.jsonl").write_bytes(encode([Header(), *lines]))
    assert [*secrets_in_file(str(tmp_path / "run.jsonl"), Redactor())]


@pytest.mark.parametrize(
    "text",
    [
        "Done: the passwords are ApKEFkTD and 1gqxaLJn",
        "I will replace the password ApKEFkTD with 1gqxaLJn in .env",
    ],
)
@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_what_a_secret_hides_is_found_in_a_streamed_text_too(text, size):
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    done, _ = redacted(frames(*map(chunk, chunks)))
    left = "".join(map(text_of, done))
    assert "ApKEFkTD" not in left
    assert "1gqxaLJn" not in left
    assert redacted(done)[0] == done
