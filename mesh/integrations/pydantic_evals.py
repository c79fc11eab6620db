"""pydantic-evals: the evaluator `JudgeMesh`.

    dataset = Dataset(cases=cases, evaluators=[JudgeMesh(task="refund")])

A decided gate is the assertion `judgemesh`. An undecided one has no assertion, so that no average holds it, and the
label `judgemesh_gate` says so; where the evaluator broke, it raises, and pydantic-evals shows an evaluator failure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import session

if TYPE_CHECKING:
    # pydantic-evals is not in this project's environment; what is used of it is Any.
    EvaluationReason: Any

    class Evaluator:
        """The base class of evaluators."""
else:
    from pydantic_evals.evaluators import EvaluationReason, Evaluator

_NUMBERS: Final = (
    "outcome_score",
    "completeness_score",
    "evidence_validity_score",
    "evidence_consistency_score",
    "methodology_score",
    "readability_score",
    "execution_success_score",
    "judge_calls",
)


@dataclass(repr=False)
class JudgeMesh(Evaluator):
    """The hard gate as an assertion, the scores as scores, gate, outcome class and codes as labels.

    task: the task id of the contract; else `task_id` of the case's metadata or inputs, else the only contract.
    settings: those of `MeshConfig`, and `config`, a TOML file.
    """

    task: str | None = None
    settings: dict[str, Any] = field(default_factory=dict[str, Any])

    async def evaluate(self, ctx: Any) -> dict[str, Any]:
        """Grade one case.

        Raises:
            EvaluatorFault: the gate is undecided because the evaluator broke.
        """
        data = sample_result(
            ctx.output,
            result_id=ctx.name,
            task=self.task,
            known=[ctx.metadata, ctx.inputs],
            latency_ms=ctx.duration * 1000,
        )
        graded = await session("pydantic-evals", **self.settings).agrade(data)
        graded.raise_if_broken()
        report = graded.report
        shown: dict[str, Any] = {
            f"{NAME}_gate": EvaluationReason(graded.gate, graded.reason)
        }
        if graded.passed is not None:
            shown[NAME] = EvaluationReason(graded.passed, graded.reason)
        values: dict[str, Any] = {name: getattr(report, name) for name in _NUMBERS}
        values["stability"] = report.confidence.stability
        values["correctness"] = report.confidence.correctness
        values["cost"] = graded.cost
        values["codes"] = ", ".join(graded.codes) or None
        values["outcome_class"] = report.outcome_class and report.outcome_class.value
        values["result_id"] = report.result_id
        values["run_id"] = graded.run_id
        for name, value in values.items():
            if value is not None:
                shown[f"{NAME}_{name}"] = value
        return shown
