"""Each shape finds its example and leaves its near miss alone, whatever stands around them."""

import json
import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support import effort
from support.families import for_each
from support.keys import spelled_out

from acp_spy.secrets.common_shapes import COMMON
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from acp_spy.secrets.shape import compiled
from acp_spy.secrets.shape_search import SHAPES
from acp_spy.secrets.vendor_shapes import VENDORS
from acp_spy.wire.json_text import is_json

each_shape = for_each(SHAPES, lambda shape: f"{shape.kind}, {shape.example}")


def kinds(line):
    return {secret.kind for secret in Finder().find(line)}


@each_shape
def test_the_example_is_found_in_a_log_line_and_in_a_message(shape):
    example = spelled_out(shape.example)
    if "\n" not in example and not shape.kind.startswith("pgpass"):
        assert shape.kind in kinds(f"[warn] got {example} from there\n".encode())
    message = {"jsonrpc": "2.0", "method": "x", "params": {"text": f"line 1\n{example}\nline 3"}}
    assert shape.kind in kinds(json.dumps(message).encode())


@each_shape
def test_the_near_miss_is_left_alone(shape):
    near_miss = spelled_out(shape.near_miss)
    assert kinds(f"[warn] got {near_miss} from there\n".encode()) == set()
    message = {"jsonrpc": "2.0", "method": "x", "params": {"text": f"line 1\n{near_miss}\nline 3"}}
    assert kinds(json.dumps(message).encode()) == set()


# So short or so common a beginning that only the length of the whole tells a key.
BY_LENGTH = {
    *("brave-key", "modal-token", "nuget-key", "crates-token", "square-token", "mandrill-key"),
    *("azure-key", "discord-token", "octopus-key", "scaleway-key-id", "vault-token"),
}


@for_each(VENDORS, lambda shape: shape.kind)
def test_a_vendors_key_is_found_though_a_letter_follows_at_once(shape):
    example = spelled_out(shape.example)
    if shape.kind not in BY_LENGTH:
        assert kinds(f"got {example}x from there\n".encode())
        assert kinds(f"got {example}X from there\n".encode())


@each_shape
def test_an_example_has_one_of_the_keywords_by_which_it_is_looked_for(shape):
    example = spelled_out(shape.example).encode()
    assert shape.regex.search(example)
    assert any(keyword in example for keyword in shape.keywords)


def test_a_shape_is_compiled_when_a_line_has_its_keyword_and_not_before():
    compiled.cache_clear()
    assert kinds(b'{"jsonrpc":"2.0","method":"x","params":{"text":"some plain words"}}') == set()
    assert compiled.cache_info().currsize == 0
    assert kinds(f"got {spelled_out('hf_<34>')}\n".encode()) == {"huggingface-token"}
    assert compiled.cache_info().currsize < len(SHAPES) / 4


@pytest.mark.parametrize(
    "spelling",
    [
        *(
            'token = "<24>"',
            "token: <24>",
            "accessToken='<24>'",
            '{"token": "<24>"}',
            "TOKEN = <24>",
        ),
        *(
            "secret_key: <24>",
            "apikey=<24>",
            "apiKey: '<24>'",
            "api-key: <24>",
            "client_secret=<24>",
        ),
        *('DB_PASSWORD="<10>"', "passwd: <24>", "Passphrase: <24>", "GITLAB_PAT=<10>"),
        *("authorization: bearer <20>", "AUTHORIZATION: BEARER <20>", "Authorization: token <20>"),
        *("proxy-authorization: Basic <20>==", "cookie: sid=<20>", "x --password '<10>' y"),
        *(
            "X-Api-Key: <24>",
            "Api-Key: <24>",
            "Apikey: <24>",
            "https://x/?Sig=<24>",
            "?CREDENTIAL=<24>",
        ),
        *(
            "curl -H 'x-api-key: <24>' x",
            "authorization: basic <20>",
            "api_key: dp.pt.<43>",
            "COOKIE: a=<20>",
        ),
        *("api_key = '<hex 32>.<16>'", "api_key: <hex 32>.<16>", 'const apiKey: string = "<24>"'),
        *(
            '{\\"apiKey\\": \\"<24>\\"}',
            '{"auths":{"x.example":{"auth": "<24>=="}}}',
            "acme --apiKey <12>",
        ),
        *(
            "acme --pat <12>",
            "curl -X POST --user 'alice:<9>' x",
            "<db:password><12></db:password>",
        ),
        *(
            "sk-api-<40>_<40>",
            "sk-<9>_<12>",
            "glpat-<27>.01.<9>",
            "secret_<43>",
            "dp.st.prd.<40>",
            "eyJ<30>..<16>.<90>.<22>",
        ),
        *('APIKey = "<32>"', 'Config{OpenAIAPIKey: "<32>"}', "cfg.APIKey: <32>"),  # of Go
        *("ghp_<24>", "lin_api_<24>", "shpat_<32>", "AKIA0189<upper 12>"),  # not as documented
        *("ENV['KEY_BASE_SECRET'] ||= '<24>'", "config.apiKey ??= '<24>'", "KEY=<24> ./run.sh"),
        *('auth = ("bob", "<10>")', 'HTTP_BASIC_AUTH="bob:<8>"', "basicAuth: 'bob:<10>'"),
        *("https:\\/\\/alice:<12>@x.example\\/", "ftp://:<9>@x", "?X-Amz-Signature=<hex 64>&x"),
    ],
)
def test_other_spellings_are_found_in_a_line_and_in_a_string(spelling):
    text = spelled_out(spelling)
    assert kinds(text.encode() + b"\n")
    assert kinds(json.dumps({"text": f"so\n{text}\n"}).encode())


