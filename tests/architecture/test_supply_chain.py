"""What is installed: no release that is known to be bad, digests in step with the pins, a reason for each dependency."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

KNOWN_BAD: Final = {
    # Uploads that stole credentials, one from a .pth file at every start of Python.
    ("litellm", "1.82.7"): "https://github.com/BerriAI/litellm/issues/24518",
    ("litellm", "1.82.8"): "https://github.com/BerriAI/litellm/issues/24518",
}
"""Releases that must never be installed, each with its source."""
USER_EXTRAS: Final = ("documents", "postgres", "view", "inspect", "parquet", "cluster")
_PIN: Final = re.compile(
    r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE
)
_DIGEST: Final = re.compile(r"--hash=sha256:[0-9a-f]{64}\b")


def pins(path: Path) -> set[tuple[str, str]]:
    """Names with versions. A name has several where they depend on the platform."""
    text = path.read_text(encoding="utf-8")
    return {(canonicalize_name(name), version) for name, version in _PIN.findall(text)}


def pinned_files(root: Path) -> Iterator[Path]:
    yield root / "constraints.txt"
    yield root / "constraints-hashes.txt"
    yield from sorted(root.glob("tests/integrations/**/requirements.txt"))


def requirements(project: dict[str, Any], *extras: str) -> list[Requirement]:
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return [Requirement(line) for line in lines if not line.startswith("judgemesh[")]


@pytest.mark.parametrize(("name", "version"), KNOWN_BAD)
def test_no_known_bad_release_is_pinned_allowed_or_installed(
    root: Path, project: dict[str, Any], name: str, version: str
) -> None:
    files = list(pinned_files(root))
    assert len(files) > 3
    for path in files:
        assert (name, version) not in pins(path), path
    allowed = [
        requirement
        for requirement in requirements(project, *project["optional-dependencies"])
        if canonicalize_name(requirement.name) == name
    ]
    assert allowed, "no dependency any more: take the row out of the table"
    assert not any(requirement.specifier.contains(version) for requirement in allowed)
    installed = {
        (canonicalize_name(found.name), found.version) for found in distributions()
    }
    assert (name, version) not in installed


def test_the_digests_are_in_step_with_the_pins(
    root: Path, project: dict[str, Any]
) -> None:
    path = root / "constraints-hashes.txt"
    hashed, pinned = pins(path), pins(root / "constraints.txt")
    assert hashed <= pinned, "run `make constraints`"
    wanted = {
        canonicalize_name(requirement.name)
        for requirement in requirements(project, *USER_EXTRAS)
    }
    assert wanted <= {name for name, _ in hashed}, "run `make constraints`"
    entries = re.split(r"\n(?=\S)", path.read_text(encoding="utf-8").strip())
    assert len(entries) == len(hashed)
    assert [entry for entry in entries if not _DIGEST.search(entry)] == []


def test_the_extras_of_users_are_those_of_the_makefile(
    root: Path, project: dict[str, Any]
) -> None:
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    assert f"USED := {' '.join(USER_EXTRAS)}\n" in makefile
    ours = {"sbom", "test", "check"}
    assert set(project["optional-dependencies"]) == {*USER_EXTRAS, *ours}


def test_every_dependency_has_its_reason(root: Path, project: dict[str, Any]) -> None:
    page = root / "docs" / "decisions" / "0002-dependencies.md"
    reasons: set[str] = set()
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            names = re.sub(r"\(.*?\)", "", line.split("|")[1])
            reasons.update(
                canonicalize_name(name.strip().removesuffix(" Core"))
                for name in names.split(",")
            )
    wanted = {
        canonicalize_name(requirement.name)
        for requirement in requirements(project, *project["optional-dependencies"])
    }
    assert wanted - reasons == set()
    assert reasons - wanted == {"library", "for work on the repository"}
