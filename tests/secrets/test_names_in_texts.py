"""Names of secrets in texts as programs print them, and ordinary texts that only seem to have some."""

import json

import pytest
from support import effort

from acp_spy.secrets.assignment_names import NAMES
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.shape import compiled
from benchmarks.secrets import SETS, WEIGHTS

SECRETS = (
    "q7Zk2Vw9Xn4RbT8mLs3P",
    "Hx9kQ2mLw7",
    "9f3c1a7be2d84056af19c37d5be0842f",
    "hT7#kq2Lw",
    "MinhaSenha!Forte",
    "a8Zk2Vw9Xn4RbT8mLs3P",
    "b9Zk2Vw9Xn4RbT8mLs3P",
    "19882D92DDA4C400C22C0D56CC2AF4472167BE03",
)


@pytest.mark.parametrize(
    "text",
    [
        "Array\n(\n    [access_token] => q7Zk2Vw9Xn4RbT8mLs3P\n    [expires_in] => 3600\n)",
        ">>> print(token)\nq7Zk2Vw9Xn4RbT8mLs3P",
        "(Pdb) p token\n'q7Zk2Vw9Xn4RbT8mLs3P'",
        '127.0.0.1:6379> GET session:token\n"q7Zk2Vw9Xn4RbT8mLs3P"',
        ">>> api_token\n'q7Zk2Vw9Xn4RbT8mLs3P'",
        "curl -d 'user[api_token]=q7Zk2Vw9Xn4RbT8mLs3P' x",
        'const stripeKey = "q7Zk2Vw9Xn4RbT8mLs3P";\nexport const config = { openaiKey: "a8Zk2Vw9Xn4RbT8mLs3P", masterKey: "b9Zk2Vw9Xn4RbT8mLs3P" };',
        'githubKey: "q7Zk2Vw9Xn4RbT8mLs3P"',
        "awsKey = 'q7Zk2Vw9Xn4RbT8mLs3P'",
        "credentials: q7Zk2Vw9Xn4RbT8mLs3P",
        'credentials = "hT7#kq2Lw"',
        'INSERT INTO "User" ("id", "accessKey") VALUES (1, \'q7Zk2Vw9Xn4RbT8mLs3P\');',
        "id,privateKey,x\n1,q7Zk2Vw9Xn4RbT8mLs3P,2",
        "id,x-api-key,x\n1,q7Zk2Vw9Xn4RbT8mLs3P,2",
        "- name: auth_token\n  value: q7Zk2Vw9Xn4RbT8mLs3P",
        "> GET /api HTTP/1.1\n> Host: x.example\n> Cookie: _gid=; session=9f3c1a7be2d84056af19c37d5be0842f\n> Accept: */*",
        "Set-Cookie: session=; Path=/; Max-Age=0, sid=9f3c1a7be2d84056af19c37d5be0842f; Path=/",
        "DATABASE_URL=postgres://app:MinhaSenha!Forte@db:5432/shop\nDB_PASSWORD=MinhaSenha!Forte\n$ mysql -uroot -pMinhaSenha!Forte shop",
        "PASS Hx9kQ2mLw7\nNICK deploybot\nUSER deploybot 0 * :bot",
        "mytool --export-password Hx9kQ2mLw7 --out x.p12",
        "mytool --revoke-token q7Zk2Vw9Xn4RbT8mLs3P",
        "--password to.Hx9kQ2mLw7",
        "api key 19882D92DDA4C400C22C0D56CC2AF4472167BE03",
        "数据库 password：Hx9kQ2mLw7\nAPI Key：q7Zk2Vw9Xn4RbT8mLs3P",
        "token：q7Zk2Vw9Xn4RbT8mLs3P",
    ],
)
def test_a_name_is_found_whatever_is_after_it(text):
    clean = Redactor().text(text)
    assert clean != text
    assert not any(secret in clean for secret in SECRETS)


