"""The words by which an agent offers to do something, and those by which it asks about facts or offers something else.

In English, German, French and Spanish.
"""

from __future__ import annotations

import re
from typing import Final

from judgemesh.contracts.text.word_sets import word_set
from judgemesh.validators._shared.trace.verbs import stems_of
from judgemesh.validators.execution.confirmation.language.wording import (
    with_english_verbs,
)

GENERAL_WORDS: Final = word_set("""
    ok okay alright all right correct fine good great sure certain happy ready shall should may can could must i we you
    me us go ahead proceed continue carry on do it that this them so is are be want would like to please agree confirm
    confirmed approve authorise authorize accept with by for work works yes no now really still sounds sound does the
    your have my permission approval consent confirmation which one ones what prefer option or if execute process how
    about and then say start reply a an also let know of in order start begin choose which
    soll ich wir das es so tun machen darf kann passt einverstanden sind sie bist du damit recht richtig in ordnung
    stimmt bestätigen bestätigst sicher ist weiter weitermachen fortfahren wollen möchten gut ja oder nein welche
    welchen welches ihnen dir für
    vous confirmez tu confirmes d'accord ça va vous te convient est c'est bon je peux dois-je puis-je le la les faire
    fais continuer procéder oui non ou est-ce que on y va êtes-vous sûr sûre lequel laquelle allez
    lo hago procedo confirma confirmas de acuerdo está bien vale puedo debo hacerlo continuar proceder correcto sí
    seguro
    segura cuál le parece te
""")
"""Words of a question that has no object of its own."""
LIGHT_VERBS: Final = stems_of(
    "make do process execute initiate issue submit start begin trigger release confirm place perform proceed go"
    " continue"
    " carry complete finalise finalize put arrange run authorise authorize approve set use take get have be see help"
    " like want need"
)
"""Verbs that leave what happens to the noun beside them."""
OTHER_VERBS: Final = stems_of(
    "keep leave retain stay wait remain postpone defer hold pause suspend freeze delay skip ignore"
    " show tell explain describe summarise summarize list look check read view review know hear compare search find"
    " print remind inform translate calculate estimate draft prepare simulate preview test verify fill ask inquire"
    " enquire dispute contest query challenge appeal report complain reject decline deny refuse return"
    " restart reset extend renew upgrade downgrade rename reboot reinstall resend reopen restore duplicate clone copy"
    " archive backup save export import download upload print publish unpublish share release mention tag label mark"
    " move edit update correct change modify rewrite shorten replace merge split sort attach convert record monitor"
    " watch track follow investigate examine inspect count measure invite call phone contact email write notify warn"
    " negotiate reduce lower raise increase protect lock unlock encrypt compress scan repair fix clean paint schedule"
    " plan reschedule store preserve secure exchange swap rate rent lend book order open create add patch proofread"
    " transcribe sign deploy install"
)
"""Verbs of frequent offers that are other actions where the action is not named by them."""
ALIKE: Final = tuple(
    stems_of(words)
    for words in (
        "change update modify edit correct adjust amend switch rewrite",
        "terminate shutdown shut kill",
        "pay settle clear cover wire",
        "refund reimburse repay return give",
        "buy purchase order",
        "publish post release",
        "deploy release ship push roll",
        "send forward email mail",
        "prescribe order",
        "register enrol enroll add",
        "extend renew prolong",
    )
)
"""Verbs by which one action is offered as by the other."""
OFFERED_VERB: Final = re.compile(
    r"\b(?:(?:shall|should|may|can|could|must) (?:i|we)|(?:want|like|prefer|wish|rather|need)(?: (?:me|us))? to|"
    r"(?:would|do) you (?:also |still )?rather|(?:i|we)(?: will|'ll| would|'d| can| could| shall| am going to|"
    r" are going"
    r" to|'m going to|'re going to| am about to|'m about to)|let me|ok(?:ay)? (?:if i|to)|fine (?:if i|to))\s+"
    r"(?:(?:also|now|then|just|still|already|please|instead|really|\w+ly|go ahead and|not|first|better|rather) )*"
    r"(?P<verb>[^\W\d_]+)"
)
NEGATIONS: Final = frozenset(
    ("not", "never", "without", "nicht", "nie", "kein", "keine", "ohne", "ne", "pas", "sans", "no", "sin", "nunca",
     "instead", "before", "whether", "cannot", "avoid", "stop", "if")
) - {"if"}  # fmt: skip
"""Words before a verb by which it is not offered."""
PERFECT: Final = re.compile(
    r"\b(?:have|has|had|was|were|been|already|did|habe|hat|haben|wurde|wurden|schon|bereits|déjà|avez|ya)\b"
    r"(?! to\b| your\b| the\b| i\b| permission\b)"
)
"""Words beside a verb by which it tells what was done."""
ACTION_NOUNS: Final = word_set("""
    payment payments payout transfer transfers cancellation deletion removal booking bookings reservation reservations
    order orders refund refunds termination closure charge charges purchase return credit
""")
"""Nouns that have the stem of a verb: `the payment is due` tells of no action."""
LATER: Final = re.compile(
    r"\b(?:next (?:week|month|year|quarter|monday|tuesday|wednesday|thursday|friday)|tomorrow|later(?: on)?|"
    r"in (?:a|an|one|two|three|\d+) (?:days?|weeks?|months?|hours?)|nächste\w* (?:woche|monat|jahr)|morgen|später|"
    r"la semaine prochaine|le mois prochain|demain|plus tard|la (?:próxima semana|semana que viene)|mañana|más tarde)\b"
)
_LEAD: Final = (
    r"^\W*(?:(?:so|and|but|or|ok|okay|well|hi|hello|sorry|also|then|und|aber|also|et|mais|alors|y|pero|by the way|"
    r"just to be sure|for my records|one question|quick question|first)[,:]?\s+)*"
)
_ASKS_FACTS: Final = re.compile(
    _LEAD + r"(?:"
    r"(?:is|are|was|were|isn't|aren't|wasn't)\b(?! (?:it|that|this) (?:\w+ )?(?:ok|okay|fine|alright|all right|good|"
    r"right"
    r"|correct|acceptable)\b)(?! (?:you|we|i) (?:\w+ )?(?:ok|okay|sure|certain|fine|happy|ready|good|to)\b)"
    r"(?![^?]* to be \w+ed\b)"
    r"|(?:did|didn't|does|doesn't|has|hasn't|had)\b"
    r"|have (?:you|they|we|the|it|he|she)\b|haven't"
    r"|do (?:they|we|the|these|those|he|she)\b|don't you\b"
    r"|do you (?!(?:\w+ )?(?:want|wish|like|prefer|confirm|approve|agree|authori[sz]e|accept|consent|permit|allow|mind|"
    r"rather)\b)(?!(?:still |also )?need (?:me|us) to\b)"
    r"|(?:who|whose|when|where|why|how (?!about)|what (?!about|if))"
    r"|(?:will|would|can|could) (?:it|they|he|she|the|that)\b(?! be (?:ok|okay|fine|good|alright|all right|"
    r"possible)\b)|(?:can|could) you (?:confirm|tell|say|check|remember|"
    r"see)\b"
    r"|you (?:have|had|did|do|are|were|still|owe|know|got|received)\b"
    # German
    r"|(?:ist|sind|war|waren|gehört|gehören|wurde|wurden|kam|kommt|gilt|stimmt|hat|hatte|gibt|liegt|steht|fehlt)\b"
    r"(?! (?:das|es|dies) (?:\w+ )?(?:ok|okay|in ordnung|recht|richtig|gut)\b)"
    r"(?! (?:sie|ihr) (?:\w+ )?(?:sicher|einverstanden)\b)"
    r"|(?:haben|hast|habt|hatten|brauchen|brauchst|braucht|kennen|kennst|wissen|weißt|erinnern|bekamen|schulden|"
    r"schuldest|erwarten|nutzen|nutzt|mögen|magst|sehen|treffen|freuen|gefallen|gefällt) (?:ihnen|dir|sie|du|ihr|wir|"
    r"die|das)\b"
    r"|(?:wer|was|wann|wo|warum|wieso|wie|wem|wessen)\b"
    # French
    r"|(?:avez|as|a|ont|aviez|êtes|est|sont|était|connaissez|connais|savez|devez|utilisez|attendez|possédez)-"
    r"(?:vous|tu|t-\w+|il|elle|ils|elles)\b(?! (?:\w+ )?(?:sûre?|certaine?|d'accord|prête?)\b)"
    r"|(?:avez-vous|as-tu|connaissez-vous|vous avez|tu as|vous devez|tu dois)\b"
    r"|(?:qui|quand|où|pourquoi|comment|combien)\b|est-ce (?!que (?:je|nous|vous (?:voulez|souhaitez|confirmez)|tu "
    r"veux)|bon|ok|d'accord|correct)"
    # Spanish
    r"|(?:es|está|están|son|era|fue|ha|han|has|tiene|tienes|tienen|recibió|recibiste|llegó|llegaron|conoce|conoces|"
    r"sabe|sabes|debe|debes|necesita|necesitas|usa|usas|pertenece|sigue|hay|pidió)\b(?! (?:bien|correcto|de acuerdo|"
    r"seguro|segura|listo)\b)"
    r"|(?:quién|cuándo|dónde|por qué|cómo|cuánto|cuántos)\b"
    r")"
)
_FACTS_WITHIN: Final = re.compile(
    r"\b(?:avez-vous|as-tu|a-t-(?:il|elle)|est-(?:il|elle)|ont-(?:ils|elles))\b"
)
OTHER_ABROAD: Final = re.compile(
    r"\b(?:notieren|notiere|zurückhalten|zurückstellen|behalten|behalte|aufheben|aufbewahren|warten|erinnern|erinnere|"
    r"vorbereiten|"
    r"bereite|"
    r"vormerken|prüfen|prüfe|nachfragen|frage|fragen|anfragen|sichern|sicherung|"
    r"anfechten|reklamieren|ablehnen|widersprechen|beanstanden|zeigen|"
    r"melden|bearbeiten|teilen|speichern|aussetzen|stehen lassen|bestreiten|entwerfen|"
    r"garder|garde|conserver|conserve|rappeler|rappelle|préparer|prépare|contester|conteste|"
    r"attendre|attends|vérifier|vérifie|refuser|demander|demande|montrer|"
    r"sauvegarder|relancer|retenir|"
    r"guardar|guardo|conservar|conservo|mantener|mantengo|recordar|recuerde|recuerdo|preparar|preparo|disputar|"
    r"reclamar|reclamo|esperar|espero|verificar|verifico|"
    r"rechazar|preguntar|pregunto|mostrar|retener|retengo)\b"
)
"""Verbs of other actions in German, French and Spanish."""
OFFER_ABROAD: Final = re.compile(
    r"\b(?:soll|sollen|darf|dürfen|kann|können|könnte|möchten|möchtest|wollen|willst|würden|werde|würde) (?:ich|wir|"
    r"sie|"
    r"du)\b|\bich (?:werde|würde|will|möchte|kann|\w+e)\b|\bwir \w+en\b"
    r"|\b(?:dois|puis|devrais|voulez|veux|souhaitez|souhaites|désirez)-(?:je|vous|tu)\b|\bje (?:vais|peux|voudrais|"
    r"\w+e)\b|"
    r"\best-ce que je\b"
    r"|\b(?:debo|puedo|quiere|quieres|desea|deseas|voy a|procedo|le gustaría)\b|^\W*(?:le |lo |la |les )?[^\W\d_]+o\b"
)
"""How an offer begins in German, French and Spanish."""
_SPOKEN: Final = (
    (
        "pay",
        re.compile(
            r"\b(?:pai(?:e|es|er|ent|ement)|paye|payer|payons|règle|régler|règl\w+|verse|verser|pago|pagamos|pague|"
            r"paguemos|abono|abonar|"
            r"begleich\w+|zahlung|zahlst|(?:ge|be)zahlt|bezahlung|payement|pagar\w*|ausgleichen)\b"
        ),
    ),
    (
        "transfer",
        re.compile(
            r"\b(?:überweis\w+|virement|vire|virer|transfère|transférer|transfiero|transfiera|transferencia|anweisen|"
            r"abbuchen)\b"
        ),
    ),
    (
        "cancel",
        re.compile(
            r"\b(?:storn\w+|(?:ge)?kündig\w+|absag\w+|abgesagt|annule\w*|annuler|résilie\w*|résilier|cancelo|cancele|"
            r"cancelar|anulo|"
            r"anular|anule)\b"
        ),
    ),
    (
        "delete",
        re.compile(
            r"\b(?:(?:ge)?lösch\w+|entfern\w+|supprim\w+|efface\w*|effacer|elimin\w+|borr[aeo]\w*|suprim\w+)\b"
        ),
    ),
    (
        "book",
        re.compile(r"\b(?:reservo|reserve|reservar|réserve\w*|buche\w*|gebucht)\b"),
    ),
    (
        "send",
        re.compile(r"\b(?:envoie|envoyer|envío|enviar|sende|senden|schicke\w*)\b"),
    ),
    (
        "publish",
        re.compile(r"\b(?:veröffentlich\w+|publie[rz]?|publico|publicar|publique)\b"),
    ),
    (
        "archive",
        re.compile(r"\b(?:archivier\w+|archive[rz]?|archivo|archivar|archive)\b"),
    ),
    ("copy", re.compile(r"\b(?:kopier\w+|copie[rz]?|copiar|copio)\b")),
    ("print", re.compile(r"\b(?:drucken|ausdrucken|drucke|imprim\w+)\b")),
    ("rename", re.compile(r"\b(?:umbenenn\w+|renomme[rz]?|renombr\w+)\b")),
    ("extend", re.compile(r"\b(?:verläng\w+|prolonge[rz]?|prolong(?:o|ar|ue))\b")),
    ("export", re.compile(r"\b(?:exportier\w+|exporte[rz]?|exporto|exportar)\b")),
    ("suspend", re.compile(r"\b(?:aussetzen|suspen\w+|sperr\w+)\b")),
    ("postpone", re.compile(r"\b(?:verschieb\w+|reporter|aplaz\w+)\b")),
    ("close", re.compile(r"\b(?:schließ\w+|fermer?|cierro|cerrar|clôtur\w+)\b")),
)
"""Forms by which an agent says what it does, beside those of orders."""


_PHRASES: Final = (
    ("cancel", re.compile(r"\bcall(?:ing|ed)? off\b")),
    ("terminate", re.compile(r"\b(?:shut|take|turn|switch) (?:down|off)\b")),
)


def with_single_verbs(text: str) -> str:
    """A text in small letters, with verbs of two words shown as one: `call off` as `cancel`."""
    for verb, pattern in _PHRASES:
        text = pattern.sub(verb, text)
    return text


def with_spoken_verbs(text: str) -> str:
    """A text in small letters, with the verbs of orders and of announcements in other languages shown in English."""
    shown = with_single_verbs(with_english_verbs(text))
    if shown.isascii() and " i " in f" {shown} ":
        return shown
    for english, pattern in _SPOKEN:
        shown = pattern.sub(english, shown)
    return shown


def asks_facts(question: str) -> bool:
    """Whether a question in small letters is about facts, and not whether something shall be done."""
    return "?" in question and (
        _ASKS_FACTS.match(question) is not None
        or _FACTS_WITHIN.search(question) is not None
    )
