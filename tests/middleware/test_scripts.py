"""Scripts: what their functions are given, what they may do, and what happens when they fail."""

import os
import py_compile
import sys
from contextlib import suppress

import msgspec
import pytest
import trio
from support.in_process import acp_spy

from acp_spy.capture.codec import encode
from acp_spy.capture.delivered import delivered
from acp_spy.capture.records import Delivery, Header, Stderr
from acp_spy.errors import AcpSpyError
from acp_spy.middleware.dry_run import dry_run
from acp_spy.middleware.options import make_stages
from acp_spy.middleware.pipeline import Pipeline, Stage
from acp_spy.middleware.scripts.stage import ScriptStage
from acp_spy.wire.frame import Frame, Peer

CLIENT, AGENT = Peer.CLIENT, Peer.AGENT
ASK = b'{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1"}}\n'
TELL = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","n":1}}\n'
DONE = b'{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}\n'
TALK = (
    Header(),
    Frame(1, 0.1, CLIENT, ASK),
    Frame(2, 0.2, AGENT, b"noise\n"),
    Frame(3, 0.3, AGENT, TELL),
    Frame(4, 0.4, AGENT, DONE),
)
# An error whose own words raise, too.
WORDLESS = "class Wordless(Exception):\n    def __str__(self): 1 / 0\n"


@pytest.fixture
def run(tmp_path):
    """Run a script over records; return the deliveries, what arrived, and the complaints."""

    def run(code, records=TALK):
        path = tmp_path / "it.py"
        path.write_text(code)
        complaints = []
        done = dry_run(records, [ScriptStage(str(path))], complaints.append)
        deliveries = [(r.seq, r.action) for r in done if isinstance(r, Delivery)]
        arrived = [(r.sender, r.raw) for r in delivered(done) if isinstance(r, Frame)]
        return deliveries, arrived, complaints

    return run


AS_SENT = [(record.sender, record.raw) for record in TALK[1:]]


def test_a_script_that_does_nothing_changes_nothing(run):
    code = "def request(e): pass\nnotification = response = noise = request\n"
    assert run(code) == ([], AS_SENT, [])


def test_each_kind_of_line_has_its_function(run):
    deliveries, arrived, _ = run("def noise(e):\n    e.drop()\n")
    assert deliveries == [(2, "dropped")]
    assert arrived == [*AS_SENT[:1], *AS_SENT[2:]]


def test_what_an_event_has(run, capsys):
    code = """
def show(e):
    print(e.seq, e.t, e.sender, e.method, e.id, e.params, e.result, e.error, e.session)
request = response = notification = show
"""
    run(code)
    assert capsys.readouterr().out.splitlines() == [
        "1 0.1 client session/prompt 1 {'sessionId': 's1'} None None s1",
        "3 0.3 agent session/update None {'sessionId': 's1', 'n': 1} None None s1",
        "4 0.4 agent session/prompt 1 None {'stopReason': 'end_turn'} None s1",
    ]


def test_replacing_by_json_and_by_bytes(run):
    code = """
def request(e):
    e.replace({"jsonrpc": "2.0", "id": 1, "method": "other"})
def noise(e):
    e.replace(b"half a li")
"""
    deliveries, arrived, _ = run(code)
    assert deliveries == [(1, "replaced"), (2, "replaced")]
    assert arrived[0] == (CLIENT, b'{"jsonrpc":"2.0","id":1,"method":"other"}\n')
    assert arrived[1] == (AGENT, b"half a li")


def test_an_answer_has_the_id_of_the_request(run):
    deliveries, arrived, _ = run("def request(e):\n    e.answer({'stopReason': 'refusal'})\n")
    assert deliveries == [(1, "answered")]
    assert arrived[1] == (AGENT, b'{"jsonrpc":"2.0","id":1,"result":{"stopReason":"refusal"}}\n')


def test_an_error_can_be_the_answer(run):
    _, arrived, _ = run("def request(e):\n    e.answer(error={'code': 1, 'message': 'no'})\n")
    assert arrived[1][1] == b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}\n'


def test_a_delay_keeps_the_order_of_the_session(run):
    deliveries, arrived, _ = run("def notification(e):\n    e.delay(5)\n")
    assert deliveries == [(3, "held"), (4, "held"), (3, "delayed"), (4, "delayed")]
    assert arrived == AS_SENT


