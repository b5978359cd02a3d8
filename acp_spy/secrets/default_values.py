"""
What is used if a secret is not set: `${DB_PASSWORD:x}`, `getenv("DB_PASSWORD") ?: "x"`.

Two grammars. A reference in braces has its default in it, without quotes. A program has an operator
or a call after what may be missing, and then a literal: what is before says whose default it is.
"""

import re
from collections.abc import Iterator

from acp_spy.secrets.assigned_values import BY_STRENGTH
from acp_spy.secrets.default_expressions import LITERAL, METHOD, literal_in
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.line_breaks import AFTER_SIGN, GAP
from acp_spy.secrets.secret_names import UNDECIDED, Strength, strength_of
from acp_spy.secrets.shape import Found, each, grammar
from acp_spy.secrets.values import Certainty, is_value

_LONGEST_BEFORE = 160
_FARTHEST = 24  # from `${` to a name: `${oc.env:`
BEFORE_REFERENCE = frozenset((b"{", b":", b"?", b"!"))  # the last of what opens one
_OPENED = expression(rb"\$\{[?!]?(?:[\w.]{1,20}:)?\Z")
# Not `:?`, which says what is wrong, nor `:+`, which is used if there is a value.
_IN_REFERENCE = expression(
    rb"(?::[-=]|:(?![-=?+])|=|,[ ]?)(?P<q>\\{0,3}[\"']?)(?P<secret>[^{}\"'`\r\n\\]{3,200})(?P=q)\}"
)
# With another name than that of a secret: in capitals, or of several words, or as only a shell has
# it. `${vault:x}` has none.
_REFERENCE = expression(
    rb"\\{0,3}[\"']?\$\{[?!]?(?:(?:oc\.)?(?:env|ENV):)?(?:[A-Z][A-Z0-9_]{1,60}"
    rb"|\w{1,40}(?:[.-]\w{1,40}){1,4}|\w{1,40}(?=:[-=]))"
)
# A literal in an expression of Jinja or Helm, and what is done with it: no `lookup` of its name.
_IN_TEMPLATE = expression(
    rb"\\{0,3}[\"']?\{\{-?[ ]{0,3}(?:%b[^\"'\r\n\\]{0,40}%b[ ]?[~+][ ]?"
    rb"|(?:quote|squote|b64enc|sha256sum|bcrypt|htpasswd %b[\w.@-]{1,40}%b)[ ])?"
    rb"(?P<q>%b)(?P<secret>[^\"'`\r\n\\{}]{3,200})(?P=q)[ ]{0,3}(?:-?\}\}|[~+]"
    rb"|\|[ ]?(?:ansible\.builtin\.)?(?:password_hash|b64encode|b64enc|s?quote|string|toString|trim"
    rb"|hash|bcrypt|sha1sum|sha256sum|to_json|toJson|toYaml|urlencode|urlquery|n?indent|upper|lower"
    rb"|e|escape|safe|vault|encrypt)\b)" % ((rb"\\{0,3}[\"']",) * 5)
)
# What a shell has, where the name may have no dash.
_AFTER_DASH = expression(rb"\$\{(?P<name>[A-Z][A-Z0-9_]{2,60})-(?P<secret>[^{}\"'`\s\\]{3,200})\}")
_NAME_OF_ONE = expression(  # `jenkins-admin-password`, of a chart
    rb"[a-z]+(?:[-_.][a-z]+)*[-_.](?:password|passwd|secret|token|key|credentials)"
)
_PART = expression(rb"-?[0-9]{1,3}(?::.*)?")  # of a text: `${password:0:4}`

_FALLBACK = (
    rb"(?:(?<=[\])\s])\?:[ ]?"
    rb"|%b"
    rb"|(?P<default>\|[ ]?(?:default|d)[ (][ ]?|\{\{-?[ ]default[ ])"
    rb"|(?<=\})[ ](?:\|\||//)[ ]|[ ]\}[ ]else[ ]\{[ ]|(?P<block>\)[ ]\{[ ]?)"
    rb"|[ ](?P<else>else)[ ])%b" % (METHOD, LITERAL)
)
# A variable with another name than that of a secret, and what is used without it.
_VARIABLE = expression(
    rb"[\w$.:]{0,40}(?:[eE]nv|ENV)[\w$.:!]{0,60}(?:[(\[]\s{0,40}\\{0,3}[\"'][\w.-]{1,60}\\{0,3}[\"']|\{[\w'\"]{1,60})?"
    rb"[)\]}]?(?:\.[a-z]{2,12}(?:\(\))?)?(?:[ ]?//[ ]|%b?(?:\|\||\?\?|or)%b|,%b)%b"
    % (GAP, GAP, GAP, LITERAL)
)
_BELOW = expression(AFTER_SIGN + rb"(?<=[ \t])")
_STATEMENT_START = expression(rb"[;{}\r\n]")
_MAY_NAME = expression(rb"(?i:pass|pw|secret|token|key|cred|auth|jwt|kennwort|senha|contrase)")
# Calls that give the same value.
_SAME = expression(rb"(?:\.(?:ok|clone|cloned|as_deref|as_ref|trim|toString|to_owned)\(\))+[ ]?\Z")
_LAST = expression(rb"(?P<name>[A-Za-z_][\w.-]*+)(?P<end>(?:\(\))?\\{0,3}[\"'`]?[\])]{0,3}[ ]?)\Z")
_TARGET = expression(
    rb"(?P<name>[A-Za-z_][\w.-]*+)[\"'\]]{0,2}(?:[ ]?:[ ]?&?[A-Z]\w{0,20}\??)?[ ]?(?::=|=>|[:=])"
    rb"[ ]?[\"']?(?:\{\{-?[ ]?)?(?P<from>[^=\r\n]{0,100})\Z"
)
_AFTER = expression(rb"[ ][.$]?(?P<name>[A-Za-z_][\w.-]*+)")
_ASKED = expression(rb"[eE]nv|ENV|[cC]onfig|\.get\b|\{\{|[gG]et[A-Z]|lookup")


