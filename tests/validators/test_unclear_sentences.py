"""Sentences of tools without any telling word: what shares nothing with the call leaves it open, whatever the verb."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.validators._shared.trace.call_outcome import call_succeeded

_VERBS = (
    "vaccinate",
    "graft",
    "thresh",
    "winch",
    "glaze",
    "etch",
    "sow",
    "notarise",
    "sterilise",
)
_UNRELATED = (
    "Mould cracked.", "The buyer walked out.", "Impfstoff ist alle", "Le vendeur a quitté la salle.",
    "Hose burst at noon", "Se rompió la cuerda.", "Seed lies damp", "Bronze has a bad colour",
)  # fmt: skip
_NOUNS = (
    ("exchange_rate", {"from": "EUR", "to": "NOK"}, "11.62 kroner for one euro"),
    ("opening_hours", {"place": "pool"}, "Daily from ten to six"),
    ("tram_timetable", {"stop": "Depot"}, "Every ten minutes from five in the morning"),
    ("route_planner", {"to": "Oban"}, "Take bus ten and walk two minutes"),
    ("chat_with_ann", {"text": "How is it?"}, "Feeder empty today"),
)
_OUTCOMES = (
    ("book_hall", {"hall": "St. Anne"}, "See you on Monday at 9"),
    ("book_hall", {"hall": "St. Anne"}, "The hall is yours on 4 May."),
    ("book_table", {"name": "Kern"}, "Wir freuen uns auf Sie am Freitag."),
    ("book_class", {"class": "yoga"}, "Te esperamos el lunes a las 9."),
    (
        "enrol_course",
        {"course": "lead"},
        "Welcome to the lead course, starting 3 June!",
    ),
    ("issue_ticket", {"route": "Oban"}, "Here is your ticket: F-20881."),
    ("schedule_fitting", {"patient": "Lu"}, "Fitting with Lu: Tuesday 14:30."),
    ("set_gain", {"aid": "R", "db": 12}, "Right aid is now at 12 dB."),
    ("add_singer", {"name": "Ilse", "voice": "alto"}, "Ilse now sings with the altos."),
    ("cancel_rehearsal", {"date": "2 March"}, "Rehearsal on 2 March is off."),
    ("remove_singer", {"name": "Jo"}, "Jo is no longer on the list."),
)
_NO_OUTCOMES = (
    ("book_hall", {"hall": "St. Anne"}, "We have holidays bis Montag, the hall rests"),
    ("book_hall", {"hall": "St. Anne"}, "We look forward to your payment"),
    ("book_slot", {"day": "Friday"}, "Next slot: Tuesday 14:30"),
    ("book_slot", {"day": "Friday"}, "Slot fee: 14 EUR"),
    ("set_gain", {"aid": "R", "db": 12}, "12 dB is now the fashion"),
    ("cancel_membership", {"name": "Tom"}, "Cancellation is no longer possible"),
    ("book_hall", {"hall": "4"}, "Booked, unless the warden objects"),
    ("run_kiln", {"kiln": "2"}, "ran out of glaze"),
    ("run_pump", {"pump": "2"}, "Ran dry after three minutes"),
    ("winch_boat", {"boat": "2"}, "Boat 2 is still on the trailer."),
    ("fit_mould", {"ear": "left"}, "Mould too tight"),
)


def ended(tool: str, arguments: dict[str, Any], result: object) -> bool | None:
    """How a call of the tool with these arguments ended."""
    return call_succeeded(TraceStep(tool_name=tool, arguments=arguments, result=result))


@given(
    st.sampled_from(_VERBS),
    st.sampled_from(_UNRELATED),
    st.sampled_from(("goat", "lot", "boat")),
)
def test_what_shares_nothing_with_the_call_is_no_success(verb: str, text: str, thing: str) -> None:  # fmt: skip
    for result in (text, {"message": text}, [text]):
        assert ended(f"{verb}_{thing}", {thing: "17"}, result) is None


@given(st.sampled_from(_VERBS), st.sampled_from(_UNRELATED), st.integers(2, 999))
def test_the_tools_own_verb_in_front_makes_it_a_success(verb: str, text: str, number: int) -> None:  # fmt: skip
    past = f"{verb}d" if verb.endswith("e") else f"{verb}ed"
    done = f"Lot {number} {past}. {text}"
    assert ended(f"{verb}_lot", {"lot": number}, done) is True


@pytest.mark.parametrize(("tool", "arguments", "text"), _NOUNS)
def test_a_tool_named_after_a_thing_hands_it_over(tool: str, arguments: dict[str, Any], text: str) -> None:  # fmt: skip
    assert ended(tool, arguments, text) is True


@pytest.mark.parametrize(("tool", "arguments", "text"), _OUTCOMES)
@pytest.mark.parametrize("prefix", ["", "mcp__desk__", "desk."])
def test_what_the_work_comes_to_says_that_it_is_done(
    prefix: str, tool: str, arguments: dict[str, Any], text: str
) -> None:
    assert ended(prefix + tool, arguments, text) is True
    assert ended(prefix + tool, arguments, {"message": text}) is True


@pytest.mark.parametrize(("tool", "arguments", "text"), _NO_OUTCOMES)
def test_what_only_looks_like_it_does_not(tool: str, arguments: dict[str, Any], text: str) -> None:  # fmt: skip
    assert ended(tool, arguments, text) is None


@pytest.mark.parametrize("word", ["Bed", "Red", "Seed", "Speed", "Feed"])
def test_a_noun_that_ends_like_a_participle_says_nothing(word: str) -> None:
    assert ended("winch_boat", {"boat": "2"}, f"{word} lies in the way") is None


@pytest.mark.parametrize("prefix", ["mcp__pool__", "functions.", "pool/"])
def test_the_prefix_of_a_server_changes_nothing(prefix: str) -> None:
    for text in ("The swimming club has all lanes then.", "Lane 3 booked for 7 am."):
        same = ended("book_lane", {"lane": 3}, text)
        assert ended(f"{prefix}book_lane", {"lane": 3}, text) is same
