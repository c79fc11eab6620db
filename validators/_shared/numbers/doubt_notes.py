# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Notes beside a value by which it is no final or no present one: `(estimate)`, `- not confirmed`, `last year`, `est.`.

One table for all languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Danish, Norwegian, Swedish,
Polish, Turkish, Japanese.
"""

from __future__ import annotations

import re
from typing import Final

_ESTIMATES: Final = (
    r"estimat\w{1,4}|est\.|guess\w{0,7}|guesstimate|provisional\w{0,2}|preliminary|tentative\w{0,2}|indicative"
    r"|projected|projection|forecast\w{0,3}|unaudited|draft|placeholder|assum(?:ed|ption)|hypothetical"
    r"|geschätzt\w{0,2}|schätz(?:ung|wert)\w{0,2}|vorläufig\w{0,2}|unverbindlich\w{0,2}|ohne gewähr"
    r"|estimée?s?|estimation|provisoires?|prévisionnel\w{0,3}"
    r"|estimad[oa]s?|estimación|provisional(?:es)?"
    r"|stimat[oaie]|stima|provvisori[oa]|presunt[oa]"
    r"|estimativas?|provisóri[oa]s?"
    r"|geschat|schatting|voorlopige?"
    r"|anslået|skøn|foreløbig\w{0,2}|anslag|uppskattat|uppskattning|preliminär\w{0,2}|preliminært?"
    r"|szacun\w{1,6}|wstępn\w{1,3}|tahmini\w{0,2}|tahminen|geçici"
)
_UNCONFIRMED: Final = (
    r"(?:not|never|yet to be|to be|still to be|nicht|noch nicht|noch zu|pas(?: encore)?|non|à|no|sin|por|da|não|a"
    r"|niet|nog niet|ikke|inte|ej|nie)\s+(?:yet\s+|fully\s+|entirely\s+|quite\s+|really\s+|ancora\s+)?"
    r"(?:confirm\w{0,4}|verif\w{1,7}|certain|sure|final|settled|agreed|checked|audited|official|reliable"
    r"|bestätig\w{1,4}|bestaetig\w{1,4}|gesichert|geprüft|sicher|endgültig|confirmée?s?|vérifiée?s?|sûre?s?|confirmer"
    r"|confirmar|confirmad[oa]s?|verificad[oa]s?|segur[oa]|confermat[oa]|confermare|verificat[oa]|sicur[oa]|certo"
    r"|bevestigd|zeker|bekræftet|bekreftet|bekräftat|sikker|säker|potwierdz\w{1,5}|pewn\w)"
    r"|(?:unconfirmed|unverified|unchecked|unofficial|uncertain|unsure|tbc|tba|unbestätigt|ungeprüft|ubekræftet"
    r"|ubekreftet|obekräftat|niepotwierdz\w{1,5}|onbevestigd|doğrulanmadı|kesinleşmedi|onaylanmadı)"
    r"|(?:could|can|did|was|were|has|have|is)(?:\s+not|n['’]t)\s+(?:be(?:en)?\s+)?(?:confirm\w{0,2}|verif\w{1,3}"
    r"|check\w{0,2}|find|found)"
)
_OUTDATED: Final = (
    r"previously|formerly|outdated|superseded|obsolete|auparavant|périmée?"
    r"|anteriormente|veraltet\w{0,2}|verouderd"
)
_ANOTHER_TIME: Final = (
    r"(?:last|previous|prior|next|coming|former|old) (?:year|month|week|quarter|season|time|day|period|version|contract"
    r"|declaration|offer|order|invoice|price|value|rate)|letztes jahr"
    r"|voriges jahr|vorjahr\w{0,4}|früher\w{0,2}|im vorjahr"
    r"|l['’]an(?:née)? (?:dernière?|passée)|el año pasado|anterior|l['’]anno scorso"
    r"|precedente\w{0,5}|no ano passado|vorig jaar|sidste år|i fjor|förra året|w zeszłym roku|geçen yıl"
)
"""In brackets these say of which time a value is; in the sentence they may be what was asked about."""
_ASIAN: Final = r"推定|見込み|暫定|未確認|未確定|概算|仮|昨年|前年"
_OPEN: Final = (
    r"subject to|pending|awaiting|expected|anticipated|planned|vorbehaltlich|unter vorbehalt|erwartet|geplant"
    r"|sous réserve|prévue?s?|en attente|previst[oa]s?|pendiente|salvo conferma|in attesa|pendente|onder voorbehoud"
    r"|verwacht|forventet|med forbehold|förväntat|beklenen"
)
_WORDS: Final = (
    rf"(?:(?<!\w)(?:{_ESTIMATES}|{_UNCONFIRMED}|{_OUTDATED}|{_OPEN})(?!\w)|{_ASIAN})"
)
_IN_BRACKETS: Final = re.compile(
    rf"[\s*_`]{{0,4}}[(\[\uff08][^()\[\]\n]{{0,40}}?(?:{_WORDS}|(?<!\w)(?:{_ANOTHER_TIME})(?!\w))",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r"[*_`]{0,3}(?:\s{0,2}[,;\u2013\u2014]|\s{1,2}-\s|\s)\s{0,2}(?:but\s|though\s|although\s|aber\s|mais\s|pero\s|ma\s)?"
    r"(?:(?:i|we)(?:['’]m|['’]re| am| are)\s|(?:this|that|it|which)(?:['’]s| is)\s|as\s|in\s|for\s)?"
    rf"(?:(?:a|an|the|only|just|my|our|best|rough|first|still|ein|eine|une?|una?)\s){{0,4}}{_WORDS}",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    rf"(?<!\w)(?:{_ESTIMATES}|unconfirmed|unverified|previously|formerly)[:,]?\s*(?:at\s+|is\s+|of\s+)?"
    r"[$€£]?\s*$",
    re.IGNORECASE,
)
_LOOK_AHEAD: Final = 80
_LOOK_BACK: Final = 40


def is_noted(behind: str) -> bool:
    """Whether the note behind a value says that it is no final or no present one."""
    text = behind[:_LOOK_AHEAD]
    return bool(_IN_BRACKETS.match(text) or _BEHIND.match(text))


def is_introduced(before: str) -> bool:
    """Whether the words just before a value say so."""
    return _BEFORE.search(before[-_LOOK_BACK:]) is not None
