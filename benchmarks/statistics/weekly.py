"""Weeks in which nothing changed: what is flagged, and does the interval of the change hold?

    python benchmarks/statistics/weekly.py [--sets N] [--quick]

prints one JSON line, from `weekly`, from which `judgemesh asr --weekly` prints:

    weeks     two weeks with 5 to 200 tasks and 1 to 20 runs, balanced and with one task that has half of the runs; the
              same tasks in both, and others: coverage of the interval of the rate's change (bar .93), sets in which the
              rate is called changed (bar .05), sets in which some class is flagged beyond chance (bar .02)
    seen      a class that grows from 10 to 60 % of 50 tasks with 5 runs: how often it is flagged (bar .75)
    ok        whether every bar is met; the exit code is 1 when not
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from datetime import date
from typing import Any

import numpy as np
from simulations.classes import (
    CLASSES,
    chances_of,
    class_runs,
    flags_of,
    is_paired,
    two_weeks,
)
from simulations.sets import (
    COVERAGE,
    FALSE_VERDICTS,
    SCENARIOS,
    Cell,
    Flags,
    Floats,
    Form,
    Ints,
    at_least,
    at_most,
    cells,
    finish,
    form_of,
    generator,
    named,
    seed_of,
)

from judgemesh.mesh.metrics.asr import CREDITS, Task
from judgemesh.mesh.metrics.differences import (
    paired_limits,
    rate_limits,
    unpaired_limits,
)
from judgemesh.mesh.metrics.weekly import weekly

FLAGS = 0.02
SEEN = 0.75
DAYS = (date(2026, 1, 5), date(2026, 1, 12))
_COMPARED = 2
_SAME = 1e-9


def weeks(form: Form) -> list[dict[str, Any]]:
    """Rows of `weeks`."""
    rows: list[dict[str, Any]] = []
    chosen = [cell for cell in cells(form) if cell[3] in SCENARIOS[1:3]]
    for cell in chosen:
        random = generator(form.seed, 51, *seed_of(cell))
        older, newer = two_weeks(random, cell, form.sets)
        held: list[Flags] = []
        flags: list[Flags] = []
        for same in (False, True):
            sets = slice(int(same), None, 2)
            holds, flagged = _read(older[sets], newer[sets], cell, same_tasks=same)
            held.append(holds)
            flags.append(flagged)
        covers = round(float(np.concatenate(held).mean()), 4)
        shares = {
            "covers": covers,
            "false_verdicts": round(1 - covers, 4),
            "flagged": round(float(np.concatenate(flags).mean()), 4),
        }
        ok = at_least(covers, COVERAGE, form.sets)
        ok = ok and at_most(shares["false_verdicts"], FALSE_VERDICTS, form.sets)
        ok = ok and at_most(shares["flagged"], FLAGS, form.sets)
        rows.append({**named(cell), **shares, "ok": ok})
    return rows


def _read(
    older: Ints, newer: Ints, cell: Cell, *, same_tasks: bool
) -> tuple[Flags, Flags]:
    """Whether a change of the rate of 0 is held, and whether a class is flagged, of each set."""
    paired = is_paired(cell, same_tasks=same_tasks)
    flagged, _ = flags_of(older, newer, paired=paired)
    low, high = _limits(older, newer, paired=same_tasks)
    for row in range(min(_COMPARED, len(older))):
        week = weekly(_dated(older[row], newer[row], same_tasks=same_tasks))[1]
        if week.change is None:
            raise AssertionError("the second week has a week before it")
        ci = week.change.ci
        if max(abs(ci.low - low[row]), abs(ci.high - high[row])) > _SAME:
            raise AssertionError("the limits of one set are not those of many")
        if [one.real for one in week.changes.values()] != flagged[row].tolist():
            raise AssertionError("the flags of one set are not those of many")
    return (low <= 0) & (high >= 0), np.asarray(flagged.any(axis=1))


def _limits(older: Ints, newer: Ints, *, paired: bool) -> tuple[Floats, Floats]:
    """Of the change of the rate, as `rate_change` takes them."""
    worth = np.array([float(CREDITS[outcome]) for outcome in CLASSES])
    sides: list[tuple[Floats, Floats]] = []
    for counts in (older, newer):
        runs = counts.sum(axis=2)
        sides.append((counts @ worth / runs, runs / runs.sum(axis=1, keepdims=True)))
    if paired:
        return paired_limits(sides[1][0] - sides[0][0], 1.0)
    before, after = (rate_limits(*side, 0.0, 1.0) for side in sides)
    return unpaired_limits(before, after)


def _dated(older: Ints, newer: Ints, *, same_tasks: bool) -> list[tuple[date, Task]]:
    """One set as `weekly` takes it."""
    names = ("t", "t" if same_tasks else "u")
    dated: list[tuple[date, Task]] = []
    for day, counts, prefix in zip(DAYS, (older, newer), names, strict=True):
        for run in class_runs(counts, prefix):
            dated.append((day, Task(run.outcome, name=run.task)))
    return dated


def seen(form: Form) -> list[dict[str, Any]]:
    """A change that must be seen."""
    random = generator(form.seed, 53)
    sizes = np.full((form.sets, 50), 5)
    ways = random.integers(1, 4, size=sizes.shape)
    older, newer = (
        random.multinomial(sizes, chances_of(random.beta(a, b, sizes.shape), ways))
        for a, b in ((9, 1), (4, 6))
    )
    flagged, _ = flags_of(older, newer, paired=False)
    share = round(float(flagged[:, 0].mean()), 4)
    return [{"flagged": share, "ok": at_least(share, SEEN, form.sets)}]


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    form = form_of("Weeks in which nothing changed: flags and coverage.")
    return finish(form, {"weeks": weeks(form), "seen": seen(form)})


if __name__ == "__main__":
    raise SystemExit(main())
