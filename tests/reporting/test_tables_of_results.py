"""CSV, Parquet and OTLP, read back by the libraries of others."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Confidence, Error, Fail, Pass, Skipped, Verdict
from judgemesh.mesh.analysis.results.result_page import ResultPage, result_page
from judgemesh.mesh.reporting.files.columns import COLUMNS
from judgemesh.mesh.reporting.files.otlp import EVENT, write_otlp
from judgemesh.mesh.reporting.files.parquet import write_parquet
from judgemesh.mesh.reporting.files.spreadsheet import cell_of, write_csv
from judgemesh.mesh.reporting.files.write import (
    FORMATS,
    Graded,
    check_outputs,
    suffix_of,
    write_output,
)

pytestmark = pytest.mark.anyio

HOSTILE: Final = '=HYPERLINK("http://x")\x1b[2J\u202e\r\n"a,b"\ud800\x9b'
TRACE_ID: Final = "0af7651916cd43dd8448eb211c80319c"


def _row(verdict: Verdict, name: str = "claims") -> ValidatorVerdict:
    return ValidatorVerdict(
        validator_name=name,
        validator_version="1",
        validator_type="rule",
        verdict=verdict,
        gating=True,
    )


def _report(result_id: str = "r1", **changes: Any) -> Report:
    wrong = Fail(check="total", codes=(FailureCode.WRONG_FACT,), diagnostic=HOSTILE)
    report = Report(
        result_id=result_id,
        task_id="task",
        trace_id=TRACE_ID,
        eval_contract_version="1",
        evaluator_version="0.1.0",
        gate=Gate.FAIL,
        verdicts=(
            _row(wrong),
            _row(Pass(confidence=Confidence(0.9)), "other"),
            _row(Error(reason="deadline"), "third"),
            _row(Skipped(reason="not_selected"), "fourth"),
        ),
        primary_failure_reason_code=FailureCode.WRONG_FACT,
        failure_reason_codes=(
            FailureCode.WRONG_FACT,
            FailureCode.LOW_COMPLETENESS_SCORE,
        ),
        outcome_score=2.5,
        evaluator_cost=Money(Decimal("0.1")) + Money(Decimal("0.2")),
        agent_cost=None,
        explanation=HOSTILE,
        started_at="2026-04-28T10:00:00+00:00",
    )
    return replace(report, **changes)


async def _stream(reports: Sequence[Report]) -> AsyncIterator[Report]:
    for report in reports:
        yield report


async def _pages() -> AsyncIterator[ResultPage]:
    yield result_page(_report(), run_id="run")


async def _csv(reports: Sequence[Report]) -> list[dict[str, str]]:
    file = io.BytesIO()
    await write_csv(file, _stream(reports))
    text = file.getvalue().decode()
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


async def test_csv_reads_back_and_holds_no_formula() -> None:
    first, second = await _csv([_report("-2+3"), _report("@SUM(A1)")])

    assert list(first) == [column.name for column in COLUMNS]
    assert (first["result_id"], second["result_id"]) == ("'-2+3", "'@SUM(A1)")
    assert first["explanation"].startswith("'=HYPERLINK")
    assert (first["gate"], first["primary_failure_reason_code"]) == (
        "fail",
        "WRONG_FACT",
    )
    assert first["failure_reason_codes"] == "WRONG_FACT LOW_COMPLETENESS_SCORE"
    assert (first["evaluator_cost"], first["evaluator_currency"]) == ("0.3", "USD")
    assert (first["agent_cost"], first["outcome_score"]) == ("", "2.5")


@given(st.text())
def test_no_text_makes_a_formula_or_moves_a_cell(text: str) -> None:
    cell = cell_of(text)

    assert not re.match(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]", cell)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", cell)
    line = io.StringIO()
    csv.writer(line).writerow([cell, "next"])
    assert next(csv.reader(io.StringIO(line.getvalue(), newline=""))) == [cell, "next"]


async def test_a_cell_is_no_longer_than_a_spreadsheet_takes() -> None:
    [row] = await _csv([_report(explanation="x" * 100_000)])

    assert len(row["explanation"]) == 32_767


async def test_parquet_reads_back_with_its_types() -> None:
    parquet: Any = import_module("pyarrow.parquet")

    file = io.BytesIO()
    reports = [_report("a"), _report("b", agent_cost=Money(Decimal("1e-9"), "EUR"))]
    await write_parquet(file, _stream(reports), run_id="run")
    table = parquet.read_table(io.BytesIO(file.getvalue()))

    assert table.column_names == [column.name for column in COLUMNS]
    rows = table.to_pylist()
    assert [row["result_id"] for row in rows] == ["a", "b"]
    assert rows[0]["failure_reason_codes"] == ["WRONG_FACT", "LOW_COMPLETENESS_SCORE"]
    assert rows[0]["evaluator_cost"] == Decimal("0.3")
    assert (rows[0]["agent_cost"], rows[1]["agent_cost"]) == (None, Decimal("1e-9"))
    assert rows[0]["explanation"] == HOSTILE.replace("\ud800", "?")


async def test_parquet_of_no_result_and_of_several_row_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parquet: Any = import_module("pyarrow.parquet")

    module = "judgemesh.mesh.reporting.files.parquet._GROUP_ROWS"
    monkeypatch.setattr(module, 3)
    for count, groups in ((0, 0), (3, 1), (7, 3)):
        file = io.BytesIO()
        reports = [_report(f"r{at}") for at in range(count)]
        await write_parquet(file, _stream(reports), run_id="run")
        read = parquet.ParquetFile(io.BytesIO(file.getvalue()))
        assert (read.metadata.num_rows, read.metadata.num_row_groups) == (count, groups)


async def _requests(reports: Sequence[Report]) -> list[Any]:
    """The lines as messages of the protocol, read by its own library."""
    json_format: Any = import_module("google.protobuf.json_format")
    service: Any = import_module(
        "opentelemetry.proto.collector.logs.v1.logs_service_pb2"
    )

    file = io.BytesIO()
    await write_otlp(file, _stream(reports), run_id="run")
    return [
        json_format.Parse(line, service.ExportLogsServiceRequest())
        for line in file.getvalue().splitlines()
    ]


def _events(request: Any) -> list[dict[str, Any]]:
    [logs] = request.resource_logs
    [scope] = logs.scope_logs
    found: list[dict[str, Any]] = []
    for record in scope.log_records:
        assert record.event_name == EVENT
        values = {
            each.key: getattr(each.value, each.value.WhichOneof("value"))
            for each in record.attributes
        }
        found.append({**values, "at": record.time_unix_nano})
    return found


async def test_otlp_is_read_by_the_library_of_the_protocol() -> None:
    [request] = await _requests([_report()])
    gate, claims, other, third = _events(request)

    assert gate["gen_ai.evaluation.name"] == "judgemesh.gate"
    assert gate["gen_ai.evaluation.score.label"] == "fail"
    assert gate["gen_ai.evaluation.score.value"] == 2.5
    assert gate["at"] == 1_777_370_400_000_000_000
    assert claims["gen_ai.evaluation.name"] == "claims/total"
    assert claims["gen_ai.evaluation.score.value"] == 0.0
    assert claims["judgemesh.result_id"] == "r1"
    assert other["gen_ai.evaluation.score.value"] == 1.0
    assert third["error.type"] == "deadline"
    assert "gen_ai.evaluation.score.value" not in third


async def test_otlp_has_the_trace_id_as_hexadecimal_and_only_a_real_one() -> None:
    file = io.BytesIO()
    reports = [_report(), _report("b", trace_id="task_1")]
    await write_otlp(file, _stream(reports), run_id="run")
    [line] = file.getvalue().splitlines()
    records = json.loads(line)["resourceLogs"][0]["scopeLogs"][0]["logRecords"]

    assert {record.get("traceId") for record in records} == {TRACE_ID, None}


async def test_otlp_writes_a_hundred_results_a_line() -> None:
    requests = await _requests([_report(f"r{at}") for at in range(201)])

    assert [len(_events(request)) for request in requests] == [400, 400, 4]


@pytest.mark.parametrize("suffix", sorted(FORMATS))
async def test_an_output_replaces_its_own_file_and_no_other(
    suffix: str, tmp_path: Path
) -> None:
    graded = Graded(
        run_id="run",
        summary={
            "run_id": "run",
            "attempted": 1,
            "passed": 0,
            "failed": 1,
            "undecided": 0,
        },
        reports=lambda: _stream([_report()]),
        pages=_pages,
    )
    path = tmp_path / f"out{suffix}"
    assert suffix_of(path) == suffix
    await write_output(path, graded)
    check_outputs([path])
    await write_output(path, graded)
    for other in sorted(FORMATS):
        if other != suffix:
            target = tmp_path / f"other{other}"
            target.write_bytes(path.read_bytes())
            with pytest.raises(ConfigError, match="is not replaced"):
                check_outputs([target])


async def test_a_parquet_file_of_another_program_is_not_replaced(
    tmp_path: Path,
) -> None:
    pa: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")

    path = tmp_path / "data.parquet"
    parquet.write_table(pa.table({"a": [1]}), path)

    with pytest.raises(ConfigError, match="is not replaced"):
        check_outputs([path])


def test_parquet_without_its_package_is_refused_before_anything_is_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "judgemesh.mesh.reporting.files.write.find_spec"

    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr(module, nothing)

    with pytest.raises(
        ConfigError, match=r"needs the package pyarrow.*judgemesh\[parquet\]"
    ):
        check_outputs([tmp_path / "out.parquet"])
    check_outputs([tmp_path / "out.csv"])
