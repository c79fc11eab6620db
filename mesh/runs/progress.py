"""How far a batch is: the running count, and the snapshot of it that is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate

if TYPE_CHECKING:
    from judgemesh.mesh.runs.line_grading import GradedLine


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a batch is. `problem` is the line to show for a result that was just rejected."""

    done: int
    total: int | None
    passed: int
    failed: int
    undecided: int
    rejected: int
    resumed: int
    cost: Money | None
    cost_avoided: Money | None
    elapsed_s: float
    problem: str | None = None


Watch = Callable[[RunProgress], None]
"""Called after each group of results that were graded, or that the ledger held."""


@dataclass(slots=True)
class BatchCount:
    """The running count of a batch; each change is shown to `watch`.

    known: results that the run held before; met: how many of them the input has. changed: results graded again because
    their line has changed. unpaid: results left ungraded because the budget was spent.
    """

    watch: Watch
    total: int | None
    known: int = 0
    met: int = 0
    started: float = field(default_factory=perf_counter)
    gates: Counter[Gate] = field(default_factory=Counter[Gate])
    rejected: int = 0
    resumed: int = 0
    graded: int = 0
    changed: int = 0
    unpaid: int = 0
    cost: Money | None = None
    cost_avoided: Money | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since the batch began."""
        return perf_counter() - self.started

    def add_graded(self, lines: Collection[GradedLine]) -> None:
        """Count results that were graded now, and what their judge calls cost."""
        self.graded += len(lines)
        self.gates.update(line.gate for line in lines)
        for line in lines:
            self.cost = _plus(self.cost, line.cost)
            self.cost_avoided = _plus(self.cost_avoided, line.cost_avoided)
        self._show()

    def add_rejected(self, problem: str) -> None:
        """Count a line that cannot be used."""
        self.rejected += 1
        self._show(problem)

    def add_resumed(self, gates: Collection[Gate]) -> None:
        """Count results that the ledger already holds, by their gates."""
        self.met += len(gates)
        self.resumed += len(gates)
        self.gates.update(gates)
        self._show()

    def _show(self, problem: str | None = None) -> None:
        progress = RunProgress(
            done=self.graded + self.resumed + self.rejected,
            total=self.total,
            passed=self.gates[Gate.PASS],
            failed=self.gates[Gate.FAIL],
            undecided=self.gates[Gate.UNDECIDED],
            rejected=self.rejected,
            resumed=self.resumed,
            cost=self.cost,
            cost_avoided=self.cost_avoided,
            elapsed_s=self.elapsed_s,
            problem=problem,
        )
        self.watch(progress)


def _plus(left: Money | None, right: Money | None) -> Money | None:
    """A running sum of known amounts, in the first currency seen."""
    if right is None:
        return left
    if left is None:
        return right
    return left + right if left.currency == right.currency else left
