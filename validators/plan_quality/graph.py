"""The order of a plan's steps against what they depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from judgemesh.validators._shared.text import fold_name
from judgemesh.validators.plan_quality.reading import PlanStep


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
class _Edge:
    """Step at `position` needs the step at `source` (None: no such step) to come first."""

    position: int
    source: int | None
    why: str


def ordering(steps: Sequence[PlanStep]) -> Ordering:
    """Hold the steps against their declared dependencies, and their inputs against the outputs of others.

    An input nobody produces is taken as given. One that an earlier step produces is kept, whoever produces it again.
    """
    edges = [*_declared(steps), *_by_inputs(steps)]
    broken = [
        edge for edge in edges if edge.source is None or edge.source >= edge.position
    ]
    graph: dict[int, set[int]] = {position: set() for position in range(len(steps))}
    for edge in edges:
        if edge.source is not None:
            graph[edge.position].add(edge.source)
    return Ordering(
        len(edges) - len(broken),
        tuple(edge.why for edge in broken),
        _order(graph, steps),
    )


def _declared(steps: Sequence[PlanStep]) -> Iterator[_Edge]:
    by_id: dict[str, int] = {}
    for position, step in enumerate(steps):
        by_id.setdefault(fold_name(step.id), position)
    for position, step in enumerate(steps):
        by_id.setdefault(str(step.number), position)
    for position, step in enumerate(steps):
        for name in step.depends_on:
            source = by_id.get(fold_name(name))
            said = f"step {step.number} depends on {name!r}, which "
            yield _Edge(
                position,
                source,
                said + ("is no step" if source is None else "does not come before it"),
            )


def _by_inputs(steps: Sequence[PlanStep]) -> Iterator[_Edge]:
    producers: dict[str, list[int]] = {}
    for position, step in enumerate(steps):
        for name in step.outputs:
            producers.setdefault(fold_name(name), []).append(position)
    for position, step in enumerate(steps):
        for name in step.inputs:
            # The first producer beside the step itself: producers stand in the order of the steps.
            source = next(
                (
                    one
                    for one in producers.get(fold_name(name), ())[:2]
                    if one != position
                ),
                None,
            )
            if source is not None:
                made = f"step {steps[source].number} makes only later"
                yield _Edge(
                    position, source, f"step {step.number} needs {name!r}, which {made}"
                )


def _order(
    edges: dict[int, set[int]], steps: Sequence[PlanStep]
) -> tuple[int, ...] | None:
    try:
        return tuple(
            steps[position].number
            for position in TopologicalSorter(edges).static_order()
        )
    except CycleError:
        return None
