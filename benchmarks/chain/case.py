"""One conversation: what the client says, how it reads and ends, and what the network does."""

import json
import random

from benchmarks.chain.network import ENDS, Fault

TEXTS = ("a", "é\u2028\u0085\x00", "\ud800", "x" * 3000, "long " * 2_000, "\r\n", "🦀")
IDS = (7, "seven", -3, 1.5, "\udfff\n", 2**70, "", "8")


class Case:
    """Everything that is random, from one number."""

    def __init__(self, number: int):
        self.number = number
        choose = self.random = random.Random(number)
        self.is_socket = choose.random() < 0.4
        self.is_relayed = choose.random() < 0.4
        self.fails = choose.random() < 0.55
        self.reads = choose.choice(("at once", "at once", "slowly", "late"))
        self.ends = choose.choice(("orderly", "orderly", "orderly", "pipe", "signal", "deaf"))
        self.newline = choose.choice((b"\n", b"\n", b"\r\n", b" \n\n"))
        self.sessions = [f"s-{each}" for each in range(choose.randint(1, 3))]
        self.requests = [*self._setup(), *self._prompts()]
        self.session_of = {
            json.dumps(each["id"]): each["params"].get("sessionId", "")
            for each in self.requests
            if "id" in each
        }
        self.faults = self._faults() if self.fails else ()
        self.more_faults = self._faults() if self.fails and choose.random() < 0.5 else ()
        self.pause = choose.choice((0.0, 0.02))

    def __str__(self) -> str:
        parts = ["WebSocket" if self.is_socket else "HTTP"]
        parts += ["relayed"] if self.is_relayed else []
        return ", ".join([*parts, f"reads {self.reads}", f"ends {self.ends}"])

    def _faults(self) -> tuple[Fault, ...]:
        choose = self.random
        return tuple(
            Fault(
                choose.randrange(0, 1 if self.is_socket else 6),
                choose.random() < 0.4,
                choose.choice((0, 1, 30, 200, 300, 500, 700, 2000, 40_000, 300_000)),
                choose.choice(ENDS),
            )
            for _ in range(choose.choice((1, 1, 2, 4)))
        )

    def _setup(self) -> list[dict]:
        meta = {"case": f"case-{self.number}"}
        first = {"protocolVersion": 1, "_meta": meta}
        messages = [self._request(0, "initialize", first)]
        for ident, session in enumerate(self.sessions, 100):
            do = {"session": session}
            messages.append(self._request(ident, "session/new", {"_meta": {"do": do}}))
        return messages

    def _prompts(self) -> list[dict]:
        choose = self.random
        messages = []
        for ident in choose.sample(IDS, choose.randint(0, 6)):
            session = choose.choice(self.sessions)
            text = choose.choice(TEXTS)
            do = {"updates": choose.choice((0, 1, 5, 60)), "text": text}
            if choose.random() < 0.2 and self.ends != "deaf":
                do["asks"] = True
            params = {"sessionId": session, "prompt": [text], "_meta": {"do": do}}
            messages.append(self._request(ident, "session/prompt", params))
            if choose.random() < 0.2:
                params = {"sessionId": session}
                messages.append({"jsonrpc": "2.0", "method": "session/cancel", "params": params})
        if self.fails and choose.random() < 0.2 and messages:
            params = choose.choice(messages)["params"]
            params["_meta"] = {"do": {"exits": True}}
        return messages

    def _request(self, ident, method: str, params: dict) -> dict:
        return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}

    def line(self, message: dict) -> bytes:
        """Return a message as this client spells it."""
        is_ascii = self.random.random() < 0.5 or "\\ud" in json.dumps(message)
        return json.dumps(message, ensure_ascii=is_ascii).encode() + self.newline
