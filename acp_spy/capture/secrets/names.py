"""Names whose value is a secret whatever it looks like: `apiKey`, `DB_PASSWORD`, `--auth-token`."""

import re
from functools import lru_cache

_WHOLE = frozenset(
    (
        *("token", "secret", "secrets", "password", "passwd", "pwd", "passphrase"),
        *("authorization", "cookie", "setcookie", "credential", "credentials", "bearer", "jwt"),
    )
)
# What only ends so: a name such as `githubToken` or `X-Api-Key`.
_ENDS = (
    *("apikey", "accesskey", "secretkey", "privatekey", "accountkey", "signingkey", "authkey"),
    *("accesskeyid", "secretaccesskey", "encryptionkey", "subscriptionkey", "masterkey"),
    *("accesstoken", "refreshtoken", "authtoken", "idtoken", "sessiontoken", "bearertoken"),
    *("apitoken", "usertoken", "bottoken", "oauthtoken", "securitytoken", "personaltoken"),
    *("githubtoken", "gitlabtoken", "hftoken", "xsrftoken", "csrftoken", "deploytoken"),
    *("clientsecret", "appsecret", "apisecret", "sharedsecret", "webhooksecret", "signingsecret"),
    *("password", "passwd", "passphrase", "credentials"),
)
# As variables of the environment and options are spelled; `tokens` and `max_token` are numbers.
_SPELLED = re.compile(
    r"(?:[A-Z0-9]+_)*(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD|PASS|PWD|PAT|CREDENTIALS?|AUTH)"
)
_OPTION = re.compile(r"--?(?:[a-z0-9]+[-_])*(?:token|secret|key|password|passwd|pass|auth|bearer)")
LONGEST_NAME = 256  # what is longer is no name
_NO_SECRET = frozenset(("ssh-key", "public-key"))
_NAME_AND_VALUE = re.compile(r"([A-Za-z_][\w.-]*|--?[a-z][\w-]*)=(.+)", re.DOTALL)
_HEADER_LINE = re.compile(r"([A-Za-z][A-Za-z0-9-]*):\s*(.+)", re.DOTALL)


def is_secret_name(name: str) -> bool:
    """Whether the value that goes by `name` is a secret."""
    return len(name) <= LONGEST_NAME and _is_secret_name(name)


@lru_cache(maxsize=4096)  # a conversation has few names, and each of them often
def _is_secret_name(name: str) -> bool:
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in _WHOLE or plain.endswith(_ENDS):
        return True
    return bool(_SPELLED.fullmatch(name)) and name not in ("KEY", "AUTH", "PASS", "PAT")


def secret_in_word(word: str) -> tuple[int, int] | None:
    """Return where in one word of a command line a secret stands: `--api-key=x`, `A_TOKEN=x`."""
    if found := _NAME_AND_VALUE.fullmatch(word):
        if takes_secret(found[1]) or is_secret_name(found[1]):
            return found.span(2)
    elif (found := _HEADER_LINE.fullmatch(word)) and is_secret_name(found[1]):
        return found.span(2)
    return None


def takes_secret(word: str) -> bool:
    """Whether `word` is an option after which a secret follows: `--api-key`."""
    return bool(_OPTION.fullmatch(word)) and word.lstrip("-") not in _NO_SECRET
