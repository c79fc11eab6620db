"""Finding record sources by entry point, keeping them open, and turning their faults into `Unanswered`."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Records, RecordsFound, Unanswered
from judgemesh.mesh.inputs.entry_points import installed, load, unknown
from judgemesh.mesh.sources.protocol import (
    RecordSource,
    SourceFactory,
    SourceInaccessible,
)

GROUP = "judgemesh.sources"
_KIND = "source type"
_BUILT_IN = "result"


class RecordSources:
    """The open record sources of one run, one for each distinct set of options.

    A file is read and indexed once however many results ask; it is read again when it changes. Use as a context
    manager, or call `close`.
    """

    def __init__(self, base_dir: Path) -> None:
        self._base_dir = base_dir
        self._open: dict[str, RecordSource] = {}
        self._lock = threading.Lock()

    async def answer(self, need: Records) -> RecordsFound | Unanswered:
        """The records that `need` asks for, or why they cannot be had. Never an empty answer for a broken source."""
        label = describe(need.source)
        try:
            source = self._source(need.source)
            found = await source.records(need)
        except ConfigError as fault:
            return Unanswered(
                error_type="not_configured", message=f"record source {label}: {fault}"
            )
        except SourceInaccessible as fault:
            return Unanswered(
                error_type="source_inaccessible",
                message=f"record source {label}: {fault}",
                inaccessible=True,
            )
        return RecordsFound(records=found, source=label)

    def _source(self, options: Mapping[str, object]) -> RecordSource:
        key = json.dumps(options, sort_keys=True, default=str)
        with self._lock:
            source = self._open.get(key)
            if source is None:
                rest = {
                    name: value for name, value in options.items() if name != "type"
                }
                source = self._open[key] = _factory(str(options.get("type")))(
                    rest, self._base_dir
                )
            return source

    def close(self) -> None:
        """Close every source."""
        with self._lock:
            sources = list(self._open.values())
            self._open.clear()
        for source in sources:
            source.close()

    def __enter__(self) -> Self:
        """The sources themselves."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every source."""
        self.close()


def describe(options: Mapping[str, object]) -> str:
    """A source for people: its type and what it points to, without passwords."""
    kind = str(options.get("type"))
    for name in ("path", "url"):
        value = options.get(name)
        if isinstance(value, str):
            return f"{kind} {_without_password(value)}"
    return kind


def _without_password(text: str) -> str:
    scheme, separator, rest = text.partition("://")
    user, at, host = rest.rpartition("@")
    return (
        f"{scheme}{separator}{user.partition(':')[0]}{at}{host}"
        if separator and at
        else text
    )


def source_types() -> tuple[str, ...]:
    """The names of all installed source types; `result` is built into the execution validator."""
    return tuple(sorted({*installed(GROUP, _KIND), _BUILT_IN}))


@cache
def _factory(kind: str) -> SourceFactory:
    if kind == _BUILT_IN:
        raise ConfigError(
            "the records of a result stand in the result: read `case.result.records`"
        )
    point = installed(GROUP, _KIND).get(kind)
    if point is None:
        raise unknown(_KIND, kind, source_types())
    loaded = load(point, _KIND)
    if not callable(loaded):
        raise ConfigError(f"source type {kind!r} ({point.value}) is no class")
    return cast("SourceFactory", loaded)
