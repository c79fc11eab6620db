"""Plans: whether the agent had one before it acted, whether it can be carried out, and how well it is built."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extract,
    Extracted,
    Judged,
    Material,
    Need,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.tools import PlanCheck, PlanSpec
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.transcript import transcript_hidden
from judgemesh.validators._shared.values import (
    as_mapping,
    as_sequence,
    json_text,
    listed,
)
from judgemesh.validators.plan_quality.criteria import (
    CRITERIA,
    QUESTIONS,
    Scored,
    View,
    missing_required,
)
from judgemesh.validators.plan_quality.facts import Carried, carry_out, world_of
from judgemesh.validators.plan_quality.reading import (
    MAX_STEPS,
    Plan,
    plan_of,
    read_plan,
)

METRIC: Final = "plan_quality"
FEW_STEPS: Final = 3
"""A task of fewer steps needs no plan."""
_STEP_SCHEMA: Final[dict[str, object]] = {
    "type": "object",
    "required": ["steps"],
    "properties": {
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["description"],
                "properties": {
                    "id": {"type": "string"},
                    "description": {"type": "string"},
                    "action": {"type": "string"},
                    "depends_on": {"type": "array", "items": {"type": "string"}},
                    "inputs": {"type": "array", "items": {"type": "string"}},
                    "outputs": {"type": "array", "items": {"type": "string"}},
                },
            },
        }
    },
}
_INSTRUCTION: Final = (
    "List the steps that the text plans to take, in the order of the text. For each: what it does, the tool or action "
    "it names if it names one, the steps it depends on, and what it takes in and brings out, as far as the text says. "
    "Invent nothing. When the text states no plan, the list is empty."
)


@validator(
    name="plan_quality",
    version="1",
    codes=(FailureCode.SOP_NOT_FOLLOWED, FailureCode.INCOMPLETE_ANSWER),
    applies=lambda contract: contract.plan is not None,
    stage=Stage.MODEL,
    timeout_s=600.0,
)
def plan_quality(case: Case) -> Judgement:
    """The plan before the first tool call can be carried out, and is well built.

    Four criteria of equal weight make planning quality: order of dependencies, branches for failures, scope, and
    marked, reversible writes. A task of fewer than three steps needs no plan; one of three or more without a plan
    scores 0. What the plan does not declare is asked; without a judge it is skipped.
    """
    spec = case.contract.plan
    if spec is None:
        return [
            Skipped(
                check="plan",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract has no `plan` section",
            )
        ]
    read = yield from _read(case, spec)
    if not isinstance(read, Plan):
        return read
    carried = carry_out(read.steps, world_of(spec)) if spec.actions else None
    view = View(read, spec, case.contract, carried)
    verdicts = list(_hard_checks(view))
    count = _task_steps(case, spec, read)
    if count < FEW_STEPS:
        return [*verdicts, _needs_none(count)]
    verdicts += yield from _measured(case, view)
    return verdicts or [
        Skipped(
            check="plan",
            reason=Reason.NOT_CONFIGURED,
            diagnostic="nothing to measure was named",
        )
    ]


def _read(
    case: Case, spec: PlanSpec
) -> Generator[list[Need], list[Answer], Plan | list[Verdict]]:
    """The plan as steps, out of prose with a model's help; or what there is to say without one."""
    plan = plan_of(case.result)
    if plan is None:
        return _no_plan(case, spec)
    if plan.prose:
        if not case.judge:
            return [
                _unread(
                    spec, "the plan is prose; without a judge its steps cannot be read"
                )
            ]
        (reply,) = yield [_extract(plan)]
        read = _extracted(reply, plan, spec)
        if not isinstance(read, Plan):
            return [read]
        plan = read
    if plan.too_long:
        return [_unread(spec, f"the plan has more than {MAX_STEPS} steps")]
    return plan if plan.steps else _no_plan(case, spec)


def _measured(case: Case, view: View) -> Judgement:
    """The criteria of planning quality."""
    spec = view.spec
    scores = {name: CRITERIA[name](view) for name in dict.fromkeys(spec.measure)}
    verdicts = [
        _scored(name, scored, spec, view.plan)
        for name, scored in scores.items()
        if scored is not None
    ]
    open_points = [name for name, scored in scores.items() if scored is None]
    if open_points and not case.judge:
        return [*verdicts, *(_not_asked(name, spec) for name in open_points)]
    if open_points:
        needs: list[Need] = [_ask(name, case, view) for name in open_points]
        replies = yield needs
        verdicts += [
            _answered(name, reply, spec)
            for name, reply in zip(open_points, replies, strict=True)
        ]
    return verdicts


