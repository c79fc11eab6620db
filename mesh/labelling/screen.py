"""A session's state -> the lines of a screen. Pure; every line fits, and nothing in it is obeyed by a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.mesh.labelling.fold import cut, fold
from judgemesh.mesh.labelling.item import Item
from judgemesh.mesh.labelling.reference import Canonical, difference
from judgemesh.mesh.labelling.session import State, View
from judgemesh.mesh.labelling.tree import DEFINITIONS
from judgemesh.mesh.reporting.text import one_line, plural

_LEAST: Final = (20, 6)
_KEYS: Final = (
    "y yes",
    "n no",
    "? rubric",
    "u undo",
    "s skip",
    "a answer",
    "t trace",
    "p prompt",
    "o note",
    "q quit",
)
_AFTER: Final = ("a answer", "t trace", "p prompt")
_IN_VIEW: Final = {
    View.RUBRIC: "? rubric",
    View.ANSWER: "a answer",
    View.TRACE: "t trace",
    View.PROMPT: "p prompt",
}
_GAP: Final = "  "
_MARGIN: Final = 2


@dataclass(frozen=True, slots=True)
class Size:
    """Of a terminal, in cells."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line and its style: `title`, `dim`, `question`, `good`, `bad` or nothing."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Screen:
    """What to draw: at most as many lines as the terminal has. offset: first line of the view that is shown; page: how
    many of its lines fit; foot: how many of the lines, from the end, ask the question."""

    lines: tuple[Line, ...]
    offset: int
    page: int
    foot: int


@dataclass(frozen=True, slots=True)
class _Section:
    """Part of the card. `body` is its text so far as it can be shown at all, folded; `weight` its share of room."""

    title: str
    body: tuple[str, ...]
    weight: int
    middle: bool = False


def render(
    state: State, item: Item, size: Size, *, canonical: Canonical | None = None
) -> Screen:
    """The screen of a state that is not at its end. `canonical` is shown by the reveal view only."""
    width, rows = max(_LEAST[0], size.columns), max(_LEAST[1], size.rows)
    head = _head(state, item, width)
    foot = _foot(state, width, rows)
    room = max(1, rows - len(head) - len(foot))
    if state.view in (View.CARD, View.NOTE):
        body, offset = _card(item, width, room), 0
    else:
        lines = _long(state, item, width, canonical)
        offset = max(0, min(state.offset, len(lines) - room))
        body = lines[offset : offset + room]
        if len(lines) > room:
            place = f"{offset + 1:,}-{offset + len(body):,} of {len(lines):,} lines"
            keys = "PgDn, PgUp" if state.view is View.REVEAL else "space, b"
            head = (
                head[0],
                Line(
                    cut(f"{_rule(6)} {place} ({keys}) {_rule(width)}", width, ""), "dim"
                ),
            )
    filler = (Line(""),) * (room - len(body))
    return Screen((*head, *body, *filler, *foot)[-rows:], offset, room, len(foot))


# --- head and foot ---


def _head(state: State, item: Item, width: int) -> tuple[Line, Line]:
    left = state.left_s()
    parts = [
        f"{state.number:,} of {state.total:,}",
        *([about(left)] if left is not None else []),
    ]
    said = " · ".join(
        [
            *parts,
            one_line(item.result_id),
            *([one_line(item.family)] if item.family else []),
        ]
    )
    return Line(cut(said, width), "title"), Line(_rule(width), "dim")


def about(seconds: float) -> str:
    """`about 18 min left`, in steps that do not pretend to be exact."""
    if seconds < 90:
        return "about a minute left"
    minutes = round(seconds / 60)
    return (
        f"about {minutes} min left"
        if minutes < 100
        else f"about {minutes / 60:.1f} h left"
    )


def _foot(state: State, width: int, rows: int) -> tuple[Line, ...]:
    said = [Line(cut(one_line(state.message), width), "dim")] if state.message else []
    rule = Line(_rule(width), "dim")
    if state.view is View.NOTE:
        draft = _tail(one_line(state.draft), width - 8)
        return (
            rule,
            *said,
            Line(f"note: {draft}_", "question"),
            Line(cut("Enter keeps it, Esc does not", width), "dim"),
        )
    shown = _IN_VIEW.get(state.view)
    if (step := state.step) is None:
        after = [
            "q back" if shown else "space goes on",
            *(key for key in _AFTER if key != shown),
        ]
        return (
            rule,
            *said,
            *(
                Line(text, "dim")
                for text in _packed(after if shown else [*after, "q quit"], width)
            ),
        )
    number = len(state.answers) + 1
    question = [
        Line(text, "question") for text in fold(f"{number}. {step.question}", width)
    ]
    if state.note:
        said = [*said, Line(cut(f"note: {one_line(state.note)}", width), "dim")]
    keys = [Line(text, "dim") for text in _packed(_keys_of(state), width)]
    lines = (rule, *said, *question, *keys)
    # A very low terminal keeps the question; the list of keys goes first.
    return (
        lines
        if len(lines) <= rows - 3
        else (*question, *said, *keys)[: max(len(question), rows - 3)]
    )


