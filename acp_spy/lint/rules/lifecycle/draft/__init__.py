"""Family LIF, part draft: version 2 and unstable features."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.lifecycle.draft.answered_version_above_asked import (
    answered_version_above_asked,
)
from acp_spy.lint.rules.lifecycle.draft.archive_without_list import archive_without_list
from acp_spy.lint.rules.lifecycle.draft.archived_while_running import archived_while_running
from acp_spy.lint.rules.lifecycle.draft.blank_title_accepted import blank_title_accepted
from acp_spy.lint.rules.lifecycle.draft.chunk_before_item import chunk_before_item
from acp_spy.lint.rules.lifecycle.draft.closed_while_running import closed_while_running
from acp_spy.lint.rules.lifecycle.draft.idle_without_stop_reason import idle_without_stop_reason
from acp_spy.lint.rules.lifecycle.draft.listed_without_archived import listed_without_archived
from acp_spy.lint.rules.lifecycle.draft.lost_background_work import lost_background_work
from acp_spy.lint.rules.lifecycle.draft.message_after_close import message_after_close
from acp_spy.lint.rules.lifecycle.draft.misleading_patch import misleading_patch
from acp_spy.lint.rules.lifecycle.draft.overwritten_title import overwritten_title
from acp_spy.lint.rules.lifecycle.draft.prompt_answered_at_end import prompt_answered_at_end
from acp_spy.lint.rules.lifecycle.draft.refused_auth_status import refused_auth_status
from acp_spy.lint.rules.lifecycle.draft.relative_command_directory import relative_command_directory
from acp_spy.lint.rules.lifecycle.draft.repeated_auth_status import repeated_auth_status
from acp_spy.lint.rules.lifecycle.draft.required_provider_disabled import required_provider_disabled
from acp_spy.lint.rules.lifecycle.draft.resume_without_state import resume_without_state
from acp_spy.lint.rules.lifecycle.draft.reused_mcp_server_id import reused_mcp_server_id
from acp_spy.lint.rules.lifecycle.draft.reused_terminal_id import reused_terminal_id
from acp_spy.lint.rules.lifecycle.draft.unannounced_background_work import (
    unannounced_background_work,
)
from acp_spy.lint.rules.lifecycle.draft.unannounced_subagent import unannounced_subagent
from acp_spy.lint.rules.lifecycle.draft.unasked_replay import unasked_replay
from acp_spy.lint.rules.lifecycle.draft.uncancelled_work import uncancelled_work
from acp_spy.lint.rules.lifecycle.draft.undeclared_mcp_server import undeclared_mcp_server
from acp_spy.lint.rules.lifecycle.draft.unechoed_user_message import unechoed_user_message
from acp_spy.lint.rules.lifecycle.draft.unexplained_version_error import unexplained_version_error
from acp_spy.lint.rules.lifecycle.draft.unforwarded_initialize import unforwarded_initialize
from acp_spy.lint.rules.lifecycle.draft.unknown_archive_filter_accepted import (
    unknown_archive_filter_accepted,
)
from acp_spy.lint.rules.lifecycle.draft.unknown_replay_cursor_accepted import (
    unknown_replay_cursor_accepted,
)
from acp_spy.lint.rules.lifecycle.draft.unknown_session_without_id import unknown_session_without_id
from acp_spy.lint.rules.lifecycle.draft.unoffered_cancel import unoffered_cancel
from acp_spy.lint.rules.lifecycle.draft.untitled_tool_call import untitled_tool_call
from acp_spy.lint.rules.lifecycle.draft.unusable_system_prompt import unusable_system_prompt
from acp_spy.lint.rules.lifecycle.draft.work_without_approval import work_without_approval
from acp_spy.lint.rules.lifecycle.draft.work_without_running import work_without_running

RULES: tuple[Rule, ...] = (
    answered_version_above_asked,
    unexplained_version_error,
    prompt_answered_at_end,
    unechoed_user_message,
    work_without_running,
    idle_without_stop_reason,
    uncancelled_work,
    untitled_tool_call,
    chunk_before_item,
    reused_terminal_id,
    relative_command_directory,
    unoffered_cancel,
    resume_without_state,
    unasked_replay,
    unknown_replay_cursor_accepted,
    closed_while_running,
    unannounced_background_work,
    lost_background_work,
    misleading_patch,
    message_after_close,
    work_without_approval,
    archive_without_list,
    listed_without_archived,
    unknown_archive_filter_accepted,
    archived_while_running,
    unknown_session_without_id,
    blank_title_accepted,
    overwritten_title,
    refused_auth_status,
    repeated_auth_status,
    unannounced_subagent,
    required_provider_disabled,
    reused_mcp_server_id,
    undeclared_mcp_server,
    unforwarded_initialize,
    unusable_system_prompt,
)
