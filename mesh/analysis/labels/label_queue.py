"""Judged questions without a label, ranked for people."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from judgemesh.mesh.analysis.labels.evidence import shown_of
from judgemesh.mesh.analysis.run_lookup import opened_run

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.opinions import JudgedRow
    from judgemesh.mesh.ledger.store import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueQuery:
    """Which questions are exported.

    shuffle: a random sample instead of a ranking.
    audited: only questions that both judges of an escalation were asked.
    with_verdict: export the judge's verdict too.
    results: files of the graded results, from which the answer and the trace of each line are taken.
    """

    ledger: str
    run: str | None = None
    limit: int | None = None
    shuffle: bool = False
    audited: bool = False
    seed: int = 0
    with_verdict: bool = False
    results: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelQueue:
    """The questions as lines of a file. labelled: questions left out, with a label."""

    run_id: str
    lines: list[dict[str, object]]
    labelled: int


async def judged_questions(
    ledger: Ledger, run_id: str
) -> AsyncIterator[tuple[JudgedRow, bool]]:
    """The judged questions of a run, each with whether a person has answered it.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    answers = [label for label in await ledger.labels() if label.label]
    known = {(label.result_id, label.question_id) for label in answers}
    async for row in ledger.judged(run_id):
        yield row, (row.result_id, row.question_id) in known


async def label_queue(query: QueueQuery) -> LabelQueue:
    """The questions of a run that nobody has labelled.

    Raises:
        ConfigError: there is no such run.
        LedgerError: there is no ledger, or it cannot be read.
    """
    unlabelled: list[JudgedRow] = []
    labelled = 0
    async with opened_run(query.ledger, query.run) as (ledger, run):
        async for row, is_labelled in judged_questions(ledger, run.run_id):
            if query.audited and not row.audited:
                continue
            labelled += is_labelled
            if not is_labelled:
                unlabelled.append(row)
    lines: list[dict[str, object]] = []
    chosen = _ordered(unlabelled, query)[: query.limit]
    shown = shown_of(query.results, {row.result_id for row in chosen})
    for row in chosen:
        line = _line(len(lines) + 1, row, query)
        lines.append(line | shown.get(row.result_id, {}))
    return LabelQueue(run.run_id, lines, labelled)


def priority(row: JudgedRow) -> float:
    """Weight times uncertainty.

    The uncertainty is 1 minus the calibrated probability of being right, else 1 minus
    the stability, and 1 without a verdict.
    """
    if row.kind not in ("pass", "fail"):
        return row.weight
    confidence = row.stability if row.correctness is None else row.correctness
    return row.weight * (1.0 - (confidence or 0.0))


def _ordered(rows: list[JudgedRow], query: QueueQuery) -> list[JudgedRow]:
    if query.shuffle:
        random.Random(query.seed).shuffle(rows)  # noqa: S311 (a sample, not a secret)
        return rows
    return sorted(rows, key=by_usefulness)


def by_usefulness(row: JudgedRow) -> tuple[bool, float, str, str]:
    """Sorts the questions whose label is most useful first: gates, then by priority."""
    return not row.gating, -priority(row), row.result_id, row.check


def _line(rank: int, row: JudgedRow, query: QueueQuery) -> dict[str, object]:
    line: dict[str, object] = {
        "rank": rank,
        "result_id": row.result_id,
        "task_id": row.task_id,
        "question_id": row.question_id,
        "question": row.question,
        "gating": row.gating,
        "priority": round(priority(row), 4),
        "run_id": row.run_id,
        "validator_name": row.validator_name,
        "label": "",
        "labeler": "",
        "note": "",
        "drawn": "at_random" if query.shuffle else "chosen",
    }
    if query.with_verdict:
        line |= {"verdict": row.kind, "reason": row.diagnostic}
    return line
