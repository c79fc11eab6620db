"""A result as one row of a list: gate, primary code, and the reason in one line. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.codes import CODES, FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import (
    Gate,
    OutcomeClass,
    Report,
    ValidatorVerdict,
)
from judgemesh.contracts.verdicts import Kind, codes_of
from judgemesh.mesh.analysis.results.gate import believed_gate
from judgemesh.mesh.grading.explanation import deciding_verdicts

KINDS_WORST_FIRST: Final[tuple[Kind, ...]] = (
    "fail",
    "error",
    "abstain",
    "skipped",
    "pass",
)
_GATES_FIRST: Final = {Gate.FAIL: 0, Gate.UNDECIDED: 1, Gate.PASS: 2}


@dataclass(frozen=True, slots=True)
class CodeLabel:
    """A failure code with whose failure it is (`agent`, `environment`, `evaluator`) and its meaning, a sentence."""

    code: str
    attribution: str
    meaning: str


@dataclass(frozen=True, slots=True)
class CheckCell:
    """All verdicts of one validator on a result: the worst kind, how many there are, whether one can move the gate.

    The worst gating verdict goes before others.
    """

    name: str
    kind: Kind
    verdicts: int
    gating: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One graded result.

    gate: as it is believed (see `believed_gate`); `stated_gate` is that of the report.
    score: outcome score, 0..10; None where nothing was measured.
    reason: one line; it may hold hostile text.
    judge_cost, agent_cost: None where unknown. latency_ms: of the grading; agent_latency_ms: of the agent's run.
    started_at: of the agent's run, ISO 8601; None where the result does not say.
    checks: a cell a validator, in the order in which they first gave a verdict.
    """

    result_id: str
    task_id: str
    agent_id: str | None
    gate: Gate
    stated_gate: Gate
    outcome_class: OutcomeClass | None
    score: float | None
    primary: CodeLabel | None
    reason: str
    codes: tuple[CodeLabel, ...]
    judge_cost: Money | None
    judge_calls: int
    agent_cost: Money | None
    agent_latency_ms: float | None
    latency_ms: float
    started_at: str | None
    checks: tuple[CheckCell, ...]

    @property
    def rank(self) -> tuple[int, int, str]:
        """Sorts failures first, then undecided results, the gravest code first; passes come last."""
        precedence = len(CODES)
        if self.primary is not None:
            precedence = CODES[FailureCode(self.primary.code)].precedence
        return _GATES_FIRST[self.gate], precedence, self.result_id


def label_of(code: FailureCode) -> CodeLabel:
    """A failure code with its attribution and meaning."""
    info = CODES[code]
    return CodeLabel(code.value, info.attribution.value, info.meaning)


def row_of(report: Report) -> ResultRow:
    """The row of a report."""
    gate = believed_gate(report)
    primary = report.primary_failure_reason_code
    return ResultRow(
        result_id=report.result_id,
        task_id=report.task_id,
        agent_id=report.agent_id,
        gate=gate,
        stated_gate=report.gate,
        outcome_class=report.outcome_class if gate is report.gate else None,
        score=report.outcome_score,
        primary=None if primary is None else label_of(primary),
        reason=reason_line(report, gate),
        codes=tuple(map(label_of, report.failure_reason_codes)),
        judge_cost=report.evaluator_cost,
        judge_calls=report.judge_calls,
        agent_cost=report.agent_cost,
        agent_latency_ms=report.agent_latency_ms,
        latency_ms=report.latency_ms,
        started_at=report.started_at,
        checks=check_cells(report.verdicts),
    )


def reason_line(report: Report, gate: Gate) -> str:
    """Why a result has its gate, in one line: the gravest verdict that decided it."""
    if gate is not report.gate:
        return f"the report says {report.gate}, and its verdicts do not show it"
    deciding = deciding_verdicts(report.verdicts, gate)
    if gate is Gate.PASS:
        checks = "check" if len(deciding) == 1 else "checks"
        return f"{len(deciding)} {checks} held"
    if deciding:
        more = f" (and {len(deciding) - 1} more)" if len(deciding) > 1 else ""
        return f"{_reason(deciding[0])}{more}"
    if gate is Gate.FAIL:
        return f"{report.primary_failure_reason_code} counts as a gate here"
    return "no check that decides the gate was selected"


def _reason(row: ValidatorVerdict) -> str:
    """`validator (check): diagnostic`; a check that only repeats the validator or the code is left out."""
    verdict = row.verdict
    codes = codes_of(verdict)
    subject = row.validator_name
    known = {subject, *(code.value.lower() for code in codes), ""}
    if verdict.check not in known:
        subject += f" ({verdict.check})"
    diagnostic = " ".join(verdict.diagnostic.split())
    return f"{subject}: {diagnostic or ', '.join(codes) or verdict.kind}"


def check_cells(verdicts: Sequence[ValidatorVerdict]) -> tuple[CheckCell, ...]:
    """A cell for each validator."""
    groups: dict[str, list[ValidatorVerdict]] = {}
    for row in verdicts:
        groups.setdefault(row.validator_name, []).append(row)
    return tuple(_cell(name, rows) for name, rows in groups.items())


def _cell(name: str, rows: Sequence[ValidatorVerdict]) -> CheckCell:
    worst = min(rows, key=verdict_rank)
    return CheckCell(
        name, worst.verdict.kind, len(rows), any(row.gating for row in rows)
    )


def verdict_rank(row: ValidatorVerdict) -> tuple[bool, int]:
    """Sorts verdicts that can move the gate first, the worst of them first."""
    return not row.gating, KINDS_WORST_FIRST.index(row.verdict.kind)
