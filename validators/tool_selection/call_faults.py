"""What is wrong with a single call: by the registry of tools, and by the arguments of the expert's call."""

from __future__ import annotations

from judgemesh.contracts.sections.tools import ExpertCall
from judgemesh.validators._shared.matching import describe, matches
from judgemesh.validators._shared.values import show
from judgemesh.validators.tool_selection.picks import PickedCall, PickProblem, WrongPick
from judgemesh.validators.tool_selection.registry import ToolRegistry


def registry_fault(call: PickedCall, registry: ToolRegistry) -> WrongPick | None:
    """What the registry alone says against a call.

    Raises:
        ValueError: a schema of the registry cannot be compiled.
    """
    name = call.name
    if not registry.knows(name):
        why = f"there is no tool {show(name)}"
        return WrongPick(PickProblem.UNKNOWN_TOOL, why, call.ref)
    better = registry.better(name)
    if better is not None:
        why = f"{better} does the same, safer or cheaper than {name}"
        return WrongPick(PickProblem.BETTER_TOOL, why, call.ref)
    invalid = registry.invalid(name, call.arguments)
    if invalid is not None and not call.unread:
        return WrongPick(PickProblem.INVALID_ARGUMENTS, f"{name}: {invalid}", call.ref)
    return None


def argument_fault(expected: ExpertCall, call: PickedCall) -> str | None:
    """Why the arguments are not the expert's; None when they are.

    Raises:
        ValueError: a pattern or schema of the contract cannot be compiled.
    """
    if call.unread:
        return None
    for name, matcher in expected.arguments.items():
        if name in call.arguments:
            value = call.arguments[name]
            if not matches(matcher, value):
                return f"{name} is {show(value)}, expected {describe(matcher)}"
        elif name not in expected.optional and matcher.any is not False:
            return f"{name} is missing"
    if expected.match != "exact":
        return None
    for name in call.arguments:
        if name not in expected.arguments and name not in expected.optional:
            return f"{show(name)} was not asked for"
    return None
