"""What stands around a sentence of the evidence: its heading, what takes it back, whom `it` means, who speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.validators.claims.language.clauses import fronted, keys_of, main_verb
from judgemesh.validators.claims.language.sentences import Sentence
from judgemesh.validators.claims.language.tokens import Kind, Token, tokens_of
from judgemesh.validators.claims.language.vocabulary import (
    CHANGES_MEANING,
    POSSESSIVES,
    PRONOUNS,
)
from judgemesh.validators.claims.support.frames import frames_of
from judgemesh.validators.claims.support.taking_back import is_taken_back

_FOLLOWING_CHARS: Final = 200
_MAX_LEAD_CHARS: Final = 200
_MAX_SUBJECT_TOKENS: Final = 8
_RESTRICTS_ALL = re.compile(
    r"^\W{0,4}(?:these|those|this|all (?:of )?(?:this|these)|the (?:above|foregoing|terms|rules|conditions|prices"
    r"|rates|fees|rights?|offers?|policy|provisions))\b[^.]{0,80}\b"
    r"(?:(?:do|does|shall|will|are|is) not (?:apply|valid|available|include)"
    r"|(?:apply|applies|valid|available) only|only (?:apply|applies|valid|available)|except|exclud\w+)\b",
    re.IGNORECASE,
)
"""`These terms do not apply to sale items.`: it restricts what stands some sentences before it."""
_POINTS_BACK: Final = PRONOUNS | POSSESSIVES
_RESTRICTED_BEFORE: Final = 6
_LIST_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s")
_SETS_APART: Final = CHANGES_MEANING | {
    "old", "archive", "archived", "previous", "superseded", "obsolete", "expire+ed", "misconception", "critic",
    "opponent", "example", "proposal", "draft", "historical", "before", "after", "from", "for", "member", "adult",
    "child", "children", "student", "senior", "staff", "guest", "resident", "visitor", "premium", "vip", "subscriber",
    "employee", "group", "pensioner", "business", "weekend", "weekday", "summer", "winter", "myth", "fiction",
    "with", "without", "during", "claim",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StatedSentence:
    """A sentence that states something. `subject` is whom its `it` means; `lead` are the words that govern it."""

    text: str
    start: int
    keys: frozenset[str]
    subject: tuple[Token, ...] = ()
    lead: frozenset[str] = frozenset()


def stated_sentences(sentences: Sequence[Sentence]) -> Iterator[StatedSentence]:
    """The sentences of a text that state something: no questions, nothing taken back, no words of a speaker."""
    heading: frozenset[str] = frozenset()
    list_lead: frozenset[str] = frozenset()
    subjects = _Subjects()
    is_quoted = _QuotationMarks(sentences)
    restricted = _restricted(sentences)
    for index, sentence in enumerate(sentences):
        quoted = is_quoted.inside(sentence)
        if _is_heading(sentence.text):
            heading, list_lead = _lead_words(sentence.text), frozenset()
            continue
        if _is_lead(sentence.text):
            list_lead = _lead_words(sentence.text)
            continue
        tokens = tokens_of(sentence.text)
        following = sentences[index + 1].text if index + 1 < len(sentences) else ""
        taken_back = index in restricted or is_taken_back(sentence.text, following)
        if not (quoted or taken_back or sentence.is_question):
            keys = frozenset(keys_of(tokens))
            subject = () if keys.isdisjoint(_POINTS_BACK) else subjects.last()
            keys |= frozenset(keys_of(subject))
            lead = heading | list_lead
            yield StatedSentence(sentence.text, sentence.start, keys, subject, lead)
        subjects.add(tokens)
        if not _LIST_ITEM.match(following):
            list_lead = frozenset()


class _Subjects:
    """Whom the next `it` may mean. That is worked out only where a sentence says `it`."""

    def __init__(self) -> None:
        self._subject: tuple[Token, ...] = ()
        self._unread: list[tuple[Token, ...]] = []

    def add(self, tokens: tuple[Token, ...]) -> None:
        """A sentence was read."""
        self._unread.append(tokens)

    def last(self) -> tuple[Token, ...]:
        """What the sentences so far are about."""
        for tokens in self._unread:
            if _offers_another(tokens):
                self._subject = ()
            else:
                self._subject = subject_of(tokens) or self._subject
        self._unread.clear()
        return self._subject


def _restricted(sentences: Sequence[Sentence]) -> set[int]:
    """The places of sentences that a later sentence restricts as a whole."""
    found: set[int] = set()
    for index, sentence in enumerate(sentences):
        if _RESTRICTS_ALL.search(sentence.text[:_FOLLOWING_CHARS]):
            found.update(range(max(0, index - _RESTRICTED_BEFORE), index))
    return found


def _offers_another(tokens: tuple[Token, ...]) -> bool:
    """Whether the next `it` may mean the object: `The pump feeds the tank. It holds 500 litres.`."""
    _, core = fronted(tokens)
    for frame in frames_of(core)[:1]:
        if frame.passive or frame.verb == "be" or not frame.object:
            return False
        first, last = frame.object[0], frame.object[-1]
        plain = last.kind is Kind.WORD and last.text.casefold() == last.key
        named = bool(first.article) or all(token.is_capital for token in frame.object)
        return named and plain
    return False


class _QuotationMarks:
    """Counts quotation marks, so that a sentence inside a quotation is known as such."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        straight = sum(sentence.text.count('"') for sentence in sentences)
        self.is_even = straight % 2 == 0
        self.straight = self.curly = 0

    def inside(self, sentence: Sentence) -> bool:
        """Whether the sentence is a speaker's words, of which the speaker stands in another sentence."""
        text = sentence.text
        inside = self.curly > 0 or (self.is_even and self.straight % 2 == 1)
        self.straight += text.count('"')
        self.curly = max(0, self.curly + text.count("\u201c") - text.count("\u201d"))
        whole = text.strip()[:1] in '"\u201c' and text.strip()[-1:] in '"\u201d'
        return inside or whole


def _is_heading(text: str) -> bool:
    return text.lstrip().startswith("#")


def _is_lead(text: str) -> bool:
    return len(text) <= _MAX_LEAD_CHARS and text.rstrip(" *_").endswith(":")


def _lead_words(text: str) -> frozenset[str]:
    """The words of a heading that set apart what stands under it: a group of people, a year, a speaker, a draft."""
    words: set[str] = set()
    for token in tokens_of(text):
        if token.is_time:
            words.add("#time")
        elif token.kind is Kind.WORD and token.key in _SETS_APART:
            words.add(token.key)
    return frozenset(words)


def subject_of(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """What a sentence is about: its words before the verb; nothing where that is a pronoun or hard to tell."""
    _, core = fronted(tuple(tokens))
    verb = main_verb(core)
    subject = core[:verb]
    if not 0 < len(subject) <= _MAX_SUBJECT_TOKENS or subject[0].key in PRONOUNS:
        return ()
    if any(not _names(token) for token in subject):
        return ()
    return subject


def _names(token: Token) -> bool:
    """Whether a token can be part of a name: a word, or a bare number as in `Bridge 7`."""
    if token.quantity is not None:
        return not token.quantity.unit and not token.quantity.approximate
    return token.kind is Kind.WORD
