"""A stage that shows each message to a script, and does what the script says."""

import inspect
import os
import shlex
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any

from acp_spy.capture.codec import writable
from acp_spy.capture.records import FAILED, Delivery
from acp_spy.middleware.failures import describe, is_from, pass_on_others
from acp_spy.middleware.line import Held, Line
from acp_spy.middleware.made_messages import Injected, Injections, peer
from acp_spy.middleware.pipeline import Stage
from acp_spy.middleware.scripts.event import KINDS, Conversation, Event, LogLine
from acp_spy.middleware.scripts.load import load
from acp_spy.wire.frame import Frame
from acp_spy.wire.jsonrpc import read_message


class ScriptStage(Stage):
    """One script. Whatever it raises, the frame passes unchanged."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.name = writable(f"script {os.path.basename(path)}")
        self.remark = shlex.join(["--script", path])
        self._path = path
        self._functions = load(path)
        self._injections = Injections(path)
        self._failed: set[str] = set()  # functions, and "" for all those that are given frames

    def begin(self) -> None:
        """Call `start`."""
        self._call("start", Conversation(self.pipeline.context, self._inject))

    def end(self) -> None:
        """Call `end`, which can wait for nothing any more: no task runs."""
        self._call("end", Conversation(self.pipeline.context, self._inject))

    def take_stderr(self, line: bytes) -> None:
        """Call `stderr`."""
        self._call("stderr", LogLine(line, self.pipeline.context, self._inject))

    def handle(self, line: Line) -> Sequence[Line | Held]:
        """Show `line` to the function for its kind."""
        context = self.pipeline.context
        message = None
        if line.raw is context.text:  # nearly all are: what it says is read if somebody asks
            kind = "notification"
        else:
            message = read_message(line.raw)  # its end is white space
            kind = KINDS[type(message)]
            if self._injections.take(message, line.raw):  # the other peer has not asked for it
                return (line.dropped(self.name),)
        function = self._functions.get(kind)
        if function is None:
            return (line,)
        event = Event(line, message, context, self._inject)
        try:
            waiting = function(event)
            is_done = waiting is None or not inspect.isawaitable(waiting)
        except BaseException as error:  # noqa: BLE001 - a script may raise anything
            pass_on_others(error)
            return (self._fail(line, error),)
        if is_done:
            if not event.delayed_by:
                return event.outcome(self.name)
            waiting = None
        held = Held(line, self.name)
        self.pipeline.start(self, lambda: self._finish(waiting, event, held))
        return (held,)

    def explain(self, error: BaseException) -> str:
        """Return in words what has failed in a task of the script's own, if it has."""
        words = describe(error, self._path) if is_from(self._path, error) else ""
        return words and f"{self.name} failed in a task of its own: {words}"

    async def _finish(self, waiting: Awaitable[Any] | None, event: Event, held: Held) -> None:
        """Wait for a script, then for as long as it wants; then pass on what it has made."""
        import trio

        try:
            if waiting is not None:
                await waiting
            await trio.sleep(event.delayed_by)
        except BaseException as error:  # noqa: BLE001 - a script may raise anything
            pass_on_others(error)
            held.release(self._fail(held.line, error))
        else:
            held.release(*event.outcome(self.name))

    def _call(self, name: str, given: Conversation) -> None:
        function = self._functions.get(name)
        if function is None:
            return
        try:
            waiting = function(given)
            if name == "end" and inspect.iscoroutine(waiting):
                _run_at_once(waiting)
            elif inspect.isawaitable(waiting):
                self.pipeline.start(self, lambda: self._wait(name, waiting))
        except BaseException as error:  # noqa: BLE001 - a script may raise anything
            pass_on_others(error)
            self._report(error, name)

    async def _wait(self, name: str, waiting: Awaitable[Any]) -> None:
        try:
            await waiting
        except BaseException as error:  # noqa: BLE001 - a script may raise anything
            pass_on_others(error)
            self._report(error, name)

    def _inject(self, frame: Frame, to: str, message: Any) -> Injected:
        """Send `message`; a request gets an id that neither peer uses."""
        receiver = peer(to)
        raw, injected = self._injections.make(message)
        self.pipeline.put(self, Line(receiver, b"", frame).injected(receiver, raw, self.name))
        return injected

    def _fail(self, line: Line, error: BaseException) -> Line:
        words = self._report(error)
        where = line.frame.seq, self.pipeline.now(), line.to, self.name
        self.pipeline.note(Delivery(*where, FAILED, error=words))
        return line

    def _report(self, error: BaseException, function: str = "") -> str:
        """Report the first error on stderr, with its `function` if no frame; return it in words."""
        words = describe(error, self._path)
        if function not in self._failed:
            self._failed.add(function)
            where, then = (
                (f" in `{function}`", "") if function else ("", "; the frame passes unchanged")
            )
            self.pipeline.complain(f"{self.name} failed{where}: {words}{then}")
        return words


def _run_at_once(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run what does not wait. Raises `RuntimeError` if it does."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    finally:
        coroutine.close()
    raise RuntimeError("it waits, and the conversation is over")
