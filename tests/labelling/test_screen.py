"""What stands on the screen: it fits, it says everything, and nothing in it can reach the terminal."""

from __future__ import annotations

import re
import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import OutcomeClass
from judgemesh.contracts.result_parts.changes import StateChange
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.labelling.fold import cut, fold
from judgemesh.mesh.labelling.item import ReviewItem, item_of
from judgemesh.mesh.labelling.reference import CanonicalLabel, calibrate
from judgemesh.mesh.labelling.screen import Screen, Size, about, render
from judgemesh.mesh.labelling.session import State, press, start

OBEYED = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r\nnext\ttab\x00"
CONTRACT = EvalContract.model_validate(
    {
        "task_id": "trip",
        "family": "scheduling",
        "input": {"instruction": "Book the trip."},
        "success_criteria": {
            "required_outputs": ["plan"],
            "must_include": ["price"],
            "must_not_include": ["a guess"],
        },
        "fields": {"price": {"question": "Which price was paid?"}},
        "execution": {
            "expected": [
                {"kind": "booking", "target": "T-1", "parameters": {"seats": 2}}
            ]
        },
        "state": {
            "expected": [{"path": "/trips/T-1/status", "after": "booked"}],
            "forbidden": ["/cards/**"],
        },
        "criteria": [{"id": "rude", "question": "Is it rude?", "pass_if": "no"}],
        "budget": {"ceiling": {"amount": 0.1, "currency": "USD"}},
    }
)


def result(**more: Any) -> AgentResult:
    return AgentResult.model_validate({"result_id": "r1", "task_id": "trip", **more})


USUAL = Size(80, 24)


def shown(
    state: State,
    item: ReviewItem,
    size: Size = USUAL,
    *,
    canonical: CanonicalLabel | None = None,
) -> Screen:
    """A screen, after checking what every screen must be."""
    screen = render(state, item, size, canonical=canonical)
    assert len(screen.lines) <= max(6, size.rows)
    for line in screen.lines:
        assert cell_len(line.text) <= max(20, size.columns), line.text
        assert not OBEYED.search(line.text), line.text
    return screen


def text(screen: Screen) -> str:
    return "\n".join(line.text for line in screen.lines)


def after(keys: list[str] | str, *, revealed: bool = False) -> State:
    state = start(
        ("r1", "r2"), now_s=0.0, revealed=frozenset({"r1"} if revealed else ())
    )
    for key in keys:
        state, _ = press(state, key, 1.0)
    return state


def test_the_card_has_all_a_reviewer_needs_and_no_verdict() -> None:
    item = item_of(
        result(
            prompt="Two seats to Basel, please.",
            output={
                "final_answer": "Booked.",
                "outputs": {"plan": "by train"},
                "citations": ["A. Author"],
            },
            actions=[
                {
                    "kind": "booking",
                    "target": "T-1",
                    "confirmation_id": "B-7",
                    "confirmed": False,
                }
            ],
            records=[{"kind": "booking", "target": "T-1", "confirmation_id": "B-7"}],
            trace=[
                {
                    "tool_name": "book",
                    "arguments": {"seats": 2},
                    "result": {"id": "B-7"},
                    "error": "slow",
                }
            ],
            cost=0.25,
            latency_ms=8400,
            outcome_class="hallucinated",
            canonical={"verdict": "abandoned"},
        ),
        CONTRACT,
        changes=[StateChange(path="/trips/T-1/status", before="open", after="booked")],
    )
    card = text(shown(after(""), item, Size(100, 60)))
    for words in (
        "Two seats to Basel",
        "output plan",
        "says price: Which price was paid?",
        "not: a guess",
        "executed: booking, T-1, seats 2",
        "changed: path /trips/T-1/status, after booked",
        "unchanged: /cards/**",
        "Is it rude? (should be: no)",
        "Booked.",
        "by train",
        "A. Author",
        "confirmation B-7 not confirmed by the user",
        '1 book(seats=2)\n  -> {"id": "B-7"}\n  error: slow\n',
        "record booking T-1",
        "/trips/T-1/status: open -> booked",
        "cost 0.25 USD, ceiling 0.1 USD: 2.5 times it",
        "8.4 s",
        "1 of 2",
        "1. Is there any output to judge?",
    ):
        assert words in card
    everything = card + "".join(
        text(shown(after(key), item, Size(100, 200))) for key in "atp"
    )
    assert "hallucinated" not in everything
    assert "abandoned" not in everything


