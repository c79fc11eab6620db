"""What `comparison.py` and `unpaired.py` ask of a comparison of two versions, over all shapes of sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgemesh.mesh.metrics.comparison import (
    ComparisonVerdict,
    PairedComparison,
    UnpairedComparison,
)
from simulations.sets import (
    COVERAGE,
    FALSE_VERDICTS,
    FULL,
    POWER,
    SHAPES,
    Cell,
    Floats,
    Form,
    Ints,
    Scenario,
    at_least,
    at_most,
    cells,
    generator,
    means,
    named,
    seed_of,
    sizes_of,
    values_of,
)

Found = PairedComparison | UnpairedComparison
Compare = Callable[..., Found]
Values = dict[str, list[float]]

_DROP = 0.1
_PRINTED = 640, 64
_LEAST_PRINTED = 32
_QUICK_PRINTED = 6
_DECIDING = 320
_NEAR = 0.03
_TRIES = 40
_QUICK_TASKS = 20
_COMPARED = 3
_SAME = 1e-9
BROKEN = 0.05
AGAIN = (0.0, 0.5, 1.0)
_AGAIN = 0.5


@dataclass(frozen=True)
class Method:
    """How versions are compared: one pair as the commands do it, and many at once by the same limits.

    compare: of two sets of values by task.
    limits: of the change, of the means of both versions, shape (sets, tasks), and the runs of each task in each.
    unchanged: how many times as many sets without a change are drawn, where the true share is near the bar.
    again: the share of tasks whose chances are drawn again for the newer version: all, where sets have no common tasks;
        by turns none, half and all where it is None.
    """

    compare: Compare
    limits: Callable[[Floats, Floats, Ints, Ints], tuple[Floats, Floats]]
    unchanged: int = 1
    again: float | None = None


@dataclass(frozen=True)
class Pairs:
    """The means of both versions of many sets, shape (sets, tasks), and how many runs each task has in each."""

    a: Floats
    b: Floats
    sizes_a: Ints
    sizes_b: Ints

    def values(self, row: int) -> tuple[Values, Values]:
        """One set as values by task."""
        return (
            values_of(self.a[row], self.sizes_a),
            values_of(self.b[row], self.sizes_b),
        )


def newer_chances(
    random: np.random.Generator,
    chances: Floats,
    scenario: Scenario,
    again: float | None,
) -> Floats:
    """The chances of the newer version, of the same mean, with that share drawn again; by turns none, half and all."""
    other = scenario.chances(random, (len(chances), chances.shape[1]))
    turns = np.array(AGAIN)[np.arange(len(chances)) % len(AGAIN)]
    share = turns if again is None else np.full(len(chances), again)
    return np.where(random.random(chances.shape) < share[:, None], other, chances)


def pairs(
    random: np.random.Generator,
    scenario: Scenario,
    sizes: Ints,
    drops: Floats,
    *,
    broken: float = 0.0,
    again: float | None = None,
) -> Pairs:
    """One set for each drop; runs of the newer version fail at random so that its true rate is lower by the drop.

    Args:
        random: where chance comes from.
        scenario: how hard tasks are.
        sizes: runs of each task.
        drops: of the true rate, one a set.
        broken: the chance that a task fails wholly in the newer version.
        again: the share of tasks whose chances are drawn again; by turns none, half and all where it is None.
    """
    older = scenario.chances(random, (len(drops), len(sizes)))
    newer = newer_chances(random, older, scenario, again)
    newer = newer * (1 - drops[:, None] / scenario.truth)
    newer = np.where(random.random(newer.shape) < broken, 0.0, newer)
    sizes_b = sizes.copy()
    # Now and then a run is missing on one side.
    if len(sizes) > 5 and sizes.min() > 1:
        sizes_b[-1] -= 1
    a, b = means(random, older, sizes), means(random, newer, sizes_b)
    return Pairs(a, b, sizes, sizes_b)


def pair(
    random: np.random.Generator, scenario: Scenario, sizes: Ints
) -> tuple[Values, Values]:
    """Two versions of the same mean."""
    return pairs(random, scenario, sizes, np.zeros(1), again=0.5).values(0)


def _limits(method: Method, found: Pairs) -> tuple[Floats, Floats]:
    """Of all sets; the first are compared as the commands compare them, and must agree."""
    low, high = method.limits(found.a, found.b, found.sizes_a, found.sizes_b)
    for row in range(min(_COMPARED, len(low))):
        ci = method.compare(*found.values(row), power=False).ci
        if max(abs(ci.low - low[row]), abs(ci.high - high[row])) > _SAME:
            raise AssertionError(f"{ci} is not {low[row]} to {high[row]}")
    return low, high


def coverage(form: Form, method: Method, seed: int) -> list[dict[str, Any]]:
    """Rows of a change of 0, of a true drop, and of tasks that break: coverage, and false verdicts."""
    rows: list[dict[str, Any]] = []
    again = method.again
    for cell in cells(form):
        tasks, runs, shape, scenario = cell
        sizes = sizes_of(tasks, runs, shape)
        random = generator(form.seed, seed, *seed_of(cell))
        none = np.zeros(form.sets)
        drop = min(_DROP, scenario.truth / 2)
        unchanged = np.zeros(method.unchanged * form.sets)
        same = _limits(method, pairs(random, scenario, sizes, unchanged, again=again))
        lower = _limits(
            method, pairs(random, scenario, sizes, none + drop, again=again)
        )
        broken = pairs(random, scenario, sizes, none, broken=BROKEN, again=again)
        fails = _limits(method, broken)
        held = _share(same, 0.0)
        shares = {
            "covers": held,
            "covers_drop": _share(lower, -drop),
            "covers_broken": _share(fails, -BROKEN * scenario.truth),
            "false_verdicts": round(1 - held, 4),
        }
        covered = min(shares["covers"], shares["covers_drop"], shares["covers_broken"])
        ok = at_least(covered, COVERAGE, form.sets)
        ok = ok and at_most(shares["false_verdicts"], FALSE_VERDICTS, form.sets)
        rows.append({**named(cell), **shares, "ok": ok})
    return rows


def _share(limits: tuple[Floats, Floats], truth: float) -> float:
    low, high = limits
    return round(float(((low <= truth) & (truth <= high)).mean()), 4)


def power_of(form: Form, method: Method, seed: int) -> list[dict[str, Any]]:
    """Sets without a change are compared; then a drop as large as each says it could have seen is made to happen.

    A cell whose share is so near a bar that the few printed sizes may have put it there is measured again with
    _DECIDING of them, and that share is the one that counts.
    """
    rows: list[dict[str, Any]] = []
    chosen = [cell for cell in cells(form) if _asked(cell)]
    if form.quick:  # few sets of five tasks say nothing of a power
        chosen = [cell for cell in chosen if cell[0] >= _QUICK_TASKS]
    whole = not form.quick and form.sets >= FULL
    for cell in chosen:
        random = generator(form.seed, seed, *seed_of(cell))
        # With more tasks the printed sizes are more alike, and each takes longer.
        many = min(_PRINTED[1], max(_LEAST_PRINTED, _PRINTED[0] // cell[0]))
        many = _QUICK_PRINTED if form.quick else many
        detectable, share = _power(method, cell, random, many)
        if whole and share is not None and _near_a_bar(share):
            many = _DECIDING
            detectable, share = _power(method, cell, random, many)
        # Tries of one printed size are not independent; the grace is that of the printed sizes.
        ok = share is None or (
            POWER[0] <= share <= POWER[1]
            if whole
            else at_least(share, POWER[0], many) and at_most(share, POWER[1], many)
        )
        found = {"printed": many, "detectable": detectable, "power": share, "ok": ok}
        rows.append({**named(cell), **found})
    return rows


def _near_a_bar(share: float) -> bool:
    return min(abs(share - bar) for bar in POWER) < _NEAR


def _power(
    method: Method, cell: Cell, random: np.random.Generator, many: int
) -> tuple[float | None, float | None]:
    """The median of the printed sizes and how often a drop of these is found; None where fewer than half print one."""
    tasks, runs, shape, scenario = cell
    sizes = sizes_of(tasks, runs, shape)
    again = _AGAIN if method.again is None else method.again
    drawn = pairs(random, scenario, sizes, np.zeros(many), again=again)
    printed: list[float] = []
    for number in range(many):
        found = method.compare(*drawn.values(number))
        drop = found.detectable.drop
        # A set of luck prints a size larger than what can fail.
        if drop is not None and drop <= scenario.truth:
            printed.append(drop)
        if 2 * (number + 1 - len(printed)) > many:
            break
    if 2 * len(printed) < many:
        return None, None
    drops = np.repeat(printed, _TRIES)
    _low, high = _limits(method, pairs(random, scenario, sizes, drops, again=again))
    return round(float(np.median(printed)), 4), round(float((high < 0).mean()), 4)


def _asked(cell: Cell) -> bool:
    """Near 0 nothing can drop far enough to be seen."""
    return cell[3].truth > 0.3


def undecided(form: Form, compare: Compare, seed: int) -> list[dict[str, Any]]:
    """Failures of the newer version become undecided; wherever the bounds straddle zero there is no verdict.

    The verdict is also held against what the undecided results are: the intervals must hold the true change.
    """
    straddled = verdicts = held = improved = 0
    sets = form.sets
    for number in range(sets):
        random = generator(form.seed, seed, number)
        tasks = int(random.choice([5, 10, 30, 100]))
        sizes = sizes_of(tasks, int(random.choice([1, 3, 10])), SHAPES[0])
        a, b = pair(random, _MID, sizes)
        hidden = float(random.choice([0.2, 0.6, 1.0]))
        open_b: Values = {}
        shown: Values = {}
        for task, values in b.items():
            for value in values:
                lost = value == 0 and random.random() < hidden
                target = open_b if lost else shown
                target.setdefault(task, []).append(1.0 if lost else value)
        if len(shown) < 2:
            continue
        found = compare(a, shown, open_b=open_b, power=False)
        low, high = found.bounds
        inside = low <= 0 <= high
        straddled += inside
        verdicts += inside and found.change is not ComparisonVerdict.NO_EVIDENCE
        improved += found.change is ComparisonVerdict.IMPROVED
        held += found.ci.low <= 0 <= found.ci.high
    coverage_share = round(held / sets, 4)
    improved_share = round(improved / sets, 4)
    ok = (
        verdicts == 0
        and at_least(coverage_share, COVERAGE, sets)
        and at_most(improved_share, FALSE_VERDICTS, sets)
    )
    return [
        {
            "sets": sets,
            "straddled": straddled,
            "verdicts_where_straddled": verdicts,
            "covers": coverage_share,
            "improved": improved_share,
            "ok": ok,
        }
    ]


_MID = Scenario("mid", 0.7, 0.3)


def names(form: Form, compare: Compare, seed: int) -> list[dict[str, Any]]:
    """Other names and another order of tasks and runs: the same bytes."""
    differ = 0
    for number in range(min(20, form.sets)):
        random = generator(form.seed, seed, number)
        a, b = pair(random, _MID, sizes_of(12, 3, SHAPES[0]))
        order = random.permutation(len(a)).tolist()
        tasks = list(a)
        other = {name: f"{random.integers(1 << 30)}-{name}" for name in tasks}
        c, d = (
            {other[tasks[place]]: side[tasks[place]][::-1] for place in order}
            for side in (a, b)
        )
        one, two = compare(a, b, power=number < 2), compare(c, d, power=number < 2)
        same = (one.ci, one.change, one.detectable) == (
            two.ci,
            two.change,
            two.detectable,
        )
        differ += not same or abs(one.delta - two.delta) > 1e-12
    return [{"differ": differ, "ok": differ == 0}]
