"""The drift canary: verdicts of two runs on the same frozen items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.run_lookup import existing_ledger, find_run
from judgemesh.mesh.calibration.drift import Drift, compare_verdicts
from judgemesh.mesh.judging.confidence.active import ALARM
from judgemesh.mesh.ledger.labels import CalibrationRow

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.opinions import LeaderRow

_OPTION: Final = "--canary"
_ANSWERS: Final = {"yes": True, "no": False}


async def judge_drifts(
    ledger_url: str, before: str, after: str, *, store: bool
) -> dict[str, Drift]:
    """By model: how many verdicts changed from one run to the other.

    An alarm is stored, unless `store` is off; it ends the calibrations of the judge.

    Raises:
        ConfigError: no such run, or the runs share no judged question.
        LedgerError: there is no ledger, or it cannot be written.
    """
    async with await existing_ledger(ledger_url, writes=store) as ledger:
        runs = await ledger.runs()
        old = find_run(runs, before, option=_OPTION)
        new = find_run(runs, after, option=_OPTION)
        old_rows = await ledger.leaders(old.run_id)
        new_rows = await ledger.leaders(new.run_id)
        old_models = {row.model for row in old_rows}
        models = old_models & {row.model for row in new_rows}
        drifts: dict[str, Drift] = {}
        for model in sorted(models):
            drift = compare_verdicts(
                _verdicts(old_rows, model), _verdicts(new_rows, model)
            )
            drifts[model] = drift
            if drift.alarm and store:
                await ledger.write_calibration(_alarm(model, drift, new.run_id))
    if not any(drift.items for drift in drifts.values()):
        raise ConfigError(
            "no judged question of the one run was decided in the other by the same judge",
            where=_OPTION,
        )
    return drifts


def _verdicts(rows: Sequence[LeaderRow], model: str) -> dict[Hashable, bool | None]:
    """The first verdict of a model on each question; None if undecided."""
    verdicts: dict[Hashable, bool | None] = {}
    for row in rows:
        if row.model == model:
            verdict = _ANSWERS.get(row.leader)
            verdicts.setdefault((row.result_id, row.question_id), verdict)
    return verdicts


def _alarm(model: str, drift: Drift, run_id: str) -> CalibrationRow:
    return CalibrationRow(
        model=model,
        method=ALARM,
        created_at=datetime.now(UTC),
        parameters={"flips": drift.flips, "items": drift.items, "run_id": run_id},
    )
