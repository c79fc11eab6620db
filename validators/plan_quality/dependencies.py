"""The order of a plan's steps against what they depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from judgemesh.validators._shared.text import fold_name
from judgemesh.validators.plan_quality.plan import PlanStep


@dataclass(frozen=True, slots=True)
class Ordering:
    """Dependencies kept and broken. `order` is an order of step numbers that keeps all; None where none can."""

    kept: int
    broken: tuple[str, ...]
    order: tuple[int, ...] | None

    @property
    def total(self) -> int:
        """How many dependencies there are."""
        return self.kept + len(self.broken)


@dataclass(frozen=True, slots=True)
class _Dependency:
    """The step at `position` needs the step at `source` (None: no such step) to come first."""

    position: int
    source: int | None
    why: str

    @property
    def is_broken(self) -> bool:
        return self.source is None or self.source >= self.position


def ordering(steps: Sequence[PlanStep]) -> Ordering:
    """Compare the order of the steps with their declared dependencies, and their inputs with the outputs of others.

    An input that no step produces is taken as given. One that an earlier step produces is kept, whoever produces it
    again.
    """
    sources: dict[int, set[int]] = {position: set() for position in range(len(steps))}
    broken: list[str] = []
    kept = 0
    for dependency in (*_declared(steps), *_by_inputs(steps)):
        if dependency.is_broken:
            broken.append(dependency.why)
        else:
            kept += 1
        if dependency.source is not None:
            sources[dependency.position].add(dependency.source)
    return Ordering(kept, tuple(broken), _order(sources, steps))


def _declared(steps: Sequence[PlanStep]) -> Iterator[_Dependency]:
    """The dependencies in `depends_on`, by a step's id or number."""
    by_id: dict[str, int] = {}
    for position, step in enumerate(steps):
        by_id.setdefault(fold_name(step.id), position)
    for position, step in enumerate(steps):
        by_id.setdefault(str(step.number), position)
    for position, step in enumerate(steps):
        for name in step.depends_on:
            source = by_id.get(fold_name(name))
            fault = "is no step" if source is None else "does not come before it"
            why = f"step {step.number} depends on {name!r}, which {fault}"
            yield _Dependency(position, source, why)


def _by_inputs(steps: Sequence[PlanStep]) -> Iterator[_Dependency]:
    """The dependencies of inputs on the first step that produces them, other than the step itself."""
    producers: dict[str, list[int]] = {}
    for position, step in enumerate(steps):
        for name in step.outputs:
            producers.setdefault(fold_name(name), []).append(position)
    for position, step in enumerate(steps):
        for name in step.inputs:
            source = _first_other(producers.get(fold_name(name), []), position)
            if source is None:
                continue
            producer = steps[source].number
            why = f"step {step.number} needs {name!r}, which step {producer} makes only later"
            yield _Dependency(position, source, why)


def _first_other(positions: Sequence[int], own: int) -> int | None:
    """The first position that is not `own`, among the first two."""
    for position in positions[:2]:
        if position != own:
            return position
    return None


def _order(
    sources: dict[int, set[int]], steps: Sequence[PlanStep]
) -> tuple[int, ...] | None:
    try:
        positions = list(TopologicalSorter(sources).static_order())
    except CycleError:
        return None
    return tuple(steps[position].number for position in positions)
