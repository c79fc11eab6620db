"""Runs every validator of a plan over one case.

Generators and pure functions of ours run on the event loop: those that need nothing finish here, without a task of
their own. What has to wait for a judge, a source or a thread is left to `waiting`, which is loaded when something does.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from judgemesh.contracts.report import ValidatorVerdict
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import Verdict
from judgemesh.mesh.grading.aggregate import gating_of
from judgemesh.mesh.grading.costs import costs_of
from judgemesh.mesh.grading.economy.skips import skip_if_not_asked
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.plan import GradingPlan
from judgemesh.mesh.grading.validator_run import ValidatorRun, run_inline
from judgemesh.mesh.grading.verdicts import completed, kind_of

if TYPE_CHECKING:
    from judgemesh.mesh.grading.economy.sample import Economy
    from judgemesh.mesh.grading.needs import JudgePort, SourcesPort
    from judgemesh.mesh.grading.waiting import Waiting


class Engine:
    """Schedules validators. One engine serves any number of results at once, within one event loop.

    `economy` keeps the judge from being asked about results whose gate has failed already.
    """

    def __init__(
        self,
        *,
        judge: JudgePort | None,
        sources: SourcesPort,
        threads: int = 8,
        economy: Economy | None = None,
    ) -> None:
        self._judge = judge
        self._sources = sources
        self._threads = threads
        self._economy = economy
        self._waiting: Waiting | None = None

    def close(self) -> None:
        """Release the threads."""
        if self._waiting is not None:
            self._waiting.close()

    async def evaluate(
        self, case: Case, plan: GradingPlan, meter: Meter
    ) -> tuple[ValidatorVerdict, ...]:
        """Run every validator of the plan; the verdicts come in the plan's order, whatever finished first."""
        rows: list[tuple[ValidatorVerdict, ...]] = [()] * len(plan.validators)
        waiting: list[ValidatorRun] = []
        for index, planned in enumerate(plan.validators):
            own_case = replace(case, args=planned.args) if planned.args else case
            run = ValidatorRun(index, planned, own_case, perf_counter())
            verdicts = run_inline(run) if run.is_quick else None
            if verdicts is None:
                waiting.append(run)
            else:
                rows[index] = self._rows(run, verdicts, plan, meter)
        if waiting:
            await self._waited().run(waiting, rows, plan, meter)
        return (*plan.preset, *(row for group in rows for row in group))

    def _waited(self) -> Waiting:
        if self._waiting is None:
            from judgemesh.mesh.grading.waiting import Waiting

            self._waiting = Waiting(
                self._judge, self._sources, self._threads, self._economy, self._rows
            )
        return self._waiting

    def _rows(
        self,
        run: ValidatorRun,
        verdicts: list[Verdict],
        plan: GradingPlan,
        meter: Meter,
    ) -> tuple[ValidatorVerdict, ...]:
        """The verdicts of one validator as rows of the report, each with the cost of its own question."""
        validator = run.planned.validator
        latency_ms = round((perf_counter() - run.started) * 1000, 3)
        attempts = meter.attempts_of(validator.name) if run.asked_judge else ()
        costs = costs_of(verdicts, attempts)
        rows: list[ValidatorVerdict] = []
        for verdict, cost in zip(map(skip_if_not_asked, verdicts), costs, strict=True):
            gating = gating_of(
                verdict,
                override=run.planned.gate,
                validator_gates=validator.gate,
                contract=plan.contract,
            )
            row = ValidatorVerdict(
                validator_name=validator.name,
                validator_version=validator.version,
                validator_type=kind_of(
                    verdict,
                    validator,
                    asked_judge=run.asked_judge,
                    asked_source=run.asked_source,
                ),
                verdict=self._final(verdict, run),
                gating=gating,
                latency_ms=latency_ms,
                evaluator_model=run.model,
                cost=cost,
            )
            rows.append(row)
        return tuple(rows)

    def _final(self, verdict: Verdict, run: ValidatorRun) -> Verdict:
        verdict = completed(verdict, run.planned.validator, asked_judge=run.asked_judge)
        if self._economy is None or not run.audited or verdict.check in run.answered:
            return verdict
        from judgemesh.mesh.grading.economy.sample import with_audit_share

        return with_audit_share(verdict, self._economy.audit)
