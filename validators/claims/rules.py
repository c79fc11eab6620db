"""What rules alone can tell about a claim and a piece of evidence. A rule that is not sure leaves the point open.

The rules decide only what they can hardly get wrong:

* *supports*: one sentence says everything the claim says, in its order, close together, with numbers and dates that
  agree, and nothing there negates, weakens or takes it back;
* *contradicts*: such a sentence gives another number for the same thing, or differs in one negation alone;
* *unrelated*: the evidence has no word in common with the claim that could carry it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.figure_rules import compare_figures
from judgemesh.validators.claims.reading import (
    ReadClaim,
    ReadEvidence,
    prefixes_of,
    values_of,
)
from judgemesh.validators.claims.sentences import Sentence
from judgemesh.validators.claims.spans import TextSpan, shortest_span


class Stance(StrEnum):
    """What a piece of evidence does to a claim."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UNRELATED = "unrelated"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What a rule found: the stance, why, and the sentence it rests on (its offset in the evidence)."""

    stance: Stance
    why: str = ""
    sentence: str = ""
    start: int = 0


_MIN_EVIDENCE_WORDS: Final = 6
_MAX_WORDS: Final = 150
"""A claim with more words says more than one thing."""
_MAX_EXTRA_WORDS: Final = 4
_FOLLOWING_CHARS: Final = 200
_SHOWN_QUOTE_CHARS: Final = 80
_TAKES_BACK = re.compile(
    r"^(?:\W{0,4})(?:but|however|in fact|actually|yet|though|this is (?:not|false|wrong)|that is (?:not|false|wrong))\b"
    r"|\b(?:nonsense|false|untrue|incorrect|myth|debunked|hoax|not true|disputed|retracted)\b",
    re.IGNORECASE,
)
_IS_A = re.compile(r"\b(?:is|are|was|were) (?:an?|the)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\W*(?:it|its|he|his|she|her|they|their|this|that|these|those|both|such)\b",
    re.IGNORECASE,
)


def weigh(claim: ReadClaim, evidence: ReadEvidence) -> RuleFinding:
    """What the evidence does to the claim, as far as rules can tell."""
    if _PRONOUN.match(claim.text):
        return RuleFinding(Stance.OPEN, "what it refers to is said elsewhere")
    missing = _missing_quote(claim, evidence.text)
    if missing is not None:
        shown = repr(missing[:_SHOWN_QUOTE_CHARS])
        why = f"the quotation {shown} is not in the evidence"
        return RuleFinding(Stance.OPEN, why)
    findings = list(_sentence_findings(claim, evidence))
    if len({finding.stance for finding in findings}) > 1:
        why = "one sentence says so, another contradicts it"
        return RuleFinding(Stance.OPEN, why)
    if findings:
        return findings[0]
    if _is_unrelated(claim, evidence):
        why = "the evidence has none of the content words of the claim"
        return RuleFinding(Stance.UNRELATED, why)
    return RuleFinding(Stance.OPEN)


def _missing_quote(claim: ReadClaim, evidence: str) -> str | None:
    """A quotation that the evidence words in another way; it leaves everything else open."""
    if not claim.quotes:
        return None
    text = _words_only(evidence)
    for quote in claim.quotes:
        if _words_only(quote) not in text:
            return quote
    return None


def _words_only(text: str) -> str:
    return " ".join(re.findall(r"\w+", plain(text).casefold()))


def _sentence_findings(
    claim: ReadClaim, evidence: ReadEvidence
) -> Iterator[RuleFinding]:
    """What single sentences do to the claim. One that does not say all of it has nothing to say."""
    if claim.is_short or len(claim.stems) > _MAX_WORDS:
        return
    claim_span = shortest_span(claim.stems, claim.sentence.words)
    if claim_span is None:
        return
    sentences = evidence.sentences
    for index, sentence in enumerate(sentences):
        if not sentence.stems.issuperset(claim.stems) or sentence.is_question:
            continue
        following = sentences[index + 1].text if index + 1 < len(sentences) else ""
        if _TAKES_BACK.search(following[:_FOLLOWING_CHARS]):
            continue
        span = shortest_span(claim.stems, sentence.words)
        if span is None or not _is_plain_statement(claim, claim_span, sentence, span):
            continue
        finding = _weigh_statement(claim, claim_span, sentence, span)
        if finding is not None:
            yield finding


def _is_plain_statement(
    claim: ReadClaim, claim_span: TextSpan, sentence: Sentence, span: TextSpan
) -> bool:
    """Whether nothing weakens the sentence that does not weaken the claim, and both relate the same things."""
    claim_hedges = {word for word, _ in claim.sentence.hedges}
    for word, index in sentence.hedges:
        if word not in claim_hedges and span.is_near(index):
            return False
    claim_relations = claim_span.relations(claim.sentence)
    relations = span.relations(sentence)
    return _comparable(claim, relations) == _comparable(claim, claim_relations)


def _comparable(claim: ReadClaim, relations: list[str]) -> list[str]:
    """Who does what to whom; where the claim only says what something is, `from` and `by` are the same."""
    if not _IS_A.search(claim.text):
        return relations
    return ["by" if word == "from" else word for word in relations]


def _weigh_statement(
    claim: ReadClaim, claim_span: TextSpan, sentence: Sentence, span: TextSpan
) -> RuleFinding | None:
    """What a sentence with all words of the claim does to it, by its negations and figures."""
    negations = sum(span.is_near(index) for index in sentence.negators)
    claim_negations = len(claim.sentence.negators)
    numbers = compare_figures(claim, claim_span, sentence, span)
    stance = Stance.CONTRADICTS
    if negations == claim_negations and numbers.agree:
        stance, why = Stance.SUPPORTS, "one sentence says all of it"
    elif negations == claim_negations and numbers.conflict:
        why = numbers.conflict
    elif (
        {negations, claim_negations} == {0, 1}
        and numbers.agree
        and _is_tight(claim, sentence, span)
    ):
        why = "the sentence differs in a negation"
    else:
        return None
    return RuleFinding(stance, why, sentence.text, sentence.start)


def _is_tight(claim: ReadClaim, sentence: Sentence, span: TextSpan) -> bool:
    """Whether the sentence says hardly more than the claim."""
    if span.words > len(claim.stems) + 1:
        return False
    return len(sentence.words) <= len(claim.sentence.words) + _MAX_EXTRA_WORDS


def _is_unrelated(claim: ReadClaim, evidence: ReadEvidence) -> bool:
    """Whether no content word of the claim, not even by its beginning, occurs in the evidence."""
    if claim.is_short or evidence.word_count < _MIN_EVIDENCE_WORDS:
        return False
    if not prefixes_of(claim.stems).isdisjoint(evidence.prefixes):
        return False
    return not claim.has_figures or evidence.values.isdisjoint(values_of(claim.figures))
