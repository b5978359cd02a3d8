"""`redact --check` reads no line into memory that has no end."""

import os

import pytest

from acp_spy.errors import AcpSpyError
from acp_spy.secrets import file_report
from acp_spy.secrets.finder import Finder
from acp_spy.secrets.redactor import Redactor


@pytest.mark.parametrize("before", ["", "text\n", '{"type":"header","format":1}\n'])
def test_a_line_without_end_is_refused_before_it_is_in_memory(before, tmp_path, monkeypatch):
    """Such as that of a file with a hole of a terabyte."""
    monkeypatch.setattr(file_report, "_LARGEST_DOCUMENT", 1 << 20)
    learned = []
    monkeypatch.setattr(Finder, "learn", lambda _, line: learned.append(len(line)))
    path = tmp_path / "x.jsonl"
    path.write_text(before)
    os.truncate(path, 3 << 20)
    number = 2 if before else 1
    with pytest.raises(AcpSpyError, match=f"line {number} is longer than 1 MiB"):
        list(file_report.secrets_in_file(str(path), Redactor()))
    assert max(learned, default=0) <= 1 << 20
