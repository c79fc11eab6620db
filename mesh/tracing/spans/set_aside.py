"""Which spans of a trace have figures that another span of it already has. Pure.

A model call above others is the sum of them only where its figures are: otherwise it is
a call of its own. The figures of a container (an agent, a chain, a tool) include
everything below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from judgemesh.mesh.tracing.spans.ancestry import spans_above
from judgemesh.mesh.tracing.spans.figures import NONE, Figures, FigureTable, plus
from judgemesh.mesh.tracing.spans.same_calls import same_calls
from judgemesh.mesh.tracing.spans.span import COUNTING, Span, SpanKind


class Aside(StrEnum):
    """Why a span or its figures do not count."""

    SAME_CALL = "the same call, recorded by another instrumentation"
    SUM = "the sum of the calls below it"
    OTHER_SUM = "a total that differs from the calls below it"
    PART = "no figures of its own: those of the call above or below it count"
    PLUMBING = "passes something on inside a framework"
    CACHED = "answered from a cache: nothing was paid"
    NOT_THE_AGENT = "paid by the evaluation, not by the agent"


class SetAside:
    """What is set aside in one trace.

    reasons: by span id. repeats: the span that counts, by the id of its repetition.
    """

    def __init__(self, spans: Sequence[Span], figures: FigureTable) -> None:
        self._figures = figures
        self._spans = spans
        self._by_id = {span.span_id: span for span in spans}
        self.repeats = same_calls(spans, figures)
        self.reasons: dict[str, Aside] = dict.fromkeys(self.repeats, Aside.SAME_CALL)
        self._below: dict[str, list[Span]] = {}
        counted = list(self._find_counted())
        totals: dict[str, Figures] = {}
        # Deepest first: the totals below a span are known when its own turn comes.
        for _, span in sorted(counted, key=_deepest_first):
            totals[span.span_id] = self._total(span, totals)
        self._set_wrappers_aside()

    def _find_counted(self) -> Iterator[tuple[int, Span]]:
        """The spans with figures that may count, and how many such are above each."""
        above = spans_above(self._spans, self._by_id, self._may_count)
        for span in self._spans:
            if self._may_count(span):
                count, nearest = above[span.span_id]
                if nearest is not None:
                    self._below.setdefault(nearest.span_id, []).append(span)
                yield count, span

    def _may_count(self, span: Span) -> bool:
        return span.counts is not None and span.span_id not in self.repeats

    def _total(self, span: Span, totals: Mapping[str, Figures]) -> Figures:
        """All tokens of a span and the spans below it; marks it where it is their sum."""
        own = self._figures.of(span) or NONE
        is_call = span.kind in COUNTING
        below, included = NONE, NONE
        for one in self._below.get(span.span_id, []):
            tokens = totals.get(one.span_id, NONE)
            below = plus(below, tokens)
            if not is_call or span.kind == one.kind or one.kind not in COUNTING:
                included = plus(included, tokens)
        is_sum = span.span_id in self._below and own == included
        if is_call and not is_sum:
            return plus(own, below)
        if span.span_id in self._below:
            self.reasons[span.span_id] = Aside.SUM if is_sum else Aside.OTHER_SUM
            return below
        return own

    def _set_wrappers_aside(self) -> None:
        """Model calls without figures, where a call above or below them has some."""
        below_a_call: dict[str, bool] = {}
        for span in self._spans:
            if span.kind != SpanKind.MODEL or span.counts is not None:
                continue
            if self._is_below_a_call(span, below_a_call):
                self.reasons.setdefault(span.span_id, Aside.PART)
        passed: set[str] = set()
        for span in self._spans:
            if span.kind == SpanKind.MODEL and self._may_count(span):
                for above in self._parents(span, passed):
                    if above.kind == SpanKind.MODEL:
                        self.reasons.setdefault(above.span_id, Aside.PART)

    def _is_below_a_call(self, span: Span, known: dict[str, bool]) -> bool:
        """Whether a model call with figures is above, with no tool between. known: the same of parents, by their id."""
        path: list[str] = []
        passed: set[str] = set()
        above = self._by_id.get(span.parent_id or "")
        while above is not None and above.span_id not in known:
            if above.span_id in passed:
                break
            if _ends_a_call(above):
                known[above.span_id] = above.kind == SpanKind.MODEL
                break
            passed.add(above.span_id)
            path.append(above.span_id)
            above = self._by_id.get(above.parent_id or "")
        found = above is not None and known.get(above.span_id, False)
        known.update(dict.fromkeys(path, found))
        return found

    def _parents(self, span: Span, passed: set[str]) -> Iterator[Span]:
        """The spans above a span, up to a tool, a model call with figures, or one that was passed before."""
        above = self._by_id.get(span.parent_id or "")
        while above is not None and above.span_id not in passed:
            if _ends_a_call(above):
                return
            passed.add(above.span_id)
            yield above
            above = self._by_id.get(above.parent_id or "")


def _ends_a_call(span: Span) -> bool:
    """What a tool asks of a model is a call of its own, and a call with figures stands for those around it."""
    if span.kind == SpanKind.TOOL:
        return True
    return span.kind == SpanKind.MODEL and span.counts is not None


def _deepest_first(counted: tuple[int, Span]) -> int:
    return -counted[0]
