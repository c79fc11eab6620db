"""What the status of a record says: the action is done, done in part, still open, failed, or nobody knows.

One table of words. A status may be written in any case, with `-`, `_` or spaces, and with an explanation behind it
(`Failed: card declined`). A word that is not in the table is unknown, never a success. A contract may add words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.opposites import (
    is_on_the_way,
    is_opposite,
    is_other_result,
)
from judgemesh.validators._shared.trace.status_words import (
    DONE,
    FAILED,
    MEANINGLESS,
    OPEN,
    PARTIAL,
    PAYMENT_OPEN,
    PAYMENT_UNDONE,
    REHEARSAL,
)
from judgemesh.validators._shared.trace.verbs import (
    brought_about,
    moves_money,
    rehearses,
    stem,
)


class Standing(StrEnum):
    """What a status says about the action."""

    DONE = "done"
    PARTIAL = "partial"
    OPEN = "open"
    FAILED = "failed"
    UNKNOWN = "unknown"


StatusWords = Mapping[str, Standing]
"""Words that a contract adds, in the form of `status_key`."""
NO_WORDS: Final[StatusWords] = MappingProxyType({})

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_BREAK = re.compile(r"[:;,(\[{|\n=\u2013\u2014/]|\s-+\s|[.!?](?:\s|$)|->|\u2192")
_CODE = re.compile(
    r"(?:http|status|code|error|response|\s|/|:|\d\.\d)*(10[0-3]|20[0-8]|250|30[0-8]|4[0-5]\d|5[0-5]\d)(?!\d)(?!\s*(?:of|eur|usd|\$|%))"
)
_SHARE = re.compile(
    r"(\d{1,18})\s*(?:of|out of)\s*(\d{1,18})|(\d{1,18})(?:\.\d{1,18})?\s*%"
)
_FAULTLESS = re.compile(
    r"\b(?:no|without|zero|0|any)\s+(?:further\s+)?(?:errors?|issues?|problems?|failures?|warnings?|exceptions?)\b"
)
_FAULTS = re.compile(
    r"\b(?:with|had|some|but)\s+(?:\w+\s+){0,2}(?:errors?|issues?|problems?|failures?|exceptions?)\b"
)
_LABELS: Final = frozenset({"status", "state", "result", "outcome", "http"})
_NEGATIONS: Final = frozenset({"not", "never", "no", "nicht", "non", "pas", "niet", "nao", "hasn't", "wasn't", "isn't",
                               "didn't", "couldn't", "cannot", "can't", "won't", "unable"})  # fmt: skip
_NOT_YET: Final = frozenset({"yet", "started", "noch", "encore", "aun"})
_WAITING: Final = frozenset({"pending", "awaiting", "waiting"})
_LONGEST: Final = 4
_WORST_FIRST: Final = (Standing.FAILED, Standing.OPEN, Standing.PARTIAL, Standing.DONE)
_CODES: Final = {
    "1": Standing.OPEN,
    "2": Standing.DONE,
    "4": Standing.FAILED,
    "5": Standing.FAILED,
}
_ACCEPTED: Final = "202"
_MESSAGES: Final = frozenset(
    map(
        stem,
        ("send", "email", "mail", "notify", "message", "queue", "publish", "submit"),
    )
)
_TABLE: Final[Mapping[str, Standing]] = MappingProxyType(
    {
        **dict.fromkeys(DONE, Standing.DONE),
        **dict.fromkeys(PARTIAL, Standing.PARTIAL),
        **dict.fromkeys(OPEN, Standing.OPEN),
        **dict.fromkeys(FAILED, Standing.FAILED),
        **dict.fromkeys(REHEARSAL, Standing.OPEN),
    }
)  # fmt: skip
_OF_PAYMENTS: Final[Mapping[str, Standing]] = MappingProxyType(
    {
        **dict.fromkeys(PAYMENT_OPEN, Standing.OPEN),
        **dict.fromkeys(PAYMENT_UNDONE, Standing.FAILED),
    }
)


_MAX_CHARS: Final = 1_000
"""What a status says stands at its beginning; the rest of a longer one is not read."""


def status_key(status: str) -> str:
    """A status in the form in which words are compared: small letters, no accents, single spaces between words."""
    spaced = _CAMEL.sub(" ", plain(status)).casefold().replace("_", " ")
    bare = unicodedata.normalize("NFKD", spaced.replace("\u2019", "'"))
    letters = "".join(mark for mark in bare if not unicodedata.combining(mark))
    return (
        " ".join(letters.replace("-", " ").split())
        if " - " not in letters
        else " ".join(letters.split())
    )


@lru_cache(maxsize=4_096)
def _words_of(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.replace("-", " ")))


def standing(
    status: str | None, kind: str = "", words: StatusWords = NO_WORDS
) -> Standing:
    """What a status says about an action of a kind.

    No status at all says that the record exists, and so that the action is done. `cancelled` says of `cancel_order`
    that it is done, and of `book_flight` that it failed.
    """
    if status is None or not status.strip():
        return Standing.DONE
    text = status_key(status[:_MAX_CHARS])
    added = _added(text, words)
    if added is not None:
        return added
    return _standing(text, kind)


def _added(text: str, words: StatusWords) -> Standing | None:
    """The class that the contract gives to the whole status or to what stands before its explanation."""
    if not words:
        return None
    head = _BREAK.split(text, maxsplit=1)[0]
    return words.get(text, words.get(" ".join(_words_of(head))))


@lru_cache(maxsize=4_096)
def _standing(text: str, kind: str) -> Standing:
    code = _CODE.match(text)
    if code is not None:
        return _of_code(code[1], kind)
    cleaned = _FAULTLESS.sub(" ", text)
    faulty = _FAULTS.search(cleaned) is not None or _is_part(cleaned)
    cleaned = _FAULTS.sub(" ", cleaned)
    parts = [part for part in map(_words_of, _BREAK.split(cleaned)) if part]
    parts = _without_labels(parts)
    if not parts or " ".join(parts[0]) in MEANINGLESS:
        return _sign(text)
    head = _of_words(parts[0], kind)
    if head is Standing.DONE and faulty:
        return Standing.PARTIAL
    if head is Standing.DONE and _of_words(parts[0], "") in (
        Standing.FAILED,
        Standing.OPEN,
    ):
        # The reason of a refusal or cancellation that was the task.
        return head
    rest = [_of_words(part, kind) for part in parts[1:]]
    return _with_rest(head, rest)


def _with_rest(head: Standing, rest: list[Standing]) -> Standing:
    """The head decides; an explanation that says less than `done` leaves a `done` unknown."""
    worse = [
        found for found in rest if found in _WORST_FIRST and found is not Standing.DONE
    ]
    if head is Standing.DONE and worse:
        return (
            Standing.PARTIAL if set(worse) == {Standing.PARTIAL} else Standing.UNKNOWN
        )
    if head is Standing.UNKNOWN and worse:
        return min(worse, key=_WORST_FIRST.index)
    return head


def _of_code(code: str, kind: str) -> Standing:
    if code == _ACCEPTED:
        from_messages = not _MESSAGES.isdisjoint(
            stem(word) for word in _words_of(status_key(kind))
        )
        return Standing.DONE if from_messages else Standing.UNKNOWN
    return _CODES.get(code[0], Standing.UNKNOWN)


def _is_part(text: str) -> bool:
    """Whether the text counts less than the whole: `3 of 5`, `80 %`."""
    found = _SHARE.search(text)
    if found is None:
        return False
    if found[3] is not None:
        return int(found[3]) < 100
    return int(found[1]) < int(found[2])


def _without_labels(parts: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The parts without a leading `Status:`."""
    if len(parts) > 1 and parts[0][-1] in _LABELS:
        return parts[1:]
    return parts


