"""The documentation site: every page has its place, and no link leads nowhere."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from support.families import for_each
from support.needs import do_without
from support.sources import ROOT

from acp_spy.lint.catalogue import CATALOGUE

DOCS = ROOT / "docs"
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def in_navigation(entry):
    """Yield the pages below an entry of the navigation."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for below in entry.values():
            yield from in_navigation(below)
    else:
        for below in entry:
            yield from in_navigation(below)


def test_every_page_but_those_of_rules_is_in_the_navigation():
    """A new page needs its line in `nav` of mkdocs.yml."""
    rules = {path for code in CATALOGUE for path in DOCS.glob(f"rules/{code}.md")}
    assert len(rules) == len(CATALOGUE)
    pages = {str(path.relative_to(DOCS)) for path in {*DOCS.rglob("*.md")} - rules}
    listed = list(in_navigation(SITE["nav"]))
    assert sorted(listed) == sorted(pages)


def test_the_addresses_are_those_of_the_package():
    assert SITE["site_url"] == URLS["Documentation"]
    assert SITE["repo_url"] == URLS["Repository"] == URLS["Homepage"]


@for_each(sorted(DOCS.rglob("*.md")), lambda page: page.stem)
def test_a_page_links_to_nothing_outside_of_the_site_but_by_its_address(page):
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text())
    outside = [link for link in links if not (page.parent / link).resolve().is_relative_to(DOCS)]
    assert outside == []


def test_links_to_our_own_addresses_lead_somewhere():
    """To files of the repository, and to pages of the site and the headings on them."""
    repository = re.compile(
        rf"(?:{URLS['Repository']}/(?:blob|tree)/main/|"
        r"https://raw\.githubusercontent\.com/acp-spy/acp-spy/main/)([^\s)#>\"]+)"
    )
    site = re.compile(rf"{URLS['Documentation']}([^\s)#>\"`]*)(#[\w-]+)?")
    wrong = []
    for page in PAGES:
        text = page.read_text()
        wrong += [path for path in repository.findall(text) if not (ROOT / path).exists()]
        wrong += [path + anchor for path, anchor in site.findall(text) if not leads(path, anchor)]
    assert wrong == []


def leads(path, anchor):
    """Return whether the site has this page, and this heading on it."""
    name = path.rstrip("/") or "index"
    found = [page for page in (DOCS / f"{name}.md", DOCS / name / "README.md") if page.exists()]
    if not found or (path and not path.endswith("/")):
        return False
    headings = re.findall(r"^#+ (.*)$", found[0].read_text(), re.MULTILINE)
    ids = {re.sub(r"[^\w\s-]", "", line).strip().lower().replace(" ", "-") for line in headings}
    return not anchor or anchor[1:] in ids


@pytest.mark.long
def test_the_site_can_be_built_without_a_warning(tmp_path):
    zensical = Path(sys.executable).parent / "zensical"
    if not zensical.exists():
        do_without("ACP_SPY_NEEDS_ZENSICAL", "not installed: `pip install --group docs`")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(DOCS, tmp_path / "docs")
    done = subprocess.run(
        [zensical, "build", "--strict"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "site"
    assert (site / "index.html").exists()
    assert (site / "rules" / "index.html").exists()
    pages = [code for code in CATALOGUE if not [*site.glob(f"rules/{code}/index.html")]]
    assert pages == []
