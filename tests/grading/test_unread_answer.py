"""An answer that the converted transcript does not hold is unread, which is not absent: undecided, never a grade."""

from __future__ import annotations

from typing import Any, Final

import pytest

from judgemesh.contracts.report import Gate
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.verdicts import Abstain, Fail, Pass
from judgemesh.mesh.runs.sync import grade_sync

SECTIONS: Final[dict[str, dict[str, Any]]] = {
    "required_fields": {"success_criteria": {"required_outputs": ["order_id"]}},
    "expected_answer": {"answer": {"equals": "42"}},
    "output_format": {"output_schema": {"type": "object", "required": ["a"]}},
    "forbidden": {"success_criteria": {"must_not_match": ["password"]}},
    "completion": {"validators": ["completion"]},
}


def _gate(section: dict[str, Any], **result: Any) -> tuple[Gate, dict[str, type]]:
    contract = {"task_id": "t", "task_name": "T", **section}
    given = {"result_id": "r", "task_id": "t", "status": "completed", **result}
    (report,) = grade_sync([AgentResult.model_validate(given)], contracts=[contract])
    kinds = {row.validator_name: type(row.verdict) for row in report.verdicts}
    return report.gate, kinds


@pytest.mark.parametrize("name", SECTIONS)
def test_an_answer_that_is_not_in_the_file_is_not_graded(name: str) -> None:
    lost = {"metadata": {"not_in_the_file": ["answer"]}, "output": {}}
    gate, kinds = _gate(SECTIONS[name], **lost)

    assert gate is Gate.UNDECIDED
    assert Fail not in kinds.values()
    own = "forbidden_content" if name == "forbidden" else name
    assert kinds[own] is Abstain


@pytest.mark.parametrize("name", ["required_fields", "expected_answer", "completion"])
def test_an_absent_answer_fails_as_before(name: str) -> None:
    assert _gate(SECTIONS[name], output={})[0] is Gate.FAIL


def test_an_answer_that_is_there_is_graded_whatever_else_is_not_in_the_file() -> None:
    there = {"metadata": {"not_in_the_file": ["answer"]}, "output": "42"}
    gate, kinds = _gate(SECTIONS["expected_answer"], **there)

    assert (gate, kinds["expected_answer"]) == (Gate.PASS, Pass)
