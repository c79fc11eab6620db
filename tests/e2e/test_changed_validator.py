"""The same command after a validator has changed grades again, in a run of its own."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from .command import judgemesh

CHECKS = """
from judgemesh.contracts.validator import Case, validator
from {package}.limits import LIMIT

@validator(name="brevity", version="1", pure=True)
def brevity(case: Case) -> bool:
    '''The answer is short.'''
    return len(case.result.output.final_answer or "") <= LIMIT
"""
POINTS = "[judgemesh.validators]\nbrevity = {package}.checks:brevity\n"


def install(folder: Path, package: str, limit: int) -> None:
    """A package with an entry point, as pip would lay it out, in a folder of the path."""
    code = folder / package
    code.mkdir(exist_ok=True)
    (code / "__init__.py").write_text("")
    (code / "checks.py").write_text(CHECKS.format(package=package))
    (code / "limits.py").write_text(f"LIMIT = {limit}\n")
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(POINTS.format(package=package))


def test_a_validator_that_changed_is_run_again(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "contract.yaml").write_text(
        "task_id: t\nvalidators: [{name: brevity}]\n"
    )
    result = {
        "result_id": "r",
        "task_id": "t",
        "output": "Forty characters are enough for this one.",
    }
    (tmp_path / "results.jsonl").write_text(json.dumps(result) + "\n")
    gates: list[tuple[str, int]] = []
    # The helper of the validator changes; its version and its own file do not.
    for limit in (100, 100, 10):
        install(site, "brief", limit)
        done = judgemesh(
            *("grade", "results.jsonl", "--contracts", "contract.yaml"),
            *("--ledger", "ledger.db", "--json"),
            cwd=tmp_path,
            expect=None,
            PYTHONPATH=str(site),
            PYTHONDONTWRITEBYTECODE="1",
        )
        assert done.returncode in (0, 1), done.stderr
        with sqlite3.connect(tmp_path / "ledger.db") as ledger:
            [[runs]] = ledger.execute("SELECT count(*) FROM eval_run")
            [[gate]] = ledger.execute(
                "SELECT gate FROM eval_task_result ORDER BY created_at DESC LIMIT 1"
            )
        gates.append((gate, runs))
    assert gates == [("pass", 1), ("pass", 1), ("fail", 2)]
