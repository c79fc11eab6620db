"""Passages of long texts, chosen for one question until its share of the tokens is used up. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.mesh.judging.prompting import retrieval
from judgemesh.mesh.judging.prompting.retrieval import Index, TextPassage
from judgemesh.mesh.pricing.tokens import estimate

PassageKey = tuple[int, int]
"""Number of the text, number of the passage in it."""

_GAP_TOKENS: Final = 24
_RANKED_SHARE: Final = 0.7  # of the room, before the neighbours of what was taken
_NEIGHBOUR_SHARE: Final = 0.9
_ANSWER_WEIGHT: Final = (
    0.12  # of a term of the answer, beside 1 for one of the question
)
_ANSWER_CHARS: Final = 4000
_MAX_NAMED: Final = (
    12  # a name found in more passages than this singles none of them out
)
_LAST_PASSAGES: Final = 2
_FLAT: Final = 0.97
_STEP_NAMED: Final = re.compile(
    r"\bsteps?\s+(?:number\s+|no\.?\s*)?#?([\w.-]{1,40}?)(?=[\s,;:.?!)]|$)|\[([\w.-]{1,40})\]",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Selection:
    """The passages that a question needs.

    indexes: the texts to choose from.
    room: tokens that all of the passages may be estimated at.
    taken: what is chosen; several questions about the same texts share it.
    """

    indexes: Sequence[Index]
    question: str
    answer: str
    room: int
    taken: set[PassageKey]
    scores: dict[PassageKey, float] = field(default_factory=dict[PassageKey, float])
    named: dict[PassageKey, str] = field(default_factory=dict[PassageKey, str])
    used_tokens: int = 0

    def fill(self) -> None:
        """Take named passages, the ends of each text, the best by score, their neighbours, and the best again."""
        self._score()
        self.named = self._named_in(self.question)
        self._take_all(self._best_first(self.named), self.room)
        self._take_all(self._ends(), self.room // 10)
        # What the answer cites comes next, but the question does not hang on it: a third of the room at most.
        self._take_all(self._best_first(self._named_in(self.answer)), self.room // 3)
        matching = [key for key, score in self.scores.items() if score > 0]
        ranked = self._best_first(matching)
        best = self._take_all(ranked, int(self.room * _RANKED_SHARE))
        self._take_all(self._neighbours(best), int(self.room * _NEIGHBOUR_SHARE))
        self._take_all(ranked, self.room)

    def missing(self, names: Sequence[str]) -> tuple[str, ...]:
        """What the question names and is not shown; or that no passage of the named texts stands out."""
        lost = [
            name for key, name in sorted(self.named.items()) if key not in self.taken
        ]
        if not lost and self._is_flat():
            texts = " and the ".join(names)
            return (
                f"the question fits no passage of the {texts} better than the others",
            )
        return tuple(dict.fromkeys(lost))

    def shown_chars(self, text: int) -> int:
        """How many characters of a text are taken."""
        chars = 0
        for number, passage in enumerate(self.indexes[text].passages):
            if (text, number) in self.taken:
                chars += passage.end - passage.start
        return chars

    def excerpt(self, text: int) -> str:
        """What is taken of a text, in its order, with every gap marked."""
        return "".join(self._pieces(text)).strip("\n")

    def _is_flat(self) -> bool:
        """Whether a passage that is left out scores as well as the best one."""
        left = [score for key, score in self.scores.items() if key not in self.taken]
        if not left:
            return False
        best = max(self.scores.values())
        return best == 0 or max(left) >= best * _FLAT

    def _score(self) -> None:
        weights = retrieval.question_terms(self.question)
        for term in retrieval.terms(self.answer[:_ANSWER_CHARS]):
            weights.setdefault(term, _ANSWER_WEIGHT)
        for text, index in enumerate(self.indexes):
            for number, score in enumerate(index.scores(weights)):
                self.scores[text, number] = score

    def _best_first(self, keys: Iterable[PassageKey]) -> list[PassageKey]:
        return sorted(keys, key=lambda key: (-self.scores[key], key))

    def _named_in(self, words: str) -> dict[PassageKey, str]:
        """Passages that the words name, by the number of a step, a quote or a rare name; and the name."""
        named: dict[PassageKey, str] = {}
        steps = {match[1] or match[2] for match in _STEP_NAMED.finditer(words)}
        quotes = retrieval.quoted(words)
        names = retrieval.names(words)
        for text, index in enumerate(self.indexes):
            for name, numbers in _named_passages(index, steps, quotes, names):
                for number in numbers:
                    named.setdefault((text, number), name)
        return named

    def _ends(self) -> Iterator[PassageKey]:
        for text, index in enumerate(self.indexes):
            count = len(index.passages)
            yield text, 0
            for number in range(max(1, count - _LAST_PASSAGES), count):
                yield text, number

    def _neighbours(self, keys: Iterable[PassageKey]) -> Iterator[PassageKey]:
        for text, number in keys:
            if number + 1 < len(self.indexes[text].passages):
                yield text, number + 1
            if number > 0:
                yield text, number - 1

    def _take_all(self, keys: Iterable[PassageKey], limit: int) -> list[PassageKey]:
        """Take the passages that fit within the limit; which ones were."""
        return [key for key in keys if self._take(key, limit)]

    def _take(self, key: PassageKey, limit: int) -> bool:
        if key in self.taken:
            return False
        text, number = key
        index = self.indexes[text]
        passage = index.passages[number]
        tokens = estimate(index.text[passage.start : passage.end]) + 1
        if self.taken.isdisjoint({(text, number - 1), (text, number + 1)}):
            tokens += _GAP_TOKENS  # a passage that stands alone needs a mark of the gap
        if self.used_tokens + tokens > limit - _GAP_TOKENS:
            return False
        self.used_tokens += tokens
        self.taken.add(key)
        return True

    def _pieces(self, text: int) -> Iterator[str]:
        index = self.indexes[text]
        gap: list[TextPassage] = []
        for number, passage in enumerate(index.passages):
            if (text, number) not in self.taken:
                gap.append(passage)
                continue
            if gap:
                yield _gap_mark(gap)
                gap.clear()
            yield index.text[passage.start : passage.end]
        if gap:
            yield _gap_mark(gap)


def _named_passages(
    index: Index, steps: Iterable[str], quotes: Iterable[str], names: Iterable[str]
) -> Iterator[tuple[str, list[int]]]:
    """Each name with the passages it stands for; quotes and names that stand in too many are left out."""
    for step in steps:
        yield f"step {step}", _where(passage.step == step for passage in index.passages)
    texts = [text.casefold() for text in _texts(index)]
    for quote in quotes:
        folded = quote.casefold()
        numbers = _where(folded in text for text in texts)
        if len(numbers) <= _MAX_NAMED:
            yield f"the quoted {quote!r}", numbers
    looked_for = set(names)
    holding: dict[str, list[int]] = {name: [] for name in looked_for}
    for number, counts in enumerate(index.bm25.counts):
        for name in looked_for & counts.keys():
            holding[name].append(number)
    for name in looked_for:
        numbers = holding[name]
        if len(numbers) <= _MAX_NAMED:
            yield repr(name), numbers


def _where(flags: Iterable[bool]) -> list[int]:
    return [number for number, flag in enumerate(flags) if flag]


def _texts(index: Index) -> Iterator[str]:
    for passage in index.passages:
        yield index.text[passage.start : passage.end]


def _gap_mark(gap: Sequence[TextPassage]) -> str:
    chars = gap[-1].end - gap[0].start
    first, last = gap[0].step, gap[-1].step
    steps = ""
    if first:
        steps = f"step {first}, " if first == last else f"steps {first} to {last}, "
    return f"\n(not shown: {steps}{chars} characters)\n"
