"""A password that was found once is replaced wherever it is copied to; no name or path is."""

import json
import re
import string
from base64 import b64encode
from binascii import hexlify
from random import Random
from textwrap import wrap
from urllib.parse import quote

import msgspec
import pytest
from support.keys import spelled_out

from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

BASE64 = string.ascii_letters + string.digits + "+/"
IN_PARTS = (
    *("Winter-Storm-2024", "xywduh-3vuhwi-Zemcuq", "Tr9x-Kq77-LmpQ-2z8w", "kX3-pL9mQ2vR7t"),
    *("aB3.dE5.fG7.hJ9", "rT5+uI8/oP2=qW4e", "Abc123-def456", "mY:pAss9:wOrd7x"),
    *("q9W~e8R~t7Y~u6", "xk3-q9w-7ab-2cd", "LWHRW-S4CLI-V5676-CBNQJ"),
)


def message(params, seq=1):
    raw = json.dumps({"jsonrpc": "2.0", "method": "any", "params": params}).encode() + b"\n"
    return Frame(seq, 0.5, Peer.CLIENT, raw)


ANTHROPIC = "sk-ant-api03-" + "k4Tq9HqceytDbKPTFnL8wq21Vd7Zs05" * 3 + "AA"


def copy_after(place, copy):
    """Redact a message with a secret and one with a copy of it; return the copy."""
    redactor = Redactor()
    redactor.record(message(place))
    done = redactor.record(message({"text": copy}, seq=2))
    return json.loads(done.raw)["params"]["text"]


@pytest.mark.parametrize("password", ["kP9(mX2vLq7;Rt4w", "Wq7,zR3nV8<bT5xk", "x4Vt|9mKq2Zr7Lp)"])
def test_a_password_with_signs_of_programs_is_replaced_elsewhere(password):
    redactor = Redactor()
    redactor.text(f'DB_PASSWORD="{password}"')
    assert redactor.text(f"I log in with {password} now") == "I log in with redacted-variable-1 now"


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", " {}", "\n{} "])
def test_a_value_with_a_line_end_is_replaced_elsewhere_without(around):
    """As a client has read it from a file."""
    value = "q8ZrT5vLw2xN9kP4mY7u"
    servers = [{"name": "x", "env": [{"name": "API_TOKEN", "value": around.format(value)}]}]
    left = copy_after({"mcpServers": servers}, f"I use {value} here")
    assert left.startswith("I use redacted-")
    assert value not in left


@pytest.mark.parametrize(
    "password",
    [
        "7xKq92zTb4LmZ\xfcrich",
        "Gr\xfcn7xKq92zTb4Lm",
        "7xKq\xa392zTb4Lm8Wq",
        "7xKq92z\U0001f511Tb4Lm",
    ],
)
def test_a_password_with_an_umlaut_that_a_header_has_is_replaced_elsewhere(password):
    value = "Basic " + b64encode(f"bob:{password}".encode()).decode()
    headers = [{"name": "Authorization", "value": value}]
    left = copy_after({"mcpServers": [{"name": "x", "headers": headers}]}, f"I use {password} here")
    assert password not in left


@pytest.mark.parametrize("text", ['DB_PASSWORD="{}"\n', "db:\n  password: '{}'\n"])
@pytest.mark.parametrize(
    "password",
    [
        *("61ktsaykkiu_@av7", "9pdb7y-belheizggvpfw", "eqn5lgo7/ti3cqj7", "vm:u.1kSKoeVWe3["),
        *("j-EGr9q_c]KNSu[TV<6.", "BCZiL%O%RdYn#BXljgZrBc%OUTNYpGIj"),
    ],
)
def test_what_is_in_quotes_after_the_name_of_a_secret_is_replaced_elsewhere(text, password):
    redactor = Redactor()
    redactor.text(text.format(password))
    assert password not in redactor.text(f"I log in with {password} now")


@pytest.mark.parametrize(
    "word",
    [
        *("#bygroup", "accept_downloads=True", "session/update", "varchar(255)", "postgres1"),
        *("src/app2/main.py", "_acme.dev/v2/secret", "testuser1", "user1@example.com"),
        *("HMAC-SHA256", "claude-3-5-sonnet-20241022"),
    ],
)
def test_words_in_quotes_after_the_name_of_a_secret_stay_elsewhere(word):
    redactor = Redactor()
    redactor.text(f'password = "{word}"\n')
    assert redactor.text(f"see {word} there") == f"see {word} there"


def test_a_password_of_letters_alone_is_replaced_elsewhere_if_it_is_no_name():
    redactor = Redactor()
    redactor.text("export API_TOKEN='FyjXwZzJFVdaYchXGTawpZ'")
    assert redactor.text("saw FyjXwZzJFVdaYchXGTawpZ") == "saw redacted-variable-1"
    assert redactor.text("cut to yjXwZzJFVdaYchXGTawpZ") == "cut to redacted-variable-2"
    redactor.text("export API_TOKEN='HorseBatteryStapleCorrect'")
    assert redactor.text("saw HorseBatteryStapleCorrect") == "saw HorseBatteryStapleCorrect"


