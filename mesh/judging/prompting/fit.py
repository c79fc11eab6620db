"""Fit the materials of questions into a budget of tokens, keeping what the questions need. Pure.

The final answer comes first and whole; short materials stay whole; of long ones the passages are kept that a question
names, then those that match it best, with their neighbours, in their order and with every gap marked. The coverage
says how much is shown, and what was named and did not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from judgemesh.contracts.needs import Material
from judgemesh.mesh.judging.prompting.coverage import Coverage, Shown, concerns
from judgemesh.mesh.judging.prompting.retrieval import index
from judgemesh.mesh.judging.prompting.selection import PassageKey, Selection
from judgemesh.mesh.pricing.tokens import at_most, estimate

FIRST: Final = "final_answer"
_ANSWER_SHARE: Final = 0.6
"""The answer is kept whole while it takes no more than this share of the budget."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Materials that fit, and what part of the originals they are."""

    materials: tuple[Material, ...]
    coverage: Coverage


def pack_for(
    materials: tuple[Material, ...], questions: tuple[str, ...], budget: int
) -> tuple[Packed, ...]:
    """Materials in at most `budget` estimated tokens, for several questions that read one text.

    Every question is shown the same materials: each chooses what it needs within an equal share of the room. Coverage
    is each question's own, because what is missing for one may not matter to another. Materials that fit are returned
    as they are.
    """
    if _fit(materials, budget):
        return (unpacked(materials),) * len(questions)
    return _cut_for(materials, questions, budget)


def _fit(materials: Sequence[Material], budget: int) -> bool:
    """Whether all materials fit. Estimating takes as long as a request, and most of them are far from the budget."""
    if sum(at_most(part.text) for part in materials) <= budget:
        return True
    return sum(estimate(part.text) for part in materials) <= budget


def unpacked(materials: tuple[Material, ...]) -> Packed:
    """The materials as they are."""
    return Packed(materials, Coverage(tuple(map(_whole, materials))))


@lru_cache(maxsize=32)
def _cut_for(
    materials: tuple[Material, ...], questions: tuple[str, ...], budget: int
) -> tuple[Packed, ...]:
    """Cached, because every vote on a question reads the same materials."""
    sizes = [estimate(part.text) for part in materials]
    whole = _kept_whole(materials, sizes, budget)
    cut = [number for number in range(len(materials)) if number not in whole]
    room = budget - sum(sizes[number] for number in whole)
    selections = _select(
        [materials[number] for number in cut],
        questions,
        answer=_answer_in(materials),
        room=room // len(questions),
    )
    packed = list(materials)
    parts = [_whole(part) for part in materials]
    for text, number in enumerate(cut):
        name, total = materials[number].name, len(materials[number].text)
        packed[number] = Material(name, selections[0].excerpt(text))
        parts[number] = Shown(name, selections[0].shown_chars(text), total)
    shown = Coverage(tuple(parts))
    cut_names = [materials[number].name for number in cut]
    return tuple(
        Packed(tuple(packed), _coverage_of(selection, shown, cut_names))
        for selection in selections
    )


def _select(
    materials: Sequence[Material], questions: Sequence[str], *, answer: str, room: int
) -> list[Selection]:
    indexes = [index(part.text) for part in materials]
    taken: set[PassageKey] = set()
    selections = [
        Selection(indexes, question, answer, room, taken) for question in questions
    ]
    for selection in selections:
        selection.fill()
    return selections


def _coverage_of(
    selection: Selection, shown: Coverage, cut_names: Sequence[str]
) -> Coverage:
    if not concerns(selection.question, shown.partial):
        return shown
    return Coverage(shown.parts, selection.missing(cut_names))


def _answer_in(materials: Sequence[Material]) -> str:
    for part in materials:
        if part.name == FIRST:
            return part.text
    return ""


def _whole(part: Material) -> Shown:
    return Shown(part.name, len(part.text), len(part.text))


def _kept_whole(
    materials: Sequence[Material], sizes: Sequence[int], budget: int
) -> set[int]:
    """The answer, then the shortest materials, as long as each leaves the others their equal share."""
    whole: set[int] = set()
    waiting: list[int] = []
    room = budget
    for number, part in enumerate(materials):
        if part.name == FIRST and sizes[number] <= budget * _ANSWER_SHARE:
            whole.add(number)
            room -= sizes[number]
        else:
            waiting.append(number)
    waiting.sort(key=lambda number: sizes[number])
    while waiting and sizes[waiting[0]] <= room // len(waiting) // 2:
        number = waiting.pop(0)
        whole.add(number)
        room -= sizes[number]
    return whole
