"""Answers the needs of validators that are no questions to a model: execution records and evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

import anyio

from judgemesh.contracts.needs import (
    Found,
    Lookup,
    NotFound,
    Records,
    RecordsFound,
    Unanswered,
)
from judgemesh.mesh.sources.answer_cache import (
    MAX_AGE,
    AnswerCache,
    AnswerStore,
    CachedAnswer,
    cache_key,
)
from judgemesh.mesh.sources.evidence_sources import EvidenceSources, unreachable
from judgemesh.mesh.sources.options import describe
from judgemesh.mesh.sources.record_sources import RecordSources

if TYPE_CHECKING:
    from judgemesh.contracts.attempts import LookupContext, SourceLookup

Evidence = Found | NotFound | Unanswered

_MAX_RECORDED_TEXT: Final = 2_000


def _now() -> datetime:
    return datetime.now(UTC)


class SourceResolver:
    """The sources of one mesh. Relative paths start from the folder of the contract that names them.

    store: keeps the answers of evidence sources between runs. offline: answer from the store alone, so that a report
    can be replayed; what is not there is inaccessible, never "not found".
    """

    def __init__(
        self,
        store: AnswerStore | None = None,
        *,
        offline: bool = False,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._records: dict[Path, RecordSources] = {}
        self._evidence: dict[Path, EvidenceSources] = {}
        self._cache = AnswerCache(store)
        self._offline = offline
        self._clock = clock
        self._in_progress: dict[str, anyio.Lock] = {}

    async def records(self, need: Records, base_dir: Path) -> RecordsFound | Unanswered:
        """All execution records about a result, or why they cannot be read."""
        return await self._records_of(base_dir).answer(need)

    async def check_records(self, need: Records, base_dir: Path) -> tuple[str, ...]:
        """Open the source that a need names and try its options; warnings, one line each.

        Raises:
            ConfigError, SourceInaccessible: it cannot be used.
        """
        return await self._records_of(base_dir).check(need)

    async def check_evidence(
        self, options: Mapping[str, object], base_dir: Path
    ) -> tuple[str, ...]:
        """Open an evidence source; warnings, one line each. Offline only those that are local.

        Raises:
            ConfigError, SourceInaccessible: it cannot be used.
        """
        sources = self._evidence_of(base_dir)
        if self._offline and await sources.is_remote(options):
            return ()
        return await sources.check(options)

    def _records_of(self, base_dir: Path) -> RecordSources:
        sources = self._records.get(base_dir)
        if sources is None:
            sources = self._records[base_dir] = RecordSources(base_dir)
        return sources

    def _evidence_of(self, base_dir: Path) -> EvidenceSources:
        sources = self._evidence.get(base_dir)
        if sources is None:
            sources = self._evidence[base_dir] = EvidenceSources(base_dir)
        return sources

    async def lookup(
        self, need: Lookup, base_dir: Path, context: LookupContext
    ) -> Evidence:
        """One item of an evidence source, from the source or from the cache; recorded either way."""
        started = perf_counter()
        answer, answered_at, cache_hit = await self._resolve(need, base_dir)
        latency_ms = (perf_counter() - started) * 1000
        row = replace(
            _row(need, answer, answered_at),
            validator_name=context.validator_name,
            cache_hit=cache_hit,
            latency_ms=round(latency_ms, 3),
        )
        await context.record(row)
        return answer

    async def aclose(self) -> None:
        """Close every source."""
        while self._records:
            _, records = self._records.popitem()
            records.close()
        while self._evidence:
            _, evidence = self._evidence.popitem()
            await evidence.aclose()

    async def _resolve(
        self, need: Lookup, base_dir: Path
    ) -> tuple[Evidence, datetime, bool]:
        """The answer, when it was given, and whether it comes from the cache. Equal look-ups wait for the first."""
        sources = self._evidence_of(base_dir)
        remote = await sources.is_remote(need.source)
        key = cache_key(need, None if remote else base_dir)
        lock = self._in_progress.setdefault(key, anyio.Lock())
        try:
            async with lock:
                cached = await self._cached(key, remote=remote)
                if cached is not None:
                    return cached.answer, cached.answered_at, True
                answer = await self._ask(sources, need)
                answered_at = self._clock()
                if not isinstance(answer, Unanswered):
                    cached = CachedAnswer(answer, answered_at)
                    await self._cache.put(key, cached, in_memory=remote)
                return answer, answered_at, False
        finally:
            if not lock.statistics().tasks_waiting:
                self._in_progress.pop(key, None)

    async def _ask(self, sources: EvidenceSources, need: Lookup) -> Evidence:
        if self._offline:
            return unreachable(need, "offline, and the ledger holds no answer to this")
        return await sources.answer(need)

    async def _cached(self, key: str, *, remote: bool) -> CachedAnswer | None:
        """An earlier answer that may still be used. A local source is asked again, unless offline: files change."""
        if self._offline:
            return await self._cache.get(key)
        if not remote:
            return None
        cached = await self._cache.get(key)
        if cached is None or self._clock() - cached.answered_at > MAX_AGE:
            return None
        return cached


def _row(need: Lookup, answer: Evidence, answered_at: datetime) -> SourceLookup:
    """The row of the ledger, without the look-up's context."""
    from judgemesh.contracts.attempts import SourceLookup

    row = SourceLookup(
        validator_name="",
        source=describe(need.source),
        query={**need.query, "want_text": need.want_text},
        status="unanswered",
        answered_at=answered_at,
    )
    match answer:
        case Found():
            fields = _shortened(answer.fields)
            return replace(row, status="found", ref=answer.ref, fields=fields)
        case NotFound():
            return replace(row, status="not_found" if answer.covers else "not_covered")
        case Unanswered():
            return replace(
                row, error_type=answer.error_type, error_message=answer.message
            )


def _shortened(fields: Mapping[str, object]) -> Mapping[str, object]:
    """The fields with only the beginning of a long text."""
    text = fields.get("text")
    if not isinstance(text, str) or len(text) <= _MAX_RECORDED_TEXT:
        return fields
    return {**fields, "text": text[:_MAX_RECORDED_TEXT], "text_length": len(text)}
