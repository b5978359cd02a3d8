"""Tables as database clients and other programs print them."""

import pytest

from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize(
    "text",
    [
        "smtp_password|*\nsmtp_host|mail.example.com\njwt_secret|*\ndebug|false\n",
        "site_name,Acme\nsmtp_password,*\nDB_PASSWORD,*\n",
        "name|value\nsmtp_password|*\n",
        "id|1\nusername|alice\npassword|*\n\nid|2\nusername|bob\npassword|*\n",
        "login|pw\nroot|*\nops|*\n",
        "+-------+-----------+\n| login | pw        |\n+-------+-----------+\n| root  | * |\n",
    ],
)
def test_a_list_of_names_and_values_needs_no_head(text):
    parts = text.split("*")
    values = ["w7Gz!pQ4rT", "Zq81nXv0LmPt6RyK2sWd"]
    plain = parts[0] + "".join(values[at % 2] + part for at, part in enumerate(parts[1:]))
    assert left_of(plain) == text


@pytest.mark.parametrize(
    "text",
    [
        "password,email\nkX9#mQ2$vL,bob@example.com\n",
        "password|username\nkX9#mQ2$vL|alice\n",
    ],
)
def test_secrets_may_be_in_the_first_of_two_columns(text):
    assert left_of(text) == text.replace("kX9#mQ2$vL", "*")
    assert "alice" in left_of("password|alice\nhost|db1\n")
