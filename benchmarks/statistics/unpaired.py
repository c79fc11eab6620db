"""Two sets without common tasks: do the intervals hold, and what is called a change?

    python benchmarks/statistics/unpaired.py [--sets N] [--quick]

prints one JSON line:

    coverage   5 to 200 tasks with 1 to 20 runs, balanced and with one task that has half of the runs, five kinds of
               difficulty: coverage of 95 % intervals of a change of 0, of a true drop, and of 5 % of tasks that break
               wholly (bar .93), and how often an unchanged version is called improved or regressed (bar .05)
    power      how often a true drop of the printed detectable size is called regressed (bars .75 and .90); null where
               fewer than half of the sets print a size
    undecided  failures that became undecided: verdicts where the bounds straddle zero (bar: none)
    names      other names and another order of tasks: results that differ (bar: none)
    ok         whether every bar is met; the exit code is 1 when not
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from simulations.sets import Floats, Ints, finish, form_of
from simulations.versions import Method, Values, coverage, names, power_of, undecided

from judgemesh.mesh.metrics.comparison import UnpairedComparison, unpaired
from judgemesh.mesh.metrics.differences import rate_limits, unpaired_limits


def compare(
    a: Values, b: Values, *, open_b: Values | None = None, power: bool = True
) -> UnpairedComparison:
    """The tasks of B have names of their own, as another team's have."""
    opened = _renamed(open_b or {})
    return unpaired(a, _renamed(b), open_b=opened, power=power)


def limits(a: Floats, b: Floats, runs_a: Ints, runs_b: Ints) -> tuple[Floats, Floats]:
    """Of many sets; `unpaired` takes them from the same functions."""
    before, after = (
        rate_limits(means, np.tile(runs / runs.sum(), (len(means), 1)), 0.0, 1.0)
        for means, runs in ((a, runs_a), (b, runs_b))
    )
    return unpaired_limits(before, after)


def _renamed(side: Values) -> Values:
    return {f"b{task}": values for task, values in side.items()}


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    form = form_of("Two sets without common tasks: coverage, false verdicts, power.")
    method = Method(compare, limits, again=1.0)
    parts = {
        "coverage": coverage(form, method, 31),
        "power": power_of(form, method, 33),
        "undecided": undecided(form, compare, 35),
        "names": names(form, compare, 36),
    }
    return finish(form, parts)


if __name__ == "__main__":
    raise SystemExit(main())
