"""The procedure: tools that must or must not be used, and rules over the order of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.procedure import SopSpec
from judgemesh.contracts.results import TraceStep
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.transcript import step_ref, transcript_hidden
from judgemesh.validators._shared.values import listed
from judgemesh.validators.sop.activities import is_tool
from judgemesh.validators.sop.prerequisites import prerequisites
from judgemesh.validators.sop.rules import TEMPLATES, Violation
from judgemesh.validators.sop.trace import NoTime, Steps

_METRIC = Metric.METHODOLOGY.value
_MAX_REFS = 50


@dataclass(frozen=True, slots=True)
class _Checked:
    """One rule of the procedure: kept, broken by a violation, or open because the trace does not say enough."""

    id: str
    weight: float
    code: FailureCode
    gate: bool | None
    violation: Violation | None
    unseen: str = ""


@validator(
    name="sop",
    version="1",
    metric=Metric.METHODOLOGY,
    codes=(FailureCode.SOP_NOT_FOLLOWED, FailureCode.UNAUTHORIZED_ACTION),
    applies=lambda contract: (
        contract.sop is not None
        and (_asks(contract.sop) or not contract.sop.model_fields_set)
    ),
)
def sop(case: Case) -> Judgement:
    """The steps of the run keep the procedure.

    One `Pass` covers the rules that were kept, one `Fail` for each code (and word about the gate) lists those that
    were broken, with the steps that show it. Weights are the rules' weights, so that methodology is their share.
    """
    yield from ()
    spec = case.contract.sop
    if spec is None or not _asks(spec):
        return [
            Skipped(
                check="sop",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract has no procedure",
            )
        ]
    if case.result.trace is None or transcript_hidden(case.result):
        return [_hidden(spec)]
    steps = Steps(case.result.trace.steps)
    checked = [
        *_tools(spec, steps.steps),
        *_rules(spec, steps),
        *_prerequisites(spec, steps),
    ]
    kept = [item for item in checked if item.violation is None and not item.unseen]
    verdicts: list[Verdict] = [_unseen(item) for item in checked if item.unseen]
    if kept:
        details: dict[str, object] = {"kept": [item.id for item in kept][:_MAX_REFS]}
        verdicts.append(
            Pass(
                check="kept",
                metric=_METRIC,
                weight=sum(item.weight for item in kept),
                confidence=DETERMINISTIC,
                details=details,
            )
        )
    groups: dict[tuple[FailureCode, bool | None], list[tuple[_Checked, Violation]]] = {}
    for item in checked:
        if item.violation is not None:
            groups.setdefault((item.code, item.gate), []).append((item, item.violation))
    return verdicts + [
        _broken(code, gate, group) for (code, gate), group in groups.items()
    ]


def _asks(spec: SopSpec) -> bool:
    """Whether the section has something for this validator; permissions, limits and the like have their own."""
    return bool(
        spec.required_tools or spec.forbidden_tools or spec.rules or spec.prerequisites
    )


def _hidden(spec: SopSpec) -> Abstain:
    """Without steps nothing is known; only rules that may not gate leave the gate alone."""
    may_gate = any(rule.gate for rule in spec.rules) or any(
        item.gate for item in spec.prerequisites
    )
    gating = None if spec.required_tools or spec.forbidden_tools or may_gate else False
    return Abstain(
        check="sop",
        code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
        reason=Reason.SOURCE_INACCESSIBLE,
        diagnostic="the result carries no trace steps to check the procedure against",
        metric=_METRIC,
        gating=gating,
    )


def _unseen(item: _Checked) -> Abstain:
    return Abstain(
        check=f"rule:{item.id}",
        code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
        reason=Reason.SOURCE_INACCESSIBLE,
        diagnostic=f"{item.id}: {item.unseen}",
        metric=_METRIC,
        weight=item.weight,
        gating=item.gate,
    )


def _tools(spec: SopSpec, steps: Sequence[TraceStep]) -> Iterator[_Checked]:
    calls = [
        (step.tool_name, step_ref(step, index))
        for index, step in enumerate(steps)
        if step.tool_name is not None
    ]
    for glob in dict.fromkeys(spec.required_tools):
        missing = (
            None
            if any(is_tool(glob, name) for name, _ in calls)
            else Violation(f"{glob} was never called")
        )
        yield _Checked(
            f"required_tools:{glob}", 1.0, FailureCode.SOP_NOT_FOLLOWED, None, missing
        )
    for glob in dict.fromkeys(spec.forbidden_tools):
        hits = [(name, ref) for name, ref in calls if is_tool(glob, name)]
        used = (
            Violation(
                f"{hits[0][0]} was called and is forbidden",
                tuple(ref for _, ref in hits),
            )
            if hits
            else None
        )
        yield _Checked(
            f"forbidden_tools:{glob}", 1.0, FailureCode.UNAUTHORIZED_ACTION, None, used
        )


def _rules(spec: SopSpec, steps: Steps) -> Iterator[_Checked]:
    for rule in spec.rules:
        violation, unseen = None, ""
        try:
            violation = TEMPLATES[rule.template](rule, steps)
        except NoTime as fault:
            unseen = f"the rule counts seconds, and step {fault.ref} says no time"
        yield _Checked(rule.id, rule.weight, rule.code, rule.gate, violation, unseen)


def _prerequisites(spec: SopSpec, steps: Steps) -> Iterator[_Checked]:
    for item, violation in (
        prerequisites(spec.prerequisites, steps) if spec.prerequisites else ()
    ):
        yield _Checked(
            f"prerequisites:{item.tool}", item.weight, item.code, item.gate, violation
        )


def _broken(
    code: FailureCode,
    gate: bool | None,  # noqa: FBT001
    group: list[tuple[_Checked, Violation]],
) -> Fail:
    words = [
        f"{item.id}: {found.why}"
        + (f" (step {', '.join(found.steps)})" if found.steps else "")
        for item, found in group
    ]
    refs = dict.fromkeys(f"trace:{step}" for _, found in group for step in found.steps)
    return Fail(
        check="broken",
        codes=(code,),
        diagnostic=listed(words),
        metric=_METRIC,
        weight=sum(item.weight for item, _ in group),
        gating=gate,
        confidence=DETERMINISTIC,
        evidence_refs=tuple(refs)[:_MAX_REFS],
        details={
            "violations": [
                {"rule": item.id, "why": found.why, "steps": list(found.steps)}
                for item, found in group
            ][:_MAX_REFS]
        },
    )
