"""The findings of one run: which patterns it shows, and what each could save.

`patterns.py` has the list of patterns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.sums import single_amount
from judgemesh.mesh.tracing.findings.claims import Claims
from judgemesh.mesh.tracing.findings.pattern import (
    FindingPattern,
    Kind,
    Number,
    PatternMatch,
    PricedRun,
)
from judgemesh.mesh.tracing.findings.patterns import PATTERNS

_KINDS: Final = tuple(Kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A pattern in one run.

    saving: an estimate under `assumption`, one amount for each currency; empty: it
        cannot be estimated. What an earlier finding of the run saves is not in it.
    saving_tokens: the tokens that are then not sent or written; None for none.
    per_call: sizes as they were observed in single calls, by name.
    """

    code: str
    trace_id: str
    kind: Kind
    title: str
    cause: str
    direction: str
    threshold: str
    numbers: Mapping[str, Number]
    steps: tuple[int, ...]
    assumption: str
    saving: tuple[Money, ...] = ()
    saving_tokens: int | None = None
    per_call: Mapping[str, Sequence[int]] = field(
        default_factory=dict[str, Sequence[int]]
    )
    agent_id: str | None = None
    skill_id: str | None = None


def findings_of(trace: Trace, bill: Bill | None = None) -> tuple[Finding, ...]:
    """Every pattern that a priced run shows: dangers, then the largest saving first.

    The savings add up to no more than what the run used and cost.
    """
    run = PricedRun(trace=trace, bill=bill or bill_of(trace))
    claims = Claims(run)
    findings: dict[str, Finding] = {}
    for pattern in PATTERNS:
        if not pattern.unless.isdisjoint(findings):
            continue
        match = pattern.check(run)
        if match is not None:
            findings[pattern.code] = _finding(pattern, run, match, claims)
    return tuple(sorted(findings.values(), key=finding_order))


def _finding(
    pattern: FindingPattern, run: PricedRun, match: PatternMatch, claims: Claims
) -> Finding:
    trace = run.trace
    saving, tokens = claims.claim(match.cuts)
    return Finding(
        code=pattern.code,
        trace_id=trace.trace_id,
        kind=pattern.kind,
        title=pattern.title,
        cause=match.cause or pattern.cause,
        direction=match.direction or pattern.direction,
        threshold=pattern.threshold,
        numbers=match.numbers,
        steps=match.steps,
        assumption=match.assumption,
        saving=saving,
        saving_tokens=tokens or None,
        per_call=match.per_call,
        agent_id=_single(run, match, "agent_id") or trace.agent_id,
        skill_id=_single(run, match, "skill_id") or trace.skill_id,
    )


def _single(run: PricedRun, match: PatternMatch, name: str) -> str | None:
    """What all steps concerned have as their agent or skill; None where they differ."""
    numbers = set(match.steps)
    names: set[str | None] = set()
    for step in run.steps:
        if step.step_id in numbers:
            names.add(getattr(step, name))
    names.discard(None)
    return names.pop() if len(names) == 1 else None


def finding_order(finding: Finding) -> tuple[int, Decimal, int]:
    """Dangers first, then costs by their saving, then what could not be measured."""
    return (
        _KINDS.index(finding.kind),
        -single_amount(finding.saving),
        -(finding.saving_tokens or 0),
    )
