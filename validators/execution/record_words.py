"""Why a record does not prove its execution, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.sections.effects import ExecutionSpec
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.status import Standing, standing
from judgemesh.validators._shared.values import show
from judgemesh.validators.execution.faults import describe_execution, record_ref
from judgemesh.validators.execution.rehearsals import rehearsal_flag
from judgemesh.validators.execution.standings import contract_words, telling_keys
from judgemesh.validators.execution.targets import same_target

_MAX_KEYS: Final = 2


def not_done(
    kind: str, target: str | None, void: Iterable[ExecutionRecord], spec: ExecutionSpec
) -> str:
    """What the records say of an execution that is there but was not done; empty where none is there.

    Args:
        kind: the kind of the execution.
        target: its target; None stands for any.
        void: the records of executions that did not take effect.
        spec: what the contract says of executions.
    """
    for record in void:
        if fold_name(record.kind) != fold_name(kind):
            continue
        if target is not None and not same_target(record.target, target):
            continue
        return f"{record_ref(record)} is there, but not done: {_not_effective(record, spec)}"
    return ""


def _not_effective(record: ExecutionRecord, spec: ExecutionSpec) -> str:
    """What the record of an execution that did not take effect says: `its status is 'on hold'`."""
    flag = rehearsal_flag(record, spec)
    if flag is not None:
        return f"it was only tried ({flag})"
    telling = telling_keys(record)
    says = standing(record.status, record.kind, contract_words(spec))
    if record.status and (says is not Standing.DONE or not telling):
        return f"its status is {show(record.status)}"
    return _shown(telling) or "it says that it did not take effect"


def not_clear(record: ExecutionRecord, spec: ExecutionSpec) -> str:
    """Why nobody can tell whether the execution took effect."""
    execution = describe_execution(record)
    says = standing(record.status, record.kind, contract_words(spec))
    telling = telling_keys(record)
    if says is Standing.DONE and telling:
        return (
            f"{execution}: the record contradicts itself: its status is {show(record.status)}, "
            f"and {_shown(telling)}"
        )
    word = show(record.status or "no status")
    return (
        f"{execution}: nobody can tell whether the status {word} means done; "
        "say so in `execution.status_words`, or expect it with `status`"
    )


def _shown(telling: dict[str, object]) -> str:
    shown = [f"{key} is {show(value)}" for key, value in telling.items()]
    return " and ".join(shown[:_MAX_KEYS])
