"""How far reviewers agree: each pair, all people, judges beside people, the items they differ on, and caveats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

from judgemesh.mesh.analysis.labels.labels import Canonical, LabelledItem
from judgemesh.mesh.metrics.intervals import Interval
from judgemesh.mesh.metrics.reviewers import Coefficient, PairAgreement, Reviews

Kind = Literal["judge", "person", "reference"]
Pair = tuple[str, str]

_MIN_SHARED: Final = 10
"""A reviewer who gives one label only is worth a caveat from this many shared items."""
_ONE_PERSON: Final = "needs two people, to see how far people agree with each other"
_NO_KAPPA: Final = "a kappa with people, or among people, has no value"


@dataclass(frozen=True, slots=True)
class JudgeAndPeople:
    """Mean kappa of a judge with people, of people with each other, and the interval of the difference."""

    with_judge: float | None
    among_people: float | None
    ci: Interval | None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """An item that reviewers label differently: the label of each, and the canonical one where it is known."""

    item: LabelledItem
    labels: Mapping[str, str]
    canonical: Canonical | None


@dataclass(frozen=True, slots=True)
class NearMisses:
    """Labels of a reviewer that differ from the reference; `near` of them are the class it names as a near miss."""

    differences: int
    near: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The labels of several reviewers, and what they agree on.

    labels: by reviewer, in the order of `items`; None for an item without a label.
    again: labels that a later one of the same reviewer replaced.
    """

    scale: Sequence[str]
    items: Sequence[LabelledItem]
    kinds: Mapping[str, Kind]
    labels: Mapping[str, Sequence[str | None]]
    reviews: Reviews
    pairs: Mapping[Pair, PairAgreement]
    canonical: Mapping[LabelledItem, Canonical]
    split: str | None = None
    again: int = 0

    def of(self, kind: Kind) -> list[str]:
        """The reviewers of a kind."""
        return [reviewer for reviewer, own in self.kinds.items() if own == kind]

    def alphas(self) -> dict[str, Coefficient]:
        """Krippendorff's alpha of people, and of people and judges where there are judges."""
        people, judges = self.of("person"), self.of("judge")
        alphas = {"people": self.reviews.alpha(people)}
        if judges:
            alphas["people and judges"] = self.reviews.alpha([*judges, *people])
        return alphas

    def judges_and_people(self) -> dict[str, JudgeAndPeople]:
        """Each judge's kappa with people, compared with the kappa of people with each other."""
        people = self.of("person")
        compared: dict[str, JudgeAndPeople] = {}
        for judge in self.of("judge"):
            gap = self.reviews.kappa_gap(judge, people)
            if gap is not None:
                compared[judge] = JudgeAndPeople(*gap)
            elif people:
                why_not = _ONE_PERSON if len(people) == 1 else _NO_KAPPA
                compared[judge] = JudgeAndPeople(None, None, None, why_not)
        return compared

    def differences(self) -> list[Difference]:
        """The items that reviewers label differently, in the order of the items."""
        differences: list[Difference] = []
        for position, item in enumerate(self.items):
            labels: dict[str, str] = {}
            for reviewer, own in self.labels.items():
                label = own[position]
                if label is not None:
                    labels[reviewer] = label
            if len(set(labels.values())) > 1:
                differences.append(Difference(item, labels, self.canonical.get(item)))
        return differences

    def near_misses(self) -> dict[str, NearMisses]:
        """Of the reviewers that differ from a reference which names near misses."""
        misses: dict[str, NearMisses] = {}
        for reviewer in (*self.of("judge"), *self.of("person")):
            differing = near = 0
            names_near = False
            for label, canonical in self._known(reviewer):
                names_near = names_near or bool(canonical.near)
                if label != canonical.label:
                    differing += 1
                    near += label == canonical.near
            if differing and names_near:
                misses[reviewer] = NearMisses(differing, near)
        return misses

    def _known(self, reviewer: str) -> Iterator[tuple[str, Canonical]]:
        """The reviewer's labels of items in the reference."""
        for item, label in zip(self.items, self.labels[reviewer], strict=True):
            if label and item in self.canonical:
                yield label, self.canonical[item]

    def notes(self) -> list[str]:
        """What to know before relying on a number."""
        return [
            *self._missing_coefficients(),
            *self._constant_reviewers(),
            *self._pairs_apart(),
            *self._missing_labels(),
        ]

    def _missing_coefficients(self) -> Iterator[str]:
        for (first, second), pair in self.pairs.items():
            if pair.kappa.why_not:
                yield f"{first} and {second}: {pair.kappa.why_not}"
        if len(self.of("person")) > 1:
            for group, alpha in self.alphas().items():
                if alpha.value is None:
                    yield f"alpha of {group}: {alpha.why_not}"
        for judge, compared in self.judges_and_people().items():
            if compared.why_not:
                yield f"{judge} beside people: {compared.why_not}"

    def _constant_reviewers(self) -> Iterator[str]:
        for (first, second), pair in self.pairs.items():
            if pair.items < _MIN_SHARED:
                continue
            if len(pair.classes) > 1:
                yield from _one_label_only(first, {a for a, _ in pair.table}, second)
                yield from _one_label_only(second, {b for _, b in pair.table}, first)
            agreement = pair.raw[0]
            if agreement <= pair.constant < 1:
                commonest = max(
                    pair.classes, key=lambda label: pair.classes[label].second
                )
                yield (
                    f"{first} agrees with {second} on {agreement:.1%}; "
                    f"always saying {commonest} would agree on {pair.constant:.1%}"
                )

    def _pairs_apart(self) -> Iterator[str]:
        apart: list[str] = []
        for first, second in combinations(self.labels, 2):
            if (first, second) not in self.pairs:
                apart.append(f"{first} and {second}")
        if apart:
            yield f"no item in common: {', '.join(apart)}"

    def _missing_labels(self) -> Iterator[str]:
        for judge in self.of("judge"):
            labels = self.labels[judge]
            missing = sum(label is None for label in labels)
            if missing:
                yield f"{judge} left {missing:,} of {_items(len(labels))} undecided or unlabelled"
        if self.canonical:
            unknown = [item for item in self.items if item not in self.canonical]
            if unknown:
                yield f"{_items(len(unknown))} not in the reference, such as {unknown[0]}"
        if self.again:
            labels_replaced = "1 label" if self.again == 1 else f"{self.again:,} labels"
            yield f"{labels_replaced} replaced by a later one of the same reviewer"


def _one_label_only(reviewer: str, labels: set[str], other: str) -> Iterator[str]:
    if len(labels) == 1:
        yield f"{reviewer} says {labels.pop()} to everything that {other} labelled"


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count:,} items"
