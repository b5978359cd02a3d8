"""Secrets in the grammars of configuration, programs, command lines, tables and files."""

import json
import re
from base64 import b64encode, urlsafe_b64encode

import pytest

from acp_spy.capture.records import Header
from acp_spy.secrets import tables
from acp_spy.secrets.assignment_names import NAMES
from acp_spy.secrets.assignments import find_assignments
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from benchmarks.secrets import ORDINARY, WEIGHTS, masked, missed, places

OTHER_SEED = 7  # than that of the benchmark


def left_of(text):
    """Return `text` with each secret that is found in it as `*`."""
    raw = text.encode()
    for secret in reversed(Finder().find_in_text(raw)):
        raw = raw[: secret.start] + b"*" + raw[secret.end :]
    return raw.decode()


@pytest.mark.parametrize(
    "text",
    [
        *("SECRET='«ab$%cd9»'", "postgres://user:«pa55@w0rd»@host/db", 'PASSWORD="«a#b?c/d»" # x'),
        *(
            "PASSWORD=«p62a3RgH%0A5hBGje»",
            "PASSWORD=«p62a3RgH»%0Ax=1",
            "password%3D«p62a3RgH»%26y%3D5",
        ),
        *("password: '«a:b#c d!1»'\nx: 1", "mysql://a:«p/a#s?1»@db.example.com/x?ssl=1"),
        *(
            "PWD={«a}}b1»};UID=sa",
            "Password=«a!b#1»;Encrypt=True",
            '{\\"password\\":\\"«x!y1z»\\"}',
        ),
        *(
            "password='«it''s 1»'",
            'const password = "«a\\"b1»";',
            "b'DB_PASSWORD=«abc1!»\\nDB_HOST=x'",
        ),
        *("a&password=«a%26b1»&b=1", "MYSQL_ROOT_PASSWORD=«hunter2»\n", "password: «hunter2»\n"),
        *("docker run -e 'DB_PASSWORD=«Ck8P>7E!N1W»' img", 'DB_PASSWORD=«Zx8k"Lm3Q`w!Ab»\n'),
        *("DB_PASSWORD=«xl9OH25[Rkg.U»", "A=1\nDB_PASSWORD=«N5Rp=I>XQ[hX=ssr»\nB=2"),
        *("spring.datasource.password=«qtz1SS'CU4»\nx=y", "'\\nDB_PASSWORD=«abc1!»'"),
        "export DB_PASSWORD='«KdNn@R'\"'\"'BXu1»'\nexport X='y'",
        "export DB_PASSWORD='«KdNn@R'\\''BXu1»'\nexport X='y'",
        "CREATE USER a IDENTIFIED BY '«BA]\\elOx1»';",
    ],
)
def test_a_value_ends_where_it_ends(text):
    plain = text.replace("«", "").replace("»", "")
    before, _, rest = text.partition("«")
    assert left_of(plain) == f"{before}*{rest.partition('»')[2]}"


