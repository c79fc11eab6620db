"""Weeks in which nothing changed: what is flagged, and does the interval of the change hold?

    python benchmarks/statistics/weekly.py [--sets N] [--quick]

prints one JSON line, from `weekly`, from which `judgemesh asr --weekly` prints:

    weeks     two weeks with 5 to 200 tasks and 1 to 20 runs, balanced and with one task that has half of the runs; the
              same tasks in both, and others: coverage of the interval of the rate's change (bar .93), sets in which the
              rate is called changed (bar .05), sets in which some class is flagged beyond chance (bar .02)
    missed    a class that grows from 10 to 60 % of 50 tasks with 5 runs: how often it is flagged (bar .75)
    ok        whether every bar is met; the exit code is 1 when not
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from datetime import date
from typing import Any

import numpy as np
from simulations.sets import (
    COVERAGE,
    FALSE_VERDICTS,
    SCENARIOS,
    Cell,
    Floats,
    Form,
    at_least,
    at_most,
    cells,
    finish,
    form_of,
    generator,
    named,
    outcomes,
    sizes_of,
)

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import Task
from judgemesh.mesh.metrics.comparison import ComparisonVerdict
from judgemesh.mesh.metrics.weekly import weekly

FLAGS = 0.02
SEEN = 0.75
DAYS = (date(2026, 1, 5), date(2026, 1, 12))
FAILURES = (
    OutcomeClass.PARTIAL_MINUS,
    OutcomeClass.HALLUCINATED,
    OutcomeClass.ABANDONED,
)
Dated = list[tuple[date, Task]]


def week_of(
    random: np.random.Generator, chances: Floats, cell: Cell, week: int, prefix: str
) -> Dated:
    """The runs of one week; a task mostly fails in one way."""
    tasks, runs, shape, _ = cell
    found = outcomes(random, chances, sizes_of(tasks, runs, shape))
    dated: Dated = []
    for place, values in enumerate(found):
        for passed in values:
            way = FAILURES[
                place % 3 if random.random() < 0.8 else int(random.integers(3))
            ]
            outcome = OutcomeClass.COMPLETE if passed else way
            dated.append((DAYS[week], Task(outcome, name=f"{prefix}{place}")))
    return dated


def weeks(form: Form) -> list[dict[str, Any]]:
    """Rows of `weeks`."""
    rows: list[dict[str, Any]] = []
    chosen = [cell for cell in cells(form) if cell[3] in SCENARIOS[1:3]]
    for place, cell in enumerate(chosen):
        tasks, _runs, _shape, scenario = cell
        held = called = flagged = 0
        for number in range(form.sets):
            random = generator(form.seed, 51, place, number)
            chances = scenario.chances(random, tasks)
            other = number % 2
            again = scenario.chances(random, tasks) if other else chances
            first = week_of(random, chances, cell, 0, "t")
            second = week_of(random, again, cell, 1, "u" if other else "t")
            week = weekly([*first, *second])[1]
            if week.change is None:
                raise AssertionError("the second week has a week before it")
            held += week.change.ci.low <= 0 <= week.change.ci.high
            called += week.change.change is not ComparisonVerdict.NO_EVIDENCE
            flagged += any(change.real for change in week.changes.values())
        shares = {
            "covers": round(held / form.sets, 4),
            "false_verdicts": round(called / form.sets, 4),
            "flagged": round(flagged / form.sets, 4),
        }
        ok = at_least(shares["covers"], COVERAGE, form.sets)
        ok = ok and at_most(shares["false_verdicts"], FALSE_VERDICTS, form.sets)
        ok = ok and at_most(shares["flagged"], FLAGS, form.sets)
        rows.append({**named(cell), **shares, "ok": ok})
    return rows


def missed(form: Form) -> list[dict[str, Any]]:
    """A change that must be seen."""
    cell: Cell = (50, 5, "balanced", SCENARIOS[0])
    seen = 0
    for number in range(form.sets):
        random = generator(form.seed, 53, number)
        first = week_of(random, random.beta(9, 1, 50), cell, 0, "t")
        second = week_of(random, random.beta(4, 6, 50), cell, 1, "u")
        week = weekly([*first, *second])[1]
        seen += week.changes[OutcomeClass.COMPLETE.value].real
    share = round(seen / form.sets, 4)
    return [{"flagged": share, "ok": at_least(share, SEEN, form.sets)}]


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    form = form_of("Weeks in which nothing changed: flags and coverage.")
    return finish(form, {"weeks": weeks(form), "missed": missed(form)})


if __name__ == "__main__":
    raise SystemExit(main())
