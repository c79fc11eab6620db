"""Answers kept for later, by the content of the question."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from sqlalchemy import Connection

from judgemesh.mesh.ledger.batch import WriteBatch
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import judge_cache
from judgemesh.mesh.ledger.statements.among import rows_among


def batch_of_cache_entry(key: str, response: str, created_at: datetime) -> WriteBatch:
    """One answer."""
    row: Row = {"cache_key": key, "response": response, "created_at": created_at}
    return WriteBatch(rows={judge_cache: (row,)})


class CacheReader:
    """Looks up answers; all that are asked for in one turn of the event loop take one query.

    Args:
        read: runs a query, away from the event loop.
    """

    def __init__(
        self,
        read: Callable[
            [Callable[[Connection], dict[str, str]]], Awaitable[dict[str, str]]
        ],
    ) -> None:
        self._read = read
        self._asked: list[_Asked] = []
        self._queries: set[asyncio.Task[None]] = set()

    async def get(self, key: str) -> str | None:
        """The response kept under `key`, or None.

        Raises:
            LedgerError: the ledger cannot be read.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[str | None] = loop.create_future()
        self._asked.append((key, answer))
        if len(self._asked) == 1:
            loop.call_soon(self._begin)
        return await answer

    def _begin(self) -> None:
        asked, self._asked = self._asked, []
        for start in range(0, len(asked), _KEYS_A_QUERY):
            query = asyncio.create_task(
                self._look_up(asked[start : start + _KEYS_A_QUERY])
            )
            self._queries.add(query)
            query.add_done_callback(self._queries.discard)

    async def _look_up(self, asked: Sequence[_Asked]) -> None:
        keys = [key for key, _ in asked]
        try:
            found = await self._read(partial(_responses, keys=keys))
        except Exception as error:  # noqa: BLE001 (it becomes that of everybody who asked)
            for _, answer in asked:
                if not answer.done():
                    answer.set_exception(error)
            return
        for key, answer in asked:
            if not answer.done():
                answer.set_result(found.get(key))


_KEYS_A_QUERY: Final = 512
_Asked = tuple[str, "asyncio.Future[str | None]"]
_RESPONSES: Final = (
    "SELECT cache_key, response FROM judge_cache WHERE cache_key {which}"
)


def _responses(connection: Connection, keys: Sequence[str]) -> dict[str, str]:
    """The responses kept under these keys."""
    rows = rows_among(connection, _RESPONSES, keys)
    return {row[0]: row[1] for row in rows}
