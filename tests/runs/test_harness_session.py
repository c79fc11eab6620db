"""A session of a harness ends quietly, whatever became of its mesh."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.integrations.session import Session


def test_a_session_whose_mesh_could_not_be_opened_can_be_closed(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.yaml")
    session = Session(MeshConfig(contracts=missing, ledger=None))
    for _ in range(2):
        with pytest.raises(ContractError, match="cannot be read"):
            session.grade({"result_id": "a", "task_id": "t"})
    session.close()
    session.close()
    assert session.closed
