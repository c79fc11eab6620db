"""What a final answer states: the part behind its last marker, a captured group, or all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from judgemesh.contracts.sections.answer import AnswerSpec
from judgemesh.validators._shared.regex import captured, find_all
from judgemesh.validators._shared.text import line_number, seamless, typed

_NAMES: Final = (
    r"final\s+answer|correct\s+answer|short\s+answer|answers?|final\s+result|correct\s+(?:option|choice)|endergebnis|"
    r"antwort|r\u00e9ponse(?:\s+finale)?|respuesta(?:\s+final)?|risposta(?:\s+finale)?|resposta(?:\s+final)?|"
    r"\u7b54\u6848"
)
_LABEL: Final = (
    r"(?im)(?:^|(?<=[.!?;,:]\s)|(?<=\n))[\s>*_#`\-]{{0,60}}+(?:(?:so|thus|therefore|hence|and)[,\s]+)?"
    r"(?:(?:the|my|our)\s+)?[*_]*"
    r"(?:{names})\b[*_`]*(?:\s+(?:to|for|of)\s+[^.:\n]{{1,80}}?)?"
    r"[*_`]*[ \t]*(?:(?:\bis|\b(?:must|should)[ \t]+be|:|=|\uff1a|"
    r"(?<=[ \t])[-\u2013\u2014](?=[ \t]))[*_`]*[ \t]*)+\n*(?P<value>[^\n]*)"
)
_IN_SENTENCE: Final = re.compile(
    r"(?i)\b(?:so|thus|hence|therefore|and|that|which means)[,\s]+(?:(?:the|my|our)\s+)?(?:final\s+|correct\s+)?"
    r"answer\s+(?:is|(?:must|should|would|has\s+to)\s+be)[*_`:]*\s+(?P<value>[^\n]*)"
)
_NOT_SAID: Final = re.compile(
    r"\b(?:not|never|if|whether|unless|doubt|unlikely|wrong|false|suppose|assume)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_HASHES: Final = re.compile(r"(?m)^####[ \t]+(?P<value>\S[^\n]*)")
_HEADING: Final = (
    r"(?im)^[ \t]*(?:#+|\*\*|__)[ \t]*(?:{names})[ \t]*:?[ \t]*(?:\*\*|__)?[ \t]*:?[ \t]*\n+"
    r"(?P<value>[^\n]+)"
)
_BOX: Final = re.compile(r"\\f?boxed\s*\{")
_NEW_VALUE: Final = (
    r"(?:it\b|the (?:answer|value|total|result)|\W*\d|also\b|even\b|that\b)"
)
_RETRACTION: Final = re.compile(
    r"[.!?\n(;\u2014](?:[*_\s>+\-\u2022]|\d{1,3}[.)]){0,40}+(?:or,? (?:maybe|perhaps|possibly|rather|is it|it|\W*\d)|"
    r"actually\b|wait\b|"
    r"correction\b|hmm\b|"
    rf"(?:maybe|perhaps|possibly|alternatively|rather),? {_NEW_VALUE}|sorry,? (?:it|that|the answer|i (?:meant|made))|"
    r"on second thou?ght|on reflection|no, (?:it|the answer|wait|that)|it (?:could|might|may) (?:also )?be|"
    r"scratch that|"
    r"i mean\b|i (?:made a mistake|was wrong)|that(?:'s| is) (?:wrong|not right|incorrect))",
    re.IGNORECASE,
)
_EDGES: Final = " \t\r\n*_`\"'\u201c\u201d\u2018\u2019\u00ab\u00bb"
_WRAPPED: Final = re.compile(
    r"^\\(?:text|mathrm|mathbf|textbf)\s*\{(.*)\}$|^\$(?!\d)(.*)\$$|^\$(.*)\$$|^\\\((.*)\\\)$",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that a text states.

    whole: the text is the value and nothing else; otherwise a sentence or more may follow it.
    retracted: what follows takes it back or offers another.
    rest: what follows it.
    around: the text in which a part is looked for (`contains`); left out: the value.
    """

    value: object
    ref: str
    whole: bool = True
    retracted: bool = False
    rest: str = ""
    around: str | None = None

    @property
    def searched(self) -> object:
        """What `contains` looks in."""
        return self.value if self.around is None else self.around