def _gates(spec: PlanSpec, check: str) -> bool:
    return check in spec.gate


def _checks_made(spec: PlanSpec) -> set[PlanCheck]:
    """The checks that the contract gives something to go by."""
    made: set[PlanCheck] = {*spec.measure}
    if spec.actions:
        made.add("conditions")
    if spec.required:
        made.add("required")
    return made


def _anything_gates(spec: PlanSpec) -> bool:
    """Whether a check that the contract really makes decides the gate."""
    return bool(_checks_made(spec).intersection(spec.gate))


def _task_steps(case: Case, spec: PlanSpec, plan: Plan | None) -> int:
    """How many steps the task takes: the contract's word, else the expert's calls, else what was planned or done."""
    if spec.steps is not None:
        return spec.steps
    if spec.required:
        return len(set(spec.required))
    expected = case.contract.tools.expected if case.contract.tools else None
    if expected:
        return sum(call.count for call in expected)
    called = (
        sum(step.tool_name is not None for step in case.result.trace.steps)
        if case.result.trace
        else 0
    )
    return max(called, len(plan.steps) if plan else 0)


def _needs_none(count: int) -> Pass:
    return Pass(
        check="plan",
        diagnostic=f"a task of {count} steps needs no plan",
        metric=METRIC,
        gating=False,
        confidence=DETERMINISTIC,
        details={"task_steps": count},
    )


def _no_plan(case: Case, spec: PlanSpec) -> list[Verdict]:
    """A plan that was given and is empty is carried out all the same: the goal may hold from the start."""
    given = case.result.plan is not None
    if transcript_hidden(case.result) and not given:
        return [
            _unread(
                spec,
                case.problems.get("trace")
                or "the result carries neither a plan nor trace steps",
            )
        ]
    verdicts: list[Verdict] = []
    if given and spec.actions:
        verdicts.append(_conditions(spec, carry_out((), world_of(spec)), Plan()))
    count = _task_steps(case, spec, None)
    if count < FEW_STEPS:
        return (
            [*verdicts, _needs_none(count)]
            if given or not _anything_gates(spec)
            else [_missing(spec, count)]
        )
    return [*verdicts, _missing(spec, count, carried=bool(verdicts))]


def _missing(spec: PlanSpec, count: int, *, carried: bool = False) -> Fail:
    gates = set(spec.gate) - {"conditions"} if carried else set(spec.gate)
    return Fail(
        check="plan",
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        diagnostic=f"a task of {count} steps, and no plan before the first tool call",
        metric=METRIC if count >= FEW_STEPS else None,
        gating=bool(_checks_made(spec) & gates),
        confidence=DETERMINISTIC,
        details={"task_steps": count},
    )


def _unread(spec: PlanSpec, why: str) -> Abstain:
    return Abstain(
        check="plan", diagnostic=why, metric=METRIC, gating=_anything_gates(spec)
    )


def _hard_checks(view: View) -> Iterator[Verdict]:
    spec, carried = view.spec, view.carried
    if carried is not None:
        yield _conditions(spec, carried, view.plan)
    if spec.required:
        missing = missing_required(view)
        if missing:
            yield Fail(
                check="required",
                codes=(FailureCode.INCOMPLETE_ANSWER,),
                diagnostic=f"the plan lacks {listed(missing)}",
                gating=_gates(spec, "required"),
                confidence=DETERMINISTIC,
                evidence_refs=(view.plan.ref,),
            )
        else:
            yield Pass(
                check="required",
                gating=_gates(spec, "required"),
                confidence=DETERMINISTIC,
            )


