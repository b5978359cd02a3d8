"""
Names whose value is a secret whatever it looks like: `apiKey`, `DB_PASSWORD`, `--auth-token`.

This is the one vocabulary: names in JSON, variables, options, headers and parameters of URLs are
all asked about here. A name is taken word by word, and its last words decide.
"""

import re
from enum import Enum
from functools import lru_cache

from acp_spy.secrets.expressions import expression


class Strength(Enum):
    """What a name says about its value: a weak word may be a password, but not a key."""

    NONE = 0
    PASSWORD = 1
    SECRET = 2
    KEY = 3
    PIN = 4
    PHRASE = 5


class SectionStrength(Enum):
    """What the name of a section says about a `key` in it."""

    NONE = 0
    OF_MANY = 1  # it may name something
    OF_SECRETS = 2
    OF_KEYS = 3  # one may be made up by hand


_PASSWORDS = frozenset(
    (
        *("password", "passwords", "passwd", "passphrase", "passphrases", "passcode", "passwort"),
        *("kennwort", "pwd", "psw", "psk", "contrasena", "senha"),
    )
)
# Passwords, too, where the value looks like one: `pass` is also what a test does.
_SHORT_PASSWORDS = frozenset(("pass", "pw"))
# What passes something on: `fastcgi_pass` of nginx, the passes of a renderer.
_THAT_PASS = frozenset(
    (
        *("proxy", "fastcgi", "uwsgi", "scgi", "grpc", "memcached"),
        *("render", "shadow", "first", "second", "third", "multi"),
        "expect",
    )
)
_SECRETS = frozenset(("secret", "secrets", "credential", "credentials", "salt"))
_TOKENS = frozenset(("authorization", "cookie", "bearer", "jwt", "totp", "psk", "hmac", "pepper"))
# Said of a value after what it is: `API_KEY_PROD`, `SECRET_KEY_BASE`, `password1`.
SUFFIXES = frozenset(
    (
        *("base", "confirmation", "confirm", "plain", "plaintext", "prod", "production", "dev"),
        *(
            "staging",
            "live",
            "old",
            "new",
            "current",
            "backup",
            "b",  # 64
            "base64",
            "value",
            "default",
            "string",
            "binary",
        ),
    )
)
# What a token is of that is none of ours: places in a list, progress, and pieces of a text.
_OTHER_TOKENS = frozenset(
    (
        *("page", "next", "previous", "prev", "progress", "cancellation", "cancel", "continuation"),
        *("continue", "sync", "done", "result", "max", "min", "total", "input", "output", "cached"),
        *("cache", "thought", "prompt", "completion", "reasoning", "stop", "start", "end", "eos"),
        *("bos", "pad", "unk", "sep", "cls", "mask", "special", "semantic", "syntax", "first"),
        *("last", "per", "new", "num", "count", "by"),
    )
)
_PLURAL_TOKENS = frozenset(
    ("access", "refresh", "auth", "api", "id", "oauth", "bearer", "session", "user", "bot")
)
# What a key is of that is one.
_KEYS = frozenset(
    (
        *("api", "access", "secret", "private", "account", "signing", "auth", "encryption"),
        *("subscription", "master", "shared", "deploy", "storage", "hmac", "jwt", "license"),
        *("preshared", "consumer", "webhook", "instrumentation", "unseal", "recovery", "cookie"),
        *("maps", "wallet", "decryption", "app", "rsa", "crypto", "cipher", "ssl", "tls", "root"),
        *("fernet", "primary", "secondary", "deterministic", "validation"),
        *("openai", "anthropic", "claude", "gemini", "google", "openrouter", "deepseek", "groq"),
        *("mistral", "azure", "aws", "xai", "cohere", "tavily", "github", "gitlab", "stripe"),
    )
)
# Sections whose `key` is a secret if it looks random, with those of `_KEYS`; in the first of them
# one may be made up by hand; in the last, a number that names something is as likely.
_SECTIONS_OF_KEYS = frozenset(
    (
        *("jwt", "jws", "jwe", "hmac", "aes", "encryption", "encrypt", "signing", "signature"),
        *("crypto", "cryptography", "cipher"),
    )
)
_SECTIONS = _KEYS | frozenset(
    (
        *("authentication", "authorization", "oauth", "credential", "credentials", "secrets"),
        *("token", "tokens", "security", "cookies", "llm", "maps", "sendgrid", "mailgun", "twilio"),
        *("pusher", "algolia", "mapbox", "datadog", "sentry", "supabase", "firebase", "cloudflare"),
        *("deepl", "elevenlabs", "resend", "pinecone", "postmark", "mailchimp", "replicate"),
        *("huggingface", "perplexity", "weather", "recaptcha", "captcha", "paypal"),
    )
)
_SECTIONS_OF_MANY = frozenset(("session", "sessions", "app", "account", "storage", "license"))
# Variables and options are secrets unless they are these: nobody passes on the key of a table.
_OTHER_KEYS = frozenset(
    (
        *("public", "pub", "primary", "foreign", "sort", "cache", "partition", "idempotency"),
        "host",
        *("publishable", "hot", "shortcut", "group", "index", "hash", "row", "routing", "object"),
        "config",
    )
)
# Headers that say no more.
_BARE_HEADERS = frozenset(("X-Key", "x-key", "X-Auth", "x-auth"))
# A folder, what a test does, an algorithm: only its value can tell.
UNDECIDED = frozenset(("PWD", "pass", "pw", "hmac", "appKey", "app_key", "pepper", *_BARE_HEADERS))
# Of a table, or of a check; but also a random one.
_UNDECIDED_KEY = expression(r"(?i)(?:primary|secondary|deterministic|validation)[_-]?key\Z")
_IN_CAPITALS = frozenset(
    ("pass", "pwd", "pat", "auth", "pw", "tok")
)  # DB_PASS; `auth` alone may be anything
_AS_OPTION = frozenset(("key", "pass", "auth", "pat"))
_NO_OPTION = frozenset(("tokens", "ssh-key"))  # a number, a file
# What an option does with keys, of which it takes the name, or without a word after it: `gpg
# --export-secret-keys`, `--generate-password`.
_ACTION = expression(
    r"--?(?:(?:delete|edit|export|install|recv|send|sign)-(?:secret-)?(?:sub)?keys?"
    r"|(?:ask|disabled?|generate|list|no|skip)[-_].+)"
    r"|-Pw"  # of grep
)

