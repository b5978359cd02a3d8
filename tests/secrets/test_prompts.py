"""What people write to an agent, defaults of settings, the inputs of a page; and what is none."""

import json

import pytest

from acp_spy.secrets.finder import Finder
from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize(
    "text",
    [
        "here is the API key\n\n«n7Vq2Rk9wXz4Lm8TbP3c»",
        "Here's the access key\n```\n«n7Vq2Rk9wXz4Lm8TbP3c»\n```",
        "This is the password\n«Kq7vW2pXn9-41»\nfor staging",
        "The staging password has changed, it's now «Kq7vW2pXn9-41»",
        "the password was reset, so it is now «hunter2».",
        "The token expired, use this one instead: «n7Vq2Rk9wXz4Lm8TbP3c»",
        "I changed it to «Kq7vW2pXn9-41» (the password)",
        "I set it to `«Winter-Storm-2024»` (the new password).",
        "the basic auth is app:«Kq7vW2pXn9-41»",
        "creds = app/«Kq7vW2pXn9»",
        "db creds: postgres «Kq7vW2pXn9-41»",
        "credentials for the box are deploy «Vd4!mQz8x»",
        "log in as admin («Kq7vW2pXn9-41»)",
        "login as bob (`«hunter2»`) and look at the page",
        # In a hurry
        "sudo password, it's «maple7710»",
        "if it asks for a password type «maple7710»",
        "the root pw on that box is still «Winter2023»",
        "the pasword is «maple7710»",
        "passwrd: «maple7710»",
        "pw's «Winter2023» dont commit it",
        "wifi pw «maple7710»",
        "connect as app with password «maple7710»",
        "ssh root@10.0.0.7 (pw «maple7710»)",
        "i told you the password, «maple7710»",
        "try «maple7710» as the password",
        "its «maple7710» for the db password",
        "first line\npw «maple7710» user root",
        "my real key «n7Vq2Rk9wXz4Lm8TbP3c»",
        "the pin is «4821»",
        "passcode for the door: «482199».",
        "admin pw? its «maple7710»",
        "router password still «maple7710» lol",
        "use «maple7710» for POSTGRES_PASSWORD",
        "basic auth is dev / «maple7710»",
        # A user and a password
        "admin:«maple7710» on staging",
        "just use root/«maple7710»",
        "creds: admin / «maple7710»",
        "log in as bob / «maple7710»",
        "use user admin with «maple7710» for basic auth",
        "connect to db1 as app and «maple7710»",
        "ssh deploy@web1 / «maple7710»",
        "db.example.com\nadmin\n«maple7710»",
        "10.0.0.7:2222\nbob@example.com\n«maple7710»\nthanks",
        # Defaults
        "const env = z.object({ API_KEY: z.string().default('«n7Vq2Rk9wXz4Lm8TbP3c»') })",
        'DB_PASSWORD: z\n    .string()\n    .min(8)\n    .default("«sunflower»"),',
        "DB_PASSWORD: Joi.string().required().default('«sunflower»'),",
        "SESSION_SECRET: str({ default: '«keyboard-cat-9»' }),",
        "SESSION_SECRET: str({ desc: 'for cookies', devDefault: '«keyboard-cat-9»' }),",
        # Pages
        '<input type="password" id="pw" class="x" value="«sunflower»">',
        "<input value='«Kq7vW2pXn9-41»' id='pw' type='password'/>",
        '<input type="password" defaultValue="«sunflower»" />',
        "<Input\n  type=\"password\"\n  onChange={(e) => f(e)}\n  defaultValue={'«sunflower»'}\n/>",
        # Next to what is left alone below
        "pass `«n7Vq2Rk9wXz4Lm8TbP3c»`",
        'token = r"«n7Vq2Rk9wXz4Lm8TbP3c»"',
        "Driver=x;PWD={«a!b7-r»};",
        "authorization = «n7Vq2Rk9wXz4Lm8TbP3c»",
        'DB_PASSWORD: "«dbpassword9»"',
    ],
)
def test_a_secret_is_found_there(text):
    before, *parts = text.split("«")
    expected = before + "".join("*" + part.split("»")[1] for part in parts)
    plain = text.replace("«", "").replace("»", "")
    assert left_of(plain) == expected
    # In a message, too, where it is in quotes and escaped.
    assert len(Finder().find(json.dumps({"text": plain}).encode())) == len(parts)


