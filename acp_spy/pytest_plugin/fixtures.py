"""The mocks of one test: given out, judged when the test is over, recorded if that is asked for."""

import os
import re
import shlex
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Unpack, cast, overload

import pytest

from acp_spy.pytest_plugin.mock import Mock, masked, wait_until
from acp_spy.pytest_plugin.new_recording import NewRecording
from acp_spy.pytest_plugin.options import (
    MockOptions,
    RemoteOptions,
    command_of,
    flags,
    gather,
    transport_of,
    with_faults,
    with_transport,
)
from acp_spy.pytest_plugin.recorded_captures import RecordedCaptures
from acp_spy.relative_paths import is_url
from acp_spy.wire.inert import inert

if TYPE_CHECKING:
    from acp_spy.pytest_plugin.served import Served

AGENT, CLIENT = "agent", "client"
_SET_COMMAND = "set acp_agent_command = COMMAND in pytest's settings"


class MockAgents:
    """The fixture `acp_agent`."""

    def __init__(self, mocks: "Mocks") -> None:
        self._mocks = mocks

    @overload
    def __call__(self, name: str = "", **options: Unpack[RemoteOptions]) -> str: ...
    @overload
    def __call__(self, name: str = "", **options: Unpack[MockOptions]) -> list[str]: ...
    def __call__(self, name: str = "", **options: Any) -> list[str] | str:
        """
        Return the command line of a mock agent; of the real one, while it is recorded.

        With a `transport` the mock agent is running already, and its URL is returned.
        """
        return self._mocks.agent(name, cast(MockOptions, options))


class MockClients:
    """The fixture `acp_client`."""

    def __init__(self, mocks: "Mocks") -> None:
        self._mocks = mocks

    @overload
    def __call__(self, name: str = "", **options: Unpack[RemoteOptions]) -> list[str]: ...
    @overload
    def __call__(self, name: str = "", **options: Unpack[MockOptions]) -> list[str]: ...
    def __call__(self, name: str = "", **options: Any) -> list[str]:
        """
        Return the command line of a mock client that starts and drives the real agent.

        With a `transport` it reaches the agent by URL: one that is given as `command`, or one at
        which the command is served.
        """
        return self._mocks.client(name, cast(MockOptions, options))


