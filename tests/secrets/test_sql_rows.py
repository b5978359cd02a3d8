"""Rows whose columns are named by a statement of SQL."""

import re

import pytest

from tests.secrets.test_grammars import left_of

TABLE = "CREATE TABLE `users` (\n  `id` int(11) NOT NULL,\n  `password` varchar(99),\n  PRIMARY KEY"
ENGINE = "sqlalchemy.engine.Engine"


@pytest.mark.parametrize(
    "text",
    [
        # dumps of psql, mysql and sqlite
        "COPY public.users (id, password, role) FROM stdin;\n1\t«hunter2»\tadmin\n\\.\n",
        f"{TABLE} (`id`)\n);\nINSERT INTO `users` VALUES\n(1,'«correcthorse»'),\n(2,'«hunter2»');",
        "CREATE TABLE users (id integer, password text);\nINSERT INTO users VALUES(1,'«hunter2»');",
        # a statement at a prompt
        "sqlite> select username, password from users;\nalice|«Tr0ub4dor&3x»\nbob|«hunter2»\nsqlite> ",
        '$ sqlite3 app.db "select username, password from users"\nalice|«hunter2»\n',
        "sqlite> select password from users where id = 1;\n«Tr0ub4dor&3x»\nsqlite> ",
        "app=# select u.email, u.password from users u;\n a@example.com | «correcthorse»\n",
        "sqlite> select value from settings where name = 'smtp_password';\n«w7Gz!pQ4rT»\n",
        # parameters in a log
        (
            f"{ENGINE} INSERT INTO users (id, password) VALUES (?, ?)\n"
            f"{ENGINE} [generated in 0.00037s] (2, '«hunter2»')\n"
        ),
        (
            f"{ENGINE} update users set password=? where username=?\n"
            f"{ENGINE} [cached since 0.2s ago] ('«Tr0ub4dor&3x»', 'alice')\n"
        ),
        "[SQL: INSERT INTO users (id, password) VALUES (%s, %s)]\n[parameters: (2, '«kX9#mQ2$vL»')]",
        'query: INSERT INTO users(name, password) VALUES ($1, $2) -- PARAMETERS: ["al","«hunter2»"]',
    ],
)
def test_the_columns_of_a_statement_name_those_of_its_rows(text):
    assert left_of(text.replace("«", "").replace("»", "")) == re.sub("«.*?»", "*", text)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE logs (id integer, note text);\nINSERT INTO logs VALUES(1,'password4');",
        "INSERT INTO users VALUES(1,'alice42');\n-- the password is not in it",
        'row = db.execute("select password from users where id = 1")\nhash1\n',  # no prompt
        "sqlite> select username, password_hint from users;\nalice|the dog4\n",
        "select a token from the list, then update the secret\nargs: ('alice42')\n",
        "UPDATE users SET name=? WHERE password_id=?\n[parameters: ('alice42', 'b42x')]",
    ],
)
def test_other_rows_stay(text):
    assert left_of(text) == text
