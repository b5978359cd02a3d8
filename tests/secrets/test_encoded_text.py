"""A secret is found in base64 and in UTF-16, and what only looks like base64 stays."""

import json
from base64 import b64encode, urlsafe_b64encode
from binascii import hexlify

import pytest
from support.keys import spelled_out

from acp_spy.secrets.encoded_text import decoded
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from tests.secrets.test_grammars import left_of

KEY = spelled_out("ghp_<36>")


def found(text):
    line = json.dumps({"method": "x", "params": {"text": text}}).encode()
    return [(secret.kind, secret.text) for secret in Finder().find(line)]


@pytest.mark.parametrize("before", ["", "x", "xy"])
@pytest.mark.parametrize("secret", [KEY, "DB_PASSWORD=hunter2!", '{"api_key":"q7Zk2Vw9Xn4Rb8Tm3"}'])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_text_in_base64_is_masked_as_a_whole_if_a_secret_is_in_it(encode, secret, before):
    run = encode(f"{before}\nuser: bob\n{secret}\n".encode())
    assert found(f"data: {run.decode()}\n") == [("base64", run)]


def test_other_texts_in_base64_stay():
    run = b64encode(b"the password: must have eight characters, and a token is not one")
    assert found(run.decode()) == []
    assert decoded(run).startswith(b"the password")
    assert decoded(b"cGFzc3dvcmQ9" + b"/" * 12) == b""
    assert decoded(b"a" * 21) == b""


@pytest.mark.parametrize("encode", [b64encode, hexlify])
@pytest.mark.parametrize("comment", ["# a comment", "# \u8fd9\u662f\u4e00\u4e2a\u6ce8\u91ca"])
@pytest.mark.parametrize("before", [250, 500, 501, 1_000])
def test_a_long_text_in_one_line_is_read_from_its_start_to_its_end(before, comment, encode):
    lines = [f"{comment}\nport: 8080"] * before
    run = encode("\n".join([*lines, f"token: {KEY}", *lines]).encode())
    assert [masked for _, masked in found(run.decode())] == [run]


@pytest.mark.parametrize(("columns", "newline"), [(76, "\n"), (64, "\r\n"), (60, "\n")])
def test_base64_in_lines_is_masked_as_a_whole(columns, newline):
    settings = f"host: db.example.com\nname: main\n{'# a comment' * 9}\nPASSWORD=hunter2!\n" * 2
    run = b64encode(settings.encode()).decode()
    lines = newline.join(run[at : at + columns] for at in range(0, len(run), columns))
    assert found(f"$ base64 .env\n{lines}\n$") == [("base64", lines.encode())]


def test_hexadecimal_digits_may_be_cut_after_an_odd_number_of_them():
    digits = b"DB_PASSWORD=q7Zk2Vw9Xn4".hex()
    redactor = Redactor()
    for end in range(24, len(digits)):
        said = redactor.text(f'row: "{digits}"\nrow: see {digits[:end]} x')
        assert digits not in said


def test_a_text_in_hexadecimal_digits_is_masked_as_a_whole_if_a_secret_is_in_it():
    digits = f"DB_PASSWORD=hunter2!\n{KEY}".encode().hex()
    assert found(f"0x{digits}, done") == [("hex", digits.encode())]
    assert found(f"{b'the password: must have eight characters'.hex()} {'7f3a' * 16}") == []


HALVES = KEY[:20], KEY[20:]


@pytest.mark.parametrize(
    "between",
    [
        *(
            '" + "',
            "' + '",
            '"+"',
            '" . "',
            '""',
            '"\n        "',
            '" \\\n  "',
            '" +\n "',
            '"\n + "',
        ),
        *("\\\n", "=\n", "\\\r\n"),
        *('" .. "', '" "', "' || '", '" <> "', '" ~ "', '"..\n  "', '" ||\n  "'),
    ],
)
@pytest.mark.parametrize("around", ["key = {}", "in a string: \\n{}", "{}"])
def test_a_key_in_two_halves_is_found_as_one(between, around):
    text = around.format(f'"{HALVES[0]}{between}{HALVES[1]}"')
    [(kind, secret)] = found(text)
    assert (kind, secret) == ("github-token", between.join(HALVES).encode())


@pytest.mark.parametrize(
    "text",
    [
        *('["{}", "{}"].join("")', '"".join(["{}", "{}"])', "concat('{}', '{}')"),
        *("implode('', ['{}', '{}'])", '"%s%s" % ("{}", "{}")', "CONCAT('{}','{}')"),
        'const key = [\n  "{}",\n  "{}",\n].join("");',
    ],
)
def test_halves_that_a_call_puts_together_are_found_as_one(text):
    whole = text.replace("{}", HALVES[0], 1).replace("{}", HALVES[1])
    [(kind, secret)] = found(whole)
    assert (kind, secret[:4]) == ("github-token", b"ghp_")
    assert secret.endswith(HALVES[1].encode())
    assert len(found(whole.replace("join", "push").replace("oncat", "ount"))) <= 1


