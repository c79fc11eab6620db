"""Whether a contract has rules of procedure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgemesh.contracts.sections.procedure import SopSpec


def has_rules(spec: SopSpec) -> bool:
    """Whether the section has rules for this validator; permissions, limits and the like have their own."""
    return bool(
        spec.required_tools or spec.forbidden_tools or spec.rules or spec.prerequisites
    )
