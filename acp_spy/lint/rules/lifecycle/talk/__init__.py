"""Family LIF, part talk: handshake, sessions, turns, cancellation."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.lifecycle.talk.anonymous_peer import anonymous_peer
from acp_spy.lint.rules.lifecycle.talk.authentication_without_effect import (
    authentication_without_effect,
)
from acp_spy.lint.rules.lifecycle.talk.bad_timestamp import bad_timestamp
from acp_spy.lint.rules.lifecycle.talk.baseline_method_missing import baseline_method_missing
from acp_spy.lint.rules.lifecycle.talk.baseline_prompt_refused import baseline_prompt_refused
from acp_spy.lint.rules.lifecycle.talk.cancel_as_error import cancel_as_error
from acp_spy.lint.rules.lifecycle.talk.cancel_not_confirmed import cancel_not_confirmed
from acp_spy.lint.rules.lifecycle.talk.cancelled_without_cancel import cancelled_without_cancel
from acp_spy.lint.rules.lifecycle.talk.capabilities_left_out import capabilities_left_out
from acp_spy.lint.rules.lifecycle.talk.changed_cwd import changed_cwd
from acp_spy.lint.rules.lifecycle.talk.closed_session_used import closed_session_used
from acp_spy.lint.rules.lifecycle.talk.closed_turn_not_cancelled import closed_turn_not_cancelled
from acp_spy.lint.rules.lifecycle.talk.deleted_session_listed import deleted_session_listed
from acp_spy.lint.rules.lifecycle.talk.empty_turn import empty_turn
from acp_spy.lint.rules.lifecycle.talk.http_mcp_unsupported import http_mcp_unsupported
from acp_spy.lint.rules.lifecycle.talk.idle_cancel import idle_cancel
from acp_spy.lint.rules.lifecycle.talk.implausible_usage import implausible_usage
from acp_spy.lint.rules.lifecycle.talk.late_replay import late_replay
from acp_spy.lint.rules.lifecycle.talk.list_filter_ignored import list_filter_ignored
from acp_spy.lint.rules.lifecycle.talk.listing_past_end import listing_past_end
from acp_spy.lint.rules.lifecycle.talk.load_without_replay import load_without_replay
from acp_spy.lint.rules.lifecycle.talk.made_up_cursor import made_up_cursor
from acp_spy.lint.rules.lifecycle.talk.missing_session_accepted import missing_session_accepted
from acp_spy.lint.rules.lifecycle.talk.no_way_to_authenticate import no_way_to_authenticate
from acp_spy.lint.rules.lifecycle.talk.path_outside_roots import path_outside_roots
from acp_spy.lint.rules.lifecycle.talk.permission_after_cancel import permission_after_cancel
from acp_spy.lint.rules.lifecycle.talk.prompt_before_session import prompt_before_session
from acp_spy.lint.rules.lifecycle.talk.prompt_during_turn import prompt_during_turn
from acp_spy.lint.rules.lifecycle.talk.relative_directory import relative_directory
from acp_spy.lint.rules.lifecycle.talk.relative_mcp_command import relative_mcp_command
from acp_spy.lint.rules.lifecycle.talk.repeated_delete_refused import repeated_delete_refused
from acp_spy.lint.rules.lifecycle.talk.repeated_session_id import repeated_session_id
from acp_spy.lint.rules.lifecycle.talk.replay_on_resume import replay_on_resume
from acp_spy.lint.rules.lifecycle.talk.request_before_initialize import request_before_initialize
from acp_spy.lint.rules.lifecycle.talk.second_initialize import second_initialize
from acp_spy.lint.rules.lifecycle.talk.session_lost_by_cancel import session_lost_by_cancel
from acp_spy.lint.rules.lifecycle.talk.shared_message_id import shared_message_id
from acp_spy.lint.rules.lifecycle.talk.stray_cancel_request import stray_cancel_request
from acp_spy.lint.rules.lifecycle.talk.terminal_method_authenticated import (
    terminal_method_authenticated,
)
from acp_spy.lint.rules.lifecycle.talk.tool_call_left_open import tool_call_left_open
from acp_spy.lint.rules.lifecycle.talk.unknown_auth_method import unknown_auth_method
from acp_spy.lint.rules.lifecycle.talk.unknown_session import unknown_session
from acp_spy.lint.rules.lifecycle.talk.unstated_capability import unstated_capability
from acp_spy.lint.rules.lifecycle.talk.unsupported_version import unsupported_version
from acp_spy.lint.rules.lifecycle.talk.update_after_cancelled_turn import (
    update_after_cancelled_turn,
)
from acp_spy.lint.rules.lifecycle.talk.update_before_session import update_before_session
from acp_spy.lint.rules.lifecycle.talk.update_outside_turn import update_outside_turn
from acp_spy.lint.rules.lifecycle.talk.work_after_cancel import work_after_cancel
from acp_spy.lint.rules.lifecycle.talk.wrong_cancellation_code import wrong_cancellation_code

RULES: tuple[Rule, ...] = (
    request_before_initialize,
    second_initialize,
    capabilities_left_out,
    anonymous_peer,
    unstated_capability,
    unsupported_version,
    baseline_method_missing,
    baseline_prompt_refused,
    http_mcp_unsupported,
    terminal_method_authenticated,
    unknown_auth_method,
    authentication_without_effect,
    no_way_to_authenticate,
    repeated_session_id,
    relative_directory,
    relative_mcp_command,
    path_outside_roots,
    load_without_replay,
    late_replay,
    replay_on_resume,
    closed_turn_not_cancelled,
    changed_cwd,
    unknown_session,
    closed_session_used,
    update_before_session,
    missing_session_accepted,
    list_filter_ignored,
    made_up_cursor,
    listing_past_end,
    bad_timestamp,
    deleted_session_listed,
    repeated_delete_refused,
    prompt_before_session,
    prompt_during_turn,
    update_outside_turn,
    shared_message_id,
    tool_call_left_open,
    empty_turn,
    cancelled_without_cancel,
    implausible_usage,
    permission_after_cancel,
    work_after_cancel,
    cancel_not_confirmed,
    cancel_as_error,
    update_after_cancelled_turn,
    stray_cancel_request,
    wrong_cancellation_code,
    session_lost_by_cancel,
    idle_cancel,
)
