"""Importing judgemesh loads little and changes nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TypedDict

import pytest

PROBE = Path(__file__).with_name("import_probe.py")
COMMAND = Path(sys.executable).with_name("judgemesh")
HEAVY = {
    "aiohttp",
    "httptools",
    "google",
    "httpx",
    "jsonschema_rs",
    "litellm",
    "numpy",
    "openai",
    "re2",
    "rich",
    "sqlalchemy",
    "yaml",
}


# They derive from a class of the harness, so that they can be imported only where the harness is (tests/integrations).
GUESTS = {
    f"mesh/integrations/{harness}.py"
    for harness in ("deepeval", "inspect_ai", "opik", "phoenix", "pydantic_evals")
}


class Seen(TypedDict):
    """What the probe prints."""

    loaded: list[str]
    effects: list[str]


def probe(folder: Path, *modules: str) -> Seen:
    """Import `modules` in a fresh process whose working directory is the empty `folder`."""
    command = [sys.executable, "-P", str(PROBE), *modules]
    run = subprocess.run(
        command, cwd=folder, check=False, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    seen: Seen = json.loads(run.stdout)
    return seen


def module_name(path: str) -> str:
    return "judgemesh." + path.removesuffix(".py").removesuffix("/__init__").replace(
        "/", "."
    )


# The first is lazy: the others are what its names bring when they are used.
PUBLIC = ("judgemesh.mesh", "judgemesh.mesh.runs.mesh", "judgemesh.mesh.config")


def test_the_public_api_loads_no_heavy_library(tmp_path: Path) -> None:
    assert HEAVY.isdisjoint(probe(tmp_path, *PUBLIC)["loaded"])


def test_the_contracts_load_pydantic_and_the_standard_library_only(
    tmp_path: Path, portions: tuple[str, ...]
) -> None:
    modules = [
        module_name(path)
        for path in portions
        if path.startswith("contracts/") and path.endswith(".py")
    ]
    bare = set(
        probe(tmp_path, "pydantic", "annotated_types", "typing_inspection")["loaded"]
    )
    extra = (
        set(probe(tmp_path, "pydantic", *modules)["loaded"])
        - bare
        - sys.stdlib_module_names
    )
    # Named after the platform, and so not in the list of the standard library's modules.
    assert {name for name in extra if not name.startswith("_sysconfigdata_")} == {
        "judgemesh"
    }


def test_importing_the_public_api_changes_nothing(tmp_path: Path) -> None:
    assert probe(tmp_path, *PUBLIC)["effects"] == []
    assert list(tmp_path.iterdir()) == []


def test_no_module_does_anything_when_imported(
    tmp_path: Path, portions: tuple[str, ...]
) -> None:
    modules = [
        module_name(path)
        for path in portions
        if path.endswith(".py") and path not in GUESTS
    ]
    # numpy sets a variable for its linear algebra while it loads; that is not our doing.
    seen = probe(tmp_path, "+numpy", *modules)
    assert seen["effects"] == []
    assert "litellm" not in seen["loaded"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["grade", "--help"], ["validators", "--help"]],
)
def test_help_loads_no_heavy_library(tmp_path: Path, arguments: list[str]) -> None:
    # rich draws the help; everything else would only make people wait for it.
    command = [sys.executable, "-P", "-X", "importtime", str(COMMAND), *arguments]
    run = subprocess.run(
        command,
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"COLUMNS": "100"},
    )
    assert run.returncode == 0, run.stderr[-2000:]
    loaded = {
        line.rpartition("|")[2].strip().partition(".")[0]
        for line in run.stderr.splitlines()
    }
    assert "judgemesh" in loaded
    assert (HEAVY - {"rich"}).isdisjoint(loaded)


@pytest.mark.parametrize(
    ("source", "effect"),
    [
        (
            "import os\nos.environ.get('HOME')",
            "judgemesh.rude read the environment variable HOME",
        ),
        ("import os\nos.environ['RUDE'] = '1'", "changed: environment"),
        ("import os\nos.mkdir('rude')", "os.mkdir"),
        ("open('rude', 'w').close()", "opened rude for writing"),
        ("import logging\nlogging.basicConfig()", "changed: root log handlers"),
        (
            "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
            "changed: threads",
        ),
        ("import sqlite3\nsqlite3.connect(':memory:').close()", "sqlite3.connect"),
    ],
)
def test_the_probe_sees_what_it_is_there_to_see(
    tmp_path: Path, source: str, effect: str
) -> None:
    (tmp_path / "site" / "judgemesh").mkdir(parents=True)
    (tmp_path / "site" / "judgemesh" / "rude.py").write_text(source)
    command = [sys.executable, "-P", str(PROBE), "judgemesh.rude"]
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path / "site"),
        "HOME": str(tmp_path),
    }
    run = subprocess.run(
        command,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
    )
    seen: Seen = json.loads(run.stdout)
    assert any(line.startswith(effect) for line in seen["effects"]), seen["effects"]
