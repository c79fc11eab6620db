"""The source `http` of execution records: a service that answers with JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, cast
from urllib.parse import quote, urljoin

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Records
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.mesh.sources.http.fetcher import Fetcher
from judgemesh.mesh.sources.http.limits import FetchLimits
from judgemesh.mesh.sources.options import check_names, required_text
from judgemesh.mesh.sources.protocols import SourceInaccessible
from judgemesh.mesh.sources.record_layout import ID_NAMES, RecordLayout, Row
from judgemesh.mesh.sources.record_table import RecordTable, id_of

_MAX_PAGES: Final = 100
_EXAMPLE_URL: Final = "https://desk.example.org/log?run={result_id}"


class HttpRecords:
    """A service that answers with JSON: `{type: http, url: "https://desk.example.org/log?run={result_id}"}`.

    The address may hold `{result_id}`, `{task_id}` and `{trace_id}`; without any, the rows are matched as those of a
    file are. `rows` is the path of the list in the answer (`data.items`), `next` the path of the next page's address.
    404 and 410 mean that the service knows no such run: no records. Every other failure means that the records cannot
    be read. Private addresses have to be permitted by `allow_hosts`.
    """

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        del base_dir  # a service is at no path
        check_names(
            options, "url", "rows", "next", "match", "columns", *FetchLimits.OPTIONS
        )
        self._url = required_text(options, "url", _EXAMPLE_URL)
        self._rows_path = _path(options, "rows")
        self._next_path = _path(options, "next")
        self._layout = RecordLayout.from_options(options)
        self._limits = FetchLimits.from_options(options)
        self._bound_ids = [name for name in ID_NAMES if f"{{{name}}}" in self._url]
        if not self._url.startswith(("http://", "https://")):
            raise ConfigError("url: no http(s) address", hint=f"such as {_EXAMPLE_URL}")

    async def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """The service's records about the result.

        Raises:
            SourceInaccessible: the service cannot be asked, or its answer holds no rows.
        """
        url = self._url
        for name in self._bound_ids:
            value = id_of(need, name, f"the address holds {{{name}}}")
            url = url.replace(f"{{{name}}}", quote(value, safe=""))
        rows = await self._fetch_all(url)
        if self._bound_ids:
            return tuple(self._layout.record(row) for row in rows)
        return RecordTable(rows, self._layout, "the service's answer").records(need)

    async def check(self, need: Records) -> tuple[str, ...]:
        """Ask the service about the result of the need; without one only a service that is asked for all results.

        Raises:
            SourceInaccessible: the service cannot be asked, or its answer holds no rows.
        """
        if not all(getattr(need, name) for name in self._bound_ids):
            return ()
        url = self._url
        for name in self._bound_ids:
            url = url.replace(f"{{{name}}}", quote(getattr(need, name), safe=""))
        rows = await self._fetch_all(url)
        where = f"the answer of {self._url}"
        return RecordTable(rows, self._layout, where).check(fixed=False)

    def close(self) -> None:
        """Nothing is held open between questions."""

    async def _fetch_all(self, url: str) -> list[Row]:
        """The rows of every page, each page asked once."""
        fetcher = Fetcher(self._limits)
        rows: list[Row] = []
        fetched: set[str] = set()
        next_url: str | None = url
        try:
            while next_url is not None:
                if next_url in fetched or len(fetched) >= _MAX_PAGES:
                    raise SourceInaccessible(
                        f"the pages of the answer do not end (after {len(fetched)})"
                    )
                fetched.add(next_url)
                page = await fetcher.get(next_url)
                if page is None:
                    if not rows:
                        return []
                    raise SourceInaccessible(
                        f"page {len(fetched)} of the answer is gone"
                    )
                data: object = page.json()
                rows += self._rows_of(data, len(rows) + 1)
                next_url = self._next_url(data, page.url)
        finally:
            await fetcher.aclose()
        return rows

    def _rows_of(self, data: object, first_number: int) -> list[Row]:
        items = _value_at(data, self._rows_path)
        if not isinstance(items, list):
            at = f" at {'.'.join(self._rows_path)!r}" if self._rows_path else ""
            raise SourceInaccessible(
                f"the answer holds no list{at}; `rows` says where it is"
            )
        rows: list[Row] = []
        for number, item in enumerate(cast("list[object]", items), first_number):
            if not isinstance(item, dict):
                raise SourceInaccessible(
                    f"row {number}: expected an object, got {type(item).__name__}"
                )
            rows.append(Row(f"row {number}", cast("dict[str, object]", item)))
        return rows

    def _next_url(self, data: object, page_url: str) -> str | None:
        """The address of the next page; None where the answer says that this is the last one.

        Raises:
            SourceInaccessible: something else stands there, so that rows may be missing.
        """
        if not self._next_path:
            return None
        url = _value_at(data, self._next_path)
        if url in (None, "", False):
            return None
        if isinstance(url, str):
            address = urljoin(page_url, url)
            if address.startswith(("http://", "https://")):
                return address
        at = ".".join(self._next_path)
        raise SourceInaccessible(
            f"the answer's {at!r} is {str(url)[:80]!r}, which is no address of a next page"
        )


def _path(options: Mapping[str, object], name: str) -> list[str]:
    value = options.get(name, "")
    if not isinstance(value, str):
        raise ConfigError(f"{name}: expected a dotted path", hint="such as data.items")
    return [part for part in value.split(".") if part]


def _value_at(data: object, path: Sequence[str]) -> object:
    for part in path:
        if not isinstance(data, dict):
            return None
        data = cast("dict[str, object]", data).get(part)
    return data
