"""What the engine asks of the outside world that is no model: records and evidence, for contracts of any folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Protocol

import anyio

from judgemesh.contracts.attempts import LookupContext, SourceLookup
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import (
    Found,
    Lookup,
    NotFound,
    Records,
    RecordsFound,
    Unanswered,
)
from judgemesh.mesh.sources.evidence import EvidenceSources, inaccessible, key_of
from judgemesh.mesh.sources.registry import RecordSources, describe

Evidence = Found | NotFound | Unanswered

KEPT_FOR: Final = timedelta(days=30)
"""How old an answer of a remote source may be before it is asked again; offline, any age will do."""
_SHOWN_TEXT: Final = 2_000
_IN_MEMORY: Final = 10_000
_PREFIX: Final = "source_lookup:"


class LookupCache(Protocol):
    """Where answers are kept: the ledger."""

    async def cache_get(self, key: str) -> str | None:
        """What is kept under the key."""
        ...

    async def cache_put(self, key: str, value: str, *, created_at: datetime) -> None:
        """Keep a value."""
        ...


def _now() -> datetime:
    return datetime.now(UTC)


class SourceDesk:
    """The sources of one mesh. Relative paths start from the folder of the contract that names them.

    cache: keeps what evidence sources said, with the time. offline: answer from the cache alone, so that a report can
    be replayed; what is not there is out of reach, never "not found".
    """

    def __init__(
        self,
        cache: LookupCache | None = None,
        *,
        offline: bool = False,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        """Nothing is opened before it is asked for."""
        self._records: dict[Path, RecordSources] = {}
        self._evidence: dict[Path, EvidenceSources] = {}
        self._cache, self._offline, self._clock = cache, offline, clock
        self._said: dict[str, tuple[Evidence, datetime]] = {}
        self._asking: dict[str, anyio.Lock] = {}

    async def records(self, need: Records, base_dir: Path) -> RecordsFound | Unanswered:
        """All execution records about a result, or why they cannot be had."""
        sources = self._records.get(base_dir)
        if sources is None:
            sources = self._records[base_dir] = RecordSources(base_dir)
        return await sources.answer(need)

    async def lookup(
        self, need: Lookup, base_dir: Path, context: LookupContext
    ) -> Evidence:
        """One item of an evidence source, from the source or from what it said before; recorded either way."""
        started = perf_counter()
        answer, answered_at, cache_hit = await self._looked_up(need, base_dir)
        latency_ms = (perf_counter() - started) * 1000
        row = _row(need, answer, answered_at, context.validator_name)
        await context.record(
            replace(row, cache_hit=cache_hit, latency_ms=round(latency_ms, 3))
        )
        return answer

    async def aclose(self) -> None:
        """Close every source."""
        while self._records:
            self._records.popitem()[1].close()
        while self._evidence:
            await self._evidence.popitem()[1].aclose()

    async def _looked_up(
        self, need: Lookup, base_dir: Path
    ) -> tuple[Evidence, datetime, bool]:
        sources = self._evidence.get(base_dir)
        if sources is None:
            sources = self._evidence[base_dir] = EvidenceSources(base_dir)
        remote = _is_remote(sources, need)
        key = _key(need, None if remote else base_dir)
        lock = self._asking.setdefault(key, anyio.Lock())
        try:
            async with lock:
                kept = await self._kept(key, remote=remote)
                if kept is not None:
                    return (*kept, True)
                if self._offline:
                    why = "offline, and the ledger holds no answer to this"
                    return (
                        inaccessible(describe(need.source), why),
                        self._clock(),
                        False,
                    )
                answer = await sources.answer(need)
                at = self._clock()
                await self._keep(key, answer, at, remote=remote)
                return answer, at, False
        finally:
            if not lock.statistics().tasks_waiting:
                self._asking.pop(key, None)

    async def _kept(
        self, key: str, *, remote: bool
    ) -> tuple[Evidence, datetime] | None:
        """An earlier answer that still counts. A local source is asked again, unless offline: files change."""
        if not (remote or self._offline):
            return None
        kept = self._said.get(key)
        if kept is None and self._cache is not None:
            stored = await self._cache.cache_get(key)
            kept = None if stored is None else _loads(stored)
        if kept is None or not (self._offline or self._clock() - kept[1] <= KEPT_FOR):
            return None
        return kept

    async def _keep(
        self, key: str, answer: Evidence, at: datetime, *, remote: bool
    ) -> None:
        if isinstance(answer, Unanswered):
            return
        if remote:
            if len(self._said) >= _IN_MEMORY:
                self._said.clear()
            self._said[key] = (answer, at)
        if self._cache is not None:
            await self._cache.cache_put(key, _dumps(answer, at), created_at=at)


def _is_remote(sources: EvidenceSources, need: Lookup) -> bool:
    try:
        return sources.source(need.source).remote
    except ConfigError:
        return False


def _key(need: Lookup, base_dir: Path | None) -> str:
    """What makes two look-ups the same one. A local source is known by its folder too."""
    asked = [
        key_of(need.source),
        str(base_dir.resolve()) if base_dir else "",
        dict(need.query),
        need.want_text,
    ]
    return (
        _PREFIX + hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    )


def _dumps(answer: Found | NotFound, at: datetime) -> str:
    if isinstance(answer, Found):
        data: dict[str, object] = {
            "ref": answer.ref,
            "fields": dict(answer.fields),
            "source": answer.source,
            "authoritative": answer.authoritative,
        }
    else:
        data = {
            "source": answer.source,
            "authoritative": answer.authoritative,
            "covers": answer.covers,
        }
    return json.dumps(
        {"kind": type(answer).__name__, "at": at.isoformat(), "answer": data}
    )


def _loads(stored: str) -> tuple[Evidence, datetime] | None:
    """What `_dumps` wrote; None for what an other version wrote otherwise."""
    try:
        data: Any = json.loads(stored)
        kind = {"Found": Found, "NotFound": NotFound}[data["kind"]]
        return kind(**data["answer"]), datetime.fromisoformat(data["at"])
    except (KeyError, TypeError, ValueError):
        return None


def _row(
    need: Lookup, answer: Evidence, answered_at: datetime, validator_name: str
) -> SourceLookup:
    """The row of the ledger; of a long text only its beginning."""
    found = answer if isinstance(answer, Found) else None
    missing = answer if isinstance(answer, NotFound) else None
    fault = answer if isinstance(answer, Unanswered) else None
    fields: Mapping[str, object] = found.fields if found else {}
    text = fields.get("text")
    if isinstance(text, str) and len(text) > _SHOWN_TEXT:
        fields = {**fields, "text": text[:_SHOWN_TEXT], "text_length": len(text)}
    status = (
        "found"
        if found
        else "unanswered"
        if missing is None
        else "not_found"
        if missing.covers
        else "not_covered"
    )
    return SourceLookup(
        validator_name=validator_name,
        source=describe(need.source),
        query={**need.query, "want_text": need.want_text},
        status=status,
        answered_at=answered_at,
        ref=found.ref if found else None,
        fields=fields,
        error_type=fault.error_type if fault else None,
        error_message=fault.message if fault else None,
    )
