"""A weak value, or one that is a phrase, is masked where its place is certainly that of a password."""

import pytest

from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize(
    "text",
    [
        *('#define WIFI_PASSWORD "«48215573920164758391»"', '#define MQTT_PASS "«mosquitto»"'),
        *('std::string m_dbPwd{"«cpp_lager»"};', '(setq smtpmail-password "«parens»")'),
        *('(defparameter *db-password* "«parens»")', 's:8:"password";s:9:"«serie-123»";}'),
        'local redis_auth = "«lua-r3d1s»"',
        *('DB_PASSWORD="«Winter is 2 cold»"', "BORG_PASSPHRASE='«borg pass phrase»' borg create x"),
        *("TEST_PASSWORD=«Anna1234$»", '{"oldPassword": "«Anna1234$»"}', "ROOTPW=«kartoffel7»"),
        "REGISTRY_PSW = '«r3gistry»'",
        'play.http.secret.key = "«Q7cp^IicYE5rbXRq@JA~zMI!-553.Csg»"',
        'connect(host="10.0.4.7", user="etl", password="«Zug spitze»")',
        'connect(user="etl", password="«haus am see»", host="10.0.4.7")',
        'ssh-keygen -t ed25519 -N "«lange Leitung»" -C x',
        "gpg --batch --passphrase '«Eulen nach Athen»' -d s.gpg",
        "curl --user 'kim:«a b\"c»' https://example.com",
        "curl -d user=kim -d password=«keycloak-kim» https://example.com",
        "curl --data-urlencode 'password=«open sesame»' https://example.com",
        "curl -F user=kim -F 'password=«a&b»' https://example.com",
        *("пароль от базы: «Зима2023», логин bob", "mdp : «soleil34»"),
        "/ppp secret add name=kim password=«tunnel-k» service=l2tp",
        "%dev.quarkus.datasource.password=«sonnenblume»",
        "spring.datasource.password = «sonnenblume»",
        "[client]\nuser = root\npassword = «sonnenblume»\nhost = db\n",
        "[odbc]\n; of the warehouse\nUserName = etl\nPwd      = «etl,etl»",
        "  DBPassword:\n    Type: String\n    NoEcho: true\n    Default: «wordpress-db-1»\n",
        *('WTF_CSRF_SECRET_KEY = "«kartoffel»"', 'app.secret_key = "«kartoffel»"'),
        *('app.config["JWT_SECRET_KEY"] = "«super-secret»"', "JWT_SECRET=«super-secret-jwt»"),
        *("MYSQL_ROOT_PASSWORD: «root»", '"password": "«admin»"', "DB_PASSWORD=«secret»"),
        *("'passwordsalt' => '«v7c6P4NV1WK3zpCdLX»',", "APP_KEY=«base64:37cY70KNkJb96vj+K=»"),
        *("spring.mail.password : «postman pat»", '{"pin": "«4711»", "enabled": true}'),
        "- {name: SMTP_PASSWORD, value: «brief-taube»}",
        '{"username":"svc","password":"«auf dem Berg»"}',
        "DBI->connect(\"dbi:mysql:shop;host=db\", 'shop', '«perl3nk»', { RaiseError => 1 });",
        "slick.db { user = app, password = «skala7», numThreads = 4 }",
        'ALTER USER hr IDENTIFIED BY x REPLACE "«Old#One»";',
        "UPDATE settings SET value='«hut-ab»' WHERE name='smtp_password';",
        "unrar x -hp«r4rt» data.rar",
        'connectionString="Data Source=db;User ID=shop;Password=«h&amp;cht»" x="y"',
        "username=dev&password=«%C3%A4ng%21»&remember=1",
        'form-data; name="password"\r\n\r\n«sp4tz & meise»\r\n------x--',
        'accounts: ["0x«67c4e9125363b3419a0d9c3d45cff15694fb89ca826691de2bd13f32bbd5e452»"]',
    ],
)
def test_it_is_masked_there(text):
    before, _, rest = text.replace("«", "\0").partition("\0")
    value, _, rest = rest.partition("»")
    assert left_of(before + value + rest) == f"{before}*{rest}"


@pytest.mark.parametrize(
    "text",
    [
        *("Password mismatch!", "### Password reset?", '{"label": "Password mismatch!"}'),
        *('ERR_WRONG_PASSWORD = "ERR_WRONG_PASSWORD"', 'RESET_PASSWORD = "RESET_PASSWORD_V2"'),
        *("AUTH_WRONG_PASSWORD: 'auth/wrong-password'", "OLDPWD=/home/dev/x7"),
        'INVALID_PASSWORD="Invalid password , use 8"',
        *('#define SSL_TXT_PSK "PSK"', '#define ENV_PASSWORD "MYAPP_PASSWORD"'),
        *('#define K_PASSWORD "sta.pswd"', '#define ERR_NO_PASSWORD "missing-pw"'),
        *(
            "docker build --secret id=npmrc,src=.npmrc .",
            'curl -F "password=@pw.txt" https://x.example',
        ),
        *('#define ERR_PASSWORD "Wrong password, try again"', '#define KEY_PASSWORD "password"'),
        *(
            '(setq password-prompt "Password: ")',
            '(defun read-password (prompt) "Read a password.")',
        ),
        *('Label password{"Enter your password"}', 's:8:"password";s:6:"string";'),
        'labels(user="User", password="Password again", host="Host name")',
        *('run --password "your password here"', 'ssh-keygen -N "" -f id'),
        *("curl -d password=$PASSWORD https://x", "curl -d user=bob&mode=letmein-1 https://x"),
        *("пароль: обязательное поле", "mot de passe : obligatoire"),
        "add name=kim password=changed service=l2tp",
        *("password = user_password", "self.config.password = password\nprint(1)"),
        "items = [\n    a,\n]\npassword = other\n",
        "  DBPassword:\n    Type: String\n    Default: ''\n",
        "  password:\n    type: string\n  mode:\n    default: letmein1\n",
        "interface A {\n  refreshToken: Token;\n  secret: Uint8Array;\n}",
        'curl --header "JOB-TOKEN: $CI_JOB_TOKEN" "$CI_API_V4_URL/projects"',
        '<input type="password" :placeholder="t(\'auth.password.hint\')" class="x">',
        *('SECRET_KEY = "secret_key"', "MODE_SECRET = true"),
        'accounts: ["0x67c4e9125363b3419a0d9c3d45cff15694fb89ca"]',
        *(
            "password=%DB_PASS%",
            "set PW=%PW%",
            '"pin": "13"',
            "f(user = app, password = pass2, n = 4)",
        ),
        '{"user":"Benutzer","password":"Kennwort eingeben"}',
        '{"user":"User name","password":"Must not be empty"}',
        *("{name: SMTP_PASSWORD, value: smtpPass}", '[{ name: "password", value: password }]'),
        "UPDATE settings SET value='db-1' WHERE name='smtp_host';",
        "data class Auth(val user: String, val password: CharArray?, val token: String? = null)",
    ],
)
def test_what_is_like_it_stays(text):
    assert left_of(text) == text
