"""Whether a contract limits anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgemesh.contracts.sections.procedure import Limits


def sets_limit(spec: Limits) -> bool:
    """Whether the section limits anything."""
    counts = (spec.calls, spec.steps, spec.repeats, spec.total_repeats, spec.cycle)
    return bool(spec.calls_per_tool) or any(count is not None for count in counts)
