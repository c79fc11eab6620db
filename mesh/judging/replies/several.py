"""Several questions in one call: their codes, the schema of the reply, and how each verdict is read out of it. Pure.

The reply is one JSON object with an entry for each question, or, where there is no JSON at all, last lines of the form
`q1: yes`. What is wrong with one entry (missing, given twice, of the wrong type, no verdict or another word) is no vote
on that question and says nothing about the others. A reply of which nothing can be read is `JudgeMalformed`, and so is
one with a verdict on a question that was not asked: where a model counts from 0, every code is that of a neighbour.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from functools import cache
from random import Random
from typing import Any, Final, NoReturn, TypeVar, cast

from judgemesh.contracts.errors import JudgeMalformed
from judgemesh.contracts.gateway import ModelReply
from judgemesh.contracts.money import Money
from judgemesh.mesh.judging.replies.parse import (
    CUT_OFF,
    DECORATION,
    MAX_STARTS,
    VERDICT_SCHEMA,
    WORDS,
    VerdictReading,
    glimpse,
    reading_of,
    text_of,
)

T = TypeVar("T")

MAX_QUESTIONS: Final = 8
"""Questions of one call, at most."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What the judge said to each question, in their order; None where that cannot be read."""

    each: tuple[VerdictReading | None, ...]

    @property
    def votes(self) -> str:
        """The votes in the order of the questions (`yes,no,-`), for the ledger."""
        votes = [reading.vote.value if reading else "-" for reading in self.each]
        return ",".join(votes)

    @property
    def reasons(self) -> str:
        """The reasons, each behind its code, for the ledger."""
        reasons: list[str] = []
        for code, reading in zip(codes(len(self.each)), self.each, strict=True):
            if reading:
                reasons.append(f"{code}: {reading.reason}")
        return " | ".join(reasons)


def codes(count: int) -> tuple[str, ...]:
    """What the questions of a call are called in it: `q1`, `q2`, ..."""
    return tuple(f"q{number}" for number in range(1, count + 1))


@cache
def verdicts_schema(count: int) -> Mapping[str, Any]:
    """The schema of a reply to so many questions: an entry for each, all of them required, and no other."""
    return {
        "type": "object",
        "properties": {code: dict(VERDICT_SCHEMA) for code in codes(count)},
        "required": list(codes(count)),
        "additionalProperties": False,
    }


def read_verdicts(reply: ModelReply, count: int) -> Readings:
    """The verdicts of a reply to `count` questions, at least one of them readable.

    Raises:
        JudgeRefused: the model or its filter declined.
        JudgeMalformed: not a single verdict can be read, one is on a question that was not asked, or the reply was cut
            off before it was complete.
    """
    text = text_of(reply)
    by_code = _entries(text, reply) if "{" in text else _last_lines(text)
    foreign = sorted(by_code.keys() - set(codes(count)))
    if foreign:
        raise JudgeMalformed(
            f"a verdict on {foreign[0]}, and {count} questions were asked, q1 to q{count}: {glimpse(text)}"
        )
    readings = Readings(tuple(by_code.get(code) for code in codes(count)))
    if not any(readings.each):
        raise JudgeMalformed(
            f"no verdict on any of {count} questions in the reply: {glimpse(text)}"
        )
    return readings


# --- JSON, with what is given twice still there to be seen ---


class _Pairs(tuple[tuple[str, Any], ...]):
    """A JSON object as its pairs."""

    __slots__ = ()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(
    # Small models write line breaks into texts.
    strict=False,
    object_pairs_hook=_Pairs,
    parse_constant=_no_constant,
)
_CODE: Final = re.compile(r'"\s*q\d{1,3}\s*"\s*:', re.IGNORECASE)


def _entries(text: str, reply: ModelReply) -> dict[str, VerdictReading | None]:
    """The entries of the last object in a text that has entries at all; None where one cannot be read."""
    objects = [pair for pair in _objects(text) if _has_entries(pair[0])]
    cut = (reply.finish_reason or "").casefold() in CUT_OFF
    if cut and not (objects and objects[-1][1] >= len(text.rstrip())):
        raise JudgeMalformed(
            "the reply was cut off at the token limit before its verdicts were complete"
        )
    if not objects:
        raise JudgeMalformed(
            f"no readable object with verdicts in the reply: {glimpse(text)}"
        )
    pairs, end = objects[-1]
    if _CODE.search(text, end):
        raise JudgeMalformed(
            f"more verdicts begin after the last complete ones: {glimpse(text[end:])}"
        )
    counts = Counter(_name(key) for key, _ in pairs)
    readings: dict[str, VerdictReading | None] = {}
    for key, value in pairs:
        name = _name(key)
        if _CODE_NAME.fullmatch(name):
            readings[name] = _entry(value) if counts[name] == 1 else None
    return readings