def test_an_async_function_holds_its_message_alone(run):
    code = """
import trio
async def request(e):
    await trio.sleep(60)
    e.drop()
"""
    deliveries, arrived, _ = run(code)
    assert deliveries == [(1, "held"), (1, "dropped")]
    assert arrived == AS_SENT[1:]


def test_several_scripts_see_a_frame_in_the_order_of_the_stages(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.py").write_text(
            "def notification(event):\n"
            f"    event.replace({{**event.message, 'by': event.message.get('by', '') + '{name}'}})\n"
        )
    paths = [str(tmp_path / "a.py"), str(tmp_path / "b.py")]
    pipeline = Pipeline(make_stages({"script": paths}))
    pipeline.begin(lambda _task: None, trio.sleep)
    for sender in (Peer.CLIENT, Peer.AGENT):
        pipeline.take(Frame(1, 0.0, sender, b'{"jsonrpc":"2.0","method":"_x"}\n'))
    lines = [msgspec.json.decode(raw)["by"] for _, raw in pipeline.collect()[1]]
    assert lines == ["ab", "ba"]


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_script_that_raises_lets_the_frame_pass(run, kind):
    deliveries, arrived, complaints = run(f"{kind} request(e):\n    e.drop()\n    1 / 0\n")
    assert (1, "failed") in deliveries
    assert (1, "dropped") not in deliveries
    assert set(arrived) == set(AS_SENT)
    (complaint,) = complaints
    assert complaint == (
        "script it.py failed: ZeroDivisionError: division by zero, line 3;"
        " the frame passes unchanged"
    )


def test_an_error_that_cannot_be_put_in_words_is_named(run):
    _, arrived, (complaint,) = run(f"{WORDLESS}def request(_):\n    raise Wordless\n")
    assert set(arrived) == set(AS_SENT)
    assert complaint == "script it.py failed: Wordless, line 4; the frame passes unchanged"


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("ValueError('x' * 5_000_000)", "ValueError: …"),
        ("ValueError('a secret ' * 500_000)", f"ValueError: {'a secret ' * 222}a …"),
        ("ValueError(' ' * 5_000_000)", "ValueError: …"),
        ("type('N' * 5_000_000, (Exception,), {})", "…"),
    ],
)
def test_a_long_error_is_cut(run, raised, said):
    *_, (complaint,) = run(f"def request(_):\n    raise {raised}\n")
    assert complaint == f"script it.py failed: {said}, line 2; the frame passes unchanged"


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_script_that_exits_does_not_end_the_conversation(run, kind):
    for function in ("request", "start", "end"):
        code = f"import sys\n{kind} {function}(_):\n    sys.exit(3)\n"
        _, arrived, (complaint,) = run(code)
        assert set(arrived) == set(AS_SENT)
        assert "SystemExit: 3, line 3" in complaint


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize(
    "raised",
    [
        *("pytest.fail('x')", "raise asyncio.CancelledError('x')", "raise GeneratorExit('x')"),
        *("raise BaseExceptionGroup('x', [SystemExit(1)])", "raise Odd('x')"),
    ],
)
def test_whatever_a_script_raises_the_frame_passes(run, kind, raised):
    odd = "class Odd(BaseException): pass\n"
    code = f"import asyncio, pytest\n{odd}{kind} request(_):\n    {raised}\n"
    _, arrived, (complaint,) = run(code)
    assert set(arrived) == set(AS_SENT)
    assert ": x" in complaint
    assert complaint.endswith("; the frame passes unchanged")


def test_an_exit_in_a_nursery_ends_nothing_else(run):
    code = "import sys, trio\nasync def request(_):\n    async with trio.open_nursery():\n        sys.exit()\n"
    _, arrived, (complaint,) = run(code)
    assert set(arrived) == set(AS_SENT)
    assert complaint.startswith("script it.py failed: BaseExceptionGroup: ")


def test_a_ctrl_c_ends_a_dry_run(run):
    with pytest.raises(KeyboardInterrupt):
        run("def request(_):\n    raise KeyboardInterrupt\n")


def test_a_ctrl_c_in_a_nursery_ends_a_dry_run_as_any_other(run):
    with pytest.raises(KeyboardInterrupt):
        run("def request(_):\n    raise BaseExceptionGroup('x', [KeyboardInterrupt()])\n")


