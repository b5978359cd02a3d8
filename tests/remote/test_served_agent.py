"""The process behind a connection that `serve` offers: it does not outlive the connection."""

import os
import resource
import signal
from types import SimpleNamespace

import pytest
import trio
from support.fake_agent import open_descriptors
from trio.testing import wait_all_tasks_blocked

from acp_spy import load
from acp_spy.cli.remote_capture import opener
from acp_spy.remote import agent_server
from acp_spy.remote.agent_server import (
    AgentServer,
    Limits,
    Outlet,
    ServedAgent,
    ServedConversations,
)
from acp_spy.remote.sse import SseReader
from acp_spy.wire.frame import Peer, Via

OPEN_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)


class Service:
    """Keeps what it is to observe of the agent."""

    def __init__(self, log=None):
        self.log = log
        self.stderr = b""
        self.lines = []
        self.has_line = trio.Event()
        self.conversations = SimpleNamespace(end=None)

    def observe(self, take, *args):
        if take == "agent":
            self.lines += args
            self.has_line.set()
        elif take == "stderr":
            self.stderr += args[0]

    def complain_once(self, text):
        pytest.fail(text)


def served(service, idle):
    tap = SimpleNamespace(agent="agent", stderr="stderr")
    conversation = SimpleNamespace(tap=tap, in_use=0, exit_status=None, disconnect=None)
    return ServedAgent(service, conversation, idle)


def follow(service, command, meanwhile, idle=3600.0, limit=OPEN_FILES):
    """Follow an agent to its end, while something else is done with it; return it."""
    agent = None

    async def main():
        nonlocal agent
        agent = served(service, idle)
        await agent.start(command, limit, trio.Lock())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(agent.follow)
            await meanwhile(agent)

    trio.run(main)
    return agent


def test_a_child_that_holds_its_streams_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(agent_server, "LAST_GRACE", 0)
    service = Service()

    async def end(agent):
        await service.has_line.wait()
        agent.end("client")

    follow(service, ["sh", "-c", "sleep 1000 & echo $!; cat >/dev/null"], end)
    os.kill(int(service.lines[0]), signal.SIGKILL)


def test_no_process_is_left_behind_by_a_bug_of_ours(monkeypatch):
    async def fail(_):
        raise ZeroDivisionError

    async def do_nothing(_):
        pass

    monkeypatch.setattr(ServedAgent, "_read_stdout", fail)
    before = open_descriptors()
    agents = []
    monkeypatch.setattr(ServedAgent, "_end_conversation", lambda *args: agents.append(args))
    with pytest.RaisesGroup(pytest.RaisesGroup(ZeroDivisionError)):
        follow(Service(), ["cat"], do_nothing)
    [(_, status)] = agents
    assert status == -signal.SIGKILL
    assert not open_descriptors() - before


def test_an_agent_that_exits_ends_its_streams():
    streams = []

    async def note(agent):
        streams.append(agent.outlet(""))

    before = open_descriptors()
    follow(Service(), ["true"], note)
    assert streams[0].is_over
    assert not open_descriptors() - before


class UnreadLog:
    """Our stderr, that nobody reads."""

    def __init__(self):
        self.is_waited_for = trio.Event()
        self.rest = b""

    async def write(self, _chunk):
        self.is_waited_for.set()
        await trio.sleep_forever()

    def put(self, chunk):
        self.rest += chunk


def test_the_last_words_of_an_agent_are_recorded_also_if_nobody_reads_our_stderr():
    service = Service(log := UnreadLog())

    async def let_it_fail(agent):
        await log.is_waited_for.wait()
        await agent.send(b"{}")

    follow(service, ["sh", "-c", "echo first >&2; read line; echo last >&2"], let_it_fail)
    assert service.stderr == b"first\nlast\n"
    assert log.rest == b"last\n"


def test_an_agent_that_cannot_be_run_is_an_error_that_says_why(tmp_path):
    (tmp_path / "locked").write_text("")
    before = open_descriptors()
    for name, expected in (("missing", FileNotFoundError), ("locked", PermissionError)):

        async def main(command=str(tmp_path / name)):
            await served(Service(), 3600.0).start([command], OPEN_FILES, trio.Lock())

        with pytest.raises(expected):
            trio.run(main)
    assert not open_descriptors() - before


def test_what_an_agent_inherits_is_not_changed_by_the_process_that_becomes_it(tmp_path):
    """Signals that Python ignores, arguments of any bytes, and a script without its `#!`."""
    script = tmp_path / "agent"
    script.write_text('grep SigIgn /proc/self/status; ulimit -Sn; printf "%s\n" "$@"')
    script.chmod(0o755)
    arguments = ["", "-c", "a\nb", "\udcff"]
    service = Service()

    limit = (OPEN_FILES[0] - 1, OPEN_FILES[1])

    async def wait(agent):
        await agent._process.wait()

    follow(service, [str(script), *arguments], wait, limit=limit)
    ignored, files, *words = b"".join(service.lines).splitlines()
    assert int(ignored.split()[1], 16) & (1 << (signal.SIGPIPE - 1)) == 0
    assert int(files) == limit[0]
    assert words == [b"-c", b"a", b"b", b"\xff"]  # an empty line is not recorded


