"""Files of other projects are what their manifest says: unchanged, of a known version, with their licence."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

FOLDERS = (
    "mesh/reporting/html/vendor",
    "mesh/viewer/vendor",
    "tests/browser/vendor",
)
LICENCES = frozenset({"0BSD", "ISC", "MIT", "MPL-2.0"})


def packages(folder: Path) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = json.loads(
        (folder / "manifest.json").read_text(encoding="utf-8")
    )
    return data


@pytest.mark.parametrize("name", FOLDERS)
def test_every_vendored_file_has_the_digest_of_its_manifest(
    root: Path, name: str
) -> None:
    folder = root / name
    files = [file for package in packages(folder) for file in package["files"]]
    assert {file["name"]: file["sha256"] for file in files} == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name != "manifest.json"
    }


@pytest.mark.parametrize("name", FOLDERS)
def test_every_vendored_package_has_a_version_and_the_text_of_its_licence(
    root: Path, name: str
) -> None:
    for package in packages(root / name):
        assert package["license"] in LICENCES
        assert package["version"][0].isdigit()
        (licence,) = (
            file["name"]
            for file in package["files"]
            if file["name"].endswith(".LICENSE.txt")
        )
        text = (root / name / licence).read_text(encoding="utf-8")
        assert "Permission" in text or "Mozilla Public License" in text