@pytest.mark.parametrize("password", ["kP9mX2!vLq7Rt4wZ", "aB3!xY9z", "kP9(mX2vLq7;Rt4w"])
@pytest.mark.parametrize(
    "place", [{"credentials": {"any": "{}"}}, {"text": "::add-mask::{}\n"}, {"tokens": ["{}"]}]
)
def test_a_password_with_a_sign_is_replaced_elsewhere_wherever_it_was_found(place, password):
    shown = json.loads(json.dumps(place).replace("{}", password))
    assert re.fullmatch(
        r"used redacted-[a-z]+-1 there", copy_after(shown, f"used {password} there")
    )


@pytest.mark.parametrize("options", ["", "-n ", "-e "])
def test_of_a_user_and_a_password_in_a_pipe_the_password_is_replaced_elsewhere(options):
    command = f"echo {options}'deploy:aB3!xY9zQ2' | sudo chpasswd"
    assert copy_after({"text": command}, "used aB3!xY9zQ2") == "used redacted-pipe-1"


@pytest.mark.parametrize("key", ["TcD8jxIs/IN/UWxrmNtDgQ==", "vLpzpzx/uy3Gud/pMXJcgH+hwnPcMVNB"])
def test_a_key_in_base64_with_one_digit_is_replaced_elsewhere(key):
    assert copy_after({"text": f"X-Api-Key: {key}\n"}, f"got {key} ok").startswith("got redacted-")
    cut = copy_after({"text": f"X-Api-Key: {key}\n"}, f"got {key[:20]}... ok")
    assert cut.startswith("got redacted-")


@pytest.mark.parametrize(
    "prefix", ["web-backend-1  | ", "config/prod.env:2:", "32mconfig/prod.env:2:"]
)
def test_what_is_before_the_lines_of_a_private_key_is_not_replaced_elsewhere(prefix):
    key = "MIIEpAIBAAKCAQEAx5q7Zk2Vw9Xn4Rb8Tm3Yc6\nHd1Gf5Js0LpAeUiOyq7Zk2Vw9Xn4Rb8T"
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----"
    lines = "\n".join(prefix + line for line in block.splitlines())
    assert copy_after({"text": lines}, f"{prefix}ready") == f"{prefix}ready"


def test_a_private_key_of_any_length_is_masked_and_so_is_a_line_of_its_beginning():
    lines = wrap("".join(Random(1).choices(BASE64, k=12_800)), 64)
    block = "\n".join(lines)
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{block}\n-----END RSA PRIVATE KEY-----"
    said = copy_after({"text": key}, f"saw {lines[9]} there")
    assert said == "saw redacted-private-key-2 there"


@pytest.mark.parametrize("before", ["", "+", "\x1b[32m", "web-1  | ", "  7\u2192"])
@pytest.mark.parametrize("end", ["\n", "\\n"])
def test_a_copy_of_a_private_key_may_have_its_line_ends_elsewhere(before, end):
    body = "".join(Random(1).choices(BASE64, k=400))
    lines = ["-----BEGIN PRIVATE KEY-----", *wrap(body, 64), "-----END PRIVATE KEY-----"]
    key = end.join(before + line for line in lines)
    shown = f'PRIVATE_KEY="{key}"' if end == "\\n" and not before else key
    for copy in (body[100:], "\n".join(wrap(body[64:], 76)), body[180:200]):
        said = copy_after({"text": shown}, f"saw {copy} there")
        assert re.fullmatch(r"saw (redacted-private-key-\d\n?)+ there", said)


@pytest.mark.parametrize(
    "password", ["PG9tXjjN@iCBvh", "FApW4vyP@REt", "6IyIxl-nBupB@2vi", ".7c9+Fjb@wp.V8oAUwsr"]
)
def test_a_password_with_an_at_sign_is_replaced_elsewhere_but_no_address(password):
    said = copy_after({"text": f"DB_PASSWORD={password}\n"}, f"saw {password} again")
    assert said == "saw redacted-variable-1 again"
    for address in (
        *("Deploy1@build-7.example.com", "Deploy1@build-7", "Deploy1@7.example.com"),
        "Deploy1@build-server.Internal.EXAMPLE.com",
    ):
        said = copy_after({"text": f"DB_PASSWORD={address}\n"}, f"saw {address}")
        assert said == f"saw {address}"


@pytest.mark.parametrize("prefix", ["ghp_", "hf_", "gsk_", "xai-", "sk-proj-"])
@pytest.mark.parametrize(
    "place",
    [
        lambda key: {"env": [{"name": "GH", "value": key}]},
        lambda key: {"headers": [{"name": "Authorization", "value": f"Bearer {key}"}]},
        lambda key: {"apiKey": key},
    ],
)
def test_a_part_of_a_vendors_key_is_replaced_wherever_the_key_was(place, prefix):
    """Here its look says enough, also if there is no digit in so much of it."""
    key = prefix + "kVuokPPcMoyqqnOqZ8x2Tb4vLs9Xq7Rw2mXzK1pY"
    for length in range(max(12, len(prefix) + 6), len(prefix) + 20):
        said = copy_after(place(key), f"401: token {key[:length]}... was refused")
        assert "kVuo" not in said, length


