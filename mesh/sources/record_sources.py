"""The record sources of a run: found by entry point, kept open, their errors turned into `Unanswered`."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Records, RecordsFound, Unanswered
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.verdicts import Reason
from judgemesh.mesh.inputs.entry_points import installed, load, unknown
from judgemesh.mesh.sources.asking import asked, is_plugin
from judgemesh.mesh.sources.closing import close_source
from judgemesh.mesh.sources.options import describe, key_of, without_type
from judgemesh.mesh.sources.protocols import (
    CheckedRecords,
    RecordSource,
    RecordSourceFactory,
    SourceInaccessible,
)

_GROUP: Final = "judgemesh.sources"
_KIND: Final = "source type"
_BUILT_IN: Final = "result"


class RecordSources:
    """The open record sources of one folder of contracts, one for each distinct set of options.

    A file is read and indexed once, however many results ask, and again when it changes. Use it as a context manager,
    or call `close`.
    """

    def __init__(self, base_dir: Path) -> None:
        self._base_dir = base_dir
        self._open: dict[str, RecordSource] = {}
        self._lock = threading.Lock()

    async def answer(self, need: Records) -> RecordsFound | Unanswered:
        """The records that `need` asks for, or why they cannot be read. Never an empty answer for a broken source."""
        label = describe(need.source)
        try:
            records = await asked(
                lambda: self._records(need), plugin=_is_plugin(need.source)
            )
        except ConfigError as error:
            return Unanswered(
                error_type=Reason.NOT_CONFIGURED,
                message=f"record source {label}: {error}",
            )
        except SourceInaccessible as error:
            return Unanswered(
                error_type=Reason.SOURCE_INACCESSIBLE,
                message=f"record source {label}: {error}",
                inaccessible=True,
            )
        return RecordsFound(records=records, source=label)

    async def check(self, need: Records) -> tuple[str, ...]:
        """Open the source of a need and try what its options name; warnings, one line each.

        Raises:
            ConfigError, SourceInaccessible: the source cannot be used; the text says why.
        """
        return await asked(lambda: self._check(need), plugin=_is_plugin(need.source))

    async def _records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        return await self._source(need.source).records(need)

    async def _check(self, need: Records) -> tuple[str, ...]:
        source = self._source(need.source)
        if not isinstance(source, CheckedRecords):
            return ()
        return await source.check(need)

    def _source(self, options: Mapping[str, object]) -> RecordSource:
        key = key_of(options)
        with self._lock:
            source = self._open.get(key)
        if source is not None:
            return source
        # Made without the lock: a plug-in that never returns must not keep the run from closing the others.
        made = _factory(str(options.get("type")))(without_type(options), self._base_dir)
        with self._lock:
            source = self._open.setdefault(key, made)
        if source is not made:
            close_source(made)
        return source

    def close(self) -> None:
        """Close every source."""
        with self._lock:
            sources = list(self._open.values())
            self._open.clear()
        for source in sources:
            close_source(source)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _is_plugin(options: Mapping[str, object]) -> bool:
    return is_plugin(str(options.get("type")), _GROUP)


def record_source_types() -> tuple[str, ...]:
    """The names of all installed source types; `result` is built into the execution validator."""
    return tuple(sorted({*installed(_GROUP, _KIND), _BUILT_IN}))


@cache
def _factory(kind: str) -> RecordSourceFactory:
    if kind == _BUILT_IN:
        raise ConfigError(
            "the records of a result are in the result: read `case.result.records`"
        )
    point = installed(_GROUP, _KIND).get(kind)
    if point is None:
        raise unknown(_KIND, kind, record_source_types())
    factory = load(point, _KIND)
    if not callable(factory):
        raise ConfigError(f"source type {kind!r} ({point.value}) is no class")
    return cast("RecordSourceFactory", factory)
