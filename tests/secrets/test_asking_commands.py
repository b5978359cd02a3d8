"""Where a text shows a terminal, the line below a command that asks for a secret is one."""

import pytest

from acp_spy.secrets.redactor import Redactor

KEY = "q7Zk2Vw9Xn4Rb8Tj5Lm3Pc6H"
ASKING = (
    "grep API_TOKEN .env | cut -d= -f2",
    "awk -F= '/API_TOKEN/ {print $2}' .env",
    "sed -n s/^API_TOKEN=//p .env 2>/dev/null",
    "jq -r .access_token ~/.codex/auth.json",
    "docker exec app cat /run/secrets/db_password",
    "op item get db --fields password --reveal",
)
PROMPTS = ("$ ", "dev@box:~/app$ ", "root@box:/# ", "(venv) $ ", "[dev@box ~]$ ", "bash-5.1$ ")


@pytest.mark.parametrize("secret", [KEY, "szjy/9OFvfrY3xYXSQWxTrFX", "szjy.9OFvfrY3xYXSQWxTrFX"])
@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("command", ASKING)
def test_the_line_below_a_command_that_asks_is_masked(command, prompt, secret):
    text = f"{prompt}{command}\n%s\n{prompt}ls\nREADME.md\n"
    assert Redactor().text(text % secret) == text % "redacted-command-output-1"


@pytest.mark.parametrize("secret", ["szjy/9OFvfrY3xYXSQWxTrFX", "szjy.9OFvfrY3xYXSQWxTrFX"])
def test_a_key_in_a_store_may_have_the_signs_of_hosts_and_paths(secret):
    text = "$ vault kv get kv/shop\nsmtp     %s\n"
    assert Redactor().text(text % secret) == text % "redacted-command-output-1"


@pytest.mark.parametrize(
    "text",
    [
        "$ grep -c API_TOKEN .env\n12345\n",
        "$ grep -rl password src | head -1\nsrc/auth/v2/Login\n",
        "$ grep -n password app.py\n12:foo1bar2baz\n",
        "$ awk '/password/ {print $1}' users.csv\nuser-12\n",
        f"$ curl -H 'X: $API_TOKEN' x\n{KEY}\n",
        f"$ jq -r .public_key x.json\n{KEY}\n",
        "$ jq -r .token_endpoint oidc.json\nhttps://x1y2z3.example.com/a1b2c3\n",
        f"# The API_TOKEN is in the vault\n{KEY}\n",
        "costs 5 $ cat the password\nfoo1-bar2",
        f"$ sed -n s/^API_TOKEN=//p .env > out\n{KEY}\n",
        "$ vault kv get kv/shop\nsmtp     db-a1b2c3d4e5f6.cluster.example.com\n",
        "$ vault kv get kv/shop\nimage     ghcr.io/acme/ShopService2\n",
        "$ cat /etc/passwd\nroot:x:0:0:root:/root:/bin/bash\nbin:x:1:1:bin:/bin:/bin/false\n",
    ],
)
def test_what_is_below_other_commands_stays(text):
    assert Redactor().text(text) == text