@pytest.mark.parametrize("place", [{"apiKey": ANTHROPIC}, {"env": {"KEY": ANTHROPIC}}])
def test_what_all_keys_of_a_vendor_begin_with_is_no_part_of_one(place):
    text = "Keys begin with sk-ant-api03- (sk-ant-api03-your-key)"
    assert copy_after(place, text) == text
    assert copy_after(place, f"401: {ANTHROPIC[:20]}...") == "401: redacted-anthropic-key-1..."


def test_parts_of_a_vendors_key_are_replaced_if_a_text_shows_it_first():
    redactor = Redactor()
    key = "AIzaSy7Zk2Vw9Xn4Rb8Tm3Yc6Hd1GfQ5sLp0jKu"
    redactor.record(message({"text": f"using key {key} of the environment"}))
    redactor.record(message({"env": [{"name": "GEMINI_API_KEY", "value": key}]}, seq=2))
    for start, end in ((0, 30), (10, 39), (8, 25)):
        said = redactor.text(f"API key not valid: {key[start:end]}...")
        assert key[start + 4 : end - 4] not in said


def test_a_short_part_of_a_cookie_is_replaced_elsewhere():
    cookie = "Cookie: session=77QMQaxUfgMG; theme=dark\n"
    assert copy_after({"text": cookie}, "saw 77QMQaxUfgMG") == "saw redacted-cookie-2"


@pytest.mark.parametrize(
    "value",
    [
        *("C%lECxF-J%7R4^BP", "Q*d7NX@pL@NS8s_u", "d%%nt2y*HfO_T6kV", "d!#nt2y?HfO_T6kV"),
        "NBFyPY03L@OizTyr",
    ],
)
@pytest.mark.parametrize(
    "cookie", ["Cookie: session=%s; theme=dark\n", "Set-Cookie: a=1; sid=%s;Path=/; HttpOnly\n"]
)
def test_the_value_of_a_cookie_is_replaced_elsewhere_whatever_signs_it_has(cookie, value):
    said = copy_after({"text": cookie.replace("%s", value)}, f"saw {value} there")
    assert said == "saw redacted-cookie-2 there"


@pytest.mark.parametrize(
    "cut",
    [
        *("GaySifBDEQFUJRRNaDbfwO", "YUSWujpLciph", "XxJxdDNQYRnysxYK"),
        *("mqttvqpdkcqgsf", "ahxxbmwhtkkqoe"),
    ],
)
def test_a_cut_of_letters_alone_is_replaced_if_no_word_has_such_consonants(cut):
    said = copy_after({"text": f"API_TOKEN=7{cut}q4Kx9\n"}, f"saw {cut}...")
    assert said.startswith("saw redacted-")
    for words in ("ApplicationName", "catchphrasewords"):
        assert copy_after({"text": f"API_TOKEN=7{words}q4Kx9\n"}, f"saw {words}") == f"saw {words}"


def test_a_cut_of_letters_alone_is_replaced_whichever_place_shows_the_token_first():
    token, cut = "TZ8wesPdBOfSLlPKzFel", "BOfSLlPKzFel"
    places = [{"env": [{"name": "API_TOKEN", "value": token}]}, {"text": f"apiToken: '{token}',"}]
    for first, second in (places, reversed(places)):
        redactor = Redactor()
        redactor.record(message(first))
        redactor.record(message(second, seq=2))
        assert cut not in redactor.text(f"it ends with ...{cut}")


@pytest.mark.parametrize("name", ["AbstractHttpService2", "HttpRequestHandlerV2"])
def test_the_name_of_a_program_in_a_variable_stays_elsewhere(name):
    server = {"name": "x", "command": "y", "env": [{"name": "JOB_NAME", "value": name}]}
    words = f"class {name[:-1]}Test extends {name[:-1]}"
    assert copy_after({"mcpServers": [server]}, words) == words


def test_ordinary_parts_of_a_cookie_stay_elsewhere():
    words = (
        "Europe/Berlin feature/login-form src/components/App.tsx application/json newNav2Enabled"
        " ads:1&Version=6.17.0*stable&n=2 https://x.example/a*b Deploy1@build-7.example.com"
    )
    cookie = "; ".join(f"k={word}" for word in words.split())
    server = {"headers": [{"name": "Cookie", "value": f"sid=q7Zk2Vw9Xn4Rb8Tm; {cookie}"}]}
    words += " Version=6.17.0"
    assert copy_after({"mcpServers": [server]}, words) == words


def test_the_quote_after_a_copy_stays():
    two = spelled_out('"ghp_<36>""q7Zk2Vw9Xn4Rb8Tm"')
    one = spelled_out('{"apiKey": "ghp_<36>"} ')
    said = copy_after({"text": two}, one)
    assert re.fullmatch(r'\{"apiKey": "redacted-[a-z-]+-\d"\} ', said)


