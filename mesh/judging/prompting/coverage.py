"""What part of the materials a judge was shown, and whether its answer can rest on that. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

_MAX_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """One material: how many of its characters are shown."""

    name: str
    shown: int
    total: int

    @property
    def share(self) -> str:
        """`all`, or the percentage, rounded down: never `100 %` of something that is not whole."""
        if self.shown >= self.total:
            return "all"
        if self.shown == 0:
            return "nothing"
        percent = 100 * self.shown // self.total
        return f"{percent} %" if percent else "less than 1 %"


@dataclass(frozen=True, slots=True)
class Coverage:
    """What part of the materials is shown.

    missing: what the question depends on and what did not fit; empty where everything it names is shown.
    whole: whether everything is shown.
    """

    parts: tuple[Shown, ...] = ()
    missing: tuple[str, ...] = ()
    whole: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Asked twice for each question about a result, which share their coverage.
        whole = all(part.shown >= part.total for part in self.parts)
        object.__setattr__(self, "whole", whole)

    @property
    def partial(self) -> tuple[str, ...]:
        """The materials of which something is left out."""
        return tuple(part.name for part in self.parts if part.shown < part.total)

    def sentence(self) -> str:
        """`the judge saw 62 % of the trace, all of the final_answer`."""
        partial_first = sorted(self.parts, key=lambda part: part.shown >= part.total)
        shares = [f"{part.share} of the {part.name}" for part in partial_first]
        return f"the judge saw {', '.join(shares)}"

    def for_prompt(self) -> str:
        """What the judge is told about it; nothing where everything is shown."""
        if self.whole:
            return ""
        seen = self.sentence().removeprefix("the judge saw ")
        return (
            f"The record is too long for one reading. You were shown {seen}: the passages that have most to do with "
            "the question, in their order, each gap marked. What is not shown may still exist. Where the question "
            'cannot be settled by what is shown, answer "cannot_assess".'
        )

    def abstention(self) -> str:
        """Why the judge was not asked: what the question depends on did not fit. Empty otherwise."""
        if not self.missing:
            return ""
        named = "; ".join(self.missing[:_MAX_NAMED])
        more = len(self.missing) - _MAX_NAMED
        if more > 0:
            named += f"; and {more} more"
        return f"what the question depends on did not fit: {named} ({self.sentence()})"

    def to_json(self) -> dict[str, object]:
        """For the ledger: the sentence, the share of each material in 0..1, and what is missing."""
        shares: dict[str, float] = {}
        for part in self.parts:
            share = part.shown / part.total if part.total else 1.0
            shares[part.name] = round(share, 4)
        data: dict[str, object] = {"sentence": self.sentence(), "shown": shares}
        if self.missing:
            data["missing"] = list(self.missing)
        return data


_ANSWERS: Final = frozenset({"final_answer", "outputs"})

Claim = Literal["some", "all", "open"]
"""What kind of question it is: whether something occurred, whether everything is so, or neither for sure."""

_ALL: Final = re.compile(
    r"\b(?:never|always|all|every|each|everything|everyone|only|without|throughout|avoid(?:s|ed)?|refrain(?:s|ed)?"
    r"|none|nothing|nobody|no|not|entire(?:ly)?|whole|consistent(?:ly)?|complete(?:ly)?|free of|exactly|at most"
    r"|neither|nor)\b|n't\b",
    re.IGNORECASE,
)
_SOME: Final = re.compile(
    r"^\W*(?:did|has|have|had|was there|were there|is there|are there)\b|\b(?:ever|at some point|at least once|any"
    r"|at any point|anywhere|occurs?|contains?|mentions?|includes?)\b",
    re.IGNORECASE,
)
_ABOUT_ANSWER: Final = re.compile(
    r"\b(?:answer|reply|response|outputs?|summary|message|email|letter|text|report|wording|tone)\b",
    re.IGNORECASE,
)
_ABOUT_RUN: Final = re.compile(
    r"\b(?:traces?|transcripts?|steps?|tools?|calls?|called|calling|conversation|history|logs?|run|dialogue|session"
    r"|before|after|during|first|then|supported|grounded|evidence|records?|actions?|executed|used|checked|verified"
    r"|looked|asked|consistent|contradicts?|match(?:es)?)\b",
    re.IGNORECASE,
)


def claim_of(question: str) -> Claim:
    """Which answer a part of the record can prove: an occurrence only "yes", a statement about everything only "no"."""
    if _ALL.search(question):
        return "all"
    return "some" if _SOME.search(question) else "open"


def concerns(question: str, partial: tuple[str, ...]) -> bool:
    """Whether the question may depend on materials of which only a part is shown.

    A question that speaks of the answer alone does not depend on the trace.
    """
    about_answer = _ABOUT_ANSWER.search(question) and not _ABOUT_RUN.search(question)
    return not about_answer or not _ANSWERS.isdisjoint(partial)
