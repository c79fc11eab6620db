"""What an order, or a word of consent, is about: the action that was proposed, or something that nobody named.

Whoever says `yes, pay it to my son` names a person of whom neither the proposal nor the record says anything. Each
word behind the verb must be known from those, or be a pronoun or a harmless word.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from judgemesh.validators._shared.trace.verbs import stem, stems_of
from judgemesh.validators.execution.confirmation.language.said_numbers import (
    numbers_in_words,
)
from judgemesh.validators.execution.confirmation.language.tongues import HARMLESS_WORDS

_WORD: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_COUNT: Final = re.compile(r"\d+[a-z%]{0,3}$")
_AND: Final = re.compile(r" (?:and|und|et|y|e|en|og|och) ")
_REASON: Final = re.compile(
    r" (?:because|since|as (?=i|we|it)|so (?=i|we|that)|denn|weil|car|parce que|porque|perché)\b.*"
)
_FOR_US: Final = re.compile(r"(?:please |also |then |kindly )*\w+ (?:me|us)\b")
ALTERING: Final = frozenset(
    ("twice", "thrice", "double", "triple", "half", "halves", "third", "quarter", "most", "rest", "remainder", "both",
     "less", "more", "fewer", "only", "too", "also", "part", "doppelt", "hälfte", "mehr", "weniger", "beide",
     "beides", "auch", "zweimal", "double", "moitié", "plus", "moins", "aussi", "mitad", "doble", "menos",
     "también", "ambos", "ambas", "metà", "doppio", "anche")
)  # fmt: skip
"""Words that ask for another measure of the action, or add to it."""
_GENERAL: Final = frozenset(
    ("money", "amount", "sum", "payment", "request", "one", "total", "full", "together", "whole", "entire", "today",
     "geld", "betrag", "argent", "montant", "dinero", "importe", "him", "her", "he", "she", "au", "aux", "du", "del",
     "al", "à", "a", "an", "ans", "am", "im", "zu", "zum", "zur", "the", "le", "el", "il", "het", "hem", "haar", "ze",
     "esta", "este", "diese", "diesen", "dieses", "cette", "ce", "cet", "ihm", "und", "et", "y", "e", "en", "or",
     "invoice", "rechnung", "facture", "factura", "into", "as", "well", "gleich", "o", "os", "onto", "off", "down",
     "up", "away")
)  # fmt: skip
_ALL: Final = frozenset(
    ("all", "every", "each", "alle", "toutes", "tous", "todas", "todos")
)
_BEHIND_ALL: Final = frozenset(
    (
        "it",
        "of",
        "that",
        "them",
        "this",
        "these",
        "those",
        "good",
        "set",
        "right",
        "the",
    )
)
_POSSESSIVES: Final = frozenset(
    ("my", "our", "your", "his", "her", "their", "meine", "unsere", "mes", "nos", "mis")
)
_CONSENTS: Final = re.compile(
    r"^(?:(?:and|yes|also|so|hereby|ja|oui|sí) )*(?:i|we|ich|wir|je|nous|yo)? ?(?:(?:can|do|hereby|fully|also|will|"
    r"kann|"
    r"hiermit|peux) )*"
    r"(?:confirm\w*|agree|accept\w*|authori[sz]e\w*|approve\w*|consent|acknowledge|bestätige|bestätigen|akzeptiere|"
    r"genehmige|confirme|accepte|autorise|acepto|autorizo|apruebo)\b(?P<object>.*)$"
)  # fmt: skip
_GIVING_BACK: Final = stems_of("refund reimburse")


def is_known(word: str, known: AbstractSet[str]) -> bool:
    """Whether the word, its stem or all its parts are known."""
    if word in known or stem(word) in known or word.removesuffix("'s") in known:
        return True
    parts = word.split("-")
    return len(parts) > 1 and known >= set(parts)


def alters(words: Sequence[str], known: AbstractSet[str]) -> bool:
    """Whether one of the words asks for another measure of the action; a number beside it is compared elsewhere."""
    return not (ALTERING - known).isdisjoint(words)


def orders_something_else(
    clause: str, known: AbstractSet[str], verbs: AbstractSet[str]
) -> bool:
    """Whether a clause that tells to do the action holds a word behind the verb that nobody named.

    Args:
        clause: the clause, in small letters.
        known: the words of the proposal and of the record.
        verbs: the stems of the verbs that name the action.
    """
    parts = _AND.split(_REASON.sub("", clause))
    ordered = False
    for part in parts:
        words = _WORD.findall(part)
        at = next((i for i, word in enumerate(words) if stem(word) in verbs), None)
        if at is not None:
            ordered = True
            if stem(words[at]) in _GIVING_BACK and stem(words[at]) not in known:
                return True
            words = words[at + 1 :]
        elif not ordered or _FOR_US.match(part):
            continue
        if _is_strange(words, known | verbs):
            return True
    return False


def consents_to_something_else(clause: str, known: AbstractSet[str]) -> bool:
    """Whether `confirm`, `agree` and the like have an object that nobody named: `I confirm my address`.

    known: the words of the proposal and of the record, and the stems of the action's verbs.
    """
    found = _CONSENTS.match(_REASON.sub("", clause))
    if found is None:
        return False
    return _is_strange(_WORD.findall(found["object"]), known)


def _is_strange(words: Sequence[str], known: AbstractSet[str]) -> bool:
    counted = any(_COUNT.match(word) or numbers_in_words(word) for word in words)
    if not counted and alters(words, known):
        return True
    if any(_takes_all(*pair, known) for pair in itertools.pairwise(words)):
        return True
    return not all(
        word in HARMLESS_WORDS
        or word in _GENERAL
        or _COUNT.match(word)
        or numbers_in_words(word)
        or (counted and word in ALTERING)
        or is_known(word, known)
        for word in words
    )


def _takes_all(word: str, behind: str, known: AbstractSet[str]) -> bool:
    """Whether more is meant than was proposed: `all my orders`."""
    if word not in _ALL or behind in _BEHIND_ALL or behind in known:
        return False
    return behind in _POSSESSIVES or (
        behind not in HARMLESS_WORDS | _GENERAL
        and not (_COUNT.match(behind) or numbers_in_words(behind))
    )
