"""Which names have a secret as their value, and which only sound like it."""

import pytest

from acp_spy.capture.secrets.names import is_secret_name, secret_in_word, takes_secret


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
        *("x.dev/authToken", "sessionToken", "SSH_KEY"),
    ],
)
def test_secret(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
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


def test_options_that_a_secret_follows():
    assert all(map(takes_secret, ("--api-key", "--token", "-token", "--auth_token", "--password")))
    assert not any(
        map(takes_secret, ("--key-file", "--tokens", "key", "--ssh-key", "--max-tokens"))
    )
