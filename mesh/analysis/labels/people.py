"""What people's labels say about results, and graded classes replaced by theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.graded_rows import GradedRow
from judgemesh.mesh.analysis.labels.labels import CLASSES, ReviewerLabel


@dataclass(frozen=True, slots=True)
class People:
    """The class that more than half of the people give each labelled result.

    outcomes: that class by result id.
    split: results on which no class has more than half.
    drawn: how each labelled result was chosen; None if unknown, or if the labels differ.
    """

    outcomes: Mapping[str, OutcomeClass]
    split: frozenset[str]
    drawn: Mapping[str, str | None]
    labelers: tuple[str, ...]


NOBODY: Final = People(outcomes={}, split=frozenset(), drawn={}, labelers=())


def people_of(reviews: Iterable[ReviewerLabel]) -> People:
    """Summarise labels: the last label of each person counts, and more than half decide.

    Raises:
        ConfigError: a label is an answer to a question, and no outcome class.
    """
    latest: dict[str, dict[str, ReviewerLabel]] = {}
    for review in reviews:
        if review.label is None:
            continue
        if review.label not in CLASSES:
            raise ConfigError(f"{review.item}: {review.label!r} is no outcome class")
        latest.setdefault(review.item.result_id, {})[review.labeler] = review
    outcomes: dict[str, OutcomeClass] = {}
    drawn: dict[str, str | None] = {}
    labelers: dict[str, None] = {}
    for result_id, by_labeler in latest.items():
        counts = Counter(str(review.label) for review in by_labeler.values())
        label, votes = counts.most_common(1)[0]
        if 2 * votes > len(by_labeler):
            outcomes[result_id] = OutcomeClass(label)
        modes = {review.drawn for review in by_labeler.values()}
        drawn[result_id] = modes.pop() if len(modes) == 1 else None
        labelers |= dict.fromkeys(by_labeler)
    return People(
        outcomes=outcomes,
        split=frozenset(latest.keys() - outcomes.keys()),
        drawn=drawn,
        labelers=tuple(labelers),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What people's labels changed in a set of results.

    changed: results whose class was replaced by another.
    decided: results without a class that got one.
    split: results on which people disagree; they keep their class.
    """

    labelled: int
    changed: int
    decided: int
    split: int
    labelers: tuple[str, ...]


def overridden(
    rows: Sequence[GradedRow], people: People
) -> tuple[list[GradedRow], Overrides]:
    """The rows with people's classes in place of their own, and what that changed."""
    overridden_rows: list[GradedRow] = []
    changed = decided = labelled = split = 0
    for row in rows:
        split += row.result_id in people.split
        outcome = people.outcomes.get(row.result_id)
        if outcome is None:
            overridden_rows.append(row)
            continue
        labelled += 1
        if row.outcome is None:
            decided += 1
        elif row.outcome is not outcome:
            changed += 1
        overridden_rows.append(replace(row, outcome=outcome))
    return overridden_rows, Overrides(
        labelled=labelled,
        changed=changed,
        decided=decided,
        split=split,
        labelers=people.labelers,
    )


def unseen_grades(graded: Sequence[GradedRow], people: People) -> str:
    """Which grades nobody looked at, or how many; empty if all decided results have labels."""
    decided = Counter(row.outcome for row in graded if row.outcome is not None)
    seen = Counter(
        row.outcome
        for row in graded
        if row.outcome is not None and row.result_id in people.outcomes
    )
    missing = sum(decided.values()) - sum(seen.values())
    if not missing:
        return ""
    blind = [
        f"none of {count:,} graded {outcome.value}"
        for outcome, count in decided.items()
        if not seen[outcome]
    ]
    if blind:
        return f"people looked at {', '.join(blind)}"
    return (
        f"people looked at {sum(seen.values()):,} of {sum(decided.values()):,} graded"
    )
