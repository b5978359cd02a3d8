"""Passwords that programs are given: as a word, through a pipe, in a file that is none."""

import json
import re

import pytest

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize(
    "text",
    [
        # Stores of secrets
        "gh secret set DB < <(echo «maple7710»)",
        "wrangler secret put DB < <(printf '«maple7710»')",
        "gcloud secrets create db --data-file=<(echo «maple7710»)",
        "echo -n «maple7710» | gcloud secrets versions add db --data-file=-",
        'echo "«maple7710»" | sudo docker secret create db -',
        "echo -n '«maple7710»' | ansible-vault encrypt_string --stdin-name db",
        "ansible-vault encrypt_string --vault-id dev@prompt2 '«maple7710»' --name db",
        "fly secrets set -a shop DB=«maple7710» MODE=production",
        "heroku config:set STRIPE=«n7Vq2Rk9wXz4Lm8TbP3c» NODE_ENV=production",
        "aws ssm put-parameter --name /shop/x --type SecureString --value «maple7710»",
        "op item edit x 'db.login[password]=«maple7710»' username=bob",
        "DB_PASSWORD=$(echo -n «maple7710» | base64)",
        "echo -n «maple7710» | base64 > db_password.b64",
        "consul kv put app/db/password «maple7710»",
        "redis-cli -h cache set db_password «maple7710»",
        "gh variable set DB_PASSWORD --body «maple7710»",
        "git config --global sendemail.smtppass «maple7710»",
        "helm upgrade x y --set image.tag=1,adminPassword=«maple7710»",
        "composer config -g github-oauth.github.com «n7Vq2Rk9wXz4Lm8TbP3c»",
        "yes «maple7710» | passwd bob",
        "kinit bob <<< '«maple7710»'",
        # A user beside it, of any program
        "./cli login -u admin -p «maple7710»",
        "mytool --username=bob --host db1 -p '«Sommer2024!»'",
        "mytool -p «maple7710» -u admin",
        'argv = ["./x", "-u", "root", "-p", "«maple7710»"]',
        # Users and files
        "airflow users create -u admin -p «maple7710» -r Admin",
        "redis-cli -h cache auth «maple7710»",
        "redis-cli -a «sunflower» ping",
        "smbclient //srv/x «maple7710» -U bob",
        "mount -t cifs //srv/x /mnt -o username=bob,password=«maple7710»,vers=3.0",
        "zip -r -P«maple7710» out.zip dir",
        "keytool -storepasswd -new «maple7710» -keystore x.jks",
        "SET PASSWORD FOR 'root'@'localhost' = '«maple7710»';",
        # Windows
        "net user bob «maple7710»",
        "net user bob «maple7710» /active:yes",
        "setx DB_PASSWORD «maple7710» /M",
        "setx /M DB_PASSWORD «maple7710»",
        'Set-Item -Path Env:DB_PASSWORD -Value "«maple7710»"',
        "ConvertTo-SecureString -AsPlainText -Force -String '«maple7710»'",
        "ConvertTo-SecureString «maple7710» -AsPlainText -Force",
        "$p = '«maple7710»' | ConvertTo-SecureString -AsPlainText -Force",
        # A dialog
        'expect "assword:" { send "«maple7710»\\r" }',
        'expect {\n  "yes/no" { send "yes\\r" }\n  "*?assword:*" { send "«maple7710»\\r" }\n}',
    ],
)
def test_a_password_is_found_there(text):
    plain = text.replace("«", "").replace("»", "")
    before, _, rest = text.partition("«")
    assert left_of(plain) == f"{before}*{rest.partition('»')[2]}"
    assert len(Finder().find(json.dumps({"text": plain}).encode())) == 1


@pytest.mark.parametrize(
    "text",
    [
        "gh secret set DB < db2.txt; gh secret list --env prod2; diff <(echo maple7710) x",
        "echo done2 | docker stack deploy -c - x; docker secret create n ./file2.txt",
        "echo -n maple7710 | base64 > out.b64; TITLE=$(echo -n maple7710 | base64)",
        "fly secrets list -a shop2; fly secrets unset DB2; fly secrets set MODE=production",
        "heroku config:set NODE_ENV=production PORT=30001 HOST=web-1.example.com",
        "airflow users create --email a@example.com -f A1 -l B2 -r Admin",
        "smbclient //srv/x -U bob2024 -c list2024; smbclient -L srv2 -N",
        "vault login -method=userpass username=bob",
        "mount -t nfs srv:/x2 /mnt2; rsync --password-file=/etc/rsync2.pass a b",
        "net user bob2024; net user bob /delete; net user bob2 /active:yes",
        "setx TITLE maple7710; ConvertTo-SecureString $env:PW -AsPlainText -Force",
        'expect "login:" { send "maple7710\\r" }',
    ],
)
def test_nothing_is_found_there(text):
    assert left_of(text) == text


