"""What a source is: the protocols of execution-record sources and evidence sources.

A new kind is one class and one entry point, in the group `judgemesh.sources` or `judgemesh.evidence_sources`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from judgemesh.contracts.errors import JudgemeshError
from judgemesh.contracts.needs import Found, Lookup, NotFound, Records
from judgemesh.contracts.result_parts.actions import ExecutionRecord


class SourceInaccessible(JudgemeshError):
    """The source cannot be read: a missing file, a bad line, a query that fails. One line that says where and why.

    transient: it may be read later with nothing changed: a time-out, a rate limit, a server error.
    """

    def __init__(self, message: str, *, transient: bool = False) -> None:
        super().__init__(message)
        self.transient = transient


@runtime_checkable
class CheckedRecords(Protocol):
    """A source of execution records that can be tried before a run. Without `check` it is only opened."""

    async def check(self, need: Records) -> tuple[str, ...]:
        """Open the source and look for every name of its options; warnings, one line each.

        `need` names the first result of the run that asks this source, or no result.

        Raises:
            SourceInaccessible: the source cannot be read, or has no such column.
        """
        ...


@runtime_checkable
class CheckedEvidence(Protocol):
    """A source of evidence that can be tried before a run. Without `check` it is only opened."""

    async def check(self) -> tuple[str, ...]:
        """Open the source; warnings, one line each.

        Raises:
            SourceInaccessible: the source cannot be read.
        """
        ...


class RecordSource(Protocol):
    """An opened source of execution records. One object answers for every result of a run, also concurrently."""

    async def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """All records about the result that `need` names; an empty tuple says that there are none.

        Raises:
            SourceInaccessible: the source cannot be read, so that nothing is known.
        """
        ...

    def close(self) -> None:
        """Release what is held open. Safe to call twice."""
        ...


class RecordSourceFactory(Protocol):
    """How a record source is opened: a class with this constructor."""

    def __call__(self, options: Mapping[str, object], base_dir: Path) -> RecordSource:
        """Open the source.

        Args:
            options: the contract's `execution.source` without `type`.
            base_dir: the folder that relative paths start from.

        Raises:
            ConfigError: an option is missing, unknown or of the wrong type.
        """
        ...


class EvidenceSource(Protocol):
    """An opened source of evidence. One object answers for every result of a run, also concurrently.

    remote: whether its answers come over the network, so that they are worth caching.
    """

    remote: bool

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """What the source knows about the item.

        Raises:
            SourceInaccessible: the source cannot be asked, so that nothing is known.
        """
        ...

    async def aclose(self) -> None:
        """Release what is held open. Safe to call twice."""
        ...


class EvidenceSourceFactory(Protocol):
    """How an evidence source is opened: a class with this constructor."""

    def __call__(self, options: Mapping[str, object], base_dir: Path) -> EvidenceSource:
        """Open the source.

        Args:
            options: the entry of `evidence.sources` without `type`.
            base_dir: the folder that relative paths start from.

        Raises:
            ConfigError: an option is missing, unknown or of the wrong type.
        """
        ...