def _sign(text: str) -> Standing:
    if any(sign in text for sign in "\u2713\u2714\u2705\U0001f44d"):
        return Standing.DONE
    if any(sign in text for sign in "\u2717\u2718\u274c\u26d4"):
        return Standing.FAILED
    return Standing.UNKNOWN


def _of_words(words: tuple[str, ...], kind: str) -> Standing:
    """The worst that the words of one part say; a negated `done` failed, or is open where it says `not yet`."""
    found: set[Standing] = set()
    negated = False
    position = 0
    while position < len(words):
        length, says = _phrase_at(words, position, kind)
        if says is not None:
            found.add(_negated(words) if negated and says is Standing.DONE else says)
        elif words[position] in _NEGATIONS:
            negated = True
        position += length
    for worst in _WORST_FIRST:
        if worst in found:
            return worst
    return Standing.UNKNOWN


def _negated(words: tuple[str, ...]) -> Standing:
    return Standing.FAILED if _NOT_YET.isdisjoint(words) else Standing.OPEN


def _is_brought_about(phrase: tuple[str, ...], done_here: frozenset[str]) -> bool:
    """Whether the phrase is the state that the action brings about; `pending approval` is that of what was filed."""
    if not _NEGATIONS.isdisjoint(phrase) or " ".join(phrase) in REHEARSAL:
        return False
    if len(phrase) > 1 and phrase[0] in _WAITING:
        return stem("review") in done_here
    return not done_here.isdisjoint(map(stem, phrase))


def _phrase_at(
    words: tuple[str, ...], position: int, kind: str
) -> tuple[int, Standing | None]:
    """The longest phrase of the table that begins here: its number of words and what it says."""
    done_here = brought_about(kind)
    tables = (_OF_PAYMENTS, _TABLE) if moves_money(kind) else (_TABLE,)
    for length in range(min(_LONGEST, len(words) - position), 0, -1):
        phrase = words[position : position + length]
        key = " ".join(phrase)
        says = next((table[key] for table in tables if key in table), None)
        if is_on_the_way(key, kind):
            return length, Standing.OPEN
        relative = _is_brought_about(phrase, done_here)
        if (
            relative
            and says is not Standing.PARTIAL
            and (says is not None or length == 1)
        ):
            return length, Standing.DONE
        if is_opposite(phrase, kind):
            return length, Standing.FAILED
        if says is Standing.DONE and is_other_result(key, kind):
            return length, Standing.UNKNOWN
        if says is not None:
            named = key in REHEARSAL and rehearses(kind, key)
            return length, Standing.DONE if named else says
    return 1, None
