"""Two versions compared: `judgemesh compare`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.metrics.comparison import (
    ComparisonVerdict,
    GateComparison,
    PairedComparison,
)
from judgemesh.mesh.reporting.numbers import interval_json, interval_text
from judgemesh.mesh.reporting.tables import grid
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType

_STYLES: Final = {
    ComparisonVerdict.IMPROVED: "bold green",
    ComparisonVerdict.REGRESSED: "bold red",
    ComparisonVerdict.NO_EVIDENCE: "bold yellow",
}
_NAMES: Final = {
    ComparisonVerdict.IMPROVED: "IMPROVED",
    ComparisonVerdict.REGRESSED: "REGRESSED",
    ComparisonVerdict.NO_EVIDENCE: "NO EVIDENCE of a change",
}

_NO_SPREAD: Final = (
    "unknown: every task differs by the same, so nothing is known of the spread"
)


def compare_view(
    a: str, b: str, success: PairedComparison, split: GateComparison
) -> Iterator[RenderableType]:
    """The verdict, then the numbers behind it."""
    from rich.text import Text

    yield Text.assemble(
        (_NAMES[success.change], _STYLES[success.change]),
        f"  {one_line(a)} -> {one_line(b)}",
    )
    yield Text("")
    yield grid(_facts(success, split))


def _facts(
    success: PairedComparison, split: GateComparison
) -> Iterator[tuple[str, str]]:
    ci = interval_text(success.ci, "+.3f")
    yield "success rate", f"{success.delta:+.3f}  (95% CI {ci}), paired by task"
    detectable = success.minimum_detectable
    if detectable:
        change = f"a true change of {detectable:.3f} or more, with 80% power"
        yield "could be seen", change
    else:
        yield "could be seen", _NO_SPREAD
    yield "tasks compared", f"{success.tasks:,}"
    if success.only_a or success.only_b:
        tasks = plural(success.only_a, "task")
        yield "not compared", f"{tasks} of A alone, {success.only_b:,} of B alone"
    if split.only_a_passed or split.only_b_passed:
        passed = f"{split.only_a_passed:,} passed in A only, {split.only_b_passed:,} in B only"
        yield "gates", f"{passed} (McNemar mid-p {split.p_value:.3f})"


def compare_json(
    a: str, b: str, success: PairedComparison, split: GateComparison
) -> dict[str, Any]:
    """The comparison as data."""
    return {
        "a": a,
        "b": b,
        "change": success.change.value,
        "delta": success.delta,
        "ci": interval_json(success.ci),
        "minimum_detectable": success.minimum_detectable or None,
        "tasks": success.tasks,
        "only_a": success.only_a,
        "only_b": success.only_b,
        "gates": {
            "only_a_passed": split.only_a_passed,
            "only_b_passed": split.only_b_passed,
            "p_value": split.p_value,
        },
    }