@pytest.mark.parametrize(
    "text",
    [
        "<password>«aB3&amp;&lt;x&gt;9Z!w»</password>",
        "state=%7B%22access_token%22%3A%20%22«L7cwWemUpecIu829qffESBo»%22%7D",
        "next=https%253A//u/%253Ftoken%253D«w7cxTmppj2Juy9FoYO9gDY04»%2526a=b",
        '"set-cookie": [\n  "«sid=L7cLxomh0W4dRuOIt8aU; Path=/»"]',
        "I have set the password to «P7cMDPXaDQ». Please change it.",
        'form-data; name="password"\r\n\r\n«87cT34D7Lr»\r\n------x--',
        '{"Parameter": {"Name": "/prod/db/password", "Type": "x", "Value": "«u7cwykPPBzoWCZ»"}}',
        "mysqli_connect('h', 'bob', '«w7c8BafT1N»');",
        "mysqli_connect('h', 'bob', '«w7c8BafT1N»', 'shop');",
        'expect "password:"; send "«w7c8BafT1N»\\r"',
        "cy.get('#password').type('«w7c8BafT1N»')",
        "htpasswd -nb bob «w7c8BafT1N»",
        'gh secret set DB -b"«w7c8BafT1N»"',
        "password: «s3cret»\n",
        "user admin, pw: «ZmaCgtnjM6$%» thanks",
        'subprocess.run(["mysql", "-u", "root", "-p«w7c8BafT1N»"])',
        'run(["mc", "alias", "set", "local", "http://localhost:9000", "admin", "«w7c8BafT1N»"])',
        "+ mysql -h db -u root '-p«w7c8BafT1N»' shop",
        'const char password[] = "«w7c8BafT1N»";',
        'password: Some(\n        "«w7c8BafT1N»",\n    ),',
        'password: str = field(default="«w7c8BafT1N»")',
        '"password": {"type": "string", "default": "«w7c8BafT1N»"}',
        "DB_PASSWORD:\n----\n«w7c8BafT1N»\n",
        "echo '«w7c8BafT1N»' | gpg --batch --passphrase-fd 0 -d a.gpg",
        "-----BEGIN EC PRIVATE KEY-----\n«MHcCAQEEIq7Z»",
        '"openrouter": {\n "type": "api",\n "key": "«P7csCISOAfgjllPv4opliQJpYPALOBfw6xNf»"}',
        '{"data": {"a.p12": "«YWJjZGVmZ2g=»"}, "kind": "Secret", "metadata": {"name": "foo-bar1"}}',
        "time curl -sSLu bob:«w7c8BafT1N» https://example.com",
        "kubectl create secret generic api --from-literal=key=«w7c8BafT1N» -n prod",
        "User.objects.create_superuser('admin', 'a@example.com', '«w7c8BafT1N»')",
        'expect "*?assword:*"; send "«w7c8BafT1N»\\r"',
        *(
            "password: '«$kJ8mPq2x»'",
            "Mot de passe: «w7c8BafT1N»",
            "password => Sensitive('«w7c8T1N»'),",
        ),
        "args:\n  - --password\n  - «w7c8BafT1N»\n  - --verbose",
        "┌──────┬────────────┐\n│ user │ password   │\n├──────┼────────────┤\n│ bob  │ «w7c8BafT1N» │",
        "┃ user ┃ password   ┃\n┡━━━━━━╇━━━━━━━━━━━━┩\n│ bob  │ «w7c8BafT1N» │\n└──────┴────┘",
    ],
)
def test_a_value_is_found_in_these_places(text):
    test_a_value_ends_where_it_ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "<password>&lt;your password&gt;</password>",
        "Use your password to continue. I changed the password to uppercase letters.",
        'form-data; name="file"\r\n\r\n87cT34D7Lr\r\n------x--',
        '{"Parameter": {"Name": "/prod/db/host", "Type": "x", "Value": "db-1.example.com"}}',
        '"type": "api",\n "key": "docs/reference/interfaces-of-the-server"',
        "fn verify(secret: &[u8]) -> bool",
        "password:  16 bytes\nusername:  5 bytes\n",
        "password:\n  - required\n  - min:8\n",
        'password: ["required", "min:8", "confirmed"]',
        "secrets:\n  - db_password_v2\n  - api_token_3\n",
        'secrets: ["db_password_v2", "api-key-v1"]',
        "class Login(val password: String?)",
        '"required": ["username", "password", "token2"]',
        'new mysqli("localhost", "my_user", "my_password", "world")',
        "$argon2id$v=19$m=65536,t=3,p=4",
        "mysqli_connect('h', 'bob', $password, 'shop1');",
        'if (prompt == "password: ") { send("name1x"); }',
        "kind: ConfigMap\ndata:\n  host: databasehost1\n---\nkind: Secret\n",
        "connect(\n    password=row['db'],\n    token=f(1,\n)\n\"password=f(x)\"",
        "sed -i 's/password=.*/password=/' .env",
        "args:\n  - --password\n  - --verbose1",
        "│ name   │ password │\n├────────┼──────────┤\n│ string │ required │",
        "password: $oauth2Secret, '$db_pass1'",
        '  "PageToken2": {\n    "type":"string",\n    "max":1024\n  },',
        '  "authToken": {\n    "type":"string",\n    "max":1024\n  },',
        "curl -sSLo a:b1 https://example.com",
    ],
)
def test_what_is_like_it_in_such_a_place_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    ("secret", "like_it"),
    [
        (
            "AWS_SECRET_ACCESS_KEY=«/x9efyTUTVRpxWeIAhFMPZFUgDLazmrCVIsuDjN3»",
            "AWS_SECRET_ACCESS_KEY=/home/JohnDoe/MyApp1/SrcCode2/MainKey3",
        ),
        (
            '"SecretAccessKey": "«/Rj1y/958vIMYHGNbf66TD4A8QsX3goTbGgNWbPR»"',
            '"SecretAccessKey": "/run/secrets/aws_key1"',
        ),
        ("DB_PASSWORD='«@xKJm8GAF0w»'", "DB_PASSWORD='@db_password1'"),
        (
            "SECRET_KEY = '«django-insecure-$mxa8nfdyqb2)yl*kquxvnfhk9lfmxyrgo-p1u)==jd9i»'",
            "SECRET_KEY = '$oauth2_secret_of_the_application_in_production'",
        ),
        (
            "The API key is:\n\n```\n«Is9RWUPieGxKZtBGRwWH»\n```\n",
            "The API key is:\n\n```\nmake key-rotation-v2\n",
        ),
        ("**API key:**\n\n`«Is9RWUPieGxKZtBGRwWH»`\n", "**API key:**\n\n`rotate-the-api-key-v2`\n"),
        ("API key:\n«Is9RWUPieGxKZtBGRwWH»\n", "api_key:\n  api-key-of-the-server-2\n"),
        (
            "The password is:\n```text\n«iK*Z!eq*FWCE»\n```",
            "The password is:\n```text\nrequired\n```",
        ),
        ("password for bob:\n\n    «aXmI63^o^G*8»\n", "Password:\n\nStep-2\n"),
        (
            "the password for the admin is «A$QmRd^Lz%ow», thanks",
            "the password is Required! Thanks",
        ),
        ("the password is «Xi*T!%tWzphT»", "the password is Research&Development today"),
        ("password = &#x27;«Y*0948V^_iHXJn»&#x27;", "password = &#x27;string&#x27;"),
        (
            "&apos;password&apos;: &apos;«X*K4ynsZg!Zb^K»&apos;",
            "&apos;password&apos;: &apos;string&apos;",
        ),
        ('{"command": "storePassword=«y7Tm!Wq2x»\\', "DB_PASSWORD=\\\nx"),
        ("[client]\npassword = «hunter2»\n", "password = password2\n"),
        ("  db_pass = «river3» # of the copy\n", "  db_pass = river3.value\n"),
        ("set -gx MYSQL_PWD «hunter22»\n", "set -gx MYSQL_PWD $argv\n"),
        ("setenv FTP_PASSWD «Orbit_1989»\n", "setenv FTP_PASSWD_FILE /run/ftp1\n"),
        ("SetEnv SMTP_PASSWORD «cedar55»\n", "SetEnv SMTP_PASSWORD\n"),
        ('proxy_set_header X-Secret "«walnut84»";', 'proxy_set_header X-Secret "$secret1";'),
        ("Retype new UNIX password: «rocket30»\n", "Retype new UNIX password: required\n"),
        ("Your temporary password: «river93»\nBye", "Your temporary password: expired\nBye"),
        ('o.user("app").password("«QwVbquKUN»");', 'o.user("app").password("newPassword");'),
        ("log in with password «NQTyErkk» now", "log in with password getMyIdOf now"),
        ("Db(host=db, password=«Tulip_1958», n=5)", "Db(host=db, password=tulip_1, n=5)"),
        ('std::string dbPassword{"«trustno1»"};', "std::string dbPassword{password1};"),
        ('Password { get; set; } = "«sunset44»";', "Password { get; set; } = password1;"),
        ("my $password = q(«Violet_1999»);", "my $password = quote(user1);"),
        ("$u->password = Hash::make('«KzsZ+Upq3Y»');", "$u->password = Hash::make($plain1);"),
        (
            '{user = 0x55d0 "app", password = 0x55e0 "«9EmC+56»"}',
            """{user = 0x55d0 "app", n = 0x55e0 "9EmC+56"}""",
        ),
        ("sim_pin = «4471»\n", "led_pin = 13\nping = 4471\n"),
        ('vpn_cred: "«4jkKu~A6P»"\n', "cred: see docs/login.md\n"),
        ("x-functions-key: «47ctpkrFO7ZS1gH3XZIFe0gqUJH0»", "x-cache-key: 47ctpkrFO7ZS1gH3XZIFe0"),
        ("code_verifier=«g7cR-5T5yWAkWETJhUPZq3_K8Ho»", "code_challenge=g7cR-5T5yWAkWETJhUPZq3"),
        ("  appKey: «c7c8e168343f6a5481d89fb89c2eff32»", "  appKey: shop-2\n"),
        ('pw := "«Ue6ZqB34»"', "pw := newWriter2"),
        (
            "RSA key: «c7c8e168343f6a5481d89fb8»",
            "gpg: using RSA key 57C8E168343F6A5481D89FB89C2EFF32",
        ),
        ("the password «k7%Jm2x!» (auth.c:88)", "at check_password (auth.c:88)"),
        ("C: AUTH PLAIN «AG1hcmEAcHVmZmluLTc3»", "C: AUTH PLAIN LOGIN"),
        ("a1 LOGIN bob «sunset98»\n", "a1 LOGIN bob {12}\n"),
        ("the password is «letmein9» and the user is bob", "the password is sha256 or base64"),
        ("the password for it is «red-fox-42», thanks", "the password for it is in step-two-v2"),
        ("changed the password from «qwerty77» to $NEW", "the password from step1 to step2"),
        ("Mot de passe : «dragon12»\n", "Mot de passe perdu ?\n"),
        ("密码是：«dragon12»", "密码是：必填"),
        ("{Host:db User:app Password:«badger64» N:5}", "{Host:db Password:string2 N:5}"),
        ("ALTER USER hr IDENTIFIED BY «badger26» ACCOUNT UNLOCK;", "IDENTIFIED BY the user"),
        ("snmpget -v3 -u mon -X «fdZnsr40» sw1", "openssl rsa -in k.pem -passin fd:3"),
        ("user admin insecure-password «red-fox-42»\n", "user admin insecure-password $PW\n"),
        ('api_secret = "«DaXYrQEJb»"', 'api_secret = "SecretOfMyApi"'),
    ],
)
def test_a_value_is_told_from_what_is_like_it(secret, like_it):
    test_a_value_ends_where_it_ends(secret)
    assert left_of(like_it) == like_it


