"""A secret is found whatever sign is around it: in bold, in other scripts, cut off, in a shell."""

import pytest

from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize(
    "text",
    [
        *("psql postgres://app:«%s»@db-primary.inter…", "I use **redis://:«%s»@localhost** now."),
        *("连接到 redis://:«%s»@localhost，然后", "|cache|redis://:«%s»@cache|"),
        *("It is “redis://:«%s»@cache”", "git clone https://bob:«%s»@bücher.example/shop.git"),
        *('connect("postgres://app:«%s»@" + host)', 'url = "postgres://app:«%s»@#{host}/shop"'),
        *("mongodb://app:«%s»@<host>:27017/shop", "curl https://bob:«%s»@example.com|jq ."),
        *("git push https://bob:«%s»@example.com&&echo ok", "HTTPS://bob:«%s»@git.example.com/x"),
        *("&quot;redis://:«%s»@cache&quot;", "'https://bob:«%s»@'.$host", "postgres://app:«%s»@"),
    ],
)
def test_the_password_of_a_url_is_found_whatever_follows_its_host(text):
    before, _, after = text.partition("«%s»")
    assert left_of(f"{before}k7Jm2x9Qpw5tLz8{after}") == f"{before}*{after}"


@pytest.mark.parametrize(
    "text",
    [
        "Enter this key in your authenticator: **«Q7ZK2VW6Q7ZK2VW6Q7ZK2VW6»**",
        *("The PIN is **«4821»**.", "The PIN is «4821»，ok", "密码是 “«q7Zk2Vw9Xn»”。"),
        *("API-Schlüssel: **«q7Zk2Vw9Xn4Rb8Tm3Yc6»**", "**API-Schlüssel:** «q7Zk2Vw9Xn4Rb8Tm3Yc6»"),
        "my GitHub PAT: “«q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpAeUiOq7Zk»”",
        *("DB creds: postgres `«q7Zk2Vw9Xn4R»`", "TODO: admin / `«q7Zk2Vw9»`"),
        "basic auth is app:`«q7Zk2Vw9Xn4R»`",
    ],
)
def test_a_sentence_may_have_it_in_bold_or_in_any_quotes(text):
    before, _, rest = text.partition("«")
    value, _, after = rest.partition("»")
    assert left_of(before + value + after) == f"{before}*{after}"


@pytest.mark.parametrize(
    "text",
    [
        *("http://localhost:8080/@scope/name", "https://example.com:443/@user and others"),
        *("The PIN is **12**", "my PAT: see “docs/personal-access-tokens-and-more”"),
    ],
)
def test_what_is_like_it_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "reset:\n\t@mysql -u root -p«k7%Jm2-x9Q» shop",
            "x:\n\t@-curl -su ci:«q7Zk2Vw9Xn4R» https://x",
        ),
        *(
            "command=redis-cli -a «k7%Jm2-x9Q» monitor",
            "ExecStart=-sshpass -p «k7%Jm2-x9Q» ssh host",
        ),
        *("DB_PASSWORD: **`«k7%Jm2-x9Q»`**", "- **Password:** **`«k7%Jm2-x9Q»`**"),
        "{'Authorization': 'Bearer ' + '«q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpA»'}",
        'fmt.Sprintf("Bearer %s", "«q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpA»")',
    ],
)
def test_a_command_or_a_header_may_be_put_together(text):
    before, _, rest = text.partition("«")
    value, _, after = rest.partition("»")
    assert left_of(before + value + after) == f"{before}*{after}"