def stated_values(spec: AnswerSpec, text: str) -> list[Stated]:
    """What the answer states. More than one value only where a pattern captures several.

    Raises:
        ValueError: the contract's pattern is no RE2 pattern.
    """
    if spec.pattern is not None:
        return _captures(spec, text)
    text = seamless(text)
    if spec.take is not None:
        return _taken(spec.take, text)
    marked = _last_marked(text, tuple(spec.marker))
    return (
        [marked] if marked is not None else [Stated(text, "final_answer", whole=False)]
    )


def _captures(spec: AnswerSpec, written: str) -> list[Stated]:
    """What the pattern captures in the part that `take` names, as it is read and else as it is written."""
    for text in dict.fromkeys((seamless(written), written)):
        parts = [Stated(text, "final_answer:L1")]
        if spec.take in ("first_line", "last_line"):
            parts = _taken(spec.take, text)
        found = [
            Stated(captured(match), _line_ref(part, match.start()))
            for part in parts
            for match in find_all(spec.pattern or "", str(part.value))
        ]
        if found:
            return found
    return []


def _line_ref(part: Stated, offset: int) -> str:
    first = int(part.ref.rpartition("L")[2])
    return f"final_answer:L{first + line_number(str(part.value), offset) - 1}"


def retracts(text: str) -> bool:
    """Whether a text takes back what stands before it: `Or maybe 45`, `Actually, no`."""
    return _RETRACTION.search(seamless(text)) is not None


def tidy(text: str) -> str:
    """A text without white space, quotes, Markdown and a full stop around it, and with single spaces inside."""
    shown = " ".join(typed(text).split()).strip(_EDGES)
    for _ in range(3):
        wrapped = _WRAPPED.match(shown)
        if wrapped is not None:
            shown = next(group for group in wrapped.groups() if group is not None)
        if shown.endswith((".", ",", ";")) and not shown.endswith(".."):
            shown = shown[:-1]
        shown = shown.strip(_EDGES)
    return shown


def _taken(part: str, text: str) -> list[Stated]:
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    if not lines:
        return []
    match part:
        case "first_line":
            number, line = lines[0]
        case "last_line":
            number, line = lines[-1]
        case _:
            return [Stated(text, "final_answer")]
    return [Stated(line, f"final_answer:L{number}")]


_MAX_SENTENCE_CHARS: Final = 1_000


def _last_marked(text: str, names: tuple[str, ...]) -> Stated | None:
    """The value behind the last marker."""
    found = list(_marked(text, names))
    if not found:
        return None
    start, end = max(found)
    retracted = retracts(text[start:])
    ref = f"final_answer:L{line_number(text, start)}"
    return Stated(
        text[start:end], ref, whole=False, retracted=retracted, rest=text[end:]
    )


def _marked(text: str, names: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for pattern in _marker_patterns(names):
        for match in pattern.finditer(text):
            value = match["value"]
            if value.strip(_EDGES + "$.:"):
                yield match.span("value")
    for match in _IN_SENTENCE.finditer(text):
        start = max(0, match.start() - _MAX_SENTENCE_CHARS)
        before = re.split(r"[.!?\n]\s", text[start : match.start()])[-1]
        if not _NOT_SAID.search(before):
            yield match.span("value")
    for box in _BOX.finditer(text):
        end = _closing(text, box.end())
        if end is not None:
            yield box.end(), end


@lru_cache(maxsize=256)
def _marker_patterns(names: tuple[str, ...]) -> Sequence[re.Pattern[str]]:
    every = "|".join([_NAMES, *(re.escape(name.rstrip(": ")) for name in names)])
    labels = [re.compile(form.format(names=every)) for form in (_LABEL, _HEADING)]
    return [*labels, _HASHES]


def _closing(text: str, start: int) -> int | None:
    depth = 1
    for index in range(start, min(len(text), start + 2_000)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return None
