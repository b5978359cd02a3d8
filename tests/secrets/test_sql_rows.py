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


@pytest.mark.parametrize(
    "text",
    [
        (
            "LOG:  execute <unnamed>: INSERT INTO users (name, password) VALUES ($1, $2)\n"
            "DETAIL:  parameters: $1 = 'bob', $2 = '«hunter2»'"
        ),
        (
            "2026-01-02 10:00:00 UTC [12] LOG:  execute S_1: update users set password = $1 where id = $2\n"
            "2026-01-02 10:00:00 UTC [12] DETAIL:  Parameters: $1 = '«hunter2»', $2 = '4'"
        ),
        (
            "LOG: duration: 0.2 ms  execute q1: SELECT id FROM users WHERE name = $1 AND api_token = $2\n"
            "DETAIL: parameters: $1 = 'al', $2 = '«q7Zk2Vw9Xn4Rt5»'"
        ),
        'Executing (default): INSERT INTO "Users" ("id","password","createdAt") VALUES (DEFAULT,$1,$2) RETURNING "id","password"; "«hunter2»", "2026-01-01"',
        'Executing (default): INSERT INTO "Users" ("id","password") VALUES ($1,$2)  -- bind: ["4","«hunter2»"]',
        'Executing (default): INSERT INTO "Users" ("id","password") VALUES ($1,$2) with bind: ["4","«hunter2»"]',
        'Executing (default): UPDATE "Users" SET "password"=$1,"updatedAt"=$2 WHERE "id" = $3; "«hunter2»", "2026-01-01", 4',
        (
            "Hibernate: insert into users (name, password) values (?, ?)\n"
            "TRACE o.h.t.d.s.BasicBinder : binding parameter [1] as [VARCHAR] - [bob]\n"
            "TRACE o.h.t.d.s.BasicBinder : binding parameter [2] as [VARCHAR] - [«hunter2»]"
        ),
        (
            "Hibernate: \n"
            "    insert \n"
            "    into\n"
            "        users\n"
            "        (name, password, id) \n"
            "    values\n"
            "        (?, ?, ?)\n"
            "2026 TRACE 1 --- BasicBinder : binding parameter (1:VARCHAR) <- [bob]\n"
            "2026 TRACE 1 --- BasicBinder : binding parameter (2:VARCHAR) <- [«hunter2»]"
        ),
        (
            "Hibernate: update users set name=?, password=? where id=?\n"
            "binding parameter [1] as [VARCHAR] - [al]\n"
            "binding parameter [2] as [VARCHAR] - [«hunter2»]"
        ),
        (
            'prisma:query INSERT INTO "public"."User" ("name","password") VALUES ($1,$2) RETURNING "public"."User"."id"\n'
            'Params: ["a","«hunter2»"]'
        ),
        ('query: UPDATE `User` SET `password` = ? WHERE (`id` = ?)\nParams: ["«hunter2»",3]'),
        'query: INSERT INTO "user"("id", "password") VALUES (DEFAULT, $1) RETURNING "id" -- PARAMETERS: ["«hunter2»"]',
        'query: SELECT * FROM "user" WHERE "user"."api_token" = $1 -- params: ["«q7Zk2Vw9Xn4Rt5»"]',
        'User Create (0.4ms)  INSERT INTO "users" ("name", "password", "created_at") VALUES ($1, $2, $3) RETURNING "id"  [["name", "bob"], ["password", "«hunter2»"], ["created_at", "2026"]]',
        'User Update (0.4ms)  UPDATE "users" SET "password" = ? WHERE "users"."id" = ?  [["password", "«hunter2»"], ["id", 1]]',
        "knex: insert into users (name, password) values (?, ?) undefined bindings: [ 'bob', '«hunter2»' ]",
        (
            "==>  Preparing: insert into users (name, password) values (?, ?)\n"
            "==> Parameters: bob(String), «hunter2»(String)"
        ),
        (
            "[SQL: INSERT INTO users (id, password) VALUES (%(id)s, %(password)s)]\n"
            "[parameters: {'id': 4, 'password': '«hunter2»'}]"
        ),
        (
            "Executed DbCommand (2ms) [Parameters=[@p0='bob' (Size = 4000), @p1='«hunter2»' (Size = 4000)], CommandType='Text', CommandTimeout='30']\n"
            'INSERT INTO "Users" ("Name", "Password")\n'
            "VALUES (@p0, @p1);"
        ),
        (
            "ERROR:  duplicate key\n"
            "CONTEXT:  extended query with parameters: $1 = 'bob', $2 = '«hunter2»'\n"
            "STATEMENT:  INSERT INTO users (name, password) VALUES ($1, $2)"
        ),
        (
            "[debug] QUERY OK db=1.2ms\n"
            'INSERT INTO "users" ("name","password") VALUES ($1,$2) ["bob", "«hunter2»"]'
        ),
        '(0.002) INSERT INTO "users" ("name", "password") VALUES (%s, %s); args=(\'bob\', \'«hunter2»\')',
        '[mysql] insert into users (name, password) values (?, ?) ["bob","«hunter2»"]',
        'Query: insert into users (name, password) values (?, ?) -- params ["bob", "«hunter2»"]',
    ],
)
def test_the_parameters_of_a_statement_in_a_log_are_found(text):
    assert left_of(text.replace("«", "").replace("»", "")) == re.sub("«.*?»", "*", text)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO users (password, name) VALUES ($1, $2)\nDETAIL: parameters: $2 = 'alice42'",
        "INSERT INTO u (password, name) VALUES (md5('x'), $1)\nDETAIL: parameters: $1 = 'alice42'",
        "insert into u (name, password) values (?, ?)\nbinding parameter [1] as [VARCHAR] - [bob42]",
        "update u set password=? where name=?\nbinding parameter (2:VARCHAR) <- [bob42]",
        "==> Preparing: insert into u (name, password_hint) values (?, ?)\n==> Parameters: b4(String)",
        'UPDATE "Users" SET "password"=$1,"updatedAt"=$2 WHERE "id" = $3',
        "awk '{ $1 = 'bob42' }'; select a password",
        'SELECT id FROM users WHERE name = $1 ["password42"]',
    ],
)
def test_parameters_of_other_columns_stay(text):
    assert left_of(text) == text
