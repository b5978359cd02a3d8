"""
The grammar of an assignment: a secret's name, what is between, and the value.

One grammar for all languages: `NAME=x`, `name: x`, `"name": "x"`, `name := "x"`, `name => 'x'`,
`const char *name = "x"`, `name: &str = "x"`, `<name>x</name>`, `name="x"`, `put("name", "x")`,
`{"name": "NAME", "value": "x"}`, `--name x`, `Name [None]: x`, `name: |`, and all of these in a
string. `assignment_names` finds the name; what follows is read by hand, since it depends on what is
before. `assigned_values` reads the value, `said_values` those in sentences and prompts. What a
program has put around it, such as colors and line numbers, `plain_views` has taken away.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from acp_spy.secrets.assigned_values import (
    BY_STRENGTH,
    LINE_END,
    in_element,
    is_line_start,
    read_value,
    value_at,
)
from acp_spy.secrets.assignment_names import find_name
from acp_spy.secrets.bare_passwords import (
    ARROW,
    CONNECTED_AFTER,
    PROPERTY,
    STATE,
    among_pairs,
    several_words,
)
from acp_spy.secrets.default_values import BEFORE_REFERENCE, in_reference, of_other, opens_reference
from acp_spy.secrets.expressions import SPELLED_ESCAPE, expression
from acp_spy.secrets.line_breaks import AFTER_SIGN
from acp_spy.secrets.said_values import BLANK, after_blank, value_below
from acp_spy.secrets.secret_names import Strength, is_action
from acp_spy.secrets.shape import Found
from acp_spy.secrets.substitutions import Substitutions
from acp_spy.secrets.values import (
    PHRASE,
    Certainty,
    is_call,
    is_long_weak_password,
    is_test_result,
    is_value,
    is_weak_password,
    read_bare,
    read_quoted,
)

_DASH = b"-"[0]
_LONGEST_WORD = 200
_BETWEEN_PAIRS = (b"&", b";", b",", b"%", b"\\")
_ENDS_CODE = expression(rb"[\[(][^\[(]*[\])][,;]*$|[\[(,]$")  # `f(x)`, and `f(x,` in several lines
_OPENING = expression(rb"[\[(]")
_TAG = expression(rb"</|<br ?/?>")  # of a page, in which a line may end with it
_IN_LINE = expression(rb"(?:[^\s\\\x1b\0]|\\++(?!(?:[nrt\s]|%b|\Z)))*+" % SPELLED_ESCAPE)
_MOST_IN_RUN = 16  # names without a blank or a quote between them, as in `a=token=b=token=`
_QUOTE = rb"(?:\\{0,7}[\"'`]|&quot;|&apos;|&\#(?:0?3[49]|[xX]2[27]);|%22|\\u0022)"
_CLOSE = expression(
    rb"(?:%b|\]|\)|:(?:\w{1,60}:|%b\w{1,60}%b:)?(?:protected|private)\b"
    rb"|\[[0-9]{0,5}\]|\[[\"'][\w-]{1,40}[\"']\]|\*\*"
    rb"| \{ (?:get|init)[^{}\r\n]{0,40}\}){0,4}+" % (_QUOTE, _QUOTE, _QUOTE)  # of a property in C#
)
_PAIR = expression(
    rb"\s*+(?:[,;]\s*+)?(?:- )?(?:android:)?%b?"
    rb"(?:value|Value|VALUE|ParameterValue|currentValue|secretString|content(?==))"
    rb"%b?\s*+[:=]\s*+" % (_QUOTE, _QUOTE)
)
_IN_FLOW = expression(rb"[a-z0-9-]{3,60}[ ]?\}")  # `{name: NAME, value: x}`
_COMMAND = expression(rb"`[^`\r\n]{0,400}?[ \t][^`\r\n]{0,400}`")
_DEFAULT = expression(
    rb"\s*+(?::\s*+)?\{[^{}]{0,200}?\bdefault%b?\s{0,80}[=:]\s*+(?=%b)"
    # of a schema in JavaScript: `z.string().default("x")`, `str({ default: "x" })`
    rb"|\s*+:\s*+[A-Za-z_$][\w$.\s]{0,40}\((?:[^,;\"'`]{0,120}?\.default\(|\{[^{}]{0,200}?\b"
    rb"(?:default|devDefault):)\s*+(?=%b)"
    # of CloudFormation and of other schemas in YAML
    rb"|:[ \t]*\r?\n"
    rb"(?:[ \t]{1,40}(?![dD]efault:)[A-Za-z]\w{0,30}:[ \t]{1,8}\S[^\n]{0,200}\n){0,8}"
    rb"[ \t]{1,40}[dD]efault:[ \t]{1,8}(?=\S)" % (_QUOTE, _QUOTE, _QUOTE)
)
# Of a ConfigMap, of PHP, of the registry of Windows, and how it is written.
_DESCRIBED = expression(
    rb";s:[0-9]{1,5}:(?=\\{0,3}\")|:\r?\n-{3,8}\r?\n(?=\S)"
    rb"|[ \t]{1,40}REG_(?:EXPAND_|MULTI_)?SZ[ \t]{1,40}"
    rb"|[ \t]{1,4}(?:-(?:Property)?Type[ \t]{1,4}\w{1,20}[ \t]{1,4})?-Value[ \t]{1,4}"
)
_TYPE = (
    rb"(?:[ \t]{0,3}:[ \t]{0,3}(?:(?:&?'static|\[\]const)\s)?[&*]?"
    rb"(?:'static\s)?(?:\[u8(?:; ?\w{1,40})?\]|[A-Za-z_][\w.]{0,40})"
    rb"(?:[<\[][\w., <\[]{0,40}[\]>]{1,2})?\??(?:[ ]?\|[ ]?\w+)?"
    rb"(?=[ \t]*=(?:[ \t]*|%b)(?:[*bru@]{0,2}[\"'`]|Secret\w{0,8}\(|[fF]ield\())"
    rb"|[ \t]{1,3}(?:[Aa]s[ \t]{1,3})?[*]?[A-Za-z_][\w.]{0,40}"
    rb"(?=[ \t]{1,3}=(?:[ \t]{0,3}|%b)[\"'`]))?" % (AFTER_SIGN, AFTER_SIGN)
)
# What may be before the quotes of a value, or the brackets of a string in Perl.
_PREFIX = (
    rb"(?:[bruBRUfLN@$*]{0,2}|"
    rb"(?:new )?(?:Secret(?:Str|String|Bytes)?|Sensitive|String|str|bytes|Buffer|Some|std)"
    rb"(?:(?:::|\.)(?:from|new|string))?\(\s{0,40}|\[\]byte\("
    rb"|(?:\w{1,20}\.){0,4}(?:GetBytes|FromBase64String)\(|string ?\| ?\*|[fF]ield\("
    rb"(?:default=)?|<<|(?:[\w$]{1,30}(?:\.|->|::)){0,2}\w{0,20}(?:[hH]ash|[cC]rypt)\w{0,12}"
    rb"(?:(?:\.|->|::)\w{1,20})?\(\s{0,4})(?=[\"'])|qq?[({](?=[^\s(){}]{3,100}[)}])"
)
_OR = rb"(?:\|\||\?\?|\bor\b)(?=(?:[ ]?|%b)[\"'`])" % AFTER_SIGN
_ASSIGN = expression(
    rb"(?P<type>%b)(?P<before>[ \t]*|\s{1,40}(?=%b))(?P<op>:=|=>|->|<-(?=(?:[ ]?|%b)[\"'])"
    rb"|(?:\|\||\?\?|[?+])=|::|=(?![=~>])|:(?![:])|\xef\xbc\x9a|%%(?:25)?3[dDaA]|%b|\\u003[dDaA]|&\#61;)"
    rb"(?:\*\*)?(?P<after>(?P<below>%b)(?=%b|`)|(?:[ \t]|%%20)*+)(?P<prefix>%b)?"
    % (_TYPE, _OR, AFTER_SIGN, _OR, AFTER_SIGN, _PREFIX, _PREFIX)
)
# What follows a literal that is alone in its line, and one that is not the value.
_ENDS_LITERAL = expression(rb"\\{0,3}[\"'][)\]}]{0,4}[,;]?[ \t]*+(?:[\r\n\"'`]|\\[nr]|//|\#|\Z)")
_GOES_ON = expression(rb"\\{0,3}[\"'`]\s*+(?::|[=!]=|[<>]|(?:not )?in\b)")
_OPENS_KEY = expression(rb"(?:^|[\r\n{(,])[ \t]{0,80}[\"']?\Z")
_LONGEST_INDENT = 90
_BLOCK = expression(rb"[|>][-+]?[ \t]*+(?:\r?\n)[ \t]++")
# Of var_dump of PHP, and of a debugger: `0x55e0 "x"`.
_DUMP = expression(rb"\s*+string\(\d+\) |0x[0-9a-f]{1,16} (?=\\{0,3}\")")
_REST_OF_LINE = expression(rb"[ \t]*+(?:\r?\n|\\[nr]|#|$)")
_ELEMENT = expression(
    rb"(?:(?:[ ][^<>\n]{0,200})?(?:>|&gt;)|</[\w:]{1,20}>)\s*"
    rb"(?:<[A-Za-z:]{1,20}(?: [^<>\n]{0,60})?>)?(?=[^\s<&])"
)
# Also the next line of a reply of redis-cli, which numbers them.
_ARGUMENT = expression(
    rb"(?:[ \t]*+,\s*+|[ \t]++|\r?\n[ \t]{0,4}[0-9]{1,4}\) )[bruL@]?(?=%b)" % _QUOTE
)
_LIST = expression(
    rb"%b?[ \t]{0,4}[:=][ \t]{0,4}(?:\[\s{0,40}(?=%b)|\n[ \t]{0,40}- )" % (_QUOTE, _QUOTE)
)
_NEXT_ITEM = expression(rb"%b?(?:[ \t]{0,4},\s{0,40}(?=%b)|\n[ \t]{0,40}- )" % (_QUOTE, _QUOTE))
_CHANGE = expression(
    rb"(?:\\{0,3}[\"'`])?[ \t]{1,4}%b[ \t]{1,4}(?=[^\s(])"
    rb"|\\{0,3}[\"'`][ \t]{1,4}(?::|if [^\"'\r\n]{1,80} else)[ \t]{1,4}(?=\\{0,3}[\"'`])" % ARROW
)
_MAY_CHANGE = expression(rb"[^\r\n]{0,240}?[ \t](?:%b|:|if)[ \t]" % ARROW)
# What was there before, if it is no secret: a word, `***`, `<redacted>`, `${NAME}`, `(none)`. What
# has other brackets is a function more often: `token: (x) => x.value`.
_OLD = expression(
    rb"[^\s\"'`,;(){}\[\]<>]{1,80}+|<[^<>\r\n]{1,60}+>|\$\{[^{}\r\n]{1,60}+\}"
    rb"|\{\{[^{}\r\n]{1,60}+\}\}|\((?:none|null|unset|not set|empty|sensitive(?: value)?)\)"
)
_MAY_BE_TYPE = expression(rb"[&*$]?[A-Za-z_]\w*+(?:(?:\.|::)\w++)*+")
_IS_NAME = expression(rb"%b\s*+:" % _QUOTE)  # the next name of an object, not an argument
_TUPLE = expression(rb"[ \t]*+,\s*+(?:<<)?(?=\")")  # of Erlang: {pass, <<"x">>}
_READ_BEFORE = expression(
    rb"\b(?:getattr|get|fetch|lookup|pop|Get|getOrDefault|get_or_default)\("
    rb"(?:[\w.$@:\[\]]{1,60}, )?(?:\\{0,3}[\"']|:)\Z"
)
_LONGEST_READ = 90
# setPassword("x"), password == "x", and of argparse: "--password", default="x"
_CALL = expression(
    rb"(?:[({]\s{0,4}|[ \t]{0,3}[=!]==?[ \t]{0,3}|,[ \t][^\r\n()]{0,120}?"
    rb"\b(?:default(?:_?[vV]alue)?|fallback|unset) ?= ?)(?=[\"'`])"
)
# `#define NAME "x"`, and of Lisp: `(setq name "x")`, `(defparameter *name* "x")`
_DECLARED = expression(
    rb"(?:\#[ \t]{0,4}define|\((?:set[qf!]|setenv|def[a-z]{0,9}))[ \t]{1,8}\*?\Z"
)
_DECLARED_VALUE = expression(rb"\*?[ \t]{1,40}(?=\")")
_LONGEST_DECLARATION = 30
_NAME_OF_SECRET = expression(
    rb"(?:[A-Za-z]{1,30}[_.-]){1,5}(?i:pass(?:word|wd|phrase)?|pwd|pswd|pw|secret|token|key)\""
)
_NEXT_LINE = expression(rb"\"?\r?\n[ \t]{0,40}- ")  # of a list of words in YAML
_BREAK = expression(rb"[\r\n\\]")
_PLAIN_WORD = expression(rb"[A-Za-z_-]+")
_SHORT_NAMES = frozenset((b"pass", b"pw", b"pwd", b"PASS"))
_NEXT_WORD = expression(rb"[\"'`],\s{0,40}[\"'`]")
_BETWEEN_WORDS = expression(rb"(?i)[-_]v[0-9]{1,2}\Z|[-_/.:]")
_NAME_OF_FIELD = expression(rb"[a-z]+(?:[A-Z][a-z]+)+")
_EXPRESSION = expression(rb"\\[dwsDWSb.]|\[[^\]\n]{0,40}[a-zA-Z0-9]-[a-zA-Z0-9]|\(\?|[\])][+*?{]")
_REGEX = expression(rb"/(?![/*])[^/\s]{1,300}/[a-z]{0,6}(?=[;,)\s]|\Z)")  # of JavaScript
_RAW = frozenset((b"r", b"R", b"rb", b"br", b"Rb", b"bR"))  # of a string in Python
_FORMATTED = frozenset((b"f", b"fr", b"rf", b"$"))  # the last in C#
_CALL_INSIDE = expression(rb"\{[A-Za-z_][\w.]{0,60}\(")
_INSIDE = expression(rb"\{[^{}]*+\}")
_CUT_NAME = expression(rb";[A-Za-z]{1,40}\Z")
_APP_PASSWORD = expression(rb"[a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4}(?![a-z])")
_SEED = expression(rb"(?<=[\"'=])(?:0x)?[0-9a-f]{64}(?:[0-9a-f]{64})?(?![0-9A-Za-z])")
# Another option, also of how a program is called: `[-p X] [-h HOST]`; or the dash is that of a
# diff: `-pass rate: 98%`.
_NEXT_VARIABLE = expression(rb"[A-Z][A-Z0-9_]{2,}=")
_NO_ARGUMENT = expression(
    rb"[\[-]|[A-Za-z]{1,20}:[ \t]|id=[\w.-]{1,60},(?:src|source|env|type|target)="
    rb"|(?:and|or|is|are|can|will|must|should|to|in|for|from|with|options?|commands?|flags?|switch(?:es)?|parameters?"
    rb"|arguments?)(?=(?:[,.;:)]|\b)\s[^=\n]*[a-z])"  # of a sentence about it
)
_NEXT_OPTION = expression(rb"[ \t]++-|[ \t]*+\\?[\r\n]")
# Made up by hand more often than not: `JWT_SECRET=supersecret`.
_WEAK_SECRET = expression(
    rb"(?:^|(?:^|_)(?:JWT|SESSION|AUTH|NEXTAUTH|APP|API|COOKIE|TOKEN|WEBHOOK|SIGNING|HMAC)_)SECRET$"
)
# Keys that sign, in any spelling; one that is a name of something says so: `jwt-secret-prod`.
_SIGNS = expression(
    rb"(?i)(?:^|[_.-])(?:jwt|session|cookie|auth|nextauth|token|signing|hmac|app)_?(?:secret|(?<=g)_?key)$"
    rb"|(?:jwt|session|cookie|token|signing|hmac|app)Secret$|(?:^|[_.-])secret_key$"
)
_VERY_SECRET = expression(rb"(?:super|very|top|really|not-so)[-_]?secret(?:[-_][a-z]{3,10}){0,3}")
_MADE_UP = expression(
    rb"[a-z]{6,40}|(?!(?:.*[-_])?(?:secrets?|keys?|tokens?|jwt|session|cookie|auth|app|api|prod|dev"
    rb"|staging|test|name|path|id)(?:[-_]|$))[a-z]{2,12}(?:[-_][a-z]{2,12}){1,4}"
)
_OPERAND = expression(rb"(?:[\w)\]]\.|->|[:=] |\breturn |\w\()\Z")
_LONGEST_OPERAND = 20
_OF_STATEMENT = expression(rb"\$[0-9]{1,3}(?=[\s,;)\"'\\]|\Z)")  # a parameter: `"password"=$1,`
_CHOSEN = expression(  # what a program has here is not known: `errors.password || "..."`
    rb"[A-Za-z_$][\w$]{0,60}(?:(?:\??\.|->)[A-Za-z_$][\w$]{0,60}){1,6}\s{1,40}(?:\|\||\?\??)(?:\s|\\{1,7}[nr])"
)
_COMPARED = expression(rb"\\{0,3}[\"'`][ ](?:(?:not )?in|[=!]=|[<>]=?)[ ]")
_DASHED = expression(rb"[a-z]{3,12}(?:-[a-z]{3,12}){1,3}")
_NUMBERED = expression(rb"[a-z]{5,20}[0-9]{2,4}")
_WEAK_SETTINGS: dict[Strength, Callable[[bytes], bool]] = {
    Strength.PASSWORD: lambda word: is_weak_password(word) or _DASHED.fullmatch(word) is not None,
    Strength.SECRET: lambda word: is_weak_password(word) and _NUMBERED.fullmatch(word) is not None,
}
_ARN = expression(rb"\barn:[\w-]+:secretsmanager:[\w:-]*\Z")


def find_assignments(text: bytes, names: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """
    Give the values whose `names` were found, each as start, end and kind.

    Of many names in one run of characters only the first are asked about: all that follows is the
    value of each of them, and to read it again for every one took seconds. So did lists whose items
    look like the name of a list: what is in a list begins none, unless it is the last item.
    """
    run_end = in_run = read_to = 0
    substitutions = Substitutions(text)
    for match in names:
        if match.start() >= run_end:
            run_end, in_run = read_bare(text, match.end())[1], 0
        in_run += 1
        if in_run > _MOST_IN_RUN:
            continue
        start, name, strength = find_name(text, match)
        if name in (b"PASS", b"Pass") and is_test_result(text, start):
            continue
        if strength is not Strength.NONE:
            end = start + len(name)
            is_reference = text[start - 1 : start] in BEFORE_REFERENCE and opens_reference(
                text, start
            )
            value = (
                in_reference(text, end, strength)
                if is_reference
                else _read_in_part(text, substitutions.part_at(start), start, end, name, strength)
            )
            if value and _is_own_name(name, text[value[0] : value[1]]):
                continue
            if not value and start >= read_to:
                items, read_to = _in_list(text, end, strength)
                yield from items
            elif value:
                yield value
            if new := _changed(text, end, strength, value):
                yield new


def _changed(text: bytes, end: int, strength: Strength, value: Found | None) -> Found | None:
    """
    Return what the value of a name was changed to, also if the one before is no secret.

    Without quotes, as in `token: Token => x`, it may be a piece of a program.
    """
    if strength is Strength.PHRASE or not (
        _CHANGE.match(text, value[1]) if value else _MAY_CHANGE.match(text, end)
    ):
        return None
    close = _CLOSE.match(text, end)
    assert close is not None
    assign = _ASSIGN.match(text, close.end())
    if assign is None or (value is None and (assign["op"] not in (b"=", b":") or assign["type"])):
        return None
    at = assign.end()
    old_end = value[1] if value else _end_of_old(text, at)
    change = _CHANGE.match(text, old_end)
    if change is None:
        return None
    start, new_end, is_quoted = read_value(text, change.end(), "assignment")
    if value or (is_quoted and not _MAY_BE_TYPE.fullmatch(text, at, old_end)):
        return value_at(text, change.end(), strength, "assignment", is_sure=True)
    new = text[start:new_end]
    if strength is Strength.PASSWORD and is_long_weak_password(new):
        return start, new_end, "assignment"
    if BLANK.search(new):
        return None
    return value_at(text, change.end(), strength, "assignment", certainty=Certainty.CODE)


def _end_of_old(text: bytes, at: int) -> int:
    """Return where a value that is no secret ends; `at`, if there is none."""
    if quoted := read_quoted(text, at):
        return quoted[1]
    old = _OLD.match(text, at)
    return old.end() if old else at


def _read_in_part(
    text: bytes,
    part: tuple[int, int] | None,
    start: int,
    end: int,
    name: bytes,
    strength: Strength,
) -> Found | None:
    """Return the value of a name; in a `part` of a substitution, it ends where that does."""
    if part is None:
        return _read(text, start, end, name, strength)
    first = part[0]
    found = _read(text[slice(*part)], start - first, end - first, name, strength)
    return (found[0] + first, found[1] + first, found[2]) if found else None


def _read(text: bytes, start: int, end: int, name: bytes, strength: Strength) -> Found | None:
    close = _CLOSE.match(text, end)
    assert close is not None
    at = close.end()
    if strength is Strength.PHRASE:
        phrase = PHRASE.search(text, at, at + 300) or _SEED.search(text, at, at + 160)
        return (*phrase.span(), "mnemonic") if phrase and phrase.start() - at < 48 else None
    for between in (_PAIR, _DEFAULT, _DESCRIBED):
        if found := between.match(text, at):
            # In a program, the name has quotes, or the value a hump: this is YAML.
            is_certain = not close[0] and _IN_FLOW.match(text, found.end()) is not None
            certainty = BY_STRENGTH[strength] if is_certain else None
            return value_at(
                text, found.end(), strength, "assignment", is_sure=True, certainty=certainty
            )
    assign = _ASSIGN.match(text, at)
    # A type is behind a name, not behind a quote: `type="password" :label="x"`.
    if assign and not (assign["type"] and close[0][-1:] in (b'"', b"'")):
        is_below = text[at : at + 1] == b":"
        below = value_below(text, start, at, strength) if is_below else None
        return below or _assigned(text, start, name, strength, assign)
    if literal := _literal(text, start, at, strength):
        return value_at(text, literal[0], strength, "assignment", certainty=literal[1])
    is_tag = text[start - 1 : start] in (b"<", b":") or text[start - 4 : start] in (
        b"&lt;",
        b"Key>",
        b"key>",
        b"ame>",
    )
    is_tag = is_tag or text[start - 6 : start] == b'name">'
    is_attribute = bool(close[0]) and text[start - 1 : start] in (b'"', b"'")
    if (is_tag or is_attribute) and (element := _ELEMENT.match(text, at)):
        return in_element(text, element.end(), strength)
    if (
        text[start : start + 1] == b"-"
        and name.lstrip(b"-")
        and (blank := BLANK.match(text, at) or _NEXT_LINE.match(text, end))
    ):
        if _NO_ARGUMENT.match(text, blank.end()) or is_action(name.decode(errors="replace")):
            return None
        certainty = Certainty.SETTING if strength is Strength.KEY else None
        is_certain = _NEXT_OPTION.match(text, read_bare(text, blank.end())[1]) is not None
        return value_at(
            text,
            blank.end(),
            strength,
            "option",
            is_sure=True,
            certainty=certainty,
            is_certain=is_certain or read_quoted(text, blank.end()) is not None,
        )
    is_symbol = text[start - 1 : start] == b":" and _is_read(text, start)  # of Ruby and Elixir
    is_tuple = text[start - 1 : start] == b"{" or text[start - 2 : start] == b"{:"
    # Of `f(password), "x"` it is the next argument.
    is_closed = bool(close[0].strip(b")]"))
    if ((is_closed or is_symbol) and (argument := _ARGUMENT.match(text, at))) or (
        is_tuple and (argument := _TUPLE.match(text, at))
    ):
        is_in_list = text[start - 3 : start - 1] == b", " and not _is_read(text, start)
        in_list = Certainty.CODE if is_in_list else None
        value = value_at(
            text, argument.end(), strength, "assignment", is_sure=True, certainty=in_list
        )
        is_one = (
            value
            and text[value[0]] != _DASH  # not the option of a program: `"htpasswd", "-nb"`
            and not _IS_NAME.match(text, value[1])
            and not _NEXT_VARIABLE.match(text, value[0])
            and not _is_next_word(text, name, argument, value)
            and not (
                text[start - 2 : start - 1] == b"," and _NAME_OF_FIELD.fullmatch(text, *value[:2])
            )
        )
        return value if is_one else None
    return after_blank(text, start, at, name, strength)


def _literal(text: bytes, start: int, at: int, strength: Strength) -> tuple[int, Certainty] | None:
    """Return where a literal begins that is declared or passed without `=`, and how sure it is."""
    declared = _DECLARED_VALUE.match(text, at)
    if declared and _DECLARED.search(text, max(0, start - _LONGEST_DECLARATION), start):
        # It may be the name of one: `#define KEY_PASSWORD "wifi_pwd"`.
        is_name = _NAME_OF_SECRET.match(text, declared.end() + 1)
        return declared.end(), Certainty.KEY if is_name else BY_STRENGTH[strength]
    call = _CALL.match(text, at)
    if call is None:
        return None
    if call[0] == b"{":  # of C++, where it is as good as `=`
        return call.end(), BY_STRENGTH[strength]
    return call.end(), Certainty.SETTING if strength is Strength.PASSWORD else Certainty.CODE


def _is_read(text: bytes, start: int) -> bool:
    """Whether it names what is read: `get(ENV, "NAME", "x")`, `getattr(a, "name", "x")`."""
    return _READ_BEFORE.search(text, max(0, start - _LONGEST_READ), start) is not None


def _is_next_word(text: bytes, name: bytes, argument: re.Match[bytes], value: Found) -> bool:
    """Whether it is the next word of a list: `'pass', 'raise'`, and not what a call is given."""
    first, end, _ = value
    return _PLAIN_WORD.fullmatch(text, first, end) is not None and (
        name in _SHORT_NAMES or b"\n" in argument[0] or _NEXT_WORD.match(text, end) is not None
    )


def _in_list(text: bytes, end: int, strength: Strength) -> tuple[list[Found], int]:
    """
    Return the values of a list, and where its last item begins: `["x", "y"]`, or lines after `-`.

    A list of `secrets` may be one of their names, as in Docker Compose, and so may one with an item
    that is no secret: what follows must look random.
    """
    certainty = Certainty.KEY if strength is Strength.SECRET else None
    values: list[Found] = []
    at = end
    item = _LIST.match(text, end) if strength is not Strength.PHRASE else None
    while item:
        at = item.end()
        value = value_at(text, at, strength, "assignment", is_sure=True, certainty=certainty)
        if value:
            values.append(value)
        else:
            certainty = Certainty.KEY
        item = _NEXT_ITEM.match(text, value[1] if value else read_value(text, at, "assignment")[1])
    return values, at


def _assigned(
    text: bytes, start: int, name: bytes, strength: Strength, assign: re.Match[bytes]
) -> Found | None:
    at = assign.end()
    is_upper = name.isupper()
    is_variable = is_upper and not assign["before"] and assign["op"] == b"="
    kind = "variable" if is_variable else "assignment"
    is_bare = text[at : at + 1] not in (b'"', b"'", b"")
    if (is_bare or text[at + 1 : at + 3] in (b"${", b"{{")) and (
        default := of_other(
            text, at, name, strength, may_be_below=_may_be_below(text, start, assign)
        )
    ):
        return default
    if before := _BLOCK.match(text, at) or _DUMP.match(text, at):
        at = before.end()
    if phrase := _APP_PASSWORD.match(text, at):
        return (*phrase.span(), kind) if strength is Strength.PASSWORD else None
    if assign["op"] == b"->" and text[at : at + 1] == b"(":
        return None  # a call, in Perl
    if (assign["type"] and read_quoted(text, at) is None) or _is_refused(text, start, assign):
        return None
    if strength is Strength.PASSWORD and (words := several_words(text, start, at, assign, before)):
        return (*words, kind)
    end = _end_of_word(text, start, assign) if assign["op"] == b"=" else 0
    if end and is_value(text[at:end], BY_STRENGTH.get(strength, Certainty.KEY)):
        return at, end, kind
    if strength is Strength.PASSWORD and is_bare and (word := among_pairs(text, start, assign)):
        return (*word, kind)
    is_of_make = is_upper and assign["op"] in (b":=", b"?=")
    is_spaced = bool(assign["before"]) and assign["op"] != b":"
    is_spaced = is_spaced and not is_of_make and not PROPERTY.match(name)
    is_setting = _is_weak_setting(text, start, assign, strength) if is_spaced else None
    is_dumped = text[start - 1 : start] == b"[" and assign["op"] == b"=>"  # by PHP's print_r
    is_sure = (
        is_variable or is_dumped or (_is_sure(text, start) if is_setting is None else is_setting)
    )
    if strength is not Strength.PASSWORD and _is_made_up(text, at, name, strength, assign):
        strength = Strength.PASSWORD
    value = value_at(
        text,
        at,
        strength,
        kind,
        is_sure=is_sure,
        is_colon=assign["op"] in (b":", b"::"),
        is_certain=is_variable or (name.startswith(b"-") and not is_spaced),
    )
    return value and _without_cut_name(text, start, value)


def _is_value_below(text: bytes, start: int, assign: re.Match[bytes]) -> bool:
    """
    Whether the literal in the line below an assignment is its value.

    After a colon, as in prose and in YAML, it must be alone in its line, and farther to the right.
    In brackets it is one of several if a comma follows.
    """
    quoted = read_quoted(text, assign.end())
    if quoted is None or b"\n" in text[slice(*quoted)] or not _may_be_below(text, start, assign):
        return False
    if assign["op"] == b":":
        is_indented = assign["below"][-1:] in (b" ", b"\t")
        return is_indented and _ENDS_LITERAL.match(text, quoted[1]) is not None
    is_first = assign["below"].lstrip()[:1] == b"(" and _NEXT_ITEM.match(text, quoted[1])
    return not is_first and _GOES_ON.match(text, quoted[1]) is None


def _may_be_below(text: bytes, start: int, assign: re.Match[bytes]) -> bool:
    """Whether a value may be in the next line: not after `if password:`, which opens a block."""
    if assign["op"] != b":":
        return assign["op"] not in (b"->", b"::")
    is_key = _OPENS_KEY.search(text, max(0, start - _LONGEST_INDENT), start) is not None
    return is_key and text[assign.start() - 1 : assign.start()] != b")"


def _is_own_name(name: bytes, value: bytes) -> bool:
    """
    Whether the value spells the name, or its end: `"challengePassword"`, `SSL_TXT_PSK "PSK"`.

    As constants of programs do: `ERR_PASSWORD = "err/password"`, `RESET_PASSWORD_V2`.
    """
    plain, said = (_BETWEEN_WORDS.sub(b"", each).lower() for each in (name, value))
    if name.endswith(b"_" + value) or (plain == said and said != value):
        return True
    return _NAME_OF_FIELD.fullmatch(value) is not None and plain.endswith(said)


def _without_cut_name(text: bytes, start: int, value: Found) -> Found:
    """Return `value` without what is the name of the next pair, if the text was cut off in it."""
    first, end, kind = value
    cut = _CUT_NAME.search(text, first, end) if end == len(text) else None
    is_name = cut and (text[start - 1 : start] == b";" or cut[0][1:2].isupper())
    return (first, cut.start(), kind) if cut and is_name and cut.start() > first else value


def _is_weak_setting(text: bytes, start: int, assign: re.Match[bytes], strength: Strength) -> bool:
    """Whether a word with a number or a dash is all of `password = x`, as in a settings file."""
    is_weak = _WEAK_SETTINGS.get(strength)
    if is_weak is None or assign["op"] != b"=":
        return False
    at, end = read_bare(text, assign.end())
    return (
        is_weak(text[at:end])
        and _REST_OF_LINE.match(text, end) is not None
        and is_line_start(text, start)
    )


def _is_made_up(
    text: bytes, at: int, name: bytes, strength: Strength, assign: re.Match[bytes]
) -> bool:
    """Whether a key that signs is a word, or words none of which says what it is."""
    if strength not in (Strength.SECRET, Strength.KEY):
        return False
    if _WEAK_SECRET.search(name) and assign["op"] == b"=" and not assign["before"]:
        word = text[slice(*read_bare(text, at))]
        return b"-" not in word or _VERY_SECRET.fullmatch(word) is not None
    if assign["prefix"] == b"[]byte(":  # of Go
        return True
    quoted = read_quoted(text, at)
    value = text[slice(*quoted)] if quoted else b""
    return (
        _SIGNS.search(name) is not None
        and (_MADE_UP.fullmatch(value) is not None or _VERY_SECRET.fullmatch(value) is not None)
        and not STATE.fullmatch(value)
    )


def _end_of_word(text: bytes, start: int, assign: re.Match[bytes]) -> int:
    """
    Return where the value ends, if that is beyond where most values would: 0 if it is not.

    In `'NAME=a b(c'` it ends with the quotes, in a line with nothing but `NAME=a>b` with the line.
    """
    at = assign.end()
    bare_end = read_bare(text, at)[1]
    if text[bare_end : bare_end + 1] in _BETWEEN_PAIRS or read_quoted(text, at):
        return 0
    if text[bare_end : bare_end + 1] == b" " and CONNECTED_AFTER.match(text, bare_end):
        return 0
    opening = text[start - 1 : start]
    if opening in (b'"', b"'"):
        before = text[max(0, start - 8) : start - 1]
        depth = len(before) - len(before.rstrip(b"\\"))
        string = read_quoted(text, start - 1 - depth)
        end = string[1] if string else 0
        if end > at + _LONGEST_WORD or _BREAK.search(text, at, end):
            return 0
        return end if end > bare_end and not is_call(text[at:end]) else 0
    if assign["before"] or assign["after"] or not is_line_start(text, start):
        return 0
    word = _IN_LINE.match(text, at, at + _LONGEST_WORD)
    if not word or not LINE_END.match(text, word.end()) or _ENDS_CODE.search(word[0]):
        return 0
    end = at + len(_TAG.split(word[0], maxsplit=1)[0].rstrip(b"\"'`)]},;"))
    return end if end > bare_end or _OPENING.search(text, at, end) else 0


def _is_refused(text: bytes, start: int, assign: re.Match[bytes]) -> bool:
    """Whether it only looks like an assignment."""
    at = assign.end()
    if assign["below"] and not _is_value_below(text, start, assign):
        return True
    if text[start - 1 : start] in (b'"', b"'") and text[at : at + 1] == text[start - 1 : start]:
        before = text[assign.start() - 1 : assign.start()]
        is_long = text[start - 3 : start] in (b'"""', b"'''")
        if before not in (b'"', b"'", b"]", b")") and not is_long:
            return True  # a string that ends there: `"password: "`
    # In a shell, `NAME=a.b || exit` has no blank there.
    is_spaced = assign["before"] or text[at - 1 : at] != b"="
    if (is_spaced and _CHOSEN.match(text, at)) or _OF_STATEMENT.match(text, at):
        return True
    if text[start - 1 : start] == b":" and _ARN.search(text, max(0, start - 90), start):
        return True  # `arn:aws:secretsmanager:eu-west-1:123:secret:NAME`
    if text[start - 2 : start] == b"${" and text[at : at + 1] in (b"?", b"+", b"="):
        return True  # what a shell does without a value
    if assign["op"] == b"=" and text[at - 1 : at] == b"=" and _COMMAND.match(text, at):
        return True  # the output of a command, in a shell
    if _is_expression(text, at, assign["prefix"]):
        return True
    if assign["prefix"] in _FORMATTED and (quoted := read_quoted(text, at)):
        rest = _INSIDE.sub(b"", text[slice(*quoted)])  # auth = f"Basic {encoded(x)}"
        has_call = _CALL_INSIDE.search(text, *quoted) is not None
        return has_call and not is_value(rest, Certainty.SETTING)
    return assign["op"] == b"or" and not _is_default(text, start, assign)


