"""Sentences of tools: what happened instead of the work, somebody at work in the role assigned, another thing named."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.validators._shared.trace.call_outcome import call_succeeded
from judgemesh.validators._shared.trace.status import Standing, standing
from judgemesh.validators._shared.trace.verbs import reads

_EVENTS = (
    "bit the carter", "fell off the cart", "jammed", "tripped the fuse", "cracked at the rim", "tore in the wind", "fled",
    "froze overnight", "slipped from the hook", "burst",
)  # fmt: skip
_STATES = (
    "is dry", "stands on the heap", "carries label 8", "has a new roof", "rests since noon", "lies in shed 2",
    "had its second coat", "weighs 40 kg now",
)  # fmt: skip
_VERBS = ("winch", "thatch", "graze", "tar", "shoe", "varnish")
_THINGS = ("barge", "pony", "keel", "beam")
_AROUND = (
    ("tar_keel", {"keel": "K2"}, "Wind blows over K2."),
    ("thatch_roof", {"roof": "12"}, "Rain drips on roof 12."),
    ("run_ride", {"ride": "Comet"}, "The chain broke."),
    ("run_parade", {"parade": "Spring"}, "Drummers stayed at home."),
    ("shoe_pony", {"pony": "Nell"}, "Nell ran into the yard."),
)
_AT_WORK = (
    ("assign_keeper", {"keeper": "Ann Holt", "cage": 7}, "Ann Holt keeps cage 7."),
    ("assign_sweeper", {"sweeper": "Bo", "street": "12"}, "Bo sweeps street 12."),
    ("assign_cart", {"driver": "Bo", "horse": "Nell"}, "Bo drives Nell."),
    ("fahrer_zuweisen", {"fahrer": "Ida Kern", "tour": 4}, "Ida Kern fährt Tour 4."),
)
_NOT_AT_WORK = (
    ("assign_keeper", {"keeper": "Ann Holt", "cage": 7}, "Ann Holt declines cage 7."),
    ("assign_keeper", {"keeper": "Ann Holt", "cage": 7}, "Ann Holt keeps cage 9."),
    ("assign_keeper", {"keeper": "Ann Holt", "cage": 7}, "The keeper Ann Holt is in cage 7."),
    ("fahrer_zuweisen", {"fahrer": "Ida Kern", "tour": 4}, "Ida Kern ist heiser."),
)  # fmt: skip


def ended(tool: str, arguments: dict[str, Any], result: object) -> bool | None:
    """How a call of the tool with these arguments ended."""
    return call_succeeded(TraceStep(tool_name=tool, arguments=arguments, result=result))


@given(st.sampled_from(_VERBS), st.sampled_from(_THINGS), st.sampled_from(_EVENTS))
def test_what_happened_to_the_thing_is_no_success(verb: str, thing: str, event: str) -> None:  # fmt: skip
    for text in (f"{thing.title()} 8 {event}.", f"8: {thing} {event}"):
        assert ended(f"{verb}_{thing}", {thing: "8"}, text) is None


@given(st.sampled_from(_VERBS), st.sampled_from(_THINGS), st.sampled_from(_STATES))
def test_a_state_of_the_thing_is_one(verb: str, thing: str, state: str) -> None:
    text = f"{thing.title()} 8 {state}."
    assert ended(f"{verb}_{thing}", {thing: "8"}, text) is True
    assert ended(f"{verb}_{thing}", {thing: "8"}, f"Fog over {text}") is None


@pytest.mark.parametrize(("tool", "arguments", "text"), _AROUND)
def test_what_is_told_of_something_else_is_none(tool: str, arguments: dict[str, Any], text: str) -> None:  # fmt: skip
    assert ended(tool, arguments, text) is None


@pytest.mark.parametrize(("tool", "arguments", "text"), _AT_WORK)
def test_somebody_does_what_the_role_is_named_after(tool: str, arguments: dict[str, Any], text: str) -> None:  # fmt: skip
    assert ended(tool, arguments, text) is True


@pytest.mark.parametrize(("tool", "arguments", "text"), _NOT_AT_WORK)
def test_or_does_something_else(tool: str, arguments: dict[str, Any], text: str) -> None:  # fmt: skip
    assert ended(tool, arguments, text) is None


@given(st.sampled_from("FGK"), st.integers(1, 99), st.integers(1, 99))
def test_another_thing_of_the_sort_is_not_the_one_called_with(letter: str, asked: int, told: int) -> None:  # fmt: skip
    for own, other in ((f"{letter}{asked:02}", f"{letter}{told:02}"), (asked, told)):
        done = ended("book_seat", {"seat": own}, f"Seat {other} booked.")
        assert done is (True if own == other else None)


@pytest.mark.parametrize("text", ["Booked. Ref 88.", "Seat F07 booked with G12.", "Booked at 12:30."])  # fmt: skip
def test_other_figures_say_nothing_about_it(text: str) -> None:
    assert ended("book_seat", {"seat": "F07", "guest": 4}, text) is True


@pytest.mark.parametrize("noun", ["list", "view", "search", "check", "query", "count"])
@pytest.mark.parametrize("verb", ["create", "add", "make", "save", "rename", "update"])
def test_what_makes_a_list_does_not_read_it(verb: str, noun: str) -> None:
    assert not reads(f"{verb}_{noun}")
    assert reads(f"run_{noun}") is (noun not in {"view", "count"})
    assert reads(f"{noun}_orders")


def test_a_list_that_could_not_be_made_is_none() -> None:
    assert ended("create_list", {"name": "May"}, "Could not create the list.") is None
    assert ended("create_list", {"name": "May"}, "List May created.") is True


@pytest.mark.parametrize("reference", ["26/0417", "3/12"])
def test_a_reference_is_no_share(reference: str) -> None:
    call = {"application": reference}
    assert ended("grant_permission", call, f"{reference}: permission granted.") is True
    assert ended("grant_permission", {}, "3/12 granted") is None


@pytest.mark.parametrize("tool", ["reserver_salle", "reserve_room"])
def test_tools_with_names_of_other_languages_act(tool: str) -> None:
    assert ended(tool, {"salle": "B"}, "Salle B réservée pour lundi.") is True
    assert ended(tool, {"salle": "B"}, "Réservé pour 14 h.") is True
    assert ended(tool, {"salle": "B"}, "La salle B est en travaux.") is None


def test_an_active_ban_may_be_either() -> None:
    assert standing("active", "ban_guest") is Standing.UNKNOWN
    assert standing("active", "cancel_ban") is Standing.FAILED
    assert standing("lifted", "ban_guest") is Standing.FAILED


@pytest.mark.parametrize(
    ("arguments", "own", "other"),
    [
        ({"amount": 40}, "Paid 40 EUR for the tar.", "Paid 400 EUR for the tar."),
        ({"amount": "40"}, "Paid €40.00, ref 7.", "Paid €44.00, ref 40."),
        ({"date": "2026-05-04"}, "Paid for 4 May 2026.", "Paid for 5 May 2026."),
        ({"name": "Ada Roy"}, "Paid to Ada Roy.", "Paid to Ida Roy."),
        ({"name": "Ada Roy"}, "Paid to Ms Roy.", "Paid to Ada Holm."),
        ({"hours": 2}, "Paid for 2 hours.", "Paid for 3 hours."),
    ],
)
def test_another_value_than_that_of_the_call(arguments: dict[str, Any], own: str, other: str) -> None:  # fmt: skip
    assert ended("pay_rent", arguments, own) is True
    assert ended("pay_rent", arguments, other) is None
