"""Family RPC: the envelope."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.jsonrpc.agent_died import agent_died
from acp_spy.lint.rules.jsonrpc.agent_not_started import agent_not_started
from acp_spy.lint.rules.jsonrpc.answered_notification import answered_notification
from acp_spy.lint.rules.jsonrpc.bad_request_id import bad_request_id
from acp_spy.lint.rules.jsonrpc.batch import batch
from acp_spy.lint.rules.jsonrpc.changed_id import changed_id
from acp_spy.lint.rules.jsonrpc.foreign_protocol import foreign_protocol
from acp_spy.lint.rules.jsonrpc.invented_error_id import invented_error_id
from acp_spy.lint.rules.jsonrpc.long_silence import long_silence
from acp_spy.lint.rules.jsonrpc.malformed_envelope import malformed_envelope
from acp_spy.lint.rules.jsonrpc.missing_jsonrpc import missing_jsonrpc
from acp_spy.lint.rules.jsonrpc.misused_auth_error import misused_auth_error
from acp_spy.lint.rules.jsonrpc.reserved_error_code import reserved_error_code
from acp_spy.lint.rules.jsonrpc.reused_id import reused_id
from acp_spy.lint.rules.jsonrpc.scalar_params import scalar_params
from acp_spy.lint.rules.jsonrpc.second_response import second_response
from acp_spy.lint.rules.jsonrpc.unanswered_request import unanswered_request
from acp_spy.lint.rules.jsonrpc.unknown_envelope_key import unknown_envelope_key
from acp_spy.lint.rules.jsonrpc.unknown_method import unknown_method
from acp_spy.lint.rules.jsonrpc.unknown_response_id import unknown_response_id
from acp_spy.lint.rules.jsonrpc.wrong_code_for_unknown_method import wrong_code_for_unknown_method
from acp_spy.lint.rules.jsonrpc.wrong_direction import wrong_direction
from acp_spy.lint.rules.jsonrpc.wrong_kind import wrong_kind

RULES: tuple[Rule, ...] = (
    missing_jsonrpc,
    malformed_envelope,
    scalar_params,
    bad_request_id,
    changed_id,
    unanswered_request,
    answered_notification,
    unknown_response_id,
    reused_id,
    second_response,
    invented_error_id,
    wrong_code_for_unknown_method,
    unknown_method,
    wrong_kind,
    wrong_direction,
    batch,
    reserved_error_code,
    misused_auth_error,
    unknown_envelope_key,
    foreign_protocol,
    long_silence,
    agent_died,
    agent_not_started,
)
