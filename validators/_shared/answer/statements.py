"""Values that sentences give: `The traveller name is Ann Fox`, `your booking number BK-4471`, `a total of 40 EUR`.

A question, a condition, a negation or an announcement gives no value: `What is your booking number?`, `I could not find
the booking number`, `the total will be sent`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.answer.announced import is_announced
from judgemesh.validators._shared.answer.placeholders import is_placeholder, is_status
from judgemesh.validators._shared.answer.statement_words import (
    COPULAS,
    NO_STATEMENT,
    PARTICLES,
    PREPOSITIONS,
    gives_value,
    stated_value,
)
from judgemesh.validators._shared.text import fold_value, line_number

_WORDS: Final = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+|[^\W_]")
_COPULA: Final = (
    r"is set to|is now|is|was|are|were|equals|comes to|came to|comes out at|amounts to|totals|stands at|will be|"
    r"would be|has been set to"
)
_HEDGE: Final = r"(?:(?:now|currently|only|just|exactly|therefore|thus|then|still|indeed|actually) )?"
_ASIDE: Final = (
    r"(?:[ \t]+(?:for|of|on|in|at|from|to|under|per|with|by|during|behind|after|before|until|via|over|within|between|"
    r"including|inside|outside|through|since|above|below|across|as of)[ \t]+"
    r"(?P<aside>(?:(?!\b(?:where|which|that|who|whose|if|when|because)\b)[^.!?;:,\n]|[.,](?=\d)){1,70}?))?"
)
"""What the value is of: `the fee for bed 14 is`."""
_FOREIGN: Final = (
    rf"(?:[ \t]+(?:{PREPOSITIONS})[ \t]+[^.!?;:,\n]{{1,70}}?)?[ \t]+(?P<foreign>{COPULAS})(?!\w):?[ \t]+"
    rf"|[ \t]?(?P<particle>{PARTICLES})[ \t\u3001]*"
)
_AFTER_NAME: Final = (
    r"(?:[ \t]*\([^()\n]{1,30}\))?[*_`\"\u201d']*"
    r"(?P<link>[ \t]*[:=][ \t]*|[ \t]+[-\u2013\u2014]{1,2}[ \t]+"
    rf"|{_FOREIGN}"
    rf"|{_ASIDE}[ \t]+(?P<verb>(?:{_COPULA})[ \t]+{_HEDGE}):?[ \t]*"
    r"|[ \t]+(?:of[ \t]+)?(?:(?:no|nr|number|id)\b\.?[ \t]*)?#?(?=[*_\"\u201c`'(]*[$\u20ac\u00a3]?[\w\-/]*\d))"
    r"(?=(?P<value>\S[^\n]{0,2000}))"
)
_ASIDE_AND_VERB: Final = re.compile(
    rf"(?P<whole>{_ASIDE})[ \t]+(?=(?:{_COPULA}|can|will|shall|could|may|has|have|depends?|varies|follows)\b)",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bNo)(?<!\bProf)(?<!\bapprox)(?<!\b[A-Z])"
    r"[.!?;](?=[\s*_\"')\u201d]|$)|\n|\u3002"
)
_NO_STATEMENT: Final = re.compile(
    r"\b(?:if|whether|when|once|unless|until|what|which|where|who|how|why|can you|could you|please|in case|provided|"
    r"as soon as|not|never|cannot|without|no|may i|would you|need|needs|require|requires|ask|asked|assume|assuming|"
    rf"suppose|would|{NO_STATEMENT})\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[,;:\u2014(]")
_DENIAL: Final = re.compile(
    r"(?:not|no longer|never|neither|nothing|n['\u2019]t)\b", re.IGNORECASE
)
_VAGUE: Final = frozenset(
    {
        "about", "above", "already", "also", "and", "anything", "as", "assigned", "at", "attached", "available",
        "bad", "based", "because", "being", "below", "but", "by", "calculated", "clear", "confirmed", "correct",
        "dependent", "determined", "different", "displayed", "due", "fine", "for", "found", "from", "generated",
        "given", "good", "here", "hidden", "high", "higher", "how", "important", "in", "included", "incorrect",
        "invalid", "issued", "it", "its", "kept", "known", "listed", "located", "low", "lower", "missing", "my",
        "necessary", "needed", "of", "on", "one", "or", "our", "part", "pending", "printed", "provided", "ready",
        "required", "right", "sent", "shared", "shown", "similar", "so", "something", "still", "stored", "subject",
        "such", "that", "their", "this", "to", "too", "unclear", "under", "used", "valid", "very", "visible",
        "what", "whatever", "where", "with", "within", "without", "wrong", "your",
    }
)  # fmt: skip
"""First words of a predicate that is no value: `the total is based on`, `the number is available`."""
_BUT: Final = re.compile(r"\b(?:but|however|though|although|instead)\b", re.IGNORECASE)
_PASSIVE: Final = frozenset({"was", "were", "will be", "would be"})
_PARTICIPLE: Final = re.compile(r"\w{3,}ed")
_SPECIFIC: Final = re.compile(r"\d|[\"\u201c`*]|\b[A-Z][\w'\u2019-]*")
_LABEL_END: Final = re.compile(r"[*_`\"\u201d']*[ \t]*[:=][*_`]*[ \t]*")
_CITED_BEHIND: Final = re.compile(r"[\[\u3010][^\[\]\n]{1,80}[\]\u3011]\Z")
_MAX_CITED_CHARS: Final = 82
_NEXT_LABEL: Final = re.compile(r"[,;|][ \t]+(?=[^\W\d][\w ]{0,40}:[ \t])")
_NEXT_CELL: Final = ("|", ";", ",")
_CELL: Final = re.compile(r"[|\n]")
_MAX_WORDS: Final = 6
_MAX_NAME_WORDS: Final = 8
_LOOK_BACK: Final = 300


def statements(
    text: str, name: str, folded: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """Line number (from 1) and value of every sentence that gives the field of that name a value."""
    pattern = _pattern(name)
    if pattern is None:
        return
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        clause = _CLAUSE.split(_SENTENCE_END.split(before)[-1])[-1]
        value, is_question = _cut(match["value"])
        if is_question or _NO_STATEMENT.search(f"{clause} {match['aside'] or ''}"):
            continue
        if match["foreign"] or match["particle"]:
            value = stated_value(value)
            if not gives_value(value):
                continue
        if _gives_value((match["verb"] or match["link"]).strip(), value, folded):
            line = line_number(text, match.start("value"))
            yield line, _without_citations(value) or value


def _without_citations(value: str) -> str:
    """A value without what stands in brackets behind it: `31 July [FILING]`, `40 EUR [1] [2]`."""
    shown = kept = value.rstrip(" \t")
    while cited := _CITED_BEHIND.search(kept, max(0, len(kept) - _MAX_CITED_CHARS)):
        kept = kept[: cited.start()].rstrip(" \t")
    return value if kept == shown else kept


def denied(
    text: str, name: str, folded: frozenset[str], *, announced: bool = True
) -> int | None:
    """The line of a sentence that asks for the field, says that it has no value, or holds a placeholder for it.

    None where there is none. A sentence that only announces the value counts where every mention does so, if
    `announced`.
    """
    named = _name_pattern(name)
    if named is None:
        return None
    promises: list[int] = []
    mentions = list(named.finditer(text))
    for match in mentions:
        before, rest, is_question = _around(text, match)
        line = line_number(text, match.start())
        behind = rest[len(match[0]) :]
        if (
            _is_left_open(text, match, folded)
            or any(is_placeholder(said, names=folded) for said in _predicates(behind))
            or _says_none(f"{before}{rest}", folded, is_question=is_question)
        ):
            return line
        if is_announced(before, _without_aside(behind)):
            promises.append(line)
    only_promises = announced and len(promises) == len(mentions)
    return promises[0] if promises and only_promises else None


def _says_none(sentence: str, folded: frozenset[str], *, is_question: bool) -> bool:
    """Whether a sentence asks for the field, or says that there is no value."""
    if any(map(str.isdigit, sentence)) or _BUT.search(sentence):
        return False
    return is_question or is_placeholder(sentence.strip(), names=folded)


def _predicates(rest: str) -> tuple[str, ...]:
    """What a sentence says of what is named before it, with and without `is`: `is still open`, `to be confirmed`."""
    linked = _ASIDE_AND_VERB.match(rest)
    if linked is None:
        return ()
    said = rest[linked.end("whole") :].strip()
    return said, re.sub(r"^(?:is|are|was|were)\s+", "", said)


def _without_aside(rest: str) -> str:
    """What follows a name, without what the value is of."""
    aside = _ASIDE_AND_VERB.match(rest)
    return rest if aside is None else rest[aside.end("whole") :]


def _around(text: str, match: re.Match[str]) -> tuple[str, str, bool]:
    """The sentence of a mention: its text before and from the name, and whether it is a question."""
    start = max(0, match.start() - _LOOK_BACK)
    before = _SENTENCE_END.split(text[start : match.start()])[-1]
    tail = text[match.start() : match.start() + _LOOK_BACK]
    end = _SENTENCE_END.search(tail)
    rest = tail if end is None else tail[: end.start()]
    is_question = end is not None and end[0] == "?"
    return before, rest, is_question


def _is_left_open(text: str, match: re.Match[str], folded: frozenset[str]) -> bool:
    """Whether a label in the line, `gate: TBD`, has a placeholder or nothing for a value."""
    label = _LABEL_END.match(text, match.end())
    if label is None:
        return False
    value, _ = _cut(_CELL.split(text[label.end() : label.end() + _LOOK_BACK])[0])
    if not value:
        # Below an empty label at the end of a line the value may stand.
        return label.end() < len(text) and text[label.end()] != "\n"
    return is_placeholder(value, names=folded)


@lru_cache(maxsize=1_024)
def _name_pattern(name: str) -> re.Pattern[str] | None:
    joined = _joined(name)
    if joined is None:
        return None
    return re.compile(rf"(?<![\w\-]){joined}(?![\w\-])", re.IGNORECASE)


def _joined(name: str) -> str | None:
    """The words of a name, with any separator between them."""
    words = _WORDS.findall(name)
    if not words or len(words) > _MAX_NAME_WORDS:
        return None
    return r"[\s_\-]*".join(map(re.escape, words))


@lru_cache(maxsize=1_024)
def _pattern(name: str) -> re.Pattern[str] | None:
    words = _WORDS.findall(name)
    if not words or len(words) > _MAX_NAME_WORDS:
        return None
    joined = r"[\s_\-]*".join(map(re.escape, words))
    return re.compile(
        rf"(?<![\w\-])[*_`\"\u201c']*{joined}{_AFTER_NAME}", re.IGNORECASE
    )


def _cut(value: str) -> tuple[str, bool]:
    """The value up to the end of its sentence, and whether the sentence is a question."""
    value = _NEXT_LABEL.split(value, maxsplit=1)[0]
    end = _SENTENCE_END.search(value)
    if end is None:
        return value.strip(), False
    return value[: end.start()].strip(), end[0] == "?"


def _gives_value(link: str, value: str, folded: frozenset[str]) -> bool:
    if not value or value.startswith(_NEXT_CELL) or _DENIAL.match(value):
        return False
    if is_placeholder(value, names=folded) or is_placeholder(f"{link} {value}"):
        return False
    if any(map(str.isdigit, value)):
        return True
    words = fold_value(value).split()
    if words and words[0] in _VAGUE and not _SPECIFIC.search(value):
        return False
    if (
        words
        and link in _PASSIVE
        and _PARTICIPLE.fullmatch(words[0])
        and not is_status(folded)
    ):
        return False
    return len(words) <= _MAX_WORDS or _SPECIFIC.search(value) is not None
