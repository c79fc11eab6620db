"""What an answer states: its sentences, labelled values, rows and data as claims, and what each of them cites.

A claim states something about the world. What is read and what is left out is counted, so that nothing falls out of the
reading unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from judgemesh.validators.claims.answer.blocks import Block, blocks_of, data_of
from judgemesh.validators.claims.answer.citation_marks import cited_sentence
from judgemesh.validators.claims.answer.data_claims import statements_in
from judgemesh.validators.claims.answer.headings import is_generic
from judgemesh.validators.claims.answer.keyed import Keyed
from judgemesh.validators.claims.answer.letters import (
    Letter,
    is_frame_label,
    is_talking_label,
)
from judgemesh.validators.claims.answer.markup import without_marks
from judgemesh.validators.claims.answer.speech import Speech, spoken
from judgemesh.validators.claims.language.finite_verbs import FINITE
from judgemesh.validators.claims.language.quantities import figures
from judgemesh.validators.claims.language.sentences import MAX_CHARS, split
from judgemesh.validators.claims.named_sources import mentions_of

_MAX_CHARS: Final = 3_000
_MAX_BARE_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim: its text, what it cites, where it stands, and the sentences just before it.

    `aside`: it counts only where the evidence speaks about the same. `keyed`: it is a value under a key. `telling`: an
    aside that counts too where the evidence lacks its words.
    """

    text: str
    citations: tuple[str, ...]
    ref: str
    context: str = ""
    aside: bool = False
    keyed: Keyed | None = None
    telling: bool = False

    @property
    def mentions(self) -> dict[str, str]:
        """The files and ids that it names and may cite, each with the words that say no more than that."""
        return mentions_of(self.text)


@dataclass(slots=True)
class AnswerReading:
    """What an answer states. `sentences` counts all its sentences and values; `talk` those that state nothing.

    `fragments` are those of `talk` that no table recognises. `references`: entries of its list of sources by their
    marks. `unread`: why a part could not be read.
    """

    claims: list[StatedClaim] = field(default_factory=list[StatedClaim])
    sentences: int = 0
    talk: int = 0
    fragments: list[str] = field(default_factory=list[str])
    references: dict[str, str] = field(default_factory=dict[str, str])
    unread: list[str] = field(default_factory=list[str])

    def take(self, other: AnswerReading) -> None:
        """Add what was read somewhere else."""
        self.claims += other.claims
        self.sentences += other.sentences
        self.talk += other.talk
        self.fragments += other.fragments
        self.references |= other.references
        self.unread += other.unread

    @property
    def states(self) -> bool:
        """Whether anything is a claim by itself."""
        return any(not claim.aside for claim in self.claims)


