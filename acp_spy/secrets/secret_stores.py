"""
What a store of secrets prints, and what is in a file of secrets: their names say nothing.

`sops -d prod.yaml`, `vault kv get` and `cat secrets.yml` print pairs such as `smtp: x`. That they
are secrets, only the command says. So a value must look like a password: it is no host, no URL, no
path, no number and no plain word.
"""

import re
from collections.abc import Iterable, Iterator

from acp_spy.secrets.expressions import expression
from acp_spy.secrets.shape import Found, grammar, is_in, shape
from acp_spy.secrets.values import Certainty, is_long_weak_password, is_value, looks_random

_FILE = (
    rb"(?<![\w-])(?:secrets?|credentials|vault)(?:[._-][\w-]{1,20}){0,2}\.(?:ya?ml|json|toml|env|ini|conf)"
    rb"(?![\w.-]*(?:example|sample|template|\.tpl|\.j2|\.tf))"
)
_READS = (  # or what an agent calls it
    rb"(?:cat|bat|head|tail|less|more|sed|nl|type|gc|Get-Content|jq|yq"
    rb"|[Rr]ead(?:ing)?(?: file)?|[Vv]iew|[Oo]pen)"
)
_COMMAND = (
    rb"(?<![\w-])(?>%b [^\n|;&]{0,120}?%b"
    rb"|sops [^\n|;&]{0,120}?(?:-d|--decrypt|decrypt)\b|ansible-vault (?:view|decrypt)\b"
    rb"|rails (?:credentials|encrypted|secrets):show|chamber (?:read|export|list -e)\b"
    rb"|(?:vault (?:kv get|read)|bao kv get) |doppler secrets(?! (?:set|delete|upload))\b"
    rb"|infisical (?:secrets|export)(?! (?:set|delete))\b"
    rb"|gcloud secrets versions access|aws ssm get-parameters?\b[^\n]{0,200}with-decryption"
    rb"|aws ssm get-parameters-by-path\b[^\n]{0,200}with-decryption"
    rb"|aws secretsmanager (?:get-secret-value|batch-get-secret-value)"
    rb"|az (?:keyvault secret show|[\w ]{2,40} keys? list)\b|op item get|bw (?:get item|list items)"
    rb"|heroku config(?![:\w])|wg gen(?:key|psk)\b|composer config [^\n|;&]{0,40}(?:--list|-l)\b)"
    rb"[^\n>]{0,300}+(?:(?<=2)>[^\n]{0,40})?\n"
) % (_READS, _FILE)
_FARTHEST = 4096
_MOST_LINES = 200
_NUMBER = rb"(?:[ \t]*+[0-9]{1,6}(?:\t|\xe2\x86\x92|: |\| ?))?"  # of a line
_NAME = rb"[\"']?(?P<name>[\w./ @-]{1,80}?)[\"']?"
_BAR = rb"(?:\||\xe2\x94\x82|\xe2\x94\x83|\xe2\x95\x91)"
# A line with a name and a value: of YAML, TOML, an environment, a table.
_PAIR = expression(
    _NUMBER + rb"[ \t]*+(?:[-+] |export |\[(?=[\w.-]{1,80}\] )|%b[ ]?)?[ \t]*+"
    rb"(?:%b[ \t]*+|(?<=[ \t]))"  # without a name, if that is in the line above
    rb"(?:=[ \t]*+|:[ \t]++|(?<=\t)|(?<=[ ]{2})|\](?=[ ])[ ]|%b[ ]?)(?P<q>[\"']?)"
    rb"(?P<value>[^\s\"'|\xe2][^\s\"'\xe2]{4,400})(?P=q),?"
    rb"(?:[ \t]*(?:%b|#|\t|[ ]{2})[^\n]*)?[ \t]*\r?" % (_BAR, _NAME, _BAR, _BAR)
)
# In JSON, which may be in one line, and in a string of it.
_IN_JSON = expression(
    rb"\"(?P<name>[\w./ @-]{1,80})\\{0,3}\"\s{0,4}:\s{0,4}\\{0,3}\""
    rb"(?P<value>[^\s\"\\]{5,400})\\{0,3}\""
)
_ALONE = expression(rb"[ \t]*[\"']?(?P<value>[^\s\"'`|<>]{5,400})[\"']?[ \t]*\r?")
_OTHER_LINE = expression(
    rb"[^\w\n]*\r?|%b[ \t]*+(?:[-+] )?[\"']?(?:[\w./ -]{1,80}|(?<=[ \t]))[\"']?"
    rb"[ \t]*+[:=][^\n]*"
    rb"|[ \t]*+(?:[#;=\[{}\]-]|\xe2)[^\n]*"
    rb"|%b[ \t]*+(?:[\w./-]{1,80}[ \t]{1,40}){0,8}[^\s]{0,200}[ \t]*+\r?" % (_NUMBER, _NUMBER)
)
_PROMPT = expression(rb"[^\n]{0,60}[$%>] \w")
# What such a value is not: a host, an address, a path, a time, a number, the name of something.
_NEUTRAL = expression(
    rb"[a-z][a-z0-9+.-]{1,20}://[^\s@]*|[\w.+-]+@[\w.-]+|[\w-]+(?:\.[\w-]+)+(?::[0-9]+)?(?:/[\w./-]*)?"
    rb"|[\w.-]+:[0-9]{1,5}|~?\.{0,2}(?:/[\w.@ -]+)+/?|[\w.-]+(?:/[\w.-]+)+|arn:.*|[0-9.,:TZ+-]+"
    rb"|ENC\[.*|enc:.*|age1.*|ssh-.*|sha[0-9]+[:-].*|\$ANSIBLE.*|[\[{!&*].*|pk_.*"
)
_DOTTED_RANDOM = expression(rb"[\w-]{16,}\.[\w.-]{16,}")
# But a key may have the signs of hosts and paths: `szjy/9OFvfrY3xYXSQWxTrFX`.
_IN_PARTS = expression(rb"(?!pk_)[\w-]{1,400}(?:[./][\w-]{1,400}){1,40}")
_RANDOM_PART = expression(
    rb"(?=[\w-]{12})(?=[a-z0-9_-]*+[A-Z])(?=[A-Z0-9_-]*+[a-z])(?=[A-Za-z_-]*+[0-9])"
)
_NEUTRAL_NAME = expression(
    rb"(?i)(?:.*[_. -])?(?:ids?|uuid|guid|arn|urn|kid|etag|version|name|username|user|login|e?mail"
    rb"|host|hostname|url|uri|endpoint|server|region|zone|bucket|domain|path|file|image|tag|model"
    rb"|created|updated|at|date|time|lastmodified|type|kind|status|vault|project|org|account"
    rb"|tenant|accessor|checksum|digest|fingerprint|mac|sha\d*|public|pubkey|recipient|size"
    rb"|description|comment|label|title|namespace|cluster|port|ttl|duration|schema|engine|class"
    rb"|permissions|keyname|revision|deployment|env|environment|mode|level|format|locale|key_?id)"
    rb"|.*(?:[a-z](?:Id|At|Date|Time|Name|Version|Url|Uri|Host|Arn|Type))|(?i:.*public.*)"
)


