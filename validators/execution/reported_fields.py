"""The fields of `execution_result.must_include` that the agent did not report."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.result_parts.actions import Action
from judgemesh.contracts.validator import Case
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.answer.field_query import query
from judgemesh.validators._shared.answer.fields import Placed, find
from judgemesh.validators._shared.answer.placeholders import is_placeholder
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.claimed_actions import claimed_actions
from judgemesh.validators._shared.values import ABSENT, dig
from judgemesh.validators.execution.faults import ExecutionFault

_PREFIX: Final = "execution_"
_FOLDED_PREFIX: Final = fold_name(_PREFIX)
_ACTION_FIELDS: Final = {
    fold_name(name): name
    for name in (
        "kind",
        "target",
        "parameters",
        "confirmation_id",
        "status",
        "confirmed",
        "confirmed_at",
        "at",
    )
}


def unreported_fields(case: Case) -> list[ExecutionFault]:
    """The required fields that the agent did not report.

    Every claimed action must have them. An agent that reports no action as data may still state them in its outputs or
    its text: there they are searched for like any field.
    """
    names = case.contract.success_criteria.execution_result.must_include
    if not names:
        return []
    faults: list[ExecutionFault] = []
    claims = claimed_actions(case.result.actions)
    for claim in claims:
        for name in names:
            if not _has_field(claim.action, name):
                why = (
                    f"{name} is missing from action {claim.index} ({claim.action.kind})"
                )
                faults.append(
                    ExecutionFault(FailureCode.MISSING_REQUIRED_FIELD, why, claim.ref)
                )
    if claims:
        return faults
    corpus = Corpus(case.result)
    for name in names:
        if not _is_stated(name, corpus, case):
            why = f"no action is reported, and {name} is nowhere in the answer"
            faults.append(ExecutionFault(FailureCode.MISSING_REQUIRED_FIELD, why))
    return faults


def _is_stated(name: str, corpus: Corpus, case: Case) -> bool:
    spec = case.contract.fields.get(name)
    bare = name.removeprefix(_PREFIX)
    aliases = (bare,) if bare != name else ()
    return isinstance(find(query(name, spec, aliases), corpus), Placed)


def _has_field(action: Action, name: str) -> bool:
    """Whether the action has a field of that name, with or without `execution_`, or such a parameter."""
    folded = fold_name(name)
    for spelling in (folded, folded.removeprefix(_FOLDED_PREFIX)):
        field = _ACTION_FIELDS.get(spelling)
        if field is not None:
            return _has_own_field(action, field)
        for extras in (action.model_extra or {}, action.parameters):
            if any(
                fold_name(key) == spelling and _is_filled(value)
                for key, value in extras.items()
            ):
                return True
    return _is_filled(dig(action.parameters, (name,)))


def _has_own_field(action: Action, field: str) -> bool:
    # Parameters may be given and empty: an action without any.
    if field == "parameters" and field in action.model_fields_set:
        return True
    return _is_filled(getattr(action, field))


def _is_filled(value: object) -> bool:
    if value is None or value is ABSENT or value in ({}, []):
        return False
    return not (isinstance(value, str) and is_placeholder(value))
