"""No option, key, id or label is ignored in silence: a table of cases, each through the command's own entry."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final, cast

import pytest
import yaml

from judgemesh.mesh.cli.app import main

from .command import environment

CASES: Final = cast(
    "list[dict[str, Any]]",
    yaml.safe_load(Path(__file__).with_name("silent_options.yaml").read_text()),
)
CONTRACTS: Final = """
- task_id: trip
  family: travel
  success_criteria: {must_include: [price]}
  budget: {ceiling: 0.10}
  scoring:
    weighted:
      completion:
        checks: [{id: said, validator: required_fields, weight: 1}]
- task_id: hotel
  family: travel
  success_criteria: {must_include: [price]}
  budget: {ceiling: 0.10}
"""
CLASSES: Final = ("complete", "partial+", "complete", "partial-")


def graded(cost: float) -> list[dict[str, Any]]:
    """Twelve results of two tasks."""
    rows: list[dict[str, Any]] = []
    for number in range(12):
        row = {"result_id": f"r{number}", "task_id": ("trip", "hotel")[number % 2]}
        rows.append({**row, "outcome": CLASSES[number % 4], "cost": cost})
    return rows


def inputs() -> dict[str, list[dict[str, Any]]]:
    """Every file of the table that has rows."""
    rows = graded(0.11)
    first = rows[0]
    costless = [{**row, "cost": None} for row in rows]
    result = {"result_id": "r0", "task_id": "trip", "output": {"final_answer": "3"}}
    axis = {"tsa": {"decisions": 9, "correct": 8}, "pq": 8}
    kills = {"early": 10, "mid": 7, "late": 7}
    answers = {"result_id": "r1", "answers": {"a": True, "b": False}}
    return {
        "rows": rows,
        "costly": graded(1.1),
        "costless": costless,
        "half_costs": [*costless[:5], *rows[5:]],
        "failed_complete": [{**first, "gate": "fail"}],
        "dated": [{**row, "date": "2026-03-02"} for row in rows],
        "some": [*rows, {**first, "result_id": "x", "task_id": "elsewhere"}],
        "ceilings": [{**first, "result_id": "r1", "ceiling": 5}],
        "labels": [{"result_id": "r0", "outcome_class": "hallucinated"}],
        "ann": [{"result_id": "r0", "outcome_class": "hallucinated"}],
        "strangers": [{"result_id": "stranger", "outcome_class": "complete"}],
        "mixed": [
            {"result_id": "r0", "outcome_class": "complete"},
            {"result_id": "stranger", "outcome_class": "complete"},
        ],
        "capped": [{**row, "ceiling": 0.2} for row in rows],
        "capped_costless": [
            {**row, "ceiling": 0.2} for row in (*costless[:5], *rows[5:])
        ],
        "one_task": [{**row, "task_id": "trip"} for row in rows],
        "typo": [{"result_id": "r0", "outcome": "complete", "cots": 3}],
        "task": [{"result_id": "r0", "task": "trip", "outcome": "complete"}],
        "id": [{"id": "r0", "outcome": "complete"}],
        "extra": [{**first, "model": "m", "notes": "n"}],
        "twice": [{**first, "result_id": "r1"}, {**rows[2], "result_id": "r1"}],
        "two_costs": [{**first, "agent_cost": 4}],
        "two_classes": [{**first, "score": 1}],
        "unnamed": [{"outcome": "complete"}, {"outcome": "partial-"}],
        "unpaired": [{"task_id": f"t{n}", "outcome": "complete"} for n in range(3)],
        "answers": [answers],
        "answers_twice": [answers, answers],
        "answers_typo": [{**answers, "goal_confimed": True}],
        "axes": [{"task_id": name, **axis, "ra": kills} for name in ("trip", "hotel")],
        "axes_typo": [{"task_id": "trip", "tas": {}, "pq": 8}],
        "results": [result, {**result, "result_id": "r1", "task_id": "hotel"}],
        "steps": [{"event_type": "run.started"}],
    }


def command(
    folder: Path, line: str, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the entry point to its end within this process."""
    arguments = shlex.split(line)
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["judgemesh", *arguments])
        for name, value in {**environment(), **env}.items():
            patch.setenv(name, value)
        with (
            redirect_stdout(out),
            redirect_stderr(err),
            pytest.raises(SystemExit) as left,
        ):
            main()
    code = cast("int | None", left.value.code) or 0
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The inputs of the table, and a ledger with one run."""
    folder = tmp_path_factory.mktemp("silent")
    for name, rows in inputs().items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines)
    (folder / "contracts.yaml").write_text(CONTRACTS)
    (folder / "foreign.yaml").write_text(
        CONTRACTS.replace("task_id: ", "task_id: far_")
    )
    check = "validator: required_fields,"
    (folder / "mistaken.yaml").write_text(
        CONTRACTS.replace(check, "validator: spending, check: costs,")
    )
    (folder / "band.yaml").write_text(
        CONTRACTS.replace("completion:\n", "completion:\n        bands: {good: 0.9}\n")
    )
    (folder / "broken.yaml").write_text("task_idd: trip\n")
    (folder / "agent.yaml").write_text("task_id: trip\nagent: {command: [none]}\n")
    done = command(
        folder, "grade results.jsonl -c contracts.yaml -o reports.jsonl -q", {}
    )
    assert done.returncode == 1, done.stderr
    return folder


def test_the_table_has_enough_cases() -> None:
    assert len(CASES) >= 60
    assert len({(case["run"], str(case.get("env"))) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case["run"] for case in CASES])
def test_nothing_is_ignored_in_silence(folder: Path, case: dict[str, Any]) -> None:
    done = command(folder, case["run"], case.get("env", {}))
    assert "Traceback" not in done.stderr
    if "refused" in case:
        assert done.returncode == 2, done.stdout + done.stderr
        line = next(line for line in done.stderr.splitlines() if "error: " in line)
        assert case["refused"] in line
        return
    assert done.returncode == 0, done.stderr
    if "said" in case:
        assert case["said"] in done.stderr
        return
    plain = command(folder, case["unlike"], {})
    assert plain.returncode == 0, plain.stderr
    assert done.stdout != plain.stdout
