"""What `judgemesh calibrate` does: labels and verdicts out of the ledger, what follows from them back into it."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.comparing_labels import (
    Found,
    Gathered,
    comparison_lines,
    pair_of,
)

if TYPE_CHECKING:
    from judgemesh.mesh.calibration.drift import Drift
    from judgemesh.mesh.ledger.labels import HumanLabel
    from judgemesh.mesh.ledger.opinions import LeaderRow
    from judgemesh.mesh.ledger.records import RunRecord
    from judgemesh.mesh.ledger.store import Ledger

_BETWEEN: Final = ".."


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrating:
    """Which verdicts are compared, what a threshold is to promise, and whether the outcome is kept."""

    ledger: str
    runs: tuple[str, ...] = ()
    alpha: float = 0.05
    delta: float = 0.05
    store: bool = True


def calibrate_and_show(wanted: Calibrating, *, as_json: bool) -> int:
    """Compare, store, show; returns the exit code.

    Raises:
        ConfigError: no such run, or nothing to compare.
        LedgerError: there is no ledger, or it cannot be written.
    """
    from judgemesh.mesh.cli.output import put, show_json

    found = asyncio.run(_calibrate(wanted))
    if as_json:
        show_json({"stored": wanted.store, **found.to_json()})
    else:
        put("\n\n".join("\n".join(lines) for lines in comparison_lines(found)) + "\n")
    return 0


async def _calibrate(wanted: Calibrating) -> Found:
    from judgemesh.mesh.calibration.judges import consensus
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(wanted.ledger, read_only=not wanted.store) as ledger:
        labels = [one for one in await ledger.labels() if one.label and one.question_id]
        if not labels:
            hint = "`judgemesh label export` writes questions for people, `judgemesh label import` takes them in"
            raise ConfigError(
                "holds no labels of questions yet", where=ledger.url, hint=hint
            )
        truth = consensus(_answer(one) for one in labels)
        gathered = Gathered(truth)
        for run in await _runs(ledger, wanted.runs):
            pair = pair_of(run.config)
            async for result_id, opinion in ledger.opinions(run.run_id):
                gathered.add(result_id, opinion, pair)
        found = gathered.compared(alpha=wanted.alpha, delta=wanted.delta)
        if not found.judges and not found.panels:
            raise ConfigError(
                f"none of its {len(labels)} labels is about a judged question of these runs",
                where=ledger.url,
            )
        if wanted.store:
            for kept in found.rows(datetime.now(UTC)):
                await ledger.write_calibration(kept)
        return found


def _answer(label: HumanLabel) -> tuple[str, str, str, bool]:
    return (
        label.result_id,
        label.question_id or "",
        label.labeler or "",
        label.label == "yes",
    )


async def _runs(ledger: Ledger, names: Sequence[str]) -> list[RunRecord]:
    from judgemesh.mesh.analysis.run_lookup import find_run

    runs = await ledger.runs()
    return [find_run(runs, name) for name in names] if names else runs


# --- the drift canary ---


def watch_canary(wanted: Calibrating, names: str, as_json: bool) -> int:  # noqa: FBT001 - the last of three
    """Compare two runs over the same items; an alarm ends the calibrations of the judge. Returns the exit code.

    Raises:
        ConfigError: not two runs, or runs that share no judged question.
        LedgerError: there is no ledger, or it cannot be written.
    """
    from judgemesh.mesh.cli.output import put, show_json

    before, _, after = names.partition(_BETWEEN)
    if not before or not after:
        raise ConfigError(
            f"expected two runs, got {names!r}", where="--canary", hint="BEFORE..AFTER"
        )
    drifts = asyncio.run(_drifts(wanted, before, after))
    if as_json:
        rows = [
            {
                "model": model,
                "items": one.items,
                "flips": one.flips,
                "lost": one.lost,
                "alarm": one.alarm,
            }
            for model, one in drifts.items()
        ]
        show_json({"stored": wanted.store, "judges": rows})
    else:
        put("".join(_told(model, one) for model, one in drifts.items()))
    return int(any(one.alarm for one in drifts.values()))


async def _drifts(wanted: Calibrating, before: str, after: str) -> dict[str, Drift]:
    from judgemesh.mesh.calibration.drift import compare_verdicts
    from judgemesh.mesh.judging.confidence.active import ALARM
    from judgemesh.mesh.ledger.labels import CalibrationRow
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(wanted.ledger, read_only=not wanted.store) as ledger:
        old, new = await _runs(ledger, (before, after))
        sides = [await ledger.leaders(run.run_id) for run in (old, new)]
        models = sorted(
            {one.model for one in sides[0]} & {one.model for one in sides[1]}
        )
        drifts: dict[str, Drift] = {}
        for model in models:
            drifts[model] = compare_verdicts(
                *(_verdicts(side, model) for side in sides)
            )
            if drifts[model].alarm and wanted.store:
                await ledger.write_calibration(
                    CalibrationRow(
                        model=model,
                        method=ALARM,
                        created_at=datetime.now(UTC),
                        parameters={
                            "flips": drifts[model].flips,
                            "items": drifts[model].items,
                            "run_id": new.run_id,
                        },
                    )
                )
        if not any(one.items for one in drifts.values()):
            raise ConfigError(
                "no judged question of the one run was decided in the other by the same judge",
                where="--canary",
            )
        return drifts


def _verdicts(judged: Sequence[LeaderRow], model: str) -> dict[Hashable, bool | None]:
    """The model's last word on each question: the votes', where its own P(yes) came before and settled nothing."""
    sides = {"yes": True, "no": False}
    found: dict[Hashable, bool | None] = {}
    for one in judged:
        if one.model == model:
            found.setdefault((one.result_id, one.question_id), sides.get(one.leader))
    return found


def _told(model: str, drift: Drift) -> str:
    from judgemesh.mesh.calibration.drift import FROZEN_ITEMS, alarm_level

    few = (
        ""
        if drift.items >= FROZEN_ITEMS
        else f" (fewer than {FROZEN_ITEMS}: small drifts go unnoticed)"
    )
    end = "alarm: its calibrations no longer hold" if drift.alarm else "no alarm"
    level = alarm_level(drift.items)
    return f"{model}: {drift.flips} of {drift.items} verdicts changed{few}, {level} are tolerated; {end}\n"
