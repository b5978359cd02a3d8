"""A target with a certificate of a CA that only its owner knows, and what is spoken with it."""

import json
import os
import shutil
import ssl
import subprocess
import threading
from contextlib import contextmanager, suppress
from functools import partial

import pytest
import trio
from support import certificates
from support.http2_peer import JSON, Http2Peer
from support.in_process import acp_spy, acp_spy_bytes
from support.needs import do_without
from support.processes import DEADLINE
from support.remote import INITIALIZE, INITIALIZED, OPENED, Lab, post, receive

from acp_spy import HttpExchange, load
from acp_spy.remote import bridge
from acp_spy.remote.addresses import parse_target
from acp_spy.remote.service import connect, tls_context

NEW = b'{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}'
CREATED = b'{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}'
EVENTS = ("content-type", "text/event-stream")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return certificates.make(tmp_path_factory.mktemp("certificates"))


async def agent(stream):
    """Be a small agent: a connection, and a session in it."""
    async with stream:
        await stream.do_handshake()
        if stream.selected_alpn_protocol() != "h2":
            await receive(stream, until=INITIALIZE)
            await stream.send_all(OPENED)
            return
        peer = Http2Peer(stream, is_client=False)
        events = 0
        while True:
            ident, headers, body = await peer.requested()
            if body == INITIALIZE:
                await peer.respond(ident, 200, JSON, ("acp-connection-id", "c-1"), body=INITIALIZED)
            elif headers[":method"] == "GET":
                await peer.respond(ident, 200, EVENTS, is_all=False)
                events = events or ident
            else:
                await peer.respond(ident, 202)
                if body == NEW:
                    peer.h2.send_data(events, b"data: " + CREATED + b"\n\n")
                    await peer.flush()


