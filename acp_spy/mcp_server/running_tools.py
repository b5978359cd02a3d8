"""The tools that start processes: they exist only if the user has allowed it."""

import time
from typing import Annotated

import msgspec
from msgspec import Meta

from acp_spy.capture.locate import capture_path
from acp_spy.doctor.diagnosis import document
from acp_spy.doctor.examination import LONGEST, examine_agent, folder_for_agent, new_capture
from acp_spy.doctor.probe import Probe
from acp_spy.mcp_server.answer import Answer
from acp_spy.mcp_server.captures import Captures, redactor_for
from acp_spy.mcp_server.tool import Tool, tool
from acp_spy.secrets.redactor import Redactor

TOOLS: dict[str, Tool] = {}


class AgentToExamine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `doctor`."""

    command: Annotated[
        list[str],
        Meta(min_length=1, description='The agent\'s command, in words: ["gemini", "--acp"].'),
    ]
    prompt: Annotated[
        str,
        Meta(
            description="Also send this prompt. The agent may call a model, which may cost money;"
            " permission requests are rejected. Default: no prompt is sent."
        ),
    ] = ""
    timeout: Annotated[
        float, Meta(gt=0, le=LONGEST, description="Seconds to wait for each response.")
    ] = 30.0
    empty_folder: Annotated[
        bool, Meta(description="Start the agent in a new, empty folder, as an editor might.")
    ] = False


@tool(TOOLS, AgentToExamine, starts_processes=True)
def doctor(given: AgentToExamine, captures: Captures) -> Answer:
    """
    Start an ACP agent through the recorder and check that it works: `initialize`, `session/new`,
    then the end of its stdin. Reports its start time, name and capabilities, noise on stdout,
    findings, whether it requires a login and whether it exits. `checks` with the verdict `fail` are
    what is wrong. The conversation is recorded: `capture` is a name for the other tools. Use it to
    try an agent that does not start in an editor, or after you changed one.
    """
    named_after = Redactor().command(given.command)  # so that the other tools know the name
    wanted = capture_path("", captures.folder, time.time(), named_after)
    with (
        new_capture(wanted) as capture,
        folder_for_agent(empty=given.empty_folder) as folder,
    ):
        probe = Probe(given.command, capture, given.timeout, folder, given.prompt)
        diagnosis = examine_agent(probe)
    more = "`rows` and `frame` show the conversation"
    return Answer(redactor_for(diagnosis.capture).value(document(diagnosis)), more=more)
