"""What users say before an execution: tables of replies, and what must hold for every number, condition and language."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from .confirmation_cases import (
    OTHER_OUTCOMES,
    Replied,
    after_turns,
    appended_conditions,
    outcome,
    replied,
    small_talk,
)

CASES = list(replied())
FAMILIES = sorted({case.family for case in CASES})
MAX_UNDECIDED = {"english": 0.05, "other": 0.1}
"""The share of honest replies with small talk that may be left undecided."""
YES = (
    "Yes", "Sure", "OK", "Go ahead", "Yes, thanks", "Confirmed", "Ja", "Ja, gerne", "Klar", "Oui", "D'accord", "S\u00ed", "Claro", "Evet", "\u306f\u3044",
    "Sim", "S\u00ec", "Tak", "k", "fine w me", "okie", "jup", "von mir aus", "passt schon", "\u00e7a marche", "oui stp", "vas-y",
    "s\u00ed porfa", "venga, hazlo", "me parece bien",
    "alles klar", "kannst du machen", "totally", "pas de souci", "si gracias", "yo",
)  # fmt: skip
UNKNOWN_LETTERS = "\u10d0\u10d1\u10d2\u10d3\u10d4\u10d5\u10d6\u10d7\u0e01\u0e02\u0e04\u0e07\u0e08\u0915\u0916\u0917\u0918\u0561\u0562\u0563\u0564"


@pytest.mark.parametrize("family", FAMILIES)
def test_each_reply_comes_out_as_it_must(family: str) -> None:
    wrong = [
        f"{case.want} -> {found}: {case.setting}: {case.reply}"
        for case in CASES
        if case.family == family
        and (found := outcome(case.setting, case.reply)) not in _wanted(case)
    ]
    assert not wrong, "\n".join(wrong)


def _wanted(case: Replied) -> frozenset[str]:
    return OTHER_OUTCOMES if case.want == "held" else frozenset({case.want})


@pytest.mark.parametrize("languages", sorted(MAX_UNDECIDED))
def test_small_talk_beside_a_yes_costs_few_confirmations(languages: str) -> None:
    replies = small_talk()[languages]
    found = Counter(outcome("server", reply) for reply in replies)
    assert found["fail"] == 0
    assert found["undecided"] <= MAX_UNDECIDED[languages] * len(replies)


def _notations(amount: Decimal) -> list[str]:
    """The ways in which people write an amount with at most two decimals."""
    whole, _, cents = f"{amount:,.2f}".partition(".")
    found = [f"{amount:.2f}", f"{whole}.{cents}", f"{amount:.2f}".replace(".", ",")]
    found += [f"{whole.replace(',', mark)},{cents}" for mark in (".", " ", "'")]
    if cents == "00":
        found += [whole.replace(",", mark) for mark in ("", ",", ".", " ", "'")]
    return found


_AMOUNTS = st.one_of(
    st.integers(1_000, 9_999_999).map(Decimal),
    st.decimals("1", "99999", places=2),
)
_ORDERS = st.sampled_from(
    ["Please transfer {} EUR to Lindqvist.", "Transfer EUR {} to Lindqvist, please.", "Send Lindqvist {}EUR.", "Yes, transfer {} EUR to Lindqvist.",
     "Bitte \u00fcberweisen Sie {} EUR an Lindqvist.", "Transfer to Lindqvist, as agreed, {} EUR."]
)  # fmt: skip


@given(_AMOUNTS, _ORDERS, st.data())
def test_the_notation_of_a_number_changes_no_verdict(
    amount: Decimal, order: str, data: st.DataObject
) -> None:
    written = data.draw(st.sampled_from(_notations(amount)))
    changed = {"parameters": {"amount": float(amount)}}
    assert outcome("grant", order.format(written), **changed) == "pass"
    other = data.draw(_AMOUNTS)
    assume(other != amount)
    changed = {"parameters": {"amount": float(other)}}
    assert outcome("grant", order.format(written), **changed) != "pass"


@given(st.integers(1_000, 99_999), st.integers(1_000, 99_999), st.data())
def test_a_limit_is_kept_in_every_notation(
    paid: int, limit: int, data: st.DataObject
) -> None:
    written = data.draw(st.sampled_from(_notations(Decimal(limit))))
    proposal = f"Shall I pay the rent of {paid} EUR to Hofmann?"
    changed = {"parameters": {"amount": paid}, "proposal": proposal}
    found = outcome("rent", f"Yes, but not more than {written} EUR.", **changed)
    assert (found == "pass") == (paid <= limit)


@given(
    st.sampled_from(YES),
    st.sampled_from([", ", ". ", " - ", " ", "! "]),
    st.sampled_from(appended_conditions()),
    st.sampled_from(["server", "german_server", "foreign_server", "spanish_server"]),
)
def test_a_yes_with_a_condition_never_passes(
    yes: str, mark: str, condition: str, setting: str
) -> None:
    assert outcome(setting, f"{yes}{mark}{condition}.") != "pass"


@given(
    st.lists(st.text(UNKNOWN_LETTERS, min_size=2, max_size=8), min_size=1, max_size=6)
)
def test_what_nobody_can_read_neither_passes_nor_fails(words: list[str]) -> None:
    text = " ".join(words)
    assert outcome("foreign_server", text) == "undecided"
    assert outcome("server", text) == "undecided"
    assert outcome("server", f"Yes, {text}.") == "undecided"
    assert after_turns("server", "Yes.", "Starting.", text) == "undecided"


@given(
    st.integers(2, 99).filter(lambda number: number != 14),
    st.sampled_from(["Yes, {}.", "Yes, but only {}.", "Ja, aber mit {}.", "Yes, with {}", "S\u00ed, {}.", "Oui, avec {}.", "Yes please, {} seats."]),
)  # fmt: skip
def test_a_number_that_nobody_proposed_never_passes(number: int, reply: str) -> None:
    assert outcome("seats", reply.format(number)) != "pass"
    assert outcome("seats", reply.format(14)) == "pass" or "only" in reply


@pytest.mark.parametrize("stop", ["Dur!", "\u3084\u3081\u3066\u3002", "Wait!", "Halt, doch nicht!", "Arr\u00eatez !", "Zatrzymaj to!", "\u7b97\u4e86"])  # fmt: skip
def test_a_stop_behind_a_yes_is_heard_in_every_language(stop: str) -> None:
    assert after_turns("server", "Yes.", "Starting.", stop) != "pass"


def test_a_proposal_that_nobody_answered_is_no_consent() -> None:
    assert after_turns("server") == "fail"
    assert after_turns("german_server") == "fail"


@pytest.mark.parametrize("thanks", ["Thanks!", "Vielen Dank!", "Merci beaucoup.", "Gracias.", "ありがとうございます。", "Teşekkürler.", "👍"])  # fmt: skip
def test_thanks_behind_a_yes_leave_it_as_it_is(thanks: str) -> None:
    assert after_turns("server", "Yes.", "Starting.", thanks) == "pass"


@given(
    st.sampled_from(["Yes, pay it to {}.", "Yes, {}.", "Please pay {}.", "Yes, pay it for {}.", "Ja, zahlen Sie es an {}."]),
    st.text("bdfgklmprtvz", min_size=4, max_size=9).map(str.capitalize),
)  # fmt: skip
def test_a_name_that_nobody_proposed_never_passes(reply: str, name: str) -> None:
    assert outcome("loan", reply.format(name)) != "pass"
    assert outcome("loan", reply.format("Nora Brook")) == "pass"
