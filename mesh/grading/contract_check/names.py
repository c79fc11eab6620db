"""Names of a contract that mean nothing, and rules of a contract that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.expectations import FieldSpec
from judgemesh.contracts.text.spelling import nearest
from judgemesh.contracts.transcripts.keys import ROLE_OF_WORD, fold
from judgemesh.contracts.verdicts import Metric
from judgemesh.mesh.grading.contract_check.model_tree import models_below
from judgemesh.mesh.inputs.problems import Problem

if TYPE_CHECKING:
    from judgemesh.contracts.sections.procedure import SopSpec

_NAMED_SCORES: Final = frozenset(
    {*(metric.value for metric in Metric), "tool_selection", "plan_quality"}
)
_ONLY_FINDING: Final = frozenset(
    {
        "path",
        "aliases",
        "pattern",
        "question",
        "search",
        "find_by",
        "allow",
        "weight",
    }
)
"""Keys of a field that say how it is found; any other key expects something of it."""


def name_faults(contract: EvalContract) -> Iterator[Problem]:
    """Names without a meaning, and contradictions."""
    for find in _FINDERS:
        yield from find(contract)


# --- names ---


def _unused_fields(contract: EvalContract) -> Iterator[Problem]:
    """A field that nothing requires and that expects nothing is never looked at."""
    criteria = contract.success_criteria
    required = {
        _folded(name)
        for name in (
            *criteria.required_outputs,
            *criteria.must_include,
            *criteria.must_not_include,
            *criteria.execution_result.must_include,
            *criteria.execution_result.must_not_include,
        )
    }
    for name, spec in contract.fields.items():
        if _folded(name) in required or _expects(spec):
            continue
        near = nearest(_folded(name), sorted(required))
        hint = f"did you mean {near!r}? " if near else ""
        message = (
            "nothing requires this field, so that nobody looks at it; "
            f"{hint}add it to `must_include`, or remove it"
        )
        yield Problem(("fields", name), message)


def _expects(spec: FieldSpec) -> bool:
    return not spec.model_fields_set <= _ONLY_FINDING


def _unknown_metrics(contract: EvalContract) -> Iterator[Problem]:
    known = sorted({*_NAMED_SCORES, *contract.scoring.weighted})
    for index, criterion in enumerate(contract.criteria):
        metric = criterion.metric
        if metric in known:
            continue
        near = nearest(metric, known)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
        message = (
            f"{metric!r} is no sub-score and no score of `scoring.weighted`; {hint}"
        )
        yield Problem(("criteria", index, "metric"), message)


def _misspelt_roles(contract: EvalContract) -> Iterator[Problem]:
    """Activities of a role that nobody has; only a procedure has activities."""
    if contract.sop is None:
        return
    from judgemesh.contracts.sections.procedure import Activity

    for model, path in models_below(contract):
        role = model.role if isinstance(model, Activity) else None
        if role is None or fold(role) in ROLE_OF_WORD:
            continue
        near = nearest(fold(role), ROLE_OF_WORD, cutoff=0.8)
        if near:
            message = f"nobody has the role {role!r}; did you mean {near!r}?"
            yield Problem((*path, "role"), message)


def _folded(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


# --- contradictions ---


def _both_ways(contract: EvalContract) -> Iterator[Problem]:
    """What must be there and must not."""
    criteria = contract.success_criteria
    wanted = {
        _folded(name) for name in (*criteria.must_include, *criteria.required_outputs)
    }
    for index, entry in enumerate(criteria.must_not_include):
        path = ("success_criteria", "must_not_include", index)
        code = parse_code(entry)
        if code is None and _folded(entry) in wanted:
            yield Problem(path, f"{entry!r} is required and forbidden")
        if code is not None and contract.outcome.effects.get(code) == "soft":
            message = f"{code} is forbidden here, and `outcome.effects` makes it soft; remove one of them"
            yield Problem(path, message)


def _tools_both_ways(contract: EvalContract) -> Iterator[Problem]:
    """Tools that are required, and forbidden or not permitted."""
    sop = contract.sop
    if sop is None:
        return
    for index, tool in enumerate(sop.required_tools):
        reason = _why_not(tool, sop)
        if reason is not None:
            message = f"{tool!r} is required, and {reason}: no run can pass"
            yield Problem(("sop", "required_tools", index), message)


def _why_not(tool: str, sop: SopSpec) -> str | None:
    if "*" in tool:
        return None
    if _matches(tool, sop.forbidden_tools):
        return "`forbidden_tools` forbids it"
    permissions, limits = sop.permissions, sop.limits
    permitted = None if permissions is None else permissions.tools
    if permitted is not None and not _matches(tool, permitted):
        return "`permissions.tools` does not permit it"
    if limits is not None and limits.calls_per_tool.get(tool) == 0:
        return "`limits.calls_per_tool` allows no call"
    return None


def _matches(tool: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


_FINDERS: Final[tuple[Callable[[EvalContract], Iterator[Problem]], ...]] = (
    _unused_fields,
    _unknown_metrics,
    _misspelt_roles,
    _both_ways,
    _tools_both_ways,
)
