"""Tables as database clients and other programs print them."""

import json
import re

import pytest

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize(
    "text",
    [
        "smtp_password|*\nsmtp_host|mail.example.com\njwt_secret|*\ndebug|false\n",
        "site_name,Acme\nsmtp_password,*\nDB_PASSWORD,*\n",
        "name|value\nsmtp_password|*\n",
        "id|1\nusername|alice\npassword|*\n\nid|2\nusername|bob\npassword|*\n",
        "login|pw\nroot|*\nops|*\n",
        "+-------+-----------+\n| login | pw        |\n+-------+-----------+\n| root  | * |\n",
    ],
)
def test_a_list_of_names_and_values_needs_no_head(text):
    parts = text.split("*")
    values = ["w7Gz!pQ4rT", "Zq81nXv0LmPt6RyK2sWd"]
    plain = parts[0] + "".join(values[at % 2] + part for at, part in enumerate(parts[1:]))
    assert left_of(plain) == text


@pytest.mark.parametrize("head", ["user", "db_user", "username"])
@pytest.mark.parametrize("between", [",", "|", "\t", ";"])
def test_a_cell_may_be_what_its_column_is_called(head, between):
    rows = f"{head},password\nadmin,*\nuser,*\nname,*\nbob,*\n".replace(",", between)
    assert left_of(rows.replace("*", "kX9#mQ2$vL")) == rows


def test_a_blank_line_ends_a_table():
    first = "| user | password |\n|---|---|\n| bob | * |\n\n"
    other = "| service | address |\n|---|---|\n| db | postgres15 |\n"
    assert left_of(first.replace("*", "kX9#mQ2$vL") + other) == first + other


def test_an_object_directly_below_a_table_is_no_row_of_it():
    table = "user,password,role\nbob,*,admin\n"
    text = table + '{"name": "kX9#mQ2$vL", "port": 1, "on": true}\n'
    assert left_of(text.replace("*", "q7Zk2Vw9Xn4R")) == text


@pytest.mark.parametrize(
    "before", ['{"name": "a", "port": 1, "on": true}\n', "user,password,role\nbob,*,admin\n"]
)
def test_a_table_may_be_directly_below_an_object_or_another_table(before):
    text = f"{before}user,password,role\nal,*,dev\n"
    assert left_of(text.replace("*", "kX9#mQ2$vL")) == text


@pytest.mark.parametrize(
    "text",
    [
        "password,email\nkX9#mQ2$vL,bob@example.com\n",
        "password|username\nkX9#mQ2$vL|alice\n",
    ],
)
def test_secrets_may_be_in_the_first_of_two_columns(text):
    assert left_of(text) == text.replace("kX9#mQ2$vL", "*")
    assert "alice" in left_of("password|alice\nhost|db1\n")


@pytest.mark.parametrize(
    "text",
    [
        # sqlite3 in column mode, with and without other columns
        (
            "id  username  password      role \n--  --------  ------------  -----\n"
            "1   alice     «Tr0ub4dor&3x»  admin\n2   bob       «hunter2»       user \n"
        ),
        "username  password\n--------  ------------\ncarol     «correcthorse»\n",
        # psql: without lines, and with one column
        (
            "id username   password   role  \n-- -------- ------------ ----- \n"
            " 1 alice    «Tr0ub4dor&3x» admin\n 2 bob      «hunter2»      user\n(2 rows)\n"
        ),
        "   password   \n--------------\n «Tr0ub4dor&3x»\n(1 row)\n",
        # pandas, right-aligned
        (
            "   id username      password   role\n0   1    alice  «Tr0ub4dor&3x»  admin\n"
            "1   2      bob       «hunter2»   user\n"
        ),
        # rst, a rule of rich, and no rule
        (
            "==========  ============\nusername    password\n==========  ============\n"
            "alice       «Tr0ub4dor&3x»\n==========  ============\n"
        ),
        (
            "  User    Password      \n \u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500 \n"
            "  alice   «Tr0ub4dor&3x»  \n  zo\u00eb     «hunter2»       \n"
        ),
        "USER   PASSWORD      HOST\nalice  «Tr0ub4dor&3x»  db1\nbob    «hunter2»       db2\n",
        "login  pw\nroot   «Gr8!Lake7»\n",
    ],
)
def test_columns_may_be_aligned_with_blanks(text):
    assert left_of(text.replace("«", "").replace("»", "")) == re.sub("«.*?»", "*", text)


