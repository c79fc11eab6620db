"""The words of the status table. `status.py` reads them; a word stands in one list only."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    """The words of a text block, divided by commas."""
    return frozenset(" ".join(word.split()) for word in text.split(",") if word.strip())


def _forms(text: str, *endings: str) -> frozenset[str]:
    """Participles in all genders and numbers: each stem of the text with each of the endings."""
    return frozenset(part + ending for part in text.split() for ending in endings)


_IBERIAN: Final = _forms(
    "asignad publicad entregad apartad registrad guardad cread actualizad anadid emitid aprobad autorizad modificad"
    " inscrit impres reservad enviad confirmad pagad atribuid atualizad salvad registad realizad completad cambiad"
    " fijad renovad prorrogad activad instalad copiad movid ajustad configurad firmad comprad encargad transferid"
    " ingresad facturad agregad incluid adjuntad subid descargad iniciad",
    "o", "a", "os", "as",
)  # fmt: skip
_FRENCH: Final = _forms(
    "affect publi enregistr assign depos cre ajout imprim valid modifi attribu envoy pay confirm effectu livr reserv"
    " termin achemin vers fix chang verrouill planifi renouvel prolong activ lanc ajust regl deplac copi renomm"
    " install configur achet command transfer sign approuv factur demarr",
    "ee", "es", "ees",
) | _forms("remis transmis inscrit expedie", "", "e", "s", "es")  # fmt: skip
_FOREIGN: Final = (
    _IBERIAN
    | _FRENCH
    | _words(
        """
        affecte, publie, enregistre, assigne, depose, cree, ajoute, imprime, attribue, modifie, verrouille, planifie,
        renouvele, prolonge, achete, transfere, approuve, geandert, hinzugefugt, verriegelt, eingestellt, entfernt,
        kopiert,
        umbenannt, freigegeben, genehmigt, unterschrieben, gezahlt, verbucht, eingezahlt, vereinbart, verlangert,
        erneuert, installiert, aktiviert, gestartet, beendet, bestellt, gekauft, ubertragen, verschickt, mis de cote,
        mise de cote,
        mises de cote, mis a jour, mise a jour, a jour, zugeteilt, zugewiesen, veroffentlicht, abgegeben,
        eingereicht, reserviert, zuruckgelegt, hinterlegt, eingetragen, aktualisiert, gedruckt, angemeldet,
        ubermittelt, hochgeladen, aggiornato, creato, assegnato, pubblicato, consegnato, salvato, registrato,
        toegewezen, gepubliceerd, opgeslagen, gereserveerd, aangemaakt, bestilt, booket, reservert, sendt,
        lagret, opprettet, registrert, oppdatert, publisert, bokad, skapad, sparad, registrerad, uppdaterad, gemt,
        oprettet, opdateret, registreret
        """
    )
)
"""Participles without accents, as `status_key` writes them."""
DONE: Final = _FOREIGN | _words(
    """
    set aside, in sync, done, ok, okay, success, successful, successfully, succeeded, complete, completed,
    completion, finished,
    finalized, finalised, executed, confirmed, fulfilled, performed, achieved, passed, true, yes, all good, up to
    date, synced, sent, delivered, received, dispatched, shipped, in transit, out for delivery, mailed, emailed,
    posted, published, notified, picked up, collected, handed over, accepted, acknowledged, submitted, filed,
    lodged, registered, enrolled, recorded, logged, stored, saved, written, persisted, committed, merged, pushed,
    deployed, live, applied, updated, changed, modified, edited, created, added, inserted, uploaded, imported,
    exported, generated, printed, booked, reserved, ticketed, issued, placed, ordered, purchased, bought, sold,
    paid, paid in full, settled, cleared, captured, charged, credited, debited, transferred, disbursed, deposited,
    funded, processed, approved, granted, authorised, authorized, signed, executed in full, filled, assigned,
    allocated, resolved, fixed, activated, enabled, active, provisioned, installed, configured, restarted, scaled,
    migrated, backed up, administered, dispensed, prescribed, admitted, discharged, referred, checked in, checked
    out, served, prepared, packed, loaded, unloaded, moved, copied, renamed, linked, tagged, labelled, escalated,
    invited, joined, subscribed, renewed, extended, verified, validated, reconciled, invoiced, billed, cooked, ready
    for pickup, set, valid, won, final, in effect, effective, good, present, cast, taken, raised, reported,
    reimbursed, redeemed, opened, routed, enqueued, replied, answered, commented, attached, normal, healthy, done
    and dusted, consummated, amended, corrected, closed won, donated, replaced, repaired, rescheduled, rebooked,
    upgraded, waived, unlocked, unblocked, restored, reset, subscribed, unsubscribed, rotated, tested, indexed,
    received and filed, entered, listed, planted, harvested, docked, erledigt, abgeschlossen, gesendet, versendet,
    versandt, bezahlt, gebucht, bestatigt, erfolgreich, fertig, ausgefuhrt, angelegt, erstellt, gespeichert,
    zugestellt, geliefert, uberwiesen, enviado, enviada, pagado, pagada, completado, completada, confirmado,
    confirmada, realizado, realizada, reservado, reservada, exito, hecho, termine, terminee, envoye, envoyee, paye,
    payee, effectue, effectuee, confirme, confirmee, reussi, reussie, reserve, reservee, livre, livree, completato,
    inviato, pagato, confermato, riuscito, prenotato, concluido, concluida, feito, sucesso, verzonden, voltooid,
    betaald, klaar, geboekt, bevestigd, geslaagd, skickad, betald, klar, slutford, wyslano, zaplacono, zakonczono,
    \u5b8c\u4e86, \u6210\u529f, \u5df2\u5b8c\u6210, \u5b8c\u6210, \u5df2\u53d1\u9001, \u5df2\u652f\u4ed8,
    \u9001\u4fe1\u6e08\u307f, \u0433\u043e\u0442\u043e\u0432\u043e,
    \u0432\u044b\u043f\u043e\u043b\u043d\u0435\u043d\u043e,
    \u043e\u0442\u043f\u0440\u0430\u0432\u043b\u0435\u043d\u043e, \u043e\u043f\u043b\u0430\u0447\u0435\u043d\u043e
    """
)
PARTIAL: Final = _words(
    """
    partial, partially, partly, partially completed, partially executed, partially filled, partial success, partly
    done, partially paid, partially refunded, partially shipped, partially delivered, incomplete, half done, mostly
    done, in part, teilweise, parcial, parcialmente, partiel, partiellement, parziale
    """
)
OPEN: Final = _words(
    """
    open, new, draft, drafted, drafting, pending, queued, waiting, awaiting, on hold, hold, held, scheduled,
    planned, proposed, suggested, requested, tentative, provisional, waitlisted, wait listed, on waitlist,
    backordered, back ordered, on backorder, in progress, inprogress, progress, processing, running, ongoing,
    started, initiated, working, under review, pending approval, pending review, pending decision, awaiting
    approval, awaiting review, awaiting decision, under investigation, investigation, investigating, in review,
    review, reviewing, needs review, approval, approval required, requires approval, requires action, action
    required, action needed, needs attention, confirmation required, requires confirmation, requires payment method,
    requires capture, unconfirmed, to do, todo, backlog, not started, not yet, paused, deferred, delayed, postponed,
    retrying, retry, stuck, stalled, unpaid, due, overdue, unsent, unprocessed, unfulfilled, unpublished,
    uncaptured, unassigned, undelivered yet, ready, ready to send, to be, quoted, quote, estimate,
    estimated, expected, upcoming, outstanding,
    unsettled, preparing, submitting, sending, sending soon, in preparation, in process, in queue, in the queue, in
    the outbox, outbox, enqueuing, intermediate, later, soon, tbd, escrow, in escrow, reserved pending, requires
    signature, awaiting signature, unsigned, unverified, unapproved, staged, staging, option, optioned, ausstehend,
    offen, entwurf, in bearbeitung, bearbeitung, geplant, wartend, wartet, vorgemerkt, pendiente, borrador, en
    proceso, programado, en espera, en attente, brouillon, en cours, in attesa, bozza, in corso, pendente, rascunho,
    em andamento, in behandeling, concept, wachtend, vantar, utkast, oczekuje, szkic, \u4fdd\u7559,
    \u5f85\u5904\u7406, \u5904\u7406\u4e2d, \u4e0b\u66f8\u304d, \u51e6\u7406\u4e2d,
    \u0447\u0435\u0440\u043d\u043e\u0432\u0438\u043a, \u043e\u0436\u0438\u0434\u0430\u0435\u0442
    """
)
FAILED: Final = _words(
    """
    failed, fail, fails, failing, failure, error, errored, errors, timeout, timed out, time out, deadline exceeded,
    cancelled, canceled, cancellation, rejected, rejection, denied, denial, aborted, declined, refused, expired,
    lapsed, voided, void, reverted, rolled back, rollback, not executed, unsuccessful, invalid, bounced, bounce,
    hard bounce, soft bounce, reversed, reversal, refunded, returned, returned to sender, charged back, chargeback,
    disputed, undone, revoked, withdrawn, terminated, abandoned, crashed, killed, interrupted, stopped, halted,
    skipped, ignored, dropped, lost, missing, blocked, undeliverable, undelivered, undeliverable address, not found,
    notfound, no record, no such, does not exist, no show, nsf, insufficient funds, insufficient balance, card
    declined, unauthorized, unauthorised, forbidden, bad request, conflict, exception, fault, fatal, broken, ko,
    nok, ng, disapproved, unavailable, sold out, out of stock, out of service, deleted, deletion, removal, removed,
    purged, erased, discarded, annulled, rescinded, superseded, false, rate limited, throttled, unreachable,
    offline, dead letter, deadlettered, dead lettered, spam, quarantined, suspended, banned, frozen, discontinued,
    failed permanently, gave up, unable, unable to, overruled, vetoed, did not go through, malformed, oops, gone,
    fehlgeschlagen, fehler, gescheitert, abgelehnt, storniert, abgebrochen, ungultig, zuruckgewiesen, unzustellbar,
    abgelaufen, fallido, fallida, rechazado, rechazada, cancelado, cancelada, anulado, anulada, erroneo, devuelto,
    vencido, echoue, echouee, echec, refuse, refusee, annule, annulee, rejete, rejetee, erreur, expire, fallito,
    rifiutato, annullato, errore, scaduto, falhou, recusado, erro, mislukt, geweigerd, geannuleerd, fout,
    misslyckad, avbruten, anulowano, odrzucono, \u5931\u6557, \u5931\u8d25, \u30ad\u30e3\u30f3\u30bb\u30eb,
    \u5df2\u53d6\u6d88, \u62d2\u5426, \u5df2\u62d2\u7edd, \u043e\u0448\u0438\u0431\u043a\u0430,
    \u043e\u0442\u043c\u0435\u043d\u0435\u043d\u043e, \u043e\u0442\u043a\u043b\u043e\u043d\u0435\u043d\u043e
    """
)
REHEARSAL: Final = _words(
    """
    dry run, dryrun, dry running, dry, simulate, simulated, simulation, simulating, sandbox, sandboxed, test mode, test
    run, test only, trial run, rehearsal, rehearsed, preview, previewed, preview only, mock, mocked, mock run, what if,
    whatif, no op, noop, no operation, check only, checks only, validate only, validated only, validation only, plan
    only, shadow mode, shadow run, would, would be, would have been, probelauf, testlauf, simuliert, simulacro,
    simulado, simulacion, simulation only
    """
)
"""Words of a run that only tried what it would do. No action brings them about but one that is named so."""
PAYMENT_OPEN: Final = _words(
    "authorised, authorized, authorization, submitted, accepted, created, reserved, received by bank, in transit"
)
"""Of a payment these say that the money has not moved yet."""
PAYMENT_UNDONE: Final = _words(
    "refunded, reimbursed, credited back, clawed back, repaid"
)
"""Of a payment these say that the money went back."""
MEANINGLESS: Final = _words(
    "unknown, n a, na, none, null, nil, undefined, other, misc, unclear, unspecified"
)
