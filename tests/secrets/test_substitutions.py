"""In a substitution, as of sed, a value ends where its part does; the rest stays as it is."""

import re

import pytest

from acp_spy.secrets import substitutions
from acp_spy.secrets.redactor import Redactor

OLD, NEW = "Xk7Qw2mPz9Lr4Tb8", "0UAqFzWsDK4FrUMp"
DIGITS = "3f9a1c7be2d84f06a5c19e7d2b8f4a6013c5d7e9"
COMMANDS = (
    "sed -i 's/DB_PASSWORD=.*/DB_PASSWORD={new}/' .env",
    "sed -i s/^DB_PASSWORD=.*/DB_PASSWORD={new}/ .env",
    'sed "s/password: {old}/password: {new}/g" app.yml',
    "sed -e '3s/DB_PASSWORD={old}/DB_PASSWORD={new}/;s/A=.*/A=1/' .env",
    "sed '/^DB/s/DB_PASSWORD={old}/DB_PASSWORD={new}/' .env",
    "perl -pi -e 's/DB_PASSWORD={old}/DB_PASSWORD={new}/' .env",
    ":%s/password: {old}/password: {new}/g",
    "s/--password {old}/--password {new}/",
    "sed 's#postgres://app:{old}@db/x#postgres://app:{new}@db/x#' .env",
)
PLACEHOLDER = re.compile(r"redacted-[a-z-]+-[0-9]+")


@pytest.mark.parametrize("new", [NEW, DIGITS])
@pytest.mark.parametrize("command", COMMANDS)
def test_only_the_secrets_of_a_substitution_are_masked_and_so_are_copies(command, new):
    redactor = Redactor()
    done = redactor.text(command.format(old=OLD, new=new))
    assert PLACEHOLDER.sub("x", done) == command.format(old="x", new="x")
    assert redactor.text(f"it is `{new}` now") == f"it is `{PLACEHOLDER.findall(done)[-1]}` now"
    assert redactor.text(done) == done


@pytest.mark.parametrize("sign", "/|#,@!~%+")
def test_any_sign_may_be_between_the_parts(sign):
    command = "sed 's/password: {}/password: {}/g; s/A_TOKEN=.*/A_TOKEN={}/' a".replace("/", sign)
    done = Redactor().text(command.format(OLD, NEW, DIGITS))
    assert PLACEHOLDER.sub("x", done) == command.format("x", "x", "x")


@pytest.mark.parametrize(
    "text",
    [
        "sed 's/password: str/password: Optional/' a.py",
        "sed 's/password=$OLD/password=${NEW}/' .env",
        "sed 's/password = settings.password/password = config.password/g' a.py",
        "s/next_token: user_token/next_token: other_token/g",
        "the user's, password: foo, then, x",
        "TOKEN=docs/login/form SECRET_DIR=/run/secrets/x",
    ],
)
def test_names_and_variables_in_a_substitution_stay(text):
    assert Redactor().text(text) == text


def test_a_text_is_searched_for_substitutions_once_for_all_names_in_it(monkeypatch):
    """Each name searched what is around it: with many beside each other, that took minutes."""
    searched = []
    expression = substitutions._SUBSTITUTION

    class Counted:
        def finditer(self, *given):
            searched.append(given)
            return expression.finditer(*given)

    monkeypatch.setattr(substitutions, "_SUBSTITUTION", Counted())
    Redactor().text(" s/A_TOKEN=x" * 300)
    assert 0 < len(searched) < 10
