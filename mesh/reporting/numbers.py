"""Numbers as text and as JSON: intervals, and a dash for what is not known."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from judgemesh.mesh.metrics.intervals import Interval


def interval_text(interval: Interval, spec: str = ".3f") -> str:
    """`0.612 to 0.874`."""
    return f"{interval.low:{spec}} to {interval.high:{spec}}"


def interval_or_dash(interval: Interval | None, spec: str = ".3f") -> str:
    """`0.612 to 0.874`; a dash for None."""
    if interval is None:
        return "-"
    return interval_text(interval, spec)


def interval_note(interval: Interval | None) -> str:
    """`  (95% CI 0.612 to 0.874)`, to follow an estimate; empty for None."""
    if interval is None:
        return ""
    return f"  (95% CI {interval_text(interval)})"


def interval_json(interval: Interval | None) -> dict[str, Any] | None:
    """The ends with their level and method."""
    if interval is None:
        return None
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
    }


def or_dash(value: float | Decimal | Fraction | None, spec: str) -> str:
    """`value` in the format `spec`; a dash for None."""
    if value is None:
        return "-"
    if isinstance(value, Fraction):
        value = float(value)
    return format(value, spec)


def optional_float(value: Decimal | Fraction | None) -> float | None:
    """An exact number as JSON has it."""
    if value is None:
        return None
    return float(value)
