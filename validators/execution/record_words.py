"""Why a record does not prove its execution, in words."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.effects import ExecutionSpec
from judgemesh.contracts.results import ExecutionRecord
from judgemesh.validators._shared.status import Standing, standing
from judgemesh.validators._shared.values import show
from judgemesh.validators.execution.faults import describe_execution
from judgemesh.validators.execution.rehearsals import rehearsal_flag
from judgemesh.validators.execution.standings import contract_words, telling_keys

_MAX_KEYS: Final = 2


def not_effective(record: ExecutionRecord, spec: ExecutionSpec) -> str:
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
