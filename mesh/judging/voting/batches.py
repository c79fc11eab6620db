"""Which questions share a call, and in which order and wording they are put. Pure.

Plain questions about the same materials are put together, in batches of nearly equal
size. A batch stays as it is while its questions are voted on: a question that is decided
leaves it, and the order and the wording of the others follow from the whole batch. So
the same answers always make the same calls, and the cache finds them again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from judgemesh.contracts.needs import Ask, Material
from judgemesh.mesh.judging.replies.several import order
from judgemesh.mesh.judging.voting.wordings import in_turn
from judgemesh.prompts.loader import Prompt


@dataclass(frozen=True)
class QuestionBatch:
    """Questions that may share a call, with their positions in the list asked.

    A gate, and a question about materials of its own, is a batch of one.
    """

    positions: tuple[int, ...]
    questions: tuple[Ask, ...]

    def order(
        self, open_members: Collection[int], index: int, *, seed: int
    ) -> list[int]:
        """The members whose votes are open, in the order in which vote `index` puts them.

        The order is drawn anew for each result: over a run, a question has every place.
        """
        members = range(len(self.questions))
        key = f"{seed}:{self._text}:{self._materials_digest}"
        ordered: list[int] = []
        for member in order(members, index, key=key):
            if member in open_members:
                ordered.append(member)
        return ordered

    def wording(self, prompts: Sequence[Prompt], index: int, *, seed: int) -> Prompt:
        """The wording of vote `index`."""
        return in_turn(prompts, index, key=f"{seed}:{self._text}")

    @cached_property
    def _text(self) -> str:
        return "\x1f".join(question.question for question in self.questions)

    @cached_property
    def _materials_digest(self) -> str:
        text = "\x1f".join(part.text for part in self.questions[0].materials)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def batches_of(questions: Sequence[Ask], max_questions: int) -> list[QuestionBatch]:
    """The batches of a list of questions, each of at most so many."""
    alone: list[list[int]] = []
    alike: dict[tuple[Material, ...], list[int]] = {}
    for position, question in enumerate(questions):
        if question.gating or max_questions == 1:
            alone.append([position])
        else:
            alike.setdefault(question.materials, []).append(position)
    groups = alone
    for positions in alike.values():
        groups += equal_parts(positions, max_questions)
    return [
        QuestionBatch(tuple(group), tuple(questions[position] for position in group))
        for group in groups
    ]


def equal_parts(positions: Sequence[int], max_size: int) -> list[list[int]]:
    """As few parts as possible, of sizes that differ by one at most: 9 of 8 are 5 and 4."""
    count = -(-len(positions) // max_size)
    size, longer = divmod(len(positions), count)
    parts: list[list[int]] = []
    start = 0
    for number in range(count):
        end = start + size + (number < longer)
        parts.append(list(positions[start:end]))
        start = end
    return parts
