"""The tool calls of a run compared with the picks of an expert and with a registry of tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.tools import ToolsSpec
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Details,
    Fail,
    Pass,
    Skipped,
    Verdict,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.evidence_refs import MAX_REFS, evidence_refs
from judgemesh.validators._shared.trace.tool_calls import (
    ToolCall,
    tool_calls,
)
from judgemesh.validators._shared.trace.tool_names import folded_tool, tool_matches
from judgemesh.validators._shared.trace.transcript import step_failed, without_trace
from judgemesh.validators._shared.values import listed
from judgemesh.validators.tool_selection.expert_comparison import (
    TooManyPairs,
    against_expert,
    against_registry,
)
from judgemesh.validators.tool_selection.picks import (
    PickedCall,
    PickProblem,
    Picks,
    WrongPick,
)
from judgemesh.validators.tool_selection.registry import (
    ToolRegistry,
    one_name,
    registry_of,
)

METRIC: Final = "tool_selection"
_EPSILON: Final = 1e-9

_CODES: Final[Mapping[PickProblem, FailureCode]] = MappingProxyType(
    {
        PickProblem.UNKNOWN_TOOL: FailureCode.SOP_NOT_FOLLOWED,
        PickProblem.INVALID_ARGUMENTS: FailureCode.WRONG_EXECUTION_PARAMETERS,
        PickProblem.BETTER_TOOL: FailureCode.SOP_NOT_FOLLOWED,
        PickProblem.WRONG_ARGUMENTS: FailureCode.WRONG_EXECUTION_PARAMETERS,
        PickProblem.WRONG_TOOL: FailureCode.SOP_NOT_FOLLOWED,
        PickProblem.OUT_OF_ORDER: FailureCode.SOP_NOT_FOLLOWED,
        PickProblem.MISSING: FailureCode.SOP_NOT_FOLLOWED,
        PickProblem.EXTRA: FailureCode.SOP_NOT_FOLLOWED,
    }
)


def check_tool_selection(case: Case) -> list[Verdict]:
    """Compare the first pick of each decision with the right one."""
    spec = case.contract.tools
    if spec is None or (spec.expected is None and not spec.registry):
        return [not_configured("picks", "the contract names neither calls nor tools")]
    may_gate = _may_gate(spec)
    why = without_trace(case)
    if why is not None or case.result.trace is None:
        why = f"the calls cannot be compared: {why}"
        return [inaccessible("picks", why, metric=METRIC, gating=may_gate)]
    registry = registry_of(spec)
    calls = _decisions(case.result.trace.steps, spec, registry)
    if spec.expected is None and not calls:
        return [_no_decisions()]
    try:
        picks = _picks(calls, spec, registry)
        unread = _unread(case.result.trace.steps, calls)
        if unread:
            readable = [replace(call, unread=call.ref in unread) for call in calls]
            return _verdicts_of_readings(
                spec, picks, _picks(readable, spec, registry), unread
            )
    except TooManyPairs:
        why = f"{len(calls)} calls are too many to be assigned to the expert's"
        return [Abstain(check="picks", diagnostic=why, metric=METRIC, gating=may_gate)]
    return _verdicts(spec, picks)


def _picks(
    calls: Sequence[PickedCall], spec: ToolsSpec, registry: ToolRegistry
) -> Picks:
    if spec.expected is None:
        return against_registry(calls, registry)
    return against_expert(calls, spec, registry)


def _unread(
    steps: Sequence[TraceStep], calls: Sequence[PickedCall]
) -> dict[str, ToolCall]:
    """The decisions whose arguments are no JSON object, by their references."""
    decisions = {call.ref for call in calls}
    found: dict[str, ToolCall] = {}
    for call in tool_calls(steps):
        ref = f"trace:{call.ref}"
        if call.step.arguments_text is not None and ref in decisions:
            found[ref] = call
    return found


def _verdicts_of_readings(
    spec: ToolsSpec, worst: Picks, best: Picks, unread: Mapping[str, ToolCall]
) -> list[Verdict]:
    """Verdicts that hold whatever the unread arguments are: wrong in the worst reading, right in the best one."""
    if worst == best:
        return _verdicts(spec, worst)
    calls = [f"those of {call.tool} [{ref}]" for ref, call in unread.items()]
    why = f"arguments cannot be read, and decide whether the picks are right: {listed(calls)}"
    verdicts: list[Verdict] = []
    for verdict, other in zip(
        _verdicts(spec, best), _verdicts(spec, worst), strict=True
    ):
        if isinstance(verdict, Fail):
            # Wrong in the best reading too; how many picks are right is not known.
            verdicts.append(replace(verdict, score=None, metric=None, details={}))
            if verdict.metric is not None:
                score = inaccessible("picks_score", why, metric=METRIC, gating=False)
                verdicts.append(score)
        elif verdict == other:
            verdicts.append(verdict)
        else:
            metric = verdict.metric
            verdicts.append(
                inaccessible(verdict.check, why, metric=metric, gating=verdict.gating)
            )
    return verdicts


def _verdicts(spec: ToolsSpec, picks: Picks) -> list[Verdict]:
    verdicts = [_picks_verdict(spec, picks)]
    if spec.expected is not None and spec.extra_calls == "forbid":
        verdicts.append(_forbidden_verdict(picks.forbidden))
    return verdicts


def _may_gate(spec: ToolsSpec) -> bool:
    return spec.gate or spec.min_score is not None or spec.extra_calls == "forbid"


def _decisions(
    steps: Sequence[TraceStep], spec: ToolsSpec, registry: ToolRegistry
) -> list[PickedCall]:
    """The tool calls of a trace that are decisions, in order."""
    calls: list[PickedCall] = []
    expected = [registry.name(call.tool) for call in spec.expected or ()]
    made = tool_calls(steps)
    if spec.retries == "ignore":
        made = _without_retried(made)
    if spec.ordered:
        made = _in_expected_order(made, spec, registry)
    for call in made:
        if any(tool_matches(pattern, call.tool) for pattern in spec.ignore):
            continue
        name = _name(call.tool, expected, registry)
        ref, together = f"trace:{call.ref}", call.step.together
        calls.append(PickedCall(name, _arguments(call), ref, together))
    return calls


def _name(tool: str, expected: Collection[str], registry: ToolRegistry) -> str:
    """The name of a called tool as the registry or the expert's calls spell it."""
    name = registry.name(tool)
    if name in expected or registry.get(name) is not None:
        return name
    return one_name(name, expected, {own: own for own in expected})


