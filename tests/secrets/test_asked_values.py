"""What a person asks an interpreter, a debugger or a database for, and what it prints below."""

import pytest

from tests.secrets.test_grammars import left_of

QUESTIONS = [
    ">>> password",
    ">>> settings.DB_PASSWORD",
    '>>> config["db"]["password"]',
    '>>> os.environ.get("DB_PASSWORD")',
    ">>> user.get_password()",
    "(Pdb) p password",
    "(Pdb) pp settings.DB_PASSWORD",
    "ipdb> !self.password",
    "> config.db.password",
    "127.0.0.1:6379> hget user:1 password",
]


@pytest.mark.parametrize("value", ["'hunter2'", '"kX9#mQ2$vL"', "'correcthorse'"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_string_below_a_question_is_masked(question, value):
    quote = value[0]
    assert left_of(f"{question}\n{value}\n> ") == f"{question}\n{quote}*{quote}\n> "


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("In [2]: settings.api_key\nOut[2]: '9f8e7d6c5b4a39281706'", "'9f8e7d6c5b4a39281706'"),
        ('irb(main):002:0> user.password\n=> "hunter2"\n', '"hunter2"'),
        (">>> print(settings.DB_PASSWORD)\nhunter2\n>>> ", "hunter2"),
        ("> console.log(config.db.password)\nhunter2\nundefined\n> ", "hunter2"),
        ("irb(main):001:0> puts user.password\nhunter2\n=> nil\n", "hunter2"),
        ("(Pdb) p pw\n'Gr8!Lake7'\n", "'Gr8!Lake7'"),
        ('(gdb) p config->password\n$1 = 0x5555556022a0 "hunter2"\n(gdb) ', '"hunter2"'),
        ('(gdb) p password\n$2 = (char *) 0x5555556022a0 "hunter2"\n', '"hunter2"'),
        ("(gdb) p pw\n$3 = \"hunter2\", '\\000' <repeats 23 times>\n", '"hunter2"'),
        ('(lldb) p password\n(const char *) $0 = 0x0000000100003f9c "hunter2"\n', '"hunter2"'),
        ('(lldb) p password\n(std::string) "hunter2"\n', '"hunter2"'),
        ('[1] pry(main)> user.password\n=> "hunter2"\n', '"hunter2"'),
        ('jshell> password\npassword ==> "hunter2"\n', '"hunter2"'),
        ('jshell> config.password()\n$3 ==> "hunter2"\n', '"hunter2"'),
        ("scala> config.password\nval res0: String = hunter2\n", "hunter2"),
        (">>> password\nres1: kotlin.String = hunter2\n", "hunter2"),
        ('  1> password\n$R0: String = "hunter2"\n', '"hunter2"'),
        ('> password\n[1] "hunter2"\n', '"hunter2"'),
        ('user=> password\n"hunter2"\n', '"hunter2"'),
        ("  DB<1> x $password\n0  'hunter2'\n", "'hunter2'"),
        ("    >>> settings.DB_PASSWORD\n    'hunter2'\n", "'hunter2'"),
    ],
)
def test_each_interpreter_prints_it_in_its_own_way(text, left):
    masked = left.replace(left.strip("'\""), "*")
    assert left_of(text) == text.replace(left, masked)


@pytest.mark.parametrize(
    "text",
    [
        ">>> settings.DB_PASSWORD_FILE\n'/run/secrets/db9'\n",
        ">>> len(password)\n7\n>>> ",
        ">>> tokenizer.eos_token\n'<eos1>'\n",
        ">>> check_password\n<function check_password at 0x7f3a>\n",
        ">>> password\nNameError: name 'password' is not defined\n",
        ">>> user.has_password\nTrue\n",
        "see password\n'ready4'\n",
        "(gdb) p password_len\n$1 = 12\n(gdb) info line\n",
        "(gdb) p password\n$1 = 0x0\n",
        "scala> hashPassword\nval res0: String => String = Lambda1234\n",
        '> password\ntitle = "ready4"\n',
        "items.map(x => password)\n'ready4'\n",
    ],
)
def test_what_is_printed_below_other_lines_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"login": "root", "pw": "«Gr8!Lake7»"}',
        "{ user: 'a', pw: '«Gr8!Lake7»' }",
        "            [user] => app\n            [password] => «hunter2»\n        )\n",
        "    [host] => db\n    [password:protected] => «Tr0ub4dor&3x»\n",
        "    [pw:Db:private] => «Gr8!Lake7»\n)\n",
        '  ["password":protected]=>\n  string(12) "«Tr0ub4dor&3x»"\n',
        "create user 'app'@'%' identified by '«hunter2»' xx",
        "tokens: [ '«b3Hq8ZtW1mKx5VnC7rYd9PsL»' ]",
        '\'{"tokens":["«b3Hq8ZtW1mKx5VnC7rYd9PsL»"]}\'',
    ],
)
def test_short_names_and_printed_objects_are_read(text):
    plain = text.replace("«", "").replace("»", "")
    before, _, rest = text.partition("«")
    assert left_of(plain) == f"{before}*{rest.partition('»')[2]}"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("here is the key: b3Hq8ZtW1mKx5VnC7rYd9PsL", "here is the key: *"),
        ("Here's the key: b3Hq8ZtW1mKx5VnC7rYd9PsL", "Here's the key: *"),
        ("password rotated: old Tr0ub4dor&3x, new kX9#mQ2$vL.", "password rotated: old *, new *."),
        (
            "the DB password (old: Tr0ub4dor&3x, new: kX9#mQ2$vL)",
            "the DB password (old: *, new: *)",
        ),
        ("127.0.0.1:6379> auth w7Gz!pQ4rT\nOK\n", "127.0.0.1:6379> auth *\nOK\n"),
        ("the cache key: b3Hq8ZtW1mKx5VnC7rYd9PsL", "the cache key: b3Hq8ZtW1mKx5VnC7rYd9PsL"),
        ("password check: old API, new API", "password check: old API, new API"),
    ],
)
def test_what_is_said_of_a_secret_shows_it(text, left):
    assert left_of(text) == left
