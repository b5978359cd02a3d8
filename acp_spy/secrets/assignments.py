"""
The grammar of an assignment: a secret's name, what is between, and the value.

One grammar for all languages: `NAME=x`, `name: x`, `"name": "x"`, `name := "x"`, `name => 'x'`,
`const char *name = "x"`, `name: &str = "x"`, `<name>x</name>`, `name="x"`, `put("name", "x")`,
`{"name": "NAME", "value": "x"}`, `--name x`, `Name [None]: x`, `name: |`, and all of these in a
string, after a line number, in a diff, or in color. The expression finds the name; what follows is
read by hand, since it depends on what is before.
"""

import re
from collections.abc import Iterable, Iterator

from acp_spy.secrets.secret_names import Strength, strength_of, takes_secret
from acp_spy.secrets.shape import Found, compiled
from acp_spy.secrets.values import Certainty, is_call, is_value, read_bare, read_quoted

# By the first letter of the word that makes it a secret's name, with the keywords for each: so only
# those are searched for that are in a line. Not (?i): without a set of first letters the search
# is five times slower. `tokens` are counted in every turn, so what follows `token` counts.
_STEMS = (
    (
        r"[pP](?:ass|ASS|wd|WD|[wW](?![A-Za-z])|sk(?![a-z])|SK(?![A-Z])|AT(?![A-Za-z])|at(?![A-Za-z])|IN(?![A-Za-z]))",
        (
            *(
                "pass",
                "Pass",
                "PASS",
                "pwd",
                "Pwd",
                "PWD",
                "_pw",
                "_PW",
                "pw=",
                " pw ",
                " pw:",
                "pw is ",
                "pw for ",
                "$pw",
            ),
            *("psk", "PSK", "_PAT", "-pat ", "-pat=", "_pat=", "_pat:", '_pat"', "PIN"),
        ),
    ),
    (
        r"[sS](?:ecret|ECRET|eed|EED|alt|ALT|enha|ENHA)",
        ("ecret", "ECRET", "seed p", "Seed", "SEED", "_salt", "SALT", "enha", "ENHA"),
    ),
    (
        r"[tT](?:oken|OKEN|otp|OTP)",
        (
            *(f"oken{after}" for after in ("=", ":", " ", '"', "'", "`", "\\", "\t", "_", "*")),
            *(
                "oken>",
                "oken<",
                "oken[",
                "oken(",
                "oken,",
                "oken%",
                "oken-",
                "OKEN",
                "totp",
                "TOTP",
            ),
        ),
    ),
    (
        r"[kK](?:ey|EY|ennwort)",
        (
            *("_key", "_Key", "_KEY", "-key", "-Key", "-KEY", " key", " Key", "PIKEY", "pikey"),
            *("piKey", "ssKey", "sskey", "teKey", "thKey", "ngKey", "onKey", "edKey", "ennwort"),
        ),
    ),
    (
        r"[aA](?:uth|UTH)",
        ("uthoriz", "UTHORIZ", "_AUTH", "_auth", "-auth", "uthCode", "uth_code"),
    ),
    (
        r"[cC](?:red|RED|ontrase(?:\xc3\xb1a)?|ONTRASE(?:\xc3\x91A)?|ookie|OOKIE)",
        (
            "Credential",
            "REDENT",
            "_credential",
            "credentials=",
            "\u00f1",
            r"\u00f1",
            "ONTRASE",
            "ookie",
            "OOKIE",
        ),
    ),
    (r"[jJ](?:wt|WT)", ("jwt", "JWT", "Jwt")),
    (r"[hH](?:mac|MAC(?=[=:]))", ("hmac=", 'hmac"', "hmac'", "hmac\\", "hmac:", "HMAC=", "HMAC:")),
    (r"[mMdD](?:nemonic|NEMONIC|evice_code)", ("mnemonic=", "Mnemonic", "NEMONIC", "evice_code")),
)
_REST = r"[\w-]{0,64}(?:\.[\w-]{1,40}){0,4}(?=[\s\"'`:=\\\])<>,%&*|\x1b(?\[]|->)"
NAMES = tuple(((stem + _REST).encode(), keywords) for stem, keywords in _STEMS)
_LONGEST_NAME = 64
_DASH = b"-"[0]
_LONGEST_IN_BRACES = 200
_LEAST_IN_SENTENCE = 16  # of a key
_LONGEST_LINE_START = 120
_LONGEST_WORD = 200
_BETWEEN_PAIRS = (b"&", b";", b",", b"%", b"\\")
_ENDS_CODE = re.compile(rb"[\[(][^\[(]*[\])][,;]*$|[\[(,]$")  # `f(x)`, and `f(x,` in several lines
_OPENING = re.compile(rb"[\[(]")
_IN_LINE = re.compile(rb"(?:[^\s\\\x1b\0]|\\(?![nrt\s]|\Z))*+")
_MOST_IN_RUN = 16  # names without a blank or a quote between them, as in `a=token=b=token=`
_IN_NAMES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_COLOR = rb"(?:\x1b\[[0-9;]*[mK]|\\(?:x1b|u001b|033|e)\[[0-9;]*[mK])*+"
_QUOTE = rb"(?:\\{0,7}[\"'`]|&quot;|&apos;|&\#(?:0?3[49]|[xX]2[27]);|%22|\\u0022)"
_CLOSE = re.compile(rb"(?:%b|\]|\)|\[[0-9]{0,5}\]|\x1b\[[0-9;]*m|\*\*){0,4}+" % _QUOTE)
_PAIR = re.compile(
    rb"\s*+(?:[,;]\s*+)?(?:- )?%b?"
    rb"(?:value|Value|VALUE|ParameterValue|currentValue|secretString|content(?==))"
    rb"%b?\s*+[:=]\s*+" % (_QUOTE, _QUOTE)
)
_COMMAND = re.compile(rb"`[^`\r\n]{0,400}?[ \t][^`\r\n]{0,400}`")
_DEFAULT = re.compile(
    rb"\s*+(?::\s*+)?\{[^{}]{0,200}?\bdefault%b?\s{0,80}[=:]\s*+(?=%b)" % (_QUOTE, _QUOTE)
)
_DESCRIBED = re.compile(rb":\r?\n-{3,8}\r?\n(?=\S)")  # of a ConfigMap
_TYPE = (
    rb"(?:[ \t]{0,3}:[ \t]{0,3}(?:(?:&?'static|\[\]const)\s)?[&*]?[A-Za-z_][\w.]{0,40}"
    rb"(?:[<\[][\w., <\[]{0,40}[\]>]{1,2})?\??(?:[ ]?\|[ ]?\w+)?"
    rb"(?=[ \t]*=[ \t]*(?:[bru@]?[\"'`]|Secret\w{0,8}\(|[fF]ield\())"
    rb"|[ \t]{1,3}(?:[Aa]s[ \t]{1,3})?[*]?[A-Za-z_][\w.]{0,40}(?=[ \t]{1,3}=[ \t]{0,3}[\"'`]))?"
)
_ASSIGN = re.compile(
    rb"(?P<type>%b)(?P<before>[ \t]*)%b(?P<op>:=|=>|->|[?+]=|::|=(?![=~>])|:(?![:])"
    rb"|%%(?:25)?3[dDaA]|(?:\|\||\?\?|\bor\b)(?= ?[\"'`])|"
    rb"\\u003[dDaA]|&\#61;)%b(?:\*\*)?(?P<after>(?:[ \t]|%%20)*+)%b"
    rb"(?P<prefix>(?:[bruBRUfLN@$*]{0,2}|"
    rb"(?:new )?(?:Secret(?:Str|String|Bytes)?|Sensitive|String|str|bytes|Buffer|Some|std)"
    rb"(?:(?:::|\.)(?:from|new|string))?\(\s{0,40}|\[\]byte\(|string ?\| ?\*|[fF]ield\("
    rb"(?:default=)?|<<)(?=[\"']))?" % (_TYPE, _COLOR, _COLOR, _COLOR)
)
_BLOCK = re.compile(rb"[|>][-+]?[ \t]*+(?:\r?\n)[ \t]++")
_DUMP = re.compile(rb"\s*+string\(\d+\) ")  # of PHP's var_dump
_ELEMENT = re.compile(
    rb"(?:(?:[ ][^<>\n]{0,80})?(?:>|&gt;)|</[\w:]{1,20}>)\s*(?:<[A-Za-z:]{1,20}(?: [^<>\n]{0,60"
    rb"})?>)?(?=[^\s<&])"
)
_IN_ELEMENT = re.compile(
    rb"(?:[^<&\r\n]|&(?:amp|lt(?!;/)|gt|quot|apos|\#x?[0-9A-Fa-f]{1,6});){1,400}"
)
_FORM_PART = re.compile(rb"(?:\r?\n[^\r\n]{1,200}){0,2}\r?\n\r?\n(?=\S)")  # of multipart/form-data
# Also the next line of a reply of redis-cli, which numbers them.
_ARGUMENT = re.compile(
    rb"(?:[ \t]*+,\s*+|[ \t]++|\r?\n[ \t]{0,4}[0-9]{1,4}\) )[bruL@]?(?=%b)" % _QUOTE
)
_LIST = re.compile(
    rb"%b?[ \t]{0,4}[:=][ \t]{0,4}(?:\[\s{0,40}(?=%b)|\n[ \t]{0,40}- )" % (_QUOTE, _QUOTE)
)
_NEXT_ITEM = re.compile(rb"%b?(?:[ \t]{0,4},\s{0,40}(?=%b)|\n[ \t]{0,40}- )" % (_QUOTE, _QUOTE))
_CHANGE = re.compile(rb"\\{0,3}[\"'][ \t]{1,4}->[ \t]{1,4}(?=\\{0,3}[\"'])")  # of terraform plan
_IS_NAME = re.compile(rb"%b\s*+:" % _QUOTE)  # the next name of an object, not an argument
_TUPLE = re.compile(rb"[ \t]*+,\s*+(?:<<)?(?=\")")  # of Erlang: {pass, <<"x">>}
_CALL = re.compile(rb"\(\s{0,4}(?=[\"'`])")  # setPassword("x")
_BLANK = re.compile(rb"[ \t]++(?:=[ \t]++|\|[ \t]++)?")
_NEXT_LINE = re.compile(rb"\"?\r?\n[ \t]{0,40}- ")  # of a list of words in YAML
# `the password for x is set to y`, and `password for x: y`
_SAID = re.compile(
    rb"(?: (?:for|of|to) [^\n.:=]{1,40}?)?[ \t]{0,40}(?:(?:is |was |now |has been )?"
    rb"(?:set|changed|reset) to|will be|is|was|to|=|ist|lautet|est|es)[: ][ \t]*+(?:\*\*)?" + _COLOR
)
_PROMPT = re.compile(
    rb"(?:(?: [0-9]{1,2}| [(\[][^()\[\]\n]{0,24}[)\]]| ['\"]?(?:fo"
    rb"r|of|is|has|generated|from|to)\b[^\n]{0,80}?['\"]?):[ \t]+|:[ \t]+)(?:\*\*)?" + _COLOR
)
# In a line of its own, after one that ends with a colon.
_FENCE = rb"(?:```[\w-]{0,16}[ \t]*+\r?\n[ \t]*+|`)?"
_BELOW = re.compile(
    rb"(?: [^\n:=]{1,80})?:(?:\*\*)?[ \t]*+(?:\r?\n[ \t]*+){1,3}%b"
    rb"(?=[\w+/=-]{16,128}`?[ \t]*+(?:\r?\n|\Z))" % _FENCE
)
# In a line of its own, after one that ends with `password:`. No statement, no prompt of a shell.
_TYPED_BELOW = re.compile(
    rb":[ \t]*+\r?\n[ \t]*+"
    rb"(?=[^\s{}()\[\]<>=:\"'`]{6,64}(?<![$#%,;.])[ \t]*+(?:\r?\n|\Z))"
)
# The same further below, as a person or a model writes it: `The password for x is:`.
_SAID_BELOW = re.compile(
    rb"(?: (?:for|of|to) [^\n.:=]{1,40}?)?(?: (?:is|was|will be))?:(?:\*\*)?[ \t]*+"
    rb"(?:\r?\n[ \t]*+){1,2}%b(?=[^\s{}()\[\]<>=:\"'`]{6,64}(?<![,;.])`?[ \t]*+(?:\r?\n|\Z))"
    % _FENCE
)
_CONDITION = re.compile(rb"(?:\b(?:if|elif|while|case|not|and|or|in|when|unless) |[(!.&|])$")
# The edge of a table; of two columns without a head, the first has names.
_EDGE = rb"(?:\||\xe2\x94[\x82\x83])"
_ROW_START = re.compile(rb"(?:^|[\r\n]|\\[nr])[ \t]*+%b[ \t]*+$" % _EDGE)
_ROW_MIDDLE = re.compile(rb"[ \t]*+%b[ \t]*+" % _EDGE)
_ROW_END = re.compile(rb"[ \t]*+%b[ \t]*+(?:[\r\n]|\\[nr]|$)" % _EDGE)
_BEFORE_BLANK = re.compile(
    rb"[^\s()\[\]{}<>\"'`,;&|\\\x1b\0]{3,200}+(?=[)}]?[,.]?(?:[\s\x1b]|\\[nr]|$))"
)
_CONNECTION = (
    rb"(?:host|hostname|hostaddr|server|port|user|username|uid|login|email|dbname|db|database"
    rb"|sslmode)=[^\s=,()\"']{1,80}"
)
_ADDRESS = re.compile(
    rb"[=:] ?(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[\w.+-]{1,40}@[\w-]{1,40}\.[a-z])"
    rb"|(?m:^)[0-9]{4}-[0-9]{2}-"
)
_CONNECTED_BEFORE = re.compile(rb"(?:^|[\s(:{\"'])%b,? $" % _CONNECTION)
_WEAK_WORD = re.compile(rb"[A-Za-z]?[a-z]{5,40}|[A-Z]{6,40}")
_STATE = re.compile(
    rb"[A-Za-z]{2,20}(?:ed|ing)|(?i:given|present|absent|set|same|correct|hash|function|lambda"
    rb"|await|request|default|variable|anything|something|nothing|whatever|example|literal)"
)
_DECLARED_BEFORE = re.compile(
    rb"(?:^|[\s;({])(?:const|let|var|val|my|our|final|static|auto|char|def|where|and|or|if|set"
    rb"|by|[Ss]tring) $"
)
_CONNECTED_AFTER = re.compile(rb" %b" % _CONNECTION)
_SCHEME = re.compile(
    rb"(?:(?i:bearer|basic|token|apikey|ssws|digest|negotiate|geniekey|bot|aws4-hmac-sha256)[ ]"
    rb"+(?=[^\s\"'])|base64:|django-insecure-)"
)
_LINE_START = re.compile(
    rb"(?:^|[\n\r\0]|\\[nr])[ \t]*(?:[-+>*#][ \t]*"
    rb"|[0-9]{1,6}[ \t]*(?:[:|]|\xe2\x86\x92|\xe2\x94\x82)?[ \t]*|["
    rb"\w./-]{1,80}:(?:[0-9]{1,6}:)?[ \t]*"
    rb"|//[ \t]*|export[ ]+|set[ ]+|declare[ ][-\w ]*|local[ ]+|readonly[ ]+|env[ ]+|ENV[ ]+|AR"
    rb"G[ ]+|-[ ]+|[\"'`{(]+)*+$"
)
_LINE_END = re.compile(rb"[\"'`]?[ \t]*+(?:[#;\r\n\x1b\0]|\\[nr]|$)|[ \t]++//")
_WORDS_BEFORE = re.compile(rb"(?:[A-Za-z]{2,20} ){1,3}$")
_TYPED = re.compile(rb"(?:[^\s\\\x1b]|\\(?![nrt\s]|\Z))*+")
_END_OF_CALL = re.compile(rb"[\"'`]\)")
_BREAK = re.compile(rb"[\r\n\\]")
_APP_PASSWORD = re.compile(rb"[a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4}(?![a-z])")
_PHRASE = re.compile(rb"(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}\b")
_DIGITS = re.compile(rb"[0-9]{4,8}")
_NEXT_OPTION = re.compile(rb"[ \t]++-|[ \t]*+\\?[\r\n]")
_FEW_WORDS = re.compile(
    rb"[^\s\"'`:=(){}\[\]<>|,;#\\]{2,20}(?: [^\s\"'`:=(){}\[\]<>|,;#\\]{1,20}){1,2}"
    rb"(?=[ \t]*(?:\r?\n|$))"
)
_ODD = re.compile(rb"[0-9!$%&*^~?]")
# Made up by hand more often than not: `JWT_SECRET=supersecret`.
_WEAK_SECRET = re.compile(
    rb"(?:^|(?:^|_)(?:JWT|SESSION|AUTH|NEXTAUTH|APP|API|COOKIE|TOKEN|WEBHOOK|SIGNING|HMAC)_)SECRET$"
)
_LETTERS = re.compile(rb"[A-Za-z_]+")
_CELL = re.compile(rb"(?:[^\s|\\\xe2]|\\(?![nr]))++")


