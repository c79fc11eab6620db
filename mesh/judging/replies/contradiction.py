"""Find reasons that state the opposite of their verdict, by rules over the conclusions they state. Pure.

Conservative: only a stated conclusion counts, never the tone. The last one in the reason decides, because a judge may
weigh the other side first. Conditions ("the answer would be no if ...") and other people's answers ("the agent's answer
is no") state nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Final, NamedTuple

from judgemesh.contracts.opinions import Vote

_WORDS: Final = {
    "yes": Vote.YES,
    "no": Vote.NO,
    "true": Vote.YES,
    "false": Vote.NO,
    "cannot_assess": Vote.CANNOT_ASSESS,
    "cannot assess": Vote.CANNOT_ASSESS,
}


class Rule(NamedTuple):
    """A pattern, and whole words of which one stands in each of its matches: to look for those takes far less time."""

    needed: tuple[str, ...]
    pattern: re.Pattern[str]

    def matches(self, sentence: str) -> Iterable[re.Match[str]]:
        """The matches in a sentence."""
        for word in self.needed:
            if word in sentence:
                return self.pattern.finditer(sentence)
        return ()


def _rule(pattern: str, *needed: str) -> Rule:
    return Rule(needed, re.compile(pattern))


_MARKS: Final = r"[\"'`*\u201c\u201d\u2018\u2019]{0,3}"
_WORD: Final = (
    rf"{_MARKS}(yes|no|cannot[_ ]assess)\b"
    r"(?! (?:one|longer|evidence|doubt|matter|other|such|more|sign|mention|record))"  # "so no evidence was given"
)
_IS: Final = (
    r"(?: (?:is|must be|should be|has to be|is therefore|is thus|is clearly|is simply|remains))?"
    r"(?: therefore| thus| hence)?[:,]? "
)
_SO_WORDS: Final = (
    *("therefore", "thus", "hence", "consequently", "accordingly", "so"),
    "in conclusion",
)
_SO: Final = rf"\b(?:{'|'.join(_SO_WORDS)})[,:]?"
_END: Final = rf"(?={_MARKS}(?:[.!;,]|$))"

# A conclusion about the question, with the verdict as its group.
QUESTION: Final = (
    _rule(
        rf"\bthe (?:correct |right |only |appropriate )?answer(?: to (?:the|this) question)?{_IS}{_WORD}",
        "answer",
    ),
    _rule(rf"\b(?:my|the) (?:final |overall )?verdict{_IS}{_WORD}", "verdict"),
    _rule(
        rf"{_SO} (?:i (?:answer|say|conclude|vote)(?: with)?[:,]? )?{_WORD}{_END}",
        *_SO_WORDS,
    ),
    _rule(
        rf"\bi (?:therefore |thus |hence |must |have to )?(?:answer|conclude|vote|say)(?: with)?[:,]? {_WORD}{_END}",
        "i ",
    ),
    _rule(
        rf"\bthe question (?:must|should|has to|can only) be answered(?: with)?[:,]? {_WORD}",
        "question",
    ),
)
# The same where what was asked is whether a claim is true.
CLAIM: Final = (
    _rule(
        r"\bthe claim(?: above| made)? "
        r"(?:is|must be|is therefore|is thus|is clearly|is indeed) (?:not )?(true|false)\b",
        "the claim",
    ),
    _rule(
        r"\b(?:therefore|thus|hence|so),? (?:the claim|it) is (?:not )?(true|false)\b",
        *("therefore", "thus", "hence", "so"),
    ),
)
CRITERION: Final = _rule(
    r"\bthe (?:criterion|condition asked (?:about|for)) (?:is|has been|was) (?P<not>not (?:been )?)?"
    r"(?:clearly |fully )?(?:met|satisfied|fulfilled)\b",
    *("the criterion", "the condition"),
)
UNSETTLED: Final = _rule(
    r"(?<!if )\b(?:(?:it|this|that|the question) (?:cannot|can not|could not|can't) be "
    r"(?:determined|assessed|settled|decided|answered|established)"
    r"|(?:it is|it's) (?:impossible|not possible) to (?:determine|assess|tell|decide|say|judge)"
    r"|(?:not enough|insufficient|too little) (?:evidence|information)(?: is (?:given|shown))? to "
    r"(?:determine|assess|tell|decide|say|judge|answer))\b",
    *("cannot be", "can not be", "could not be", "can't be"),
    *("impossible", "not possible", "not enough", "insufficient", "too little"),
)
_CONCLUDING: Final = (*_WORDS, "met", "satisfied", "fulfilled", *UNSETTLED.needed)
CONCLUDING: Final = re.compile(rf"\b(?:{'|'.join(_CONCLUDING)})\b")
"""One of these words stands in every conclusion, and in few other reasons."""
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|would|were|had|whether|might|could|suppose|assuming|although|though)\b"
)
_NEGATED: Final = re.compile(r"\bnot (?:true|false)\b")
_SENTENCES: Final = re.compile(r"(?<=[.!?;])\s+|\n+|,? but | - ")


def stated(reason: str, *, claim: bool = False) -> Vote | None:
    """The verdict that a reason states last; None where it states none.

    Args:
        reason: the judge's own words.
        claim: the question was whether a claim is true, as in the negated prompt.
    """
    last = None
    for vote in _statements(reason, claim=claim):
        last = vote
    return last


def contradicts(vote: Vote, reason: str, *, claim: bool = False) -> bool:
    """Whether the reason states another verdict than the vote."""
    conclusion = stated(reason, claim=claim)
    return conclusion is not None and conclusion is not vote


def _statements(reason: str, *, claim: bool) -> Iterator[Vote]:
    text = reason.casefold()
    if CONCLUDING.search(text) is None:
        return
    for sentence in _SENTENCES.split(text):
        conclusions = list(_concluded(sentence, claim=claim))
        if conclusions and _CONDITION.search(sentence) is not None:
            conclusions.clear()
        unsettled = [
            (match.start(), Vote.CANNOT_ASSESS) for match in UNSETTLED.matches(sentence)
        ]
        conclusions = sorted(unsettled + conclusions, key=itemgetter(0))
        for _, vote in conclusions:
            yield vote


def _concluded(sentence: str, *, claim: bool) -> Iterator[tuple[int, Vote]]:
    """Conclusions with their offsets."""
    for rule in CLAIM if claim else QUESTION:
        for match in rule.matches(sentence):
            vote = _WORDS[match[1]]
            if _NEGATED.search(match[0]):
                vote = _OPPOSITE[vote]
            yield match.start(), vote
    if not claim:
        for match in CRITERION.matches(sentence):
            yield match.start(), Vote.NO if match["not"] else Vote.YES


_OPPOSITE: Final = {
    Vote.YES: Vote.NO,
    Vote.NO: Vote.YES,
    Vote.CANNOT_ASSESS: Vote.CANNOT_ASSESS,
}
