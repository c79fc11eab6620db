"""One result under its contract: the plan, the case, the report, and the content that the ledger keeps beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Report
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.verdicts import Error, Reason
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.grading.case.case import prepare, refers_to_files
from judgemesh.mesh.grading.content import GivenResult, graded_content
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.plan import GradingPlan, compile_plan
from judgemesh.mesh.grading.report import no_contract_report, report_of
from judgemesh.mesh.runs.opening import MeshParts

if TYPE_CHECKING:
    from judgemesh.contracts.validator import Case
    from judgemesh.mesh.runs.redaction import TextRedactor

T = TypeVar("T")

_UNFINISHED: Final = frozenset({Reason.BUDGET, Reason.ACCESS_DENIED})


class Evaluated(NamedTuple):
    """A report, its result, and what makes the content that the ledger keeps beside it; None where it keeps none."""

    report: Report
    given: GivenResult
    content: Callable[[], Mapping[str, object]] | None

    @property
    def is_unfinished(self) -> bool:
        """Whether a verdict is missing because the budget was spent, or access to the judge refused."""
        return any(
            isinstance(row.verdict, Error) and row.verdict.reason in _UNFINISHED
            for row in self.report.verdicts
        )

    @property
    def is_judged(self) -> bool:
        """Whether a judge was asked for one of the verdicts."""
        return any(row.evaluator_model for row in self.report.verdicts)


class Plans:
    """The plans of contracts, each compiled once."""

    def __init__(self, config: MeshConfig) -> None:
        self._base_dir = Path(config.base_dir)
        self._timeout_s = config.timeout_s
        self._compiled: dict[str, GradingPlan] = {}

    def of(
        self, result: AgentResult, contract: EvalContract | None, parts: MeshParts
    ) -> GradingPlan | None:
        """The plan of `contract`, or of the contract of the result's task; None when there is no contract."""
        if contract is not None:
            key = f"in code:{contract.digest()}"
            return self._plan(key, contract, self._base_dir, parts)
        loaded = parts.contracts.find(result.contract or result.task_id)
        if loaded is None:
            return None
        task_id = loaded.contract.task_id
        return self._plan(task_id, loaded.contract, loaded.base_dir, parts)

    def _plan(
        self, key: str, contract: EvalContract, base_dir: Path, parts: MeshParts
    ) -> GradingPlan:
        plan = self._compiled.get(key)
        if plan is None:
            plan = self._compiled[key] = compile_plan(
                contract,
                parts.registry,
                base_dir=base_dir,
                timeout_s=self._timeout_s,
                also=parts.also,
            )
        return plan


async def evaluate(
    result: AgentResult,
    plan: GradingPlan | None,
    parts: MeshParts,
    meter: Meter,
    *,
    base_dir: Path,
) -> Evaluated:
    """Grade a result under its plan; without one it is undecided. `meter` records attempts as they happen."""
    case: Case | None = None
    if plan is None:
        report = no_contract_report(result, parts.contracts.by_task)
    else:
        case = await _case(result, plan, parts, base_dir)
        rows = await parts.engine.evaluate(case, plan, meter)
        report = report_of(case.result, plan, rows, meter)
    content: Callable[[], Mapping[str, object]]
    given = GivenResult(result)
    content = partial(graded_content, given, case, report, meter)
    if parts.redactor is not None:
        content = partial(_redacted_content, parts.redactor, content)
        report = await _in_thread(partial(parts.redactor.report, report))
    return Evaluated(report, given, content)


async def _case(
    result: AgentResult, plan: GradingPlan, parts: MeshParts, base_dir: Path
) -> Case:
    """The case of a result; in a worker thread where files have to be read."""
    has_judge = parts.judge_settings is not None
    work = partial(prepare, result, plan.contract, base_dir=base_dir, judge=has_judge)
    if refers_to_files(result):
        return await _in_thread(work)
    return work()


def _redacted_content(
    redactor: TextRedactor, content: Callable[[], Mapping[str, object]]
) -> Mapping[str, object]:
    return redactor.content(content())


async def _in_thread(work: Callable[[], T]) -> T:
    from anyio import to_thread

    return await to_thread.run_sync(work)
