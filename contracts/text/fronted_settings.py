"""Sentences of a text that hold at a time or on a condition which stands in front: `In winter, the bar closes`. Pure.

The languages are those that set such a phrase off by a comma and keep the order of words behind it: English, French,
Spanish, Italian, Portuguese.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.text.limiting_words import is_limiting
from judgemesh.contracts.text.passages import normal_text
from judgemesh.contracts.text.word_sets import word_set
from judgemesh.contracts.text.wording import begins_sentence, ends_sentence

_MAX_WORDS: Final = 8
_OPENS: Final = """
    in on at during from until till before after by throughout over outside within every each
    en le la les l au aux à pendant durant de dès depuis jusqu après avant d chaque
    el los las por durante desde hasta antes después al cada
    il lo gli i nel nella nelle nei d dal dalla durante dopo prima ogni
    no na nos nas aos às ao durante após antes cada
"""
_TIMES: Final = """
    winter summer spring autumn season weekday weekdays weekend weekends monday mondays tuesday tuesdays wednesday
    wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays holiday holidays january february
    march
    april june july august september october november december night nights noon midnight morning mornings evening
    evenings afternoon afternoons day days week month year hours term semester emergency emergencies case
    hiver été printemps automne saison lundi lundis mardi mercredi jeudi vendredi samedi dimanche dimanches semaine
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre nuit soir matin midi jour
    jours fériés vacances cas urgence mois
    invierno verano primavera otoño temporada lunes martes miércoles jueves viernes sábado sábados domingo domingos
    semana
    enero febrero marzo abril junio julio agosto septiembre octubre noviembre diciembre noche noches día días mañana
    tarde
    festivos
    caso emergencia mes
    inverno estate autunno stagione lunedì martedì mercoledì giovedì venerdì sabato domenica settimana notte sera
    festivi
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre emergenza mese
    verão outono estação segunda terça quarta quinta sexta feriados janeiro fevereiro março maio junho julho setembro
    outubro novembro dezembro noite manhã emergência mês
"""
_NO_CONDITIONS: Final = frozenset({"but", "most", "least"})


def loses_setting(passage: str, text: str) -> bool:
    """Whether a passage that is written as a whole sentence stands only behind what sets its time or its condition."""
    if not (begins_sentence(passage) and ends_sentence(passage)):
        return False
    known = normal_text(text)
    wanted = normal_text(passage).words
    place = known.words.find(wanted)
    found = False
    while place >= 0:
        start = bisect_right(known.sentences, place) - 1
        first = known.sentences[start] if start >= 0 else 0
        before = known.words[first:place].split()
        if place not in known.clauses or not _sets(before):
            return False
        found = True
        place = known.words.find(wanted, place + 1)
    return found


def _sets(before: Sequence[str]) -> bool:
    """Whether the words in front of a clause set a time or a condition."""
    if not 0 < len(before) <= _MAX_WORDS:
        return False
    first = before[0].partition("'")[0]
    if first in word_set(_OPENS):
        times = {part for word in before for part in word.split("'")}
        return not word_set(_TIMES).isdisjoint(times)
    return first not in _NO_CONDITIONS and is_limiting(before[:1], before)
