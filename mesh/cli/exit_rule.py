"""Which exit code a run ends with, and why. Pure: facts in, decision out.

    130  interrupted before the end
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
class Facts:
    """What the rules look at.

    attempted: graded results; `passed + failed + undecided`.
    rejected: input lines that could not be read as a result.
    error_results: results with at least one `Error` verdict.
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
class Decision:
    """An exit code and the sentence that explains it."""

    code: int
    why: str

    def __str__(self) -> str:
        return f"exit {self.code}: {self.why}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table: `code` when `holds`."""

    name: str
    code: int
    holds: Callable[[Facts], bool]
    why: Callable[[Facts], str]


def _below(facts: Facts) -> bool:
    return (
        facts.fail_under is not None
        and facts.passed < facts.fail_under * facts.attempted
    )


def _interrupted_why(facts: Facts) -> str:
    hint = (
        "; the same command again grades what is missing"
        if facts.resumable
        else ", which are in the ledger"
    )
    return f"interrupted after {plural(facts.attempted, 'result')}{hint}"


def _budget_why(facts: Facts) -> str:
    hint = (
        "; the same command with a larger --max-cost goes on from there"
        if facts.resumable
        else ""
    )
    return f"--max-cost is spent after {plural(facts.attempted, 'result')}{hint}"


def _errors_why(facts: Facts) -> str:
    parts = [
        plural(facts.rejected, "rejected line") if facts.rejected else "",
        plural(
            facts.error_results,
            "result with an evaluator error",
            "results with an evaluator error",
        )
        if facts.error_results
        else "",
    ]
    return f"{' and '.join(part for part in parts if part)} (--fail-on-error tolerates {facts.fail_on_error})"


def _gates_why(facts: Facts) -> str:
    gates = plural(facts.attempted, "gate")
    if facts.failed and facts.undecided:
        found = f"{facts.failed:,} of {gates} failed and {facts.undecided:,} undecided"
    else:
        found = (
            f"{facts.failed:,} of {gates} failed"
            if facts.failed
            else f"{facts.undecided:,} of {gates} undecided"
        )
    return f"{found} (no --fail-under given)"


def _threshold_why(facts: Facts) -> str:
    relation = "is below" if _below(facts) else "is not below"
    rate = f"task success rate {facts.passed / facts.attempted:.4g} ({facts.passed:,} of {facts.attempted:,})"
    return f"{rate} {relation} --fail-under {float(facts.fail_under or 0):g}"


def _success_why(facts: Facts) -> str:
    return (
        f"{plural(facts.attempted, 'gate')} passed"
        if facts.attempted == 1
        else f"all {facts.attempted:,} gates passed"
    )


RULES: Final[tuple[Rule, ...]] = (
    Rule("interrupted", 130, lambda facts: facts.interrupted, _interrupted_why),
    Rule("budget_spent", 4, lambda facts: facts.budget_spent, _budget_why),
    Rule(
        "evaluator_errors",
        3,
        lambda facts: facts.faults > facts.fail_on_error,
        _errors_why,
    ),
    Rule(
        "nothing_graded",
        2,
        lambda facts: facts.attempted == 0,
        lambda _facts: (
            "nothing was graded: the input held no result, or --filter and --limit kept none"
        ),
    ),
    Rule("threshold_missed", 1, _below, _threshold_why),
    Rule(
        "threshold_met", 0, lambda facts: facts.fail_under is not None, _threshold_why
    ),
    Rule("gates", 1, lambda facts: facts.failed + facts.undecided > 0, _gates_why),
    Rule("success", 0, lambda _facts: True, _success_why),
)


def decide(facts: Facts) -> Decision:
    """The decision of the first rule that holds."""
    rule = next(rule for rule in RULES if rule.holds(facts))
    return Decision(rule.code, rule.why(facts))
