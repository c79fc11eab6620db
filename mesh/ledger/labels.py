"""People's labels, what judges were asked, and what calibration made of both, as functions of an open connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, cast

from sqlalchemy import Connection, Text, select, tuple_
from sqlalchemy import cast as cast_column

from judgemesh.mesh.ledger.schema import (
    eval_task_result,
    eval_validator_result,
    human_label,
    judge_calibration,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanLabel:
    """What a person says about one result, or with `question_id` about one yes/no question of it.

    label: `yes` or `no`, the answer to the question. score: 1 to 5. outcome_class: one of the outcome classes.
    drawn: how the result was chosen for labelling, `at_random`, `by_verdict` or `chosen`; None where nobody noted it.
    """

    result_id: str
    created_at: datetime
    run_id: str | None = None
    task_id: str | None = None
    validator_name: str | None = None
    question_id: str | None = None
    labeler: str | None = None
    label: str | None = None
    score: float | None = None
    outcome_class: str | None = None
    note: str | None = None
    drawn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRow:
    """One row of `judge_calibration`; `parameters` is the fitted model, whatever its kind."""

    model: str
    method: str
    created_at: datetime
    prompt_name: str | None = None
    prompt_digest: str | None = None
    question_id: str | None = None
    label_count: int | None = None
    true_positive_rate: float | None = None
    true_negative_rate: float | None = None
    parameters: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRow:
    """One judged verdict of a graded result. `judgement` is what the judge noted: votes, model, prompts, question."""

    run_id: str
    result_id: str
    task_id: str
    validator_name: str
    check: str
    kind: str
    gating: bool
    weight: float
    diagnostic: str
    stability: float | None
    correctness: float | None
    judgement: Mapping[str, Any]
    details: Mapping[str, Any]


JudgedPosition = tuple[str, int]
"""Where a page of judged verdicts ended: eval id and position."""

_VERDICT: Final = eval_validator_result.c
_TASK: Final = eval_task_result.c


def insert_labels(connection: Connection, labels: Sequence[HumanLabel]) -> None:
    """Keep labels; older ones of the same person stay, and no longer count."""
    if labels:
        connection.execute(human_label.insert(), [asdict(label) for label in labels])


def all_labels(connection: Connection) -> list[HumanLabel]:
    """Every label, in the order in which they came."""
    names = [human_label.c[name] for name in HumanLabel.__dataclass_fields__]
    rows = connection.execute(
        select(*names).order_by(human_label.c.human_label_id)
    ).mappings()
    return [HumanLabel(**row) for row in rows]


def insert_calibration(connection: Connection, row: CalibrationRow) -> None:
    """Keep what a calibration found."""
    connection.execute(
        judge_calibration.insert(),
        [{**asdict(row), "parameters": dict(row.parameters or {})}],
    )


def all_calibrations(connection: Connection) -> list[CalibrationRow]:
    """Every row of `judge_calibration`, the oldest first."""
    names = [judge_calibration.c[name] for name in CalibrationRow.__dataclass_fields__]
    rows = connection.execute(
        select(*names).order_by(judge_calibration.c.judge_calibration_id)
    ).mappings()
    return [CalibrationRow(**row) for row in rows]


def judged_page(
    connection: Connection, run_id: str, after: JudgedPosition | None, size: int
) -> tuple[list[JudgedRow], JudgedPosition | None]:
    """The judged verdicts among up to `size` verdicts of a run after the position, and where to go on."""
    key = tuple_(_VERDICT.eval_id, _VERDICT.position)
    query = (
        select(eval_validator_result, _TASK.run_id, _TASK.result_id, _TASK.task_id)
        .join(eval_task_result, _TASK.eval_id == _VERDICT.eval_id)
        .where(_TASK.run_id == run_id)
        .order_by(_VERDICT.eval_id, _VERDICT.position)
        .limit(size)
    )
    rows = (
        connection.execute(query if after is None else query.where(key > after))
        .mappings()
        .all()
    )
    found = [judged for row in rows if (judged := _judged(row)) is not None]
    last = (rows[-1]["eval_id"], rows[-1]["position"]) if len(rows) == size else None
    return found, last


def audited_details(connection: Connection, run_id: str) -> list[Mapping[str, Any]]:
    """The details of the verdicts of a run whose question was asked alone as well as together with others."""
    query = (
        select(_VERDICT.details)
        .join(eval_task_result, _TASK.eval_id == _VERDICT.eval_id)
        .where(
            _TASK.run_id == run_id,
            cast_column(_VERDICT.details, Text).like('%"both_ways"%'),
        )
        .order_by(_VERDICT.eval_id, _VERDICT.position)
    )
    return [row or {} for row in connection.execute(query).scalars()]


def _judged(row: Mapping[Any, Any]) -> JudgedRow | None:
    details = cast("Mapping[str, Any]", row["details"] or {})
    judgement = details.get("judgement")
    if not isinstance(judgement, Mapping):
        return None
    return JudgedRow(
        run_id=row["run_id"],
        result_id=row["result_id"],
        task_id=row["task_id"],
        validator_name=row["validator_name"],
        check=row["check_name"],
        kind=row["kind"],
        gating=row["gating"],
        weight=row["weight"],
        diagnostic=row["diagnostic_message"] or "",
        stability=row["confidence_stability"],
        correctness=row["confidence_correctness"],
        judgement=cast("Mapping[str, Any]", judgement),
        details=details,
    )