def _keys_of(state: State) -> list[str]:
    shown = _IN_VIEW.get(state.view)
    return [
        ("q back" if key == "q quit" and shown else key)
        for key in _KEYS
        if key != shown
    ]


def _packed(words: Sequence[str], width: int) -> list[str]:
    """Words in as few lines as they fit in, none of them broken."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(_GAP) + len(word) <= width:
            lines[-1] += _GAP + word
        else:
            lines.append(word)
    return lines


def _tail(text: str, width: int) -> str:
    from rich.cells import cell_len

    while cell_len(text) > max(1, width):
        text = text[max(1, (cell_len(text) - width) // 2) :]
    return text


def _rule(width: int) -> str:
    return "─" * width


# --- the card ---


def _card(item: Item, width: int, room: int) -> tuple[Line, ...]:
    """Prompt, sub-goals, answer, trace and facts; each gets its share of the room, and leaves to others what it can."""
    facts = [Line(cut(" · ".join(item.facts), width), "dim")]
    if item.problem:
        facts.append(Line(cut(one_line(item.problem), width), "bad"))
    room -= len(facts)
    sections = _sections(item, width, room)
    shares = _shares(sections, room)
    lines: list[Line] = []
    for section, share in zip(sections, shares, strict=True):
        if share > 1 or (share and not section.body):
            lines.append(Line(cut(section.title, width), "title"))
        if share:
            lines.extend(
                Line(text) for text in _excerpt(section, max(1, share - 1), width)
            )
    return tuple([*lines, *facts][: room + len(facts)])


def _sections(item: Item, width: int, room: int) -> tuple[_Section, ...]:
    """The four sections. Where there is no room for all of it, sub-goals run on and the trace is one line a step."""
    enough = width * (room + 2) * 2

    def text(words: str) -> tuple[str, ...]:
        return _indented(words[:enough] + ("\n" if len(words) > enough else ""), width)

    goals = [one_line(goal, enough) for goal in item.goals] or [
        "no contract: go by the prompt"
    ]
    listed = tuple(
        line
        for goal in goals
        for line in _indented(f"- {goal}" if item.goals else goal, width)
    )
    steps = tuple(" " * _MARGIN + step for step in item.brief)
    prompt = _Section("PROMPT", text(item.prompt.strip() or "not stated"), 2)
    answer = _Section(
        f"ANSWER ({plural(len(item.answer), 'character')})",
        text(item.answer or "empty: nothing came"),
        5,
    )

    def together(
        goal_lines: tuple[str, ...], trace_lines: tuple[str, ...], *, middle: bool
    ) -> tuple[_Section, ...]:
        trace_title = f"TRACE ({plural(len(item.brief), 'entry', 'entries')})"
        trace = _Section(trace_title, trace_lines, 4, middle=middle)
        return (
            prompt,
            _Section(f"SUB-GOALS ({len(item.goals)})", goal_lines, 3),
            answer,
            trace,
        )

    whole = text(item.trace) if 0 < len(item.trace) < enough else steps
    for sections in (
        together(listed, whole, middle=False),
        together(listed, steps, middle=True),
    ):
        if sum(len(section.body) + 1 for section in sections) <= room:
            return sections
    return together(_indented(" · ".join(goals), width), steps, middle=True)


def _indented(text: str, width: int) -> tuple[str, ...]:
    return tuple(" " * _MARGIN + line for line in fold(text, width - _MARGIN))


def _shares(sections: Sequence[_Section], room: int) -> list[int]:
    """Lines for each section, its title among them: by weight, and never more than it needs. Where there is no room
    for more than titles, whole sections go, the trace first."""
    needs = [len(section.body) + 1 for section in sections]
    kept = [
        place for place, need in enumerate(needs) if need > 1 or room > 2 * len(needs)
    ]
    for dropped in (3, 1, 0):
        if 2 * len(kept) > room:
            kept = [place for place in kept if place != dropped]
    shares = [0] * len(sections)
    for place in kept:
        shares[place] = min(2, needs[place])
    left = room - sum(shares)
    while left > 0 and (
        hungry := [place for place in kept if shares[place] < needs[place]]
    ):
        # One line at a time to whoever has the least for its weight.
        place = min(hungry, key=lambda place: shares[place] / sections[place].weight)
        shares[place] += 1
        left -= 1
    return shares


def _excerpt(section: _Section, room: int, width: int) -> list[str]:
    """As much of a section as fits, and a mark where something was left out."""
    body = section.body
    if len(body) <= room or room <= 0:
        return [cut(line, width) for line in body[: max(0, room)]]
    if section.middle and room >= 3:
        first = (room - 1) // 2
        gap = f"{' ' * _MARGIN}… {len(body) - room + 1} more …"
        return [
            cut(line, width)
            for line in (*body[:first], gap, *body[len(body) - (room - 1 - first) :])
        ]
    last = cut(body[room - 1], width - 2, "").rstrip() + " …"
    return [*body[: room - 1], last]


# --- long views ---


def _long(
    state: State, item: Item, width: int, canonical: Canonical | None
) -> tuple[Line, ...]:
    match state.view:
        case View.ANSWER:
            return _block("ANSWER", item.answer or "empty: nothing came", width)
        case View.TRACE:
            problem = _block("PROBLEM", item.problem, width) if item.problem else ()
            return (*problem, *_block("TRACE", item.trace or "there is none", width))
        case View.PROMPT:
            goals = (
                "\n".join(f"- {goal}" for goal in item.goals)
                or "no contract: go by the prompt"
            )
            return (
                *_block("PROMPT", item.prompt or "not stated", width),
                *_block("SUB-GOALS", goals, width),
                *(_block("CONTRACT", item.contract, width) if item.contract else ()),
            )
        case View.REVEAL:
            return _reveal(state, width, canonical)
        case _:
            return _rubric(state, width)


def _block(title: str, text: str, width: int) -> tuple[Line, ...]:
    return (Line(title, "title"), *(Line(line) for line in fold(text, width)), Line(""))


def _rubric(state: State, width: int) -> tuple[Line, ...]:
    lines: list[Line] = []
    if (step := state.step) is not None:
        lines += [Line(text, "title") for text in fold(step.question, width)]
        for paragraph in step.rubric:
            lines += [*(Line(text) for text in _indented(paragraph, width)), Line("")]
        ways = [("yes", step.yes), ("no", step.no)]
        for word, way in ways:
            named = state.tree.steps.get(way)
            lines.append(
                Line(cut(f"{word} -> {named.question if named else way}", width), "dim")
            )
        lines.append(Line(""))
    lines.append(Line("THE FIVE CLASSES", "title"))
    for outcome, words in DEFINITIONS.items():
        lines += [Line(text) for text in _indented(f"{outcome.value}: {words}", width)]
    return tuple(lines)


def _reveal(state: State, width: int, canonical: Canonical | None) -> tuple[Line, ...]:
    decision = state.decided.get(state.current)
    if canonical is None or decision is None:
        return ()
    differs = difference(decision.outcome, decision.answers, canonical)
    style = "good" if differs is None else "bad"
    lines = [
        Line(f"yours      {decision.outcome.value}", "title"),
        Line(f"canonical  {canonical.outcome.value}", style),
        Line("agreed" if differs is None else "differs", style),
        Line(""),
        *(
            Line(text)
            for text in fold(canonical.rationale or "no rationale is given", width)
        ),
    ]
    if canonical.near is not None:
        lines += [
            Line(""),
            *(
                Line(text, "dim")
                for text in fold(f"easily taken for {canonical.near.value}", width)
            ),
        ]
    if differs is not None and (parting := differs.parting) is not None:
        words = f"You part at: {parting.step.question}"
        said = f"You said {_yes(parting.given)}, the canonical label {_yes(parting.expected)}."
        lines += [
            Line(""),
            *(Line(text, "question") for text in fold(words, width)),
            Line(cut(said, width)),
        ]
        for paragraph in parting.step.rubric:
            lines += [
                Line(""),
                *(Line(text, "dim") for text in _indented(paragraph, width)),
            ]
    return tuple(lines)


def _yes(answer: bool) -> str:  # noqa: FBT001 (an answer is yes or no)
    return "yes" if answer else "no"
