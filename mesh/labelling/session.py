"""A labelling session as a pure state machine: keys in, the next state and what was decided out. No I/O, no clock.

A key is one character, or the name of one that has none (`enter`, `escape`, `backspace`, `pagedown` ...).
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.labelling.tree import OUTCOME_TREE, DecisionTree, TreeStep

MAX_NOTE: Final = 500
_MAX_PACES: Final = 20
_MIN_PACES: Final = 3


class View(StrEnum):
    """What stands above the question."""

    CARD = "card"
    ANSWER = "answer"
    TRACE = "trace"
    PROMPT = "prompt"
    RUBRIC = "rubric"
    NOTE = "note"
    REVEAL = "reveal"


class End(StrEnum):
    """Why a session is over."""

    DONE = "done"
    QUIT = "quit"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDecision:
    """The class a reviewer gave one result, the answers that led there, a note, and how long it took."""

    result_id: str
    outcome: OutcomeClass
    answers: tuple[bool, ...]
    note: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Where a session stands.

    queue: ids of the results to label. before: how many of the whole set had a label already. revealed: ids whose
    canonical label is shown once they are decided. shown_at_s: when the current result came up. paces: seconds
    that earlier labels took. offset, page: first line shown of a long view, and how many lines fit (the screen says).
    """

    queue: tuple[str, ...]
    before: int = 0
    revealed: frozenset[str] = frozenset()
    index: int = 0
    answers: tuple[bool, ...] = ()
    note: str = ""
    draft: str = ""
    view: View = View.CARD
    offset: int = 0
    page: int = 10
    message: str = ""
    shown_at_s: float = 0.0
    paces: tuple[float, ...] = ()
    decided: Mapping[str, LabelDecision] = field(
        default_factory=dict[str, LabelDecision]
    )
    skipped: frozenset[str] = frozenset()
    end: End | None = None
    tree: DecisionTree = OUTCOME_TREE

    @property
    def current(self) -> str:
        """The id of the result on the screen."""
        return self.queue[self.index]

    @property
    def step(self) -> TreeStep | None:
        """The question that is open; None when the current result is decided."""
        return self.tree.walk(self.answers).step

    @property
    def number(self) -> int:
        """Which of `total` is on the screen, counting those labelled before."""
        return self.before + self.index + 1

    @property
    def total(self) -> int:
        """All results of the set."""
        return self.before + len(self.queue)

    def left_s(self) -> float | None:
        """About how long the rest takes, by the median of the last labels; None before there are three."""
        if len(self.paces) < _MIN_PACES:
            return None
        typical_s = statistics.median(self.paces[-_MAX_PACES:])
        return typical_s * (len(self.queue) - self.index)


def start(
    queue: tuple[str, ...],
    *,
    now_s: float,
    before: int = 0,
    revealed: frozenset[str] = frozenset(),
    paces: tuple[float, ...] = (),
) -> State:
    """A session over the results of `queue`; it is over at once when there are none."""
    return State(
        queue=queue,
        before=before,
        revealed=revealed,
        paces=paces,
        shown_at_s=now_s,
        end=None if queue else End.DONE,
    )


def press(state: State, key: str, now_s: float) -> tuple[State, LabelDecision | None]:
    """What a key does. A decision that comes back has to be kept before anything else happens.

    Raises:
        ValueError: the session is over.
    """
    if state.end is not None:
        raise ValueError("the session is over")
    state = replace(state, message="")
    if state.view is View.NOTE:
        return _edit(state, key), None
    command = key.lower() if len(key) == 1 else key
    if state.step is None:
        return _after_reveal(state, key, command, now_s), None
    if command in _ANSWERS:
        return _answer(state, _ANSWERS[command], now_s)
    if state.view is not View.CARD and key in _SCROLL:
        return _scroll(state, key), None
    if command in _COMMANDS:
        return _COMMANDS[command](state, now_s), None
    return state if command == "enter" else _say(state, _unknown(key)), None


# --- answers ---


def _answer(
    state: State,
    answer: bool,  # noqa: FBT001 (yes or no)
    now_s: float,
) -> tuple[State, LabelDecision | None]:
    answers = (*state.answers, answer)
    outcome = state.tree.walk(answers).outcome
    if outcome is None:
        # The answer or the trace stays open; a rubric belongs to the question that is answered now.
        state = replace(state, answers=answers)
        if state.view is View.RUBRIC:
            state = _show(state, View.CARD)
        return state, None
    seconds = max(0.0, now_s - state.shown_at_s)
    decision = LabelDecision(
        result_id=state.current,
        outcome=outcome,
        answers=answers,
        note=state.note,
        seconds=round(seconds, 1),
    )
    state = replace(
        state,
        answers=answers,
        decided={**state.decided, state.current: decision},
        skipped=state.skipped - {state.current},
        paces=(*state.paces, seconds)[-_MAX_PACES:],
    )
    if state.current in state.revealed:
        return _show(state, View.REVEAL), decision
    state = _to(state, state.index + 1, now_s)
    return _say(state, f"{decision.result_id}: {outcome.value}"), decision


