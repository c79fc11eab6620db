"""The exit rule as a truth table."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.cli.exit_rule import RULES, RunFacts, decide

CLEAN = RunFacts(passed=10, failed=0, undecided=0)
HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("facts", "code", "why"),
    [
        (CLEAN, 0, "all 10 gates passed"),
        (replace(CLEAN, passed=1), 0, "1 gate passed"),
        (replace(CLEAN, failed=3, passed=11), 1, "3 of 14 gates failed (no --fail-under given)"),
        (replace(CLEAN, undecided=1), 1, "1 of 11 gates undecided (no --fail-under given)"),
        (replace(CLEAN, failed=2, undecided=1), 1, "2 of 13 gates failed and 1 undecided (no --fail-under given)"),
        (replace(CLEAN, failed=10, fail_under=HALF), 0, "task success rate 0.5 (10 of 20) is not below --fail-under 0.5"),
        (replace(CLEAN, failed=11, fail_under=HALF), 1, "task success rate 0.4762 (10 of 21) is below --fail-under 0.5"),
        (replace(CLEAN, undecided=11, fail_under=HALF), 1, "task success rate 0.4762 (10 of 21) is below --fail-under 0.5"),
        (replace(CLEAN, failed=10, fail_under=Fraction(0)), 0, "task success rate 0.5 (10 of 20) is not below --fail-under 0"),
        (replace(CLEAN, rejected=1), 3, "1 rejected line (--fail-on-error tolerates 0)"),
        (replace(CLEAN, rejected=2, fail_on_error=2), 0, "all 10 gates passed"),
        (replace(CLEAN, rejected=2, error_results=1, fail_on_error=2), 3, "2 rejected lines and 1 result with an evaluator error (--fail-on-error tolerates 2); the same command grades those results again"),
        (replace(CLEAN, failed=9, error_results=2), 3, "2 results with an evaluator error (--fail-on-error tolerates 0); the same command grades those results again"),
        (replace(CLEAN, error_results=1, fail_under=HALF), 3, "1 result with an evaluator error (--fail-on-error tolerates 0); the same command grades those results again"),
        (replace(CLEAN, interrupted=True, rejected=9, failed=9), 130, "interrupted after 19 results; the same command again grades what is missing"),
        (replace(CLEAN, interrupted=True, resumable=False), 130, "interrupted after 10 results, which are in the ledger"),
        (replace(CLEAN, passed=0), 2, "nothing was graded: the input holds no result"),
        (replace(CLEAN, passed=0, fail_under=HALF), 2, "nothing was graded: the input holds no result"),
        (replace(CLEAN, passed=0, nothing_selected="none of the 4 results matches --filter a"), 2, "nothing was graded: none of the 4 results matches --filter a"),
        (replace(CLEAN, passed=0, rejected=1), 3, "1 rejected line (--fail-on-error tolerates 0)"),
        (replace(CLEAN, passed=0, rejected=1, fail_on_error=1), 2, "nothing was graded: the input holds no result but 1 rejected line"),
    ],
)  # fmt: skip
def test_exit_rule(facts: RunFacts, code: int, why: str) -> None:
    decision = decide(facts)
    assert (decision.code, decision.why) == (code, why)
    assert str(decision) == f"exit {code}: {why}"


def test_rate_is_compared_exactly() -> None:
    """7 of 10 is not below 0.7, whatever binary fractions make of it."""
    for denominator in range(1, 60):
        for numerator in range(denominator + 1):
            facts = RunFacts(
                passed=numerator,
                failed=denominator - numerator,
                undecided=0,
                fail_under=Fraction(numerator, denominator),
            )
            assert decide(facts).code == 0


counts = st.integers(min_value=0, max_value=50)


@given(
    st.builds(
        RunFacts,
        passed=counts,
        failed=counts,
        undecided=counts,
        rejected=counts,
        error_results=counts,
        interrupted=st.booleans(),
        fail_under=st.none() | st.fractions(min_value=0, max_value=1),
        fail_on_error=counts,
    )
)
def test_success_is_never_a_broken_measurement(facts: RunFacts) -> None:
    decision = decide(facts)
    if decision.code == 0:
        assert facts.attempted > 0
        assert not facts.interrupted
        assert facts.faults <= facts.fail_on_error
        assert facts.fail_under is not None or facts.passed == facts.attempted
    if facts.fail_under is None and facts.failed + facts.undecided:
        assert decision.code != 0
    assert len(decision.why.splitlines()) == 1


def test_every_rule_can_decide() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert RULES[-1].holds(CLEAN)
