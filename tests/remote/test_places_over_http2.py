"""Event streams over HTTP/2 leave places for messages, however few requests an agent takes."""

import json
import ssl
import subprocess
from collections import defaultdict
from contextlib import suppress
from functools import partial

import pytest
import trio
from h2.events import RequestReceived, StreamEnded, StreamReset
from h2.settings import SettingCodes
from support import certificates
from support.http2_peer import JSON, Http2Peer
from support.processes import ACP_SPY
from support.remote import INITIALIZE, INITIALIZED, Lab, receive
from trio.testing import MockClock, wait_all_tasks_blocked

from acp_spy import check, load
from acp_spy.capture.records import HttpExchange
from acp_spy.remote.connector import Connector
from acp_spy.remote.http_client import HttpClient, HttpFailed

EVENTS = ("content-type", "text/event-stream")
ACCEPTS = ("accept", "text/event-stream")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return certificates.make(tmp_path_factory.mktemp("certificates"))


class Peer(Http2Peer):
    """Several tasks send on it."""

    def __init__(self, stream):
        super().__init__(stream, is_client=False)
        self._sending = trio.Lock()

    async def flush(self):
        async with self._sending:
            await super().flush()


class Agent:
    """Takes `places` requests at once on each connection; has an event stream for each session."""

    def __init__(self, places, made):
        self._places = places
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(*made[1:])
        self._context.set_alpn_protocols(["h2"])
        self._sessions = 0
        self._streams = defaultdict(trio.Event)  # by session
        self._places_of = {}  # connections and numbers of these streams

    async def handle(self, stream):
        secured = trio.SSLStream(stream, self._context, server_side=True)
        try:
            await secured.do_handshake()
            peer = Peer(secured)
            peer.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: self._places})
            await peer.flush()
            async with trio.open_nursery() as nursery:
                while True:
                    await peer.read()
                    while any(isinstance(event, StreamEnded) for event in peer.events):
                        await self._take(peer, nursery)
        except* trio.BrokenResourceError:
            pass  # it has gone

    async def _take(self, peer, nursery):
        ident, headers, body = await peer.requested()
        assert peer.h2.open_inbound_streams <= self._places
        session = headers.get("acp-session-id", "")
        if headers[":method"] == "GET":
            await peer.respond(ident, 200, EVENTS, is_all=False)
            self._places_of[session] = peer, ident
            self._streams[session].set()
        elif body == INITIALIZE:
            await peer.respond(ident, 200, JSON, ("acp-connection-id", "c-1"), body=INITIALIZED)
        else:
            await peer.respond(ident, 202)
            if body:
                nursery.start_soon(self._answer, session, json.loads(body))

    async def _answer(self, session, message):
        self._sessions += message["method"] == "session/new"
        result = {"sessionId": f"s{self._sessions}"}
        response = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        await self._streams[session].wait()
        peer, ident = self._places_of[session]
        peer.h2.send_data(ident, b"data: %b\n\n" % json.dumps(response).encode())
        await peer.flush()


@pytest.mark.parametrize("places", [1, 2, 4])
def test_a_bridge_has_more_sessions_than_its_agent_takes_requests_at_once(places, made, tmp_path):
    prompts = [("session/prompt", {"sessionId": f"s{n}"}) for n in (*range(1, 7), 1)]
    asked = [*[("session/new", {})] * 6, *prompts]
    responses = []

    async def main():
        async with trio.open_nursery() as nursery:
            (listener,) = await nursery.start(
                partial(trio.serve_tcp, Agent(places, made).handle, 0, host="127.0.0.1")
            )
            url = f"https://127.0.0.1:{listener.socket.getsockname()[1]}/acp"
            words = ["--no-check", "-o", str(tmp_path / "run.jsonl"), "--ca", made[0], "--", url]
            how = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            editor = await nursery.start(partial(trio.run_process, [*ACP_SPY, *words], **how))
            for ident, (method, params) in enumerate([("initialize", {}), *asked]):
                message = {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}
                line = json.dumps(message).encode() if ident else INITIALIZE
                await editor.stdin.send_all(line + b"\n")
                responses.append(json.loads(await receive(editor.stdout, until=b"\n")))
            await editor.stdin.aclose()
            assert await editor.wait() == 0
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert [each["id"] for each in responses] == list(range(len(asked) + 1))
    assert [each for each in responses if "error" in each] == []


