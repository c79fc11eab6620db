"""A thing with a number is confirmed by its number: `disk 1` is no `disk 2`, however it is written."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judgemesh.validators.execution import execution

from .helpers import kinds, verdicts

THINGS = ("umbrella", "room", "disk", "parcel", "berth", "Schließfach", "casier")
JOINED = ("{} {}", "{}-{}", "{} #{}", "{} no. {}", "{} {}")


def said(target: str, question: str, reply: str = "Yes.") -> list[str]:
    """What is said of an execution that the user was asked about."""
    record = {"kind": "discard", "target": target}
    trace = [
        {"role": "assistant", "content": question},
        {"role": "user", "content": reply},
        {"tool_name": "discard", "arguments": {"target": target}, "result": "ok"},
    ]
    contract = {"execution": {"expected": [record], "high_risk": ["discard"]}}
    result = {"records": [{**record, "status": "done"}], "trace": trace}
    return kinds(verdicts(execution, contract, result))


NUMBERS = st.integers(1, 2_000)
SPELLED = st.tuples(st.sampled_from(THINGS), st.sampled_from(JOINED))


@given(SPELLED, st.sampled_from(JOINED), NUMBERS, NUMBERS)
@settings(max_examples=150, deadline=None)
def test_only_the_own_number_confirms(
    spelled: tuple[str, str], other: str, own: int, asked: int
) -> None:
    assume(own != asked)
    thing, form = spelled
    target = form.format(thing, own)
    same = f"Shall I discard {other.format(thing, own)}?"
    another = f"Shall I discard {other.format(thing, asked)}?"
    assert "fail" not in said(target, same)
    assert "fail" in said(target, another)


@pytest.mark.parametrize(
    "question",
    [
        "Shall I discard the umbrella?",
        "I found umbrella 51 in locker 3. Shall I discard it?",
        "Umbrella 7 is collected, umbrella 51 is not. Shall I discard 51?",
        "Shall I discard umbrella 051?",
        "Shall I discard the umbrella 2 days from now, number 51?",
    ],
)
def test_other_numbers_beside_it_do_not_matter(question: str) -> None:
    assert "fail" not in said("umbrella 51", question)


@pytest.mark.parametrize(
    ("offer", "is_open"),
    [
        ("Lehto charges 310 EUR a pallet. Shall I pay?", True),
        ("It is 310 EUR a pallet, 5 pallets. Pay Lehto?", True),
        ("It is an hour at \u20ac310 an engineer. Pay Lehto?", True),
        ("The pallet costs 310 EUR. Shall I pay Lehto?", False),
        ("Shall I pay Lehto 310 EUR a month early?", False),
        ("Shall I pay Lehto 310 EUR a bit early?", False),
    ],
)
def test_the_price_of_one_thing_is_no_amount(offer: str, is_open: bool) -> None:
    record = {"kind": "pay", "target": "Lehto", "parameters": {"amount": 310}}
    trace = [
        {"role": "assistant", "content": offer},
        {"role": "user", "content": "Yes."},
        {"tool_name": "pay", "arguments": {"amount": 310}, "result": "ok"},
    ]
    contract = {"execution": {"expected": [record], "payments": ["pay"]}}
    result = {"records": [{**record, "status": "done"}], "trace": trace}
    found = kinds(verdicts(execution, contract, result))
    assert ("abstain" in found) is is_open
