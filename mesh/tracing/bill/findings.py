"""Where runs spend more than needed (article 002, Part IX): findings of one run or many.

`patterns.py` has the list of patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from judgemesh.contracts.tracing import Trace
from judgemesh.contracts.usage import Money
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.pattern import (
    FindingPattern,
    Number,
    PatternMatch,
    PricedRun,
)
from judgemesh.mesh.tracing.bill.patterns import PATTERNS
from judgemesh.mesh.tracing.bill.sums import MoneySums, single_amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A pattern in one run.

    saving: an estimate under `assumption`, one amount for each currency; empty: it
        cannot be estimated.
    """

    code: str
    trace_id: str
    title: str
    cause: str
    direction: str
    threshold: str
    numbers: Mapping[str, Number]
    steps: tuple[int, ...]
    assumption: str
    saving: tuple[Money, ...] = ()
    saving_tokens: int | None = None
    skill_id: str | None = None


def findings_of(trace: Trace, bill: Bill | None = None) -> tuple[Finding, ...]:
    """Every pattern that a priced run shows, the largest saving first."""
    run = PricedRun(trace, bill or bill_of(trace))
    findings: list[Finding] = []
    for pattern in PATTERNS:
        match = pattern.check(run)
        if match is not None:
            findings.append(_finding(pattern, trace, match))
    return tuple(sorted(findings, key=_saving_order))


def _finding(pattern: FindingPattern, trace: Trace, match: PatternMatch) -> Finding:
    return Finding(
        code=pattern.code,
        trace_id=trace.trace_id,
        title=pattern.title,
        cause=pattern.cause,
        direction=pattern.direction,
        threshold=pattern.threshold,
        numbers=match.numbers,
        steps=match.steps,
        assumption=match.assumption,
        saving=match.saving,
        saving_tokens=match.saving_tokens,
        skill_id=trace.skill_id,
    )


def _saving_order(finding: Finding) -> tuple[Decimal, int]:
    return (-single_amount(finding.saving), -(finding.saving_tokens or 0))


# --- many runs ---


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternTotal:
    """One pattern over many runs.

    runs: how many of `runs_seen` show it. worst: the runs with the largest savings.
    """

    code: str
    title: str
    direction: str
    runs: int
    runs_seen: int
    saving: tuple[Money, ...]
    saving_tokens: int
    worst: tuple[str, ...]


@dataclass(slots=True)
class PatternTotals:
    """Collects the findings of runs one by one: which patterns cost most."""

    runs: int = 0
    _findings: dict[str, list[Finding]] = field(
        default_factory=dict[str, list[Finding]]
    )

    def add(self, findings: Iterable[Finding]) -> None:
        """Count one run."""
        self.runs += 1
        for finding in findings:
            self._findings.setdefault(finding.code, []).append(finding)

    def totals(self, worst: int = 3) -> tuple[PatternTotal, ...]:
        """The patterns, the largest saving first."""
        totals = [self._total(each, worst) for each in self._findings.values()]
        return tuple(sorted(totals, key=_total_order))

    def _total(self, findings: Sequence[Finding], worst: int) -> PatternTotal:
        saving = MoneySums()
        for finding in findings:
            saving.add_all(finding.saving)
        by_saving = sorted(
            findings, key=lambda finding: (*_saving_order(finding), finding.trace_id)
        )
        return PatternTotal(
            code=findings[0].code,
            title=findings[0].title,
            direction=findings[0].direction,
            runs=len(findings),
            runs_seen=self.runs,
            saving=saving.money,
            saving_tokens=sum(finding.saving_tokens or 0 for finding in findings),
            worst=tuple(finding.trace_id for finding in by_saving[:worst]),
        )


def _total_order(total: PatternTotal) -> tuple[Decimal, int, str]:
    return (-single_amount(total.saving), -total.saving_tokens, total.code)