@pytest.mark.parametrize(
    "text",
    [
        "=== RUN   TestUserCreate\n--- PASS: TestUserCreate (0.00s)\n=== RUN   TestBase64Decode\n--- PASS: TestBase64Decode (0.00s)",
        "PASS: check-utf8\nPASS: test-host\nPASS: test-sha256\nPASS: test-md5",
        "user@host:~/proj$ ./run_tests.sh\nPASS: test_utf8_1\nPASS: test_sha256",
        "ok  \tgithub.com/acme/shop/secret\t0.012s",
        "nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false\nroot:*:0:0:System Administrator:/var/root:/bin/sh\n_www:*:70:70:World Wide Web Server:/Library/WebServer:/usr/bin/false",
        "passwd:         files systemd\ngroup:          files systemd\nshadow:         files\ngshadow:        files",
        "passwd: compat\ngroup: compat",
        "kpasswd\t\t464/tcp\nkpasswd\t\t464/udp",
        "gpg: using RSA key 19882D92DDA4C400C22C0D56CC2AF4472167BE03",
        "Add new upstream signing key 19882D92DDA4C400C22C0D56CC2AF4472167BE03\nto debian/upstream",
        "| Browser | Pass | Fail |\n|---|---|---|\n| Chrome | ✅ | ❌ |\n| h2c_upgrade2 | ✅ 12/12 | – |",
        "| Endpoint | Method | Authorization | Description |\n|---|---|---|---|\n| /users | GET | Bearer token required | list |\n| /users/:id | GET | admin-only2 | one |",
        "NAME                READY   SECRET              AGE\nexample-com-tls     True    example-com-tls2     12d",
        "PASS h2c_upgrade2",
        "PASS src/app.test.ts (5.123 s)\nPASS  tests/unit/auth2.test.js",
        'Pass "-Zbzip2 -z9" to dpkg-deb',
        "only pass VERBOSE=1 to the check",
        "then you'd pass '--with-customs=/usr/local' as an option",
        "gpg --export-secret-keys 19882D92DDA4C400C22C0D56CC2AF4472167BE03",
        "gpg --keyserver x --recv-keys 19882D92DDA4C400C22C0D56CC2AF4472167BE03",
        "pubkeyaccepted sk-ssh-ed25519@openssh.com,sk-ssh-ed25519-cert-v01@openssh.com",
        "zstyle ':completion:*:*:kill:*:processes' list-colors",
        "expected: (expect_pass): Remove.",
        "XInputCopyCookie: Failed to copy evtype 22",
        "acme --generate-token",
        "gpg --delete-secret-keys 19882D92DDA4C400C22C0D56CC2AF4472167BE03",
        "grep -Pw '(.)\\1x9' a.txt",
    ],
)
def test_what_is_no_secret_stays(text):
    assert Redactor().text(text) == text


# What the placeholders of an earlier run have in them must not lead to more than the text does.
PLACEHOLDERS = (
    " redacted-github-token-1 redacted-openai-key-2 redacted-secret-1 redacted-password-1"
)


@pytest.mark.parametrize("name", effort.some_of(SETS, "fourteenth"))
def test_placeholders_beside_a_text_show_nothing_more_in_it(name):
    for group in WEIGHTS:
        for place in SETS[name](group)[::8]:
            raw = json.dumps({"text": place.text}).encode()
            beside = json.dumps({"text": place.text, "z": PLACEHOLDERS}).encode()
            alone = [(each.start, each.end) for each in Finder().find(raw)]
            assert alone == [(each.start, each.end) for each in Finder().find(beside)], place.text


@pytest.mark.parametrize(
    "name",
    ["token", "api_token", "stripeKey", "credentials", "db_password", "client_secret", "jwt"],
)
def test_the_keywords_know_all_that_may_follow_a_name(name):
    """Else a line would be searched only if something else in it has a keyword."""
    for after in ("\n", *" \t\r\"'`:=\\])<>,%&*|(?{[\x1b", "->", "："):
        raw = f"x {name}{after}".encode()
        of_name = [keywords for names, keywords in NAMES if compiled(names).search(raw)]
        assert of_name, raw
        assert any(word.encode() in raw for keywords in of_name for word in keywords), raw


@pytest.mark.parametrize("text", ['mnemonic = ["legal"]', 'seed: ["a"] => "b"', "seed: a => b"])
def test_the_name_of_a_phrase_without_one_is_nothing(text):
    assert Redactor().text(text) == text
