"""Which calibrations of a ledger still hold: the newest of each judge, panel or pair, unless a model of it drifted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from judgemesh.mesh.judging.confidence.pairs import Pair, Stage, pair_from_json
from judgemesh.mesh.judging.confidence.panel_weights import (
    PanelCalibration,
    panel_calibration_from_json,
    panel_name,
)
from judgemesh.mesh.judging.confidence.platt import Calibration, calibration_from_json
from judgemesh.mesh.judging.protocols import Identity

CALIBRATION: Final = "ridge_platt"
PANEL_CALIBRATION: Final = "panel"
PAIR_CERTIFICATE: Final = "certified_pair"
NO_PAIR_CERTIFICATE: Final = "no_certified_pair"
ALARM: Final = "drift_alarm"

Row = tuple[str, str, Mapping[str, Any]]
"""Model (or models), method and parameters of one row of `judge_calibration`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Everything that still holds."""

    judges: tuple[Calibration, ...] = ()
    panels: tuple[PanelCalibration, ...] = ()
    pairs: tuple[Pair, ...] = ()


def standing(rows: Sequence[Row]) -> Standing:
    """What holds, out of the rows of a ledger, the oldest first."""
    return Standing(
        judges=tuple(standing_calibrations(rows)),
        panels=tuple(standing_panels(rows)),
        pairs=tuple(standing_pairs(rows)),
    )


def standing_panels(rows: Iterable[Row]) -> list[PanelCalibration]:
    """The panels' calibrations that hold; an alarm ends those of every panel that its model is in."""
    kept: dict[tuple[Identity, ...], PanelCalibration] = {}
    for model, method, parameters in rows:
        if method == ALARM:
            kept = {
                judges: one
                for judges, one in kept.items()
                if model not in (*_models(judges), panel_name(judges))
            }
        elif method == PANEL_CALIBRATION:
            with suppress(ValueError):
                found = panel_calibration_from_json(parameters)
                kept[found.judges] = found
    return list(kept.values())


def standing_pairs(rows: Iterable[Row]) -> list[Pair]:
    """The certificates of pairs that hold; an alarm ends those that its model is in, as part of a panel too, and so
    does a later calibration that certifies the pair no more."""
    kept: dict[tuple[Stage, Stage], Pair] = {}
    for model, method, parameters in rows:
        if method == ALARM:
            kept = {
                key: one
                for key, one in kept.items()
                if not any(model in (stage[0], *stage[0].split(" + ")) for stage in key)
            }
        elif method == NO_PAIR_CERTIFICATE:
            ended = [
                [str(part) for part in stage] for stage in parameters.get("stages", ())
            ]
            kept = {
                key: one
                for key, one in kept.items()
                if [list(stage) for stage in key] != ended
            }
        elif method == PAIR_CERTIFICATE:
            with suppress(ValueError):
                found = pair_from_json(parameters)
                kept[found.stages] = found
    return list(kept.values())


def _models(judges: Iterable[Identity]) -> set[str]:
    return {model for model, _ in judges}


def standing_calibrations(
    rows: Iterable[tuple[str, str, Mapping[str, Any]]],
) -> list[Calibration]:
    """The calibrations that hold, out of rows of (model, method, parameters), the oldest first.

    An alarm ends every calibration of its model before it. What another version of judgemesh wrote and this one cannot
    read says nothing.
    """
    found: dict[tuple[str, str, str], Calibration] = {}
    for model, method, parameters in rows:
        if method == ALARM:
            found = {key: kept for key, kept in found.items() if key[0] != model}
        elif method == CALIBRATION:
            with suppress(ValueError):
                kept = calibration_from_json(parameters)
                found[kept.model, kept.prompts, kept.backend] = kept
    return list(found.values())
