"""Which exit code `judgemesh grade` ends with, and why, as a table of rules.

    130  interrupted before the end
      2  stopped because the provider of a judge refuses access
      4  stopped because --max-cost was spent
      3  more evaluator errors than --fail-on-error tolerates: the measurement broke, so its numbers decide nothing
      2  nothing was graded: an empty input must not look like a success
      1  with --fail-under: the task success rate is below it
      1  without it: a gate failed or is undecided
      0  otherwise

The first rule of `RULES` that holds decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from judgemesh.mesh.reporting.text import plural


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What the rules look at.

    attempted: graded results; `passed + failed + undecided`.
    rejected: input lines that could not be read as a result.
    error_results: results with at least one `Error` verdict.
    nothing_selected: why `--filter` kept no result; empty where it kept one, or there was none.
    access_denied: why the provider of a judge refuses access; None where it does not.
    resumable: whether the same command would continue the run.
    fail_under: the lowest task success rate that is good enough, 0..1; None when not asked for.
    fail_on_error: how many rejected lines and error results are tolerated.
    """

    passed: int
    failed: int
    undecided: int
    rejected: int = 0
    error_results: int = 0
    interrupted: bool = False
    nothing_selected: str = ""
    access_denied: str | None = None
    budget_spent: bool = False
    resumable: bool = True
    fail_under: Fraction | None = None
    fail_on_error: int = 0

    @property
    def attempted(self) -> int:
        """Graded results."""
        return self.passed + self.failed + self.undecided

    @property
    def faults(self) -> int:
        """What `--fail-on-error` counts."""
        return self.rejected + self.error_results


@dataclass(frozen=True, slots=True)
class ExitDecision:
    """An exit code and the sentence that explains it."""

    code: int
    why: str

    def __str__(self) -> str:
        return f"exit {self.code}: {self.why}"


@dataclass(frozen=True, slots=True)
class ExitRule:
    """One row of the table: `code` when `holds`."""

    name: str
    code: int
    holds: Callable[[RunFacts], bool]
    why: Callable[[RunFacts], str]


def _below(facts: RunFacts) -> bool:
    return (
        facts.fail_under is not None
        and facts.passed < facts.fail_under * facts.attempted
    )


def _interrupted_why(facts: RunFacts) -> str:
    hint = ", which are in the ledger"
    if facts.resumable:
        hint = "; the same command again grades what is missing"
    return f"interrupted after {plural(facts.attempted, 'result')}{hint}"


def _denied_why(facts: RunFacts) -> str:
    hint = ""
    if facts.resumable:
        hint = "; the same command goes on from there once that is mended"
    return f"stopped after {plural(facts.attempted, 'result')}: {facts.access_denied}{hint}"


def _budget_why(facts: RunFacts) -> str:
    hint = ""
    if facts.resumable:
        hint = "; the same command with a larger --max-cost goes on from there"
    return f"--max-cost is spent after {plural(facts.attempted, 'result')}{hint}"


def _errors_why(facts: RunFacts) -> str:
    parts: list[str] = []
    if facts.rejected:
        parts.append(plural(facts.rejected, "rejected line"))
    if facts.error_results:
        single, several = (
            "result with an evaluator error",
            "results with an evaluator error",
        )
        parts.append(plural(facts.error_results, single, several))
    again = ""
    if facts.error_results and facts.resumable:
        again = "; the same command grades those results again"
    return f"{' and '.join(parts)} (--fail-on-error tolerates {facts.fail_on_error}){again}"


def _gates_why(facts: RunFacts) -> str:
    gates = plural(facts.attempted, "gate")
    counts: list[str] = []
    if facts.failed:
        counts.append(f"{facts.failed:,} of {gates} failed")
    if facts.undecided:
        gates = "" if facts.failed else f" of {gates}"
        counts.append(f"{facts.undecided:,}{gates} undecided")
    return f"{' and '.join(counts)} (no --fail-under given)"


def _threshold_why(facts: RunFacts) -> str:
    relation = "is below" if _below(facts) else "is not below"
    rate = f"task success rate {facts.passed / facts.attempted:.4g} ({facts.passed:,} of {facts.attempted:,})"
    return f"{rate} {relation} --fail-under {float(facts.fail_under or 0):g}"


def _nothing_why(facts: RunFacts) -> str:
    why = facts.nothing_selected or "the input holds no result"
    if facts.rejected and not facts.nothing_selected:
        why = f"the input holds no result but {plural(facts.rejected, 'rejected line')}"
    return f"nothing was graded: {why}"


def _success_why(facts: RunFacts) -> str:
    if facts.attempted == 1:
        return "1 gate passed"
    return f"all {facts.attempted:,} gates passed"


RULES: Final[tuple[ExitRule, ...]] = (
    ExitRule("interrupted", 130, lambda facts: facts.interrupted, _interrupted_why),
    ExitRule(
        "access_denied", 2, lambda facts: facts.access_denied is not None, _denied_why
    ),
    ExitRule("budget_spent", 4, lambda facts: facts.budget_spent, _budget_why),
    ExitRule(
        "evaluator_errors",
        3,
        lambda facts: facts.faults > facts.fail_on_error,
        _errors_why,
    ),
    ExitRule(
        "nothing_graded",
        2,
        lambda facts: facts.attempted == 0,
        _nothing_why,
    ),
    ExitRule("threshold_missed", 1, _below, _threshold_why),
    ExitRule(
        "threshold_met", 0, lambda facts: facts.fail_under is not None, _threshold_why
    ),
    ExitRule("gates", 1, lambda facts: facts.failed + facts.undecided > 0, _gates_why),
    ExitRule("success", 0, lambda _facts: True, _success_why),
)


def decide(facts: RunFacts) -> ExitDecision:
    """The decision of the first rule that holds."""
    rule = next(rule for rule in RULES if rule.holds(facts))
    return ExitDecision(rule.code, rule.why(facts))
