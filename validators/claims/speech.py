"""How a sentence is said: what comes before its core, and whether it states anything at all.

A sentence is a *claim* unless it clearly is not. An *aside* (advice, an offer with figures, what the speaker did) is a
claim only where the evidence speaks about the same. *Talk* (greetings, questions, offers) states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.phrases import (
    ASIDES,
    INTERJECTIONS,
    INTROS,
    LOOSE_REPORTS,
    REPORTS,
    SILENCE,
    TALK,
)
from judgemesh.validators.claims.quantities import figures
from judgemesh.validators.claims.sentences import sentence_of


class Speech(Enum):
    """What a sentence does."""

    CLAIM = "claim"
    ASIDE = "aside"
    TALK = "talk"


class Spoken(NamedTuple):
    """A sentence without its opener, and what it does."""

    core: str
    speech: Speech


def _any(phrases: Iterable[str]) -> str:
    return f"(?:{'|'.join(phrases)})"


_INTERJECTION = re.compile(
    rf"^{_any(INTERJECTIONS)}\s?(?:[,!:;\u2013\u2014]|\s-\s|\.(?=\s))+\s*",
    re.IGNORECASE,
)
_REPORT = re.compile(rf"^{_any(REPORTS)}\s*", re.IGNORECASE)
_LOOSE_REPORT = re.compile(rf"^{_any(LOOSE_REPORTS)}\s+(?=\S)", re.IGNORECASE)
_TALK = re.compile(rf"^{_any(TALK)}", re.IGNORECASE)
_SILENT = re.compile(rf"\b{_any(SILENCE)}\b", re.IGNORECASE)
_ASIDE = re.compile(rf"^{_any(ASIDES)}(?!\w)", re.IGNORECASE)
_INTRO = re.compile(_any(INTROS), re.IGNORECASE)
_TAG_QUESTION = re.compile(
    r",\s*(?:right|correct|yes|no|ok(?:ay)?|(?:is|are|was|were|do|does|did|has|have|will|can)(?:n't| not)?"
    r" (?:it|they|he|she|that|there|we))\s*\?+$",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|cannot|may|must|does|did|do|\w+n't)\b"
    r"|(?!(?:an?|the)\s)\b\w+\s+[a-z]{2,}(?:ed|s)\s+\w",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|be|been|will|can|cannot|may|must|\w{2,}(?:ed|es|s|n't))\b",
    re.IGNORECASE,
)
_WIDE_LETTER = re.compile(r"[^\x00-\u024f\s\d\W]")
_QUESTION_WORDS: Final = frozenset(
    {
        "is", "are", "was", "were", "do", "does", "did", "has", "have", "can", "could", "will", "would", "should",
        "may", "shall", "what", "when", "where", "who", "which", "why", "how", "whose",
    }
)  # fmt: skip
_MAX_EXCLAIMED_WORDS: Final = 3
_MAX_OPENERS: Final = 4
_MIN_WORDS: Final = 2
_MIN_SPOKEN_WORDS: Final = 5
_MIN_WIDE_LETTERS: Final = 6


def spoken(sentence: str) -> Spoken:
    """The core of a sentence, and what it does."""
    shown = _TAG_QUESTION.sub(".", plain(sentence).strip())
    core = _core(shown)
    return Spoken(core, _speech(core))


def _core(sentence: str) -> str:
    """A sentence without what introduces it, as far as something is left that states."""
    core = sentence
    for _ in range(_MAX_OPENERS):
        opener = _INTERJECTION.match(core) or _REPORT.match(core)
        if opener is None:
            opener = _LOOSE_REPORT.match(core)
            if opener is None or not _VERB.search(core, opener.end()):
                break
        rest = core[opener.end() :].lstrip()
        if not sentence_of(rest).words:
            break
        core = rest
    if core != sentence and core.endswith("?") and not _asks(core):
        core = f"{core[:-1]}."
    return core


def _asks(core: str) -> bool:
    """Whether what is left of a question still asks."""
    first = core.split(" ", 1)[0].casefold()
    return first in _QUESTION_WORDS


def _speech(core: str) -> Speech:
    """What a sentence without openers does; what holds a figure is never mere talk."""
    stated = figures(core)
    has_figures = bool(stated.numbers or stated.days)
    if core.rstrip("\"'\u201d) ").endswith(("?", "\uff1f")) or _is_intro(core):
        return Speech.TALK
    if _TALK.match(core) or _SILENT.search(core) or _is_exclamation(core):
        return Speech.ASIDE if has_figures else Speech.TALK
    if _ASIDE.match(core):
        return Speech.ASIDE
    return Speech.CLAIM if _states(core, has_figures=has_figures) else Speech.TALK


def _is_exclamation(core: str) -> bool:
    """Whether it is a few words with an exclamation mark and no verb: `Good news!`."""
    return (
        core.endswith("!")
        and len(core.split()) <= _MAX_EXCLAIMED_WORDS
        and not _VERB.search(core)
    )


def _is_intro(core: str) -> bool:
    """Whether it only introduces what follows: `Here are 3 facts:`."""
    if not core.rstrip().endswith(":"):
        return False
    return _INTRO.search(core) is not None or not _VERB.search(core)


def _states(core: str, *, has_figures: bool) -> bool:
    """Whether it has a verb, a name, a figure, or enough words to say something in any language."""
    if len(_WIDE_LETTER.findall(core)) >= _MIN_WIDE_LETTERS:
        return True
    read = sentence_of(core)
    words = [word for word in read.words if not word.text[0].isdigit()]
    if len(words) + len(read.negators) < _MIN_WORDS:
        # `It has 900 staff.` and `900 staff.` are claims, `Chapter 7.` is not.
        starts = core.lstrip("$\u20ac\u00a3 ")[:1].isdigit()
        return has_figures and (starts or _VERB.search(core) is not None)
    if has_figures or _STATES.search(core) or len(words) >= _MIN_SPOKEN_WORDS:
        return True
    return any(word.is_name for word in words[1:])
