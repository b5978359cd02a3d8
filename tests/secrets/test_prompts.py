"""What people write to an agent, defaults of settings, the inputs of a page; and what is none."""

import pytest

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
    assert left_of(text.replace("«", "").replace("»", "")) == expected


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
