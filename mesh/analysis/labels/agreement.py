"""How far reviewers agree with each other, with judges, and with canonical labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.labels.labels import (
    Canonical,
    LabelledItem,
    ReviewerLabel,
    one_scale,
    read_reference,
    read_reviews,
    reviews_of_run,
)
from judgemesh.mesh.analysis.labels.reviewer_agreement import Agreement, Kind, Pair
from judgemesh.mesh.analysis.run_lookup import opened_run
from judgemesh.mesh.analysis.seeds import seed_of
from judgemesh.mesh.metrics.reviewers import PairAgreement, Reviews

REFERENCE: Final = "reference"
"""The name of the reference among the reviewers."""
_MAX_REVIEWERS: Final = 40

Labels = dict[str, dict[LabelledItem, str | None]]
"""The label of each item, by reviewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementQuery:
    """Which labels are compared.

    split: only items of this split of the reference.
    judges: labelers that are machines, not people.
    """

    ledger: str
    files: tuple[Path, ...] = ()
    reference: Path | None = None
    split: str | None = None
    run: str | None = None
    judges: frozenset[str] = frozenset()


async def agreement_of(query: AgreementQuery) -> Agreement:
    """Compare the labels of files, of a run, and of a reference.

    Raises:
        InputError: no such file or run, a bad row, labels of two kinds, or no reviewers
            with an item in common.
        LedgerError: the ledger cannot be read.
    """
    canonical = _canonical(query)
    reviews: list[ReviewerLabel] = []
    for file in query.files:
        reviews += read_reviews(file)
    judges = query.judges
    if query.run is not None or not query.files:
        async with opened_run(query.ledger, query.run) as (ledger, run):
            reviews += await reviews_of_run(ledger, run.run_id)
        judges |= {run.run_id}
    _check_names(reviews, canonical, query)
    if query.split is not None:
        reviews = [review for review in reviews if review.item in canonical]
    return _compared(reviews, canonical, judges, query.split)


def _canonical(query: AgreementQuery) -> dict[LabelledItem, Canonical]:
    if query.reference is None:
        return {}
    canonical = read_reference(query.reference)
    if query.split is None:
        return canonical
    chosen = [item for item in canonical if canonical[item].split == query.split]
    if not chosen:
        problem = f"holds no item of the split {query.split}"
        raise ConfigError(problem, where=str(query.reference))
    return {item: canonical[item] for item in chosen}


def _check_names(
    reviews: Sequence[ReviewerLabel],
    canonical: Mapping[LabelledItem, Canonical],
    query: AgreementQuery,
) -> None:
    known = dict.fromkeys(review.labeler for review in reviews)
    if canonical and REFERENCE in known:
        raise ConfigError(
            "a reviewer is called `reference`, like the canonical labels",
            hint="give another labeler",
        )
    for judge in sorted(query.judges):
        if judge not in known:
            raise ConfigError(
                f"nobody is called {judge!r}",
                where="--judge",
                hint=f"there is {', '.join(known)}",
            )


def _compared(
    reviews: Sequence[ReviewerLabel],
    canonical: Mapping[LabelledItem, Canonical],
    judges: frozenset[str],
    split: str | None,
) -> Agreement:
    by_reviewer = _by_reviewer(reviews, canonical)
    kinds = _kinds(by_reviewer, judges, has_reference=bool(canonical))
    items: dict[LabelledItem, None] = {}
    used: list[str] = []
    for by_item in by_reviewer.values():
        items |= dict.fromkeys(by_item)
        used += [label for label in by_item.values() if label is not None]
    scale = one_scale(used)
    labels = {name: [by_reviewer[name].get(item) for item in items] for name in kinds}
    _check_count(list(labels))
    table = Reviews(labels, seed=_seed(labels))
    pairs = _pairs(table, list(labels))
    distinct = sum(len(by_item) for by_item in by_reviewer.values())
    if canonical:
        distinct -= len(by_reviewer[REFERENCE])
    return Agreement(
        scale=scale,
        items=list(items),
        kinds=kinds,
        labels=labels,
        reviews=table,
        pairs=pairs,
        canonical=canonical,
        split=split,
        again=len(reviews) - distinct,
    )


def _by_reviewer(
    reviews: Sequence[ReviewerLabel], canonical: Mapping[LabelledItem, Canonical]
) -> Labels:
    """The last label of each reviewer, and the reference for items that have labels."""
    labels: Labels = {}
    for review in reviews:
        labels.setdefault(review.labeler, {})[review.item] = review.label
    if canonical:
        items = set[LabelledItem]().union(*labels.values())
        reference: dict[LabelledItem, str | None] = {}
        for item, label in canonical.items():
            if item in items:
                reference[item] = label.label
        labels[REFERENCE] = reference
    return labels


def _kinds(
    names: Iterable[str], judges: frozenset[str], *, has_reference: bool
) -> dict[str, Kind]:
    """Judges, then people, then the reference: the second of a pair is the standard."""
    kinds: dict[str, Kind] = {}
    people: dict[str, Kind] = {}
    for name in names:
        if name in judges:
            kinds[name] = "judge"
        elif not (has_reference and name == REFERENCE):
            people[name] = "person"
    kinds |= people
    if has_reference:
        kinds[REFERENCE] = "reference"
    return kinds


def _check_count(names: Sequence[str]) -> None:
    if len(names) < 2:
        raise ConfigError(
            f"there is only one reviewer: {next(iter(names), 'none')}",
            hint="give the labels of another, --reference or --run; `judgemesh calibrate` compares judges with people's"
            " answers to questions",
        )
    if len(names) > _MAX_REVIEWERS:
        raise ConfigError(
            f"{len(names)} reviewers are too many to compare each with each",
            hint=f"at most {_MAX_REVIEWERS}",
        )


def _pairs(table: Reviews, names: Sequence[str]) -> dict[Pair, PairAgreement]:
    pairs: dict[Pair, PairAgreement] = {}
    for first, second in combinations(names, 2):
        if table.shared(first, second):
            pairs[first, second] = table.pair(first, second)
    if not pairs:
        raise ConfigError(f"{', '.join(names)} have labelled no item in common")
    return pairs


def _seed(labels: Mapping[str, Sequence[str | None]]) -> int:
    by_name = [labels[name] for name in sorted(labels)]
    return seed_of(repr(row) for row in zip(*by_name, strict=True))
