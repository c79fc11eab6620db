"""Two weeks of runs whose classes do not change, and what the tests of classes say of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.class_changes import ClassRun, class_changes
from judgemesh.mesh.metrics.class_tests import Shares, limits, p_values, rejected
from judgemesh.mesh.metrics.shares import share_changes
from simulations.sets import SHAPES, Cell, Flags, Floats, Ints, sizes_of

CLASSES = tuple(OutcomeClass)
_COMPARED = 2
_SAME = 1e-9
_MOSTLY = 0.8


def chances_of(passes: Floats, ways: Ints) -> Floats:
    """Chances of the classes of each task: complete, or a failure that is mostly the one of the task.

    Args:
        passes: chances of success, shape (sets, tasks).
        ways: the class of most failures, of the same shape.
    """
    failures = np.full((*passes.shape, len(CLASSES)), (1 - _MOSTLY) / 3)
    failures[..., 0] = 0.0
    failures[..., -1] = 0.0
    np.put_along_axis(failures, ways[..., None], _MOSTLY + (1 - _MOSTLY) / 3, axis=2)
    failures *= (1 - passes)[..., None]
    failures[..., 0] = passes
    return np.asarray(failures / failures.sum(axis=2, keepdims=True))


def two_weeks(random: np.random.Generator, cell: Cell, sets: int) -> tuple[Ints, Ints]:
    """Counts of classes, shape (sets, tasks, classes), of two weeks with the same tasks in every second set."""
    tasks, runs, shape, scenario = cell
    sizes = np.tile(sizes_of(tasks, runs, shape), (sets, 1))
    both: list[Floats] = []
    for _ in range(2):
        passes = scenario.chances(random, (sets, tasks))
        ways = random.integers(1, len(CLASSES) - 1, size=(sets, tasks))
        both.append(chances_of(passes, ways))
    other = (np.arange(sets) % 2 == 0)[:, None, None]
    older, newer = both[0], np.where(other, both[1], both[0])
    return random.multinomial(sizes, older), random.multinomial(sizes, newer)


def shares_of(counts: Ints) -> Shares:
    """One row for each set and class."""
    runs = counts.sum(axis=2)
    weights = runs / runs.sum(axis=1, keepdims=True)
    tasks, classes = counts.shape[1:]
    found = np.moveaxis(counts / runs[:, :, None], 2, 1).reshape(-1, tasks)
    return Shares(found, np.repeat(weights, classes, axis=0))


def unchanged_classes(
    random: np.random.Generator, cell: Cell, sets: int
) -> dict[str, float]:
    """Coverage of the intervals of changes of 0, sets in which a class is flagged, and flagged as results."""
    older, newer = two_weeks(random, cell, sets)
    held: list[Floats] = []
    flagged: list[Floats] = []
    for same in (False, True):
        rows = slice(int(same), None, 2)
        covers, flags = _tested(older[rows], newer[rows], same_tasks=same, cell=cell)
        held.append(covers)
        flagged.append(flags)
    naive = 0
    for before, after in zip(older.sum(axis=1), newer.sum(axis=1), strict=True):
        naive += any(
            one.real for one in share_changes(_named(before), _named(after)).values()
        )
    return {
        "covers": round(float(np.concatenate(held).mean()), 4),
        "flagged": round(float(np.concatenate(flagged).mean()), 4),
        "flagged_same_tasks": round(float(flagged[1].mean()), 4),
        "as_results": round(naive / sets, 4),
    }


def _named(counts: Ints) -> dict[str, int]:
    return dict(zip((one.value for one in CLASSES), counts.tolist(), strict=True))


def is_paired(cell: Cell, *, same_tasks: bool) -> bool:
    """Whether classes are compared task by task: the same tasks with as many runs each."""
    return same_tasks and cell[2] == SHAPES[0]


def flags_of(
    older: Ints, newer: Ints, *, paired: bool
) -> tuple[Flags, tuple[Floats, Floats]]:
    """What is flagged and the limits of the changes, each of shape (sets, classes)."""
    before, after = shares_of(older), shares_of(newer)
    shape = (len(older), len(CLASSES))
    low, high = (side.reshape(shape) for side in limits(before, after, paired=paired))
    tests = p_values(before, after, paired=paired).reshape(shape)
    return rejected(tests) & ((low > 0) | (high < 0)), (low, high)


def _tested(
    older: Ints, newer: Ints, *, same_tasks: bool, cell: Cell
) -> tuple[Floats, Floats]:
    """Whether 0 is held, of classes that occur, and whether a class of a set is flagged."""
    paired = is_paired(cell, same_tasks=same_tasks)
    real, (low, high) = flags_of(older, newer, paired=paired)
    for row in range(min(_COMPARED, len(older))):
        names = ("t", "t" if same_tasks else "u")
        both = zip((older, newer), names, strict=True)
        sides = [class_runs(side[row], name) for side, name in both]
        _agree(sides, real[row], low[row])
    occurs = (older.sum(axis=1) + newer.sum(axis=1)) > 0
    held = (low <= 0) & (high >= 0)
    return held[occurs].astype(float), real.any(axis=1).astype(float)


def class_runs(counts: Ints, prefix: str) -> list[ClassRun]:
    """One set as runs."""
    runs: list[ClassRun] = []
    for task, row in enumerate(counts.tolist()):
        for outcome, count in zip(CLASSES, row, strict=True):
            runs += [ClassRun(f"{prefix}{task}", outcome)] * count
    return runs


def _agree(sides: Sequence[list[ClassRun]], real: Flags, low: Floats) -> None:
    """What is said of one set must be what is said of many."""
    found = list(class_changes(*sides).values())
    if [one.real for one in found] != real.tolist():
        raise AssertionError("the flags of one set are not those of many")
    if (
        max(
            abs(one.ci.low - float(bottom))
            for one, bottom in zip(found, low, strict=True)
        )
        > _SAME
    ):
        raise AssertionError("the limits of one set are not those of many")
