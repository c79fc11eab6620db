"""Verdicts refuse what would mix a broken measurement with a grade."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.verdicts import (
    Abstain,
    Confidence,
    Error,
    Fail,
    Pass,
    Skipped,
    codes_of,
    score_of,
)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Fail(codes=()),
        lambda: Fail(codes=(FailureCode.EVALUATOR_FAILURE,)),
        lambda: Fail(
            codes=(FailureCode.WRONG_FACT, FailureCode.LOW_CONFIDENCE_EVALUATION)
        ),
        lambda: Abstain(code=FailureCode.WRONG_FACT),
        lambda: Error(code=FailureCode.INCOMPLETE_ANSWER),
        lambda: Pass(score=1.5),
        lambda: Pass(score=math.nan),
        lambda: Fail(codes=(FailureCode.WRONG_FACT,), score=-0.1),
        lambda: Pass(weight=0),
        lambda: Pass(weight=math.inf),
        lambda: Confidence(stability=1.2),
        lambda: Confidence(correctness=math.nan),
    ],
)
def test_impossible_verdicts_cannot_be_made(make: Callable[[], object]) -> None:
    with pytest.raises(
        ValueError,
        match=r"must lie|needs at least|cannot carry|takes an evaluator code|above 0",
    ):
        make()


def test_only_grades_have_scores() -> None:
    assert score_of(Pass()) == 1.0
    assert score_of(Fail(codes=(FailureCode.WRONG_FACT,))) == 0.0
    assert score_of(Fail(codes=(FailureCode.WRONG_FACT,), score=0.25)) == 0.25
    assert [score_of(one) for one in (Abstain(), Error(), Skipped(reason="x"))] == [
        None,
        None,
        None,
    ]
    assert codes_of(Error()) == (FailureCode.EVALUATOR_FAILURE,)
    assert codes_of(Pass()) == codes_of(Skipped(reason="x")) == ()