@pytest.mark.parametrize(
    "harmless",
    [
        "toolu_01ABCdefGHIjklMNOpqrSTUv",
        "call_9x8Yz7Wv6Ut5Sr4Qp3On2Ml1",
        "msg_01XFDUDYJgAACzvnptvVoYEL",
        "550e8400-e29b-41d4-a716-446655440000",
        "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "sha512-9dg4pQmFDz3kJ8fV0sHhZqHkY0vKj2aUoQpXc1n7bWmR5tLeSyGiTuOf==",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "claude-sonnet-4-5-20250929",
        "https://example.com/a/b?page=2&sort=name#L10",
        "dev@example.com",
        "npm install @agentclientprotocol/sdk@2.4.0",
        "totalTokens: 123456789012345678",
        "the token: a word, the secret: another",
        "const token = readToken(); const apiKey = process.env.API_KEY_OF_ACME_2",
        "export API_KEY=$OTHER_KEY_1234567890",
        "cache_key: q7Zk2Vw9Xn4Rb8Tm3Yc6, sort_key = 'q7Zk2Vw9Xn4Rb8Tm3Yc6'",
        "CACHE_KEY=q7Zk2Vw9Xn4R PUBLIC_KEY=q7Zk2Vw9Xn4R ./x --primary-key user_id_12345",
        "const token = localStorageTokenKeyV1234",
        "SSH_KEY=~/.ssh/id_ed25519 API_TOKEN=/etc/acme/token1",
        "https://example.com/?sort_key=q7Zk2Vw9Xn4R&design=q7Zk2Vw9Xn4R",
        "begin = '-----BEGIN PRIVATE KEY-----'\nend = '-----END PRIVATE KEY-----'",
        "<max_tokens>q7Zk2Vw9Xn4R</max_tokens>, <path>q7Zk2Vw9Xn4R</path>",
        "a basic understanding, basic instructions",
        "def sign(private_key: ed25519.Ed25519PrivateKey)",
        "sk-api-your-key-goes-here-1, ghp_" + "x" * 36 + ", sk-ant-api03-" + "X" * 40,
        "ghp_1234567890abcdefghijklmn, npm_package_config_very_long_name_2_of_a_thing",
        "KEY=name_of_column_2, KEY = 'cache:user:1234', { key: 'q7Zk2Vw9Xn4Rb8Tm3Yc6' }",
        "class='sk-some-css-class-name-2-columns pa-some-long-name-of-a-class-in-a-style-sheet-12'",
    ],
)
def test_what_merely_looks_odd_is_left_alone(harmless):
    assert kinds(harmless.encode() + b"\n") == set()
    assert kinds(json.dumps({"id": 1, "result": {"text": harmless}}).encode()) == set()


