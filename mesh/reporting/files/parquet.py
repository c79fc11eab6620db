"""Parquet for data tools: one row a result, in row groups, so that memory does not grow with the run."""

from __future__ import annotations

from collections.abc import AsyncIterable
from decimal import Decimal
from importlib import import_module
from typing import Any, BinaryIO, Final

from judgemesh.contracts.report import Report
from judgemesh.mesh.reporting.files.columns import COLUMNS, Kind, Value, values_of

MARK: Final = "judgemesh.run_id"
"""The key of the file's metadata that tells a file of ours."""
_GROUP_ROWS: Final = 10_000
_DECIMALS: Final = Decimal("1e-12")


async def write_parquet(
    file: BinaryIO, reports: AsyncIterable[Report], *, run_id: str
) -> None:
    """Write the reports as they come, 10,000 rows a row group."""
    parquet: Any = import_module("pyarrow.parquet")  # it has no types
    schema = _schema(run_id)
    rows: list[list[Value]] = []
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        async for report in reports:
            rows.append([_stored(value) for value in values_of(report)])
            if len(rows) == _GROUP_ROWS:
                writer.write_batch(_batch(rows, schema))
                rows.clear()
        if rows:
            writer.write_batch(_batch(rows, schema))


def _schema(run_id: str) -> Any:
    pa: Any = import_module("pyarrow")
    types: dict[Kind, Any] = {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "number": pa.float64(),
        "count": pa.int64(),
        "money": pa.decimal128(38, 12),
    }
    fields = [pa.field(column.name, types[column.kind]) for column in COLUMNS]
    return pa.schema(fields, metadata={MARK: run_id})


def _batch(rows: list[list[Value]], schema: Any) -> Any:
    pa: Any = import_module("pyarrow")
    columns = [
        pa.array(list(values), type=field.type)
        for values, field in zip(zip(*rows, strict=True), schema, strict=True)
    ]
    return pa.record_batch(columns, schema=schema)


def _stored(value: Value) -> Value:
    """Text that UTF-8 can hold, and money with twelve decimals."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Decimal):
        return value.quantize(_DECIMALS)
    return value
