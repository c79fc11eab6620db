"""Which sentences of an answer are claims that evidence can bear out, and what each of them cites.

A claim states something about the world: a figure, a date, a name, or what something is or does. Questions, offers,
advice, opinions in the first person, headings and sentences about the answer itself are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from judgemesh.validators._shared.quantities import figures
from judgemesh.validators._shared.sentences import sentence_of, split
from judgemesh.validators._shared.text import plain

_FEWEST_WORDS: Final = 3
_MOST_CHARS: Final = 3_000


@dataclass(frozen=True, slots=True)
class FoundClaim:
    """A claim: its text, what it cites, where it stands, and what was said just before it."""

    text: str
    citations: tuple[str, ...]
    ref: str
    context: str = ""


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_MARKED = re.compile(
    r"^\s{0,8}(?:[-*+\u2022]|\d{1,3}[.)]|>)\s+|\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)",
    re.MULTILINE,
)
_LINK = re.compile(r"\[(?P<text>[^\]\n]{1,300})\]\((?P<url>[^()\s]{1,2000})\)")
_BRACKETS = re.compile(r"\s?\[(?P<ids>[^\[\]\n]{1,120})\](?!\()")
_LETTER = re.compile(r"\w")
_IDS = re.compile(r"\s*[,;]\s*")
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


def claims_in(answer: str) -> list[FoundClaim]:
    """The claims of an answer in order. A citation behind a sentence's end belongs to that sentence."""
    text = _LINK.sub(
        lambda match: f"{match['text']} [{match['url']}]", _CODE.sub(" ", answer)
    )
    found: list[FoundClaim] = []
    before: list[str] = []
    for start, piece in split(text):
        if _HEADING.match(piece):
            continue
        sentence, citations, leading = _citations(piece)
        if leading and found:
            last = found[-1]
            found[-1] = replace(
                last, citations=tuple(dict.fromkeys([*last.citations, *leading]))
            )
        if is_claim(sentence):
            cites = tuple(dict.fromkeys(citations))
            found.append(
                FoundClaim(sentence, cites, f"final_answer:{start}", " ".join(before))
            )
        before = [*before[-1:], sentence]
    return found


def _citations(piece: str) -> tuple[str, list[str], list[str]]:
    """A sentence without its citation marks; what it cites; and the marks before its first word."""
    citations: list[str] = []
    leading: list[str] = []
    kept: list[str] = []
    place = 0
    worded = False
    for match in _BRACKETS.finditer(piece):
        ids = [one for one in _IDS.split(match["ids"].strip()) if one]
        if not ids or not all(_CITATION_ID.fullmatch(one) for one in ids):
            continue
        worded = worded or _LETTER.search(piece, place, match.start()) is not None
        (citations if worded else leading).extend(ids)
        kept.append(piece[place : match.start()])
        place = match.end()
    kept.append(piece[place:])
    return (
        " ".join(_MARKED.sub("", "".join(kept)).split())[:_MOST_CHARS],
        citations,
        leading,
    )


def is_claim(sentence: str) -> bool:
    """Whether a sentence states something that evidence can bear out."""
    shown = plain(sentence)
    if (
        shown.rstrip("\"'\u201d) ").endswith(("?", ":"))
        or _NO_CLAIM.match(shown)
        or _OPINION.search(shown)
    ):
        return False
    read, stated = sentence_of(sentence), figures(sentence)
    states, figured = (
        _STATES.search(shown) is not None,
        bool(stated.numbers or stated.days),
    )
    if len(read.words) < _FEWEST_WORDS:
        # `It has 900 staff.` says something, `Chapter 7.` does not.
        return figured and states and len(read.words) == _FEWEST_WORDS - 1
    return figured or states or any(word.name for word in read.words[1:])
