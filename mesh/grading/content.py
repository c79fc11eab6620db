"""What a result held when it was judged, JSON-ready, to be kept beside its verdicts. Pure.

    result         the agent result: answer, outputs, citations, claims, trace, records, as the validators saw it
    state_changes  the differences of state, in place of the documents before and after
    records        what record sources said about the result
    passages       texts of the contract that verdicts refer to, by reference
    replies        what judges wrote, by validator, question, sample, attempt, prompt and model
    problems       evidence that could not be read

Everything that is kept of a result passes through `graded_content`. What hides parts of it belongs there.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

from judgemesh.contracts.report import Report
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case
from judgemesh.mesh.grading.meter import Meter


class GivenResult:
    """A result as it was given, and its JSON form, made once: its digest and the content that is kept need it."""

    def __init__(self, result: AgentResult) -> None:
        self.result = result

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the result states, JSON-ready; not to be changed."""
        return self.result.model_dump(mode="json", exclude_unset=True)


def graded_content(
    given: GivenResult, case: Case | None, report: Report, meter: Meter
) -> dict[str, Any]:
    """The content of a graded result.

    Args:
        given: the result as it was given.
        case: as it was judged; None where there was no contract.
        report: its verdicts refer to the passages that are kept.
        meter: the attempts and records of its grading.
    """
    data = given.data
    if case is not None and case.result is not given.result:
        data = GivenResult(case.result).data
    content: dict[str, Any] = {"result": data}
    if case is not None and case.changes is not None:
        changes = [change.model_dump(mode="json") for change in case.changes]
        content |= {"result": _without_documents(data), "state_changes": changes}
    if meter.records:
        content["records"] = [
            record.model_dump(mode="json", exclude_unset=True)
            for record in meter.records
        ]
    passages = {} if case is None else _passages(case, report)
    if passages:
        content["passages"] = passages
    replies = _replies(meter)
    if replies:
        content["replies"] = replies
    if case is not None and case.problems:
        content["problems"] = dict(case.problems)
    return content


def _without_documents(data: dict[str, Any]) -> dict[str, Any]:
    """The result without the documents of its state before and after."""
    if not data.get("state"):
        return data
    state = dict(cast("dict[str, Any]", data["state"]))
    for name in ("before", "after"):
        state.pop(name, None)
    return {**data, "state": state}


def _passages(case: Case, report: Report) -> dict[str, str]:
    """The passages of the contract that a verdict refers to."""
    if case.contract.claims is None:
        return {}
    texts = {
        f"contract:{passage.id}": passage.text
        for passage in case.contract.claims.evidence
    }
    referred = {ref for row in report.verdicts for ref in row.verdict.evidence_refs}
    return {
        name: text
        for name, text in texts.items()
        if any(ref == name or ref.startswith(f"{name}:") for ref in referred)
    }


def _replies(meter: Meter) -> list[dict[str, Any]]:
    return [
        {
            "validator": attempt.validator_name,
            "question_id": attempt.question_id,
            "sample_index": attempt.sample_index,
            "attempt": attempt.attempt,
            "asked": attempt.model_requested,
            "prompt": attempt.prompt_name,
            "model": attempt.model_served or attempt.model_requested,
            "text": attempt.reply,
        }
        for attempt in meter.attempts
        if attempt.reply is not None
    ]
