"""How far the labels of several reviewers agree, with intervals by bootstrap over the items.

Items that everybody labelled in the same way are alike to every coefficient, so a resample is a multinomial draw over
the distinct combinations of labels: the plain bootstrap by item, without going through the items one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha
from judgemesh.mesh.metrics.intervals import DRAWS, LEVEL, Interval, jeffreys

MIN_ITEMS: Final = 10
"""Below so many shared items a coefficient is refused."""
_MIN_VALID_SHARE: Final = 0.5
"""An interval needs a value from at least this share of the resamples."""
_MAX_CELLS: Final = 20_000_000
_MIN_DRAWS: Final = 200
"""With so many combinations that all draws would not fit into memory there are fewer draws, never fewer than this."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient with its interval, or why there is none. A value may stand without an interval."""

    value: float | None
    ci: Interval | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class ClassAgreement:
    """One class: how many items the first reviewer put in it, how many the second, how many both."""

    first: int
    second: int
    both: int

    @property
    def specific(self) -> float | None:
        """Specific agreement, 2 both / (first + second); None where neither reviewer used the class."""
        uses = self.first + self.second
        return 2 * self.both / uses if uses else None


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two reviewers over the items that both labelled; `table` counts (label of the first, label of the second).

    chance: the agreement that their base rates alone would give, which kappa sets off.
    constant: share of the second's labels that are its commonest, the agreement a constant would reach.
    """

    items: int
    agreed: int
    raw: tuple[float, Interval]
    chance: float
    constant: float
    kappa: Coefficient
    ac1: Coefficient
    table: Mapping[tuple[str, str], int]
    classes: Mapping[str, ClassAgreement]


class Reviews:
    """The labels of several reviewers: one list each, an item at each place, None where it was not labelled.

    Raises:
        ValueError: the lists differ in length, or there are no items.
    """

    def __init__(
        self,
        labels: Mapping[str, Sequence[str | None]],
        *,
        seed: int,
        draws: int = DRAWS,
    ) -> None:
        """Args: labels by reviewer; the seed and number of the resamples."""
        sizes = {len(column) for column in labels.values()}
        if len(sizes) != 1 or sizes == {0}:
            raise ValueError(
                "every reviewer needs a label, or None, for each item, and there must be items"
            )
        self.names = tuple(labels)
        self.items = sizes.pop()
        self._labels = {name: list(column) for name, column in labels.items()}
        used = set[str | None]().union(*self._labels.values())
        self._classes = sorted(label for label in used if label is not None)
        self._seed, self._draws = seed, draws

    def shared(self, first: str, second: str) -> int:
        """How many items both labelled."""
        return len(self._pairs(first, second))

    def _pairs(self, first: str, second: str) -> list[tuple[str, str]]:
        pairs: list[tuple[str, str]] = []
        for a, b in zip(self._labels[first], self._labels[second], strict=True):
            if a is not None and b is not None:
                pairs.append((a, b))
        return pairs

    def pair(self, first: str, second: str) -> PairAgreement:
        """Two reviewers against each other.

        Raises:
            ValueError: no item has a label from both.
        """
        pairs = self._pairs(first, second)
        if not pairs:
            raise ValueError(f"{first} and {second} have no item in common")
        first_labels = [a for a, _ in pairs]
        second_labels = [b for _, b in pairs]
        first_counts, second_counts = Counter(first_labels), Counter(second_labels)
        table = Counter(pairs)
        agreed = 0
        coincidences = 0
        classes: dict[str, ClassAgreement] = {}
        for label in sorted(first_counts | second_counts):
            both = table[label, label]
            agreed += both
            coincidences += first_counts[label] * second_counts[label]
            classes[label] = ClassAgreement(
                first_counts[label], second_counts[label], both
            )
        kappa = cohen_kappa(first_labels, second_labels)
        ac1 = gwet_ac1(first_labels, second_labels)
        kappa_draws, ac1_draws = self._drawn(first, second)
        return PairAgreement(
            items=len(pairs),
            agreed=agreed,
            raw=(agreed / len(pairs), jeffreys(agreed, len(pairs))),
            chance=coincidences / len(pairs) ** 2,
            constant=max(second_counts.values()) / len(pairs),
            kappa=self._coefficient(pairs, kappa, kappa_draws),
            ac1=self._coefficient(pairs, ac1, ac1_draws),
            table=dict(sorted(table.items())),
            classes=classes,
        )

    def alpha(self, names: Sequence[str]) -> Coefficient:
        """Krippendorff's alpha over some of the reviewers."""
        if len(names) < 2:
            return Coefficient(None, why_not="needs two reviewers")
        columns = [self._labels[name] for name in names]
        units: list[list[str]] = []
        for item in zip(*columns, strict=True):
            labels = [label for label in item if label is not None]
            if len(labels) > 1:
                units.append(labels)
        refusal = _refusal(units)
        if refusal:
            return Coefficient(None, why_not=refusal)
        draws = self._alphas([self.names.index(name) for name in names])
        return _with_interval(krippendorff_alpha(columns), draws, units)

    def kappa_gap(
        self, machine: str, people: Sequence[str]
    ) -> tuple[float, float, Interval | None] | None:
        """Mean kappa of a machine with each person, mean kappa of people with each other, interval of the difference.

        None where one of those kappas has no value.
        """
        with_machine = self._mean_kappa([(machine, person) for person in people])
        among_people = self._mean_kappa(list(combinations(people, 2)))
        if with_machine is None or among_people is None:
            return None
        difference = _interval(with_machine[1] - among_people[1])
        return with_machine[0], among_people[0], difference

    def _mean_kappa(
        self, pairs: Sequence[tuple[str, str]]
    ) -> tuple[float, Floats] | None:
        """The mean kappa of pairs of reviewers, and that of every resample; None where one has no value."""
        if not pairs:
            return None
        total = 0.0
        draws: list[Floats] = []
        for first, second in pairs:
            if self.shared(first, second) == 0:
                return None
            kappa = self.pair(first, second).kappa.value
            if kappa is None:
                return None
            total += kappa
            draws.append(self._drawn(first, second)[0])
        return total / len(pairs), np.mean(draws, axis=0)

    def _coefficient(
        self, pairs: Sequence[tuple[str, str]], value: float | None, drawn: Floats
    ) -> Coefficient:
        refusal = _refusal(pairs)
        if refusal:
            return Coefficient(None, why_not=refusal)
        return _with_interval(value, drawn, pairs)

    @cached_property
    def _resampled(self) -> tuple[NDArray[np.int64], Floats]:
        """The distinct combinations of labels as class numbers (-1: none), and how often each stands in a resample."""
        numbers: dict[str | None, int] = {
            label: number for number, label in enumerate(self._classes)
        }
        numbers[None] = -1
        occurrences: Counter[tuple[int, ...]] = Counter()
        for item in zip(*self._labels.values(), strict=True):
            occurrences[tuple(numbers[label] for label in item)] += 1
        patterns = sorted(occurrences)
        shares = np.array([occurrences[pattern] / self.items for pattern in patterns])
        random = np.random.Generator(np.random.PCG64(self._seed))
        affordable = max(_MIN_DRAWS, _MAX_CELLS // len(patterns))
        draws = min(self._draws, affordable)
        counts = random.multinomial(self.items, shares, size=draws).astype(float)
        return np.array(patterns, dtype=np.int64), counts

    def _drawn(self, first_name: str, second_name: str) -> tuple[Floats, Floats]:
        """Kappa and AC1 of every resample; NaN where it has no value."""
        patterns, counts = self._resampled
        first = patterns[:, self.names.index(first_name)]
        second = patterns[:, self.names.index(second_name)]
        both = (first >= 0) & (second >= 0)
        first, second, used = first[both], second[both], counts[:, both]
        one_hot = np.eye(len(self._classes))
        with np.errstate(invalid="ignore", divide="ignore"):
            items = used.sum(axis=1)
            first_shares = used @ one_hot[first] / items[:, None]
            second_shares = used @ one_hot[second] / items[:, None]
            raw = used @ (first == second).astype(float) / items
            kappa_chance = (first_shares * second_shares).sum(axis=1)
            shares = (first_shares + second_shares) / 2
            labels = (shares > 0).sum(axis=1)
            ac1_chance = (shares * (1 - shares)).sum(axis=1) / (labels - 1)
            kappa = (raw - kappa_chance) / (1 - kappa_chance)
            ac1 = (raw - ac1_chance) / (1 - ac1_chance)
        return kappa, ac1

    def _alphas(self, columns: Sequence[int]) -> Floats:
        """Krippendorff's alpha of every resample; NaN where it has no value."""
        patterns, counts = self._resampled
        labels = range(len(self._classes))
        picked = patterns[:, columns]
        uses = np.stack([(picked == label).sum(axis=1) for label in labels], axis=1)
        uses = uses.astype(float)
        width = uses.sum(axis=1)
        paired = width > 1
        uses, width, used = uses[paired], width[paired], counts[:, paired]
        observed = used @ ((width**2 - (uses**2).sum(axis=1)) / (width - 1))
        totals = used @ uses
        n = totals.sum(axis=1)
        pairs_apart = n**2 - (totals**2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            alpha: Floats = 1 - observed * (n - 1) / pairs_apart
        return alpha


def _refusal(units: Sequence[Sequence[str]]) -> str:
    """Why no coefficient is computed from the labels of these items; empty where one is."""
    if len(units) < MIN_ITEMS:
        return f"needs {MIN_ITEMS} items labelled by both, there are {len(units)}"
    labels = set[str]().union(*units)
    if len(labels) == 1:
        return f"everybody gave every item one label, {labels.pop()}: chance agreement is complete"
    return ""


def _with_interval(
    value: float | None, draws: Floats, units: Sequence[Sequence[str]]
) -> Coefficient:
    if value is None:
        reason = "chance agreement is complete, so it has no value"
        return Coefficient(None, why_not=reason)
    if all(len(set(unit)) == 1 for unit in units):
        reason = "no interval: they agree on every item, and so does every resample"
        return Coefficient(value, why_not=reason)
    interval = _interval(draws)
    if interval is None:
        reason = "no interval: most resamples have one label only"
        return Coefficient(value, why_not=reason)
    return Coefficient(value, interval)


def _interval(drawn: Floats, level: float = LEVEL) -> Interval | None:
    """The percentile interval; None where most resamples have no value."""
    known = drawn[np.isfinite(drawn)]
    if len(known) < _MIN_VALID_SHARE * len(drawn):
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), "bootstrap by item", level)
