"""Statements beside a yes that speak against the action: done already, wrong, not due, or about something else.

`Yes, it's already paid` answers with a yes and is none. What speaks for ending a thing speaks against paying for it:
`we don't need it`, `it never arrived`.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Final

from judgemesh.contracts.text.word_sets import word_set
from judgemesh.validators._shared.trace.verbs import (
    DESTRUCTIVE,
    kind_words,
    stem,
    stems_of,
    undoes,
    verbs_of,
)

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_DONE: Final = re.compile(
    r"\b(?:already|schon|bereits|déjà|ya)\b[^.!?;]{0,200}\b(?:done|pay|delete|cancel|transfer|gone|settled|paid|paying|"
    r"cleared|handled|finished|"
    r"completed|taken care|did|sent|cancelled|canceled|deleted|removed|erledigt|bezahlt|beglichen|überwiesen|gelöscht|"
    r"storniert|gekündigt|weg|gemacht|passiert|payée?s?|réglée?s?|faite?s?|versée?s?|annulée?s?|supprimée?s?|virée?s?|"
    r"pagad[oa]s?|hech[oa]s?|pagué|pagamos|cancelad[oa]s?|eliminad[oa]s?|borrad[oa]s?|anulad[oa]s?)\b"
    r"|\b(?:it|that|this|he|she|they|i|we|ann?\w*) (?:has|have|had|was|were)(?: \w+)? (?:paid|settled|done)\b|"
    r"\b(?:did|took care of|dealt with) (?:it|that|this) (?:yesterday|already|last|on|before|myself|this)\b"
)
_IS_DONE: Final = re.compile(
    r"\b(?:it|that|this|they)(?:'s| is|'re| are)(?: all)? (?:done|settled|paid|sorted|cleared)\b"
)
_OPEN: Final = re.compile(
    r"(?:\b(?:not|never|nothing|no)|n't)\b[^.!?;]{0,200}\byet\b|\bnoch (?:nicht|nie|kein\w*|nichts|immer nicht)\b|"
    r"\bpas encore\b|\b(?:aún|todavía) no\b|\bstill (?:waiting|missing|open|pending|unclear|disputed|being|not|to|"
    r"under|thinking)\b|\byet to\b"
)
_WRONG: Final = re.compile(
    r"\b(?:wrong|incorrect|mistaken|inaccurate|overcharged|overpriced|disputed?|disputing|fraud\w*|scam\w*|fake|"
    r"unclear|suspicious|unauthori[sz]ed|"
    r"falsch|fehlerhaft|strittig|betrug|unklar|zu hoch|zu viel|faux|fausse|erroné\w*|contesté\w*|arnaque|"
    r"equivocad\w+|incorrect[oa]|erróne\w+|fraude|estafa)\b|\btoo (?:much|high|many)$"
)
_HEARD: Final = re.compile(
    r"^(?:(?:and|well|oh|but|ja|oui) )*(?:i|we|ich|wir|je|nous|j'ai|j'avais)? ?(?:have |had |did |already |just |habe |"
    r"haben |l'ai |ai |avons )*(?:saw|seen|see|know|knew|heard|noticed|remember|recall|got|received|gesehen|weiß|"
    r"wissen|"
    r"vu|lo vi|lo sé|lo he visto|sais)(?: (?:it|that|this|them|das|ihn|sie|es|already|too|yesterday|of it|about it|"
    r"about that|your message|the message|your mail|your email|the email|the question|your question))*$"
    r"|^(?:(?:and|well|but) )*you (?:already |have |had |just |also )*(?:ask\w*|told|said|wrote|sent|mentioned|"
    r"reminded|paid|did|forgot|made)\b"
    r"|^(?:sie|du) (?:haben|hast) [^.!?;]{0,200}(?:gefragt|gesagt|geschrieben)$|^(?:vous|tu) (?:m'|l')?(?:avez|as)\b"
    r"|^(?:(?:das|ihn|sie|die|es) )?(?:habe|hab) ich [^.!?;]{0,200}(?:gesehen|gelesen|bekommen|erhalten)$"
)
_OWED_TO_US: Final = re.compile(
    r"\b(?:owe|owes|owed|schulden?|schuldet|doit|doivent|debe|deben) (?:to )?(?:me|us|mir|uns|nos)\b|"
    r"\b(?:nous|me) (?:doit|doivent)\b|\b(?:nos|me) deben?\b"
)
_DENIES: Final = re.compile(
    r"\b(?:not|never|nobody|nothing|none|no longer|without|nicht|nie|niemals|kein\w*|nichts|niemand|pas|jamais|rien|"
    r"aucun\w*|nunca|jamás|nadie|ningun\w*|no)\b|n't\b|\bn'\w+"
)
_AGAINST_PAYING: Final = re.compile(
    r"\b(?:missing|damaged|broken|defective|faulty|late|lost|stolen|returned|refunded|cancel\w*|annul\w*|anul\w*|stornier\w*|duplicate|"
    r"expired|ended|from last (?:year|month)|expensive|pricey|steep|kaputt|beschädigt|defekt|fehlt|fehlen|"
    r"zurückgeschickt|"
    r"doppelt|storniert|teuer|cassée?s?|abîmée?s?|manque\w*|retournée?s?|cher|chère|rot[oa]s?|dañad[oa]s?|falta\w*|"
    r"car[oa]|"
    r"sent (?:it|them|everything) back|complain\w*|twice|zweimal|deux fois|dos veces|someone else|somebody else|"
    r"another (?:one|company|firm|person)|(?:tests?|checks?|build) (?:is|are) (?:\w+ )?(?:red|failing|failed))\b"
)
_GONE: Final = re.compile(
    r"\b(?:quit|resigned|retired|died|moved (?:away|out|on|abroad)|closed down|shut down|ceased|dissolved|bankrupt|"
    r"insolvent|out of business|pleite|insolvenz|faillite|quiebra)\b|"
    r"\bleft(?:$| (?:last|in|on|already|yesterday|long|months?|us)\b| (?:the |this |that |our |his |her |their )?"
    r"(?:company|firm|team|job|country|city|town|project|club|school|business|organi[sz]ation|position|office|union)\b)|"
    r"\b(?:verlassen|weggezogen|ausgeschieden|gestorben|aufgelöst|parti(?:e|s|es)?|quitté\w*|fermé\w*|mort|"
    r"décédé\w*|se fue(?:ron)?|dejó|dejaron|cerr(?:ó|aron|ado)|murió|fallec\w+)\b"
)
"""The other side is no longer there, which is no reason to pay it or to book with it."""
_NEGATIVE_IDIOMS: Final = re.compile(
    r"(?:\b(?:no|not|kein\w*|pas|sin|nichts|nothing)|n't)\s+(?:a |an |any |de |de la |el )?(?:problems?|problem|"
    r"doubts?|issues?|"
    r"objections?|questions?|worries|rush|hurry|need|wonder|einwände|zweifel|soucis?|problème|problema|dagegen|against|"
    r"wait|delay|be late|forget|mind|miss|lose|want (?:a|any|to be late|to be|to pay)|bad|more|wrong)\b|"
    r"\bcan't (?:wait|be late)\b"
)
_NEEDED: Final = re.compile(
    r"\b(?:(?:still|always|often|sometimes|daily) (?:need|want|use|using|work|working|in use|important|valid|used)\w*|"
    r"(?:need|needs|want to keep|brauche|brauchen|besoin|necesito|necesitamos) (?:it|that|this|them|ihn|sie|es|das)\b|"
    r"(?:is|are|it's|they're) (?:\w+ ){0,3}(?:important|in use|needed|valuable|essential|critical)|looking forward|"
    r"we love|i love|freue\w* (?:mich|uns)|(?:my|our) only|noch gebraucht|noch benutzt|"
    r"brauche\w* (?:ihn|sie|es|das|die|den) noch|(?:ai|avons) (?:encore|toujours) besoin|todavía (?:lo|la) \w+|"
    r"(?:use|uses|using) (?:it|that|them) (?:every|daily|all|a lot|today|for|regularly|constantly))\b"
)
_NOT_NEEDED: Final = re.compile(
    r"\b(?:not|n't|never|no|nobody|nicht|kein\w*|niemand|pas|plus|no longer|nadie|without|ne)\b|n't\b|n'"
)
_NO_BACKUP: Final = re.compile(
    r"(?:\b(?:no|not|never|kein\w*)|n't)\b[^.!?;]{0,200}\b(?:back-?ups?|cop(?:y|ies)|saved|save|exported|sicherung|kopie|"
    r"sauvegarde|copia)\b|\b(?:not|isn't) (?:mine|ours|my|our)\b"
)
_PARTICIPLE: Final = re.compile(
    r"(?:ed|paid|sent|done|withdrawn|held|booked|bought|sold)$"
)
_GIVING_BACK: Final = stems_of("refund reimburse compensate repay credit")
"""Verbs of giving back: what is broken or missing is a reason for it."""
_THE_THING: Final = word_set(
    "it that this them one these those everything all already yesterday last on before in long"
)
_TO_COME: Final = word_set("be to get want like needs wants")
_SUBJECTS: Final = word_set(
    "i we they he she it that this the my our you somebody someone"
)


class Effect(StrEnum):
    """What an action does, as far as reasons for it go: it ends a thing, gives something back, or neither."""

    ENDS = "ends"
    GIVES_BACK = "gives back"
    OTHER = "other"


def effect_of(kind: str) -> Effect:
    """The effect of an action of this kind."""
    if undoes(kind) or not verbs_of(kind).isdisjoint(DESTRUCTIVE):
        return Effect.ENDS
    given_back = not _GIVING_BACK.isdisjoint(map(stem, kind_words(kind)))
    return Effect.GIVES_BACK if given_back else Effect.OTHER


def contradicts(clause: str, verbs: AbstractSet[str], effect: Effect) -> bool:
    """Whether a statement beside a yes speaks against the action, or tells of what was heard.

    Args:
        clause: the statement, in small letters.
        verbs: the stems of the verbs that name the action.
        effect: what the action does. A thing that is ended is better not needed, and what is broken is a reason to
            give back.
    """
    general = (_DONE, _IS_DONE, _OPEN, _WRONG, _HEARD, _OWED_TO_US)
    if any(one.search(clause) for one in general) or _was_done(clause, verbs):
        return True
    if effect is Effect.GIVES_BACK:
        return False
    if effect is Effect.ENDS:
        needed = _NEEDED.search(clause) and not _NOT_NEEDED.search(clause)
        return bool(needed) or _NO_BACKUP.search(clause) is not None
    told = _NEGATIVE_IDIOMS.sub(" ", clause)
    return any(one.search(told) for one in (_DENIES, _AGAINST_PAYING, _GONE))


def _was_done(clause: str, verbs: AbstractSet[str]) -> bool:
    """Whether a statement tells that the action was done: `we paid that one`."""
    words = _WORD.findall(clause)
    if not words or words[0].split("'")[0] not in _SUBJECTS:
        return False
    if not _TO_COME.isdisjoint(words):
        return False
    return any(
        stem(word) in verbs
        and _PARTICIPLE.search(word) is not None
        and (not words[at + 1 :] or words[at + 1] in _THE_THING)
        for at, word in enumerate(words)
        if at > 0
    )