class Mocks:
    """
    All mocks of one run of one test. `make_folder` gives a new folder for each.

    `outdated` are the captures that the test has diverged from, kept for when it is run again.
    `on_recorded` is called with each capture that was recorded.
    """

    def __init__(
        self,
        item: pytest.Item,
        recorded: RecordedCaptures,
        outdated: set[str],
        *,
        make_folder: Callable[[], str],
        on_recorded: Callable[[str], None],
    ) -> None:
        self.users = 0  # fixtures that are not torn down yet
        self._item = item
        self._make_folder = make_folder
        self._on_recorded = on_recorded
        self._mode = str(item.config.getoption("--acp-record"))
        self._outdated = outdated
        self._recorded = recorded
        self._mocks: list[Mock] = []
        self._recordings: dict[str, NewRecording] = {}  # by the capture that each will become
        self._served: list[Served] = []
        self._is_judged = False
        self._has_passed = False

    @property
    def is_over(self) -> bool:
        """Whether every fixture has been torn down."""
        return not self.users

    # ------------------------------------------------------------------------- given out

    def agent(self, name: str, given: MockOptions) -> list[str] | str:
        """Return the command line of a mock agent, or of the recorder of the real one; or a URL."""
        path, options = self._find(name, given)
        command = command_of(self._item, options)
        exists = os.path.exists(path)
        if not exists and self._mode == "none":
            again = self._again("once")
            hint = f"record it: {again}" if command else f"{_SET_COMMAND}; then record it: {again}"
            _fail(_no_capture(self._shown(path)), hint)
        options.pop("expect", None)  # a marker speaks to both kinds of mock
        transport = transport_of(options)
        if exists and not self._is_recorded(path):
            mock = self._mock(AGENT, path, options)
            argv = with_faults(options, mock.argv(flags(options), []), mock.folder)
            return self._serve(argv, transport) if transport else argv
        if not command:
            _fail(f"cannot record {self._shown(path)}: no agent command", _SET_COMMAND)
        if path in self._recordings:
            _fail(
                f"cannot record {self._shown(path)}: this test records it already",
                "a capture is one conversation; give each mock of a test its own capture",
            )
        recording = self._record(path)
        if transport:
            return self._serve(command, transport, recording.output)
        return recording.argv(command)

    def _serve(self, command: list[str], transport: str, output: str = os.devnull) -> str:
        from acp_spy.pytest_plugin.served import Served  # few tests start a server

        served = Served(command, transport, output)
        self._served.append(served)
        return served.url

    def client(self, name: str, given: MockOptions) -> list[str]:
        """Return the command line of a mock client, which may record what it sees."""
        path, options = self._find(name, given)
        shown, command = self._shown(path), command_of(self._item, options)
        if not os.path.exists(path):
            _fail(_no_capture(shown), self._how_to_record_a_client(path, command))
        if not command:
            _fail(f"cannot play {shown}: no agent command", _SET_COMMAND)
        more: list[str] = []
        mock = self._mock(CLIENT, path, options)
        if self._is_recorded(path):
            options["expect"] = "none"
            if path not in self._recordings:  # as it is, if the agent is one that is being recorded
                more = ["-o", self._record(path).output]
        else:
            command = with_faults(options, command, mock.folder)
        if transport := transport_of(options):
            url = command[0] if is_url(command[0]) else self._serve(command, transport)
            command = [with_transport(url, transport)]
        return mock.argv([*flags(options), *more], command)

    def _how_to_record_a_client(self, path: str, command: list[str]) -> str:
        """Say where the capture of a mock client comes from: it takes a real one."""
        name = os.path.basename(path).removesuffix(".jsonl")
        by_hand = f"acp-spy -o {shlex.quote(path)} -- {shlex.join(command) or 'COMMAND'}"
        by_test = f'a test that uses acp_agent("{name}")'
        if self._mode == "none":
            record = f"record it with --acp-record=once and {by_test}"
        elif self._recorded.is_shared:
            record = f"record it without -n, with {by_test}: another worker may do so too late"
        else:
            record = f"record it with {by_test}: none did so in this run"
        return f"{record}; or give your client this agent command: {by_hand}"

    def _find(self, name: str, given: MockOptions) -> tuple[str, MockOptions]:
        marked, options = gather(self._item, given)
        name = str(name or marked) or re.sub(r"[^\w.-]+", "-", self._item.name).strip("-")
        name = name if name.endswith(".jsonl") else f"{name}.jsonl"
        folder = str(self._item.config.getini("acp_recordings"))
        if not _stays_in_its_folder(name):
            _fail(
                f"cannot use `{inert(name)}` as the name of a capture: it must be in the folder of"
                " the captures",
                "give a name without `..`; `acp_recordings` sets the folder",
            )
        path = os.path.join(self._item.path.parent, folder, name)
        is_known = not os.path.exists(path) or os.path.isfile(path) or os.path.isdir(path)
        if not is_known:  # to read a pipe may take for ever; a folder is refused later
            _fail(
                f"cannot play {self._shown(path)}: it is not a regular file",
                "remove it, or give another name",
            )
        return path, options

    def _is_recorded(self, path: str) -> bool:
        """
        Whether a capture that exists is to be recorded again.

        Once in a run: of several tests that play it, the first records, and the others must fit.
        """
        return (self._mode == "all" or path in self._outdated) and path not in self._recorded

    def _mock(self, role: str, path: str, options: MockOptions) -> Mock:
        mock = Mock(
            role,
            path,
            self._make_folder(),
            shown=self._shown(path),
            again="" if self._is_recorded(path) else self._again("all"),
            is_optional=options.get("optional", False),
            has_faults=bool(options.get("faults")),
        )
        self._mocks.append(mock)
        return mock

    def _record(self, path: str) -> NewRecording:
        recording = self._recordings[path] = NewRecording(
            path, self._make_folder(), shown=self._shown(path)
        )
        return recording

    def _shown(self, path: str) -> str:
        """Return a path as pytest shows those of tests: seen from where it was started."""
        config = self._item.config
        is_ours = not os.path.relpath(path, config.rootpath).startswith("..")
        return os.path.relpath(path, config.invocation_params.dir) if is_ours else path

    def _again(self, mode: str) -> str:
        item = self._item
        module = os.path.relpath(item.path, item.config.invocation_params.dir)
        test = item.nodeid.partition("::")[2]
        return f"pytest --acp-record={mode} {shlex.quote(f'{module}::{test}')}"

    # ------------------------------------------------------------------------- judged

    def judge(self) -> None:
        """Fail a test that has passed, if a mock says otherwise by now."""
        self._is_judged = True
        texts = [self._complaint(mock) for mock in self._mocks]
        # One that was not started yet may be on its way, or will be when a fixture ends.
        ended = [mock for mock in self._mocks if not mock.is_running and mock.is_started]
        texts += [mock.absence() for mock in ended]
        _fail_with(texts)
        self._has_passed = True

    def add_to_failure(self) -> None:
        """Add what the mocks have to say to the report of a test that has failed by itself."""
        if not self._is_judged:  # else it has failed by what they say
            self._add_sections("call")

    def _add_sections(self, when: str) -> None:
        for text in map(self._complaint, self._mocks):
            if text:
                self._item.add_report_section(when, "acp-spy", masked(text))

    def finish(self) -> None:
        """Judge the mocks that have outlived the test, and keep what was recorded."""
        self.users -= 1
        if self.users:
            return
        if self._has_passed:
            wait_until(lambda: all(mock.is_started or mock.is_optional for mock in self._mocks))
        for served in self._served:
            served.stop()
        for mock in self._mocks:
            mock.wait()
        for recording in self._recordings.values():
            recording.wait()
        if not self._has_passed:
            self._add_sections("teardown")  # what came to light after the test had failed
            for recording in self._recordings.values():
                self._item.add_report_section("teardown", "acp-spy", recording.explain_failure())
            return
        _fail_with(self._complaint(mock) or mock.absence() for mock in self._mocks)
        _fail_with(recording.trouble() for recording in self._recordings.values())
        for recording in self._recordings.values():
            _fail_with([self._keep(recording)])
            self._on_recorded(masked(recording.shown))

    def _keep(self, recording: NewRecording) -> str:
        """Put a recording in its place; return why that cannot be, if it cannot."""
        from acp_spy.errors import AcpSpyError

        kept = f"what was recorded is in {recording.output}"
        try:
            # Prepared before: as soon as it counts as recorded, other workers play it.
            with recording.prepared() as put:
                if self._recorded.add(recording.path):
                    put()
                    return ""
        except AcpSpyError as error:
            return f"{error.message}\nhint: {f'{error.hint}; ' if error.hint else ''}{kept}"
        except OSError as error:
            return (
                f"cannot record {recording.shown}: {error.strerror}\n"
                f"hint: make sure that `{recording.path}` can be written; {kept}"
            )
        return (
            f"cannot record {recording.shown}: another worker recorded it in the meantime\n"
            "hint: record tests that share a capture without -n, or in one xdist_group"
        )

    def _complaint(self, mock: Mock) -> str:
        text = mock.complaint()
        if text and self._mode == "new" and mock.path not in self._recorded:
            self._outdated.add(mock.path)
        return text


def _stays_in_its_folder(name: str) -> bool:
    first = os.path.normpath(name).split(os.sep)[0]
    return not os.path.isabs(name) and first != os.pardir and name.isprintable()


def _no_capture(shown: str) -> str:
    return f"cannot play {shown}: no such file"


def _fail(text: str, hint: str) -> None:
    pytest.fail(masked(f"{text}\nhint: {hint}"), pytrace=False)


def _fail_with(texts: Iterable[str]) -> None:
    if found := [text for text in texts if text]:
        pytest.fail(masked("\n\n".join(found)), pytrace=False)