@pytest.mark.parametrize("part", ["xK7p-Q2mN-9vRt-4wZc", "q7Zk2Vw9Xn4Rb8Tm"])
def test_a_random_part_of_the_url_of_a_server_is_replaced_elsewhere(part):
    server = {"type": "http", "name": "x", "url": f"https://mcp.example/{part}/sse", "headers": []}
    said = copy_after({"mcpServers": [server]}, f"is {part} or https://mcp.example/{part}/sse")
    assert said == "is redacted-url-path-1 or https://mcp.example/redacted-url-path-1/sse"


ODD = {
    "Secret key: ": "A3-TS35KU-HKCUQP-2SVPD-NR7MU-IA2JQ-STWGY",  # capitals in parts
    "login is mara / ": "kkSc7^dLVn9S/sNgy",  # a slash, and a sign that no path has
    'requests.get(url, auth=("mara", "': "R94uJ~PuqRTA/Wtw7",
    "Cookie: laravel_session=": "eyJpdiI6Ip7cUDB4cwkg+fOxrR7nvNu/9qKCxk/qCt%3D",  # of a URL
}


@pytest.mark.parametrize("name", ODD)
def test_what_looks_random_with_other_signs_is_replaced_elsewhere(name):
    after = '"))' if name.endswith('"') else ""
    place = {"text": f"{name}{ODD[name]}{after}\n"}
    assert ODD[name][-8:] not in copy_after(place, f"used {ODD[name]} then")


def test_the_last_line_of_a_private_key_is_no_beginning_of_one():
    line = "M7cTIx55KnlC6jg6gtedLkVJfWlca+8PwprVgqmLib6NHCMaLNyc86F84X712ctA"
    shown = f"$ tail -2 id_rsa\n{line}\n-----END RSA PRIVATE KEY-----"
    assert copy_after({"text": shown}, f"it is {line} now") == "it is redacted-private-key-1 now"


@pytest.mark.parametrize("encoded", [b64encode, hexlify])
def test_what_was_shown_in_another_encoding_is_replaced_elsewhere(encoded):
    secret = "q7Zk2Vw9Xn4Rb8Tm5Ls1Yd3"
    shown = encoded(f"API_TOKEN={secret}\nX=1\n".encode()).decode()
    said = copy_after({"text": f"echo {shown} | decode > .env"}, f"it is {secret} now")
    assert said == "it is redacted-variable-1 now"


@pytest.mark.parametrize("form", ["AIza<35>", "hf_<34>", "sk-proj-<156>", "eyJ<33>.eyJ<700>.<43>"])
@pytest.mark.parametrize("before", ["", "bob:", "Bearer "])
def test_the_base64_of_a_vendors_key_is_replaced_elsewhere(form, before):
    key = spelled_out(form)
    encoded = b64encode(f"{before}{key}".encode()).decode()
    assert (
        copy_after({"text": f"use {key} now"}, f"is {encoded} there")
        == "is redacted-base64-1 there"
    )


CUT = (
    *("q7Zk2Vw9Xn4Rb8Tm5Ls1Yd3", "k63GDmOELVFyIGqBcqMmSfJ", "yL5ZxJmQüs8Ja0yU0Or8cQn"),
    *('n"BUbHoWC8FJowoRoWD8s7b', "nd4Nc493WZ0Lll%vBChfmMo", "16J7PglO\\3shVv5U!TG79BG1"),
)


@pytest.mark.parametrize("secret", CUT)
def test_nothing_is_left_of_a_copy_wherever_it_is_cut_to_twelve_characters_or_more(secret):
    redactor = Redactor()
    redactor.record(message({"apiKey": secret}))
    for start in range(len(secret) - 11):
        for end in range(start + 12, len(secret) + 1):
            cut = secret[start:end]
            done = redactor.record(message({"text": f"it was ...{cut}... then"}, seq=2))
            said = json.loads(done.raw)["params"]["text"]
            if any(letter.isdigit() for letter in cut):
                assert re.fullmatch(r'it was \.\.\."?redacted-secret-\d+"?\.\.\. then', said)


@pytest.mark.parametrize(
    ("prefix", "random_part"),
    [
        ("glpat-", "NWwisAnWPKdv0_7xfQ3h"),  # with a sign as between the words of a prefix
        ("npg_", "gohfBgQ8Gsb0"),  # short
        ("AKIA", "MLPVOXUQZZKRFINX"),  # capitals alone
    ],
)
def test_nothing_is_left_of_a_vendors_key_that_is_cut_to_twelve_or_more(prefix, random_part):
    key = prefix + random_part
    for end in range(12, len(key)):
        assert key[:end] not in copy_after({"text": f"use {key} now"}, f"it was {key[:end]}...")


