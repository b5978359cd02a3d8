"""The mocks of one test: given out, judged when the test is over, recorded if that is asked for."""

import os
import re
import shlex
from collections.abc import Callable, Iterable
from typing import Unpack

import pytest

from acp_spy.pytest_plugin.mock import Mock, wait_until
from acp_spy.pytest_plugin.new_recording import NewRecording
from acp_spy.pytest_plugin.options import MockOptions, command_of, flags, gather
from acp_spy.pytest_plugin.recorded_captures import RecordedCaptures

AGENT, CLIENT = "agent", "client"


class MockAgents:
    """The fixture `acp_agent`."""

    def __init__(self, mocks: "Mocks") -> None:
        self._mocks = mocks

    def __call__(self, name: str = "", **options: Unpack[MockOptions]) -> list[str]:
        """Return the command line of a mock agent; of the real one, while it is recorded."""
        return self._mocks.agent(name, options)


class MockClients:
    """The fixture `acp_client`."""

    def __init__(self, mocks: "Mocks") -> None:
        self._mocks = mocks

    def __call__(self, name: str = "", **options: Unpack[MockOptions]) -> list[str]:
        """Return the command line of a mock client that starts and drives the real agent."""
        return self._mocks.client(name, options)


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
        self._reported: set[str] = set()
        self._has_passed = False

    @property
    def is_over(self) -> bool:
        """Whether every fixture has been torn down."""
        return not self.users

    # ------------------------------------------------------------------------- given out

    def agent(self, name: str, given: MockOptions) -> list[str]:
        """Return the command line of a mock agent, or of the recorder of the real one."""
        path, options = self._find(name, given)
        command = command_of(self._item, options)
        exists = os.path.exists(path)
        if not exists and self._mode == "none":
            _fail(_no_capture(self._shown(path)), _how_to_record(self._again("once"), command))
        options.pop("expect", None)  # a marker speaks to both kinds of mock
        if exists and not self._is_recorded(path):
            return self._mock(AGENT, path, options).argv(flags(options), [])
        if not command:
            _fail(f"no agent to record {self._shown(path)} with", _which_agent())
        if path in self._recordings:
            _fail(
                f"{self._shown(path)} is being recorded by this test already",
                "a capture is one conversation: give each mock of a test a capture of its own",
            )
        return self._record(path).argv(command)

    def client(self, name: str, given: MockOptions) -> list[str]:
        """Return the command line of a mock client, which may record what it sees."""
        path, options = self._find(name, given)
        shown, command = self._shown(path), command_of(self._item, options)
        if not os.path.exists(path):
            _fail(
                _no_capture(shown),
                "a mock client is made from a real one: give it this as the agent's command:"
                f" acp-spy -o {shlex.quote(shown)} -- {shlex.join(command) or 'COMMAND'}",
            )
        if not command:
            _fail(f"no agent for the mock client of {shown} to drive", _which_agent())
        more: list[str] = []
        if self._is_recorded(path):
            options["expect"] = "none"
            if path not in self._recordings:  # as it is, if the agent is one that is being recorded
                more = ["-o", self._record(path).output]
        return self._mock(CLIENT, path, options).argv([*flags(options), *more], command)

    def _find(self, name: str, given: MockOptions) -> tuple[str, MockOptions]:
        marked, options = gather(self._item, given)
        name = name or marked or re.sub(r"[^\w.-]+", "-", self._item.name).strip("-")
        name = name if name.endswith(".jsonl") else f"{name}.jsonl"
        folder = str(self._item.config.getini("acp_recordings"))
        return os.path.join(self._item.path.parent, folder, name), options

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
        )
        self._mocks.append(mock)
        return mock

    def _record(self, path: str) -> NewRecording:
        recording = self._recordings[path] = NewRecording(
            path, self._make_folder(), shown=self._shown(path)
        )
        return recording

    def _shown(self, path: str) -> str:
        relative = os.path.relpath(path, self._item.config.rootpath)
        return path if relative.startswith("..") else relative

    def _again(self, mode: str) -> str:
        return f"pytest --acp-record={mode} {shlex.quote(self._item.nodeid)}"

    # ------------------------------------------------------------------------- judged

    def judge(self) -> None:
        """Fail a test that has passed, if a mock says otherwise by now."""
        texts = [self._complaint(mock) for mock in self._mocks]
        self._reported.update(texts)
        # One that was not started yet may be on its way, or will be when a fixture ends.
        ended = [mock for mock in self._mocks if not mock.is_running and mock.is_started]
        texts += [mock.absence() for mock in ended]
        _fail_with(texts)
        self._has_passed = True

    def add_to_failure(self) -> None:
        """Add what the mocks have to say to the report of a test that has failed by itself."""
        self._add_sections("call")

    def _add_sections(self, when: str) -> None:
        for text in map(self._complaint, self._mocks):
            if text and text not in self._reported:
                self._reported.add(text)
                self._item.add_report_section(when, "acp-spy", text)

    def finish(self) -> None:
        """Judge the mocks that have outlived the test, and keep what was recorded."""
        self.users -= 1
        if self.users:
            return
        if self._has_passed:
            wait_until(lambda: all(mock.is_started or mock.is_optional for mock in self._mocks))
        for mock in self._mocks:
            mock.wait()
        for recording in self._recordings.values():
            recording.wait()
        if not self._has_passed:
            self._add_sections("teardown")  # what came to light after the test had failed
            for recording in self._recordings.values():
                text = f"not kept, because the test has not passed: {recording.output}"
                self._item.add_report_section("teardown", "acp-spy", text)
            return
        _fail_with(self._complaint(mock) or mock.absence() for mock in self._mocks)
        _fail_with(recording.trouble() for recording in self._recordings.values())
        for recording in self._recordings.values():
            if not self._recorded.add(recording.path):
                _fail(
                    f"{recording.shown} was recorded by another worker in the meantime",
                    "tests that share a capture record it without -n, or in one xdist_group",
                )
            recording.keep()
            self._on_recorded(recording.shown)

    def _complaint(self, mock: Mock) -> str:
        text = mock.complaint()
        if text and self._mode == "new" and mock.path not in self._recorded:
            self._outdated.add(mock.path)
        return text


def _no_capture(shown: str) -> str:
    return f"there is no capture {shown} to be played"


def _how_to_record(how: str, command: list[str]) -> str:
    return f"to record it: {how}" if command else f"{_which_agent()}; then record it: {how}"


def _which_agent() -> str:
    return "name the real agent in pytest's settings, as acp_agent_command = COMMAND"


def _fail(text: str, hint: str) -> None:
    pytest.fail(f"{text}\nhint: {hint}", pytrace=False)


def _fail_with(texts: Iterable[str]) -> None:
    if found := [text for text in texts if text]:
        pytest.fail("\n\n".join(found), pytrace=False)
