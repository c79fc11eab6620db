"""What an entered `Mesh` is made of, opened in order: validators, contracts, ledger, judge, run, sources, engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ContractError
from judgemesh.contracts.validator import Validator
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.grading.contract_check.check import (
    check_contracts,
    contract_set,
    load_contracts,
)
from judgemesh.mesh.grading.engine import Engine
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.inputs.contracts import ContractSet, contract_of
from judgemesh.mesh.sources.late import LateSources

if TYPE_CHECKING:
    from judgemesh.mesh.grading.economy.sample import Economy
    from judgemesh.mesh.grading.needs import JudgePort, SourcesPort
    from judgemesh.mesh.judging.client.budget import JudgeBudget
    from judgemesh.mesh.judging.client.channel import Channels
    from judgemesh.mesh.judging.client.client import Client
    from judgemesh.mesh.judging.protocols import Judge
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.runs.preflight import Preflight
    from judgemesh.mesh.runs.redaction import TextRedactor
    from judgemesh.mesh.runs.run import Run


class MeshParts(NamedTuple):
    """The parts of an entered mesh.

    judge, sources: what answers the needs of validators.
    judge_settings: what decides a judge's answers; None without a judge.
    preflight: makes it; None in a worker. channels: what all calls of the judges share.
    also: validators that run for every contract.
    economy: the options of `--mode economy`; None in full mode.
    redactor: what reports and contents pass through before they are kept or shown.
    """

    registry: ValidatorRegistry
    contracts: ContractSet
    engine: Engine
    judge: JudgePort | None
    sources: SourcesPort
    run: Run | None
    warnings: tuple[str, ...]
    budget: JudgeBudget | None
    judge_settings: Mapping[str, object] | None
    preflight: Callable[[], Preflight] | None
    channels: Channels | None
    also: tuple[str, ...]
    economy: Economy | None
    redactor: TextRedactor | None = None


class _Judging(NamedTuple):
    """The judge of a configuration and what came of opening it."""

    judge: Judge | None = None
    budget: JudgeBudget | None = None
    warnings: tuple[str, ...] = ()
    clients: tuple[Client, ...] = ()
    channels: Channels | None = None


async def open_parts(
    config: MeshConfig, stack: AsyncExitStack, labels: Ledger | None
) -> MeshParts:
    """Open everything that a configuration names; `stack` closes it.

    Args:
        config: the configuration.
        stack: where closing is registered.
        labels: the ledger that calibrations come from where the configuration names none.

    Raises:
        ContractError, ConfigError, LedgerError: a part cannot be opened.
    """
    redactor = _redactor(config)
    if redactor is not None:
        # A cache keeps replies and documents as they came.
        config = config.model_copy(update={"cache": False})
    in_code = [entry for entry in config.validators if isinstance(entry, Validator)]
    registry = ValidatorRegistry.discover().with_validators(in_code)
    contracts = _contracts(config)
    also = _also(config)
    warnings = check_contracts(contracts, registry, also=also)
    ledger = await _ledger(config, stack)
    judging = await _judging(config, stack, ledger, labels)
    judge, budget = judging.judge, judging.budget
    judge_settings = None if judge is None else judge.settings
    run: Run | None = None
    if ledger is not None:
        run = await _begun(ledger, config, contracts, registry, judge_settings)
        run.redactor = redactor
        if budget is not None:
            await _charge_earlier_sessions(budget, run)
    sources = _sources(config, ledger, stack)
    economy = await _economy(config, ledger)
    return MeshParts(
        registry=registry,
        contracts=contracts,
        engine=_engine(economy, judge, sources, stack),
        judge=judge,
        sources=sources,
        run=run,
        warnings=(*warnings, *judging.warnings),
        budget=budget,
        judge_settings=judge_settings,
        preflight=partial(_preflight, contracts, sources, judging.clients, run),
        channels=judging.channels,
        also=also,
        economy=economy,
        redactor=redactor,
    )


async def worker_parts(
    config: MeshConfig,
    stack: AsyncExitStack,
    _labels: Ledger | None,
    *,
    contracts: ContractSet,
    judge: JudgePort | None,
    sources: SourcesPort,
    economy: Economy | None,
) -> MeshParts:
    """The parts of a mesh in a worker process: no ledger, and everything outside is asked of `judge` and `sources`.

    Raises:
        ConfigError: a validator cannot be loaded.
    """
    return MeshParts(
        registry=ValidatorRegistry.discover(),
        contracts=contracts,
        engine=_engine(economy, judge, sources, stack),
        judge=judge,
        sources=sources,
        run=None,
        warnings=(),
        budget=None,
        judge_settings=None if judge is None else {},
        preflight=None,
        channels=None,
        also=_also(config),
        economy=economy,
        redactor=_redactor(config),
    )


async def _economy(config: MeshConfig, ledger: Ledger | None) -> Economy | None:
    """The options of economy mode, with what the ledger knows about the questions; None in full mode."""
    if config.mode != "economy":
        return None
    from judgemesh.mesh.grading.economy.history import history_of
    from judgemesh.mesh.grading.economy.sample import Economy

    records = [] if ledger is None else await ledger.question_records()
    return Economy(
        audit=config.audit_share, seed=config.seed, history=history_of(records)
    )


def _redactor(config: MeshConfig) -> TextRedactor | None:
    if not config.redactors:
        return None
    from judgemesh.mesh.runs.redaction import redactor_of

    return redactor_of(config.redactors)


def _engine(
    economy: Economy | None,
    judge: JudgePort | None,
    sources: SourcesPort,
    stack: AsyncExitStack,
) -> Engine:
    engine = Engine(judge=judge, sources=sources, economy=economy)
    stack.callback(engine.close)
    return engine


def _also(config: MeshConfig) -> tuple[str, ...]:
    """The validators that run for every contract beside those it selects: those the configuration names or is given.

    One that a contract names itself is left to that contract.
    """
    return tuple(
        entry if isinstance(entry, str) else entry.name for entry in config.validators
    )


async def _ledger(config: MeshConfig, stack: AsyncExitStack) -> Ledger | None:
    """The open ledger; None when the configuration names none."""
    if config.ledger is None:
        return None
    from judgemesh.mesh.ledger.store import Ledger

    ledger = await Ledger.open(str(config.ledger))
    stack.push_async_callback(ledger.aclose)
    return ledger


async def _judging(
    config: MeshConfig,
    stack: AsyncExitStack,
    ledger: Ledger | None,
    labels: Ledger | None,
) -> _Judging:
    if not config.judges and config.max_cost is None:
        return _Judging()
    from judgemesh.mesh.judging.build import JudgeBuilder, budget_of, calibrations_of

    budget = budget_of(config)
    builder = JudgeBuilder(config, stack)
    judge = builder.build(ledger, budget, await calibrations_of(ledger or labels))
    return _Judging(judge, budget, builder.warnings, builder.clients, builder.channels)


async def _begun(
    ledger: Ledger,
    config: MeshConfig,
    contracts: ContractSet,
    registry: ValidatorRegistry,
    judge_settings: Mapping[str, object] | None,
) -> Run:
    """The run in the ledger: a new one, or the one that this grading goes on with."""
    from anyio import to_thread

    from judgemesh.mesh.inputs.contents import Contents
    from judgemesh.mesh.runs.contents import run_contents
    from judgemesh.mesh.runs.run import begin_run

    contents = await to_thread.run_sync(run_contents, config, contracts, Contents())
    return await begin_run(
        ledger, config, contracts, registry, judge_settings, contents
    )


def _preflight(
    contracts: ContractSet,
    sources: LateSources,
    judges: Sequence[Client],
    run: Run | None,
) -> Preflight:
    from judgemesh.mesh.runs.preflight import Preflight

    return Preflight(contracts=contracts, sources=sources, judges=judges, run=run)


async def _charge_earlier_sessions(budget: JudgeBudget, run: Run) -> None:
    """The budget is the run's: what earlier sessions of it have spent counts."""
    summary = await run.ledger.summary(run.run_id)
    for cost in summary.evaluator_cost:
        if cost.currency == budget.currency:
            budget.spent += cost.amount


