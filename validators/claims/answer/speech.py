"""How a sentence is said: what comes before its core, and whether it states anything at all.

A sentence is a *claim* unless it is recognised as something else; no list of verbs decides what states something. An
*aside* (advice, a next step, what the speaker did) is a claim only where the evidence speaks about the same. *Talk*
(greetings, questions, offers, declared ignorance) states nothing, unless it goes on to state something: `I hope this
helps, because the insurer paid.` A *fragment* is too short to be read: `Chapter 7.`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final, NamedTuple

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.answer.phrases import (
    INTERJECTIONS,
    LOOSE_REPORTS,
    REPORTS,
)
from judgemesh.validators.claims.answer.talk_phrases import (
    ASIDES,
    GREETINGS,
    INTROS,
    SILENCE,
    TALK,
)
from judgemesh.validators.claims.language.finite_verbs import FINITE
from judgemesh.validators.claims.language.quantities import figures
from judgemesh.validators.claims.language.sentences import sentence_of


class Speech(Enum):
    """What a sentence does."""

    CLAIM = "claim"
    ASIDE = "aside"
    TALK = "talk"
    FRAGMENT = "fragment"


class Spoken(NamedTuple):
    """A sentence without its opener, and what it does."""

    core: str
    speech: Speech


def _any(phrases: Iterable[str]) -> str:
    return f"(?:{'|'.join(phrases)})"


_SUBJECT: Final = (
    r"(?:the|an?|your|our|his|her|their|its|all|every|each|no|nobody|nothing|someone|somebody|everyone|there|it|they|he|she|we"
    r"|you|both|many|some|most|several|this|these|\d|(?-i:[A-Z]))"
)
_INTERJECTION = re.compile(
    rf"^{_any(INTERJECTIONS)}\s?(?:[,!:;\u2013\u2014]|\s-\s|\.(?=\s))+\s*",
    re.IGNORECASE,
)
_REPORT = re.compile(rf"^{_any(REPORTS)}\s*", re.IGNORECASE)
_LOOSE_REPORT = re.compile(rf"^{_any(LOOSE_REPORTS)}\s+(?=\S)", re.IGNORECASE)
_TALK = re.compile(rf"^{_any(TALK)}", re.IGNORECASE)
_WISH = re.compile(
    r"^(?:many |a big |warm )?(?:thanks|thank you|have|enjoy|happy to|wishing|see you|danke|merci|vielen|gracias)\b",
    re.IGNORECASE,
)
_GREETING = re.compile(rf"^{_any(GREETINGS)}", re.IGNORECASE)
_ADDRESS = re.compile(r"^[\w' .&-]{1,50},$")
_SOURCE_LINE = re.compile(
    r"^\W*(?:sources?|references?|quelle|fuente|based on|see also)\s?:", re.IGNORECASE
)
_LOOSE_JOINT = re.compile(
    r",\s+(?=(?:the|your|our|nobody|someone|somebody|an?)\s)|(?<=know) that\s+",
    re.IGNORECASE,
)
_OWN_JOINT = re.compile(r"\sand\s+(?=(?:the|your|our|nobody|someone)\s)", re.IGNORECASE)
_COMMA = re.compile(r",?\s+since\s+|,\s+")
_CHANGED = re.compile(r"(?:the|your|our)\s(?:[\w'-]+\s){1,3}\w{3,}ed\b", re.IGNORECASE)
"""What happened to a thing, with nothing behind it: `the roof collapsed`."""
_ARTICLE_ABROAD = re.compile(
    r"(?:der|die|das|el|la|los|las|le|les|l['\u2019]|il|lo|gli|os|as|het|det|den)\s?\b",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"^(?:i|we)\b", re.IGNORECASE)
_SILENT = re.compile(_any(SILENCE), re.IGNORECASE)
_ASIDE = re.compile(rf"^{_any(ASIDES)}(?!\w)", re.IGNORECASE)
_INTRO = re.compile(_any(INTROS), re.IGNORECASE)
_CONDITION = re.compile(
    r"^(?:if|when(?:ever)?|once|before|after|until|unless|while|in case)\b[^,]{1,160},\s+(?:then )?(?=\S)",
    re.IGNORECASE,
)
_HELP_CONDITION = re.compile(
    r"^if you (?:need|have|want|would|'d|require|wish)\b.*\b(?:help|questions?|else|more|further|assist\w*"
    r"|information|details?|anything|concerns?|changes?|support|let me|let us|contact|reach)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,\s*|\s+)(?:but|because|although|though|even though|whereas)\s+"
    r"|,\s*(?:and|so|since|as|while|for)\s+|\ssince\s+|(?<=sorry) that\s+|(?<=glad) that\s+|(?<=happy) that\s+"
    r"|(?<=\w):\s+|[\s,][\u2013\u2014-]\s+",
    re.IGNORECASE,
)
_TAIL_SUBJECT = re.compile(_SUBJECT, re.IGNORECASE)
_VAGUE_SUBJECT = re.compile(r"(?:it|this|these|that|we)\b", re.IGNORECASE)
_PRONOUN_SUBJECT = re.compile(
    r"^(?:it|they|he|she|you|we|there|nobody|everybody|everyone|someone|somebody)\s\S",
    re.IGNORECASE,
)
_TAG_QUESTION = re.compile(
    r",\s*(?:right|correct|yes|no|ok(?:ay)?|(?:is|are|was|were|do|does|did|has|have|will|can)(?:n't| not)?"
    r" (?:it|they|he|she|that|there|we))\s*\?+$",
    re.IGNORECASE,
)
_ASKED_TAIL = re.compile(
    r"^(?!(?:if|when|since|as|before|after|once|while|for|in|on|at|and|so)\b)(?P<stated>[^,?]{8,}),\s*(?:and |so )?"
    r"(?:do|does|did|would|could|can|shall|should|may|is|are|what|how|want)\b[^?]*\?+$",
    re.IGNORECASE,
)
_WIDE_LETTER = re.compile(r"[^\x00-\u024f\s\d\W]")
_LEADING_SIGNS = re.compile(r"^[^\w\"'(\[$\u20ac\u00a3<~+\-]+")
_QUESTION_WORDS: Final = frozenset(
    {
        "is", "are", "was", "were", "do", "does", "did", "has", "have", "can", "could", "will", "would", "should",
        "may", "shall", "what", "when", "where", "who", "which", "why", "how", "whose",
    }
)  # fmt: skip
_MAX_EXCLAIMED_WORDS: Final = 2
_MAX_OPENERS: Final = 4
_MIN_WORDS: Final = 2
_MIN_WIDE_LETTERS: Final = 6
_MIN_WORDS_ABROAD: Final = 4


def spoken(sentence: str) -> Spoken:
    """The core of a sentence, and what it does."""
    shown = _LEADING_SIGNS.sub("", plain(sentence).strip()) or sentence
    shown = _TAG_QUESTION.sub(".", shown)
    shown = _ASKED_TAIL.sub(r"\g<stated>.", shown)
    core = _core(shown)
    speech = _speech(core)
    goes_on = not (_is_question(core) or _SOURCE_LINE.match(core))
    if goes_on and speech in (Speech.TALK, Speech.ASIDE):
        return _tail(core) or Spoken(core, speech)
    return Spoken(core, speech)


def _core(sentence: str) -> str:
    """A sentence without what introduces it, as far as something is left that states."""
    core = sentence
    for _ in range(_MAX_OPENERS):
        opener = _INTERJECTION.match(core) or _REPORT.match(core)
        if opener is None:
            opener = _LOOSE_REPORT.match(core)
            if opener is None or not FINITE.search(core, opener.end()):
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


def _tail(core: str) -> Spoken | None:
    """What talk goes on to state, as in `Let me know, since the driver fled`."""
    for tail in _tails(core):
        said = spoken(tail)
        if said.speech is not Speech.CLAIM:
            continue
        vague = _VAGUE_SUBJECT.match(tail) is not None
        return Spoken(said.core, Speech.ASIDE if vague else Speech.CLAIM)
    return None


def _tails(core: str) -> Iterator[str]:
    for joint in _TAIL.finditer(core):
        tail = core[joint.end() :]
        if _TAIL_SUBJECT.match(tail) and len(tail.split()) > 1:
            yield tail
    for joint in _COMMA.finditer(core):
        tail = core[joint.end() :]
        if _goes_on_to_state(tail):
            yield tail
    joints = [_LOOSE_JOINT, _OWN_JOINT] if _SPEAKER.match(core) else [_LOOSE_JOINT]
    for pattern in joints:
        for joint in pattern.finditer(core):
            if FINITE.search(core, joint.end()):
                yield core[joint.end() :]


def _goes_on_to_state(tail: str) -> bool:
    """Whether what follows a comma is a statement by its form: with a figure, or of a thing with an article."""
    stated = figures(tail)
    if stated.numbers or stated.days:
        return FINITE.search(tail) is not None
    if _CHANGED.match(tail):
        return True
    words = len(tail.split())
    return words >= _MIN_WORDS_ABROAD and _ARTICLE_ABROAD.match(tail) is not None


def _speech(core: str) -> Speech:
    """What a sentence without openers does; what holds a figure is never mere talk."""
    stated = figures(core)
    has_figures = bool(stated.numbers or stated.days)
    if _is_question(core) or _is_intro(core):
        return Speech.TALK
    if _is_talk(core):
        return Speech.ASIDE if has_figures else Speech.TALK
    if _ASIDE.match(core):
        return Speech.ASIDE
    condition = _CONDITION.match(core)
    if condition is not None:
        rest = _speech(core[condition.end() :])
        return Speech.ASIDE if rest is Speech.FRAGMENT else rest
    return Speech.CLAIM if _states(core, has_figures=has_figures) else Speech.FRAGMENT


def _is_question(core: str) -> bool:
    return core.rstrip("\"'\u201d) ").endswith(("?", "\uff1f"))


def _is_talk(core: str) -> bool:
    core = core.lstrip('(["')
    greeting = _GREETING.match(core)
    if greeting is not None and not _WISH.match(core):
        # `Done deals are final.` only begins like one.
        return not FINITE.search(core, greeting.end())
    return (
        _TALK.match(core) is not None
        or _ADDRESS.match(core) is not None
        or _SILENT.search(core) is not None
        or _HELP_CONDITION.match(core) is not None
    )


def _is_exclamation(core: str) -> bool:
    """Whether it is one or two words with an exclamation mark: `Good news!`."""
    return core.endswith("!") and len(core.split()) <= _MAX_EXCLAIMED_WORDS


def _is_intro(core: str) -> bool:
    """Whether it only introduces what follows: `Here are 3 facts:`."""
    if not core.rstrip().endswith(":"):
        return False
    return _INTRO.search(core) is not None or not FINITE.search(core)


def _states(core: str, *, has_figures: bool) -> bool:
    """Whether it has enough words to say something of something."""
    if len(_WIDE_LETTER.findall(core)) >= _MIN_WIDE_LETTERS:
        return True
    read = sentence_of(core)
    words = [word for word in read.words if not word.text[0].isdigit()]
    if _is_exclamation(core):
        return False
    if len(words) + len(read.negators) >= _MIN_WORDS:
        return True
    if has_figures:
        # `It has 900 staff.` and `900 staff.` are claims, `Chapter 7.` is not.
        starts = core.lstrip("$\u20ac\u00a3 ")[:1].isdigit()
        return starts or FINITE.search(core) is not None
    return bool(words) and _PRONOUN_SUBJECT.match(core) is not None
