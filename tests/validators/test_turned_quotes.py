"""Quotes that leave out what turns them in front, within their sentence."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.results import AgentOutput
from judgemesh.contracts.text.passages import is_in_text
from judgemesh.validators.citations.reading import citations_of

_SAYS = st.sampled_from(["The notice says", "The rules say", "The rules state:"])
_CLAUSES = st.sampled_from(["boats may moor here", "the crane is safe", "swimmers use the outer pier"])  # fmt: skip
_DENIALS = st.sampled_from(
    ["It is not true that", "We deny that", "It is wrong to say that", "Nobody believes that", "The board does not claim that",
     "It is a myth that"]
)  # fmt: skip
_VERBS = st.sampled_from(["climb the crane", "moor at the outer pier", "feed the seals"])  # fmt: skip
_BANS = st.sampled_from(
    ["It is forbidden to", "You are not allowed to", "Guests must refuse to", "It is unsafe for visitors to", "Never"]
)  # fmt: skip
_NOBODY = st.sampled_from(["Nobody", "No guest", "None of the guests", "Under no circumstances children"])  # fmt: skip
_NEARBY = st.sampled_from(
    ["If nobody is there,", "Since the bridge is not open,", "Guests who have no boat may know that", "On Sundays",
     "We believe that", "It is allowed that", "No later than noon", "There is no doubt that",
     "We cannot deny that", "It is not wrong that", "No one was hurt, and"]
)  # fmt: skip


def found(output: Mapping[str, object], source: str) -> list[bool]:
    """Whether each passage that the output quotes stands in the source."""
    cited = citations_of(AgentOutput.model_validate(output)).checked
    return [is_in_text(passage, source) for each in cited for passage in each.passages]


def said(says: str, passage: str) -> dict[str, object]:
    return {"final_answer": f'{says} "{passage}" [R-1].'}


@given(_SAYS, _DENIALS, _CLAUSES)
def test_a_denial_in_front(says: str, denial: str, clause: str) -> None:
    source = f"The pier is old. {denial} {clause}."
    assert found(said(says, clause), source) == [False]
    assert found(said(says, f"{denial} {clause}"), source) == [True]
    given = {"final_answer": f'{denial} "{clause}" [R-1].'}
    assert found(given, source) == [True]
    listed = {"final_answer": "See R-1.", "citations": [{"id": "R-1", "quote": clause}]}
    assert not all(found(listed, source))


@given(_SAYS, _BANS, _VERBS)
def test_a_ban_in_front(says: str, ban: str, verb: str) -> None:
    source = f"The pier is old. {ban} {verb}."
    assert found(said(says, verb), source) == [False]
    assert found(said(says, f"{ban} {verb}"), source) == [True]


@given(_SAYS, _NOBODY, _VERBS)
def test_nobody_at_the_beginning(says: str, nobody: str, verb: str) -> None:
    source = f"The pier is old. {nobody} may {verb} at night."
    passage = f"may {verb} at night"
    assert found(said(says, passage), source) == [False]
    assert found(said(says, passage), f"Guests may {verb} at night.") == [True]


@given(_SAYS, _NEARBY, _CLAUSES)
def test_what_turns_another_clause(says: str, before: str, clause: str) -> None:
    assert found(said(says, clause), f"{before} {clause}.") == [True]


@pytest.mark.parametrize(
    ("source", "passage"),
    [
        ("Es stimmt nicht, dass der Kran sicher ist.", "der Kran sicher ist"),
        ("Niemand darf nachts auf den Steg.", "darf nachts auf den Steg"),
        ("Il est interdit de nourrir les phoques.", "nourrir les phoques"),
        ("Está prohibido alimentar a las focas.", "alimentar a las focas"),
        ("Nessuno può salire sulla gru.", "può salire sulla gru"),
        ("Het is niet waar dat de kraan veilig is.", "de kraan veilig is"),
        ("Det er forbudt at fodre sælerne.", "fodre sælerne nu"),
    ],
)
def test_other_languages(source: str, passage: str) -> None:
    assert found(said("The notice says", passage), source) == [False]


def test_a_quote_of_a_citation_does_not_drop_its_condition() -> None:
    source = "Guests may moor here provided that they pay. Dogs swim in the basin."
    for quote, stands in (
        ("Guests may moor here", False),
        ("Guests may moor here provided that they pay", True),
        ("Dogs swim in the basin", True),
        ("moor here", True),
    ):
        output = {
            "final_answer": "See R-1.",
            "citations": [{"id": "R-1", "quote": quote}],
        }
        assert found(output, source) == [stands], quote


@given(st.sampled_from(["must", "may", "can", "will"]), st.sampled_from(["be fed", "be moored here", "stay overnight"]))  # fmt: skip
def test_a_quote_goes_on_with_what_is_said_of_a_subject(modal: str, rest: str) -> None:
    source = f"The pier is old. Seals {modal} not {rest}."
    own = {"final_answer": f'The notice says that seals {modal} "{rest}" [R-1].'}
    assert found(own, source) == [False]
    turned = {"final_answer": f'The notice says that seals {modal} not "{rest}" [R-1].'}
    assert found(turned, source) == [True]
    whole = {"final_answer": f'The notice says that seals {modal} "not {rest}" [R-1].'}
    assert found(whole, source) == [True]