def opens_reference(text: bytes, start: int) -> bool:
    """Whether `${`, `${env:` or the like is before the name that begins at `start`."""
    first = start - _FARTHEST if start > _FARTHEST else 0
    return _OPENED.search(text, first, start) is not None


def in_reference(text: bytes, at: int, strength: Strength) -> Found | None:
    """Return the default in `${NAME:x}`, in which the name ends at `at`."""
    return _judged(_IN_REFERENCE.match(text, at), strength)


def of_other(
    text: bytes, at: int, name: bytes, strength: Strength, *, may_be_below: bool
) -> Found | None:
    """
    Return the literal in `${OTHER:x}` at `at`, in `{{ "x" }}`, in `getenv("OTHER") or "x"`.

    After a name that may as well be that of something else, most expressions say nothing.
    """
    if below := _BELOW.match(text, at) if may_be_below else None:
        at = below.end()
    begin = text[at : at + 40]
    if b"{{" in begin[:5]:
        return _judged(_IN_TEMPLATE.match(text, at), strength, Certainty.SETTING)
    if b"${" in begin[:5] and (reference := _REFERENCE.match(text, at)):
        return _judged(_IN_REFERENCE.match(text, reference.end()), strength)
    if (b"nv" in begin or b"NV" in begin) and (
        found := _judged(_VARIABLE.match(text, at), strength, Certainty.SETTING)
    ):
        return found
    if strength not in BY_STRENGTH:
        return None
    most = Certainty.KEY if name.decode("latin-1") in UNDECIDED else Certainty.SETTING
    most = min(BY_STRENGTH[strength], most)
    return _judged(literal_in(text, at, most, is_below=below is not None), strength, most)


def _judged(
    default: re.Match[bytes] | None, strength: Strength, most: Certainty = Certainty.PASSWORD
) -> Found | None:
    """Return what was matched, if it is a value; its place is no surer than `most`."""
    if default is None or strength not in BY_STRENGTH:
        return None
    value = default["secret"]
    if _PART.fullmatch(value) or _NAME_OF_ONE.fullmatch(value):
        return None
    is_one = is_value(value, min(BY_STRENGTH[strength], most))
    return (*default.span("secret"), "assignment") if is_one else None


def _after_dash(_: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    if found := _judged(match, strength_of(match["name"].decode())):
        yield found


def _after_fallback(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    first = max(0, match.start() - _LONGEST_BEFORE)
    before = text[first : match.start() + (1 if match["block"] else 0)]
    if found := _judged(match, _strength_before(text, before, match)):
        yield found


def _strength_before(text: bytes, before: bytes, match: re.Match[bytes]) -> Strength:
    """Return what the name of what may be missing says, or that of what the value is given to."""
    if match["else"]:
        before, _, condition = before.rpartition(b" if ")
        if not condition:
            return Strength.NONE
    if match["default"] and (after := _AFTER.match(text, match.end())):
        return _of(after)
    if not _MAY_NAME.search(before):
        return Strength.NONE
    ended = before.rstrip()
    statement = _STATEMENT_START.split(ended.removesuffix(b"}"))[-1]  # $ENV{NAME} of Perl
    last = _LAST.search(_SAME.sub(b"", statement))
    if last:
        is_literal = last["end"][:1] in (b'"', b"'", b"`", b"\\")
        is_read = last["end"].rstrip()[-1:] in (b")", b"]") or ended.endswith(b"}")
        if match["block"] and not (is_literal and is_read):
            return Strength.NONE
        if is_literal and not is_read and not match["default"]:
            return Strength.NONE
        if (strength := _of(last)) is not Strength.NONE:
            return strength
    target = _TARGET.search(before + match[0][:3] if match["default"] else before)
    return _of(target) if target and _ASKED.search(target["from"]) else Strength.NONE


def _of(name: re.Match[bytes]) -> Strength:
    return strength_of(name["name"].rstrip(b".-").decode("latin-1"))


DEFAULTS = (
    grammar(
        "assignment",
        (
            *("?: '", '?: "', '?: \\"', "?:'", '?:"', ".unwrap_or", ".orElse", ".getOrElse"),
            *(".value_or", ".valueOr", ".ifEmpty", ".ifBlank", "default(", "default '"),
            *('default "', 'default \\"', "|d(", "| d(", ") { '", ') { "', ') { \\"'),
            *(" else '", ' else "', ' else \\"', "} || '", '} || "', "} // '", '} // "'),
            *("} else { '", '} else { "', '} else { \\"'),
        ),
        _FALLBACK,
        each(_after_fallback),
        'val p = System.getenv("DB_PASSWORD") ?: "<8>"',
        'val p = System.getenv("DB_PASSWORD") ?: getDefault()',
    ),
    grammar(
        "assignment",
        ("PASSWORD-", "PASS-", "PASSWD-", "PWD-", "SECRET-", "TOKEN-"),
        _AFTER_DASH.pattern,
        each(_after_dash),
        "export DB_PASSWORD=${DB_PASSWORD-<8>}",
        "export DB_PASSWORD=${DB_PASSWORD-$OTHER}",
    ),
)
