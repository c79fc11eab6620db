"""Spellings and numbers that mean nothing but what they wish: `yesss`, `a thousand thanks`, `100 % sure`."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.verbs import kind_words
from judgemesh.validators.execution.agreement import fields_of
from judgemesh.validators.execution.confirmation.language.sounds import with_sounds

_STRETCHED: Final = tuple(
    (re.compile(rf"\b(?:{forms})\b", re.IGNORECASE), word)
    for forms, word in (
        (r"y+e+s+|yse+|eys|ys|y e s|ye s", "yes"),
        (r"y+e+a+h+|yeh|ye|yah", "yeah"),
        (r"y+e+p+", "yep"),
        (
            r"ok+|oky|okie dokie|okie|okey dokey|okey|okis|okidoki|aight|(?<![\w.,] )(?<![\w.,])kk?(?! ?\d)",
            "ok",
        ),
        (r"w/?(?= (?:me|us|that|it|this)\b)", "with"),
        (r"s+u+r+e+|shure", "sure"),
        (r"righto|righty", "right"),
        (r"u(?= (?:can|may|could|should|have my))", "you"),
        (r"np|no prob", "no problem"),
        (r"(?:ty|thx|tnx|tks)(?= for\b)", "thanks"),
        (r"mach(?:'?s|t)? (?:mal|nur|ruhig)", "mach das"),
        (r"j+a{2,}|^yo(?=[ .!]*$)|jup|jupp|jap|jepp|joa|joah", "ja"),
        (r"o+u+i+|ouaip|ouep", "oui"),
        (r"stp|svp", "s'il te plaît"),
        (
            r"si(?=,? (?:por favor|porfa|gracias|claro|dale|hazlo|adelante|vale)\b)|va(?=,? (?:hazlo|dale|vale)\b)",
            "sí",
        ),
        (r"porfa|porfi|porfis|porfavor", "por favor"),
        (r"s[ií]p|sipi|venga(?=[ ,]+(?:va|vale|hazlo|dale|s[ií]|ok)\b)", "sí"),
        (r"pl+e+a*se+|pleas|pls+|plz+", "please"),
        (r"aproved|approvd", "approved"),
        (r"confrmed|confimed|comfirmed", "confirmed"),
        (r"go (?:ahed|a head|ahaed)", "go ahead"),
    )
)
"""Stretched or mistyped words of agreement. `ye` and `ys` are read so only as words of their own."""
WISHES: Final = re.compile(
    r"\b(?:enjoy (?:your|the|a) \w+(?: \w+)?|(?:very )?(?:great|good|nice|excellent|fantastic|amazing|brilliant|"
    r"superb) "
    r"(?:work|job|service|stuff|catch|find)(?:,? (?:guys|all|team|everyone|folks|everybody))?|"
    r"(?:i )?hope you (?:have|had) an? \w+ \w+|"
    r"you(?:'re| are) (?:an? |the |my )?(?:\w+ )?(?:lifesaver|star|legend|hero|best|angel|great|awesome|amazing)|"
    r"nothing (?:else|more|to add|further)|as (?:discussed|agreed|arranged|we discussed|we agreed) (?:on the phone|by "
    r"phone|by e-?mail|yesterday|earlier|this morning|in the call|before)|"
    r"(?:einen |eine |ein |noch )?sch\u00f6ne[ns]? (?:wochenende|feierabend|woche|urlaub|rest|tag|abend)(?: noch)?|"
    r"(?:liebe|viele|beste|herzliche|"
    r"sch\u00f6ne) gr\u00fc(?:\u00dfe|sse)|"
    r"bonn?e? (?:week-?end|journ\u00e9e|soir\u00e9e|semaine|apr\u00e8s-midi|fin de (?:journ\u00e9e|semaine)|"
    r"continuation)|"
    r"(?:buen|feliz|lindo) (?:fin de semana|d\u00eda)|buen[ao]s (?:d\u00edas|tardes|noches)|saludos(?: cordiales)?|"
    r"buon[ao]? (?:giornata|serata|domenica|weekend|week-end|lavoro|pomeriggio|fine settimana|vacanze)|"
    r"(?:fijne?|prettige?) (?:dag|weekend|avond|week)(?: nog| verder)?|(?:met )?vriendelijke groet(?:en)?|"
    r"bo[am] (?:dia|tarde|noite|semana|fim de semana|trabalho)|tudo (?:bem|certo|bom)|"
    r"iyi (?:g\u00fcnler|ak\u015famlar|\u00e7al\u0131\u015fmalar|hafta sonlar\u0131)|kolay gelsin|"
    r"mi\u0142ego (?:dnia|weekendu|wieczoru|popo\u0142udnia)|pozdrawiam|"
    r"ha en (?:bra|fin|god) (?:dag|helg)|ha det bra|(?:god|trevlig) helg)\b"
)
"""Wishes and praise, in small letters."""
_THANKS: Final = re.compile(
    r"\b(?:(?P<before>thanks?(?: you)?|grazie|merci|danke|gracias|obrigad[oa]|bedankt) "
    r"(?:a |one |un |une )?(?:million|thousand|hundred|ton|mille|mil|tausend|duizend|tusen)(?: times| fois| veces|mal)?"
    r"|(?:(?:a|one) )?(?:million|thousand|hundred|mille|mil|tausend|duizend|duizendmaal|tausendmal|tusen) "
    r"(?P<behind>thanks|grazie|mercis?|dank|gracias|takk?|tack|obrigad[oa]s?))\b",
    re.IGNORECASE,
)
_WHOLLY: Final = re.compile(
    r"(?<![\w.,-])(?:(?:100|110) ?(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b)|10/10|24/7)(?![\d/])"
    r"|\b(?:a |one )?hundred per ?cent\b",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"[0-9]+")
_WORD: Final = re.compile(r"[^\W_]+")
_SHARE: Final = re.compile(
    r"%|\bper ?cent|\bprozent|\bpour cent|\bpor ciento|percent|discount|\d/\d"
)


def without_courtesies(text: str, proposal: str, record: ExecutionRecord) -> str:
    """The turn with stretched words in their usual form, and without numbers that count nothing.

    `100 %` counts where the proposal or the record speaks of a share.
    """
    told = plain(f"{proposal} {fields_of(record)}").casefold()
    shown = with_sounds(text, _WORD.findall(told))
    shown = _THANKS.sub(lambda found: found["before"] or found["behind"], shown)
    for pattern, word in _STRETCHED:
        shown = pattern.sub(word, shown)
    if _SHARE.search(told) is None:
        shown = _WHOLLY.sub("great", shown)
    return _with_target(shown, record)


def _with_target(text: str, record: ExecutionRecord) -> str:
    """`claim 2045`, `VC 2045` and `No. 2045` as the target, VC-2045."""
    digits = _DIGITS.findall(record.target or "")
    if len(digits) != 1:
        return text
    letters = [word for word in _WORD.findall(record.target or "") if word.isalpha()]
    labels = {*letters, *kind_words(record.kind)[1:], "number", "no", "nr", "id"}
    labels -= {word for name in record.parameters for word in kind_words(name)}
    forms = "|".join(re.escape(label) for label in sorted(labels))
    marked = re.compile(
        rf"(?<![\w-])(?:{forms})\.?[ #]{{1,2}}{digits[0]}(?![\w.,]*\d)", re.IGNORECASE
    )
    return marked.sub(lambda _: record.target or "", text)