@pytest.mark.parametrize(
    "text",
    [
        '"apiKeys": ["q7Zk2Vw9Xn4R", "b8Tm3Yc6Hd1G"], "n": 1',
        "api_keys = [\n    'q7Zk2Vw9Xn4R',\n    'b8Tm3Yc6Hd1G',\n]",
        "passwords:\n  - q7Zk2Vw9Xn4R\n  - b8Tm3Yc6Hd1G\nhosts:\n  - host-1\n",
    ],
)
def test_all_values_of_a_list_are_found(text):
    assert left_of(text) == text.replace("q7Zk2Vw9Xn4R", "*").replace("b8Tm3Yc6Hd1G", "*")


def test_a_list_goes_on_after_an_item_that_is_no_secret():
    for text in (
        'passwords: ["changeme", "q7Zk2Vw9Xn4R"]',
        "passwords:\n- changeme\n- q7Zk2Vw9Xn4R\n- x",
        'passwords:\n- none\n- passphrases: ["none", "q7Zk2Vw9Xn4R"]',
    ):
        assert left_of(text) == text.replace("q7Zk2Vw9Xn4R", "*")


def test_both_values_of_a_change_are_found():
    plan = '~ password = "q7Zk2-Vw9" -> "Xn4Rb8-Tm3"'
    assert left_of(plan) == '~ password = "*" -> "*"'
    assert left_of("DB_PASSWORD: q7Zk2-Vw9 => Xn4Rb8-Tm3\n") == "DB_PASSWORD: * => *\n"
    assert left_of("DB_PASSWORD=q7Zk2-Vw9 → Xn4Rb8-Tm3\n") == "DB_PASSWORD=* → *\n"
    assert left_of("DB_PASSWORD: `q7Zk2-Vw9` → `Xn4Rb8-Tm3`") == "DB_PASSWORD: `*` → `*`"
    assert left_of("(password: string) => login2") == "(password: string) => login2"


@pytest.mark.parametrize(
    "text",
    [
        *('~ password = "changeme" -> "§"', 'db_password: "" => "§"', "DB_PASSWORD: *** => §"),
        *("DB_PASSWORD: admin → §", 'password = null -> "§"', "API_TOKEN: '' => §"),
        *("DB_PASSWORD: <redacted> => §", "DB_PASSWORD=$OLD -> §", "password: (unset) -> §"),
        'password = "" if test else "§"',
    ],
)
def test_the_new_value_of_a_change_is_found_if_the_old_one_is_no_secret(text):
    assert left_of(text.replace("§", "q7Zk2Vw9Xn4Rb8Tj5Lm3")) == text.replace("§", "*")


@pytest.mark.parametrize(
    "text",
    [
        'case token: String => "invalid token"',
        "const f = { token: (req) => req.headers2, password: v => v.length > 8 };",
        'validatePassword: value => "Must have 8+ letters"',
        "hash_password : string -> HashedPassword1",
        'Password: "" => string.Empty',
        "  ~ password = (sensitive value) -> (known after apply)",
        'password: "***" -> "***"',
        "api_key: old_name2 -> new_name3",
        "token: u8 => Token::Number1",
    ],
)
def test_a_function_or_a_type_is_no_change_of_a_secret(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=*<br>HOST=x<br>",
        "DB_PASSWORD=*<br/>HOST=x<br/>",
        "DB_PASSWORD=* │ x",
        "| DB_PASSWORD | `*` |",
    ],
)
def test_what_ends_a_line_of_a_page_or_a_cell_stays(text):
    assert left_of(text.replace("*", "Xk7Qw2mPz9Lr4Tb8")) == text


def test_a_head_within_a_table_is_a_row_of_it(monkeypatch):
    """Each was the head of a table of 500 rows: 100 kB took twenty seconds."""
    read = []
    cells = tables._cells
    monkeypatch.setattr(tables, "_cells", lambda *row: read.append(row) or cells(*row))
    left_of("| user | password |\n|---|---|\n| bob | none |\n" * 200)
    assert 0 < len(read) < 1000
    two = "| user | password |\n|---|---|\n| bob | q7Zk2-Vw9 |\n\n"
    assert left_of(two * 2) == two.replace("q7Zk2-Vw9", "*") * 2


class Watched(bytes):
    """Knows the size of the longest copy that was made of a part of it."""

    longest = 0

    def __getitem__(self, at):
        part = super().__getitem__(at)
        self.longest = max(self.longest, len(part) if isinstance(part, bytes) else 1)
        return part


@pytest.mark.parametrize(
    "text", ['variable "password" {\n' * 600, "user,password\nbob,x" + "password || " * 1200]
)
def test_not_all_of_a_text_is_copied_for_each_name_in_it(text):
    """A megabyte would take minutes."""
    watched = Watched(text.encode())
    names = [match for pattern, _ in NAMES for match in re.finditer(pattern, watched)]
    assert not list(find_assignments(watched, names))
    assert not list(tables.find_in_tables(watched, re.finditer(tables.HEAD, watched)))
    assert 0 < watched.longest < 10_000 < len(watched)


def test_the_values_of_cookies_are_secrets():
    cookie = {"name": "sid", "value": "abc", "domain": "example.com", "path": "/", "expires": -1}
    found = Finder().find(json.dumps({"cookies": [cookie], "origins": []}).encode())
    assert [(secret.text, secret.pointer) for secret in found] == [(b"abc", "/cookies/0/value")]


KEY = "ghp_" + "q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpAeUiO"


@pytest.mark.parametrize(
    "before",
    [
        *(
            "\x1b[1m",
            "\x1b[K",
            "\\n",
            "\\t",
            "%3D",
            "\\u003d",
            "7",
            "=",
            "(",
            "\\x3d",
            "\x1b[0;31m",
        ),
        *("\x1b(B", "\\033[1m", "\\e[0m", "\\x1b[0m"),
    ],
)
def test_an_escape_or_a_digit_before_a_key_is_a_boundary(before):
    assert left_of(f"got {before}{KEY} there") == f"got {before}* there"
    message = json.dumps({"text": f"got {before}{KEY} there"}).encode()
    assert [secret.text for secret in Finder().find(message)] == [KEY.encode()]


@pytest.mark.parametrize("escape", ["\x1b", "\\033", "\\x1b", "\\e"])
def test_colors_around_a_value_stay_also_if_a_program_spells_them(escape):
    on, off = f"{escape}[32m", f"{escape}[0m"
    line = f"{on}DB_PASSWORD{off}={on}%s{off}"
    assert left_of(line % "hunter2x9") == line % "*"


def test_backticks_around_a_value_and_around_a_command():
    assert left_of("const apiPassword=`Hunter2!xyzQ9`;") == "const apiPassword=`*`;"
    assert left_of("DB_PASSWORD=`pass show db/main`") == "DB_PASSWORD=`pass show db/main`"


def test_a_key_in_the_middle_of_a_word_is_none():
    assert left_of("a task-q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1") == "a task-q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1"


@pytest.mark.parametrize("cut", [slice(0, 12), slice(0, 25), slice(10, 36), slice(-12, None)])
def test_a_truncated_copy_of_a_key_is_found_once_the_key_is_known(cut):
    finder = Finder()
    finder.find(f"the key {KEY}\n".encode())
    found = finder.find(f"so {KEY[cut]}... again\n".encode())
    assert [secret.text.decode() for secret in found] == [KEY[cut]]
    assert not finder.find(f"so {KEY[:8]}... again\n".encode())


