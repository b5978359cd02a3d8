"""Secrets in places that a list had which was written without a look at what is found."""

import json

import pytest

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer
from tests.secrets.test_grammars import left_of

WALLET = "legal winner thank year wave sausage worth useful legal winner thank yellow"


@pytest.mark.parametrize(
    "text",
    [
        # Servers
        *(
            '{"'
            + servers
            + '": {"x": {"url": "https://a.example.com/s/«Zx9kQw7LmP2sTv4BnH8d»/x"}}}'
            for servers in ("mcpServers", "context_servers", "servers", "mcp")
        ),
        '[mcp_servers.x]\nurl = "https://mcp.example.com/s/«Zx9kQw7LmP2sTv4BnH8d»/x"',
        "https://example.com/s/«Zx9kQw7LmP2sTv4BnH8d»/mcp/ https://example.com/s/«aX9kQw7LmP2sTv4BnH8e»/sse",
        "claude mcp add --transport sse x https://example.com/s/«Zx9kQw7LmP2sTv4BnH8d»/sse",
        "I use https://mcp.zapier.com/api/mcp/s/«Zx9kQw7LmP2sTv4BnH8d»/mcp, and it hangs.",
        # Names
        "fernet_key = «R7cT4PXQhtuxsX5J3d9x0GEb8sjcsbPJlfuXb2YbLaL=»\n",
        '<machineKey validationKey="«A7CB50DC3D52C4B1359E35766BD97ECAC428FDA16C»" validation="SHA1" />',
        "  primary_key: «I7cqRBwLyeY0zLwpuGVhYiYPBkTHX6HL»\n  deterministic_key: x",
        "  deterministic_key: «I7cqRBwLyeY0zLwpuGVhYiYPBkTHX6HL»\n",
        "  config.pepper = '«07c6a916c61f3bba9746a6ba15eedec46e561a10c5d8cbb564ff618ffce2»'",
        "export SECRET_B64=«c3VwZXItc2VjcmV0LXZhbHVl»",
        "JWT_KEY_B64: «c3VwZXItc2VjcmV0LXZhbHVl»",
        'const hmacSeed = "«07ce1e6cc7426f77ec7bce8745f8a0425494f83cebaa9ff59d14f7b2af392336»"',
        f"mnemonic: «{WALLET}»",
        f"accounts: {{ mnemonic: '«{WALLET}»' }}",
        f'seedPhrase: "«{WALLET}»"',
        f"My recovery phrase is: «{WALLET}»",
        # Strings
        "password = '''«l3dger'p»'''\n[auth]",
        'smtp_password = """«se"mi9»"""\n',
        'optionsBuilder.UseNpgsql("Host=db;Username=app;Password=«np gsql»");',
        '"Server=db;User Id=sa;Password=«my pass9»;Encrypt=True"',
        '"Server=db;User Id=sa;Pwd=«blue tree»;Encrypt=True"',
        # Settings
        "tls_key_passphrase: >-\n  «open sesame now»\nlog: info",
        "key_passphrase: |\n  «correct horse battery staple»\n",
        "BASIC_AUTH_PASSWORD = «beta-tester»\n",
        "client office {\n    ipaddr = 10.0.0.1\n    secret = «testing1234»\n}",
        '{:dbtype "postgresql" :user "app" :password "«clj!»"}',
        '{:user "app", :password "«sunflower»"}',
        "    stats auth admin:«hunter2»\n",
        '$ cat userlist.txt\n"app" "«hunter2»"\n"repl" ""',
        '"app" "«md507ce1e6cc7426f77ec7bce8745f8a042»"',
        "PGPASS=«hunter2»\n",
        '"SecretBinary": "«c3VwZXItc2VjcmV0LXZhbHVl»"',
        "GET https://example.com/v1?x=1&k=«I7cqRBwLyeY0zLwpuGVh»",
        # Calls
        'credentials = ("app", "«hunter2»")',
        "ADMIN_CREDS = ['app', '«w7c8BafT1N»']",
        'smtp.login("bot@example.com", "«botbotbot»")',
        "server.login('bot', '«flowerpot»')",
        'keyStore.load(stream, "«kotlin1»".toCharArray())',
        'new PBEKeySpec("«sesame-open»".toCharArray(), salt, 65536, 256)',
        'new PasswordAuthentication("bob", "«mailer»".toCharArray())',
        'WiFi.begin("FRITZ!Box 7590", "«84736251940582716»");',
        'WiFi.begin("Home", "«sunflowers»");',
        'redis:auth("«luar3d»")',
        "app.use(session({ secret: '«shhh-dont-tell»', resave: false }));",
        "app.use(session({\n  resave: false,\n  secret: '«catnip»',\n}))",
        'const JWT_SECRET: &str = "«ferris-the-crab»";',
        "const jwtSecret = '«ilovepizza»';",
        'var jwtSecret = []byte("«captainjacksparrow»")',
        'const wallet = new ethers.Wallet("0x«37cdc87aadff4f62e3ce2cd1fef398c34a8e9f0f790dac4e1c5df0da1d29efce»", provider);',
        "privateKeyToAccount('0x«37cdc87aadff4f62e3ce2cd1fef398c34a8e9f0f790dac4e1c5df0da1d29efce»')",
        'Account.from_key("0x«37cdc87aadff4f62e3ce2cd1fef398c34a8e9f0f790dac4e1c5df0da1d29efce»")',
        'Client("SK37cdc87aadff4f62e3ce2cd1fef398c3", "«s7cLxKgZPQhaO2R3r3yLNuFtIB6liIGh»", "AC1")'.replace(
            "SK37cdc87aadff4f62e3ce2cd1fef398c3", "«SK37cdc87aadff4f62e3ce2cd1fef398c3»"
        ),
        # Vendors
        "ASANA: «1/0557658192204710:97c3342e27cfcd4ef5e5c8cb98eac47f»",
        # Command lines
        "snyk config set api=«801a86b3-50c4-4dc7-bfcd-b86f41d72d17»",
        "codecov -t «ce6a57ef-d135-4bae-a7e7-66a639279c4f» -f coverage.xml",
        "wrangler secret put API_KEY <<< «p7cLYfEtZNPMll6ZNaQeitYcpdouXRpd»",
        "sudo -S true <<< «hunter2»",
        "bundle config gems.acme.io ci:«bund1e»",
        "bundle config set --global gems.acme.io ci:«bund1e»",
        "net use Z: \\\\nas\\share «n3tuse» /user:bob",
        "xcrun altool --upload-app -f a.ipa -u me@x.io -p «abcd-efgh-ijkl-mnop»",
        "security unlock-keychain -p «k3ychain» login.keychain",
        "security create-keychain -p «mykeys99» build.keychain",
        # Files
        'bob : EAP "«e4p pass»"',
        ': XAUTH "«x4uth»"',
        "# client\tserver\tsecret\tIP addresses\nbob\t*\t«ch4p!»\t*",
        "[smtp.gmail.com]:587 bob@gmail.com:«abcdefghijklmnop»",
        "smtp.example.com:587    bob@example.com:«sunflower»",
        'createUser monitor SHA "«snmp-auth1»" AES "«snmp-priv1»"',
        "rocommunity «publ1c-not» 10.0.0.0/8",
        '<wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">«s0ap»</wsse:Password>',
        "| user | password |\n|---|---|\n| ann | «gr4f\\|x» |\n| bob | `«j3nkins»` |",
        "| user | password | role |\n|---|---|---|\n| a\\|b | «gr4f7» | x |\n| bob | «j3nkins» | y |",
        # What people write
        "Please log in, user deploy and password «Blue-Tree-42», and restart nginx.",
        "try logging in with admin:«adm1npw» and see whether the page loads",
        "$ cat /run/secrets/db_password\n«f1led»",
        '    When I fill in "Password" with "«gh3rkin»"',
        "    And I fill in 'Password confirmation' with '«gh3rkin»'",
        "Log in at http://localhost:3000 with `admin@example.com` / `«demo-p4ss»`.",
        "Sign in with `admin` / `«demo-p4ss»`.",
        "SA_PASSWORD=«Your$tr0ngPass»",
        "use test@example.com / «rocket25624» to log in",
        "|---|---|\n| user | password |\n|---|---|\n| bob | «demo-p4ss» |",
    ],
)
def test_a_secret_is_found_there(text):
    expected = "".join(
        part.split("»")[-1] if at == 0 else "*" + part.split("»")[1]
        for at, part in enumerate(text.split("«"))
    )
    assert left_of(text.replace("«", "").replace("»", "")) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"servers": [{"url": "https://api.example.com/v1/3f2b8c1e-9d4a-4c6b-8e7f-1a2b3c4d5e6f"}]}',
        '{"servers": [{"url": "https://images.example.com/v1/Screenshot20240101.png"}]}',
        "https://mcp.example.com/organizations/sse https://github.com/acme/mcp/blob/main/a.py",
        "see https://github.com/modelcontextprotocol/servers/tree/main/src/sequentialthinking/mcp",
        "https://example.com/mcp?session=abc https://example.com/v2/streamable-http-transport/mcp",
        "seed phrase: the user should keep this very safe and never share with anybody else",
        "mnemonic: mov",
        'const (\n\tjwtKey   = "my_secret_key"\n\tlisten   = ":8080"\n\tname     = "db-7x"\n)',
        "password: Passwort\npassword_confirmation: Passwort bestätigen\npasswort: Passwort ändern",
        'session_key = "user_id"\nvalidation_key: name\nprimary_key: "user_id_2"',
        "primary_key: id\nprimaryKey: 'customer-2024-id'\npepper: 2 tbsp\nadd pepper = salt",
        'words = "hello2".toCharArray(); "listen".toCharArray()',
        "session({ secret: process.env.SESSION_SECRET })",
        'stats auth admin:$STATS_PASSWORD\n"app" "release-2"\n"app" "md5sum"',
        'credentials = (user, password), credentials = ("user", "password")',
        "https://example.com/search?k=mechanical-keyboards-2026",
        'jwtSecret: "jwt-secret-prod"\njwtSecret = "JWT secret"\nsession_secret: "my-app-session-secret"',
        'const jwtSecret = "your-jwt-secret";',
        "server.login('bot', 'password')\nlogin('alice', 'admin')",
        'I fill in "Name" with "gh3rkin"\nI fill in "Password" with "password"',
        "smtp.example.com:587 bob@example.com",
        "secret = version2\nsecret = value12\nsecret = get_secret12",
        "net use Z: \\\\nas\\share /user:bob\nnet use Z: /delete",
        "bundle config set path vendor\nbundle config mirror.https://rubygems.org https://x.io:8080",
        "PASSWORD = old-password\nMAX = a-b",
        "log in with a username and password that is set in the file, user name and password hash",
        "rocommunity public\nrocommunity public default",
        "codecov -t unit -f coverage.xml",
        "tx: 0x37cdc87aadff4f62e3ce2cd1fef398c34a8e9f0f790dac4e1c5df0da1d29efce",
        "Log in at http://localhost:3000 with `admin` / `editor`.",
        "token_passphrase: |\n  The passphrase of the key must be set\n",
        "passphrase_hint: >-\n  the name of your first dog\n",
        'placeholder="Password=your password;"',
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db/password-a1B2c3",
        '<div class="list__item list__item--secret css-1q2w3e4">',
        "| Name | Default |  |\n|--|--|--|\n| `DB_PASSWORD` | - | Password |\n| `TOKEN_TTL` | 1 | s |",
    ],
)
def test_what_is_like_it_stays(text):
    assert left_of(text) == text


