"""Matchers and thresholds that always hold, never hold, or decide nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.expectations import AnswerSpec
from judgemesh.contracts.section import MATCHER_KEYS, Conditions
from judgemesh.mesh.grading.contract_check.model_tree import models_below
from judgemesh.mesh.inputs.problems import Problem

_EMPTY_LISTS: Final = {
    "one_of": "an empty list: no value is one of it",
    "contains_any": "an empty list: no text contains one of it",
    "contains_all": "an empty list: every text contains all of it",
}


def matcher_warnings(contract: EvalContract) -> Iterator[Problem]:
    """What a contract asks for that cannot fail, or cannot pass, each with its key."""
    for model, path in models_below(contract):
        if isinstance(model, Conditions):
            for key, message in _of_conditions(model):
                yield Problem((*path, key), message)
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
    for key, message in _EMPTY_LISTS.items():
        if getattr(model, key) == []:
            yield key, message
    if model.contains is not None and not model.contains.strip():
        yield "contains", "an empty text: every text contains it"
    if isinstance(model, AnswerSpec):
        if "equals" in model.model_fields_set and model.equals == "":
            yield "equals", "an empty text: an answer without text never passes"
        if _is_list_of_matchers(model.equals):
            message = (
                "compared for equality with the whole list; "
                "conditions that must all hold stand beside each other in one object"
            )
            yield "equals", message


def _is_list_of_matchers(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(map(_is_matcher, cast("list[Any]", value)))


def _is_matcher(value: Any) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    return cast("Mapping[str, Any]", value).keys() <= MATCHER_KEYS
