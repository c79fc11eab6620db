"""The words of an action's kind: its verbs, and the words for the state that the action itself brings about.

`cancel_order` brings about "cancelled", `orderVoid` "voided", `put_on_hold` "on hold". The same word about another
action says that it was undone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.text import plain

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_PREFIX_MARK = re.compile(r"__|[.:/]")
_MIN_STEM: Final = 3

_IRREGULAR: Final = {
    "sent": "send", "paid": "pay", "payment": "pay", "held": "hold", "frozen": "freez", "froze": "freez",
    "withdrawn": "withdraw", "withdrew": "withdraw", "withdrawal": "withdraw", "submission": "submit",
    "suspension": "suspend", "cancellation": "cancel", "cancelation": "cancel", "reservation": "reserv",
    "booking": "book", "transfer": "transfer", "sold": "sell", "bought": "buy", "written": "writ", "wrote": "writ",
    "undone": "undo", "banned": "ban", "done": "do", "made": "mak", "put": "put", "begun": "begin", "ran": "run",
    "run": "run", "shutdown": "shutdown", "hidden": "hid", "shipment": "ship", "activation": "activat", "payout": "pay",
    "erasure": "eras", "expiration": "expir", "escalation": "escalat", "rescission": "rescind", "revocation": "revok",
    "given": "giv", "taken": "tak", "split": "split", "set": "set", "delivery": "deliver", "closing": "clos",
    "annulment": "annul", "deployment": "deploy", "order": "order", "quarantine": "quarantin", "removal": "remov",
    "refusal": "refus", "approval": "approv", "renewal": "renew", "disposal": "dispos", "dismissal": "dismiss",
    "decommission": "decommission", "commission": "commission", "provision": "provision", "mention": "mention",
    "auction": "auction", "transition": "transition", "deprovision": "deprovision",
    "reversal": "revers", "denial": "deny", "closure": "clos", "expiry": "expir", "dryrun": "dry",
    "dried": "dry", "tried": "try", "fried": "fry", "mown": "mow", "sown": "sow", "sewn": "sew",
}  # fmt: skip
_ENDINGS: Final = ("ing", "ied", "ion", "ed", "es", "e", "s")


@lru_cache(maxsize=4_096)
def stem(word: str) -> str:
    """The part that forms of one verb share: `cancel`, `cancelled` and `cancellation` have one."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            word = word.removesuffix(ending)
            if ending == "ied":
                return f"{word}y"
            break
    # cancelled, stopped, submitted: the consonant that was doubled.
    if len(word) > _MIN_STEM + 1 and word[-1] == word[-2] and word[-1] not in "sfz":
        return word[:-1]
    return word


@lru_cache(maxsize=4_096)
def kind_words(kind: str) -> tuple[str, ...]:
    """The words of a kind, whatever its spelling: `cancelOrder`, `cancel_order`, `orders.cancel`."""
    return tuple(_WORD.findall(_CAMEL.sub(" ", plain(kind)).casefold()))


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


