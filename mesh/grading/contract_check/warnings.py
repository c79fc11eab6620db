"""Parts of a contract that deserve a look before grading: they are looked for, and can say little."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.section import Matcher
from judgemesh.mesh.grading.contract_check.matchers import matcher_warnings
from judgemesh.mesh.grading.contract_check.model_tree import models_below
from judgemesh.mesh.grading.contract_check.schemas import schema_warnings
from judgemesh.mesh.grading.coverage.codes import feeding
from judgemesh.mesh.grading.plan import GradingPlan, runners_of
from judgemesh.mesh.inputs.problems import Problem

if TYPE_CHECKING:
    from judgemesh.contracts.sections.effects import ExpectedChange

_RANGE_WORDS: Final = frozenset({"min", "max", "minimum", "maximum", "from", "to"})
_ALL: Final = frozenset({"*", "**", "/**"})


def contract_warnings(contract: EvalContract, plan: GradingPlan) -> Iterator[Problem]:
    """What a contract asks for without much effect, each with its key."""
    if _vacuous(contract):
        message = (
            "an execution is required and no change is expected; "
            "a pass would rest on nothing: undecided"
        )
        yield Problem((), message)
    yield from _undecidable_checks(contract, plan)
    yield from _unfed_thresholds(contract, plan)
    yield from _open_permissions(contract)
    yield from _empty_prerequisites(contract)
    yield from _ranges(contract)
    yield from matcher_warnings(contract)
    for model, path in models_below(contract):
        yield from schema_warnings(model, path)
    if not _gates(plan):
        yield Problem((), "the contract asks for nothing that could fail")


def _undecidable_checks(contract: EvalContract, plan: GradingPlan) -> Iterator[Problem]:
    """Checks of a weighted score whose validator does not run."""
    running = {planned.validator.name for planned in plan.validators}
    for name, section in contract.scoring.weighted.items():
        for index, check in enumerate(section.checks):
            if check.validator not in running:
                message = (
                    f"no validator {check.validator!r} runs under this contract; "
                    f"{check.id!r} can never be decided"
                )
                yield Problem(("scoring", "weighted", name, "checks", index), message)


def _unfed_thresholds(contract: EvalContract, plan: GradingPlan) -> Iterator[Problem]:
    runners = runners_of(plan.validators)
    for metric in contract.scoring.thresholds:
        if next(feeding(metric.value, contract, runners), None) is None:
            message = "nothing under this contract feeds this sub-score"
            yield Problem(("scoring", "thresholds", metric.value), message)


def _empty_prerequisites(contract: EvalContract) -> Iterator[Problem]:
    """A tool that is listed without a condition: a list of all tools has such ones beside the others."""
    for index, prerequisite in enumerate(
        () if contract.sop is None else contract.sop.prerequisites
    ):
        if prerequisite.requires is None and not prerequisite.implies:
            message = "it requires nothing and implies nothing; give one of them"
            yield Problem(("sop", "prerequisites", index), message)


def _open_permissions(contract: EvalContract) -> Iterator[Problem]:
    """A list of permissions, or of the steps of a plan, that permits everything."""
    for index, pattern in enumerate(contract.plan.allowed if contract.plan else ()):
        if pattern in _ALL:
            yield Problem(("plan", "allowed", index), f"{pattern!r} allows every step")
    permissions = None if contract.sop is None else contract.sop.permissions
    if permissions is None:
        return
    for index, pattern in enumerate(permissions.tools or ()):
        if pattern in _ALL:
            message = f"{pattern!r} permits every tool"
            yield Problem(("sop", "permissions", "tools", index), message)
    if permissions.denied_paths:
        return
    for index, pattern in enumerate(permissions.paths or ()):
        if pattern in _ALL:
            message = f"{pattern!r} permits every path"
            yield Problem(("sop", "permissions", "paths", index), message)


def _ranges(contract: EvalContract) -> Iterator[Problem]:
    """Objects such as `{min: 1, max: 5}`: data to be equal to, and perhaps meant as a range."""
    for model, path in models_below(contract):
        if isinstance(model, Matcher) and _is_range(model.equals):
            message = (
                "compared for equality with the whole object; "
                "a range is written with `ge`, `gt`, `le` and `lt`"
            )
            yield Problem(path, message)


def _is_range(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    keys = cast("dict[str, object]", value).keys()
    return bool(keys) and keys <= _RANGE_WORDS


def _gates(plan: GradingPlan) -> bool:
    """Whether a validator of the plan guards the gate."""
    return any(planned.guards for planned in plan.validators)


def _vacuous(contract: EvalContract) -> bool:
    """Whether the contract requires an execution and expects no change of state (SPEC section 5)."""
    state, execution = contract.state, contract.execution
    if state is None or not contract.success_criteria.execution_result.required:
        return False
    if state.documents or (execution is not None and execution.expected):
        return False
    return all(_no_op(change) for change in state.expected)


def _no_op(change: ExpectedChange) -> bool:
    both_given = {"before", "after"} <= change.model_fields_set
    return both_given and bool(change.before == change.after)
