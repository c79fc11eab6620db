"""The head of one result in full, and each of its verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import CODES
from judgemesh.contracts.opinions import Opinion, PanelSum, Role
from judgemesh.contracts.report import SCORE_FIELDS, Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import (
    Confidence,
    Fail,
    Kind,
    Pass,
    codes_of,
    score_of,
)
from judgemesh.contracts.weighted_score import WeightedScore, exact_text
from judgemesh.mesh.analysis.results.result_page import PlacedVerdict, ResultPage
from judgemesh.mesh.reporting.results.proof import coverage_of, evidence_rows
from judgemesh.mesh.reporting.tables import grid, hanging
from judgemesh.mesh.reporting.text import amount, one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

GATE_STYLES: Final[Mapping[Gate, str]] = MappingProxyType(
    {Gate.PASS: "bold green", Gate.FAIL: "bold red", Gate.UNDECIDED: "bold yellow"}
)
KIND_STYLES: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "pass": "green",
        "fail": "red",
        "abstain": "yellow",
        "error": "magenta",
        "skipped": "dim",
    }
)
_EVEN: Final = 0.5


def head_view(page: ResultPage) -> Iterator[RenderableType]:
    """The gate with its reason, the scores and the costs."""
    from rich.padding import Padding
    from rich.text import Text

    report, gate = page.report, page.row.gate
    name = Text(one_line(report.result_id), "bold")
    name.append(f"  (task {one_line(report.task_id)})", "not bold")
    yield hanging(Text(gate.value.upper(), GATE_STYLES[gate]), name)
    yield Text("")
    if gate is not report.gate:
        yield Padding(Text(one_line(page.row.reason), "bold yellow"), (0, 0, 0, 2))
    yield Padding(Text(one_line(report.explanation)), (0, 0, 0, 2), expand=False)
    yield Text("")
    yield grid([*_outcome(report), *_circumstances(report, page.run_id)])


def verdict_view(placed: PlacedVerdict) -> Iterator[RenderableType]:
    """One verdict: what it says, and what it rests on."""
    from rich.padding import Padding
    from rich.text import Text

    yield Text("")
    yield _verdict_head(placed)
    yield Padding(grid(_verdict_rows(placed.row)), (0, 0, 0, 4), expand=False)


def _outcome(report: Report) -> Iterator[tuple[str, str]]:
    yield from _scores(report)
    for code in report.failure_reason_codes:
        primary = ""
        if code is report.primary_failure_reason_code:
            primary = " (primary)"
        yield "failure code", f"{code}{primary}: {CODES[code].meaning}"
    if report.outcome_class is None:
        yield "outcome class", "none while the gate is undecided"
    else:
        yield "outcome class", report.outcome_class.value
    yield "confidence", confidence_text(report.confidence)
    yield "coverage", coverage_of(report)


def _scores(report: Report) -> Iterator[tuple[str, str]]:
    for field in SCORE_FIELDS:
        score: float | None = getattr(report, field)
        if score is not None:
            yield field.removesuffix("_score").replace("_", " "), f"{score:.2f} of 10"
    weighted_names = {weighted.name for weighted in report.weighted_scores}
    for name, score in report.other_scores:
        if name not in weighted_names:
            yield one_line(name), f"{score:.2f} of 10"
    for weighted in report.weighted_scores:
        yield one_line(weighted.name), _weighted(weighted)


def _weighted(score: WeightedScore) -> str:
    """A weighted score with its class, and the criteria that do not hold or are undecided."""
    value = exact_text(score.low)
    if score.high != score.low:
        value += f" to {exact_text(score.high)}"
    parts = [f"{value} of 1, {score.outcome or 'class undecided'}"]
    for heading, holds in (("not held", False), ("undecided", None)):
        names: list[str] = []
        for criterion in score.criteria:
            if criterion.holds is holds:
                names.append(one_line(criterion.id))
        if names:
            parts.append(f"{heading}: {', '.join(names)}")
    return "; ".join(parts)


def _circumstances(report: Report, run_id: str) -> Iterator[tuple[str, str]]:
    calls = plural(report.judge_calls, "judge call")
    yield "evaluator cost", f"{amount(report.evaluator_cost)}, {calls}"
    if report.evaluator_cost_avoided is not None:
        yield "cost avoided", amount(report.evaluator_cost_avoided)
    if report.agent_cost is not None:
        yield "agent cost", amount(report.agent_cost)
    yield "contract", report.eval_contract_version or "none"
    yield "grading took", f"{report.latency_ms:.1f} ms"
    yield "run", one_line(run_id)


def _verdict_head(placed: PlacedVerdict) -> Table:
    from rich.text import Text

    graded = placed.row
    verdict = graded.verdict
    check = ""
    if verdict.check:
        check = f"  {one_line(verdict.check)}"
    gating = "  not gating"
    if graded.gating:
        gating = "  gating"
    if placed.decides:
        gating = "  decided the gate"
    name = Text.assemble(
        (one_line(graded.validator_name), "bold"),
        (f" {one_line(graded.validator_version)}", "dim"),
        check,
        (f"{gating}, by {one_line(graded.validator_type)}", "dim"),
    )
    return hanging(Text(f"{verdict.kind:<6}", KIND_STYLES[verdict.kind]), name)


def _verdict_rows(graded: ValidatorVerdict) -> Iterator[tuple[str, str]]:
    verdict = graded.verdict
    codes = codes_of(verdict)
    if codes:
        yield "codes", ", ".join(codes)
    if verdict.diagnostic:
        yield "diagnostic", one_line(verdict.diagnostic)
    if not isinstance(verdict, Pass | Fail):
        yield "reason", one_line(str(verdict.reason))
    yield from evidence_rows(graded)
    if verdict.evidence_refs:
        yield "evidence", ", ".join(map(one_line, verdict.evidence_refs))
    score = score_of(verdict)
    if score is not None and verdict.metric is not None:
        metric = one_line(verdict.metric)
        yield "score", f"{score:g} of 1 for {metric}, weight {verdict.weight:g}"
    if verdict.confidence is not None:
        yield "confidence", confidence_text(verdict.confidence)
    yield from _opinion_rows(verdict.opinion)
    if graded.evaluator_model is not None:
        yield "judge", one_line(graded.evaluator_model)
    if graded.cost is None or graded.cost.amount:
        yield "cost", amount(graded.cost)


def _opinion_rows(opinion: Opinion | None) -> Iterator[tuple[str, str]]:
    if opinion is None:
        return
    yield "votes", votes_text(opinion)
    if opinion.panel is not None:
        yield "panel", _panel(opinion, opinion.panel)


def votes_text(opinion: Opinion) -> str:
    """`yes 3, no 1`, and how many were unsure or unreadable where some were."""
    votes = [f"yes {opinion.votes_yes}", f"no {opinion.votes_no}"]
    if opinion.votes_unsure:
        votes.append(f"cannot assess {opinion.votes_unsure}")
    if opinion.votes_broken:
        votes.append(f"unreadable {opinion.votes_broken}")
    return ", ".join(votes)


def _panel(opinion: Opinion, panel: PanelSum) -> str:
    """What each judge of a panel said: `gpt-4.1-mini no, claude-haiku-4-5 no, grok-4 broke (timeout); ...`."""
    members = ", ".join(map(_member, opinion.with_role(Role.MEMBER)))
    method = panel.method.replace("_", " ")
    votes = f"{panel.n_eff:.1f} effective votes, {panel.n_eff_source}"
    return one_line(f"{members}; added up by {method}, {votes}")


def _member(member: Opinion) -> str:
    model = (member.part or member).model
    if member.error_type is not None:
        return f"{model} broke ({member.error_type})"
    if member.chance is None:
        return f"{model} cannot assess"
    if member.chance > _EVEN:
        return f"{model} yes"
    return f"{model} no"


def confidence_text(confidence: Confidence) -> str:
    """Both numbers by name, or why there is none."""
    stability, correctness = "not measured", "not calibrated"
    if confidence.stability is not None:
        stability = f"{confidence.stability:.2f}"
    if confidence.correctness is not None:
        correctness = f"{confidence.correctness:.2f}"
    return f"stability {stability}, correctness {correctness}"
