"""What a trace in the ledger was put together from, so that a part that comes later can be added to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select

from judgemesh.contracts.tracing import TracePart
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.trace_tables import trace_part


def part_rows(trace_id: str, parts: Iterable[TracePart]) -> list[Row]:
    """The rows of `trace_part`."""
    return [
        {
            "trace_id": trace_id,
            "digest": part.digest,
            "family": part.family,
            "body": part.body,
        }
        for part in parts
    ]


def read_parts(connection: Connection, trace_id: str) -> list[TracePart]:
    """The parts of a trace, in the order of their digests; none for an unknown trace."""
    own = trace_part.c
    query = (
        select(own.digest, own.family, own.body)
        .where(own.trace_id == trace_id)
        .order_by(own.digest)
    )
    return [TracePart(*row) for row in connection.execute(query)]


def digests_of(parts: Sequence[TracePart]) -> frozenset[str]:
    """The digests of parts."""
    return frozenset(part.digest for part in parts)