@pytest.mark.parametrize(
    ("words", "secret"),
    [
        (["-uroot", "-pabc-1"], b"abc-1"),
        (["-u", "bob", "-p"], None),
    ],
)
def test_the_words_of_a_command_in_a_message_are_a_command_line(words, secret):
    message = json.dumps({"command": "/usr/bin/mysql", "args": words}).encode()
    assert [found.text for found in Finder().find(message)] == ([secret] if secret else [])


@pytest.mark.parametrize(
    "message",
    [
        {"command": ["mysql", "-uroot", "-p«w7c8BafT1N»", "shop"]},
        {"command": ["acme", "--password", "«w7c8BafT1N»"]},
        {"cmd": ["/usr/bin/curl", "-u", "bob:«w7c8BafT1N»", "https://example.com"]},
        {"args": ["-p", "«w7c8BafT1N»", "ssh", "h"], "command": "sshpass"},
        {"command": "docker", "args": ["exec", "db", "mysql", "-uroot", "-p«w7c8BafT1N»"]},
        {"command": "ssh", "args": ["-p", "w7c8BafT1N"], "b": {"args": ["-p", "w7c8BafT1N"]}},
    ],
)
def test_the_words_of_a_list_are_a_command_line(message):
    text = json.dumps(message, ensure_ascii=False)
    raw = text.replace("«", "").replace("»", "").encode()
    for secret in reversed(Finder().find(raw)):
        raw = raw[: secret.start] + b"*" + raw[secret.end :]
    assert raw.decode() == re.sub("«.*?»", "*", text)


def test_a_name_with_other_letters_is_found_where_they_are_escaped():
    message = json.dumps({"text": "contraseña: w7c8BafT1N"}).encode()
    assert [found.text for found in Finder().find(message)] == [b"w7c8BafT1N"]


def test_the_url_of_a_server_has_a_key_in_its_path():
    url = (
        "https://mcp.example.com/api/mcp/s/«NjY4YjE2Zjct8Yx3Kq9aZmE4Ny00»/mcp/some-long-plain-name"
    )
    server = {"type": "http", "name": "x", "url": url, "headers": []}
    test_the_words_of_a_list_are_a_command_line({"mcpServers": [server]})


def test_the_command_of_a_capture_is_a_command_line():
    header = Header(command=("sshpass", "-p", "w7c8BafT1N", "ssh", "h"))
    assert Redactor().header(header).command[2] == "redacted-command-line-1"


def test_most_places_of_the_corpus_are_found_with_other_secrets_in_them():
    chosen = [place for group in WEIGHTS for place in places(group, OTHER_SEED)[::7]]
    total = sum(len(place.secrets) for place in chosen)
    assert sum(len(missed(place)) for place in chosen) < total * 0.1


def test_few_look_alikes_are_masked():
    chosen = [*places("look_alikes", OTHER_SEED)[::5], *places(ORDINARY, OTHER_SEED)[::2]]
    assert sum(bool(masked(place)) for place in chosen) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "use mysql -p, or mysql > out",
        "cp -P a b, and zip `x`",
        "curl -u a | curl `x`",
        "ab -A; ab |",
    ],
)
def test_a_command_without_words_has_no_password(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("DB_PASSWORD='igB7YD9x", "DB_PASSWORD='*"),
        ('export TOKEN="Zk2Vw9Xn4Rb8Tm3Yc6Hd\nPORT="80"', 'export TOKEN="*\nPORT="80"'),
        ('"a": "b", "password": "hunter2', '"a": "b", "password": "*'),
        ('DB_PASSWORD="igB7YDaZx3Kq9…', 'DB_PASSWORD="*…'),
        ('client_secret = "igB7YDaZx3Kq9... [truncated]', 'client_secret = "*... [truncated]'),
    ],
)
def test_a_value_whose_second_quote_was_cut_off_is_found(text, left):
    assert left_of(text) == left


@pytest.mark.parametrize(
    "text",
    [
        *(
            'print("your password: "+x9y8z7)\n',
            'log("new token: ", token)',
            'echo "password: "$pw1',
        ),
        *('password: "${DB_PASSWORD}', "token = '", 'password: "the one that you know'),
    ],
)
def test_a_quote_that_ends_a_string_opens_none(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *(
            'const apiSecret string = "«w7c8BafT1Nq4»"',
            "param adminPassword string = '«w7c8!BafT»'",
        ),
        *('Dim strPassword As String = "«w7c8BafT1N»"', 'password: *"«w7c8BafT1N»" | string'),
        *('const api_key: []const u8 = "«w7c8BafT1Nq4»";', '{password, "«w7c8BafT1N»"},'),
        *("WITH PASSWORD = N'«w7c8!BafT»', CHECK_POLICY = ON", '1) "requirepass"\n2) "«w7c8BafT»"'),
        *(
            'parse("""app.secret = "«w7c8BafT1Nq4»" """)',
            'expect "assword:"\nsend "«w7c8BafT1N»\\r"',
        ),
        *(
            '<meta name="csrf-token" content="«w7c8BafT1Nq4w7c8BafT»">',
            "rclone obscure «w7c8BafT1N»",
        ),
        *('DBI->connect($dsn, "app", "«w7c8BafT1N»");', 'echo "«w7c8Baf»" | vncpasswd -f > p'),
        "Use this password to proceed:\n\n«7f3a90c1d2e8b6457f3a90c1d2e8b645»\n\nIt is also in a file",
    ],
)
def test_a_value_is_found_after_a_type_a_tuple_or_a_line_end(text):
    plain = text.replace("«", "").replace("»", "")
    before, _, rest = text.partition("«")
    assert left_of(plain) == f"{before}*{rest.partition('»')[2]}"


@pytest.mark.parametrize(
    "text",
    [
        *("e.pass=t.pass+1,t}", 'password field = "name"', "the token type = 'bearer'"),
        *("enter the password:\n\nprocessing-request\n", "{password, user} = props"),
        *('func login(password string, name = "x1y2")', "tokens:\n\nabcdefghijklmnopqrstuvwxyz\n"),
        *("mc alias list store", "secret as value = 'plain'"),
    ],
)
def test_what_only_looks_like_such_a_value_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("Password:\n«hunter2pw»", "Your new password:\r\n  «Kx7-horse»\r\nDone.\n"),
        *("│ DB_HOST │ db1 │\n│ DB_PASSWORD │ «horse» │", "| db_password | «hunter2» |\n"),
        *("bad login: user=bob password=«horse» host=db", "cannot log in with password=«hunter2»"),
        *("failed (user=bob password=«hunter2»)", " password | «hunter2»"),
    ],
)
def test_a_value_is_found_below_in_a_row_and_among_pairs(text):
    plain = text.replace("«", "").replace("»", "")
    assert left_of(plain) == re.sub("«.*?»", "*", text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "if not password:\n    count2!\n",
            "password:\n  type: string\n",
            "Password:\nroot@h1:~$",
        ),
        *("Password:\nLogin incorrect2\n", "password:\n  - x1\n", "password:\n  valueFrom2:\n"),
        *("| password | Passwort |\n", "| password | string | x1 |", "| PASSWORD | required |\n"),
        "for each in passwords:\n    try_it2\n",
        *("level=info password=changed x=1", "login(user=user1, password=pass12)"),
    ],
)
def test_what_is_not_a_value_below_in_a_row_or_among_pairs_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "message",
    [
        *('["curl","-su","bob:«hunter2»"]', '{"x":[["/usr/bin/curl","-sSLu","bob:«hunter2»"]]}'),
        *('{"cmd":["curl","-su","bob:«hunter2»"]}', '["mysql", "-u", "root", "-p«hunter2»"]'),
        *('{"key":"DB_PASSWORD","new_value":"«horse»"}', '{"k":"DB_PASSWORD","v":"«horse»"}'),
        '{"ParameterKey":"DBPassword","ParameterValue":"«horse»"}',
        *('{"rows":[["DB_PASSWORD","«horse»"],["DB_HOST","db1"]]}', '["API_TOKEN","«q7Zk2Vw9Xn»"]'),
        '{"element":"Password field","ref":"e12","text":"«horse»"}',
        '{"value":"«horse»","selector":"input[name=password]"}',
    ],
)
def test_a_value_is_found_in_a_list_and_beside_its_name(message):
    raw = message.replace("«", "").replace("»", "")
    found = [secret.text.decode() for secret in Finder().find(raw.encode())]
    assert found == re.findall("«(.*?)»", message)


