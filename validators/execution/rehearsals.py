"""Flags by which a record says that its execution was only tried: `dry_run: true`, `mode: dry-run`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.sections.effects import ExecutionSpec
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.status import status_key
from judgemesh.validators._shared.trace.status_words import REHEARSAL
from judgemesh.validators._shared.trace.verbs import rehearses
from judgemesh.validators._shared.values import show

_FLAGS: Final = frozenset(fold_name(word) for word in REHEARSAL) | {
    "isdryrun",
    "drymode",
    "istest",
    "test",
    "istestmode",
    "issimulation",
    "issimulated",
    "simulateonly",
    "issandbox",
    "ispreview",
    "validateonly",
}
_MODES: Final = frozenset(
    {"mode", "runmode", "executionmode", "run", "runtype", "executiontype"}
)
_NO: Final = frozenset(
    {"", "false", "no", "0", "off", "none", "null", "never", "n", "disabled", "live"}
)


def rehearsal_flag(record: ExecutionRecord, spec: ExecutionSpec) -> str | None:
    """The flag that says so, as `dry_run: True`; None where there is none.

    An action whose own name says that it tries something (`run_simulation`) took place, and so did one that the
    contract expects with that flag.
    """
    asked = {
        fold_name(name)
        for expected in spec.expected
        if fold_name(expected.kind) == fold_name(record.kind)
        for name in expected.parameters
    }
    for key, value in _named(record):
        name = fold_name(key)
        if name in asked or rehearses(record.kind, key):
            continue
        if _tries(name, value):
            return f"{key}: {show(value)}"
    return None


def _named(record: ExecutionRecord) -> Iterator[tuple[str, object]]:
    yield from (record.model_extra or {}).items()
    yield from record.parameters.items()


def _tries(name: str, value: object) -> bool:
    if not isinstance(value, bool | int | str):
        return False
    if name in _MODES:
        return isinstance(value, str) and status_key(value) in REHEARSAL
    return name in _FLAGS and str(value).strip().casefold() not in _NO