@pytest.mark.parametrize("is_canceled", [True, False])
def test_a_message_that_an_agent_has_no_place_for_is_an_error_and_not_its_fault(
    is_canceled, tmp_path
):
    lab = Lab(tmp_path, http2=True)
    errors = []

    async def main():
        async with trio.open_nursery() as nursery:
            client = HttpClient(lab, [], Connector(lab, nursery, 30))
            post = partial(client.request, "POST", [("content-type", "application/json")])

            async def never_ends():
                with suppress(HttpFailed):
                    await post(b'{"jsonrpc":"2.0","id":1,"method":"x"}')

            async def open_conversation():
                assert (await post(INITIALIZE)).status == 200

            nursery.start_soon(open_conversation)
            target = Http2Peer(await lab.accepted(), is_client=False)
            target.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 1})
            await target.flush()
            ident, _, _ = await target.requested()
            await target.respond(ident, 200, JSON, body=INITIALIZED)
            await wait_all_tasks_blocked()
            nursery.start_soon(never_ends)
            await target.requested()
            if is_canceled:
                with trio.move_on_after(10):
                    await post(b'{"jsonrpc":"2.0","method":"y"}')
            else:
                with pytest.raises(HttpFailed) as failed:
                    await post(b'{"jsonrpc":"2.0","method":"y"}')
                errors.append(str(failed.value))
            nursery.cancel_scope.cancel()

    trio.run(main, clock=MockClock(autojump_threshold=0))
    unsent, _ = lab.records()[-2:]
    assert isinstance(unsent, HttpExchange)
    why = "the proxy closed the connection before the response was complete"
    why = why if is_canceled else "it takes no more requests at once"
    assert (unsent.by, unsent.status, unsent.error) == (
        "proxy",
        0,
        f"acp-spy did not send it: {why}",
    )
    assert is_canceled or errors == [f"cannot reach https://target.example:8080/acp: {why}"]
    findings = check(load(tmp_path / "run.jsonl"))
    assert unsent.request not in [each.seq for each in findings if each.code == "NET013"]


def test_event_streams_of_a_client_leave_places_for_its_messages_at_the_target(tmp_path):
    """Also if they come first, before the target has said how many it takes."""
    lab = Lab(tmp_path, http2=True)

    async def main():
        async with lab.client() as stream:
            client = Http2Peer(stream, is_client=True)
            for _ in range(4):
                await client.request("GET", ACCEPTS)
            targets = []
            for number in range(2):
                targets.append(Http2Peer(await lab.accepted(number), is_client=False))
                targets[-1].h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 3})
                await targets[-1].flush()
            first, second = targets
            on_first = [(await first.requested())[0] for _ in range(2)]
            on_second = [(await second.requested())[0] for _ in range(2)]
            ident = await client.request("POST", JSON, body=b"{}")
            there, _, body = await first.requested()
            assert body == b"{}"
            await first.respond(there, 202)
            assert (await client.response(ident))[0] == 202
            for target, idents in ((first, on_first), (second, on_second)):
                for each in idents:
                    target.h2.reset_stream(each)
                await target.flush()
            for _ in range(4):
                await client.until(StreamReset)
            await client.request("GET", ACCEPTS)  # on the first, where there is a place again
            await first.requested()
            assert not [each for each in second.events if isinstance(each, RequestReceived)]
            assert len(lab.connections) == 2

    trio.run(main)
