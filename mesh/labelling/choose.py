"""Choose the results of a labelling session by split, order and number; read the canonical labels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.reading import read_text_file, unreadable
from judgemesh.mesh.inputs.results import Accepted, read_results
from judgemesh.mesh.inputs.seen import Seen
from judgemesh.mesh.labelling.reference import CanonicalLabel

_CLASSES: Final = {outcome.value: outcome for outcome in OutcomeClass}
_REFERENCE_NAME: Final = "labels.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultChoice:
    """Which of the results, and in which order.

    `limit` counts from the start of that order, so that the same choice always gives the same set.
    """

    split: str | None = None
    shuffle: bool = False
    seed: int = 0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """One result of the set, and the folder its references start from."""

    result: AgentResult
    base_dir: Path


def choose(
    files: Sequence[Path],
    choice: ResultChoice,
    reference: Mapping[str, CanonicalLabel] | None,
    problem: Callable[[str], None],
) -> list[Chosen]:
    """Read the chosen results, in the chosen order.

    The files are read twice, so that only chosen results are kept in memory. With a `reference`, results without a
    canonical label are left out. `problem` is called with every line that cannot be used.

    Raises:
        ResultError: a file cannot be read.
        ConfigError: no result is left; the message says why.
    """
    splits: dict[str, str | None] = {}
    for result in _read(files, problem):
        if reference is None:
            splits[result.result_id] = _split_of(result)
        elif result.result_id in reference:
            splits[result.result_id] = reference[result.result_id].split
    where = ", ".join(map(str, files))
    if not splits and reference is None:
        raise ConfigError("holds no result that can be used", where=where)
    if not splits:
        raise ConfigError("no result has a canonical label", where=where)
    names = _in_split(splits, choice.split, where)
    if choice.shuffle:
        names.sort(key=lambda name: _shuffle_key(choice.seed, name))
    positions = {name: number for number, name in enumerate(names[: choice.limit])}
    chosen: dict[str, Chosen] = {}
    seen = Seen()
    for file in files:
        for row in read_results(file, seen=seen):
            if isinstance(row, Accepted) and row.result.result_id in positions:
                chosen[row.result.result_id] = Chosen(row.result, row.base_dir)
    return [chosen[name] for name in positions]


def _in_split(
    splits: Mapping[str, str | None], split: str | None, where: str
) -> list[str]:
    if split is None:
        return list(splits)
    names = [name for name, own_split in splits.items() if own_split == split]
    if not names:
        known = sorted({own_split for own_split in splits.values() if own_split})
        raise ConfigError(
            f"no result is in the split {split!r}",
            where=where,
            hint=f"there is: {', '.join(known) or 'none'}",
        )
    return names


def _read(
    files: Sequence[Path], problem: Callable[[str], None]
) -> Iterable[AgentResult]:
    seen = Seen()
    for file in files:
        for row in read_results(file, seen=seen):
            if isinstance(row, Accepted):
                yield row.result
            else:
                problem(row.problem)


def _split_of(result: AgentResult) -> str | None:
    split = result.metadata.get("split")
    return split if isinstance(split, str) else None


def _shuffle_key(seed: int, result_id: str) -> bytes:
    """It depends on seed and id alone: adding results, or reading files in another order, moves no other result."""
    text = f"{seed}\0{result_id}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def read_reference(path: Path) -> dict[str, CanonicalLabel]:
    """Canonical labels: a JSON Lines file, or every `labels.jsonl` of a folder.

    Raises:
        ConfigError: a file cannot be read, a line is no canonical label, or a result has two.
    """
    files = sorted(path.rglob(_REFERENCE_NAME)) if path.is_dir() else [path]
    labels: dict[str, CanonicalLabel] = {}
    for file in files:
        for where, line in _lines(file):
            label = _canonical_line(line, where)
            if label.result_id in labels:
                problem = f"result_id {label.result_id!r} has a canonical label already"
                raise ConfigError(problem, where=where)
            labels[label.result_id] = label
    if not labels:
        raise ConfigError(
            "holds no canonical label",
            where=str(path),
            hint=f"a folder needs {_REFERENCE_NAME} files",
        )
    return labels


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """Lines that are not blank, each with its place `file:line`."""
    try:
        text = read_text_file(file, TABLE)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(unreadable(error), where=str(file)) from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{file}:{number}", line


def _canonical_line(line: str, where: str) -> CanonicalLabel:
    try:
        return _canonical(json.loads(line))
    except (json.JSONDecodeError, RecursionError):
        raise ConfigError("is no JSON", where=where) from None
    except ValueError as error:
        raise ConfigError(str(error), where=where) from None


def _canonical(data: object) -> CanonicalLabel:
    if not isinstance(data, dict):
        raise ValueError("must be an object")  # noqa: TRY004 (a line of a file, not an argument)
    row = cast("Mapping[str, Any]", data)
    result_id = row.get("result_id")
    outcome = row.get("outcome_class")
    near = row.get("near")
    if not isinstance(result_id, str) or not result_id:
        raise ValueError("needs a result_id")
    if not isinstance(outcome, str) or outcome not in _CLASSES:
        raise ValueError(
            f"outcome_class is {outcome!r}, expected {', '.join(_CLASSES)}"
        )
    if near is not None and (not isinstance(near, str) or near not in _CLASSES):
        raise ValueError(f"near is {near!r}, expected {', '.join(_CLASSES)} or null")
    split = row.get("split")
    return CanonicalLabel(
        result_id=result_id,
        outcome=_CLASSES[outcome],
        rationale=str(row.get("rationale") or ""),
        split=split if isinstance(split, str) else None,
        near=_CLASSES[near] if near is not None else None,
    )
