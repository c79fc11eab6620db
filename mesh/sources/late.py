"""The sources of a mesh, loaded when a validator or a preflight first asks one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgemesh.contracts.attempts import LookupContext
    from judgemesh.contracts.needs import Lookup, Records, RecordsFound, Unanswered
    from judgemesh.mesh.sources.answer_cache import AnswerStore
    from judgemesh.mesh.sources.resolver import Evidence, SourceResolver


class LateSources:
    """A `SourceResolver` that is made when it is needed: most contracts name no source."""

    def __init__(
        self, store: AnswerStore | None, *, offline: bool, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._offline = offline
        self._clock = clock

    @cached_property
    def _resolver(self) -> SourceResolver:
        from judgemesh.mesh.sources.resolver import SourceResolver

        return SourceResolver(self._store, offline=self._offline, clock=self._clock)

    async def records(self, need: Records, base_dir: Path) -> RecordsFound | Unanswered:
        """As `SourceResolver.records`."""
        return await self._resolver.records(need, base_dir)

    async def lookup(
        self, need: Lookup, base_dir: Path, context: LookupContext
    ) -> Evidence:
        """As `SourceResolver.lookup`."""
        return await self._resolver.lookup(need, base_dir, context)

    async def check_records(self, need: Records, base_dir: Path) -> tuple[str, ...]:
        """As `SourceResolver.check_records`."""
        return await self._resolver.check_records(need, base_dir)

    async def check_evidence(
        self, options: Mapping[str, object], base_dir: Path
    ) -> tuple[str, ...]:
        """As `SourceResolver.check_evidence`."""
        return await self._resolver.check_evidence(options, base_dir)

    async def aclose(self) -> None:
        """Close every source that was opened."""
        if "_resolver" in vars(self):
            await self._resolver.aclose()
