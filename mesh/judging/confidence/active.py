"""Which calibrations of a ledger are active: the newest of each judge, panel and pair whose models have not drifted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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
class ActiveCalibrations:
    """The calibrations that a run applies."""

    judges: tuple[Calibration, ...] = ()
    panels: tuple[PanelCalibration, ...] = ()
    pairs: tuple[Pair, ...] = ()


def active_calibrations(rows: Iterable[Row]) -> ActiveCalibrations:
    """The active calibrations among the rows of a ledger, the oldest first.

    An alarm ends every earlier calibration of its model, also of panels and pairs that it is part of. A calibration
    that no longer certifies a pair ends its certificate. A row that this version cannot read is ignored.
    """
    history = _History()
    for model, method, parameters in rows:
        if method == ALARM:
            history.end(model)
            continue
        with suppress(ValueError):
            history.add(method, parameters)
    return ActiveCalibrations(
        judges=tuple(history.judges.values()),
        panels=tuple(history.panels.values()),
        pairs=tuple(history.pairs.values()),
    )


@dataclass(slots=True)
class _History:
    """The newest calibrations so far, by what they are about."""

    judges: dict[tuple[str, str, str], Calibration] = field(
        default_factory=dict[tuple[str, str, str], Calibration]
    )
    panels: dict[tuple[Identity, ...], PanelCalibration] = field(
        default_factory=dict[tuple[Identity, ...], PanelCalibration]
    )
    pairs: dict[tuple[Stage, Stage], Pair] = field(
        default_factory=dict[tuple[Stage, Stage], Pair]
    )

    def add(self, method: str, parameters: Mapping[str, Any]) -> None:
        """Take one row in.

        Raises:
            ValueError: it cannot be read.
        """
        if method == CALIBRATION:
            judge = calibration_from_json(parameters)
            self.judges[judge.model, judge.prompts, judge.backend] = judge
        elif method == PANEL_CALIBRATION:
            panel = panel_calibration_from_json(parameters)
            self.panels[panel.judges] = panel
        elif method == PAIR_CERTIFICATE:
            pair = pair_from_json(parameters)
            self.pairs[pair.stages] = pair
        elif method == NO_PAIR_CERTIFICATE:
            self._end_pair(parameters.get("stages", ()))

    def end(self, model: str) -> None:
        """End everything that this model is part of."""
        for judge in list(self.judges):
            if judge[0] == model:
                del self.judges[judge]
        for judges in list(self.panels):
            if model == panel_name(judges) or _is_in(model, judges):
                del self.panels[judges]
        for stages in list(self.pairs):
            if _is_in(model, stages):
                del self.pairs[stages]

    def _end_pair(self, stages: Iterable[Sequence[str]]) -> None:
        ended = [list(stage) for stage in stages]
        for pair in list(self.pairs):
            if [list(stage) for stage in pair] == ended:
                del self.pairs[pair]


def _is_in(model: str, judges: Iterable[tuple[str, ...]]) -> bool:
    """Whether one of the judges asks this model: alone, or as a panel of several."""
    names = [judge[0] for judge in judges]
    return any(model == name or model in name.split(" + ") for name in names)
