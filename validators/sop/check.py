"""The steps of a run compared with the rules of its procedure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import Rule, SopSpec
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Verdict,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.evidence_refs import MAX_REFS, evidence_refs
from judgemesh.validators._shared.trace.call_outcome import call_doubt, call_succeeded
from judgemesh.validators._shared.trace.tool_calls import (
    ToolCall,
    calls_tool,
    tool_calls,
)
from judgemesh.validators._shared.trace.transcript import without_trace
from judgemesh.validators._shared.values import listed
from judgemesh.validators.sop.activities import agree, may_agree
from judgemesh.validators.sop.asked import has_rules
from judgemesh.validators.sop.prerequisites import check_prerequisites
from judgemesh.validators.sop.templates import TEMPLATES
from judgemesh.validators.sop.trace import NoTime, Steps
from judgemesh.validators.sop.violations import MAX_STEPS, Violation

_METRIC = Metric.METHODOLOGY.value
_MAX_TRIED: Final = 20
_MAX_SHOWN: Final = 3
_FORBIDS_PARTNERS: Final = frozenset({"not_coexistence", "not_succession"})


@dataclass(frozen=True, slots=True)
class _RuleResult:
    """One rule after its check: kept, broken (`violation`), or open because the trace says too little (`unseen`)."""

    id: str
    violation: Violation | None
    code: FailureCode
    gate: bool | None = None
    weight: float = 1.0
    unseen: str = ""


def check_sop(case: Case) -> list[Verdict]:
    """Compare the steps of a run with the rules of its procedure."""
    spec = case.contract.sop
    if spec is None or not has_rules(spec):
        return [not_configured("sop", "the contract has no procedure")]
    why = without_trace(case)
    if why is not None or case.result.trace is None:
        return [_without_trace(spec, why or "")]
    steps = Steps(case.result.trace.steps)
    results = [
        *_check_tools(spec, steps),
        *_check_rules(spec, steps),
        *_check_prerequisites(spec, steps),
    ]
    return _verdicts(results)


def _without_trace(spec: SopSpec, why: str) -> Abstain:
    """Without steps nothing is known. The gate stays decidable when no rule may gate."""
    may_gate = (
        bool(spec.required_tools or spec.forbidden_tools)
        or any(rule.gate for rule in spec.rules)
        or any(prerequisite.gate for prerequisite in spec.prerequisites)
    )
    return inaccessible(
        "sop",
        f"the procedure cannot be checked: {why}",
        metric=_METRIC,
        gating=None if may_gate else False,
    )


def _check_tools(spec: SopSpec, steps: Steps) -> Iterator[_RuleResult]:
    calls = tool_calls(steps.steps)
    for pattern in dict.fromkeys(spec.required_tools):
        violation, unseen = _not_done(_matching(calls, pattern), pattern)
        yield _RuleResult(
            f"required_tools:{pattern}",
            violation,
            FailureCode.SOP_NOT_FOLLOWED,
            unseen=unseen,
        )
    for pattern in dict.fromkeys(spec.forbidden_tools):
        hits = _matching(calls, pattern)
        violation = None
        if hits:
            refs = tuple(call.ref for call in hits)
            violation = Violation(f"{hits[0].tool} was called and is forbidden", refs)
        yield _RuleResult(
            f"forbidden_tools:{pattern}", violation, FailureCode.UNAUTHORIZED_ACTION
        )


def _not_done(calls: Sequence[ToolCall], pattern: str) -> tuple[Violation | None, str]:
    """Why a required tool was not used: no call of it, or none that went through. Else what cannot be told."""
    if not calls:
        return Violation(f"{pattern} was never called"), ""
    ends = [call_succeeded(call.step) for call in calls]
    if True in ends:
        return None, ""
    refs = tuple(call.ref for call in calls[:MAX_STEPS])
    if None in ends:
        call = calls[ends.index(None)]
        return None, (
            f"{pattern} was called, and was neither done nor failed (step {call.ref}: {call_doubt(call.step)})"
        )
    return Violation(f"{pattern} was called, and every call failed", refs), ""


def _matching(calls: Sequence[ToolCall], pattern: str) -> list[ToolCall]:
    """The calls of the tools that the pattern names."""
    return [call for call in calls if calls_tool(pattern, call.step)]


def _check_rules(spec: SopSpec, steps: Steps) -> Iterator[_RuleResult]:
    for rule in spec.rules:
        violation, unseen = None, ""
        try:
            violation, unseen = _check_rule(rule, steps)
        except NoTime as error:
            unseen = f"the rule counts seconds, and step {error.ref} says no time"
        yield _RuleResult(rule.id, violation, rule.code, rule.gate, rule.weight, unseen)


def _check_rule(rule: Rule, steps: Steps) -> tuple[Violation | None, str]:
    """The violation of a rule, and what is unseen where steps that cannot be read decide about it."""
    violation = TEMPLATES[rule.template](rule, steps)
    unbound = steps.unbound(rule)
    if unbound:
        return None, f"{', '.join(rule.same)} cannot be read (step {unbound[0]})"
    if rule.same and _may_be_bound(rule, violation, steps):
        return None, f"whether {', '.join(rule.same)} agrees cannot be told"
    doubtful = steps.doubtful(rule)
    if not doubtful:
        return violation, ""
    tried = range(1, len(doubtful) + 1)
    if len(doubtful) > _MAX_TRIED:
        tried = range(len(doubtful), len(doubtful) + 1)
    for count in tried:
        assuming = Steps(steps.steps, frozenset(doubtful[:count]))
        other = TEMPLATES[rule.template](rule, assuming)
        if (other is None) is not (violation is None):
            shown = "; ".join(
                _doubt(steps, position) for position in doubtful[:_MAX_SHOWN]
            )
            return None, f"what decides cannot be told from the trace (step {shown})"
    return violation, ""


def _doubt(steps: Steps, position: int) -> str:
    """The reference of a step, and what its result leaves in doubt."""
    doubt = call_doubt(steps.steps[position])
    return f"{steps.refs[position]}: {doubt}" if doubt else steps.refs[position]


def _may_be_bound(rule: Rule, violation: Violation | None, steps: Steps) -> bool:
    """Whether the verdict hangs on steps that agree if their values are read generously.

    Such a partner may keep what each of the steps shown breaks; and it breaks a rule that forbids partners.
    """
    if (rule.template in _FORBIDS_PARTNERS) is (violation is not None):
        return False
    found = {
        each.ref: each.step for each in (*steps.of(rule.first), *steps.of(rule.then))
    }
    if violation is None:
        return any(_has_generous(step, found.values(), rule) for step in found.values())
    broken = [found[ref] for ref in violation.steps if ref in found]
    return bool(broken) and all(
        _has_generous(step, found.values(), rule) for step in broken
    )


def _has_generous(step: TraceStep, others: Iterable[TraceStep], rule: Rule) -> bool:
    return any(
        may_agree(step, other, rule.same) and not agree(step, other, rule.same)
        for other in others
        if other is not step and other.tool_name != step.tool_name
    )


def _check_prerequisites(spec: SopSpec, steps: Steps) -> Iterator[_RuleResult]:
    if not spec.prerequisites:
        return
    for checked in check_prerequisites(spec.prerequisites, steps):
        rule = checked.spec
        yield _RuleResult(
            f"prerequisites:{rule.tool}",
            checked.violation,
            rule.code,
            rule.gate,
            rule.weight,
            checked.unseen,
        )


def _verdicts(results: Sequence[_RuleResult]) -> list[Verdict]:
    passed: list[_RuleResult] = []
    verdicts: list[Verdict] = []
    broken: dict[tuple[FailureCode, bool | None], list[tuple[str, Violation]]] = {}
    weights: dict[tuple[FailureCode, bool | None], float] = {}
    for result in results:
        if result.unseen:
            verdicts.append(_unseen(result))
        elif result.violation is None:
            passed.append(result)
        else:
            group = (result.code, result.gate)
            broken.setdefault(group, []).append((result.id, result.violation))
            weights[group] = weights.get(group, 0) + result.weight
    if passed:
        verdicts.append(_kept(passed))
    for (code, gate), violations in broken.items():
        weight = weights[code, gate]
        verdicts.append(_broken(violations, code, gating=gate, weight=weight))
    return verdicts


def _kept(results: Sequence[_RuleResult]) -> Pass:
    return Pass(
        check="kept",
        metric=_METRIC,
        weight=sum(result.weight for result in results),
        confidence=DETERMINISTIC,
        details={"kept": [result.id for result in results][:MAX_REFS]},
    )


def _unseen(result: _RuleResult) -> Abstain:
    return inaccessible(
        f"rule:{result.id}",
        f"{result.id}: {result.unseen}",
        metric=_METRIC,
        weight=result.weight,
        gating=result.gate,
    )


def _broken(
    violations: Sequence[tuple[str, Violation]],
    code: FailureCode,
    *,
    gating: bool | None,
    weight: float,
) -> Fail:
    phrases: list[str] = []
    refs: list[str] = []
    rows: list[dict[str, object]] = []
    for rule_id, violation in violations:
        steps = f" (step {', '.join(violation.steps)})" if violation.steps else ""
        phrases.append(f"{rule_id}: {violation.why}{steps}")
        refs += (f"trace:{step}" for step in violation.steps)
        rows.append(
            {"rule": rule_id, "why": violation.why, "steps": list(violation.steps)}
        )
    return Fail(
        check="broken",
        codes=(code,),
        diagnostic=listed(phrases),
        metric=_METRIC,
        weight=weight,
        gating=gating,
        confidence=DETERMINISTIC,
        evidence_refs=evidence_refs(refs),
        details={"violations": rows[:MAX_REFS]},
    )