def find_in_stores(text: bytes, commands: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """Give the values below each command that prints secrets."""
    read_to = 0
    for command in commands:
        if command.start() >= read_to:
            found, read_to = _values(text, command.end())
            yield from ((*span, "command-output") for span in found)


def _values(text: bytes, at: int) -> tuple[list[tuple[int, int]], int]:
    """Return where the values are in the lines from `at` on, and how far these go."""
    limit = min(len(text), at + _FARTHEST)
    values: list[tuple[int, int]] = []
    alone: re.Match[bytes] | None = None
    for number in range(_MOST_LINES):
        if at >= limit:
            break
        end = text.find(b"\n", at, limit)
        end = limit if end < 0 else end
        alone = None if number else _ALONE.fullmatch(text, at, end)
        pair = None if alone else _PAIR.fullmatch(text, at, end)
        found = [each for each in (alone or pair,) if each]
        if b'":' in text[at:end] or b'" :' in text[at:end]:
            found = [*_IN_JSON.finditer(text, at, end)] or found
        if not found and (_PROMPT.match(text, at, end) or not _OTHER_LINE.fullmatch(text, at, end)):
            break
        values += [
            match.span("value")
            for match in found
            if looks_secret(match["value"])
            and (match is alone or not _NEUTRAL_NAME.fullmatch(match["name"] or b""))
        ]
        at = end + 1
    return values, at


_END_OF_DATA = expression(rb"\"(?:metadata|wrap_info)\\{0,3}\"")


def _leased(text: bytes, matches: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """Give the values of `data`, in the JSON that Vault prints."""
    read_to = 0
    for match in matches:
        if match.start() < read_to:
            continue
        read_to = match.end() + _FARTHEST
        if end := _END_OF_DATA.search(text, match.end(), read_to):
            read_to = end.start()
        for pair in _IN_JSON.finditer(text, match.end(), read_to):
            if looks_secret(pair["value"]) and not _NEUTRAL_NAME.fullmatch(pair["name"]):
                yield *pair.span("value"), "command-output"


def looks_secret(value: bytes) -> bool:
    """Whether it looks like a password or a key, and not like a setting."""
    is_odd = _DOTTED_RANDOM.fullmatch(value) or _has_random_part(value)
    if _NEUTRAL.fullmatch(value) and not is_odd:
        return False
    return is_value(value, Certainty.SETTING) and (
        is_value(value, Certainty.KEY) or is_long_weak_password(value)
    )


def _has_random_part(value: bytes) -> bool:
    """Whether a part between dots and slashes has both cases and digits as no host or path has."""
    return _IN_PARTS.fullmatch(value) is not None and any(
        _RANDOM_PART.match(part) and looks_random(part)
        for part in value.replace(b".", b"/").split(b"/")
    )


STORES = (
    grammar(
        "command-output",
        (
            *(
                f"{name}.{end}"
                for name in ("secret", "secrets", "credentials", "vault")
                for end in ("y", "json", "toml", "env", "ini", "conf", "enc", "prod", "dev")
            ),
            *("secrets-", "secrets_", "secret-", "sops ", "ansible-vault ", "credentials:sho"),
            *("encrypted:sho", "secrets:show", "chamber ", "vault kv get", "vault read ", "bao kv"),
            *("doppler secrets", "infisical ", "secrets versions access", "with-decryption"),
            *("get-secret-value", "keyvault secret show", "keys list", "key list", "op item get"),
            *("bw get item", "bw list items", "heroku config", "wg genkey", "wg genpsk"),
            "composer config",
        ),
        _COMMAND,
        find_in_stores,
        "$ sops -d prod.yaml\nsmtp: <16>",
        "$ sops -d prod.yaml\nsmtp: mail-1.example.com",
        may_be_in=lambda raw: is_in(_COMMAND.removesuffix(rb"\n"), raw),
    ),
    grammar(
        "command-output",
        "lease_id lease_duration",
        rb"\"lease_(?:id|duration)\\{0,3}\":[^{}]{0,200}\"data\\{0,3}\":",
        _leased,
        '{"lease_id": "", "data": {"data": {"smtp": "<16>"}, "metadata": {}}}',
        '{"lease_id": "", "data": {"data": {"smtp": "mail-1.example.com"}, "metadata": {}}}',
        of_object=True,
    ),
    shape(
        "command-output",
        '"computed" "computed\\',
        r"\"computed\\{0,3}\":\s{0,4}\\{0,3}\"(?P<secret>[^\s\"\\]{5,400})\\{0,3}\",?[^{}]{0,200}?"
        r"\"(?:raw|computedVisibility|note)\\{0,3}\":",
        '{"SMTP": {"computed": "<16>", "note": "", "raw": "<16>"}}',
        '{"SMTP": {"computed": "mail-1.example.com", "note": "", "raw": "x"}}',
        accepts=lambda _, match: looks_secret(match["secret"]),
        of_object=True,
    ),
    shape(
        "command-output",
        ("SecureString\t", "SecureString\\t", "SecureString  ", "SecureString |"),
        r"(?<![\w-])SecureString(?:\t| {2,40}\|? ?| \| {1,4})(?P<secret>[^\s|]{3,400})(?=\s|$)",
        "PARAMETER\tarn:x\ttext\t1.0\t/prod/smtp\tSecureString\t<16>\t1",
        "Type: SecureString  Tier: Standard",
        accepts=lambda _, match: is_value(match["secret"], Certainty.SETTING),
    ),
    shape(
        "login",
        "http-basic. github-oauth. gitlab-oauth. gitlab-token. bearer. bitbucket-oauth.",
        r"(?:\[(?:http-basic|github-oauth|gitlab-oauth|gitlab-token|bearer)\.[\w.-]{1,80}\])"
        r"(?<!\.username\]) (?P<secret>[^\s\"'<>\[]{5,400})(?=[\s\"']|$)",
        "[github-oauth.github.com] <40>",
        "[http-basic.repo.example.com.username] deploy-1",
        accepts=lambda _, match: is_value(match["secret"], Certainty.SETTING),
    ),
)
