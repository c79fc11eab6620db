"""What a row of a file of graded results may hold: its keys, its ids, and what contracts add to it.

Nothing is left out silently: a key that looks like a known one is refused, another key that is not read is said, and
so are contracts and labels that belong to no row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.text.spelling import nearest
from judgemesh.mesh.analysis.graded_cells import OF_TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from judgemesh.mesh.inputs.contracts import ContractSet

Warn = Callable[[str], None]

ROW_KEYS: Final = (
    *("result_id", "task_id", "outcome", "outcome_class", "label", "score", "gate"),
    *("cost", "agent_cost", "ceiling", "date", "family", "started_at", "ended_at"),
    "failure_reason_codes",
)
"""The keys of a row that somebody wrote."""
_SYNONYMS: Final = {"id": "result_id", "task": "task_id", "class": "outcome_class"}
"""Names that are not near enough to be found by their spelling."""
_OF_LABELS: Final = frozenset(
    {"labeler", "drawn", "rationale", "split", "near", "decided_by", "note"}
)
"""Keys of label files, which may be rated too."""
_OF_REPORTS: Final = "verdicts"
_NEAR: Final = 0.75
_MAX_NAMED: Final = 5


def ignore(line: str) -> None:
    """Say nothing."""
    del line


@dataclass(slots=True)
class RowKeys:
    """The keys of the rows of one file, and how often each unknown one occurs."""

    unread: dict[str, int] = field(default_factory=dict[str, int])

    def check(self, row: Mapping[str, Any]) -> None:
        """Refuse what would be read as nothing or in two ways; count what is not read.

        Raises:
            ValueError: a key is nearly a known one, or two keys contradict each other.
        """
        if _OF_REPORTS in row or OF_TABLES in row:
            return
        _check_pairs(row)
        for key in row:
            if key in ROW_KEYS or key in _OF_LABELS:
                continue
            near = near_key(key, row)
            if near is not None:
                raise ValueError(f"unknown key {key!r}; did you mean {near!r}?")
            self.unread[key] = self.unread.get(key, 0) + 1

    def report(self, where: Path, warn: Warn) -> None:
        """Say which keys were not read."""
        if self.unread:
            warn(f"{where}: keys that are not read: {first_of(self.unread)}")


def near_key(key: str, row: Mapping[str, Any]) -> str | None:
    """The known key that was probably meant; None if the row has that one too."""
    name = key.casefold().replace("-", "_")
    near = _SYNONYMS.get(name)
    if near is None:
        near = nearest(name, ROW_KEYS, cutoff=_NEAR)
    return None if near is None or near in row else near


def _check_pairs(row: Mapping[str, Any]) -> None:
    """Refuse two keys of one meaning with different values."""
    for first, second in (("cost", "agent_cost"), ("outcome", "outcome_class")):
        if first in row and second in row and row[first] != row[second]:
            raise ValueError(f"{first} and {second} contradict each other")
    # SPEC: `complete` means that the gate passed; every other class may go with any gate.
    if row.get("gate") == "fail":
        for key in ("outcome", "outcome_class"):
            if row.get(key) == "complete":
                raise ValueError(
                    f"{key} complete and gate fail contradict each other: a complete result has passed its gate"
                )
    if "score" in row and {"outcome", "outcome_class"} & row.keys():
        raise ValueError("give `outcome` or `score`, not both")


@dataclass(slots=True)
class RowIds:
    """The result ids of one file."""

    lines: dict[tuple[str, date | None], int] = field(
        default_factory=dict[tuple[str, date | None], int]
    )

    def add(self, result_id: str, day: date | None, line: int) -> None:
        """Note an id; a result may be graded again on another day.

        Raises:
            ValueError: the id was noted before.
        """
        first = self.lines.setdefault((result_id, day), line)
        if first != line:
            raise ValueError(
                f"result_id {result_id!r} is in line {first} too; repeats of a task share"
                " a `task_id` and have their own `result_id`"
            )


def check_contracts_used(
    contracts: ContractSet, tasks: Collection[str], where: str, warn: Warn
) -> None:
    """Refuse contracts of which none is for a task of the rows; say which tasks have none.

    Raises:
        ConfigError: no task has a contract.
    """
    missing = [task for task in dict.fromkeys(tasks) if contracts.find(task) is None]
    if missing and len(missing) == len(set(tasks)):
        known = first_of(contracts.by_task)
        raise ConfigError(
            f"no contract is for a task of {where}",
            where="--contracts",
            hint=f"they are for {known}; the tasks are {first_of(missing)}",
        )
    if missing:
        warn(f"{where}: tasks without a contract: {first_of(missing)}")


def check_labels_used(
    labelled: Iterable[str], result_ids: Collection[str], where: str, warn: Warn
) -> None:
    """Refuse labels of which none is for a result of the rows; say how many are not.

    Raises:
        ConfigError: no result has a label.
    """
    known = set(result_ids)
    names = list(dict.fromkeys(labelled))
    foreign = [name for name in names if name not in known]
    if foreign and len(foreign) == len(names):
        raise ConfigError(
            f"no label is for a result of {where}",
            where="--labels",
            hint=f"they are for {first_of(foreign)}",
        )
    if foreign:
        count = f"{len(foreign)} of {len(names)}"
        warn(f"{count} labelled results are not in {where}: {first_of(foreign)}")


def check_paired_names(unnamed: Sequence[str], key: str, where: str) -> None:
    """Refuse rows that would be paired by the number of their line.

    Args:
        unnamed: the rows without that key.
        key: `task_id` or `result_id`.
        where: the file.

    Raises:
        ConfigError: there are some.
    """
    if unnamed:
        raise ConfigError(
            f"{unnamed[0]} has no `{key}`, so nothing pairs it", where=where
        )


def first_of(names: Iterable[str]) -> str:
    """The first names, and how many more there are."""
    listed = list(names)
    more = len(listed) - _MAX_NAMED
    text = ", ".join(listed[:_MAX_NAMED])
    return f"{text} and {more} more" if more > 0 else text
