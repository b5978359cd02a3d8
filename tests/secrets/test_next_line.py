"""A literal in the line below its name, as the formatters of code break what is long."""

import pytest
from support import effort

from benchmarks.printed_forms import FORMS
from benchmarks.secrets import Place, masked, missed
from tests.secrets.test_grammars import left_of

KEY = "q7Zk2Vw9Xn4Rb8Tm3Yc6Lp5Hd1Js0Gf2Wa4Qe6Nu"
PRINTED = [name for name in FORMS if name != "code in a sentence"]
KEYS = [
    'const API_TOKEN =\n  "§";',
    "const API_TOKEN: string =\n  '§';",
    "const API_TOKEN: string | undefined =\n  '§';",
    "export const apiToken =\n  `§`;",
    'private static final String API_KEY =\n      "§";',
    'private const val API_KEY =\n    "§"',
    'private val apiKey: String =\n    "§"',
    'let api_key: &str =\n    "§";',
    'pub const API_KEY: &\'static str =\n    "§";',
    'static const char *api_key =\n    "§";',
    'static const char api_key[] =\n    "§";',
    'private const string ApiKey =\n    "§";',
    'apiKey :=\n\t"§"',
    "'api_key' =>\n    '§',",
    '{\n  "api_key":\n    "§",\n  "a": 1\n}',
    'const a = {\n  apiKey:\n    "§",\n};',
    'API_TOKEN = (\n    "§"\n)',
    'API_TOKEN = (  # noqa: S105\n    "§"\n)',
    'API_TOKEN: str = (\n    "§"\n)',
    'API_KEY = \\\n    "§"',
    "API_KEY=\\\n'§'",
    'const apiKey = // of the tests\n  "§";',
    'const apiKey =\n  // eslint-disable-next-line no-secrets\n  "§";',
    'API_KEY =\n    b"§"',
    'let api_key =\n    String::from("§");',
    'this.options.apiKey =\n      "§";',
    'settings["api_key"] =\n    "§"',
    'const token =\n  process.env.X ??\n  "§";',
]
PASSWORDS = [
    'password =\n    "§"',
    'const dbPassword =\n  "§";',
    '"password":\n    "§",',
    '  password:\n    "§",',
    "const password =\n  process.env.X ||\n  '§';",
    "const password =\n  process.env.X || '§';",
    'const password: string =\n  process.env.X ?? "§";',
    'const dbPassword =\n  config.x ?? "§";',
    'const dbPassword =\n  config.x ??\n  "§";',
    '  password:\n    process.env.X || "§",',
    'const p =\n  process.env.DB_PASSWORD ||\n  "§";',
    'const p = process.env.DB_PASSWORD\n  || "§";',
    'password = (\n    args.x\n    or "§"\n)',
    'p = (\n    args.password\n    or "§"\n)',
    'password = (\n    args.x if args.x else "§"\n)',
    'password = (\n    args.x\n    if args.x\n    else "§"\n)',
    'password = os.environ.get(\n    "X",\n    "§",\n)',
    'password = os.getenv(\n    "X", "§"\n)',
    'password = config.get(\n    "x",\n    "§",\n)',
    'password = (\n    os.environ.get("X")\n    or "§"\n)',
    'val password =\n    System.getenv("X") ?: "§"',
    'val password: String =\n    System.getenv("X")\n        ?: "§"',
    'String password =\n    args.length > 0 ? args[0] : "§";',
]


@pytest.mark.parametrize("text", KEYS)
def test_a_key_in_the_next_line_is_found(text):
    assert left_of(text.replace("§", KEY)) == text.replace("§", "*")


@pytest.mark.parametrize("password", ["hunter3439", "Sommer2024!", "q7Zk2Vw9Xn4R"])
@pytest.mark.parametrize("text", PASSWORDS)
def test_a_password_in_the_next_line_is_found(text, password):
    assert left_of(text.replace("§", password)) == text.replace("§", "*")


@pytest.mark.parametrize("name", effort.some_of(PRINTED, *PRINTED[::6]))
def test_it_is_found_in_what_was_printed(name):
    # Where code is put apart, or escapes are read, these are no quotes any more.
    texts = [each.replace("§", KEY) for each in (*KEYS, *PASSWORDS) if not set("`\\") & set(each)]
    assert [text for text in texts if missed(Place("a text", FORMS[name](text), [KEY]))] == []


STAYS = [
    "password:\n  type: string\n  example: a1b2c3d4",
    'password:\n  "type": "string1"',
    '"password":\n  "type1": "a"',
    '"required": ["password"],\n  "x"',
    'password:\n  - "Password must be 8 characters"',
    'password:\n    "Your password is too short",',
    '  password:\n    "The password must have 8 characters, a digit and a sign.",',
    '"password":\n  "Passwort",',
    '"password":\n  "Password",',
    'password =\n  getPassword("name")',
    'const password =\n  await getPassword("name");',
    "const token =\n  tokens[0];",
    'const token =\n  "default";',
    'const password =\n  "";',
    "password =\nhost = get('a', 'b12')",
    'password =\nhost = os.environ.get("X") or "localhost1"',
    "password=\nhost=db1\n",
    "DB_PASSWORD=\nDB_HOST=${X:-localhost1}\n",
    'password:\nhost: "db1.example.com"',
    'Then it asks for the password:\n"db1" is the name of the host.',
    'The dialog says Password:\n"OK2" closes it.',
    'token:\n  "text1" | "text2"',
    'class Password:\n    """Argon2."""',
    'class Password:\n    "Of 2 words."',
    'if not password:\n    "text12"\n    return',
    'print("""\nEnter the password:\n""")\nx = "a1b2"',
    "const q = `\n  UPDATE t SET password =\n`;\nrun(`a1b2`);",
    'print(f"{password=}\\n" "a1b2c3")',
    'password = (\n    "a1" in x\n)',
    'is_token = (\n    "a1b2c3d4e5f6g7h8" == x\n)',
    'password = (\n    x\n)\nname = "a1b2c3"',
    'token = (\n    a,\n    "b12",\n)',
    'const password = x;\n// or "y12"',
    'password =\n  x // "see note1"',
    'password: string;\n  "x-y1": string;',
    'password: errors.password ||\n  "Must be at least 8 characters",',
    'password:\n    errors.x || "Must be at least 8 characters",',
    'password:\n    touched ? "border-red-500" : "border-gray-300",',
    'password: yup.object()\n  .string()\n  .min(8, "min8chars")',
    "| password:\n| 'a1b2' |",
    'See tokens:\n\n  "a1b2" and "c3d4"',
    "password = x\nelse\n  'text12'",
    "NAMES_OF_SECRETS = (\n    'api.v1.names12.x',\n    'x',\n)",
    'PASSWORD = (\n    "text12",\n    "text13",\n)',
    "if isinstance(x, Credentials):\n  if getattr(x, '_private_key12', None):",
    'authorization = (\n    f"Basic {b64encode(x.encode(y)).decode()}"\n)',
    'if "password" in x:\n    x.pop("text11", "text12")',
    'if password:\n    x.get("text11", "text12")',
    'def check(user, password):\n    "Argon2"',
    'def check(user, password):\n    x.get("text11", "text12")',
]


@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_value_of_the_line_before_stays(text):
    assert left_of(text) == text


@pytest.mark.parametrize("name", effort.some_of(FORMS, *PRINTED[::6]))
def test_it_stays_in_what_was_printed(name):
    assert [text for text in STAYS if masked(Place("a text", FORMS[name](text), []))] == []
