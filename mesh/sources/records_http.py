"""Execution records from an HTTP service, fetched with the guards of `fetch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, cast
from urllib.parse import quote

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Records
from judgemesh.contracts.results import ExecutionRecord
from judgemesh.mesh.sources.fetch import Fetcher, Limits
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import (
    ID_NAMES,
    Row,
    Table,
    known_options,
    layout,
    record,
    text_option,
)

_MAX_PAGES: Final = 100


class HttpRecords:
    """A service that answers with JSON: `{type: http, url: "https://desk.example.org/log?run={result_id}"}`.

    The address may hold `{result_id}`, `{task_id}` and `{trace_id}`; without any, the rows are matched as those of a
    file are. `rows` says where the list stands in the answer (`data.items`), `next` where the address of the next page
    does. 404 and 410 mean that the service knows nothing of such a run: no records. Every other failure means that the
    records cannot be seen. Private addresses have to be permitted by `allow_hosts`.
    """

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:  # noqa: ARG002 (the protocol's)
        known_options(
            options, "url", "rows", "next", "match", "columns", *Limits.OPTIONS
        )
        self._url = text_option(
            options, "url", "https://desk.example.org/log?run={result_id}"
        )
        self._rows = _path(options, "rows")
        self._next = _path(options, "next")
        self._layout = layout(options)
        self._limits = Limits.of(options)
        self._binds = [name for name in ID_NAMES if f"{{{name}}}" in self._url]
        if not self._url.startswith(("http://", "https://")):
            raise ConfigError(
                "url: no http(s) address",
                hint="such as https://desk.example.org/log?run={result_id}",
            )

    async def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """The service's records about the result.

        Raises:
            SourceInaccessible: the service cannot be asked, or its answer holds no rows.
        """
        url = self._url
        for name in self._binds:
            value: str | None = getattr(need, name)
            if value is None:
                raise SourceInaccessible(
                    f"the address asks for {name}, but the result has none"
                )
            url = url.replace(f"{{{name}}}", quote(value, safe=""))
        rows = await self._fetched(url)
        if self._binds:
            return tuple(record(row, self._layout, ()) for row in rows)
        return Table(rows, self._layout, "the service's answer").records(need)

    def close(self) -> None:
        """Nothing is held open between questions."""

    async def _fetched(self, url: str) -> list[Row]:
        """The rows of every page, each page asked once."""
        fetcher = Fetcher(self._limits)
        rows: list[Row] = []
        seen: set[str] = set()
        following: str | None = url
        try:
            while following is not None:
                if following in seen or len(seen) >= _MAX_PAGES:
                    raise SourceInaccessible(
                        f"the pages of the answer do not end (after {len(seen)})"
                    )
                seen.add(following)
                page = await fetcher.get(following)
                if page is None:
                    if rows:
                        raise SourceInaccessible(
                            f"page {len(seen)} of the answer is gone"
                        )
                    return []
                data: object = page.json()
                rows += self._rows_of(data, len(rows))
                following = self._following(data)
        finally:
            await fetcher.aclose()
        return rows

    def _rows_of(self, data: object, before: int) -> list[Row]:
        found = _dug(data, self._rows)
        if not isinstance(found, list):
            place = f"no list at {'.'.join(self._rows)!r}" if self._rows else "no list"
            raise SourceInaccessible(
                f"the answer holds {place}; `rows` says where it stands"
            )
        rows: list[Row] = []
        for number, item in enumerate(
            cast("Sequence[object]", found), start=before + 1
        ):
            if not isinstance(item, dict):
                raise SourceInaccessible(
                    f"row {number}: expected an object, got {type(item).__name__}"
                )
            rows.append(Row(f"row {number}", cast("dict[str, object]", item)))
        return rows

    def _following(self, data: object) -> str | None:
        if not self._next:
            return None
        found = _dug(data, self._next)
        return found if isinstance(found, str) and found else None


def _path(options: Mapping[str, object], name: str) -> list[str]:
    value = options.get(name, "")
    if not isinstance(value, str):
        raise ConfigError(f"{name}: expected a dotted path", hint="such as data.items")
    return [part for part in value.split(".") if part]


def _dug(data: object, path: Sequence[str]) -> object:
    for part in path:
        if not isinstance(data, dict):
            return None
        data = cast("dict[str, object]", data).get(part)
    return data
