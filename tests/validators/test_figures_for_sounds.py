"""Figures that are written for their sound (`go 4 it`), and names in small letters, in answers to a consent request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.validators.execution import execution
from judgemesh.validators.execution.confirmation.language.sounds import with_sounds
from judgemesh.validators.execution.confirmation.names import names_another

from .helpers import kinds, verdicts

_AGREE = (
    ("go 4 it", "go for it"),
    ("gr8, do it", "great, do it"),
    ("yes, ty 4 asking", "yes, ty for asking"),
    ("no need 2 ask, go ahead", "no need to ask, go ahead"),
    ("sounds good 2 me", "sounds good to me"),
    ("yes go 4 it m8", "yes go for it mate"),
)
_QUANTITIES = (
    "only 4",
    "yes, 4 EUR",
    "go 4 80",
    "yes, 2 instalments",
    "pay 4 of it",
    "I need 2 weeks",
    "w8 a bit",
)


def said(reply: str) -> list[str]:
    """What is said of a payment of 84 EUR that the user was asked about and answered so."""
    record = {"kind": "pay_invoice", "target": "INV-31", "parameters": {"amount": 84}, "confirmation_id": "Q1"}  # fmt: skip
    trace = [
        {"role": "assistant", "content": "Shall I pay INV-31, 84 EUR?"},
        {"role": "user", "content": reply},
        {"tool_name": "pay_invoice", "arguments": {"target": "INV-31", "amount": 84}, "result": {"id": "Q1"}},
    ]  # fmt: skip
    expected = {"kind": "pay_invoice", "target": "INV-31"}
    contract = {"execution": {"expected": [expected], "payments": ["pay_invoice"]}}
    return kinds(verdicts(execution, contract, {"output": "Done.", "records": [record], "trace": trace}))  # fmt: skip


@pytest.mark.parametrize(("short", "long"), _AGREE)
def test_a_figure_for_a_sound_reads_as_its_word(short: str, long: str) -> None:
    assert with_sounds(short, ()) == long
    assert said(short) == said(long) == ["pass"]


@pytest.mark.parametrize("reply", _QUANTITIES)
def test_a_figure_that_counts_is_a_number(reply: str) -> None:
    assert "pass" not in said(reply)[:1]


@given(st.from_regex(r"[a-z]{2,8} [a-z]{2,8}", fullmatch=True))
def test_text_without_figures_stays(text: str) -> None:
    assert with_sounds(text, ()) == text


@given(st.sampled_from(["b4", "gr8", "l8r", "w8"]))
def test_a_word_of_the_proposal_stays(seat: str) -> None:
    assert with_sounds(f"book {seat}", ("seat", seat)) == f"book {seat}"


_FIRST = st.sampled_from(["piotr", "olav", "lena", "bo"])


@given(_FIRST, st.sampled_from(["to", "for", "pay", "an", "pour"]))
def test_another_name_is_seen_in_small_letters_as_in_capitals(first: str, led: str) -> None:  # fmt: skip
    record = ExecutionRecord(kind="transfer", target="Marta Nowak")
    assert names_another([f"{led} {first} nowak please"], record)
    assert names_another([f"{led} {first.title()} Nowak please"], record)
    assert not names_another([f"{led} marta nowak please"], record)
    assert not names_another([f"{led} nowak today"], record)


@pytest.mark.parametrize("joint", ["-", " - ", " \u2192 ", " to ", "/"])
def test_a_way_is_named_by_both_its_ends_and_in_its_direction(joint: str) -> None:
    record = ExecutionRecord(kind="book_ticket", target=f"Bad Ischl{joint}Bad Aussee")
    assert not names_another(["Book from Bad Ischl to Bad Aussee?"], record)
    assert names_another(["Book from Bad Ischl to Bad Goisern?"], record)
    assert names_another(["Book from Bad Aussee to Bad Ischl?"], record)