def test_a_list_or_an_object_that_is_marked_as_sensitive_is_masked():
    marked = {
        "sensitive": True,
        "type": ["list", "string"],
        "value": ["hunter2", {"a": ["maple7710"]}],
    }
    other = {"sensitive": False, "type": "object", "value": {"user": "bob", "x": "hunter3"}}
    raw = json.dumps({"outputs": {"a": marked, "b": other}}).encode()
    assert [secret.text for secret in Finder().find(raw)] == [b"hunter2", b"maple7710"]
    lines = f"{json.dumps(marked)}\n{json.dumps(other)}\n"
    found = Finder().find(json.dumps({"text": lines}).encode())
    assert [secret.text for secret in found] == [b"hunter2", b"maple7710"]


@pytest.mark.parametrize("wrapper", ["proxy/successor", "_proxy/successor/request"])
def test_one_signs_in_by_way_of_a_proxy_too(wrapper):
    params = {"methodId": "key", "_meta": {"k": "hk7Jm2x9Qpw"}}
    inner = {"method": "authenticate", "params": params}
    line = json.dumps({"id": 1, "method": wrapper, "params": inner}).encode()
    assert [secret.text for secret in Finder().find(line)] == [b"hk7Jm2x9Qpw"]


@pytest.mark.parametrize("slash", [r"\/", r"\u002f"])
def test_a_library_may_escape_the_slash_of_a_method(slash):
    asks = {"id": 5, "method": "fs/read_text_file", "params": {"path": "/run/secrets/db_password"}}
    said = {"id": 5, "result": {"content": "hk7Jm2x9Qpw\n"}}
    redactor = Redactor()
    frames = [
        Frame(seq, 0.0, peer, json.dumps(message).replace("/", slash).encode() + b"\n")
        for seq, peer, message in ((1, Peer.AGENT, asks), (2, Peer.CLIENT, said))
    ]
    for frame in frames:
        redactor.learn(frame)
    assert b"hk7Jm2x9Qpw" not in redactor.record(frames[1]).raw


def test_a_file_is_known_in_a_batch_too():
    params = {"path": "/run/secrets/db_password"}
    asks = [{"id": 5, "method": "fs/read_text_file", "params": params}]
    said = [{"id": 5, "result": {"content": "hk7Jm2x9Qpw\n"}}]
    redactor = Redactor()
    frames = [
        Frame(seq, 0.0, peer, json.dumps(batch).encode() + b"\n")
        for seq, peer, batch in ((1, Peer.AGENT, asks), (2, Peer.CLIENT, said))
    ]
    for frame in frames:
        redactor.learn(frame)
    assert b"hk7Jm2x9Qpw" not in redactor.record(frames[1]).raw
