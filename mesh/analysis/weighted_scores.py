"""Weighted yes/no scores of a run, or of a file of reports or answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError, ResultError
from judgemesh.contracts.text.spelling import nearest
from judgemesh.contracts.weighted_score import WeightedScore
from judgemesh.mesh.analysis.row_checks import RowIds
from judgemesh.mesh.analysis.run_lookup import opened_run
from judgemesh.mesh.grading.weighted.definition import (
    ALWAYS_NORMALISED,
    WeightedDefinition,
)
from judgemesh.mesh.grading.weighted.score import weigh
from judgemesh.mesh.inputs.rows import Row, known_keys, rows, shown, text_of
from judgemesh.mesh.metrics.binary_weighted import PRESETS, checked_weights

TaskScores = list[tuple[str, WeightedScore]]
"""Task id and score of each result."""

_KEYS: Final = ("result_id", "task_id", "answers", "goal_confirmed", "failed_state")
_DEFAULT_NAME: Final = "weighted"


class FileKind(StrEnum):
    """What the rows of a file are."""

    ANSWERS = "answers"
    REPORTS = "reports"


def kind_of_file(path: Path) -> FileKind:
    """Whether a file holds reports, which have scores, or answers, which need weights.

    Raises:
        ResultError: it cannot be read, or holds no rows.
    """
    numbered = list(rows(path))
    if not numbered:
        raise ResultError("holds no rows", where=str(path))
    return _kind_of(numbered)


def _kind_of(numbered: Sequence[tuple[int, Row]]) -> FileKind:
    for _, row in numbered:
        if "answers" in row or "weighted_scores" not in row:
            return FileKind.ANSWERS
    return FileKind.REPORTS


async def scores_of_run(
    ledger_url: str, run_name: str | None, name: str | None
) -> dict[str, TaskScores]:
    """The scores of a run by name; only one of them with `name`.

    Raises:
        InputError: no such run or score, or the run has none.
        LedgerError: the ledger cannot be read.
    """
    scores: dict[str, TaskScores] = {}
    async with opened_run(ledger_url, run_name) as (ledger, run):
        async for report in ledger.reports(run.run_id):
            for score in report.weighted_scores:
                scores.setdefault(score.name, []).append((report.task_id, score))
    if not scores:
        raise ConfigError(
            "no result has a weighted score",
            where=run.run_id,
            hint="name one under `scoring.weighted` of its contract",
        )
    return _selected(scores, name, run.run_id)


def scores_of_file(
    path: Path, definition: WeightedDefinition | None, name: str | None
) -> dict[str, TaskScores]:
    """The scores of reports by name, or answers weighted by a definition.

    Raises:
        InputError: the file or a row cannot be used; answers without a definition.
    """
    numbered = list(rows(path))
    if not numbered:
        raise ResultError("holds no rows", where=str(path))
    if _kind_of(numbered) is FileKind.REPORTS:
        return _selected(_of_reports(numbered, path), name, str(path))
    if definition is None:
        raise ConfigError(
            "answers need weights: give either --preset or --weights",
            hint=f"presets: {', '.join(PRESETS)}",
        )
    scores: TaskScores = []
    ids = RowIds()
    for number, row in numbered:
        try:
            name_of_line = f"line {number}"
            ids.add(text_of(row, "result_id", name_of_line), None, number)
            scores.append(_weighted(row, definition, name_of_line))
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
    return _selected({definition.name: scores}, name, str(path))


def definition_of(
    *,
    preset: str | None,
    weights: Mapping[str, Decimal] | None,
    name: str | None,
    normalise: bool,
    hard_failure_if: tuple[str, ...],
) -> WeightedDefinition | None:
    """The score that a preset or weights define; None without exactly one of them.

    Raises:
        ConfigError: weights that do not sum to 1, or an unknown criterion.
    """
    if (preset is None) == (weights is None):
        return None
    weights = dict(PRESETS[preset]) if preset else dict(weights or {})
    normalise = normalise or preset == ALWAYS_NORMALISED
    try:
        checked_weights(weights, normalise=normalise)
    except ValueError as error:
        message = str(error).replace("give `normalise: true`", "give --normalise")
        raise ConfigError(message, where="--weights") from None
    for criterion in hard_failure_if:
        if criterion not in weights:
            raise ConfigError(
                f"no criterion is called {criterion!r}",
                where="--hard-failure-if",
                hint=f"there is {', '.join(weights)}",
            )
    return WeightedDefinition(
        name=preset or name or _DEFAULT_NAME,
        weights=weights,
        normalise=normalise,
        hard_failure_if=hard_failure_if,
    )


def reweighed(
    scores: Mapping[str, TaskScores], definition: WeightedDefinition | None
) -> dict[str, TaskScores]:
    """Stored answers under other weights, by the name of the score with `what if` behind it.

    Thresholds of classes, bands, and hard failures unless the definition names some, are those of the stored scores.

    Raises:
        ConfigError: a score has other criteria than the weights.
    """
    if definition is None:
        raise ConfigError("other weights are needed", where="--weights")
    weighed: dict[str, TaskScores] = {}
    for name, results in scores.items():
        other = replace(definition, name=f"{name} (what if)")
        for task, stored in results:
            answers = {one.id: one.holds for one in stored.criteria}
            if answers.keys() != definition.weights.keys():
                odd = ", ".join(sorted(answers.keys() ^ definition.weights.keys()))
                hint = f"{name} has {', '.join(answers)}"
                raise ConfigError(
                    f"weights and answers name different criteria: {odd}",
                    where="--weights",
                    hint=hint,
                )
            as_graded = replace(other, thresholds=stored.thresholds, bands=stored.bands)
            score = weigh(
                as_graded,
                answers,
                goal_confirmed=stored.goal_confirmed,
                failed_state=stored.failed_state,
                must_hold=None if other.hard_failure_if else dict(stored.must_hold),
            )
            weighed.setdefault(other.name, []).append((task, score))
    return weighed


def _selected(
    scores: dict[str, TaskScores], name: str | None, where: str
) -> dict[str, TaskScores]:
    if name is None:
        return scores
    if name in scores:
        return {name: scores[name]}
    near = nearest(name, scores)
    hint = f"there is {', '.join(sorted(scores))}"
    if near:
        hint = f"did you mean {near!r}?"
    raise ConfigError(f"no score is called {name!r}", where=where, hint=hint)


def _of_reports(
    numbered: Sequence[tuple[int, Row]], path: Path
) -> dict[str, TaskScores]:
    from judgemesh.contracts.weighted_score import weighted_from_json

    scores: dict[str, TaskScores] = {}
    ids = RowIds()
    for number, row in numbered:
        try:
            ids.add(text_of(row, "result_id", f"line {number}"), None, number)
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
        try:
            task_id = text_of(row, "task_id", f"line {number}")
            for data in row["weighted_scores"]:
                score = weighted_from_json(data)
                scores.setdefault(score.name, []).append((task_id, score))
        except (KeyError, TypeError, ValueError, ArithmeticError):
            raise ResultError(
                "`weighted_scores` is not as in a report", where=f"{path}:{number}"
            ) from None
    if not scores:
        raise ConfigError("no report has a weighted score", where=str(path))
    return scores


def _weighted(
    row: Row, definition: WeightedDefinition, name: str
) -> tuple[str, WeightedScore]:
    known_keys(row, _KEYS)
    values = row.get("answers")
    if not isinstance(values, Mapping):
        raise ValueError(  # noqa: TRY004 (every fault of a line is one kind)
            f"answers: expected an object of true, false and null, got {shown(values)}"
        )
    answers: dict[str, bool | None] = {}
    for key, value in cast("Mapping[str, Any]", values).items():
        answers[key] = _answer(value, key)
    known_keys(answers, definition.weights)
    missing = [key for key in definition.weights if key not in answers]
    if missing:
        raise ValueError(
            f"answers: {missing[0]} is missing; write null for an answer that nobody could give"
        )
    task_id = text_of(row, "task_id", text_of(row, "result_id", name))
    score = weigh(
        definition,
        answers,
        goal_confirmed=_answer(row.get("goal_confirmed"), "goal_confirmed"),
        failed_state=_answer(row.get("failed_state"), "failed_state"),
    )
    return task_id, score


def _answer(value: Any, name: str) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise ValueError(f"{name}: expected true, false or null, got {shown(value)}")
    return value