@pytest.mark.parametrize(
    "message",
    [
        *('["DB_PASSWORD","DB_HOST"]', '["DB_PASSWORD","horse","x"]', '["password","horse"]'),
        *('["curl","-s","a:hunter2"]', '["grep","-su","bob:hunter2"]', '["API_KEY","missing"]'),
        '{"element":"Forgot password link","text":"horse"}',
        '{"element":"User name","text":"horse"}',
    ],
)
def test_what_is_not_a_value_in_a_list_stays(message):
    assert Finder().find(message.encode()) == []


@pytest.mark.parametrize("copy", ["p%40ss%26w0rdXx!", "p%40ss%26w0rdXx%21", "p@ss&amp;w0rdXx!"])
def test_a_password_that_is_known_is_found_as_a_url_and_a_page_spell_it(copy):
    finder = Finder()
    finder.find(b'{"password":"p@ss&w0rdXx!"}')
    line = f"GET /?q={copy} HTTP"
    assert [secret.text for secret in finder.find(line.encode())] == [copy.encode()]


@pytest.mark.parametrize(
    "copy", ["Kx7&quot;mQ2zPw9Lk&#x27;4Rt", "Kx7&#34;mQ2zPw9Lk&#39;4Rt", "Kx7&quot;mQ2zPw9Lk'4Rt"]
)
def test_also_with_the_quotes_of_a_page(copy):
    finder = Finder()
    finder.find(json.dumps({"password": "Kx7\"mQ2zPw9Lk'4Rt"}).encode())
    assert [secret.text for secret in finder.find(f"I see {copy} here".encode())] == [copy.encode()]


ODD_PASSWORD = 'Kx7"mQ2\\zP'


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"password": ODD_PASSWORD}),
        json.dumps({"text": f"DB_PASSWORD={ODD_PASSWORD}\n"}),
        f"DB_PASSWORD={json.dumps(ODD_PASSWORD)}\n",
    ],
)
def test_a_password_with_a_quote_and_a_backslash_is_found_in_strings_in_strings(line):
    finder = Finder()
    assert len(finder.find(line.encode())) == 1
    copy = ODD_PASSWORD
    for _ in range(4):
        text = f"got {copy} there"
        assert [each.text.decode() for each in finder.find(text.encode())] == [copy]
        copy = json.dumps(copy)[1:-1]
    assert finder.find(b'got Kx7"mQ2 there, Kx7\\"mQ2') == []


@pytest.mark.parametrize("user", ["", "a:", "ab:", "abc:"])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
@pytest.mark.parametrize("password", [ODD_PASSWORD, "hunter2-horse"])
def test_the_base64_of_a_password_that_is_known_is_found_as_a_whole(user, encode, password):
    finder = Finder()
    finder.find(json.dumps({"password": password}).encode())
    copy = encode(f"{user}{password}\n".encode())
    assert [each.text for each in finder.find(b"got " + copy + b" there")] == [copy]
    assert finder.find(b"got " + encode(user.encode() + b"hunter3-house") + b" there") == []