def test_a_password_in_a_sentence_that_looks_like_an_address_is_replaced_elsewhere():
    redactor = Redactor()
    redactor.text("the password is hFvAc-Mh4d9@ezeSZe")
    assert redactor.text("done with hFvAc-Mh4d9@ezeSZe") == "done with redacted-prompt-1"
    redactor.text("the password is bob2@mail.example.com")
    assert redactor.text("ask bob2@mail.example.com") == "ask bob2@mail.example.com"


def test_a_cut_copy_with_signs_needs_no_digit():
    """As of an output that grows: the digit comes last."""
    cut = copy_after({"password": "q!*%yR]kV[foq'=u7I"}, "the password is q!*%yR]kV[foq'=u")
    assert cut.startswith("the password is redacted-")


def test_nothing_is_left_of_a_copy_of_one_that_begins_as_another():
    first, second = "q7Zk2Vw9Xn4Rb8Tm5LsABCDEFGHIJK", "q7Zk2Vw9Xn4Rb8Tm5LswGF6Z4Twz"
    redactor = Redactor()
    redactor.record(message({"apiKey": first, "token": second}))
    done = redactor.record(message({"text": f"...{second[5:]}"}, seq=2))
    assert json.loads(done.raw)["params"]["text"].startswith("...redacted-secret-")
    assert b"wGF6" not in done.raw


@pytest.mark.parametrize("sign", "@+/!#$&=")
def test_a_password_in_a_url_is_replaced_where_it_is_not_in_one(sign):
    password = f"Vf787Eo{sign}kJpDLUJ7YxSs021MXkxY"
    url = f"postgres://app:{quote(password, safe='')}@db/x"
    assert copy_after({"content": url}, f"log {password} y") == "log redacted-url-password-2 y"


@pytest.mark.parametrize("password", IN_PARTS)
@pytest.mark.parametrize(
    "place",
    [
        "DB_HOST=db\nDB_PASSWORD={}\n",
        "db:\n  password: {}\n",
        "PASSWORD = '{}'\n",
        "the password is {}",
        "CREATE USER app IDENTIFIED BY '{}';",
        "machine a.example.com login bob password {}\n",
        "mysql -uroot -p'{}' app",
    ],
)
def test_a_password_in_parts_is_replaced_in_a_sentence(password, place):
    copy = f"I will now log in with {password}."
    done = copy_after({"content": place.replace("{}", password)}, copy)
    assert password not in done
    assert done.startswith("I will now log in with redacted-")


@pytest.mark.parametrize(
    "value", ["Tr9x-Kq77-LmpQ-2z8w", "kX3-pL9mQ2vR7t", "rT5+uI8/oP2=qW4e", "q9W~e8R~t7Y~u6"]
)
def test_a_variable_with_any_name_is_replaced_if_it_looks_random(value):
    assert value not in copy_after({"env": [{"name": "FOO", "value": value}]}, f"use {value} now")


@pytest.mark.parametrize(
    "value",
    [
        *("Mixtral-8x7B-Instruct-v0.1", "Qwen2.5-Coder-32B-Instruct", "claude-opus-4-5-20251101"),
        *("src/App2/Main.tsx", "Release-Notes-2024", "2026-01-05T09:30:00.250z", "v1.2.3-Beta4.x"),
        *("Db1.Example.com:5432", "https://Example.com/v2", "/opt/Tool-2/bin", "C:/Tools/Git2"),
    ],
)
def test_names_and_paths_in_variables_stay_elsewhere(value):
    copy = f"it uses {value} now"
    assert copy_after({"env": [{"name": "FOO", "value": value}]}, copy) == copy


@pytest.mark.parametrize("path", ["src/App2/Main.tsx", "./Keys/App2.pem", "C:/Keys/App2.pem"])
def test_a_path_in_the_place_of_a_password_stays_elsewhere(path):
    copy = f"it reads {path} now"
    assert copy_after({"content": f"DB_PASSWORD={path}\n"}, copy) == copy


@pytest.mark.parametrize(
    "secret", ["0UAqFzWsDK4FrUMp", "3f9a1c7be2d84f06a5c19e7d2b8f4a6013c5d7e9", "mX2v-Lq7Rt_4wZc9"]
)
@pytest.mark.parametrize("value", ["{}/", "{}/x", "x/{}/y"])
def test_what_looks_random_beside_a_slash_is_replaced_elsewhere(value, secret):
    place = {"text": f"API_TOKEN={value.format(secret)}\n"}
    assert copy_after(place, f"it is `{secret}`") == "it is `redacted-variable-2`"


@pytest.mark.parametrize("part", ["integration-test-2", "release_2024_candidate"])
def test_a_word_beside_a_slash_stays_elsewhere(part):
    assert copy_after({"text": f"DB_PASSWORD=x1/{part}\n"}, f"see {part}") == f"see {part}"


def test_a_cut_copy_of_a_key_in_base64_may_end_with_its_padding():
    url = "postgres://app:9iLUMOdlBfOVWMjAtdI1bxvoIwYHojeOFyzBYsAiYVj=@db.example.com/x"
    copy = copy_after({"text": url}, "got ...bxvoIwYHojeOFyzBYsAiYVj=")
    assert copy == "got ...redacted-url-password-2"


