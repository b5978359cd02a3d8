"""All that is found by a grammar: assignments, command lines, tables, and known files."""

from functools import partial

from acp_spy.secrets.aligned_tables import HEAD as ALIGNED_HEAD
from acp_spy.secrets.aligned_tables import find_in_aligned_tables, may_have_aligned_table
from acp_spy.secrets.asking_commands import ASKING
from acp_spy.secrets.assignment_names import HUMPS_OF_KEYS, NAMES, has_secret_name
from acp_spy.secrets.assignments import find_assignments
from acp_spy.secrets.call_arguments import ARGUMENTS
from acp_spy.secrets.call_shapes import CALLS
from acp_spy.secrets.command_lines import (
    BESIDE_USER,
    PROGRAMS,
    command,
    find_beside_user,
    find_in_commands,
    may_be_command,
)
from acp_spy.secrets.default_values import DEFAULTS
from acp_spy.secrets.file_shapes import FILES
from acp_spy.secrets.html_tables import NAME as HTML_NAME
from acp_spy.secrets.html_tables import NAME_IN_LINE as HTML_NAME_IN_LINE
from acp_spy.secrets.html_tables import find_in_html_tables
from acp_spy.secrets.printed_shapes import PRINTED
from acp_spy.secrets.prompt_shapes import PROMPTS, SENTENCES
from acp_spy.secrets.secret_stores import STORES
from acp_spy.secrets.section_keys import KEY as SECTION_KEY
from acp_spy.secrets.section_keys import SECRETS, find_in_secrets, find_section_keys
from acp_spy.secrets.shape import each, grammar, is_in
from acp_spy.secrets.sql_rows import STATEMENT, find_in_sql_rows, may_have_sql_rows
from acp_spy.secrets.tables import HEAD, find_in_tables, may_have_table

_ASSIGNMENTS = (
    ("DB_PASSWORD=<12>", "def login(password: str) -> None", "variable"),
    ('client_secret = "<12>"', "secret: shared between client and server", "assignment"),
    ("acme --token <24> --verbose", "token = next_token_or_none", "option"),
    ("acme_api_key: <24>", "cache_key: <24>, api_key = settings.api_key", "assignment"),
    ('"authCode": "<24>"', "auth_method = none", "assignment"),
    ("credentials='<12>'", "credentials: see docs/login.md", "assignment"),
    ("jwt: '<24>'", "jwt: none", "assignment"),
    ('X realm="a", hmac="<24>"', "hmac: sha256", "assignment"),
    (f"mnemonic='{'legal winner ' * 6}'", "mnemonic=easy", "mnemonic"),
)

# What is more specific comes first: it names the kind.
GRAMMARS = (
    *FILES,
    *PRINTED,
    *ASKING,
    *STORES,
    *PROMPTS,
    *CALLS,
    *ARGUMENTS,
    *DEFAULTS,
    *(
        grammar(
            "command-line",
            program.keywords,
            command(program),
            partial(find_in_commands, program),
            program.example,
            program.near_miss,
            may_be_in=partial(is_in, may_be_command(program)),
        )
        for program in PROGRAMS
    ),
    grammar(
        "command-line",
        tuple(f"{before}-{letter}" for before in " \"'" for letter in "pP"),
        BESIDE_USER,
        find_beside_user,
        "./manage login -u admin -p <8>",
        "sudo -u admin mkdir -p backup-1",
        may_be_in=partial(is_in, BESIDE_USER),
    ),
    grammar(
        "table",
        (
            *("pass", "Pass", "PASS", "pwd", "ecret", "ECRET", "oken|", "oken,", "oken;", "oken\\"),
            *("oken)", "oken`", "oken*", "pikey", *HUMPS_OF_KEYS, "-key", "-Key"),
            *("jwt", "JWT", "redential", "ookie", "uthorization"),
            *("pw|", "|pw", "pw,", ",pw", "pw\t", "\tpw", "pw ", "pw\\", "\\tpw", "pw\n", "pw\r"),
            *('pw"', "PW"),
            *("oken\n", "oken\r", "oken\t", "oken ", 'oken"', "OKEN", "_key", " key", " Key"),
            "KEY",
        ),
        HEAD,
        find_in_tables,
        "user,password\nalice,<8>",
        "name,tokens,pass@1\nm1,<8>,81.2",
        may_be_in=may_have_table,
    ),
    grammar(
        "table",
        (
            *("pass", "Pass", "PASS", "pw ", "pw\n", "pw\r", "pw\\", "pwd", "PW", "ecret", "ECRET"),
            *("oken ", "oken\n", "oken\r", "oken\\", "OKEN", "_key", " key", " Key", "KEY"),
            *("jwt", "JWT", "redential", "ookie", "uthorization", "pikey", *HUMPS_OF_KEYS),
        ),
        ALIGNED_HEAD,
        find_in_aligned_tables,
        "user   password  role\nalice  <8>  admin",
        "hosts  passwd  group\nfstab  <8>  issue",
        may_be_in=may_have_aligned_table,
    ),
    grammar(
        "table",
        (
            *("CREATE TABLE ", "create table ", "INSERT INTO ", "insert into ", "COPY "),
            *("SELECT ", "select ", "UPDATE ", "update ", "binding parameter"),
        ),
        STATEMENT,
        find_in_sql_rows,
        "CREATE TABLE u (name text, password text);\nINSERT INTO u VALUES ('alice', '<8>');",
        "CREATE TABLE u (name text, title text);\nINSERT INTO u VALUES ('alice', '<8>');",
        may_be_in=may_have_sql_rows,
    ),
    grammar(
        "table",
        ("</th>", "</td>", "<\\/th>", "<\\/td>"),
        HTML_NAME,
        find_in_html_tables,
        "<tr><th>user</th><th>password</th></tr><tr><td>alice</td><td><8></td></tr>",
        "<tr><th>user</th><th>title</th></tr><tr><td>alice</td><td><8></td></tr>",
        may_be_in=partial(is_in, HTML_NAME_IN_LINE),
    ),
    grammar(
        "assignment",
        tuple(
            name + after
            for name in ("key", "Key", "KEY")
            for after in (":", "=", " =", " :", '"', "'", "\\")
        ),
        SECTION_KEY,
        find_section_keys,
        "jwt:\n  key: <24>",
        "cache:\n  key: <24>",
        may_be_in=partial(is_in, SECTION_KEY),
    ),
    grammar(
        "assignment",
        ("secrets:", "secrets =", "[secrets]", 'secrets":', 'secrets\\":'),
        SECRETS,
        each(find_in_secrets),
        "secrets:\n  stripe: <24>\n",
        "secrets:\n  db:\n    file: ./db-1.txt\n",
    ),
    *(
        grammar(
            kind,
            keywords,
            names,
            find_assignments,
            example,
            near_miss,
            may_be_in=partial(has_secret_name, names),
        )
        for (names, keywords), (example, near_miss, kind) in zip(NAMES, _ASSIGNMENTS, strict=True)
    ),
    *SENTENCES,
)
