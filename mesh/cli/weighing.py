"""What `judgemesh weighted` does: named scores out of a ledger or a file, summed up."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.errors import ConfigError, ResultError
from judgemesh.mesh.cli.choosing import chosen_run, pairs_of
from judgemesh.mesh.inputs.rows import Row, known_keys, rows, shown, text_of

if TYPE_CHECKING:
    from judgemesh.contracts.report import WeightedScore
    from judgemesh.mesh.grading.weighted_definition import WeightedDefinition

Scores = list[tuple[str, "WeightedScore"]]
"""Task and score, one a result."""

_KEYS: Final = ("result_id", "task_id", "answers", "goal_confirmed", "failed_state")
_OWN: Final = "weighted"
_HEAVIEST: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """Which scores, where from, and by which weights."""

    ledger: str
    file: Path | None = None
    run: str | None = None
    score: str | None = None
    preset: str | None = None
    weights: str | None = None
    normalise: bool = False
    hard_failure_if: tuple[str, ...] = ()
    as_json: bool = False


def show_weighted(wanted: Weighing) -> None:
    """Print the scores of a run or a file.

    Raises:
        InputError: no such file or run, a bad row or weight, or there is no such score.
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.analysis.weighted import tally
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.weighted import weighted_json, weighted_view

    if wanted.file is not None and wanted.run is not None:
        raise ConfigError("give a FILE or --run, not both")
    found = (
        _of_file(wanted, wanted.file) if wanted.file is not None else _of_run(wanted)
    )
    tallies = [
        tally(name, scores, seed=_seed(scores))
        for name, scores in sorted(found.items())
    ]
    if wanted.as_json:
        show_json({"scores": [weighted_json(one) for one in tallies]})
    else:
        show(*weighted_view(tallies))


# --- out of the ledger ---


def _of_run(wanted: Weighing) -> dict[str, Scores]:
    if wanted.preset or wanted.weights or wanted.normalise or wanted.hard_failure_if:
        raise ConfigError(
            "the weights of a run are those of its contracts",
            hint="give a FILE of answers",
        )
    name, found = asyncio.run(_read_run(wanted))
    if not found:
        raise ConfigError(
            "no result has a weighted score",
            where=name,
            hint="name one under `scoring.weighted` of its contract",
        )
    return _only(found, wanted.score, name)


async def _read_run(wanted: Weighing) -> tuple[str, dict[str, Scores]]:
    async with chosen_run(wanted.ledger, wanted.run) as (ledger, run):
        found: dict[str, Scores] = {}
        async for report in ledger.reports(run.run_id):
            for one in report.weighted_scores:
                found.setdefault(one.name, []).append((report.task_id, one))
        return run.run_id, found


def _only(found: dict[str, Scores], name: str | None, where: str) -> dict[str, Scores]:
    if name is None:
        return found
    if name not in found:
        near = get_close_matches(name, found, n=1)
        hint = (
            f"did you mean {near[0]!r}?"
            if near
            else f"there is {', '.join(sorted(found))}"
        )
        raise ConfigError(f"no score is called {name!r}", where=where, hint=hint)
    return {name: found[name]}


# --- out of a file ---


def _of_file(wanted: Weighing, path: Path) -> dict[str, Scores]:
    """Answers, weighed here; or reports, which bring their scores."""
    given = list(rows(path))
    if not given:
        raise ResultError("holds no rows", where=str(path))
    if all("answers" not in row and "weighted_scores" in row for _, row in given):
        return _only(_of_reports(given, path), wanted.score, str(path))
    definition = _definition(wanted)
    found: Scores = []
    for number, row in given:
        try:
            found.append(_weighed(row, definition, f"line {number}"))
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
    return _only({definition.name: found}, wanted.score, str(path))


def _of_reports(given: Sequence[tuple[int, Row]], path: Path) -> dict[str, Scores]:
    from judgemesh.contracts.report import weighted_from_json

    found: dict[str, Scores] = {}
    for number, row in given:
        try:
            for data in row["weighted_scores"]:
                one = weighted_from_json(data)
                found.setdefault(one.name, []).append(
                    (text_of(row, "task_id", f"line {number}"), one)
                )
        except (KeyError, TypeError, ValueError, ArithmeticError):
            raise ResultError(
                "`weighted_scores` is not as a report has it", where=f"{path}:{number}"
            ) from None
    if not found:
        raise ConfigError("no report has a weighted score", where=str(path))
    return found


def _weighed(
    row: Row, definition: WeightedDefinition, name: str
) -> tuple[str, WeightedScore]:
    from judgemesh.mesh.grading.weighted import weigh

    known_keys(row, _KEYS)
    given = row.get("answers")
    if not isinstance(given, Mapping):
        raise ValueError(  # noqa: TRY004
            f"answers: expected an object of true, false and null, got {shown(given)}"
        )
    answers = {
        key: _answer(value, key)
        for key, value in cast("Mapping[str, Any]", given).items()
    }
    known_keys(answers, definition.weights)
    missing = [key for key in definition.weights if key not in answers]
    if missing:
        raise ValueError(
            f"answers: {missing[0]} is missing; write null for an answer that nobody could give"
        )
    task = text_of(row, "task_id", text_of(row, "result_id", name))
    goal, failed = (
        _answer(row.get(key), key) for key in ("goal_confirmed", "failed_state")
    )
    return task, weigh(definition, answers, goal_confirmed=goal, failed_state=failed)


def _answer(value: Any, name: str) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{name}: expected true, false or null, got {shown(value)}")
    return value


def _definition(wanted: Weighing) -> WeightedDefinition:
    from judgemesh.mesh.grading.weighted_definition import (
        ALWAYS_NORMALISED,
        WeightedDefinition,
    )
    from judgemesh.mesh.metrics.binary_weighted import PRESETS, checked_weights

    if (wanted.preset is None) == (wanted.weights is None):
        hint = f"presets: {', '.join(PRESETS)}"
        raise ConfigError(
            "answers are weighed by --preset or by --weights: give one of them",
            hint=hint,
        )
    weights = (
        dict(PRESETS[wanted.preset])
        if wanted.preset
        else _weights(wanted.weights or "")
    )
    normalise = wanted.normalise or wanted.preset == ALWAYS_NORMALISED
    try:
        checked_weights(weights, normalise=normalise)
    except ValueError as error:
        message = str(error).replace("give `normalise: true`", "give --normalise")
        raise ConfigError(message, where="--weights") from None
    strangers = [name for name in wanted.hard_failure_if if name not in weights]
    if strangers:
        raise ConfigError(
            f"no criterion is called {strangers[0]!r}",
            where="--hard-failure-if",
            hint=f"there is {', '.join(weights)}",
        )
    return WeightedDefinition(
        name=wanted.preset or wanted.score or _OWN,
        weights=weights,
        normalise=normalise,
        hard_failure_if=wanted.hard_failure_if,
    )


def _weights(text: str) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    for name, value in pairs_of(text, "--weights").items():
        try:
            weight = Decimal(value)
        except InvalidOperation:
            weight = Decimal("NaN")
        if not (weight.is_finite() and 0 < weight <= _HEAVIEST):
            raise ConfigError(
                f"{name}: expected a number above 0, got {shown(value)}",
                where="--weights",
            )
        found[name] = weight
    return found


def _seed(scores: Scores) -> int:
    """A seed that follows from the scores, whatever their order."""
    lines = sorted(f"{task} {one.low} {one.high}" for task, one in scores)
    return int.from_bytes(hashlib.sha256("\n".join(lines).encode()).digest()[:8])
