"""Expected values: every way to write the right one passes, and no way to write a wrong one does."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Judged
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.verdicts import Confidence
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators.expected_answer import expected_answer
from judgemesh.validators.spending import spending

from .helpers import codes, diagnostics, kinds, make_case, refs, verdicts

NUMBERS = st.integers(-999_999, 999_999) | st.integers(-99_999, 99_999).map(
    lambda cents: cents / 100
)
NAMES = st.sampled_from(
    ["Ann Fox", "Lisbon", "iron deficiency", "North Mill", "Gate", "Article", "Oslo"]
)


def number_forms(value: float) -> list[str]:
    """Answers that state the number and nothing else."""
    shown = f"{value:g}" if isinstance(value, int) else f"{value:.2f}"
    grouped = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
    return [
        shown,
        grouped,
        f"**{shown}**",
        f"The answer is {shown}.",
        f"ANSWER: {grouped}",
        f"Two steps are needed.\n\nFinal answer: **{shown}**",
        f"\\boxed{{{shown}}}",
        f"#### {shown}",
        f"### Answer\n{shown}",
        f"> ANSWER: {shown} EUR",
        f"x = {shown}",
        f"It comes to {grouped} in all.",
        f"`{shown}`",
        f"ANSWER: 7\nThat was wrong.\nANSWER: {shown}",
    ]


def text_forms(value: str) -> list[str]:
    """Answers that state the text and nothing else."""
    return [
        value,
        f" {value}. ",
        f'"{value}"',
        f"**{value}**",
        f"Answer: {value}",
        f"The answer is {value}.",
        f"So the final answer is: **{value}**",
        f"ANSWER: {value}\n",
        f"\\boxed{{\\text{{{value}}}}}",
        f"## Final answer\n\n{value}",
        f"Answer: {value}, because the record says so.",
    ]


def said(contract: dict[str, Any], output: object) -> list[str]:
    """The kinds of the verdicts."""
    return kinds(verdicts(expected_answer, contract, {"output": output}))


@given(NUMBERS, NUMBERS)
def test_a_number_in_any_form(right: float, wrong: float) -> None:
    assume(right != wrong)
    contract = {"answer": right}
    for form, other in zip(number_forms(right), number_forms(wrong), strict=True):
        assert said(contract, form) == ["pass"], form
        assert said(contract, other) != ["pass"], other


@given(NAMES, NAMES)
def test_a_text_in_any_form(right: str, wrong: str) -> None:
    assume(right != wrong)
    contract = {"answer": right}
    for form, other in zip(text_forms(right), text_forms(wrong), strict=True):
        assert said(contract, form) == ["pass"], form
        assert said(contract, other) == ["fail"], other


@given(NUMBERS, NUMBERS)
def test_two_numbers_never_pass_by_the_lucky_one(right: float, wrong: float) -> None:
    assume(right != wrong)
    contract = {"answer": right}
    for answer in (
        f"It is {right}. Or maybe {wrong}.",
        f"ANSWER: {right} or {wrong}",
        f"Either {wrong} or {right}.",
        f"Between {right} and {wrong}.",
        f"ANSWER: {right}\nANSWER: {wrong}",
    ):
        assert said(contract, answer) != ["pass"], answer


@given(NUMBERS, NUMBERS)
def test_a_field_in_any_form(right: float, wrong: float) -> None:
    assume(right != wrong)
    contract = {"fields": {"total_cost": {"equals": right}}}

    def forms(value: float) -> list[object]:
        return [
            {"final_answer": "See outputs.", "outputs": {"totalCost": value}},
            {
                "final_answer": "See outputs.",
                "outputs": {"a": {"total_cost": str(value)}},
            },
            json.dumps({"total_cost": value}),
            f"Here:\n```json\n{json.dumps({'total_cost': value})}\n```\nDone.",
            f"Total cost: {value}",
            f"- **Total cost:** EUR {value}",
            f"The total cost is {value}.",
            f"| Total cost | {value} |",
            f"Total cost .... {value}",
        ]

    for form, other in zip(forms(right), forms(wrong), strict=True):
        assert said(contract, form) == ["pass"], form
        assert said(contract, other) == ["fail"], other
        two = {"final_answer": f"Total cost: {wrong}", "outputs": {"total_cost": right}}
        assert said(contract, two) == ["fail"]


@given(st.integers(-1000, 1000), st.integers(-1000, 1000), st.integers(0, 50))
def test_tolerance_is_direct_computation(
    expected: int, value: int, within: int
) -> None:
    contract = {"answer": {"equals": expected, "tolerance": within}}
    holds = abs(expected - value) <= within
    assert said(contract, f"ANSWER: {value}") == (["pass"] if holds else ["fail"])


@pytest.mark.parametrize(
    ("answer", "output", "kind"),
    [
        ({"contains": "42"}, "In all 142 of them", "fail"),
        ({"contains": "42"}, "In all 42 of them", "pass"),
        ({"contains_any": ["red", "blue"]}, "a **blue** kettle", "pass"),
        ({"pattern": r"^[A-Z]{3}$"}, "ABC", "pass"),
        ({"pattern": r"^[A-Z]{3}$"}, "ABCD", "fail"),
        (
            {"pattern": r"code (\w+)", "one_of": ["X1", "X2"]},
            "The code X2 opens it.",
            "pass",
        ),
        ({"take": "last_line", "equals": "done"}, "Working.\n\n**done**", "pass"),
        ({"take": "last_line", "equals": "done"}, "done\nnot yet", "fail"),
        (
            {"marker": "Verdict", "equals": "guilty"},
            "Long text.\nVerdict: guilty",
            "pass",
        ),
        ({"equals": "None"}, "None", "pass"),
        ({"equals": "Paris"}, "paris", "fail"),
        ({"equals": "Paris", "strict": True}, "Paris.", "fail"),
        ({"equals": "2026-05-03"}, "ANSWER: May 3rd, 2026", "pass"),
        ({"equals": [1, 2, 3], "unordered": True}, "[3, 1, 2]", "pass"),
        ({"equals": {"a": 1}}, {"final_answer": "ok", "outputs": {"a": 1}}, "pass"),
        ({"equals": 1200}, "ANSWER: 1.200", "abstain"),
        ({"equals": 40}, "From 40 the price rose to 45.", "abstain"),
        ({"ge": 10, "le": 20}, "About 15 people came.", "pass"),
        ({"not": {"contains": "sorry", "fold": True}}, "Sorry!", "fail"),
        (True, "Yes, it was sent.", "pass"),
        ("B", "B) the lease ends", "pass"),
        ("B", "A or B", "fail"),
        ("Paris", "Answer: Paris? No, Lyon.", "fail"),
        ({"equals": 42, "unit": "kg"}, "42 g", "fail"),
        ({"equals": 42, "unit": "kg"}, "42", "pass"),
    ],
)
def test_answers(answer: object, output: object, kind: str) -> None:
    assert said({"answer": answer}, output) == [kind]


def test_the_diagnostic_says_where_what_and_what_instead() -> None:
    contract = {"fields": {"total": {"equals": 40, "tolerance": 1}}}
    found = verdicts(expected_answer, contract, {"output": "Hello\nTotal: 58 EUR"})
    assert codes(found) == {C.WRONG_FACT}
    assert refs(found) == ["final_answer:L2"]
    for part in ("total", "40", "within 1", "final_answer:L2", "58 EUR"):
        assert part in diagnostics(found)


def test_a_judge_decides_only_what_is_uncertain() -> None:
    def agree(_need: object) -> Judged:
        return Judged(vote=Vote.YES, reason="so", confidence=Confidence(stability=0.9))

    uncertain = {"output": "From 40 the price rose to 45."}
    wrong = {"output": "ANSWER: 41"}
    contract = {"answer": 40}
    assert kinds(verdicts(expected_answer, contract, uncertain, agree)) == ["pass"]
    assert kinds(verdicts(expected_answer, contract, wrong, agree)) == ["fail"]


def test_codes_that_are_looked_for() -> None:
    contract = EvalContract.model_validate({"task_id": "t", "answer": {"schema": True}})
    assert C.OUTPUT_FORMAT_INVALID in expected_answer.codes_under(contract)
    assert C.MISSING_REQUIRED_FIELD not in expected_answer.codes_under(contract)
    assert not expected_answer.applies(make_case({}, {}).contract)


@pytest.mark.parametrize(
    ("budget", "result", "expected"),
    [
        ({"ceiling": 0.5, "gate": True}, {"cost": 0.5}, ["pass"]),
        ({"ceiling": 0.5, "gate": True}, {"cost": 0.51}, ["fail"]),
        ({"ceiling": 0.5, "gate": True}, {}, ["abstain"]),
        (
            {"ceiling": 0.5, "gate": True},
            {"cost": {"amount": 0.1, "currency": "EUR"}},
            ["abstain"],
        ),
        ({"max_latency_ms": 2000}, {"latency_ms": 2000}, ["pass"]),
        ({"max_latency_ms": 2000}, {"latency_ms": 2001}, ["fail"]),
        ({"max_latency_ms": 2000}, {}, ["abstain"]),
        (
            {"max_latency_ms": 2000},
            {"started_at": "2026-01-01T00:00:00Z", "ended_at": "2026-01-01T00:00:03Z"},
            ["fail"],
        ),
    ],
)
def test_spending(
    budget: dict[str, Any], result: dict[str, Any], expected: list[str]
) -> None:
    assert kinds(verdicts(spending, {"budget": budget}, result)) == expected


@pytest.mark.parametrize(
    "written",
    [
        "AYŞE YILDIRIM",
        "Ayşe Yıldırım",
        "ayşe yildirim",
        "AYŞE YILDIRIM.",
        "AYŞE YİLDİRİM",
    ],
)
def test_the_four_letters_i_of_turkish_are_one_without_case(written: str) -> None:
    fields = {"name": {"equals": "Ayşe Yıldırım", "fold": True}}
    assert said({"fields": fields}, f"Name: {written}") == ["pass"]
    exact = {"name": {"equals": "Ayşe Yıldırım"}}
    assert said({"fields": exact}, "Name: AYŞE YILDIRIM") == ["fail"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The show ends at 20:45.", "pass"),
        ("La función termina a las 20:45", "pass"),
        ("The show ends at 20:45, not at 20:30.", "abstain"),
        ("The show ends shortly before 20:45.", "abstain"),
        ("It does not end at 20:45.", "abstain"),
        ("The show ends at 21:45.", "fail"),
        ("120:45", "fail"),
    ],
)
def test_a_time_of_day_in_a_sentence(text: str, kind: str) -> None:
    contract = {"answer": {"equals": "20:45"}}
    assert kinds(verdicts(expected_answer, contract, {"output": text})) == [kind]


@given(
    st.integers(0, 9_999),
    st.integers(0, 99),
    st.sampled_from(["EUR", "€", "NOK", "euros"]),
)
def test_a_price_in_the_notation_of_its_currency_is_one_number(whole: int, cents: int, unit: str) -> None:  # fmt: skip
    assert readings(f"{whole},{cents:02} {unit}") == (Decimal(f"{whole}.{cents:02}"),)
