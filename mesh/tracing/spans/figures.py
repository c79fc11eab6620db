"""The token figures of spans, compared and added up. Pure."""

from __future__ import annotations

from typing import Final, TypeAlias

from judgemesh.mesh.pricing.usage import counted_usage
from judgemesh.mesh.pricing.usage_shapes import TokenCounts
from judgemesh.mesh.tracing.spans.span import Span

Figures: TypeAlias = tuple[int, int]
"""All input tokens, and all output tokens with reasoning."""

NONE: Final[Figures] = (0, 0)


def plus(one: Figures, other: Figures) -> Figures:
    """The sum."""
    return (one[0] + other[0], one[1] + other[1])


class FigureTable:
    """The figures of the spans of one trace, each worked out once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Figures | None, int]] = {}

    def of(self, span: Span) -> Figures | None:
        """The figures of a span; None where it reports none."""
        return self._of(span)[0]

    def how_many(self, span: Span) -> int:
        """How many figures the span reports, details included."""
        return self._of(span)[1]

    def tokens(self, span: Span) -> int:
        """All tokens that the span reports."""
        return sum(self.of(span) or NONE)

    def agree(self, one: Span, other: Span) -> bool:
        """Whether two spans report the same figures, or one of them none."""
        first, second = self.of(one), self.of(other)
        return first is None or second is None or first == second

    def _of(self, span: Span) -> tuple[Figures | None, int]:
        if span.counts is None:
            return (None, 0)
        known = self._known.get(span.span_id)
        if known is None:
            known = _read(span)
            self._known[span.span_id] = known
        return known


def _read(span: Span) -> tuple[Figures | None, int]:
    counts = TokenCounts(**(span.unfolded().counts or {}))
    usage = counted_usage(counts).usage
    if usage is None:
        return (None, 0)
    figures = (usage.input_total, usage.output_tokens + usage.reasoning_tokens)
    many = sum(1 for _, count in counts.figures() if count is not None)
    return (figures, many)