def test_a_url_that_was_cut_in_its_password_has_none():
    whole = "postgres://bob:Kq7vW2pXn9-41@db.example.com/app"
    cut = "postgres://bob:Kq7vW2pXn9-41"
    assert copy_after({"content": whole}, f"it was {cut}") == (
        "it was postgres://bob:redacted-url-password-1"
    )


def test_of_a_vendors_key_a_cut_copy_has_three_characters_after_the_prefix():
    prefix, rest = "sk-ant-api03-", "ks8t4Cf3blLgfbcvMUBC" * 4 + "AA"
    redactor = Redactor()
    redactor.text(f"it is {prefix}{rest}")
    for length in range(3, 10):  # then it looks like one by itself
        cut = f"{prefix}{rest[:length]}"
        assert redactor.text(f"{cut}...").startswith("redacted-anthropic-key-")
    assert redactor.text(f"{prefix}ks...") == f"{prefix}ks..."


def test_a_text_that_repeats_a_secret_with_a_word_in_it_is_no_burden():
    """It would take minutes otherwise, so that no clock is needed."""
    part = "AbEcIdOfUgAhEjIkOlUmAnEpIqToken"
    redactor = Redactor()
    redactor.record(message({"password": f"{part * 100}9"}))
    assert redactor.text(part * 300).startswith("redacted-")


@pytest.mark.parametrize("secret", ["a1" * 200, "a" * 400 + "1"])
def test_a_text_that_repeats_a_part_of_a_secret_is_no_burden(secret):
    """It would take minutes otherwise, so that no clock is needed."""
    redactor = Redactor()
    redactor.record(message({"apiKey": secret}))
    assert redactor.text("a1" * 50_000).startswith("redacted-" if "a1a" in secret else "a1")
    assert redactor.text("a" * 20_000) == "a" * 20_000


@pytest.mark.parametrize("short", ["Aa1!Aa1!", "Qw1!Qw1!"])
def test_of_a_password_that_goes_on_after_one_that_repeats_itself_nothing_is_left(short):
    redactor = Redactor()
    redactor.record(message({"password": short}))
    redactor.record(message({"password": f"{short}Zk9"}))
    assert redactor.text(f"I set it to {short}Zk9 now") == "I set it to redacted-secret-2 now"


@pytest.mark.parametrize("periodic", ["0", "a1", "xY9_"])
@pytest.mark.parametrize("length", [10, 60, 2000, 6000])
def test_a_secret_that_begins_with_the_same_signs_is_found(periodic, length):
    secret = f"{(periodic * length)[:length]}q7Zk2Vw9Xn4RbT8m"
    redactor = Redactor()
    redactor.record(message({"apiKey": secret}))
    assert redactor.text(f"it is {secret}.") == "it is redacted-secret-1."
    assert "Vw9Xn4RbT8m" not in redactor.text(secret * 2)
    assert redactor.text(f"cut: {secret[-14:]}, {secret[-16:-2]}").count("redacted-secret") == 2


ALIKE = "IQoJb3JpZ2luX2VjE7Kq9vW2pXn4Rb8Tm5Ls1"  # as all session tokens of a service may begin


@pytest.mark.parametrize("length", [38, 45, 50])
def test_a_cut_copy_is_of_the_one_of_those_that_begin_alike_that_goes_on_like_it(length):
    longer, shorter = f"{ALIKE}{'q7Zk2Vw9Xn4R' * 4}", f"{ALIKE}29kfvVPn4KcD8e"
    redactor = Redactor()
    redactor.record(message({"env": {"A_TOKEN": longer, "B_TOKEN": shorter}}))
    for whole in (longer, shorter):
        for start in (0, 7, 20):
            done = redactor.text(f"sent {whole[start:length]}... to it")
            assert re.fullmatch(r"sent redacted-env-\d+\.\.\. to it", done)


@pytest.mark.parametrize(
    "password", ["dadni5-jowdak-pusrAr", "Od34-qe70-NK82-xx", "Hs92.gPWva8.ADm45"]
)
def test_a_cut_copy_of_a_password_in_groups_is_masked(password):
    redactor = Redactor()
    redactor.record(message({"env": {"DB_PASSWORD": password}}))
    for length in range(12, len(password)):
        done = redactor.text(f"login with {password[:length]}... refused")
        assert re.fullmatch(r"login with redacted-env-\d+\.\.\. refused", done)


