"""What grading would cost (`--dry-run`): the questions that the validators really ask, answered by nobody.

Everything runs as it would, judge included, over a gateway that makes no call: it counts, and answers "yes" to all
(the fewest calls) or changes its mind from one vote to the next (the most). Answers in the cache are taken from there,
results that the run holds already are left out, and nothing is written.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.usage import Money, PriceSnapshot, Usage
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.inputs.results import Accepted, Rejected, Seen
from judgemesh.mesh.judging.port import sum_of
from judgemesh.mesh.runs.batch import BatchOptions, batch_config, wanted_results
from judgemesh.mesh.runs.mesh import Mesh
from judgemesh.mesh.runs.run import run_identity, run_key
from judgemesh.mesh.runs.stream import windowed

if TYPE_CHECKING:
    from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
    from judgemesh.mesh.judging.gateways.simulated import PrefixCache, Word
    from judgemesh.mesh.ledger.store import Ledger

_BYTES_A_TOKEN: Final = (5, 3)  # few tokens, many tokens
_ANSWER_TOKENS: Final = (15, 300)
_REPEATS: Final = 1.1  # the retry budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """From the least to the most that is likely."""

    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run would do.

    results: those to grade; `already_graded` and `rejected` are not among them.
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

    def to_json(self) -> dict[str, object]:
        """The estimate as one JSON object; amounts of money as numbers."""

        def number(money: Money | None) -> float | None:
            return None if money is None else float(money.amount)

        def both(one: Range) -> dict[str, int]:
            return {"low": one.low, "high": one.high}

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


@dataclass(slots=True)
class _Sum:
    """What the calls of one pass come to."""

    calls: int = 0
    cache_hits: int = 0
    input_low: int = 0
    input_high: int = 0
    cached_low: int = 0
    output_low: int = 0
    output_high: int = 0
    worst: Decimal = Decimal(0)


@dataclass(slots=True)
class DryGateway:
    """A gateway that counts calls and answers them by itself. `name` is that of the gateway it stands for, so that
    cache and run are found under the same keys; `votes` is its way of voting, where it has one."""

    name: str
    model: str | None
    price: PriceSnapshot | None
    contrary: bool
    cache: Ledger | None
    votes: str = "lead"
    takes_tools: bool = True
    sum: _Sum = field(default_factory=_Sum)
    prefixes: PrefixCache | None = None

    async def complete(self, call: ModelCall) -> ModelReply:
        """Count the call and answer it."""
        kept = await self._kept(call)
        if kept is not None:
            self.sum.cache_hits += 1
            return kept
        return self._answer(call)

    async def aclose(self) -> None:
        """Nothing to close."""

    async def _kept(self, call: ModelCall) -> ModelReply | None:
        if self.cache is None:
            return None
        import json

        from judgemesh.mesh.judging.client.cache import cache_key, reply_from_json

        text = await self.cache.cache_get(cache_key(call, gateway=self.name))
        try:
            return None if text is None else reply_from_json(json.loads(text))
        except ValueError:
            return None

    def _answer(self, call: ModelCall) -> ModelReply:
        from judgemesh.contracts.gateway import ModelReply
        from judgemesh.mesh.judging.client.budget import output_limit, worst_cost
        from judgemesh.mesh.judging.gateways.simulated import (
            PrefixCache,
            answer_text,
            answers_text,
            is_negated,
            prompt_text,
        )

        self.prefixes = self.prefixes or PrefixCache()
        prompt = prompt_text(call.messages)
        size = len(prompt.encode("utf-8", "surrogatepass"))
        few, many = _BYTES_A_TOKEN
        found, limit = self.sum, output_limit(call.parameters)
        found.calls += 1
        found.input_low += size // few
        found.input_high += -(-size // many)
        found.cached_low += min(
            size // few, self.prefixes.cached_tokens(prompt, model=call.model)
        )
        answers = max(1, len(call.question_ids))
        found.output_low += min(_ANSWER_TOKENS[0] * answers, limit)
        found.output_high += min(_ANSWER_TOKENS[1] * answers, limit)
        if self.price is not None:
            found.worst += worst_cost(call, self.price).amount
        schema = call.response_schema
        wanted = (
            None
            if schema is None
            else {"type": "json_schema", "json_schema": {"schema": dict(schema)}}
        )
        # The same answer to the question every time, or every other time another one: also where it is turned round.
        contrary = self.contrary and call.sample_index % 2 == 1
        word: Word = (
            "no" if contrary != is_negated(call.messages[-1]["content"]) else "yes"
        )
        words: list[Word] = [word] * answers
        text = (
            answers_text(words, wanted)
            if call.question_ids
            else answer_text(word, wanted)
        )
        return ModelReply(text=text, model_served=call.model, usage=Usage())


async def estimate(config: MeshConfig, options: BatchOptions) -> Estimate:
    """What grading with this configuration would cost.

    Raises:
        InputError: contracts, options or an input file cannot be used.
        LedgerError: there is a ledger, and it cannot be read.
    """
    config = batch_config(config, options).model_copy(update={"max_cost": None})
    async with AsyncExitStack() as stack:
        ledger = await _ledger(config, stack)
        passes: list[_Dry] = []
        counts = (0, 0, 0)
        for contrary in (False, True):
            cache = ledger if config.cache else None
            dry = _gateways(config, cache, contrary=contrary)
            counts = await _pass(config, options, dry, ledger)
            passes.append(dry)
            if not dry.all:
                break
        return _estimate(passes[0], passes[-1], counts)


@dataclass(frozen=True, slots=True)
class _Dry:
    """The gateways of one pass: those that are asked first, and the one for what they leave open."""

    judges: tuple[DryGateway, ...] = ()
    escalate: DryGateway | None = None

    @property
    def all(self) -> tuple[DryGateway, ...]:
        """Every gateway."""
        return self.judges if self.escalate is None else (*self.judges, self.escalate)

    @property
    def name(self) -> str | None:
        """The models, for people."""
        first = " + ".join(one.model or one.name for one in self.judges)
        return (
            first + (f", then {self.escalate.model}" if self.escalate else "") or None
        )

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models without a price."""
        return tuple(one.model or one.name for one in self.all if one.price is None)


