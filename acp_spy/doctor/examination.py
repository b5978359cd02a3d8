"""One agent, examined: the conversation is held, its capture read, and the result is returned."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from tempfile import mkdtemp

from msgspec.structs import replace

from acp_spy.capture.files import Follower, new_file
from acp_spy.capture.links import names_descriptor
from acp_spy.capture.records import Capture, Header, Record
from acp_spy.capture.temporary_place import remove_tree, temporary_place
from acp_spy.doctor.after_death import after_our_death
from acp_spy.doctor.diagnosis import Diagnosis
from acp_spy.doctor.health_checks import Check, examine
from acp_spy.doctor.observation import observe
from acp_spy.doctor.probe import Probe
from acp_spy.engine import stdio
from acp_spy.errors import AcpSpyError
from acp_spy.lint.ruleset import check
from acp_spy.relative_paths import absolute_words, local_module
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Peer

LONGEST = 86_400  # seconds: the kernel refuses to wait for numbers that are much larger


def examine_agent(probe: Probe) -> Diagnosis:
    """
    Run `probe`, and return what is known of the agent then, without the secrets in it.

    A log of a CI is read by others. The capture has all as it was. Raises `AcpSpyError` if nothing
    could be recorded.
    """
    outcome = probe.run()
    recorded = _read(probe)
    if recorded is None:
        output_of_proxy = outcome.stderr.decode(errors="replace").strip()
        raise AcpSpyError(f"cannot record the conversation: {output_of_proxy or 'unknown reason'}")
    redactor = Redactor()
    capture = redactor.capture(recorded)
    without_secrets = redactor.text
    seen = observe(capture, outcome)
    # What does not come from the capture alone: to know it, what was said must be as it was.
    as_it_was = observe(recorded, outcome)
    seen.complaint = without_secrets(as_it_was.complaint)
    seen.noise = replace(seen.noise, first=without_secrets(seen.noise.first))
    # What we answer to a faulty agent is not the agent's fault.
    findings = tuple(found for found in check(capture.records) if found.blame is Peer.AGENT)
    paths = (
        replace(each, text=without_secrets(each.text), hint=without_secrets(each.hint))
        for each in _relative_paths(probe.command)
    )
    checks = (*paths, *examine(seen, findings, probe.timeout))
    return Diagnosis(capture.header.command, probe.capture, seen, checks, findings)


def _read(probe: Probe) -> Capture | None:
    """Return what was recorded, if anything: from the file itself, whatever is at its path now."""
    with closing(Follower(probe.capture, os.dup(probe.descriptor))) as follower:
        records: list[Record] = []
        while not follower.at_end:
            records += follower.take()
        records += follower.last()
    headers = [record for record in records if isinstance(record, Header)]
    others = tuple(record for record in records if not isinstance(record, Header))
    return Capture(headers[0], others) if headers else None


@contextmanager
def new_capture(path: str) -> Iterator[tuple[str, int]]:
    """Give the path and a descriptor of a new file to record to, as `new_file` does."""
    if names_descriptor(path) or (os.path.exists(path) and not os.path.isfile(path)):
        raise AcpSpyError(
            f"cannot record the conversation in `{path}`: it is not a regular file",
            hint="give the name of a file: what is recorded is read as well",
        )
    stdio.secure()  # the descriptor must not be one of those that the proxy has anyway
    with ExitStack() as stack:
        try:
            new = stack.enter_context(new_file(os.path.abspath(path)))
        except OSError as error:
            why = f"cannot write `{path}`: {error.strerror}"
            raise AcpSpyError(f"cannot record the conversation: {why}") from None
        yield new


def _relative_paths(command: list[str]) -> Iterator[Check]:
    """Warn of a command that an editor cannot start, because it starts it in another folder."""
    changed = [
        (word, absolute)
        for word, absolute in zip(command, absolute_words(command), strict=True)
        if word != absolute
    ]
    for word, absolute in changed:
        text = f"`{word}` is relative to this folder; an editor starts the agent in another one"
        yield Check("command", "note", text, f"use `{absolute}`")
    if module := local_module(command):
        text = (
            f"`-m {module}` finds the module in this folder; an editor starts the agent elsewhere"
        )
        yield Check("command", "note", text, "install the module, or use the path of its script")


@contextmanager
def folder_for_agent(*, empty: bool) -> Iterator[str]:
    """Give the folder to start the agent in: a new one, removed at the end, or the current one."""
    if not empty:
        yield os.getcwd()
        return
    try:
        folder = mkdtemp(prefix="acp-spy-doctor-", dir=temporary_place())
    except OSError as error:
        why = f"cannot make an empty folder: {error.strerror}"
        raise AcpSpyError(why, hint="set TMPDIR to a folder in which you can write") from None
    try:
        # The agent, which writes there, dies with us: a moment later it is removed.
        with after_our_death('sleep 1; rm -rf -- "$1"', folder):
            yield folder
    finally:
        remove_tree(folder)
