"""Passwords that a program gives as a literal to a call that hashes them, or compares a hash."""

import pytest

from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize("password", ["hunter3439", "Sommer2024", "letmein!", "letmein"])
@pytest.mark.parametrize(
    "text",
    [
        "await bcrypt.hash('§', 10)",
        'bcrypt.hashSync("§", bcrypt.genSaltSync(8))',
        "await bcrypt.compare('§', user.password)",
        'await argon2.hash("§")',
        'await argon2.verify(hash, "§")',
        'pwd_context.hash("§")',
        "bcrypt.hashpw(b'§', bcrypt.gensalt())",
        'bcrypt.hashpw("§".encode("utf-8"), salt)',
        "u.password_hash = generate_password_hash('§', method='scrypt')",
        "check_password_hash(user.password_hash, '§')",
        'make_password("§")',
        "password_hash('§', PASSWORD_BCRYPT)",
        "password_verify('§', $hash)",
        "'password' => Hash::make('§'),",
        "BCrypt::Password.create('§')",
        'bcrypt.GenerateFromPassword([]byte("§"), bcrypt.DefaultCost)',
        'bcrypt.CompareHashAndPassword(hash, []byte("§"))',
        'passwordEncoder.encode("§")',
        'passwordEncoder.matches("§", hash)',
        'user.setPassword(encoder.encode("§"));',
        'BCrypt.hashpw("§", BCrypt.gensalt())',
        'BCrypt.Net.BCrypt.Verify("§", hash)',
        "$this->passwordHasher->hashPassword($user, '§')",
        'await userManager.CreateAsync(user, "§");',
        "crypto.scryptSync('§', salt, 64)",
        "hashlib.pbkdf2_hmac('sha256', b'§', salt, 100000)",
        'signInWithEmailAndPassword(auth, "bob@example.com", "§")',
    ],
)
def test_a_literal_that_is_hashed_or_compared_is_found(text, password):
    assert left_of(text.replace("§", password)) == text.replace("§", "*")


@pytest.mark.parametrize(
    "text",
    [
        "bcrypt.hash(password, 10), bcrypt.hash(req.body.password, 10)",
        "bcrypt.compare(req.body['password'], user['hash1'])",
        "generate_password_hash(form.password.data, method='pbkdf2:sha256')",
        "make_password(None), make_password(data['password1'])",
        "password_hash($password, PASSWORD_BCRYPT), Hash::make($input['password1'])",
        "bcrypt.GenerateFromPassword([]byte(password), 14)",
        "bcrypt.hash('password', 10), check_password_hash(h, 'wrong')",
        'tokenizer.encode("hunter3439"), encoder.encode("hunter3439")',
        'hashlib.sha256(b"hunter3439"), hash("hunter3439"), user.create("hunter3439")',
        "bcrypt.hash(`${user}${password}1`, 10)",
    ],
)
def test_a_call_that_hashes_something_else_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize("password", ["hunter3439", "Sommer2024!", "k7Jm2x9Qp4Lw8Zt3"])
@pytest.mark.parametrize(
    "text",
    [
        'const PASSWORD: &[u8] = b"§";',
        'static DB_PASSWORD: &\'static [u8] = b"§";',
        'new SymmetricSecurityKey(Encoding.UTF8.GetBytes("§"))',
        'byte[] password = Encoding.UTF8.GetBytes("§");',
        'Keys.hmacShaKeyFor("§".getBytes(StandardCharsets.UTF_8))',
        'new PasswordAuthentication("bob", "§")',
        'new UsernamePasswordCredentials("bob", "§".toCharArray())',
        'new NetworkCredential("bob", "§", "CORP")',
        'ldap_bind($c, "cn=admin,dc=example,dc=com", "§");',
        'conn.simple_bind_s("cn=admin,dc=example,dc=com", "§")',
        "Connection(server, 'cn=admin,dc=example,dc=com', '§', auto_bind=True)",
        "client.bind('cn=root', '§', cb)",
        'env.put(Context.SECURITY_CREDENTIALS, "§");',
        'sessions.NewCookieStore([]byte("§"))',
        "app.use(cookieParser('§'))",
        "app.use(cookieSession({ name: 's', keys: ['§', '§'] }))",
        "password: \"{{ '§' | password_hash('sha512') }}\"",
        'password: {{ "§" | b64enc }}',
        '<add value="§" key="SmtpPassword" />',
        'ssh.connect("10.0.0.3", 22, "deploy", "§")',
        "pymssql.connect('server', 'sa', '§', 'shop')",
        "kwargs = {'auth': ('bob', '§'), 'timeout': 5}",
        "    DefaultPassword    REG_SZ    §",
        "Set-ItemProperty -Path $p -Name Password -Value §",
        'BCryptPasswordEncoder encoder;\nencoder.encode("§")',
    ],
)
def test_a_literal_is_found_by_its_place_among_the_arguments(text, password):
    assert left_of(text.replace("§", password)) == text.replace("§", "*")


@pytest.mark.parametrize(
    "text",
    [
        'var key = Encoding.ASCII.GetBytes("§");',
        '<meta-data android:name="com.example.API_KEY"\n    android:value="§" />',
        '<meta-data android:value="§" android:name="API_KEY" />',
        'resValue "string", "maps_key", "§"',
        "X-Key: §",
        "secrets:\n  stripe: §\n  mail: §\n",
        '[secrets]\nstripe = "§"\n',
    ],
)
def test_a_random_value_is_found_where_a_word_would_stay(text):
    assert left_of(text.replace("§", "k7Jm2x9Qp4Lw8Zt3Rv6N")) == text.replace("§", "*")


@pytest.mark.parametrize(
    "text",
    [
        "new PasswordAuthentication(user, password), new NetworkCredential(name, pass1)",
        'new PasswordAuthentication("user", "password")',
        'server.bind("0.0.0.0", "tcp4"), this.f.bind(this, "item1")',
        'client.connect("mqtt.example.com", 1883, 60), db.connect("sqlite", "f1.db", "utf8")',
        'cacheKey := []byte("user:1234"), redis.NewStore(10, "tcp", "h:6379", "", []byte(key))',
        "password: \"{{ lookup('env', 'DB_PASSWORD1') }}\"",
        "password: \"{{ 'vault_db1' | community.hashi_vault.lookup }}\"",
        "password: \"{{ 'db_password' | b64encode }}\"",
        '"auth": ["basic", "oauth2"]',
        '<option value="title-1" name="kind-of-page">x</option>',
        "secrets:\n  db:\n    file: ./db-1.txt\n  api:\n    external: true\n",
        "secrets:\n  vault: 7c9e6679-7425-40de-944b-e07fc1f90ae7\n  name: prod-database-2024\n",
    ],
)
def test_what_has_another_place_stays(text):
    assert left_of(text) == text
