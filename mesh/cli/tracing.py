"""What `trace bill` and `trace findings` do: traces out of files or a ledger, priced, one after another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.cli.looking import find_run
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.builder import BillBuilder
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.bill.findings import Finding, PatternTotals, findings_of

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.reporting.trace_outcomes import Join

_SUFFIXES: Final = (".html", ".json")
_SHOWN_IN_FULL: Final = 1
_MOST_PROBLEMS: Final = 20


@dataclass(slots=True, kw_only=True)
class Source:
    """Where traces come from. `problems` and `malformed` fill while they are read."""

    files: tuple[Path, ...] = ()
    ledger: str | None = None
    trace_id: str | None = None
    format: str = "auto"
    prices: Path | None = None
    problems: list[str] = field(default_factory=list[str])
    malformed: int = 0

    def check(self) -> None:
        """Raise ConfigError unless there is one kind of source."""
        if bool(self.files) == (self.ledger is not None):
            raise ConfigError(
                "give trace files, or --ledger URL",
                hint="judgemesh trace bill trace.jsonl",
            )

    def note(self, problem: str) -> None:
        """Keep the first problems as text, and count them all."""
        self.malformed += 1
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)


async def _traces(source: Source, ledger: Ledger | None) -> AsyncIterator[Trace]:
    """The priced traces of the source."""
    book = PriceBook.bundled(user_file=source.prices)
    found = 0
    async for trace in _read(source, ledger):
        if source.trace_id is None or trace.trace_id == source.trace_id:
            found += 1
            yield priced(trace, book)
    if not found:
        where = source.ledger or ", ".join(str(path) for path in source.files)
        wanted = (
            "no trace" if source.trace_id is None else f"no trace {source.trace_id!r}"
        )
        hint = "`judgemesh trace import` puts traces there" if source.ledger else None
        raise ConfigError(f"holds {wanted}", where=where, hint=hint)


async def _read(source: Source, ledger: Ledger | None) -> AsyncIterator[Trace]:
    if ledger is None:
        from judgemesh.mesh.tracing.readers.ingest import paths_of, read_traces

        for trace in read_traces(
            paths_of(source.files), format=source.format, on_malformed=source.note
        ):
            yield trace
    elif source.trace_id is not None:
        one = await ledger.trace(source.trace_id)
        if one is not None:
            yield one
    else:
        async for trace in ledger.traces():
            yield trace


async def _opened(source: Source, stack: AsyncExitStack) -> Ledger | None:
    if source.ledger is None:
        return None
    from judgemesh.mesh.ledger.store import Ledger

    return await stack.enter_async_context(
        await Ledger.open(source.ledger, read_only=True)
    )


# --- bill ---


def run_bill(source: Source, *, outputs: Sequence[Path], as_json: bool) -> None:
    """Read, add up, print, and write the files asked for."""
    source.check()
    for path in outputs:
        if path.suffix.lower() not in _SUFFIXES:
            raise ConfigError(
                f"a bill is written as {' or '.join(_SUFFIXES)}", where=str(path)
            )
    asyncio.run(_bill(source, outputs, as_json=as_json))


async def _bill(source: Source, outputs: Sequence[Path], *, as_json: bool) -> None:
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.bill.data import bill_json
    from judgemesh.mesh.reporting.bill.tables import bill_view

    builder = BillBuilder()
    found: list[Finding] = []
    wants_page = any(path.suffix.lower() == ".html" for path in outputs)
    async with AsyncExitStack() as stack:
        async for trace in _traces(source, await _opened(source, stack)):
            builder.add(trace)
            if wants_page:
                found = [*found, *findings_of(trace)][:_MOST_PROBLEMS]
    bill = builder.bill()
    for path in outputs:
        _write(
            path,
            _page(bill, found)
            if path.suffix.lower() == ".html"
            else _dumps(bill_json(bill)),
        )
    if as_json:
        show_json({**bill_json(bill), "malformed": source.malformed})
    else:
        show(*bill_view(bill))
        _say_problems(source)


def _page(bill: Bill, findings: Sequence[Finding]) -> str:
    from judgemesh.mesh.reporting.bill.page import bill_page

    return bill_page(bill, findings)


def _dumps(data: dict[str, Any]) -> str:
    import json

    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise ConfigError(
            f"cannot be written: {error.strerror or error}", where=str(path)
        ) from None


def _say_problems(source: Source) -> None:
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.reporting.text import one_line, plural

    for problem in source.problems:
        say(f"warning: {one_line(problem)}")
    if source.malformed > len(source.problems):
        say(
            f"warning: and {plural(source.malformed - len(source.problems), 'more problem')}"
        )


# --- findings ---


def run_findings(source: Source, *, run: str | None, as_json: bool) -> None:
    """Read, look for patterns, print."""
    source.check()
    asyncio.run(_findings(source, run, as_json=as_json))


async def _findings(source: Source, run: str | None, *, as_json: bool) -> None:
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.bill.data import finding_json, pattern_json
    from judgemesh.mesh.reporting.bill.tables import findings_view, patterns_table
    from judgemesh.mesh.reporting.trace_outcomes import join_json, join_view
    from judgemesh.mesh.tracing.bill.suggestions import suggestions_of

    across = PatternTotals()
    first: list[Finding] = []
    rows: list[dict[str, Any]] = []
    async with AsyncExitStack() as stack:
        ledger = await _opened(source, stack)
        async for trace in _traces(source, ledger):
            found = findings_of(trace)
            across.add(found)
            first = first or list(found)
            if as_json:
                rows += [finding_json(one, suggestions_of(one, trace)) for one in found]
        join = None if ledger is None else await _joined(ledger, run)
    totals = across.totals()
    if as_json:
        data: dict[str, Any] = {
            "runs": across.runs,
            "patterns": [pattern_json(total) for total in totals],
            "findings": rows,
        }
        show_json(data if join is None else {**data, "join": join_json(join)})
        return
    show(
        *(
            findings_view(first)
            if across.runs == _SHOWN_IN_FULL
            else [patterns_table(totals)]
        )
    )
    if join is not None:
        show(*join_view(join))
    _say_problems(source)


async def _joined(ledger: Ledger, name: str | None) -> Join | None:
    """The ledger's graded run joined with its traces; None where nothing is graded."""
    from judgemesh.mesh.cli.joining import join_of

    runs = await ledger.runs()
    if not runs:
        return None
    chosen = (
        find_run(runs, name)
        if name is not None
        else await ledger.latest_run() or runs[-1]
    )
    return await join_of(ledger, chosen.run_id)
