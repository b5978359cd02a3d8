"""Shapes of what programs print and people write: a secret below a command, or in a sentence."""

import json
import re
from collections.abc import Iterator
from functools import partial

from acp_spy.secrets.assigned_values import certainty_of_name, is_value_of
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.placeholders import PLACEHOLDER
from acp_spy.secrets.secret_names import Strength, strength_of
from acp_spy.secrets.shape import Found, are_words, each, grammar, is_in, judged, shape
from acp_spy.secrets.values import (
    PHRASE,
    Certainty,
    is_long_weak_password,
    is_value,
    is_weak_password,
    read_quoted,
)

# The only word of the line below a command; no prompt of a shell.
_BELOW = r"[^\n]{0,200}\n(?:[^\n]{0,20}[Ww]arning[^\n]{0,200}\n)?[ \t]*"
_NAMED = r"(?P<name>[$%\w./\\~:{}-]{2,120})"  # of a variable or a file
_WORD = r"[\"']?(?P<secret>[^\s\"'`|<>]{5,400})[\"']?"
# Another word, and what does not change what is printed.
_REST_OF_COMMAND = (
    r"(?:[ \t]+[-\w./][^\n|>;&]{0,80})?(?: ?2>(?:&1|/dev/null))?"
    r"(?: ?\| ?(?:head|tail|tr|xargs|sed|base64)\b[^\n|>;&]{0,40})?(?: ?(?:;|&&) ?echo)?"
)
_ALONE = r"[\"']?(?P<secret>[^\s\"'`|<>]{5,400})(?<![$#%:,;.])(?=[\"']?[ \t]*(?:\r?\n|$))"


_is_setting = judged(Certainty.SETTING)
_is_odd = judged(Certainty.SENTENCE)


def _is_named(_: bytes, match: re.Match[bytes]) -> bool:
    """Whether what was printed is a variable or a file with the name of a secret."""
    if PLACEHOLDER.search(match["secret"]):  # a line of which an earlier run has left the rest
        return False
    name = re.split(rb"[/\\]", match["name"])[-1].strip(b"${}%")
    name = re.sub(rb"\.(?:txt|b64)\Z", b"", name)
    strength = strength_of(name.replace(b".", b"_").replace(b"-", b"_").decode("latin-1"))
    is_password = strength is Strength.PASSWORD
    certainty = Certainty.PASSWORD if is_password else Certainty.KEY
    return strength is not Strength.NONE and is_value(match["secret"], certainty)


_LEAST_OF_KEY = 16  # letters, in a sentence
_FARTHEST_WORD = 200
_AROUND = b"\"'`*_()[]<>,.;:"
# `use X as the password`, `X is the API key`, `it's X for the db password`
_SAID_AFTER = (
    rb"(?: (?:as|is)|(?<=[0-9\"'`]) for) (?:(?:the|an?|your|my|its|our|their) )?"
    rb"(?:[\w-]{1,20} ){0,2}?"
    rb"(?:(?P<password>[Pp]ass(?:w(?:or)?d|phrase|code)|[Pp]wd?|[A-Z_]{0,40}PASS(?:WORD)?)"
    rb"|[Aa][Pp][Ii][ _-][Kk]ey|[Tt]oken|[Ss]ecret)"
    rb"(?![\w-])(?P<end>\Z|[.,;!?)\n]| (?:for|on|and|to|in|at|but|then|when|if|pls|please)\b)?"
)


_OPENS_STRING = expression(rb"[,:\[{(=]\\{0,7}[\"'`]")


