"""Find reasons that state the opposite of their verdict, by rules over the conclusions they state. Pure.

Conservative: only a stated conclusion counts, never the tone. The last one in the reason decides, because a judge may
weigh the other side first. Conditions ("the answer is no if ...") and what somebody else says ("the agent's answer is
no", "the agent claims that the criterion is met") state nothing.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import Final

from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.replies.conclusions import (
    ANSWER,
    CLAIM,
    CRITERION,
    QUESTION,
    SO,
    UNSETTLED,
    Rule,
)

_CRITERION_OR_UNSETTLED: Final = (*CRITERION, *UNSETTLED)
_ALL: Final = (*QUESTION, *_CRITERION_OR_UNSETTLED)
_OF_CLAIM: Final = (*CLAIM, *UNSETTLED)
_PLAIN: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019", "'"),
        **dict.fromkeys("\u201c\u201d\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2013\u2014", "-"),
        **dict.fromkeys("\u2192\u21d2", "->"),
    }
)
_SHORT: Final = (
    *(("*", ""), ("`", "")),
    *(("can't", "cannot"), ("n't", " not"), ("can not", "cannot")),
)
"""Marks of emphasis, and short forms, in this order."""
_SENTENCE_ENDS: Final = (". ", "! ", "? ", "; ", "\n", " but ", " - ")
_CLAUSES: Final = re.compile(rf",|{SO}")
_CONDITIONAL: Final = re.compile(r"(?:if|unless|suppose|assuming|had|were)\b")
_DOUBTED: Final = re.compile(
    r"\b(?:if|unless|would|were|had|whether|might|could|suppose|assuming|although|though)\b"
)
_LIMITED: Final = re.compile(r"[^,.;]*\b(?:if|unless|had|were)\b")
_PASSIVE: Final = "".join(
    f"(?<!{word} )"
    for word in ("is", "are", "was", "were", "been", "is not", "was not")
)
_SPEAKS: Final = (
    "says?", "said", "claims?", "states?", "writes?", "wrote", "tells?", "told", "reports", "repl(?:ies|ied)",
    "argues?", "notes", "thinks?", "thought", "believes?", "insists?", "assumes?", "explains", "mentions",
    "concludes?", "admits?", "declines", "according to",
    "sagte?", "schreibt", "schrieb", "behauptet", "meint", "dit", "affirme", "écrit", "prétend", "indique",
    "dice", "dijo", "afirma", "escribe", "indica",
    rf"{_PASSIVE}(?:claimed|stated|reported|argued|noted|explained|mentioned|concluded|admitted|declined)",
)  # fmt: skip
_SAYS: Final = rf"\b(?<!\bi )(?<!\bwe )(?:{'|'.join(_SPEAKS)})\b"
_SAID: Final = re.compile(_SAYS)
_SAID_LAST: Final = re.compile(_SAYS + ", $")
_QUOTE_OPEN: Final = re.compile(
    r"(?:^|(?<=[\s(:]))[\"'](?=\w|$)(?!.*\w[.!?]?[\"'](?!\w))"
)
"""A quotation that does not end in the same text."""


def stated(reason: str, *, claim: bool = False) -> Vote | None:
    """The verdict that a reason states last; None where it states none.

    Args:
        reason: the judge's own words.
        claim: the question was whether a claim is true, as in the negated prompt.
    """
    text = plain(reason)
    found = [
        (match.start(), rule.vote(match), match)
        for rule in _rules(text, claim=claim)
        for match in rule.matches(text)
    ]
    for _, vote, match in sorted(found, key=itemgetter(0), reverse=True):
        if _is_own(text, match, unsettled=vote is Vote.CANNOT_ASSESS):
            return vote
    return None


def contradicts(vote: Vote, reason: str, *, claim: bool = False) -> bool:
    """Whether the reason states another verdict than the vote."""
    conclusion = stated(reason, claim=claim)
    return conclusion is not None and conclusion is not vote


def _rules(text: str, *, claim: bool) -> tuple[Rule, ...]:
    """The rules that may match."""
    if claim:
        return _OF_CLAIM
    return _CRITERION_OR_UNSETTLED if ANSWER.search(text) is None else _ALL


def plain(reason: str) -> str:
    """A reason in small letters, with one form of quotes, dashes and arrows, no emphasis and no short forms."""
    text = reason.casefold()
    if not text.isascii():
        text = text.translate(_PLAIN)
    for short, long in _SHORT:
        text = text.replace(short, long)
    return text


def _is_own(text: str, match: re.Match[str], *, unsettled: bool) -> bool:
    """Whether the judge itself concludes it, and without a condition."""
    before, behind = _around(text, match)
    if before:
        if _CONDITIONAL.match(before) or _is_quoted(before):
            return False
        clause = before[
            max((end.end() for end in _CLAUSES.finditer(before)), default=0) :
        ]
        if _SAID.search(clause) or _DOUBTED.search(clause):
            return False
        if before.endswith(", ") and _SAID_LAST.search(before):
            return False
    # "cannot be determined if the fee was paid" is no condition.
    return unsettled or _LIMITED.match(behind) is None


def _around(text: str, match: re.Match[str]) -> tuple[str, str]:
    """What the sentence of a match has before and behind it."""
    before, behind = text[: match.start()], text[match.end() :]
    for end in _SENTENCE_ENDS:
        before = before.rpartition(end)[2]
        behind = behind.partition(end)[0]
    return before, behind


def _is_quoted(before: str) -> bool:
    """Whether a quotation begins in this text that does not end there."""
    return ("'" in before or '"' in before) and _QUOTE_OPEN.search(before) is not None
