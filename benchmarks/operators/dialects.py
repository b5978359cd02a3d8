"""Other protocols in place of ACP, and mistakes against their documents."""

from benchmarks.mutating import AGENT, CLIENT, operator

DIA = "DIA"


@operator(DIA, "the client begins with the handshake of MCP", "INI-07", "INI-19", version=1)
def handshake_of_mcp(talk):
    for said in talk.requests("initialize"):
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {"roots": {}},
            "clientInfo": {"name": "editor", "version": "1.0"},
        }
        yield talk.send(said, {**said.message, "params": params})


@operator(DIA, "the client begins with the handshake of LSP", "INI-07", version=1)
def handshake_of_lsp(talk):
    for said in talk.requests("initialize"):
        params = {"processId": 7, "rootUri": "file:///home/dev/project", "capabilities": {}}
        yield talk.send(said, {**said.message, "params": params})


def _of(dialect, what, sender, message):
    """Declare an operator that sends a line more after each message of a peer."""

    def edits(talk):
        for said in talk.by(sender):
            yield talk.after(said, sender, message)

    operator(DIA, what, dialect=dialect)(edits)


_USUAL = {"jsonrpc": "2.0"}
_VERSION = {"threads": {}}  # its messages do not name JSON-RPC

for _dialect in ("acpex", "jetbrains", "quickref", "threads", "crow"):
    _of(
        _dialect,
        f"`{_dialect}`: a method that its document does not have",
        CLIENT,
        {**_VERSION.get(_dialect, _USUAL), "method": "workspace/frobnicate", "params": {}},
    )
    _of(_dialect, f"`{_dialect}`: a log line on stdout", AGENT, b"INFO starting\n")

    def _without_params(talk):
        for said in talk.requests():
            if said.params:
                yield talk.send(
                    said, {key: one for key, one in said.message.items() if key != "params"}
                )

    operator(DIA, f"`{_dialect}`: a request without its params", dialect=_dialect)(_without_params)

    def _wrong_result(talk):
        for said in talk.results():
            if said.result:
                yield talk.send(said, {**said.message, "result": "ok"})

    operator(DIA, f"`{_dialect}`: a result is a string", dialect=_dialect)(_wrong_result)

    def _twice(talk):
        for said in talk.responses():
            yield talk.after(said, said.sender, said.message)

    operator(DIA, f"`{_dialect}`: a response is sent twice", dialect=_dialect)(_twice)
