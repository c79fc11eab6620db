"""Which results a command lists: by default the first failures and undecided results; all of a kind on request."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import FailureCode, parse_code
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import Gate
from judgemesh.contracts.text.spelling import nearest

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.results.rows import ResultRow
    from judgemesh.mesh.ledger.records import RunSummary
    from judgemesh.mesh.ledger.store import Ledger

FIRST_ROWS: Final = 20
_FAILURES_FIRST: Final = (Gate.FAIL, Gate.UNDECIDED, Gate.PASS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The results to list. limit: how many at most; None lists all of them."""

    gates: tuple[Gate, ...]
    code: FailureCode | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The rows of a selection, failures first, and how many more there are. asked_for: an option selects them."""

    rows: tuple[ResultRow, ...] = ()
    more: int = 0
    asked_for: bool = False


def selection_of(*, every: bool, failed: bool, code: str | None) -> Selection:
    """The selection that `--all`, `--failed` and `--code` ask for.

    Raises:
        ConfigError: two of them contradict each other, or the code does not exist.
    """
    if every and failed:
        raise ConfigError("cannot be combined with --failed", where="--all")
    wanted = None if code is None else _code(code)
    if failed:
        return Selection(gates=(Gate.FAIL,), code=wanted)
    if every or wanted is not None:
        return Selection(gates=_FAILURES_FIRST, code=wanted)
    return Selection(gates=(Gate.FAIL, Gate.UNDECIDED), limit=FIRST_ROWS)


def _code(text: str) -> FailureCode:
    code = parse_code(text)
    if code is None:
        near = nearest(text.strip().upper(), list(FailureCode), cutoff=0.3)
        hint = (
            f"did you mean {near}?"
            if near
            else "`judgemesh validators --codes` lists them"
        )
        raise ConfigError(
            f"no failure code is called {text!r}", where="--code", hint=hint
        )
    return code


async def listed(
    ledger: Ledger, run_id: str, selection: Selection, summary: RunSummary
) -> Listed:
    """The rows of a selection; with a limit no more results are read than are shown.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    rows: list[ResultRow] = []
    async for row in _selected(ledger, run_id, selection):
        rows.append(row)
        if len(rows) == selection.limit:
            break
    more = 0
    if selection.limit is not None:
        more = max(0, summary.failed + summary.undecided - len(rows))
    rows.sort(key=lambda row: row.rank)
    return Listed(rows=tuple(rows), more=more, asked_for=selection.limit is None)


async def _selected(
    ledger: Ledger, run_id: str, selection: Selection
) -> AsyncGenerator[ResultRow]:
    from judgemesh.mesh.analysis.results.loading import rows_of
    from judgemesh.mesh.ledger.reports import ReportFilter

    for gate in selection.gates:
        where = ReportFilter(gate=gate, code=selection.code)
        async for row in rows_of(ledger, run_id, where):
            yield row