def test_a_key_that_a_screen_breaks_is_found_as_one_if_the_line_is_long():
    long = spelled_out("sk-ant-api03-<95>")
    broken = f"ANTHROPIC_API_KEY={long[:62]}\n{long[62:]}\n"
    assert found(broken) == [("anthropic-key", broken[18:-1].encode())]
    assert found(f"x {KEY[:15]}\n{KEY[15:]}\n") == []  # it may be a list


@pytest.mark.parametrize("width", [16, 20, 32])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_key_in_short_lines_that_have_nothing_else_is_found_as_one(width, end):
    lines = end.join(KEY[at : at + width] for at in range(0, len(KEY), width))
    assert found(f"here it is:{end}{lines}{end}bye") == [("github-token", lines.encode())]
    assert found(json.dumps({"a": lines}))[0][0] == "github-token"


def test_hashes_and_ids_line_by_line_are_no_key():
    ids = "\n".join(spelled_out(form) for form in ("<hex 40>", "<21>", "<hex 40>", "<21>"))
    assert found(ids) == []


@pytest.mark.parametrize(
    "after",
    [
        '", "user42x"',
        '", "user42x"].join(" ")',
        '" || "user42x.y"',
        '" "user42x"',
        '" + "words"',
        '"\n- "user42x"',
        '"\nuser42x = 1',
        '" + user42x',
    ],
)
def test_what_comes_after_a_key_is_not_a_half_of_it(after):
    assert found(f'use "{KEY}{after}') == [("github-token", KEY.encode())]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("escapes", [True, False])
def test_a_secret_in_utf_16_is_found_letter_by_letter(encoding, escapes):
    text = f"see {KEY} there".encode(encoding).decode("latin-1")
    raw = json.dumps({"text": text}).encode() if escapes else text.encode()
    [secret] = Finder().find(raw)
    assert secret.kind == "github-token"
    assert secret.text.replace(b"\0", b"") == KEY.encode()
    left = raw[: secret.start] + raw[secret.end :]
    assert KEY[-4:].encode() not in left.replace(b"\\u0000", b"").replace(b"\0", b"")


@pytest.mark.parametrize("hidden", ["\x1b[m\x1b[K", "\x1b[1m", "\x1b[m\x0f", "\u200b", "\xad"])
@pytest.mark.parametrize("at", [4, 5, 20])
def test_a_color_within_a_secret_does_not_hide_it(at, hidden):
    """So `grep --color ghp_` prints it."""
    text = f"a: \x1b[01;31m\x1b[K{KEY[:at]}{hidden}{KEY[at:]}\x1b[0m\nb: x"
    for spelled in (True, False):
        raw = json.dumps({"text": text}, ensure_ascii=spelled).encode()
        [secret] = Finder().find(raw)
        left = json.loads(raw[: secret.start] + b"_" + raw[secret.end :])["text"]
        assert left == "a: \x1b[01;31m\x1b[K_\x1b[0m\nb: x"


def test_a_password_may_be_a_number():
    line = b'{"params":{"password":987654321,"passwords":3,"token":123456}}'
    assert [secret.text for secret in Finder().find(line)] == [b"987654321"]


@pytest.mark.parametrize("before", ["x\0", "\0", "HOME=/root\0", "a\0b\0"])
def test_a_zero_byte_ends_what_is_before_a_key(before):
    assert found(f"{before}{KEY}\0y") == [("github-token", KEY.encode())]
    assert found(f"{before}DB_PASSWORD=hunter2!\0y") == [("variable", b"hunter2!")]
    assert found(f"{before}DB_PASSWORD=nulPw9\0LANG=C") == [("variable", b"nulPw9")]


@pytest.mark.parametrize(
    "secret",
    ["ghp_" + "q7Rw2mXz9TbK" * 3, "eyJ{0}.eyJ{0}{0}.{0}".format("q7Rw2mXz9TbK" * 3)],
    ids=["a key of GitHub", "a JWT"],
)
@pytest.mark.parametrize("width", [33, 48, 64, 76])
@pytest.mark.parametrize("indent", ["", "  ", "\t"])
def test_a_key_that_is_broken_into_lines_is_one_also_if_they_are_indented(secret, width, indent):
    lines = [secret[at : at + width] for at in range(0, len(secret), width)]
    text = "".join(f"{indent}{line}\n" for line in lines)
    assert left_of(f"Here:\n{text}") == f"Here:\n{indent}*\n"


def test_the_name_of_a_file_below_a_key_stays():
    text = f"Here:\n{KEY}\ntest_generated_passwords2.py\n"
    assert left_of(text) == "Here:\n*\ntest_generated_passwords2.py\n"
