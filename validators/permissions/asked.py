"""What a contract limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgemesh.contracts.sections.procedure import Permissions


def limits_anything(spec: Permissions) -> bool:
    """Whether the section limits tools, arguments or data."""
    return spec.tools is not None or bool(spec.arguments) or limits_data(spec)


def limits_data(spec: Permissions) -> bool:
    """Whether the contract limits the data that calls may name."""
    return spec.paths is not None or bool(spec.denied_paths)
