"""Generated passwords without quotes: found whole, whatever signs they have; and what is code."""

import json
import random
import string

import pytest

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from tests.secrets.test_grammars import left_of

PLACES = (
    *("DB_PASSWORD={}\n", "db:\n  password: {}\n  user: x\n", "[db]\npassword = {}\n"),
    *("      DB_PASSWORD: {}\n", "spring.datasource.password={}\n", "Password: {}\n"),
    *("Server=db;User Id=sa;Password={};Database=x", "host=db password={} dbname=x\n"),
    *("the password is {}\n", "The password for staging is {}\n", "sudo password, it's {}\n"),
    *("pw {}\n", "+DB_PASSWORD={}\n", "     2→DB_PASSWORD={}\n", "db:5432:shop:app:{}\n"),
    *("requirepass {}\n", "acme --password {} -v\n", "acme --password={} -v\n"),
)
PASSWORDS = (
    "k8Sj<2Qx9pL",
    "k8Sj>2Qx9pL",
    "k8Sj'2Qx9pL",
    'k8S"j2Qx9pL',
    "k8Sj`2Qx9pL",
    "k8]Sj(2p<L4x",
)


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize("place", PLACES)
def test_a_password_ends_at_no_sign_that_is_in_it(place, password):
    assert left_of(place.format(password)) == place.format("*")


def test_hardly_any_generated_password_is_cut_or_missed():
    rng = random.Random(16)
    letters = string.ascii_letters + string.digits
    tried = left = 0
    for place in PLACES:
        for _ in range(30):
            middle = "".join(rng.choices(letters + "!@#$%^*()_+-=[]{}|:.<>?", k=14))
            password = f"{rng.choice(letters)}7{middle}{rng.choice(letters)}"
            tried += 1
            left += left_of(place.format(password)) != place.format("*")
    assert left < tried / 25


@pytest.mark.parametrize(
    "text",
    [
        *("password: Option<[u8;16]>,", "token = names[i2].split('x9')[0]", 'token = f("a1", b2)'),
        *(
            "password = data[4:12]",
            "password = sim_auth[0]",
            "password: z.string().min(8).max(64),",
        ),
        *(
            "token = tokenizer.decode(output[0])",
            "password: Map<string,Vec<u8>>",
            "pw <b>sha256</b>",
        ),
        *("password = models.CharField(max_length=128)", "secret: ENC[AES256_GCM,data:x]"),
    ],
)
def test_an_expression_of_a_program_is_none(text):
    assert left_of(text) == text


@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize(
    "place",
    [
        *("the password is {}", "requirepass {}", "DB_PASSWORD={}", "password: {}", "pw {}"),
        *("acme --password {}", "Server=db;Password={}", "sudo password, it's {}"),
        *(
            "machine a.io login bob password {}",
            "mysql -u root -p{}",
            "redis-cli -a {}",
            "curl -u bob:{}",
            "sshpass -p {}",
        ),
    ],
)
def test_json_in_a_string_stays_json(place, depth):
    text = json.dumps({"said": place.format("k8Sj2Qx9pL"), "user": "zed"})
    for _ in range(depth):
        text = json.dumps({"body": text})
    left = left_of(text)
    for _ in range(depth):
        left = json.loads(left)["body"]
    assert json.loads(left) == {"said": place.format("*"), "user": "zed"}


def test_braces_around_a_part_of_a_password_are_its_own():
    assert left_of("DB_PASSWORD={fCYO*};Cq4{N7*}_1") == "DB_PASSWORD=*"
    assert left_of("Driver=x;PWD={k8S}}j2};Database=y") == "Driver=x;PWD={*};Database=y"


@pytest.mark.parametrize(
    "text",
    [
        "<p>password: «k8Sj2Qx9pL»</p>",
        '{"text":"the password is «k8Sj2Qx9pL»","n":1}',
        "run(`export DB_PASSWORD=«k8Sj2Qx9pL»`)",
        "(DB_PASSWORD=«k8Sj<2Qx9pL») ",
        "the password: «k8Sj<2Qx9pL» | bob",
        "postgres://app:«k8Sj'2Qx9pL»@db/x",
        '["http://h:8080","y1Z@db"] password=«k8Sj<2Qx9pL»',
    ],
)
def test_what_was_opened_before_a_password_is_closed_after_it(text):
    assert (
        left_of(text.replace("«", "").replace("»", ""))
        == text.partition("«")[0] + "*" + (text.partition("»")[2])
    )


