"""Labels of a session, written to a ledger as well."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Self

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.labelling.labelled_set import LabelledSet
from judgemesh.mesh.labelling.log import Label
from judgemesh.mesh.ledger.labels import HumanLabel
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.reporting.text import one_line, plural


class LedgerCopy:
    """Writes each label to a ledger, if there is one. A session blocks between keys."""

    def __init__(
        self, runner: asyncio.Runner | None = None, ledger: Ledger | None = None
    ) -> None:
        self._runner = runner
        self._ledger = ledger

    @classmethod
    def open(cls, url: str | None, labelled: LabelledSet) -> Self:
        """Open the ledger, and write the labels that only the file has.

        Raises:
            ConfigError: a result is not graded there.
            LedgerError: there is no such ledger, or it cannot be written.
        """
        if url is None:
            return cls()
        runner = asyncio.Runner()
        try:
            return cls(runner, runner.run(_opened(url, labelled)))
        except BaseException:
            runner.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._runner is not None and self._ledger is not None:
            self._runner.run(self._ledger.aclose())
            self._runner.close()

    def write(self, label: Label) -> None:
        """Write one label."""
        if self._runner is not None and self._ledger is not None:
            self._runner.run(self._ledger.write_labels([_human_label(label)]))


async def _opened(url: str, labelled: LabelledSet) -> Ledger:
    missing: list[HumanLabel] = []
    async with await Ledger.open(url, read_only=True) as ledger:
        await _check_graded(ledger, url, labelled)
        written = {
            label.result_id: label.created_at
            for label in await ledger.labels()
            if label.outcome_class and label.labeler == labelled.labeler
        }
        for label in labelled.labels.values():
            written_at = written.get(label.result_id)
            if written_at is None or written_at < label.labelled_at:
                missing.append(_human_label(label))
    ledger = await Ledger.open(url)
    try:
        await ledger.write_labels(missing)
    except BaseException:
        await ledger.aclose()
        raise
    return ledger


async def _check_graded(ledger: Ledger, url: str, labelled: LabelledSet) -> None:
    result_ids = list(labelled.chosen)
    graded: set[str] = set()
    for run in await ledger.runs():
        rows: Mapping[str, object] = await ledger.graded_among(run.run_id, result_ids)
        graded |= rows.keys()
    missing = [result_id for result_id in result_ids if result_id not in graded]
    if missing:
        count = plural(len(missing), "result")
        raise ConfigError(
            f"{count} not graded there; the first is {missing[0]!r}",
            where=one_line(url),
            hint="`judgemesh grade` them first, or leave --ledger out",
        )


def _human_label(label: Label) -> HumanLabel:
    return HumanLabel(
        result_id=label.result_id,
        created_at=label.labelled_at,
        task_id=label.task_id,
        labeler=label.labeler,
        outcome_class=label.outcome.value,
        note=label.note or None,
        drawn=label.drawn or None,
    )