_LONGEST = 256  # what is longer is no name
_WORD = expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_RUN_TOGETHER = expression(
    r"(.*?)(tokens?|secrets?|passwords?|passwd|passphrase|credentials?|cookie|keys?|pwd"
    r"|(?<=ssh|.db|ore|key|.my|ser|mtp|map|ftp|oot|min|ire|udo|ome|ifi|ail|.pg|sql|dis|dap|ind)pass"
    r"|(?<=\Adb|\Apg)pass"
    r"|(?<=root|bind|dmin|user)pw|(?<=password)salt)"
)
_OPTION = expression(r"--?([A-Za-z][\w.-]*)")
_NAME_AND_VALUE = expression(r"([A-Za-z_][\w.-]*|--?[A-Za-z][\w.-]*)=(.+)", re.DOTALL)
_HEADER_LINE = expression(r"([A-Za-z][A-Za-z0-9-]*):\s*(.+)", re.DOTALL)
_UP_TO_A_BLANK = expression(r"\"[^\"]*\"?|'[^']*'?|[^\s;&|]+")
_SHELL = expression(r"-[a-z]*c")  # sh -c, bash -lc: what follows is a line for a shell


def is_secret_name(name: str) -> bool:
    """Whether the value that goes by `name` is a secret."""
    return len(name) <= _LONGEST and _is_secret_name(name)


def strength_of(name: str) -> Strength:
    """Return what `name` says about its value, for a value in a text that must be judged, too."""
    return _strength_of(name) if len(name) <= _LONGEST else Strength.NONE


def is_undecided_key(name: str) -> bool:
    """Whether the key may be that of a table: only its value can tell."""
    return _UNDECIDED_KEY.search(name) is not None


def _is_secret_name(name: str) -> bool:
    if name in UNDECIDED or is_undecided_key(name):
        return False
    return _strength_of(name) in (Strength.PASSWORD, Strength.SECRET, Strength.KEY)


_DOTTED_KEY = re.compile(r"(?i)\b(secret|api|access|private|signing)\.(keys?)\Z")
# As a name spells it: `-predacted-secret-1`, `X_REDACTED_SECRET_1`.
_PLACEHOLDER = re.compile(r"(?i:redacted)[-_]")