stems_of = _stems
"""The stems of the words of a text."""
_CANCEL: Final = _stems(
    "cancel void annul rescind withdraw terminate revoke discontinue abort stop end unsubscribe storno stornieren halt"
    " shutdown"
)
_DELETE: Final = _stems(
    "delete remove erase purge destroy drop wipe trash discard unpublish uninstall"
)
_REJECT: Final = _stems("reject decline deny refuse disapprove dismiss")
_SUSPEND: Final = _stems(
    "suspend block freeze lock disable deactivate hold pause ban quarantine"
)
_REFUND: Final = _stems("refund reimburse credit compensate repay")
_REVERSE: Final = _stems("reverse revert rollback undo restore chargeback")
_CLOSE: Final = _stems("close resolve archive settle finish complete retire")
_EXPIRE: Final = _stems("expire lapse invalidate sunset")
_RETURN: Final = _stems("return bounce resend")
_SCHEDULE: Final = _stems("schedule plan book reserve arrange appoint reschedule")
_POSTPONE: Final = _stems("postpone defer delay reschedule adjourn")
_RELEASE: Final = _stems(
    "detach release free unassign vacate evict disconnect unmount unlink checkin"
)
_REMOVE: Final = _stems(
    "remove evict expel deregister unregister decommission deprovision undeploy offboard unenroll unenrol unfollow"
    " unsubscribe unpublish uninstall unlink unassign detach disconnect unmount mute hide dismiss sack evacuate"
    " recall retire scrap"
)
"""Verbs that end a state and are in no group of their own."""
_CREATE: Final = _stems(
    "create open file log raise report add register start launch begin trigger activate enable make generate initiate"
    " assign escalate submit enroll enrol subscribe post link track onboard run order place"
)
_SUBMIT: Final = _stems(
    "submit file lodge dispute report raise escalate refer appeal register apply claim"
)
_REQUEST: Final = _stems("request apply propose ask nominate petition solicit queue")
_GROUPS: Final[tuple[tuple[frozenset[str], frozenset[str]], ...]] = (
    (
        _CANCEL,
        _CANCEL | _stems("storniert abgesagt gekundigt aufgehoben resilie resiliee cancelado cancelada annule"
            " annulee annullato inactive closed deactivated"
            " removed released refunded"),
    ),
    (_DELETE, _DELETE | _stems("gone cleared unpublished uninstalled geloscht eliminado eliminada supprime supprimee")),
    (_REJECT, _REJECT | _stems("rejection closed abgelehnt rechazado rechazada refuse rejete turned")),
    (_SUSPEND, _SUSPEND | _stems("inactive gesperrt bloqueado bloqueada bloque bloquee")),
    (_REFUND, _REFUND | _stems("erstattet reembolsado rembourse remboursee")),
    (_REVERSE, _REVERSE | _stems("rolled back reinstated")),
    (_CLOSE, _CLOSE | _stems("closed geschlossen cerrado cerrada ferme fermee")),
    (_EXPIRE, _EXPIRE | _stems("invalid inactive abgelaufen")),
    (_RETURN, _RETURN),
    (_POSTPONE, _POSTPONE | _stems("rescheduled scheduled")),
    (_RELEASE, _RELEASE | _stems("available free vacant released")),
    (_SCHEDULE, _SCHEDULE | _stems("upcoming rescheduled geplant programado")),
    (_CREATE, _CREATE | _stems("open new active live running started progress triaged acknowledged unassigned"
        " geoffnet ouvert ouverte abierto abierta aperto")),
    (_SUBMIT, _stems("submitted received review investigation decision")),
    (_REQUEST, _REQUEST | _stems("pending requested submitted queued awaiting review approval waiting open new")),
)  # fmt: skip
"""Verbs of kinds, and the words for the state that they bring about."""
_UNDOING: Final = (
    _CANCEL | _DELETE | _REJECT | _SUSPEND | _EXPIRE | _REMOVE | _stems("close archive")
) - _stems("end hold drop")
"""Verbs that end a state or deny a request, without those that have another sense too."""
STATES_ELSEWHERE: Final = frozenset(
    (
        "storniert", "abgesagt", "gekundigt", "aufgehoben", "resilie", "resiliee", "cancelado", "cancelada",
        "annule", "annulee", "annullato", "geloscht", "eliminado", "eliminada",
        "supprime", "supprimee", "abgelehnt", "rechazado", "rechazada", "refuse", "rejete", "gesperrt", "bloqueado",
        "bloqueada", "bloque", "bloquee", "geschlossen", "cerrado", "cerrada", "ferme", "fermee", "erstattet",
        "reembolsado", "rembourse", "remboursee", "abgelaufen", "geplant", "programado",
        "geoffnet", "ouvert", "ouverte", "abierto", "abierta", "aperto",
    )
)  # fmt: skip
"""Words of other languages among the states of `_GROUPS`."""
ENDING: Final = _CANCEL | _DELETE | _REMOVE | _stems("close dismiss fire")
"""Verbs by which people ask to end something, one for the other."""
CHANGING: Final = _CANCEL | _DELETE | _REJECT | _SUSPEND | _REFUND | _REVERSE | _RETURN
"""Verbs that undo, deny, hold or give back."""
_VERBS: Final = frozenset[str]().union(_REMOVE, *(verbs for verbs, _ in _GROUPS))
_NEUTRAL: Final = _stems(
    "create make add issue process perform execute do run submit request place put set mark record register save apply"
    " initiate complete handle update change post file move approve confirm order issue trigger"
)
"""Verbs that leave what happens to the noun: `process_refund`, `put_on_hold`."""
_DATED: Final = _stems(
    "appointment meeting event call visit interview reminder session class viewing delivery pickup surgery maintenance"
    " inspection lesson booking reservation tour demo exam shift hearing consultation"
)
"""What is scheduled once it is made."""
PAYMENTS: Final = _stems(
    "pay transfer refund charge wire payout remit reimburse withdraw purchase buy donate tip debit disburse"
    " ueberweisen pagar transferir payer virement bezahlen"
)
"""Verbs that move money."""
DESTRUCTIVE: Final = _stems(
    "delete erase purge wipe destroy drop terminate revoke deactivate shutdown uninstall format overwrite"
)
"""Verbs whose effect cannot be taken back."""
_READS: Final = _stems(
    "read get search list fetch check query view look lookup find count show describe inspect browse retrieve"
)
"""Verbs that change nothing, however often."""
_SHOWS: Final = _stems("show view count")
"""Verbs that are nouns behind another verb: `run_show`."""
_MAKES: Final = _stems(
    "create add make set put save update change move rename edit delete remove"
)
"""Verbs of a work that leave nothing to read of the word behind them: `create_list`."""
_CONSENTS: Final = _stems(
    "approval approve confirmation confirm consent permission authorisation authorization authorise authorize clearance"
    " signoff signature"
)
"""What a person gives or refuses."""
_ASKS: Final = _stems(
    "request ask get obtain seek await wait require need fetch collect"
)
"""Verbs of a tool that waits for what a person says, where it names a consent."""
_EXAMINES: Final = _stems(
    "validate verify test lint audit scan review examine check inspect diagnose diagnostics measure monitor"
)
_HANDS_OVER: Final = _stems(
    "summarize summarise translate transcribe generate compose extract parse ocr convert calculate compute estimate"
    " predict classify analyze analyse explain think execute bash shell python sql terminal command weather wiki"
    " wikipedia calculator"
    " knowledge retriever browser web info history faq docs help forecast news balance recommend compare"
)
"""Verbs, and nouns of tools named without a verb, that return a text about something else than their own work."""
_ABROAD: Final = _stems(
    "buchen reservieren zuteilen zuweisen stornieren senden verschicken bestellen anlegen eintragen sperren kuendigen"
    " ueberweisen bezahlen loeschen reserver annuler envoyer commander affecter assigner supprimer inscrire planifier"
    " reservar cancelar enviar crear asignar eliminar borrar inscribir programar pagar transferir virer payer"
)
"""Verbs of works in German, French and Spanish, wherever they stand in a name."""
_UNDERTAKEN: Final = _stems(
    "run generate make execute process perform handle do request apply propose ask"
    " nominate petition solicit queue call read get check claim"
)
"""Verbs of tools whose answer may be the output of something else, or the words of somebody."""
_KNOWLEDGE: Final = _stems("status state detail info history")
_HOW: Final = _stems("run mode only is")
"""Words that do not tell one rehearsal from another."""
_OTHER: Final = _stems(
    "send email mail notify message publish ship deliver dispatch update upload pay transfer charge approve grant sign"
    " merge deploy export import print call invite move rename edit write read get check"
)


