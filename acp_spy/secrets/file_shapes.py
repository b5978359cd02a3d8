"""Files and protocols with a known grammar: SQL, password files, hashes, cookie jars, pipes."""

import re
from collections.abc import Iterator

from acp_spy.secrets.assigned_values import is_value_of
from acp_spy.secrets.expressions import SPELLED_ESCAPE, expression
from acp_spy.secrets.shape import START, each, grammar, judged, shape
from acp_spy.secrets.values import (
    Certainty,
    has_no_words,
    is_long_weak_password,
    is_value,
    is_weak_password,
)

_is_password = judged(Certainty.PASSWORD)
_is_setting = judged(Certainty.SETTING)
_is_odd = judged(Certainty.SENTENCE)

_FAR = 8192  # bytes: a manifest is not longer
_IS_SECRET = expression(rb"kind\\{0,7}\"?:\s?\\{0,7}\"?Secret\b")
_ENTRY = expression(
    rb"[ \t\r\n]*\\{0,7}\"?[\w.-]{1,253}\\{0,7}\"?:[ \t]?\\{0,7}\"?"
    rb"([^\s\"\\,{}`]{4,8192})\\{0,7}\"?,?"
)
_USER_OF_SYSTEM = expression(
    rb"[ \t]{0,20}(?:- )?[\"']?[a-z_][\w-]{0,30}:([^\s\"']{3,100})[\"']?[ \t]*\r?(?:\n|\Z)"
)
_FILE = expression(rb"[\w.@-]{1,80}(?:/[\w.@-]{1,80}){1,20}|[\w-]{1,80}(?:\.[\w-]{1,40}){1,6}")
_USER_AND_PASSWORD = expression(rb"[ \t]{0,40}\"[\w.-]{1,63}\" \"([^\"\r\n]{0,400})\"(?:\r?\n|\Z)")
# The name of a test; what is before the `PASS` of a login.
_TEST = expression(rb"[A-Za-z]\w*")
_GREETING = expression(rb"(?i)user|login|\+OK|\b331\b|[CS]: |[>\"]")
_LONGEST_GREETING = 200
_NICK = expression(rb"\s{1,4}(?:NICK|USER) ")  # of IRC
_DOCUMENT_END = b"\n---"
_ESCAPE = SPELLED_ESCAPE.decode()