def _sources(
    config: MeshConfig, ledger: Ledger | None, stack: AsyncExitStack
) -> LateSources:
    """The evidence and record sources; look-ups are kept in the ledger unless caching is off."""
    cache = ledger if config.cache or config.offline else None
    sources = LateSources(cache, offline=config.offline, clock=config.clock)
    stack.push_async_callback(sources.aclose)
    return sources


def _contracts(config: MeshConfig) -> ContractSet:
    """The contracts that a configuration names, those in files and those made in code."""
    named = () if config.contracts is None else config.contracts
    single = isinstance(named, str | Mapping | EvalContract)
    is_many = isinstance(named, Iterable) and not single
    paths: list[Path] = []
    in_code: list[EvalContract] = []
    for entry in cast("Iterable[object]", named) if is_many else [named]:
        if isinstance(entry, str | Path):
            paths.append(Path(entry))
        else:
            in_code.append(contract_of(entry))
    by_task = dict(load_contracts(paths).by_task) if paths else {}
    for loaded in contract_set(in_code, base_dir=Path(config.base_dir)).contracts:
        task_id = loaded.contract.task_id
        if task_id in by_task:
            raise ContractError(f"two contracts have the task_id {task_id!r}")
        by_task[task_id] = loaded
    return ContractSet(by_task)
