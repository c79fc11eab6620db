"""The evidence sources of a run: found by entry point, kept open, their errors turned into `Unanswered`.

The entry-point group is `judgemesh.evidence_sources`. A class in `judgemesh.sources`, the group of the record sources,
is accepted too if it has a method `lookup`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Found, Lookup, NotFound, Unanswered
from judgemesh.contracts.verdicts import Reason
from judgemesh.mesh.inputs.entry_points import installed, load, unknown
from judgemesh.mesh.isolation.faults import is_own, told
from judgemesh.mesh.sources.asking import asked, is_plugin
from judgemesh.mesh.sources.closing import CLOSING_S, reported
from judgemesh.mesh.sources.options import describe, key_of, without_type
from judgemesh.mesh.sources.protocols import (
    CheckedEvidence,
    EvidenceSource,
    EvidenceSourceFactory,
    SourceInaccessible,
)

_GROUP: Final = "judgemesh.evidence_sources"
_SHARED_GROUP: Final = "judgemesh.sources"
_KIND: Final = "evidence source type"


class EvidenceSources:
    """The open evidence sources of one folder of contracts, one for each distinct set of options."""

    def __init__(self, base_dir: Path) -> None:
        self._base_dir = base_dir
        self._open: dict[str, EvidenceSource] = {}

    async def is_remote(self, options: Mapping[str, object]) -> bool:
        """Whether the source answers over the network; False where it cannot be opened."""
        try:
            return await asked(
                lambda: self._is_remote(options), plugin=_is_plugin(options)
            )
        except (Exception, SystemExit):  # noqa: BLE001 (the answer to a need tells it)
            return False

    async def _is_remote(self, options: Mapping[str, object]) -> bool:
        return bool(self._source(options).remote)

    async def answer(self, need: Lookup) -> Found | NotFound | Unanswered:
        """What the source says, or why it cannot be asked. Never "not found" for a broken source."""
        try:
            return await asked(
                lambda: self._lookup(need), plugin=_is_plugin(need.source)
            )
        except ConfigError as error:
            return Unanswered(
                error_type=Reason.NOT_CONFIGURED,
                message=f"evidence source {describe(need.source)}: {error}",
            )
        except SourceInaccessible as error:
            return unreachable(need, str(error))
        except (Exception, SystemExit) as error:  # noqa: BLE001 (an exception becomes data)
            where = _factory(str(need.source.get("type")))
            return Unanswered(
                error_type=Reason.EXCEPTION,
                message=f"evidence source {describe(need.source)}: {told(error, where)}",
            )

    async def check(self, options: Mapping[str, object]) -> tuple[str, ...]:
        """Open a source; warnings, one line each.

        Raises:
            ConfigError, SourceInaccessible: the source cannot be used; the text says why.
        """
        return await asked(lambda: self._check(options), plugin=_is_plugin(options))

    async def _lookup(self, need: Lookup) -> Found | NotFound:
        source: Any = self._source(need.source)
        looking: object = source.lookup(need)
        if not isinstance(looking, Awaitable):
            raise TypeError("`lookup` is no `async def`")
        answer = await cast("Awaitable[object]", looking)
        if not isinstance(answer, Found | NotFound):
            raise TypeError(
                f"`lookup` returned {type(answer).__name__}; expected Found or NotFound"
            )
        return answer

    async def _check(self, options: Mapping[str, object]) -> tuple[str, ...]:
        source = self._source(options)
        if not isinstance(source, CheckedEvidence):
            return ()
        return await source.check()

    def _source(self, options: Mapping[str, object]) -> EvidenceSource:
        key = key_of(options)
        source = self._open.get(key)
        if source is None:
            factory = _factory(str(options.get("type")))
            source = factory(without_type(options), self._base_dir)
            self._open[key] = source
        return source

    async def aclose(self) -> None:
        """Close every source."""
        while self._open:
            _, source = self._open.popitem()
            with reported(source):
                await asked(
                    source.aclose, plugin=not is_own(source), timeout_s=CLOSING_S
                )


def _is_plugin(options: Mapping[str, object]) -> bool:
    return is_plugin(str(options.get("type")), _GROUP, _SHARED_GROUP)


def unreachable(need: Lookup, why: str) -> Unanswered:
    """The answer of a source that cannot be asked."""
    return Unanswered(
        error_type=Reason.SOURCE_INACCESSIBLE,
        message=f"evidence source {describe(need.source)}: {why}",
        inaccessible=True,
    )


@cache
def _factory(kind: str) -> EvidenceSourceFactory:
    for group in (_GROUP, _SHARED_GROUP):
        point = installed(group, _KIND).get(kind)
        if point is None:
            continue
        factory = load(point, _KIND)
        if callable(getattr(factory, "lookup", None)):
            return cast("EvidenceSourceFactory", factory)
        if group == _GROUP:
            raise ConfigError(
                f"{point.value} is no evidence source",
                hint="expected a class with `async def lookup(self, need)`",
            )
    raise unknown(_KIND, kind, sorted(installed(_GROUP, _KIND)))
