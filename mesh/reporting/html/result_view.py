"""What the templates of a result need beside its page: addresses of its parts, facts in words, data of its chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from judgemesh.contracts.verdicts import Verdict, codes_of
from judgemesh.mesh.analysis.results.judged import JudgeQuestion
from judgemesh.mesh.analysis.results.result_page import ResultPage, TimelineStep
from judgemesh.mesh.analysis.results.rows import CodeLabel, label_of
from judgemesh.mesh.reporting.text import amount, duration, moment

_MODEL_STATES: Final = frozenset({"THINK", "VALIDATE", "REFINE", "FINALIZE"})
_OTHER_STATES: Final = frozenset({"OBSERVE"})
_PARTS: Final[Mapping[str, str]] = {
    "verdicts": "Verdicts",
    "answer": "Answer",
    "outputs": "Outputs",
    "claims": "Claims",
    "citations": "Citations",
    "passages": "Passages",
    "conversation": "Conversation",
    "timeline": "Trace",
    "state": "State",
    "records": "Records",
    "questions": "Judges",
    "problems": "Unread evidence",
}
"""The parts of a page that are shown where they are not empty, by the field of `ResultPage`."""


@dataclass(frozen=True)
class ResultView:
    """A result as its template shows it.

    base: what stands before the name of a part in an address: `#`, or `#result/ID/` where the page holds many results.
    """

    page: ResultPage
    base: str = "#"

    def parts(self) -> Iterator[tuple[str, str]]:
        """The parts that are shown, each with its title."""
        for field, title in _PARTS.items():
            if getattr(self.page, field):
                yield field, title

    def facts(self) -> Iterator[tuple[str, str]]:
        """Names and values for the head of the page."""
        row, report = self.page.row, self.page.report
        yield "task", row.task_id
        if row.agent_id:
            yield "agent", row.agent_id
        if row.outcome_class is not None:
            yield "class", row.outcome_class.value
        if row.score is not None:
            yield "outcome score", f"{row.score:.2f} of 10"
        for name in ("stability", "correctness"):
            value = getattr(report.confidence, name)
            yield name, "unknown" if value is None else f"{value:.3f}"
        yield "agent cost", amount(row.agent_cost)
        yield "grading cost", amount(row.judge_cost)
        if row.agent_latency_ms is not None:
            yield "agent took", duration(row.agent_latency_ms / 1000)
        if row.started_at:
            yield "started", moment(row.started_at)

    def anchor(self, ref: str) -> str | None:
        """The part of the page that a reference to evidence names; None where the page does not show it."""
        anchors = self._anchors
        if ref in anchors:
            return anchors[ref]
        whole, _, place = ref.rpartition(":")
        if place and whole in anchors:
            return anchors[whole]
        if ref.startswith("final_answer") and self.page.answer is not None:
            return "answer"
        if ref.startswith("outputs/") and self.page.outputs:
            return "outputs"
        return None

    @cached_property
    def _anchors(self) -> dict[str, str]:
        page = self.page
        anchors: dict[str, str] = {}
        for number, change in enumerate(page.state, 1):
            anchors[f"state:{change.path}"] = f"state-{number}"
        for number, record in enumerate(page.records, 1):
            key = record.confirmation_id or record.target or "?"
            anchors.setdefault(f"record:{record.kind}/{key}", f"record-{number}")
        for step in page.conversation:
            anchors[step.ref] = f"step-{step.number}"
        for number, passage in enumerate(page.passages, 1):
            anchors[passage.ref] = f"passage-{number}"
        return anchors

    def verdict_name(self, position: int) -> str:
        """The validator and the check of a verdict."""
        graded = self.page.report.verdicts[position]
        check = graded.verdict.check
        return f"{graded.validator_name} {check}" if check else graded.validator_name

    def codes_of(self, verdict: Verdict) -> list[CodeLabel]:
        """The failure codes of a verdict."""
        return [label_of(code) for code in codes_of(verdict)]

    def models(self, question: JudgeQuestion) -> str:
        """The models that answered a question, each once."""
        return ", ".join(dict.fromkeys(answer.model for answer in question.answers))

    def timeline(self) -> dict[str, Any]:
        """Data of the chart of the trace, in seconds. Without times, steps follow each other."""
        rows: list[dict[str, Any]] = []
        clock_ms = 0.0
        for step in self.page.timeline:
            start_ms = clock_ms if step.start_ms is None else step.start_ms
            clock_ms = start_ms + (step.latency_ms or 0.0)
            rows.append(
                {
                    "name": f"{step.step_id} {step.state_type}",
                    "start": start_ms / 1000,
                    "end": clock_ms / 1000,
                    "group": _group(step),
                    "text": " + ".join(map(amount, step.cost)),
                    "marked": step.decides,
                }
            )
        return {"rows": rows}


def _group(step: TimelineStep) -> str:
    if step.state_type in _OTHER_STATES:
        return "other"
    if step.tools or step.state_type not in _MODEL_STATES:
        return "tool"
    return "model"
