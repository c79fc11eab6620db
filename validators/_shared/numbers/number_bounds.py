# ruff: noqa: RUF001 (Turkish has a dotless i)
"""What stands beside a number so that the text does not simply state it: a negation, a bound, a doubt, an operator.

One table for all languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Danish, Norwegian, Swedish,
Polish, Turkish, Japanese. A word that means something harmless in another of them before a number has no row.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final


class Bound(StrEnum):
    """What stands beside a number so that the text does not simply state it."""

    ABOVE = "more than it"
    BELOW = "less than it"
    AT_LEAST = "it or more"
    AT_MOST = "it or less"
    OPERATED = "an operator"
    RANGE = "it or another number, or one between them"
    ABOUT = "about it"
    OTHER = "a doubt, a glued word or an open sum"


_LOOK_AHEAD: Final = 60
_NEGATED: Final = re.compile(
    r"(?:(?<!\w)(?:not|never|no longer|rather than|instead of|neither|nor|hardly|cannot(?: be)?|except(?: for)?"
    r"|(?:anything|everything|nothing|all|other) (?:but|than|except)"
    r"|(?:false|untrue|wrong|incorrect|impossible) that(?: it is)?"
    r"|nicht|keine?[nmrs]?|keinesfalls|keineswegs|nie|niemals|weder|statt|anstatt|alles außer"
    r"|pas|jamais|aucune?|plutôt que|au lieu de|sauf"
    r"|nunca|jamás|ningún|en vez de|en lugar de|excepto|salvo"
    r"|non|mai|nessun[oa]?|invece di|anziché|né"
    r"|não|nenhuma?|em vez de|nem"
    r"|niet|geen|nooit|in plaats van"
    r"|ikke|ikkje|aldri|aldrig|ingen|intet|i stedet for|inte|icke|inget|inga|istället för"
    r"|nigdy|żaden|zamiast|ani)|n['’]t(?: be)?)"
    r"(?:\s+\w+)?\s*$"
    # English `No 12` names a thing; so do abbreviations of it.
    r"|(?<!\w)(?-i:no)\s+$",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    (
        r"[*_`\"')]*(?:\s+(?:\w+\s+)?|\s*\()(?:is|was|are|were|would be|seems|looks)\s+(?:\w+\s+)?(?:wrong"
        r"|incorrect|false|mistaken|impossible|not\b|too (?:low|high|many|few|much|little))"
        r"|\s*(?:isn|wasn|aren|weren|can|won|wouldn)['’]?t\b"
        r"|\s+(?:\w+\s+)?(?:(?:ist|sind|war|waren|wäre) (?:falsch|nicht|zu (?:hoch|niedrig|viel|wenig))"
        r"|(?:n['’]est|n['’]était) pas|(?:est|était) (?:faux|fausse|incorrecte?)|no (?:es|era|son|eran)|(?:es"
        r"|son) (?:falso|incorrect[oa])|non (?:è|era|sono)|(?:è|sono) (?:sbagliat[oaie]|errat[oaie])|não (?:é"
        r"|era|são)|(?:é|são) (?:falso|errad[oa])|is (?:niet|fout)|(?:er|var) (?:ikke|forkert|feil)|är (?:inte"
        r"|fel)|to nie|jest (?:błędn\w{1,3}|nieprawd\w{1,8})|değil\w{0,6}|yanlış\w{0,4})(?!\w)"
        r"|\s?\w{0,4}(?:ではな|じゃな|ではありませ|でない)"
    ),
    re.IGNORECASE,
)
_OPERATED: Final = re.compile(
    (
        r"(?:[√∛^]|\b(?:sqrt|log|lg|ln|exp|sin|cos|tan|abs|root of|minus|negative|half(?: of)?|twice|double"
        r"|thrice|triple|a (?:third|quarter|tenth) of|square of|cube of|inverse of|power of)"
        r"|times|(?<![\w)])-)\s*[({]?\s*$"
        r"|(?<![\w)\s])-\s*\(\s*$"
    ),
    re.IGNORECASE,
)
_DOUBTED: Final = re.compile(
    (
        r"\b(?:doubt|unlikely|guess(?:ing)? (?:wildly|blindly)|if|suppose|supposing|assume|assuming|imagine|unless"
        r"|whether|unknown|not (?:known|available|given|stated)|falls|angenommen|unbekannt|nicht bekannt|supposons"
        r"|inconnue?s?|supongamos|desconocid[oa]s?|supponiamo|sconosciut[oa]|suponha|desconhecid[oa]s?|onbekend"
        r"|ukendt|ukjent|okän[dt]|nieznan[aey]|bilinmiyor)\b[^.:!?\n]*$"
        r"|(?<!\w)(?:nobody|no[ -]one|none of|niemand|personne|nadie|nessuno|ninguém|nikt|kimse"
        r"|maybe|perhaps|possibly|presumably|vielleicht|eventuell|peut-être|quizás?|tal vez|forse|talvez|misschien"
        r"|måske|kanskje|kanske|być może|belki|used to be|formerly|previously|originally"
        r"|i guess|not sure|unsure|not certain)\b[^.:!?,;\n]*$"
    ),
    re.IGNORECASE,
)
_BEFORE: Final = (
    (
        Bound.AT_LEAST,
        (
            r"^\W*(?:from|vanaf|(?:à|a) partire? (?:de|da)|desde|ab)"
            r"|(?:starting|starts?|beginning) (?:from|at)|(?<!\d )min\.?"
            r"|at least|no (?:less|fewer) than|not (?:less|fewer) than|minimum of|(?<!\S)≥|mindestens|wenigstens"
            r"|zumindest|nicht (?:weniger|unter)(?: als)?|minimal|minimum|au moins|au minimum|pas moins de|al menos"
            r"|por lo menos|como mínimo|mínimo|no menos de|almeno|minimo|non meno di|pelo menos|no mínimo|não menos de"
            r"|minstens|ten ?minste|op zijn minst|minimaal|niet minder dan|mindst|minst|åtminstone|lägst"
            r"|ikke mindre end|co najmniej|przynajmniej|nie mniej niż|en az(?:ından)?|asgari"
            r"|少なくとも|最低(?:でも)?|最小"
        ),
    ),
    (
        Bound.AT_MOST,
        (
            r"at most|no more than|not more than|up to|maximum of|(?<!\S)≤|höchstens|maximal|bis zu|nicht mehr als"
            r"|maximum|max\.?|au plus|au maximum|jusqu['’]à|pas plus de|como máximo|a lo sumo|hasta|máximo|no más de"
            r"|al massimo|fino a|massimo|non più di|no máximo|até|não mais de|hoogstens|maximaal|ten hoogste"
            r"|niet meer dan|højst|maks\.?|op til|ikke mere end|maksimalt|opptil|inntil|høyst|högst|maximalt|upp till"
            r"|najwyżej|maksymalnie|nie więcej niż|en fazla|en çok|azami|最大(?:で)?|最高|多くとも|せいぜい"
        ),
    ),
    (
        Bound.ABOVE,
        (
            r"(?:more|greater|higher|larger|longer|older|later|bigger|better) than|over|above|exceed(?:s|ed|ing)?"
            r"|(?<!\S)>|(?:mehr|größer|höher|länger|schwerer) als|über|oberhalb(?: von)?|plus de"
            r"|supérieur(?:e|es|s)? à|au-dessus de|au-delà de|más de|superior(?:es)? a|por encima de|più di|oltre"
            r"|superior[ei] a|al di sopra di|mais de|mais do que|acima de|(?:meer|hoger|groter|langer) dan|boven"
            r"|(?:mere|flere|større|højere) end|(?:mer|flere|større|høyere) enn|(?:mer|fler|större|högre) än|över"
            r"|więcej niż|ponad|powyżej"
        ),
    ),
    (
        Bound.BELOW,
        (
            r"almost|nearly|not quite|beinahe|fast|presque|casi|quase|bijna|næsten|nesten|nästan|prawie"
            r"|(?:less|fewer|lower|smaller|shorter|younger|earlier|cheaper) than|under|below|short of|(?<!\S)<"
            r"|(?:weniger|kleiner|geringer|niedriger|kürzer) als|unter|unterhalb(?: von)?|knapp|moins de"
            r"|inférieur(?:e|es|s)? à|au-dessous de|en dessous de|en deçà de|menos de|menos do que|inferior(?:es)? a"
            r"|por debajo de|meno di|inferior[ei] a|sotto|al di sotto di|abaixo de|(?:minder|lager|kleiner|korter) dan"
            r"|onder|(?:mindre|færre|lavere) end|(?:mindre|færre|lavere) enn|(?:mindre|färre|lägre) än|mniej niż"
            r"|poniżej"
        ),
    ),
)
_AFTER: Final = (
    (
        Bound.AT_LEAST,
        (
            r"\+(?!\s*[-$€£(\d])|(?:(?:and|or) )?upwards?(?!\w)|(?:(?:as|at) (?:a|the) )?minimum(?!\w)|min(?!\w)"
            r"|plus\W*$|at the earliest"
            r"|or (?:more|above|over|higher|greater)|and (?:more|above|up)|at least|(?:oder|und) (?:mehr|darüber)"
            r"|ou (?:plus|mais)|o más|o più|of meer|eller (?:mere?|flere?|fler)|lub więcej"
            r"|ve(?:ya)? (?:daha )?(?:fazla|üzeri|çok)\w{0,3}|以上"
        ),
    ),
    (
        Bound.AT_MOST,
        (
            r"(?:(?:as|at) (?:a|the) )?maximum(?!\w)|max(?!\w)|tops(?!\w)|at the latest"
            r"|or (?:less|fewer|below|under|lower)|at (?:the )?most|oder (?:weniger|darunter)|ou (?:moins|menos)"
            r"|o menos|o meno|of minder|eller (?:mindre|færre|färre)|lub mniej|ve(?:ya)? (?:daha )?az|以下|以内|まで"
        ),
    ),
    (
        Bound.ABOVE,
        (
            r"(?:['’]?[yn]?[dt][ae]n )(?:daha )?(?:fazla|çok)|(?:['’]?\w{0,4} )?(?:üzerinde|üstünde)|超"
            r"|を超え|より(?:多|大)"
        ),
    ),
    (
        Bound.BELOW,
        r"(?:['’]?[yn]?[dt][ae]n )(?:daha )?(?:az|küçük)|(?:['’]?\w{0,4} )?altında|未満|に満たな|より(?:少|小)|弱",
    ),
    (
        Bound.OTHER,
        (
            r"\?|(?:plus|minus|times) (?:\d|one|two|three|four|five|ten|half)"
            r"|(?:less|minus) (?:an?|the|any|your|\d)(?!\w)|abzüglich(?!\w)|moins (?:une?|la|le|\d)(?!\w)"
            r"|menos (?:una?|el|la|\d)(?!\w)"
            r"|(?:would|could|might|may) (?:have been|be)|(?:if|unless|falls|provided)(?!\w)|(?:too|short|shy) of"
            r"|(?:is|was) (?:the|a|an) (?:upper|lower|maximum|minimum)"
            r"|(?:wäre|wären|serait|seraient|sería|serían|sarebbe|sarebbero|seria|seriam|zou|zouden|ville"
            r"|skulle|byłoby)(?!\w)"
        ),
    ),
)
_BEFORE_PATTERNS: Final = tuple(
    (bound, re.compile(rf"(?<![^\W\u3040-\u9fff])(?:{words})\s*$", re.IGNORECASE))
    for bound, words in _BEFORE
)
_COUNTED: Final = r"(?:\s[^\W\d_]{1,20}(?![^\W\d_]))?"
"""What a number counts may stand between it and its bound: `75 rolls or more`."""
_ABOUT: Final = re.compile(
    r"(?:[~≈]|(?<!\w)(?:about|around|approx\.?|approximately|roughly|circa|ca\.?|some|etwa|ungefähr|rund|zirka|environ"
    r"|aproximadamente|alrededor de|cerca de|approssimativamente|ongeveer|cirka|omkring|omtrent|ungefär|około"
    r"|yaklaşık)|約)\s*$",
    re.IGNORECASE,
)
_ABOUT_IT: Final = re.compile(
    r"-?ish\b|(?:\s\w{1,20})?\s(?:give or take|or (?:so|thereabouts)|more or less)\b",
    re.IGNORECASE,
)
_AFTER_PATTERNS: Final = tuple(
    (bound, re.compile(rf"[*_`]{{0,3}}{_COUNTED}\s{{0,2}}(?:{words})", re.IGNORECASE))
    for bound, words in _AFTER
)
_NEAR: Final = (
    *_BEFORE_PATTERNS,
    (Bound.OPERATED, _OPERATED),
    (Bound.OTHER, _DOUBTED),
)


def is_denied(before: str, after: str) -> bool:
    """Whether what stands just before a number, or just behind it and its unit, says that it is not the one."""
    negated = _NEGATED.search(before) and _least_or_most(before) is None
    return bool(negated) or _DENIED.match(after[:_LOOK_AHEAD]) is not None


def _least_or_most(before: str) -> Bound | None:
    """The bound that has a negation in it: `nicht weniger als`."""
    for bound, pattern in _BEFORE_PATTERNS[:2]:
        if pattern.search(before):
            return bound
    return None


def bound_of(before: str, after: str) -> Bound | None:
    """The bound that stands just before a number, or just behind it and its unit."""
    for bound, pattern in _NEAR:
        if pattern.search(before):
            return bound
    for bound, pattern in _AFTER_PATTERNS:
        if pattern.match(after[:_LOOK_AHEAD]):
            return bound
    about = _ABOUT.search(before) or _ABOUT_IT.match(after)
    return Bound.ABOUT if about else None
