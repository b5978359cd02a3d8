"""
Passwords and keys that a program gives to a call as a literal, known by their place.

One grammar for all: the name of a call, and its arguments one by one. A table says which of them is
the secret: the one after a user, the one after the name of an entry in a directory, or the first.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.shape import Found, Shape, each, grammar, shape
from acp_spy.secrets.values import Certainty, is_value, is_weak_password, looks_random

_QUOTED = (
    r"(?P<q>\\{0,3}[\"'`])(?P<secret>(?:[^\"'`\r\n\\]|\\(?![\"'`\\])|\\\\(?![\"'`])){0,200}?)(?P=q)"
)
# What makes bytes, or letters, of a text.
_FROM_TEXT = (
    r"(?:\[\]byte\(|(?:\w{1,20}\.){0,4}(?:GetBytes|FromBase64String|utf8ToBytes|toByteArray)\("
    r"|(?:Some|String::from|Buffer\.from|SecureString|bytes|base64\.b64decode)\()\s{0,40}"
)
_LITERAL = (
    rf"(?:[bruL@]{{1,2}}(?=\\{{0,3}}[\"'`])|(?P<made>{_FROM_TEXT})(?:[bruL@](?=\\{{0,3}}[\"'`]))?)?{_QUOTED}"
    r"(?(made)(?:,[^()\"'`\r\n]{0,40}(?:[\"'][\w-]{1,20}[\"'])?)?\s{0,40}\))"
    r"(?:\.\w{1,20}\([\w.\"'-]{0,40}\)){0,2}"
)
_ARGUMENT = expression(
    rf"\s{{0,80}}(?:\w{{1,30}}\s?[=:]\s?)?(?:{_LITERAL}"
    r"|(?P<other>(?:[^,()\"'`\r\n]|\((?:[^()\"'`\r\n]|\\{0,3}[\"'][^\"'\r\n]{0,80}[\"'])"
    r"{0,100}+\)){1,100}+))\s{0,80}(?P<end>[,)])".encode()
)
_ITEM = expression(rf"\s{{0,40}}{_QUOTED}\s{{0,40}}[,\]]".encode())
_MOST = 6  # arguments that are read
_ENTRY = expression(rb"(?i)(?:cn|uid|ou|dc|o|mail|samaccountname)=.+|[\w.+-]+@[\w-]+\.[\w.-]+")
_NAME_OF_ENTRY = expression(
    rb"(?i)\$?(?:[\w.>-]*[_.>]|[\w.]*)?(?:dn|bind_?user|bind_?name|principal)"
)
_USER = expression(rb"[A-Za-z][\w.@+\\-]{1,60}")
_NAME_OF_USER = expression(rb"(?i)\$?[\w.>-]{0,60}(?:user|user_?name|login|uid|account)")
_PORT = expression(rb"\$?[0-9]{2,5}|(?i:[\w.$]{0,40}port)|None|null")
_LEAST_RANDOM = 16

Arguments = list[re.Match[bytes]]


def _arguments(text: bytes, at: int) -> Arguments:
    """Return the arguments of the call whose bracket ends at `at`: the first of them."""
    found: Arguments = []
    while len(found) < _MOST and (argument := _ARGUMENT.match(text, at)):
        found.append(argument)
        if argument["end"] == b")":
            break
        at = argument.end()
    return found


def _at(place: int, arguments: Arguments) -> Arguments:
    return arguments[place : place + 1]


def _last_or(place: int, arguments: Arguments) -> Arguments:
    """Give the third of three, of a resource, a user and a password, else the one at `place`."""
    return arguments[2:3] if len(arguments) == 3 else arguments[place : place + 1]


def _made(arguments: Arguments) -> Arguments:
    """Give those that are made of a text: keys, not the name of a file or a network."""
    return [argument for argument in arguments if argument["made"]]


def _after_entry(arguments: Arguments) -> Arguments:
    """Give the one after the name of an entry in a directory: `cn=admin,dc=example`."""
    for entry, argument in pairwise(arguments):
        name = entry["other"]
        if (
            _ENTRY.fullmatch(entry["secret"])
            if name is None
            else _NAME_OF_ENTRY.fullmatch(name.strip())
        ):
            return [argument]
    return []


def _after_user(arguments: Arguments) -> Arguments:
    """Give the one after a host, which may have a port, and a user."""
    rest = arguments[1:]
    if rest and rest[0]["other"] is not None and _PORT.fullmatch(rest[0]["other"].strip()):
        del rest[0]
    if len(rest) < 2 or not rest[1]["secret"]:
        return []
    name = rest[0]["other"]
    is_user = (
        _USER.fullmatch(rest[0]["secret"])
        if name is None
        else _NAME_OF_USER.fullmatch(name.strip())
    )
    return rest[1:2] if is_user else []


def _is_password(value: bytes) -> bool:
    return is_value(value, Certainty.PASSWORD)


def _is_setting(value: bytes) -> bool:
    return is_value(value, Certainty.SETTING)


def _is_odd(value: bytes) -> bool:
    return is_value(value, Certainty.SENTENCE) or is_weak_password(value)


def _read(
    chosen: Callable[[Arguments], Arguments],
    is_one: Callable[[bytes], bool],
    text: bytes,
    call: re.Match[bytes],
) -> Iterator[Found]:
    for argument in chosen(_arguments(text, call.end())):
        if argument["secret"] and is_one(argument["secret"]):
            yield *argument.span("secret"), "login"


def _in_list(text: bytes, head: re.Match[bytes]) -> Iterator[Found]:
    """Give the literals of a list of keys."""
    at = head.end()
    while (item := _ITEM.match(text, at)) and _is_setting(item["secret"]):
        yield *item.span("secret"), "login"
        at = item.end()


def _call(
    names: str,
    keywords: str,
    chosen: Callable[[Arguments], Arguments],
    is_one: Callable[[bytes], bool],
    example: str,
    near_miss: str,
) -> Shape:
    """Declare calls with one of these names, of whose arguments the `chosen` are secrets."""
    return grammar(
        "login",
        keywords,
        rf"(?:{names})\(".encode(),
        each(partial(_read, chosen, is_one)),
        example,
        near_miss,
    )


def _is_random(_: bytes, match: re.Match[bytes]) -> bool:
    value = match["secret"]
    if not match[0].endswith(b")"):  # no bytes: a text may be any key
        return False
    return len(value) >= _LEAST_RANDOM and is_value(value, Certainty.KEY) and looks_random(value)


ARGUMENTS = (
    _call(
        r"\b(?:PasswordAuthentication|UsernamePassword(?:Credentials?|AuthenticationToken\w{0,20})"
        r"|NetworkCredential|BasicCredentials|Credentials\.basic|simple_bind(?:_s)?|ldap_simple_bind_s"
        r"|(?:cx_Oracle|oracledb)\.connect|oci_p?connect|UsernamePasswordToken"
        r"|UsernameAndPassword|HttpBasicAuthenticator|Basic(?:AWS|Session)Credentials"
        r"|AwsBasicCredentials\.create|NewStaticCredentials(?:Provider)?)",
        "dAuthentication( dCredentials( dCredential( kCredential( nticationToken("
        " Credentials.basic( cCredentials( simple_bind( simple_bind_s( Oracle.connect("
        " oracledb.connect( oci_connect( oci_pconnect( dToken( dPassword( cAuthenticator("
        " SCredentials( nCredentials( Credentials.create( cCredentialsProvider(",
        partial(_at, 1),
        _is_password,
        'new PasswordAuthentication("bob", "<8>")',
        'new PasswordAuthentication(user, password), new PasswordAuthentication("bob", "password")',
    ),
    _call(
        r"\bPasswordCredential",
        "PasswordCredential(",
        partial(_last_or, 1),
        _is_password,
        'new PasswordCredential("shop", "bob", "<8>")',
        "new PasswordCredential(resource, user, password)",
    ),
    _call(
        r"\b(?:ldap_bind|ftp_login|ssh2_auth_password|imap_open|odbc_p?connect"
        r"|DriverManager\.getConnection|(?:pymssql|pymysql|MySQLdb)\.connect|mysql_connect)",
        "ldap_bind( ftp_login( auth_password( imap_open( odbc_connect( odbc_pconnect("
        " getConnection( pymssql.connect( pymysql.connect( MySQLdb.connect( mysql_connect(",
        partial(_at, 2),
        _is_password,
        'ldap_bind($c, "cn=admin,dc=example,dc=com", "<8>")',
        "ldap_bind($c, $dn, $password)",
    ),
    _call(
        r"\.[bB]ind(?:_s|Async|Sync)?|\bConnection|\.rebind_s|\bldap_bind_s|\bLdapConnection\w{0,20}",
        ".bind( .Bind( .bind_s( .bindAsync( .BindAsync( .bindSync( Connection("
        " .rebind_s( ldap_bind_s(",
        _after_entry,
        _is_password,
        'conn.bind("cn=admin,dc=example,dc=com", "<8>")',
        'server.bind("tcp", "<8>"), conn.bind("cn=admin,dc=example,dc=com", password)',
    ),
    _call(
        r"(?:ssh|SSH|sftp|SFTP|ftp|FTP|[cC]lient|[cC]onn|db|DB|[tT]elnet|[sS]ession)"
        r"\w{0,12}\.[cC]onnect",
        ".connect( .Connect(",
        _after_user,
        _is_odd,
        'ssh.connect("10.0.0.3", 22, "deploy", "k7%Jm2-x9")',
        'ssh.connect("10.0.0.3", 22, "deploy", password), client.connect("a", "b", "utf-8")',
    ),
    _call(  # keys that sign or encrypt
        r"\b(?:SymmetricSecurityKey|HMAC(?:SHA\d{1,3}|MD5)|hmacShaKeyFor|SecretKeySpec|cookieParser"
        r"|[cC]reateSecretKey|SigningKey::from_bytes|aes\.NewCipher|AES\.new|Hmac\w{0,12}::new_from_slice)",
        "SecurityKey( HMACSHA1( HMACSHA256( HMACSHA384( HMACSHA512( HMACMD5( ShaKeyFor("
        " SecretKeySpec( cookieParser( SecretKey( from_bytes( NewCipher( AES.new( from_slice(",
        partial(_at, 0),
        _is_setting,
        'new SymmetricSecurityKey(Encoding.UTF8.GetBytes("<24>"))',
        "new SymmetricSecurityKey(Encoding.UTF8.GetBytes(settings.Key)), cookieParser()",
    ),
    _call(  # stores of sessions, in Go
        r"\bNew(?:Cookie|Filesystem|Redis|PG|Mem\w{0,8})?Store(?:WithDB|FromPool)?|\bcsrf\.Protect|\bsecurecookie\.New"
        r"|\bcsrf\.New",
        "Store( StoreWithDB( StoreFromPool( csrf.Protect( securecookie.New( csrf.New(",
        _made,
        _is_setting,
        'sessions.NewCookieStore([]byte("<24>"))',
        'sessions.NewCookieStore([]byte(os.Getenv("SESSION_KEY1")))',
    ),
    shape(
        "login",
        "CREDENTIALS, PASSWORD, SECRET, PASSWORD_CONFIG,",
        r"\b(?:put|set|setProperty|add|option|property|addToEnvironment)\(\s{0,40}(?:\w{1,40}\.){1,3}"
        r"[A-Z_]{0,60}(?:PASSWORD|CREDENTIALS|SECRET)(?:_CONFIG)?,\s{0,40}" + _QUOTED,
        'env.put(Context.SECURITY_CREDENTIALS, "<8>")',
        "env.put(Context.SECURITY_CREDENTIALS, password)",
        accepts=lambda _, match: _is_setting(match["secret"]),
    ),
    shape(  # any key that is made of a text, if it looks random
        "login",
        ("GetBytes(", "[]byte(", "FromBase64String(", ".getBytes(", ".encode(", ".as_bytes("),
        rf"(?:[kK]ey|KEY)(?:\s?:\s?&?\[u8(?:; \d{{1,4}})?\])?\s{{0,4}}:?=\s{{0,4}}{_LITERAL}",
        'var key = Encoding.ASCII.GetBytes("<40>")',
        'cacheKey := []byte("user:1234"), key = "user-1".encode()',
        accepts=_is_random,
    ),
    grammar(  # of Express
        "login",
        "Session({",
        rb"\bcookieSession\(\{[^{}()]{0,300}?\bkeys:\s?\[",
        each(_in_list),
        "app.use(cookieSession({ name: 's', keys: ['<24>'] }))",
        "app.use(cookieSession({ keys: [process.env.KEY1] }))",
    ),
)
