"""A report as other harnesses take it: one number or none, one line of reason, and flat facts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from judgemesh.contracts.errors import JudgemeshError
from judgemesh.contracts.report import Gate, Report, report_to_json
from judgemesh.contracts.verdicts import Error, codes_of

_SCORE: Final = {Gate.PASS: 1.0, Gate.FAIL: 0.0, Gate.UNDECIDED: None}
_COPIED: Final = (
    "result_id",
    "task_id",
    "gate",
    "outcome_score",
    "outcome_class",
    "primary_failure_reason_code",
    "failure_reason_codes",
    "confidence",
    "evaluator_cost",
    "judge_calls",
    "eval_contract_version",
    "evaluator_version",
)


class EvaluatorFault(JudgemeshError):
    """The gate is undecided because the evaluator broke. For harnesses that leave out a scorer that raises."""


@dataclass(frozen=True)
class Graded:
    """A report, and the run of the ledger that holds it (None without a ledger)."""

    report: Report
    run_id: str | None

    @property
    def gate(self) -> str:
        """`pass`, `fail` or `undecided`."""
        return self.report.gate.value

    @property
    def score(self) -> float | None:
        """1.0 for a passed gate, 0.0 for a failed one, None for an undecided one: it belongs in no average."""
        return _SCORE[self.report.gate]

    @property
    def passed(self) -> bool | None:
        """Whether the gate passed; None where it is undecided."""
        return None if self.score is None else self.score == 1.0

    @property
    def codes(self) -> tuple[str, ...]:
        """The failure codes, the primary one first."""
        primary = self.report.primary_failure_reason_code
        codes = self.report.failure_reason_codes
        return tuple(sorted(map(str, codes), key=lambda code: code != primary))

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """What broke in the evaluator, one line each."""
        return tuple(
            f"{row.validator_name}: {row.verdict.diagnostic}"
            for row in self.report.verdicts
            if isinstance(row.verdict, Error)
        )

    @property
    def broken(self) -> bool:
        """Whether the gate is undecided and a gating check broke."""
        return self.report.gate is Gate.UNDECIDED and any(
            row.gating and isinstance(row.verdict, Error)
            for row in self.report.verdicts
        )

    @property
    def cost(self) -> float | None:
        """What the grading cost, without its currency; None where it is unknown."""
        cost = self.report.evaluator_cost
        return None if cost is None else float(cost.amount)

    @property
    def reason(self) -> str:
        """One line: the gate, its codes, what decided it, and what broke."""
        codes = f" [{', '.join(self.codes)}]" if self.codes else ""
        said = " ".join(self.report.explanation.split())
        parts = [f"{self.gate}{codes}:", said]
        for row in self.report.verdicts:
            diagnostic = " ".join(row.verdict.diagnostic.split())
            if isinstance(row.verdict, Error) and diagnostic not in said:
                parts.append(f"{row.validator_name}: {diagnostic}")
        return " ".join(part for part in parts if part)

    def facts(self) -> dict[str, Any]:
        """The report without its verdicts, JSON-ready; the keys are those of `-o reports.jsonl`."""
        report = report_to_json(self.report)
        facts: dict[str, Any] = {key: report[key] for key in _COPIED}
        facts["run_id"] = self.run_id
        facts["evaluator_faults"] = list(self.faults)
        facts["failed_checks"] = self._failed_checks()
        return facts

    def _failed_checks(self) -> list[str]:
        """`CODE validator: diagnostic` for every check that failed."""
        return [
            f"{', '.join(codes_of(row.verdict))} {row.validator_name}: {row.verdict.diagnostic}"
            for row in self.report.verdicts
            if row.verdict.kind == "fail"
        ]

    def raise_if_broken(self) -> None:
        """Raise the fault of a gate that the evaluator left undecided.

        Raises:
            EvaluatorFault: a gating check broke.
        """
        if self.broken:
            raise EvaluatorFault(f"{self.reason} (evaluator cost: {self.cost})")
