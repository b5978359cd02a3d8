"""
What viewers ask for, and what they get: objects in, objects out.

docs/intercept.md documents the protocol. A reply has `ok`, and if that is false `error` and `hint`.
"""

import binascii
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from acp_spy import __version__
from acp_spy.errors import AcpSpyError, reason_of
from acp_spy.middleware.faults.catalogue import make_faults
from acp_spy.middleware.faults.fault import Fault
from acp_spy.middleware.holds.stage import Event, Hold, HoldStage, check_edit
from acp_spy.view.filters import split
from acp_spy.wire.frame import Peer
from acp_spy.wire.inert import inert

PROTOCOL = 1


class Viewer:
    """One connection: `send` takes what it is to get. Frames are held for those attached."""

    def __init__(self, send: Callable[[Event], None]) -> None:
        self.send = send
        self.is_attached = False


class Control:
    """Does what viewers ask for."""

    def __init__(self, stage: HoldStage) -> None:
        self._stage = stage
        self._viewers: list[Viewer] = []
        self._faults: dict[int, list[Fault]] = {}
        self._fault_count = 0
        for each in stage.pipeline.stages:
            if isinstance(each, Fault):
                self._note_faults([each])
        stage.on_event = self._broadcast

    def join(self, viewer: Viewer) -> None:
        """Take notice of a connection, and greet it."""
        self._viewers.append(viewer)
        viewer.send(
            {
                "event": "hello",
                "protocol": PROTOCOL,
                "version": __version__,
                "capture": inert(self._stage.pipeline.capture),  # perhaps not UTF-8
                "filter": self._stage.tokens,
                "timeout": self._stage.timeout,
                "viewers": self._stage.viewers,
                "held": len(self._stage.holds),
            }
        )

    def leave(self, viewer: Viewer) -> None:
        """Take notice that a connection is over."""
        if viewer in self._viewers:
            self._viewers.remove(viewer)
            self._detach(viewer)

    def take(self, viewer: Viewer, line: bytes) -> None:
        """Do what a line asks for, and reply."""
        ident: Any = None
        try:
            request = msgspec.json.decode(line)
            if not isinstance(request, dict):
                raise AcpSpyError("cannot read the request: not an object")
            ident = request.get("id")
            action = self._ACTIONS.get(str(request.get("do")))
            if action is None:
                raise AcpSpyError(
                    f"cannot do `{request.get('do')}`: no such action",
                    hint=f"use {', '.join(self._ACTIONS)}",
                )
            reply = {"id": ident, "ok": True, **action(self, viewer, request)}
        except AcpSpyError as error:
            reply = {"id": ident, "ok": False, "error": error.message, "hint": error.hint}
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            reply = {"id": ident, "ok": False, "error": f"cannot read the request: {error}"}
        except Exception as error:  # noqa: BLE001 - a bug of ours must not stop the traffic
            reply = {"id": ident, "ok": False, "error": reason_of(error)}
        viewer.send(reply)

    def _broadcast(self, event: Event) -> None:
        for viewer in [*self._viewers]:
            if viewer.is_attached:
                viewer.send(event)

    # ------------------------------------------------------------------------- actions

    def _attach(self, viewer: Viewer, request: Event) -> Event:
        if not viewer.is_attached:
            viewer.is_attached = True
            self._stage.attach()
        return self._list(viewer, request)

    def _detach(self, viewer: Viewer, _request: Event | None = None) -> Event:
        if viewer.is_attached:
            viewer.is_attached = False
            self._stage.detach()
        return {}

    def _list(self, _viewer: Viewer, request: Event) -> Event:
        stage = self._stage
        return {
            "filter": stage.tokens,
            "timeout": stage.timeout,
            "viewers": stage.viewers,
            "held": stage.describe_all(brief=bool(request.get("brief"))),
        }

    def _get(self, _viewer: Viewer, request: Event) -> Event:
        return self._stage.describe(self._named(request, "show"), whole=True)

    def _release(self, _viewer: Viewer, request: Event) -> Event:
        holds = self._all_named(request, "release")
        behind = {hold.seq: self._stage.before(hold) for hold in holds}
        for hold in holds:
            self._stage.release(hold)
        late = [{"seq": seq, "behind": of} for seq, of in behind.items() if of in self._held]
        return {"seq": [*behind], "behind": late}

    def _drop(self, _viewer: Viewer, request: Event) -> Event:
        holds = self._all_named(request, "drop")
        for hold in holds:
            self._stage.drop(hold)
        return {"seq": [hold.seq for hold in holds]}

    def _answer(self, _viewer: Viewer, request: Event) -> Event:
        hold = self._named(request, "answer")
        error = request.get("error")
        if ("result" in request) == ("error" in request):
            raise AcpSpyError(
                f"cannot answer frame {hold.seq}: give either a result or an error",
                hint='for example "error": {"code": -32000, "message": "no"}',
            )
        if error is not None and not _is_error(error):
            raise AcpSpyError(
                f"cannot answer frame {hold.seq}: not a JSON-RPC error",
                hint="an error has an integer `code` and a `message`",
            )
        self._stage.answer(hold, request.get("result"), error)
        return {"seq": [hold.seq]}

    def _edit(self, _viewer: Viewer, request: Event) -> Event:
        hold = self._named(request, "edit")
        raw = _line_in(request)
        if request.get("force"):
            raw = raw if raw.endswith(b"\n") else raw + b"\n"
        else:
            raw = check_edit(hold.held.line.raw, raw)
        self._stage.edit(hold, raw)
        if request.get("keep"):
            return {"seq": [hold.seq]}
        return self._release(_viewer, {"seq": hold.seq})

    def _revert(self, _viewer: Viewer, request: Event) -> Event:
        hold = self._named(request, "revert")
        self._stage.revert(hold)
        return {"seq": [hold.seq]}

    def _aside(self, _viewer: Viewer, request: Event) -> Event:
        hold = self._named(request, "set aside")
        passed = self._stage.pipeline.count_behind(hold.held)
        self._stage.set_aside(hold)
        return {"seq": [hold.seq], "passed": passed - self._stage.pipeline.count_behind(hold.held)}

    def _inject(self, viewer: Viewer, request: Event) -> Event:
        to, message = request.get("to"), request.get("message")
        if to not in ("client", "agent"):
            raise AcpSpyError("cannot inject a message: no such peer", hint="use client or agent")
        if not isinstance(message, dict) or not message.keys() & {"method", "result", "error"}:
            raise AcpSpyError(
                "cannot inject a message: it is not JSON-RPC",
                hint="a message is an object with a method, a result or an error",
            )
        injected = self._stage.inject(Peer(to), {"jsonrpc": "2.0", **message})
        ident = request.get("id")
        injected.when_answered(
            lambda response: viewer.send({"event": "response", "to": ident, "message": response})
        )
        return {"expects_response": "method" in message and "id" in message}

    def _set_filter(self, _viewer: Viewer, request: Event) -> Event:
        asked = request.get("filter") or []
        tokens = split(asked) if isinstance(asked, str) else asked
        if not isinstance(tokens, list) or not all(isinstance(each, str) for each in tokens):
            raise AcpSpyError("cannot set the filter: not a list of tokens")
        self._stage.set_filter(tokens)
        return {"filter": self._stage.tokens}

    def _list_faults(self, _viewer: Viewer, _request: Event) -> Event:
        return {
            "faults": [
                {"fault": number, "specs": [fault.spec.text for fault in faults]}
                for number, faults in self._faults.items()
            ]
        }

    def _add_fault(self, _viewer: Viewer, request: Event) -> Event:
        spec, seed = str(request.get("spec") or ""), request.get("seed")
        faults = make_faults([spec], "" if seed is None else str(seed))
        for fault in faults:
            self._stage.pipeline.add(fault)
        number = self._note_faults(faults)
        self._broadcast({"event": "faults", **self._list_faults(_viewer, {})})
        return {"fault": number, "options": faults[0].remark}

    def _remove_fault(self, _viewer: Viewer, request: Event) -> Event:
        number = request.get("fault")
        faults = self._faults.pop(number, None) if isinstance(number, int) else None
        if faults is None:
            raise AcpSpyError(
                f"cannot remove fault {number}: there is none", hint="list the faults first"
            )
        for fault in faults:
            self._stage.pipeline.remove(fault)
        self._broadcast({"event": "faults", **self._list_faults(_viewer, {})})
        return {"fault": number}

    _ACTIONS: ClassVar[dict[str, Callable[["Control", Viewer, Event], Event]]] = {
        "attach": _attach,
        "detach": _detach,
        "list": _list,
        "get": _get,
        "release": _release,
        "edit": _edit,
        "revert": _revert,
        "drop": _drop,
        "answer": _answer,
        "aside": _aside,
        "inject": _inject,
        "filter": _set_filter,
        "faults": _list_faults,
        "add_fault": _add_fault,
        "remove_fault": _remove_fault,
    }

    # ------------------------------------------------------------------------- helpers

    @property
    def _held(self) -> dict[int, Hold]:
        return self._stage.holds

    def _note_faults(self, faults: list[Fault]) -> int:
        self._fault_count += 1
        self._faults[self._fault_count] = faults
        return self._fault_count

    def _named(self, request: Event, verb: str) -> Hold:
        """Return the one held frame that is named; without a number the only one."""
        seq, holds = request.get("seq"), self._held
        if seq is None and len(holds) == 1:
            return next(iter(holds.values()))
        if seq is None:
            raise _cannot(verb, "a frame", "none is held" if not holds else "several are held")
        if type(seq) is not int or seq not in holds:
            raise _cannot(verb, f"frame {seq}", "it is not held")
        return holds[seq]

    def _all_named(self, request: Event, verb: str) -> list[Hold]:
        """Return the held frames that are named: one, some, or all."""
        seq = request.get("seq")
        if request.get("all"):
            return [*self._held.values()]
        if isinstance(seq, list):
            found = [self._named({"seq": each}, verb) for each in seq]
            return [*{hold.seq: hold for hold in found}.values()]
        return [self._named(request, verb)]


def _line_in(request: Event) -> bytes:
    """Return the line in a request, in one of the fields that a frame of a capture has."""
    given = request.keys() & {"message", "text", "base64"}
    if len(given) != 1:
        raise AcpSpyError("cannot edit: give exactly one of `message`, `text` and `base64`")
    if "message" in given:
        return msgspec.json.encode(request["message"]) + b"\n"
    name = given.pop()
    text = request[name]
    if not isinstance(text, str):
        raise AcpSpyError(f"cannot edit: `{name}` is not a string")
    return text.encode() if name == "text" else binascii.a2b_base64(text, strict_mode=True)


def _is_error(error: Any) -> bool:
    if not isinstance(error, dict):
        return False
    return type(error.get("code")) is int and isinstance(error.get("message"), str)


def _cannot(verb: str, what: str, why: str) -> AcpSpyError:
    hint = "run `acp-spy hold list` to see what is held"
    return AcpSpyError(f"cannot {verb} {what}: {why}", hint=hint)
