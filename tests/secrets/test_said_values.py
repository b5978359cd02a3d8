"""Sentences that give a secret, as people and agents write them, and those that only speak of one."""

import json

import pytest

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize(
    "text",
    [
        # A word with many digits
        "the password for grafana is «tiger83040» thanks",
        "use «charlie86981» as the password",
        "sudo password, it's «tiger70900»",
        "if it asks for a password type «monkey47499»",
        "pw «Sommer48343»",
        "the root password is «monkey06992» on staging",
        "INFO connecting with password «monkey26119» to db",
        "the password is «qwerty12345» please",
        "create user bob with password «walrus123456»",
        "log in with password «banana551234» and fix it",
        "The password is `«berlin92813»` in staging.",
        "try password «gopher71234» first",
        "the password has changed, it's now «gopher71234»",
        "login as bob, password «gopher71234» please",
        "try «gopher71234» for the password",
        "hey, vpn password is «falcon90210» fyi",
        "log into the wiki with user jane and password «Panther77123»",
        "for sudo the pw is «dolphin445566», same as before",
        "please set the db password to «orchid20251» and restart",
        "I typed password «Snowman118822» and it still says access denied",
        # A user beside it, most in bold
        "Credentials: **admin** / **«Walnut4821»**",
        "Login: **admin** / **«walnut4821»**",
        "Default admin user: **admin** / **«walnut4821»**",
        "I seeded a demo account: **demo@x.io** / **«walnut4821»**",
        "Login credentials: **a@b.co** / **«walnut4821»**",
        "Test credentials are **b@c.de** / **«Walnut4821!»**",
        "You can now log in with **admin** / **«Welc0me-2026»** at http://localhost:3000.",
        "prod login ops / «rem0ve-M3-now»",
        "You can now log in at http://localhost:3000 with **admin@example.com** / **«walnut4821»**.",
        "Log in with **admin** and **«walnut4821»**.",
        "**Admin login:** `admin@shop.test` / `«Orchid2291»`",
        "Use these credentials: **tester** / **«Panther771»**",
        "You can sign in as **owner@acme.dev** with **«falcon9021!»**",
        "Demo user: **jane** / **«Dolphin4455»** (role: editor)",
        "- Login with **root** / **«orchid-lamp-77»**",
        # Relative clauses
        "the bearer token you need is «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "the api key you should use is «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "The token we use for CI is «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "the password that works is «walnut4821»",
        "the token I got is «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "the password we use on staging is «walnut4821»",
        "the api key they gave me is «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "The secret that I configured is «kJ8mPq2xVb7NcR4tYw9ZaE3s»",
        "the password you want is «walnut4821»",
        "the password ops sent me is «falcon9021»",
        "The API token that you asked for is «tYw9ZaE3sLd6HkJ8mPq2xVb7NcR4»",
        "the secret my colleague generated is «tYw9ZaE3sLd6HkJ8mPq2xVb7NcR4»",
        "the pw everyone uses for the printer is «Panther771»",
        "the access key we created yesterday is «tYw9ZaE3sLd6HkJ8mPq2xVb7NcR4», please test it",
        # What agents say of secrets that they have read
        "The current password, `«walnut4821»`, is too short.",
        "Your API key, `«kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»`, is valid.",
        'A password, "«walnut4821»", is hardcoded.',
        "The password is hardcoded as `«walnut4821»`",
        "The password is hard-coded as `«walnut4821»`",
        "The API key is hardcoded to `«kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»`",
        'The secret key is currently hardcoded as "«kJ8mPq2xVb7NcR4tYw9ZaE3s»"',
        'password hardcoded to "«walnut4821»" in db.py:12',
        "The admin password defaults to `«walnut4821»`",
        "The JWT secret defaults to `«walnut4821»`",
        "`DB_PASSWORD` defaults to `«walnut4821»`",
        "`JWT_SECRET` falls back to `«walnut4821»`",
        "The password in `config.py` («walnut4821») is too weak",
        "The API key in your settings («kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H») seems to have expired.",
        "The password in line 3, `«walnut4821»`, should be quoted.",
        "Your database password, «Walnut4821!», contains a sign.",
        "The old token, `«kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»`, was revoked.",
        "the master password of the vault («walnut4821») must not change",
        "The Redis password, `«falcon9021»`, appears in three files.",
        "I noticed the admin password was hard-coded to `«Panther771!»` in settings.py.",
        "If unset, `SESSION_SECRET` defaults to `«orchid2291»`, which is unsafe.",
        "The Stripe key in `.env.local` (`«tYw9ZaE3sLd6HkJ8mPq2xVb7NcR4»`) is live.",
        "The test suite logs in with the password `«falcon9021»`, hardcoded in conftest.py.",
        # Two in one sentence, and other short ways to say it
        "my github PAT: «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "here is a PAT: «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "PAT = «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "my pat is «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H»",
        "The password was «walnut4821» but I changed it to «gopher3912»",
        "replace password «walnut4821» with «gopher3912»",
        "replace the password «walnut4821» with «gopher3912»",
        "both passwords are «walnut4821»",
        "the passwords are «walnut4821» and «gopher3912»",
        "passwords for staging and prod: «walnut4821» and «gopher3912»",
        "The keystore password and the key password are both «walnut4821»",
        "sudo pw = «walnut4821»",
        "basic auth bob:«walnut4821»",
        "basic auth: admin:«walnut4821»",
        "use basic auth admin:«Walnut4821!»",
        "swap the api key «kJ8mPq2xVb7NcR4tYw9ZaE3sLd6H» for «tYw9ZaE3sLd6HkJ8mPq2xVb7NcR4»",
        "password «walnut4821» does not work, try «gopher3912»",
        "the password is not «walnut4821» any more, it's «gopher3912»",
        "gitlab PAT for the runner: «tYw9ZaE3sLd6HkJ8mPq2xVb7NcR4»",
        "the two passwords are «falcon9021» and «Panther771»",
        "please change the password «falcon9021» to «Panther771»",
        "the old password «falcon9021» doesn't work anymore, use «Panther771»",
        "the preview is behind basic auth jane:«falcon9021»",
    ],
)
def test_a_secret_is_found_in_a_sentence(text):
    before, *parts = text.split("«")
    expected = before + "".join("*" + part.split("»")[1] for part in parts)
    plain = text.replace("«", "").replace("»", "")
    assert left_of(plain) == expected
    # In a message, too, where it is in quotes and escaped.
    assert len(Finder().find(json.dumps({"text": plain}).encode())) == len(parts)
    # A second run has nothing to do.
    redacted = Redactor().text(plain)
    assert Redactor().text(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "the password you need is in the vault",
        "the password defaults to the user name",
        "the token we use is stored in 1Password",
        "the password, if any, is hashed",
        "password for user123456",
        "the password of user123456 is unknown",
        "use issue12345 as the title",
        "the token for build 20261117 expired",
        "the password reset is on port 54321",
        "password check failed for user123456",
        "The password field, `user_password`, is too short.",
        "The password, `password_hash`, is stored in the table.",
        "The password, `argon2`, is hashed",
        "The API key, `X-Api-Key`, is a header",
        "The password defaults to `password`.",
        "`DB_PASSWORD` defaults to `$PGPASSWORD`",
        "`JWT_SECRET` falls back to `SECRET_KEY`",
        "The password is hardcoded in `config.py`",
        "The password in `config.py` (line 12) is too weak",
        "The password in `config.py` (db.py:12) is too weak",
        "The password in `config.py` (v1.2.3) is too weak",
        "The secret defaults to `None`.",
        "**Login**: **admin** / **editor**",
        "Credentials: **src/auth.ts** / **login.ts**",
        "Login: **OAuth2** / **SAML**",
        "Login flow: **web** / **mobile2**",
        "Credentials: see **docs** / **login2**",
        "the passwords are hashed and salted",
        "the passwords are sha256 and bcrypt",
        "both passwords are compared",
        "replace password hashing with argon2",
        "replace the password field with input2",
        "PAT = personal access token",
        "PAT: see docs/personal-access-tokens.md",
        "basic auth is user:password",
        "basic auth module:http2",
        "The password was changed but I changed it to argon2",
        "the token we use is short-lived",
        "the password that was given is wrong",
        "the api key you should use is in `.env`",
        "The token that expires is refresh_token_2",
        "password hardcoded to match the fixture in db.py:12",
        "The secret key is currently hardcoded as a string",
        "the password ops uses is rotated every 30 days",
        "the token that the client sends is a JWT",
        "the password hash, `bcrypt`, is slow",
        "your password, at least 12 characters, is required",
        "the password field in `LoginForm` (line 42) is optional",
        "the token in `auth.py` (see issue1234) is refreshed",
        "`API_KEY` defaults to `None` if unset",
        "`DB_PASSWORD` falls back to `DB_PASS`",
        "the secret defaults to a random value",
        "the passwords are at least 8 and at most 64 characters",
        "replace the token with your own",
        "swap the key for a new one",
        "change the password to something else",
        "Login: **step1** / **step2**",
        "Login page: **/login** / **/signin**",
        "User: **src/users12** / **index.ts**",
        "the password we store is hashed with argon2id",
        "PAT with repo scope",
        "the api key is hardcoded in config.py:12",
        "The password was wrong but I reset it to the default",
        "The secret that we mount is named db-credentials-v2",
        "The token which is used is the GITHUB_TOKEN",
        "the password for the new account (alice2) was sent",
        "the passwords on web01 and web02 are the same",
        "the token we got is 401 unauthorized",
        "The secret, `my-app-tls`, is mounted as a volume.",
        "The key, `user_id_2024`, is unique.",
        "the API key you use is sha256 hashed",
        "basic auth proxy:8080",
        "with basic auth nginx:1.25",
        "account: prod / eu-west-1",
        "user: admin / role: editor2",
        "Login: user1 / user2",
        "the password that you entered is 12 characters long",
        "the passwords for alice12345 and bob54321 expired",
    ],
)
def test_what_only_speaks_of_a_secret_is_left_alone(text):
    assert left_of(text) == text


def test_a_placeholder_is_no_password_whatever_its_number_is():
    text = "the password is redacted-prompt-19, try redacted-prompt-120 as the password"
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("the password is «Ofenrohr-3», please run it", "la contraseña es «gato_negro8». si no"),
        *(
            'The password is:\n\n"«k7Jm2x9Qpw»"\n',
            "Here is the API key:\n\n'«q7Zk2Vw9Xn4Rb8Tm3Yc6»'\n",
        ),
    ],
)
def test_a_password_is_told_in_ordinary_words(text):
    before, _, rest = text.partition("«")
    value, _, after = rest.partition("»")
    assert left_of(before + value + after) == f"{before}*{after}"


@pytest.mark.parametrize(
    "text",
    [
        *("the password is sha-256 hashed", "the password is version-2 only"),
        r"const GITHUB_TOKEN = /\bghp_[A-Za-z0-9]{36}\b/g;",
    ],
)
def test_what_only_looks_like_a_password_that_is_told_stays(text):
    assert left_of(text) == text