@lru_cache(maxsize=4_096)
def verbs_of(kind: str) -> frozenset[str]:
    """The stems of a kind's verbs: the first word; of a neutral one, or where a noun comes first, all words."""
    stems = [stem(word) for word in kind_words(kind)]
    if stems and stems[0] in (_VERBS | _OTHER) - _NEUTRAL:
        return frozenset(stems[:1])
    return frozenset(stems)


def moves_money(kind: str) -> bool:
    """Whether a kind of action is a payment by its words."""
    return not verbs_of(kind).isdisjoint(PAYMENTS)


@lru_cache(maxsize=4_096)
def reads(kind: str) -> bool:
    """Whether a kind of action only reads, by its words; to get an approval is to ask for one."""
    words = [stem(word) for word in kind_words(kind)]
    if not _CONSENTS.isdisjoint(words):
        return False
    if words and words[0] in _MAKES:
        return False
    return not verbs_of(kind).isdisjoint(_READS - set(words[1:]).intersection(_SHOWS))


@lru_cache(maxsize=4_096)
def asks_consent(kind: str) -> bool:
    """Whether a kind of action asks for a consent, which a person gives or refuses: `request_approval`."""
    stems = [stem(word) for word in kind_words(kind)]
    return not _ASKS.isdisjoint(stems) and not _CONSENTS.isdisjoint(stems)


@lru_cache(maxsize=4_096)
def examines(kind: str) -> bool:
    """Whether a kind of action looks for faults, so that what fails may be what it found."""
    return reads(kind) or tests(kind)


