"""Whether the next sentence takes back or restricts a statement. It has to refer to it: `No bikes.` does not."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators.claims.language.clauses import fronted, main_verb
from judgemesh.validators.claims.language.sentences import sentence_of
from judgemesh.validators.claims.language.tokens import tokens_of

_FOLLOWING_CHARS: Final = 200
_TAKES_BACK = re.compile(
    r"^(?:\W{0,4})(?:but|however|in fact|actually|yet|though|except|unless|exceptions?|only|otherwise"
    r"|this is (?:not|false|wrong)|that is (?:not|false|wrong))\b"
    r"|\b(?:nonsense|false|untrue|incorrect|myth|debunked|hoax|not true|disputed|retracted|repealed|revoked|superseded"
    r"|withdrawn|no longer|was wrong|abolished|rumou?r|unconfirmed|never happened|turned out)\b"
    r"|^\W{0,4}(?:not|excluded|exclusions?|nor)\b|\b(?:is|are) (?:excluded|exempt|not included)\b"
    r"|\b(?:does|do) not apply\b|\bexceptions?\b"
    r"|^\W{0,4}(?:this|that|these|those|it|they|the (?:rule|policy|offer|figure|number|fee|price|claim|statement))"
    r"\b[^.]{0,60}\b(?:only|if|unless|except|changed|corrected|estimate|applies|apply|valid|not)\b",
    re.IGNORECASE,
)
_NOW_OVER = re.compile(
    r"^\W{0,4}(?:this|that|these|those|it|they|the (?:rule|policy|offer|figure|number|fee|price|claim|statement))"
    r"\b[^.]{0,60}\b(?:until|replaced|expired|ended|applied)\b",
    re.IGNORECASE,
)
"""`It ended in May.`: it takes back what is said to be, and nothing of what was done."""
_NONE = re.compile(r"^\W{0,4}(?:no|none)\b", re.IGNORECASE)
_REFERS_BACK = re.compile(
    r"^\W{0,4}(?:no|none)\W*[,;:.!\u2014]"
    r"|\b(?:this|that|these|those|it|its|they|them|their|he|him|his|she|her|such|so|there|then|above|one|other|else"
    r"|evidence|proof|sources?|records?|confirm\w*|support\w*|prove\w*)\b",
    re.IGNORECASE,
)


def is_taken_back(sentence: str, following: str) -> bool:
    """Whether the next sentence, or what follows a semicolon, takes back or restricts what is said."""
    first, _, rest = sentence.partition(";")
    return any(
        _takes_back(text[:_FOLLOWING_CHARS], first)
        for text in (rest.lstrip(), following)
    )


def _takes_back(text: str, statement: str) -> bool:
    if _TAKES_BACK.search(text) is not None:
        return True
    if _NOW_OVER.match(text) is not None:
        return not _tells_what_was_done(statement)
    return _NONE.match(text) is not None and _is_about(text, statement)


def _tells_what_was_done(statement: str) -> bool:
    """Whether its verb is in the past: `Ann led the excavation`."""
    _, core = fronted(tokens_of(statement))
    verb = main_verb(core)
    return verb > 0 and core[verb].key.endswith("+ed")


def _is_about(text: str, statement: str) -> bool:
    """Whether a sentence with `No` in front may be about the statement: it points at it, shares a word, or is cut."""
    if _REFERS_BACK.search(text) or not main_verb(tokens_of(text)):
        return True
    return not sentence_of(text).stems.isdisjoint(sentence_of(statement).stems)
