"""The public API in async code: `Mesh` grades results."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, AsyncExitStack, aclosing, nullcontext
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ConfigError, ResultError
from judgemesh.contracts.report import Report
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.grading.report import rejected_report
from judgemesh.mesh.inputs.contracts import ContractSet
from judgemesh.mesh.inputs.given import to_result
from judgemesh.mesh.inputs.settings import read_config
from judgemesh.mesh.runs.evaluation import Evaluated, Plans, evaluate
from judgemesh.mesh.runs.opening import MeshParts, open_parts
from judgemesh.mesh.runs.tally import Tally

if TYPE_CHECKING:
    from judgemesh.mesh.grading.economy.sample import Economy
    from judgemesh.mesh.grading.needs import JudgePort, SourcesPort
    from judgemesh.mesh.ledger.records import RunSummary
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.runs.redaction import TextRedactor
    from judgemesh.mesh.runs.run import Run

Opening = Callable[[MeshConfig, AsyncExitStack, "Ledger | None"], Awaitable[MeshParts]]
"""Opens the parts of a mesh; the stack closes them."""

ResultLike = AgentResult | Mapping[str, Any]


class Mesh:
    """An async grader. Use it as a context manager; one mesh serves any number of concurrent calls in one event loop.

    async with Mesh.from_config(contracts="contracts.yaml", judge="openai/gpt-4.1-mini") as mesh:
        report = await mesh.grade(result)
    """

    def __init__(self, config: MeshConfig, *, opening: Opening = open_parts) -> None:
        """Use `from_config`. opening: opens the parts of the mesh."""
        self.config = config
        self._opening = opening
        self._parts: MeshParts | None = None
        self._plans = Plans(config)
        self._stack = AsyncExitStack()
        self._labels: Ledger | None = None
        self._tally = Tally()
        self._summary: RunSummary | None = None
        self._was_left = False

    @classmethod
    def from_config(
        cls,
        config: MeshConfig | Mapping[str, Any] | str | Path | None = None,
        **options: Any,
    ) -> Self:
        """A mesh from a `MeshConfig`, a mapping or a TOML file, with options on top; see `MeshConfig` for their names.

        Raises:
            ConfigError: an unknown setting or a wrong value.
        """
        return cls(read_config(config, options))

    def calibrated_by(self, ledger: Ledger | None) -> Self:
        """Take calibrations from this ledger if the mesh has none of its own: for estimating what a run would do.

        Call it before the mesh is entered.
        """
        self._labels = ledger
        return self

    async def __aenter__(self) -> Self:
        """Load validators and contracts, open the ledger and the judge.

        Raises:
            ContractError, ConfigError, LedgerError: a part cannot be opened.
        """
        self._summary, self._was_left = None, False
        try:
            self._parts = await self._opening(self.config, self._stack, self._labels)
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Note in the ledger how the run ended, and close everything that was opened."""
        parts, self._parts = self._parts, None
        try:
            if parts is not None:
                await self._end(parts, error)
        finally:
            await self._stack.aclose()

    async def _end(self, parts: MeshParts, error: BaseException | None) -> None:
        """Keep the summary, and close the run in the ledger unless that is done; a cancellation waits for it."""
        if parts.run is None:
            self._was_left = True
            return
        import anyio

        from judgemesh.mesh.runs.run import run_status

        with anyio.CancelScope(shield=True):
            if self._summary is None:
                self._summary = await self._summary_of(parts)
            if parts.run.finished:
                return
            stopped = parts.budget is not None and parts.budget.stopped
            status = run_status(error, budget_spent=stopped)
            await parts.run.finish(status, {"graded": self._tally.graded})

    async def preflight(self, results: Iterable[ResultLike] = ()) -> tuple[str, ...]:
        """Open every source, try the names of the contracts, and ask each judge once; warnings, one line each.

        `judgemesh grade` does this before the first result. `results` are some of those to grade: services are asked
        about them, and names that nearly occur in them are warned about. The call to a judge is on record in the
        ledger; recordings and gateways made in code are not asked.

        Raises:
            PreflightError: a source is missing, or a judge cannot be used: no key, no such model, no server.
        """
        base_dir = Path(self.config.base_dir)
        located = [(to_result(result), base_dir) for result in results]
        return await self.preflight_located(located)

    async def preflight_located(
        self, results: Sequence[tuple[AgentResult, Path]]
    ) -> tuple[str, ...]:
        """`preflight` for results already read, each with the folder that its paths start from."""
        preflight = self._entered().preflight
        return () if preflight is None else await preflight().check(results)

    async def grade(
        self, result: ResultLike, contract: EvalContract | None = None
    ) -> Report:
        """Grade one result against `contract`, or the contract of its task.

        With a ledger the report is committed when this returns. A result without a contract is an evaluator error in
        an undecided report, never a pass.

        Raises:
            ResultError: `result` is no agent result.
            ConfigError: the contract names a validator that cannot be used.
            LedgerError: the report cannot be stored.
        """
        return await self.grade_parsed(
            to_result(result), contract, base_dir=Path(self.config.base_dir)
        )

    async def grade_many(
        self,
        results: Iterable[ResultLike] | AsyncIterable[ResultLike],
        *,
        ordered: bool = False,
    ) -> AsyncGenerator[Report]:
        """Grade a stream of results, at most `max_concurrency` at once; reports come as they finish, or in order.

        An item that is no agent result is rejected, as a line of a file is: its report is undecided with an evaluator
        error that says what is wrong, it is not stored, and the other items are graded.
        """
        from judgemesh.mesh.runs.stream import windowed

        with self._gathering() as left:
            stream = windowed(
                results,
                self._grade_or_reject,
                limit=self.config.max_concurrency,
                ordered=ordered,
                left=left,
            )
            async with aclosing(stream):
                async for report in stream:
                    yield report

    def _gathering(self) -> AbstractContextManager[Callable[[int], None] | None]:
        run = self._entered().run
        if run is None:
            return nullcontext()
        return run.ledger.gathering(self.config.max_concurrency)

    async def _grade_or_reject(self, item: ResultLike) -> Report:
        try:
            result = to_result(item)
        except ResultError as error:
            return rejected_report(item, str(error))
        return await self.grade(result)

    async def grade_parsed(
        self,
        result: AgentResult,
        contract: EvalContract | None = None,
        *,
        base_dir: Path,
    ) -> Report:
        """`grade` for a result already read; `base_dir` is the folder that its paths start from."""
        graded = await self.evaluate(result, contract, base_dir=base_dir)
        run = self._entered().run
        if run is not None:
            await run.write(graded.report, given=graded.given, content=graded.content)
        return graded.report

    async def evaluate(
        self,
        result: AgentResult,
        contract: EvalContract | None = None,
        *,
        base_dir: Path,
    ) -> Evaluated:
        """Grade a result already read, and leave it to the caller to store the report.

        Attempts and look-ups are recorded as they happen.
        """
        parts = self._entered()
        meter = Meter()
        if parts.run is not None:
            meter.sink = parts.run.attempts_of(result.result_id)
            meter.lookup_sink = parts.run.lookup_sink(result.result_id)
        plan = self._plans.of(result, contract, parts)
        evaluated = await evaluate(result, plan, parts, meter, base_dir=base_dir)
        self._tally.add(evaluated.report, meter)
        if self.config.content:
            return evaluated
        return evaluated._replace(content=None)

    async def summary(self) -> RunSummary:
        """The run in numbers: gates, success rate, failure codes, cost. After the mesh was left, as it was then.

        With a ledger these are the numbers of the run, earlier sessions included; without one every result that this
        mesh has graded counts.

        Raises:
            ConfigError: the mesh was never open.
        """
        if self._parts is None and self._summary is not None:
            return self._summary
        if self._parts is None and self._was_left:
            return self._tally.summary()
        parts = self._entered()
        summary = await self._summary_of(parts)
        if parts.run is not None and parts.run.finished:
            # Nothing follows: it need not be made again when the mesh is left.
            self._summary = summary
        return summary

    async def _summary_of(self, parts: MeshParts) -> RunSummary:
        if parts.run is None:
            return self._tally.summary()
        return await parts.run.ledger.summary(parts.run.run_id)

    @property
    def contracts(self) -> ContractSet:
        """The contracts of this mesh."""
        return self._entered().contracts

    @property
    def registry(self) -> ValidatorRegistry:
        """The validators of this mesh."""
        return self._entered().registry

    @property
    def run(self) -> Run | None:
        """The run in the ledger, or None without one."""
        return self._entered().run

    @property
    def ports(self) -> tuple[JudgePort | None, SourcesPort]:
        """The judge and the sources of this mesh."""
        parts = self._entered()
        return parts.judge, parts.sources

    @property
    def judge_settings(self) -> Mapping[str, object] | None:
        """The settings that decide the judge's answers; None without a judge."""
        return self._entered().judge_settings

    @property
    def economy(self) -> Economy | None:
        """The options of `--mode economy`; None in full mode."""
        return self._entered().economy

    @property
    def budget_spent(self) -> bool:
        """Whether a judge call was not made because `max_cost` did not cover it."""
        budget = self._entered().budget
        return budget is not None and budget.stopped

    @property
    def access_denied(self) -> str | None:
        """Why the provider of a judge refuses access for good: then no further call is made. None while it does not."""
        channels = self._entered().channels
        return None if channels is None else channels.denied

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about contracts, judge and redaction, one line each."""
        parts = self._entered()
        if parts.redactor is None:
            return parts.warnings
        return (*parts.warnings, *parts.redactor.warnings())

    @property
    def redactor(self) -> TextRedactor | None:
        """What texts pass through before they are kept or shown; None where nothing is redacted."""
        return self._entered().redactor

    def _entered(self) -> MeshParts:
        if self._parts is None:
            raise ConfigError(
                "the mesh is not open",
                hint="use `async with Mesh.from_config(...) as mesh:`",
            )
        return self._parts
