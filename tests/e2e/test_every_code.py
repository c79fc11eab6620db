"""Every code of the taxonomy comes out of the public command line: one grading of examples/every_code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.codes import CODES, Effect, FailureCode

from .command import judgemesh, lines

CASES = Path(__file__).resolve().parents[2] / "examples" / "every_code"
BESIDE = {
    FailureCode.INCOMPLETE_ANSWER: {FailureCode.LOW_COMPLETENESS_SCORE},
    FailureCode.LOW_COMPLETENESS_SCORE: {FailureCode.MISSING_REQUIRED_FIELD},
    FailureCode.LOW_EVIDENCE_VALIDITY_SCORE: {FailureCode.CITATION_NOT_FOUND},
    FailureCode.LOW_EVIDENCE_CONSISTENCY_SCORE: {FailureCode.CONTRADICTED_BY_EVIDENCE},
    FailureCode.LOW_METHODOLOGY_SCORE: {FailureCode.SOP_NOT_FOLLOWED},
}
"""What a sub-score below its threshold cannot come without, and the other way round."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("every_code")
    judgemesh(
        *("grade", CASES / "results.jsonl", "--contracts", CASES / "contracts.yaml"),
        "--no-preflight",  # one source cannot be read on purpose
        *(
            "--judge",
            f"replay:{CASES / 'judge.jsonl'}",
            "-o",
            "reports.jsonl",
            "--quiet",
        ),
        *("--fail-under", "0", "--fail-on-error", "1"),
        cwd=folder,
    )
    return {report["result_id"]: report for report in lines(folder / "reports.jsonl")}


def test_there_is_one_case_for_each_code(reports: Mapping[str, dict[str, Any]]) -> None:
    assert set(reports) == {code.value.lower() for code in FailureCode}


@pytest.mark.parametrize("code", FailureCode)
def test_the_code_is_said_and_has_its_effect(
    code: FailureCode, reports: Mapping[str, dict[str, Any]]
) -> None:
    report = reports[code.value.lower()]
    said = set(report["failure_reason_codes"])
    assert code in said, json.dumps(report["verdicts"], indent=1)
    unasked = {
        one
        for one in said
        if one.startswith("LOW_") and CODES[FailureCode(one)].effect is Effect.SOFT
    }
    assert said - unasked <= {code} | BESIDE.get(code, set()), (
        "the case is about one code"
    )
    effect = CODES[code].effect
    if effect is Effect.SOFT:
        gates = (
            {"fail"}
            if BESIDE.get(code, set()) & set(map(FailureCode, said))
            else {"pass"}
        )
        assert report["gate"] in gates | {"pass"}
        return
    assert report["gate"] == {Effect.GATE: "fail", Effect.HOLD: "undecided"}[effect]
    assert report["primary_failure_reason_code"] == code
