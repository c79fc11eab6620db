"""The rate corrected by people's labels, where how they were drawn allows it; else the reason why it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.agreement import People
from judgemesh.mesh.analysis.success import Scored, amount
from judgemesh.mesh.metrics.correction import THIS_RUN, Drawn
from judgemesh.mesh.metrics.outcome_correction import JudgedTask, corrected_success
from judgemesh.mesh.reporting.success_rate import Correction

_SAY_SO: Final = "--drawn at_random, if they were drawn at random from these results"
_UNKNOWN: Final = "nobody noted how the labelled results were chosen"
_MIXED: Final = "the labelled results were chosen in several ways"


def correction(
    graded: Sequence[Scored],
    people: People,
    *,
    asked: bool,
    drawn: str | None,
    seed: int,
    credit: Mapping[OutcomeClass, Decimal],
) -> Correction | None:
    """The corrected rate of results as they were graded; None where there are no labels and nobody asked.

    Without being asked it is worked out where every label notes that it was drawn at random, and some result has none:
    where people labelled everything there is nothing to correct.

    Raises:
        ConfigError: it was asked for, and would not be valid.
    """
    labelled = [row for row in graded if row.result_id in people.said]
    asked = asked or drawn is not None
    if not asked and (
        not labelled
        or all(
            row.result_id in people.said for row in graded if row.outcome is not None
        )
    ):
        return None
    try:
        way = _way(labelled, people, drawn)
        found = corrected_success(
            [
                JudgedTask(
                    row.outcome,
                    people.said.get(row.result_id),
                    amount(row.cost),
                    amount(row.ceiling),
                )
                for row in graded
                if row.outcome is not None
            ],
            drawn=way,
            seed=seed,
            credit=credit,
        )
    except ValueError as error:
        if asked:
            unknown = str(error) in (_UNKNOWN, _MIXED)
            raise ConfigError(
                f"no corrected rate: {error}", hint=_SAY_SO if unknown else None
            ) from None
        return Correction(why_not=str(error))
    return Correction(found=found, drawn=way, noted=drawn is None)


def _way(labelled: Sequence[Scored], people: People, drawn: str | None) -> Drawn:
    """How the labelled results were chosen.

    Raises:
        ValueError: nobody knows, or there are none.
    """
    if not labelled:
        raise ValueError("no result has a label of its class")
    if drawn is not None:
        return Drawn(drawn)
    ways = {people.drawn[row.result_id] for row in labelled}
    if len(ways) > 1:
        raise ValueError(_UNKNOWN if None in ways else _MIXED)
    way = ways.pop()
    if way is None:
        raise ValueError(_UNKNOWN)
    if way not in set(Drawn):
        raise ValueError(
            f"the labels note {way!r} as how they were drawn; {', '.join(THIS_RUN)} can correct a rate"
        )
    return Drawn(way)