def _has_passed(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether `PASS x` says that a test or a file of tests has passed: nobody signs in there."""
    if _FILE.fullmatch(match["secret"]):
        return True
    start, end = match.span("secret")
    return (
        b"PASS " in match[0]
        and _TEST.fullmatch(match["secret"]) is not None
        and (b"_" in match["secret"] or not has_no_words(match["secret"]))
        and not _NICK.match(text, end)
        and not _GREETING.search(text, max(0, start - _LONGEST_GREETING), start)
    )


def _in_manifest(text: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    """Give the values of a Secret of Kubernetes, whatever their names are."""
    first = text.rfind(_DOCUMENT_END, max(0, match.start() - _FAR), match.start())
    last = text.find(_DOCUMENT_END, match.end(), match.end() + _FAR)
    start = max(first, match.start() - _FAR, 0)
    if not _IS_SECRET.search(text, start, last if last >= 0 else match.end() + _FAR):
        return
    at = match.end()
    while (entry := _ENTRY.match(text, at)) and _is_deeper(text, match, entry):
        yield *entry.span(1), "kubernetes-secret"
        at = entry.end()


def _is_deeper(text: bytes, head: re.Match[bytes], entry: re.Match[bytes]) -> bool:
    """Whether an entry is below the head of its list: by its indent, unless there are braces."""
    if head["indent"] is None:
        return True
    line = text[entry.start() : entry.start(1)].lstrip(b"\r\n")
    return len(line) - len(line.lstrip(b" ")) > len(head["indent"])


def _in_userlist(text: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    """Give the passwords of users of pgbouncer, each in a line with its user."""
    at = match.end()
    while line := _USER_AND_PASSWORD.match(text, at):
        if is_value(line[1], Certainty.PASSWORD):
            yield *line.span(1), "login"
        at = line.end()


def _in_chpasswd(text: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    """Give the passwords of users, each in a line with its user."""
    at = match.end()
    while line := _USER_OF_SYSTEM.match(text, at):
        if is_value(line[1], Certainty.PASSWORD):
            yield *line.span(1), "pipe"
        at = line.end()


def _twice(_: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    if _is_password(_, match):
        yield *match.span("secret"), "pipe"
        yield *match.span("again"), "pipe"


def _of_snmp(_: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    for group in ("secret", "again"):
        if match[group] and is_value(match[group], Certainty.PASSWORD):
            yield *match.span(group), "network-password"


def _of_attributes(_: bytes, match: re.Match[bytes]) -> Iterator[tuple[int, int, str]]:
    """Give the value that is before its name, as attributes of XML in any order may be."""
    if is_value_of(match["name"], match["secret"]):
        yield *match.span("secret"), "xml-password"


_ADDRESS = expression(rb"[\w.+-]{1,64}@[\w-]{1,40}(?:\.[\w-]{1,40}){1,3}[.;)]?")
_Q = r"\\{0,3}[\"']"

FILES = (
    shape(  # the secret that follows its id: as an argument, in a pair, in the next line or column
        "aws-secret",
        "AKIA ASIA",
        r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9+])"
        r"(?:\t\d{4}-\d\d-\d\dT[\d:.+Z-]{8,20}\t)?(?:[\s\"'`,:;/|()=>\\-]|\\[nrt]){0,20}?"
        r"(?:(?<![A-Za-z0-9+])|(?<=\\[nrt]))(?=[^A-Z]{0,39}[A-Z])(?=[^a-z]{0,39}[a-z])(?=[^0-9]{0,39}[0-9])"
        r"(?P<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])",
        'Credentials.create("AKIA<upper 16>", "<40>")',
        "AKI<upper 17>, <40>, in commit <hex 40>",
        accepts=judged(Certainty.KEY),
    ),
    shape(
        "sql-password",
        ("DENTIFIED", "dentified by "),
        r"(?:IDENTIFIED|(?:create|alter) user [^\n;]{1,200}? identified)\s+"
        r"(?:(?:WITH|with)\s+\S{1,40}\s+)?(?:BY|by|AS|as)\s+(?:PASSWORD\s+)?"
        r"(?P<q>\\{0,3}['\"])?(?P<secret>(?(q)(?:[^'\"\\\r\n]|''|\\[^'\"\\\r\n])+|[^\s'\";]+))",
        "CREATE USER 'app'@'%' IDENTIFIED BY '<8>';",
        "IDENTIFIED BY the user",
        accepts=lambda _, match: is_value(
            match["secret"], Certainty.PASSWORD if match["q"] else Certainty.SETTING
        ),
    ),
    shape(  # of Oracle, behind the new one
        "sql-password",
        (" REPLACE ", " replace "),
        r"(?i:identified\s+by\s+(?:\"[^\"\n]{1,200}\"|\S{1,200})\s+replace\s+)"
        r"(?P<q>\")?(?P<secret>(?(q)[^\"\n]{3,200}|[^\s\";]{3,200}))",
        'ALTER USER bob IDENTIFIED BY x REPLACE "<8>"',
        "CREATE OR REPLACE FUNCTION f1",
        accepts=_is_password,
    ),
    shape(
        "sql-password",
        (" WHERE ", " where "),
        r"(?i:\bset\s+\w{1,30}\s*=\s*)'(?P<secret>(?:[^'\\\r\n]|''){3,200})'(?i:\s+where\s+[\"`\[]?"
        r"(?:name|key|setting|option|param|property)(?:_name|_key)?[\"`\]]?\s*=\s*)'(?P<name>[\w.:-]{2,80})'",
        "UPDATE settings SET value = '<8>' WHERE name = 'smtp_password'",
        "UPDATE settings SET value = '<8>' WHERE name = 'smtp_host'",
        accepts=lambda _, match: is_value_of(match["name"], match["secret"]),
    ),
    shape(
        "sql-password",
        ("PASSWORD(", "crypt(", "PASSWORD FOR ", "password for "),
        r"(?:\bPASSWORD\(|crypt\(|(?:SET PASSWORD FOR|set password for) [^\n='\"]{0,4}['\"`]"
        r"[^\n=]{1,80}=)\s*'(?P<secret>[^'\r\n]{3,200})'",
        "SET PASSWORD FOR 'bob'@'localhost' = PASSWORD('<8>');",
        "crypt('password', salt)",
        accepts=_is_password,
    ),
    shape(
        "password-hash",
        "$2a$ $2b$ $2x$ $2y$ $1$ $5$ $6$ $7$ $y$ $gy$ $apr1$ $argon2 $P$ $H$ $pbkdf2 $scrypt$ $sha",
        r"\$(?:2[abxy]|1|5|6|7|g?y|apr1|argon2[a-z]{1,2}(?=\$[^\s$]{1,20}\$[^\s$]{1,40}\$)|[PH]|pbkdf2[\w-]{0,12}|scrypt|sha1|sha256|sha512)\$[A-Za-z0-9./,=$+*:-]{20,512}",
        "root:$6$<16>$<86>:19500:0:99999:7:::",
        "$1$ and $2a$ are prefixes",
    ),
    shape(
        "password-hash",
        "SHA} SHA256} SHA512} MD5} CRYPT} ARGON2}",
        r"\{(?:S?SHA|S?SHA256|S?SHA512|S?MD5|CRYPT|ARGON2)\}[A-Za-z0-9+/=$.,*-]{12,512}",
        "userPassword: {SSHA}<32>",
        "{SSHA} is a scheme",
    ),
    shape(
        "password-hash",
        "pbkdf2_sha pbkdf2: scrypt: SCRAM-SHA",
        r"(?:pbkdf2_sha\d{1,3}\$|pbkdf2:sha\d{1,3}:\d+\$|scrypt:\d+:\d+:\d+\$|SCRAM-SHA-\d{1,3}\$\d+:)[A-Za-z0-9+/=$.:-]{20,512}",
        "pbkdf2_sha256$600000$<22>$<43>=",
        "auth = scram-sha-256, SCRAM-SHA-256",
    ),
    shape(
        "password-hash",
        "aad3b435b51404ee",
        r":[0-9a-fA-F]{32}:([0-9a-fA-F]{32}):::",
        "Administrator:500:aad3b435b51404eeaad3b435b51404ee:<hex 32>:::",
        "daemon:*:19000:0:99999:7:::",
    ),
    shape(
        "password-hash",
        "*A *B *C *D *E *F *0 *1 *2 *3 *4 *5 *6 *7 *8 *9",
        r"(?<![\w*])\*[0-9A-F]{40}(?![\w*])",
        "| root | localhost | *7F3A90C1D2E8B6457F3A90C1D2E8B6457F3A90C1 |",
        "**7F3A90C1**",
    ),
    shape(
        "pgpass",
        ":5432: :*: :5433:",
        r"(?<=[\w*]):(?:543[23]|\*(?!:543[23]:|:-?\d+:-?\d+:)):[^:\s\\\"']{1,64}:[^:\s\\\"']{1,64}:(?!\d*:|\*(?!\w))"
        rf"(?P<secret>(?:[^\s:\\\"']|\\[:\\])(?:[^\s\\\"']|\\:|\\\\(?![nrtu\"']|{_ESCAPE}))*)",
        "db.example.com:5432:shop:app:<8>",
        "0.0.0.0:5432:main started, nobody:*:-2:-2:Nobody:/var/empty:/usr/bin/false",
        accepts=lambda text, match: (
            b":completion" not in text[max(0, match.start() - 40) : match.start()]  # of zsh
            and _is_password(text, match)
        ),
    ),
    shape(
        "netrc-password",
        "assw",
        r"(?:machine\s{1,9}[\w.:-]{1,200}|default)\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}"
        rf"(?P<secret>(?:[^\s\\]|\\(?![nrtu\"'\\]|{_ESCAPE})){{1,400}})",
        "machine example.com login alice password <12>",
        "machine learning, login and password",
    ),
    shape(
        "cookie",
        ("\tTRUE\t", "\tFALSE\t", "\\tTRUE\\", "\\tFALSE\\"),
        r"\t(?:TRUE|FALSE)\t[^\t\n]{0,200}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,100}\t(\S{8,})",
        ".example.com\tTRUE\t/\tTRUE\t1799999999\tsessionid\t<32>",
        ".example.com\tTRUE\t/\tTRUE\t1799999999\ttheme\tdark",
        mixed=True,
    ),
    shape(
        "pipe",
        (
            *("| sudo", "| su ", "|sudo", "passwd", "kinit", "-stdin", "--with-token"),
            *("secret put", "secret set", "secrets set", "env add"),
            *("secret create", "secrets create", "secrets versions add", "-passphrase-fd 0"),
            "encrypt_string",
            *("| cryptsetup", "|cryptsetup", "| sudo cryptsetup"),
        ),
        rf"(?:echo|printf|yes)\s{{1,3}}(?:-\w{{1,3}}\s{{1,3}})?(?:{_Q}[^\"'\n]{{0,20}}%s[^\"'\n]{{0,10}}{_Q}\s{{1,3}})?(?P<q>{_Q})?(?P<secret>(?(q)[^\r\n\"']{{3,200}}?|[^\s\"'$|]{{3,200}}))(?(q){_Q})\s{{0,3}}\|\s{{0,3}}"
        r"(?:sudo\s[^|\n]{0,60}-\w*S|su\b|(?:sudo\s)?(?:passwd|vncpasswd|cryptsetup|kinit)\b|(?:docker|podman|helm|oras|az|gh|npm|vault)\s[^|\n]{0,100}(?:-stdin|--with-token)"
        r"|[^|\n]{0,100}--passw(?:or)?d-(?:on-)?stdin\b"
        r"|[^|\n]{0,60}\b(?:wrangler|gh|vercel|fly|doppler)\s[^|\n]{0,20}"
        r"(?:secrets? (?:put|set)|env add)\b"
        r"|(?:sudo\s)?(?:docker|podman|gcloud)\ssecrets?\s(?:create|versions)\b"
        r"|ansible-vault\sencrypt_string\b"
        r"|gpg2?\s[^|\n]{0,60}-passphrase-fd[ =]0)",
        "echo '<8>' | sudo -S apt-get update",
        "echo done | sudo tee /etc/x",
        accepts=_is_password,
    ),
    shape(
        "pipe",
        "<<<",
        r"(?:sudo\s[^|\n]{0,60}-\w*S|su|passwd|kinit|--password-stdin|--with-token|cryptsetup"
        r"|gcloud\ssecrets"
        r"|\b(?:wrangler|gh|vercel|fly|doppler)\s[^|\n<]{0,20}(?:secrets? (?:put|set)|env add))\b"
        rf"[^|\n<]{{0,80}}<<<\s?(?P<q>{_Q})?(?P<secret>(?(q)[^\r\n\"']{{3,200}}?|[^\s\"'$|;&<>()]{{3,200}}))(?(q){_Q})",
        'sudo -S whoami <<< "<8>"',
        'cat <<< "<8>"',
        accepts=_is_password,
    ),
    grammar(
        "pipe",
        ("smbpasswd", "| passwd", "|passwd", "sudo passwd"),
        rb"(?:\(\s?echo|printf\s[\"']?%s(?:\\{1,7}n| )%s(?:\\{1,7}n)?[\"']?)\s{1,3}"
        rb"(?P<q>\\{0,3}[\"']?)(?P<secret>[^\s\"';]{3,100})(?P=q)"
        rb"(?:;\s?echo)?\s{1,3}(?P=q)(?P<again>(?P=secret))(?P=q)\s?\)?"
        rb"\s{0,3}\|\s{0,3}(?:sudo\s)?(?:smb)?passwd\b",
        each(_twice),
        "(echo '<8>'; echo '<8>') | smbpasswd -s -a bob",
        "(echo $PW; echo $PW) | smbpasswd -s -a bob",
    ),
    shape(  # a file that is none: `private-key <(echo x)`
        "pipe",
        ("<(echo ", "<(printf "),
        r"(?:(?:[kK]ey|[pP]ass(?:w(?:or)?d|phrase)?|[sS]ecret|[tT]oken)[\w-]{0,20}[= ]"
        r"|secrets? (?:put|set|create|versions add)\b[^\n|<]{0,80}(?:<\s)?)"
        r"<\((?:echo|printf)\s(?:-\w{1,3}\s)?[\"']?(?P<secret>[^\s\"'$()<>]{3,200})[\"']?\)",
        "wg set wg0 private-key <(echo <43>=)",
        "diff <(echo <43>=) key.txt",
        accepts=_is_password,
    ),
    shape(
        "sonar-token",
        "sonar.login",
        r"sonar\.login\s?[=:]\s?[\"']?([0-9a-f]{40})",
        "sonar-scanner -Dsonar.login=<hex 40>",
        "sonar.login=admin",
    ),
    shape(
        "login",
        "BW_SESSION",
        r"BW_SESSION\\{0,3}[\"']?[=:]\s?\\{0,3}[\"']?([A-Za-z0-9+/]{40,100}={0,2})",
        'export BW_SESSION="<86>=="',
        "export BW_SESSION=$(bw unlock --raw)",
    ),
    shape(
        "network-password",
        "WIFI:",
        r"WIFI:(?:[TSHR]:[^;\n]{0,64};){0,4}P:\\{0,3}\"?(?P<secret>(?:[^;\\\n]|\\[^\n]){8,100}?)\\{0,3}\"?;",
        "WIFI:T:WPA;S:Office;P:<10>;;",
        "WIFI:T:nopass;S:Guest;;",
        accepts=_is_password,
    ),
    shape(
        "pair",
        ("admin / ", "root / "),
        r"(?<![\w/.-])(?:admin|root) / [\"'`]?"
        r"(?P<secret>(?:[^\s\"'`/:,]|[/:,](?![\s/:,]|$)){5,100})",
        "// TODO: admin / <8>",
        "roles: admin / editor2",
        accepts=lambda text, match: _is_odd(text, match) or is_long_weak_password(match["secret"]),
    ),
    shape(
        "pipe",
        "base64",
        r"(?:ecret|assw|oken)(?![a-z]{0,3}-[0-9]{1,6}(?![\w-]))[^\n]{0,200}base64\s(?:-d|--decode|-D)"
        r"[^\n\S]*(?:(?:;|&&) ?echo[^\n\S]*)?\n(?![+-]?(?:\x1b|\\{1,7}(?:u001b|x1b))?\])"
        r"(?P<secret>[^\s$]{4,400})(?=\s|$)",
        "$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n<8>",
        "base64 -d\nhello",
    ),
    shape(
        "login",
        ("LOGIN ", "AUTH ", "IDENTIFY ", "PASS ", '"AUTH', "AUTH\\"),
        r"(?:(?:^|\n|, \")(?:[CS]: |[> ]{0,3})"
        r"(?:PASS|(?P<sure>[a-zA-Z]?\d{1,4} LOGIN \S{1,80})|AUTH(?: PLAIN| LOGIN)?)"
        r"|(?P<prompt>[0-9\]]> AUTH(?: default)?)|> AUTH|IDENTIFY(?: \w{1,32})?|\"AUTH\")"
        r" \"?(?P<secret>(?:[^\s\"'\\]|\\(?![rn])){5,200})",
        "127.0.0.1:6379> AUTH <8>",
        "AUTH required, PASS or FAIL",
        accepts=lambda text, match: (
            not _has_passed(text, match)
            and is_value(
                match["secret"],
                Certainty.SETTING if match["sure"] or match["prompt"] else Certainty.SENTENCE,
            )
        ),
    ),
    shape(  # of Redis
        "login",
        (" on >", "SETUSER ", "setuser "),
        r"(?:\buser|SETUSER|setuser) [\w.@-]{1,64}(?: (?:on|reset|nopass|resetpass)){0,3} >"
        r"(?P<secret>[^\s\"'`<>]{3,200})(?= |\s|$)",
        "user worker on ><8> ~jobs:* +@all",
        "user clicks > next, user on >${PW}",
        accepts=_is_password,
    ),
    shape(  # of OpenVPN
        "login",
        "<auth-user-pass>",
        r"<auth-user-pass>\s{1,4}\S{1,100}\s{1,4}(?P<secret>[^\s<>]{3,200})\s{1,4}</auth-user-pass>",
        "<auth-user-pass>\nbob\n<8>\n</auth-user-pass>",
        "<auth-user-pass>\n</auth-user-pass>",
        accepts=_is_password,
    ),
    shape(  # of Bundler
        "login",
        "BUNDLE_",
        r"BUNDLE_[A-Z0-9_]{3,80}(?:=|: )[\"']?[\w.@-]{1,64}:(?P<secret>[^\s\"'/@$][^\s\"']{2,200})",
        'BUNDLE_GEMS__EXAMPLE__COM: "bot:<8>"',
        'BUNDLE_MIRROR: "https://example.com:8080"',
        accepts=_is_password,
    ),
    shape(
        "pipe",
        ("| base64", "|base64"),
        r"(?:echo|printf) (?:-\w{1,3} )?[\"']?[\w.@-]{1,64}:(?P<secret>[^\s\"':$|]{3,100})[\"']?"
        r" {0,2}\| {0,2}base64\b(?! -d| --decode| -D)",
        "echo -n 'bob:<8>' | base64",
        'echo -n "$USER:$PASS" | base64',
        accepts=lambda _, match: is_value(match["secret"], Certainty.SETTING),
    ),
    shape(  # of expect, without what it waits for
        "login",
        ('send "', 'send \\"', "send \\\\", "send -- "),
        r"(?<![\w.])send (?:-- )?\\{0,3}\"(?P<secret>[^\s\"\\]{6,100})\\{1,7}[rn]\\{0,3}\"",
        'send "k7%Jm2-x9\\r"',
        'send "exit\\r"',
        accepts=_is_odd,
    ),
    shape(
        "login",
        ("expect ",),
        r"(?:expect[^\n]{0,30}|\n[ \t]{0,20}(?:-\w{1,3} )?\"[^\n\"]{0,20})"
        r"(?:[Pp]?ass(?:word|phrase|code)|[Tt]oken)[^\n]{0,30}(?:\n|; ?|\{\s{0,20})[ \t]*"
        r"send\w{0,4} (?:-- )?\"(?P<secret>[^\"\\\n]{3,100})",
        'expect "Password:"\nsend "<8>\\r"',
        'expect "Password:"\nsend "$pw\\r"',
        accepts=_is_password,
    ),
    shape(
        "login",
        (
            *("auth=(", "auth = (", "redential(", "redentials(", "Connection(", "WiFi.begin("),
            *("PDO(", "asicAuth(", "asic_auth(", "login(", "create_superuser(", "create_user("),
            *("sendline(", "mysqli", "DBI->connect("),
        ),
        r"(?:(?P<sure>\bauth\s?=\s?|HTTPBasicAuth|[bB]asic_?[aA]uth|\bWiFi\.begin"
        r"|\b(?:smtp|imap|mail|server|ftp)\w{0,12}\.login|DBI->connect)"
        r"|\bmysqli(?:_connect)?|create_(?:super)?user|UsernamePassword\w{0,20}|PSCredential|getConnection|\bPDO|\blogin|sendline)\("
        r"(?:\s{0,4}\$\w{1,60}\s{0,4},)?"
        r"(?:\s{0,4}(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[\w.]{1,60})\s{0,4},){0,3}\s{0,4}(?P<q>[\"'])(?P<secret>[^\"'\n]{3,200})(?P=q)\s{0,4}(?:\)|,\s{0,4}\{)",
        'requests.get(url, auth=("admin", "<8>"))',
        'auth=(user, password), login("alice")',
        accepts=lambda _, match: is_value(
            match["secret"], Certainty.PASSWORD if match["sure"] else Certainty.SETTING
        ),
    ),
    shape(  # of Java, where a password is a list of letters
        "login",
        ('".toCharArray(', '\\".toCharArray('),
        r"(?:\b(?:load|store|getKey|setKeyEntry|init|Password\w{0,20}|PBEKeySpec|\w{0,20}Password)\()"
        r"(?:[^\n()\"]|\"[^\"\n]{0,200}\"|\([^()\n]{0,100}\)){0,200}?"
        r"\"(?P<secret>[^\"\n]{3,200})\"\.toCharArray\(\)",
        'keyStore.load(stream, "<8>".toCharArray())',
        'char[] letters = "hello2".toCharArray();',
        accepts=_is_password,
    ),
    shape(  # of Express
        "login",
        "ession({",
        r"[sS]ession\(\{[^{}()]{0,300}?\bsecret:\s?[\"'`](?P<secret>[^\"'`\n]{3,200})[\"'`]",
        "app.use(session({ secret: '<8>', resave: false }))",
        "app.use(session({ secret: process.env.SESSION_SECRET }))",
        accepts=_is_password,
    ),
    shape(
        "private-key",
        "allet( ToAccount( from_key( romPrivateKey(",
        r"(?:[wW]allet|privateKeyToAccount|\bfrom_key|\bfromPrivateKey)\(\s{0,20}[\"'`](?:0x)?([0-9a-fA-F]{64})[\"'`]",
        'new ethers.Wallet("0x<hex 64>", provider)',
        'getWallet("0x<hex 40>")',
    ),
    shape(  # of a network in the settings of Hardhat
        "private-key",
        "accounts",
        r"\baccounts[\"']?:\s{0,8}\[\s{0,40}[\"'`](?:0x)?([0-9a-fA-F]{64})[\"'`]",
        'accounts: ["0x<hex 64>"]',
        'accounts: ["0x<hex 40>"]',
    ),
    shape(  # of Postfix
        "login",
        (":587", ":465", "]:25", "[smtp", "[mail"),
        r"(?:\[[\w.-]{3,80}\](?::\d{2,5})?|:(?:587|465|25))[ \t]{1,20}"
        r"(?:apikey|[\w.+-]{1,64}@[\w-]{1,40}(?:\.[\w-]{1,40}){1,3}):(?P<secret>[^\s\"']{3,200})",
        "[smtp.example.com]:587 bob@example.com:<8>",
        "smtp.example.com:587 connected:ok2",
        accepts=_is_password,
    ),
    shape(  # of strongSwan
        "network-password",
        (": EAP ", ": XAUTH ", ": NTLM "),
        r": (?:EAP|XAUTH|NTLM) [\"'](?P<secret>[^\"'\n]{3,200})[\"']",
        'bob : EAP "<8>"',
        "method: EAP over TLS",
        accepts=_is_password,
    ),
    grammar(
        "network-password",
        ("createUser ", "createuser "),
        rb"\bcreate[uU]ser [\w.-]{1,40} (?:MD5|SHA(?:-?\d{3})?) \"?(?P<secret>[^\s\"]{4,100})\"?"
        rb"(?: (?:DES|AES(?:-?\d{3})?) \"?(?P<again>[^\s\"]{4,100})\"?)?",
        each(_of_snmp),
        "createUser monitor SHA <8> AES <8>",
        "createUser monitor in the database",
    ),
    shape(
        "network-password",
        "ocommunity wcommunity",
        r"\br[ow]community6? (?P<secret>[^\s\"'#]{4,100})",
        "rocommunity <8> 10.0.0.0/8",
        "rocommunity public default",
        accepts=lambda _, match: (
            match["secret"] != b"private" and is_value(match["secret"], Certainty.SETTING)
        ),
    ),
    shape(
        "login",
        ("bundle config ",),
        r"\bbundle config (?:set )?(?:--\w{1,20} ){0,2}[\w-]{1,60}(?:\.[\w-]{1,60}){1,4} "
        r"[\w.@-]{1,64}:(?P<secret>[^\s\"'/:][^\s\"']{2,200})",
        "bundle config gems.example.com ci:<8>",
        "bundle config mirror.example.com https://example.com:8080",
        accepts=_is_password,
    ),
    shape(
        "command-line",
        ("net user ", "net.exe user "),
        r"\bnet(?:\.exe)? user [\w.-]{1,40} (?P<secret>[^\s/*\"'][^\s\"']{2,99})"
        r"(?:(?P<option> /[a-z]{3,})|(?=[ \t]*(?:\r?\n|$)))",
        "net user bob <8> /add",
        "net user bob /add",
        accepts=lambda _, match: is_value(
            match["secret"], Certainty.PASSWORD if match["option"] else Certainty.SETTING
        ),
    ),
    shape(
        "command-line",
        ("net use ", "net.exe use "),
        r"\bnet(?:\.exe)? use (?:[A-Za-z]: )?\\{2,8}\S{1,200} (?P<secret>[^\s/*\"']{3,100}) /user:",
        "net use Z: \\\\srv\\x <8> /user:bob",
        "net use Z: \\\\srv\\x /persistent:yes",
        accepts=_is_password,
    ),
    shape(
        "login",
        "mysqli pymysql.connect( MySQLdb.connect( database(",
        r"\b(?:mysqli(?:_connect)?|(?:pymysql|MySQLdb)\.connect|(?<== )database)\("
        r"(?:\s{0,4}(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[\w.$]{1,60})\s{0,4},){2}\s{0,4}(?P<q>[\"'])(?P<secret>[^\"'\n]{3,200})(?P=q)\s{0,4},",
        'mysqli_connect("localhost", "root", "<8>", "shop")',
        'mysqli_connect("localhost", "root", $password, "shop-1")',
        accepts=_is_setting,
    ),
    shape(
        "login",
        "send_keys( sendKeys( .type( .fill( equentially(",
        r"[pP]ass(?:word|wd|phrase)?[^\n\"'`]{0,20}[\"'`/](?:i(?= ?[)}])|, exact: true)?"
        r"[\]\"'`)} ]{0,5}\.(?:send_keys|sendKeys|type|fill|pressSequentially|press_sequentially)"
        r"\((?P<q>[\"'`])(?P<secret>[^\"'`\n]{3,200})(?P=q)",
        "cy.get('#password').type('<8>')",
        "cy.get('#password').type(password)",
        accepts=_is_setting,
    ),
    shape(  # of Testing Library and of Capybara
        "login",
        ("Text(/", "fill_in", "fill in "),
        r"(?:Text\(/[^\n/]{0,20}[pP]ass(?:word|phrase|code)?[^\n/]{0,20}/i?\),\s{1,20}"
        r"(?:\{\s?target:\s?\{\s?value:\s?)?"
        r"|fill[_ ]in[ (][\"'][^\n\"']{0,40}[pP]assword[^\n\"']{0,40}[\"'],?\s{1,4}with:? )"
        r"(?P<q>[\"'`])(?P<secret>[^\"'`\n]{3,200})(?P=q)",
        "user.type(screen.getByLabelText(/password/i), '<8>')",
        "user.type(screen.getByLabelText(/password/i), password), fill_in 'City', with: '<8>'",
        accepts=_is_setting,
    ),
    shape(
        "pair",
        (" / ",),
        r"@[\w-]{1,40}(?:\.[\w-]{1,40}){1,3} / [\"'`]?"
        r"(?P<secret>(?:[^\s\"'`/:,]|[/:,](?![\s/:,]|$)){6,100})",
        "test account: qa@example.com / <8>",
        "cc: bob@example.com / alice2@example.com",
        accepts=lambda text, match: (
            (_is_odd(text, match) or is_long_weak_password(match["secret"]))
            and _ADDRESS.fullmatch(match["secret"]) is None
        ),
    ),
    shape(
        "login",
        "btoa( b64encode( Buffer.from( base64_encode( toBase64(",
        r"(?:\bbtoa|b64encode|\bBuffer\.from|base64_encode|toBase64)\(\s{0,4}b?"
        r"(?P<q>[\"'`])[\w.@-]{1,64}:(?P<secret>[^\"'`\n]{3,200})(?P=q)",
        "'Basic ' + btoa('admin:<8>')",
        "btoa('user:password'), Buffer.from(`${user}:${password}`)",
        accepts=_is_password,
    ),
    shape(  # of jose: what a token is signed with
        "login",
        "TextEncoder().encode(",
        r"(?:[Vv]erify|[Ss]ign|[Kk]ey|[Ss]ecret|SECRET|KEY|[Jj]wt|JWT)\w{0,20}"
        r"(?:\([^\n\"'`()]{0,80}|\s{0,3}=\s{0,3}|\))(?:await )?"
        r"new (?:util\.)?TextEncoder\(\)\.encode\(\s{0,4}"
        r"(?P<q>[\"'`])(?P<secret>[^\"'`\n]{6,200})(?P=q)",
        'jwtVerify(token, new TextEncoder().encode("<24>"))',
        'sign(new TextEncoder().encode("a message"), new TextEncoder().encode(secret))',
        accepts=judged(Certainty.SETTING),
    ),
    shape(
        "login",
        "jwt.sign( jwt.verify( jwt.encode( jwt.decode( Hmac( JWT.encode( JWT.decode( JWT::encode(",
        # The key is the first text after a comma.
        r"(?:\b(?:jwt|JWT)(?:\.|::)(?:sign|verify|encode|decode)|create_?Hmac)\("
        r"(?:[^\n\"'`]{0,200}+[\"'][\w-]{1,12}[\"'])?[^\n\"'`]{0,200}+"
        r"(?:(?<=,)|(?<=,\s)|(?<=,\s\s)|(?<=,\s\s\s)|(?<=,\s\s\s\s))"
        r"(?P<q>[\"'`])(?P<secret>[^\"'`\n]{3,200})(?P=q)",
        "jwt.sign(user, '<8>', options)",
        "jwt.decode(token, key, 'HS256')",
        accepts=lambda _, match: (
            is_value(match["secret"], Certainty.PASSWORD)
            and re.fullmatch(rb"(?:[HREP]S|sha)-?\d{3}", match["secret"]) is None
        ),
    ),
    shape(  # a key that signs or encrypts, as the first argument
        "login",
        "hmac.new( Fernet( SignedString( HMAC256( HMAC384( HMAC512( ShaKeyFor( SecretKeySpec("
        " TimedSerializer( URLSafeSerializer(",
        r"(?:\bhmac\.new|\bFernet|\.SignedString|\.HMAC(?:256|384|512)|\bhmacShaKeyFor|\bSecretKeySpec"
        r"|TimedSerializer|\bURLSafeSerializer)\(\s{0,20}(?:key\s?=\s?)?(?:\[\]byte\(|b(?=[\"']))?"
        r"(?P<q>\\{0,3}[\"'`])(?P<secret>[^\"'`\s\\]{6,200})(?P=q)",
        'hmac.new(b"<32>", body, hashlib.sha256)',
        'hmac.new(key, b"<32>", "sha256"), Fernet("your-key-goes-here")',
        accepts=_is_setting,
    ),
    shape(  # the same after the name of a digest, and in PHP after the message
        "login",
        "hash_hmac( hmac.New( HMAC.hexdigest( HMAC.digest( HMAC.base64digest(",
        r"(?:\bhash_hmac\(\s{0,20}[\"'][\w/-]{3,20}[\"']\s?,\s{0,4}(?:[\"'][^\n\"']{0,100}[\"'],\s?"
        r"|[^\s\"'`,](?:[^\n\"'`\[]|\[(?:[\"'][\w-]{1,40}[\"']\])?){0,100}+(?:(?<=,)|(?<=,\s)))"
        r"|\bhmac\.New\(\s{0,20}[\w.]{3,40},\s{0,20}\[\]byte\("
        r"|\bHMAC\.(?:hex|base64)?digest\(\s{0,20}[^\n,]{3,60},\s{0,20})"
        r"(?P<q>\\{0,3}[\"'`])(?P<secret>[^\"'`\s\\]{6,200})(?P=q)",
        "hash_hmac('sha256', $body, '<32>')",
        "hash_hmac('sha256', $body, $key), hash_hmac('sha256', 'a-message-1', $key)",
        accepts=_is_setting,
    ),
    shape(  # of clients: the first argument is the name of a user
        "login",
        ".auth( .basic( .basic_auth( username_pw_set( .digest_auth(",
        r"(?:(?P<sure>\b(?:auth|AuthTokens)\.basic|\.(?:basic|digest)_auth|\busername_pw_set)"
        r"|\.auth)\(\s{0,20}"
        r"(?:\\{0,3}[\"'`][^\"'`\n\\]{0,80}\\{0,3}[\"'`]|[A-Za-z_][\w.]{0,40}),\s{0,20}(?:Some\()?"
        r"(?P<q>\\{0,3}[\"'`])(?P<secret>[^\"'`\n\\]{4,200})(?P=q)\s{0,20}[,)]",
        "request(app).get('/').auth('bob', '<12>')",
        "app.auth('google', 'oauth2'), db.auth(user, password)",
        accepts=lambda _, match: (
            is_value(match["secret"], Certainty.SETTING)
            if match["sure"]
            else _is_odd(_, match) or is_weak_password(match["secret"])
        ),
    ),
    shape(  # of clients: the only argument is a password or a token
        "login",
        ".auth( :auth( .bearer_auth( withToken( etAuthToken( etBearerAuth(",
        r"(?:\b(?:redis|jedis|client|conn|connection|cache|rdb|r)\w{0,20}[.:]auth"
        r"|\.bearer_auth|\bwithToken|\b[sS]etAuthToken|\b[sS]etBearerAuth)\(\s{0,20}"
        r"(?P<q>\\{0,3}[\"'`])(?P<secret>[^\"'`\s\\]{5,400})(?P=q)\s{0,20}[,)]",
        "redis.auth('<20>')",
        "redis.auth(password), app.auth('oauth2'), client.auth('google')",
        accepts=lambda _, match: _is_odd(_, match) or is_weak_password(match["secret"]),
    ),
    shape(  # of wandb, and others like it
        "login",
        "login(key=",
        r"\blogin\(key=(?P<q>\\{0,3}[\"'])(?P<secret>[\w.-]{16,200})(?P=q)",
        'wandb.login(key="<hex 40>")',
        "wandb.login(key=os.environ['WANDB_KEY'])",
        accepts=_is_odd,
    ),
    shape(  # the third argument: of smtp in Go, and of Sequelize
        "login",
        "PlainAuth( Sequelize(",
        r"(?:\bPlainAuth|\bSequelize)\("
        r"(?:\s{0,20}(?:\\{0,3}[\"'`][^\"'`\n\\]{0,80}\\{0,3}[\"'`]|[A-Za-z_][\w.]{0,40})\s{0,4},){2}"
        r"\s{0,20}(?P<q>\\{0,3}[\"'`])(?P<secret>[^\"'`\n\\]{3,200})(?P=q)\s{0,20}[,)]",
        'smtp.PlainAuth("", "me@example.com", "<16>", "smtp.example.com")',
        'smtp.PlainAuth("", "me@example.com", password, "smtp1.example.com")',
        accepts=_is_setting,
    ),
    shape(  # of Go: user:password@tcp(host:3306)/db
        "url-password",
        "@tcp( @unix( @tcp6(",
        r"(?<=[\"'`=\s])[\w.-]{1,64}:(?P<secret>[^\s\"'`]{1,128})@(?:tcp6?|unix)\(",
        'sql.Open("mysql", "root:<8>@tcp(127.0.0.1:3306)/shop")',
        "$user:$password@tcp(localhost)",
        accepts=_is_password,
    ),
    shape(
        "cookie",
        "_session= SESSID= SESSIONID= sessionid= connect.sid=",
        r"(?:_session|SESSID|SESSIONID|\bsessionid|connect\.sid)=([A-Za-z0-9%._~+/=-]{24,})",
        "laravel_session=<60>",
        "connect.sid=x",
        mixed=True,
    ),
    grammar(
        "xml-password",
        ('value="', 'value=\\"', "value='"),
        rb"\b[vV]alue=(?P<q>\\{0,3}[\"'])(?P<secret>[^\"'<>\r\n\\]{3,400})(?P=q)\s{1,80}"
        rb"(?:\w{1,20}:)?(?:name|key|id)=(?P=q)(?P<name>[\w.:-]{2,120})(?P=q)",
        each(_of_attributes),
        '<meta-data android:value="<24>" android:name="com.example.API_KEY" />',
        '<input value="<24>" name="title" />',
    ),
    shape(
        "login",
        "ecureString AdminPassword",
        r"(?:ConvertTo-SecureString(?:\s{1,3}-(?:String|AsPlainText|Force|Key\s\S{1,60})){0,4}\s{1,3}"
        r"(?P<q>[\"'])?|initialAdminPassword\s{1,4})"
        r"(?P<secret>(?(q)[^\s\"'$][^\r\n\"']{2,200}|[^\s\"'$()-][^\s\"']{2,200}))",
        'ConvertTo-SecureString "<8>" -AsPlainText -Force',
        "ConvertTo-SecureString $password",
        accepts=lambda _, match: is_value(
            match["secret"], Certainty.PASSWORD if match["q"] else Certainty.SETTING
        ),
    ),
    shape(
        "login",
        ("| ConvertTo-SecureString", "|ConvertTo-SecureString"),
        r"(?P<q>[\"'])(?P<secret>[^\s\"'$][^\r\n\"']{2,200})(?P=q) ?\| ?ConvertTo-SecureString",
        '"<8>" | ConvertTo-SecureString -AsPlainText -Force',
        "$password | ConvertTo-SecureString -AsPlainText -Force",
        accepts=_is_password,
    ),
    shape(  # of 1Password
        "command-line",
        ("[password]=", "[concealed]="),
        r"\[(?:password|concealed)\]=(?P<secret>[^\s\"']{3,200})",
        "op item edit x 'db.login[password]=<8>'",
        "op item edit x 'db.login[password]=$PW'",
        accepts=_is_password,
    ),
    shape(
        "command-line",
        ("mount ", "cifs"),
        r"\b(?:mount|cifs)\b[^\n]{0,200}?[ ,]pass(?:word|wd)?=(?P<secret>[^\s,\"']{3,200})",
        "mount -t cifs //srv/x /mnt -o username=bob,password=<8>",
        "mount -t cifs //srv/x /mnt -o username=bob,password=$PW",
        accepts=_is_password,
    ),
    shape(
        "oracle-login",
        ("sqlplus ", "jdbc:oracle", "impdp ", "expdp ", "sqlldr ", "rman target "),
        r"(?:\b(?:sqlplus|impdp|expdp|sqlldr|rman target)\s(?:-\w{1,2}\s|userid=)?|oracle:thin:)"
        r"[\"']?[A-Za-z]\w{0,30}/(?:\\{0,3}\"(?=[^\s\"]{3,64}\"@))?"
        # It ends with the last `@` of the word; without any, it has no slash.
        r"(?=[^\s/@\"']{3,64}(?:[\s\"']|$)|[^\s\"']{3,64}\\{0,3}\"?@)"
        r"(?P<secret>[^\s\"'@/][^\s\"']{2,63}?)"
        r"(?:(?P<at>\\{0,3}\"?@)(?=[^\s@\"']{1,400}(?:[\s\"']|$))|(?=[\s\"']|$))",
        "sqlplus system/<8>@//localhost:1521/XE",
        "sqlplus /nolog @script",
        accepts=lambda _, match: is_value(
            match["secret"], Certainty.PASSWORD if match["at"] else Certainty.SENTENCE
        ),
    ),
    shape(
        "jwk",
        ('"kty"', '"kty\\'),
        r"\\{0,7}\"(?:d|k|p|q|dp|dq|qi)\\{0,7}\"\s{0,3}:\s{0,3}\\{0,7}\"([A-Za-z0-9_-]{30,})",
        '{"kty":"RSA","d":"<86>"}',
        '{"kty":"RSA","n":"<86>","e":"AQAB"}',
        accepts=lambda text, match: (
            b"kty" in text[max(0, match.start() - 4000) : match.end() + 4000]
        ),
        of_object=True,
    ),
    shape(
        "private-key",
        "Private-Lines",
        r"Private-Lines: \d{1,3}\s{1,3}([A-Za-z0-9+/=]{16,80}"
        r"(?:\s{1,3}[A-Za-z0-9+/=]{16,80}){0,199}(?:\s{1,3}[A-Za-z0-9+/=]{2,15}(?=\s{1,3}Private-MAC))?)",
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\n<64>\nPrivate-MAC: <hex 40>",
        "Private-Lines: 14",
    ),
    shape(
        "private-key",
        "ANSIBLE_VAULT OpenVPN",
        r"(?:\$ANSIBLE_VAULT;[\d.]{3};\w{3,10}[;\w]{0,40}"
        r"|-----BEGIN OpenVPN Static key V1-----)(?:\\n|\s){1,9}"
        r"([0-9a-f]{32,80}(?:(?:\\n|\s){0,12}[0-9a-f]{32,80}){0,99999})",
        "$ANSIBLE_VAULT;1.1;AES256\n<hex 80>",
        "$ANSIBLE_VAULT;1.1;AES256",
    ),
    shape(
        "network-password",
        (
            "snmp-server",
            "enable ",
            *(f"{name} {digit} " for name in ("assword", "ecret") for digit in "057"),
        ),
        r"(?:snmp-server community|enable (?:secret|password)(?: \d)?"
        r"|\b(?:password|secret) [057]) (?P<secret>[^\s\"']{4,200})",
        "snmp-server community <8> RO",
        "snmp-server community public RO, enable secret scanning",
        accepts=_is_setting,
    ),
    shape(
        "network-password",
        "requirepass rootpw insecure-password",
        r"(?:masterauth|requirepass|rootpw|insecure-password)\s{1,9}(?:--plaintext\s{1,9})?\"?(?P<secret>[^\s\"]{3,200})",
        "requirepass <8>",
        'requirepass ""',
        accepts=_is_password,
    ),
    shape(  # of HAProxy
        "login",
        ("stats auth ",),
        r"\bstats auth {1,9}[\w.-]{1,40}:(?P<secret>[^\s\"'#]{3,200})",
        "stats auth admin:<8>",
        "stats auth admin:$STATS_PASSWORD",
        accepts=_is_password,
    ),
    shape(  # of pgbouncer
        "password-hash",
        ('" "md5', '\\" \\"md5'),
        r"(?<=\" \")md5[0-9a-f]{32}(?=\")",
        '"app" "md5<hex 32>"',
        '"app" "md5sum"',
    ),
    grammar(  # the same after the name of the file, where it may be plain
        "login",
        "userlist.txt",
        rb"userlist\.txt[^\S\n]{0,3}\r?\n",
        each(_in_userlist),
        'cat userlist.txt\n"app" "<8>"',
        'cat userlist.txt\n"app" ""',
    ),
    shape(
        "pair",
        tuple(
            f"{name}{sign}{bracket}"
            for name in ("reds", "redentials", "REDS", "REDENTIALS", "AUTH")
            for sign in ("=", " = ", ": ")
            for bracket in "(["
        )
        + tuple(
            f"auth{quote}:{blank}{bracket}"
            for quote in ('"', "'", '\\"')
            for blank in (" ", "")
            for bracket in "(["
        ),
        r"(?:(?P<named>\b(?:\w{0,40}_)?(?:[cC]red(?:ential)?s|CRED(?:ENTIAL)?S|AUTH)(?: = |=|: ))"
        r"|\bauth\\{0,3}[\"']: ?)[(\[]\s{0,20}"
        r"\\{0,3}[\"'][\w.@+-]{1,64}\\{0,3}[\"'],\s{0,20}"
        r"(?P<q>\\{0,3}[\"'])(?P<secret>[^\"'\n\\]{4,200})(?P=q)\s{0,20}[)\]]",
        'credentials = ("app", "<8>")',
        'credentials = ("user", "password"), credentials = (user, password)',
        accepts=lambda text, match: (
            _is_setting(text, match)
            if match["named"]
            else _is_odd(text, match) or is_weak_password(match["secret"])
        ),
    ),
    shape(
        "pair",
        (
            *("user/pass", "ogin with ", "reds are ", "reds: ", "redentials are ", "redentials: "),
            *("ign in with ", "ign in as ", "og in with ", "og in as ", "ogged in as "),
            *("og in at ", "ign in at ", "ogin is ", "ogin: ", "reds ", "redentials for "),
            *("ogging in with ", "ogging in as ", "** / ", "` / ", "ogin ", "ccount: ", "ser: "),
        ),
        r"(?=[AaCcLlSsUu][ciors])"  # quicker than to try each
        r"(?:user/pass(?:word)?|[Ll]ogin (?:with|is)|[Ll]ogin(?= [\w.@-]{2,40} / )"
        r"|[Ll]ogin(?=(?:\*\*)?: ?)"
        r"|(?:[Aa]ccount|[Uu]ser)(?=(?:\*\*)?:(?:\*\*)? {1,3}[^\s/]{2,46} / )"
        r"|(?:[Ss]ign|[Ll]og(?:ged|ging)?) in (?:at https?://\S{1,200} )?(?:with|as)"
        r"|[Cc]red(?:ential)?s(?: for [^\n.:=]{1,40}?)?(?: are)?)"
        r"(?:\*\*)?(?: ?[:=])?(?:\*\*)?\s{1,3}(?:\*\*|[\"'`])?"
        r"[A-Za-z][\w.@-]{1,40}(?:\*\*|[\"'`])?(?:[:/]| / )(?:(?P<bold>\*\*)|[\"'`])?"
        r"(?![^\s\"'`*]{0,60}\.[a-z]{2,4}\b)"
        r"(?P<secret>(?:(?(bold)[^\s\"'`/:,*]|[^\s\"'`/:,])|[/:](?![\s/:,]|$)){4,100})",
        "login with bob/<8>",
        "login with your account",
        accepts=lambda text, match: _is_odd(text, match) or is_long_weak_password(match["secret"]),
    ),
    shape(
        "pipe",
        "chpasswd",
        r"(?:echo|printf)\s{1,3}(?:-[A-Za-z]{1,3}\s{1,3})?[\"']?[a-z_][\w-]{0,30}:(?P<secret>[^\s\"']{3,100})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s)?chpasswd",
        'echo "deploy:<8>" | chpasswd',
        "cat users | chpasswd",
        accepts=_is_password,
    ),
    grammar(  # of cloud-init, or what a shell gives it
        "pipe",
        ("chpasswd:", "chpasswd <<"),
        rb"chpasswd(?::[ \t]{0,9}\r?\n(?:[ \t]{1,20}[\w-]{1,20}:(?:[ \t][^\n]{0,40})?\n){0,3}"
        rb"| <<-?[ \t]?[\"']?\w{1,20}[\"']?\r?\n)(?=[ \t]{0,20}(?:- )?[a-z_])",
        each(_in_chpasswd),
        "chpasswd:\n  list: |\n    ubuntu:<8>\n",
        "chpasswd:\n  expire: false\n",
    ),
    shape(
        "extended-key",
        "xprv yprv zprv tprv nsec1",
        rf"{START}"
        r"(?:[xyzt]prv[1-9A-HJ-NP-Za-km-z]{90,120}|nsec1[a-z0-9]{50,62})(?![A-Za-z0-9])",
        "xprv9<106>".replace("<106>", "s21ZrQH143K" * 9),
        "xprv is a prefix, nsec1 too",
    ),
    grammar(
        "kubernetes-secret",
        (
            "kind: Secret",
            'kind": "Secret',
            'kind\\": \\"Secret',
            'kind":"Secret',
            'kind\\":\\"Secret',
        ),
        rb"(?:^|(?<=\n))(?P<indent>[ ]{0,8})(?:d|stringD)ata:(?=[ \t]{0,3}\r?\n)"
        rb"|\"(?:d|stringD)ata\\{0,7}\":\s{0,3}\{",
        each(_in_manifest),
        "kind: Secret\ndata:\n  tls.p12: <40>\n",
        "kind: SecretStore\ndata:\n  region: eu-west-1\nkind: ConfigMap\ndata:\n  host: db-1\n",
    ),
)
