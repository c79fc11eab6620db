"""Which verdict a judge call is charged to."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.money import FREE, Money
from judgemesh.contracts.opinions import Opinion
from judgemesh.contracts.verdicts import Pass, Verdict
from judgemesh.mesh.grading.costs import costs_of


def usd(text: str) -> Money:
    return Money(Decimal(text))


def attempt(question_id: str, cost: Money | None) -> JudgeAttempt:
    return JudgeAttempt(
        validator_name="criteria",
        question_id=question_id,
        model_requested="m",
        prompt_name="p",
        prompt_digest="d",
        message_digest="d",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        latency_ms=1.0,
        status="ok",
        cost=cost,
    )


VERDICTS: list[Verdict] = [Pass(check="claim:a"), Pass(check="b"), Pass(check="c")]
COSTS: list[tuple[str, Money | None, list[Money | None]]] = [
    ("a", usd("0.3"), [usd("0.3"), FREE, FREE]),
    ("claim:a", usd("0.3"), [usd("0.3"), FREE, FREE]),
    ("b", usd("0.3"), [FREE, usd("0.3"), FREE]),
    ("c,b", usd("0.3"), [FREE, usd("0.15"), usd("0.15")]),
    ("unknown", usd("0.3"), [usd("0.3"), FREE, FREE]),
    ("b", None, [FREE, None, FREE]),
    ("b,c", None, [FREE, None, None]),
    ("b,b", usd("0.3"), [FREE, usd("0.3"), FREE]),
    (
        "b,c,a",
        usd("1"),
        [usd("0.333333333333"), usd("0.333333333334"), usd("0.333333333333")],
    ),
]


@pytest.mark.parametrize(("question", "cost", "expected"), COSTS)
def test_a_call_is_charged_to_what_it_asked(
    question: str, cost: Money | None, expected: list[Money | None]
) -> None:
    assert costs_of(VERDICTS, [attempt(question, cost)]) == expected


def test_no_call_costs_nothing() -> None:
    assert costs_of(VERDICTS, []) == [FREE, FREE, FREE]
    assert Money(Decimal(0)) == FREE


def test_the_currency_stays() -> None:
    cost = Money(Decimal("0.2"), "EUR")
    assert (
        costs_of(VERDICTS, [attempt("b,c", cost)])[1:]
        == [Money(Decimal("0.1"), "EUR")] * 2
    )


def test_a_question_is_found_by_its_opinion_and_the_first_check_of_a_name() -> None:
    opinion = Opinion(
        question_id="asked",
        question="Is it?",
        criterion="c",
        gating=False,
        model="m",
        prompts="p",
    )
    verdicts: list[Verdict] = [
        Pass(check=""),
        Pass(check="b", opinion=opinion),
        Pass(check="b"),
    ]
    calls = [attempt("asked", usd("1")), attempt("b", usd("2")), attempt("", usd("4"))]
    assert costs_of(verdicts, calls) == [usd("4"), usd("3"), FREE]


@given(
    amounts=st.lists(st.decimals(0, 10, places=7), max_size=4),
    asked=st.lists(st.sampled_from("abcx"), min_size=1, max_size=7),
)
def test_shares_add_up_exactly(amounts: list[Decimal], asked: list[str]) -> None:
    calls = [attempt(",".join(asked), Money(amount)) for amount in amounts]
    shares = [one.amount for one in costs_of(VERDICTS, calls) if one is not None]
    assert sum(shares) == sum(amounts)
