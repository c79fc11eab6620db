"""Rank the passages of a long text by a question: BM25 with a few synonyms. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from judgemesh.contracts.ranking import Bm25Index, bm25_index

_STEP: Final = re.compile(r"^\[([^\]\[\n]{1,64})\] ", re.MULTILINE)
_CUTS: Final = ("\n\n", "\n", ". ", "; ", ", ", " ")
_MAX_CHARS: Final = 900
_MIN_CHARS: Final = 240

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_NAME: Final = re.compile(r"(?<![^\W_])[^\W_]++(?:[-_./@:#][^\W_]++)+")
_JOINTS: Final = "_/@#:"
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DENSE: Final = re.compile(
    r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)  # written without spaces
_LENGTH_WEIGHT: Final = 0.4

_STOP_WORDS: Final = (
    "a about after again all also an and any are as at be been before being both but by can cannot could did do "
    "does each either else ever every for from had has have having he her here his how i if in into is it its "
    "itself just may me might more most must my never no nor not of off on once only or other our out over own "
    "same shall she should so some such than that the their them then there these they this those through to too "
    "under until up upon us very was we were what when where whether which while who whom whose why will with "
    "within without would yes you your agent assistant answer answers question step steps trace record records "
    "result show shows shown give given gives state states stated explicit explicitly clear clearly make made "
    "makes actually indeed "
)
_STOP: Final = frozenset(_STOP_WORDS.split())

# Words that stand for one another in records of work. A question says one, a step another.
_SAME: Final = (
    "refund reimburse repay moneyback chargeback", "confirm approve agree consent accept acknowledge okay",
    "cancel revoke abort withdraw annul void", "delete remove erase drop purge wipe unlink",
    "create add insert open make new register", "update change modify edit set alter adjust patch",
    "send email mail message notify dispatch deliver forward", "buy purchase order checkout",
    "pay charge bill payment debit transfer", "book reserve schedule reservation booking",
    "search find lookup query retrieve fetch look", "read open view inspect check",
    "verify validate check confirm authenticate identity", "fail error exception crash failure broken",
    "escalate handover transfer human supervisor", "customer user client caller buyer",
    "price cost amount fee fare total", "password secret credential token key passcode",
    "share disclose reveal expose leak tell", "apology apologise apologize sorry regret",
    "test tests pytest unittest suite", "deploy release publish rollout ship", "backup snapshot dump copy archive",
    "permission allowed authorise authorize access grant", "file document attachment report",
    "promise guarantee commit assure", "discount voucher coupon rebate", "address location street",
    "retry again repeat rerun reattempt", "stop halt terminate kill shutdown", "restart reboot reload",
    "insult rude idiot stupid abuse offend swear impolite impolitely fool dumb mock",
    "lie false untrue mislead deceive",
    "increase raise grow up", "decrease reduce lower cut", "warn alert caution advise", "wait pause delay sleep",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A piece of a text, as offsets; `step` is the name of the step it belongs to, where the text has steps."""

    start: int
    end: int
    step: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    """The passages of one text, and their BM25 index."""

    text: str
    passages: tuple[TextPassage, ...]
    bm25: Bm25Index

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """BM25 of every passage for weighted terms; 0 where none of them occurs."""
        return self.bm25.scores(query)


@lru_cache(maxsize=8)
def index(text: str) -> Index:
    """The index of a text, cached: every question about a result reads the same one."""
    pieces = tuple(passages(text))
    piece_terms = (terms(text[piece.start : piece.end]) for piece in pieces)
    return Index(text, pieces, bm25_index(piece_terms, length_weight=_LENGTH_WEIGHT))


def passages(text: str) -> Iterable[TextPassage]:
    """Pieces of at most 900 characters: one for each step (`[12] ...`), short paragraphs together, long ones cut."""
    starts = [match.start() for match in _STEP.finditer(text)]
    bounds = sorted({0, *starts, len(text)})
    for start, end in pairwise(bounds):
        match = _STEP.match(text, start)
        yield from _cut(text, start, end, match[1] if match else "")


