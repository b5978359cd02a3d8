"""What a store of secrets prints, and a file of secrets has, under names that say nothing."""

import json

import pytest

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame
from tests.secrets.test_command_outputs import text, tool_call


def recorded_outputs(command, output):
    """Return what is left of an output that is in another message than its command."""
    redactor = Redactor()
    for number, (sender, message) in enumerate(
        tool_call({"command": command}, content=text(output))
    ):
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        raw = redactor.record(Frame(number + 1, number, sender, line)).raw
    return json.loads(raw)["params"]["update"]["content"][0]["content"]["text"]


WEAK, STRONG = "hunter3439", "kT9xQ2mV7bLp4RzW8nYc"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("sops -d prod.enc.yaml", "mail:\n    smtp: {}\n    host: db1.example.com\n"),
        ("ansible-vault view vault.yml", "---\nvault_db: {}\nstage: production\n"),
        ("cat .streamlit/secrets.toml", '[pg]\nport = 5432\nshop = "{}"\n'),
        ("cat config/secrets.yml", "region: us-east-1\ndatabase: {}\ndocs: https://example.com\n"),
        ("vault kv get secret/shop", "== Data ==\nKey     Value\n---     -----\nsmtp    {}\n"),
        ("heroku config -j", '{{"MAILER": "{}", "NODE_ENV": "production"}}'),
        ("doppler secrets --json", '{{"MAILER": {{"computed": "{}", "note": "", "raw": "x"}}}}'),
        ("ls", '{{"Parameter":{{"Name":"/x","Type":"SecureString","Value":"{}"}}}}'),
        ("ls", "PARAMETER\tarn:x\ttext\t1.0\t/x\tSecureString\t{}\t1"),
        ("ls", '{{"id": "https://kv.vault.azure.net/secrets/x/1", "value": "{}"}}'),
        ("ls", '{{"lease_id": "", "data": {{"data": {{"smtp": "{}"}}, "metadata": {{}}}}}}'),
        ("composer config --list", "[github-oauth.github.com] {}\n"),
    ],
)
@pytest.mark.parametrize("secret", [WEAK, STRONG])
def test_a_value_is_found_there_and_nothing_else(command, output, secret):
    terminal = f"$ {command}\n{output.format(secret)}"
    found = Finder().find(json.dumps({"text": terminal}).encode())
    assert [each.text.decode() for each in found] == [secret]
    once = recorded_outputs(command, output.format(secret))
    assert secret not in once
    assert Redactor().text(once) == once


@pytest.mark.parametrize(
    "printed",
    [
        "$ cat secrets.example.yaml\nmailer: hunter3439\n",
        "$ sops -d x.yaml\nhost: db-1\nmail: ops@example.com\ndata: /var/lib/app1\nport: 54321\n",
        "$ gh secret list\nSMTP  2024-01-01T00:00:00Z\n",
        '{"Parameter":{"Name":"/x","Type":"String","Value":"hunter3439"}}',
    ],
)
def test_a_setting_is_left_alone(printed):
    assert Finder().find(json.dumps({"text": printed}).encode()) == []
