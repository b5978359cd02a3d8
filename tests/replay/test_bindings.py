import pytest

from acp_spy.protocol.events import SessionAsked
from acp_spy.replay.bindings import Bindings
from acp_spy.replay.line import NOTIFICATION, REQUEST, RESULT, Line
from acp_spy.replay.paths_in_text import Paths


def line(raw: str, kind: str = REQUEST, **more) -> Line:
    return Line(1, raw.encode(), kind, **more)


def bound(*bindings) -> Bindings:
    made = Bindings()
    for kind, recorded, live in bindings:
        assert made.bind(kind, recorded, live)
    return made


def test_only_the_tokens_of_names_change():
    raw = '{ "params" : {"sessionId":"s-1", "n": 1.50e1, "n": 2, "text": "caf\\u00e9 s-1"} }\r\n'
    said = bound(("session", "s-1", "live")).translate(line(raw, NOTIFICATION))
    assert said.decode() == raw.replace('"s-1"', '"live"')


def test_without_anything_to_replace_the_bytes_are_the_recorded_ones():
    raw = '{"id":0,"result":{"sessionId":"s-1"}}\n'
    recorded = line(raw, RESULT, id=b"0")
    assert Bindings().translate(recorded, b"0") is recorded.raw


def test_the_id_of_an_answer_is_the_live_one():
    recorded = line('{"result":{"id":3},"id":3}\n', RESULT, id=b"3")
    assert Bindings().translate(recorded, b'"q-3"') == b'{"result":{"id":3},"id":"q-3"}\n'


def test_the_id_of_a_message_is_no_name_although_something_is_called_so():
    """As after `$/cancel_request`, or in an agent that asks by the id of the tool call."""
    made = bound(("tool call", "call-1", "call-9"))
    answer = line('{"id":"call-1","result":{"toolCallId":"call-1"}}', RESULT, id=b'"call-1"')
    for ident in (b'"call-9"', b'"q"', b'"call-1"'):
        translated = made.translate(answer, ident)
        assert translated == b'{"id":%b,"result":{"toolCallId":"call-9"}}' % ident
    asked = line('{"id":"call-1","params":{"toolCallId":"call-1"}}', id=b'"call-1"')
    assert made.translate(asked) == b'{"id":"call-1","params":{"toolCallId":"call-9"}}'


def test_a_name_that_is_told_twice_stands_for_one_thing():
    made = bound(("session", "s-1", "a"))
    assert made.bind("session", "s-1", "a")
    assert not made.bind("session", "s-1", "b")
    assert not made.bind("session", "s-2", "a")


def test_names_of_different_things_are_apart():
    made = bound(("session", "1", "a"), ("tool call", "1", "b"))
    raw = '{"sessionId":"1","toolCallId":"1","text":"1"}'
    assert made.translate(line(raw)) == b'{"sessionId":"a","toolCallId":"b","text":"1"}'


def test_a_name_that_cannot_be_mistaken_is_replaced_wherever_it_stands():
    made = bound(("tool call", "toolu_01ABC", "x"))
    raw = '{"_meta":{"parent":"toolu_01ABC"},"text":"about toolu_01ABC"}'
    assert made.translate(line(raw)) == b'{"_meta":{"parent":"x"},"text":"about toolu_01ABC"}'


def test_names_may_change_places():
    made = bound(("terminal", "t-1", "t-2"), ("terminal", "t-2", "t-1"))
    raw = '[{"terminalId":"t-1"},{"terminalId":"t-2"}]'
    assert made.translate(line(raw)) == b'[{"terminalId":"t-2"},{"terminalId":"t-1"}]'


def test_a_name_of_ones_own_that_the_live_peer_has_taken_already_gets_another():
    made = bound(("session", "old", "s-1"))
    made.mint("session", "s-1")
    assert made.translate(line('{"sessionId":"s-1"}')) == b'{"sessionId":"s-1-2"}'
    assert made.translate(line('{"sessionId":"old"}')) == b'{"sessionId":"s-1"}'


def test_of_many_names_each_is_replaced():
    """So many that looking for each takes longer than looking at each string."""
    made = bound(*(("tool call", f"call-{n}", f"live-{n}") for n in range(200)))
    for n in (0, 199):
        raw = f'{{"toolCallId":"call-{n}","x":"call-1"}}'
        assert made.translate(line(raw)) == f'{{"toolCallId":"live-{n}","x":"call-1"}}'.encode()


def test_what_the_last_line_has_taught_can_be_taken_back():
    """A guess that had given way to it is there again, too."""
    made = bound()
    made.bind("session", "one", "A", is_guess=True)
    made.folders.bind("/a", "/x")
    opened = line(
        '{"sessionId":"one","cwd":"/b"}',
        id=b"1",
        body={"sessionId": "one"},
        event=SessionAsked("new", "one", "/b"),
    )
    live = line("{}", id=b"2", body={"sessionId": "B"}, event=SessionAsked("new", "B", "/y"))
    made.learn(opened, live)
    assert made.translate(opened) == b'{"sessionId":"B","cwd":"/y"}'
    made.unlearn()
    assert made.translate(opened) == b'{"sessionId":"A","cwd":"/b"}'
    assert made.ids == {}


def test_a_withdrawn_request_is_named_by_its_live_id():
    made = Bindings()
    made.ids = {b"3": b'"q"'}
    cancel = line('{"params":{"requestId":3}}', NOTIFICATION, method="$/cancel_request")
    assert made.translate(cancel, own=False) == b'{"params":{"requestId":"q"}}'
    assert made.translate(cancel, own=True) == cancel.raw  # an id of the played side's own


