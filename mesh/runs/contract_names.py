"""The names by which a contract refers to a run: tools, arguments, fields, kinds, parameters, paths of state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.procedure import Activity, Requirement
from judgemesh.mesh.grading.contract_check.model_tree import models_below
from judgemesh.mesh.inputs.problems import KeyPath


@dataclass(frozen=True, slots=True)
class Named:
    """One name of a contract. `of` is the tool or kind that an argument or parameter belongs to.

    often_absent: a run need not meet it, so that it is reported only where something nearly of that name occurs.
    """

    path: KeyPath
    kind: str
    name: str
    of: str = ""
    often_absent: bool = False


def names_of(contract: EvalContract) -> Iterator[Named]:
    """Every name of a contract that a run can meet."""
    for names in _FINDERS:
        yield from names(contract)


def _sop_tools(contract: EvalContract) -> Iterator[Named]:
    sop = contract.sop
    if sop is None:
        return
    for key in ("required_tools", "forbidden_tools"):
        for index, tool in enumerate(getattr(sop, key)):
            yield Named(("sop", key, index), _spoken(key), tool)
    for index, rule in enumerate(sop.prerequisites):
        yield Named(("sop", "prerequisites", index, "tool"), "tool", rule.tool)
    if sop.limits is not None:
        for tool in sop.limits.calls_per_tool:
            yield Named(("sop", "limits", "calls_per_tool", tool), "tool", tool)


def _permissions(contract: EvalContract) -> Iterator[Named]:
    sop = contract.sop
    if sop is not None and sop.permissions is not None:
        at: KeyPath = ("sop", "permissions")
        for index, tool in enumerate(sop.permissions.tools or ()):
            path = (*at, "tools", index)
            yield Named(path, "permitted tool", tool, often_absent=True)
        for index, limit in enumerate(sop.permissions.arguments):
            path = (*at, "arguments", index)
            yield Named((*path, "tool"), "tool", limit.tool)
            for name in limit.arguments:
                yield Named((*path, "arguments", name), "argument", name, limit.tool)


def _spoken(key: str) -> str:
    return key.replace("_", " ").removesuffix("s")


def _activities(contract: EvalContract) -> Iterator[Named]:
    """Tools of rules and requirements, wherever they stand."""
    for model, path in models_below(contract):
        if isinstance(model, Activity) and model.tool is not None:
            yield Named((*path, "tool"), "tool", model.tool)
            for name in model.where:
                yield Named((*path, "where", name), "argument", name, model.tool)
        if isinstance(model, Requirement) and model.call is not None:
            yield Named((*path, "call"), "tool", model.call)


def _expert_calls(contract: EvalContract) -> Iterator[Named]:
    tools = contract.tools
    if tools is None:
        return
    for index, call in enumerate(tools.expected or ()):
        path = ("tools", "expected", index)
        yield Named((*path, "tool"), "tool", call.tool)
        for name in call.arguments:
            yield Named((*path, "arguments", name), "argument", name, call.tool)
    for index, tool in enumerate(tools.registry):
        path = ("tools", "registry", index)
        yield Named(path, "registered tool", tool.name, often_absent=True)


def _fields(contract: EvalContract) -> Iterator[Named]:
    criteria = contract.success_criteria
    for key in ("required_outputs", "must_include"):
        for index, name in enumerate(getattr(criteria, key)):
            yield Named(("success_criteria", key, index), "field", name)


def _executions(contract: EvalContract) -> Iterator[Named]:
    execution = contract.execution
    if execution is None:
        return
    for index, expected in enumerate(execution.expected):
        path = ("execution", "expected", index)
        yield Named((*path, "kind"), "kind", expected.kind)
        for name in expected.parameters:
            yield Named((*path, "parameters", name), "parameter", name, expected.kind)
    for key in ("high_risk", "payments"):
        for index, kind in enumerate(getattr(execution, key)):
            yield Named(("execution", key, index), "kind", kind)


def _state_paths(contract: EvalContract) -> Iterator[Named]:
    state = contract.state
    if state is None:
        return
    for index, change in enumerate(state.expected):
        yield Named(("state", "expected", index, "path"), "path", change.path)
    for index, document in enumerate(state.documents):
        yield Named(("state", "documents", index, "path"), "path", document.path)
    for index, path in enumerate(state.forbidden):
        at = ("state", "forbidden", index)
        yield Named(at, "forbidden path", path, often_absent=True)


_FINDERS: Final[tuple[Callable[[EvalContract], Iterator[Named]], ...]] = (
    _fields,
    _sop_tools,
    _permissions,
    _activities,
    _expert_calls,
    _executions,
    _state_paths,
)