def has_secret_name(names: bytes, raw: bytes) -> bool:
    """Whether there is the name of a secret in a line, in which strings are still escaped."""
    return any(
        _named(raw, match)[2] is not Strength.NONE for match in compiled(names).finditer(raw)
    )


def _named(text: bytes, match: re.Match[bytes]) -> tuple[int, bytes, Strength]:
    """Return where the name begins in which `match` is, the name, and what it says."""
    start = match.start()
    before = text[max(0, start - _LONGEST_NAME) : start]
    prefix = before[len(before.rstrip(_IN_NAMES)) :]
    if prefix[:1] in (b"n", b"r", b"t") and before[: len(before) - len(prefix)].endswith(b"\\"):
        prefix = prefix[1:]  # of `\n`, in a repr
    name = (prefix + match[0]).rstrip(b".-")
    strength = strength_of(name.lstrip(b"-.").decode("latin-1"))
    if strength is Strength.NONE:
        strength = _strength_of_words(before[: len(before) - len(prefix)], name)
    if strength is Strength.NONE and name.startswith(b"-") and takes_secret(name.decode("latin-1")):
        strength = Strength.KEY
    return start - len(prefix), name, strength


def find_assignments(text: bytes, names: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """
    Give the values whose `names` were found, each as start, end and kind.

    Of many names in one run of characters only the first are asked about: all that follows is the
    value of each of them, and to read it again for every one took seconds. So did lists whose items
    look like the name of a list: what is in a list begins none, unless it is the last item.
    """
    run_end = in_run = read_to = 0
    for match in names:
        if match.start() >= run_end:
            run_end, in_run = read_bare(text, match.end())[1], 0
        in_run += 1
        if in_run > _MOST_IN_RUN:
            continue
        start, name, strength = _named(text, match)
        if strength is not Strength.NONE:
            value = _read(text, start, start + len(name), name, strength)
            if not value and start >= read_to:
                items, read_to = _in_list(text, start + len(name), strength)
                yield from items
            elif value:
                yield value
                if change := _CHANGE.match(text, value[1]):
                    new = _value(text, change.end(), strength, "assignment", is_sure=True)
                    if new:
                        yield new


def _strength_of_words(before: bytes, name: bytes) -> Strength:
    """Return that of a name of several words: `Secret Access Key`, `mot de passe`."""
    if name.lower() not in (b"key", b"passe", b"token", b"phrase") or not (
        words := _WORDS_BEFORE.search(before[-60:])
    ):
        return Strength.NONE
    if name == b"passe":
        return Strength.PASSWORD if words[0].lower().endswith(b"mot de ") else Strength.NONE
    return strength_of((words[0].replace(b" ", b"_") + name).decode("latin-1"))


def _read(text: bytes, start: int, end: int, name: bytes, strength: Strength) -> Found | None:
    close = _CLOSE.match(text, end)
    assert close is not None
    at = close.end()
    if strength is Strength.PHRASE:
        phrase = _PHRASE.search(text, at, at + 300)
        return (*phrase.span(), "mnemonic") if phrase and phrase.start() - at < 12 else None
    for between in (_PAIR, _DEFAULT, _DESCRIBED):
        if found := between.match(text, at):
            return _value(text, found.end(), strength, "assignment", is_sure=True)
    if assign := _ASSIGN.match(text, at):
        below = _below(text, start, at, strength) if text[at : at + 1] == b":" else None
        return below or _assigned(text, start, name, strength, assign)
    if call := _CALL.match(text, at):
        in_call = Certainty.SETTING if strength is Strength.PASSWORD else Certainty.CODE
        return _value(text, call.end(), strength, "assignment", certainty=in_call)
    is_tag = text[start - 1 : start] in (b"<", b":") or text[start - 4 : start] in (
        b"&lt;",
        b"Key>",
        b"key>",
    )
    is_attribute = bool(close[0]) and text[start - 1 : start] in (b'"', b"'")
    if (is_tag or is_attribute) and (element := _ELEMENT.match(text, at)):
        return _in_element(text, element.end(), strength)
    if (
        text[start : start + 1] == b"-"
        and name.lstrip(b"-")
        and (blank := _BLANK.match(text, at) or _NEXT_LINE.match(text, end))
    ):
        if text[blank.end() : blank.end() + 1] == b"-":
            return None
        certainty = Certainty.SETTING if strength is Strength.KEY else None
        is_certain = _NEXT_OPTION.match(text, read_bare(text, blank.end())[1]) is not None
        return _value(
            text,
            blank.end(),
            strength,
            "option",
            is_sure=True,
            certainty=certainty,
            is_certain=is_certain or read_quoted(text, blank.end()) is not None,
        )
    if (close[0] and (argument := _ARGUMENT.match(text, at))) or (
        text[start - 1 : start] == b"{" and (argument := _TUPLE.match(text, at))
    ):
        in_list = Certainty.CODE if text[start - 3 : start - 1] == b", " else None
        value = _value(
            text, argument.end(), strength, "assignment", is_sure=True, certainty=in_list
        )
        is_one = value and text[value[0]] != _DASH and not _IS_NAME.match(text, value[1])
        return value if is_one else None  # not the option of a program: `"htpasswd", "-nb"`
    return _after_blank(text, start, at, name, strength)


def _in_list(text: bytes, end: int, strength: Strength) -> tuple[list[Found], int]:
    """
    Return the values of a list, and where its last item begins: `["x", "y"]`, or lines after `-`.

    A list of `secrets` may be one of their names, as in Docker Compose, and so may one with an item
    that is no secret: what follows must look random.
    """
    certainty = Certainty.KEY if strength is Strength.SECRET else None
    values: list[Found] = []
    at = end
    item = _LIST.match(text, end)
    while item:
        at = item.end()
        value = _value(text, at, strength, "assignment", is_sure=True, certainty=certainty)
        if value:
            values.append(value)
        else:
            certainty = Certainty.KEY
        item = _NEXT_ITEM.match(text, value[1] if value else _read_value(text, at, "assignment")[1])
    return values, at


def _after_blank(text: bytes, start: int, at: int, name: bytes, strength: Strength) -> Found | None:
    """Return the value in a sentence, after a prompt, or in a file that has only blanks between."""
    if below := _below(text, start, at, strength):
        return below
    if (row := _ROW_MIDDLE.match(text, at)) and (
        cell := _in_row(text, start, row.end(), name, strength)
    ):
        return cell
    if text[start - 6 : start] == b'name="' and (part := _FORM_PART.match(text, at)):
        return _value(text, part.end(), strength, "assignment", is_sure=True)
    prompts = list(filter(None, (_SAID.match(text, at), _PROMPT.match(text, at))))
    for prompt in prompts:
        is_sure = _ends_line(text, prompt.end()) and strength is not Strength.KEY
        certainty = Certainty.SETTING if is_sure else Certainty.SENTENCE
        if value := _value(text, prompt.end(), strength, "prompt", certainty=certainty):
            return value
    if not prompts and (blank := _BLANK.match(text, at)):
        certainty = _certainty_after(text, start, blank, name, strength)
        return _value(text, blank.end(), strength, "assignment", certainty=certainty)
    return None


def _certainty_after(
    text: bytes, start: int, blank: re.Match[bytes], name: bytes, strength: Strength
) -> Certainty:
    """Return how sure it is that what follows a name and a `blank` is its value."""
    if name == b"PASSWORD" and text[blank.end() : blank.end() + 1] == b"'":
        return Certainty.PASSWORD  # of SQL
    if strength is Strength.PASSWORD and _is_line_start(text, start):
        if (quoted := read_quoted(text, blank.end())) and _ends_line(text, quoted[1] + 1):
            return Certainty.PASSWORD  # keyPassword 'x'
        if _ends_line(text, blank.end()):
            is_column = len(blank[0]) > 1 or b"\t" in blank[0]
            return Certainty.PASSWORD if is_column else Certainty.SETTING
    is_variable = name.isupper() and strength is Strength.KEY
    return Certainty.KEY if is_variable else Certainty.SENTENCE


def _below(text: bytes, start: int, at: int, strength: Strength) -> Found | None:
    """Return the value in a line below one that ends with `password:` or `The API key is:`."""
    if below := _BELOW.match(text, at):
        return _value_below(text, below.end(), strength, Certainty.KEY)
    if strength is not Strength.PASSWORD or _CONDITION.search(text[max(0, start - 10) : start]):
        return None
    if below := _TYPED_BELOW.match(text, at):
        return _value_below(text, below.end(), strength, Certainty.SETTING)
    if below := _SAID_BELOW.match(text, at):
        return _value_below(text, below.end(), strength, Certainty.SENTENCE)
    return None


def _value_below(text: bytes, at: int, strength: Strength, certainty: Certainty) -> Found | None:
    return _value(text, at, strength, "prompt", certainty=certainty)


def _in_row(text: bytes, start: int, at: int, name: bytes, strength: Strength) -> Found | None:
    """Return the value in a row of two columns: `| DB_PASSWORD | x |`."""
    before = text[max(0, start - _LONGEST_LINE_START) : start]
    word = _CELL.match(text, at)
    if not _ROW_START.search(before) or word is None or not _ROW_END.match(text, word.end()):
        return None
    certainty = _BY_STRENGTH[strength]
    if certainty is Certainty.PASSWORD and not name.isupper():
        certainty = Certainty.SETTING  # `| password | Passwort |`
    return (*word.span(), "table") if is_value(word[0], certainty) else None


def _ends_line(text: bytes, at: int) -> bool:
    """Whether only one word follows in the line."""
    _, end = read_bare(text, at)
    return _LINE_END.match(text, end) is not None


def _assigned(
    text: bytes, start: int, name: bytes, strength: Strength, assign: re.Match[bytes]
) -> Found | None:
    at = assign.end()
    is_variable = name.isupper() and not assign["before"] and assign["op"] == b"="
    kind = "variable" if is_variable else "assignment"
    if block := _BLOCK.match(text, at):
        at = block.end()
    elif dump := _DUMP.match(text, at):
        at = dump.end()
    if phrase := _APP_PASSWORD.match(text, at):
        return (*phrase.span(), kind) if strength is Strength.PASSWORD else None
    if (assign["type"] and read_quoted(text, at) is None) or _is_refused(text, start, assign):
        return None
    if strength is Strength.PASSWORD and (words := _words_to_line_end(text, start, at)):
        return (*words, kind)
    end = _end_of_word(text, start, assign) if assign["op"] == b"=" else 0
    if end and is_value(text[at:end], _BY_STRENGTH.get(strength, Certainty.KEY)):
        return at, end, kind
    if (
        strength is Strength.PASSWORD
        and (text[start - 2 : start] not in (b", ", b"( ") or _is_log(text, start))
        and (text[start - 1 : start] == b" " or text[start - 2 : start] == b" (")
        and text[at : at + 1] not in (b'"', b"'", b"")
        and (word := _in_line(text, start, assign))
    ):
        return (*word, kind)
    is_spaced = bool(assign["before"]) and assign["op"] != b":"
    if name.isupper() and assign["op"] in (b":=", b"?="):  # of make
        is_spaced = False
    is_sure = is_variable or (not is_spaced and _is_sure(text, start))
    if is_variable and _WEAK_SECRET.search(name) and b"-" not in text[at : read_bare(text, at)[1]]:
        strength = Strength.PASSWORD
    return _value(
        text,
        at,
        strength,
        kind,
        is_sure=is_sure,
        is_colon=assign["op"] in (b":", b"::"),
        is_certain=is_variable or (name.startswith(b"-") and not is_spaced),
    )


def _is_log(text: bytes, start: int) -> bool:
    """Whether an address without quotes is before it in the line, or a date begins it."""
    first = max(0, start - _LONGEST_LINE_START)
    first = max(first, text.rfind(b"\n", first, start) + 1)
    return _ADDRESS.search(text, first, start) is not None


def _in_line(text: bytes, start: int, assign: re.Match[bytes]) -> tuple[int, int] | None:
    """
    Return the value of `name=x` in the middle of a line, with blanks around as no program has it.

    Next to `user=` or `host=` it is the setting of a connection, and may be any word; elsewhere a
    word of one case, as no variable with a telling name is.
    """
    if (word := _BEFORE_BLANK.match(text, assign.end())) is None or assign[0] != b"=":
        return None
    before = text[max(0, start - _LONGEST_LINE_START) : start]
    is_connection = _CONNECTED_BEFORE.search(before) or _CONNECTED_AFTER.match(text, word.end())
    value = word[0].rstrip(b".:")  # of the sentence
    is_word = _WEAK_WORD.fullmatch(value) and not _DECLARED_BEFORE.search(before)
    certainty = Certainty.PASSWORD if is_connection or is_word else Certainty.SETTING
    if certainty is Certainty.PASSWORD and _STATE.fullmatch(value):
        return None
    if not is_value(value, certainty, is_bare=True):
        return None
    return word.start(), word.start() + len(value)


def _end_of_word(text: bytes, start: int, assign: re.Match[bytes]) -> int:
    """
    Return where the value ends, if that is beyond where most values would: 0 if it is not.

    In `'NAME=a b(c'` it ends with the quotes, in a line with nothing but `NAME=a>b` with the line.
    """
    at = assign.end()
    bare_end = read_bare(text, at)[1]
    if text[bare_end : bare_end + 1] in _BETWEEN_PAIRS or read_quoted(text, at):
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
    if assign["before"] or assign["after"] or not _is_line_start(text, start):
        return 0
    word = _IN_LINE.match(text, at, at + _LONGEST_WORD)
    if not word or not _LINE_END.match(text, word.end()) or _ENDS_CODE.search(word[0]):
        return 0
    end = at + len(word[0].split(b"</", 1)[0].rstrip(b"\"'`)]},;"))
    return end if end > bare_end or _OPENING.search(text, at, end) else 0


def _is_refused(text: bytes, start: int, assign: re.Match[bytes]) -> bool:
    """Whether it only looks like an assignment."""
    at = assign.end()
    if text[start - 1 : start] in (b'"', b"'") and text[at : at + 1] == text[start - 1 : start]:
        before = text[assign.start() - 1 : assign.start()]
        is_long = text[start - 3 : start] in (b'"""', b"'''")
        if before not in (b'"', b"'", b"]", b")") and not is_long:
            return True  # a string that ends there: `"password: "`
    if text[start - 2 : start] == b"${" and text[at : at + 1] in (b"?", b"+", b"="):
        return True  # what a shell does without a value
    if assign["op"] == b"=" and text[at - 1 : at] == b"=" and _COMMAND.match(text, at):
        return True  # the output of a command, in a shell
    # `x in NAMES or "y" in z`, and not `environ.get("NAME") or "default"`.
    return assign["op"] == b"or" and text[assign.start() - 1 : assign.start()] not in (b")", b"]")


def _words_to_line_end(text: bytes, start: int, at: int) -> tuple[int, int] | None:
    """Return a password of several words without quotes, which ends with its line."""
    found = _FEW_WORDS.match(text, at)
    if (
        found is None
        or not _ODD.search(found[0])
        or not is_value(found[0], Certainty.PASSWORD)
        or not _is_line_start(text, start)
    ):
        return None
    return found.span()


def _is_line_start(text: bytes, start: int) -> bool:
    first = max(0, start - _LONGEST_LINE_START)
    line = text[max(first, text.rfind(b"\n", first, start) + 1) : start]
    return _LINE_START.search(line) is not None


def _is_sure(text: bytes, start: int) -> bool:
    """Whether what is before a name says that it is a setting, not a piece of a program."""
    return (
        text[start - 1 : start] in (b";", b"&", b"?", b"-", b'"', b"'")
        or text[start : start + 1] == b"-"
        or _is_line_start(text, start)
    )


def _value(
    text: bytes,
    at: int,
    strength: Strength,
    kind: str,
    *,
    is_sure: bool = False,
    is_colon: bool = False,
    certainty: Certainty | None = None,
    is_certain: bool = False,
) -> Found | None:
    """
    Return the value that begins at `at`, if it is one.

    With `is_certain`, a variable or an option is before it: even a plain word is a password.
    """
    start, end, quoted = _read_value(text, at, kind)
    value = text[start:end]
    if strength is Strength.PIN:
        return (start, end, kind) if _DIGITS.fullmatch(value) else None
    following = text[end : end + 1]
    if not quoted and following in (b"(", b"["):
        return None
    if certainty is None:
        certainty = _BY_STRENGTH[strength]
        is_whole = _LINE_END.match(text, end) is not None
        is_closed = is_sure and (is_whole or following in (b";", b"&", b" ", b'"', b"'"))
        is_name = (
            _LETTERS.fullmatch(value)
            and not is_certain
            and not (is_whole and (not is_colon or value[:1].islower()))
        )
        if not quoted and certainty is not Certainty.KEY and (is_name or not is_closed):
            certainty = Certainty.CODE
    elif certainty is Certainty.SENTENCE:
        if strength is Strength.KEY and len(value) < _LEAST_IN_SENTENCE:
            return None
        if value[:1] == b"[":  # how a program is called: `htpasswd [-cimB25dpsDv]`
            return None
        if quoted and strength is Strength.PASSWORD:
            certainty = Certainty.SETTING
    is_one = is_value(
        value, certainty, is_bare=not quoted, may_be_phrase=is_certain and quoted is not None
    )
    return (start, end, kind) if is_one else None


def _read_value(text: bytes, at: int, kind: str) -> tuple[int, int, bool]:
    """Return where a value is, without quotes and without `Bearer` and the like."""
    quoted = read_quoted(text, at)
    start, end = quoted or (_read_word(text, at) if kind == "prompt" else read_bare(text, at))
    if scheme := _SCHEME.match(text, start):
        start = scheme.end()
        if not quoted:
            start, end = read_bare(text, start)
    if not quoted and (braces := _read_braces(text, start)):
        start, end = braces
    return start, end, quoted is not None


def _read_braces(text: bytes, start: int) -> tuple[int, int] | None:
    """Return what is in the braces of ODBC: `PWD={a}}b}`."""
    if text[start : start + 1] != b"{" or text[start + 1 : start + 2] in (
        b"{",
        b'"',
        b"'",
        b"\\",
        b"",
    ):
        return None
    end = text.find(b"}", start, start + _LONGEST_IN_BRACES)
    while end >= 0 and text[end + 1 : end + 2] == b"}":
        end = text.find(b"}", end + 2, start + _LONGEST_IN_BRACES)
    if end < 0:
        return None
    inner = text[start + 1 : end]
    # {type: string}, or an object of several lines
    is_schema = (b": " in inner and b'"' not in inner) or b"\n" in inner
    return None if is_schema else (start + 1, end)


def _read_word(text: bytes, at: int) -> tuple[int, int]:
    """Return the word at `at` with all its signs: nothing else ends what was typed at a prompt."""
    word = _TYPED.match(text, at)
    assert word is not None
    typed = _END_OF_CALL.split(word[0], maxsplit=1)[0]
    return at, at + len(typed.rstrip(b".,;:\"'`"))


def _in_element(text: bytes, at: int, strength: Strength) -> Found | None:
    found = _IN_ELEMENT.match(text, at)
    if found is None or text[found.end() : found.end() + 2] not in (b"</", b"&l"):
        return None
    return (*found.span(), "xml-password") if is_value(found[0], _BY_STRENGTH[strength]) else None


_BY_STRENGTH = {
    Strength.PASSWORD: Certainty.PASSWORD,
    Strength.SECRET: Certainty.SETTING,
    Strength.KEY: Certainty.KEY,
    Strength.PIN: Certainty.KEY,
}
