"""Which names have a secret as their value, and which only sound like it."""

import pytest

from acp_spy.secrets.secret_names import is_secret_name, secret_in_word, takes_secret


@pytest.mark.parametrize(
    "name",
    [
        *(
            "apiKey",
            "api_key",
            "x-api-key",
            "X-Api-Key",
            "API_KEY",
            "OPENAI_API_KEY",
            "Authorization",
        ),
        *("token", "accessToken", "refresh_token", "GH_TOKEN", "client_secret", "password"),
        *(
            "DB_PASSWORD",
            "private_key",
            "cookie",
            "Set-Cookie",
            "credentials",
            "AWS_SECRET_ACCESS_KEY",
        ),
        *(
            "x.dev/authToken",
            "sessionToken",
            "SSH_KEY",
            "example.com/token",
            "copilotToken",
            "tokens",
        ),
        *("apiKeys", "access_tokens", "AWS_ACCESS_KEY_ID", "Apikey", "authtoken", "clientsecret"),
        *(
            "DB_PASS",
            "GITLAB_PAT",
            "OPENAI_KEY",
            "openaiApiKey",
            "//example.com/:_authToken",
            "APIKey",
        ),
        *("PGPASS", "SecretBinary"),
    ],
)
def test_secret(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("cache_key", "primary_key", "sort_key", "idempotency_key", "public_key", "PUBLIC_KEY"),
        *("CACHE_KEY", "workDoneToken", "partialResultToken", "eos_token", "MONKEY", "AUTH", "PWD"),
        *(
            "sessionKey",
            "hotkey",
            "tokenizer",
            "",
            "…",
            "output_tokens",
            "costPerToken",
            "pageToken",
        ),
        *("key", "KEY", "keys", "token_count", "totalTokens", "maxTokens", "inputTokens", "monkey"),
        *(
            "progressToken",
            "cancellationToken",
            "nextPageToken",
            "cursor",
            "sessionId",
            "toolCallId",
        ),
        *(
            "secretary",
            "passwordless",
            "author",
            "authMethods",
            "auth_methods",
            "id",
            "name",
            "value",
        ),
    ],
)
def test_not_secret(name):
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("word", "secret"),
    [
        ("--api-key=k=1", "k=1"),
        ("GH_TOKEN=abc", "abc"),
        ("Authorization: Bearer x", "Bearer x"),
        ("x-api-key:x", "x"),
        ("--key-file=/etc/key", None),
        ("PATH=/bin", None),
        ("--port=80", None),
        ("--public-key=x", None),
        ("https://example.com", None),
    ],
)
def test_words_of_a_command_line(word, secret):
    span = secret_in_word(word)
    assert (span and word[slice(*span)]) == secret


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("FOO_TOKEN=abc agent --x", "abc"),
        ("FOO_TOKEN='a b' agent", "a b"),
        ("FOO_TOKEN=abc;agent", "abc"),
        ("PATH=/bin agent", None),
    ],
)
def test_in_a_line_for_a_shell_a_secret_ends_at_a_blank(line, secret):
    for before in ("-c", "-lc"):
        span = secret_in_word(line, before)
        assert (span and line[slice(*span)]) == secret
    assert secret_in_word("PASSWORD=correct horse", "-e") == (9, 22)


def test_options_that_a_secret_follows():
    options = (
        *("--api-key", "--token", "-token", "--auth_token", "--password", "--apiKey", "--apikey"),
        *("--API_KEY", "--pat", "--credentials", "--key", "--openai-key", "--client-secret"),
    )
    assert [option for option in options if not takes_secret(option)] == []
    others = (
        *("--key-file", "--tokens", "key", "--ssh-key", "--ssh_key", "--max-tokens", "-t"),
        *("--primary-key", "--public-key", "--sort-key", "--keyboard"),
    )
    assert [option for option in others if takes_secret(option)] == []
