"""People's labels and what calibration made of them, as functions of an open connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from judgemesh.mesh.ledger.schema.tables import human_label, judge_calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanLabel:
    """What a person says about one result, or with `question_id` about one yes/no question of it.

    label: `yes` or `no`, the answer to the question. score: 1 to 5. outcome_class: one of the outcome classes.
    drawn: how the result was chosen for labelling, `at_random`, `by_verdict` or `chosen`; None where it was not noted.
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
