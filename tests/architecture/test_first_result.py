"""A first result loads what its contract needs, and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FIRST = """
import asyncio, json, sys
from judgemesh.mesh import AgentResult, EvalContract, Mesh

async def grade():
    contract = EvalContract.model_validate(json.loads(sys.argv[1]))
    async with Mesh.from_config(contracts=[contract]) as mesh:
        result = {"result_id": "r", "task_id": "t", "output": {"final_answer": "Done.", "name": "Ann"}}
        return await mesh.grade(AgentResult.model_validate(result))

report = asyncio.run(grade())
print(json.dumps([report.gate, sorted(sys.modules)]))
"""
FIELDS: dict[str, object] = {
    "task_id": "t",
    "success_criteria": {"required_outputs": ["name"]},
}
_CHECK = {"id": "a", "validator": "required_fields", "weight": 1}
MOST_MODULES = 124
"""Each module that is loaded costs about 0.15 ms of CPU time; a model or a data class in it 0.3 to 0.5."""
ABSENT = {
    "difflib",
    "judgemesh.contracts.result_parts.actions",
    "judgemesh.contracts.result_parts.changes",
    "judgemesh.contracts.result_parts.claims",
    "judgemesh.contracts.result_parts.trace",
    "judgemesh.contracts.weighted_score",
    "judgemesh.mesh.grading.coverage.near_codes",
    "judgemesh.mesh.judging.build",
    "judgemesh.mesh.runs.redaction",
    "pydantic.dataclasses",
}
"""What neither the contract nor the result has, and messages about mistakes."""
WAITING = {
    "anyio",
    "anyio._backends._asyncio",
    "multiprocessing",
    "sqlalchemy",
    "judgemesh.contracts.needs",
    "judgemesh.contracts.opinions",
    "judgemesh.mesh.grading.waiting",
    "judgemesh.mesh.ledger.store",
    "judgemesh.mesh.sources.resolver",
}
"""What waits for a judge, a source, a thread or a ledger."""


def first(folder: Path, contract: dict[str, object]) -> tuple[str, set[str]]:
    """The gate of a first result in a fresh process, and the modules that are loaded then."""
    run = subprocess.run(
        [sys.executable, "-P", "-c", FIRST, json.dumps(contract)],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    gate, loaded = json.loads(run.stdout)
    return gate, set(loaded)


def test_a_contract_of_fields_loads_nothing_else(tmp_path: Path) -> None:
    gate, loaded = first(tmp_path, FIELDS)
    assert gate == "pass"
    assert not loaded & (WAITING | ABSENT)
    own = {name for name in loaded if name.startswith("judgemesh")}
    assert len(own) <= MOST_MODULES


@pytest.mark.parametrize(
    ("section", "module"),
    [
        ({"sop": {"limits": {"steps": 3}}}, "procedure"),
        ({"state": {"allowed": ["/a"]}}, "effects"),
        ({"tools": {"registry": [{"name": "search"}]}}, "tools"),
        ({"evidence": {}}, "evidence"),
        ({"answer": {"equals": 3}}, "answer"),
        ({"budget": {"ceiling": 3}}, "budget"),
        ({"criteria": [{"id": "a", "question": "Polite?"}]}, "criterion"),
        ({"validators": ["state"]}, "choice"),
        ({"scoring": {"weighted": {"w": {"checks": [_CHECK]}}}}, "weighted"),
    ],
    ids=[
        "sop",
        "state",
        "tools",
        "evidence",
        "answer",
        "budget",
        "criteria",
        "validators",
        "weighted",
    ],
)
def test_a_section_is_loaded_where_a_contract_has_it(
    tmp_path: Path, section: dict[str, object], module: str
) -> None:
    name = f"judgemesh.contracts.sections.{module}"
    assert name not in first(tmp_path, FIELDS)[1]
    assert name in first(tmp_path, {**FIELDS, **section})[1]
