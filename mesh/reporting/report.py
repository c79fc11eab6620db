"""One report in full, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import CODES
from judgemesh.contracts.opinions import Opinion, Role
from judgemesh.contracts.report import (
    SCORE_FIELDS,
    Gate,
    Report,
    ValidatorVerdict,
    WeightedScore,
    exact_text,
)
from judgemesh.contracts.verdicts import (
    Confidence,
    Fail,
    Kind,
    Pass,
    codes_of,
    score_of,
)
from judgemesh.mesh.reporting.tables import grid
from judgemesh.mesh.reporting.text import amount, one_line, plural, visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

GATE_STYLES: Final[Mapping[Gate, str]] = MappingProxyType(
    {Gate.PASS: "bold green", Gate.FAIL: "bold red", Gate.UNDECIDED: "bold yellow"}
)
_KIND_STYLES: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "pass": "green",
        "fail": "red",
        "abstain": "yellow",
        "error": "magenta",
        "skipped": "dim",
    }
)
_EVEN: Final = 0.5
_WORST_FIRST: Final[tuple[Kind, ...]] = ("fail", "error", "abstain", "skipped", "pass")


def report_view(report: Report, *, run_id: str) -> Iterator[RenderableType]:
    """Gate and why, scores, then every verdict: the worst first, gating ones before the others."""
    from rich.padding import Padding
    from rich.text import Text

    yield Text.assemble(
        (report.gate.value.upper(), GATE_STYLES[report.gate]),
        "  ",
        (one_line(report.result_id), "bold"),
        f"  (task {one_line(report.task_id)})",
    )
    yield Text("")
    yield Text(visible(report.explanation))
    yield Text("")
    yield grid(_fact_rows(report, run_id))
    for row in sorted(
        report.verdicts,
        key=lambda row: (not row.gating, _WORST_FIRST.index(row.verdict.kind)),
    ):
        yield Text("")
        yield _verdict_head(row)
        yield Padding(grid(_verdict_rows(row)), (0, 0, 0, 8), expand=False)


def _fact_rows(report: Report, run_id: str) -> Iterator[tuple[str, str]]:
    for name in SCORE_FIELDS:
        score: float | None = getattr(report, name)
        if score is not None:
            yield name.removesuffix("_score").replace("_", " "), f"{score:.2f} of 10"
    exact = {weighted.name for weighted in report.weighted_scores}
    for name, score in report.other_scores:
        if name in exact:
            continue
        yield one_line(name), f"{score:.2f} of 10"
    for weighted in report.weighted_scores:
        yield one_line(weighted.name), weighted_line(weighted)
    for code in report.failure_reason_codes:
        primary = " (primary)" if code is report.primary_failure_reason_code else ""
        yield "failure code", f"{code}{primary}: {CODES[code].meaning}"
    yield (
        "outcome class",
        report.outcome_class.value
        if report.outcome_class
        else "none while the gate is undecided",
    )
    yield "confidence", confidence_line(report.confidence)
    yield (
        "evaluator cost",
        f"{amount(report.evaluator_cost)}, {plural(report.judge_calls, 'judge call')}",
    )
    if report.evaluator_cost_avoided is not None:
        yield "cost avoided", amount(report.evaluator_cost_avoided)
    if report.agent_cost is not None:
        yield "agent cost", amount(report.agent_cost)
    yield "contract", report.eval_contract_version or "none"
    yield "grading took", f"{report.latency_ms:.1f} ms"
    yield "run", one_line(run_id)


def _verdict_head(row: ValidatorVerdict) -> Text:
    from rich.text import Text

    verdict = row.verdict
    return Text.assemble(
        (f"{verdict.kind:<8}", _KIND_STYLES[verdict.kind]),
        (one_line(row.validator_name), "bold"),
        (f" {one_line(row.validator_version)}", "dim"),
        f"  {one_line(verdict.check)}" if verdict.check else "",
        ("  gating" if row.gating else "  not gating", "dim"),
    )


def _verdict_rows(row: ValidatorVerdict) -> Iterator[tuple[str, str]]:
    verdict = row.verdict
    if codes := codes_of(verdict):
        yield "codes", ", ".join(codes)
    if verdict.diagnostic:
        yield "diagnostic", one_line(verdict.diagnostic)
    if not isinstance(verdict, Pass | Fail):
        yield "reason", one_line(str(verdict.reason))
    if verdict.evidence_refs:
        yield "evidence", ", ".join(one_line(ref) for ref in verdict.evidence_refs)
    score = score_of(verdict)
    if score is not None and verdict.metric is not None:
        yield (
            "score",
            f"{score:g} of 1 for {one_line(verdict.metric)}, weight {verdict.weight:g}",
        )
    if verdict.confidence is not None:
        yield "confidence", confidence_line(verdict.confidence)
    if said := judges_line(verdict.opinion):
        yield "panel", said
    if row.evaluator_model is not None:
        yield "judge", one_line(row.evaluator_model)
    if row.cost is None or row.cost.amount:
        yield "cost", amount(row.cost)


def weighted_line(score: WeightedScore) -> str:
    """A weighted score with its class, and the criteria that did not hold or that nobody could decide."""
    span = (
        exact_text(score.low)
        if score.low == score.high
        else f"{exact_text(score.low)} to {exact_text(score.high)}"
    )
    parts = [f"{span} of 1, {score.outcome or 'class undecided'}"]
    for word, holds in (("not held", False), ("undecided", None)):
        names = [one_line(one.id) for one in score.criteria if one.holds is holds]
        if names:
            parts.append(f"{word}: {', '.join(names)}")
    return "; ".join(parts)


def judges_line(opinion: Opinion | None) -> str:
    """What each judge of a panel said: `gpt-4.1-mini no, claude-haiku-4-5 no, grok-4 broke (timeout); majority`."""
    if opinion is None or opinion.panel is None:
        return ""
    said = [_member_words(member) for member in opinion.with_role(Role.MEMBER)]
    panel = opinion.panel
    worth = f"{panel.n_eff:.1f} effective votes, {panel.n_eff_source}"
    return one_line(
        f"{', '.join(said)}; added up by {panel.method.replace('_', ' ')}, {worth}"
    )


def _member_words(member: Opinion) -> str:
    model = (member.part or member).model
    if member.error_type is not None:
        return f"{model} broke ({member.error_type})"
    if member.chance is None:
        return f"{model} cannot assess"
    return f"{model} {'yes' if member.chance > _EVEN else 'no'}"


def confidence_line(confidence: Confidence) -> str:
    """Both numbers by name; what is absent says why."""
    stability = (
        "not measured"
        if confidence.stability is None
        else f"{confidence.stability:.2f}"
    )
    correctness = (
        "not calibrated"
        if confidence.correctness is None
        else f"{confidence.correctness:.2f}"
    )
    return f"stability {stability}, correctness {correctness}"