def _conditions(spec: PlanSpec, carried: Carried, plan: Plan) -> Verdict:
    gating = _gates(spec, "conditions")
    if not carried.faults:
        return Pass(
            check="conditions",
            diagnostic=f"all {len(plan.steps)} steps can be carried out",
            gating=gating,
            confidence=DETERMINISTIC,
        )
    first = carried.faults[0]
    return Fail(
        check="conditions",
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        diagnostic=f"step {first.step}: {first.why}" if first.step else first.why,
        gating=gating,
        confidence=DETERMINISTIC,
        evidence_refs=(f"{plan.ref}:{first.step}" if first.step else plan.ref,),
        details={
            "faults": [
                {"step": fault.step, "why": fault.why} for fault in carried.faults[:20]
            ]
        },
    )


def _scored(name: str, scored: Scored, spec: PlanSpec, plan: Plan) -> Verdict:
    details: dict[str, object] = {"points": round(2.5 * scored.share, 6)}
    if scored.share >= 1 and not scored.wrong:
        return Pass(
            check=name,
            metric=METRIC,
            gating=_gates(spec, name),
            confidence=DETERMINISTIC,
            details=details,
        )
    return Fail(
        check=name,
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        score=min(scored.share, 1.0),
        diagnostic=listed(scored.wrong),
        metric=METRIC,
        gating=_gates(spec, name),
        confidence=DETERMINISTIC,
        evidence_refs=tuple(f"{plan.ref}:{step}" for step in scored.steps[:50]),
        details=details,
    )


def _not_asked(name: str, spec: PlanSpec) -> Skipped:
    return Skipped(
        check=name,
        reason=Reason.NOT_CONFIGURED,
        diagnostic="the plan does not declare it, and no judge is configured to read it",
        metric=METRIC,
        gating=_gates(spec, name),
    )


def _materials(case: Case, view: View) -> tuple[Material, ...]:
    objective = view.spec.objective or (
        json_text(case.contract.input) if case.contract.input else ""
    )
    shown = (("objective", objective), ("plan", view.plan.text))
    return tuple(Material(name, text or "(none)") for name, text in shown)


def _ask(name: str, case: Case, view: View) -> Ask:
    question = QUESTIONS[name]
    return Ask(
        question_id=f"plan_{name}",
        question=question.text,
        materials=_materials(case, view),
        gating=_gates(view.spec, name),
        expected=question.good,
    )


def _answered(name: str, reply: Answer, spec: PlanSpec) -> Verdict:
    gating = _gates(spec, name)
    if isinstance(reply, Unanswered):
        return unanswered_verdict(reply, check=name, metric=METRIC, gating=gating)
    if not isinstance(reply, Judged):
        raise TypeError(f"a question was answered by {type(reply).__name__}")
    said = f"{reply.vote.value}: {reply.reason}" if reply.reason else reply.vote.value
    if reply.vote is Vote.CANNOT_ASSESS:
        return Abstain(
            check=name,
            diagnostic=said,
            confidence=reply.confidence,
            metric=METRIC,
            gating=gating,
        )
    if reply.vote.value == QUESTIONS[name].good:
        return Pass(
            check=name,
            diagnostic=said,
            confidence=reply.confidence,
            metric=METRIC,
            gating=gating,
            details={"points": 2.5},
        )
    return Fail(
        check=name,
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        diagnostic=f"{QUESTIONS[name].text} {said}",
        confidence=reply.confidence,
        metric=METRIC,
        gating=gating,
        details={"points": 0.0},
    )


def _extract(plan: Plan) -> Extract:
    return Extract(
        extract_id="plan_steps",
        instruction=_INSTRUCTION,
        materials=(Material("text", plan.prose),),
        schema=_STEP_SCHEMA,
    )


def _extracted(reply: Answer, plan: Plan, spec: PlanSpec) -> Plan | Verdict:
    """The steps a model read out of prose: as text they still are prose, so that what they do not say is asked."""
    if isinstance(reply, Unanswered):
        return unanswered_verdict(
            reply, check="plan", metric=METRIC, gating=_anything_gates(spec)
        )
    if not isinstance(reply, Extracted):
        raise TypeError(f"an extraction was answered by {type(reply).__name__}")
    mapping = as_mapping(reply.data)
    steps = None if mapping is None else as_sequence(mapping.get("steps"))
    if steps is None:
        return _unread(spec, "the model's list of steps has another form")
    read = read_plan({"steps": steps}, plan.ref)
    return Plan(
        steps=tuple(replace(step, structured=False) for step in read.steps),
        ref=plan.ref,
        too_long=read.too_long,
        text=plan.text,
    )
