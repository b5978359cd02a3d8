"""
The literal in an expression that a secret is given: `args.x or "v"`, `a ? a : "v"`, `get(a, "v")`.

The expression is read piece by piece, up to an operator or a call that says what is used instead,
and a literal after it. Two words with a blank between them are no expression: that is a sentence.
"""

import re

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.line_breaks import AFTER_SIGN, GAP
from acp_spy.secrets.values import Certainty, is_value

LITERAL = (
    rb"(?:[bruL@]|\[\]byte\(|(?:String::from|String|Some)\()?"
    rb"(?P<q>\\{0,3}[\"'`])(?P<secret>[^\"'`\r\n\\]{3,200})(?P=q)"
)
# Calls with what is used if there is no value.
METHOD = (
    rb"\.(?:unwrap_or|unwrap_or_else|orElse|orElseGet|getOrElse|value_or|valueOr|ifEmpty|ifBlank)"
    rb"[ ]?[({][ ]?(?:\|\w{0,12}\|[ ]?|\(\)[ ]?[-=]>[ ]?)?"
)
_MOST_PIECES = 40
_TYPE = expression(rb"[A-Za-z_][\w.:<>\[\]?|]{0,40}[ ]=(?:[ ]|%b)" % AFTER_SIGN)
_NAMED = rb"(?:default|fallback|default_value|defaultValue|def|or_else)[ ]?[:=][ ]?"
_CALL = (
    rb"(?:get(?:attr|Property|String|Str|Value|Or|OrDefault|OrElse|_or_default|_or|env)?|pop|fetch"
    rb"|dig|Or|Get(?:String|Value|OrDefault)?|[cC]oalesce|COALESCE|try|lookup|nvl|NVL|ifnull|IFNULL"
    rb"|first(?:NonEmpty|_non_empty|_nonempty)|[cC]onfig|value)"
    rb"\([^()]{0,80}?(?:\([^()\r\n]{0,40}\)[^()]{0,40}?)?(?:,%b?(?:%b)?|\)[ ]?\{[ ]?)"
    % (GAP, _NAMED)
)
_USED_INSTEAD = expression(
    rb"(?:\s{0,40}(?P<sign>\|\||\?\?|\?:|\?|:)\s{0,40}|[ ](?P<perl>//)[ ]"
    rb"|%b(?:or|else(?:[ ]\{)?)[ ]|%b|%b)%b" % (GAP, METHOD, _CALL, LITERAL)
)
_STRING = rb"\\{0,3}[\"'](?:[^\"'\r\n\\]{0,80})\\{0,3}[\"']"
_PIECE = expression(
    rb"(?:await|not|typeof|new|if)[ ]|[$@%&!*~]{0,3}[\w$]{1,60}+\??(?![ ]?=[^=])"
    rb"|\?\.|\.|->|::|"
    + _STRING
    + rb"|\([^()\r\n]{0,80}(?:\([^()\r\n]{0,60}\)[^()\r\n]{0,60}){0,2}\)"
    rb"|\[[^\[\]\r\n]{0,60}\]|[ ]?\{[^{}\r\n]{0,60}\}"
    rb"|\s{0,40}(?:\|\||\?\?|\?:|&&)\s{0,40}|[ ](?:[=!]==?|[<>]=?|//)[ ]"
    rb"|%b(?:is[ ]not|is|not[ ]in|in|as|and|or|if|else|instanceof)[ ](?:not[ ])?" % GAP
)
_CHOICE = expression(rb"\s{0,40}\?\s{1,40}")
_OTHERWISE = expression(rb"\s{0,40}:\s{1,40}")
_OTHER_LITERAL = expression(rb"\s{0,40}:\s{1,40}\\{0,3}[\"'`]")
_COMPARED = expression(rb"[ ]?(?:[=!]=|[<>]|(?:not[ ])?in[ ]|\.(?!into|to_)|[+%(\[])")
_OF_PERL = expression(rb"\$|shift\b|\.\w")
_WORDS = expression(rb"[a-z]+(?: [a-z]+)*|\S+")


def literal_in(
    text: bytes, at: int, most: Certainty, *, is_below: bool = False
) -> re.Match[bytes] | None:
    """
    Return the first literal in the expression at `at` that may be the value of a secret.

    The type of a variable may be before it, unless `is_below`: in the next line it is another one.
    """
    if not is_below and (declared := _TYPE.match(text, at)):
        at = declared.end()
    if text[at : at + 1].isspace():
        return None  # the next line, which is another statement
    first = at
    is_choice = False
    for _ in range(_MOST_PIECES):
        used = _USED_INSTEAD.match(text, at)
        if used and at > first - (not used["sign"]) and _is_one(text, first, used, most, is_choice):
            return used
        if piece := _PIECE.match(text, at):
            at = piece.end()
        elif choice := (_OTHERWISE if is_choice else _CHOICE).match(text, at):
            is_choice = not is_choice
            at = choice.end()
        else:
            return None
    return None


def _is_one(
    text: bytes, first: int, used: re.Match[bytes], most: Certainty, is_choice: bool
) -> bool:
    """Whether the literal is what a secret has instead: no comment, no label, no comparison."""
    sign = used["sign"]
    if (sign == b":" and not is_choice) or (used["perl"] and not _OF_PERL.match(text, first)):
        return False
    if _COMPARED.match(text, used.end()) or not _WORDS.fullmatch(used["secret"]):
        return False
    is_literal_before = text[used.start() - 1 : used.start()] in (b'"', b"'", b"`")
    is_one_of_two = (sign == b":" and is_literal_before) or (
        sign == b"?" and _OTHER_LITERAL.match(text, used.end())
    )
    return is_value(used["secret"], min(most, Certainty.KEY) if is_one_of_two else most)
