"""What an explanation says a pass needs: something for every code that can fail the gate."""

from __future__ import annotations

import pytest

from judgemesh.contracts.codes import CODES, Effect, FailureCode
from judgemesh.mesh.grading.requirements import REQUIREMENTS, requirement_of
from judgemesh.mesh.runs.sync import grade_sync

GATING = [code for code in FailureCode if CODES[code].effect is Effect.GATE]


@pytest.mark.parametrize("code", GATING)
def test_every_gate_code_says_what_a_pass_needs(code: FailureCode) -> None:
    assert REQUIREMENTS[code]


def test_a_low_score_names_its_threshold() -> None:
    code = FailureCode.LOW_READABILITY_SCORE
    assert requirement_of(code) == (
        "the score behind LOW_READABILITY_SCORE reaches its threshold"
    )


def test_the_explanation_says_what_would_have_to_be_different() -> None:
    contract = {
        "task_id": "t",
        "success_criteria": {"must_include": ["invoice_number"]},
    }
    result = {"result_id": "r", "task_id": "t", "output": "The invoice was sent."}
    (report,) = grade_sync([result], contracts=[contract])
    assert report.explanation.startswith("The gate failed with MISSING_REQUIRED_FIELD")
    assert "A pass needs: the answer gives a value for every required field." in (
        report.explanation
    )
