"""Which sentences of an answer are claims that evidence can support, and what each of them cites.

A claim states something about the world: a figure, a date, a name, or what something is or does. Questions, offers,
advice, opinions in the first person, headings and sentences about the answer itself are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.quantities import figures
from judgemesh.validators.claims.sentences import sentence_of, split

_MIN_WORDS: Final = 3
_MAX_CHARS: Final = 3_000


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim: its text, what it cites, where it stands, and the sentences just before it."""

    text: str
    citations: tuple[str, ...]
    ref: str
    context: str = ""


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_MARKUP = re.compile(
    r"^\s{0,8}(?:[-*+\u2022]|\d{1,3}[.)]|>)\s+|\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)",
    re.MULTILINE,
)
_LINK = re.compile(r"\[(?P<text>[^\]\n]{1,300})\]\((?P<url>[^()\s]{1,2000})\)")
_BRACKETS = re.compile(r"\s?\[(?P<ids>[^\[\]\n]{1,120})\](?!\()")
_LETTER = re.compile(r"\w")
_ID_SEPARATOR = re.compile(r"\s*[,;]\s*")
_CITATION_ID = re.compile(r"[\w.:/#+-]{1,80}")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s|^[^.!?]{0,80}:$")
_NO_CLAIM = re.compile(
    r"^(?:please|let(?: me|'s| us)|here (?:is|are)|below|above|note that you|feel free|sure|certainly|of course|hello"
    r"|hi|thank|sorry|i |i'|we |my |in my|you (?:can|could|should|may|might|will|need)|if you|would you|do you|consider"
    r"|try|see |check|make sure|remember|contact|click|in (?:summary|conclusion)[,:]? (?:i|we) )",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"\b(?:i (?:think|believe|guess|recommend|suggest|hope|cannot|can't|could not|am not)|in my opinion|should you"
    r"|recommend(?:ed)? that you|it is (?:best|advisable|recommended)|the (?:answer|question|user|following))\b",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|be|been|will|can|cannot|\w{2,}(?:ed|es|s|n't))\b",
    re.IGNORECASE,
)


def claims_in(answer: str) -> list[StatedClaim]:
    """The claims of an answer in order. A citation behind a sentence's end belongs to that sentence."""
    text = _LINK.sub(r"\g<text> [\g<url>]", _CODE.sub(" ", answer))
    claims: list[StatedClaim] = []
    before: list[str] = []
    for start, piece in split(text):
        if _HEADING.match(piece):
            continue
        sentence, citations, leading = _cited_sentence(piece)
        if leading and claims:
            previous = claims[-1]
            cited = _distinct([*previous.citations, *leading])
            claims[-1] = replace(previous, citations=cited)
        if is_claim(sentence):
            ref, context = f"final_answer:{start}", " ".join(before)
            claims.append(StatedClaim(sentence, _distinct(citations), ref, context))
        before = [*before[-1:], sentence]
    return claims


def _distinct(ids: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))


class _CitedSentence(NamedTuple):
    """A sentence without its citation marks; what it cites; and the marks before its first word."""

    text: str
    citations: list[str]
    leading: list[str]


def _cited_sentence(piece: str) -> _CitedSentence:
    citations: list[str] = []
    leading: list[str] = []
    texts: list[str] = []
    end = 0
    has_words = False
    for mark in _BRACKETS.finditer(piece):
        ids = _citation_ids(mark["ids"])
        if not ids:
            continue
        if _LETTER.search(piece, end, mark.start()):
            has_words = True
        if has_words:
            citations += ids
        else:
            leading += ids
        texts.append(piece[end : mark.start()])
        end = mark.end()
    texts.append(piece[end:])
    text = " ".join(_MARKUP.sub("", "".join(texts)).split())
    return _CitedSentence(text[:_MAX_CHARS], citations, leading)


def _citation_ids(inside: str) -> list[str]:
    """The ids between brackets; none where something there is no id."""
    ids: list[str] = []
    for part in _ID_SEPARATOR.split(inside.strip()):
        if not part:
            continue
        if not _CITATION_ID.fullmatch(part):
            return []
        ids.append(part)
    return ids


def is_claim(sentence: str) -> bool:
    """Whether a sentence states something that evidence can support."""
    shown = plain(sentence)
    if shown.rstrip("\"'\u201d) ").endswith(("?", ":")):
        return False
    if _NO_CLAIM.match(shown) or _OPINION.search(shown):
        return False
    words, stated = sentence_of(sentence).words, figures(sentence)
    states = _STATES.search(shown) is not None
    has_figures = bool(stated.numbers or stated.days)
    if len(words) < _MIN_WORDS:
        # `It has 900 staff.` is a claim, `Chapter 7.` is not.
        return has_figures and states and len(words) == _MIN_WORDS - 1
    return has_figures or states or any(word.is_name for word in words[1:])
