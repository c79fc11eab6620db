"""How far the labels of several reviewers agree, with intervals by bootstrap over the items.

Items that everybody labelled in the same way are alike to every coefficient, so a resample is a multinomial draw over
the distinct combinations of labels: the plain bootstrap by item, without going through the items one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha
from judgemesh.mesh.metrics.intervals import DRAWS, LEVEL, Interval, jeffreys

MIN_ITEMS: Final = 10
"""Below so many shared items a coefficient is refused."""
_MOST: Final = 0.5
_CELLS: Final = 20_000_000
_LEAST_DRAWS: Final = 200
"""So many combinations that all draws would not fit into memory get fewer, never less than this."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient with its interval, or why there is none. A value may stand without an interval."""

    value: float | None
    ci: Interval | None = None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class ClassAgreement:
    """One class: how often the one gave it, the other did, both did; and 2 both / (one + other)."""

    one: int
    two: int
    both: int

    @property
    def specific(self) -> float | None:
        """Agreement on this class among the items that at least one of them gave it; None where neither did."""
        given = self.one + self.two
        return 2 * self.both / given if given else None


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two reviewers over the items that both labelled; `table` counts (label of the one, label of the other).

    chance: the agreement that their base rates alone would give, which kappa sets off.
    constant: share of the second's labels that are the commonest one, which always saying that one would score.
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
        sizes = {len(one) for one in labels.values()}
        if len(sizes) != 1 or sizes == {0}:
            raise ValueError(
                "every reviewer needs a label, or None, for each item, and there must be items"
            )
        self.names = tuple(labels)
        self.items = sizes.pop()
        self._labels = {name: list(one) for name, one in labels.items()}
        self._classes = sorted(
            {label for one in labels.values() for label in one if label is not None}
        )
        self._seed, self._draws = seed, draws

    def shared(self, one: str, two: str) -> int:
        """How many items both labelled."""
        return sum(
            a is not None and b is not None
            for a, b in zip(self._labels[one], self._labels[two], strict=True)
        )

    def pair(self, one: str, two: str) -> PairAgreement:
        """Two reviewers against each other.

        Raises:
            ValueError: no item has a label from both.
        """
        pairs = [
            (a, b)
            for a, b in zip(self._labels[one], self._labels[two], strict=True)
            if a and b
        ]
        if not pairs:
            raise ValueError(f"{one} and {two} have no item in common")
        table = Counter(pairs)
        first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
        agreed = sum(count for (a, b), count in table.items() if a == b)
        kappa, ac1 = self._drawn(one, two)
        sides = [a for a, _ in pairs], [b for _, b in pairs]
        return PairAgreement(
            items=len(pairs),
            agreed=agreed,
            raw=(agreed / len(pairs), jeffreys(agreed, len(pairs))),
            chance=sum(first[label] * second[label] for label in first)
            / len(pairs) ** 2,
            constant=max(second.values()) / len(pairs),
            kappa=self._coefficient(pairs, cohen_kappa(*sides), kappa),
            ac1=self._coefficient(pairs, gwet_ac1(*sides), ac1),
            table=dict(sorted(table.items())),
            classes={
                name: ClassAgreement(first[name], second[name], table[name, name])
                for name in self._classes
                if first[name] or second[name]
            },
        )

    def alpha(self, names: Sequence[str]) -> Coefficient:
        """Krippendorff's alpha over some of the reviewers."""
        lists = [self._labels[name] for name in names]
        units = [
            unit
            for unit in zip(*lists, strict=True)
            if sum(label is not None for label in unit) > 1
        ]
        refused = _refused(
            len(units), {label for unit in units for label in unit if label is not None}
        )
        if len(names) < 2:
            refused = "needs two reviewers"
        if refused:
            return Coefficient(None, why_not=refused)
        columns = [self.names.index(name) for name in names]
        return self._with_interval(
            krippendorff_alpha(lists), self._alphas(columns), same=_all_same(units)
        )

    def kappa_gap(
        self, machine: str, people: Sequence[str]
    ) -> tuple[float, float, Interval | None] | None:
        """Mean kappa of a machine with each person, mean kappa of people with each other, interval of the difference.

        None where one of those kappas has no value.
        """
        with_machine = [(machine, person) for person in people]
        among = [(a, b) for at, a in enumerate(people) for b in people[at + 1 :]]
        means: list[float] = []
        drawn: list[Floats] = []
        for some in (with_machine, among):
            if not some or any(self.shared(*pair) == 0 for pair in some):
                return None
            values = [self.pair(*pair).kappa.value for pair in some]
            known = [value for value in values if value is not None]
            if len(known) < len(some):
                return None
            means.append(sum(known) / len(known))
            drawn.append(np.mean([self._drawn(*pair)[0] for pair in some], axis=0))
        return means[0], means[1], _interval(drawn[0] - drawn[1])

    def _coefficient(
        self, pairs: Sequence[tuple[str, str]], value: float | None, drawn: Floats
    ) -> Coefficient:
        refused = _refused(len(pairs), {label for pair in pairs for label in pair})
        if refused:
            return Coefficient(None, why_not=refused)
        return self._with_interval(value, drawn, same=_all_same(pairs))

    def _with_interval(
        self, value: float | None, drawn: Floats, *, same: bool
    ) -> Coefficient:
        if value is None:
            return Coefficient(
                None, why_not="chance agreement is complete, so it has no value"
            )
        if same:
            return Coefficient(
                value,
                why_not="no interval: they agree on every item, and so does every resample",
            )
        interval = _interval(drawn)
        return Coefficient(
            value,
            interval,
            "" if interval else "no interval: most resamples have one label only",
        )

    @cached_property
    def _resampled(self) -> tuple[NDArray[np.int64], Floats]:
        """The distinct combinations of labels as class numbers (-1: none), and how often each stands in a resample."""
        place = {label: at for at, label in enumerate(self._classes)}
        combinations = Counter(
            tuple(-1 if label is None else place[label] for label in item)
            for item in zip(*self._labels.values(), strict=True)
        )
        patterns = sorted(combinations)
        shares = (
            np.array([combinations[one] for one in patterns], dtype=float) / self.items
        )
        random = np.random.Generator(np.random.PCG64(self._seed))
        draws = max(
            min(self._draws, _LEAST_DRAWS), min(self._draws, _CELLS // len(patterns))
        )
        counts = random.multinomial(self.items, shares, size=draws).astype(float)
        return np.array(patterns, dtype=np.int64), counts

    def _drawn(self, one: str, two: str) -> tuple[Floats, Floats]:
        """Kappa and AC1 of every resample; NaN where it has no value."""
        patterns, counts = self._resampled
        a, b = patterns[:, self.names.index(one)], patterns[:, self.names.index(two)]
        both = np.flatnonzero((a >= 0) & (b >= 0))
        size = len(self._classes)
        rows, columns = np.zeros((len(both), size)), np.zeros((len(both), size))
        rows[np.arange(len(both)), a[both]] = 1
        columns[np.arange(len(both)), b[both]] = 1
        used = counts[:, both]
        with np.errstate(invalid="ignore", divide="ignore"):
            n = used.sum(axis=1)
            first, second = used @ rows / n[:, None], used @ columns / n[:, None]
            raw = used @ (a[both] == b[both]).astype(float) / n
            chance = (first * second).sum(axis=1)
            share = (first + second) / 2
            labels = (share > 0).sum(axis=1)
            luck = (share * (1 - share)).sum(axis=1) / (labels - 1)
            return (raw - chance) / (1 - chance), (raw - luck) / (1 - luck)

    def _alphas(self, columns: Sequence[int]) -> Floats:
        patterns, counts = self._resampled
        picked = patterns[:, columns]
        size = len(self._classes)
        held = np.stack(
            [(picked == label).sum(axis=1) for label in range(size)], axis=1
        ).astype(float)
        width = held.sum(axis=1)
        useful = width > 1
        held, width, used = held[useful], width[useful], counts[:, useful]
        apart = (width**2 - (held**2).sum(axis=1)) / (width - 1)
        totals = used @ held
        n = totals.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = 1 - (used @ apart) * (n - 1) / (
                n**2 - (totals**2).sum(axis=1)
            )
        return found


def _refused(items: int, labels: set[str]) -> str:
    if items < MIN_ITEMS:
        return f"needs {MIN_ITEMS} items labelled by both, there are {items}"
    if len(labels) == 1:
        return f"everybody gave every item one label, {labels.pop()}: chance agreement is complete"
    return ""


def _all_same(units: Sequence[Sequence[str | None]]) -> bool:
    return all(
        len({label for label in unit if label is not None}) == 1 for unit in units
    )


def _interval(drawn: Floats, level: float = LEVEL) -> Interval | None:
    """The percentile interval; None where most resamples have no value."""
    known = drawn[np.isfinite(drawn)]
    if len(known) < _MOST * len(drawn):
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), "bootstrap by item", level)
