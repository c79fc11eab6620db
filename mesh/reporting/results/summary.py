"""The summary of a run: on a terminal, and as the JSON object of `--json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import CODES, FailureCode
from judgemesh.contracts.report import Gate, OutcomeClass, money_to_json
from judgemesh.mesh.ledger.records import RunSummary
from judgemesh.mesh.reporting.results.report import GATE_STYLES
from judgemesh.mesh.reporting.tables import (
    add_columns,
    grid,
    plain_table,
    warnings_block,
)
from judgemesh.mesh.reporting.text import amount, duration, one_line, plural

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table
    from rich.text import Text

    from judgemesh.mesh.calibration.batch_effect import Halo
    from judgemesh.mesh.runs.escalation_summary import EscalationSummary
    from judgemesh.mesh.runs.panel_summary import PanelSummary

_BAR_WIDTH: Final = 30
_MAX_WARNINGS: Final = 10
_MEANING_FROM: Final = 78
"""Columns from which on the meaning of a code stands in its row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetails:
    """What is known about a run beside its numbers.

    resumed: results found graded in the ledger. rejected: input lines that could not be read as results.
    exit_rule: the rule that decided the exit code; None for a run that is only looked at.
    halos: of each judge that was asked several questions in one call, whether the answers influence each other.
    next_command: what to type to look closer.
    panel: the judges of the run as a panel; None where there was one judge, or none.
    escalation: how many questions went to the stronger judge; None where there was none.
    status: what a run that is only looked at does now.
    """

    run_id: str
    ledger: str
    exit_rule: str | None = None
    resumed: int = 0
    rejected: int = 0
    rejects_file: str | None = None
    outputs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    elapsed_s: float | None = None
    next_command: str | None = None
    halos: Mapping[str, Halo] = field(default_factory=dict[str, "Halo"])
    panel: PanelSummary | None = None
    escalation: EscalationSummary | None = None
    status: str | None = None

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """The warnings of the run, of its panel and of questions asked together, each once."""
        return tuple(dict.fromkeys(self._each_warning()))

    def _each_warning(self) -> Iterator[str]:
        yield from self.warnings
        if self.panel is not None:
            yield from self.panel.warnings
        for model, halo in self.halos.items():
            if halo.alarm:
                yield f"{model}: {halo.sentence()}; --batch-criteria 1 asks one by one"


def summary_view(summary: RunSummary, details: RunDetails) -> Iterator[RenderableType]:
    """The summary of a run: the gates first, the next command last."""
    from rich.text import Text

    took = ""
    if details.elapsed_s is not None:
        took = f"  {duration(details.elapsed_s)}"
    yield Text.assemble(("Run ", "dim"), (details.run_id, "bold"), (took, "dim"))
    yield Text("")
    yield _gates(summary)
    yield Text("")
    yield grid([*_results(summary), *_grading(summary, details)])
    if summary.failure_codes:
        yield Text("")
        yield _Codes(summary.failure_codes)
    if summary.outcome_classes:
        yield Text("")
        yield _classes(summary)
    yield from warnings_block(_warnings(details))
    yield Text("")
    yield from _locations(details)


def _gates(summary: RunSummary) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "right", "left"):
        table.add_column(justify=justify, no_wrap=True)
    _add_gate(table, "passed", summary.passed, summary.attempted, Gate.PASS)
    _add_gate(table, "failed", summary.failed, summary.attempted, Gate.FAIL)
    _add_gate(table, "undecided", summary.undecided, summary.attempted, Gate.UNDECIDED)
    return table


def _add_gate(table: Table, name: str, count: int, total: int, gate: Gate) -> None:
    from rich.text import Text

    share = 0.0
    width = 0
    style = "dim"
    if count:
        share = count / total
        width = max(round(share * _BAR_WIDTH), 1)
        style = GATE_STYLES[gate]
    bar = "█" * width
    table.add_row(Text(name, style), f"{count:,}", f"{share:.1%}", Text(bar, style))


def _results(summary: RunSummary) -> Iterator[tuple[str, str]]:
    yield "task success rate", _rate(summary)
    score = summary.average_outcome_score
    if score is None:
        yield "average outcome score", "no passed result has one"
    else:
        yield "average outcome score", f"{score:.2f} of 10, over passed results"


def _rate(summary: RunSummary) -> str:
    """`0.786`, with its bounds when something is undecided."""
    bounds = summary.success_bounds
    if bounds is None:
        return "nothing was graded"
    low, high = bounds
    if not summary.undecided:
        return f"{low:.3f}"
    return f"{low:.3f}, bounds [{low:.3f}, {high:.3f}] (all undecided fail, all undecided pass)"


def _grading(summary: RunSummary, details: RunDetails) -> Iterator[tuple[str, str]]:
    """What the grading itself cost and met."""
    yield "evaluator cost", _cost(summary)
    calls = plural(summary.judge_calls, "judge call")
    if summary.cache_hits:
        calls += f", {plural(summary.cache_hits, 'answer')} from the cache"
    yield "judge", calls
    yield from _judges(details)
    if summary.error_results:
        yield "evaluator errors", plural(summary.error_results, "result")
    if summary.vacuous:
        results = plural(summary.vacuous, "result")
        yield "vacuous", f"{results} resting on an expectation that nothing could miss"
    if details.resumed:
        results = plural(details.resumed, "result")
        yield "resumed", f"{results} graded before, taken from the ledger"
    if details.rejected:
        rejected = plural(details.rejected, "input line")
        if details.rejects_file:
            rejected += f", kept in {one_line(details.rejects_file)}"
        yield "rejected", rejected


