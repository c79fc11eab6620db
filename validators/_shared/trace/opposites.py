"""Words of a status that say the opposite of what an action was to bring about: the action was not done.

`unlocked` of `lock_door`, `enabled` of `disable_alarm`, `active` of `cancel_subscription`. Actions that undo or deny
end a state; any word for a state in force, or for the result of another action, says that they did not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.trace.verbs import (
    brought_about,
    is_denial,
    kind_words,
    moves_money,
    stem,
    stems_of,
    undoes,
    verbs_of,
)

_PREFIXES: Final = ("un", "dis", "de", "in")
_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    ("enable activate", "disable deactivate inactive"),
    ("attach", "detach"),
    ("accept approve grant admit permit allow authorise authorize", "reject decline deny refuse disapprove disallow"),
    ("open reopen", "close shut"),
    ("start resume", "stop pause halt"),
    ("add", "remove"),
    ("show", "hide"),
    ("join enrol enroll", "leave"),
    ("arm", "disarm"),
    ("hire employ", "fire dismiss"),
    ("connect", "disconnect"),
    ("mute", "audible"),
    ("lock", "open"),
    ("raise increase upgrade", "lower decrease reduce downgrade"),
)  # fmt: skip
_IN_FORCE: Final = frozenset(
    (
        "active", "still active", "in force", "in use", "in service", "in operation", "live", "enabled", "running",
        "valid", "visible", "public", "online", "on", "occupied", "retained", "kept", "present", "existing", "exists",
        "renewed", "extended", "restored", "reinstated", "reactivated", "reopened", "unarchived", "unchanged",
        "continued", "continuing", "ongoing", "cleared", "lifted", "connected", "employed", "booked", "reserved",
        "published", "attached", "linked", "installed", "assigned", "subscribed", "enrolled", "joined", "opened",
        "operational", "up", "borrowed", "in place", "on duty", "trusted", "allowed", "permitted", "unblocked",
        "unlocked", "unfrozen", "unbanned", "undeleted", "recovered", "aktiv", "activo", "activa", "actif", "attivo",
        "actief",
    )
)  # fmt: skip
_MEASURES: Final = stems_of("ban quarantine hold")
"""Verbs that are also the name of the state which they bring about."""
_LASTING: Final = frozenset(
    {"active", "still active", "in force", "live", "ongoing", "aktiv"}
)
_ACCEPTED: Final = stems_of(
    "accept approve grant authorise authorize admit hire sign pay honour honor permit allow"
)
_NEUTRAL: Final = frozenset(
    (
        "done", "ok", "okay", "success", "successful", "successfully", "succeeded", "complete", "completed",
        "completion", "finished", "finalized", "finalised", "executed", "confirmed", "fulfilled", "performed",
        "achieved", "passed", "true", "yes", "all good", "up to date", "synced", "sent", "delivered", "mailed",
        "emailed", "notified", "received", "accepted", "acknowledged", "submitted", "filed", "recorded", "logged",
        "stored", "saved", "written", "persisted", "committed", "merged", "pushed", "deployed", "applied", "updated",
        "changed", "modified", "edited", "processed", "approved", "granted", "authorised", "authorized", "signed",
        "executed in full", "resolved", "fixed", "verified", "validated", "reconciled", "registered", "final",
        "in effect", "effective", "settled", "set", "reported", "done and dusted", "received and filed", "entered",
        "replied", "answered", "erledigt", "abgeschlossen", "bestatigt", "erfolgreich", "fertig", "ausgefuhrt",
        "gespeichert", "completado", "completada", "confirmado", "confirmada", "realizado", "realizada", "exito",
        "hecho", "termine", "terminee", "effectue", "effectuee", "confirme", "confirmee", "reussi", "reussie",
        "completato", "confermato", "riuscito", "concluido", "concluida", "feito", "sucesso", "voltooid", "klaar",
        "bevestigd", "geslaagd", "klar", "slutford", "zakonczono", "\u5b8c\u4e86", "\u6210\u529f",
        "\u5df2\u5b8c\u6210", "\u5b8c\u6210", "\u0433\u043e\u0442\u043e\u0432\u043e",
        "\u0432\u044b\u043f\u043e\u043b\u043d\u0435\u043d\u043e",
    )
)  # fmt: skip
"""Words for `done` that say so of every action."""
_WITHDRAW: Final = stems_of("withdraw")
_HANDED_IN: Final = frozenset(
    {"filed", "submitted", "lodged", "accepted", "registered", "granted", "approved"}
)
"""Of what is withdrawn these may say that it still stands."""
_PAPERS: Final = stems_of(
    "motion application bid claim complaint offer request appeal petition paper proposal nomination consent candidate"
    " application lawsuit amendment"
)
"""What is withdrawn and is no money."""
_ON_THE_WAY: Final = frozenset(
    (
        "out for delivery", "in transit", "dispatched", "shipped", "picked up", "collected", "packed", "loaded",
        "mailed", "posted", "prepared", "sent", "on its way", "on the way", "versandt", "versendet",
    )
)  # fmt: skip
"""Of a delivery these say that it has not arrived yet."""


def is_opposite(phrase: tuple[str, ...], kind: str) -> bool:
    """Whether the phrase says that the action of this kind was not done, or was undone."""
    stems = frozenset(map(stem, phrase))
    if not stems.isdisjoint(_opposites(kind)):
        return True
    if not undoes(kind):
        return False
    if not verbs_of(kind).isdisjoint(_MEASURES) and " ".join(phrase) in _LASTING:
        # Of the measure it says that it is in force, of the person that it is not.
        return False
    if is_denial(kind) and not stems.isdisjoint(_ACCEPTED):
        return True
    return " ".join(phrase) in _IN_FORCE


def is_other_result(phrase: str, kind: str) -> bool:
    """Whether a word for `done` names the result of another action than this one, which undoes or denies."""
    pays = moves_money(kind) and _PAPERS.isdisjoint(map(stem, kind_words(kind)))
    return (
        undoes(kind)
        and not pays
        and phrase
        not in _NEUTRAL
        - (_HANDED_IN if not verbs_of(kind).isdisjoint(_WITHDRAW) else frozenset())
    )


def is_on_the_way(phrase: str, kind: str) -> bool:
    """Whether the phrase says of a delivery that it is under way."""
    return phrase in _ON_THE_WAY and "deliver" in verbs_of(kind)


@lru_cache(maxsize=4_096)
def _opposites(kind: str) -> frozenset[str]:
    """The stems that mean the opposite: the verb with a prefix more or less, and the other side of a known pair."""
    own = (
        verbs_of(kind)
        if len(verbs_of(kind)) == 1
        else frozenset(map(stem, kind_words(kind)[:1]))
    )
    found: set[str] = set()
    for verb in own:
        for prefix in _PREFIXES:
            found.add(prefix + verb)
            if verb.startswith(prefix) and len(verb) > len(prefix) + 2:
                found.add(verb.removeprefix(prefix))
    for left, right in _PAIRS:
        sides = stems_of(left), stems_of(right)
        for mine, other in (sides, sides[::-1]):
            if not own.isdisjoint(mine):
                found |= other
    return frozenset(found) - brought_about(kind)
