"""Which results a session is about: read, chosen by split, put in order, cut to a number; and the canonical labels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.inputs.results import Accepted, Seen, read_results
from judgemesh.mesh.labelling.reference import Canonical

_CLASSES: Final = {one.value: one for one in OutcomeClass}
_REFERENCE_NAME: Final = "labels.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which of the results, and in which order. `limit` counts from the start of that order, so that the same choice is
    the same set whenever it is made."""

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
    choice: Choice,
    reference: Mapping[str, Canonical] | None,
    problem: Callable[[str], None],
) -> list[Chosen]:
    """The set. Only chosen results are kept in memory; the files are read twice for that. With a `reference`, results
    without a canonical label are left out. `problem` is told of every line that cannot be used.

    Raises:
        ResultError: a file cannot be read.
        ConfigError: nothing is left, and why.
    """
    splits: dict[str, str | None] = {}
    for one in _read(files, problem):
        if reference is None:
            splits[one.result_id] = _split_of(one)
        elif one.result_id in reference:
            splits[one.result_id] = reference[one.result_id].split
    where = ", ".join(map(str, files))
    if not splits:
        said = (
            "holds no result that can be used"
            if reference is None
            else "no result has a canonical label"
        )
        raise ConfigError(said, where=where)
    names = [
        result_id
        for result_id, split in splits.items()
        if choice.split in (None, split)
    ]
    if not names:
        there = (
            ", ".join(sorted({split for split in splits.values() if split})) or "none"
        )
        raise ConfigError(
            f"no result is in the split {choice.split!r}",
            where=where,
            hint=f"there is: {there}",
        )
    if choice.shuffle:
        names.sort(key=lambda name: _draw(choice.seed, name))
    place = {name: position for position, name in enumerate(names[: choice.limit])}
    found: dict[str, Chosen] = {}
    seen = Seen()
    for file in files:
        for row in read_results(file, seen=seen):
            if isinstance(row, Accepted) and row.result.result_id in place:
                found[row.result.result_id] = Chosen(row.result, row.base_dir)
    return sorted(found.values(), key=lambda one: place[one.result.result_id])


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


def _draw(seed: int, result_id: str) -> bytes:
    """A place that follows from seed and id alone: adding results, or reading files in another order, moves nothing."""
    return hashlib.blake2b(
        f"{seed}\0{result_id}".encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()


def read_reference(path: Path) -> dict[str, Canonical]:
    """Canonical labels: a JSON Lines file, or every `labels.jsonl` of a folder.

    Raises:
        ConfigError: it cannot be read; a line that is no canonical label; a result that has two.
    """
    files = sorted(path.rglob(_REFERENCE_NAME)) if path.is_dir() else [path]
    found: dict[str, Canonical] = {}
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot be read: {error}", where=str(file)) from None
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                one = _canonical(json.loads(line))
                if one.result_id in found:
                    raise ValueError(  # noqa: TRY301
                        f"result_id {one.result_id!r} has a canonical label already"
                    )
            except (ValueError, RecursionError) as error:
                what = (
                    "is no JSON"
                    if isinstance(error, json.JSONDecodeError)
                    else str(error)
                )
                raise ConfigError(what, where=f"{file}:{number}") from None
            found[one.result_id] = one
    if not found:
        raise ConfigError(
            "holds no canonical label",
            where=str(path),
            hint=f"a folder needs {_REFERENCE_NAME} files",
        )
    return found


def _canonical(data: object) -> Canonical:
    if not isinstance(data, dict):
        raise ValueError("must be an object")  # noqa: TRY004 (a line of a file, not an argument)
    row = cast("Mapping[str, Any]", data)
    result_id, outcome, near = (
        row.get("result_id"),
        row.get("outcome_class"),
        row.get("near"),
    )
    if not isinstance(result_id, str) or not result_id:
        raise ValueError("needs a result_id")
    if not isinstance(outcome, str) or outcome not in _CLASSES:
        raise ValueError(
            f"outcome_class is {outcome!r}, expected {', '.join(_CLASSES)}"
        )
    if near is not None and (not isinstance(near, str) or near not in _CLASSES):
        raise ValueError(f"near is {near!r}, expected {', '.join(_CLASSES)} or null")
    split = row.get("split")
    return Canonical(
        result_id=result_id,
        outcome=_CLASSES[outcome],
        rationale=str(row.get("rationale") or ""),
        split=split if isinstance(split, str) else None,
        near=_CLASSES[near] if near is not None else None,
    )
