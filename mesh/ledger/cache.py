"""Answers kept for later, by the content of the question."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from judgemesh.mesh.ledger.batch import WriteBatch
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import judge_cache


def batch_of_cache_entry(key: str, response: str, created_at: datetime) -> WriteBatch:
    """One answer."""
    row: Row = {"cache_key": key, "response": response, "created_at": created_at}
    return WriteBatch(rows={judge_cache: (row,)})


def cached_response(connection: Connection, key: str) -> str | None:
    """The response kept under `key`."""
    query = select(judge_cache.c.response).where(judge_cache.c.cache_key == key)
    return connection.execute(query).scalar()
