"""Family FRM: bytes, lines and streams."""

from acp_spy.lint.model import Rule
from acp_spy.lint.rules.framing.blank_line import blank_line
from acp_spy.lint.rules.framing.byte_order_mark import byte_order_mark
from acp_spy.lint.rules.framing.carriage_return import carriage_return
from acp_spy.lint.rules.framing.content_length_framing import content_length_framing
from acp_spy.lint.rules.framing.duplicate_key import duplicate_key
from acp_spy.lint.rules.framing.glued_noise import glued_noise
from acp_spy.lint.rules.framing.ignored_eof import ignored_eof
from acp_spy.lint.rules.framing.lone_surrogate import lone_surrogate
from acp_spy.lint.rules.framing.long_line import long_line
from acp_spy.lint.rules.framing.malformed_json import malformed_json
from acp_spy.lint.rules.framing.message_on_stderr import message_on_stderr
from acp_spy.lint.rules.framing.message_over_several_lines import message_over_several_lines
from acp_spy.lint.rules.framing.noise_on_the_wire import noise_on_the_wire
from acp_spy.lint.rules.framing.not_utf8 import not_utf8
from acp_spy.lint.rules.framing.trailing_data import trailing_data
from acp_spy.lint.rules.framing.unterminated_frame import unterminated_frame

RULES: tuple[Rule, ...] = (
    not_utf8,
    byte_order_mark,
    lone_surrogate,
    noise_on_the_wire,
    glued_noise,
    trailing_data,
    message_over_several_lines,
    content_length_framing,
    carriage_return,
    long_line,
    unterminated_frame,
    duplicate_key,
    message_on_stderr,
    ignored_eof,
    malformed_json,
    blank_line,
)
