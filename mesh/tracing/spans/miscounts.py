"""Instrumentations that are known to count more tokens than were billed. Pure."""

from __future__ import annotations

from typing import Final

from judgemesh.mesh.tracing.spans.span import Span

_ANTHROPIC: Final = "opentelemetry.instrumentation.anthropic"
_STREAMING: Final = ("gen_ai.is_streaming", "llm.is_streaming")

MISCOUNTING: Final = frozenset({_ANTHROPIC})
"""Instrumentations whose figures count only where no other reports any.

That one adds the output tokens of a stream's first event to the sum that the last event reports (seen in 0.62.4).
"""

WHY_AT_MOST: Final = (
    f"{_ANTHROPIC} counts the output tokens of a stream's first event twice:"
    " output_tokens can be too many"
)


def output_is_at_most(span: Span) -> bool:
    """Whether the output tokens of a span can be too many.

    Only `create(stream=...)` says whether it was a stream; `messages.stream()` does not, and looks like a call that
    is none.
    """
    if span.scope not in MISCOUNTING or span.counts is None:
        return False
    return all(span.details.get(name) is not False for name in _STREAMING)