def test_a_connection_that_nobody_uses_is_ended(monkeypatch):
    complaints = []
    service = Service()
    monkeypatch.setattr(service, "complain_once", complaints.append)

    async def do_nothing(_):
        pass

    agent = follow(service, ["cat"], do_nothing, idle=0.0)
    assert complaints == ["a connection was ended because it was idle"]
    assert agent._process.returncode is not None


def test_a_connection_whose_agent_takes_its_time_to_begin_is_in_use():
    line = '{"jsonrpc":"2.0","id":0,"result":{}}'
    service = Service()
    seen = []

    async def begin(agent):
        agent.note_request({"id": 0, "method": "initialize"}, "")
        seen.append(await agent.initialize(b'{"jsonrpc":"2.0","id":0,"method":"initialize"}'))
        seen.append(agent._is_ending.is_set())
        agent.end("client")

    follow(service, ["sh", "-c", f"read x; sleep 1; echo '{line}'; cat"], begin, idle=0.3)
    assert seen == [line.encode(), False]


class Request:
    """A request that opens a connection; keeps the status of the response."""

    def __init__(self):
        conversation = SimpleNamespace(in_use=0)
        self.exchange = SimpleNamespace(conversation=conversation)
        self.status = 0

    async def respond(self, status, *_):
        self.status = status


def test_agents_that_are_just_being_started_count_as_connections(monkeypatch):
    async def main():
        has_begun, may_fail = trio.Event(), trio.Event()

        async def start(_agent, _command, _open_files, _turn):
            has_begun.set()
            await may_fail.wait()
            raise FileNotFoundError(2, "No such file or directory")

        monkeypatch.setattr(ServedAgent, "start", start)
        service = SimpleNamespace(complain_once=lambda _: None)
        first, second, third = Request(), Request(), Request()
        async with trio.open_nursery() as nursery:
            server = AgentServer(service, ["agent"], Limits(connections=1), nursery, OPEN_FILES)
            nursery.start_soon(server._start, first)
            await has_begun.wait()
            await server._start(second)
            may_fail.set()
        await server._start(third)
        assert [each.status for each in (first, second, third)] == [500, 503, 500]

    trio.run(main)


@pytest.mark.parametrize(
    "name", [b"sec-websocket-protocol", b"sec-websocket-extensions", b"connection"]
)
def test_a_websocket_with_a_header_that_is_not_ascii_is_refused_and_no_agent_started(name):
    async def main():
        request = Request()
        request.event = SimpleNamespace(
            headers=[(b"x-a", b"\xe9"), (name, "Upgrade, café".encode())]
        )
        async with trio.open_nursery() as nursery:
            server = AgentServer(None, ["agent"], Limits(), nursery, OPEN_FILES)
            await server._serve_socket(request)
        assert request.status == 400

    trio.run(main)


def test_agents_are_launched_one_after_the_other_as_that_takes_more_files(monkeypatch):
    at_once = [0]

    async def main():
        async def open_process(*_args, **_options):
            at_once.append(at_once[-1] + 1)
            await wait_all_tasks_blocked()
            at_once.append(at_once[-1] - 1)
            raise FileNotFoundError(2, "No such file or directory")

        monkeypatch.setattr(trio.lowlevel, "open_process", open_process)
        service = SimpleNamespace(complain_once=lambda _: None)
        async with trio.open_nursery() as nursery:
            server = AgentServer(service, ["agent"], Limits(), nursery, OPEN_FILES)
            for _ in range(3):
                nursery.start_soon(server._start, Request())

    before = open_descriptors()
    trio.run(main)
    assert at_once == [0, 1, 0, 1, 0, 1, 0]
    assert not open_descriptors() - before


def posted(connection):
    """Return a request with a message for a connection."""
    request = Request()
    request.headers = {"content-type": "application/json", "acp-connection-id": connection}
    request.body = b'{"jsonrpc":"2.0","method":"x"}'
    return request


@pytest.mark.parametrize(
    ("command", "by", "status"),
    [
        (["cat"], "client", 404),  # after a DELETE, while the process ends
        (["sh", "-c", "exec sleep 1000 <&-"], "", 500),
    ],
)
def test_a_message_that_the_agent_will_not_read_is_not_accepted(command, by, status, monkeypatch):
    monkeypatch.setattr(agent_server, "GRACE", 0)

    async def main():
        async with trio.open_nursery() as nursery:
            service = Service()
            server = AgentServer(service, command, Limits(), nursery, OPEN_FILES)
            service.guard_against_bugs = lambda follow: follow()
            first = Request()
            first.exchange.conversation.tap = SimpleNamespace(agent="agent", stderr="stderr")
            agent = await server._start(first)
            if by:
                agent.end(by)
            while not by and await agent.send(b"{}"):
                pass  # it has not closed its stdin yet
            request = posted(agent.ident)
            await server._post(request)
            agent.end("client")
            assert request.status == status

    trio.run(main)


