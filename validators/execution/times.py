"""When executions happened: inside the window of the run, and not before or after an expected time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.sections.effects import ExecutionSpec, ExpectedExecution


def of_this_run(
    records: Sequence[ExecutionRecord],
    spec: ExecutionSpec,
    started: datetime | None,
    ended: datetime | None,
) -> list[ExecutionRecord]:
    """The records inside the run, `window_s` seconds earlier and later included. A record without a time counts."""
    if spec.window_s is None:
        return list(records)
    slack = timedelta(seconds=spec.window_s)
    earliest = None if started is None else utc(started) - slack
    latest = None if ended is None else utc(ended) + slack
    return [record for record in records if _is_within(record.at, earliest, latest)]


def _is_within(
    time: datetime | None, earliest: datetime | None, latest: datetime | None
) -> bool:
    if time is None:
        return True
    if earliest is not None and utc(time) < earliest:
        return False
    return latest is None or utc(time) <= latest


def time_fault(expected: ExpectedExecution, record: ExecutionRecord) -> str:
    """What is wrong with the time of an execution, in words; empty when nothing is."""
    not_before, not_after, at = expected.not_before, expected.not_after, record.at
    if not_before is None and not_after is None:
        return ""
    if at is None:
        return "the record says no time"
    if not_before is not None and utc(at) < utc(not_before):
        return f"executed at {at.isoformat()}, before {not_before.isoformat()}"
    if not_after is not None and utc(at) > utc(not_after):
        return f"executed at {at.isoformat()}, after {not_after.isoformat()}"
    return ""


def utc(time: datetime) -> datetime:
    """The time with its zone; a time without zone is UTC."""
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