def _estimate(low: _Dry, high: _Dry, counts: tuple[int, int, int]) -> Estimate:
    least, most = [one.sum for one in low.all], [one.sum for one in high.all]

    def times(number: int) -> int:
        return -(-int(number * _REPEATS * 1000) // 1000)

    def cost(
        gateways: tuple[DryGateway, ...], usage: Callable[[_Sum], Usage]
    ) -> Money | None:
        return sum_of(
            *(
                None if one.price is None else one.price.cost(usage(one.sum))
                for one in gateways
            )
        )

    def worst(one: DryGateway) -> Money | None:
        return (
            None
            if one.price is None
            else Money(one.sum.worst * Decimal(str(_REPEATS)), one.price.currency)
        )

    return Estimate(
        judge=low.name,
        results=counts[0],
        already_graded=counts[1],
        rejected=counts[2],
        calls=Range(
            low=sum(one.calls for one in least),
            high=times(sum(one.calls for one in most)),
        ),
        cache_hits=sum(one.cache_hits for one in least),
        input_tokens=Range(
            low=sum(one.input_low for one in least),
            high=times(sum(one.input_high for one in most)),
        ),
        output_tokens=Range(
            low=sum(one.output_low for one in least),
            high=times(sum(one.output_high for one in most)),
        ),
        cost_low=cost(
            low.all,
            lambda one: Usage(
                one.input_low - one.cached_low, one.cached_low, 0, one.output_low
            ),
        ),
        cost_high=cost(
            high.all,
            lambda one: Usage(0, 0, times(one.input_high), times(one.output_high)),
        ),
        worst_case=sum_of(*(worst(one) for one in high.all)),
        unpriced=high.unpriced,
    )


def _gateways(config: MeshConfig, cache: Ledger | None, *, contrary: bool) -> _Dry:
    judges = tuple(
        _gateway(name, config, cache, contrary=contrary)
        for name in config.judges
        if isinstance(name, str)
    )
    if not isinstance(config.escalate, str):
        return _Dry(judges)
    return _Dry(judges, _gateway(config.escalate, config, cache, contrary=contrary))


def _gateway(
    spec: str, config: MeshConfig, cache: Ledger | None, *, contrary: bool
) -> DryGateway:
    from judgemesh.mesh.judging.gateways.open import model_of, open_gateway
    from judgemesh.mesh.pricing.prices import PriceBook

    stands_for: Gateway = open_gateway(spec, api_base=config.judge_api_base)
    model = model_of(spec, stands_for)
    prices = Path(config.prices) if config.prices else None
    price = PriceBook.bundled(user_file=prices).find(model)
    return DryGateway(
        stands_for.name,
        model,
        price,
        contrary,
        cache,
        votes=stands_for.votes,
    )


async def _ledger(config: MeshConfig, stack: AsyncExitStack) -> Ledger | None:
    """The ledger as it is, to be read only; None when there is none yet."""
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
    config: MeshConfig, options: BatchOptions, dry: _Dry, ledger: Ledger | None
) -> tuple[int, int, int]:
    """Grade with judges that are not asked: results to grade, graded already, rejected."""
    judges: dict[str, object] = {"judge": dry.judges or None, "escalate": dry.escalate}
    unkept = config.model_copy(update={**judges, "ledger": None, "cache": False})
    to_grade = known = 0
    async with Mesh.from_config(unkept).calibrated_by(ledger) as mesh:
        run_id = await _run_id(mesh, config, ledger) if options.resume else None
        rejected: list[Rejected] = []

        async def missing() -> AsyncIterator[Accepted]:
            nonlocal to_grade, known
            for _, item in wanted_results(
                options, Seen(), lambda line, _path: rejected.append(line)
            ):
                row = None
                if run_id is not None and ledger is not None:
                    found = await ledger.graded_among(run_id, [item.result.result_id])
                    row = found.get(item.result.result_id)
                graded = row is not None and row.result_digest == item.digest
                if graded and not (
                    row is not None and row.has_error and options.retry_errors
                ):
                    known += 1
                    continue
                to_grade += 1
                yield item

        async def one(item: Accepted) -> None:
            await mesh.grade_parsed(
                item.result, base_dir=item.base_dir, digest=item.digest
            )

        async for _ in windowed(missing(), one, limit=config.max_concurrency):
            pass
    return to_grade, known, len(rejected)


async def _run_id(mesh: Mesh, config: MeshConfig, ledger: Ledger | None) -> str | None:
    """The run that the same command without `--dry-run` would continue."""
    if ledger is None:
        return None
    identity = run_identity(config, mesh.contracts, mesh.registry, mesh.judge_settings)
    key = run_key(config, identity)
    return next((run.run_id for run in await ledger.runs() if run.run_key == key), None)
