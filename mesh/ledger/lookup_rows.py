"""Look-ups of evidence as rows of `source_lookup`, and the reading of them."""

from __future__ import annotations

from sqlalchemy import Connection, select

from judgemesh.contracts.attempts import SourceLookup
from judgemesh.mesh.ledger.batch import WriteBatch
from judgemesh.mesh.ledger.report_rows import eval_id_of
from judgemesh.mesh.ledger.schema.tables import source_lookup


def batch_of_lookup(run_id: str, result_id: str, lookup: SourceLookup) -> WriteBatch:
    """One look-up. `created_at` is when the source said so, not when the ledger was asked again."""
    row: dict[str, object] = {
        "run_id": run_id,
        "eval_id": eval_id_of(run_id, result_id),
        "validator_name": lookup.validator_name,
        "source": lookup.source,
        "query": dict(lookup.query),
        "status": lookup.status,
        "ref": lookup.ref,
        "fields": dict(lookup.fields),
        "cache_hit": lookup.cache_hit,
        "latency_ms": lookup.latency_ms,
        "error_type": lookup.error_type,
        "error_message": lookup.error_message,
        "created_at": lookup.answered_at,
    }
    return WriteBatch(rows={source_lookup: (row,)})


def lookups(
    connection: Connection, run_id: str, result_id: str | None
) -> list[SourceLookup]:
    """The look-ups of a run, or of one of its results, in the order in which they were made."""
    table = source_lookup.c
    query = (
        select(source_lookup)
        .where(table.run_id == run_id)
        .order_by(table.source_lookup_id)
    )
    if result_id is not None:
        query = query.where(table.eval_id == eval_id_of(run_id, result_id))
    return [
        SourceLookup(
            validator_name=row["validator_name"],
            source=row["source"],
            query=row["query"] or {},
            status=row["status"],
            answered_at=row["created_at"],
            ref=row["ref"],
            fields=row["fields"] or {},
            cache_hit=row["cache_hit"],
            latency_ms=row["latency_ms"] or 0.0,
            error_type=row["error_type"],
            error_message=row["error_message"],
        )
        for row in connection.execute(query).mappings()
    ]
