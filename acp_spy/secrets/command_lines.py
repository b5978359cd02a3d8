"""
The grammar of a command line: a program, its words, and those options that take a password.

Options with a telling name, such as `--password`, are assignments. Here are those that only their
program knows: `-p` is a password for mysql, a port for ssh, and nothing for mkdir.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from acp_spy.secrets.assigned_values import certainty_of_name
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.generated_passwords import end_of_string
from acp_spy.secrets.placeholders import is_placeholder
from acp_spy.secrets.shape import Found
from acp_spy.secrets.values import Certainty, is_value, looks_random

_MOST_WORDS = 80
_FARTHEST_PROGRAM = 16  # words
_MOST_PROGRAMS = 2  # in one line, of which one may start the other
_LEAST_OF_KEYWORD = 6  # letters: `set` is in many lines, and then all of each is searched
_LONGEST = 4000
_WORD = expression(
    rb"[ \t]*(?:\\\r?\n[ \t]*)?((?:\\{0,3}\"(?:[^\"\\\n]|\\(?!\")[^\n])*\\{0,3}\"|'[^'\n]*'"
    rb"|[^\s\"'|;&<>`)\\]|\\(?![nrt\"])[^\n]|&(?=[^&\s]))+)"
)
# The next of a list of words, as programs have it: `"mysql", "-p..."`, also over several lines.
_COMMA = rb"\\{0,3}[\"'],[ \t\r\n]{0,80}\\{0,3}[\"']"
_ITEM = expression(rb"%b((?:[^\"'\\\n]|\\(?![\"']))*+)" % _COMMA)
# The same in YAML: each word in a line of its own, with a dash before it.
_DASH = rb"[\"']?\r?\n[ \t]{0,60}-[ \t]{1,4}"
_DASHED = expression(rb"%b([^\r\n]*+)" % _DASH)
_IS_DASHED = expression(rb"\A[ \t]*-[ \t]+[\"']?(?:[\w.-]*/)*\Z")
_QUOTES = expression(rb"(\\{0,3}[\"'])(.*)\1", re.DOTALL)


class Word(msgspec.Struct, frozen=True):
    """A word of a command line, without its quotes: where it begins, and its text."""

    start: int
    text: bytes


class Program(msgspec.Struct, frozen=True):
    """
    Programs with the same options for a password.

    `separate` options have it as next word, `glued` ones at once, `pairs` take `user:password` with
    one of `between`; if they may be `bundled`, the last of several letters: `-su user:password`.
    `positions` counts it among the words that are no options. If `is_each_pair`, each `name=x` has
    one, if it looks random. If `is_token`, a plain word is none: it is a sentence about the
    program, or something else. `needs` is a word without which all this means something else.
    Of the words that are no options, those do not count that follow one of `valued`. After one of
    `named`, a name follows, and then its value, which one of `separate` may come before; in
    `listed` ones are pairs with commas between them. Of both, the names decide. With an empty
    word in `named`, the name comes first.
    """

    names: str
    example: str
    near_miss: str
    separate: tuple[str, ...] = ()
    glued: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    between: str = ":"
    positions: tuple[tuple[str, int], ...] = ()
    needs: str = ""
    bundled: bool = False
    is_each_pair: bool = False
    is_token: bool = False
    valued: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()

    @property
    def keywords(self) -> tuple[str, ...]:
        """Words of which one is in every such line."""
        options = (
            f"{before}{option}"
            for option in (*self.separate, *self.glued, *self.pairs, *self.listed)
            for before in " \"'"
            if not _is_like_path(option)
        )
        names = self.names.split()
        calls = [f"{name}{after}" for name in names for after in " \t\r\n\"'\\"]
        words = (
            word
            for after, _ in self.positions
            for word in ([after] if len(after) >= _LEAST_OF_KEYWORD else calls)
        )
        called = (
            word
            for name in names
            for word in (f"{name} -", f'"{name}', f"'{name}", f"/{name}", f"- {name}")
            if self.bundled
        )
        pairs = (
            calls
            if self.is_each_pair or self.named or any(map(_is_like_path, self.separate))
            else ()
        )
        return tuple(dict.fromkeys((*options, *words, *called, *pairs)))


def _is_like_path(option: str) -> bool:
    """Whether paths begin like it, so that it says nothing of a line: `/p`, unlike `/pass:`."""
    return option.startswith("/") and not option.endswith(":")


PROGRAMS = (
    Program(
        "mysql mysqldump mysqladmin mysqlimport mysqlsh mysqlcheck mysqlpump mariadb"
        " mariadb-dump mycli mariadb-admin",
        "mysql -u root -p<8> shop",
        "mysql -u root -p shop -P 3306",
        glued=("-p",),
    ),
    Program(
        "mysqladmin mariadb-admin",
        "mysqladmin -u root password <8>",
        "mysqladmin -u root ping",
        positions=(("password", 1),),
        is_token=True,
    ),
    Program(
        "bitcoin-cli litecoin-cli dogecoin-cli",
        "bitcoin-cli importprivkey <51>",
        "bitcoin-cli getbalance",
        positions=(("importprivkey", 1), ("walletpassphrase", 1)),
        is_token=True,
    ),
    Program(
        "mongosh mongo mongodump mongorestore mongoexport mongoimport mongostat cqlsh"
        " clickhouse-client evil-winrm psexec psexec.exe crackmapexec netexec nxc rdesktop twine"
        " influx mosquitto_pub mosquitto_sub arangosh cypher-shell couchbase-cli sshpass"
        " rabbitmqadmin",
        "mongosh -u admin -p <8>",
        "mongosh -p --host db",
        separate=("-p", "-P"),
    ),
    Program(
        "airflow superset",
        "airflow users create -u admin -p <8> -r Admin",
        "airflow db migrate -p x1",
        separate=("-p",),
        needs="create",
    ),
    Program(
        "supabase",
        "supabase link --project-ref x -p <8>",
        "supabase start -x studio",
        separate=("-p",),
    ),
    Program(
        "influx",
        "influx query -t <86> -o acme",
        "influx query -t, --token string",
        separate=("-t",),
    ),
    Program(
        "vault fly flyctl supabase railway doppler",
        "vault kv put secret/shop api=<24>",
        "vault kv put secret/shop user=app host=db-1",
        is_each_pair=True,
        needs="secret",
    ),
    Program(
        "fly flyctl supabase doppler",
        "fly secrets set DB=sunshine42",
        "fly secrets set MODE=production",
        is_each_pair=True,
        is_token=True,
        needs="secrets",
    ),
    Program(
        "heroku",
        "heroku config:set STRIPE=<24> -a shop",
        "heroku config:set LEVEL=debug-all-1",
        is_each_pair=True,
        needs="config:set",
    ),
    Program(
        "sqlcmd bcp osql zip unzip",
        "zip -r -P<8> out.zip dir",
        "zip -r out.zip dir-1",
        glued=("-P",),
    ),
    Program(
        "keytool",
        "keytool -storepasswd -new <8> -keystore x.jks",
        "keytool -list -keystore x1.jks",
        separate=("-new",),
    ),
    Program(
        "sshpass 7z 7za 7zr 7zz rar unrar mongosh mongo mongodump mongorestore mongoexport"
        " mongoimport mongostat",
        "7z a -p<8> out.7z dir",
        "sshpass -e ssh host",
        glued=("-p", "-hp"),
    ),
    Program(
        "docker podman nerdctl buildah skopeo oras az oc helm quay crane regctl",
        "docker login -u ci -p <8> registry.example.com",
        "docker run -p 8080:80 nginx",
        separate=("-p",),
        glued=("-p=",),
        needs="login",
    ),
    Program(
        "skopeo podman buildah oras",
        "skopeo copy --src-creds=bob:<8> docker://a/b dir:x",
        "skopeo copy --src-creds=$CREDS docker://a/b dir:x",
        pairs=("--creds", "--src-creds", "--dest-creds"),
    ),
    Program(
        "plink pscp psftp putty plink.exe pscp.exe psftp.exe putty.exe winscp.com",
        "plink -ssh root@10.0.0.2 -pw <8> uptime",
        "plink -ssh root@10.0.0.2 -pwfile x1.txt uptime",
        separate=("-pw",),
    ),
    Program(
        "signtool signtool.exe",
        "signtool sign /f cert.pfx /p <8> app.exe",
        "signtool verify /pa app1.exe",
        separate=("/p",),
    ),
    Program(
        "dotnet nuget nuget.exe",
        "dotnet nuget add source https://example.com/index.json -u bob -p <8>",
        "dotnet test -p net8.0-x1",
        separate=("-p",),
        needs="source",
    ),
    Program(
        "dotnet nuget nuget.exe",
        "dotnet nuget push x.nupkg -k <46> -s https://example.com",
        "dotnet nuget list -k source1",
        separate=("-k", "-ApiKey"),
        needs="push",
    ),
    Program(
        "swaks",
        "swaks -au bot@example.com -ap <8>",
        "swaks --to bot@example.com",
        separate=("-ap",),
    ),
    Program(
        "security",
        "security add-internet-password -a bob -s x -w <8>",
        "security find-generic-password -a bob -w",
        separate=("-w",),
        needs="add-",
    ),
    Program(
        "security",
        "security unlock-keychain -p <8> login.keychain",
        "security list-keychains -d user -s build1.keychain",
        separate=("-p", "-P"),
        needs="keychain",
    ),
    Program(
        "altool",
        "xcrun altool --upload-app -f a.ipa -u me@example.com -p <16>",
        "xcrun altool --upload-app -f a.ipa -p @keychain:AC_1",
        separate=("-p",),
    ),
    Program(
        "drush",
        "drush user:password admin <8>",
        "drush user:create admin",
        positions=(("user:password", 2), ("user-password", 2)),
    ),
    Program(
        "bw",
        "bw unlock <8>",
        "bw unlock command",
        positions=(("unlock", 1), ("login", 2)),
        is_token=True,
    ),
    Program(
        "redis-cli keydb-cli valkey-cli",
        "redis-cli -a <8> ping",
        "redis-cli ping",
        separate=("-a",),
    ),
    Program(
        "redis-cli keydb-cli valkey-cli",
        "redis-cli -h cache auth <8>",
        "redis-cli auth required",
        positions=(("auth", 1), ("AUTH", 1)),
        is_token=True,
    ),
    Program(
        "sqlcmd bcp osql isql tsql ipmitool zip unzip ldapvi smbmap cmdkey",
        "sqlcmd -S db -U sa -P <8>",
        "unzip -p app.jar META-INF/MANIFEST.MF",
        separate=("-P",),
    ),
    Program(
        "http https xh etcdctl hurl",
        "http -a alice:<8> https://example.com",
        "http -a alice https://example.com -o a:b",
        pairs=("-u", "--user", "-U", "--proxy-user", "-a", "--auth"),
    ),
    Program(
        "curl",
        "curl -sSLu alice:<8> https://example.com",
        "curl -u alice https://example.com -o a:b",
        pairs=("-u", "--user", "-U", "--proxy-user", "-E", "--cert", "--proxy-cert"),
        separate=("--oauth2-bearer",),
        bundled=True,
    ),
    Program(
        "curl",
        "curl -d user=bob -d password=<8> https://example.com",
        "curl -d user=bob -d mode=letmein-1 https://example.com",
        listed=("-d", "--data", "--data-urlencode", "--data-raw", "-F", "--form", "--form-string"),
    ),
    Program(
        "kubectl oc",
        "kubectl create secret generic api --from-literal=key=<20>",
        "kubectl create configmap app --from-literal=host=example-1",
        pairs=("--from-literal",),
        between="=",
        needs="secret",
    ),
    Program(
        "az",
        "az sql server create -n srv -u sqladmin -p <8>",
        "az vm list -p x1",
        separate=("-p",),
        needs="sql",
    ),
    Program(
        "snyk",
        "snyk auth <hex 32>",
        "the snyk auth command",
        positions=(("auth", 1),),
        is_token=True,
    ),
    Program(
        "snyk",
        "snyk config set api=<hex 32>",
        "snyk config set org=example-1",
        is_each_pair=True,
        needs="config",
    ),
    Program(
        "codecov codecovcli",
        "codecov -t <hex 32> -f coverage.xml",
        "codecov -t unit -f coverage1.xml",
        separate=("-t",),
        is_token=True,
    ),
    Program(
        "pulumi",
        "pulumi config set --secret dbPassword <8>",
        "pulumi config set aws:region eu-west-1",
        positions=(("set", 2),),
        needs="--secret",
    ),
    Program(
        "curl",
        "curl -b session=<32> https://example.com",
        "curl -b cookies.txt https://example.com",
        pairs=("-b", "--cookie"),
        between="=",
    ),
    Program("ab", "ab -A bob:<8> https://example.com/", "ab -n 1", pairs=("-A", "-P")),
    Program(
        "ansible-vault",
        "ansible-vault encrypt_string <8> --name db",
        "ansible-vault view secrets.yml",
        positions=(("encrypt_string", 1),),
        valued=("--vault-id", "--encrypt-vault-id", "--vault-password-file", "--name", "-n"),
    ),
    Program(
        "lftp",
        "lftp -u bob,<8> ftp.example.com",
        "lftp -u bob",
        pairs=("-u", "--user"),
        between=",",
    ),
    Program(
        "smbclient rpcclient smbget",
        "smbclient //srv/x -U bob%<8>",
        "smbclient -U bob",
        pairs=("-U", "--user"),
        between="%",
    ),
    Program(
        "smbclient",
        "smbclient //srv/x <8> -U bob",
        "smbclient //srv/x -U bob -c list-1",
        positions=(("//", 1),),
        valued=("-U", "--user", "-W", "-I", "-p", "-c", "-A", "-D", "-n", "-s", "-m", "-t"),
        is_token=True,
    ),
    Program(
        "ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldappasswd ldapcompare ldapmodrdn",
        "ldapsearch -x -D cn=admin -w <8>",
        "ldapsearch -x -D cn=admin -W",
        separate=("-w", "-s", "-a"),
        glued=("-w",),
        needs="-D",
    ),
    Program(
        "openssl",
        "openssl rsa -in key.pem -passin pass:<8>",
        "openssl rsa -in key.pem -passin env:PW",
        separate=("-k", "-K", "-passin", "-passout", "-pass"),
        positions=(("passwd", 1),),
    ),
    Program(
        "gpg gpg2", "gpg --passphrase <8>", "gpg --passphrase-fd 0", separate=("--passphrase",)
    ),
    Program(
        "snmpget snmpwalk snmpset snmpbulkwalk snmptrap",
        "snmpwalk -v2c -c <8> 10.0.0.1",
        "snmpwalk -v2c -c public 10.0.0.1",
        separate=("-A", "-X", "-c"),
    ),
    Program(
        "htpasswd mosquitto_passwd",
        "htpasswd -bc .htpasswd admin <8>",
        "htpasswd -c .htpasswd admin",
        positions=(("", 3),),
        needs="-b",
    ),
    Program(
        "htpasswd",
        "htpasswd -nb admin <8>",
        "htpasswd -n admin",
        positions=(("", 2),),
        needs="-nb",
    ),
    Program(
        "htpasswd",
        "htpasswd -Bbn admin <8>",
        "htpasswd -Bn admin",
        positions=(("", 2),),
        needs="-Bbn",
    ),
    Program(
        "rabbitmqctl",
        "rabbitmqctl add_user app <8>",
        "rabbitmqctl list_users",
        positions=(("add_user", 2), ("change_password", 2), ("authenticate_user", 2)),
    ),
    Program(
        "wpa_passphrase", "wpa_passphrase Office <8>", "wpa_passphrase: no", positions=(("", 2),)
    ),
    Program(
        "xfreerdp wfreerdp mstsc cmdkey xfreerdp3",
        "xfreerdp /u:bob /p:<8>",
        "xfreerdp /u:bob",
        glued=("/p:", "/pass:"),
    ),
    Program(
        "ssh-keygen",
        'ssh-keygen -t ed25519 -N "<8>" -f id',
        'ssh-keygen -t ed25519 -N "" -f id',
        separate=("-N", "-P"),
    ),
    Program(
        "net net.exe",
        "net use Z: //srv/x /user:bob <8>",
        "net use Z: //srv/x",
        positions=(("/user:", 1), ("/USER:", 1)),
        needs="use",
    ),
    Program(
        "mc mcli",
        "mc alias set store http://minio:9000 admin <16>",
        "mc alias list store",
        positions=(("alias", 5),),
        needs="set",
    ),
    Program(
        "nmcli",
        "nmcli dev wifi connect Office password <8>",
        "nmcli dev wifi connect Office",
        positions=(("password", 1),),
    ),
    Program("rclone", "rclone obscure <12>", "rclone ls", positions=(("obscure", 1),)),
    Program(
        "vault wandb cargo",
        "vault login <26>",
        "the vault login command",
        positions=(("login", 1),),
        is_token=True,
    ),
    Program(
        "ngrok",
        "ngrok config add-authtoken <40>",
        "ngrok http 80",
        positions=(("add-authtoken", 1), ("authtoken", 1)),
        is_token=True,
    ),
    Program(
        "poetry npm yarn pnpm bun composer",
        "poetry config pypi-token.pypi <60>",
        "npm config set registry https://registry.example.com/x1",
        positions=(
            ("http-basic", 2),
            ("pypi-token", 1),
            ("_authToken", 1),
            ("npmAuthToken", 1),
            ("_auth", 1),
            ("_password", 1),
        ),
        needs="config",
    ),
    Program(
        "aws az gh consul heroku chamber vercel",
        "gh secret set DB --body <12>",
        "gh pr create --body some-text-1",
        separate=("--secret-string", "--value", "--body", "-b"),
        glued=("--secret-string=", "--value=", "--body=", "-b"),
        needs="secret",
    ),
    Program(
        "consul etcdctl redis-cli keydb-cli valkey-cli glab gh heroku railway",
        "consul kv put app/db/password <8>",
        "consul kv put app/db/host db-1",
        named=("put", "set", "SET", "config:set", "kv"),
        separate=("--body", "-b", "--value", "-v"),
    ),
    Program(
        "git",
        "git config --global sendemail.smtppass <8>",
        "git config --global user.name bob-1",
        named=("config", "set"),
    ),
    Program(
        "setx setx.exe",
        "setx /M DB_PASSWORD <8>",
        "setx /M DB_TITLE title-1",
        named=("",),
    ),
    Program(
        "net net.exe",
        "net user bob <8> /add",
        "net user bob /add",
        positions=(("user", 2),),
        needs="/add",
    ),
    Program(
        "helm helmfile",
        "helm upgrade x y --set image.tag=1,adminPassword=<8>",
        "helm upgrade x y --set image.tag=1,adminEmail=a-1",
        listed=("--set", "--set-string", "--set-literal"),
    ),
    Program(
        "useradd usermod",
        "useradd -m -p <8> bob",
        "useradd -m -s /bin/bash1 bob",
        separate=("-p",),
    ),
    Program(
        "doctl glab civo hcloud flyctl fly netlify",
        "doctl auth init -t <64>",
        "doctl auth list -t x1",
        separate=("-t",),
        needs="auth",
        is_token=True,
    ),
    Program(
        "cloudflared",
        "cloudflared service install <40>",
        "cloudflared service install now",
        positions=(("install", 1),),
        is_token=True,
    ),
    Program(
        "eas",
        "eas secret:create --name MAILER --value <24>",
        "eas channel:create --value x1",
        separate=("--value",),
        needs="secret",
    ),
    Program(
        "composer",
        "composer config -g github-oauth.github.com <40>",
        "composer config -g repo.packagist.org https://example.com/x1",
        positions=(("github-oauth", 1), ("gitlab-token", 1), ("gitlab-oauth", 1), ("bearer.", 1)),
        needs="config",
        is_token=True,
    ),
    Program(
        "poetry",
        "poetry publish -u bob -p <8>",
        "poetry run x -p y1",
        separate=("-p",),
        needs="publish",
    ),
    Program(
        "snowsql ncftpput ncftpget ncftpls ncftp",
        "ncftpput -u bob -p <8> ftp.example.com / x",
        "ncftpput -u bob ftp.example.com / x1",
        separate=("-p",),
    ),
    Program(
        "cf ibmcloud bx argocd",
        "cf login -a api.example.com -u bob -p <8>",
        "cf push shop -p target1",
        separate=("-p",),
        needs="login",
    ),
    Program(
        "aws consul etcdctl",
        "aws ssm put-parameter --name /db/password --value <8>",
        "aws ssm put-parameter --name /db/host --value host-1",
        separate=("--value",),
        needs="passw",
    ),
    Program(
        "aws",
        "aws ssm put-parameter --name /shop/x --type SecureString --value <8>",
        "aws ssm put-parameter --name /shop/x --type String --value host-1",
        separate=("--value",),
        glued=("--value=",),
        needs="SecureString",
    ),
)
_BY_NAME: dict[bytes, list[Program]] = {}
for _program in PROGRAMS:
    for _name in _program.names.split():
        _BY_NAME.setdefault(_name.encode(), []).append(_program)
_BEFORE = expression(rb"[\w.=@-]")
# Of a recipe of make, a line in a batch file, and a setting: `@mysql`, `command=mysql`.
_BEFORE_COMMAND = expression(
    rb"(?:^|[\s\"'`;|&(])(?:[A-Za-z_][\w.]{0,60}[+:?]?=)?[\"']?[@+!:-]{0,3}\Z"
)
_LONGEST_BEFORE = 80


def command(program: Program) -> bytes:
    """Return an expression that finds where one of these programs is called."""
    return rb"(?:%b)(?=[ \t]+\S|%b|%b)" % (_any_name(program), _COMMA, _DASH)


def may_be_command(program: Program) -> bytes:
    """Return the same for a line that may be JSON, in which what is between words is escaped."""
    return rb"(?:%b)(?=[ \t]+\S|[\\\"',\r\n])" % _any_name(program)


def _any_name(program: Program) -> bytes:
    names = sorted(program.names.split(), key=len, reverse=True)
    return "|".join(map(re.escape, names)).encode()


def find_in_commands(
    program: Program, text: bytes, calls: Iterable[re.Match[bytes]]
) -> Iterator[Found]:
    """Give the passwords of the command lines that begin with `calls`."""
    read_to = 0
    for match in calls:
        if match.start() < read_to or _is_within_word(text, match.start()):
            continue  # the words after it were read with those of the call before
        words = list(_words(text, *match.span()))
        if not words:
            continue  # `mysql | less`
        read_to = words[-1].start
        for start, end in passwords_in(program, words):
            yield start, end, "command-line"


def is_program(word: bytes) -> bool:
    """Whether a list that begins with `word` is a command line of which more is known."""
    return word.rsplit(b"/", 1)[-1] in _BY_NAME


def _is_within_word(text: bytes, at: int) -> bool:
    return (
        at > 0
        and _BEFORE.match(text, at - 1) is not None
        and text[at - 2 : at] not in (rb"\n", rb"\t")
        and _BEFORE_COMMAND.search(text, max(0, at - _LONGEST_BEFORE), at) is None
    )


def in_words(before: Sequence[bytes], word: bytes) -> Iterator[tuple[int, int]]:
    """
    Give the password in a word of a command line that is a list; `before` are those before.

    The program may be any of these: `docker exec db mysql -p...`.
    """
    if len(before) > _MOST_WORDS:
        return
    yield from _in_any_words(before, word)
    names = [name.rsplit(b"/", 1)[-1] for name in before[:_FARTHEST_PROGRAM]]
    programs = [at for at, name in enumerate(names) if name in _BY_NAME]
    for first in programs[-_MOST_PROGRAMS:]:
        for program in _BY_NAME[names[first]]:
            # An option depends on no more than the word before; all of them take long to read.
            needs_all = program.positions or program.needs or program.named
            near = before[first + 1 :] if needs_all else before[-1:]
            words = [Word(-_LONGEST * (at + 1), each) for at, each in enumerate(near)]
            for start, end in passwords_in(program, [*words, Word(0, word)]):
                if start >= 0:
                    yield start, end


# A user beside it makes `-p` a password, whatever the program; those that are known to have
# something else there are these.
_OTHER_P = frozenset(
    b"sudo doas su runuser ssh scp sftp mosh autossh ssh-copy-id rsync cp mv mkdir install tar git"
    b" diff patch sort date ps pgrep pkill top htop lsof kill strace nmap psql pg_dump pg_restore"
    b" pg_dumpall createdb dropdb createuser pg_isready mysql mysqldump mysqladmin mariadb docker"
    b" podman nerdctl docker-compose python python3 pip pip3 uv virtualenv pytest tox node deno"
    b" bun xargs tee screen tmux nice chroot at crontab loginctl systemctl journalctl chown chmod"
    b" touch unzip zip ansible ansible-playbook make ninja cargo go gradle mvn cmake id w who"
    b" redis-cli az dotnet curl wget kubectl claude copilot gemini codex".split()
)
_NET = frozenset((b"net", b"net.exe"))  # net user bob x: as a line, it may be a sentence
_USER_OPTIONS = frozenset((b"-u", b"-U", b"--user", b"--username", b"--login"))
_BETWEEN_WORDS = rb"(?:[ \t]{1,4}|\\{0,3}[\"'],[ \t]{0,8}\\{0,3}[\"'])"
_BARE = rb"[^\s\"'|;&<>`,$-][^\s\"'|;&<>`]{0,80}"
_USER = rb"(?:-[uU]|--user(?:name)?|--login)(?:=|%b)(?:[A-Za-z][\w.@\\+-]{0,60})" % _BETWEEN_WORDS
_OTHERS = rb"(?:%b--?[A-Za-z][\w-]{0,30}(?:(?:=|%b)%b)?){0,4}?" % (
    *(_BETWEEN_WORDS,) * 2,
    _BARE,
)
_P = (
    rb"-[pP](?:%b(?P<quote%%d>\\{0,3}[\"'])?|=)"
    rb"(?P<secret%%d>(?(quote%%d)[^\r\n\"']{3,200}?(?=\\{0,3}[\"'])|[^\s\"'|;&<>`]{3,200}))"
) % _BETWEEN_WORDS
_AFTER_USER = rb"%b%b%b%b" % (_USER, _OTHERS, _BETWEEN_WORDS, _P.replace(b"%d", b"1"))
_BEFORE_USER = rb"%b[\"']?%b%b%b" % (_P.replace(b"%d", b"2"), _OTHERS, _BETWEEN_WORDS, _USER)
BESIDE_USER = rb"(?<![\w-])(?:%b|%b)" % (_AFTER_USER, _BEFORE_USER)
_FARTHEST_START = 200  # of the line, before a user
_ENDS_COMMAND = expression(rb"[\n|;&`(]")
_NO_PASSWORD = expression(
    rb"[0-9.,:/-]+(?:/(?:tcp|udp))?|(?:python|node|java|net|py)[0-9.]*|[\w.-]+=.*"
    rb"|[\w.@~-]*(?:/[\w.@-]+)+/?|[\w-]+(?:\.[\w-]+)+|[a-z]{1,5}[0-9]?"
)


def find_beside_user(text: bytes, found: Iterable[re.Match[bytes]]) -> Iterator[Found]:
    """Give the passwords of any program that has a user beside `-p`."""
    for match in found:
        start = max(0, match.start() - _FARTHEST_START)
        before = _ENDS_COMMAND.split(text[start : match.start()])[-1]
        group = "secret1" if match["secret1"] else "secret2"
        names = re.split(rb"[\s\"',]+", before)
        if not _has_other_p(names):
            yield from (
                (*span, "command-line")
                for span in _beside_user(Word(match.start(group), match[group]))
            )


def _has_other_p(words: Iterable[bytes]) -> bool:
    """Whether one of `words` is a program for which `-p` is no password."""
    return any(word.rsplit(b"/", 1)[-1] in _OTHER_P for word in words)


def _beside_user(word: Word) -> Iterator[tuple[int, int]]:
    if not _NO_PASSWORD.fullmatch(word.text):
        yield from _judged(word, 0, Certainty.SETTING)


def _in_any_words(before: Sequence[bytes], word: bytes) -> Iterator[tuple[int, int]]:
    """Give the password of a program that nothing is known of; of Docker, that of a variable."""
    last = before[-1] if before else b""
    if last in (b"-p", b"-P") and not word.startswith(b"-"):
        has_user = any(
            option in _USER_OPTIONS and not user.startswith(b"-")
            for option, user in pairwise(before)
        ) or any(option.startswith((b"--user=", b"--username=")) for option in before)
        if has_user and not _has_other_p(before[:_FARTHEST_PROGRAM]):
            yield from _beside_user(Word(0, word))
    if len(before) > 2 and before[-2] == b"user" and before[-3].lower() in _NET:
        yield from _beside_user(Word(0, word))
    pair = _RANDOM_VARIABLE.fullmatch(word) if last in (b"-e", b"--env") else None
    if pair and looks_random(pair[1]) and is_value(pair[1], Certainty.KEY):
        yield pair.span(1)


_RANDOM_VARIABLE = expression(rb"[A-Za-z_]\w{0,60}=([A-Za-z0-9_+=-]{20,400})")


def passwords_in(program: Program, words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Give where in the words after `program` the passwords are."""
    needed = program.needs.encode()
    if needed and not any(
        word.text.startswith(needed) or (needed in word.text and len(needed) > 2) for word in words
    ):
        return
    if program.named:
        yield from _after_name(program, words)
        return
    for word, following in zip(words, (*words[1:], None), strict=True):
        if following:
            yield from _after_option(program, word, following)
        option = word.text.decode("latin-1")
        for glued in program.pairs:
            if option.startswith(f"{glued}="):
                yield from _after(word, program.between, len(glued) + 1)
            elif len(glued) == 2 and option.startswith(glued) and len(option) > 2:
                yield from _after(word, program.between, len(glued))
        for glued in program.glued:
            if option.startswith(glued) and len(option) > len(glued):
                yield from _judged(word, len(glued))
    yield from _by_position(program, words)
    yield from _in_pairs(program, words)


