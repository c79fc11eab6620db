"""Whether a text answers yes or no."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

YES_WORDS: Final = MappingProxyType(
    {
        "yes": True, "true": True, "y": True, "correct": True, "no": False, "false": False, "n": False,
    }
)  # fmt: skip
"""The words for yes and no."""
_ANSWER: Final = re.compile(
    r"\W*(?P<word>yes|true|y|correct|no|false|n)\b"
    r"(?:[*_`\"')]*(?:$|(?!\.\s*\d)[,.;:!\u3002\u2013\u2014]|\s*[(\n-])"
    r"|\s+(?:it|the|this|that|these|those|they|he|she|we|you|i|there|its|your|our|my|their|all|a|an|because|since|as|not)\b)",
    re.IGNORECASE,
)
_IDIOM: Final = re.compile(
    r"\W*no (?:one|that)\b|\W*(?:yes and no|yes or no)\b", re.IGNORECASE
)
_LATER: Final = re.compile(
    r"(?:^|[.,;:!?\n\u2013\u2014-]|\b(?:is|actually|rather|mean|say|and|or|but))\s*[*_`\"'(]*(?P<word>yes|no)\b(?=\W*(?:$|[.,;:!)\n]))",
    re.IGNORECASE,
)
_IN_SENTENCE: Final = re.compile(
    r"\b(?:answer|verdict|result|reply) (?:is|was|would be|must be):? [*_`\"']*(?P<word>yes|no|true|false)\b",
    re.IGNORECASE,
)


_CONDITION: Final = re.compile(
    r"[*_`\"')]*\s*[,;(\u2013\u2014-]?\s*(?:but\s+)?(?:only\s+)?"
    r"(?:if|unless|provided|assuming|as long as|so long as|on condition|subject to"
    r"|(?<=only )(?:on|in|at|for|with|when|after|before|by|from|until)"
    r"|in theory|in principle|probably|possibly|perhaps|maybe|except)\b",
    re.IGNORECASE,
)
"""Behind a yes or a no this makes it hold in some cases only."""
_WORD: Final = re.compile(r"\w+")
_NONE_OF: Final = re.compile(
    r"\W*no (?!(?:doubt|wonder|problem|worries|later|earlier|sooner|longer|matter|idea|way|sweat)\b)(?:\w+ ){1,3}?"
    r"(?:is|are|was|were|has|have|had|need|needs|will|can|may|must)\b",
    re.IGNORECASE,
)
"""`No permission is needed` says no to whether one is."""


def says(expected: bool, text: str) -> bool | None:  # noqa: FBT001 (the expected value)
    """Whether a text answers as expected.

    None where it takes the answer back, makes it hold in some cases only, or uses other words.

    A word of an idiom (`No problem`, `No later than May`) is no answer, and one that is taken back does not stand.
    """
    match = _ANSWER.match(text)
    if match is None or _IDIOM.match(text):
        match = _IN_SENTENCE.search(text)
    if match is None:
        word = _WORD.match(text)
        if expected is False and _NONE_OF.match(text):
            return None
        seeming = word is not None and YES_WORDS.get(word[0].strip().casefold())
        return False if len(text.split()) <= 1 or seeming is expected else None
    said = YES_WORDS[match["word"].casefold()]
    if said is expected and _CONDITION.match(text[match.end("word") :]):
        return None
    later = {
        YES_WORDS[one["word"].casefold()]
        for one in _LATER.finditer(text[match.end("word") :])
    }
    if later - {said}:
        return None if said is not expected else False
    return said is expected
