"""The questions that a label helps most, held while people answer them one by one."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.analysis.labels.label_queue import by_usefulness, judged_questions

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.opinions import JudgedRow
    from judgemesh.mesh.ledger.store import Ledger

QUEUED: Final = 500
"""Of any number of questions these are held; when they are answered the queue is made anew."""
_HELD: Final = 4 * QUEUED


@dataclass(slots=True)
class Queue:
    """The most useful questions without a label. answered: positions that were labelled here. open: how many there
    were when the queue was made; labelled: how many had a label then."""

    rows: list[JudgedRow]
    open: int
    labelled: int
    answered: set[int] = field(default_factory=set[int])

    def next(self, position: int) -> int | None:
        """The first unanswered question from `position` on, then from the start; None if there is none."""
        order = [
            *range(position, len(self.rows)),
            *range(min(position, len(self.rows))),
        ]
        return next((at for at in order if at not in self.answered), None)


async def make_queue(ledger: Ledger, run_id: str) -> Queue:
    """The queue of a run, in memory that does not grow with its questions.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    held: list[JudgedRow] = []
    unlabelled = labelled = 0
    async for row, is_labelled in judged_questions(ledger, run_id):
        labelled += is_labelled
        if is_labelled:
            continue
        unlabelled += 1
        held.append(row)
        if len(held) >= _HELD:
            held = heapq.nsmallest(QUEUED, held, key=by_usefulness)
    return Queue(heapq.nsmallest(QUEUED, held, key=by_usefulness), unlabelled, labelled)
