"""The session as a machine without a terminal: keys in, labels and screens out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.labelling.session import (
    MAX_NOTE,
    End,
    LabelDecision,
    State,
    View,
    press,
    scrolled,
    start,
)
from judgemesh.mesh.labelling.tree import OUTCOME_TREE

C = OutcomeClass
QUEUE = ("r1", "r2", "r3")


def play(
    keys: list[str] | str, state: State | None = None, *, step_s: float = 1.0
) -> tuple[State, list[LabelDecision]]:
    """Press keys one after the other, a second apart, until they or the session end."""
    state = state or start(QUEUE, now_s=0.0)
    made: list[LabelDecision] = []
    for count, key in enumerate(keys, start=1):
        if state.end is not None:
            break
        state, decision = press(state, key, count * step_s)
        if decision is not None:
            made.append(decision)
    return state, made


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        ("n", C.ABANDONED),
        ("yy", C.HALLUCINATED),
        ("yny", C.COMPLETE),
        ("ynny", C.PARTIAL_PLUS),
        ("YNNN", C.PARTIAL_MINUS),
    ],
)
def test_a_key_a_step_gives_a_class_and_the_next_result(
    keys: str, outcome: OutcomeClass
) -> None:
    state, made = play(keys)
    answers = tuple(key.lower() == "y" for key in keys)
    assert made == [
        LabelDecision(
            result_id="r1",
            outcome=outcome,
            answers=answers,
            note="",
            seconds=float(len(keys)),
        )
    ]
    assert (state.current, state.answers, state.view) == ("r2", (), View.CARD)
    assert outcome.value in state.message


def test_after_the_last_result_the_session_is_over() -> None:
    state, made = play("nnn")
    assert [one.result_id for one in made] == list(QUEUE)
    assert state.end is End.DONE
    with pytest.raises(ValueError, match="over"):
        press(state, "y", 9.0)


def test_nothing_to_label_is_over_at_once() -> None:
    assert start((), now_s=0.0).end is End.DONE


def test_undo_takes_back_one_answer_then_the_result_before() -> None:
    state, made = play("ynu")
    assert (state.current, state.answers, made) == ("r1", (True,), [])
    state, made = play(["y", "n", "y", "u", "n", "n"])
    assert [(one.result_id, one.outcome) for one in made] == [
        ("r1", C.COMPLETE),
        ("r1", C.PARTIAL_MINUS),
    ]
    assert state.current == "r2"
    assert state.decided["r1"].outcome is C.PARTIAL_MINUS  # the last word
    state, _ = play("u")
    assert state.message == "nothing to undo"


def test_undo_over_a_skipped_result_and_back() -> None:
    state, made = play("suyy")
    assert [(one.result_id, one.outcome) for one in made] == [("r1", C.HALLUCINATED)]
    assert (state.current, state.skipped) == ("r2", frozenset())


def test_skipped_results_get_no_label() -> None:
    state, made = play("sns")
    assert [one.result_id for one in made] == ["r2"]
    assert state.skipped == {"r1", "r3"}
    assert state.end is End.DONE


def test_a_label_that_was_undone_and_skipped_stands() -> None:
    state, made = play("nus")
    assert [one.outcome for one in made] == [C.ABANDONED]
    assert state.skipped == frozenset()


def test_a_note_is_one_line_and_stays_with_its_result() -> None:
    state, made = play(
        ["o", *"yes, no", "backspace", "\x1b[evil", "\x00", "enter", "n", "n"]
    )
    assert [one.note for one in made] == ["yes, n", ""]
    state, made = play(["n", "u", "o", *" late", "enter", "n"])
    assert [one.note for one in made] == ["", "late"]
    state, made = play(["o", "a", "escape", "o", "b", "\x15", "c", "enter", "n"])
    assert made[0].note == "c"
    state, _ = play(["o", *"x" * (MAX_NOTE + 9)])
    assert (len(state.draft), str(MAX_NOTE) in state.message) == (MAX_NOTE, True)


def test_views_open_close_and_answers_work_from_within() -> None:
    for key, view in (
        ("?", View.RUBRIC),
        ("a", View.ANSWER),
        ("t", View.TRACE),
        ("p", View.PROMPT),
    ):
        assert play(key)[0].view is view
        for closing in (key, "q", "escape"):
            assert play([key, closing])[0].view is View.CARD
    state, made = play("y?ny")
    assert (made[0].outcome, state.current, state.view) == (C.COMPLETE, "r2", View.CARD)
    assert play("ay")[0].view is View.ANSWER  # whoever reads, reads on
    assert play("?y")[0].view is View.CARD  # that rubric is done with
    assert play("ayy")[0].view is View.CARD  # another result begins with its card
    state, _ = play("aq")
    assert state.end is None
    assert play("q")[0].end is End.QUIT


def test_scrolling_moves_by_lines_and_pages_and_never_before_the_start() -> None:
    state = scrolled(play("t")[0], offset=0, page=7)
    for keys, offset in (
        ([" "], 7),
        (["pagedown", "b"], 0),
        (["j", "down", "k"], 1),
        (["k"], 0),
        ([" ", "g"], 0),
    ):
        assert play(keys, state)[0].offset == offset
    assert play(["G"], state)[0].offset > 10**6  # the screen knows where the end is
    assert play(["G", "a"], state)[0].offset == 0


def test_a_compared_result_waits_and_cannot_be_changed() -> None:
    state = start(QUEUE, now_s=0.0, revealed=frozenset({"r1"}))
    state, made = play("nyyu", state)
    assert (len(made), state.view, state.current) == (1, View.REVEAL, "r1")
    assert play("aq", state)[0].view is View.REVEAL
    assert play("q", state)[0].end is End.QUIT
    state, _ = play([" ", "u"], state)
    assert (state.current, "--again" in state.message) == ("r2", True)
    state, _ = play("n", state)  # r2 has no canonical label
    assert (state.current, state.view) == ("r3", View.CARD)


def test_the_time_left_follows_the_median_of_the_last_labels() -> None:
    queue = tuple(f"r{number}" for number in range(10))
    state = start(queue, now_s=0.0, before=5, paces=(10.0, 20.0))
    assert (state.number, state.total, state.left_s()) == (6, 15, None)
    state, _ = press(state, "n", 30.0)
    assert (state.number, state.left_s()) == (7, 20.0 * 9)


def test_an_unknown_key_says_so_and_does_nothing() -> None:
    for key in ("x", "right", "escape sequence", "\x07", "é"):
        state, made = play([key])
        assert "means nothing here" in state.message
        assert "\x07" not in state.message
        assert (replace(state, message=""), made) == (start(QUEUE, now_s=0.0), [])
    assert play(["enter"])[0].message == ""  # keys may come from a file with lines


KEYS = st.sampled_from(
    [
        "y",
        "n",
        "y",
        "n",
        "u",
        "s",
        "a",
        "t",
        "p",
        "?",
        "o",
        " ",
        "enter",
        "escape",
        "backspace",
        "j",
        "G",
        "x",
        "é",
    ]
)


@given(st.lists(KEYS, max_size=80), st.sets(st.sampled_from(QUEUE)))
def test_whatever_is_pressed_labels_follow_from_the_tree(
    keys: list[str], revealed: set[str]
) -> None:
    state, made = play(keys, start(QUEUE, now_s=0.0, revealed=frozenset(revealed)))
    for one in made:
        assert OUTCOME_TREE.walk(one.answers).outcome is one.outcome
        assert one.seconds >= 0
    last = {one.result_id: one for one in made}
    assert state.decided == last  # nothing decided is ever lost or invented
    for result_id in revealed:
        assert sum(one.result_id == result_id for one in made) <= 1
    if state.end is None:
        assert state.current == QUEUE[state.index]
        assert (state.step is None) == (
            state.current in revealed and state.current in last
        )
    assert not state.skipped & last.keys()