def _has_entries(pairs: _Pairs) -> bool:
    return any(_CODE_NAME.fullmatch(_name(key)) for key, _ in pairs)


_CODE_NAME: Final = re.compile(r"q\d{1,3}")


def _name(key: str) -> str:
    return key.strip().casefold()


def _entry(value: object) -> VerdictReading | None:
    """One verdict; None where it is none, or where a key of it is given twice."""
    if isinstance(value, str):
        value = _Pairs((("verdict", value),))
    if not isinstance(value, _Pairs):
        return None
    entry = dict(value)
    if len(entry) != len(value):
        return None
    try:
        return reading_of(entry)
    except JudgeMalformed:
        return None


def _objects(text: str) -> Iterator[tuple[_Pairs, int]]:
    """The JSON objects in a text, outermost only, each with the place where it ends.

    Raises:
        JudgeMalformed: so many opening braces that the text is no honest reply.
    """
    start, tried = text.find("{"), 0
    while start >= 0:
        tried += 1
        if tried > MAX_STARTS:
            raise JudgeMalformed(f"more than {MAX_STARTS} opening braces in the reply")
        try:
            value, end = cast("tuple[_Pairs, int]", _DECODER.raw_decode(text, start))
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        yield _unwrapped(value), end
        start = text.find("{", end)


def _unwrapped(pairs: _Pairs) -> _Pairs:
    """The object within one that has it alone (`{"answers": {"q1": ...}}`)."""
    while len(pairs) == 1 and not _has_entries(pairs):
        ((_, value),) = pairs
        if not isinstance(value, _Pairs):
            break
        pairs = value
    return pairs


# --- words alone ---

_LINE: Final = re.compile(
    r"(?:question\s+)?(q\d{1,3})\s*[:=.)-]+\s*(yes|no|cannot[ _-]assess)", re.IGNORECASE
)


def _last_lines(text: str) -> dict[str, VerdictReading | None]:
    """The verdicts on the last lines, as far up as each line is one; a code on two of them has no verdict.

    They have no reasons: what stands above them is about all of them, and would contradict some.
    """
    votes: dict[str, list[str]] = {}
    for line in reversed(text.splitlines()):
        plain = line.replace("*", "").strip(f"{DECORATION}-")
        if not plain:
            continue
        match = _LINE.fullmatch(plain)
        if match is None:
            break
        votes.setdefault(match[1].casefold(), []).append(match[2].casefold())
    readings: dict[str, VerdictReading | None] = {}
    for code, words in votes.items():
        single = len(words) == 1
        readings[code] = VerdictReading(WORDS[words[0]]) if single else None
    return readings


# --- the order of the questions, and what each of them costs ---


def order(members: Sequence[T], index: int, *, key: str) -> list[T]:
    """The order in which vote `index` puts the questions: seeded by `key`, turned round with every vote.

    Of two votes that follow each other, whatever came first in one comes last in the other; each further pair of votes
    begins elsewhere.
    """
    start = list(members)
    Random(key).shuffle(start)  # noqa: S311 - an order, no secret
    turn = (index // 2) * max(1, len(start) // 2 - 1) % len(start) if start else 0
    turned = start[turn:] + start[:turn]
    return turned[::-1] if index % 2 else turned


def shares(amount: Money | None, count: int) -> list[Money | None]:
    """An amount in `count` parts that come to it exactly; unknown stays unknown for each."""
    if amount is None:
        return [None] * count
    exponent = amount.amount.as_tuple().exponent
    step = Decimal(1).scaleb(min(int(exponent), 0) - 3)
    part = (amount.amount / count).quantize(step, ROUND_DOWN)
    first = amount.amount - part * (count - 1)
    return [
        Money(first, amount.currency),
        *([Money(part, amount.currency)] * (count - 1)),
    ]