def test_the_prompt_comes_from_the_run_then_the_contract_then_the_trace() -> None:
    said = {"steps": [{"role": "user", "content": "Said."}]}
    assert item_of(result(prompt="Own."), CONTRACT).prompt == "Own."
    assert item_of(result(trace=said), CONTRACT).prompt == "Book the trip."
    assert item_of(result(trace=said), None).prompt == "Said."
    bare = text(shown(after(""), item_of(result(), None)))
    assert "not stated" in bare
    assert "no contract: go by the prompt" in bare
    assert "empty: nothing came" in bare
    assert "cost unknown" in bare


def test_each_view_shows_its_whole_text_page_by_page() -> None:
    long = item_of(
        result(output="\n".join(f"line {number}" for number in range(200))), CONTRACT
    )
    state = after("a")
    seen: list[str] = []
    for _ in range(30):
        screen = shown(state, long)
        seen += [line.text for line in screen.lines if line.text.startswith("line ")]
        state, _ = press(state, " ", 1.0)
    assert list(dict.fromkeys(seen)) == [f"line {number}" for number in range(200)]
    end, _ = press(after("a"), "G", 1.0)
    last = shown(end, long)
    assert "line 199" in text(last)
    assert last.offset == 202 - last.page
    rubric = text(shown(after("y?"), long, Size(80, 60)))
    assert "is based on something real" in rubric
    assert "hallucinated: something invented" in rubric


def test_the_question_stays_on_the_lowest_terminals() -> None:
    item = item_of(result(output="Booked."), CONTRACT)
    for rows in (6, 8, 10):
        for columns in (20, 30, 80):
            assert "1. Is there any output to judge?" in " ".join(
                text(shown(after(""), item, Size(columns, rows))).split()
            )


def test_the_trace_is_one_line_a_step_where_there_is_no_room_for_all() -> None:
    item = item_of(
        result(output="x", trace=[{"tool_name": "t", "result": "one\ntwo"}] * 6),
        CONTRACT,
    )
    low = text(shown(after(""), item, Size(80, 24)))
    assert "  1 t() -> one two" in low
    assert (
        "output plan · says price: Which price was paid? · not: a guess" in low
    )  # and so do the sub-goals run on
    assert "  1 t()\n  -> one\n  two\n" in text(shown(after(""), item, Size(80, 60)))


def test_what_was_left_out_is_marked() -> None:
    item = item_of(
        result(
            output="word " * 5000, trace=[{"tool_name": f"t{n}"} for n in range(50)]
        ),
        CONTRACT,
    )
    card = text(shown(after(""), item))
    assert " …\nTRACE (50 entries)" in card
    assert re.search(r"… \d\d more …\n", card)
    assert "50 t49" in card


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["", "a", "t", "p", "?", "o"]), max_size=2),
    st.text(max_size=300),
    st.integers(1, 130),
    st.integers(1, 50),
)
def test_any_text_fits_any_terminal(
    keys: list[str], words: str, columns: int, rows: int
) -> None:
    item = item_of(
        result(prompt=words, output=words, trace=[{"role": "user", "content": words}]),
        CONTRACT,
    )
    state = after(
        [*"".join(keys), *words[:20]] if keys[-1:] == ["o"] else "".join(keys)
    )
    if state.end is None:
        shown(state, item, Size(columns, rows))


@pytest.mark.parametrize("key", ["", "a", "t", "p", "o"])
def test_nothing_hostile_reaches_the_terminal(key: str) -> None:
    many: dict[str, Any] = {
        "result_id": HOSTILE,
        "prompt": HOSTILE,
        "output": {"final_answer": HOSTILE, "outputs": {HOSTILE: HOSTILE}},
        "actions": [{"kind": HOSTILE, "confirmation_id": HOSTILE}],
        "trace": [
            {"tool_name": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "result": HOSTILE}
        ],
    }
    item = item_of(result(**many), CONTRACT, problem=HOSTILE)
    screen = shown(after([key, *HOSTILE] if key == "o" else key), item, Size(90, 60))
    if key == "a":
        assert r"\x1b[2J\x9b31m\u202e" in text(screen)


