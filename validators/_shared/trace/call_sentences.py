"""What a sentence that a tool returned says of the tool's work: done, or in doubt.

The first telling word of a clause decides. A word for `done`, or the tool's own verb in the past, says that the work
is done; a negation, a failure, a refusal, a delay or a rehearsal puts it in doubt. A sentence that says nothing of the
kind tells of neither.
"""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.opposites import is_opposite
from judgemesh.validators._shared.trace.sentence_words import (
    AGENTS,
    ALREADY,
    ASKED,
    AUXILIARIES,
    DONE,
    FAILURES,
    FAULTLESS,
    FOUND_NOTHING,
    IN_PLACE,
    NEGATIONS,
    NO_LONGER,
    RECEIPTS,
    REHEARSED,
    SHARE,
    STRONG,
    WEAK,
)
from judgemesh.validators._shared.trace.status import status_key
from judgemesh.validators._shared.trace.status_words import FAILED, OPEN
from judgemesh.validators._shared.trace.verbs import (
    STATES_ELSEWHERE,
    brought_about,
    examines,
    kind_words,
    rehearses,
    stem,
    stems_of,
    undoes,
    verbs_of,
)

_MAX_CHARS: Final = 300
_MAX_CLAUSES: Final = 3
"""What a text says of the work stands at its beginning."""
_LONGEST: Final = 5
_QUOTED: Final = re.compile(
    r"\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d|\u201e[^\u201c\n]*\u201c|\u00ab[^\u00bb\n]*\u00bb|`[^`\n]*`"
    r"|(?<!\w)['\u2018][^'\u2019\n]*['\u2019](?!\w)|(?<!\S)(?:\w+:/)?/\S+"
)
"""Quotations, paths and addresses."""
_NUMBERED: Final = re.compile(r"\b(?:no|nr)\.? ?(?=\d)", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[:;.!?](?=\s|$)|\n|\s[\u2013\u2014-]\s")
_NAME: Final = re.compile(r"(?<=[\w,&)\]] )[A-Z][\w'&-]*[a-z][\w'&-]*")
_SMALL: Final = re.compile(r"(?<![\w'])[a-z]")
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_RESERVED: Final = re.compile(r"(?i)\br\u00e9serv\u00e9s?\b")
"""Without its accents the participle is the noun."""
_ASKS: Final = stems_of("request ask send email message submit apply invite propose file")  # fmt: skip
_OPENING: Final = stems_of("open reopen enable activate unlock start resume mute hide show")  # fmt: skip
_BEFORE_STATES: Final = frozenset({"is", "are", "now", "ist", "sind", "est", "sont", "esta", "estan"})  # fmt: skip
_IN_FORCE: Final = frozenset({"open", "running", "active", "enabled", "unlocked"})
_PLAIN_WORD: Final = re.compile(
    r"[\"'(\[]*[^\W\d_]{2,}(?:[-'\u2019][^\W\d_]+)*[\"')\],.:;!?]*"
)
_EXIT: Final = re.compile(
    r"\b(?:exit(?:ed)?|return(?:ed)?)(?: with)?(?: exit)?(?: code| status)? *-?[1-9]\d{0,4}\b"
)
_NO_EXIT: Final = re.compile(
    r"\b(?:exit(?:ed)?|return(?:ed)?)(?: with)?(?: exit)?(?: code| status) *0\b"
)
_ONLY: Final = re.compile(r"\b(?:only|erst|nur|seulement|solo|soltanto) \d")
_PARTICIPLE: Final = re.compile(r".*(?:[^n]|[^e]n)t$|.*(?:d|en|wn)$")
_PAST: Final = re.compile(r"\w{2,}(?:[^\We]|agre|fre|cre|te)ed")
"""A participle by its form; not `red`, `seed` and `speed`."""
_STILL: Final = frozenset({"is", "are", "was", "were", "still", "remains", "remain"})
_FUTURE: Final = frozenset({"will", "shall", "i'll", "we'll"})
"""Before the tool's own verb: what it has not done yet."""
_POSSIBLE: Final = frozenset(
    {"possible", "available", "allowed", "accepted", "permitted", "moglich", "erlaubt", "posible", "reachable", "valid"}
)  # fmt: skip
_REMAINDER: Final = re.compile(
    r"\bbut\b|\bunless\b|\bsubject to\b|\bprovided (?:that|you|we|he|she|they|the)\b"
    r"|\bhowever\b|\bexcept\b|\bpart(?:ial)?ly\b|\bonly \d|\bnot (?:yet|\w+ed)\b"
)
"""What takes back a part of a `done` before it."""
_PASSIVE: Final = frozenset(
    {"", "by", "due", "because", "until", "till", "for", "after"}
)
"""Behind a past participle these say that it is about the thing and not what the tool did: `cancelled by the depot`."""


def is_sentence(text: str) -> bool:
    """Whether a text has two words or more, and is no name, number or code alone, nor longer than what is read."""
    read = without_absent_faults(text)
    words = [word for word in read.split() if _PLAIN_WORD.fullmatch(word)]
    return len(words) > 1 and len(text) <= _MAX_CHARS


def without_absent_faults(text: str) -> str:
    """The beginning of a text without quotations, and without what says that there are no faults (`0 errors`)."""
    read = _NUMBERED.sub(" ", _QUOTED.sub(" ", plain(text[:_MAX_CHARS])))
    return FAULTLESS.sub(" ", read)


def telling_clause(text: str, tool: str) -> tuple[bool | None, str]:
    """Whether a text says that the work of a tool is done, and the clause that decides; None where it says nothing.

    The text is one `without_absent_faults`.
    """
    for clause in filter(None, map(str.strip, _CLAUSE.split(text)[:_MAX_CLAUSES])):
        done = _says_done(clause, tool)
        if done is not None:
            return done, clause
    return None, ""


def _says_done(clause: str, tool: str) -> bool | None:
    """Whether a clause says that the work is done; None where it says nothing of it."""
    clause = _RESERVED.sub("reservee", clause)
    if _SMALL.search(clause):
        clause = _NAME.sub(" ", clause)
    text = status_key(clause)
    if _NO_EXIT.search(text):
        return True
    if _ONLY.search(text) or (ASKED.search(text) and _ASKS.isdisjoint(verbs_of(tool))):
        return False
    words = _WORD.findall(text)
    weak = _EXIT.search(text) is not None
    for position, word in enumerate(words):
        done = _of_word(words, position, tool)
        if done is not None:
            return done and not _is_share(text)
        weak = weak or _denies(_phrases(words, position), WEAK, tool)
        if word == "exited" and weak:
            return False
    return False if weak or _is_share(text) else None


def _of_word(words: list[str], position: int, tool: str) -> bool | None:
    """Whether the word at a position says that the work is done; None where it says nothing of it."""
    word = words[position]
    if word in ALREADY and _is_in_place(words[position + 1 :], tool):
        return True
    phrases = _phrases(words, position)
    if not phrases.isdisjoint(NO_LONGER) and undoes(tool):
        # What was to end has ended, unless it is the ending that is not possible any more.
        return not any(_is_own(later, tool) or later in _POSSIBLE for later in words)
    denies = _denies(phrases, STRONG, tool)
    if denies or _is_negation(words, position, tool):
        return False
    if position and _is_not_yet(words[position - 1], word, tool):
        return False
    if not _is_done(words, position, tool):
        return None
    # `ran out` says something else than `ran`.
    means_another = _denies(phrases - {word}, WEAK, tool)
    return not means_another and _stays_done(words[position:], tool)


def _phrases(words: list[str], position: int) -> frozenset[str]:
    """The word at a position, alone and with the ones behind it."""
    return frozenset(
        " ".join(words[position : position + length])
        for length in range(1, _LONGEST + 1)
    )


def _is_in_place(words: list[str], tool: str) -> bool:
    """Whether what stands behind `already` is the state that the tool was to bring about, and nobody else's doing.

    What ends or opens a thing finds it so; what books or pays it finds it done for another one.
    """
    rest = [word for word in words if word not in AUXILIARIES]
    if not _phrases(rest, 0).isdisjoint(IN_PLACE):
        return True
    if not rest or not AGENTS.isdisjoint(rest):
        return False
    settles = undoes(tool) or not verbs_of(tool).isdisjoint(_OPENING)
    return settles and _is_own(rest[0], tool)


def _is_done(words: list[str], position: int, tool: str) -> bool:
    word = words[position]
    if (
        word in _IN_FORCE
        and _is_own(word, tool)
        and (
            _BEFORE_STATES.intersection(words[:position])
            or words[max(0, position - 1)] in kind_words(tool)
        )
    ):
        return not verbs_of(tool).isdisjoint(_OPENING)
    own = _is_own(word, tool) and (
        word in STATES_ELSEWHERE
        or (word != stem(word) and _PARTICIPLE.match(word) is not None)
    )
    if own or not _phrases(words, position).isdisjoint(DONE):
        return word not in kind_words(tool) or word in DONE
    if position or not _PAST.fullmatch(word) or word in STRONG | RECEIPTS | OPEN:
        return False
    behind = words[1] if len(words) > 1 else ""
    return word not in FAILED or behind not in _PASSIVE


def _is_not_yet(before: str, word: str, tool: str) -> bool:
    """Whether a word and the one before it say that the work is still to be done: `is open` of closing, `will book`."""
    if before in _STILL:
        return is_opposite((word,), tool)
    return before in _FUTURE and _is_own(word, tool)


def _is_own(word: str, tool: str) -> bool:
    """Whether a word is a form of what the tool does."""
    return stem(word) in brought_about(tool)


def _stays_done(words: list[str], tool: str) -> bool:
    """Whether nothing in the rest of the clause takes back what it calls done."""
    text = " ".join(words)
    failed = any(
        _denies(_phrases(words, position), FAILURES | REHEARSED, tool)
        for position in range(1, len(words))
    )
    return not (failed or _REMAINDER.search(text))


def _is_negation(words: list[str], position: int, tool: str) -> bool:
    """A tool that examines says with `no leaks` what it found."""
    word = words[position]
    return word in NEGATIONS and not (word in FOUND_NOTHING and len(words) > 1 and examines(tool))  # fmt: skip


def _denies(phrases: frozenset[str], table: frozenset[str], tool: str) -> bool:
    """Whether one of the phrases is in the table, and neither the state that the tool brings about nor its object."""
    own = brought_about(tool) | frozenset(map(stem, kind_words(tool)))
    return any(
        # All of its words: a tool that books says with `booked out` that it could not.
        not own.issuperset(map(stem, phrase.split()))
        and not (phrase in REHEARSED and rehearses(tool, phrase))
        for phrase in phrases & table
    )


def _is_share(text: str) -> bool:
    """Whether the text counts less than the whole: `2 of 4`."""
    return any(int(share[1]) < int(share[2]) for share in SHARE.finditer(text))
