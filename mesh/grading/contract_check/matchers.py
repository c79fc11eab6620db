"""Matchers and thresholds that always hold (faults), never hold, or decide nothing (warnings)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from pydantic import BaseModel

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.section import MATCHER_KEYS, Conditions, Matcher
from judgemesh.mesh.grading.contract_check.model_tree import models_below
from judgemesh.mesh.inputs.problems import KeyPath, Problem

_EVERY: Final = "write what must hold, or leave it out"
_NEVER_LISTS: Final = {
    "one_of": "an empty list: no value is one of it",
    "contains_any": "an empty list: no text contains one of it",
}


def matcher_faults(model: BaseModel, path: KeyPath) -> Iterator[Problem]:
    """Conditions of a section that hold for every value, so that they ask for nothing."""
    if not isinstance(model, Conditions):
        return
    if isinstance(model, Matcher) and not model.model_fields_set:
        message = "no condition: every value fits; write one, or `any: true`"
        yield Problem(path, message)
    if model.contains is not None and not model.contains.strip():
        message = f"an empty text: every text contains it; {_EVERY}"
        yield Problem((*path, "contains"), message)
    if model.contains_all == []:
        message = f"an empty list: every text contains all of it; {_EVERY}"
        yield Problem((*path, "contains_all"), message)
    inner = model.not_
    if inner is not None and any(getattr(inner, name) == [] for name in _NEVER_LISTS):
        message = f"a list in it is empty, so that it never holds and its opposite always does; {_EVERY}"
        yield Problem((*path, "not"), message)


def matcher_warnings(contract: EvalContract) -> Iterator[Problem]:
    """What a contract asks for that cannot pass, or fails no gate, each with its key."""
    for model, path in models_below(contract):
        if isinstance(model, Conditions):
            for key, message in _of_conditions(model):
                yield Problem((*path, key), message)
    if contract.answer is not None:
        for message in _of_answer(contract.answer.equals):
            yield Problem(("answer", "equals"), message)
    if _fails_nothing(contract):
        message = "wrong calls lower a score and fail no gate; give `gate: true` or `min_score`"
        yield Problem(("tools", "expected"), message)


def _fails_nothing(contract: EvalContract) -> bool:
    """Whether calls are expected and none of them can fail the gate."""
    tools = contract.tools
    if tools is None or tools.expected is None:
        return False
    gating = tools.gate or tools.min_score is not None or tools.extra_calls == "forbid"
    return not gating


def _of_conditions(model: Conditions) -> Iterator[tuple[str, str]]:
    for key, message in _NEVER_LISTS.items():
        if getattr(model, key) == []:
            yield key, message
    if _is_empty_range(model):
        yield _upper(model)[0], "no number is in this range"


def _of_answer(expected: Any) -> Iterator[str]:
    if expected == "":
        yield "an empty text: an answer without text never passes"
    if _is_list_of_matchers(expected):
        yield (
            "compared for equality with the whole list; "
            "conditions that must all hold stand beside each other in one object"
        )


def _is_empty_range(model: Conditions) -> bool:
    lower = [bound for bound in (model.gt, model.ge) if bound is not None]
    upper = _upper(model)[1]
    if not lower or upper is None:
        return False
    is_closed = model.gt is None and model.lt is None
    return max(lower) > upper or (max(lower) == upper and not is_closed)


def _upper(model: Conditions) -> tuple[str, float | None]:
    """The lowest of the upper bounds with its key."""
    bounds = [("lt", model.lt), ("le", model.le)]
    given = [(bound, key) for key, bound in bounds if bound is not None]
    if not given:
        return "lt", None
    bound, key = min(given)
    return key, bound


def _is_list_of_matchers(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(map(_is_matcher, cast("list[Any]", value)))


def _is_matcher(value: Any) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    return cast("Mapping[str, Any]", value).keys() <= MATCHER_KEYS
