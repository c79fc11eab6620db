"""The conformance kit accepts the validators of judgemesh and finds each fault it is about."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import entry_points
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Ask, Judged, Material
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.validator import Case, Judgement, Outcome, validator
from judgemesh.contracts.verdicts import Fail, Pass, Verdict
from judgemesh.mesh.sources.records import JsonlRecords
from judgemesh.mesh.testing.conformance import (
    case_of,
    import_faults,
    record_source_faults,
    trace_reader_faults,
    validator_faults,
)
from judgemesh.mesh.tracing.readers.tau import TauReader

CASES = (case_of("Short."), case_of("Long. " * 100))
FORMAT = FailureCode.OUTPUT_FORMAT_INVALID


def made(run: Callable[[Case], Any], *, form: bool = True) -> Any:
    run.__doc__ = "A rule."
    run.__module__ = "judgemesh.validators.completion"  # one that can be imported
    return validator(name="made", version="1", codes=(FORMAT,), pure=form)(run)


_lots = count()


def draws_lots(_case: Case) -> Outcome:
    return Fail(codes=(FORMAT,), diagnostic=f"lot {next(_lots)}")


def undeclared(_case: Case) -> Outcome:
    return Fail(codes=(FailureCode.DUPLICATE_EXECUTION,), diagnostic="x")


def silent(_case: Case) -> Outcome:
    return Fail(codes=(FORMAT,))


def nothing(_case: Case) -> Outcome:
    return []


def raises(case: Case) -> Outcome:
    return bool(case.result.output.outputs["number"])


def changes(case: Case) -> Outcome:
    case.result.output.outputs["seen"] = len(case.result.output.outputs)
    return True


@pytest.mark.parametrize(
    ("run", "fault"),
    [
        (draws_lots, "two runs give two verdicts"),
        (undeclared, "undeclared codes: DUPLICATE_EXECUTION"),
        (silent, "a failure without a diagnostic"),
        (nothing, "returned no verdict"),
        (raises, "raised KeyError"),
        (changes, "it changed the result"),
    ],
)
def test_each_fault_is_found(run: Callable[[Case], Any], fault: str) -> None:
    faults = validator_faults(made(run), CASES)
    assert any(fault in found for found in faults), faults


def test_a_grade_without_an_answer_is_found() -> None:
    def guesses(case: Case) -> Judgement:
        materials = (Material("final_answer", case.result.output.final_answer or ""),)
        yield {
            "kind": Ask(question_id="kind", question="Is it kind?", materials=materials)
        }
        verdicts: list[Verdict] = [Pass()]
        return verdicts

    def kind(_need: Any) -> Judged:
        return Judged(vote=Vote.YES)

    faults = validator_faults(made(guesses, form=False), CASES, kind)
    assert faults
    assert all("(unanswered): graded although" in found for found in faults)


def test_work_at_import_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"open({str(tmp_path / 'left')!r}, 'w').close()"
    (tmp_path / "busy_module.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    [fault] = import_faults("busy_module")
    assert "while it is imported: writes" in fault
    [fault] = import_faults("no_such_module_here")
    assert "cannot be imported" in fault


@pytest.mark.parametrize(
    "name",
    ["completion", "forbidden_content", "output_format", "limits", "sop", "spending"],
)
def test_built_in_validators_conform(name: str) -> None:
    [point] = entry_points(group="judgemesh.validators", name=name)
    assert validator_faults(point.load(), CASES) == []


def test_a_source_of_records(tmp_path: Path) -> None:
    line = {"result_id": "r", "kind": "refund"}
    (tmp_path / "records.jsonl").write_text(json.dumps(line) + "\n")
    options = {"path": "records.jsonl"}
    assert record_source_faults(JsonlRecords, options, tmp_path, known="r") == []
    faults = record_source_faults(JsonlRecords, options, tmp_path, known="other")
    assert faults == ["other: 0 records"]
    [fault] = record_source_faults(JsonlRecords, {"path": "gone"}, tmp_path, known="r")
    assert fault.startswith("inaccessible")


def test_a_reader_of_traces(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.json"
    foreign.write_text("[1, 2]")
    assert trace_reader_faults(TauReader(), [], [foreign]) == []
    assert trace_reader_faults(TauReader(), [foreign], []) == [
        f"{foreign}: not recognised"
    ]