# Keeps what trio cancelled it by, and raises it later.
KEEPS_CANCELLED = """
import trio
async def cancelled():
    with trio.CancelScope() as scope:
        scope.cancel()
        try:
            await trio.sleep(1)
        except trio.Cancelled as error:
            return error
kept = trio.run(cancelled)
"""


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("raised", ["kept", "BaseExceptionGroup('x', [kept])"])
def test_an_old_cancellation_that_a_script_raises_cancels_nothing(run, kind, raised):
    for function in ("request", "start", "end"):
        _, arrived, complaints = run(
            f"{KEEPS_CANCELLED}{kind} {function}(_):\n    raise {raised}\n"
        )
        assert set(arrived) == set(AS_SENT)
        (complaint,) = complaints
        assert complaint.startswith("script it.py failed")


def test_an_old_cancellation_is_no_reason_to_refuse_a_script_by_a_traceback(tmp_path):
    (tmp_path / "bad.py").write_text(f"{KEEPS_CANCELLED}raise kept\n")
    with pytest.raises(AcpSpyError, match="Cancelled"):
        ScriptStage(str(tmp_path / "bad.py"))


def test_a_script_that_trio_cancels_at_the_end_has_not_failed(run):
    code = "import trio\nasync def request(_):\n    await trio.sleep_forever()\n"
    _, arrived, complaints = run(code)
    assert (set(arrived), complaints) == (set(AS_SENT), [])


# The second starts it in our nursery, in which the tasks of stages run.
BACKGROUND = (
    "trio.lowlevel.spawn_system_task",
    "trio.lowlevel.current_task().child_nurseries[-1].start_soon",
)
IN_BACKGROUND = """
import trio
async def task():
    await trio.sleep(0.15)
    {raised}
def start(_):
    {start}(task)
"""