@pytest.mark.parametrize(
    "text",
    [
        'val p = System.getenv("DB_PASSWORD") ?: "*"',
        '<input type="password" id="a" value="*">',
        "\u5bc6\u7801: *",
        "db.example.com\nadmin\n*\n",
    ],
)
def test_what_a_string_in_a_string_spells_is_found_there(text):
    """The words by which it is known are escaped twice."""
    value = "q7Zk2Vw9Xn4Rb8TyLm3P"
    inner = json.dumps({"output": text.replace("*", value)})
    line = json.dumps({"params": {"text": inner}}).encode()
    assert [secret.text.decode() for secret in Finder().find(line)] == [value]


def test_hexadecimal_digits_may_be_capitals():
    assert left_of("x " + b"DB_PASSWORD=q7Zk2Vw9Xn4Rb8Ty".hex().upper()) == "x *"


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=9TsITzz(?9Hb API_PASSWORD=wqauV{)V5mNL\n",
        "export A_PASSWORD=R5-kqL|xIAQE; export B_PASSWORD=sc`MZ|x{4R9V\n",
    ],
)
def test_signs_in_one_password_open_nothing_before_the_next(text):
    once = Redactor().text(text)
    assert Redactor().text(once) == once
    assert len(once.split("redacted-")) == 3


@pytest.mark.parametrize(
    "line",
    [
        'SERVER_AUTH = ObjectIdentifier("1.3.6.1.5.5.7.3.1")',
        'password = ENV["DB1_P2"]',
        'TOKEN = re.compile(r"[a-z0-9_]+")',
        'password = cfg.get("db1.pass2")',
        'token = tokens["x1y2z3"]',
        'password = getpass("DB1 (v2): ")',
        'let token = Token::new("t1.2.3");',
        'X_AUTH = Enum("2.1.0")',
    ],
)
def test_a_call_with_a_literal_is_no_password(line):
    assert Redactor().text(line) == line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            r"'\x1b[32mDB_PASSWORD=q7Zk2Vw9Xn4Rb8Tm\x1b[0m\n\x1b[32mHOST=db\x1b[0m'",
            r"'\x1b[32mDB_PASSWORD=redacted-assignment-1\x1b[0m\n\x1b[32mHOST=db\x1b[0m'",
        ),
        (
            r'{"stdout": "machine a.example login bob password q7Zk2Vw9Xn4R\nmachine b.example"}',
            r'{"stdout": "machine a.example login bob password redacted-netrc-password-1\nmachine b.example"}',
        ),
        (
            r"{'stdout': '\x1b[32mthe password is VHpE99lQ1SxS\x1b[0m\n\x1b[32mok\x1b[0m'}",
            r"{'stdout': '\x1b[32mthe password is redacted-prompt-1\x1b[0m\n\x1b[32mok\x1b[0m'}",
        ),
        (
            "1:db.example.com:5432:shop:app:K3biune5rFXc\n2:*:5432:*:root:vjC8DAvbBu0o\n",
            "1:db.example.com:5432:shop:app:redacted-pgpass-1\n2:*:5432:*:root:redacted-pgpass-2\n",
        ),
        (
            r'is: {"a": "{\"b\": \"h1.example:5432:shop:app:q7Zk2Vw9Xn4R\\nh2.example:5432:shop:bob:hJ4Jslb1\"}"}',
            r'is: {"a": "{\"b\": \"h1.example:5432:shop:app:redacted-pgpass-1\\nh2.example:5432:shop:bob:redacted-pgpass-2\"}"}',
        ),
        (
            'ghp_q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpAe,{"token":"67clQPW6KBBmzlDtmDE9JpIq","id":1}',
            'redacted-github-token-1,{"token":"redacted-secret-1","id":1}',
        ),
    ],
)
def test_what_is_after_a_password_stays(text, expected):
    assert Redactor().text(text) == expected
    assert Redactor().text(expected) == expected


@pytest.mark.parametrize("after", ['"},{"name', '"},{', '\\"],\\"x', '":"X'])
def test_what_follows_a_string_of_json_is_no_part_of_a_token_in_it(after):
    """A piece of a text may begin within a string, so that its end looks like a beginning."""
    token = "97c5bt0XiYMb5Vmtw6OV5fyZVkJ7hYasZ7pUuNHq"
    said = Redactor().text(f'e":"Bearer {token}{after}')
    assert said == f'e":"Bearer redacted-authorization-1{after}'
