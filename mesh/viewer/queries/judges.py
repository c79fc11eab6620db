"""How judges do: what they claimed against people's labels, their calibrations and alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, and_, select

from judgemesh.contracts.opinions import Role
from judgemesh.mesh.ledger.labels import CalibrationRow
from judgemesh.mesh.ledger.schema.tables import (
    human_label,
    judge_calibration,
    judge_opinion,
)

LABELS_READ: Final = 5_000
ROWS_READ: Final = 100


@dataclass(frozen=True, slots=True)
class LabelledOpinion:
    """A judge's decided opinion on a question that a person answered.

    claimed: its calibrated probability of being right, else its stability. is_calibrated: which of the two.
    """

    model: str
    claimed: float
    is_calibrated: bool
    is_right: bool


def labelled_opinions(
    connection: Connection, run_id: str | None
) -> list[LabelledOpinion]:
    """The opinions that the newest `LABELS_READ` labels answer; of several labels of a question the last one counts."""
    label, opinion = human_label.c, judge_opinion.c
    newest = (
        select(label.human_label_id, label.result_id, label.question_id, label.label)
        .where(label.label.in_(("yes", "no")), label.question_id.is_not(None))
        .order_by(label.human_label_id.desc())
        .limit(LABELS_READ)
        .subquery()
    )
    same = and_(
        opinion.result_id == newest.c.result_id,
        opinion.question_id == newest.c.question_id,
    )
    query = (
        select(
            opinion.run_id,
            opinion.eval_id,
            opinion.verdict_position,
            opinion.model,
            opinion.verdict,
            opinion.stability,
            opinion.correctness,
            newest.c.label,
        )
        .select_from(newest.join(judge_opinion, same))
        .where(opinion.role == Role.FINAL.value, opinion.verdict.in_(("yes", "no")))
        .order_by(newest.c.human_label_id.desc())
    )
    found: dict[tuple[str, int], LabelledOpinion] = {}
    for row in connection.execute(query).mappings():
        claimed = row["stability"] if row["correctness"] is None else row["correctness"]
        key = (row["eval_id"], row["verdict_position"])
        # Restricted here, so that the few labels and not the opinions of a run are what the query begins with.
        is_asked = run_id is None or row["run_id"] == run_id
        if is_asked and claimed is not None and key not in found:
            found[key] = LabelledOpinion(
                model=row["model"],
                claimed=min(max(claimed, 0.0), 1.0),
                is_calibrated=row["correctness"] is not None,
                is_right=row["verdict"] == row["label"],
            )
    return list(found.values())


def newest_calibrations(connection: Connection) -> Sequence[CalibrationRow]:
    """The newest calibrations and alarms, the newest first."""
    names = [judge_calibration.c[name] for name in CalibrationRow.__dataclass_fields__]
    query = select(*names).order_by(judge_calibration.c.judge_calibration_id.desc())
    rows = connection.execute(query.limit(ROWS_READ)).mappings()
    return [CalibrationRow(**row) for row in rows]
