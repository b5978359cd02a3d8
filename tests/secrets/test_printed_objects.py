"""Weak passwords in objects that a program has printed, and at the end of connection strings."""

import pytest

from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize("password", ["hunter3439", "Sommer2024", "letmein!", "q7Zk2Vw9Xn4R"])
@pytest.mark.parametrize(
    "text",
    [
        "DbConfig(user=app, password=§, host=db)",
        "LoginRequest(username=bob, password=§)",
        "Config[user=app, password=§]",
        "Config[password=§, user=app]",
        "{user=app, password=§, port=1}",
        "HikariConfig{jdbcUrl=x, username=app, password=§}",
        "Optional[User(name=bob, password=§)]",
        "Map(user -> app, password -> §)",
        "{User:app Password:§ Host:db}",
        "<User id=1 name=bob password=§>",
        'Config { user: "app", password: "§" }',
        'Credentials { username: "app", password: "§" }',
        "Namespace(host='db', user='app', db_password='§')",
        'psycopg2.connect("host=db user=app password=§")',
        'tokio_postgres::connect("host=localhost user=postgres password=§", NoTls)',
        "psql 'host=db user=app password=§' -c 'select 1'",
        'pool("password=§ host=db user=app")',
        'sql.Open("postgres", "user=app password=§ sslmode=disable")',
        'new NpgsqlConnection("Host=db;Username=app;Password=§")',
        "primary_conninfo = 'host=10.0.0.1 port=5432 user=repl password=§'",
    ],
)
def test_a_weak_password_is_found(text, password):
    assert left_of(f"a\n{text.replace('§', password)}\nb") == f"a\n{text.replace('§', '*')}\nb"


@pytest.mark.parametrize(
    "text",
    [
        "connect(user=app, password=password1, host=db)",
        "connect(user=user1, password=dbpass2, host=db)",
        "connect(user=self.user, password=self.password, x=1)",
        "login(password=secret, user=bob)",
        "def f(host, user=None, password=None, port=1)",
        "DbConfig(user=app, password=****, host=db)",
        "DbConfig(user=app, password=null, host=db)",
        "DbConfig(user=app, password=[PROTECTED], host=db)",
        "{password=required, user=required}",
        "data class Config(val user: String, val password: String)",
        "{User:app Password: Host:db}",
        'psycopg2.connect(f"host={h} user={u} password={p}")',
        'psycopg2.connect("host=%s user=%s password=%s" % (h, u, p))',
        'psql "host=db user=app password=$DB_PASS1"',
        '"Server=db;Password=" + pw + ";"',
    ],
)
def test_what_is_a_name_or_a_placeholder_there_stays(text):
    assert left_of(text) == text


def test_a_word_is_one_only_in_brackets_that_no_call_has():
    assert left_of("Config[user=app, password=letmein]") == "Config[user=app, password=*]"
    assert left_of("connect(user=app, password=letmein)") == "connect(user=app, password=letmein)"
