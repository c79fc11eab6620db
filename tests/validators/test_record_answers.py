"""An error in what a system answered is one of the record, wherever it stands, and never a success."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.validators.execution import execution

from .helpers import kinds, verdicts

ERRORS: list[dict[str, Any]] = [
    {"result": {"status": "failed"}},
    {"response": {"error": "card declined"}},
    {"response": "HTTP 503 Service Unavailable"},
    {"body": {"data": {"success": False}}},
    {"error_code": 51},
    {"errors": ["x"]},
]
ANSWERS: list[dict[str, Any]] = [
    {"result": {"status": "ok"}},
    {"response": {"id": 4, "error": None}},
    {"error_code": 0},
    {"details": "two boxes"},
    {"partial": False},
]


def said(beside: dict[str, Any], **status: str) -> list[str]:
    """What is said of one expected execution whose record has this beside it."""
    record = {"kind": "ship", "target": "B-1", "confirmation_id": "C-1"}
    contract = {"execution": {"expected": [{"kind": "ship", "target": "B-1"}]}}
    result = {"output": "x", "records": [record | status | beside]}
    return kinds(verdicts(execution, contract, result))


@pytest.mark.parametrize("beside", ERRORS)
def test_an_error_in_the_answer(beside: dict[str, Any]) -> None:
    assert "fail" in said(beside)
    assert said(beside, status="done") == ["abstain"]


@pytest.mark.parametrize("beside", ANSWERS)
def test_an_answer_without_an_error(beside: dict[str, Any]) -> None:
    assert said(beside) == said(beside, status="done") == ["pass"]


def test_a_part_is_no_success() -> None:
    assert "fail" in said({"partial": True}, status="done")
