"""A session of a harness ends quietly, whatever became of its mesh."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.integrations.session import Session


def test_a_sample_without_a_task_is_told_how_to_name_one() -> None:
    def contract(task: str) -> dict[str, object]:
        return {"task_id": task, "success_criteria": {"must_include": ["total"]}}

    for contracts, says in (
        ([], "no contracts are given: name them with contracts="),
        (
            [contract("a"), contract("b")],
            "there are 2 contracts: give task=, or task_id",
        ),
    ):
        session = Session(MeshConfig(contracts=contracts, ledger=None))
        graded = session.grade({"result_id": "r", "task_id": "", "output": "total: 7"})
        session.close()
        assert graded.report.gate == "undecided"
        assert says in graded.report.explanation


def test_one_contract_needs_no_task() -> None:
    contract = {"task_id": "a", "success_criteria": {"must_include": ["total"]}}
    session = Session(MeshConfig(contracts=[contract], ledger=None))
    graded = session.grade({"result_id": "r", "output": "total: 7"})
    session.close()
    assert graded.report.gate == "pass"


def test_a_session_whose_mesh_could_not_be_opened_can_be_closed(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.yaml")
    session = Session(MeshConfig(contracts=missing, ledger=None))
    for _ in range(2):
        with pytest.raises(ContractError, match="cannot be read"):
            session.grade({"result_id": "a", "task_id": "t"})
    session.close()
    session.close()
    assert session.closed
