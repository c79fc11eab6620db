"""What `comparison.py` and `unpaired.py` ask of a comparison of two versions, over all shapes of sets."""

from __future__ import annotations

from collections.abc import Callable
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
    POWER,
    SHAPES,
    Cell,
    Floats,
    Form,
    Ints,
    Scenario,
    at_least,
    at_most,
    by_task,
    cells,
    generator,
    named,
    outcomes,
    sizes_of,
)

Found = PairedComparison | UnpairedComparison
Compare = Callable[..., Found]
Values = dict[str, list[float]]

_DROP = 0.1
_SETS_OF_POWER = 24
_TRIES = 50
_QUICK_TASKS = 20
RELATIONS = ("same chances", "half drawn again", "all drawn again")


def newer_chances(
    random: np.random.Generator, chances: Floats, scenario: Scenario, relation: str
) -> Floats:
    """The chances of the newer version, of the same mean."""
    again = scenario.chances(random, len(chances))
    if relation == RELATIONS[0]:
        return chances
    if relation == RELATIONS[1]:
        return np.where(random.random(len(chances)) < 0.5, again, chances)
    return again


def pair(
    random: np.random.Generator,
    scenario: Scenario,
    sizes: Ints,
    relation: str,
    drop: float = 0.0,
) -> tuple[Values, Values]:
    """Both versions; runs of the newer one fail at random so that its true rate is lower by `drop`."""
    older = scenario.chances(random, len(sizes))
    newer = newer_chances(random, older, scenario, relation)
    newer = newer * (1 - drop / scenario.truth)
    a, b = outcomes(random, older, sizes), outcomes(random, newer, sizes)
    # Now and then a run is missing on one side.
    if len(sizes) > 5 and sizes.min() > 1:
        b[-1] = b[-1][:-1]
    return by_task(a), by_task(b)


def coverage(form: Form, compare: Compare, seed: int) -> list[dict[str, Any]]:
    """Rows of a change of 0 and of a true drop: coverage, and false verdicts."""
    rows: list[dict[str, Any]] = []
    for place, cell in enumerate(cells(form)):
        tasks, runs, shape, scenario = cell
        sizes = sizes_of(tasks, runs, shape)
        drop = min(_DROP, scenario.truth / 2)
        held = called = held_drop = 0
        for number in range(form.sets):
            random = generator(form.seed, seed, place, number)
            relation = RELATIONS[number % len(RELATIONS)]
            same = compare(*pair(random, scenario, sizes, relation), power=False)
            lower = compare(*pair(random, scenario, sizes, relation, drop), power=False)
            held += same.ci.low <= 0 <= same.ci.high
            called += same.change is not ComparisonVerdict.NO_EVIDENCE
            held_drop += lower.ci.low <= -drop <= lower.ci.high
        shares = {
            "covers": round(held / form.sets, 4),
            "covers_drop": round(held_drop / form.sets, 4),
            "false_verdicts": round(called / form.sets, 4),
        }
        ok = at_least(
            min(shares["covers"], shares["covers_drop"]), COVERAGE, form.sets
        ) and at_most(shares["false_verdicts"], FALSE_VERDICTS, form.sets)
        rows.append({**named(cell), **shares, "ok": ok})
    return rows


def power_of(form: Form, compare: Compare, seed: int) -> list[dict[str, Any]]:
    """Sets without a change are compared; then a drop as large as each says it could have seen is made to happen."""
    rows: list[dict[str, Any]] = []
    chosen = [cell for cell in cells(form) if cell[2] == SHAPES[0] and _asked(cell)]
    if form.quick:  # six sets of five tasks say nothing of a power
        chosen = [cell for cell in chosen if cell[0] >= _QUICK_TASKS]
    for place, cell in enumerate(chosen):
        tasks, runs, shape, scenario = cell
        sizes = sizes_of(tasks, runs, shape)
        printed: list[float] = []
        for number in range(6 if form.quick else _SETS_OF_POWER):
            random = generator(form.seed, seed, place, number)
            found = compare(*pair(random, scenario, sizes, RELATIONS[1]))
            if found.detectable.drop is not None:
                printed.append(min(found.detectable.drop, scenario.truth))
        if 2 * len(printed) < (6 if form.quick else _SETS_OF_POWER):
            row = {"detectable": None, "power": None, "ok": True}
            rows.append({**named(cell), **row})
            continue
        tries = (
            max(4, form.sets // len(printed))
            if form.quick
            else max(_TRIES, form.sets // len(printed))
        )
        seen = 0
        for number, drop in enumerate(printed):
            for repeat in range(tries):
                random = generator(form.seed, seed + 1, place, number, repeat)
                found = compare(
                    *pair(random, scenario, sizes, RELATIONS[1], drop), power=False
                )
                seen += found.change is ComparisonVerdict.REGRESSED
        count = tries * len(printed)
        share = round(seen / count, 4)
        ok = at_least(share, POWER[0], count) and at_most(share, POWER[1], count)
        drop = round(float(np.median(printed)), 4)
        rows.append({**named(cell), "detectable": drop, "power": share, "ok": ok})
    return rows


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
        a, b = pair(random, _MID, sizes, RELATIONS[number % 3])
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
        a, b = pair(random, _MID, sizes_of(12, 3, SHAPES[0]), RELATIONS[1])
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
