"""What is reported of a file that is no capture, and what that costs."""

import pytest
from fuzz.commands import grows_no_faster
from support.work import calls_of

from acp_spy.secrets.file_report import secrets_in_file
from acp_spy.secrets.redactor import Redactor

ROWS = "CREATE TABLE users (id int, api_token text);\nINSERT INTO users VALUES {};\n"


def in_one_line(count):
    return ROWS.format(", ".join(f"({n}, 'k4Jw81mZq0Xt{n:05d}')" for n in range(count)))


def in_two_lines_each(count):
    return "".join(f"- name: API_TOKEN\n  value: k4Jw81mZq0Xt{n:05d}\n" for n in range(count))


@pytest.mark.long
@pytest.mark.parametrize("text_of", [in_one_line, in_two_lines_each])
def test_many_secrets_that_other_lines_show_are_reported_in_proportion(tmp_path, text_of):
    path = tmp_path / "a.txt"

    def work_of(count):
        path.write_text(text_of(count))

        def report():
            assert len(list(secrets_in_file(str(path), Redactor()))) == count

        return calls_of(report).total

    work_of(10)  # loads what is loaded once
    assert not grows_no_faster(work_of, 300)
