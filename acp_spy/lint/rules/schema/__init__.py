"""Family SCH: shapes and values."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.schema.bad_format import bad_format
from acp_spy.lint.rules.schema.capability_of_wrong_type import capability_of_wrong_type
from acp_spy.lint.rules.schema.empty_value import empty_value
from acp_spy.lint.rules.schema.flattened_object import flattened_object
from acp_spy.lint.rules.schema.foreign_handshake_key import foreign_handshake_key
from acp_spy.lint.rules.schema.invalid_protocol_version import invalid_protocol_version
from acp_spy.lint.rules.schema.malformed_error import malformed_error
from acp_spy.lint.rules.schema.malformed_permission_answer import malformed_permission_answer
from acp_spy.lint.rules.schema.map_instead_of_list import map_instead_of_list
from acp_spy.lint.rules.schema.meta_not_an_object import meta_not_an_object
from acp_spy.lint.rules.schema.misnamed_key import misnamed_key
from acp_spy.lint.rules.schema.misshapen_content import misshapen_content
from acp_spy.lint.rules.schema.missing_discriminator import missing_discriminator
from acp_spy.lint.rules.schema.missing_key import missing_key
from acp_spy.lint.rules.schema.missing_update_wrapper import missing_update_wrapper
from acp_spy.lint.rules.schema.null_result import null_result
from acp_spy.lint.rules.schema.out_of_range import out_of_range
from acp_spy.lint.rules.schema.reserved_value import reserved_value
from acp_spy.lint.rules.schema.snake_case_key import snake_case_key
from acp_spy.lint.rules.schema.unknown_capability import unknown_capability
from acp_spy.lint.rules.schema.unknown_content_type import unknown_content_type
from acp_spy.lint.rules.schema.unknown_key import unknown_key
from acp_spy.lint.rules.schema.unknown_permission_kind import unknown_permission_kind
from acp_spy.lint.rules.schema.unknown_stop_reason import unknown_stop_reason
from acp_spy.lint.rules.schema.unknown_update import unknown_update
from acp_spy.lint.rules.schema.unknown_value import unknown_value
from acp_spy.lint.rules.schema.unknown_variant import unknown_variant
from acp_spy.lint.rules.schema.unstable_key import unstable_key
from acp_spy.lint.rules.schema.unwrapped_tool_content import unwrapped_tool_content
from acp_spy.lint.rules.schema.wrong_discriminator import wrong_discriminator
from acp_spy.lint.rules.schema.wrong_type import wrong_type

RULES: tuple[Rule, ...] = (
    wrong_discriminator,
    missing_update_wrapper,
    unknown_update,
    missing_discriminator,
    snake_case_key,
    misnamed_key,
    foreign_handshake_key,
    unstable_key,
    unknown_capability,
    unknown_key,
    missing_key,
    wrong_type,
    invalid_protocol_version,
    capability_of_wrong_type,
    malformed_permission_answer,
    null_result,
    map_instead_of_list,
    misshapen_content,
    unwrapped_tool_content,
    flattened_object,
    unknown_content_type,
    unknown_variant,
    unknown_stop_reason,
    unknown_permission_kind,
    unknown_value,
    out_of_range,
    empty_value,
    bad_format,
    meta_not_an_object,
    malformed_error,
    reserved_value,
)