def _is_expression(text: bytes, at: int, prefix: bytes) -> bool:
    """Whether it is a regular expression: `/[a-z]+/`, or `r"[a-z]+"` of Python."""
    regex = _REGEX.match(text, at)
    span = regex.span() if regex else read_quoted(text, at) if prefix in _RAW else None
    return span is not None and _EXPRESSION.search(text, *span) is not None


def _is_default(text: bytes, start: int, assign: re.Match[bytes]) -> bool:
    """Whether it is `get("NAME") or "x"`, `args.name or "x"`, and not `y in NAMES or "x" in z`."""
    before = text[max(0, start - _LONGEST_OPERAND) : start]
    is_operand = (
        text[assign.start() - 1 : assign.start()] in (b")", b"]")
        or b"." in text[start : assign.start()]
        or _OPERAND.search(before)
    )
    quoted = read_quoted(text, assign.end())
    return bool(is_operand) and not (quoted and _COMPARED.match(text, quoted[1]))


def _is_sure(text: bytes, start: int) -> bool:
    """Whether what is before a name says that it is a setting, not a piece of a program."""
    return (
        text[start - 1 : start] in (b";", b"&", b"?", b"-", b'"', b"'")
        or text[start : start + 1] == b"-"
        or is_line_start(text, start)
    )
