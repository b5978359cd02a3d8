"""Passwords that a program gives as a literal to a call that hashes them, or compares a hash."""

import re

from acp_spy.secrets.shape import judged, shape
from acp_spy.secrets.values import Certainty

# How names of them end, before the first letter of a method: a sentence ends with a dot, too.
_NAMES = (
    *("crypt", "cryptjs", "crypt_sha256", "Crypt", "ncoder", "asher", "ontext", "_ctx", "dctx"),
    *("rgon2", "rgon2i", "rgon2d", "rgon2id", "df2_sha256", "df2_sha512"),
)
# What hashes, by the name that a library has, or that most programs give it.
_HASHERS = (
    r"(?:bcrypt(?:js|_sha256)?|Bcrypt|BCrypt(?:\.Net\.BCrypt|::Password)?|BCryptPasswordEncoder\(\d{0,2}\)"
    r"|[aA]rgon2(?:i|id|d)?(?:::Password)?|pwd_?(?:context|ctx)|pwdContext|crypt_?context|\bph"
    r"|[pP]assword_?[hH]asher(?:\(\))?|[pP]assword_?[eE]ncoder(?:\(\))?|(?P<plain>\bencoder)|\bHash(?=::)|pbkdf2_sha\d{3}"
    r"|sha\d{3}_crypt|\bBun\.password|\b[sS]etPassword\((?:this\.)?\w{1,40})"
)
_METHODS = (
    r"(?:hash(?:Sync|pw|_pwd_salt|_password|Password)?|HashPassword|create|make|encode|encrypt"
    r"|check(?:pw)?|compare(?:Sync)?|verify(?:Sync|_pass|_password|Password)?|Verify|matches)"
)
_FUNCTIONS = (
    r"(?:(?:generate|get|make|create)_password_hash|make_password|\bpassword_(?:hash|verify)"
    r"|(?<!\w)crypt(?=\(\s{0,40}\")|GenerateFromPassword|\bscrypt(?:Sync)?|\bpbkdf2(?:Sync)?"
    r"|\bhashpw|\bcheckpw|\bhash_pwd_salt|[cC]heckPasswordHash|\b[uU]ser\.authenticate)"
)
# The hash, or the user whose password it is, comes first.
_SECOND = (
    r"(?:check_password_hash|CompareHashAndPassword|[aA]rgon2\.verify|\bph\.verify"
    r"|[pP]assword_?[hH]asher(?:\(\))?(?:\.|->)(?:verify|hashPassword|isPasswordValid|HashPassword)"
    r"|[uU]serManager\.(?:Create|CheckPassword|AddPassword)Async)\(\s{0,40}[^\s\"'`,][^\"'`,\n]{0,80},"
    r"|(?:WithEmailAndPassword|PasswordSignInAsync)\(\s{0,40}(?:[\w.()]{1,40},\s{0,4})?"
    r"(?:[\"'`][^\"'`,\n]{1,80}[\"'`]|[\w.]{1,60}),"
    r"|\bpbkdf2_hmac\(\s{0,40}[\"']\w{3,12}[\"'],"
)
_LITERAL = (
    r"\s{0,40}(?:b|u|r|\[\]byte\()?(?P<q>\\{0,3}[\"'`])(?P<secret>[^\"'`\n\\]{3,200})(?P=q)"
    r"(?=\s{0,40}[,).])"
)
_FAR = 2000
_is_password = judged(Certainty.PASSWORD)


def _is_hashed(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether a password is hashed: an `encoder` may be any, unless one of passwords is near."""
    near = text[max(0, match.start() - _FAR) : match.end() + _FAR] if match["plain"] else b""
    return _is_password(text, match) and (not match["plain"] or b"PasswordEncoder" in near)


CALLS = (
    shape(
        "login",
        (
            *("crypt::", "Crypt::", "ncoder(", "ncoder->", "rgon2::", "ph.hash(", "ph.verify("),
            *("asher(", "asher->", "Hash::make(", "Hash::check(", "Bun.password", "etPassword("),
            *(f"{hasher}.{method}" for hasher in _NAMES for method in "chHmevVN"),
        ),
        rf"{_HASHERS}(?:\.|::|->){_METHODS}\({_LITERAL}",
        "await bcrypt.hash('<8>', 10)",
        "bcrypt.hash(password, 10), bcrypt.compare(req.body['password'], hash)",
        accepts=_is_hashed,
    ),
    shape(
        "login",
        "password_hash( make_password( password_verify( crypt( FromPassword( cryptSync( pbkdf2("
        " pbkdf2Sync( hashpw( checkpw( hash_pwd_salt( heckPasswordHash( ser.authenticate(",
        rf"{_FUNCTIONS}\({_LITERAL}",
        "generate_password_hash('<8>')",
        "generate_password_hash(form.password.data), make_password(None)",
        accepts=_is_password,
    ),
    shape(
        "login",
        "password_hash( HashAndPassword( rgon2.verify( ph.verify( asher. asher( asher->"
        " pbkdf2_hmac( serManager.C serManager.A AndPassword( SignInAsync(",
        rf"(?:{_SECOND}){_LITERAL}",
        'bcrypt.CompareHashAndPassword(hash, []byte("<8>"))',
        "check_password_hash(user.password_hash, password)",
        accepts=_is_password,
    ),
)