def _word_before(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give the word before what says that it is a secret."""
    first = max(0, match.start() - _FARTHEST_WORD)
    before = text[first : match.start()].rstrip()
    word = before.rsplit(None, 1)[-1:]
    if not word or len(word[0]) == _FARTHEST_WORD:
        return
    # In JSON, or in a program, a string begins there: `["prompt","x is the API key"]`.
    last = _OPENS_STRING.split(word[0])[-1]
    start = first + len(before) - len(last.lstrip(_AROUND))
    value = last.strip(_AROUND)
    is_weak = match["password"] and match["end"] is not None and is_long_weak_password(value)
    if is_weak or (
        (match["password"] or len(value) >= _LEAST_OF_KEY)
        and is_value(value, Certainty.SENTENCE, is_bare=True)
    ):
        yield start, start + len(value), "prompt"


_BETWEEN_CODES = expression(rb"(?:[\s,;\"'`\[\]*-]|\xe2\x80\xa2|[0-9]{1,2}[.)] ){0,40}+")
_CODE = expression(rb"[A-Za-z0-9]{4,16}(?:-[A-Za-z0-9]{4,12}){0,4}(?![\w-])")
_MOST_CODES = 40
_LEAST_OF_CODE = 8


def _codes(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give the codes of a list; one alone has a digit."""
    at = match.end()
    found: list[Found] = []
    has_digit = False
    for _ in range(_MOST_CODES):
        between = _BETWEEN_CODES.match(text, at)
        code = _CODE.match(text, between.end()) if between else None
        if code is None:
            break
        is_mixed = any(byte in b"0123456789" for byte in code[0])
        if len(code[0]) < _LEAST_OF_CODE or not (is_mixed or b"-" in code[0]):
            break
        has_digit = has_digit or is_mixed
        found.append((*code.span(), "recovery-code"))
        at = code.end()
    yield from found if has_digit else ()


_HAS_ALL = expression(rb"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])")


def _both(_: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give the old and the new password of a sentence, if they look like passwords."""
    for group in ("old", "new"):
        is_weak = match[0][:4].lower() == b"pass" and is_weak_password(match[group])
        if is_weak or is_value(match[group], Certainty.SENTENCE):
            yield *match.span(group), "prompt"


_OLD_AND_NEW = (
    rb"(?:[Pp]ass(?:word|phrase)|[Tt]oken|[Ss]ecret)\b[^\n]{0,40}?[ (]old[:=]? ?[\"'`]?"
    rb"(?P<old>[^\s\"'`,;]{4,200})[\"'`]?[,;]?(?: and)? new[:=]? ?[\"'`]?"
    rb"(?P<new>[^\s\"'`]{3,199}[^\s\"'`.,;:)])"
)
# `the passwords are x and y`, `replace the token x with y`, `the password was x but I changed it to
# y`: two of the same, and what is between them.
_NAME_OF_SECRET = rb"(?:[Pp]ass(?:word|phrase|wd)|[Pp]wd?|[Tt]oken|[Ss]ecret|(?:API|api) [Kk]ey)"
_OPEN = rb"(?:\*\*|\\{0,3}[\"'`])?"
_AGAIN = (
    rb"(?:does not|doesn't|did not|didn't|doesnt|no longer) works?(?: any ?more)?|is (?:wrong|old)"
    rb"|any ?more|expired|was (?:revoked|changed|rotated)"
)
_TWO = (
    rb"%b(?P<many>s)?(?: [^\s\"'`\\]{1,30}){0,6}? %b(?=[^\s\"'`]{0,100}?[0-9])"
    rb"(?P<old>[^\s\"'`\\,;*]{5,200}+)%b"
    rb"(?:(?P<and>,? (?:and|or) |, )|(?P<with> (?:with|for|by|to) )(?:the )?(?:new )?(?:one |%b )?"
    rb"|,?(?: (?:but|and|so|then))?(?: (?:I|we|they|you|he|she))?(?: (?:have|had|just|now)|'ve)?"
    rb" (?:changed|reset|rotated|replaced|updated|set) it to "
    rb"|(?: (?:%b))[,.;:]?(?: so| but| please| now){0,2} (?:try|use|it's|it is|take)(?: now)? )"
    rb"%b(?P<new>[^\s\"'`\\*]{3,199}[^\s\"'`\\.,;:)*])"
    % (_NAME_OF_SECRET, _OPEN, _OPEN, _NAME_OF_SECRET, _AGAIN, _OPEN)
)
_REPLACES = expression(
    rb"\b(?:replac|swap|chang|rotat|updat|exchang|switch)(?:e|ed|p|ped|ping|ing|es|s)?"
    rb"(?: [\w-]{1,20}){0,4} $",
    re.IGNORECASE,
)
_FARTHEST_VERB = 60


def _two(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give two secrets of a sentence, if both look like one: else it is about something else."""
    before = text[max(0, match.start() - _FARTHEST_VERB) : match.start()]
    if (match["and"] and not match["many"]) or (match["with"] and not _REPLACES.search(before)):
        return
    is_password = match[0][:1] in b"pP"
    for group in ("old", "new"):
        value = match[group]
        is_one = is_password and is_long_weak_password(value)
        is_long = is_password or len(value) >= _LEAST_OF_KEY
        if not is_one and not (is_long and is_value(value, Certainty.SENTENCE, is_bare=True)):
            return
    yield from ((*match.span(group), "prompt") for group in ("old", "new"))


_FARTHEST_RESULT = 2000
_RESULT = expression(  # also as `terraform show` prints it
    rb"(?:\"result\\{0,7}\":|(?<=\s)result {1,20}=)\s{0,3}\\{0,7}\"([^\"\\]{3,400})"
)


def _generated(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give the password in the state of Terraform, which is some fields after its type."""
    found = _RESULT.search(text, match.end(), match.end() + _FARTHEST_RESULT)
    if found:
        yield *found.span(1), "secret"


_FIELD = expression(rb"(?:\A|\n)[ \t]*([\w.]{2,80})[ \t]*\r?\n[ \t]+[^\n]{1,400}\Z")
_FARTHEST_FIELD = 600


def _invalid(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give the value that pydantic did not accept: its field is in the line above."""
    field = _FIELD.search(text[max(0, match.start() - _FARTHEST_FIELD) : match.start()])
    if field and (value := read_quoted(text, match.end())):
        certainty = certainty_of_name(field[1])
        if certainty is not None and is_value(text[slice(*value)], certainty):
            yield *value, "assignment"


_ASSERTED = expression(rb"(?:\A|\n)>[ \t]+[^\n]{1,400}")
_NAME = expression(rb"[A-Za-z_]\w{1,60}")
_OTHER_SIDE = expression(rb"[\"'] [=!]= (?=[\"'])")
_DIFFERENCE = expression(rb"\r?\nE(?:[ \t]+([-+?])[ ]([^\n]*)|[^\n]*)")
_MOST_DIFFERENCES = 8


def _compared(text: bytes, match: re.Match[bytes]) -> Iterator[Found]:
    """Give both sides of a comparison that failed in pytest, and the lines that tell them apart."""
    above = _ASSERTED.findall(text[max(0, match.start() - _FARTHEST_FIELD) : match.start()])
    names = _NAME.findall(above[-1]) if above else []
    certainty = next(filter(None, map(certainty_of_name, reversed(names))), None)
    if certainty is None or (value := read_quoted(text, match.end())) is None:
        return
    values = [value]
    other = _OTHER_SIDE.match(text, value[1])
    if other and (value := read_quoted(text, other.end())):
        values.append(value)
    found = [value for value in values if is_value(text[slice(*value)], certainty)]
    yield from ((*value, "assignment") for value in found)
    texts = [text[slice(*value)] for value in found]
    at = text.find(b"\n", values[-1][1])
    for _ in range(_MOST_DIFFERENCES):
        line = _DIFFERENCE.match(text, at) if at >= 0 else None
        if line is None:
            return
        if line[2] and line[2].rstrip(b"\r") in texts:
            yield line.start(2), line.start(2) + len(line[2].rstrip(b"\r")), "assignment"
        at = line.end()


# `password` in other scripts, as a message may spell it, too.
_PASSWORDS = (
    "\u5bc6\u7801",
    "\u5bc6\u78bc",
    "\u30d1\u30b9\u30ef\u30fc\u30c9",
    "\ube44\ubc00\ubc88\ud638",
    "\u0430\u0440\u043e\u043b\u044c",
    *("has\u0142o", "Has\u0142o", "wachtwoord", "Wachtwoord"),
    *("l\u00f6senord", "L\u00f6senord", "m\u1eadt kh\u1ea9u", "M\u1eadt kh\u1ea9u"),
    *("\u015fifre", "\u015eifre"),
)
_IS = "\u662f|\u4e3a|\u70ba|\u306f|\ub294|:|\uff1a|=|\u2014| is | to | \u00e4r "
_ALSO_IS = "ist|lautet|est|es|\u00e8|\u00e9"
# Also in bold, as in `**key:** x`, and between typographic quotes.
_QUOTE = "(?:[*]{2}[ ]?)?(?:[*]{2}|[\"'`]|\u300c|\u201c|\u201d|\u201e|\u2018|\u00ab)?"
# What it is for: a few words, in any language.
_FAR = r"(?P<far>[^\s:=.,\"'`]{0,8}(?: [^\s:=.,\"'`]{1,30}){0,4}?)??"
# `API key` and `token` in other languages.
_KEYS = (
    *("\u5bc6\u94a5", "\u5bc6\u9470", "\u4ee4\u724c", "API\u30ad\u30fc"),
    "\u30c8\u30fc\u30af\u30f3",
    *("API \ud0a4", "API\ud0a4", "\ud1a0\ud070", "\u043e\u043a\u0435\u043d"),
    *("\u043b\u044e\u0447 API", "API-\u043a\u043b\u044e\u0447"),
    *("API-Schl\u00fcssel", "l\u00e9 API", "l\u00e9 d'API", "API anahtar\u0131", "lucz API"),
    *("lave de API", "lave API", "hiave API", "have de API", "have da API"),
)


def _escaped(word: str) -> tuple[str, str]:
    """Return `word` as JSON escapes it, with small digits and with capitals."""
    small = json.dumps(word)[1:-1]
    return small, re.sub(r"(?<=\\u)\w{4}", lambda digits: digits[0].upper(), small)


PRINTED = (
    grammar(
        "assignment",
        "input_value=",
        rb"input_value=(?=[\"'])",
        each(_invalid),
        "password\n  Too short [type=string_too_short, input_value='<8>', input_type=str]",
        "title\n  Too short [type=string_too_short, input_value='<8>', input_type=str]",
    ),
    grammar(
        "assignment",
        ("assert '", 'assert "', 'assert \\"'),
        rb"(?:\A|\n)E[ \t]+(?:AssertionError: )?assert (?=[\"'])",
        each(_compared),
        ">   assert user.password == x\nE   AssertionError: assert '<8>' == 'a'",
        ">   assert user.title == x\nE   AssertionError: assert '<8>' == 'a'",
    ),
    shape(
        "assignment",
        ("where '", 'where "', 'where \\"'),
        r"E[ \t]+\+[ \t]+where (?P<q>[\"'])(?P<secret>[^\n]{3,200}?)(?P=q) = [^\n]{0,300}?"
        r"\.(?P<name>\w{2,60})(?![\w.(\[='])",
        "E    +  where '<8>' = User(name='a').password",
        "E    +  where '<8>' = User(name='a').title",
        accepts=lambda _, match: is_value_of(match["name"], match["secret"]),
    ),
    shape(
        "command-output",
        (
            *("secrets versions access ", "get-secret-value", "auth:token", "op read ", "bw get "),
            *("pass show ", "-field=", "initial-password", "find-generic-password", "openssl rand"),
            *("keyvault secret show", "-o tsv", "output tsv", "output text", "secret-tool lookup"),
            *("with-decryption", "get-login-password"),
            *("rails secret", "secrets.token_", "pwgen ", "/dev/urandom", "randomBytes("),
            *("create token ", "key:generate", "_authToken"),
        ),
        r"(?=[-$#;/abcfgikoprsv][- adeinopruw])"  # quicker than to try each
        r"(?>secrets versions access|get-secret-value\b[^\n]{0,200}\btext|auth:token|\bop read"
        r"|\bpass show|\bvault [^\n]{0,80}-field=|initial-password|openssl rand"
        r"|find-generic-password\b[^\n]{0,80} -w|keyvault secret show\b[^\n]{0,200} tsv"
        r"|(?:credential show|\bkeys? (?:list|show))\b[^\n]{0,200} tsv"
        r"|--query[ =][\"']?[^\s\"']{0,60}?(?:[pP]assw|[sS]ecret|[tT]oken|[kK]ey)"
        r"[^\n]{0,80}? t(?:sv|ext)"
        r"|\bget-parameter\b[^\n]{0,200}with-decryption\b[^\n]{0,120} text|get-login-password"
        r"|\brails secret|\bsecrets\.token_(?:hex|urlsafe)|[$#;] pwgen|/dev/urandom|\brandomBytes"
        r"|kubectl create token|key:generate --show|\bconfig get [^\n]{1,80}:_authToken"
        rf"|\bbw get password|secret-tool lookup)\b{_BELOW}(?!\w+=\s){_ALONE}",
        "$ op read op://prod/db/password\n<16>",
        "$ op read op://prod/db/password\n[ERROR] not signed in",
        accepts=_is_setting,
    ),
    shape(
        "command-output",
        (
            *(" cat ", "$ echo ", "# echo ", " jq ", " yq ", "config --get ", "printenv "),
            *("config:get ", "terraform output "),
            "secrets get ",
        ),
        r"(?:(?:[$#;]|sudo|&&|\bexec [^\n|>;&]{1,80}) (?:cat|echo)|[$#;&|] [jy]q(?: -\w{1,9})*"
        r"|\bprintenv|config:get|terraform output(?: -raw)?|secrets get|config --get) "
        rf"[\"']?{_NAMED}[\"']?{_REST_OF_COMMAND}[ \t]*\r?\n[ \t]*{_ALONE}",
        "$ cat config/master.key\n<hex 32>",
        "$ cat config/master.log\n<hex 32>",
        accepts=_is_named,
    ),
    shape(
        "command-line",
        ("echo ", "printf "),
        r"\b(?:echo|printf)(?: -\w{1,3}| [\"']%s(?:\\n)?[\"'])* "
        rf"{_WORD} ?(?:\| ?base64(?: -w ?0)? ?)?(?:>{{1,2}}|\| ?(?:sudo )?tee(?: -a)?)"
        rf" ?[\"']?{_NAMED}",
        "echo <16> > secrets/db_password",
        "echo finished1 > db_password.log",
        accepts=_is_named,
    ),
    shape(
        "command-line",
        ("=%s", ": %s", ":%s", "='%s", '="%s', '=\\"%s'),
        r"\bprintf (?:-- )?\\{0,3}[\"'](?:export )?(?P<name>[A-Za-z_]\w{1,60})"
        r"(?:=|: ?)\\{0,3}[\"']?%s\\{0,3}[\"']?(?:\\{1,3}n|\n)?\\{0,3}[\"'] "
        r"(?P<q>\\{0,3}[\"'])?(?P<secret>(?(q)[^\s\"'`\\]{5,400}(?=(?P=q))"
        r"|[^\s\"'`|<>\\;&]{5,400}(?=[\s;&|>]|$)))",
        r"printf 'DB_PASSWORD=%s\n' '<16>' > .env",
        r"printf 'DB_HOST=%s\n' '<16>' > .env",
        accepts=_is_named,
    ),
    shape(
        "command-line",
        ("| base64", "|base64"),
        r"\b(?P<name>[A-Za-z_]\w{1,60})=[\"']?\$\((?:echo|printf)(?: -\w{1,3})? "
        rf"{_WORD} ?\| ?base64\b(?! -d| --decode| -D)",
        "DB_PASSWORD=$(echo -n <16> | base64)",
        "DB_TITLE=$(echo -n <16> | base64)",
        accepts=_is_named,
    ),
    shape(  # of Windows
        "command-line",
        ("setx ", "setx.exe ", "Set-Item ", "set-item "),
        r"(?:\bsetx(?:\.exe)? (?:/[mM] )?|[Ss]et-[Ii]tem (?:-Path )?[\"']?[Ee]nv:[\\/]?)"
        rf"(?P<name>\w{{2,60}})[\"']? (?:-Value )?{_WORD}",
        "setx DB_PASSWORD <8> /M",
        "setx DB_TITLE <8> /M",
        accepts=_is_named,
    ),
    shape(
        "command-line",
        ("<<",),
        rf"\bcat ?>{{1,2}} ?[\"']?{_NAMED}[\"']? ?<<-?[\"']?(?P<end>\w{{1,20}})[\"']?\r?\n"
        rf"[ \t]{{0,40}}{_WORD}\r?\n[ \t]{{0,40}}(?P=end)\b",
        "cat > secrets/api_key <<EOF\n<32>\nEOF",
        "cat > notes.md <<EOF\n<32>\nEOF",
        accepts=_is_named,
    ),
    shape(
        "command-output",
        ("--- a/",),
        rf"--- a/{_NAMED}\r?\n\+\+\+ [^\n]{{0,200}}\n@@[^\n]{{0,80}}\n-{_WORD}(?=\r?\n|$)",
        "--- a/.vault_pass\n+++ b/.vault_pass\n@@ -1 +1 @@\n-<16>",
        "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-<16>",
        accepts=_is_named,
    ),
    shape(
        "command-output",
        ("+++ b/",),
        rf"\+\+\+ b/{_NAMED}\r?\n@@[^\n]{{0,80}}\n(?:-[^\n]{{0,400}}\n)?"
        rf"(?:\\ No newline[^\n]{{0,40}}\n)?\+{_WORD}(?=\r?\n|$)",
        "+++ b/.vault_pass\n@@ -1 +1 @@\n-x\n+<16>",
        "+++ b/notes.txt\n@@ -1 +1 @@\n-x\n+<16>",
        accepts=_is_named,
    ),
    shape(  # as agents write patches
        "command-output",
        ("*** Add File: ", "*** Update File: "),
        rf"\*\*\* (?:Add|Update) File: {_NAMED}\r?\n(?:@@[^\n]{{0,80}}\n)?"
        rf"(?:-[^\n]{{0,400}}\n)?\+{_WORD}(?=\r?\n|$)",
        "*** Add File: .vault_pass\n+<16>",
        "*** Add File: notes.txt\n+<16>",
        accepts=_is_named,
    ),
    shape(
        "mnemonic",
        tuple(
            word + between + phrase
            for word in ("eed", "covery", "allet", "ackup")
            for between, phrase in (
                (" ", "phrase"),
                ("_", "phrase"),
                ("", "Phrase"),
                ("-", "phrase"),
            )
        ),
        r"(?:[sS]eed|[rR]ecovery|[wW]allet|[bB]ackup)[ _]?[pP]hrase[\"'`* ]{0,3}(?:[:=]|is\b)"
        rf"[\s\"'`*:]{{0,6}}(?P<secret>{PHRASE.pattern.decode()})",
        f"recovery phrase: {'legal winner ' * 5}thank yellow",
        "seed phrase: keep it safe",
    ),
    grammar(
        "prompt",
        (
            *("assword", "assphrase", "asscode", "asswd", "PASS", " pw", "PI key", "pi key"),
            *("PI Key", "pi-key", "PI_key"),
            *("ecret", "oken ", "oken.", "oken,", "oken;", "oken:", "oken\\", 'oken"', "oken\n"),
        ),
        _SAID_AFTER,
        each(_word_before),
        "use <32> as the API key",
        "use environment variables as the API key, the value is the token",
        may_be_in=partial(is_in, _SAID_AFTER),
    ),
    grammar(
        "recovery-code",
        (
            *("ecovery code", "ackup code", "cratch code", "ecovery_code", "ackup_code"),
            *("ecovery Code", "ackup Code", "ECOVERY CODE", "ACKUP CODE"),
        ),
        rb"(?:[Rr]ecovery|RECOVERY|[Bb]ackup|BACKUP|[Ss]cratch)[ _-](?:[Cc]odes?|CODES?)"
        rb"[^\n:=]{0,60}[:=]",
        each(_codes),
        "recovery code: 7<3>-<4>-<4>",
        "recovery code: see the settings page",
    ),
    grammar(
        "prompt",
        ("assword from ", "assphrase from ", "oken from ", "ecret from "),
        rb"(?:[Pp]ass(?:word|phrase)|[Tt]oken|[Ss]ecret) from [\"'`]?(?P<old>[^\s\"'`]{4,200})"
        rb"[\"'`]? to [\"'`]?(?P<new>[^\s\"'`]{3,199}[^\s\"'`.,;:)])",
        each(_both),
        "changed the password from <8> to <8>",
        "the token from auth2 to api2",
    ),
    grammar(
        "prompt",
        (
            *("assword", "assphrase", "asswd", " pw ", " pwd "),
            *("oken ", "okens ", "ecret ", "ecrets ", "PI key", "pi key"),
        ),
        _TWO,
        each(_two),
        "the passwords are <8> and <8>",
        "the passwords are sha256 and argon2, replace the password field with input2",
        may_be_in=partial(is_in, _TWO),
    ),
    grammar(
        "prompt",
        (" old ", " old:", " old=", "(old ", "(old:", "(old="),
        _OLD_AND_NEW,
        each(_both),
        "password rotated: old <8>, new <8>",
        "the password rules: old users, new users",
        may_be_in=partial(is_in, _OLD_AND_NEW),
    ),
    shape(
        "command-line",
        ("> auth ",),
        r"> auth (?:[\w.-]{1,40} )?(?P<secret>[^\s\"']{5,200})(?=[\s\"']|$)",
        "127.0.0.1:6379> auth <8>",
        "> auth login",
        accepts=_is_setting,
    ),
    grammar(
        "secret",
        ('"random_password', '"random_password\\'),
        rb"\"random_password\\{0,7}\"",
        each(_generated),
        '{"type": "random_password", "instances": [{"attributes": {"result": "<20>"}}]}',
        '{"type": "random_password", "instances": []}',
        of_object=True,
    ),
    shape(
        "prompt",
        ("PASSWORD ",),
        r"\bPASSWORD \w{2,30} = (?P<secret>\S{6,100})",
        "PASSWORD elastic = <20>",
        "PASSWORD elastic = none",
        accepts=_is_setting,
    ),
    shape(  # of netsh
        "prompt",
        ("Key Content  ",),
        r"Key Content {2,20}: (?P<secret>[^\r\n|`]{8,63}?)"
        r"(?=\\{0,7}(?:[\r\n]|(?<=\\)[nr]|[\"'](?:[,}\]\s]|$)|$))",
        "Key Content            : <10>",
        "Key Content : none",
    ),
    shape(
        "totp-secret",
        "uthenticator",
        r"uthenticator[^\n:]{0,40}:(?:\*\*)?\s{1,3}(?:\*\*|`)?"
        r"((?:[A-Z0-9]{4} ){3,15}[A-Z0-9]{2,4}|[A-Z0-9]{16,64})(?!\w)",
        "Enter this key in your authenticator: <upper 32>",
        "Enter the code from your authenticator app: 123456",
    ),
    shape(
        "prompt",
        ("ew value: ",),
        r"assw[^\n]{0,120}\n[^\n\w]{0,4}New value: (?P<secret>[^\s\"']{6,200})",
        "Password for the [elastic] user successfully reset.\nNew value: <20>",
        "Limit successfully reset.\nNew value: <20>",
        accepts=_is_odd,
    ),
    shape(
        "prompt",
        (
            *(keyword for word in _PASSWORDS for keyword in (word, *_escaped(word))),
            *("mdp :", "mdp:", "Mdp :", "Mdp:", "MDP :", "MDP:"),
        ),
        rf"(?:{'|'.join(_PASSWORDS)}|(?<![\w-])(?:[mM]dp|MDP)(?= ?:)){_FAR}[ \t]{{0,3}}"
        # Cyrillic, too. Of Chinese or Japanese, the next word may be one of the sentence.
        rf"(?:{_IS}){{1,2}}[ \t]{{0,3}}{_QUOTE}"
        r"(?P<secret>(?:[!#-&(-+\--_a-~]|,(?=\S)|[\xd0-\xd3][\x80-\xbf]){4,200})",
        "\u5bc6\u7801\u662f <10>",
        "\u5bc6\u7801: string",
        accepts=lambda text, match: (_is_odd if match["far"] else _is_setting)(text, match),
    ),
    shape(
        "prompt",
        tuple(
            keyword
            for word in _KEYS
            for keyword in ((word,) if word.isascii() else (word, *_escaped(word)))
        ),
        rf"(?:{'|'.join(_KEYS)})[ \t]{{0,3}}(?:{_IS}|{_ALSO_IS})[ \t]{{0,3}}{_QUOTE}"
        r"(?P<secret>[A-Za-z0-9_+/=-]{16,200})",
        "API-Schl\u00fcssel: <32>",
        "API-Schl\u00fcssel: mein-api-schluessel-2026",
        mixed=True,
        accepts=lambda _, match: (
            is_value(match["secret"], Certainty.KEY) and not are_words(match["secret"])
        ),
    ),
    shape(
        "twilio-token",
        ("('AC", '("AC', '(\\"AC', "('SK", '("SK', '(\\"SK', "wilio", "WILIO"),
        r"(?:AC[0-9a-f]{32}[\"',:\s]{1,8}(?=[0-9a-f]{32}(?![0-9a-f]))"
        r"|SK[0-9a-f]{32}[\"',:\s]{1,8}(?=[A-Za-z0-9]{32}(?![A-Za-z0-9])))([A-Za-z0-9]{32})",
        "new Client('AC<hex 32>', '<hex 32>')",
        "AC<hex 32> and <hex 32>",
    ),
    shape(  # any vendor's, as the only argument or the first one
        "api-key",
        ('Client("', "Client('", 'Client(\\"', 'ClientV2("', "ClientV2('", 'ClientV2(\\"'),
        r"Client(?:V2)?\([\"'](?!AC[0-9a-f]{32}\b)([A-Za-z0-9]{32,64})[\"'][,)]",
        'co = cohere.Client("<40>")',
        'new Client("com.example.app")',
        mixed=True,
        accepts=lambda _, match: _HAS_ALL.match(match[1]) is not None,
    ),
    shape(
        "algolia-key",
        "algoliasearch( earchClient(",
        r"(?:algoliasearch|[sS]earchClient)\(\s{0,4}[\"'][A-Z0-9]{6,12}[\"'],\s{0,4}[\"']([0-9a-f]{32})",
        'algoliasearch("7QH3K0ABCD", "<hex 32>")',
        'algoliasearch("7QH3K0ABCD", key)',
    ),
    shape(
        "azure-storage-key",
        ("FULL ", 'FULL"', "FULL\\"),
        r"FULL\\{0,7}\"?,?\s{1,20}(?:\\{0,7}\"value\\{0,7}\":\s{0,3}\\{0,7}\")?([A-Za-z0-9+/]{86}==)",
        "key1    FULL    <86>==",
        "key1    FULL    none",
    ),
    shape(
        "login",
        ("334 UGFzc3dvcmQ6",),  # Password:
        r"334 UGFzc3dvcmQ6\r?\n[ \t]{0,8}(?:[A-Z<>~*]{1,3}[: ]{1,2})?([A-Za-z0-9+/]{4,200}={0,2})",
        "334 UGFzc3dvcmQ6\n<12>",
        "334 VXNlcm5hbWU6\n<12>",
    ),
)