def _arguments(call: ToolCall) -> Mapping[str, object]:
    """The arguments; those that are no object count as one that nobody asked for."""
    text = call.step.arguments_text
    return call.step.arguments if text is None else {"arguments_text": text}


def _without_retried(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """The calls without the failed ones that a later call of the same tool repeats, with whatever arguments."""
    kept: list[ToolCall] = []
    later: set[tuple[str, ...]] = set()
    for call in reversed(calls):
        tool = folded_tool(call.tool)
        if not (tool in later and step_failed(call.step)):
            kept.append(call)
        later.add(tool)
    return kept[::-1]


def _in_expected_order(
    calls: Sequence[ToolCall], spec: ToolsSpec, registry: ToolRegistry
) -> list[ToolCall]:
    """The calls in order, those made at once as the expert orders their tools."""
    names = [registry.name(call.tool) for call in spec.expected or ()]

    def rank(indexed: tuple[int, ToolCall]) -> tuple[int, int, int]:
        index, call = indexed
        first = first_of.get(call.step.together, index)
        name = _name(call.tool, names, registry)
        place = names.index(name) if name in names else len(names)
        return first, place if call.step.together in first_of else 0, index

    first_of: dict[int | None, int] = {}
    for index, call in enumerate(calls):
        if call.step.together is not None:
            first_of.setdefault(call.step.together, index)
    return [call for _, call in sorted(enumerate(calls), key=rank)]


def _no_decisions() -> Skipped:
    return Skipped(
        check="picks",
        reason="no_decisions",
        diagnostic="no tool was called",
        gating=False,
    )


def _picks_verdict(spec: ToolsSpec, picks: Picks) -> Verdict:
    score = min(1.0, picks.score(spec.extra_penalty))
    summary = f"{picks.correct} of {picks.decisions} first picks are right"
    good_enough = not picks.wrong
    if spec.min_score is not None:
        reached = picks.measured(spec.measure, spec.extra_penalty)
        good_enough = reached >= spec.min_score - _EPSILON
        summary += f"; {spec.measure} {reached:.3g}, at least {spec.min_score:g} asked"
    details: Details = {
        "decisions": picks.decisions,
        "correct": picks.correct,
        "answered": picks.answered,
        "extra_calls": picks.extras,
        "first_pick_correct": picks.first_pick_correct,
        "first_tool_correct": picks.first_tool_correct,
    }
    gating = spec.gate or spec.min_score is not None
    if good_enough:
        return Pass(
            check="picks",
            score=score,
            diagnostic=summary,
            metric=METRIC,
            gating=gating,
            confidence=DETERMINISTIC,
            details=details,
        )
    codes = dict.fromkeys(_CODES[pick.problem] for pick in picks.wrong)
    rows = [_row(pick) for pick in picks.wrong[:MAX_REFS]]
    return Fail(
        check="picks",
        codes=tuple(codes),
        score=score,
        diagnostic=f"{summary}: {_describe(picks.wrong)}",
        metric=METRIC,
        gating=gating,
        confidence=DETERMINISTIC,
        evidence_refs=_refs(picks.wrong),
        details={**details, "wrong": rows},
    )


def _forbidden_verdict(forbidden: Sequence[WrongPick]) -> Verdict:
    if not forbidden:
        return Pass(check="forbidden_calls", confidence=DETERMINISTIC)
    return Fail(
        check="forbidden_calls",
        codes=(FailureCode.UNAUTHORIZED_ACTION,),
        diagnostic=_describe(forbidden),
        confidence=DETERMINISTIC,
        evidence_refs=_refs(forbidden),
    )


def _row(pick: WrongPick) -> dict[str, object]:
    return {
        "problem": pick.problem.value,
        "why": pick.why,
        "step": pick.ref,
        "count": pick.repeats,
    }


def _describe(picks: Sequence[WrongPick]) -> str:
    phrases: list[str] = []
    for pick in picks:
        phrase = pick.why
        if pick.repeats > 1:
            phrase += f" ({pick.repeats} times)"
        if pick.ref:
            phrase += f" [{pick.ref}]"
        phrases.append(phrase)
    return listed(phrases)


def _refs(picks: Sequence[WrongPick]) -> tuple[str, ...]:
    refs: list[str] = []
    for pick in picks:
        if pick.ref:
            refs.append(pick.ref)
    return evidence_refs(refs)