@pytest.mark.parametrize(
    "text",
    [
        "Password\n--------\nRequired for all accounts, 12 characters at least.\n",
        "Password\n--------\nrequired\n",
        "hosts  passwd  group\nfstab  shadow  issue\n",
        "auth_method    password\nauth_user      alice42\n",
        (
            "-rw-r--r-- 1 root root    1234 Jan  1 00:00 passwd\n"
            "-rw-r----- 1 root shadow   999 Jan  1 00:00 shadow\n"
        ),
        "NAME      SECRETS   AGE\ndefault   1         3d\n",
        "name      type      password\nalice     string    required\n",
        "id  tokens  model\n--  ------  -----\n1   1234    gpt-4o\n",
    ],
)
def test_other_aligned_lines_stay(text):
    assert left_of(text) == text


@pytest.mark.parametrize("align", ["<", "^"])
@pytest.mark.parametrize("name", ["password", "api_key", "access_token", "password_hash"])
@pytest.mark.parametrize(
    "table",
    [
        " id | {} \n----+-{}-\n  1 | {} \n(1 row)\n",
        "+----+-{1}-+\n| id | {0} |\n+----+-{1}-+\n|  1 | {2} |\n+----+-{1}-+\n",
        "| id | {} |\n| -- | {} |\n| 1  | {} |\n",
    ],
)
def test_a_head_is_padded_to_the_length_of_its_values(table, name, align):
    """In a message, where the ends of lines are escaped: what may have a table is seen there."""
    value = "k4Jw81mZq0XtB7nP" * 4
    width = len(value)
    text = table.format(f"{name:{align}{width}}", "-" * width, value)
    line = json.dumps({"params": {"text": text}}).encode()
    assert [secret.text.decode() for secret in Finder().find(line)] == [value]


@pytest.mark.parametrize(
    "text",
    [
        "web-1  | Please enter your password\nweb-1  | POST /login 200\nweb-1  | done2\n",
        "00001| const token\n00002| let x1 = 5\n00003| call_me2(x1)\n",
        'echo "deploy:redacted-pipe-1" | chpasswd\n$ echo "deploy:redacted-pipe-1" | chpasswd\n',
        "cat users | sudo smbpasswd\ncat users2 | sudo smbpasswd\n",
    ],
)
def test_lines_that_all_begin_alike_or_with_a_number_are_no_table(text):
    assert Redactor().text(text) == text


TOKEN = "M4bflVohuoDg4FUc29347cph"
NAMES = ["token", "access_token", "apikey", "apiKey", "jwt", "credentials", "cookie"]


@pytest.mark.parametrize("name", [*NAMES, "authorization", "password"])
@pytest.mark.parametrize(
    "text",
    [
        "user,#\nalice,§\n",
        "| user | **#** |\n|---|---|\n| alice | § |\n",
        "user    #\nalice   §\n",
        "<tr><th>user</th><th>#</th></tr><tr><td>alice</td><td>§</td></tr>",
        "INSERT INTO sessions (id, #) VALUES (1, '§');",
        "INSERT INTO sessions (#)\nVALUES ('§');",
        "INSERT INTO `s` (`id`, `#`, `created_at`) VALUES (1,'§','2026-01-05');",
    ],
)
def test_a_column_may_have_whatever_name_of_a_secret(name, text):
    named = text.replace("#", name)
    assert left_of(named.replace("§", TOKEN)) == named.replace("§", "*")


@pytest.mark.parametrize("text", ["user,password\n", "INSERT INTO u (id, password) VALUES\n"])
def test_every_row_of_a_long_table_is_read(text):
    is_sql = "VALUES" in text
    rows = [f"({at}, '{TOKEN}{at}')" if is_sql else f"u{at},{TOKEN}{at}" for at in range(2000)]
    assert TOKEN not in left_of(text + (",\n" if is_sql else "\n").join(rows))


@pytest.mark.parametrize("between", [",", "|", ";", "\t"])
@pytest.mark.parametrize(
    "above",
    [
        *("@@ -0,0 +1,3 @@", "Sure, here it is:", "$ psql -At -c 'table u' | head -3"),
        "dev@host:~/shop$ cut -f1,2 -d';' users | sort",
    ],
)
def test_a_line_above_a_table_is_no_row_of_it(above, between):
    table = "user,password\nalice,*\nbob,*\n".replace(",", between)
    text = f"{above}\n{table}"
    assert left_of(text.replace("*", "k7Jm2x9Q")) == text


@pytest.mark.parametrize(
    "above", ["@@ -0,0 +1,2 @@", "$ cat users.txt", "-rw-r--r--  1 dev  dev  1 a"]
)
def test_nor_is_one_above_a_table_with_aligned_columns(above):
    text = f"{above}\nuser   password  role\nalice  *  admin\n"
    assert left_of(text.replace("*", "k7Jm2x9Q")) == text


def test_a_row_that_names_a_password_heads_no_table():
    text = (
        "| name | value |\n|---|---|\n| user | bob17x |\n| password | x |\n| host | db7Jm2x9Q |\n"
    )
    assert left_of(text) == text
