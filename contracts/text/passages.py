"""Whether a quoted passage stands in a text: word for word, whatever the typography. Pure.

White space, quotation marks, dashes, ligatures, Unicode forms, hyphenation, mark-up, footnote markers and case are no
part of the wording. Words, digits, decimal points, signs, units and percent signs are. `normal_text` keeps the wording
and nothing else, so that two passages are the same where their normal forms are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from judgemesh.contracts.text.cut_off import Tie, is_cut_off
from judgemesh.contracts.text.limiting_words import (
    goes_on_negated,
    is_limiting,
    is_negated_behind,
    is_negation,
)
from judgemesh.contracts.text.reversals import begins_with_none, is_reversed_by
from judgemesh.contracts.text.wording import (
    begins_sentence,
    ends_sentence,
    has_line_end_hyphens,
    quoted_parts,
    sentences_and_words,
)

_MAX_GAP_WORDS: Final = 60
"""Words that an ellipsis may leave out."""
_MAX_REPLACED_WORDS: Final = 4
"""Words of the source that a [marked insertion] may stand for."""
_MAX_WORD_CHARS: Final = 12
_MAX_TIED_CHARS: Final = 40
"""So far behind a passage, a unit is looked for."""
_MAX_NEGATION_DISTANCE: Final = 3
"""A negation so many words before a passage turns it."""
_MAX_LIMIT_DISTANCE: Final = 2
"""A condition or an exception begins so many words behind a sentence that is quoted as a whole."""
_MAX_AROUND_CHARS: Final = 160
_MAX_PLACES: Final = 256
_ANCHOR_WORDS: Final = 3
_MAX_ANCHORS: Final = 40
_MAX_COMPARED_WORDS: Final = 300
_MAX_SHOWN_DIFFERENCES: Final = 3
_MAX_SHOWN_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class NormalText:
    """A text as its words, one space between and around them.

    sentences: the offsets at which sentences start. ties: the offsets of the words that are tied to a number. clauses:
    those of the words behind a mark that may begin a clause.
    """

    words: str
    sentences: tuple[int, ...] = ()
    ties: Mapping[int, Tie] = field(default_factory=dict[int, Tie])
    clauses: tuple[int, ...] = ()


@lru_cache(maxsize=32)
def normal_text(text: str, *, joined: bool = False) -> NormalText:
    """The normal form of a whole text. It is kept, because one document is quoted many times.

    joined: a word with a hyphen is one word; otherwise, it is two. At a line end either may be meant.
    """
    starts: list[int] = []
    words: list[str] = []
    ties: dict[int, Tie] = {}
    clauses: list[int] = []
    offset = 0
    for word, begins, tie, clause in sentences_and_words(text, joined=joined):
        if begins:
            starts.append(offset)
        if tie is not None:
            ties[offset] = tie
        if clause:
            clauses.append(offset)
        words.append(word)
        offset += len(word) + 1
    return NormalText(f" {' '.join(words)} ", tuple(starts), ties, tuple(clauses))


def is_in_text(passage: str, text: str) -> bool:
    """Whether the text holds the passage.

    Around a marked ellipsis the parts must follow each other (see `_may_be_left_out`), and a [marked insertion] may
    replace a few words. A passage without any word is in no text.
    """
    if _holds(normal_text(text), passage, joined=False):
        return True
    if not has_line_end_hyphens(text) and not has_line_end_hyphens(passage):
        return False
    return _holds(normal_text(text, joined=True), passage, joined=True)


def has_words(passage: str) -> bool:
    """Whether a passage says anything at all."""
    return any(True for _ in sentences_and_words(passage, joined=False))


def _holds(text: NormalText, passage: str, *, joined: bool) -> bool:
    whole = _words_of(passage, joined=joined)
    if not whole:
        return False
    reach = _reach_of(passage)
    if _sound_ends(text, _first_ends(text, whole, reach), passage):
        return True
    parts = quoted_parts(passage)
    if parts is None:
        return False
    ends: list[int] = []
    for number, (part, insertion) in enumerate(parts):
        words = _words_of(part, joined=joined)
        inner = 0 < number < len(parts) - 1
        if inner and not insertion and " " not in words:
            return False
        limit = _MAX_REPLACED_WORDS if insertion else _MAX_GAP_WORDS
        if number:
            ends = _next_ends(text, words, ends, limit)
        else:
            ends = _first_ends(text, words, reach)
        if not ends:
            return False
    return bool(parts) and _sound_ends(text, ends, passage)


def _reach_of(passage: str) -> int:
    """How many words before the passage must not turn it: a clause that is quoted to its end is said without them."""
    if begins_sentence(passage):
        return _MAX_NEGATION_DISTANCE
    return 1 if ends_sentence(passage) else 0


def _sound_ends(text: NormalText, ends: list[int], passage: str) -> bool:
    """Whether a passage has an end behind which the sentence does not go on to turn or limit it.

    What is quoted from the beginning of a sentence may not end before its negation (`Er kam` of `Er kam nicht`), what
    is quoted as a whole sentence before no condition or exception either, and no Japanese verb before its ending.
    """
    if not ends:
        return False
    begins = begins_sentence(passage)
    whole = begins and ends_sentence(passage)
    return not all(
        _is_turned_behind(text, end, begins=begins, whole=whole) for end in ends
    )


def _is_turned_behind(text: NormalText, end: int, *, begins: bool, whole: bool) -> bool:
    following = bisect_left(text.sentences, end)
    last = (
        text.sentences[following]
        if following < len(text.sentences)
        else len(text.words)
    )
    rest = text.words[end : min(last, end + _MAX_TIED_CHARS) + 1].split()
    if is_negated_behind(rest):
        # Behind a comma it begins a contrast: `The rope is thick, not long`.
        return begins and text.ties.get(end) is not None
    if whole and is_limiting(rest[:_MAX_LIMIT_DISTANCE], _around(text, end, end)):
        return True
    return goes_on_negated(rest)


def _around(text: NormalText, start: int, end: int) -> list[str]:
    """The words around a place, by which its language is told."""
    return text.words[
        max(0, start - _MAX_AROUND_CHARS) : end + _MAX_AROUND_CHARS
    ].split()


def _is_turned(text: NormalText, place: int, reach: int) -> bool:
    """Whether the sentence turns a passage: by `not` among so many words before it, by the beginning of its clause
    (`Nobody may`), or by what stands in front of it (`It is not true that`).
    """
    start = bisect_right(text.sentences, place)
    first = text.sentences[start - 1] if start else 0
    before = text.words[max(first, place - _MAX_AROUND_CHARS) : place].split()
    around = _around(text, place, place)
    if is_negation(before[-reach:], around) or is_reversed_by(before):
        return True
    mark = bisect_right(text.clauses, place)
    clause = max(first, text.clauses[mark - 1] if mark else 0)
    return begins_with_none(text.words[clause:place].split()[:3], around)


def _words_of(part: str, *, joined: bool) -> str:
    return " ".join(word for word, *_ in sentences_and_words(part, joined=joined))


def _first_ends(text: NormalText, words: str, reach: int) -> list[int]:
    """Where a passage, or its first part, ends. reach: so many words before it must not turn it."""
    wanted = f" {words} "
    ends: list[int] = []
    for place in _places(text, wanted, 0, len(text.words)):
        if not reach or not _is_turned(text, place, reach):
            ends.append(place + len(wanted) - 1)
    return ends


def _next_ends(text: NormalText, words: str, ends: list[int], limit: int) -> list[int]:
    """Where the next part can end, from where the part before it ended."""
    wanted = f" {words} "
    found: dict[int, None] = {}
    for end in ends:
        last = end + limit * _MAX_WORD_CHARS + len(wanted)
        for place in _places(text, wanted, end, last):
            if _may_be_left_out(text, end, place, limit):
                found[place + len(wanted) - 1] = None
        if len(found) > _MAX_PLACES:
            break
    return list(found)


def _places(text: NormalText, wanted: str, start: int, end: int) -> list[int]:
    """Where the words stand between two offsets, but not where they are cut off before a unit."""
    words = text.words
    places: list[int] = []
    place = words.find(wanted, start, end)
    while place >= 0 and len(places) < _MAX_PLACES:
        behind = place + len(wanted)
        following = words[behind : behind + _MAX_TIED_CHARS]
        if not is_cut_off(wanted, following, text.ties.get(behind - 1)):
            places.append(place)
        place = words.find(wanted, place + 1, end)
    return places


def _may_be_left_out(text: NormalText, start: int, end: int, limit: int) -> bool:
    """Whether the words between two parts may be left out.

    They are few; those in the sentences that are quoted hold no negation and no exception; and where the gap reaches
    into another sentence, the next part begins a sentence. So no two halves of sentences make a new one.
    """
    omitted = text.words[start:end].split()
    if len(omitted) > limit:
        return False
    first = bisect_right(text.sentences, start)
    last = bisect_right(text.sentences, end)
    around = _around(text, start, end)
    if first == last:
        return not is_limiting(omitted, around)
    if bisect_left(text.sentences, end) == last:
        return False
    rest = text.words[start : text.sentences[first]].split()
    return not is_limiting(rest, around)


def difference(passage: str, text: str) -> str:
    """How the nearest passage of the text differs, in words; an empty text where none is near."""
    quoted = _words_of(passage, joined=False).split()[:_MAX_COMPARED_WORDS]
    window = _nearest(quoted, normal_text(text).words)
    if not window:
        return ""
    matcher = SequenceMatcher(None, window, quoted, autojunk=False)
    shown: list[str] = []
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    # The window is wider than the passage: what it has before and after is no difference.
    if changes and changes[0][0] == "delete" and changes[0][1] == 0:
        changes = changes[1:]
    if changes and changes[-1][0] == "delete" and changes[-1][2] == len(window):
        changes = changes[:-1]
    for _, first, last, start, end in changes[:_MAX_SHOWN_DIFFERENCES]:
        held = _shown(window[first:last])
        written = _shown(quoted[start:end])
        if first == last:
            shown.append(f"{written} is in the quote only")
        elif start == end:
            shown.append(f"{held} is left out of the quote")
        else:
            shown.append(f"{held} stands there, and {written} in the quote")
    return "; ".join(shown)


def _shown(words: list[str]) -> str:
    return repr(" ".join(words)[:_MAX_SHOWN_CHARS])


def _nearest(quoted: list[str], words: str) -> list[str]:
    """The words around the first place where some words of the quote stand together."""
    for size in (_ANCHOR_WORDS, _ANCHOR_WORDS - 1):
        for offset in range(min(len(quoted) - size + 1, _MAX_ANCHORS)):
            anchor = f" {' '.join(quoted[offset : offset + size])} "
            place = words.find(anchor)
            if place < 0:
                continue
            reach = _MAX_WORD_CHARS * (len(quoted) + size)
            before = words[max(0, place - reach) : place].split()
            after = words[place : place + reach].split()
            return [*before[-offset - 2 :], *after[: len(quoted) - offset + 2]]
    return []