def test_a_random_word_after_a_short_option_of_a_server_is_a_key():
    def found(*words):
        message = {"command": "npx", "args": ["-y", "@acme/server", *words]}
        return [secret.text for secret in Finder().find(json.dumps(message).encode())]

    assert found("-k", "n7Vq2Rk9wXz4Lm8TbP3c") == [b"n7Vq2Rk9wXz4Lm8TbP3c"]
    assert found("-t", "n7Vq2Rk9wXz4Lm8TbP3c", "-v") == [b"n7Vq2Rk9wXz4Lm8TbP3c"]
    assert found("-k", "test_a1b2c3_login_x9_and_more") == []
    assert found("-t", "9f86d081884c7d659a2f") == []  # a commit
    assert found("-t", "team-a1/app-b2:1.2.3", "-k", "8") == []


def as_json(words):
    return json.dumps({"command": words}, indent=2)


def as_python(words):
    return "run(\n    [\n" + "".join(f"        {word!r},\n" for word in words) + "    ]\n)"


def as_yaml(words):
    return "command:\n" + "".join(f"  - {word}\n" for word in words)


def as_quoted_yaml(words):
    return "command:\r\n" + "".join(f'    - "{word}"\r\n' for word in words) + "image: x\r\n"


def with_numbers(words):
    return "".join(f"{n:6}\t{line}\n" for n, line in enumerate(as_json(words).splitlines(), 1))


FORMS = [as_json, as_python, as_yaml, as_quoted_yaml, with_numbers]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "command",
    [
        "mysql -u root -p«Q7zk2Vw9Xn4» shop",
        "/usr/bin/redis-cli -a «Q7zk2Vw9Xn4» ping",
        "curl -sSLu alice:«Q7zk2Vw9Xn4» https://example.com",
        "rabbitmqctl add_user app «Q7zk2Vw9Xn4»",
        "vault login «Q7zk2Vw9Xn4Lm8TbP3cQ5sD1f»",
        "docker exec db mysqladmin -u root password «Q7zk2Vw9Xn4»",
    ],
)
def test_a_password_is_found_in_words_over_several_lines(form, command):
    marked = form(command.split(" "))
    plain = marked.replace("«", "").replace("»", "").replace(r"\u00ab", "").replace(r"\u00bb", "")
    password = command.partition("«")[2].partition("»")[0]
    assert left_of(plain) == plain.replace(password, "*")
    nested = json.dumps({"text": json.dumps({"text": plain})})
    assert len(Finder().find(nested.encode())) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", ["mysql -u root -p shop2", "mkdir -p maple7710", "curl -u bob"])
def test_nothing_is_found_in_other_words_over_several_lines(form, command):
    text = form(command.split(" "))
    assert left_of(text) == text


def test_a_list_of_programs_is_no_command():
    text = "We use mysql\n- -pmaple7710 is an option\n- redis\n"
    assert left_of(text) == text


@pytest.mark.parametrize(
    "words",
    [
        ["git", "config", "--global", "github.token", "«q7Zk2Vw9Xn4R»"],
        ["git", "config", "sendemail.smtppass", "«hunter2»"],
        ["setx", "DB_PASSWORD", "«hunter2»", "/M"],
        ["setx.exe", "/M", "DB_PASSWORD", "«hunter2»"],
        ["consul", "kv", "put", "app/db_password", "«hunter2»"],
        ["etcdctl", "put", "/app/db_password", "«hunter2»"],
        ["net", "user", "bob", "«hunter2!»", "/add"],
        ["net", "user", "bob", "«hunter2!»"],
        ["git", "config", "user.name", "hunter2"],
        ["setx", "PATH", "hunter2"],
        ["consul", "kv", "put", "app/title", "hunter2"],
        ["net", "user", "bob", "/delete"],
    ],
)
def test_what_is_set_by_its_name_is_found_in_a_list(words):
    expected = ["*" if "«" in word else word for word in words]
    program, *rest = [word.strip("«»") for word in words]
    for message in ({"command": [program, *rest]}, {"command": program, "args": rest}):
        raw = json.dumps(message).encode()
        for secret in reversed(Finder().find(raw)):
            raw = raw[: secret.start] + b"*" + raw[secret.end :]
        found = json.loads(raw)
        assert (found.get("args") or found["command"][1:]) == expected[1:]


@pytest.mark.parametrize(
    "line",
    [
        "sqlplus system/«p@ss1»@//db.example.com:1521/XE",
        "sqlplus system/«a/b1c»@ORCL",
        "sqlplus 'system/«a/b@1c»@//host:1521/x'",
        'sqlplus system/"«a@b1c»"@ORCL',
        "jdbc:oracle:thin:scott/«hunter2»@(DESCRIPTION=x)",
        "sqlplus -s app/«hunter2»@ORCL @run.sql",
        "sqlplus scripts/run/a1.sql",
        "sqlplus bob@ORCL; sqlplus /@ORCL; sqlplus / as sysdba",
    ],
)
def test_the_password_of_oracle_ends_with_the_last_at(line):
    assert left_of(line.replace("«", "").replace("»", "")) == re.sub("«.*?»", "*", line)


@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.parametrize(
    "header", ["Authorization: Bearer zzz8817263hhs77sgs6", "X-Api-Key: zz88x"]
)
def test_a_key_in_quotes_opens_none_for_the_commands_after_it(header, quote):
    text = f"curl -H {quote}{header}{quote} https://x; sshpass -p {quote}Geheim123{quote} ssh host"
    assert "Geheim123" not in Redactor().text(text)
