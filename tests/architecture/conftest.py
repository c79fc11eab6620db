"""What the tests of this folder look at: the repository itself."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def tracked(root: Path) -> tuple[str, ...]:
    """Paths of the files git tracks, or would with the next commit, relative to `root`."""
    found = (
        _listed_by_git(root)
        if (root / ".git").exists() and shutil.which("git")
        else _unpacked(root)
    )
    paths = sorted(
        path
        for path in set(found)
        if not path.startswith(".src/") and (root / path).is_file()
    )
    assert "pyproject.toml" in paths
    return tuple(paths)


def _listed_by_git(root: Path) -> list[str]:
    # The checkout may belong to another user than the one who runs the tests, in a container for instance.
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    return subprocess.run(
        command, cwd=root, check=True, capture_output=True, text=True
    ).stdout.split("\0")


def _unpacked(root: Path) -> list[str]:
    """All files of an unpacked archive but those that tests and tools leave behind."""
    ignored = [
        line.rstrip("/")
        for line in (root / ".gitignore").read_text(encoding="utf-8").splitlines()
    ]
    files = (path.relative_to(root) for path in root.rglob("*"))
    left = (
        path
        for path in files
        if not any(fnmatch(part, pattern) for part in path.parts for pattern in ignored)
    )
    return [path.as_posix() for path in left if path.parts[0] != ".git"]


@pytest.fixture(scope="session")
def portions(tracked: tuple[str, ...]) -> tuple[str, ...]:
    """The tracked files that belong to the package `judgemesh`."""
    folders = ("contracts/", "mesh/", "prompts/", "validators/")
    return tuple(path for path in tracked if path.startswith(folders))


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    """The `[project]` table."""
    table: dict[str, Any] = tomllib.loads(
        (root / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    return table
