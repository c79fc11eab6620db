"""What stands beside a yes in the same turn, and whether it is understood as harmless.

A yes counts where the rest of the turn is thanks, courtesy, the action, its target and values, or a statement that
sets no condition. What restricts it, puts something before it, or is not understood leaves it open.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final

from judgemesh.validators._shared.trace.verbs import stem
from judgemesh.validators.execution.confirmation.language.courtesies import WISHES
from judgemesh.validators.execution.confirmation.language.reply_words import (
    HARMLESS,
    LIMIT,
    TIMES,
)
from judgemesh.validators.execution.confirmation.language.said_numbers import (
    numbers_in_words,
)
from judgemesh.validators.execution.confirmation.language.second_thoughts import (
    is_no_consent,
    is_puzzled,
)
from judgemesh.validators.execution.confirmation.language.tongues import (
    HARMLESS_WORDS,
    PLAIN_NO,
    READ,
    SUBJECTS,
    has_verb,
    is_english,
    language,
)
from judgemesh.validators.execution.confirmation.language.wording import (
    with_english_nouns,
    with_english_verbs,
)
from judgemesh.validators.execution.confirmation.order_objects import (
    alters,
    consents_to_something_else,
    is_known,
    orders_something_else,
)
from judgemesh.validators.execution.confirmation.orders import About, orders
from judgemesh.validators.execution.confirmation.statements import (
    Effect,
    contradicts,
)

_GOES_ON: Final = r"(?!(?:but|if|when|once|until|till|before|after|and|unless|only|aber|wait|hold)\b)[\w'-]+\s"
_IDIOMS: Final = re.compile(
    r"\bif (?:you (?:don't mind|like|please|wish|want|can|would|could|agree)|(?:it's |that's )?(?:possible|"
    r"necessary|needed|ok|okay))\b"
    r"|\b(?:if|when|once|after|should) (?:there (?:are|is)|you|anything|something|any)[^.!?;,]{0,60},? (?:please )?"
    r"(?:write|call|contact|tell|e-?mail|text|phone|ping|reach|let|ask|inform|notify) (?:to )?(?:me|"
    r"us)\b[^.!?;]{0,40}"
    r"|\b(?:as soon as (?:possible|you can)|when(?:ever)? (?:you (?:can|like|want|wish)|(?:you're |you are )?ready|"
    r"possible|convenient)|"
    r"at once|once (?:and for all|more|again)|after all|as before|before it's too late|first thing|at first|"
    r"first of all|first (?:class|floor|name)|"
    r"until then|no need to (?:\w+ ){1,4}|without (?:delay|hesitation|(?:a |any )?doubt|question|further ado|"
    r"any problem|problems)|"
    r"can't wait|can not wait|don't (?:worry|wait|hesitate|mind|bother)(?: about \w+(?: \w+)?)?|"
    r"thanks? (?:you )?(?:so much |a lot |very much )?"
    rf"for (?:{_GOES_ON}){{0,7}}{_GOES_ON[:-2]}|"
    r"sorry (?:for|about) (?:\w+ ){0,3}\w+|have a (?:\w+ )?(?:nice |great |good |"
    r"lovely )?(?:day|weekend|evening|week|one|afternoon)(?: today)?|"
    r"keep up the good work|like a plan|"
    r"good (?:morning|day|afternoon|evening)|get rid of (?:it|that|them)|good riddance|"
    r"(?:great|good|excellent) idea|take care|feel free|keep me posted|get (?:this|that|it) done|be my guest|"
    r"by all means|for it|"
    r"i (?:am|'m|was) (?:\w+ )?(?:sure|certain|positive)|i understand (?:the|that)[^.!?;,]*|i(?:'ve|"
    r" have) read [^.!?;,]*|"
    r"(?:(?:i|we) )?(?:hope|trust) (?:that |this |it )?(?:helps|works)|as \w+ (?:suggested|proposed|said|discussed|"
    r"agreed))\b"
    r"|\b(?:gracias|merci|danke|grazie) (?:por|pour|für|per|de) \w+(?: \w+)?"
    r"|\bnon (?:mi|ci) serve più\b|\bnão preciso mais(?: dele| dela| disso)?\b|"
    r"(?<=\d) ?[一-鿿]{0,2}(?:で|を)?お願いします|"
    r"\bik heb (?:hem|het|haar|die|ze) niet meer nodig\b"
)
"""Phrases that change nothing of a yes, though they hold words that do elsewhere."""
_RESERVES: Final = re.compile(
    # English: a condition, a reservation, something before it
    r"\b(?:if|unless|provided|providing|proviso|as long as|so long as|once|until|till|when|after|before|beforehand|"
    r"following|as soon as|"
    r"on the understanding|the (?:moment|minute)|^the (?:second|instant|day|hour) (?:the|that|we|i|he|she|they|it|"
    r"you|\w+ (?:is|has))|i (?:guess|think|suppose)|soon|"
    r"(?:at |by |before )?(?:the )?end of (?:the |this |next )?(?:day|week|month|year)|"
    r"probably|perhaps|maybe|not (?:today|now|tonight|this|before)|next (?:\w+)|subject to|on (?:the )?condition|"
    r"assuming|supposing|suppose|pending|contingent|depending|depends|in case|"
    r"given that|otherwise|except|excluding|barring|bar (?:any|objections?)|permitting|in principle|apart from|"
    r"aside from|without|but|though|although|"
    r"however|nevertheless|albeit|then again|only then|later|afterwards|first|firstly|prior|beforehand|wait|hold|"
    r"instead|unsure|"
    r"in theory|for now|not yet|in the meantime|meanwhile|in the event|as far as|while|whilst|whenever|wherever|"
    r"whether|conditional\w*|"
    r"tentative\w*|provisional\w*|temporar\w+|in an? (?:hour|minute|moment|bit|day|week|month)|in \d+ \w+)\b"
    r"|\b(?:must|should|needs? to|has to|have to|had better|might|may want|would (?:\w+ )?prefer|"
    r"i'd (?:\w+ )?prefer|want (?:you|him|her|them|\w+) to|"
    r"would like (?:you|him|her|them|\w+) to|i'd like (?:you|him|her|them|\w+) to|i(?:'ll| will) (?:check|ask|think|"
    r"see|talk|speak|get|verify|wait|look|call))\b"
    r"|^(?:and |please |for )*only\b|\b(?:it|that|them) only$|^\W*mind\b|\bat \d+(?::\d+)? ?(?:am|pm|o'clock|h|uhr)?$"
    # German
    r"|\b(?:nächste\w*|kommende\w*|prochaine?|que viene|próxim\w+|prossim\w+)\b"
    r"|\b(?:aber|wenn|falls|sofern|sobald|solange|vorausgesetzt|bedingung|nachdem|bevor|erst|ehe|es sei denn|"
    r"allerdings|jedoch|bald|ende (?:des|der|dieses|dieser)|vorher|zuvor|zuerst|"
    r"zunächst|nur|außer|ausser|ausgenommen|bis auf|ohne|im prinzip|grundsätzlich|eigentlich|später|danach|nach|"
    r"vorbehaltlich|je nach(?:dem)?|"
    r"andernfalls|sonst|obwohl|warten|muss|müssen|soll|sollen|sollte|möchte|ich will|lieber|fragen|heute abend|"
    r"heute nacht|stattdessen)\b"
    # French
    r"|\b(?:mais|à condition|condition|sauf|dès|pourvu|tant que|quand|lorsque|après|avant|d'abord|sous réserve|"
    r"à moins|si|s'ils?|sinon|toutefois|"
    r"cependant|pourtant|bientôt|une fois|en cas|seulement|uniquement|plus tard|attendez|attends|demandez|demande|sans|"
    r"excepté|en principe|faut|doit|devez|"
    r"devrait|voudrais|veux|ce soir|même si|bien que)\b"
    # Spanish
    r"|\b(?:pero|solo si|sólo si|solo|sólo|solamente|siempre (?:que|y cuando)|cuando|a menos|después|antes|con tal|"
    r"salvo|excepto|primero|aunque|en cuanto|"
    r"en caso|si|hasta|mientras|sin embargo|sin|luego|más tarde|una vez|espere|espera|consulte|pregunte|"
    r"en principio|debe|tiene que|hay que|quiero|"
    r"quisiera|a condición|esta noche|sino)\b"
    r"|\b(?:но|если|после)\b"
)
"""Words by which a yes is restricted, put off or made to depend on something."""
_TASK_FOR_US: Final = re.compile(
    r"^(?:(?:and|please|also|kindly|then|could you|can you|would you|but) )*(?!let (?:me|us)\b(?! know))\w+ (?:me|"
    r"us)\b"
)
"""`send me a receipt`: for the user, and not for others before it."""
_RESTRICTING: Final = frozenset(
    {"only", "nur", "solo", "sólo", "seulement", "soltanto"}
)
"""Words that restrict to a number, where one stands beside them."""
_QUESTION: Final = re.compile(r"(?<![^.!?;\n])[^.!?;\n]*\?")
_SENTENCE: Final = re.compile(r"[.!?;]+(?=\s|$)|\n")
_BOUND: Final = re.compile(
    rf"(?:\b(?:not|no|nicht|pas|non|não|niet)\s+)?(?:{LIMIT.pattern})",
    re.IGNORECASE,
)
_WISH: Final = re.compile(r"\bi(?:'d like| would like| want| need) you to\b")
_COUNT: Final = re.compile(r"\d+(?!(?:st|nd|rd|th|am|pm|h|uhr)$)[a-z%]{0,3}$")
"""A number, with a short unit behind it; `15th` and `6pm` are times."""
_PUTS_OFF: Final = re.compile(
    r"\b(?:but|first|before|until|wait|ask|check|verify|consult|confirm|make sure|aber|pero|mais)\b"
)
_TOLD: Final = re.compile(
    r"^[\w-]+ (?:already |also |geht |ya |está |has |have |hat |ist |is |was |had |a |est )"
    r"|^[\w-]+ (?:said|agreed|approved|knows?|told|confirmed|signed|agrees)\b"
)
_GREETS: Final = re.compile(
    r"^(?:hi|hello|hey|dear|thanks|thank you|cheers|hallo|bonjour|hola) [a-z\u00df-\u017f]+$"
)
_LEADING: Final = frozenset(
    ("and", "because", "since", "as", "so", "well", "oh", "anyway", "sorry", "anyhow", "denn", "weil", "car", "parce",
     "porque", "yes", "ja", "oui", "ok", "okay", "also", "please", "sure", "sí", "klar", "und", "et", "y", "for", "go",
     "ahead")
)  # fmt: skip
_RATING: Final = re.compile(
    r"\s(?:is|are|sounds?|seems?|looks?|ist|sind|klingt|stimmt|est|sont|es|son)(?:\s|$)"
)
_THANKS_FOR: Final = re.compile(
    r"(?:and |oh |many )?thank(?:s| you)(?: so much| very much| a lot)? for\b"
)
_TITLE: Final = re.compile(r"\b(?:dr|mr|mrs|ms|prof|st)\.")
_CLAUSE: Final = re.compile(
    r"[.!?;:]+(?=\s|$)|\n|,(?!\d)|(?<!\d),|[\u2014\u2013\u2026]|\s-+\s|\.{2,}|\(|\)"
)
_ADVERSATIVE: Final = re.compile(r"^(?:but|aber|pero|mais) ")
_WORD: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_NEGATION: Final = re.compile(
    rf"^(?:{PLAIN_NO}|no)(?![^\W_])(?! (?:one|longer|more|further)\b)"
)
_FRAGMENT: Final = 6
"""The number of words up to which a clause without a verb is a fragment, as in `yes, the other one`."""
_DETERMINERS: Final = frozenset(
    ("the", "a", "an", "my", "our", "your", "his", "her", "its", "their", "this", "that", "these", "those", "all",
     "another", "both", "no", "what", "der", "die", "das", "mein", "meine", "unser", "unsere", "diese", "dieser", "le",
     "la", "les", "mon", "ma", "mes", "notre", "cet", "cette", "ce", "el", "los", "las", "mi", "mis", "nuestro",
     "nuestra")
)  # fmt: skip
_LATER: Final = TIMES | frozenset(
    ("tonight", "abends", "abend", "morgens", "manana", "lunes", "martes", "viernes", "montag", "dienstag",
     "mittwoch", "donnerstag", "freitag", "samstag", "sonntag", "lundi", "mardi", "vendredi", "noon", "midnight",
     "evening", "mondays", "fridays")
)  # fmt: skip


def leaves_open(
    text: str,
    known: AbstractSet[str],
    verbs: AbstractSet[str],
    *,
    to_a_name: bool = False,
    effect: Effect = Effect.OTHER,
) -> bool:
    """Whether something beside the yes of a turn restricts it or is not understood.

    Args:
        text: the turn.
        known: words in small letters that say nothing new: those of the proposal and of the record.
        verbs: the stems of the verbs that name the action.
        to_a_name: whether the action is for somebody, so that a name by itself may be another one.
        effect: what the action does.
    """
    typed = text.replace("\u2019", "'")
    parts = [part.strip() for part in _CLAUSE.split(typed) if part.strip()]
    # A name calls somebody where something else is said.
    names = {
        part.casefold()
        for part in parts
        if not to_a_name and len(parts) > 1 and part.isalpha() and part.istitle()
    }
    shown = with_english_verbs(_TITLE.sub("", typed.casefold()))
    shown = WISHES.sub("thanks", with_english_nouns(shown))
    if is_puzzled(shown) or any(
        is_no_consent(" ".join(part.split()))
        for part in _CLAUSE.split(HARMLESS.sub(" ", _IDIOMS.sub(" ", shown)))
    ):
        return True
    for question in _QUESTION.findall(shown):
        if _PUTS_OFF.search(question) or language(question) not in READ:
            return True
    shown = _BOUND.sub("0", _QUESTION.sub(" ", shown))
    shown = HARMLESS.sub(" ", _IDIOMS.sub(" ", shown))
    clauses = [" ".join(part.split()).strip("\"'*_ ") for part in _CLAUSE.split(shown)]
    return any(
        contradicts(clause, verbs, effect)
        or _is_open(clause, known | verbs, names, leading=index == 0)
        if not orders(clause, About(verbs), frozenset())
        else _order_is_open(clause, verbs, known)
        for index, clause in enumerate(clauses)
        if clause
    )


def order_is_open(text: str, verbs: AbstractSet[str]) -> bool:
    """Whether a sentence that tells to do the action holds a word that restricts it or puts it off."""
    shown = with_english_verbs(text.replace("\u2019", "'").casefold())
    shown = _WISH.sub(" ", _BOUND.sub("0", shown))
    shown = HARMLESS.sub(" ", _IDIOMS.sub(" ", shown))
    return any(
        _RESERVES.search(sentence) is not None
        for sentence in _SENTENCE.split(shown)
        if not verbs.isdisjoint(map(stem, _WORD.findall(sentence)))
    )


def _order_is_open(
    clause: str, verbs: AbstractSet[str], known: AbstractSet[str]
) -> bool:
    """Whether a clause that tells to do the action restricts it, puts it off or is about something else."""
    return (
        not known >= _LATER.intersection(_WORD.findall(clause))
        or _RESERVES.search(clause) is not None
        or orders_something_else(clause, known, verbs)
    )


def _is_open(
    clause: str, known: AbstractSet[str], names: AbstractSet[str], *, leading: bool
) -> bool:
    if consents_to_something_else(clause, known):
        return True
    if _is_plain(_ADVERSATIVE.sub("", clause), known):
        return False
    if _RESERVES.search(clause) or (not leading and _NEGATION.match(clause)):
        return True
    is_name = clause in names and clause not in _LATER and not is_english(clause)
    return not (
        is_name
        or _is_statement(clause)
        or _THANKS_FOR.match(clause)
        or _rates(clause, known)
    )


def _rates(clause: str, known: AbstractSet[str]) -> bool:
    """Whether the clause says how something of the proposal is: `75 EUR is a fair price`."""
    found = _RATING.search(clause)
    if found is None:
        return False
    subject = _WORD.findall(clause[: found.start()])
    names = [word for word in subject if word not in HARMLESS_WORDS]
    return bool(names) and _is_plain(" ".join(subject), known)


def _is_plain(clause: str, known: AbstractSet[str]) -> bool:
    """Whether all words are harmless or known, or are numbers, which are compared where the record's are known."""
    words = _WORD.findall(clause)
    counts = [word for word in words if _COUNT.match(word) or numbers_in_words(word)]
    if not counts and alters(words, known):
        return False
    return all(
        word in HARMLESS_WORDS
        or word in counts
        or (bool(counts) and word in _RESTRICTING)
        or (is_known(word, known) and not _RESERVES.fullmatch(word))
        for word in words
    )


def _is_statement(clause: str) -> bool:
    """Whether the clause says how things are, in a language that is read, or asks for something for the user."""
    if _GREETS.match(clause) or _TASK_FOR_US.match(clause):
        return True
    words = _WORD.findall(clause)
    while len(words) > 1 and words[0] in _LEADING:
        words = words[1:]
    told = " ".join(words)
    if language(told) not in READ or not words:
        return False
    if words[0] in _DETERMINERS and len(words) <= _FRAGMENT and not has_verb(words[1:]):
        return False
    if words[0] in SUBJECTS or words[0].split("'")[0] in SUBJECTS:
        return len(words) == 1 or not _LATER.issuperset(words[1:])
    return _TOLD.match(told) is not None and language(words[0]) is None
