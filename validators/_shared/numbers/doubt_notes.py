# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Notes beside a value by which it is no final or no present one: `(estimate)`, `- not confirmed`, `(moved to Hall 6)`.

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
    r"|(?:yet|still|remains?) to be (?:measured|determined|decided|fixed|clarified|negotiated|surveyed|approved|counted"
    r"|weighed|calculated|defined|validated|reviewed|seen)|noch zu \w{4,20}|nog te \w{4,20}"
    r"|à (?:mesurer|déterminer|préciser|vérifier|définir|fixer|valider|négocier|revoir|calculer)"
    r"|(?:por|a falta de) (?:medir|determinar|definir|concretar|fijar|verificar|validar|decidir|calcular|revisar)"
    r"|da (?:misurare|determinare|definire|verificare|fissare|validare|calcolare|decidere)"
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
_EARLIER: Final = r"(?!(?:was|were|up from|down from|from|compared|vs|war|waren|gegenüber|contre|era|ante)\b)"
"""`18 (was 16 last year)` says of another value when it was one."""
_IN_BRACKETS: Final = re.compile(
    rf"[\s*_`]{{0,4}}[(\[\uff08](?:[^()\[\]\n]{{0,40}}?{_WORDS}"
    rf"|{_EARLIER}[^()\[\]\n]{{0,40}}?(?<!\w)(?:{_ANOTHER_TIME})(?!\w))",
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
_CHANGED: Final = (
    r"(?:moved|relocated|transferred|switched|postponed|rescheduled|deferred|delayed|brought forward|put back"
    r"|pushed back)"
    r"(?!(?: \w+){0,2} from)"
    r"|(?:changed|corrected|amended|revised|updated|reduced|increased|raised|lowered|cut) to|cancell?ed|called off"
    r"|withdrawn|revoked|rescinded|voided|annulled|scrapped|(?:replaced|succeeded|superseded) by|replaced with"
    r"|no longer|not any ?more|any ?more|resigned|stepped down|left (?:the|our|us|in)|until (?:yesterday|recently|last)"
    r"|instead(?! of)|wrong|incorrect|mistaken"
    r"|verlegt|verschoben|umgezogen|geändert (?:auf|in|zu)|ersetzt durch|abgelöst (?:von|durch)|abgesagt|storniert"
    r"|annulliert|ausgefallen|entfallen|fällt aus|verspätet|nicht mehr|ausgeschieden|zurückgetreten|gekündigt|falsch"
    r"|déplacée?|transférée?|reportée?|retardée?|annulée?|supprimée?|remplacée? par|changée? en|n['’]est plus"
    r"|plus en poste"
    r"|traslad\w{2,4}|cambiad[oa] a|aplazad[oa]|retrasad[oa]|cancelad[oa]|anulad[oa]|(?:sustituid"
    r"|reemplazad)[oa] por|ya no"
    r"|spostat[oa]|rinviat[oa]|annullat[oa]|sostituit[oa] da|non più|mudad[oa] para|adiad[oa]|substituíd[oa] por|já não"
    r"|verplaatst|uitgesteld|geannuleerd|vervangen door|niet meer|flytt[ea]t|udsat|utsatt|aflyst|avlyst|inställd"
    r"|(?:er)?stattet af|erstattet av|ersatt av|ikke længere|ikke lenger|inte längre|przeniesion\w|odwołan\w"
    r"|przełożon\w"
    r"|już nie|iptal|ertelendi|taşındı|artık"
)
"""What a note begins with that puts another value, or none, in the place of the one before it."""
_CONDITIONS: Final = (
    r"provided|providing|unless|if|as long as|on condition|assuming|sofern|falls|wenn|vorausgesetzt|solange|es sei denn"
    r"|si|s['’]ils?|à condition|pourvu|sauf si|siempre que|a menos que|purché|a meno che|desde que|a menos"
    r"|mits|tenzij|indien|hvis|medmindre|forudsat|forutsatt|förutsatt|jeśli|o ile|eğer"
)
_THINKING: Final = (
    r"(?:i|we) (?:think|believe|guess|suppose|assume|reckon|presume|gather|hope)|if i (?:remember|recall)|as far as i"
    r"|or (?:rather|better)|i mean|no,? wait|vielmehr|besser gesagt|ou plutôt|o mejor dicho|o meglio|of liever"
    r"|afaik|iirc|probably|presumably|perhaps|maybe|possibly|apparently|allegedly|supposedly|likely|or so|i['’]d say"
    r"|(?:glaube|denke|meine|vermute|schätze) ich|vermutlich|wahrscheinlich|vielleicht|möglicherweise|angeblich|wohl"
    r"|je (?:crois|pense|suppose)|probablement|peut-être|sans doute|creo|supongo|probablemente|quizás?|tal vez"
    r"|credo|penso|probabilmente|forse|acho|creio|provavelmente|talvez|denk ik|geloof ik|waarschijnlijk|misschien"
    r"|tror jeg|tror jag|sandsynligvis|sannsynligvis|sannolikt|måske|kanskje|kanske|chyba|prawdopodobnie|być może"
    r"|sanırım|galiba|muhtemelen|belki"
)
_NOW: Final = (
    r"(?:now|currently(?=\s[^\W\d])|jetzt|nun|neu|inzwischen|mittlerweile|désormais|maintenant|ahora|ora|adesso|agora|nu|nå|teraz"
    r"|obecnie|şimdi)[:,]?\s+(?:(?:at|in|on|with|only|for|im?|am?|um|bei|auf|à|en|a|om|kl|w)\.?\s+)?"
    r"(?:[$€£]?\d|(?-i:[A-ZÀ-Þ])(?=\w*))"
)
"""Another value follows: a number, or a name."""
_OPENS: Final = r"[*_`\s]{0,4}(?:[(\[\uff08]|[,;\u2013\u2014]|(?<=\s)-\s)\s{0,2}"
_LEADING: Final = (
    r"(?:(?:but|though|although|and|or|since|then|later|meanwhile|already|also|it|this|that|he|she|they|which|who|has|have|had|is"
    r"|are|was|were|will|be|been|being|now|just|recently|unfortunately|aber|doch|ist|sind|war|wurde|wird|inzwischen|leider"
    r"|bereits|mais|est|a|été|pero|ha|sido|ma|è|stat[oa]|mas|foi|er|blevet|har|är|es|seit)\s){0,4}"
)
_TAKEN_BACK: Final = re.compile(
    rf"{_OPENS}{_LEADING}(?:(?:{_CHANGED}|{_CONDITIONS}|{_THINKING})(?!\w)|{_NOW})"
    r"|[^()\[\]\n]{0,2}[(\uff08](?:変更|中止|延期|移動|取消|キャンセル)",
    re.IGNORECASE,
)
_INSIDE: Final = re.compile(
    rf"[*_`\s]{{0,4}}[(\[][^()\[\]\n]{{1,60}}[,;]\s{_LEADING}(?:(?:no longer|replaced by|moved to|changed to"
    rf"|cancelled|canceled)(?!\w)|{_NOW})",
    re.IGNORECASE,
)
_LOOK_AHEAD: Final = 80
_LOOK_BACK: Final = 40


def is_noted(behind: str) -> bool:
    """Whether the note behind a value says that it is no final or no present one."""
    text = behind[:_LOOK_AHEAD]
    return any(
        pattern.match(text) for pattern in (_IN_BRACKETS, _BEHIND, _TAKEN_BACK, _INSIDE)
    )


def is_introduced(before: str) -> bool:
    """Whether the words just before a value say so."""
    return _BEFORE.search(before[-_LOOK_BACK:]) is not None
