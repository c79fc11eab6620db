"""The direction of imports: the rules of pyproject.toml hold, and each of them would notice."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

LINTER = Path(sys.executable).with_name("lint-imports")

# New modules that go against the direction, at least one for each rule; a lazy import counts like any other.
VIOLATIONS = {
    "contracts/zz_upward.py": "import judgemesh.prompts\nimport judgemesh.mesh\n",
    "contracts/zz_impure.py": "import os\n",
    "validators/zz_engine.py": "def late():\n    import judgemesh.mesh\n",
    "mesh/judging/zz_validators.py": "import judgemesh.validators\n",
    "mesh/ledger/zz_prompts.py": "import judgemesh.prompts\n",
    "mesh/state/zz_upward.py": "def late():\n    import judgemesh.mesh.cli\n",
    "mesh/zz_unplaced.py": "",
    "prompts/zz_one.py": "import judgemesh.prompts.zz_two\n",
    "prompts/zz_two.py": "def late():\n    import judgemesh.prompts.zz_one\n",
}


def lint(folder: Path) -> tuple[dict[str, str], str]:
    """Each rule's name with KEPT or BROKEN, and all import-linter says, about the copy in `folder`."""
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        "PYTHONSAFEPATH": "1",
        "NO_COLOR": "1",
    }
    command = [str(LINTER), "--no-cache", "--config", str(folder / "pyproject.toml")]
    run = subprocess.run(
        command,
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    said = run.stdout + run.stderr
    verdicts = dict(
        re.findall(r"^(.+) (KEPT|BROKEN)\b", run.stdout, flags=re.MULTILINE)
    )
    assert verdicts, said
    assert (run.returncode == 0) == (set(verdicts.values()) == {"KEPT"}), said
    return verdicts, said


@pytest.fixture
def copy(tmp_path: Path, root: Path, portions: tuple[str, ...]) -> Path:
    """A copy of the package that a test may spoil."""
    shutil.copy(root / "pyproject.toml", tmp_path)
    for path in portions:
        target = tmp_path / "src" / "judgemesh" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, target)
    return tmp_path


@pytest.fixture(scope="module")
def rules(root: Path) -> set[str]:
    config = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        contract["name"] for contract in config["tool"]["importlinter"]["contracts"]
    }


def test_the_rules_hold(copy: Path, rules: set[str]) -> None:
    verdicts, said = lint(copy)
    assert verdicts == dict.fromkeys(rules, "KEPT"), said


def test_every_rule_notices_its_violation(copy: Path, rules: set[str]) -> None:
    for path, source in VIOLATIONS.items():
        (copy / "src" / "judgemesh" / path).write_text(source, encoding="utf-8")
    verdicts, said = lint(copy)
    assert verdicts == dict.fromkeys(rules, "BROKEN"), said
    assert all(Path(path).stem in said for path in VIOLATIONS), said
