"""Clauses that hold a yes which is none: taken back, split, or somebody else's."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_YES: Final = frozenset(
    ("yes", "yeah", "yep", "ja", "oui", "sí", "sì", "sim", "tak", "evet", "да")
)
_NO: Final = frozenset(
    (
        "no",
        "nope",
        "nein",
        "non",
        "nee",
        "não",
        "nej",
        "nie",
        "nei",
        "hay\u0131r",
        "нет",
    )
)
_AND: Final = frozenset(
    (
        "and",
        "or",
        "und",
        "oder",
        "et",
        "ou",
        "y",
        "o",
        "e",
        "en",
        "of",
        "och",
        "og",
        "i",
        "ve",
        "и",
    )
)
_AFTER_NO: Final = frozenset(
    ("thanks", "thank", "please", "sorry", "danke", "merci", "gracias", "grazie", "bitte", "wait", "actually")
)  # fmt: skip
_MEANING: Final = frozenset(
    ("mean", "meant", "meine", "meinte", "meint", "disais", "dire", "quise", "quería", "digo", "intendevo")
)  # fmt: skip
_SAYING: Final = frozenset(
    ("said", "says", "say", "told", "tells", "answered", "replied", "voted", "thinks", "sagt", "sagte", "gesagt",
     "sagen", "dit", "dirait", "dijo", "dice", "diría", "ha", "detto", "disse")
)  # fmt: skip
_SPEAKER: Final = frozenset(
    (
        "i",
        "we",
        "i'd",
        "we'd",
        "i'll",
        "ich",
        "wir",
        "je",
        "nous",
        "yo",
        "let's",
        "lets",
        "and",
    )
)
_OBJECTS: Final = re.compile(
    r"^(?:(?:yes|yeah|no|but|sorry|oh|well|ja|oui|sí|sì|aber|mais|pero) )*"
    r"(?:(?:that|this|it|isn't|wasn't|something|which)\b(?:'s| is| was| looks| seems| sounds| that| this| it){0,3}|"
    r"(?:das|es|dies|da) (?:ist|war|sieht|stimmt)|c'est|ce n'est|(?:eso|esto|es|está)(?: es| está)?|"
    r"(?:è|isso é|dat is))"
    r"(?: (?:not|all|just|so|really|completely|plainly|actually|clearly|obviously|a|an|my|bit|far|way|much|the|ein|"
    r"eine|leider|nicht|une|un|mal|la)){0,3}"
    r" (?:wrong|mistake|mistaken|error|incorrect|too (?:much|high|many|steep|early|soon)|not right|nonsense|"
    r"falsch|fehler|irrtum|zu viel|zu hoch|nicht richtig|faux|fausse|erreur|trop(?! chère?\b)|equivocad[oa]|falso|"
    r"demasiado(?! car[oa]\b)|"
    r"incorrecto|sbagliato|troppo|errado|fout|verkeerd)\b"
)  # fmt: skip
_PUZZLED: Final = re.compile(
    r"(?:^|[.,;:!?\u2014-]\s*)(?:hello|hallo|hi|hey|what|huh|eh|pardon|sorry|come again|excuse me|was|wie bitte|quoi|"
    r"comment|qué|cómo|are you there|anyone there|anybody there|bist du da)\s?\?"
)  # fmt: skip


def is_no_consent(clause: str) -> bool:
    """Whether the clause, in small letters, objects, takes a yes back, or tells of the yes of somebody else."""
    words = _WORD.findall(clause)
    return (
        _is_split(words)
        or _is_anothers(words)
        or _means_no(words)
        or _OBJECTS.match(clause) is not None
    )


def is_puzzled(text: str) -> bool:
    """Whether a turn in small letters asks back: `Yes, hello?`."""
    return _PUZZLED.search(text) is not None


def _is_split(words: Sequence[str]) -> bool:
    """`Yes and no`, `yes or no`, `no and yes`."""
    told = [word for word in words if word not in _AND]
    for position, (one, other) in enumerate(itertools.pairwise(told)):
        if one in _YES and other in _NO:
            behind = told[position + 2 : position + 3]
            if not behind or behind[0] in _AFTER_NO:
                return True
        if one in _NO and other in _YES and len(told) < len(words):
            return True
    return False


def _is_anothers(words: Sequence[str]) -> bool:
    """`She said yes`."""
    if len(words) < len(("she", "said", "yes")) or words[-1] not in _YES:
        return False
    return not _SAYING.isdisjoint(words) and _SPEAKER.isdisjoint(words[:2])


def _means_no(words: Sequence[str]) -> bool:
    """`I meant no`."""
    return not _MEANING.isdisjoint(words) and words[-1] in _NO
