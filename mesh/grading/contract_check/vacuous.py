"""Sections of a contract that every run keeps, so that they ask for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh.inputs.problems import Problem

if TYPE_CHECKING:
    from judgemesh.contracts.sections.effects import StateSpec
    from judgemesh.contracts.sections.procedure import Rule

_EVERY_TOOL: Final = frozenset({"*", "**"})


def vacuous_faults(contract: EvalContract) -> Iterator[Problem]:
    """Parts that no run can break."""
    for find in _FINDERS:
        yield from find(contract)


def _open_boundaries(contract: EvalContract) -> Iterator[Problem]:
    """A pattern for everything turns a boundary off."""
    state = contract.state
    for key in ("allowed", "ignored"):
        for index, path in enumerate(_paths(state, key)):
            if _is_everything(path):
                message = f"{path!r} takes in everything, so that no change is ever a side effect; name what may change"
                yield Problem(("state", key, index), message)


def _is_everything(path: str) -> bool:
    segments = set(path.strip().strip("/").split("/"))
    return "**" in segments and segments <= {"*", "**"}


def _paths(state: StateSpec | None, key: str) -> list[str]:
    return [] if state is None else getattr(state, key)


def _rules(contract: EvalContract) -> Iterator[Problem]:
    """Rules of a procedure that hold for every run."""
    if contract.sop is None:
        return
    for index, rule in enumerate(contract.sop.rules):
        if _responds_to_itself(rule):
            message = (
                "`first` and `then` are the same, so that no run can break the rule; "
                "`existence` asks for one occurrence"
            )
            yield Problem(("sop", "rules", index, "then"), message)


def _responds_to_itself(rule: Rule) -> bool:
    is_its_own_partner = rule.first is not None and rule.first == rule.then
    return rule.template == "responded_existence" and is_its_own_partner


def _arguments(contract: EvalContract) -> Iterator[Problem]:
    """Permissions for the arguments of a tool that name no argument."""
    permissions = None if contract.sop is None else contract.sop.permissions
    if permissions is None:
        return
    for index, rule in enumerate(permissions.arguments):
        if not rule.arguments:
            path = ("sop", "permissions", "arguments", index, "arguments")
            message = "no argument is named, so that every call is permitted; name one with its condition"
            yield Problem(path, message)


def _tools(contract: EvalContract) -> Iterator[Problem]:
    """Decisions that are all left out, and a share that every run reaches."""
    tools = contract.tools
    if tools is None:
        return
    for index, pattern in enumerate(tools.ignore):
        if pattern in _EVERY_TOOL:
            message = f"{pattern!r} leaves out every call, so that nothing is compared; name tools"
            yield Problem(("tools", "ignore", index), message)
    if tools.min_score == 0:
        message = "every run reaches 0; write the lowest share that passes"
        yield Problem(("tools", "min_score"), message)


_FINDERS: Final[tuple[Callable[[EvalContract], Iterator[Problem]], ...]] = (
    _open_boundaries,
    _rules,
    _arguments,
    _tools,
)