@pytest.mark.parametrize(
    "text",
    [
        *("cannot log in with password=«correcthorse» today", "ok password=«SWORDFISH»\n"),
        *('var signingKey = []byte("«w7c8BafT1Nw7c8»")', 'password: string | *"«w7c8BafT1N»"'),
        *("CONTRASEÑA=«w7c8BafT1N»", "senha: «w7c8BafT1N»\n"),
        "|  SecretAccessKey|  «w7c8BafT1Nw7c8BafT1N»  |\n",
        *("influx query -t «w7c8BafT1Nw7c8» -o acme", "supabase link -p «w7c8BafT1N»"),
        "vault kv put secret/shop user=app api=«w7c8BafT1Nw7c8»",
        *('run(["htpasswd", "-nb", "bob", "«w7c8BafT1N»"])', "htpasswd -nbB bob «w7c8BafT1N»"),
        *("recovery code: «3keg-q99s» (keep it)", "Recovery codes:\n 1. «ab12e-9744a»\n"),
        "Save your backup codes:\n- «11e32-9744a»\n- «abcde-ffacd»\n- «96eba-89bd1»\nDone",
        *("use `«w7c8BafT1Nw7c8BafT1N»` as the API key", "«hunter2-x9» is the admin password."),
        *("creds are admin / «w7c8!BafT»", "creds: admin:«w7c8!BafT», thanks"),
        "$ heroku config:get API_SECRET -a acme\n«w7c8BafT1Nw7c8»\n$ ",
        "$ heroku auth:token\n ›   Warning: token will expire\n«w7c8BafT-1Nw7c8»\n",
        "$ cat /run/secrets/db_password\n«w7c8BafT1N»\n",
        "$ echo $API_TOKEN\n«w7c8BafT1Nw7c8»",
        "$ vault kv get -field=password secret/db\n«w7c8BafT1N»\n",
        *('write(3, "AUTH «w7c8BafT1N»\\r\\n", 16)', "密码：«w7c8BafT1N»，不要提交"),
        *("I tried password=«correcthorse».", "try password=«swordfish», it works"),
        "x\n2026-11-16 10:02 DEBUG user=alice, password=«correcthorse», ip=10.0.0.1",
        "got POST /login {email=a@example.com, password=«correcthorse»}",
        *("denied (password=«swordfish»)", "with password=«swordfish»: denied"),
        "A temporary password is generated for root@localhost: «Kx7mQ2zP!a»",
        *("Superuser password set to «Kx7mQ2zP»", "the token will be «w7c8BafT1Nw7c8BafT1N» then"),
        "sign in with bob@example.com / «hunter2-x9»",
        *("the password for redis is «Kx7mQ2zP!a»", "Password for postgres set to «Kx7mQ2zP»"),
        "the password for bob@example.com is «Kx7mQ2zP!a», I think",
        *("password for db.example.com: «Kx7mQ2zP!a»", "the password (prod) is «Kx7mQ2zP!a»"),
        "The API key for https://api.example.com is «w7c8BafT1Nw7c8BafT1N».",
        "The password for db.example.com is:\n\n«Kx7mQ2zP!a»\n",
        *("pw: «Kx7mQ2zP!a»", "JWT_SECRET should be «w7c8BafT1Nw7c8BafT1N»"),
        "the credentials for the db are app / «w7c8!BafT»",
        *("the password on staging is «Kx7mQ2zP!a»", "password of user alexis was «Kx7mQ2zP!a»"),
        *("staging: bob@example.com / «hunter2-x9»", "my login is bob/«w7c8!BafT»"),
        *("Das Passwort f\u00fcr die Datenbank ist «Kx7mQ2zP!a»", "A senha \u00e9 «Kx7mQ2zP!a»."),
        "la contrase\u00f1a de la base de datos es «Kx7mQ2zP!a»",
        *(
            "Has\u0142o do bazy: «Kx7mQ2zP!a»",
            "\ube44\ubc00\ubc88\ud638\ub294 «Kx7mQ2zP!a»\uc785\ub2c8\ub2e4",
        ),
        *("Cl\u00e9 API : «w7c8BafT1Nw7c8BafT1N»", "API\u5bc6\u94a5\u662f«w7c8BafT1Nw7c8BafT1N»"),
        "Incorrect API key provided: «w7c8BafT1Nw7c8BafT1N».",
        "Secret access key\n«w7c8BafT1Nw7c8BafT1Nw7c8BafT1Nw7c8BafT1N»\n",
        *("if password == '«w7c8BafT1N»':", 'token !== "«w7c8BafT1Nw7c8BafT1N»"'),
        'add_argument("--password", type=str, default="«w7c8BafT1N»")',
        "await page.getByRole('textbox', { name: 'Password' }).fill('«w7c8BafT1N»');",
        "page.getByLabel(/password/i).pressSequentially('«w7c8BafT1N»')",
        'fill_in "Password", with: "«w7c8BafT1N»"',
        "fireEvent.change(getByLabelText(/password/i), { target: { value: '«w7c8BafT1N»' } })",
        '"Name": "prod/x", "SecretString": "«w7c8BafT1Nw7c8BafT1N»"',
        '$ terraform output db_password\n"«w7c8BafT1N»"\n',
        "$ kubectl get secret db -o json | jq -r .token | base64 -d; echo\n«hunter2-x9»\n",
        "$ aws ssm get-parameter --name a --with-decryption --output text\n«w7c8BafT1N»\n",
    ],
)
def test_a_secret_is_found_in_what_programs_print_and_people_write(text):
    plain = text.replace("«", "").replace("»", "")
    assert left_of(plain) == re.sub("«.*?»", "*", text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "login user=alice password=provided mfa=none",
            "x password=changed y",
            "and password=given x",
        ),
        *("call it with password=None or password=True", "we use password=userInput here"),
        *("let password=userentry ;", "where password=password and", "f(a, password=swordfish )"),
        *('key = []byte("not a secret1")', "password: string | null", "| AccessKeyId| none |\n"),
        *("influx query -t, --token string", "vault kv put secret/shop user=app host=db-1"),
        *('run(["htpasswd", "-c", "f", "bob"])', "Usage: htpasswd [-cimB25dpsDv] passwordfile"),
        *("recovery code: see the settings page", "recovery codes: well-known words"),
        *("backup code: E1234", "recovery codes valid until: 2026-11-16"),
        "use environment variables as the API key, and TLS1.3 as the transport of the secret",
        *("the id a1b2-c3d4 is the name of the token", "creds are in config/app-2x.json"),
        *("$ heroku config:get API_URL\nw7c8BafT1Nw7c8\n", "$ cat secret.py\nw7c8BafT1Nw7c8\n"),
        *("$ cat token.txt\nroot@h1:~$", "$ op read op://a/b/c\nnot signed in1\n"),
        *('"forgotPassword": "Passwort vergessen?"', '"resetPassword": "Passwort zurücksetzen"'),
        *("密码: string", "x password=provided, and", "f(password=swordfish)"),
        "connect(host=host, user=user, password=swordfish, db=db)",
        *("password set to the old one", "sign in with bob / alice"),
        "the password is generated for each user: see docs",
        '$ terraform output db_host\n"w7c8BafT1N"\n',
        "rails secret scanning\nis-on-by-default",
        "Ask for the password for db.example.com. The host is db-2x7Q.example.com",
        *(
            "the password should be at least 12-characters",
            "credentials for x are in app/db-2x.yml",
        ),
        *("the password for redis is required", "the password in app.yml is read by app2"),
        *("bob@example.com / +49-151-1234567", "a@example.com / v1.2.3-rc1", "login: alice/repo-2"),
        *(
            "Passwort in der Datenbank: siehe Wiki-Seite 12",
            "la contrase\u00f1a de la base es obligatoria",
        ),
        *(
            "\u5bc6\u7801\u957f\u5ea6\u5fc5\u987b\u4e3a8-16\u4f4d",
            "\ube44\ubc00\ubc88\ud638\ub294 8\uc790 \uc774\uc0c1",
            "het wachtwoord is verplicht",
        ),
        *("Cl\u00e9 API : votre-cle-api-ici-1234", "API\u5bc6\u94a5\u662f process.env.API_KEY_2"),
        "Remove the API key\n3f2a90c1d2e8b6457f3a90c1d2e8b6457f3a90c1\n",
        *("if (password === 'password') {", 'if token == "IDENTIFIER_2":', 'secret != "sha256"'),
        *(
            'add_argument("--password", default=None)',
            'add_argument("--token-limit", default="4k1")',
        ),
        'fill_in "Password", with: user.password',
        'SecretString: "{{resolve:secretsmanager:prod}}"',
    ],
)
def test_what_programs_print_and_people_write_of_other_things_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("mongodump -u bk -p«mD!ump88» --archive", "impdp system/«1mp!Dp88» directory=d"),
        *("sqlldr userid=scott/«t1g!er8» control=x", "crane auth login ghcr.io -u b -p «cr4ne!Lg»"),
        *('pscp.exe -pw "«psc!P88x»" a.txt root@h:/', "signtool sign /f a.pfx /p «s1gn!T0l» a.exe"),
        *("(echo «smb!Pa55»; echo «smb!Pa55») | smbpasswd -s", "bw unlock '«b1tw!Ard»'"),
        *(
            "echo -n '«luk5!Pas»' | cryptsetup luksOpen /dev/sdb1 x -",
            "drush user:password bob «dru!Sh12»",
        ),
        "echo '«0c!Conn8»' | openconnect --passwd-on-stdin -u bob vpn.example.com",
        *("mosquitto_passwd -b /etc/passwd ha «m0sq!Pwd»", "htpasswd -Bbn bob «w7c8BafT1N»"),
        *("nmcli dev wifi connect Office password «wifi-Pw9»", "swaks -au bot -ap «sw4k!Sap»"),
        *("wandb login «57c2cbb5e4999427e5a5b362»", "rootpw --plaintext «k1ck!Str»"),
        "security add-internet-password -a bob -s x -w '«k3y!Add7»'",
        "$ az acr credential show -n reg --query 'passwords[0].value' -o tsv\n«A7c1Ba6UGDh2»\n",
        "$ aws x list --query Credentials.SecretKey --output text\n«A7c1Ba6UGDh2»\n",
        *("default['db']['password']['bob'] = '«ch3f-kn1fe»'", 'db_password <- "«arr0w!R»"'),
        "<name>javax.jdo.option.ConnectionPassword</name>\n<value>«hive77x»</value>",
        '<p name="Argument.name">password</p>\n<p name="Argument.value">«jm3ter!x»</p>',
        *("here's my key: «B7c8p1ZvSt7piVzFf3PC» thanks", "Le mot de passe est : «fr3!Nchx»"),
        *("hasło: «p0l!Ishx»", "Wachtwoord: «w7c8BafT1N»", "// admin / «t0d!Oxy1»"),
        "log in at https://app.example.com with admin@example.com / «l0g!Inx1»",
        "rotate the password from «c0m!Old1» to «c0m!New2».",
        'client = Client("AC' + "a7" * 16 + '", "«' + "e7" * 16 + '»")',
        'co = cohere.ClientV2("«X7cxYmxGKbwTbXqEVYYFvqEsz1IfMsR8QJizbvdr»")',
    ],
)
def test_a_secret_is_found_where_an_unseen_list_had_it(text):
    plain = text.replace("«", "").replace("»", "")
    assert left_of(plain) == re.sub("«.*?»", "*", text)


