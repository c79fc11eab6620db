"""OTLP: evaluation results as events `gen_ai.evaluation.result`, in the JSON of the OpenTelemetry protocol.

One export request of logs a line, as the collector's `otlpjsonfile` receiver reads it, and as `/v1/logs` takes it. Each
result has one event for its gate and one for each check that gave a grade, with the attributes of the semantic
conventions for generative AI. An evaluator's error has `error.type` and no score.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterator
from datetime import datetime
from typing import Any, BinaryIO, Final, cast

import orjson

from judgemesh.contracts.report import Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Error, Skipped, codes_of, score_of
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.analysis.results.rows import row_of

EVENT: Final = "gen_ai.evaluation.result"
_RESULTS_A_LINE: Final = 100
_SEVERITY: Final = 9
"""INFO."""
_HEX: Final = frozenset("0123456789abcdef")
_TRACE_ID_CHARS: Final = 32


async def write_otlp(
    file: BinaryIO, reports: AsyncIterable[Report], *, run_id: str
) -> None:
    """Write the events of the reports, a request of 100 results a line."""
    records: list[dict[str, Any]] = []
    pending = 0
    async for report in reports:
        records.extend(_events(report))
        pending += 1
        if pending == _RESULTS_A_LINE:
            file.write(_request(records, run_id))
            records, pending = [], 0
    file.write(_request(records, run_id))


def _request(records: list[dict[str, Any]], run_id: str) -> bytes:
    resource = {
        "service.name": "judgemesh",
        "service.version": VERSION,
        "judgemesh.run_id": run_id,
    }
    logs = {
        "resource": {"attributes": _attributes(resource)},
        "scopeLogs": [
            {"scope": {"name": "judgemesh", "version": VERSION}, "logRecords": records}
        ],
    }
    return orjson.dumps({"resourceLogs": [logs]}) + b"\n"


def _events(report: Report) -> Iterator[dict[str, Any]]:
    row = row_of(report)
    yield _event(
        report,
        {
            "gen_ai.evaluation.name": "judgemesh.gate",
            "gen_ai.evaluation.score.label": row.gate.value,
            "gen_ai.evaluation.score.value": report.outcome_score,
            "gen_ai.evaluation.explanation": report.explanation,
            "judgemesh.failure_codes": [label.code for label in row.codes],
            "judgemesh.outcome_class": row.outcome_class and row.outcome_class.value,
        },
    )
    for graded in report.verdicts:
        if not isinstance(graded.verdict, Skipped):
            yield _event(report, _verdict(graded))


def _verdict(graded: ValidatorVerdict) -> dict[str, Any]:
    verdict = graded.verdict
    name = graded.validator_name
    if verdict.check:
        name += f"/{verdict.check}"
    return {
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.label": verdict.kind,
        "gen_ai.evaluation.score.value": score_of(verdict),
        "gen_ai.evaluation.explanation": verdict.diagnostic or None,
        "error.type": str(verdict.reason) if isinstance(verdict, Error) else None,
        "judgemesh.failure_codes": [code.value for code in codes_of(verdict)],
        "judgemesh.gating": graded.gating,
        "judgemesh.judge": graded.evaluator_model,
    }


def _event(report: Report, attributes: dict[str, Any]) -> dict[str, Any]:
    """A log record; its trace id is that of the agent's trace, where that is one of OpenTelemetry."""
    about = {
        "judgemesh.result_id": report.result_id,
        "judgemesh.task_id": report.task_id,
        "gen_ai.agent.id": report.agent_id,
        "judgemesh.trace_id": report.trace_id,
    }
    record: dict[str, Any] = {
        "eventName": EVENT,
        "severityNumber": _SEVERITY,
        "attributes": _attributes({**attributes, **about}),
    }
    at = _nanoseconds(report.ended_at or report.started_at)
    if at is not None:
        record["timeUnixNano"] = str(at)
    trace_id = (report.trace_id or "").lower()
    if len(trace_id) == _TRACE_ID_CHARS and _HEX.issuperset(trace_id):
        record["traceId"] = trace_id
    return record


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    """What is known, as the protocol writes it."""
    return [
        {"key": key, "value": _value(value)}
        for key, value in values.items()
        if value is not None and value != []
    ]


def _value(value: object) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case float() | int():
            return {"doubleValue": value}
        case list():
            items = cast("list[object]", value)
            return {"arrayValue": {"values": [_value(item) for item in items]}}
        case _:
            text = str(value).encode("utf-8", "replace").decode()
            return {"stringValue": text}


def _nanoseconds(moment: str | None) -> int | None:
    if moment is None:
        return None
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return None
    if at.tzinfo is None:
        return None
    return int(at.timestamp() * 1_000_000) * 1_000
