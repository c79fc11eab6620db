"""Tool selection: the share of tool-call decisions in which the agent made the right pick."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.results import TraceStep
from judgemesh.contracts.tools import ToolsSpec
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.tool_calls import tool_matches
from judgemesh.validators._shared.transcript import step_ref, transcript_hidden
from judgemesh.validators._shared.values import listed
from judgemesh.validators.tool_selection.picks import (
    Call,
    Picks,
    Problem,
    TooManyPairs,
    Wrong,
    against_expert,
    against_registry,
)
from judgemesh.validators.tool_selection.registry import Registry, registry_of

METRIC: Final = "tool_selection"
_MAX_REFS: Final = 50
_NO_DECISIONS: Final = "no_decisions"

CODE_OF_PROBLEM: Final[Mapping[Problem, FailureCode]] = MappingProxyType(
    {
        Problem.UNKNOWN_TOOL: FailureCode.SOP_NOT_FOLLOWED,
        Problem.INVALID_ARGUMENTS: FailureCode.WRONG_EXECUTION_PARAMETERS,
        Problem.BETTER_TOOL: FailureCode.SOP_NOT_FOLLOWED,
        Problem.WRONG_ARGUMENTS: FailureCode.WRONG_EXECUTION_PARAMETERS,
        Problem.WRONG_TOOL: FailureCode.SOP_NOT_FOLLOWED,
        Problem.OUT_OF_ORDER: FailureCode.SOP_NOT_FOLLOWED,
        Problem.MISSING: FailureCode.SOP_NOT_FOLLOWED,
        Problem.EXTRA: FailureCode.SOP_NOT_FOLLOWED,
    }
)


@validator(
    name="tool_selection",
    version="1",
    codes=(
        FailureCode.SOP_NOT_FOLLOWED,
        FailureCode.WRONG_EXECUTION_PARAMETERS,
        FailureCode.UNAUTHORIZED_ACTION,
    ),
    applies=lambda contract: contract.tools is not None,
)
def tool_selection(case: Case) -> Judgement:
    """The agent picks the right tool with the right arguments at each decision.

    A pick is right when an expert made the same call (or one to an equivalent tool), its arguments fit the tool's
    schema, and the registry holds no safer or cheaper equivalent. The score is the share of right picks.
    """
    yield from ()
    spec = case.contract.tools
    if spec is None or (spec.expected is None and not spec.registry):
        return [
            Skipped(
                check="picks",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract names neither calls nor tools",
            )
        ]
    if transcript_hidden(case.result) or case.result.trace is None:
        return [
            _cannot_tell(
                spec,
                case.problems.get("trace")
                or "the result carries no trace steps with tool calls",
            )
        ]
    registry = registry_of(spec)
    calls = calls_of(case.result.trace.steps, spec, registry)
    try:
        picks = (
            against_registry(calls, registry)
            if spec.expected is None
            else against_expert(calls, spec, registry)
        )
    except TooManyPairs:
        return [_too_many(spec, len(calls))]
    if spec.expected is None and not calls:
        return [
            Skipped(
                check="picks",
                reason=_NO_DECISIONS,
                diagnostic="no tool was called",
                gating=False,
            )
        ]
    verdicts = [_picks_verdict(spec, picks)]
    if spec.extra_calls == "forbid" and spec.expected is not None:
        verdicts.append(_forbidden_verdict(picks.forbidden))
    return verdicts


def calls_of(steps: list[TraceStep], spec: ToolsSpec, registry: Registry) -> list[Call]:
    """The tool calls of a trace that are decisions, in order."""
    return [
        Call(
            registry.name(step.tool_name),
            step.arguments,
            f"trace:{step_ref(step, index)}",
        )
        for index, step in enumerate(steps)
        if step.tool_name is not None
        and not any(tool_matches(glob, step.tool_name) for glob in spec.ignore)
    ]


def _cannot_tell(spec: ToolsSpec, why: str) -> Abstain:
    return Abstain(
        check="picks",
        code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
        reason=Reason.SOURCE_INACCESSIBLE,
        diagnostic=why,
        metric=METRIC,
        gating=spec.gate or spec.extra_calls == "forbid",
    )


def _too_many(spec: ToolsSpec, calls: int) -> Abstain:
    return Abstain(
        check="picks",
        diagnostic=f"{calls} calls are too many to be assigned to the expert's",
        metric=METRIC,
        gating=spec.gate or spec.extra_calls == "forbid",
    )


def _picks_verdict(spec: ToolsSpec, picks: Picks) -> Verdict:
    score = min(1.0, picks.score(spec.extra_penalty))
    details: dict[str, object] = {
        "decisions": picks.decisions,
        "correct": picks.correct,
        "extra_calls": picks.extras,
        "first_pick_correct": picks.first_pick_correct,
        "first_tool_correct": picks.first_tool_correct,
    }
    said = f"{picks.correct} of {picks.decisions} picks are right"
    if not picks.wrong:
        return Pass(
            check="picks",
            score=score,
            diagnostic=said,
            metric=METRIC,
            gating=spec.gate,
            confidence=DETERMINISTIC,
            details=details,
        )
    details["wrong"] = [_row(one) for one in picks.wrong[:_MAX_REFS]]
    return Fail(
        check="picks",
        codes=tuple(dict.fromkeys(CODE_OF_PROBLEM[one.problem] for one in picks.wrong)),
        score=score,
        diagnostic=f"{said}: {listed([_words(one) for one in picks.wrong])}",
        metric=METRIC,
        gating=spec.gate,
        confidence=DETERMINISTIC,
        evidence_refs=_refs(picks.wrong),
        details=details,
    )


def _forbidden_verdict(forbidden: tuple[Wrong, ...]) -> Verdict:
    if not forbidden:
        return Pass(check="forbidden_calls", confidence=DETERMINISTIC)
    return Fail(
        check="forbidden_calls",
        codes=(FailureCode.UNAUTHORIZED_ACTION,),
        diagnostic=listed([_words(one) for one in forbidden]),
        confidence=DETERMINISTIC,
        evidence_refs=_refs(forbidden),
    )


def _row(one: Wrong) -> dict[str, object]:
    return {
        "problem": one.problem.value,
        "why": one.why,
        "step": one.ref,
        "count": one.repeats,
    }


def _words(one: Wrong) -> str:
    times = f" ({one.repeats} times)" if one.repeats > 1 else ""
    return f"{one.why}{times}" + (f" [{one.ref}]" if one.ref else "")


def _refs(wrong: tuple[Wrong, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.ref for one in wrong if one.ref))[:_MAX_REFS]