@lru_cache(maxsize=4_096)
def tests(kind: str) -> bool:
    """Whether a kind of action is a test, which something passes or not: `brake_test`, `safety_check`."""
    return not _EXAMINES.isdisjoint(map(stem, kind_words(kind)))


@lru_cache(maxsize=4_096)
def hands_over_text(kind: str) -> bool:
    """Whether what a kind of action returns is a text that it read or made, and no word about its work."""
    stems = [stem(word) for word in kind_words(kind)]
    if reads(kind) or (stems and stems[0] in _HANDS_OVER):
        return True
    is_verb = bool(stems) and stems[0] in _VERBS | _OTHER | _NEUTRAL | PAYMENTS
    return not is_verb and not _HANDS_OVER.isdisjoint(stems)


@lru_cache(maxsize=4_096)
def bare_name(tool: str) -> str:
    """A tool's name without the prefix of a server or namespace: `mcp__shop__refund`, `functions.refund`."""
    return _PREFIX_MARK.split(tool.strip("_.:/"))[-1]


@lru_cache(maxsize=4_096)
def acts(kind: str) -> bool:
    """Whether a kind of action begins with a verb for a work of its own, so that its answer tells of that work."""
    stems = [stem(word) for word in kind_words(bare_name(kind))]
    if not stems or hands_over_text(kind) or tests(kind):
        return False
    known = (_VERBS | _OTHER | _NEUTRAL | PAYMENTS | DESTRUCTIVE) - _UNDERTAKEN
    if kind_words(bare_name(kind))[0].endswith("ing") and len(stems) > 1:
        # `opening_hours` names a thing.
        return False
    is_known = stems[0] in known or not _ABROAD.isdisjoint(stems)
    return is_known and _KNOWLEDGE.isdisjoint(stems)


@lru_cache(maxsize=4_096)
def undertakes(kind: str) -> bool:
    """Whether what a kind of action returns may be the output of something else, or the words of somebody."""
    stems = [stem(word) for word in kind_words(bare_name(kind))]
    return bool(stems) and (stems[0] in _UNDERTAKEN or not _KNOWLEDGE.isdisjoint(stems))


def rehearses(kind: str, words: str) -> bool:
    """Whether a kind of action is named after a rehearsal in those words: `run_simulation`, for `simulated`."""
    telling = set(map(stem, kind_words(words))) - _HOW
    return not telling.isdisjoint(map(stem, kind_words(kind)))


@lru_cache(maxsize=4_096)
def brought_about(kind: str) -> frozenset[str]:
    """The stems of the words for the state that an action of this kind brings about."""
    verbs = verbs_of(kind)
    words = set(verbs)
    pays = not verbs.isdisjoint(PAYMENTS)
    for group, states in _GROUPS:
        if group.isdisjoint(verbs) or (pays and group in (_CREATE, _SUBMIT)):
            continue
        words |= states
    if not verbs.isdisjoint(_SCHEDULE | _CREATE) and not _DATED.isdisjoint(
        map(stem, kind_words(kind))
    ):
        words |= _stems("scheduled planned booked reserved confirmed")
    return frozenset(words)


@lru_cache(maxsize=4_096)
def spoken_verbs(kind: str) -> frozenset[str]:
    """The stems of the verbs by which people name an action of this kind: its own, and those of the same meaning."""
    own = verbs_of(kind)
    verbs = own & (_VERBS | _OTHER | PAYMENTS | DESTRUCTIVE | _NEUTRAL) or own
    spoken = set(verbs)
    for group, _ in _GROUPS:
        if group not in (_CREATE, _REQUEST) and not group.isdisjoint(verbs):
            spoken |= group
    if not verbs.isdisjoint(PAYMENTS):
        spoken |= PAYMENTS | _stems("send settle")
    if not verbs.isdisjoint(_DELETE | DESTRUCTIVE):
        spoken |= _DELETE | DESTRUCTIVE | _stems("close rid")
    return frozenset(spoken)


@lru_cache(maxsize=4_096)
def undoes(kind: str) -> bool:
    """Whether an action of this kind ends a state or denies a request."""
    return not verbs_of(kind).isdisjoint(_UNDOING)


@lru_cache(maxsize=4_096)
def is_denial(kind: str) -> bool:
    """Whether an action of this kind denies a request."""
    return not verbs_of(kind).isdisjoint(_REJECT)