@pytest.mark.parametrize(
    "text",
    [
        *("the vault login command, or snyk auth again", "run bw unlock first, then wandb login"),
        *("signtool verify /pa app1.exe", "cp -p a1!b c2!d", "sqlplus scripts/run.sql"),
        *("(echo a1!b; echo c2!d) | smbpasswd -s", "diff <(echo a1!bcdef) <(echo key)"),
        "usage: mysql [-u USER] [-pPASSWORD] [-h HOST] [database]",
        "$ aws x list --query Names --output text\nA7c1Ba6UGDh2\n",
        "<name>dfs.replication</name>\n<value>hive77x</value>",
        *("a key: B7c8p1ZvSt7piVzFf3PC", "roles: admin / editor2", "haslo 123"),
        *("the token from auth2 to api2", 'new Client("com.example.application.of.mine.Number1")'),
        "STRIPE_KEY=pk_test_51" + "aB3" * 20,
        "password: AgB" + "x7Q" * 60,
    ],
)
def test_what_is_like_that_list_stays(text):
    assert left_of(text) == text


AWS_ID = "AKIA" + "Q7ZK2VW6" * 2
AWS_SECRET = "wJalr7UtnFEMI/K7MDENG+bPxRfiCYzq0KLmN8Ta"


@pytest.mark.parametrize(
    "between",
    [
        *('", "', "', '", ":", " / ", "/", ",", "\n", "\r\n", "\t", " | ", "` / `", " => ", "\\n"),
        "\t2026-01-02T03:04:05+00:00\t",
    ],
)
def test_the_secret_of_aws_is_found_after_its_id(between):
    assert left_of(f"see {AWS_ID}{between}{AWS_SECRET}\tActive") == f"see *{between}*\tActive"


@pytest.mark.parametrize(
    "text",
    [
        f" in {AWS_SECRET}",
        *(
            f", {'a7c3' * 10}",
            f", {AWS_SECRET}x",
            f", {AWS_SECRET[:-1]}",
            f"{' ' * 30}{AWS_SECRET}",
        ),
        ", /home/Alice/projects/website/src/index1",
    ],
)
def test_what_is_no_secret_after_an_id_of_aws_stays(text):
    assert left_of(AWS_ID + text) == "*" + text


@pytest.mark.parametrize(
    "text",
    [
        *(
            'hmac.new(b"«K»", body, sha256)',
            "hmac.new('«K»'.encode(), body)",
            "hmac.new(key=b'«K»'",
        ),
        *("hash_hmac('sha256', $d, '«K»')", 'hash_hmac("sha256", json_encode($d), "«K»", true)'),
        *("hash_hmac('sha1', $_POST['x'], '«K»')", "hash_hmac('sha256', 'a text', '«K»')"),
        *('Fernet("«K»=")', "f = Fernet(b'«K»=')", 'token.SignedString([]byte("«K»"))'),
        *('Algorithm.HMAC256("«K»")', "createHmac('sha256', '«K»')", "jwt.sign(user, '«K»')"),
        *('jwt.decode(t, "«K»", algorithms=["HS256"])', "JWT::encode($payload, '«K»', 'HS256')"),
        *('hmac.New(sha256.New, []byte("«K»"))', "JWT.decode(token, '«K»', true)"),
        *("OpenSSL::HMAC.hexdigest('SHA256', '«K»', data)", 'URLSafeTimedSerializer("«K»")'),
        *('Keys.hmacShaKeyFor("«K»".getBytes())', 'SecretKeySpec("«K»".getBytes(), "AES")'),
    ],
)
def test_a_key_that_signs_is_found_where_it_is_an_argument(text):
    key = "q7Zk2Vw9Xn4Rb8Tm3Yc6Hd1Gf5Js0LpA"
    text = text.replace("»=", "=»").replace("K»", key + "»").replace("K=»", key + "=»")
    test_a_value_ends_where_it_ends(text)


@pytest.mark.parametrize(
    "text",
    [
        *('hmac.new(key, b"q7Zk2Vw9", "sha256")', "hmac.new(b'key', b'message-1', sha256)"),
        *("hash_hmac('sha256', 'q7Zk2Vw9', $key)", "hash_hmac('sha256', $d, $keys['app-1'])"),
        *('Fernet(os.environ["FERNET_KEY_1"])', "Fernet(b'your-key-1')", "Fernet.generate_key()"),
        *('token.SignedString([]byte(os.Getenv("JWT_KEY_1")))', 'Algorithm.HMAC256("secret")'),
        *("JWT.decode(token, nil, 'HS256')", "OpenSSL::HMAC.hexdigest('SHA256', key, 'q7Zk2Vw9')"),
        *('hmac.New(sha256.New, []byte("secret"))', 'SecretKeySpec(bytes, "HmacSHA256")'),
    ],
)
def test_a_call_that_signs_with_a_variable_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("redis.auth('«w7c8BafT1N»')", 'await redisClient.auth("«w7c8BafT1N»");'),
        *('db.auth("bob", "«w7c8BafT1N»")', "get('/').auth('bob', '«hunter22»')"),
        *("neo4j.auth.basic('neo4j', '«w7c8BafT1N»')", 'AuthTokens.basic(user, "«w7c8BafT1N»")'),
        *('.basic_auth("bob", Some("«w7c8BafT1N»"))', '.bearer_auth("«w7c8BafT1Nw7c8BafT1N»")'),
        *(
            'smtp.PlainAuth("", "me@example.com", "«w7c8BafT1N»", host)',
            "withToken('«w7c8BafT1N»')",
        ),
        *("new Sequelize('db','user','«w7c8BafT1N»', {", "Sequelize(db, user, '«w7c8-BafTN»')"),
        *('client.username_pw_set("bob", "«w7c8BafT1N»")', 'rdb.auth("bob", \n  "«w7c8BafT1N»")'),
    ],
)
def test_what_a_client_logs_in_with_is_found(text):
    test_a_value_ends_where_it_ends(text)


