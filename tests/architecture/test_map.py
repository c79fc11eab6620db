"""The pages that describe the tree agree with it, and every module says what it is for."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

PATH = re.compile(
    r"`((?:contracts|prompts|validators|mesh|tests|benchmarks|examples|docs)/[\w./-]*)`"
)
DOTTED = re.compile(r"\bjudgemesh(?:\.[a-z_]\w*)+")
EXAMPLES = frozenset(
    {
        "validators/greeting.py",
        "tests/validators/test_greeting.py",
        "tests/integrations/NAME",
    }
)
"""Paths that a page tells the reader to make."""
ATTRIBUTES = frozenset(
    {"judgemesh.state_type", "judgemesh.suggestion", "judgemesh.redactors"}
)
"""Span attributes, names of schemas and entry points of others alone, which have the form of a module's name."""
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def architecture(root: Path) -> str:
    return (root / "docs" / "explanation" / "architecture.md").read_text(
        encoding="utf-8"
    )


@pytest.fixture(scope="module")
def layers(root: Path) -> list[str]:
    """The packages of `mesh/` that exist, from the top layer down."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if "judgemesh.mesh" in contract.get("containers", ()):
            lines: list[str] = contract["layers"]
            names = [name for line in lines for name in re.findall(r"\w+", line)]
            return [name for name in names if (root / "mesh" / name).is_dir()]
    raise AssertionError("no layers")


def section(text: str, title: str) -> str:
    """The text below a second-level heading."""
    parts = HEADING.split(text)
    return parts[parts.index(title) + 1]


def pages(root: Path) -> list[Path]:
    decisions = root / "docs" / "decisions"
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    # Decisions and the changelog tell of the tree as it was when they were written; docs/generated is not tracked.
    return [
        page
        for page in found
        if page.parent not in (decisions, root / "docs" / "generated")
        and page.name != "CHANGELOG.md"
    ]


def test_the_table_of_packages_lists_every_package_in_the_order_of_the_layers(
    architecture: str, layers: list[str]
) -> None:
    table = section(architecture, "Packages")
    rows = re.findall(r"^\| `mesh/(\w+)/` \|", table, re.MULTILINE)
    assert rows == layers


def test_the_picture_shows_every_package(architecture: str, layers: list[str]) -> None:
    picture = section(architecture, "Packages").split("```")[1]
    shown = re.findall(r"\w+", picture)
    assert [name for name in layers if name not in shown] == []


@pytest.mark.parametrize(
    "title", ["The path of a result", "The path of a question", "Where is the rule"]
)
def test_the_modules_of_both_paths_and_of_the_questions_exist(
    architecture: str, root: Path, title: str
) -> None:
    paths = PATH.findall(section(architecture, title))
    assert len(paths) >= 8
    assert [path for path in paths if not (root / path).exists()] == []


def test_there_are_ten_questions_and_each_names_one_place(architecture: str) -> None:
    table = section(architecture, "Where is the rule")
    rows = re.findall(r"^\| (?!---)(?!question)(.+?) \| (.+) \|$", table, re.MULTILINE)
    assert len(rows) == 10
    assert [row for row in rows if len(PATH.findall(row[1])) != 1] == []


def test_paths_that_pages_name_exist(root: Path) -> None:
    missing: list[str] = []
    for page in pages(root):
        for path in PATH.findall(page.read_text(encoding="utf-8")):
            if path not in EXAMPLES and not (root / path).exists():
                missing.append(f"{page.relative_to(root)}: {path}")
    assert missing == []


def test_modules_that_pages_name_exist(root: Path) -> None:
    missing: list[str] = []
    for page in pages(root):
        for name in DOTTED.findall(page.read_text(encoding="utf-8")):
            if name not in ATTRIBUTES and not names_something(root, name):
                missing.append(f"{page.relative_to(root)}: {name}")
    assert missing == []


def names_something(root: Path, dotted: str) -> bool:
    """Whether a dotted name is an entry-point group, a package, a module, or a name that a module defines."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    if dotted in settings["project"]["entry-points"]:
        return True
    folder = root
    parts = dotted.split(".")[1:]
    for position, part in enumerate(parts):
        if (folder / part).is_dir():
            folder /= part
            continue
        module = folder / f"{part}.py"
        if module.is_file():
            rest = parts[position + 1 :]
        else:
            module, rest = folder / "__init__.py", parts[position:]
        text = module.read_text(encoding="utf-8") if module.is_file() else ""
        return not rest or re.search(rf"\b{rest[0]}\b", text) is not None
    return True


def test_the_map_for_contributors_names_the_folders_there_are(
    root: Path, tracked: tuple[str, ...]
) -> None:
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?/`) \|", section(text, "Map"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([\w./]+)/`", row)}
    folders = {path.partition("/")[0] for path in tracked if "/" in path}
    assert named >= {folder for folder in folders if not folder.startswith(".")}
    assert [name for name in named if not (root / name).is_dir()] == []


def test_every_module_says_what_it_is_for(
    root: Path, portions: tuple[str, ...]
) -> None:
    silent: list[str] = []
    openings: dict[str, str] = {}
    for path in portions:
        if not path.endswith(".py"):
            continue
        text = (root / path).read_text(encoding="utf-8")
        opening = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
        if not text.strip() and path.endswith("__init__.py"):
            continue  # its folder is described by docs/explanation/architecture.md
        if len(opening.split()) < 4 or opening in openings:
            silent.append(f"{path}: {opening!r} {openings.get(opening, '')}")
        openings[opening] = path
    assert silent == []
