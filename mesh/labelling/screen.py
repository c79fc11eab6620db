"""Render the state of a labelling session as lines of a screen that fit and hold no control sequences. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.mesh.labelling.fold import cut, fold
from judgemesh.mesh.labelling.item import ReviewItem
from judgemesh.mesh.labelling.reference import CanonicalLabel, difference
from judgemesh.mesh.labelling.session import State, View
from judgemesh.mesh.labelling.tree import DEFINITIONS, Parting
from judgemesh.mesh.reporting.text import one_line, plural

_MIN_COLUMNS: Final = 20
_MIN_ROWS: Final = 6
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


_BLANK: Final = Line("")
_YES_NO: Final = {True: "yes", False: "no"}
_NO_GOALS: Final = "no contract: go by the prompt"
_NO_ANSWER: Final = "empty: nothing came"
_DROP_ORDER: Final = (3, 1, 0)
"""Sections of the card that go first where there is no room: trace, sub-goals, prompt."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What to draw: at most as many lines as the terminal has.

    offset: the first line of the view that is shown. page: how many of its lines fit. foot: how many of the lines, from
    the end, ask the question.
    """

    lines: tuple[Line, ...]
    offset: int
    page: int
    foot: int


@dataclass(frozen=True, slots=True)
class _Section:
    """Part of the card: its folded text, as far as it can be shown at all, and the weight of its share of the room."""

    title: str
    body: tuple[str, ...]
    weight: int
    middle: bool = False


def render(
    state: State,
    item: ReviewItem,
    size: Size,
    *,
    canonical: CanonicalLabel | None = None,
) -> Screen:
    """The screen of a state that is not at its end. `canonical` is shown by the reveal view only."""
    width, rows = max(_MIN_COLUMNS, size.columns), max(_MIN_ROWS, size.rows)
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
            shown = f"{offset + 1:,}-{offset + len(body):,} of {len(lines):,} lines"
            keys = "PgDn, PgUp" if state.view is View.REVEAL else "space, b"
            rule = cut(f"{_rule(6)} {shown} ({keys}) {_rule(width)}", width, "")
            head = (head[0], Line(rule, "dim"))
    filler = (Line(""),) * (room - len(body))
    return Screen((*head, *body, *filler, *foot)[-rows:], offset, room, len(foot))


# --- head and foot ---


def _head(state: State, item: ReviewItem, width: int) -> tuple[Line, Line]:
    parts = [f"{state.number:,} of {state.total:,}"]
    left_s = state.left_s()
    if left_s is not None:
        parts.append(about(left_s))
    parts.append(one_line(item.result_id))
    if item.family:
        parts.append(one_line(item.family))
    title = cut(" · ".join(parts), width)
    return Line(title, "title"), Line(_rule(width), "dim")


def about(seconds: float) -> str:
    """`about 18 min left`, rounded."""
    if seconds < 90:
        return "about a minute left"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"about {minutes} min left"
    return f"about {minutes / 60:.1f} h left"


def _foot(state: State, width: int, rows: int) -> tuple[Line, ...]:
    messages: list[Line] = []
    if state.message:
        messages.append(Line(cut(one_line(state.message), width), "dim"))
    rule = Line(_rule(width), "dim")
    if state.view is View.NOTE:
        draft = _tail(one_line(state.draft), width - 8)
        prompt = Line(f"note: {draft}_", "question")
        hint = Line(cut("Enter keeps it, Esc does not", width), "dim")
        return (rule, *messages, prompt, hint)
    if state.step is None:
        return (rule, *messages, *_key_lines(_keys_after_reveal(state), width))
    number = len(state.answers) + 1
    question = _lines(fold(f"{number}. {state.step.question}", width), "question")
    if state.note:
        messages.append(Line(cut(f"note: {one_line(state.note)}", width), "dim"))
    keys = _key_lines(_keys_of(state), width)
    lines = (rule, *messages, *question, *keys)
    if len(lines) <= rows - 3:
        return lines
    # A very low terminal keeps the question; the list of keys is dropped first.
    return (*question, *messages, *keys)[: max(len(question), rows - 3)]


def _lines(texts: Iterable[str], style: str = "") -> list[Line]:
    return [Line(text, style) for text in texts]


def _key_lines(keys: Sequence[str], width: int) -> list[Line]:
    return _lines(_packed(keys, width), "dim")


def _keys_after_reveal(state: State) -> list[str]:
    shown = _IN_VIEW.get(state.view)
    others = [key for key in _AFTER if key != shown]
    if shown:
        return ["q back", *others]
    return ["space goes on", *others, "q quit"]


def _keys_of(state: State) -> list[str]:
    shown = _IN_VIEW.get(state.view)
    keys = [key for key in _KEYS if key != shown]
    if shown:
        keys[keys.index("q quit")] = "q back"
    return keys


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


def _card(item: ReviewItem, width: int, room: int) -> tuple[Line, ...]:
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
            lines.extend(_lines(_excerpt(section, max(1, share - 1), width)))
    return tuple([*lines, *facts][: room + len(facts)])


def _sections(item: ReviewItem, width: int, room: int) -> tuple[_Section, ...]:
    """The four sections. Where there is no room for all of it, sub-goals run on and the trace is one line a step."""
    enough = width * (room + 2) * 2

    def text(words: str) -> tuple[str, ...]:
        if len(words) > enough:
            words = words[:enough] + "\n"
        return _indented(words, width)

    goals = [one_line(goal, enough) for goal in item.goals]
    listed = _indented("\n".join(f"- {goal}" for goal in goals), width)
    if not goals:
        goals = [_NO_GOALS]
        listed = _indented(_NO_GOALS, width)
    steps = tuple(" " * _MARGIN + step for step in item.brief)
    prompt = _Section("PROMPT", text(item.prompt.strip() or "not stated"), 2)
    answer = _Section(
        f"ANSWER ({plural(len(item.answer), 'character')})",
        text(item.answer or _NO_ANSWER),
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
    """Lines for each section, its title included: by weight, and never more than it needs.

    Where there is no room for more than titles, whole sections are dropped, the trace first.
    """
    needs = [len(section.body) + 1 for section in sections]
    visible: list[int] = []
    for number, need in enumerate(needs):
        if need > 1 or room > 2 * len(needs):
            visible.append(number)
    for dropped in _DROP_ORDER:
        if 2 * len(visible) > room and dropped in visible:
            visible.remove(dropped)
    shares = [0] * len(sections)
    for number in visible:
        shares[number] = min(2, needs[number])
    for _ in range(room - sum(shares)):
        wanting = [number for number in visible if shares[number] < needs[number]]
        if not wanting:
            break
        # The next line goes to the section that has the least for its weight.
        number = min(
            wanting, key=lambda number: shares[number] / sections[number].weight
        )
        shares[number] += 1
    return shares


def _excerpt(section: _Section, room: int, width: int) -> list[str]:
    """As much of a section as fits, and a mark where something was left out."""
    body = section.body
    if len(body) <= room or room <= 0:
        return [cut(line, width) for line in body[: max(0, room)]]
    if section.middle and room >= 3:
        first = (room - 1) // 2
        rest = room - 1 - first
        gap = f"{' ' * _MARGIN}… {len(body) - room + 1} more …"
        excerpt = (*body[:first], gap, *body[len(body) - rest :])
        return [cut(line, width) for line in excerpt]
    last = cut(body[room - 1], width - 2, "").rstrip() + " …"
    return [*body[: room - 1], last]


# --- long views ---


def _long(
    state: State, item: ReviewItem, width: int, canonical: CanonicalLabel | None
) -> tuple[Line, ...]:
    match state.view:
        case View.ANSWER:
            return _block("ANSWER", item.answer or _NO_ANSWER, width)
        case View.TRACE:
            problem = _block("PROBLEM", item.problem, width) if item.problem else ()
            return (*problem, *_block("TRACE", item.trace or "there is none", width))
        case View.PROMPT:
            goals = "\n".join(f"- {goal}" for goal in item.goals) or _NO_GOALS
            contract = _block("CONTRACT", item.contract, width) if item.contract else ()
            return (
                *_block("PROMPT", item.prompt or "not stated", width),
                *_block("SUB-GOALS", goals, width),
                *contract,
            )
        case View.REVEAL:
            return _reveal(state, width, canonical)
        case _:
            return _rubric(state, width)


def _block(title: str, text: str, width: int) -> tuple[Line, ...]:
    return (Line(title, "title"), *_lines(fold(text, width)), _BLANK)


def _rubric(state: State, width: int) -> tuple[Line, ...]:
    lines: list[Line] = []
    step = state.step
    if step is not None:
        lines += _lines(fold(step.question, width), "title")
        for paragraph in step.rubric:
            lines += [*_lines(_indented(paragraph, width)), _BLANK]
        for answer, target in (("yes", step.yes), ("no", step.no)):
            next_step = state.tree.steps.get(target)
            label = next_step.question if next_step else target
            lines.append(Line(cut(f"{answer} -> {label}", width), "dim"))
        lines.append(_BLANK)
    lines.append(Line("THE FIVE CLASSES", "title"))
    for outcome, definition in DEFINITIONS.items():
        lines += _lines(_indented(f"{outcome.value}: {definition}", width))
    return tuple(lines)


def _reveal(
    state: State, width: int, canonical: CanonicalLabel | None
) -> tuple[Line, ...]:
    decision = state.decided.get(state.current)
    if canonical is None or decision is None:
        return ()
    differs = difference(decision.outcome, decision.answers, canonical)
    style, verdict = ("good", "agreed") if differs is None else ("bad", "differs")
    rationale = canonical.rationale or "no rationale is given"
    lines = [
        Line(f"yours      {decision.outcome.value}", "title"),
        Line(f"canonical  {canonical.outcome.value}", style),
        Line(verdict, style),
        _BLANK,
        *_lines(fold(rationale, width)),
    ]
    if canonical.near is not None:
        near = f"easily taken for {canonical.near.value}"
        lines += [_BLANK, *_lines(fold(near, width), "dim")]
    if differs is not None and differs.parting is not None:
        lines += _parting_lines(differs.parting, width)
    return tuple(lines)


def _parting_lines(parting: Parting, width: int) -> list[Line]:
    question = f"You part at: {parting.step.question}"
    yours, expected = _YES_NO[parting.given], _YES_NO[parting.expected]
    answers = f"You said {yours}, the canonical label {expected}."
    lines = [
        _BLANK,
        *_lines(fold(question, width), "question"),
        Line(cut(answers, width)),
    ]
    for paragraph in parting.step.rubric:
        lines += [_BLANK, *_lines(_indented(paragraph, width), "dim")]
    return lines
