"""The words and patterns by which a sentence of a tool tells of its work. `call_sentences.py` reads them.

They are without accents and in small letters, as `status_key` writes them.
"""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.trace import status_words
from judgemesh.validators._shared.trace.status_words import FAILED, PARTIAL, REHEARSAL

_FAULT: Final = (
    r"(?:errors?|issues?|problems?|failures?|warnings?|exceptions?|conflicts?|faults?|defects?|objections?|fehler"
    r"|erreurs?|errores|feil)"
)
FAULTLESS: Final = re.compile(
    rf"\b(?:no|without|zero|0|any|not any|ohne|keine|sans|aucune?|sin|ingen|uten)\s+(?:\w+\s+)?{_FAULT}\b"
    r"|\b0(?:\s*(?:of|out of|/)\s*\d+)?(?:\s+\w+){0,2}?\s+"
    r"(?:failed|skipped|rejected|bounced|pending|refused|declined|denied)\b"
    rf"|\b(?:failed|rejected|bounced|pending|refused|{_FAULT})\s*[:=]?\s*(?:0|none)\b(?!\s*(?:of\b|/|\.\d))"
    r"|\b(?:error|failure|fault|rejection|bounce)[ -]"
    r"(?:rate|margin|logs?|reports?|budget|handling|count|threshold|bars?)\b"
    r"|\bno (?:further |more )?(?:action|changes?) (?:is |are )?(?:needed|required|necessary)\b"
    r"|\bno (?:later|more|less) than\b"
    r"|\b(?:at )?no (?:extra |additional )?(?:charge|cost|fee)s?\b",
    re.IGNORECASE,
)
ASKED: Final = re.compile(
    r"\b(?:request|inquiry|enquiry|anfrage|antrag|solicitud|peticion|demande|richiesta)\b.{0,60}?"
    r"\b(?:sent|made|forwarded|verschickt|versendet|versandt|gesendet|gestellt|enviad[ao]|envoyee?|faite|inviata)\b"
)
"""A request that was sent is the work of a tool that asks."""
SHARE: Final = re.compile(
    r"(?<!page )(?<!step )(?<!part )(?<!item )(?<!seite )(?<!teil )(?<!etape )(?<!partie )(?<!pagina )(?<!parte )"
    r"\b(\d{1,9})\s*(?:of|out of|von|de|di|van|av|af|(?:[a-z]+ )?sur|su)\s*(?:the |los |las |les )?(\d{1,9})\b"
)
NEGATIONS: Final = frozenset(
    {"not", "never", "no", "none", "nothing", "nobody", "cannot", "can't", "couldn't", "won't", "wasn't", "isn't",
     "aren't", "weren't", "didn't", "doesn't", "hasn't", "unable", "impossible", "sorry", "sry", "unfortunately",
     "nicht", "nichts", "kein", "keine", "keinen", "leider", "pas", "aucun", "aucune", "rien", "desole",
     "malheureusement", "nada", "ningun", "ninguna", "non", "niente", "impossibile", "nao", "niet", "geen", "helaas",
     "inte", "inga", "tyvarr", "ikke", "ingen", "intet", "dessverre", "nie",
     "nein", "nope", "nei", "nej", "nee"}
)  # fmt: skip
FOUND_NOTHING: Final = frozenset({"no", "none", "nothing"})
FAILURES: Final = frozenset(
    {"failed", "fail", "fails", "failure", "error", "errors", "errored", "rejected", "refused", "denied",
     "declined", "disapproved", "bounced", "unavailable", "unsuccessful", "timeout", "timed out", "aborted", "crashed",
     "fehlgeschlagen", "fehler", "gescheitert", "abgelehnt", "echec", "echoue", "echouee", "erreur", "refusee",
     "fallido", "fallo", "rechazado", "rechazada", "fallito", "rifiutato", "mislukt", "geweigerd", "misslyckades",
     "misslyckad", "feil", "feilet", "mislyktes", "avvist", "avslatt", "fejl", "afvist"}
)  # fmt: skip
_DELAYS: Final = frozenset(
    {"pending", "queued", "waiting", "awaiting", "postponed", "deferred", "delayed", "paused", "waitlisted", "unpaid",
     "unconfirmed", "unsent", "on hold", "under review", "will be", "would", "wird", "sera", "already",
     "bereits", "deja", "ya", "gia", "est complet", "est complete", "fully booked", "booked out", "booked up",
     "ausstehend",
     "pendiente", "en attente"}
)  # fmt: skip
ALREADY: Final = frozenset({"already", "bereits", "deja", "ya", "gia"})
IN_PLACE: Final = frozenset(
    {"up to date", "in sync", "current", "aktuell", "synchron", "a jour", "actualizado", "actualizada", "aggiornato"}
)  # fmt: skip
NO_LONGER: Final = frozenset({"no longer", "nicht mehr", "ya no"})
AUXILIARIES: Final = frozenset({"is", "are", "was", "were", "been", "ist", "war", "est", "etait", "esta",
"estaba"})  # fmt: skip
AGENTS: Final = frozenset({"by", "von", "par", "por", "da", "to", "for", "a", "an", "fur", "pour", "para"})  # fmt: skip
_NO_ROOM: Final = frozenset(
    {"is full", "are full", "was full", "is taken", "are taken", "is occupied", "is closed", "are closed", "is missing",
     "is busy", "is locked", "too late", "ausgebucht", "belegt",
     "fullt", "complet", "agotado", "agotada", "lleno", "insufficient", "limit", "exceeded", "unknown",
     "unrecognised", "unrecognized", "no longer",
     "is out", "are out", "run out", "ran out", "ran dry", "ran into", "ran low", "ran short", "ran late", "ran over",
     "ran aground", "ran away", "put off", "laid off", "kept waiting", "must", "needs", "needed", "required", "bad",
     "withheld", "later", "maybe", "flagged", "please sign", "please log", "please provide", "please enter",
     "please try", "please contact"}
)  # fmt: skip
_ORDINARY: Final = frozenset(
    {
        "fault",
        "conflict",
        "exception",
        "lost",
        "void",
        "returned",
        "return",
        "expire",
        "gone",
        "false",
        "spam",
        "ng",
        "failing",
    }
)
"""Words of a status for `failed` that are something else in a sentence."""
REHEARSED: Final = REHEARSAL - {"dry", "would", "preview", "mock", "what if", "staging"}  # fmt: skip
STRONG: Final = FAILURES | _DELAYS | REHEARSED | PARTIAL
WEAK: Final = (FAILED | _NO_ROOM) - _ORDINARY - STRONG
RECEIPTS: Final = frozenset(
    {"accepted", "received", "submitted", "acknowledged", "registered", "enqueued", "filed", "lodged"}
)  # fmt: skip
"""Words that say that an order came in, which is done only where that was the work."""
_STATES: Final = frozenset(
    {"live", "present", "good", "cast", "set", "final", "normal", "active", "valid", "won", "healthy", "effective",
     "true", "listed", "taken", "raised", "reserve", "completion", "enabled"}
)  # fmt: skip
"""Words of a status for `done` that are something else in a sentence."""
_PAST: Final = frozenset({"wrote", "made", "built", "put", "laid", "kept", "found"})  # fmt: skip
_SAYINGS: Final = frozenset(
    {"on its way", "on the way", "went out", "rolled out", "on file", "all set", "good to go", "taken care of",
     "thank you for your payment", "thank you for your order", "thank you for your purchase", "your ticket is",
     "your reference is", "your booking is", "mis de cote", "mise de cote", "mises de cote"}
)  # fmt: skip
"""Phrases for `done` that are no status."""
DONE: Final = (status_words.DONE | _PAST | _SAYINGS) - _STATES - RECEIPTS