def test_a_megabyte_is_shown_at_once() -> None:
    answers = ("x" * 2**20, "word " * 2**18, "語" * 2**18, "a\n" * 2**19)
    for answer in answers:
        item = item_of(result(output=answer), CONTRACT)
        began = time.process_time()
        for keys in ("", "a"):
            shown(after(keys), item)
        assert time.process_time() - began < 3.0


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.integers(2, 30))
def test_folding_loses_nothing_but_spaces_at_the_breaks(words: str, width: int) -> None:
    lines = fold(words, width)
    assert all(cell_len(line) <= width for line in lines)
    whole = "".join(fold(words, 10_000))
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", whole)


def test_folding_breaks_at_spaces() -> None:
    assert fold("one two three\nfour", 9) == ("one two", "three", "four")
    assert fold("dû deux trois", 8) == ("dû deux", "trois")
    assert fold("語語語 語", 6) == ("語語語", "語")
    assert fold("abcdefgh", 3) == ("abc", "def", "gh")
    assert fold("", 5) == ("",)
    assert cut("語語語", 5) == "語語…"


def test_costs_are_compared_in_one_currency_only() -> None:
    dear = item_of(result(cost=Money(Decimal(1), "EUR")), CONTRACT)
    assert "cost 1 EUR, ceiling 0.1 USD" in dear.facts
    assert "cost unknown, ceiling 0.1 USD" in item_of(result(), CONTRACT).facts


def test_the_time_left_is_rough() -> None:
    assert [about(s) for s in (3, 89, 1080, 9000)] == [
        "about a minute left",
        "about a minute left",
        "about 18 min left",
        "about 2.5 h left",
    ]


def test_the_canonical_label_is_shown_only_after_yours() -> None:
    item = item_of(result(output="Booked."), CONTRACT)
    canonical = CanonicalLabel(
        result_id="r1",
        outcome=OutcomeClass.COMPLETE,
        rationale="Every sub-goal.",
        near=OutcomeClass.PARTIAL_PLUS,
    )
    for keys in ("", "y", "yn", "yna", "yn?"):
        before = text(
            shown(after(keys, revealed=True), item, Size(100, 60), canonical=canonical)
        )
        assert "canonical" not in before
        assert "Every sub-goal." not in before
    differs = text(
        shown(after("yy", revealed=True), item, Size(100, 60), canonical=canonical)
    )
    for words in (
        "yours      hallucinated",
        "canonical  complete",
        "differs",
        "Every sub-goal.",
        "taken for partial+",
    ):
        assert words in differs
    assert "You part at: Does the output present anything invented as real?" in differs
    assert "You said yes, the canonical label no." in differs
    assert "agreed" in text(
        shown(after("yny", revealed=True), item, canonical=canonical)
    )


def test_calibration_counts_what_both_labelled() -> None:
    c = OutcomeClass
    reference = {
        name: CanonicalLabel(result_id=name, outcome=outcome)
        for name, outcome in (
            ("a", c.COMPLETE),
            ("b", c.COMPLETE),
            ("c", c.PARTIAL_MINUS),
            ("d", c.ABANDONED),
        )
    }
    labels = {
        "a": (c.COMPLETE, (True, False, True)),
        "b": (c.HALLUCINATED, (True, True)),
        "c": (c.PARTIAL_PLUS, ()),  # a label that came without its answers
        "z": (c.COMPLETE, (True, False, True)),
    }
    found = calibrate(labels, reference)
    assert found is not None
    assert (found.items, found.agreement) == (3, 1 / 3)
    assert found.low < 1 / 3 < found.high
    assert found.confusion == {
        (c.COMPLETE, c.COMPLETE): 1,
        (c.COMPLETE, c.HALLUCINATED): 1,
        (c.PARTIAL_MINUS, c.PARTIAL_PLUS): 1,
    }
    parted = {
        one.result_id: one.parting and one.parting.step.id for one in found.differences
    }
    assert parted == {"b": "fabricated", "c": None}
    assert (
        calibrate(labels, {"q": CanonicalLabel(result_id="q", outcome=c.COMPLETE)})
        is None
    )
    same = calibrate({"a": labels["a"]}, reference)
    assert same is not None
    assert (same.agreement, same.kappa, same.ac1) == (1.0, None, None)