@pytest.mark.parametrize(
    "text",
    [
        "here is the API key\n\nPlease keep it safe\n",
        "Here is the token\n\nexpired-yesterday\n",
        "The API key\n\nn7Vq2-Rk9w\n",
        "The password has changed, it's now stored in the vault.",
        "The token expired, use this one instead: the-other-one",
        "See src/login-form (the password)",
        "basic auth is user:password, or basic auth with https://example.com",
        "credentials: see docs/login2.md, credentials: use vault-2-prod, creds: app version-16",
        "log in as admin (read-only), log in as bob (bob2@example.com), log in as x (uid=1000)",
        "sudo password, it's in the vault; my password expired yesterday; the password is wrong",
        "admin with sudo rights for basic auth, use user admin with sudo for basic auth",
        "use the password from vault, change the password to argon2id, a password bcrypt12 hashes",
        "if it asks for a password type enter, or use python3 as the password manager",
        "the pin is wrong, the pin is 12, pin the version to 4821, the pin 4821 is high",
        "admin:users2 on staging, use admin/users2, roles: admin / editor2, admin:password",
        "connect with postgres and redis7, connect to db1 as app and python3",
        "pw for staging is in vault12, sign in as bob with role12, connect using user a and cache12",
        "ssh deploy@web1 uptime2024, ssh deploy@web1 / ls",
        "db.example.com\nadmin\neditor2",
        "10.0.0.7\nweb1\nmaple7710",
        "API_KEY: z.string().min(8), NAME: z.string().default('n7Vq2Rk9wXz4')",
        "DB_PASSWORD: z.string().default(process.env.DB_PASSWORD),",
        "DB_PASSWORD: str({ default: undefined, desc: 'sunflower' }),",
        '<input type="password" id="a"><input value="Kq7vW2pXn9-41">',
        '<input type="password" value="{{ password }}"/><input type="password" value={password}/>',
        '<input type="text" value="Kq7vW2pXn9-41">',
        # Programs and their documents
        "If this is your intention, pass `strict2=True` to it, or pass `--flag-2`.",
        "Pass `_meta2.extra` to merge it; you can pass `spec=True`.",
        'SENSITIVE = {"authorization", "proxy-authorization"}',
        'case {"progress": str() | int() as token, "value-2": int()}:',
        'token = r"[-!#$%&*+.^_`|~0-9a-zA-Z]+"',
        r'password_re = token = r"\d{3}[a-f0-9]+(?:x|y)"',
        'print(f"password={password!r}")',
        'OID.CHALLENGE_PASSWORD: "challengePassword",',
        'CHALLENGE_PASSWORD = ObjectIdentifier("1.2.840.113549.1.9.7")',
        "authorization = base64.b64decode(authorization[1]).decode('ascii')",
        "authorization = authorization[1].encode64('ascii')",
    ],
)
def test_nothing_is_found_there(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "log in as admin ({})",
        "db creds: postgres {}",
        "creds are bob / {}",
        "net user bob {} /add",
        "ssh bob@example.com / {}",
    ],
)
@pytest.mark.parametrize("password", ["Z5O0egEZfY/dCEmX8yvQoSp=", "9rY1wvs+Y62/51lCA0LLpZjU"])
def test_a_password_in_base64_is_masked_as_a_whole(text, password):
    assert left_of(text.format(password)) == text.format("*")


@pytest.mark.parametrize(
    "text", ["log in as admin (src/components/LoginForm2)", "creds are bob / see docs/login/setup2"]
)
def test_a_path_beside_a_user_is_left_alone(text):
    assert left_of(text) == text
