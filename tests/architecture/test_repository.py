"""What the tracked files may and may not say."""

from __future__ import annotations

import re
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.version import VERSION

# Put together here, so that this file does not hold what it looks for.
HOSTS = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
    )
)
OPTIONS = tuple(
    "-".join(parts)
    for parts in (("index", "url"), ("find", "links"), ("trusted", "host"))
)
OPTION_VARIABLES = ("UV" + "_INDEX", "PIP" + "_INDEX", "PIP" + "_EXTRA")
HOME = re.compile(r"(?<![\w.])/(?:home|Users|root)/[\w.-]+|\b[A-Z]:\\Users\\")
COMMIT_FREE = ("build/", "dist/", ".venv/")


@pytest.fixture(scope="module")
def texts(root: Path, tracked: tuple[str, ...]) -> dict[str, str]:
    """Every tracked text file by path."""
    found: dict[str, str] = {}
    for path in tracked:
        raw = (root / path).read_bytes()
        if b"\0" not in raw:
            found[path] = raw.decode(errors="replace")
    return found


@pytest.mark.parametrize("needle", [*HOSTS, *OPTIONS, *OPTION_VARIABLES])
def test_no_file_names_a_package_index(texts: dict[str, str], needle: str) -> None:
    assert [path for path, text in texts.items() if needle in text] == []


def test_no_file_names_this_checkout(root: Path, texts: dict[str, str]) -> None:
    # A checkout right under the top, such as /app, is too common a word to look for.
    needles = [str(folder) for folder in (root, root.parent) if len(folder.parts) > 2]
    assert [
        (path, needle)
        for path, text in texts.items()
        for needle in needles
        if needle + "/" in text
    ] == []


def test_no_configuration_or_page_names_a_home_folder(texts: dict[str, str]) -> None:
    # Tests and examples may hold invented paths: what an agent says it wrote, what an attacker tries to read.
    pages = {
        path: text
        for path, text in texts.items()
        if not path.startswith(("tests/", "examples/"))
    }
    assert [
        (path, found[0])
        for path, text in pages.items()
        if (found := HOME.search(text)) is not None
    ] == []


def test_nothing_built_is_tracked(tracked: tuple[str, ...]) -> None:
    assert [
        path
        for path in tracked
        if path.startswith(COMMIT_FREE) or "__pycache__" in path
    ] == []


def test_constraints_hold_versions_only(root: Path) -> None:
    # The shape of a line: name==version, and for whom.
    line = re.compile(r"[a-z0-9][a-z0-9-]*==[0-9][\w.!+]*(?: ; [\w\s.'<>=!()]+)?")
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [text for text in lines if not line.fullmatch(text)] == []
    assert len(lines) > 50


def test_every_direct_dependency_is_constrained(
    root: Path, project: dict[str, Any]
) -> None:
    pinned = {
        line.partition("==")[0]
        for line in (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    }
    wanted = [
        *project["dependencies"],
        *(
            name
            for extra in project["optional-dependencies"].values()
            for name in extra
        ),
    ]
    names = {
        re.split(r"[\[<>=!;~ ]", requirement, maxsplit=1)[0].lower()
        for requirement in wanted
    }
    assert names - pinned == {"judgemesh"}


def test_the_version_is_one(root: Path, project: dict[str, Any]) -> None:
    assert version("judgemesh") == project["version"] == VERSION
    assert f"## [{VERSION}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "group", ["judgemesh.validators", "judgemesh.sources", "console_scripts"]
)
def test_our_entry_points_load(group: str) -> None:
    ours = [
        point
        for point in entry_points(group=group)
        if point.value.startswith("judgemesh.")
    ]
    assert ours
    for point in ours:
        assert callable(point.load()), point
