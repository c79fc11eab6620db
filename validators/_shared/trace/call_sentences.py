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
from judgemesh.validators._shared.trace.status import status_key
from judgemesh.validators._shared.trace.status_words import (
    DONE,
    FAILED,
    OPEN,
    PARTIAL,
    REHEARSAL,
)
from judgemesh.validators._shared.trace.verbs import (
    brought_about,
    examines,
    kind_words,
    rehearses,
    stem,
)

_MAX_CHARS: Final = 300
_MAX_CLAUSES: Final = 3
"""What a text says of the work stands at its beginning."""
_LONGEST: Final = 4
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
_FAULT: Final = (
    r"(?:errors?|issues?|problems?|failures?|warnings?|exceptions?|conflicts?|faults?|defects?|objections?|fehler"
    r"|erreurs?|errores|feil)"
)
_FAULTLESS: Final = re.compile(
    rf"\b(?:no|without|zero|0|any|not any|ohne|keine|sans|aucune?|sin|ingen|uten)\s+(?:\w+\s+)?{_FAULT}\b"
    r"|\b0(?:\s*(?:of|out of|/)\s*\d+)?(?:\s+\w+){0,2}?\s+"
    r"(?:failed|skipped|rejected|bounced|pending|refused|declined|denied)\b"
    rf"|\b(?:failed|rejected|bounced|pending|refused|{_FAULT})\s*[:=]?\s*(?:0|none)\b(?!\s*(?:of\b|/|\.\d))"
    r"|\b(?:error|failure|fault|rejection|bounce)[ -]"
    r"(?:rate|margin|logs?|reports?|budget|handling|count|threshold|bars?)\b"
    r"|\bno (?:further |more )?(?:action|changes?) (?:is |are )?(?:needed|required|necessary)\b"
    r"|\bno (?:later|more|less) than\b"
    r"|\b(?:at )?no (?:extra |additional )?(?:charge|cost|fee)s?\b",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"(?<!page )(?<!step )(?<!part )(?<!item )\b(\d{1,9})\s*(?:of|out of)\s*(?:the\s+)?(\d{1,9})\b"
)
_EXIT: Final = re.compile(
    r"\b(?:exit(?:ed)?|return(?:ed)?)(?: with)?(?: exit)?(?: code| status)? *-?[1-9]\d{0,4}\b"
)
_ONLY: Final = re.compile(r"\bonly \d")
_PARTICIPLE: Final = re.compile(r".*(?:[^n]|[^e]n)t$|.*(?:d|en|wn)$")
_STILL: Final = frozenset({"is", "are", "was", "were", "still", "remains", "remain"})
_FUTURE: Final = frozenset({"will", "shall", "i'll", "we'll"})
"""Before the tool's own verb: what it has not done yet."""
_REMAINDER: Final = re.compile(
    r"\bbut\b|\bhowever\b|\bexcept\b|\bpart(?:ial)?ly\b|\bonly \d|\bnot (?:yet|\w+ed)\b"
)
"""What takes back a part of a `done` before it."""
_PASSIVE: Final = frozenset(
    {"", "by", "due", "because", "until", "till", "for", "after"}
)
"""Behind a past participle these say that it is about the thing and not what the tool did: `cancelled by the depot`."""
_NEGATIONS: Final = frozenset(
    {"not", "never", "no", "none", "nothing", "nobody", "cannot", "can't", "couldn't", "won't", "wasn't", "isn't",
     "aren't", "weren't", "didn't", "doesn't", "hasn't", "unable", "impossible", "sorry", "sry", "unfortunately",
     "nicht", "nichts", "kein", "keine", "keinen", "leider", "pas", "aucun", "aucune", "rien", "desole",
     "malheureusement", "nada", "ningun", "ninguna", "non", "niente", "impossibile", "nao", "niet", "geen", "helaas",
     "inte", "inga", "tyvarr", "ikke", "ingen", "intet", "dessverre", "nie",
     "nein", "nope", "nei", "nej", "nee"}
)  # fmt: skip
_FOUND_NOTHING: Final = frozenset({"no", "none", "nothing"})
_FAILURES: Final = frozenset(
    {"failed", "fail", "fails", "failure", "error", "errors", "errored", "rejected", "refused", "denied",
     "declined", "disapproved", "bounced", "unavailable", "unsuccessful", "timeout", "timed out", "aborted", "crashed",
     "fehlgeschlagen", "fehler", "gescheitert", "abgelehnt", "echec", "echoue", "echouee", "erreur", "refusee",
     "fallido", "fallo", "rechazado", "rechazada", "fallito", "rifiutato", "mislukt", "geweigerd", "misslyckades",
     "misslyckad", "feil", "feilet", "mislyktes", "avvist", "avslatt", "fejl", "afvist"}
)  # fmt: skip
_DELAYS: Final = frozenset(
    {"pending", "queued", "waiting", "awaiting", "postponed", "deferred", "delayed", "paused", "waitlisted", "unpaid",
     "unconfirmed", "unsent", "on hold", "under review", "will be", "would", "wird", "sera", "already",
     "ausstehend", "pendiente", "en attente"}
)  # fmt: skip
_NO_ROOM: Final = frozenset(
    {"is full", "are full", "was full", "is taken", "are taken", "is occupied", "is closed", "are closed", "is missing",
     "is busy", "is locked", "fully booked", "booked out", "booked up", "too late", "ausgebucht", "belegt",
     "fullt", "complet", "agotado", "agotada", "lleno", "insufficient", "limit", "exceeded", "unknown",
     "unrecognised", "unrecognized", "no longer",
     "is out", "are out", "run out", "ran out", "must", "needs", "bad", "withheld", "later", "maybe", "flagged",
     "please sign", "please log", "please provide", "please enter", "please try", "please contact"}
)  # fmt: skip
_ORDINARY: Final = frozenset(
    {
        "fault",
        "conflict",
        "exception",
        "lost",
        "void",
        "returned",
        "return",
        "expire",
        "gone",
        "false",
        "spam",
        "ng",
        "failing",
    }
)
"""Words of a status for `failed` that are something else in a sentence."""
_REHEARSED: Final = REHEARSAL - {"dry", "would", "preview", "mock", "what if", "staging"}  # fmt: skip
_STRONG: Final = _FAILURES | _DELAYS | _REHEARSED | PARTIAL
_WEAK: Final = (FAILED | _NO_ROOM) - _ORDINARY - _STRONG
_RECEIPTS: Final = frozenset(
    {"accepted", "received", "submitted", "acknowledged", "registered", "enqueued", "filed", "lodged"}
)  # fmt: skip
"""Words that say that an order came in, which is done only where that was the work."""
_STATES: Final = frozenset(
    {"live", "present", "good", "cast", "set", "final", "normal", "active", "valid", "won", "healthy", "effective",
     "true", "listed", "taken", "raised", "reserve", "completion", "enabled"}
)  # fmt: skip
"""Words of a status for `done` that are something else in a sentence."""
_PAST: Final = frozenset({"wrote", "made", "built", "put", "laid", "kept", "found", "ran", "left"})  # fmt: skip
_DONE: Final = (DONE | _PAST) - _STATES - _RECEIPTS