def test_what_waits_to_be_read_is_counted():
    async def main():
        outlet = Outlet()
        payloads = [b"x" * 30_000] * 5
        for payload in payloads:
            outlet.put(payload)
        counts = []
        while outlet.take():
            counts.append(outlet.waiting)
        assert counts == [60_000, 0]

    trio.run(main)


def test_a_message_with_carriage_returns_is_one_event():
    async def main():
        outlet = Outlet()
        outlet.put(b'{"jsonrpc":"2.0",\r\r"method":"x"}')
        assert SseReader().feed(outlet.take()) == [b'{"jsonrpc":"2.0",  "method":"x"}']

    trio.run(main)


@pytest.mark.parametrize("method", [[], {}, [[]], {"a": 1}, 1, None, True])
def test_a_method_may_be_of_any_type(method):
    async def main():
        served(Service(), 3600.0).note_request({"id": 1, "method": method}, "s")

    trio.run(main)


def test_a_response_waits_for_what_came_before_it_on_another_stream(monkeypatch):
    """The history of a session is on its stream, the response to `session/load` on another."""
    session, connection = Outlet(), Outlet()
    monkeypatch.setattr(agent_server, "LONGEST_ORDER", 60.0)  # the machine may be busy

    async def main():
        session.put(b"update")
        connection.put(b"first", session)
        assert not connection.is_blocked  # nobody reads the history
        with session.being_read():
            assert connection.is_blocked
            assert connection.take() == b""
            async with trio.open_nursery() as nursery:
                nursery.start_soon(connection.wait_for_earlier)
                await wait_all_tasks_blocked()
                session.take()
                assert connection.is_blocked  # until it has been sent
                session.has_sent()
            assert connection.take() == b"data: first\n\n"
            session.put(b"update")
            connection.put(b"second", session)
            monkeypatch.setattr(agent_server, "LONGEST_ORDER", 0.01)
            await connection.wait_for_earlier()  # its reader is behind
            assert connection.take() == b"data: second\n\n"

    trio.run(main)


# ----------------------------------------------------------------------------- conversations


class Tap:
    """Takes all that a conversation records."""

    is_written = True

    def __getattr__(self, name):
        return lambda *_: None


def test_what_a_client_of_an_ended_agent_sends_is_recorded_with_no_other_conversation():
    """It may not know yet, and its prompt is not for those who get the capture of another."""
    conversations = ServedConversations(Tap)
    alice = conversations.of_request("", "", opens=True)
    conversations.bind(alice, "a", "", opens=True)
    conversations.end(alice, Peer.AGENT)
    bob = conversations.of_request("", "", opens=True)
    conversations.bind(bob, "b", "", opens=True)
    late = conversations.of_request("a", "s-1", opens=False)
    assert late not in (alice, bob)
    assert conversations.of_request("never-given", "", opens=False) is late
    assert conversations.of_request("b", "s-1", opens=False) is bob
    assert conversations.count == 3
    conversations.close()
    assert conversations.of_request("a", "", opens=False) is not late  # that capture is complete


def test_what_a_stray_response_answers_is_elsewhere_so_all_of_it_is_masked(tmp_path):
    """It may be the answer to a form, or a file that has nothing but a password."""
    open_tap = opener(str(tmp_path / "run.jsonl"), "", ["agent"], redact=True)
    conversations = ServedConversations(open_tap)
    late = conversations.of_request("a", "s-1", opens=False)
    answer = b'{"jsonrpc":"2.0","id":5,"result":{"content":"river3Mountain","n":[47110815]}}'
    asks = b'{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"s-1"}}'
    late.messages(Peer.CLIENT, [answer, asks], Via("http", "post", "a", "s-1"))
    conversations.close()
    answered, asked = load(tmp_path / "run.jsonl").frames
    assert b"river3Mountain" not in answered.raw
    assert b"47110815" not in answered.raw
    assert asked.payload == asks


def test_a_client_that_begins_gets_no_capture_of_strays():
    """Their requests were refused, but that was no attempt to begin a conversation."""
    conversations = ServedConversations(Tap)
    late = conversations.of_request("a", "s-1", opens=False)
    late.has_failed = True
    conversations.settle(late)
    assert conversations.begin() is not late
    failed = conversations.begin()
    failed.has_failed = True
    conversations.settle(failed)
    assert conversations.of_request("a", "s-1", opens=False) is late
    assert conversations.of_request("", "", opens=True) is failed