async def serve(made, protocols, task_status):
    """Serve TLS; report the port."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*made[1:])
    if protocols:
        context.set_alpn_protocols(protocols)

    async def handle(stream):
        with suppress(trio.BrokenResourceError, AssertionError):  # refused, or gone
            await agent(trio.SSLStream(stream, context, server_side=True))

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, handle, 0, host="127.0.0.1"))
        task_status.started(listener.socket.getsockname()[1])


@contextmanager
def serving(made, protocols):
    """Give the URL of a target that runs in a thread."""
    ready, found = threading.Event(), {}

    async def main():
        async with trio.open_nursery() as nursery:
            found["port"] = await nursery.start(serve, made, protocols)
            token = trio.lowlevel.current_trio_token()
            found["end"] = partial(token.run_sync_soon, nursery.cancel_scope.cancel)
            ready.set()

    thread = threading.Thread(target=trio.run, args=(main,))
    thread.start()
    assert ready.wait(DEADLINE)
    try:
        yield f"https://127.0.0.1:{found['port']}/acp"
    finally:
        found["end"]()
        thread.join()


async def initialize(lab, url, ca=""):
    """Return what a client of HTTP/1.1 gets from a target by way of the relay."""
    lab.target = parse_target(url)
    lab.connect = partial(connect, lab.target, tls_context(ca))
    async with lab.client() as client:
        await client.send_all(post(INITIALIZE, "Connection: close"))
        return await receive(client)


def relayed(lab, made, protocols, *, ca=""):
    """Return what it gets from our own target."""

    async def main():
        async with trio.open_nursery() as nursery:
            port = await nursery.start(serve, made, protocols)
            found = await initialize(lab, f"https://127.0.0.1:{port}/acp", ca)
            nursery.cancel_scope.cancel()
            return found

    return trio.run(main)


@pytest.mark.parametrize(
    ("protocols", "version"), [(["h2", "http/1.1"], "2"), (["http/1.1"], "1.1"), ([], "1.1")]
)
def test_what_the_target_agrees_to_is_spoken(protocols, version, made, tmp_path):
    lab = Lab(tmp_path, http2=True)
    assert INITIALIZED in relayed(lab, made, protocols, ca=made[0])
    exchange = lab.records()[1]
    assert (exchange.http, exchange.http_target) == ("1.1", version)


NODE = """
import { createSecureServer } from 'node:http2'
import { readFileSync } from 'node:fs'
const [cert, key, body] = process.argv.slice(-3)
const server = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) })
server.on('stream', stream => {
    stream.on('end', () => {
        stream.respond({ ':status': 200, 'acp-connection-id': 'c-1' })
        for (let start = 0; start < body.length; start++) stream.write(body[start])
        stream.end()
    })
    stream.resume()
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
"""


@pytest.mark.long
def test_the_http_2_of_node_is_understood(made, tmp_path):
    node = shutil.which("node") or do_without("ACP_SPY_NEEDS_NODE", "node is not there")
    command = [node, "--input-type=module", "-e", NODE, "--", *made[1:], INITIALIZED.decode()]
    lab = Lab(tmp_path, http2=True)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as target:
        try:
            port = int(target.stdout.readline())
            found = trio.run(partial(initialize, lab, f"https://127.0.0.1:{port}/acp", made[0]))
        finally:
            target.kill()
    assert found.endswith(b"0\r\n\r\n")
    assert lab.records()[-1].raw == INITIALIZED + b"\n"


def test_a_target_of_an_unknown_ca_is_502_with_the_reason(made, tmp_path):
    lab = Lab(tmp_path, http2=True)
    found = relayed(lab, made, ["h2"])
    assert found.startswith(b"HTTP/1.1 502 ")
    why = "its certificate is not trusted: unable to get local issuer certificate"
    assert f"/acp: {why}; `--ca FILE` adds the CA\n".encode() in found
    assert lab.records()[-1].error.startswith(why)


@pytest.fixture
def patient(monkeypatch):
    """Let each POST be over before the next line is read."""
    monkeypatch.setattr(bridge, "ORDERLY", float(DEADLINE))


@pytest.mark.usefixtures("patient")
def test_a_bridge_speaks_http_2_with_a_target_whose_ca_it_was_given(made, tmp_path):
    reader, writer = os.pipe()
    output, out = os.pipe()
    responses = []

    def editor():
        with open(writer, "wb", buffering=0) as to_agent, open(output, "rb") as from_agent:
            for line in (INITIALIZE, NEW):
                to_agent.write(line + b"\n")
                responses.append(json.loads(from_agent.readline()))

    thread = threading.Thread(target=editor)
    capture = tmp_path / "run.jsonl"
    with serving(made, ["h2"]) as url, open(reader, "rb") as stdin, open(out, "wb") as stdout:
        thread.start()
        words = ["--no-check", "--ca", made[0], "-o", str(capture), "--", url]
        _, error, status = acp_spy_bytes(*words, stdin=stdin, stdout=stdout)
    thread.join()
    assert (status, error) == (0, b"")
    assert responses == [json.loads(INITIALIZED), json.loads(CREATED)]
    exchanges = [r for r in load(capture).records if isinstance(r, HttpExchange)]
    assert {exchange.http_target for exchange in exchanges} == {"2"}


@pytest.mark.usefixtures("patient")
def test_a_bridge_refuses_a_target_of_an_unknown_ca(made, tmp_path):
    with serving(made, ["h2"]) as url:
        capture = tmp_path / "run.jsonl"
        done = acp_spy("-o", str(capture), "--no-check", "--", url, stdin=INITIALIZE + b"\n")
    assert done.status == 1
    assert "cannot reach" in done.err
    assert "certificate is not trusted" in done.err
    assert "`--ca FILE`" in done.err
    assert json.loads(done.out)["error"]["code"] == -32603


def test_a_file_that_has_no_certificate_is_refused(tmp_path):
    (tmp_path / "ca.pem").write_text("no certificate")
    for words in (["http", "--target", "https://a/"], ["--no-check"]):
        url = [] if words[0] == "http" else ["--", "https://a/"]
        done = acp_spy(*words, "--ca", str(tmp_path / "ca.pem"), *url)
        assert done.status == 2
        assert "ca.pem`: it contains no certificate" in done.err
        assert "hint: " in done.err