@pytest.mark.parametrize("start", BACKGROUND)
@pytest.mark.parametrize(
    ("raised", "words"),
    [
        ("1 / 0", "script it.py failed in a task of its own: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "script it.py failed in a task of its own: SystemExit: 3, line 15"),
        ("raise ExceptionGroup('x', [ExceptionGroup('y', [ValueError('z')])])", "ValueError: z"),
        ("raise BaseExceptionGroup('x', [ValueError('z'), GeneratorExit()])", "ValueError: z"),
        ("await trio.lowlevel.reschedule", "script it.py failed in a task of its own: TypeError"),
        ("raise kept", "a script cancelled all tasks"),
    ],
)
def test_a_task_of_a_script_that_fails_ends_a_dry_run_with_an_error(run, start, raised, words):
    with pytest.raises(AcpSpyError, match="cannot finish the run") as refused:
        run(KEEPS_CANCELLED + IN_BACKGROUND.format(raised=raised, start=start))
    assert words in str(refused.value)
    assert refused.value.hint == "correct the script"


def test_a_task_without_a_function_of_the_script_is_a_task_of_the_script(run):
    code = "import trio\ndef start(_):\n    trio.lowlevel.spawn_system_task(trio.sleep, None)\n"
    with pytest.raises(AcpSpyError, match="a task that a script started failed: TypeError"):
        run(code)


def test_a_group_that_is_very_deep_is_an_error_as_any_other(run):
    deep = (
        "error = ValueError('x')\nfor _ in range(5000):\n    error = ExceptionGroup('x', [error])"
    )
    _, arrived, (complaint,) = run(f"{deep}\ndef request(_):\n    raise error\n")
    assert set(arrived) == set(AS_SENT)
    assert complaint.startswith("script it.py failed: ExceptionGroup: x")


def test_a_group_that_hides_what_is_in_it_is_an_error_as_any_other(run):
    odd = "class Odd(ExceptionGroup):\n    exceptions = property(lambda self: 1 / 0)\n"
    _, arrived, (complaint,) = run(f"{odd}def request(_):\n    raise Odd('x', [ValueError()])\n")
    assert set(arrived) == set(AS_SENT)
    assert complaint.startswith("script it.py failed: Odd: x")


def test_what_a_script_returns_may_not_even_say_what_it_is(run):
    odd = "class Odd:\n    __class__ = property(lambda self: 1 / 0)\n"
    _, arrived, (complaint,) = run(f"{odd}def request(_):\n    return Odd()\n")
    assert set(arrived) == set(AS_SENT)
    assert complaint.startswith("script it.py failed: ZeroDivisionError")


def test_a_class_that_does_not_say_its_name_is_named(run):
    odd = "class Kind(type):\n    __name__ = property(lambda self: 1 / 0)\n"
    code = f"{odd}class Odd(Exception, metaclass=Kind): pass\ndef request(_):\n    raise Odd\n"
    _, arrived, (complaint,) = run(code)
    assert set(arrived) == set(AS_SENT)
    assert complaint == "script it.py failed: Odd, line 5; the frame passes unchanged"


def test_what_a_script_says_of_bytes_that_are_no_text_can_be_recorded(tmp_path):
    path = tmp_path / os.fsdecode(b"s\xff.py")
    path.write_text("def noise(e):\n    raise ValueError(e.raw.decode(errors='surrogateescape'))\n")
    records = (Header(), Frame(1, 0.1, AGENT, b"caf\xe9\n"))
    done = [*dry_run(records, [ScriptStage(str(path))], lambda _: None)]
    assert b"caf\xef\xbf\xbd" in b"".join(encode([record]) for record in done)


def test_an_async_end_runs_but_waits_for_nothing(run, capsys):
    assert run("async def end(c):\n    print('done')\n") == ([], AS_SENT, [])
    assert capsys.readouterr().out == "done\n"
    _, _, (complaint,) = run("import trio\nasync def end(c):\n    await trio.sleep(1)\n")
    assert complaint == (
        "script it.py failed in `end`: RuntimeError: it waits, and the conversation is over"
    )


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_failure_without_a_frame_names_its_function_and_hides_no_other(run, kind):
    _, arrived, complaints = run(
        f"{kind} start(c):\n    1 / 0\ndef request(e):\n    1 / 0\ndef end(c):\n    1 / 0\n"
    )
    failed = "ZeroDivisionError: division by zero, line"
    assert sorted(complaints) == [
        f"script it.py failed in `end`: {failed} 6",
        f"script it.py failed in `start`: {failed} 2",
        f"script it.py failed: {failed} 4; the frame passes unchanged",
    ]
    assert arrived == AS_SENT


def test_errors_are_reported_once(run):
    code = "def noise(e):\n    1 / 0\nnotification = noise\n"
    deliveries, _, complaints = run(code)
    assert deliveries == [(2, "failed"), (3, "failed")]
    assert len(complaints) == 1


@pytest.mark.parametrize(
    "assigned", ["replacement = 'text'", "answered_with = 5", "delayed_by = 'x'", "raw = b''"]
)
def test_what_becomes_of_a_message_is_said_by_calls_and_not_by_assigning(run, assigned):
    deliveries, arrived, complaints = run(f"def request(e):\n    e.{assigned}\n")
    assert (deliveries, arrived) == ([(1, "failed")], AS_SENT)
    (complaint,) = complaints
    assert complaint.startswith("script it.py failed: AttributeError: ")
    assert complaint.endswith(", line 2; the frame passes unchanged")


def test_bytes_of_a_class_of_its_own_are_bytes(run):
    code = "class Odd(bytes):\n    __eq__ = __len__ = None\ndef noise(e): e.replace(Odd(b'x'))\n"
    deliveries, arrived, complaints = run(code)
    assert (deliveries, arrived[1], complaints) == ([(2, "replaced")], (AGENT, b"x"), [])


def test_only_a_request_can_be_answered(run):
    deliveries, _, (complaint,) = run("def noise(e):\n    e.answer(1)\n")
    assert deliveries == [(2, "failed")]
    assert "only a request can be answered" in complaint


def test_an_injected_request_has_an_id_of_its_own_and_its_response_is_ours(run, capsys):
    code = """
def start(conversation):
    global sent
    ask = {"jsonrpc": "2.0", "id": 1, "method": "fs/read_text_file", "params": {}}
    sent = conversation.inject("client", ask)
async def request(e):
    answer = await sent.response()
    print(answer["result"])
"""
    ident = None
    path = "it.py"
    records = list(TALK)
    deliveries, arrived, _ = run(code, records)
    assert deliveries[0] == (0, "injected")
    ident = arrived[0][1].split(b'"id":"')[1].split(b'"')[0]
    assert path.encode() in ident
    answer = b'{"jsonrpc":"2.0","id":"%b","result":{"content":"hi"}}\n' % ident
    deliveries, arrived, _ = run(code, [*records, Frame(5, 0.5, CLIENT, answer)])
    assert (5, "dropped") in deliveries  # so the agent does not get it
    assert (CLIENT, answer) in arrived  # where the request is, its response is, too
    assert capsys.readouterr().out == "{'content': 'hi'}\n"


def test_a_response_that_cannot_be_read_is_none(run, capsys):
    code = """
def start(conversation):
    global sent
    sent = conversation.inject("client", {"jsonrpc": "2.0", "id": 1, "method": "_x"})
async def noise(e):
    print(await sent.response())
"""
    _, arrived, _ = run(code, TALK)
    ident = arrived[0][1].split(b'"id":"')[1].split(b'"')[0]
    answer = b'{"jsonrpc":"2.0","id":"%b","result":"\\ud800"}\n' % ident
    _, arrived, _ = run(code, [*TALK, Frame(5, 0.5, CLIENT, answer)])
    assert (CLIENT, answer) in arrived
    assert capsys.readouterr().out.startswith("None\n")


def test_what_is_no_request_has_no_response(run):
    code = """
async def request(e):
    await e.inject("client", {"jsonrpc": "2.0", "method": "_x"}).response()
"""
    deliveries, _, (complaint, *_) = run(code)
    assert (1, "injected") in deliveries
    assert "no response will come" in complaint


def test_lines_on_stderr_are_shown_whole(run, capsys):
    records = [Header(), Stderr(0.1, b"one\ntw"), Stderr(0.2, b"o\n")]
    run("def stderr(line):\n    print(line.raw)\n", records)
    assert capsys.readouterr().out == "b'one\\n'\nb'two\\n'\n"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def request(:\n", "SyntaxError: invalid syntax, line 1"),
        ("import nothing_of_that_name\n", "No module named 'nothing_of_that_name', line 1"),
        ("raise SystemExit(3)\n", "SystemExit: 3, line 1"),
        (f"{WORDLESS}raise Wordless\n", ": Wordless, line 3"),
        ("def __getattr__(name):\n    1 / 0\n", "ZeroDivisionError: division by zero, line 2"),
        ("x = 1\n", "it has no function that acp-spy calls"),
        ("request = 1\n", "`request` is not a function"),
    ],
)
def test_a_bad_script_is_refused(tmp_path, code, reason):
    path = tmp_path / "bad.py"
    path.write_text(code)
    with pytest.raises(AcpSpyError, match="cannot use the script") as refused:
        ScriptStage(str(path))
    assert reason in str(refused.value)


