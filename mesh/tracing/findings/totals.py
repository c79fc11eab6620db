"""The findings of many runs together: which patterns cost most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from judgemesh.contracts.money import Money
from judgemesh.mesh.tracing.bill.sums import MoneySums, single_amount
from judgemesh.mesh.tracing.findings.findings import Finding, finding_order
from judgemesh.mesh.tracing.findings.pattern import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternTotal:
    """One pattern over many runs.

    runs: how many of `runs_seen` show it. worst: the runs with the largest savings.
    assumptions: under which the savings were estimated.
    """

    code: str
    kind: Kind
    title: str
    direction: str
    runs: int
    runs_seen: int
    saving: tuple[Money, ...]
    saving_tokens: int
    worst: tuple[str, ...]
    assumptions: tuple[str, ...]


@dataclass(slots=True)
class PatternTotals:
    """Collects the findings of runs one by one."""

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
        """The patterns: dangers, then the largest saving first."""
        totals = [self._total(each, worst) for each in self._findings.values()]
        return tuple(sorted(totals, key=_total_order))

    def _total(self, findings: Sequence[Finding], worst: int) -> PatternTotal:
        saving = MoneySums()
        for finding in findings:
            saving.add_all(finding.saving)
        by_saving = sorted(
            findings, key=lambda finding: (*finding_order(finding), finding.trace_id)
        )
        first = findings[0]
        return PatternTotal(
            code=first.code,
            kind=first.kind,
            title=first.title,
            direction=first.direction,
            runs=len(findings),
            runs_seen=self.runs,
            saving=saving.money,
            saving_tokens=sum(finding.saving_tokens or 0 for finding in findings),
            worst=tuple(finding.trace_id for finding in by_saving[:worst]),
            assumptions=tuple(dict.fromkeys(each.assumption for each in by_saving)),
        )


def _total_order(total: PatternTotal) -> tuple[int, Decimal, int, str]:
    kinds = tuple(Kind)
    return (
        kinds.index(total.kind),
        -single_amount(total.saving),
        -total.saving_tokens,
        total.code,
    )
