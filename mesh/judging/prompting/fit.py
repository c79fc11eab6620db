"""Fit the materials of a question into a budget of tokens, keeping what the question needs. Pure.

The final answer comes first and whole; short materials stay whole; of long ones those passages are kept that the
question names, then those that have most to do with it, with their neighbours, in their order and with every gap
marked. Nothing is left out in silence: the coverage says how much is shown, and what was named and did not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from judgemesh.contracts.needs import Material
from judgemesh.mesh.judging.prompting import retrieval
from judgemesh.mesh.judging.prompting.coverage import Coverage, Shown, concerns
from judgemesh.mesh.judging.prompting.retrieval import Index, index
from judgemesh.mesh.pricing.tokens import estimate

FIRST: Final = "final_answer"
_GAP_TOKENS: Final = 24
_ANSWER_SHARE: Final = (
    0.6  # the answer may take so much of a budget whose other materials do not fit
)
_RANKED_SHARE: Final = 0.7  # of the room, before the neighbours of what was taken
_ANSWER_WEIGHT: Final = 0.12  # what the answer speaks of, beside what the question asks
_RARE: Final = (
    12  # a name that stands in more passages than this names none of them in particular
)
_ENDS: Final = 2
_FLAT: Final = 0.97
_STEP_NAMED: Final = re.compile(
    r"\bsteps?\s+(?:number\s+|no\.?\s*)?#?([\w.-]{1,40}?)(?=[\s,;:.?!)]|$)|\[([\w.-]{1,40})\]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Packed:
    """Materials that fit, and what part of the originals they are."""

    materials: tuple[Material, ...]
    coverage: Coverage


def pack(materials: tuple[Material, ...], question: str, budget: int) -> Packed:
    """The materials in at most `budget` estimated tokens; the very same objects where they fit as they are."""
    return pack_for(materials, (question,), budget)[0]


@lru_cache(maxsize=32)
def pack_for(
    materials: tuple[Material, ...], questions: tuple[str, ...], budget: int
) -> tuple[Packed, ...]:
    """The same for several questions that read one text: what each is shown, the same materials for all of them.

    Each question chooses what it needs within an equal share of the room; what one has chosen the others need not.
    Coverage is each question's own: what is `missing` for one may not matter to another. Kept for a while: every vote
    on a question reads the same materials.
    """
    sizes = [estimate(part.text) for part in materials]
    if sum(sizes) <= budget:
        return (
            Packed(
                tuple(materials), Coverage(tuple(_whole(part) for part in materials))
            ),
        ) * len(questions)
    kept = _kept_whole(materials, sizes, budget)
    room = budget - sum(sizes[place] for place in kept)
    long = [place for place in range(len(materials)) if place not in kept]
    answer = next((part.text for part in materials if part.name == FIRST), "")
    indexes = [index(materials[place].text) for place in long]
    taken: set[_Key] = set()
    selections = [
        _Selection(indexes, question, answer, room // len(questions), taken)
        for question in questions
    ]
    for selection in selections:
        selection.fill()
    packed = list(materials)
    parts = [_whole(part) for part in materials]
    for text, place in enumerate(long):
        packed[place] = Material(materials[place].name, selections[0].text(text))
        parts[place] = Shown(
            materials[place].name, selections[0].shown(text), len(materials[place].text)
        )
    partial = tuple(part.name for part in parts if part.shown < part.total)
    names = [materials[place].name for place in long]
    return tuple(
        Packed(
            tuple(packed),
            Coverage(
                tuple(parts),
                selection.missing(names)
                if concerns(selection.question, partial)
                else (),
            ),
        )
        for selection in selections
    )


def _whole(part: Material) -> Shown:
    return Shown(part.name, len(part.text), len(part.text))


def _kept_whole(
    materials: Sequence[Material], sizes: Sequence[int], budget: int
) -> set[int]:
    """The answer, then the shortest materials, as long as each leaves the others their equal share."""
    kept = {
        place
        for place, part in enumerate(materials)
        if part.name == FIRST and sizes[place] <= budget * _ANSWER_SHARE
    }
    room = budget - sum(sizes[place] for place in kept)
    waiting = sorted(
        (place for place in range(len(materials)) if place not in kept),
        key=lambda place: sizes[place],
    )
    while waiting and sizes[waiting[0]] <= room // len(waiting) // 2:
        place = waiting.pop(0)
        kept.add(place)
        room -= sizes[place]
    return kept


_Key = tuple[int, int]
"""Which text, which of its passages."""


@dataclass(slots=True)
class _Selection:
    """Passages of one or more texts, chosen until the room is used up. `taken` may be shared by several questions."""

    indexes: Sequence[Index]
    question: str
    answer: str
    room: int
    taken: set[_Key] = field(default_factory=set[_Key])
    scores: dict[_Key, float] = field(default_factory=dict[_Key, float])
    named: dict[_Key, str] = field(default_factory=dict[_Key, str])
    used: int = 0

    def fill(self) -> None:
        """Named passages, the ends of each text, the best by score, their neighbours, and the best again."""
        self._score()
        self.named = self._named_by(self.question)
        ranked = sorted(
            (key for key, score in self.scores.items() if score > 0),
            key=lambda key: (-self.scores[key], key),
        )
        for key in sorted(self.named, key=lambda key: (-self.scores[key], key)):
            self._take(key, self.room)
        for key in self._ends():
            self._take(key, self.room // 10)
        # What the answer cites comes next, but is not what the question hangs on: half of the room at most.
        for key in (
            sorted(
                self._named_by(self.answer), key=lambda key: (-self.scores[key], key)
            )
            if self.answer
            else ()
        ):
            self._take(key, self.room // 3)
        best = [
            key for key in ranked if self._take(key, int(self.room * _RANKED_SHARE))
        ]
        for text, place in best:
            for near in ((text, place + 1), (text, place - 1)):
                if 0 <= near[1] < len(self.indexes[text].passages):
                    self._take(near, int(self.room * 0.9))
        for key in ranked:
            self._take(key, self.room)

    def missing(self, names: Sequence[str]) -> tuple[str, ...]:
        """What the question names and what is not shown; or that it gives no way to tell the passages apart."""
        lost = [why for key, why in sorted(self.named.items()) if key not in self.taken]
        left = [score for key, score in self.scores.items() if key not in self.taken]
        best = max(self.scores.values(), default=0.0)
        if not lost and left and (best == 0 or max(left) >= best * _FLAT):
            lost = [
                f"the question fits no passage of the {' and the '.join(names)} better than the others"
            ]
        return tuple(dict.fromkeys(lost))

    def shown(self, text: int) -> int:
        """How many characters of a text are taken."""
        pieces = self.indexes[text].passages
        return sum(
            piece.end - piece.start
            for place, piece in enumerate(pieces)
            if (text, place) in self.taken
        )

    def text(self, text: int) -> str:
        """What is taken of a text, in its order, with the gaps marked."""
        return "".join(self._parts(text)).strip("\n")

    # --- the parts of it ---

    def _score(self) -> None:
        weights = retrieval.question_terms(self.question)
        for term in retrieval.terms(self.answer[:4000]) if self.answer else ():
            weights.setdefault(term, _ANSWER_WEIGHT)
        for text, found in enumerate(self.indexes):
            for place, score in enumerate(found.scores(weights)):
                self.scores[text, place] = score

    def _named_by(self, words: str) -> dict[_Key, str]:
        """Passages that the words name: by the number of a step, by a quote, by a rare name."""
        named: dict[_Key, str] = {}
        steps = {match[1] or match[2] for match in _STEP_NAMED.finditer(words)}
        quotes = retrieval.quoted(words)
        rare = retrieval.names(words)
        for text, found in enumerate(self.indexes):
            pieces = found.passages
            wanted: Mapping[str, list[int]] = {
                **{
                    f"step {step}": [
                        n for n, piece in enumerate(pieces) if piece.step == step
                    ]
                    for step in steps
                },
                **{
                    f"the quoted {quote!r}": list(_holding(found, quote))
                    for quote in quotes
                },
                **{
                    repr(name): [
                        n for n, count in enumerate(found.bm25.counts) if name in count
                    ]
                    for name in rare
                },
            }
            for why, places in wanted.items():
                if why.startswith("step ") or len(places) <= _RARE:
                    for place in places:
                        named.setdefault((text, place), why)
        return named

    def _ends(self) -> Iterator[_Key]:
        for text, found in enumerate(self.indexes):
            last = len(found.passages) - 1
            yield text, 0
            for place in range(max(1, last + 1 - _ENDS), last + 1):
                yield text, place

    def _take(self, key: _Key, limit: int) -> bool:
        if key in self.taken:
            return False
        text, place = key
        found = self.indexes[text]
        piece = found.passages[place]
        cost = estimate(found.text[piece.start : piece.end]) + 1
        # A passage that stands alone costs a mark of the gap too.
        cost += (
            0
            if (text, place - 1) in self.taken or (text, place + 1) in self.taken
            else _GAP_TOKENS
        )
        if self.used + cost > limit - _GAP_TOKENS:
            return False
        self.used += cost
        self.taken.add(key)
        return True

    def _parts(self, text: int) -> Iterator[str]:
        found = self.indexes[text]
        gap: list[retrieval.Passage] = []
        for place, piece in enumerate(found.passages):
            if (text, place) not in self.taken:
                gap.append(piece)
                continue
            if gap:
                yield _mark(gap)
                gap.clear()
            yield found.text[piece.start : piece.end]
        if gap:
            yield _mark(gap)


def _holding(found: Index, quote: str) -> Iterator[int]:
    folded = quote.casefold()
    for place, piece in enumerate(found.passages):
        if folded in found.text[piece.start : piece.end].casefold():
            yield place


def _mark(gap: Sequence[retrieval.Passage]) -> str:
    size = gap[-1].end - gap[0].start
    first, last = gap[0].step, gap[-1].step
    steps = (
        ""
        if not first
        else f"step {first}, "
        if first == last
        else f"steps {first} to {last}, "
    )
    return f"\n(not shown: {steps}{size} characters)\n"