@pytest.mark.parametrize(
    "shape", [each for each in COMMON if not each.read], ids=lambda shape: shape.kind
)
@settings(max_examples=effort.examples(5), suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_whatever_an_expression_finds_has_one_of_its_keywords(shape, data):
    """Else it would never be searched. A vendor's begins with one of them."""
    text = data.draw(st.from_regex(re.compile(_plainer(shape.regex.pattern), re.DOTALL)))
    assume(shape.regex.search(text))
    assert any(keyword in text for keyword in shape.keywords)


def _plainer(pattern):
    """Return `pattern` without what hypothesis cannot read: long runs, and looking around."""
    pattern = re.sub(rb"([*+}])\+", rb"\1", pattern)
    pattern = re.sub(rb"\(\?<?[=!][^()]*\)", b"", pattern)
    return re.sub(rb"\{(\d+),\d*\}", lambda run: b"{%b}" % run[1], pattern)


HOSTILE = (
    *("a", "1", " ", "-", "_", "=", ":", '"', "\\", "[", "{", "@", "/", "?", "&", "."),
    *("eyJ", "eyJaaaaaaaaaaaaa.", "sk-", "sk-ant-", "x://", "x://a:", "x:", "&key=", "a_"),
    *("-----BEGIN PRIVATE KEY-----", f"-----BEGIN PRIVATE KEY-----{'A' * 50}-"),
    *("token=a.", "token=token=(", "curl -u ", "machine x login ", "<a>", "--a-key ", "auth="),
    *(
        "-----BEGIN PRIVATE KEY-----\n1 | ",
        "-----BEGIN PRIVATE KEY-----" + "A" * 39 + "!",
        "-----END ",
    ),
    *(
        "password ",
        "password=",
        'password="',
        "password:\n",
        "password|",
        "password,\n",
        "curl -u ",
    ),
    *("mysql -p ", "-----END PRIVATE", "A\n", "AAAAAAAAAAAAAAAA\n", "echo a | ", "pass (", "key: "),
    "- mysql\n- -pmaple7710" + " " * 3900 + "x\n",
    *("token=", "Bearer ", "Authorization: token ", "xoxb-", "SG.aaaaaaaaaaaaaaaaaaaaaa."),
)


@pytest.mark.long
def test_what_begins_like_a_token_again_and_again_is_no_burden():
    """In a megabyte; quadratic, it would take minutes."""
    (jwt,) = (shape for shape in SHAPES if shape.kind == "jwt")
    assert not jwt.regex.search(b"eyJa1" * 200_000)


@pytest.mark.parametrize("piece", effort.some_of(HOSTILE, *HOSTILE[::16]))
def test_no_expression_hangs_on_a_hostile_line(piece):
    """A quadratic one would need many minutes for this, so that no clock is needed here."""
    line = (piece * 30_000)[:30_000].encode()
    for shape in SHAPES:
        for match in shape.regex.finditer(line[:5_000] if shape.read else line):
            if shape.read:
                for _ in shape.read(line, [match]):
                    pass


def test_an_id_of_aws_may_have_no_digit_unless_it_is_that_of_an_example():
    assert Redactor().text("id AKIATITFZCHMPFKZIKFT") == "id redacted-aws-key-id-1"
    for made_up in ("AKIAYOURACCESSKEYIDX", "AKIAXXXXXXXXXXXXXXXX", "AKIAIOSFODNNQEXAMPLE"):
        assert Redactor().text(f"id {made_up}") == f"id {made_up}"


@pytest.mark.parametrize(
    "shape", [each for each in SHAPES if each.of_object], ids=lambda each: each.example
)
def test_what_several_names_of_an_object_show_is_found_in_json_itself(shape):
    line = spelled_out(shape.example).encode()
    found = Finder().find(line)
    assert {each.kind for each in found} == {shape.kind}
    assert all(each.pointer for each in found)
    message = b'{"jsonrpc":"2.0","id":1,"result":{"rawOutput":%b}}\n' % line
    assert [each.text for each in Finder().find(message)] == [each.text for each in found]
    assert Finder().find(spelled_out(shape.near_miss).encode()) == []


def test_each_example_that_is_json_is_found_as_such():
    """As a line of a log, of an agent that prints an object."""
    for shape in SHAPES:
        line = spelled_out(shape.example).encode()
        if line[:1] == b"{" and is_json(line):
            assert Finder().find(line), shape.example


@for_each(SHAPES if effort.is_long else SHAPES[::5], lambda shape: f"{shape.kind}, {shape.example}")
def test_an_example_is_found_however_a_library_escapes_its_signs(shape):
    """That of Go always escapes `<`, `>` and `&`, those of .NET `+` and quotes, too, that of PHP `/`."""
    message = {"method": "x", "params": {"text": f"line 1\n{spelled_out(shape.example)}\nline 3"}}
    line = json.dumps(message)
    for signs in ("<>&", "<>&+'", "/"):
        spelled = re.sub(
            f"[{signs}]", lambda sign: rf"\u{ord(sign[0]):04x}" if sign[0] != "/" else r"\/", line
        )
        assert kinds(spelled.encode()) == kinds(line.encode()), spelled
