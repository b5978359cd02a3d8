"""What a program has printed has the same secrets as the text, whatever is around it."""

import json

import pytest
from support.keys import spelled_out

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.plain_views import views
from acp_spy.secrets.shape_search import ShapeSearch
from benchmarks.printed_forms import LINE_FORMS
from tests.secrets.test_grammars import left_of

KEY = spelled_out("sk-ant-api03-<80>")
# Each is found by where it is in its line, or by what is in the line before.
TEXTS = {
    "variable": ("MYSQL_ROOT_PASSWORD=hunter2\nMYSQL_DATABASE=shop", "hunter2"),
    "settings": ("spring.datasource:\n  username: shop\n  password: Shop2023", "Shop2023"),
    "pair": ("- name: DB_PASSWORD\n  value: helm-P4ss", "helm-P4ss"),
    "command": ("mysqldump -h db -u root -pd7cqv54FyKIS shop > dump.sql", "d7cqv54FyKIS"),
    "table": (
        "id | username | password\n---+----------+----------\n 1 | kim | tbl-pw91",
        "tbl-pw91",
    ),
}


def found(text):
    line = json.dumps({"method": "x", "params": {"text": text}}).encode()
    return [secret.text.decode() for secret in Finder().find(line)]


# Control sequences after a line, or around it.
SEQUENCES = {
    "a title after it": "%s\x1b]0;dev: /app\x07",
    "a cursor after it": "%s\x1b[?25h",
    "a link": "\x1b]8;;file:///a\x1b\\%s\x1b]8;;\x1b\\",
}
SEQUENCE_FORMS = {
    name: lambda text, form=form: "\n".join(form % line for line in text.split("\n"))
    for name, form in SEQUENCES.items()
}


@pytest.mark.parametrize(
    "form", (LINE_FORMS | SEQUENCE_FORMS).values(), ids=LINE_FORMS | SEQUENCE_FORMS
)
@pytest.mark.parametrize(("text", "secret"), TEXTS.values(), ids=TEXTS)
def test_what_is_before_each_line_hides_nothing(text, secret, form):
    assert found(text) == [secret]
    (masked,) = found(form(text))
    assert masked.endswith(secret)  # two columns of a table, which it is not, are masked together


COLORED = f"x {KEY[:30]}\x1b[31m{KEY[30:]}\x1b[0m"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"{COLORED}\r\x1b[2KDone\n", KEY),
        ("\x1b[36mDB_PASSWORD\x1b[0m=\x1b[33mk4Jw81mZ\x1b[0m\r\x1b[2KDone", "k4Jw81mZ"),
        ("**password**: **k4Jw81mZ**\rnext", "k4Jw81mZ"),
        ("password: <code>k4Jw81mZ</code>\rok", "k4Jw81mZ"),
        ("DB_PASSWORD=k4Jw81mZ\x1b[?25hmore x", "k4Jw81mZ"),
        ("DB_PASSWORD=k4Jw81mZ\x1b]8;;http://a\x1b\\see docs\x1b]8;;\x1b\\", "k4Jw81mZ"),
        ("Reading\x1b[2K\x1b[1Gexport DB_PASSWORD=k4Jw81mZ", "k4Jw81mZ"),
        ("export DB_PASSWORD=\x1b[1Gk4Jw81mZ", "k4Jw81mZ"),
        ("DB_PASSWORD=\x1b]8;;http://a\x07k4Jw81mZ\x1b]8;;\x07", "k4Jw81mZ"),
        ("mysql -u root \x1b[?25l\x1b[?25h-pk4Jw81mZ", "k4Jw81mZ"),
        ('password = "k4Jw81mZ\x1b[1G"', "k4Jw81mZ"),
        (f"{KEY}\x1b]0;dev: /app\x07dev@host:/app$ ", KEY),
    ],
)
def test_a_control_sequence_ends_a_secret_and_hides_none(text, masked):
    assert found(text) == [masked]


@pytest.mark.parametrize(
    "mode",
    ["?25h", "?25l", "?1049l", "?1006l", "?2004l", "?2026l", "!p", "<u", ">1u", "2 q"],
)
@pytest.mark.parametrize("form", [str, repr, json.dumps], ids=["a text", "Python", "JSON"])
def test_a_key_after_what_switches_a_terminal_to_another_mode_is_found(mode, form):
    for key in map(spelled_out, ("ghp_<36>", "AKIA<upper 16>", "npm_<36>")):
        (masked,) = found(form(f"Login \x1b[2K\x1b[{mode}{key}\r\n"))
        assert masked == key


