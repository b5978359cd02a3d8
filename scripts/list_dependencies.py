"""
Print what acp-spy needs to run, as it is installed here: names, versions, licences.

A bill of materials as CycloneDX has it, made from the metadata of the installed packages alone: no
server is asked. `--table` is for people.
"""

# ruff: noqa: INP001 - a script, run by its path

import argparse
import json
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Any

_OPTIONAL = re.compile(r"""\bextra\s*==\s*['"]""")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def closure(name: str) -> dict[str, metadata.Distribution]:
    """Return what is installed of `name` and all that it needs, by normalized name."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [name]
    while waiting:
        key = normalized(waiting.pop())
        if key in found:
            continue
        try:
            found[key] = metadata.distribution(key)
        except metadata.PackageNotFoundError:
            continue  # for another platform or another Python
        waiting += needed_by(found[key])
    return found


def needed_by(package: metadata.Distribution) -> Iterator[str]:
    """Give the names of what `package` needs; what only an extra needs is left out."""
    for requirement in package.requires or ():
        if not _OPTIONAL.search(requirement) and (name := _NAME.match(requirement)):
            yield name.group()


def normalized(name: str) -> str:
    """Return a package's name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(package: metadata.Distribution) -> str:
    """Return the licence: an SPDX expression where there is one, else what the author says."""
    if expression := _field(package, "License-Expression"):
        return expression
    classified = [
        line.rpartition(" :: ")[2]
        for line in package.metadata.get_all("Classifier") or ()
        if line.startswith("License :: ")
    ]
    written = _field(package, "License").strip().splitlines()
    return ", ".join(classified) or (written[0] if written else "not told")


def bill(packages: dict[str, metadata.Distribution]) -> dict[str, Any]:
    """Return the bill of materials; the same packages give the same bill."""
    first, *others = (_component(name, package) for name, package in packages.items())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**first, "type": "application"}},
        "components": sorted(others, key=lambda component: component["name"]),
        "dependencies": [
            {
                "ref": _ref(name, package),
                "dependsOn": sorted(
                    _ref(key, packages[key])
                    for key in {normalized(needed) for needed in needed_by(package)}
                    if key in packages
                ),
            }
            for name, package in sorted(packages.items())
        ],
    }


def _component(name: str, package: metadata.Distribution) -> dict[str, Any]:
    licence = licence_of(package)
    is_expression = bool(_field(package, "License-Expression"))
    return {
        "type": "library",
        "bom-ref": _ref(name, package),
        "name": name,
        "version": package.version,
        "purl": _ref(name, package),
        "licenses": [{"expression": licence} if is_expression else {"license": {"name": licence}}],
    }


def _field(package: metadata.Distribution, name: str) -> str:
    return next(iter(package.metadata.get_all(name) or ()), "")


def _ref(name: str, package: metadata.Distribution) -> str:
    return f"pkg:pypi/{name}@{package.version}"


def main() -> None:
    """Print the bill, or the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().partition("\n")[0])
    parser.add_argument("--table", action="store_true", help="a table instead of CycloneDX JSON")
    packages = closure("acp-spy")
    if parser.parse_args().table:
        for name, package in sorted(packages.items()):
            sys.stdout.write(f"{name:22} {package.version:12} {licence_of(package)}\n")
    else:
        sys.stdout.write(json.dumps(bill(packages), indent=2) + "\n")


if __name__ == "__main__":
    main()