@pytest.mark.parametrize("name", ["none.py", "."])
def test_what_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(AcpSpyError, match=r"no such file|it is a folder"):
        ScriptStage(str(tmp_path / name))


def test_a_script_can_import_its_neighbor(run, tmp_path):
    (tmp_path / "neighbor_of_it.py").write_text("UNWANTED = 'session/update'\n")
    code = """
from neighbor_of_it import UNWANTED
def notification(e):
    if e.method == UNWANTED:
        e.drop()
"""
    assert run(code)[0] == [(3, "dropped")]


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ("sys.path.insert(0, 'of the script')", ["of the script", "last"]),
        ("sys.path.remove({folder!r})", ["last"]),
        ("sys.path.append({folder!r})", ["last", "{folder}"]),
        ("sys.path = ['other', *sys.path]", ["other", "last"]),
        ("sys.path.clear()", ["last"]),
        ("sys.path = ['/opt/x']", ["/opt/x", "last"]),
        ("sys.path = None", ["last"]),
        ("sys.path = [type('Odd', (), {{'__eq__': lambda *_: 1 / 0}})()]", ["last"]),
        ("del sys.path", ["last"]),
    ],
)
def test_the_folder_of_a_script_is_taken_from_the_path_and_nothing_else(
    tmp_path, monkeypatch, changed, left
):
    folder = str(tmp_path)
    monkeypatch.setattr(sys, "path", ["last"])
    (tmp_path / "it.py").write_text(
        f"import sys\n{changed.format(folder=folder)}\ndef request(_): pass\n"
    )
    assert ScriptStage(f"{folder}/it.py")
    assert sys.path == [each.format(folder=folder) for each in left]


@pytest.mark.parametrize(
    "taken", ["modules.clear()", "modules = None", "meta_path.clear()", "path_hooks = 5"]
)
def test_what_a_script_takes_from_the_ways_to_import_is_put_back(tmp_path, taken):
    before = sys.modules, dict(sys.modules), [*sys.meta_path], [*sys.path_hooks]
    (tmp_path / "it.py").write_text(f"import sys\nsys.{taken}\ndef request(_): pass\n")
    assert ScriptStage(str(tmp_path / "it.py"))
    assert (sys.modules, dict(sys.modules), sys.meta_path, sys.path_hooks) == before
    assert sys.modules is before[0]