@pytest.mark.parametrize(
    "text",
    [
        *("redis.auth(password)", "redis.auth('password')", "client.auth('google')"),
        *("app.auth('session', 'oauth2')", "db.auth(user, password)", "x.auth('a', {b: 'c7d8e9'})"),
        *('.basic_auth("bob", None::<&str>)', '.basic_auth("bob", Some("password"))'),
        *('smtp.PlainAuth("", user, os.Getenv("SMTP_P1"), host)', "withToken('your-token-1')"),
        *("new Sequelize('db', 'user', process.env.PW1)", "new Sequelize('sqlite::memory:1')"),
        *("new Sequelize('db', 'user', null, { dialect: 'mysql2' })", ".bearer_auth(token)"),
    ],
)
def test_a_client_that_logs_in_with_a_variable_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "hardcoded password (`«xK9mP2qLw7»`) in config.py",
            "the password («xK9mP2qLw7») is weak",
        ),
        *("JWT_SECRET (`«q7Zk2Vw9Xn4Rb8Tm3Yc6»`)", "- `DB_PASSWORD` (`«xK9mP2qLw7»`)"),
        *(
            "DB_PASSWORD → «xK9mP2qLw7»",
            "**DB_PASSWORD** → `«xK9mP2qLw7»`.",
            "password → «hunter22»",
        ),
        *("an API key (`«q7Zk2Vw9Xn4Rb8Tm3Yc6»`) in `.env`", 'The token ("«q7Zk2Vw9Xn4Rb8Tm»")'),
    ],
)
def test_a_value_is_found_in_a_remark_about_it(text):
    test_a_value_ends_where_it_ends(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "hardcoded password (CWE-798)",
            "hardcoded password (S2068, B105)",
            "password (`auth2.py`)",
        ),
        *(
            "the password (src/userAuth2.ts:42) is read",
            "drop the token (3f2a1bc)",
            "secret (k8s-v2)",
        ),
        *("a password (SHA256)", "the token (OAuth2/JWT)", "the password (bcrypt-hashed2)"),
        *(
            "password → step2",
            "token → session_id_2",
            "Password → `sha256`",
            "`password` → `userPw`",
        ),
        *("API_KEY → `config.apiKey1`", "the secret (`DB_PASSWORD_2`)", "password (8-64)"),
        *("password (`min:8|max:64`)", "the API key (`x-api-key-v2`)", "password (`${DB_PW1}`)"),
        *(
            "Rename password → passwordHash2",
            "password (`p4ssw0rd`-like)",
            "token (`utf8_bytes_2`)",
        ),
    ],
)
def test_a_remark_about_something_else_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "db.password\n  Too short [type=string_too_short, input_value='«hunter2»', input_type=str]",
        ">   assert get_password() == x\nE   AssertionError: assert '«S3cr3t!»' == x",
        "E    +  where '«S3cr3t!»' = User(name='x').password",
        'const secret = new TextEncoder().encode("«my-jwt-signing-k3y»")',
        *("jwt.sign(new TextEncoder().encode('«w7c8BafT1N»'))", 'password("{noop}«hunter22»")'),
        'u.password(passwordEncoder().encode("«hunter2»"))',
        'resource "random_password" "db" {\n    length = 16\n    result = "«w7c8BafT1N»"\n}',
        "<tr>\n  <th>password</th>\n  <td>«hunter2»</td>\n</tr>",
        '<tr><th scope="row"><b>DB password</b></th><td><code>«w7c8T1N» </code></td></tr>',
        "<tr><th>User</th><th>Password</th></tr>\n<tr><td>bob</td><td>«hunter2»</td></tr>",
    ],
)
def test_a_value_is_found_in_reports_pages_and_calls(text):
    test_a_value_ends_where_it_ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "title\n  Too short [type=string_too_short, input_value='hunter2', input_type=str]",
        ">   assert get_title() == x\nE   AssertionError: assert 'S3cr3t!' == x",
        "new TextEncoder().encode('w7c8BafT1N')",
        *("password: !vault |", "password: !secret wifi_password"),
        *("my $pass = $self->foo;", "pass     => $self->bar,", "$getsecret->($self, 1);"),
        *(
            "'pass', 'raise', 'return',",
            "'password',\n'password_lock_time',\n",
            "('pass', 'print')",
        ),
        *("r'shopt|source|pwd|time'\nr'a|b|c|times'", "`2001:db8:*:*:*:*:*:*`)", "'*:*:*:*:*:*'"),
        "<tr><td>Password</td><td>Passwort</td></tr>",
        "<tr><td>password</td><td>string</td><td>The password 1</td></tr>",
        "<tr><th>Key</th><th>Action</th></tr><tr><td>Ctrl+K1</td><td>x</td></tr>",
    ],
)
def test_what_is_like_it_in_reports_pages_and_lists_stays(text):
    assert left_of(text) == text


def test_the_lines_that_tell_two_values_apart_are_masked_too():
    report = (
        ">   assert user.password == expected\nE   AssertionError: assert '{0}' == '{1}'\n"
        "E     \nE     - {1}\nE     ? ^\nE     + {0}\n"
    )
    assert left_of(report.format("S3cr3t!", "correcthorse")) == report.format("*", "*")


def test_the_tokens_of_composer_are_found():
    auth = {"github-oauth": {"github.com": "hunter2"}, "gitlab-token": {"gitlab.com": "hunter3"}}
    found = Finder().find(json.dumps({"rawInput": auth}).encode())
    assert [secret.text for secret in found] == [b"hunter2", b"hunter3"]


@pytest.mark.parametrize(
    "text",
    [
        "pub async fn login(&self, user: &str, password: &str) -> anyhow::Result<User> {",
        "fn set(password: &mut String, passwd: &OsStr, secret: &SecretString) -> bool",
        "    password: &str,\n    salt: &[u8],\n) -> Vec<u8> {\n",
        "let f = |password: &str| password.len();",
        "fn f(password: *const u8, secret: &camino::Utf8Path) {",
        "let login = Login { password: &self.password, token: &cfg.token };",
    ],
)
def test_a_type_of_rust_and_what_is_borrowed_stay(text):
    assert left_of(text) == text


@pytest.mark.parametrize("password", ["&hunter2", "&xKqWzPvB", "&Summer2024", "&Kw!xx"])
def test_a_password_may_begin_as_what_is_borrowed(password):
    assert left_of(f"password: {password}\n") == "password: *\n"


@pytest.mark.parametrize(
    "text",
    [
        *("--- PASS: TestHTTP2Server (0.01s)", "    --- PASS: TestAdd/case_2 (0.00s)"),
        *("PASS src/components/H1.test.tsx", "PASS: test-2.sh", "PASS: gcc.dg/pr12345.c"),
        *("PASS tests/Unit/Sha256Test.php", "PASS: sha256_works2 (12 ms)"),
        *("PASS: http2-server\nPASS: utf8mb4\nFAIL: x2", "[PASS] Http2ServerTest"),
        *("fastcgi_pass unix:/run/php/php8.2-fpm.sock;", "memcached_pass cache1:11211;"),
        *("let tokens = vec![Token::Num(1), Token::Plus];", "let secret = [0u8; 32];"),
        *("tokens = [Token.NUM(1), Token.PLUS]", "var secret = [32]byte{1, 2, 3}"),
    ],
)
def test_the_result_of_a_test_and_what_is_passed_on_are_no_passwords(text):
    assert left_of(text) == text


def test_a_pass_below_a_user_is_one():
    assert left_of("USER: bob\nPASS: hunter42") == "USER: bob\nPASS: *"


@pytest.mark.parametrize(
    "text",
    [
        "chpasswd:\n  list: |\n    root:«»\n    ubuntu:«»\n  expire: false\n",
        "chpasswd:\n  expire: false\n  list:\n    - root:«»\n    - ubuntu:«»\n",
        "sudo chpasswd <<EOF\nroot:«»\nubuntu:«»\nEOF\n",
    ],
)
def test_each_user_of_chpasswd_has_a_password(text):
    assert left_of(text.replace("«»", "kX9mQ2vL7tRw")) == text.replace("«»", "*")
