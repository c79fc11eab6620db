# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Words that turn or limit a statement: negations, conditions, exceptions, restrictions. Pure.

The languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Danish, Norwegian, Swedish, Polish,
Turkish, Japanese, Chinese. A word that means something else in another of them counts only where the words around it
are in its language. Words are in normal form (`ss` for a sharp s); those joined by `_` stand next to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.text.word_sets import word_set

_NEGATIONS: Final = """
    not no never cannot nor neither
    nicht kein keine keinen keinem keiner keines nie niemals keinesfalls keineswegs weder
    ne pas jamais aucun aucune ni
    nunca jamás ningún ninguno ninguna tampoco
    non nessun nessuno nessuna
    não nenhum nenhuma nem
    niet geen nooit
    ikke ikkje aldrig aldri ingen intet
    inte icke inget inga
    nigdy żaden żadna żadne żadnych żadnego ani
    değil asla hiçbir yok
"""
_LIMITS: Final = """
    none nobody nothing without unless except only hardly barely scarcely rarely seldom if excluding fails failed
    lacks denies denied refuses refused false falsely untrue deny least most until provided
    but up_to other_than as_long so_long subject_to apart_from aside_from less_a save_for save_those save_that exception
    on_condition
    ohne ausser ausgenommen nur lediglich ausschliesslich bloss kaum selten wenn sofern solange soweit vorbehaltlich
    sei_denn unter_der_bedingung
    rien sans sauf hormis excepté guère seulement uniquement pourvu à_moins à_condition sous_réserve s'il s'ils
    sin nada excepto salvo sólo solamente únicamente a_menos siempre_que mientras
    senza tranne eccetto soltanto solamente purché a_meno qualora
    sem exceto só somente desde_que
    zonder tenzij behalve alleen slechts mits indien uitsluitend nauwelijks
    uden uten medmindre med_mindre undtagen unntatt bortset_fra bortsett_fra kun hvis dersom såfremt forudsat
    forutsatt næppe
    utan såvida förutom utom endast enbart ifall förutsatt knappt
    bez jeśli jeżeli chyba tylko jedynie wyłącznie oprócz wyjątkiem pod_warunkiem o_ile dopóki
    hariç dışında eğer ise sadece yalnızca yalnız şartıyla koşuluyla sürece olmadan olmadıkça
"""
_OF_ONE_LANGUAGE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "si": "es fr", "se": "it pt", "falls": "de", "als": "nl", "om": "sv", "solo": "es it", "mai": "it", "né": "it",
        "apenas": "es pt", "caso": "pt", "bare": "da", "bara": "sv", "ej": "sv da", "nie": "pl",
    }
)  # fmt: skip
"""Words that are harmless in another language, and the languages in which they are not."""
_HARMLESS_IN: Final[Mapping[str, str]] = MappingProxyType({"no": "pt", "ne": "it tr"})
"""Negations that are something else in these languages: `no centro` is in the centre."""
_MARKERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "en": "the of and is are to for with",
        "de": "der die das den dem und ist sind mit von zu auf nicht bei",
        "fr": "le les des du une est et dans pour au aux sur il elle",
        "es": "el los las del una y está con para por al lo que en",
        "it": "il gli lo della dello dei degli delle nel nella che è di una per",
        "pt": "o os as do da dos das em não uma é ao com para que",
        "nl": "het een de van wordt worden zijn niet op met",
        "da": "og er det den at på til med ikke en et",
        "sv": "och är det den att på till med inte en ett",
        "pl": "w z na i do się jest nie po od",
        "tr": "ve bir bu için ile",
    }
)
"""Common words by which the language of a sentence is told."""
_TURKISH: Final = (
    "madı", "medi", "madan", "meden", "mayın", "meyin", "mayınız", "meyiniz", "maz", "mez", "mıyor", "miyor", "muyor",
    "müyor", "mayacak", "meyecek", "mamalı", "memeli", "mamalıdır", "memelidir", "mamış", "memiş", "dıkça", "dikçe",
    "yorsa", "arsa", "erse",
)  # fmt: skip
"""Endings of negated verbs and of conditions."""
_MIN_TURKISH_LETTERS: Final = 6
_UNSPACED: Final = (
    "ない", "ません", "なかった", "なけれ", "せず", "れず", "らず", "わず", "ずに", "禁止", "不可", "限り", "場合",
    "除", "以外", "のみ", "だけ", "ただし", "しか", "不", "没", "未", "勿", "如果", "若", "只", "仅",
)  # fmt: skip
"""Negations, conditions and exceptions in Japanese and Chinese, which have no spaces."""
_UNSPACED_ENDINGS: Final = ("なかった", "ない", "なく", "なけ", "ませ", "ず", "ぬ")
_MAX_ENDING: Final = 4
_BEHIND: Final = "not nicht niet ikke ikkje inte pas değil"
_NOT_ONLY: Final = "only just merely nur seulement alleen kun bara bare sadece"


def is_limiting(words: Sequence[str], around: Sequence[str] = ()) -> bool:
    """Whether any of the words, in normal form, turns or limits a statement. around: the words around them."""
    if is_negation(words, around):
        return True
    known = word_set(_LIMITS)
    if not known.isdisjoint(words) or any(
        f"{first}_{second}" in known for first, second in pairwise(words)
    ):
        return True
    if any(
        word.endswith(_TURKISH) and len(word) >= _MIN_TURKISH_LETTERS for word in words
    ):
        return True
    return _is_limiting_unspaced(words)


def is_negation(words: Sequence[str], around: Sequence[str] = ()) -> bool:
    """Whether any of the words turns a statement, or is of those that do where the words around it are."""
    return any(_negates(word, (*around, *words)) for word in words)


def _negates(word: str, around: Sequence[str]) -> bool:
    if word in word_set(_NEGATIONS) or word.endswith("n't") or word.startswith("n'"):
        harmless = _HARMLESS_IN.get(word)
        return harmless is None or not _are_in(around, harmless)
    spoken = _OF_ONE_LANGUAGE.get(word)
    return spoken is not None and not _languages(around).isdisjoint(spoken.split())


def _are_in(words: Sequence[str], languages: str) -> bool:
    """Whether words are in one of the languages, and in no other one."""
    found = _languages(words)
    return bool(found) and found.issubset(languages.split())


def is_negated_behind(words: Sequence[str]) -> bool:
    """Whether words begin with a negation of what stands before them: `nicht`, `ikke`, but no `nicht nur`."""
    first, *rest = *words[:2], ""
    if first in word_set(_BEHIND):
        return rest[0] not in word_set(_NOT_ONLY)
    return False


def goes_on_negated(words: Sequence[str]) -> bool:
    """Whether Japanese words begin with the ending by which they negate what stands before them."""
    return "".join(words[:_MAX_ENDING]).startswith(_UNSPACED_ENDINGS)


def _languages(words: Sequence[str]) -> set[str]:
    """The languages whose common words are most frequent among the words."""
    counts: dict[str, int] = {}
    for language, markers in _MARKERS.items():
        known = word_set(markers)
        counts[language] = sum(word in known for word in words)
    most = max(counts.values())
    return {language for language, count in counts.items() if count == most and count}


def _is_limiting_unspaced(words: Sequence[str]) -> bool:
    joined = "".join(word for word in words if len(word) == 1 and not word.isascii())
    return bool(joined) and any(ending in joined for ending in _UNSPACED)
