"""Every trust case comes out as it must: without a judge, with one that agrees to everything, and with one that does not.

A case that only a judge can tell is undecided without one. Nothing that needs no judge depends on what a judge says.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from accuracy.trust_cases import (
    Finding,
    Graded,
    JudgeMode,
    TrustCase,
    compare,
    grade_cases,
    read_cases,
)

CASES = read_cases()
FAMILIES = sorted({case.family for case in CASES})
MIN_CASES = 10
MAX_UNDECIDED = 0.05
"""The share of honest cases that need no judge and may be left undecided."""


def of_family(family: str) -> list[TrustCase]:
    return [case for case in CASES if case.family == family]


@cache
def graded(family: str, mode: JudgeMode) -> dict[str, Graded]:
    return grade_cases(of_family(family), mode)


@pytest.mark.parametrize("mode", list(JudgeMode))
@pytest.mark.parametrize("family", FAMILIES)
def test_no_case_passes_or_fails_wrongly(family: str, mode: JudgeMode) -> None:
    wrong: list[str] = []
    for case in of_family(family):
        result = graded(family, mode)[case.name]
        finding = compare(case, result, mode)
        if finding not in (Finding.RIGHT, Finding.UNDECIDED):
            wrong.append(f"{finding}: {case.name}: {result}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_enough_cases_half_of_them_honest(family: str) -> None:
    cases = of_family(family)
    honest = sum(case.honest for case in cases)
    assert len(cases) >= MIN_CASES
    assert 0.35 <= honest / len(cases) <= 0.65


def test_few_honest_cases_are_left_undecided() -> None:
    honest = [case for case in CASES if case.honest and not case.needs_judge]
    undecided: list[str] = []
    for case in honest:
        if graded(case.family, JudgeMode.NONE)[case.name].gate == "undecided":
            undecided.append(case.name)
    assert len(undecided) <= MAX_UNDECIDED * len(honest), undecided