OF_ALL_LINES = {
    "docker logs -t": lambda n, line: f"2026-11-19T05:00:{n:02d}.1234567Z {line}",
    "gh run view": lambda n, line: f"build\tRun tests\t2026-11-19T05:00:{n:02d}.12Z {line}",
    "kubectl logs --prefix": lambda _, line: f"[pod/web-7d9f8b6c5-x2x4z/web] {line}",
    "journalctl": lambda n, line: f"2026-11-19T05:00:{n:02d}+0000 host app[123]: {line}",
    "buildkit": lambda n, line: f"#12 0.{100 + n} {line}",
    "npm": lambda _, line: f"npm ERR! {line}",
    "turbo": lambda _, line: f"web:build: {line}",
    "packer": lambda _, line: f"==> amazon-ebs.x: {line}",
    "grep -B": lambda n, line: f"conf/app.yml{':-'[n % 2]}{n}{':-'[n % 2]}{line}",
}
NAMED_ABOVE = {
    "a Secret": ("kind: Secret\ndata:\n  tls.p12: MIIKqQIBAzCC", "MIIKqQIBAzCC"),
    "a section": ("jwt:\n  issuer: x\n  key: q7Zk2Vw9Xn4Rb8Tm3Yc6", "q7Zk2Vw9Xn4Rb8Tm3Yc6"),
    "a section in brackets": ("[auth]\nkey=q7Zk2Vw9Xn4Rb8Tm3Yc6", "q7Zk2Vw9Xn4Rb8Tm3Yc6"),
    "a pair": ("- name: DB_PASSWORD\n  value: helm-P4ss", "helm-P4ss"),
}


@pytest.mark.parametrize("form", OF_ALL_LINES.values(), ids=OF_ALL_LINES)
@pytest.mark.parametrize(("text", "secret"), NAMED_ABOVE.values(), ids=NAMED_ABOVE)
def test_what_a_program_puts_before_all_lines_hides_nothing(text, secret, form):
    assert found(text) == [secret]
    printed = [form(n, line) for n, line in enumerate(("up", *text.split("\n"), "done"), 1)]
    assert found("\n".join(printed)) == [secret]


def test_equal_strings_with_the_same_json_are_all_read():
    line = 'run("{\\"env\\": {\\"DB_PASSWORD\\": \\"hunter two x\\"}}")'
    assert found(line) == ["hunter two x"]
    assert found("\n".join([line] * 20)) == ["hunter two x"] * 20


@pytest.mark.parametrize(("text", "secret"), NAMED_ABOVE.values(), ids=NAMED_ABOVE)
def test_the_mark_at_the_beginning_of_a_file_hides_nothing(text, secret):
    assert found(f"\ufeff{text}") == [secret]


@pytest.mark.parametrize(("text", "secret"), TEXTS.values(), ids=TEXTS)
def test_numbers_of_lines_may_have_a_letter(text, secret):  # as the agent Codex reads files
    lines = "\n".join(f"L{at}: {line}" for at, line in enumerate(text.split("\n"), 1))
    (masked,) = found(lines)
    assert masked.endswith(secret)


@pytest.mark.parametrize(("text", "secret"), TEXTS.values(), ids=TEXTS)
def test_an_object_that_was_printed_hides_nothing(text, secret):
    printed = {"stdout": f"$ cat it\n{text}\n", "code": 0}
    assert found(f"result: {printed!r}") == [secret]
    assert found(f"result: {json.dumps(printed)}") == [secret]
    assert found(f"result: {json.dumps({'output': json.dumps(printed)})}") == [secret]


def test_code_in_a_sentence_is_a_line_of_its_own():
    assert found("I set `db_password: 20481024`, is that right?") == ["20481024"]
    assert found("I set `password: str`, is that right?") == []


def test_what_is_found_in_a_view_is_masked_with_its_escapes_and_keeps_its_name():
    text = rb"{'env': 'DB_PASSWORD=ab\'cd\\ef1\n'}"
    (secret,) = Finder().find(text)
    assert text[secret.start : secret.end] == rb"ab\'cd\\ef1"
    assert secret.text == rb"ab'cd\ef1"  # as it is anywhere else: one secret, one placeholder


def test_strings_of_json_are_not_taken_apart():
    """Code with escaped quotes in it would else be an object with a token."""
    code = 'if "$API_TOKEN" then echo "API_TOKEN is not set"'
    assert found(json.dumps({"output": code, "exit": 0})) == []


@pytest.mark.parametrize("text", ["roles: admin / editor2", "the token from auth2 to api2"])
def test_neither_a_color_nor_an_escape_is_a_part_of_a_word(text):
    assert found(text) == []
    assert found(f"\x1b[32m{text}\x1b[0m") == []
    assert found(json.dumps({"stdout": f"$ cat it\n{text}\n", "code": 0})) == []


