"""
Where a value ends, and whether it is one: not a variable, a type, a call or a sentence.

A password may be a weak word, and a name in a program may look random. So the judgment depends
on where the value is: `Certainty` says how much its place says already.
"""

from enum import IntEnum

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.generated_passwords import IN_BARE, end_of_generated, is_generated
from acp_spy.secrets.placeholders import PLACEHOLDER, is_our_placeholder, is_placeholder

_LONGEST = 4096
# Which has more words than a password, and of which another grammar may have masked the rest.
_PRIVATE_KEY = expression(
    rb"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\{1,7}[nr])*+(?P<masked>%b)?"
    % PLACEHOLDER.pattern
)
_LINE_OF_KEY = expression(rb"[A-Za-z0-9+/]{16}")
_LONGEST_JUDGED = 256  # what is longer is judged by its beginning
# Twelve words or more from which a wallet is made; of these no list of such words has one.
PHRASE = expression(
    rb"(?:(?!(?:the|and|for|with|not|are|was|your)\b)[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}\b"
)


class Certainty(IntEnum):
    """How sure the place of a value is, from a word in a sentence to a password in quotes."""

    SENTENCE = 0  # `the password is X`, `password X`: X must look like nothing else
    CODE = 1  # `password = X`: X may be the name of something in a program
    KEY = 2  # `token: "X"`, `API_KEY=X`: random, never a word
    SETTING = 3  # `secret: X`: may be weak, but has a digit or a sign
    PASSWORD = 4  # `password: "X"`, `DB_PASSWORD=X`: may be a word


# What may be around a value: as many backslashes as its string is deep, or an entity. In Markdown,
# also in bold.
_QUOTE = expression(
    rb"(?:\*\*(?=[\"'`]))?(\\{0,7})([\"'`])|&quot;|&apos;|&#(?:0?3[49]|[xX]2[27]);|%22|\\u0022"
)
# What a log, a screen or a growing text has of a word in quotes; it may say that more followed.
_CUT = expression(
    rb"([^\s\"'`\\+,;:)\]}>.&|][^\s\"'`\\\xe2]{3,512}?)"
    rb"(?:\.{2,3}|\xe2\x80\xa6)?(?: ?[\[(<][^\n\"']{0,60}[\])>])?\s*?(?:\r?\n|\\n|\Z)"
)
_LONGEST_LINE_START = 400
_QUOTE_OF_SHELL = expression(rb"'(?:\"'\"|\\')'")  # how a shell has a quote within quotes
_BARE = expression(
    rb"(?:[^\s\0\"'`<>\\&;,|%%\x1b(){}\[\]]|%b|[\[({](?![\s)\]}])|[])}](?=[^\s,;:)\]}\"'`]))*+"
    % IN_BARE
)