_LETTER = re.compile(r"\w")
_REFERENCE = re.compile(
    r"^\s*(?:\[(?P<mark>[\w-]{1,40})\]:?|(?P<number>\d{1,3})[.)])\s+(?P<entry>\S.*)$"
)
_REFERENCE_SIGNS = re.compile(
    r"https?://|\bdoi\b|\bet al\b|\(\d{4}[a-z]?\)|^\s*\W?\s*[\w.:/#+-]{1,80}\s*$",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?=\S*[^\W\d_])[\w./#+-]{2,80}(?:\s\[\S{1,300}\])?\.?")
"""An entry that is nothing but a name, with its address."""
_LABEL = re.compile(r"^(?P<label>[A-Z][\w /&'-]{0,40}):\s+(?=\S)")
_CLAUSE_END = re.compile(r";\s+(?=\S)")


def read_answer(answer: str) -> AnswerReading:
    """Everything that an answer states, in order. A citation behind a sentence's end belongs to that sentence."""
    reading = AnswerReading()
    if len(answer) > MAX_CHARS:
        why = f"the answer is longer than {MAX_CHARS} characters"
        reading.unread.append(why)
        answer = answer[:MAX_CHARS]
    data = data_of(answer)
    blocks = [*blocks_of(answer)] if data is None else [Block(0, data=data)]
    before: list[str] = []
    letter = Letter(len(blocks))
    for block in blocks:
        if block.data is None and letter.frames(block):
            reading.sentences += 1
            reading.talk += 1
            continue
        ref = f"final_answer:{block.start}"
        if block.data is not None:
            reading.take(read_data(block.data, ref, block.about))
        elif block.keyed is not None:
            _read_keyed(reading, block.keyed, ref)
        else:
            _read_block(reading, block, before)
    if len(answer) <= _MAX_BARE_CHARS:
        reading.claims += _bare_figure(reading, answer)
    return reading


def _bare_figure(reading: AnswerReading, answer: str) -> Iterator[StatedClaim]:
    """An answer that is no sentence and gives a figure, such as `61.40 EUR`."""
    shown = " ".join(without_marks(answer).split())
    stated = figures(shown[:_MAX_CHARS])
    if not reading.claims and (stated.numbers or stated.days):
        reading.talk = max(0, reading.talk - 1)
        keyed = Keyed("", shown[:_MAX_CHARS])
        yield StatedClaim(shown[:_MAX_CHARS], (), "final_answer:0", keyed=keyed)


def read_data(
    root: object, ref: str, about: str = "", *, aside: bool = False
) -> AnswerReading:
    """Everything that structured data states. `aside`: its figures count only where the evidence speaks of them."""
    reading = AnswerReading()
    for statement in statements_in(root, ref, about):
        if statement.keyed is not None:
            _read_keyed(reading, statement.keyed, statement.ref, aside=aside)
            continue
        inner = read_answer(statement.text)
        inner.claims = [replace(claim, ref=statement.ref) for claim in inner.claims]
        reading.take(inner)
    return reading


def _read_keyed(
    reading: AnswerReading, keyed: Keyed, ref: str, *, aside: bool = False
) -> None:
    """A value under a key: a claim where it has a figure, else one where the evidence speaks of it."""
    cited = cited_sentence(keyed.value)
    keyed = replace(keyed, value=cited.text)
    reading.sentences += 1
    stated = figures(keyed.value)
    has_figures = bool(stated.numbers or stated.days)
    citations = _distinct([*cited.leading, *cited.citations])
    key = keyed.key.casefold()
    if not keyed.value or is_talking_label(key, keyed.value):
        reading.talk += 1
        return
    reading.claims.append(
        StatedClaim(
            keyed.text,
            citations,
            ref,
            aside=aside or not has_figures or is_frame_label(key),
            keyed=keyed,
            telling=not (aside or has_figures or is_frame_label(key)),
        )
    )


def _read_block(reading: AnswerReading, block: Block, before: list[str]) -> None:
    """A paragraph: its sentences, or an entry of the list of sources."""
    entry = _REFERENCE.match(block.text)
    if entry is not None and (
        block.is_reference
        or _REFERENCE_SIGNS.search(block.text)
        or _NAME.fullmatch(entry["entry"])
    ):
        reading.references[entry["mark"] or entry["number"]] = entry["entry"]
    names = entry is not None and entry["mark"] and _NAME.fullmatch(entry["entry"])
    signs = entry or _REFERENCE_SIGNS.search(block.text)
    if names or (block.is_reference and signs):
        reading.sentences += 1
        reading.talk += 1
        return
    for start, sentence in split(block.text):
        for piece in _CLAUSE_END.split(sentence):
            ref = f"final_answer:{block.start + start}"
            _read_sentence(reading, piece, ref, before, block.about)


def _read_sentence(
    reading: AnswerReading, piece: str, ref: str, before: list[str], about: str
) -> None:
    sentence, citations, leading = cited_sentence(piece)
    if leading and reading.claims:
        previous = reading.claims[-1]
        cited = _distinct([*previous.citations, *leading])
        reading.claims[-1] = replace(previous, citations=cited)
    elif leading:
        citations = [*leading, *citations]
    if not _LETTER.search(sentence):
        return
    reading.sentences += 1
    core, speech = _spoken(sentence)
    if speech in (Speech.TALK, Speech.FRAGMENT):
        reading.talk += 1
        if speech is Speech.FRAGMENT:
            reading.fragments.append(sentence)
    else:
        heading = [f"{about}:"] if about else []
        context = " ".join(before or heading)
        aside = speech is Speech.ASIDE
        claim = StatedClaim(core, _distinct(citations), ref, context, aside)
        reading.claims.append(claim)
    before[:] = [*before[-1:], sentence]


def _spoken(sentence: str) -> tuple[str, Speech]:
    """The core of a sentence and what it does; a label before a whole sentence is left out."""
    label = _LABEL.match(sentence)
    if label is not None:
        core, speech = spoken(sentence[label.end() :])
        states = speech is Speech.CLAIM and FINITE.search(core) is not None
        if states or is_generic(label["label"]):
            return core, speech
    return spoken(sentence)


def is_claim(sentence: str) -> bool:
    """Whether a sentence states something that evidence can support."""
    return spoken(sentence).speech is Speech.CLAIM


def _distinct(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))
