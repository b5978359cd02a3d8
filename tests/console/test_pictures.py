"""The pictures of the console in the docs are those that the script draws."""

import subprocess
import sys

import pytest
from support.sources import ROOT


@pytest.mark.long
def test_the_pictures_are_current():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "make_pictures.py", "--check"], check=False
    )
    assert done.returncode == 0, "run scripts/make_pictures.py"


def test_every_picture_is_shown():
    shown_in = (ROOT / "README.md", ROOT / "docs" / "console.md", ROOT / "docs" / "page.md")
    pages = "".join(path.read_text() for path in shown_in)
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert f"pictures/{picture.name}" in pages
