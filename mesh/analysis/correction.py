"""The success rate corrected by people's labels, or the reason why it cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.graded_rows import GradedRow, amount
from judgemesh.mesh.analysis.labels.people import People
from judgemesh.mesh.metrics.correction import THIS_RUN, Drawn
from judgemesh.mesh.metrics.outcome_correction import (
    CorrectedSuccess,
    JudgedTask,
    corrected_success,
)
from judgemesh.mesh.metrics.sampling import (
    category_contradiction,
    number_contradiction,
)

_HINT: Final = "--drawn at_random, if they were drawn at random from these results"
_UNKNOWN: Final = "nobody noted how the labelled results were chosen"
_MIXED: Final = "the labelled results were chosen in several ways"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The rate corrected by labels, or why there is none.

    noted: the labels themselves say how they were drawn.
    """

    found: CorrectedSuccess | None = None
    drawn: Drawn | None = None
    noted: bool = False
    why_not: str = ""


def correction_of(
    graded: Sequence[GradedRow],
    people: People,
    *,
    requested: bool,
    drawn: str | None,
    seed: int,
    credit: Mapping[OutcomeClass, Decimal],
    clustered: bool = False,
) -> Correction | None:
    """The corrected rate of results as they were graded; None if it is not called for.

    It is computed on request, or if every label notes that it was drawn at random and
    some result has no label. What the labels say of their draw is checked against the run.

    Args:
        graded: the results as they were graded.
        people: their labels.
        requested: whether the user asked for it.
        drawn: how the labelled results were chosen, where the user says so.
        seed: of the draws.
        credit: of each class.
        clustered: whether results of one task are one unit.

    Raises:
        ConfigError: it was requested and would not be valid.
    """
    requested = requested or drawn is not None
    if not requested and not _is_sample(graded, people):
        return None
    labelled = [row for row in graded if row.result_id in people.outcomes]
    try:
        sampling = _sampling(labelled, people, drawn)
        _check_drawn(graded, people, sampling)
        corrected = corrected_success(
            _tasks(graded, people, clustered=clustered),
            drawn=sampling,
            seed=seed,
            credit=credit,
        )
    except ValueError as error:
        if not requested:
            return Correction(why_not=str(error))
        hint = _HINT if str(error) in (_UNKNOWN, _MIXED) else None
        raise ConfigError(f"no corrected rate: {error}", hint=hint) from None
    return Correction(found=corrected, drawn=sampling, noted=drawn is None)


def _is_sample(graded: Sequence[GradedRow], people: People) -> bool:
    """Whether some results have labels, and some decided ones have none."""
    some_labelled = some_unlabelled = False
    for row in graded:
        if row.result_id in people.outcomes:
            some_labelled = True
        elif row.outcome is not None:
            some_unlabelled = True
    return some_labelled and some_unlabelled


def _tasks(
    graded: Sequence[GradedRow], people: People, *, clustered: bool
) -> list[JudgedTask]:
    tasks: list[JudgedTask] = []
    for row in graded:
        if row.outcome is not None:
            label = people.outcomes.get(row.result_id)
            cost, ceiling = amount(row.cost), amount(row.ceiling)
            name = row.task_id if clustered else None
            tasks.append(JudgedTask(row.outcome, label, cost, ceiling, name))
    return tasks


def _sampling(
    labelled: Sequence[GradedRow], people: People, drawn: str | None
) -> Drawn:
    """How the labelled results were chosen.

    Raises:
        ValueError: it is unknown, or there are no labels.
    """
    if not labelled:
        raise ValueError("no result has a label of its class")
    modes = {people.drawn[row.result_id] for row in labelled}
    if drawn is not None:
        noted = sorted(mode for mode in modes if mode not in (None, drawn))
        if noted:
            count = sum(people.drawn[row.result_id] in noted for row in labelled)
            raise ValueError(
                f"--drawn {drawn} contradicts what {count} of {len(labelled)} labels note: {', '.join(noted)}"
            )
        return Drawn(drawn)
    if len(modes) > 1:
        raise ValueError(_UNKNOWN if None in modes else _MIXED)
    mode = modes.pop()
    if mode is None:
        raise ValueError(_UNKNOWN)
    if mode not in set(Drawn):
        allowed = ", ".join(THIS_RUN)
        raise ValueError(
            f"the labels note {mode!r} as how they were drawn; {allowed} can correct a rate"
        )
    return Drawn(mode)


def _check_drawn(graded: Sequence[GradedRow], people: People, drawn: Drawn) -> None:
    """Refuse a draw at random that the run contradicts: labelled results of other classes, costs or families.

    Raises:
        ValueError: chance would do that less than once in a thousand draws.
    """
    if drawn not in THIS_RUN:
        return
    rows = [row for row in graded if row.outcome is not None]
    labelled = [row.result_id in people.outcomes for row in rows]
    if not any(labelled) or all(labelled):
        return
    strata = None
    if drawn is Drawn.BY_VERDICT:
        strata = [str(row.outcome) for row in rows]
    found = category_contradiction(
        "class", [f"graded {row.outcome}" for row in rows], labelled, strata
    )
    families = [f"of family {row.family or 'none'}" for row in rows]
    found = found or category_contradiction("family", families, labelled, strata)
    costs = [float(amount(row.cost) or -1) for row in rows]
    if all(row.cost is not None for row in rows):
        found = found or number_contradiction("cost", costs, labelled, strata)
    if found is not None:
        raise ValueError(f"the labels are said to be drawn {drawn.value}, but {found}")
