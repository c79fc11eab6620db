"""The scores of an object of state, 0..10 each, by article 002 section 11. None where nothing could measure it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.validators._shared.state.document_checks import DocumentCheck
from judgemesh.validators.state.objects import StateObject
from judgemesh.validators.state.outcomes import Met

_FULL: Final = 10.0
_TARGET_WEIGHT: Final = 0.40
_USABILITY_WEIGHT: Final = 0.30
_FORMAT_WEIGHT: Final = 0.20
_BOUNDARY_WEIGHT: Final = 0.10


@dataclass(frozen=True, slots=True)
class ObjectScores:
    """Target state match, content usability, format quality and boundary control of one object."""

    target: float | None
    usability: float | None
    format: float | None
    boundary: float | None

    @property
    def state_change(self) -> float | None:
        """The weighted mean of the scores that could be measured."""
        total = weights = 0.0
        for weight, score in (
            (_TARGET_WEIGHT, self.target),
            (_USABILITY_WEIGHT, self.usability),
            (_FORMAT_WEIGHT, self.format),
            (_BOUNDARY_WEIGHT, self.boundary),
        ):
            if score is not None:
                total += weight * score
                weights += weight
        return round(total / weights, 6) if weights else None


def scores_of(state_object: StateObject) -> ObjectScores:
    """The scores of one object."""
    usable: list[DocumentCheck] = []
    formed: list[DocumentCheck] = []
    for document in state_object.documents:
        usable += document.usable
        formed += document.formed
    return ObjectScores(
        target=_target_score(state_object),
        usability=_share_met(usable),
        format=_share_met(formed),
        boundary=_boundary_score(state_object),
    )


def _target_score(state_object: StateObject) -> float | None:
    """The weighted share of the expectations that came true."""
    if not state_object.outcomes:
        return None
    total = met = 0.0
    for outcome in state_object.outcomes:
        weight = outcome.expectation.spec.weight
        total += weight
        if outcome.met is Met.MET:
            met += weight
    return round(_FULL * met / total, 6)


def _boundary_score(state_object: StateObject) -> float | None:
    """The share of the object's changes that somebody asked for."""
    changes = len(state_object.changes)
    if not changes:
        return None
    strays = len({stray.path for stray in state_object.strays})
    return round(_FULL * max(changes - strays, 0) / changes, 6)


def _share_met(checks: Sequence[DocumentCheck]) -> float | None:
    """The share of the checks that hold, among those that could be made."""
    known = met = 0
    for check in checks:
        if check.met is not None:
            known += 1
            met += check.met
    return round(_FULL * met / known, 6) if known else None
