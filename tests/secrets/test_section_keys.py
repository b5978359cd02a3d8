"""A `key` that only the section around it names, or a sentence."""

import json

import pytest

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from tests.secrets.test_grammars import left_of

KEY = "Xy7kQ2mV9pL4wR8tB3nZ6cF1"


@pytest.mark.parametrize(
    "text",
    [
        *("jwt:\n  key: *", 'jwt:\n  issuer: me\n  key: "*"\n  hours: 36', "api:\n  key: *\n"),
        *('{"Jwt":{"Key":"*"}}', '{\n  "Jwt": {\n    "Issuer": "x",\n    "Key": "*"\n  }\n}'),
        *('[jwt]\nkey = "*"', "[auth]\nuser=a\n\n  key=*\n", "[services.stripe]\nkey = '*'"),
        *("encryption:\n    key: *", "signing: { key: * }", "app:\n  name: x\n  key: base64:*"),
        *("openai:\n  key: *", "const c = { openai: { model: 'x', key: '*' } }"),
        *("'stripe' => [\n  'model' => [1],\n  'key' => '*',\n],", 'openai = {"key": "*"}'),
        *('provider "stripe" {\n  key = "*"\n}', "jwt.key=*", '"Jwt:Key": "*"', "jwt.key: *"),
        *('config["Jwt:Key"] = "*";', 'dotnet user-secrets set "Jwt:Key" "*"'),
        "secrets:\n  - name: x\n    key: *\n",
    ],
)
def test_a_key_is_found_in_a_section_of_secrets(text):
    assert left_of(text.replace("*", KEY)) == text


@pytest.mark.parametrize(
    "text",
    [
        *(f"cache:\n  key: {KEY}", f"api:\nother:\n  key: {KEY}", f"[jwt]\n[cache]\nkey={KEY}"),
        *(f'{{"api": {{"x": 1}}, "key": "{KEY}"}}', f"api:\n  hosts:\n    key: {KEY}"),
        *(f"jwt: x\nkey: {KEY}", f"jwt:\n  hotkey: {KEY}", f"the jwt, key: {KEY}"),
        *("api:\n  key: ${API_KEY_V2}", "jwt:\n  key: /etc/keys/jwt2.pem", "auth:\n  key: user_id"),
        *("jwt:\n  key: keys/jwt2-private.pem", "aws:\n  key: objects/ab12cd34/ef56.json"),
        *("secret:\n  name: db\n  key: db-password-v2", "auth: { key: process.env.AUTH_KEY2 }"),
        *(
            '{"session": {"key": "3f2504e0-4f89-11d3-9a0c-0305e82c3301"}}',
            '"jwt": {"key": "your-1"}',
        ),
    ],
)
def test_another_key_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize("value", [KEY, "MySuperSecretKey12345!", f"base64:{KEY}"])
def test_a_key_in_an_object_of_a_message_is_found(value):
    message = {"params": {"rawInput": {"Jwt": {"Issuer": "x", "Key": value}}}}
    raw = json.dumps(message).encode()
    (found,) = Finder().find(raw)
    assert found.pointer == "/params/rawInput/Jwt/Key"
    assert found.text.decode() == value
    assert Redactor().text(raw.decode()).count("redacted-") == 1


@pytest.mark.parametrize(
    "value", ["agent:main:3f2504e04f8911d3", "tls-cert-2024", "a b1 c2 d3 e4 f5"]
)
def test_another_key_in_an_object_of_a_message_stays(value):
    raw = json.dumps({"params": {"rawInput": {"session": {"key": value}}}}).encode()
    assert not Finder().find(raw)


@pytest.mark.parametrize(
    "text",
    [
        *("use this key: *", "Use this key * for the API", "use the key `*`", "The key is *."),
        *("our key is *", "the new key is: *", "Our production key is *", "new key: *"),
        *("the OpenAI key is *", "OpenAI key: *", "the key should be *", "The key is:\n\n*\n"),
    ],
)
def test_a_key_is_found_in_a_sentence_that_says_only_that(text):
    assert left_of(text.replace("*", KEY)) == text
    assert Finder().find(json.dumps({"text": text.replace("*", KEY)}).encode())


@pytest.mark.parametrize(
    "text",
    [
        *(f"the key {KEY} was not found", f"the cache key is {KEY}", "use this key: ArrowDown"),
        *("the key is `user:1234:profile`", "use the key user_profile_v2_cache_1"),
        *("The key is sha256(user1+x2)", "The new key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk1"),
    ],
)
def test_a_sentence_about_another_key_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize("name", ["mnemonic", "seedPhrase"])
def test_the_words_of_a_wallet_are_found_in_a_field_of_that_name(name):
    def found_in(value):
        raw = json.dumps({"params": {"rawInput": {name: value}}}).encode()
        return [found.text.decode() for found in Finder().find(raw)]

    words = " ".join(["legal", "winner", "thank", "yellow"] * 3)
    assert found_in(words) == [words]
    assert found_in("mov") == []