def without_absent_faults(text: str) -> str:
    """The beginning of a text without quotations, and without what says that there are no faults (`0 errors`)."""
    read = _NUMBERED.sub(" ", _QUOTED.sub(" ", plain(text[:_MAX_CHARS])))
    return _FAULTLESS.sub(" ", read)


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
    if _SMALL.search(clause):
        clause = _NAME.sub(" ", clause)
    text = status_key(clause)
    words = _WORD.findall(text)
    if _ONLY.search(text):
        return False
    weak = _EXIT.search(text) is not None
    for position, word in enumerate(words):
        phrases = _phrases(words, position)
        if _is_negation(words, position, tool) or _denies(phrases, _STRONG, tool):
            return False
        if position and _is_not_yet(words[position - 1], word, tool):
            return False
        if _is_done(words, position, tool):
            return _stays_done(words[position:], tool)
        weak = weak or _denies(phrases, _WEAK, tool)
        if word == "exited" and weak:
            return False
    return False if weak or _is_share(text) else None


def _phrases(words: list[str], position: int) -> frozenset[str]:
    """The word at a position, alone and with the ones behind it."""
    return frozenset(
        " ".join(words[position : position + length])
        for length in range(1, _LONGEST + 1)
    )


def _is_done(words: list[str], position: int, tool: str) -> bool:
    word = words[position]
    if word in _DONE or (
        _is_own(word, tool) and word != stem(word) and _PARTICIPLE.match(word)
    ):
        return word not in kind_words(tool) or word in DONE
    if position or not word.endswith("ed") or word in _STRONG | _RECEIPTS | OPEN:
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
        _denies(_phrases(words, position), _FAILURES | _REHEARSED, tool)
        for position in range(1, len(words))
    )
    return not (failed or _is_share(text) or _REMAINDER.search(text))


def _is_negation(words: list[str], position: int, tool: str) -> bool:
    """A tool that examines says with `no leaks` what it found."""
    word = words[position]
    return word in _NEGATIONS and not (word in _FOUND_NOTHING and len(words) > 1 and examines(tool))  # fmt: skip


def _denies(phrases: frozenset[str], table: frozenset[str], tool: str) -> bool:
    """Whether one of the phrases is in the table, and neither the state that the tool brings about nor its object."""
    own = brought_about(tool) | frozenset(map(stem, kind_words(tool)))
    return any(
        stem(phrase.partition(" ")[0]) not in own and not rehearses(tool, phrase)
        for phrase in phrases & table
    )


def _is_share(text: str) -> bool:
    """Whether the text counts less than the whole: `2 of 4`."""
    return any(int(share[1]) < int(share[2]) for share in _SHARE.finditer(text))