def _to(state: State, index: int, now_s: float) -> State:
    """Go to another result; past the last one the session is over."""
    state = replace(state, answers=(), note="", draft="", shown_at_s=now_s)
    if index >= len(state.queue):
        return replace(state, end=End.DONE)
    return _show(replace(state, index=index), View.CARD)


def _undo(state: State, now_s: float) -> State:
    if state.answers:
        return _show(replace(state, answers=state.answers[:-1]), View.CARD)
    if state.index == 0:
        return _say(state, "nothing to undo")
    before = state.queue[state.index - 1]
    if before in state.revealed and before in state.decided:
        return _say(state, f"{before} has been compared: label it anew with --again")
    state = _to(state, state.index - 1, now_s)
    earlier = state.decided.get(before)
    if earlier is None:
        return _say(state, "back at the one before")
    state = replace(state, answers=earlier.answers[:-1], note=earlier.note)
    return _say(state, f"{earlier.outcome.value} is kept until you decide anew")


def _skip(state: State, now_s: float) -> State:
    message = f"{state.current}: skipped"
    if state.current not in state.decided:
        state = replace(state, skipped=state.skipped | {state.current})
    return _say(_to(state, state.index + 1, now_s), message)


def _quit(state: State, _now_s: float) -> State:
    home = _home(state)
    return replace(state, end=End.QUIT) if state.view is home else _show(state, home)


def _after_reveal(state: State, key: str, command: str, now_s: float) -> State:
    """The current result is decided and compared: look at anything again, go on or quit; nothing can be changed."""
    if state.view is View.REVEAL and command in (" ", "enter"):
        return _to(state, state.index + 1, now_s)
    if key in _SCROLL:
        return _scroll(state, key)
    if command in _LOOKS:
        return _COMMANDS[command](state, now_s)
    return _say(state, "space or Enter goes on")


# --- views ---


def _show(state: State, view: View) -> State:
    return replace(state, view=view, offset=0)


def _home(state: State) -> View:
    """Where a long view goes back to."""
    return View.CARD if state.step is not None else View.REVEAL


def _toggle(view: View) -> Callable[[State, float], State]:
    def toggle(state: State, _now_s: float) -> State:
        return _show(state, _home(state) if state.view is view else view)

    return toggle


def _scroll(state: State, key: str) -> State:
    return replace(state, offset=max(0, _SCROLL[key](state.offset, state.page)))


def scrolled(state: State, *, offset: int, page: int) -> State:
    """The state after a screen was drawn that begins at line `offset` of its view and has room for `page` lines."""
    return replace(state, offset=offset, page=page)


def _say(state: State, message: str) -> State:
    return replace(state, message=message)


def _unknown(key: str) -> str:
    named = key if len(key) > 1 else repr(key)
    return f"{named} means nothing here"


# --- the note ---


def _edit(state: State, key: str) -> State:
    match key:
        case "enter":
            return _show(replace(state, note=state.draft.strip(), draft=""), View.CARD)
        case "escape":
            return _show(replace(state, draft=""), View.CARD)
        case "backspace":
            return replace(state, draft=state.draft[:-1])
        case "\x15":  # Ctrl-U
            return replace(state, draft="")
        case _ if len(key) == 1 and (key.isprintable() or key == "\t"):
            full = len(state.draft) >= MAX_NOTE
            draft = state.draft if full else state.draft + key.replace("\t", " ")
            return replace(
                state,
                draft=draft,
                message=f"a note has at most {MAX_NOTE} characters" if full else "",
            )
        case _:
            return state


def _begin_note(state: State, _now_s: float) -> State:
    return replace(_show(state, View.NOTE), draft=state.note)


_ANSWERS: Final = {"y": True, "n": False}
_COMMANDS: Final[Mapping[str, Callable[[State, float], State]]] = {
    "?": _toggle(View.RUBRIC),
    "a": _toggle(View.ANSWER),
    "t": _toggle(View.TRACE),
    "p": _toggle(View.PROMPT),
    "o": _begin_note,
    "u": _undo,
    "s": _skip,
    "q": _quit,
    "escape": lambda state, _now_s: _show(state, _home(state)),
}
_LOOKS: Final = frozenset({"a", "t", "p", "q", "escape"})
_SCROLL: Final[Mapping[str, Callable[[int, int], int]]] = {
    " ": lambda offset, page: offset + page,
    "pagedown": lambda offset, page: offset + page,
    "b": lambda offset, page: offset - page,
    "pageup": lambda offset, page: offset - page,
    "j": lambda offset, _page: offset + 1,
    "down": lambda offset, _page: offset + 1,
    "enter": lambda offset, _page: offset + 1,
    "k": lambda offset, _page: offset - 1,
    "up": lambda offset, _page: offset - 1,
    "g": lambda _offset, _page: 0,
    "home": lambda _offset, _page: 0,
    "G": lambda _offset, _page: 10**9,
    "end": lambda _offset, _page: 10**9,
}
