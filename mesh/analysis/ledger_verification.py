"""Whether a ledger still holds what was written: the chain of each run's log, and every report against its entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import Report, report_to_json
from judgemesh.mesh.analysis.results.gate import believed_gate
from judgemesh.mesh.ledger.report_digest import report_digest
from judgemesh.mesh.ledger.report_log import (
    PURGED,
    PURGED_TEXT,
    START,
    StoredEntry,
    entry_digest,
    log_page,
)
from judgemesh.mesh.ledger.reports import eval_id_page, reports_among
from judgemesh.mesh.ledger.store import Ledger

_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class LedgerFault:
    """What is wrong with one report, or with one entry of the log, in one line."""

    run_id: str
    result_id: str | None
    what: str

    def to_json(self) -> dict[str, object]:
        """`{run_id, result_id, what}`."""
        return {"run_id": self.run_id, "result_id": self.result_id, "what": self.what}


@dataclass(slots=True)
class RunVerification:
    """What was verified of a run.

    reports: those in the ledger. purged: those without their texts, or deleted on purpose. unlogged: those written
    before ledgers had a log. head: the digest of the last entry; who keeps it can tell later that no entry was taken
    off the end.
    """

    run_id: str
    reports: int = 0
    entries: int = 0
    unlogged: int = 0
    purged: int = 0
    head: str = START
    faults: list[LedgerFault] = field(default_factory=list[LedgerFault])

    def to_json(self) -> dict[str, object]:
        """All fields, the faults as objects."""
        return {
            "run_id": self.run_id,
            "reports": self.reports,
            "entries": self.entries,
            "unlogged": self.unlogged,
            "purged": self.purged,
            "head": self.head,
            "faults": [fault.to_json() for fault in self.faults],
        }


async def verify_ledger(url: str) -> list[RunVerification]:
    """Each run of a ledger, the oldest first. Memory grows with the results of the largest run.

    Raises:
        LedgerError: the ledger cannot be read at all.
    """
    async with await Ledger.open(url, read_only=True) as ledger:
        return [await _verify_run(ledger, run.run_id) for run in await ledger.runs()]


async def _verify_run(ledger: Ledger, run_id: str) -> RunVerification:
    found = RunVerification(run_id)
    logged = await _walk_log(ledger, found)
    after: str | None = ""
    while after is not None:
        page = partial(eval_id_page, run_id=run_id, after=after, size=_PAGE)
        eval_ids, after = await ledger.ask(page)
        reports = await ledger.ask(partial(reports_among, eval_ids=eval_ids))
        for eval_id in eval_ids:
            found.reports += 1
            _check_report(found, eval_id, reports[eval_id], logged.pop(eval_id, None))
    for eval_id, digest in logged.items():
        if digest == PURGED:
            found.purged += 1
        else:
            _fault(found, eval_id, "its report is missing")
    return found


async def _walk_log(ledger: Ledger, found: RunVerification) -> dict[str, str]:
    """Check the chain; the digest of the last report of each result."""
    last: dict[str, str] = {}
    after: int | None = 0
    while after is not None:
        page = await ledger.ask(
            partial(log_page, run_id=found.run_id, after=after, size=_PAGE)
        )
        after = page.after
        for entry in page.entries:
            for what in _faults_of(entry, found):
                _fault(found, entry.eval_id, what)
            found.entries = entry.seq
            found.head = entry.entry_digest
            last[entry.eval_id] = entry.report_digest
    return last


def _faults_of(entry: StoredEntry, before: RunVerification) -> Iterator[str]:
    if entry.seq != before.entries + 1:
        yield f"the log lacks entries {before.entries + 1} to {entry.seq - 1}"
    elif entry.previous_digest != before.head:
        yield f"entry {entry.seq} of the log does not follow the one before it"
    expected = entry_digest(
        entry.previous_digest, entry.seq, entry.eval_id, entry.report_digest
    )
    if entry.entry_digest != expected:
        yield f"entry {entry.seq} of the log was altered"


def _check_report(
    found: RunVerification,
    eval_id: str,
    report: Report | LedgerError,
    logged: str | None,
) -> None:
    if isinstance(report, LedgerError):
        _fault(found, eval_id, f"its report cannot be read: {report}")
        return
    if (report.explanation or "").startswith(PURGED_TEXT):
        found.purged += 1
    if logged is None:
        found.unlogged += 1
    elif report_digest(report_to_json(report)) != logged:
        _fault(found, eval_id, "its report was altered after it was written")
    if believed_gate(report) is not report.gate:
        stated = report.gate.value
        _fault(found, eval_id, f"its verdicts do not carry its gate ({stated})")


def _fault(found: RunVerification, eval_id: str, what: str) -> None:
    result_id = eval_id.removeprefix(f"{found.run_id}:")
    found.faults.append(LedgerFault(found.run_id, result_id, what))