def _after_option(program: Program, word: Word, following: Word) -> Iterator[tuple[int, int]]:
    option = word.text.decode("latin-1")
    if option in program.separate and not following.text.startswith(b"-"):
        certainty = Certainty.SETTING if program.is_token else Certainty.PASSWORD
        yield from _judged(following, 0, certainty)
    if option in program.pairs or (program.bundled and _ends(option, program)):
        yield from _after(following, program.between, 0)
    if option in program.listed:
        yield from _in_list(following)


def _ends(option: str, program: Program) -> bool:
    """Whether several letters in one option end with one that takes `user:password`."""
    return _BUNDLE.fullmatch(option) is not None and f"-{option[-1]}" in program.pairs


def _by_position(program: Program, words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    before = (b"", *(word.text for word in words))
    valued = frozenset(map(str.encode, program.valued))
    plain = [
        word
        for word, option in zip(words, before, strict=False)
        if not word.text.startswith((b"-", b"$"))
        and option not in valued
        and not (program.is_token and _PAIR.match(word.text))
    ]
    for after, number in program.positions:
        at = next(
            (at for at, word in enumerate(plain) if not after or after.encode() in word.text), None
        )
        first = 0 if not after else (at if at is not None else len(plain)) + 1
        if first + number - 1 < len(plain):
            certainty = Certainty.SETTING if program.is_token else Certainty.PASSWORD
            yield from _judged(plain[first + number - 1], 0, certainty)


def _in_pairs(program: Program, words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    for word in words if program.is_each_pair else ():
        pair = _NAME_AND_VALUE.fullmatch(word.text)
        if pair and is_value(pair[1], Certainty.SETTING if program.is_token else Certainty.KEY):
            yield word.start + pair.start(1), word.start + pair.end(1)


def _after_name(program: Program, words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Give the value of what is set by its name, if that is the name of a secret."""
    plain = [word for word in words if not _NO_NAME.match(word.text)]
    verbs = frozenset(map(str.encode, program.named))
    at = next((at for at, word in enumerate(plain) if word.text in verbs), len(plain)) + 1
    at = 0 if b"" in verbs else at
    while at < len(plain) and plain[at].text in verbs:  # `kv put`
        at += 1
    if len(plain) < at + 2:
        return
    name, value = plain[at : at + 2]
    options = frozenset(map(str.encode, program.separate))
    for option, word in pairwise(words):
        if option.text in options:
            value = word
    if (certainty := certainty_of_name(name.text)) is not None:
        yield from _judged(value, 0, certainty)


def _in_list(word: Word) -> Iterator[tuple[int, int]]:
    """Give the secrets among pairs with commas between them, by their names."""
    for pair in _PAIR_OF_LIST.finditer(word.text):
        if (certainty := certainty_of_name(pair[1])) is not None:
            value = Word(word.start + pair.start(2), pair[2])
            yield from _judged(value, 0, certainty)


def _after(word: Word, between: str, start: int) -> Iterator[tuple[int, int]]:
    at = word.text.find(between.encode(), start)
    if at >= 0:
        yield from _judged(word, at + 1)


_NO_NAME = expression(rb"[-$]|/[A-Za-z]\Z")
_NAME_AND_VALUE = expression(rb"[A-Za-z_][\w.-]{0,60}=[\"']?([^\"']{8,400})[\"']?")
_PAIR_OF_LIST = expression(rb"(?<![^,&])([\w.\\-]{1,100})=((?:[^,&\\]|&(?![\w.-]{1,60}=)|\\.)*+)")
_PAIR = expression(rb"[a-z_]{2,40}=[^=]")
_BUNDLE = expression(r"-[A-Za-z]{2,10}")
_PASS = expression(rb"pass:|[\"'=]+")
_OTHER = expression(
    rb"@?(?:env|file|fd|stdin|keychain)(?::.*)?|public|[0-9]{1,5}(?::[0-9]{1,5})?|https?://.*|\$.*|stdin|.{0,2}",
    re.DOTALL,
)


def _judged(
    word: Word, start: int, certainty: Certainty = Certainty.PASSWORD
) -> Iterator[tuple[int, int]]:
    """Give what `word` has from `start` on, unless it is a variable or the like."""
    if prefix := _PASS.match(word.text, start):
        start = prefix.end()
    value = word.text[start:].rstrip(b"\"'")
    if (
        not _OTHER.fullmatch(value)
        and not is_placeholder(value)
        and is_value(value, certainty, may_be_sentence=b" " in value)
    ):
        yield word.start + start, word.start + start + len(value)


def _words(text: bytes, start: int, at: int) -> Iterator[Word]:
    """Give the words after a program, which is from `start` to `at`."""
    limit = min(len(text), at + _LONGEST)
    if _DASHED.match(text, at, limit):
        line_start = text.rfind(b"\n", max(0, start - _LONGEST), start) + 1
        if _IS_DASHED.search(text[line_start:start]):
            yield from _dashed_words(text, at, limit)
        return
    is_list = text[at : at + 1] not in (b" ", b"\t")
    if not is_list:
        limit = end_of_string(text, at, limit)
    for _ in range(_MOST_WORDS):
        found = (_ITEM if is_list else _WORD).match(text, at, limit)
        if found is None:
            return
        at = found.end()
        word = Word(found.start(1), found[1])
        yield word if is_list else _without_quotes(word)


def _dashed_words(text: bytes, at: int, limit: int) -> Iterator[Word]:
    for _ in range(_MOST_WORDS):
        found = _DASHED.match(text, at, limit)
        if found is None:
            return
        at = found.end()
        yield _without_quotes(Word(found.start(1), found[1].rstrip(b" \t")))


def _without_quotes(word: Word) -> Word:
    quoted = _QUOTES.fullmatch(word.text)
    return Word(word.start + len(quoted[1]), quoted[2]) if quoted else word
