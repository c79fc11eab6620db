"""Status words: one class each, whatever their spelling, and relative to the kind of the action."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators._shared.trace.status import Standing, standing, status_key
from judgemesh.validators._shared.trace.status_words import DONE, FAILED, OPEN, PARTIAL

_CLASSES = (
    (Standing.DONE, DONE),
    (Standing.PARTIAL, PARTIAL),
    (Standing.OPEN, OPEN),
    (Standing.FAILED, FAILED),
)
WORDS = sorted((word, says) for says, words in _CLASSES for word in words)
KIND = "calibrate"
"""A kind that no word of the table is about."""


def test_a_word_stands_in_one_list() -> None:
    assert len({word for word, _ in WORDS}) == len(WORDS)


@given(
    st.sampled_from(WORDS),
    st.sampled_from([" ", "_", "-", "  "]),
    st.sampled_from([str.upper, str.title, str.casefold, str.capitalize]),
    st.sampled_from(["", " ", "."]),
)
def test_every_spelling_keeps_its_class(
    entry: tuple[str, Standing], separator: str, case: Callable[[str], str], end: str
) -> None:
    word, says = entry
    written = case(word.replace(" ", separator)) + end
    assert standing(written, KIND) is says


@given(
    st.sampled_from([entry for entry in WORDS if entry[1] is not Standing.DONE]),
    st.text(max_size=20),
)
def test_an_explanation_never_makes_it_done(
    entry: tuple[str, Standing], explanation: str
) -> None:
    word, _ = entry
    assert standing(f"{word}: {explanation}", KIND) is not Standing.DONE


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        ("cancelled", "cancel_order", Standing.DONE),
        ("Cancelled", "orderCancellation", Standing.DONE),
        ("CANCELLED", "book_flight", Standing.FAILED),
        ("rejected", "cancel_order", Standing.FAILED),
        ("declined", "reject_claim", Standing.DONE),
        ("refunded", "process_refund", Standing.DONE),
        ("refunded", "pay", Standing.FAILED),
        ("authorized", "charge_card", Standing.OPEN),
        ("scheduled", "create_event", Standing.DONE),
        ("scheduled", "send_newsletter", Standing.OPEN),
        ("on hold", "put_on_hold", Standing.DONE),
        ("cancellation pending", "cancel_order", Standing.OPEN),
        ("not cancelled", "cancel_order", Standing.FAILED),
        ("not yet sent", "send_mail", Standing.OPEN),
        ("completed with errors", KIND, Standing.PARTIAL),
        ("completed, 0 errors", KIND, Standing.DONE),
        ("3 of 5 done", KIND, Standing.PARTIAL),
        ("done - reversed", KIND, Standing.UNKNOWN),
        ("HTTP 503", KIND, Standing.FAILED),
        ("201 Created", KIND, Standing.DONE),
        ("202", "pay", Standing.UNKNOWN),
        ("n/a", KIND, Standing.UNKNOWN),
        ("Status: OK", KIND, Standing.DONE),
        ("\u2705", KIND, Standing.DONE),
        (None, KIND, Standing.DONE),
        ("frobnicated", KIND, Standing.UNKNOWN),
    ],
)
def test_what_a_status_says(status: str | None, kind: str, says: Standing) -> None:
    assert standing(status, kind) is says


def test_words_of_the_contract_come_first() -> None:
    words = {status_key("Gate-Passed"): Standing.DONE, "done": Standing.OPEN}
    assert standing("gate passed (north)", KIND, words) is Standing.DONE
    assert standing("DONE", KIND, words) is Standing.OPEN
