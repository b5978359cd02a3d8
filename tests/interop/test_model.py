"""The stand-in for a model, asked over HTTP in each of the four ways."""

import json
import threading
import urllib.request
from contextlib import contextmanager

import pytest
from interop.model.script import LAST
from interop.model.server import server
from interop.programs.turn import COUNT, WORK

READ, MEND = ("read_file", {"path": "notes.txt"}), ("edit_file", {"old": "teh", "new": "the"})


def anthropic(prompt, results):
    done = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]},
    ]
    messages = [{"role": "user", "content": [{"type": "text", "text": prompt}]}, *done * results]
    return {"messages": messages, "tools": [{"name": "read_file"}], "stream": True}


def chat(prompt, results):
    done = [{"role": "assistant", "content": ""}, {"role": "tool", "content": "x"}]
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": prompt}]
    tools = [{"type": "function", "function": {"name": "read_file"}}]
    return {"messages": [*messages, *done * results], "tools": tools, "stream": True}


def responses(prompt, results):
    done = [{"type": "function_call"}, {"type": "function_call_output", "output": "x"}]
    content = [{"type": "input_text", "text": prompt}]
    asked = [{"type": "message", "role": "user", "content": content}, *done * results]
    return {"input": asked, "tools": [{"type": "function", "name": "read_file"}], "stream": True}


def gemini(prompt, results):
    done = [
        {"role": "model", "parts": [{"functionCall": {"name": "read_file"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read_file"}}]},
    ]
    tools = [{"functionDeclarations": [{"name": "read_file"}]}]
    contents = [{"role": "user", "parts": [{"text": f"<context/>{prompt}"}]}, *done * results]
    return {"contents": contents, "tools": tools}


WAYS = [
    ("/v1/messages", anthropic),
    ("/v1/chat/completions", chat),
    ("/v1/responses", responses),
    ("/v1beta/models/any:streamGenerateContent?alt=sse", gemini),
]
each_way = pytest.mark.parametrize(("path", "asked"), WAYS, ids=[way.__name__ for _, way in WAYS])


@contextmanager
def stand_in():
    running = server(0, [READ, MEND])
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}"
    finally:
        running.shutdown()
        running.server_close()


@contextmanager
def asking(address, body):
    request = urllib.request.Request(address, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=30) as answer:
        yield answer


@each_way
def test_it_wants_one_tool_after_the_other_and_then_it_is_done(path, asked):
    with stand_in() as address:
        said = []
        for results in range(3):
            with asking(address + path, asked(WORK, results)) as answer:
                said.append(answer.read().decode())
    assert "read_file" in said[0]
    assert "notes.txt" in said[0]
    assert "edit_file" not in said[0]
    assert "edit_file" in said[1]
    assert "teh" in said[1]
    assert "edit_file" not in said[2]
    assert json.dumps(LAST.split(" ")[-1])[1:-1] in said[2]


@each_way
def test_it_counts_word_by_word(path, asked):
    """Whoever has heard enough can say so long before the end."""
    with stand_in() as address, asking(address + path, asked(COUNT, 0)) as answer:
        heard = b""
        while b"three" not in heard:
            heard += answer.readline()
        assert b"four" not in heard


@each_way
def test_what_it_has_no_script_for_it_answers_with_a_word(path, asked):
    with (
        stand_in() as address,
        asking(address + path, asked("Give this chat a title", 0)) as answer,
    ):
        assert b"Notes" in answer.read()
