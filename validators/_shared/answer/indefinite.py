"""Values that describe what would do and name nothing: `someone suitable`, `one of the team`, `soon`, `a fair amount`.

The words are those of grammar: indefinite pronouns and articles, and adjectives that leave the choice to the reader. A
figure, or a name behind such a word (`one of our guides, Ana Ruiz`), makes a value of it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from judgemesh.validators._shared.text import EDGES, fold_value, plain

_CAPITALS: Final = re.compile(r"(?<=\w)[\s,(:;\u2013-]+[A-Z\u00c0-\u00de]")
_GERMAN: Final = ("jemand", "irgend", "passende", "geeignete", "ein", "nach ")
_NAME_BESIDE: Final = re.compile(r"[,(:;\u2013]\s*[A-Z\u00c0-\u00de]")
_RELATIVE: Final = re.compile(r" (?:who|that|which|qui|que) ")
"""What follows says what the thing is like, and names others."""
_ABOUT_ANYBODY: Final = (
    "description", "reason", "cause", "summary", "note", "notes", "comment", "comments", "remark", "remarks",
    "audience", "group", "eligibility", "requirement", "requirements", "condition", "conditions", "rule", "rules",
    "policy", "advice", "recommendation", "message", "answer", "text", "participants", "members", "access", "visitors",
    "allowed", "permitted", "scope", "usage", "use", "instructions", "instruction", "storage", "handling", "dosage",
    "directions", "rating", "tone", "assessment", "verdict", "grade", "quality", "evaluation", "opinion", "finding",
    "findings", "diagnosis", "symptoms", "definition", "meaning", "purpose", "goal", "task", "action", "step", "steps",
    "question", "explanation", "detail", "details", "effect", "result", "impact", "risk", "problem", "issue", "title",
    "status", "priority", "urgency", "beschreibung", "grund", "zweck", "aufgabe", "bewertung", "bemerkung", "hinweis",
    "motif", "raison", "but", "remarque", "descripción", "motivo", "objetivo", "nota",
)  # fmt: skip
"""Ends of the names of fields that are prose, or that are about everybody to whom something applies."""


_FIT: Final = (
    r"(?:suitable|appropriate|adequate|fitting|sufficient|reasonable|acceptable|pleasant|fair|proper|qualified|competent"
    r"|trusted|trustworthy|responsible|available|free|passend\w*|geeignet\w*|angemessen\w*|freier?|appropriée?"
    r"|convenable|adéquate?|adecuad[oa]|apropiad[oa])"
)
_SORT: Final = r"(?:person|people|place|one|man|woman|colleague|member|time|date|day|moment|amount|number|size|way)"
_PRONOUNS: Final = (
    r"(?:some|any)(?:one|body|thing|where|how|time)(?: .*)?",
    r"(?:who(?:m)?|which|what|where)ever.*",
    rf"some (?:other )?(?:{_SORT}|of (?:the|our|us|them)\b).*",
    rf"any(?: (?:\w+ )?(?:{_SORT}|of (?:the|our|us|them|these|those))\b.*)?",
    r"one (?:of (?:the|our|my|your|us|them|those)\b.*|(?:that|who|which) .*)",
)
_DESCRIPTIONS: Final = (
    rf"(?:an?|the) (?:\w+ )?{_SORT} (?:who|that|which|with|from|of) .*",
    rf"(?:(?:an?|the|some) )?{_FIT}(?: [^\W\d_]+)?(?: (?:one|{_SORT}))?",
    r"an? [^\W\d_]+ one",
    r"the (?:usual|same|right|correct|responsible|appropriate|nearest|next) (?:one|person|people|place|time)\b.*",
    r"(?:quite|rather|fairly|relatively|slightly|somewhat) [^\W\d_]+",
    r"an? (?:bit|little|tad|touch) [^\W\d_]+",
    r"see (?:the|our|your) .*|not (?:me|you|us|him|her|them)|(?:it )?(?:varies|changes)(?: .*)?",
    r"we are (?:still )?(?:looking|searching|waiting|checking).*|the usual [^\W\d_]+",
    r"(?:[^\W\d_]+ )?enough (?:for|to) .*",
)
_TIMES: Final = (
    r"(?:very |quite |pretty )?(?:soon|shortly|later|eventually)(?: enough| on)?",
    r"early|late|enough|as soon as .*",
    r"(?:it |that )?depends(?: .*)?",
    r"to be \w+(?:ed|en|t|sed|ght|ade|ld|wn)(?: .*)?",
    r"(?:when|once|whenever|if|until) .* .*",
    r"(?:(?:the|your|our|an?|my) (?:\w+ ){1,2})?(?:will|going to|is going to) [a-z]+(?: .*)?",
)
_ABROAD: Final = (
    # German
    r"(?:irgend)?jemand(?: .*)?|irgend\w+(?: .*)?|wer (?:auch immer|gerade|zeit|möchte|will|kann).*",
    r"eine[rs]? (?:der|von|aus|unserer) .*|(?:sehr )?bald|demnächst|je nach.*|kommt (?:darauf|drauf) an|genug",
    r"nach (?:vereinbarung|absprache|bedarf|aufwand|rücksprache|verfügbarkeit)",
    r"(?:sobald|wenn|falls) .*|wird (?:noch )?.*(?:en|rt|lt|mmt)|(?:noch )?zu [^\W\d_]+en",
    # French
    r"à [^\W\d_]+(?:er|ir|re)(?: .*)?|(?:quand|lorsque|dès que) .*|sera [^\W\d_]+é(?: .*)?",
    r"quelqu'un(?: .*)?|quelque (?:part|chose)(?: .*)?|n'importe .*|cel(?:ui|le) qui .*",
    r"une? (?:personne|collègue|membre) (?:de|qui|qualifi|compéten).*|l'une? d.*|bientôt|ça dépend|selon .*",
    # Spanish
    r"por [^\W\d_]+(?:ar|er|ir)(?: .*)?|cuando .*|será [^\W\d_]+d[oa](?: .*)?",
    r"alguien(?: .*)?|algún .*|algun[oa] de .*|cualquier.*|quien (?:pueda|quiera|esté|tenga).*",
    r"un[oa] (?:de (?:los|las|nosotr)|persona|colega|que) .*|(?:muy )?pronto|depende(?: .*)?|según .*",
)


def lacks_figures(value: str) -> bool:
    """Whether a text has neither a figure nor a word for one, a day or a season; a name within it may stand for one."""
    shown = plain(value).strip(EDGES)
    return _figures().search(fold_value(shown)) is None and not _CAPITALS.search(shown)


def is_indefinite(value: str, names: frozenset[str]) -> bool:
    """Whether a text in the place of a value names nobody and nothing in particular.

    names: folded names of the field.
    """
    shown = plain(value).strip(EDGES)
    folded = fold_value(shown).replace("\u2019", "'")
    if any(map(str.isdigit, shown)):
        return False
    if any(name.endswith(_ABOUT_ANYBODY) for name in names):
        return False
    describes = folded.startswith(_GERMAN) or _RELATIVE.search(folded) is not None
    name = _NAME_BESIDE if describes else _CAPITALS
    return name.search(shown) is None and _indefinite().fullmatch(folded) is not None


# Few values begin with such a word: the pattern is compiled when the first does.


@cache
def _indefinite() -> re.Pattern[str]:
    """The families of such wordings, as one pattern over a whole folded text."""
    rows = (*_PRONOUNS, *_DESCRIPTIONS, *_TIMES, *_ABROAD)
    return re.compile("|".join(rows))


@cache
def _figures() -> re.Pattern[str]:
    """Figures, words for numbers, days, months and seasons, and words for a price or a time without a figure."""
    return re.compile(
        r"\d|[\u0660-\u0669\u4e00-\u4e5d\u3041-\u30ff\u0400-\u04ff]"
        r"|\b(?:free|gratis|no charge|included|none|nil|zero|noon|midnight|midday|always|never|daily|weekly|monthly"
        r"|yearly|today|tomorrow|yesterday|tonight|now|immediate(?:ly)?|(?:un)?limited|christmas|easter"
        r"|kostenlos|inklusive|mittags?|heute"
        r"|morgen|gratuite?s?|midi|minuit|aujourd'hui|demain|gratuit[oa]|mediod\u00eda|hoy|ma\u00f1ana"
        r"|one|two|three|four|five|six"
        r"|seven|eight|nine|ten|eleven|twelve|\w{1,9}teen|twenty|thirty|forty|fifty|hundred|thousand|half|quarter|dozen"
        r"|eine?[nms]?|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|sept|huit|neuf|dix"
        r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
        r"|weekdays?|weekends?"
        r"|jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
        r"|dec(?:ember)?|spring|summer|autumn|winter|\w{2,9}tags?|januar|februar|m\u00e4rz|mai|juni|juli"
        r"|oktober|dezember|lundi|mardi"
        r"|mercredi|jeudi|vendredi|samedi|dimanche|janvier|f\u00e9vrier|mars|avril|juin|juillet"
        r"|ao\u00fbt|septembre|octobre"
        r"|novembre|d\u00e9cembre|lunes|martes|mi\u00e9rcoles|jueves|viernes|s\u00e1bado|domingo|enero"
        r"|febrero|marzo|abril|mayo"
        r"|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b"
    )
