"""Evidence sources: what one is, how it is found by entry point, and how its faults become `Unanswered`.

A new kind is one class and one entry point in the group `judgemesh.evidence_sources`. (`judgemesh.sources` holds the
sources of execution records; a class there that has `lookup` is accepted too.)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, Protocol, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Found, Lookup, NotFound, Unanswered
from judgemesh.contracts.verdicts import Reason
from judgemesh.mesh.inputs.entry_points import installed, load, unknown
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.registry import describe

GROUP: Final = "judgemesh.evidence_sources"
SHARED_GROUP: Final = "judgemesh.sources"
_KIND: Final = "evidence source type"


class EvidenceSource(Protocol):
    """An opened source. One object answers every result of a run; it may be asked concurrently.

    remote: whether its answers come over the network, so that they are worth keeping.
    """

    remote: bool

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """What the source knows about the item.

        Raises:
            SourceInaccessible: it cannot be asked, so that "not found" would be a lie.
        """
        ...

    async def aclose(self) -> None:
        """Release what is held open. Safe to call twice."""
        ...


class EvidenceFactory(Protocol):
    """How a source is opened: a class with this constructor."""

    def __call__(self, options: Mapping[str, object], base_dir: Path) -> EvidenceSource:
        """Open the source.

        Args:
            options: the entry of `evidence.sources` without `type`.
            base_dir: what relative paths are relative to.

        Raises:
            ConfigError: an option is missing, unknown or of the wrong type.
        """
        ...


class EvidenceSources:
    """The open evidence sources of one folder of contracts, one for each distinct set of options."""

    def __init__(self, base_dir: Path) -> None:
        self._base_dir = base_dir
        self._open: dict[str, EvidenceSource] = {}

    def source(self, options: Mapping[str, object]) -> EvidenceSource:
        """The source that the options name, opened once.

        Raises:
            ConfigError: there is no such type, or an option is wrong.
        """
        key = key_of(options)
        source = self._open.get(key)
        if source is None:
            rest = {name: value for name, value in options.items() if name != "type"}
            source = self._open[key] = evidence_factory(str(options.get("type")))(
                rest, self._base_dir
            )
        return source

    async def answer(self, need: Lookup) -> Found | NotFound | Unanswered:
        """What the source says, or why it cannot be asked. Never "not found" for a broken source."""
        label = describe(need.source)
        try:
            return await self.source(need.source).lookup(need)
        except ConfigError as fault:
            return Unanswered(
                error_type=Reason.NOT_CONFIGURED,
                message=f"evidence source {label}: {fault}",
            )
        except SourceInaccessible as fault:
            return inaccessible(label, str(fault))

    async def aclose(self) -> None:
        """Close every source."""
        while self._open:
            await self._open.popitem()[1].aclose()


def inaccessible(label: str, why: str) -> Unanswered:
    """The answer of a source that cannot be reached."""
    message = f"evidence source {label}: {why}"
    return Unanswered(
        error_type=Reason.SOURCE_INACCESSIBLE, message=message, inaccessible=True
    )


def key_of(options: Mapping[str, object]) -> str:
    """Options as one text: the same for the same source."""
    return json.dumps(options, sort_keys=True, default=str)


def evidence_types() -> tuple[str, ...]:
    """The names of all installed evidence sources."""
    return tuple(sorted(installed(GROUP, _KIND)))


@cache
def evidence_factory(kind: str) -> EvidenceFactory:
    """The class behind a type of source.

    Raises:
        ConfigError: there is none, or it cannot be loaded.
    """
    for group in (GROUP, SHARED_GROUP):
        point = installed(group, _KIND).get(kind)
        if point is None:
            continue
        loaded = load(point, _KIND)
        if callable(getattr(loaded, "lookup", None)):
            return cast("EvidenceFactory", loaded)
    raise unknown(_KIND, kind, evidence_types())


def flag(options: Mapping[str, object], name: str, *, default: bool) -> bool:
    """A yes/no option.

    Raises:
        ConfigError: it is something else.
    """
    value = options.get(name, default)
    if not isinstance(value, bool):
        raise ConfigError(f"{name}: expected true or false")
    return value