def test_a_question_about_a_live_request_names_its_live_id():
    made = Bindings()
    made.ids = {b"3": b"30"}
    asked = line('{"params":{"requestId":3}}', method="elicitation/create")
    assert made.translate(asked) == b'{"params":{"requestId":30}}'


def test_a_request_is_named_in_whatever_spelling():
    made = Bindings()
    made.ids = {b'"a/1"': b'"b/1"'}
    asked = line(r'{"params":{"requestId":"a\/1"}}', method="elicitation/create")
    assert made.translate(asked) == b'{"params":{"requestId":"b/1"}}'


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("/home/dev/p", "/x"),
        ("/home/dev/p/a.py", "/x/a.py"),
        ("file:///home/dev/p/a.py", "file:///x/a.py"),
        ("see `/home/dev/p`.", "see `/x`."),
        ("in /home/dev/p. And", "in /x. And"),
        (r"one\n/home/dev/p/b\n", r"one\n/x/b\n"),
        ("/home/dev/p:/home/dev/p/bin", "/x:/x/bin"),
        ("/home/dev/project", "/home/dev/project"),
        ("/home/dev/p.git", "/home/dev/p.git"),
        ("/home/dev/p-2/a", "/home/dev/p-2/a"),
        ("/mnt/home/dev/p", "/mnt/home/dev/p"),
        ("/home/dev/pé", "/home/dev/pé"),
    ],
)
def test_a_folder_is_replaced_wherever_a_path_is_in_it(text, replaced):
    paths = Paths(["/home/dev/p"])
    assert paths.replace(text.encode(), {"/home/dev/p": "/x"}.__getitem__).decode() == replaced


def test_the_innermost_folder_is_the_one_that_counts():
    made = Bindings()
    made.folders.bind("/a", "/x")
    made.folders.bind("/a/b", "/y")
    raw = '["/a/c","/a/b/c"]'
    assert made.translate(line(raw)) == b'["/x/c","/y/c"]'


def test_a_folder_that_is_the_same_now_keeps_the_spelling_it_has():
    made = Bindings()
    made.folders.bind("/é", "/é")
    made.folders.bind("/a", "/x")
    assert made.translate(line(r'["/\u00e9/b","/a"]')) == rb'["/\u00e9/b","/x"]'


def test_a_slash_that_is_escaped_is_no_beginning_of_a_folder():
    made = Bindings()
    made.folders.bind("/a", "c:\\b")
    assert made.translate(line(r'["\/a","/a"]')) == rb'["\/a","c:\\b"]'


def test_what_is_too_long_for_a_folder_is_not_looked_for():
    long = "/a" * 4096
    made = Bindings()
    new = made.folders.bind(long, "/x")
    assert made.translate(line(f'["{long}"]')) == f'["{long}"]'.encode()
    made.folders.forget(new)


def test_folders_that_begin_alike_are_told_apart():
    paths = Paths(["/a", "/a/b", "/a/bc", "/a/b/c/d", "c:\\a"])
    said = rb'["/a/b/c/dd","/a/bc.","/a/bcd","/a/b/c/d","c:\\a\\b","/ab"]'
    found = paths.replace(said, lambda path: f"<{path}>")
    assert found == rb'["</a/b>/c/dd","</a/bc>.","</a>/bcd","</a/b/c/d>","<c:\\a>\\b","/ab"]'


def test_each_session_may_have_another_folder_for_the_recorded_one():
    made = Bindings()
    made.folders.bind("/a", "/x", ["s-1"])
    made.folders.bind("/a", "/y", ["s-2"])
    assert made.translate(line('["/a"]', session="s-1")) == b'["/x"]'
    assert made.translate(line('["/a"]', session="s-2")) == b'["/y"]'
    assert made.translate(line('["/a"]')) == b'["/x"]'


def test_the_root_folder_can_be_left_and_reached():
    made = Bindings()
    made.folders.bind("/a", "/")
    assert made.translate(line('["/a","/a/b"]')) == b'["/","/b"]'
    assert made.translate(line(r'["/a\n","/a\\b"]')) == rb'["/\n","\\b"]'
    made = Bindings()
    made.folders.bind("/", "/a/")
    assert made.translate(line('{"cwd":"/","path":"/b"}')) == b'{"cwd":"/a","path":"/b"}'


@pytest.mark.parametrize("spelled", ["a/b-123456", r"a\/b-123456", r"a\u002fb-123456"])
def test_a_name_is_recognised_in_every_spelling(spelled):
    made = bound(("session", "a/b-123456", "x"))
    assert made.translate(line(f'{{"sessionId":"{spelled}"}}')) == b'{"sessionId":"x"}'


def test_the_items_of_a_list_are_named_by_its_member():
    made = bound(("session", "s-1", "live"))
    raw = '{"sessionIds":[],"sessionId":["s-1",{"x":"s-1"},"s-1"],"y":"s-1"}'
    said = '{"sessionIds":[],"sessionId":["live",{"x":"s-1"},"live"],"y":"s-1"}'
    assert made.translate(line(raw)).decode() == said


def test_a_torn_line_is_left_torn():
    made = bound(("session", "s-1", "live"))
    raw = '{"sessionId":"s-1"},{"sessionId":"s-1'
    assert made.translate(line(raw)).decode() == '{"sessionId":"live"},{"sessionId":"s-1'


def test_a_folder_that_is_none_is_not_looked_for_in_texts():
    made = Bindings()
    made.folders.bind("project", "/x")
    assert made.translate(line('["project"]')) == b'["project"]'
