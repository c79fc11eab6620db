"""The wheel holds every tracked file of the package, data files included, and nothing else."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

NEEDED = ("pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(
    tmp_path_factory: pytest.TempPathFactory, root: Path, portions: tuple[str, ...]
) -> zipfile.ZipFile:
    """The wheel of a clean copy, built with what is installed, so that no index is asked."""
    folder = tmp_path_factory.mktemp("wheel")
    for path in (*NEEDED, *portions):
        target = folder / "source" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, target)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--quiet",
    ]
    run = subprocess.run(
        [*command, "--wheel-dir", str(folder), str(folder / "source")],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def metadata(wheel: zipfile.ZipFile, name: str) -> str:
    (path,) = (path for path in wheel.namelist() if path.endswith(f".dist-info/{name}"))
    return wheel.read(path).decode()


def test_the_wheel_holds_the_tracked_files(
    wheel: zipfile.ZipFile, portions: tuple[str, ...]
) -> None:
    inside = {path for path in wheel.namelist() if ".dist-info/" not in path}
    assert inside == {f"judgemesh/{path}" for path in portions}


def test_every_portion_is_typed(wheel: zipfile.ZipFile) -> None:
    typed = {path for path in wheel.namelist() if path.endswith("/py.typed")}
    assert typed == {
        f"judgemesh/{folder}/py.typed"
        for folder in ("contracts", "mesh", "prompts", "validators")
    }


def test_the_namespace_has_no_init(wheel: zipfile.ZipFile) -> None:
    # With one, the wheel would shut out every other distribution that adds to the namespace.
    assert "judgemesh/__init__.py" not in wheel.namelist()


def test_every_entry_point_names_something_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    lines = metadata(wheel, "entry_points.txt").splitlines()
    targets = [line.partition("=")[2].strip() for line in lines if "=" in line]
    assert len(targets) > 3
    names = wheel.namelist()
    for target in targets:
        module, _, name = target.partition(":")
        path = module.replace(".", "/")
        package = f"{path}/__init__.py"
        tree = ast.parse(wheel.read(package if package in names else f"{path}.py"))
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        # An entry point of another harness names a module.
        assert not name or name in {
            node.name for node in tree.body if isinstance(node, definitions)
        }, target


def test_the_metadata_says_what_pyproject_says(
    wheel: zipfile.ZipFile, root: Path
) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    lines = metadata(wheel, "METADATA").splitlines()
    assert f"Version: {project['version']}" in lines
    assert f"Requires-Python: {project['requires-python']}" in lines
    assert f"License-Expression: {project['license']}" in lines
    assert "License-File: LICENSE" in lines


ALLOWED = frozenset({".py", ".typed", ".toml", ".json", ".html", ".css", ".js", ".yaml", ".md", ".txt", ".tmpl", ".jinja"})  # fmt: skip
"""Kinds of files in the wheel: no compiled code, no archive, nothing that runs at the start of Python (`.pth`)."""


def test_the_wheel_holds_only_kinds_of_files_that_are_allowed(
    wheel: zipfile.ZipFile,
) -> None:
    inside = [path for path in wheel.namelist() if ".dist-info/" not in path]
    assert {Path(path).suffix for path in inside} <= ALLOWED
    in_metadata = {
        path.partition(".dist-info/")[2]
        for path in wheel.namelist()
        if ".dist-info/" in path
    }
    assert in_metadata == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
        "top_level.txt",
    }
