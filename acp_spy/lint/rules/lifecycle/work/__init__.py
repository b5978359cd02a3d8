"""Family LIF, part work: tool calls, permissions, files, terminals, modes, options."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.lifecycle.work.cancelled_permission_without_cancel import (
    cancelled_permission_without_cancel,
)
from acp_spy.lint.rules.lifecycle.work.changed_tool_name import changed_tool_name
from acp_spy.lint.rules.lifecycle.work.contradictory_exit_status import contradictory_exit_status
from acp_spy.lint.rules.lifecycle.work.cut_character import cut_character
from acp_spy.lint.rules.lifecycle.work.disordered_compaction import disordered_compaction
from acp_spy.lint.rules.lifecycle.work.file_access_outside_turn import file_access_outside_turn
from acp_spy.lint.rules.lifecycle.work.form_answer_off_schema import form_answer_off_schema
from acp_spy.lint.rules.lifecycle.work.growing_path import growing_path
from acp_spy.lint.rules.lifecycle.work.ignored_read_limit import ignored_read_limit
from acp_spy.lint.rules.lifecycle.work.incomplete_options import incomplete_options
from acp_spy.lint.rules.lifecycle.work.malformed_trace_context import malformed_trace_context
from acp_spy.lint.rules.lifecycle.work.mismatched_mime_type import mismatched_mime_type
from acp_spy.lint.rules.lifecycle.work.misspelt_command_name import misspelt_command_name
from acp_spy.lint.rules.lifecycle.work.mode_set_beside_options import mode_set_beside_options
from acp_spy.lint.rules.lifecycle.work.modes_out_of_step import modes_out_of_step
from acp_spy.lint.rules.lifecycle.work.output_over_limit import output_over_limit
from acp_spy.lint.rules.lifecycle.work.permission_outside_turn import permission_outside_turn
from acp_spy.lint.rules.lifecycle.work.permission_without_options import permission_without_options
from acp_spy.lint.rules.lifecycle.work.piecemeal_plan import piecemeal_plan
from acp_spy.lint.rules.lifecycle.work.refused_permission_request import refused_permission_request
from acp_spy.lint.rules.lifecycle.work.relative_path import relative_path
from acp_spy.lint.rules.lifecycle.work.relative_uri import relative_uri
from acp_spy.lint.rules.lifecycle.work.repeated_choice import repeated_choice
from acp_spy.lint.rules.lifecycle.work.repeated_tool_call import repeated_tool_call
from acp_spy.lint.rules.lifecycle.work.replayed_notice import replayed_notice
from acp_spy.lint.rules.lifecycle.work.reused_elicitation import reused_elicitation
from acp_spy.lint.rules.lifecycle.work.revived_tool_call import revived_tool_call
from acp_spy.lint.rules.lifecycle.work.secret_in_form import secret_in_form
from acp_spy.lint.rules.lifecycle.work.slow_terminal_create import slow_terminal_create
from acp_spy.lint.rules.lifecycle.work.terminal_content_without_terminal import (
    terminal_content_without_terminal,
)
from acp_spy.lint.rules.lifecycle.work.terminal_lost_by_kill import terminal_lost_by_kill
from acp_spy.lint.rules.lifecycle.work.tool_call_never_in_progress import (
    tool_call_never_in_progress,
)
from acp_spy.lint.rules.lifecycle.work.unadvertised_extension import unadvertised_extension
from acp_spy.lint.rules.lifecycle.work.unannounced_permission import unannounced_permission
from acp_spy.lint.rules.lifecycle.work.unannounced_tool_call import unannounced_tool_call
from acp_spy.lint.rules.lifecycle.work.undecodable_data import undecodable_data
from acp_spy.lint.rules.lifecycle.work.unheeded_option import unheeded_option
from acp_spy.lint.rules.lifecycle.work.unknown_command import unknown_command
from acp_spy.lint.rules.lifecycle.work.unknown_elicitation import unknown_elicitation
from acp_spy.lint.rules.lifecycle.work.unoffered_current_mode import unoffered_current_mode
from acp_spy.lint.rules.lifecycle.work.unoffered_current_value import unoffered_current_value
from acp_spy.lint.rules.lifecycle.work.unoffered_mode import unoffered_mode
from acp_spy.lint.rules.lifecycle.work.unoffered_option import unoffered_option
from acp_spy.lint.rules.lifecycle.work.unoffered_permission_option import (
    unoffered_permission_option,
)
from acp_spy.lint.rules.lifecycle.work.unreleased_terminal import unreleased_terminal
from acp_spy.lint.rules.lifecycle.work.unsafe_elicitation_url import unsafe_elicitation_url
from acp_spy.lint.rules.lifecycle.work.url_in_form import url_in_form
from acp_spy.lint.rules.lifecycle.work.use_of_dead_terminal import use_of_dead_terminal
from acp_spy.lint.rules.lifecycle.work.work_without_leave import work_without_leave
from acp_spy.lint.rules.lifecycle.work.zero_line import zero_line
from acp_spy.lint.rules.lifecycle.work.zero_read_limit import zero_read_limit

RULES: tuple[Rule, ...] = (
    repeated_tool_call,
    unannounced_tool_call,
    revived_tool_call,
    tool_call_never_in_progress,
    changed_tool_name,
    relative_path,
    zero_line,
    zero_read_limit,
    ignored_read_limit,
    growing_path,
    unannounced_permission,
    unoffered_permission_option,
    permission_without_options,
    repeated_choice,
    work_without_leave,
    permission_outside_turn,
    file_access_outside_turn,
    cancelled_permission_without_cancel,
    refused_permission_request,
    terminal_content_without_terminal,
    unreleased_terminal,
    use_of_dead_terminal,
    terminal_lost_by_kill,
    slow_terminal_create,
    output_over_limit,
    cut_character,
    contradictory_exit_status,
    piecemeal_plan,
    unoffered_current_mode,
    unoffered_mode,
    mode_set_beside_options,
    modes_out_of_step,
    incomplete_options,
    unoffered_option,
    unoffered_current_value,
    unheeded_option,
    misspelt_command_name,
    unknown_command,
    replayed_notice,
    disordered_compaction,
    secret_in_form,
    form_answer_off_schema,
    reused_elicitation,
    unknown_elicitation,
    unsafe_elicitation_url,
    url_in_form,
    undecodable_data,
    mismatched_mime_type,
    relative_uri,
    malformed_trace_context,
    unadvertised_extension,
)