def test_a_copy_of_a_long_secret_is_masked_whole_and_cut_anywhere():
    random = Random(3)
    token = "".join(random.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHJKMNPQ23456789", k=1500))
    redactor = Redactor()
    redactor.record(message({"env": {"API_TOKEN": token}}))
    assert redactor.text(f"got {token} from it") == "got redacted-env-1 from it"
    for start in range(0, 1440, 97):
        done = redactor.text(f"part {token[start : start + 40]} of it")
        assert re.fullmatch(r"part redacted-env-\d+ of it", done)


# What is before the private number in DER, and how much follows. Of RSA, the first is public.
DER = {
    "Ed25519": ("302e020100300506032b657004220420", 32),
    "SEC1": ("30770201010420", 32),
    "EC in PKCS 8": (
        "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420",
        32,
    ),
    "RSA": ("308204a30201000282010100", 1180),
    "RSA in PKCS 8": (
        "308204bd020100300d06092a864886f70d0101010500048204a7308204a30201000282010100",
        1180,
    ),
}


@pytest.mark.parametrize(("start", "size"), DER.values(), ids=DER)
def test_a_private_key_that_is_cut_is_masked_and_not_what_all_have(start, size):
    header = bytes.fromhex(start)
    body = b64encode(header + Random(5).randbytes(size)).decode()
    common = len(header) * 4 // 3
    redactor = Redactor()
    lines = "\n".join(wrap(body, 64))
    redactor.text(f"-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----\n")
    assert redactor.text(f"begins {body[:common]} always") == f"begins {body[:common]} always"
    for at in range(common, min(64, len(body)) - 12, 4):
        done = redactor.text(f"part {body[at : at + 14]} of it")
        assert re.fullmatch(r"part redacted-private-key-\d+ of it", done)


def test_a_private_key_in_digits_that_is_cut_is_masked():
    key = Random(6).randbytes(32).hex()
    redactor = Redactor()
    redactor.text(f'new ethers.Wallet("0x{key}", provider)')
    for cut in (key[:20], key[4:40], key[:50]):
        done = redactor.text(f"part {cut} of it")
        assert re.fullmatch(r"part redacted-private-key-\d+ of it", done)


def test_many_cut_copies_of_a_long_secret_are_no_burden():
    """They would take minutes otherwise, so that no clock is needed."""
    secret = "".join(Random(4).choices("abcdefghijkmnpqrstuvwxyz23456789", k=4000))
    redactor = Redactor()
    redactor.record(message({"apiKey": secret}))
    for end in range(3900, 3960):
        assert redactor.text(f"key {secret[:end]}...").startswith("key redacted-secret-")


WITHIN = (
    "postgres://app:{}@db.example.com/shop",
    "Authorization: Bearer {}",
    '{{"Authorization": "Bearer {}", "Notion-Version": "2022-06-28"}}',
    "Server=db;User Id=sa;Password={};",
    "-Ddb.password={} -Xmx1g",
    "https://x.example/cb?access_token={}&x=1",
    "curl -u bob:{} https://x.example",
    "X-Api-Key: {}\nX-B: c",
)


@pytest.mark.parametrize("value", WITHIN)
def test_the_secret_in_a_value_that_is_masked_as_a_whole_is_replaced_elsewhere(value):
    secret = "q7Zk2Vw9Xn4Rb8Tj5Lm3Pc6H"
    place = {"env": [{"name": "ANY", "value": value.format(secret)}]}
    said = copy_after(place, f"login of app with {secret} failed")
    assert re.fullmatch(r"login of app with redacted-[a-z-]+-\d+ failed", said)


def test_the_secret_in_what_an_option_matches_is_replaced_elsewhere():
    redactor = Redactor(values=[re.compile(r"DATABASE_URL=\S+")])
    redactor.text("DATABASE_URL=postgres://app:q7Zk2Vw9Xn4Rb8Tj5Lm3Pc6H@db/shop")
    said = redactor.text("login with q7Zk2Vw9Xn4Rb8Tj5Lm3Pc6H failed")
    assert re.fullmatch(r"login with redacted-[a-z-]+-\d+ failed", said)


def test_the_rest_of_a_value_that_is_masked_as_a_whole_stays_elsewhere():
    url = "postgres://Service4Build2:q7Zk2Vw9Xn4Rb8Tj5Lm3Pc6H@db3.Internal7Host2.example.com/shop"
    copy = "Service4Build2 at db3.Internal7Host2.example.com has -Xmx1024m2"
    place = {"env": {"DATABASE_URL": url, "JAVA_OPTS": "-Xmx1024m2 -Dapp.name=Shop2Front9End"}}
    assert copy_after(place, copy) == copy


@pytest.mark.parametrize(
    "shown",
    [
        *("API_TOKEN={}...", "API_TOKEN={}\N{HORIZONTAL ELLIPSIS}", "API_KEY={}****"),
        *('"apiKey": "{}..."', "Authorization: Bearer {}...", "API_TOKEN={}\n[truncated]"),
    ],
)
def test_of_a_secret_that_was_named_only_cut_a_longer_copy_is_masked_to_its_end(shown):
    start, rest = "q7Zk2Vw9Xn4Rb8Tj5Lm3", "Pc6HtY2wRx8Kd4"
    ends = (rest, f"{rest}_x7-Q2w", f"{rest}/aB3+dE5=", "m64/u3VgQVSWZq", "m6/4kX2/u3VgQVSWZq==")
    for longer in (start + end for end in ends):
        redactor = Redactor()
        redactor.text(shown.format(start))
        said = redactor.text(f"rejected {longer} by peer")
        assert re.fullmatch(r"rejected redacted-[a-z]+-\d+ by peer", said)
        assert redactor.text(said) == said


def test_what_is_beside_a_copy_stays_if_it_is_no_rest_of_it():
    redactor = Redactor()
    redactor.text("API_TOKEN=q7Zk2Vw9Xn4Rb8Tj5Lm3")
    for after in ("-prod2", "/users", "_old", ".json", "=1", "\\n2", "%0A", "v2/users", "2/x3"):
        said = redactor.text(f"see q7Zk2Vw9Xn4Rb8Tj5Lm3{after} there")
        assert said == f"see redacted-variable-1{after} there"
    redactor.record(message({"password": "hunter22"}))
    assert redactor.text("the hunter22Field") == "the redacted-secret-1Field"


@pytest.mark.parametrize("around", ["api-key={}", "v1.{}", "{}-prod", "id={},x=1", "-Dx={}"])
@pytest.mark.parametrize("name", ["NEW_RELIC_LICENSE_KEY", "FOO"])
def test_a_secret_that_was_within_a_longer_one_is_searched_for_in_each_spelling(around, name):
    secret = "7Hq2xW9vLp4RtZ8mKc3y"
    redactor = Redactor()
    for variable, value in (("OTEL_HEADERS", around.format(secret)), (name, secret)):
        redactor.record(message({"env": [{"name": variable, "value": value}]}))
    encoded = b64encode(secret.encode()).decode()
    assert redactor.text(f"license: {encoded}") == "license: redacted-base64-1"


@pytest.mark.parametrize("around", ["k7f3a9:{}", "x9kQ2-{}", "8a2f.{}"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_cut_copy_of_a_named_secret_is_replaced_though_a_variable_has_it_in_a_longer_value(
    around, order
):
    secret = "WinterStrmXkcd7Rs24"
    redactor = Redactor()
    places = [
        {"env": [{"name": "CLIENT_AUTH", "value": around.format(secret)}]},
        {"text": f"API_TOKEN={secret}"},
    ]
    for place in places[::order]:
        redactor.record(message(place))
    assert redactor.text("using WinterStrmXkcd...").startswith("using redacted-")


def test_a_copy_of_a_recovery_phrase_is_replaced():
    phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    redactor = Redactor()
    redactor.text(f'MNEMONIC="{phrase}"')
    said = redactor.text(f"Using '{phrase}' at m/44', and {phrase}")
    assert said == "Using 'redacted-mnemonic-1' at m/44', and redacted-mnemonic-1"


@pytest.mark.parametrize(
    "place",
    [
        {"mnemonic": "{}"},
        {"env": [{"name": "MNEMONIC", "value": "{}"}]},
        {"text": "Your recovery phrase is: {} and keep it safe"},
    ],
)
def test_a_recovery_phrase_is_known_wherever_it_is_named_and_whatever_follows(place):
    phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    shown = json.loads(json.dumps(place).replace("{}", phrase))
    assert "winner" not in copy_after(shown, f"I imported {phrase}.")


@pytest.mark.parametrize("sign", string.punctuation)
@pytest.mark.parametrize(
    "spelled",
    [
        "\\u{:04x}",  # JSON of Go, and of .NET in large digits
        "\\u{:04X}",
        "\\\\u{:04x}",  # in a string of it
        "%{:02X}",
        "%{:02x}",  # a URL of .NET
    ],
)
def test_a_copy_is_found_however_a_program_spells_its_signs(sign, spelled):
    if sign in "-._" and "%" in spelled:
        return  # no program spells these in another way
    redactor = Redactor()
    redactor.record(message({"apiKey": f"Zk4w{sign}Q8nT{sign}2vX7"}))
    copy = "Zk4w{0}Q8nT{0}2vX7".format(spelled.format(ord(sign)))
    raw = b'{"params":{"text":"log %b end"}}\n' % copy.encode()
    done = redactor.record(msgspec.structs.replace(message({}, seq=2), raw=raw))
    assert b"T" not in done.raw.replace(b"redacted-", b"")


@pytest.mark.parametrize("safe", ["", "/", "!*'()", "!*'();,/?:@&=+$#", "!*()", "*", "$&+=:@"])
def test_a_copy_in_a_url_is_found_whatever_a_language_does_not_spell_in_another_way(safe):
    secret = "Zk4!Q8'nT(2)vX7/k;P3,x:9?d@T2&w=L4+b$#5*M"
    copy = copy_after({"apiKey": secret}, f"it was {quote(secret, safe)} then")
    assert re.fullmatch("it was redacted-secret-[12] then", copy)


def test_copies_that_grow_line_by_line_are_masked_as_a_whole():
    """They begin alike, as lines do before which a program puts something."""
    secret = "d9e82326-3467-4a38-afa8-5e5edc9eb7a1"
    lines = "\n".join(secret[:end] for end in range(14, 36, 3))
    said = copy_after({"text": f"curl -H 'Authorization: Splunk {secret}'"}, lines)
    assert re.fullmatch(r"(redacted-authorization-\d+\n?)+", said)