def _cut(text: str, start: int, end: int, step: str) -> Iterable[TextPassage]:
    while end - start > _MAX_CHARS:
        stop = _break(text, start + _MIN_CHARS, start + _MAX_CHARS)
        yield TextPassage(start, stop, step)
        start = stop
    if end > start:
        yield TextPassage(start, end, step)


def _break(text: str, low: int, high: int) -> int:
    for mark in _CUTS:
        offset = text.rfind(mark, low, high)
        if offset >= 0:
            return offset + len(mark)
    return high


def terms(text: str) -> list[str]:
    """The terms of a text: stems of words, whole names (`A-7731`, `issue_refund`) beside their parts, and pairs of
    characters where words are not parted by spaces.
    """
    words: list[str] = []
    for word in _WORD.findall(text):
        words.extend(_stems(word))
    words.extend(name.casefold() for name in _NAME.findall(text))
    if not text.isascii():
        for run in _DENSE.findall(text):
            pairs = max(1, len(run) - 1)
            words.extend(run[start : start + 2] for start in range(pairs))
    return words


def question_terms(question: str) -> dict[str, float]:
    """The terms of a question with their weights: names most, words of its own next, words that mean the same less."""
    weights: dict[str, float] = {}
    own = terms(question)
    for term in own:
        for like in _likes(term):
            weights.setdefault(like, 0.45)
    for term in own:
        weights[term] = 1.0
    for name in names(question):
        weights[name] = 3.0
    return weights


def names(text: str) -> set[str]:
    """Words that name one particular thing: with a digit, or put together by `_`, `-`, `/`, `@`, `:` or a dot."""
    found: set[str] = set()
    for name in _NAME.findall(text):
        if any(char.isdigit() or char in _JOINTS for char in name):
            found.add(name.casefold())
    for word in _WORD.findall(text):
        if len(word) > 1 and any(map(str.isdigit, word)):
            found.add(word.casefold())
    return found


def quoted(text: str) -> list[str]:
    """What a question quotes, of four characters or more."""
    return [match[1] for match in _QUOTED.finditer(text)]


_QUOTED: Final = re.compile(
    r"[\"\u201c\u00ab`']([^\"\u201d\u00bb`'\n]{4,200})[\"\u201d\u00bb`'](?!\w)"
)


@lru_cache(maxsize=65_536)
def _stems(word: str) -> tuple[str, ...]:
    """The stems of a word and, in camel case, of its parts; without stop words."""
    parts = [part for part in _CAMEL.split(word) if part]
    if len(parts) > 1:
        parts.append(word)
    stems = [_stem(part.casefold()) for part in parts]
    return tuple(stem for stem in stems if stem not in _STOP)


def _stem(word: str) -> str:
    """A word without its endings: crude, the same for questions and texts, English only."""
    if word in _STOP or not word.isascii() or not word.isalpha() or len(word) < 4:
        return word
    for ending, min_stem in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= min_stem:
            word = word[: -len(ending)]
            break
    if len(word) > 5 and word[-1] == word[-2] and word[-1] not in "aeious":
        word = word[:-1]  # cancelled, cancelling: cancel
    return word.removesuffix("e") if len(word) > 3 else word


_ENDINGS: Final = (
    ("ations", 4), ("ation", 4), ("ments", 4), ("ment", 4), ("ings", 3), ("ing", 3), ("ions", 4), ("ion", 4),
    ("ies", 3), ("ied", 3), ("ers", 4), ("er", 4), ("ed", 3), ("es", 3), ("ly", 4), ("s", 3), ("y", 3),
)  # fmt: skip


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, frozenset[str]]:
    groups: dict[str, frozenset[str]] = {}
    for line in _SAME:
        group = frozenset(_stem(word) for word in line.split())
        for stem in group:
            groups[stem] = groups.get(stem, frozenset()) | group
    return groups


def _likes(term: str) -> frozenset[str]:
    return _groups().get(term, frozenset())