def _judges(details: RunDetails) -> Iterator[tuple[str, str]]:
    """What judges together did."""
    for model, halo in details.halos.items():
        sentence = halo.sentence()
        if len(details.halos) > 1:
            sentence = f"{one_line(model)}: {sentence}"
        yield "asked together", sentence
    if details.panel is not None:
        yield "panel", details.panel.line()
    if details.escalation is not None:
        yield "escalation", details.escalation.line()


def _cost(summary: RunSummary) -> str:
    """What the grading cost, what of it is unknown, and what the cache avoided."""
    cost = " + ".join(map(amount, summary.evaluator_cost)) or "0 USD"
    if summary.evaluator_cost_unknown:
        calls = plural(summary.evaluator_cost_unknown, "call")
        why = "; ".join(_counted(summary.evaluator_cost_unknown_why))
        rest = f", the rest {cost}" if summary.evaluator_cost else ""
        cost = f"unknown for {calls} ({why}){rest}"
    avoided: list[str] = []
    for money in summary.cost_avoided:
        if money.amount:
            avoided.append(amount(money))
    if avoided:
        cost += f"; the cache avoided {' + '.join(avoided)}"
    return cost


def _counted(reasons: Mapping[str, int]) -> Iterator[str]:
    """The reasons; with their counts where there are several."""
    for reason, count in reasons.items():
        yield (
            one_line(reason) if len(reasons) == 1 else f"{count:,}: {one_line(reason)}"
        )


@dataclass(frozen=True, slots=True)
class _Codes:
    """The table of failure codes; their meaning where it has room."""

    counts: Mapping[FailureCode, int]

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        del console
        with_meaning = options.max_width >= _MEANING_FROM
        table = plain_table()
        table.add_column("failure code", no_wrap=True)
        add_columns(table, "results")
        table.add_column("attribution", no_wrap=True)
        if with_meaning:
            table.add_column("meaning")
        for code, count in self.counts.items():
            info = CODES[code]
            cells = [code.value, f"{count:,}", info.attribution.value]
            table.add_row(*cells, *([info.meaning] if with_meaning else []))
        yield table


def _classes(summary: RunSummary) -> Table:
    table = plain_table()
    table.add_column("outcome class", no_wrap=True)
    add_columns(table, "results")
    for outcome, count in class_counts(summary):
        table.add_row(outcome.value, f"{count:,}")
    return table


def _warnings(details: RunDetails) -> list[str]:
    warnings = details.all_warnings
    lines = list(warnings[:_MAX_WARNINGS])
    more = len(warnings) - _MAX_WARNINGS
    if more > 0:
        lines.append(f"and {plural(more, 'more warning')}")
    return lines


def _locations(details: RunDetails) -> Iterator[Text]:
    """The files written, the ledger and the next command; never wrapped, so that they can be copied."""
    for path in details.outputs:
        yield _location("wrote   ", path)
    yield _location("ledger  ", details.ledger)
    if details.next_command:
        yield _location("next    ", details.next_command)


def _location(name: str, value: str) -> Text:
    from rich.text import Text

    return Text.assemble(
        (name, "dim"), one_line(value), no_wrap=True, overflow="ignore"
    )


def summary_json(summary: RunSummary, details: RunDetails) -> dict[str, object]:
    """The summary object. Rates are null when nothing was graded, a cost is null when it is not fully known;
    `evaluator_costs` then holds the known part, one amount a currency.
    """
    bounds = summary.success_bounds
    elapsed_s = details.elapsed_s
    data: dict[str, object] = {
        "run_id": details.run_id,
        "attempted": summary.attempted,
        "passed": summary.passed,
        "failed": summary.failed,
        "undecided": summary.undecided,
        "task_success_rate": summary.success_rate,
        "task_success_bounds": None if bounds is None else list(bounds),
        "average_outcome_score": summary.average_outcome_score,
        "failure_codes": {
            code.value: count for code, count in summary.failure_codes.items()
        },
        "outcome_classes": {
            outcome.value: count for outcome, count in class_counts(summary)
        },
        "evaluator_cost": money_to_json(summary.total_cost),
        "evaluator_costs": list(map(money_to_json, summary.evaluator_cost)),
        "evaluator_cost_unknown_calls": summary.evaluator_cost_unknown,
        "evaluator_cost_unknown_why": dict(summary.evaluator_cost_unknown_why),
        "cost_avoided": money_to_json(summary.total_cost_avoided),
        "judge_calls": summary.judge_calls,
        "cache_hits": summary.cache_hits,
        "error_results": summary.error_results,
        "vacuous_results": summary.vacuous,
        "resumed": details.resumed,
        "rejected": details.rejected,
        "rejects_file": details.rejects_file,
        "ledger": details.ledger,
        "outputs": list(details.outputs),
        "warnings": list(details.all_warnings),
        "halos": [
            {"model": model, **halo.to_json()} for model, halo in details.halos.items()
        ],
    }
    if details.panel is not None:
        data["panel"] = details.panel.to_json()
    if details.escalation is not None:
        data["escalation"] = details.escalation.to_json()
    if details.status is not None:
        data["status"] = details.status
    data["elapsed_s"] = None if elapsed_s is None else round(elapsed_s, 3)
    data["exit_rule"] = details.exit_rule
    return data


def class_counts(summary: RunSummary) -> Iterator[tuple[OutcomeClass, int]]:
    """The outcome classes that occur, in the order of the scale, and how often."""
    for outcome in OutcomeClass:
        if outcome in summary.outcome_classes:
            yield outcome, summary.outcome_classes[outcome]