@lru_cache(maxsize=4096)  # a conversation has few names, and each of them often
def _strength_of(name: str) -> Strength:
    if _PLACEHOLDER.search(name):  # a key that was a secret itself says nothing
        return Strength.NONE
    # Of `example.com/token`, but all of `play.http.secret.key`.
    own = re.split(r"[/.:]", _DOTTED_KEY.sub(r"\1_\2", name.rstrip("/.:")))[-1]
    words = [word.lower() for word in _WORD.findall(own)]
    while len(words) > 1 and (words[-1] in SUFFIXES or words[-1].isdigit()):
        words.pop()
    if words[-3:] == ["client", "key", "data"]:  # of kubeconfig
        return Strength.KEY
    if not words:
        return Strength.NONE
    is_header = own[:2] in ("x-", "X-")
    is_variable = (own.isupper() or is_header) and len(words) > 1
    if found := _RUN_TOGETHER.fullmatch(words[-1]):
        words[-1:] = filter(None, found.groups())
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _PASSWORDS or last in _SHORT_PASSWORDS or _is_other_password(own):
        return Strength.PASSWORD if _is_password(last, before) else Strength.NONE
    if last in _SECRETS or (last in ("cred", "creds") and "_" in own):
        return Strength.SECRET
    if last == "pin":
        return Strength.PIN
    if last in ("mnemonic", "seed") or words[-2:] == ["seed", "phrase"]:
        return Strength.PHRASE
    return Strength.KEY if _is_key(last, before, words, is_variable=is_variable) else Strength.NONE


def _is_password(last: str, before: str) -> bool:
    if before in ("by", "com") or (last == "pass" and before in _THAT_PASS):
        return False
    # The folder before; what a test does.
    return before not in ("old", "test") or last not in ("pass", "pw", "pwd")


def _is_other_password(name: str) -> bool:
    return name.lower() in ("rediscli_auth", "redis_auth") or "contrase" in name.lower()


def _is_key(last: str, before: str, words: list[str], *, is_variable: bool) -> bool:
    if is_variable and _is_secret_variable(words):
        return True
    if last in ("key", "keys"):
        return before in _KEYS or before.endswith("api")
    if last == "tokens":
        return not before or before in _PLURAL_TOKENS
    if last == "token":
        return before not in _OTHER_TOKENS and not before.endswith(("page", "progress"))
    if last in ("code", "codes"):
        return before in ("auth", "authorization", "device", "recovery", "backup")
    if last == "verifier":
        return before == "code"
    return last in _TOKENS or words[-3:] == ["access", "key", "id"]


def _is_secret_variable(words: list[str]) -> bool:
    if len(words) < 2:
        return False
    return words[-1] in _IN_CAPITALS or (words[-1] == "key" and words[-2] not in _OTHER_KEYS)


def section_strength(name: str) -> SectionStrength:
    """Return what `name` of a section says about the `key` in it: `jwt`, `OpenAiSettings`."""
    own = re.split(r"[/.:]", name[-_LONGEST:].rstrip("/.: \"'"))[-1]
    words = [word.lower() for word in _WORD.findall(own)]
    if not _SECTIONS_OF_KEYS.isdisjoint(words):
        return SectionStrength.OF_KEYS
    if not _SECTIONS_OF_MANY.isdisjoint(words):
        return SectionStrength.OF_MANY
    words.append("".join(words))  # of `OpenAI`
    return SectionStrength.NONE if _SECTIONS.isdisjoint(words) else SectionStrength.OF_SECRETS


def takes_secret(word: str) -> bool:
    """Whether `word` is an option after which a secret follows: `--api-key`."""
    found = _OPTION.fullmatch(word)
    if found is None:
        return False
    name = found[1]
    if is_action(word):
        return False
    if name.replace("_", "-").lower() in _NO_OPTION:
        return False
    return name in _AS_OPTION or is_secret_name(name) or is_secret_name(_in_capitals(name))


def is_action(word: str) -> bool:
    """Whether `word` is an option that says what to do with a key or a password."""
    return _ACTION.fullmatch(word) is not None


def secret_in_word(word: str, before: str = "") -> tuple[int, int] | None:
    """
    Return where in one word of a command line a secret is: `--api-key=x`, `A_TOKEN=x`.

    `before` is the word before it: after `-c` it is a line for a shell, and ends at a blank.
    """
    if found := _NAME_AND_VALUE.fullmatch(word):
        if takes_secret(found[1]) or is_secret_name(found[1]):
            start, end = found.span(2)
            if _SHELL.fullmatch(before) and (value := _UP_TO_A_BLANK.match(word, start)):
                return _without_quotes(word, *value.span())
            return start, end
    elif (found := _HEADER_LINE.fullmatch(word)) and is_secret_name(found[1]):
        return found.span(2)
    return None


def _in_capitals(option: str) -> str:
    """Return the variable that `option` would be: of these, more names are known."""
    return option.replace("-", "_").upper() if "-" in option or "_" in option else option


def _without_quotes(word: str, start: int, end: int) -> tuple[int, int]:
    return (start + 1, end - 1) if word[start] in "\"'" and end - start > 2 else (start, end)