def test_the_number_of_a_line_is_no_part_of_a_word():
    assert found("     1\N{RIGHTWARDS ARROW}Where is the password stored?") == []


def test_quotes_in_a_string_with_escapes_are_its_text():
    """Else `"alice"` would end the string of Python, and what is beside it would be lost."""
    assert found(repr({"stdout": '"user","password"\n"alice","hunter2"'})) == ["hunter2"]
    assert found(repr({"stdout": 'print("user")\nprint("password")'})) == []


def test_json_in_a_string_of_python_is_read():
    printed = json.dumps({"auths": {"registry.example.com": {"auth": "aHVudGVyMg=="}}}, indent=1)
    text = f"result: { ({'stdout': printed, 'code': 0})!r}".encode()
    secrets = Finder().find(text)
    assert {text[each.start : each.end] for each in secrets} == {b"aHVudGVyMg=="}


def test_most_texts_have_no_other_view():
    assert not [*views(b"A sentence.\nAnother one: with a colon, and 12 words.\n")]


def test_json_in_strings_of_json_is_not_read_again_in_each_view_of_it(monkeypatch):
    read = []
    monkeypatch.setattr(ShapeSearch, "find_in", lambda _, text: read.append(text) or [])
    text = "1: `password`\n"
    texts = [text, "`password`\n", "\npassword\n\n"]  # the others are its views
    for _ in range(3):
        text = json.dumps({"text": text, "code": "`0`"})
        texts.append(text)
    found(text)
    assert sorted(each for each in read if b"password" in each) == sorted(map(str.encode, texts))


@pytest.mark.parametrize(
    "text",
    [
        'password = "«Xy→9k2LmQ8!z»"',
        "DB_PASSWORD=«Xk9fj2Lqz→»",
        "postgres://bob:«Xy→9k2L»@host/db",
        '"password": "«\x1b[?1mXk9fj2Lqz»"',
        "export DB_PASSWORD=«Xk9.fj2Lqz» || exit 1",
        'UPDATE users SET password = :pw WHERE id = :id binds: ["«Xk9fj2Lq!z»", 1]',
        'password = f"«Sup3rS3cret!{suffix()}»"',
    ],
)
def test_what_looks_like_something_else_may_be_a_password(text):
    before, _, rest = text.partition("«")
    assert left_of(text.replace("«", "").replace("»", "")) == f"{before}*{rest.partition('»')[2]}"


@pytest.mark.parametrize(
    "text",
    [
        "     1→password: string",
        "\x1b[32mpassword: string\x1b[0m",
        'private_key = "-----BEGIN PRIVATE KEY-----"',
        'auth = f"Basic {b64encode(x).decode()}"',
        'password: errors.password || "Must be longer"',
    ],
)
def test_what_is_printed_around_a_word_makes_no_password_of_it(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("password: <code>«x7hunter»</code>", "the password is <strong>«k7%Jm2x9Q»</strong>."),
        *("| Password | <code>«k7Jm2x9Qpw»</code> |", "DB_PASSWORD=<b>«k7Jm2x9Qpw»</b>"),
        *("The password is:\n\n**«k7Jm2x9Qpw»**\n", "password: ~~«k7Jm2x9Qpw»~~"),
        *("DB_PASSWORD: **«k7Jm2x9Qpw»**", "**login:** bob / **«k7Jm2x9Qpw»**"),
        "user <kbd>bob</kbd> password <kbd>«k7Jm2x9Qpw»</kbd>",
        '<p>API key: <span class="v">«q7Zk2Vw9Xn4Rb8Tm3Yc6»</span></p>',
    ],
)
def test_marks_of_bold_and_inline_tags_hide_nothing_and_stay(text):
    before, _, rest = text.partition("«")
    value, _, after = rest.partition("»")
    assert left_of(before + value + after) == f"{before}*{after}"


@pytest.mark.parametrize(
    "text",
    [
        *("the password is **required**", "password is ~~optional~~", "token <b>expired</b>"),
        *("2**10 tokens and 3**2 keys", "def f(**kwargs): return g(password, **kwargs)"),
    ],
)
def test_a_word_in_bold_is_no_password(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text", ["password: «Tr0ub4dor&3$»**(old)**", "DB_PASSWORD=«S3cret!x9»**(old)**"]
)
def test_bold_text_directly_behind_a_password_does_not_hide_it(text):
    before, _, rest = text.partition("«")
    value, _, after = rest.partition("»")
    assert value not in left_of(before + value + after)


def test_a_password_in_bold_may_have_the_sign_of_it():
    assert left_of("password: **P4ss!word*x**") == "password: *****"
