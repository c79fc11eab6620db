"""DeepEval: the metric `JudgeMeshMetric`.

    evaluate(test_cases=cases, metrics=[JudgeMeshMetric(task="refund")])

An evaluator fault is the metric's `error`, which DeepEval counts as an error and not as a failure; an undecided gate is
one too, because a skipped metric would leave no trace in the report. Both have no score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from judgemesh.mesh.integrations.graded import Graded
from judgemesh.mesh.integrations.samples import sample_result
from judgemesh.mesh.integrations.session import session

if TYPE_CHECKING:
    # DeepEval is not in this project's environment; what is used of its base class is declared here.
    class BaseMetric:
        """The base class of metrics."""

        score: float | None
        reason: str | None
        success: bool | None
        error: str | None
        evaluation_cost: float | None
        score_breakdown: dict[str, Any]
else:
    from deepeval.metrics import BaseMetric


class JudgeMeshMetric(BaseMetric):
    """The hard gate: 1 pass, 0 fail. `score_breakdown` is the whole report without its verdicts.

    Args:
        task: the task id of the contract; else `task_id` of the test case's metadata, else the only contract.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """

    def __init__(
        self, task: str | None = None, settings: dict[str, Any] | None = None
    ) -> None:
        self.threshold = 1.0
        self.async_mode = True
        self.include_reason = True
        self.task = task
        self.settings = (
            settings  # DeepEval copies a metric from the attributes of these names
        )
        self.model: Any = None
        self.evaluation_model = "judgemesh"

    @property
    def __name__(self) -> str:
        """The name in DeepEval's reports."""
        return "judgemesh"

    def measure(self, test_case: Any, *_: Any, **__: Any) -> float | None:
        """Grade a test case."""
        return self._take(self._session().grade(self._data(test_case)))

    async def a_measure(self, test_case: Any, *_: Any, **__: Any) -> float | None:
        """Grade a test case, from a coroutine."""
        return self._take(await self._session().agrade(self._data(test_case)))

    def is_successful(self) -> bool:
        """Whether the gate passed."""
        return bool(self.success)

    def _session(self) -> Any:
        return session("deepeval", **(self.settings or {}))

    def _data(self, test_case: Any) -> dict[str, Any]:
        metadata = getattr(test_case, "metadata", None)
        additional = getattr(test_case, "additional_metadata", None)
        stated: dict[str, Any] = metadata or additional or {}
        trace: Any = stated.get("messages") or _calls(test_case)
        return sample_result(
            getattr(test_case, "actual_output", None),
            result_id=test_case.name,
            task=self.task,
            messages=trace or None,
            known=[stated],
        )

    def _take(self, graded: Graded) -> float | None:
        self.score = graded.score
        self.success = graded.passed
        self.reason = graded.reason
        self.error = None if graded.score is not None else graded.reason
        self.evaluation_cost = graded.cost
        self.score_breakdown = graded.facts()
        return self.score


def _calls(test_case: Any) -> list[dict[str, Any]]:
    """The tools that the test case says were called, as steps, after the user's input."""
    called = getattr(test_case, "tools_called", None)
    if called is None:
        return []
    steps: list[dict[str, Any]] = [{"role": "user", "content": test_case.input}]
    for call in called:
        step: dict[str, Any] = {
            "tool_name": call.name,
            "arguments": call.input_parameters or {},
        }
        steps.append({**step, "result": call.output})
    return steps