_WORD = expression(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_JUMP = expression(rb"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_DIGIT = expression(rb"[0-9]")
_RESULT = expression(rb"(?:PASS[:\]]?|Pass[:\]])[ \t]{1,8}[^\s=:]")
# With the time that it took, or beside those of other tests.
_OTHER_RESULT = expression(
    rb"PASS:?[ \t]{1,8}\S{1,200}"
    rb"(?: \([0-9.]+ ?m?s\)|[^\n]{0,80}\n(?:--- )?(?:X?PASS|X?FAIL|SKIP|ERROR|ok)\b)"
)
_RESULT_BEFORE = expression(rb"(?:--- )?(?:X?PASS|X?FAIL|SKIP|ERROR):[ \t]")
_LOGIN = expression(rb"(?i)user|login|mail|host|account|\bid\b|[<>]|\b[CS]: ?")
_LONGEST_LOGIN = 120
_NO_NAME = expression(rb"[^\w./:-]")
_NO_LETTERS = expression(rb"[^A-Za-z]+")
_LETTERS = expression(rb"[A-Za-z\x80-\xff]+")  # of any script
_SIGN = expression(rb"[^\w.,:/\s()\[\]{}<>\"'`|\\-]")
_IN_SENTENCES = frozenset(
    b"the a an is are be was must should can will your you we our of for to and or in on at"
    b" with not by from as if it its this that please enter no all any into has have using"
    b" use set when does do only per via too least most minimum maximum character characters"
    b" again repeat match matches mismatch leave blank import return short long weak strong"
    b" else length".split()
)
# Words that say what a value is, not what it is worth; a value of only these is a name.
_OF_NAMES = frozenset(
    b"password passwords passwd pass pwd pw passphrase passcode passwort kennwort token"
    b" tokens secret secrets key keys api auth access refresh id user username name db"
    b" database client admin root header headers x bearer basic csrf xsrf session sessions"
    b" cookie jwt oauth authorization authentication login value val arg string str text my your"
    b" the a is here new old current confirm confirmation reset forgot change private public"
    b" signing hash hashed encoded field input type credential credentials bot app web hook"
    b" webhook file path url uri env var variable github gitlab openai anthropic aws azure"
    b" google slack stripe npm test dummy sample example examples placeholder redacted hidden"
    b" masked goes replace insert with put todo fixme changeme me account service master"
    b" storage encryption default get put set data config settings secure label".split()
)
# Of these, passwords that are tried first; a name in a program may be the others.
_TRIED_FIRST = frozenset((b"admin", b"root", b"secret", b"test"))
# Types, literals and the words of documents.
_NEVER = frozenset(
    b"str string text varchar char bytes byte int integer number float bool boolean any"
    b" object none null nil undefined true false yes no on off void never unknown optional"
    b" required enabled disabled prompt ask always strict empty missing invalid valid wrong"
    b" incorrect expired revoked denied failed ok error warning unset interactive keyring"
    b" inherit auto plain plaintext self this uuid date list array dict map vec option"
    b" secretstr nullable unique not accepted rejected changeme change_me change-me tbd todo"
    b" likewise remove removed renamed compat files sss builtin extension"
    b" obligatoire requis invalide incorrecte oublie erforderlich falsch vergessen requerida"
    b" requerido obligatoria obligatorio incorrecta"
    b" n/a na shared static dynamic rotated generated provided supplied configured md5 sha1"
    b" sha256 sha512 scram-sha-256 bcrypt argon2 base64 ldap kerberos peer trust".split()
)
_PLACEHOLDER_WORDS = expression(
    rb"(?i)your|example|placeholder|change[-_ ]?me|replace|insert|dummy|redacted|x{4}|\*{3}|\.{3}"
    rb"|<[a-z][^<>]*>|to[-_]?do|fixme|goes[-_ ]here|\bfiltered\b|\bhidden\b|\bomitted\b"
    rb"|not[-_ ]?set"
)
# What stands for a value that is elsewhere: a variable, a path, a call, a reference.
_REFERENCE = expression(
    rb"&\[|vec!\[|\[(?:[0-9]+u8\b|[A-Za-z_]\w*(?:\.|::)\w+\(|[0-9_]*\]\w+\{)|[A-Z]\w{1,40}\(0x"
    rb"|\.[*+]|\$[a-z_]+(?:/[a-z_]+)+$|auth_[a-z]+_[0-9a-f]{8}$|\$\{|\$\(|\$[A-Za-z_]\w*\b(?![^\w\s.}\])])|\{\{|\{[A-Za-z_][\w.!\[\]]{0,30}\}|<%"
    rb"|<[A-Za-z][\w -]*>|%[A-Za-z_]\w+%(?![0-9A-Fa-f]{2})|%\(?[sdrv]\b|@Microsoft"
    rb"|\$[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)+(?=[/:.\s]|$)"
    rb"|!(?:[A-Z][A-Za-z]+|vault|secret|env|reference)(?=[\s\[{]|$)"
    rb"|pk_(?:live|test)_|sb_publishable_|Ag[A-D][A-Za-z0-9+/]{160,}"  # public, or sealed
    rb"|(?:op|vault|env|file|secret|ssm|arn|awssm|gcp|keyring|https?|data|sm):(?://)?[\w/.]"
    rb"|(?:~|\.{1,2})?/[\w.@~-]+(?:/|\.\w|$)|[A-Za-z]:[\\/]|:[a-z_]+$|\?$|@[\w/]+$|@[\w./-]+\.[a-z]{2,5}$|#[0-9a-fA-F]{3,8}$"
    rb"|[a-z_][\w.-]{0,31}:[x*!]{0,2}:[0-9]{1,10}:[0-9]{1,10}:"  # of a user, in /etc/passwd
    rb"|(?:process|os|sys|self|this|req|request|res|ctx|config|settings|env|secrets|var|vars|local|data|module"
    rb"|import|params|props|args|options|opts|input|form|user|body|cls|event|context|app|state|random_\w+)"
    rb"(?:\.|->|::|\[|\?\.)"
)
# In Rust, what is borrowed, or points to it: `&str`, `&mut`, `&Utf8Path`, `&self.secret`, `*const`.
_BORROWED = expression(
    rb"&(?:[a-z_]{1,40}(?:::|\.)){0,6}"
    rb"(?:[a-z_]{1,40}|(?:[A-Z][a-z]{0,30}(?:[0-9]{1,2}(?=[A-Z]))?){1,8})|\*(?:const|mut)"
)
_ODD_VARIABLE = expression(rb"[$@](?:[A-Za-z0-9]+|[^\s/\\\"'`${}]{30,})")
_BASE64_AFTER_SLASH = expression(rb"(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])/[A-Za-z0-9+/]{19,}+={0,2}")
_HUMP = expression(rb"(?<=[a-z])[A-Z]")
_LEAST_JUMPS = 6  # of what is no path
_SIGNS_ONLY = expression(rb"(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])[A-Za-z!@#$%^&*?+~_-]{8,}")
_SIGN_BETWEEN = expression(rb"(?<=[A-Za-z])[_-]*[!@#$%^&*?+~][!@#$%^&*?+~_-]*(?=[A-Za-z])")
_VERSION = expression(
    rb"[~^<>=v ]*\d+(?:\.\d+)+(?:[-+.]\w+)*|\d{1,3}(?:[.,]\d+)?%?|\d+ bytes?"
    rb"|\d+(?:\.\d+)?[mun]?[smhdw]"
    rb"|\d{4}-\d\d-\d\d.*|\d{1,6}/(?:tcp|udp|sctp|\d{1,6})"
    rb"|(?:\xe2\x9c[\x85\x93\x94\x97\x98]|\xe2\x9d\x8c|\xe2\x98\x91)[^\n]{0,20}"  # a tick, a cross
)
_RULES = expression(rb"[a-z_]++(?:[:=][\w,]++)?(?:\|[a-z_]++(?:[:=][\w,]++)?)++")  # of a form
_IDENTIFIER = expression(
    rb"[A-Za-z_$][\w$]*+(?:(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*+)++(?:[+,-]\w{1,2}\b)*+)?"
)
# Each of one case, with a small number in the end: `created_at_desc_1`.
_WORDS = expression(
    rb"(?:[a-z]++|[A-Z]++(?![a-z])|[A-Z][a-z]++)?[0-9]{0,4}"
    rb"(?:[-_.:/ ]++(?:[a-z]++|[A-Z]++(?![a-z])|[A-Z][a-z]++)*[0-9]{0,4})*+"
)
_PHRASE = expression(rb"[a-z]{2,12}(?: [a-z]{2,12}){1,4}")
_SAYS_SECRET = expression(rb"(?i)pass|pwd|secret|token|\bkey|\bpin\b|phrase|kennw|empty|blank")
# Of a form, in any language: `Passwort vergessen?`
_LABEL = expression(
    rb"[A-Z\x80-\xff][A-Za-z\x80-\xff]*+"
    rb"(?: [A-Za-z\x80-\xff]{1,30}+(?:'[a-z\x80-\xff]{2,30}+)?){1,6}+ ?[?!.:]{0,3}"
)
_ADDRESS = expression(rb"\**[a-z][\w.+-]*@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,10}\**")
_OF_LABEL = expression(rb"[A-Za-z\x80-\xff' ]+[?!.:]{0,3}")
# What a password is called in other languages: in a text for people it is the label of a field.
_CALLED = expression(
    "(?i)(?<![a-z])(?:contrase(?:n|\u00f1)a|senha|mot de passe|parola|lozinka|heslo|has\u0142o"
    "|jelsz\u00f3|salasana|wachtwoord|l\u00f6senord|passord|adgangskode|\u015fifre|\u015eifre)(?![a-z])"
    "|(?:\u043f|\u041f)\u0430\u0440\u043e\u043b|\u30d1\u30b9\u30ef\u30fc\u30c9|\u6697\u8a3c"
    "|\u5bc6(?:\u7801|\u78bc)|\ube44\ubc00\ubc88\ud638".encode()
)
_WEAK = expression(
    rb"([A-Za-z]{4,20})[0-9]{1,8}|[A-Z]?[a-z]{2,12}(?:-[A-Z]?[a-z]{2,12}){1,3}-[0-9]{2,4}"
)
_TOLD = expression(rb"([A-Z]?[a-z]{3,20})(?:[-_][A-Z]?[a-z]{2,12}){0,3}[-_]?[0-9]{1,4}")
# Of these a program has several.
_NUMBERED = frozenset(
    b"pass password passwd token secret user value args argv param text data input field line item"
    b" part step word result test group match option string prompt phase stage level base auth"
    b" oauth utf api sha rsa hash index file table page version week figure chapter section"
    b" port role cache host node type form code error http https ipv python java mysql"
    b" postgres ubuntu debian centos fedora redis mongo nginx argon bcrypt varchar char"
    b" float latin ascii windows issue ticket task build order invoice customer account member"
    b" employee case request session commit project product message thread process worker"
    b" queue event batch record entry article device sensor serial vlan cert job".split()
)
# No name in a program: `Summer_2026`.
_WORD_AND_YEAR = expression(rb"[A-Z][a-z]{2,20}_[0-9]{2,4}")
_LEAST_JUMBLED = 8
_LEAST_WITHOUT_WORDS = 12
_LEAST_WITH_WORDS = 16  # that may have words of two letters by chance
_IN_ONE = expression(rb"[^\s_./:,;=()\[\]{}<>\"'`|\\-]+")
_MOST_PER_PIECE = 3  # letters between two changes of case
_CALL = expression(rb"[A-Za-z_$][\w$-]*(?:(?:\.|::|->)[\w$]+)*[(\[]")
_DIGESTS = expression(
    rb"(?i:(?:md5|sha\d+|base\d\d|b64|utf8|ed25519|x509|argon2)[a-z_]*"
    rb"|(?-i:(?:[A-Z][a-z0-9]+){2,4}\?)|(?:big)?(?:u?int|float)\d{1,3}(?:clamped)?array"
    rb"|(?:p12|oauth2|s3|ec2|k8s|i18n|e2e|h264|v\d)(?:_[a-z_]*)?)"
)


def read_quoted(text: bytes, at: int) -> tuple[int, int] | None:
    """
    Return where the string in quotes that begins at `at` has its text; `None` for none.

    A word that ends with its line, without the quote, is one that was cut off.
    """
    quote = _QUOTE.match(text, at)
    if quote is None:
        return None
    start = quote.end()
    limit = min(len(text), start + _LONGEST)
    if quote[2] is None:
        end = text.find(quote[0], start, limit)
        return (start, end) if end >= 0 else None
    if text.startswith(quote[2] * 2, start) and not quote[1]:  # three of them
        start += 2
        if long := _read_to(quote[2] * 3, text, start, limit):
            return long
    depth = len(quote[1])
    end = _end_of_string(text, start, limit, quote[2], depth)
    if end < 0 or b"\n" in text[start:end]:
        return _read_cut(text, at, start, quote[2])
    return start, end - depth


def _end_of_string(text: bytes, start: int, limit: int, quote: bytes, depth: int) -> int:
    """Return where the quote is that ends the string which `quote` opened; -1 for nowhere."""
    end = start
    while (end := text.find(quote, end, limit)) >= 0:
        slashes = 0
        while end - slashes > start and text[end - slashes - 1] == 0x5C:
            slashes += 1
        is_escaped = slashes % 2 == 1 if depth == 0 else slashes != depth
        if not is_escaped:
            if depth == 0 and end > start and quote == b"'" and text[end + 1 : end + 2] == b"'":
                end += 2
                continue
            if depth == 0 and quote == b"'" and (within := _QUOTE_OF_SHELL.match(text, end)):
                end = within.end()
                continue
            return end
        end += 1
    return end


def _read_to(quotes: bytes, text: bytes, start: int, limit: int) -> tuple[int, int] | None:
    """Return what is before the `quotes` in the line at `start`."""
    end = text.find(quotes, start, limit)
    return (start, end) if end >= 0 and b"\n" not in text[start:end] else None


def _read_cut(text: bytes, at: int, start: int, quote: bytes) -> tuple[int, int] | None:
    """Return the word at `start`, if it ends with its line, and the `quote` at `at` opens it."""
    word = _CUT.match(text, start)
    first = max(0, at - _LONGEST_LINE_START)
    first = max(first, text.rfind(b"\n", first, at) + 1)
    return word.span(1) if word and text.count(quote, first, at) % 2 == 0 else None


def read_bare(text: bytes, at: int) -> tuple[int, int]:
    """Return where the value without quotes that begins at `at` is."""
    found = _BARE.match(text, at, at + _LONGEST)
    assert found is not None
    return at, end_of_generated(text, at, found.end(), is_alone=True)


def is_value(
    value: bytes,
    certainty: Certainty,
    *,
    is_bare: bool = False,
    may_be_phrase: bool = False,
    may_be_sentence: bool = False,
) -> bool:
    """
    Whether `value`, which has the name of a secret, is one, or was before an earlier run.

    A phrase has no little words, and no capital at its start, unless it may be a sentence: where
    nobody says anything about a password, as on a command line.
    """
    value = value[:_LONGEST_JUDGED].strip()
    if value[:2] == b"**" == value[-2:] and not _DIGIT.search(value):
        value = value[2:-2]  # bold, in Markdown
    if key := _PRIVATE_KEY.match(value):
        return not key["masked"] and _LINE_OF_KEY.search(value, key.end()) is not None
    if b"redacted-" in value and PLACEHOLDER.search(value):
        # A placeholder is read as the secret that it was. The search leaves it as it is. What has
        # one in it was none before that: it would have been masked as a whole.
        return PLACEHOLDER.fullmatch(value) is not None
    if may_be_sentence and not (_SAYS_SECRET.search(value) or _CALLED.search(value)):
        value, may_be_phrase = value.replace(b" ", b"-"), True
    return _is_one(value, certainty, is_bare=is_bare, may_be_phrase=may_be_phrase)


def _is_one(value: bytes, certainty: Certainty, *, is_bare: bool, may_be_phrase: bool) -> bool:
    words = _WORD.findall(value)
    has_digit = _DIGIT.search(value) is not None
    has_sign = _SIGN.search(value) is not None and not _LETTERS.fullmatch(value)
    is_plain = _WORDS.fullmatch(value) is not None
    if (
        _stands_for_another(value)
        or (not has_digit and not has_sign and _are_of_names(words, value, certainty))
        or (
            _is_sentence(value, is_odd=has_digit or has_sign or may_be_phrase)
            and not (certainty >= Certainty.SETTING and _is_phrase(value))
        )
        or (is_bare and _DIGESTS.fullmatch(value))
        or (is_bare and _CALL.match(value) and not is_generated(value))
    ):
        return False
    is_sure = certainty is Certainty.PASSWORD and has_digit
    if (
        _PLACEHOLDER_WORDS.search(value)
        and not (is_sure and (has_sign or not value.lower().startswith((b"your", b"my"))))
        and (is_plain or not has_digit or has_only(value))
    ):
        return False
    if certainty is Certainty.PASSWORD:
        return not value.isdigit() or len(value) > 3
    if _ADDRESS.fullmatch(value):
        return False
    if certainty is Certainty.SETTING:
        is_odd = has_digit or has_sign or is_jumbled(value)
        is_odd = is_odd and (bool(words) or _LETTERS.search(value) is not None)
        return len(value) >= 5 and (is_odd or _is_phrase(value))
    jumps = len(_JUMP.findall(value))
    is_name = _is_expression(value, jumps)
    if certainty is Certainty.KEY:
        is_random = (has_digit and not is_plain) or (not is_bare and is_jumbled(value))
        return len(value) >= 8 and bool(words) and is_random and not (is_bare and is_name)
    if is_jumbled(value) or _WORD_AND_YEAR.fullmatch(value):
        return True
    has_letters = bool(words) or _LETTERS.search(value) is not None
    if (is_name and jumps < 2) or not has_letters or not (has_digit or has_sign) or len(value) < 4:
        return False
    is_odd = jumps > 1 or has_sign or (has_digit and not is_plain)
    if certainty is Certainty.CODE:
        return is_odd or b"-" in value
    return len(value) >= 5 and is_odd and (has_digit or _has_signs_between(value))


def is_jumbled(value: bytes) -> bool:
    """Whether its case changes as in no name: `QwVbquKUN`."""
    words = _WORD.findall(value)
    shortest = 3 if len(value) >= _LEAST_WITH_WORDS else 2
    return (
        len(words) > 2
        and len(value) >= _LEAST_JUMBLED
        and sum(map(len, words)) <= _MOST_PER_PIECE * len(words)
        and _IN_ONE.fullmatch(value) is not None
        and not any(
            len(word) >= shortest and (word.lower() in _OF_NAMES or word.lower() in _IN_SENTENCES)
            for word in words
        )
    )


def has_no_words(value: bytes) -> bool:
    """Whether letters and digits change often, or twice beside a sign that names lack."""
    jumps = len(_JUMP.findall(value))
    is_odd = jumps > 2 or (jumps == 2 and _NO_NAME.search(value) is not None)
    return (
        len(value) >= _LEAST_WITHOUT_WORDS
        and (is_odd or is_jumbled(_NO_LETTERS.sub(b"", value)))
        and not any(
            len(word) > 3 and (word.lower() in _OF_NAMES or word.lower() in _IN_SENTENCES)
            for word in _WORD.findall(value)
        )
    )


def is_test_result(text: bytes, start: int) -> bool:
    """
    Whether `PASS` at `start` is the result of a test: `PASS: http2-server`, `[PASS] Http2Test`.

    The `PASS` of a login has a user or a host in the line before.
    """
    if not _RESULT.match(text, start):
        return False
    line = text.rfind(b"\n", 0, start)
    before = text.rfind(b"\n", 0, max(0, line)) + 1
    if (
        text.endswith(b"--- ", 0, start)
        or _OTHER_RESULT.match(text, start)
        or (line >= 0 and _RESULT_BEFORE.match(text, before, line))
    ):
        return True
    return not _LOGIN.search(text, max(0, line - _LONGEST_LOGIN), start)


def is_weak_password(value: bytes) -> bool:
    """Whether it is a word with a number that nothing has as a name: `hunter2`, `red-fox-42`."""
    weak = _WEAK.fullmatch(value)
    return (
        weak is not None
        and (weak[1] or b"").lower() not in _NUMBERED
        and not is_our_placeholder(value)
    )


def is_told_password(value: bytes) -> bool:
    """Whether it is one where a sentence says that it is a password: `Oven-3`, `black_cat8`."""
    told = _TOLD.fullmatch(value)
    return told is not None and told[1].lower() not in _NUMBERED


def is_long_weak_password(value: bytes) -> bool:
    """Whether it is such a word with a number of several digits: `hunter42`, no `editor2`."""
    return value[-2:].isdigit() and is_weak_password(value)


def _stands_for_another(value: bytes) -> bool:
    """Whether it is a placeholder, a variable, a type, a path or a version."""
    return (
        len(value) < 3
        or value[:1] == b","  # what is between two strings of a list, not in one
        or value[:2] == b"+ "  # the same where they are put together
        or (_CALLED.search(value) is not None and _OF_LABEL.fullmatch(value) is not None)
        or is_placeholder(value)
        or (
            _REFERENCE.match(value) is not None
            and not _is_odd_variable(value)
            and not is_base64_after_slash(value)
        )
        or b"${" in value
        or b"$(" in value
        or (_BORROWED.fullmatch(value) is not None and not is_jumbled(value[1:]))
        or value.lower().rstrip(b".,;:!?") in _NEVER
        or _VERSION.fullmatch(value) is not None
        or _RULES.fullmatch(value) is not None
    )


def _is_odd_variable(value: bytes) -> bool:
    """Whether it begins with `$` or `@` and nothing has such a name: `$kJ8mPq2x`."""
    return _ODD_VARIABLE.fullmatch(value) is not None and len(_JUMP.findall(value)) > 2


def is_base64_after_slash(value: bytes) -> bool:
    """Whether it is a key that begins like a path: of 64 keys in base64, one does."""
    return (
        _BASE64_AFTER_SLASH.fullmatch(value) is not None
        and len(_JUMP.findall(value)) + len(_HUMP.findall(value)) >= _LEAST_JUMPS
        and len(_JUMP.findall(max(value.split(b"/"), key=len))) > 1
    )


def looks_random(value: bytes) -> bool:
    """Whether digits and letters, or large and small ones, change as often as in no name."""
    return len(_JUMP.findall(value)) > 2 or len(_HUMP.findall(value)) >= _LEAST_JUMPS


def _has_signs_between(value: bytes) -> bool:
    """Whether it has no digit, but signs where no word has any: `aB$cd!Ef`."""
    return _SIGNS_ONLY.fullmatch(value) is not None and len(_SIGN_BETWEEN.findall(value)) > 1


def _are_of_names(words: list[bytes], value: bytes, certainty: Certainty) -> bool:
    if certainty is Certainty.PASSWORD and value in _TRIED_FIRST:
        return False
    return bool(words) and all(word.lower() in _OF_NAMES for word in words)


def _is_sentence(value: bytes, *, is_odd: bool) -> bool:
    """Whether it has several words, and some that only sentences have."""
    parts = value.lower().split()
    if len(parts) < 2:
        return False
    if _LABEL.fullmatch(value):
        return True
    has_little_words = any(part.strip(b".,:;!?") in _IN_SENTENCES for part in parts)
    return not is_odd or len(parts) > 8 or has_little_words


def _is_phrase(value: bytes) -> bool:
    """Whether it is a few small words that no label has: `keyboard cat`."""
    return _PHRASE.fullmatch(value) is not None and not any(
        word in _IN_SENTENCES or word in _OF_NAMES or word in _NEVER for word in value.split()
    )


def is_call(value: bytes) -> bool:
    """Whether all of it may be a call, or an item of something: `f(x)`, `names[0]`."""
    return _CALL.match(value) is not None and value.endswith((b"(", b"[", b")", b"]"))


def has_only(value: bytes) -> bool:
    """Whether a text with the word of a placeholder has little else: `sk-...abcd`."""
    return len(_JUMP.findall(value)) < 4


def _is_expression(value: bytes, jumps: int) -> bool:
    """Whether it may be a name in a program: `self.token`, `next_token2`."""
    return _IDENTIFIER.fullmatch(value) is not None and (jumps < 2 or (b"." in value and jumps < 5))
