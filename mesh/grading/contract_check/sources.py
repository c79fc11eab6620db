"""Sources that a contract names and that cannot be opened: unknown types, missing files. Asks nothing of any source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.text.spelling import nearest
from judgemesh.mesh.inputs.problems import KeyPath, Problem

_RECORDS: Final = ("judgemesh.sources",)
_EVIDENCE: Final = ("judgemesh.evidence_sources", "judgemesh.sources")
_IN_THE_RESULT: Final = "result"
_OURS: Final = "judgemesh."
_FILES: Final = frozenset({"jsonl", "csv"})
_FOLDERS: Final = frozenset({"directory"})
_TABLES: Final = frozenset({"jsonl", "csv", "sql", "http"})
_LAYOUT: Final = frozenset({"match", "columns"})


def source_faults(contract: EvalContract, base_dir: Path) -> Iterator[Problem]:
    """The faults of all sources of a contract; relative paths start from `base_dir`."""
    if contract.execution is not None:
        known = (*_types(_RECORDS), _IN_THE_RESULT)
        options = contract.execution.source
        yield from _faults(("execution", "source"), options, known, base_dir)
        yield from _layout_faults(("execution", "source"), options)
    if contract.evidence is not None:
        for index, options in enumerate(contract.evidence.sources):
            path = ("evidence", "sources", index)
            yield from _faults(path, options, _types(_EVIDENCE), base_dir)


def _faults(
    path: KeyPath, options: Mapping[str, object], known: Iterable[str], base_dir: Path
) -> Iterator[Problem]:
    kind = str(options.get("type"))
    names = sorted(set(known))
    if kind not in names:
        near = nearest(kind, names)
        hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(names)}"
        message = f"there is no source type {kind!r}; {hint}"
        yield Problem((*path, "type"), message)
        return
    name = options.get("path")
    if isinstance(name, str) and kind in _FILES | _FOLDERS:
        yield from _missing((*path, "path"), base_dir / name, kind)


def _layout_faults(path: KeyPath, options: Mapping[str, object]) -> Iterator[Problem]:
    """What is wrong with `match` and `columns`, which say how the rows of records are read."""
    if options.get("type") not in _TABLES or _LAYOUT.isdisjoint(options):
        return
    from judgemesh.mesh.sources.record_layout import RecordLayout

    try:
        RecordLayout.from_options(options)
    except ConfigError as error:
        key, _, message = str(error).partition(": ")
        yield Problem((*path, key), message)


def _missing(path: KeyPath, file: Path, kind: str) -> Iterator[Problem]:
    wanted = "folder" if kind in _FOLDERS else "file"
    there = file.is_dir() if kind in _FOLDERS else file.is_file()
    if not there:
        message = f"there is no {wanted} {str(file)!r}; paths start from the folder of the contract"
        yield Problem(path, message)


@cache
def _types(groups: tuple[str, ...]) -> tuple[str, ...]:
    """The installed types. Of a shared group only those of other packages: ours serve the group they are in."""
    own, *shared = groups
    names = {point.name for point in entry_points(group=own)}
    for group in shared:
        for point in entry_points(group=group):
            if not point.value.startswith(_OURS):
                names.add(point.name)
    return tuple(sorted(names))
