"""What grading would cost (`--dry-run`): the validators ask their questions, and no call is made.

Everything runs as usual, judge included, over a gateway that counts. It answers "yes" to everything (the fewest calls)
or the opposite every second time (the most). Answers in the cache are taken from there, results that the run already
holds are left out, and nothing is written.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from anyio import to_thread

from judgemesh.contracts.money import Money
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.inputs.contents import Contents
from judgemesh.mesh.inputs.results import Accepted, Line, Rejected
from judgemesh.mesh.judging.costs import sum_of
from judgemesh.mesh.runs.contents import run_contents, with_contents
from judgemesh.mesh.runs.mesh import Mesh
from judgemesh.mesh.runs.room import Room
from judgemesh.mesh.runs.run import run_identity, run_key
from judgemesh.mesh.runs.selection import (
    BatchOptions,
    Selection,
    batch_config,
    must_grade,
)
from judgemesh.mesh.runs.stream import windowed

if TYPE_CHECKING:
    from judgemesh.mesh.judging.gateways.dry_run import CallTotals, DryGateway
    from judgemesh.mesh.ledger.store import Ledger

_REPEATS: Final = 1.1
"""Calls with retries for each call without: the retry budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """From the least to the most that is likely."""

    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would do.

    results: those to grade; `already_graded` and `rejected` are not among them. nothing_selected: why `--filter` kept
        none; empty where it kept one.
    cost_low, cost_high: None when the model has no price. worst_case: what `--max-cost` would have to cover for the
        most calls, every byte a token and every answer as long as it may be. unpriced: models without a price.
    """

    judge: str | None
    results: int
    already_graded: int
    rejected: int
    calls: Range
    cache_hits: int
    input_tokens: Range
    output_tokens: Range
    cost_low: Money | None
    cost_high: Money | None
    worst_case: Money | None
    unpriced: tuple[str, ...] = ()
    nothing_selected: str = ""

    def to_json(self) -> dict[str, object]:
        """The estimate as one JSON object; amounts of money as numbers."""

        def number(money: Money | None) -> float | None:
            return None if money is None else float(money.amount)

        def both(range_: Range) -> dict[str, int]:
            return {"low": range_.low, "high": range_.high}

        return {
            "dry_run": True,
            "judge": self.judge,
            "results": self.results,
            "already_graded": self.already_graded,
            "rejected": self.rejected,
            "calls": both(self.calls),
            "cache_hits": self.cache_hits,
            "input_tokens": both(self.input_tokens),
            "output_tokens": both(self.output_tokens),
            "cost": {"low": number(self.cost_low), "high": number(self.cost_high)},
            "worst_case_cost": number(self.worst_case),
            "currency": None if self.cost_low is None else self.cost_low.currency,
        }


async def estimate(config: MeshConfig, options: BatchOptions) -> Estimate:
    """What grading with this configuration would cost.

    Raises:
        InputError: contracts, options or an input file cannot be used.
        LedgerError: there is a ledger, and it cannot be read.
    """
    config = batch_config(config, options).model_copy(update={"max_cost": None})
    async with AsyncExitStack() as stack:
        ledger = await _ledger(config, stack)
        cache = ledger if config.cache else None
        fewest = _gateways(config, cache, contrary=False)
        counts = await _pass(config, options, fewest, ledger)
        most = _gateways(config, cache, contrary=True)
        if most.all:
            counts = await _pass(config, options, most, ledger)
        return _estimate(fewest, most, counts)


@dataclass(frozen=True, slots=True)
class _Gateways:
    """The gateways of one pass: those that are asked first, and the one for what they leave open."""

    judges: tuple[DryGateway, ...] = ()
    escalate: DryGateway | None = None

    @property
    def all(self) -> tuple[DryGateway, ...]:
        """Every gateway."""
        return self.judges if self.escalate is None else (*self.judges, self.escalate)

    @property
    def title(self) -> str | None:
        """The models, for people; None without a judge."""
        if not self.judges:
            return None
        title = " + ".join(gateway.model or gateway.name for gateway in self.judges)
        if self.escalate is not None:
            title += f", then {self.escalate.model}"
        return title


@dataclass(slots=True)
class _Counts:
    """The results of one pass."""

    to_grade: int = 0
    already_graded: int = 0
    rejected: int = 0
    nothing_selected: str = ""


def _estimate(low: _Gateways, high: _Gateways, counts: _Counts) -> Estimate:
    """The estimate, from the pass with the fewest calls and the one with the most."""
    fewest = [gateway.totals for gateway in low.all]
    most = [gateway.totals for gateway in high.all]
    return Estimate(
        judge=low.title,
        results=counts.to_grade,
        already_graded=counts.already_graded,
        rejected=counts.rejected,
        nothing_selected=counts.nothing_selected,
        calls=Range(
            low=sum(totals.calls for totals in fewest),
            high=_with_retries(sum(totals.calls for totals in most)),
        ),
        cache_hits=sum(totals.cache_hits for totals in fewest),
        input_tokens=Range(
            low=sum(totals.input_low for totals in fewest),
            high=_with_retries(sum(totals.input_high for totals in most)),
        ),
        output_tokens=Range(
            low=sum(totals.output_low for totals in fewest),
            high=_with_retries(sum(totals.output_high for totals in most)),
        ),
        cost_low=sum_of(*(_cost(gateway, _usage_low) for gateway in low.all)),
        cost_high=sum_of(*(_cost(gateway, _usage_high) for gateway in high.all)),
        worst_case=sum_of(*(_worst_case(gateway) for gateway in high.all)),
        unpriced=_unpriced(high),
    )


def _unpriced(gateways: _Gateways) -> tuple[str, ...]:
    names: list[str] = []
    for gateway in gateways.all:
        if gateway.price is None:
            names.append(gateway.model or gateway.name)
    return tuple(names)


def _with_retries(number: int) -> int:
    """The number with the share that may be repeated, rounded up."""
    return -(-int(number * _REPEATS * 1000) // 1000)


def _usage_low(totals: CallTotals) -> Usage:
    uncached = totals.input_low - totals.cached_low
    return Usage(uncached, totals.cached_low, 0, totals.output_low)


def _usage_high(totals: CallTotals) -> Usage:
    output = _with_retries(totals.output_high)
    return Usage(0, 0, _with_retries(totals.input_high), output)


def _cost(gateway: DryGateway, usage_of: Callable[[CallTotals], Usage]) -> Money | None:
    if gateway.price is None:
        return None
    return gateway.price.cost(usage_of(gateway.totals))


def _worst_case(gateway: DryGateway) -> Money | None:
    if gateway.price is None:
        return None
    amount = gateway.totals.worst_cost * Decimal(str(_REPEATS))
    return Money(amount, gateway.price.currency)


def _gateways(config: MeshConfig, cache: Ledger | None, *, contrary: bool) -> _Gateways:
    judges: list[DryGateway] = []
    for spec in config.judges:
        if isinstance(spec, str):
            judges.append(_gateway(spec, config, cache, contrary=contrary))
    escalate: DryGateway | None = None
    if isinstance(config.escalate, str):
        escalate = _gateway(config.escalate, config, cache, contrary=contrary)
    return _Gateways(tuple(judges), escalate)


def _gateway(
    spec: str, config: MeshConfig, cache: Ledger | None, *, contrary: bool
) -> DryGateway:
    from judgemesh.mesh.judging.gateways.dry_run import DryGateway
    from judgemesh.mesh.judging.gateways.open import model_of, open_gateway
    from judgemesh.mesh.pricing.prices import PriceBook

    real = open_gateway(spec, api_base=config.judge_api_base)
    model = model_of(spec, real)
    prices = Path(config.prices) if config.prices else None
    price = PriceBook.bundled(user_file=prices).find(model)
    return DryGateway(real.name, model, price, contrary, cache, votes=real.votes)


async def _ledger(config: MeshConfig, stack: AsyncExitStack) -> Ledger | None:
    """The ledger, opened to be read only; None when there is none yet."""
    from judgemesh.mesh.ledger.engines import parse_address
    from judgemesh.mesh.ledger.store import Ledger

    if config.ledger is None:
        return None
    url = str(config.ledger)
    address = parse_address(url)
    if address.is_memory or (address.path is not None and not address.path.is_file()):
        return None
    return await stack.enter_async_context(await Ledger.open(url, read_only=True))


async def _pass(
    config: MeshConfig,
    options: BatchOptions,
    gateways: _Gateways,
    ledger: Ledger | None,
) -> _Counts:
    """Grade with gateways that make no call."""
    counts = _Counts()
    changes: dict[str, object] = {
        "judge": gateways.judges or None,
        "escalate": gateways.escalate,
        "ledger": None,
        "cache": False,
    }
    dry_config = config.model_copy(update=changes)
    async with Mesh.from_config(dry_config).calibrated_by(ledger) as mesh:
        run_id = await _run_id(mesh, config, ledger) if options.resume else None
        contents = Contents()
        room = Room()

        def reject(_line: Rejected, _path: Path | None) -> None:
            counts.rejected += 1

        async def missing() -> AsyncIterator[Line]:
            selection = Selection(options, reject)
            async for (selected,) in selection.chunks(1):
                result_id = selected.result_id
                read = selected.line.read()
                selection.settle(selected, usable=isinstance(read, Accepted))
                if isinstance(read, Rejected):
                    reject(read, None)
                    continue
                accepted = await with_contents(read, contents)
                row = None
                if run_id is not None and ledger is not None:
                    graded = await ledger.graded_among(run_id, [result_id])
                    row = graded.get(result_id)
                if must_grade(row, accepted.digest, retry_errors=options.retry_errors):
                    counts.to_grade += 1
                    yield selected.line
                else:
                    counts.already_graded += 1
            counts.nothing_selected = selection.filters.why_nothing()

        async def grade(line: Line) -> None:
            async with room.taken(line.parsed_bytes):
                read = line.read()
                if isinstance(read, Accepted):
                    await mesh.grade_parsed(read.result, base_dir=read.base_dir)

        async for _ in windowed(missing(), grade, limit=config.max_concurrency):
            pass
    return counts


async def _run_id(mesh: Mesh, config: MeshConfig, ledger: Ledger | None) -> str | None:
    """The run that the same command without `--dry-run` would continue."""
    if ledger is None:
        return None
    contents = await to_thread.run_sync(
        run_contents, config, mesh.contracts, Contents()
    )
    identity = run_identity(
        config, mesh.contracts, mesh.registry, mesh.judge_settings, contents
    )
    key = run_key(config, identity)
    for run in await ledger.runs():
        if run.run_key == key:
            return run.run_id
    return None