@pytest.mark.parametrize("rest", ["def request(_): pass", "raise ValueError"])
def test_a_script_does_not_change_the_folder(rest, tmp_path, monkeypatch):
    """The capture is written to where its name says; and the agent is started where the user is."""
    (here := tmp_path / "here").mkdir()
    monkeypatch.chdir(here)
    (tmp_path / "it.py").write_text(
        f"import os\nos.chdir(os.path.dirname(os.path.abspath(__file__)))\n{rest}\n"
    )
    with suppress(AcpSpyError):
        ScriptStage("../it.py")
    assert os.getcwd() == str(here)


def test_a_script_is_loaded_in_a_folder_that_was_removed(tmp_path, monkeypatch):
    (here := tmp_path / "here").mkdir()
    monkeypatch.chdir(here)
    here.rmdir()
    (tmp_path / "it.py").write_text("def request(_): pass\n")
    assert ScriptStage(str(tmp_path / "it.py"))


@pytest.mark.parametrize("mode", [0o1777, 0o1770])
def test_what_others_can_put_beside_a_script_is_not_run(tmp_path, mode):
    """In /tmp others can make a new module, which would be found before Python's own."""
    (tmp_path / "neighbor_for_all.py").write_text("raise SystemExit('of somebody else')\n")
    path = tmp_path / "it.py"
    path.write_text("import neighbor_for_all\ndef request(e): pass\n")
    tmp_path.chmod(mode)
    with pytest.raises(AcpSpyError, match="No module named 'neighbor_for_all'") as refused:
        ScriptStage(str(path))
    assert refused.value.hint.startswith("to import its neighbors, move it: others can")
    path.write_text("def request(e): pass\n")
    assert ScriptStage(str(path))
    tmp_path.chmod(0o700)


def test_what_is_compiled_already_is_neither_run_nor_written(tmp_path):
    """The folder for it can be somebody else's, too."""
    path = tmp_path / "it.py"
    path.write_text("raise SystemExit('of somebody else')\n")
    compiled = py_compile.compile(
        str(path), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    path.write_text("def request(e): pass\n")
    assert ScriptStage(str(path))
    os.unlink(compiled)
    assert ScriptStage(str(path))
    assert not os.path.exists(compiled)


def test_the_dry_run_reads_a_record_when_the_one_before_it_was_handled():
    seen = []

    class Note(Stage):
        def handle(self, line):
            seen.append(("handled", line.frame.seq))
            return (line,)

    def reading():
        for record in TALK[:3]:
            seen.append(("read", getattr(record, "seq", 0)))
            yield record

    dry_run(reading(), [Note()], pytest.fail)
    assert seen == [("read", 0), ("read", 1), ("handled", 1), ("read", 2), ("handled", 2)]


@pytest.mark.parametrize("error", [AcpSpyError("cannot read it"), KeyboardInterrupt()])
def test_the_dry_run_raises_what_reading_raises_and_no_group(error):
    def reading():
        yield from TALK[:2]
        raise error

    with pytest.raises(type(error)) as raised:
        dry_run(reading(), [Stage()], pytest.fail)
    assert raised.value is error


def test_the_dry_run_replaces_no_capture(tmp_path):
    for name in ("run.jsonl", "other.jsonl"):
        (tmp_path / name).write_bytes(encode([Header()]))
    for name, reason in (("run.jsonl", "the capture itself"), ("other.jsonl", "a capture")):
        words = ("script", "run.jsonl", "--fault", "drop", "-o", name)
        out, err, status = acp_spy(*words, cwd=tmp_path)
        assert (out, status) == ("", 2)
        assert err.startswith(
            f"error: cannot write `{name}`: it is {reason}\nhint: give a new name"
        )
    assert (
        acp_spy("script", "run.jsonl", "--fault", "drop", "-o", "new.jsonl", cwd=tmp_path)[2] == 0
    )


def test_the_dry_run_does_not_replace_the_script(tmp_path):
    (tmp_path / "run.jsonl").write_bytes(encode([Header()]))
    (tmp_path / "it.py").write_text("def request(event): pass\n")
    (tmp_path / "link.py").symlink_to("it.py")
    for name in ("it.py", "link.py"):
        err, status = acp_spy("script", "run.jsonl", "it.py", "-o", name, cwd=tmp_path)[1:]
        assert (err.splitlines()[0], status) == (
            f"error: cannot write `{name}`: it is the script itself",
            2,
        )
